use proptest::prelude::*;

use super::*;
use crate::rules::guideline::{Matrix, RotationState, Spin};

const BLITZ: Mode = Mode::Blitz { pieces: u32::MAX, time_us: 180_000_000 };
const PRACTICE: Mode = Mode::Endless { pieces: u32::MAX };

fn setup(rules: Guideline, mode: Mode, advanced: bool) -> GameSetup {
    GameSetup { rules, mode, handling: Handling::new(advanced), seed: 1, game: 0 }
}

/// Returns a human player's practice game that deals the letters `pieces` in a cycle.
fn game(pieces: &str) -> Session {
    session_from(setup(Guideline::capstone(), PRACTICE, false), pieces, "")
}

fn session_from(setup: GameSetup, pieces: &str, matrix: &str) -> Session {
    let queue = Queue::new(QueueKind::script(pieces, true).unwrap(), 1, 0);
    let mut session = Session::with_queue(setup, queue, GuidelineGameRow::new(0, 0));
    if !matrix.is_empty() {
        session.state.matrix = matrix.parse().unwrap();
    }
    session
}

fn position(session: &Session) -> (RotationState, i32, i32) {
    let at = session.falling.unwrap().at;
    (at.state, at.x, at.y)
}

fn taps(session: &mut Session, actions: &[GameKey]) {
    for &action in actions {
        session.tap(action, session.now);
    }
}

#[test]
fn gravity_falls_a_row_a_second() {
    let mut session = game("T");
    for (time, row) in [(0, 20), (999, 20), (1000, 19), (1999, 19), (2000, 18), (5000, 15)] {
        session.advance(time);
        assert_eq!(position(&session), (RotationState::Spawn, 4, row), "{time} ms");
    }
    let official = session_from(setup(Guideline::official(), PRACTICE, false), "T", "");
    assert_eq!(position(&official).2, 19, "it falls as it spawns");
}

#[test]
fn the_lock_delay_begins_anew_with_each_move() {
    let mut session = game("T");
    session.advance(20_000);
    assert_eq!((position(&session).2, session.due()), (0, Some(20_250)));
    session.tap(GameKey::Left, 20_249);
    assert_eq!(session.due(), Some(20_499));
    session.tap(GameKey::HardDrop, 20_000);
    assert_eq!(session.placements.len(), 1, "a key that comes late acts now");

    let mut session = game("T");
    session.advance(20_100);
    taps(&mut session, &[GameKey::Left, GameKey::Left, GameKey::Left]);
    session.tap(GameKey::Left, 20_300);
    assert_eq!(session.due(), Some(20_350), "a shift into the wall is none");
    session.advance(20_349);
    assert!(session.placements.is_empty());
    session.advance(20_350);
    assert_eq!(session.placements[0].landing.left_column(), 0);
    assert_eq!(session.placements[0].time_us, 20_350_000);
}

#[test]
fn two_seconds_on_the_ground_lock_whatever_is_done() {
    let mut session = game("T");
    for step in 1..=9 {
        let action = if step % 2 == 1 { GameKey::Left } else { GameKey::Right };
        session.tap(action, 20_000 + 200 * step);
    }
    assert_eq!(session.due(), Some(22_000));
    session.advance(21_999);
    assert!(session.placements.is_empty());
    session.advance(22_000);
    assert_eq!(session.placements.len(), 1);
}

#[test]
fn off_a_ledge_the_fall_begins_anew_and_the_time_on_the_ground_stays() {
    let mut session =
        session_from(setup(Guideline::capstone(), PRACTICE, false), "T", "...#......");
    session.advance(19_000);
    assert_eq!((position(&session).2, session.due()), (1, Some(19_250)));
    session.tap(GameKey::Right, 19_100);
    assert_eq!(session.due(), Some(20_100));
    session.advance(20_100);
    assert_eq!((position(&session), session.due()), ((RotationState::Spawn, 5, 0), Some(20_350)));
    // The piece spent 100 ms on the ledge, so 1900 are left.
    for step in 1..=9 {
        session
            .tap(if step % 2 == 1 { GameKey::Right } else { GameKey::Left }, 20_100 + 200 * step);
    }
    assert_eq!(session.due(), Some(22_000));
}

#[test]
fn a_key_held_down_repeats_after_its_delay() {
    let mut session = game("T");
    session.press(GameKey::Right, 0);
    for (time, column) in [(0, 5), (149, 5), (150, 6), (224, 6), (225, 7), (300, 8), (500, 8)] {
        session.advance(time);
        assert_eq!(position(&session).1, column, "{time} ms");
    }
    let mut session = game("T");
    session.press(GameKey::Right, 0);
    session.release(GameKey::Right, 200);
    session.advance(400);
    assert_eq!(position(&session).1, 6, "one press, one repeat");
}

#[test]
fn advanced_controls_shift_at_once_and_go_on_with_the_next_piece() {
    let mut session = session_from(setup(Guideline::capstone(), PRACTICE, true), "TI", "");
    session.press(GameKey::Right, 0);
    session.advance(149);
    assert_eq!(position(&session).1, 5);
    session.advance(150);
    assert_eq!(position(&session).1, 8);
    session.tap(GameKey::HardDrop, 160);
    assert_eq!(session.falling.unwrap().piece, Piece::I);
    assert_eq!(position(&session).1, 7, "its cells are columns 6 to 9");
    session.press(GameKey::Left, 170);
    assert_eq!(position(&session).1, 6);
    session.advance(320);
    assert_eq!(position(&session).1, 1);
}

#[test]
fn soft_drop_repeats_and_earns_a_point_a_row() {
    let mut session = game("T");
    session.press(GameKey::SoftDrop, 500);
    for (time, row) in [(500, 19), (574, 19), (575, 18), (609, 18), (610, 17), (645, 16)] {
        session.advance(time);
        assert_eq!(position(&session).2, row, "{time} ms");
    }
    session.release(GameKey::SoftDrop, 650);
    session.advance(1644);
    assert_eq!(position(&session).2, 16);
    session.advance(1645);
    assert_eq!(position(&session).2, 15, "a second after the last row");
    session.tap(GameKey::HardDrop, 1700);
    // Points: four soft-drop rows at one point, fifteen hard-drop rows at two.
    assert_eq!((session.row().points.drop, session.row().points.total()), (34, 34));
    assert_eq!((session.placements[0].path.soft, session.placements[0].path.hard), (4, 15));
}

#[test]
fn the_hold_is_used_once_a_piece() {
    let mut session = game("TIOSZJL");
    assert_eq!(session.held(), (None, false));
    session.tap(GameKey::Hold, 10);
    assert_eq!(session.falling.unwrap().piece, Piece::I);
    assert_eq!(session.held(), (Some(Piece::T), true));
    session.tap(GameKey::Hold, 20);
    assert_eq!(session.falling.unwrap().piece, Piece::I);
    taps(&mut session, &[GameKey::HardDrop]);
    assert_eq!(session.held(), (Some(Piece::T), false));
    taps(&mut session, &[GameKey::Hold]);
    assert_eq!(session.falling.unwrap().piece, Piece::T);
    assert_eq!(session.held(), (Some(Piece::O), true));
    taps(&mut session, &[GameKey::HardDrop, GameKey::HardDrop]);

    let of = |p: &GuidelinePlacement| {
        (p.landing.piece, p.choice.held, p.dealt, [p.hold_before, p.choice.hold])
    };
    let (o, t) = (Hold::Piece(Piece::O), Hold::Piece(Piece::T));
    let placed: Vec<_> = session.placements.iter().map(of).collect();
    let want = [
        (Piece::I, true, 2, [Hold::Empty, t]),
        (Piece::T, true, 1, [t, o]),
        (Piece::S, false, 4, [o, o]),
    ];
    assert_eq!(placed, want);
    assert_eq!(session.placements[0].next[..2], [Some(Piece::O), Some(Piece::S)]);
    assert_eq!(session.row().holds, 2);
}

#[test]
fn a_piece_that_cannot_enter_ends_the_game() {
    let ends = |rules| {
        let mut session = session_from(setup(rules, PRACTICE, false), "O", "");
        taps(&mut session, &[GameKey::HardDrop; 20]);
        (session.end, session.row().pieces, session.row().height_max)
    };
    // Ten squares reach the top. The eleventh is wholly above it, and the twelfth cannot enter.
    assert_eq!(ends(Guideline::capstone()), (Some(GuidelineEnd::TopOut), 11, 22));
    assert_eq!(ends(Guideline::official()), (Some(GuidelineEnd::LockOut), 11, 22));
}

#[test]
fn a_blitz_ends_to_the_millisecond() {
    let mut session = session_from(setup(Guideline::capstone(), BLITZ, false), "O", "");
    // Each piece moves to its own pair of columns, so that the game lasts.
    for (number, way) in [GameKey::Left, GameKey::Right].into_iter().cycle().take(8).enumerate() {
        session.advance(20_000 * number as u64);
        taps(&mut session, &vec![way; number / 2 + 1]);
    }
    session.advance(179_999);
    assert_eq!((session.end, session.now), (None, 179_999));
    session.tap(GameKey::HardDrop, 180_000);
    assert_eq!((session.end, session.now), (Some(GuidelineEnd::TimeLimit), 180_000));
    assert_eq!(session.row().time_us, 180_000_000);
    let pieces = session.row().pieces;
    session.tap(GameKey::HardDrop, 180_001);
    assert_eq!((session.row().pieces, session.due()), (pieces, None));
}

#[test]
fn a_sprint_is_won_by_its_rows() {
    let sprint = Mode::Sprint { lines: 1 };
    let mut session = session_from(setup(Guideline::capstone(), sprint, false), "O", "####..####");
    session.tap(GameKey::HardDrop, 700);
    assert_eq!((session.end, session.row().lines), (Some(GuidelineEnd::Won), 1));
    // Points: 20 rows at two points, and a single.
    assert_eq!((session.row().time_us, session.row().points.total()), (700_000, 140));
    session.leave(900);
    assert_eq!(session.end, Some(GuidelineEnd::Won));
}

#[test]
fn a_tetris_by_hand() {
    let well = "#........./#########./#########./#########./#########.";
    let play = |back_to_back| {
        let mut session = session_from(setup(Guideline::capstone(), PRACTICE, false), "I", well);
        session.state.combo_state.chain = u8::from(back_to_back);
        let right = GameKey::Right;
        taps(&mut session, &[GameKey::TurnRight, right, right, right, right, GameKey::HardDrop]);
        session
    };
    // The piece falls from row 19 to the floor.
    assert_eq!(play(false).row().points.total(), 800 + 38);
    let session = play(true);
    assert_eq!(session.row().points.total(), 1200 + 38);
    assert_eq!(session.state.matrix, "#.........".parse::<Matrix>().unwrap());
    // Six keys, although a turn, a held shift and the drop suffice.
    assert_eq!((session.keys(), session.placements[0].path.inputs.len()), ((3, 6), 3));
}

#[test]
fn a_t_spin_by_hand() {
    let slot = ".....##.../###...####/####.#####";
    let mut session = session_from(setup(Guideline::capstone(), PRACTICE, false), "T", slot);
    taps(&mut session, &[GameKey::TurnLeft]);
    taps(&mut session, &[GameKey::SoftDrop; 19]);
    assert_eq!(position(&session), (RotationState::Left, 4, 1));
    taps(&mut session, &[GameKey::TurnLeft, GameKey::HardDrop]);
    let placed = &session.placements[0];
    assert_eq!((placed.landing.spin, placed.placed.clear.lines), (Spin::Full, 2));
    assert_eq!((placed.path.kick, session.row().points.total()), (Some(0), 1200 + 19));
}

#[test]
fn cells_keep_the_colours_of_their_pieces() {
    let mut session =
        session_from(setup(Guideline::capstone(), PRACTICE, false), "O", "####..####");
    (0..WIDTH).for_each(|column| session.colours.set(column, 0, CellFace::Piece(Piece::I)));
    taps(&mut session, &[GameKey::HardDrop]);
    let mut left = Cells::new(WIDTH, ROWS);
    (4..6).for_each(|column| left.set(column, 0, CellFace::Piece(Piece::O)));
    assert_eq!(session.colours, left);
}

#[test]
fn a_game_that_is_left_keeps_what_was_placed() {
    let mut session = game("O");
    session.tap(GameKey::HardDrop, 100);
    session.leave(2500);
    let row = session.row();
    assert_eq!((row.end, row.pieces, row.time_us), (GuidelineEnd::Left, 1, 2_500_000));
    assert_eq!(session.falling(), None);
}

/// A human player's game has the pieces that `simulate` deals for an equal seed and game number.
#[test]
fn pieces_are_those_of_the_simulated_game() {
    let setup = GameSetup { game: 3, ..setup(Guideline::official(), PRACTICE, false) };
    let session = Session::new(setup);
    let mut queue = Queue::new(QueueKind::Bag, 1, 3);
    assert_eq!(session.falling.unwrap().piece, queue.deal().unwrap());
    assert_eq!(
        session.previews(),
        std::array::from_fn(|ahead| (ahead < 5).then(|| queue.peek(ahead)).flatten())
    );
    assert_eq!(session.row().stream_seed, stream_seed(1, Purpose::Queue, 3));
}

fn action() -> impl Strategy<Value = GameKey> {
    prop::sample::select(GameKey::ALL.to_vec())
}

proptest! {
    /// A human player's game does not depend on the clock's steps, and its tables add up.
    #[test]
    fn the_steps_of_the_clock_change_nothing(
        keys in prop::collection::vec((action(), 0..3u8, 0..400u64), 1..300),
        step in 1..50u64,
        advanced: bool,
    ) {
        let mut whole = Session::new(setup(Guideline::official(), BLITZ, advanced));
        let mut stepped = whole.clone();
        let mut now = 0;
        for (action, kind, wait) in keys {
            now += wait;
            for time in (stepped.now..now).step_by(step as usize) {
                stepped.advance(time);
            }
            for session in [&mut whole, &mut stepped] {
                match kind {
                    0 => session.tap(action, now),
                    1 => session.press(action, now),
                    _ => session.release(action, now),
                }
            }
            prop_assert_eq!(whole.falling, stepped.falling);
        }
        prop_assert_eq!(whole.row(), stepped.row());
        prop_assert_eq!(&whole.placements, &stepped.placements);
        let score = whole.placements.last().map_or(0, |last| last.score);
        prop_assert_eq!(score, whole.row().points.total());
        let matrix = &whole.state.matrix;
        let shape = |is_filled: &dyn Fn(usize, usize) -> bool| {
            Cells::from_fn((WIDTH, ROWS), |column, row| CellFace::settled(is_filled(column, row)))
        };
        let coloured = shape(&|column, row| whole.colours.get(column, row).piece().is_some());
        prop_assert_eq!(coloured, shape(&|column, row| matrix.is_filled(column, row)));
    }
}
