//! Tests of [`tetrastat_core::environment::agent`].

use tetrastat_core::board::Board;
use tetrastat_core::controller::Controller;
use tetrastat_core::environment::Environment;
use tetrastat_core::environment::*;
use tetrastat_core::environment::{Falling, Observation};
use tetrastat_core::piece::Piece;

fn controller(weights: [f64; 4]) -> Controller {
    let [height, lines, holes, bumpiness] = weights;
    let text = format!(
        "name = \"c\"\nmeasured = \"before-clear\"\n[weights]\naggregate_height = \
         -{height}\ncomplete_rows = {lines}\nholes = -{holes}\nbumpiness = -{bumpiness}\n"
    );
    Controller::parse("here", &text).unwrap()
}

/// The notebook `tetris_ia` prints 58 lines for weights 1 1 1 1, horizon 1000 and seed 42; the game
/// ends with its 181st piece.
#[test]
fn the_notebooks_game() {
    let size = "10x20".parse().unwrap();
    let mut environment = Environment::notebook(size, 42).unwrap();
    let mut agent = Agent::new(&controller([1.0; 4]), size).unwrap();
    let (mut seen, mut lines, mut pieces) = (environment.observe(), 0, 0);
    for _ in 0..1000 {
        let step = environment.step(agent.act(&seen)).unwrap();
        lines += step.reward;
        pieces += u32::from(step.locked);
        seen = step.observation;
        if step.done {
            break;
        }
    }
    assert_eq!((lines, pieces), (58, 181));
}

/// The notebook `tetris_ia` prints 3 as the first action for board M, T at (1, 2), weights .17 .55
/// .16 .12.
#[test]
fn the_notebooks_first_action() {
    let m = ".....\n".repeat(4) + "..#..\n..#..\n#.#..\n#.#.#\n###.#\n###.#";
    let board: Board = m.parse().unwrap();
    let mut agent = Agent::new(&controller([0.17, 0.55, 0.16, 0.12]), board.size()).unwrap();
    let falling = Falling::new(Piece::T, 1, 7);
    let seen = Observation { board, falling, next: Vec::new() };
    assert_eq!(agent.act(&seen) as u8, 3);
}
