//! A controller that presses keys as the notebook's does.

use super::{Action, Falling, Observation};
use crate::board::{Board, BoardSize};
use crate::controller::{Controller, Scorer};
use crate::error::Result;
use crate::features::{Measured, Move};

/// Chooses the best resting place once per piece, then turns, steps and drops: the notebook's `TetrisAI`.
#[derive(Clone, Debug)]
pub struct Agent {
    scorer: Scorer,
    target: Option<Falling>,
}

impl Agent {
    /// For boards of one size.
    ///
    /// # Errors
    /// As [`Scorer::new`].
    pub fn new(controller: &Controller, size: BoardSize) -> Result<Agent> {
        Ok(Agent { scorer: Scorer::new(controller, size)?, target: None })
    }

    /// What to do next. The first best of [`Falling::resting_places`] is the target until it is dropped; where there is
    /// none, [`Action::Drop`]. A piece that rests before its drop leaves its target behind: as in the notebook, the
    /// next piece's first key still goes there, and only then is a target of another kind of piece forgotten.
    pub fn act(&mut self, seen: &Observation) -> Action {
        let falling = seen.falling;
        let Some(target) = self.target.or_else(|| self.best(&seen.board, falling)) else {
            return Action::Drop;
        };
        let action = toward(&target, &falling);
        let is_kept = action != Action::Drop && target.piece() == falling.piece();
        self.target = is_kept.then_some(target);
        action
    }

    fn best(&self, board: &Board, falling: Falling) -> Option<Falling> {
        let mut best: Option<(i64, Falling)> = None;
        for place in falling.resting_places(board) {
            let score = self.score(board, &place);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, place));
            }
        }
        best.map(|(_, place)| place)
    }

    fn score(&self, board: &Board, place: &Falling) -> i64 {
        let before = place.on(board, true);
        let (after, lines) = before.clear();
        let candidate = place.candidate();
        let full = before.full_rows();
        let removed = |row: usize| {
            let is_full = full >> (usize::from(candidate.row) + row) & 1 == 1;
            let cells = candidate.shape(place.piece()).rows[row].count_ones() as u8;
            if is_full { cells } else { 0 }
        };
        let removed_cells = std::array::from_fn(removed);
        let played = Move { piece: place.piece(), candidate, lines: lines as u8, removed_cells };
        let measured = match self.scorer.measured() {
            Measured::BeforeClear => before,
            Measured::AfterClear => after,
        };
        self.scorer.score(&measured, &played).total
    }
}

/// The key that brings a piece nearer to its target: turns first, then columns, then the drop. No turn makes a
/// piece like one of another kind.
fn toward(target: &Falling, falling: &Falling) -> Action {
    let turned = |turn: fn(Falling) -> Falling| {
        let once = turn(*falling);
        target.is_turned_like(&once) || target.is_turned_like(&turn(once))
    };
    if turned(Falling::turned_left) {
        return Action::TurnLeft;
    }
    if turned(Falling::turned_right) {
        return Action::TurnRight;
    }
    match target.column - falling.column {
        0 => Action::Drop,
        steps if steps < 0 => Action::Left,
        _ => Action::Right,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use crate::piece::Piece;

    fn controller(weights: [f64; 4]) -> Controller {
        let [height, lines, holes, bumpiness] = weights;
        let text = format!(
            "name = \"c\"\nmeasured = \"before-clear\"\n[weights]\naggregate_height = -{height}\ncomplete_rows = {lines}\nholes = -{holes}\nbumpiness = -{bumpiness}\n"
        );
        Controller::parse("here", &text).unwrap()
    }

    /// As the notebook prints them: weights 1 1 1 1, horizon 1000, seed 42 give 58 lines; the game ends with its 181st
    /// piece.
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

    /// As the notebook prints it: board M, T at (1, 2), weights .17 .55 .16 .12: the first action is 3.
    #[test]
    fn the_notebooks_first_action() {
        let m = ".....\n".repeat(4) + "..#..\n..#..\n#.#..\n#.#.#\n###.#\n###.#";
        let board: Board = m.parse().unwrap();
        let mut agent = Agent::new(&controller([0.17, 0.55, 0.16, 0.12]), board.size()).unwrap();
        let falling = Falling::new(Piece::T, 1, 7);
        let seen = Observation { board, falling, next: Vec::new() };
        assert_eq!(agent.act(&seen) as u8, 3);
    }
}
