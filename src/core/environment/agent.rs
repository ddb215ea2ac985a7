//! Plays an environment key press by key press, toward the placement with the best score of a
//! controller. The player of the teaching notebook `tetris_ia` works in this way.

use super::{Action, Falling, Observation};
use crate::board::{Board, BoardSize};
use crate::controller::{Controller, Scorer};
use crate::error::Result;
use crate::features::Move;
use crate::rules::Outcome;

/// A player like `TetrisAI` of the teaching notebook `tetris_ia`. It chooses where a piece will
/// rest, then turns, moves and drops the piece.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::Controller;
/// use tetrastat::environment::{Agent, Environment};
/// use tetrastat::queue::QueueKind;
/// let size = "10x20".parse()?;
/// let mut environment = Environment::new(size, QueueKind::Bag, 1)?;
/// let mut agent = Agent::new(&Controller::load("bcts")?, size)?;
/// for _ in 0..100 {
///     let action = agent.act(&environment.observe());
///     assert!(!environment.step(action)?.done);
/// }
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Agent {
    scorer: Scorer,
    target: Option<Falling>,
}

impl Agent {
    /// Creates an agent that plays by `controller` on boards of `size`.
    ///
    /// # Errors
    /// Returns the errors of [`Scorer::new`].
    pub fn new(controller: &Controller, size: BoardSize) -> Result<Agent> {
        Ok(Agent { scorer: Scorer::new(controller, size)?, target: None })
    }

    /// Returns the next action, toward the piece's target. The target is the first place with the
    /// best score among [`Falling::resting_places`], and stays until the piece is dropped. Without
    /// a resting place, the action is [`Action::Drop`].
    ///
    /// A piece may come to rest before its drop. As in the teaching notebook `tetris_ia`, the first
    /// action of the next piece still aims at the old target. The old target is forgotten after
    /// this action if it is for another kind of piece.
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

    /// Returns the first resting place of `falling` with the best score, or `None` if there is no
    /// resting place.
    fn best(&self, board: &Board, falling: Falling) -> Option<Falling> {
        let mut best: Option<(i64, Falling)> = None;
        for place in falling.resting_places(board) {
            let score = self.score(board, &place);
            // Only a better place replaces the best, so the first of equal ones is kept.
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Returns the controller's score of the resting place `place`, in steps of
    /// 1/[`Scorer::scale`].
    fn score(&self, board: &Board, place: &Falling) -> i64 {
        // The notebook `tetris_ia` plans with an error, kept here: cells above the top reappear at
        // the floor.
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
        let outcome = Outcome { before, after, played, lost: false };
        let measured = outcome.board(self.scorer.measured());
        self.scorer.score(board.stack_height(), measured, &played).total
    }
}

/// Returns the action that brings the piece `falling` nearer to `target`: a turn if one is needed,
/// otherwise a move, otherwise the drop. A piece is never turned toward a target of another kind.
fn toward(target: &Falling, falling: &Falling) -> Action {
    let turned = |turn: fn(Falling) -> Falling| {
        let once = turn(*falling);
        // Two left turns are tried too, so that half a turn goes left, which is tested first.
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
