//! Tests of [`tetrastat_core::environment`].

mod agent;
mod falling;

use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::environment::*;
use tetrastat_core::error::{Error, Result};
use tetrastat_core::piece::Piece;
use tetrastat_core::queue::QueueKind;

/// The first quiz of the notebook `tetris_ia`: T at (3, 1) of a 7x12 board; left, left, ccw, drop.
#[test]
fn the_notebooks_first_quiz() {
    let q1 = ".......\n".repeat(6) + "..#....\n..#....\n#.#....\n#.#..#.\n###..#.\n###..##";
    let start: Board = q1.parse().unwrap();
    let mut environment = Environment::new(start.size(), QueueKind::Uniform, 1).unwrap();
    environment.set(start, Falling::new(Piece::T, 3, 10));
    for action in [Action::Left, Action::Left, Action::TurnLeft] {
        assert_eq!(environment.step(action).unwrap().reward, 0);
    }
    let after = environment.step(Action::Drop).unwrap();
    let rows: Vec<String> =
        after.observation.board.to_string().lines().skip(6).take(3).map(str::to_owned).collect();
    assert_eq!(rows, [".##....", "###....", "###...."]);
}

#[test]
fn a_blocked_action_does_nothing_and_the_piece_still_falls() {
    let size = "4x6".parse().unwrap();
    let mut environment =
        Environment::new(size, QueueKind::script("OO", false).unwrap(), 1).unwrap();
    for row in [4, 3, 2] {
        let seen = environment.step(Action::Right).unwrap().observation;
        assert_eq!((seen.falling.column, seen.falling.row), (3, row));
    }
    assert!(environment.render().contains("..@@\n..@@"));
    assert_eq!(environment.step(Action::Idle).unwrap().observation.falling.row, 1);
    // The first O rests on the floor as it reaches row 0, and the next O enters in the middle.
    let seen = environment.step(Action::Idle).unwrap().observation;
    assert_eq!((seen.falling.column, seen.falling.row), (2, 5));
    assert_eq!(seen.board.rows()[..2], [0b1100, 0b1100]);
    // The second O fills the left, which removes two rows; the script has no third piece.
    environment.step(Action::Left).unwrap();
    let end = environment.step(Action::Drop);
    assert!(matches!(end, Err(Error::ScriptEnded { dealt: 2 })), "{end:?}");
}

#[test]
fn a_game_ends_at_the_top_and_only_a_reset_goes_on() {
    let size = "4x4".parse().unwrap();
    let script = QueueKind::script("OOO", true).unwrap();
    let mut environment = Environment::new(size, script, 1).unwrap();
    assert!(!environment.step(Action::Drop).unwrap().done);
    assert!(environment.step(Action::Drop).unwrap().done);
    assert!(environment.step(Action::Idle).unwrap_err().to_string().contains("reset"));
    assert_eq!(environment.reset().unwrap().board.stack_height(), 0);
    assert!(environment.step(Action::Idle).is_ok());
}

#[test]
fn seeds_repeat_clones_agree_and_games_differ() {
    let play = |environment: &mut Environment| {
        (0..40)
            .map(|_| environment.step(Action::Drop))
            .map_while(Result::ok)
            .map(|t| t.observation.falling.piece())
            .collect::<Vec<_>>()
    };
    let size: BoardSize = "10x20".parse().unwrap();
    let mut one = Environment::new(size, QueueKind::Uniform, 3).unwrap();
    let mut clone = one.clone();
    let first = play(&mut one);
    assert_eq!(first, play(&mut clone));
    one.reset().unwrap();
    assert_ne!(first, play(&mut one));
    one.seed(3);
    one.reset().unwrap();
    assert_eq!(first, play(&mut one));
}

#[test]
fn previews_are_what_comes() {
    let size = "10x20".parse().unwrap();
    let mut environment = Environment::new(size, QueueKind::Bag, 3).unwrap();
    environment.show_next(3);
    let next = environment.observe().next;
    for piece in next {
        let seen = environment.step(Action::Drop).unwrap().observation;
        assert_eq!((seen.falling.piece(), seen.next.len()), (piece, 3));
    }
}

/// Plays `steps` actions, with resets after lost games, and returns all observations.
fn played(environment: &mut Environment, steps: u8) -> Vec<Observation> {
    let mut seen = Vec::new();
    for step in 0..steps {
        let action = Action::ALL[usize::from(step) * 7 % 6];
        let after = environment.step(action).unwrap();
        seen.push(after.observation);
        if after.done {
            seen.push(environment.reset().unwrap());
        }
    }
    seen
}

#[test]
fn a_stored_environment_continues() {
    let size = "4x8".parse().unwrap();
    let bag = Environment::new(size, QueueKind::Bag, 3).unwrap();
    for mut environment in [bag, Environment::notebook(size, 42).unwrap()] {
        environment.show_next(2);
        played(&mut environment, 100);
        let text = serde_json::to_string(&environment).unwrap();
        let mut restored: Environment = serde_json::from_str(&text).unwrap();
        restored.set_queue_kind(QueueKind::Bag);
        assert_eq!(restored.is_notebook(), environment.is_notebook());
        assert_eq!(serde_json::to_string(&restored).unwrap(), text);
        assert_eq!(played(&mut restored, 200), played(&mut environment, 200));
    }
}

#[test]
fn a_branch_changes_only_hidden_pieces() {
    let size = "10x20".parse().unwrap();
    let mut environment = Environment::new(size, QueueKind::Uniform, 3).unwrap();
    environment.show_next(2);
    let seen = environment.observe();
    let branched = |seed: u64| {
        let mut branch = environment.clone();
        branch.branch(seed);
        let visible = branch.observe();
        (visible, played(&mut branch, 200), branch.reset().unwrap())
    };
    let (first, again, other) = (branched(1), branched(1), branched(2));
    assert_eq!(first, again);
    assert_eq!((&first.0, &other.0), (&seen, &seen));
    assert_ne!(first.1, other.1);
    assert_eq!(first.2, other.2, "later games stay");
}
