//! Tests of players from outside the engine.

use tetrastat_core::board::Board;
use tetrastat_core::controller::{
    BoardValues, Connection, Controller, External, ExternalSource, GuidelineController,
    MoveChooser, Position, with_host_players,
};
use tetrastat_core::error::{Error, Result};
use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::queue::{Queue, QueueKind};
use tetrastat_core::rules::Rules;
use tetrastat_core::search::{Player, Search, Value};

#[derive(Debug)]
enum Source {
    /// Sum of a linear controller's board features.
    Linear(Box<Controller>),
    /// One value for every board.
    Constant(f64),
    /// Preference for the last candidate, then for the first.
    Last,
    /// Failure to start.
    Silent,
}

struct Linear(Controller);
struct Constant(f64);
struct Last;

fn silent() -> Error {
    Error::Controller { name: "silent".to_owned(), problem: "it does not answer".to_owned() }
}

impl ExternalSource for Source {
    fn describe(&self) -> String {
        "test".to_owned()
    }

    fn connect(&self) -> Result<Connection> {
        Ok(match self {
            Source::Linear(controller) => {
                Connection::Values(Box::new(Linear((**controller).clone())))
            }
            Source::Constant(value) => Connection::Values(Box::new(Constant(*value))),
            Source::Last => Connection::Moves(Box::new(Last)),
            Source::Silent => return Err(silent()),
        })
    }
}

impl BoardValues for Linear {
    fn values(&mut self, boards: &[Board], values: &mut [f64]) -> Result<()> {
        for (board, value) in boards.iter().zip(values) {
            let raw = |(feature, weight): &(tetrastat_core::features::Feature, f64)| {
                weight * f64::from(feature.raw(board, None).unwrap())
            };
            *value = self.0.weights.iter().map(raw).sum();
        }
        Ok(())
    }
}

impl BoardValues for Constant {
    fn values(&mut self, _: &[Board], values: &mut [f64]) -> Result<()> {
        values.fill(self.0);
        Ok(())
    }
}

impl MoveChooser for Last {
    fn preferences(&mut self, position: &Position<'_>) -> Result<Vec<usize>> {
        match position.piece {
            Piece::I => Err(silent()),
            _ => Ok(vec![position.candidates.len() - 1, 0]),
        }
    }
}

const WEIGHTS: &str = r#"
    name = "linear"
    measured = "after-clear"
    [weights]
    rows_removed = 2.5
    holes = -4.0
    row_transitions = -1.5
    wells = -1.25
"#;

fn linear() -> Controller {
    Controller::parse("linear.toml", WEIGHTS).unwrap()
}

/// Returns the controller without its features of boards, played from outside by `source`.
fn external(source: Source) -> Controller {
    let mut controller = linear();
    controller.weights.truncate(1);
    controller.external = Some(External::new(source));
    controller
}

fn outside() -> Controller {
    let mut of_boards = linear();
    of_boards.weights.remove(0);
    external(Source::Linear(Box::new(of_boards)))
}

/// A player whose values of boards come from outside makes the decisions, ranks and scores of the
/// same weights inside the engine.
#[test]
fn values_from_outside_decide_like_weights() {
    let size = "6x12".parse().unwrap();
    for rules in [Rules::simplified(), Rules::standard()] {
        for (search, pieces) in [(Search::Greedy, 300), (Search::Next, 60), (Search::Expect, 12)] {
            let player =
                |controller| Player::new(&controller, rules, search, size, Level::detect());
            let (mut inside, mut out) = (player(linear()).unwrap(), player(outside()).unwrap());
            let mut board = Board::empty(size);
            let mut queue = Queue::new(QueueKind::Uniform, 5, 0);
            let mut decisions = 0;
            for _ in 0..pieces {
                let piece = queue.deal().unwrap();
                let next = queue.peek(0);
                let expected = inside.decide(&board, piece, next);
                let decision = out.decide(&board, piece, next);
                let scores = [(&expected, &inside), (&decision, &out)].map(|(decision, player)| {
                    let scale = player.scorer().scale();
                    decision.as_ref().map(|decision| {
                        (decision.score(scale), decision.margin(scale), decision.rank)
                    })
                });
                assert_eq!(scores[0], scores[1], "{rules} {search} {piece}\n{board}");
                let Some(decision) = decision else { break };
                assert_eq!(decision.outcome, expected.unwrap().outcome, "{board}");
                if decision.outcome.lost {
                    break;
                }
                let mut played = board;
                assert_eq!(out.step(&mut played, piece, next), Some(decision.step()));
                assert_eq!(played, decision.outcome.after);
                board = played;
                decisions += 1;
            }
            assert!(decisions > 9, "{rules} {search}: {decisions}");
            out.check_external().unwrap();
        }
    }
}

/// A chooser's first placement is played. It has neither a score nor a margin, and its runner-up is
/// the second placement of the list.
#[test]
fn a_chooser_orders_placements_without_scores() {
    let controller = external(Source::Last);
    let (rules, size) = (Rules::simplified(), "10x20".parse().unwrap());
    let mut player =
        Player::new(&controller, rules, Search::Greedy, size, Level::detect()).unwrap();
    let board = Board::empty(size);
    let decision = player.decide(&board, Piece::O, None).unwrap();
    assert_eq!(decision.outcome.played.candidate.placement.column, 8);
    assert_eq!((decision.rank, decision.score(1.0), decision.margin(1.0)), (1, None, None));
    assert_eq!(decision.runner_up.unwrap().candidate.placement.column, 0);
    player.check_external().unwrap();
    assert_eq!(player.decide(&board, Piece::I, None), None);
    assert_eq!(player.check_external().unwrap_err().to_string(), silent().to_string());
    player.check_external().unwrap();
}

/// An invalid value ends the decision with an error that names the player; a player that cannot be
/// started is an error at once.
#[test]
fn failures_of_outside_players_are_errors() {
    let (rules, size) = (Rules::simplified(), "10x20".parse().unwrap());
    let start = |source| Player::new(&external(source), rules, Search::Next, size, Level::detect());
    for value in [f64::NAN, f64::INFINITY, -1.1e6] {
        let mut player = start(Source::Constant(value)).unwrap();
        let mut board = Board::empty(size);
        assert_eq!(player.step(&mut board, Piece::T, Some(Piece::O)), None);
        assert_eq!(board, Board::empty(size));
        let error = player.check_external().unwrap_err().to_string();
        assert!(error.starts_with("controller linear: its value of a board is"), "{error}");
    }
    assert!(
        start(Source::Constant(-1e6)).unwrap().rank(&Board::empty(size), Piece::T, None)[0].value
            > Value::LOST
    );
    assert_eq!(start(Source::Silent).err().unwrap().to_string(), silent().to_string());
    let recorded = External::recorded("python".to_owned());
    assert!(recorded.connect().err().unwrap().to_string().contains("play a new run"));
}

/// Controllers of a host program are found by name while its command runs, also if commands are
/// nested, and not afterwards.
#[test]
fn players_of_a_host_are_found_while_its_command_runs() {
    let load = || Controller::load("python:linear").map_err(|error| error.to_string());
    let missing = load().unwrap_err();
    assert!(missing.starts_with("controller python:linear: it is a function of a"), "{missing}");
    with_host_players(vec![outside()], || {
        assert_eq!(load().unwrap(), outside());
        with_host_players(Vec::new(), || assert_eq!(load().unwrap_err(), missing));
        assert_eq!(load().unwrap(), outside());
        let panicked = std::panic::catch_unwind(|| with_host_players(Vec::new(), || panic!("!")));
        assert!(panicked.is_err() && load().is_ok());
        let guideline = GuidelineController::load("python:linear").unwrap_err().to_string();
        assert!(guideline.contains("classic games only"), "{guideline}");
    });
    assert_eq!(load().unwrap_err(), missing);
}
