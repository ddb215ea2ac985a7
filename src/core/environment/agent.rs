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

    /// The first best of the resting places.
    fn best(&self, board: &Board, falling: Falling) -> Option<Falling> {
        let mut best: Option<(i64, Falling)> = None;
        for place in falling.resting_places(board) {
            let score = self.score(board, &place);
            // Only a better one takes its place, so that the first of equal ones stays.
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// The controller's score of a resting place, in steps of its scale.
    fn score(&self, board: &Board, place: &Falling) -> i64 {
        // With the notebook's fault where it plans: cells above the top come up from the floor.
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
        self.scorer.score(board.stack_height(), &measured, &played).total
    }
}

/// The key that brings a piece nearer to its target: turns first, then columns, then the drop. No turn makes a
/// piece like one of another kind.
fn toward(target: &Falling, falling: &Falling) -> Action {
    let turned = |turn: fn(Falling) -> Falling| {
        let once = turn(*falling);
        // Once or twice, so that half a turn goes to the left, which is asked first.
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
