//! Finds the placements that may be best or second best, the only ones that a logged decision
//! needs.

use super::delta::TopTwo;
use super::evaluator::{Evaluator, Scratch};
use crate::board::Board;
use crate::piece::Piece;

impl Evaluator {
    /// Returns the placements of `piece` dropped from above that may be best or second best, one
    /// bit each by index.
    ///
    /// The set has at least every placement with the best score, and the first with the second-best
    /// score. Placements that end the game rank last. In `scratch`, only placements of the set have
    /// exact scores, landing rows and `lost` bits.
    pub fn top_two(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> u64 {
        let Scratch { tables, rows, scores, lost, .. } = scratch;
        let found = TopTwo { tables, rows, scores, lost };
        if let Some(delta) = self.delta_alone()
            && let Some(some) = delta.top_two(board, piece, found)
        {
            return some;
        }
        let count = self.evaluate(board, piece, scratch);
        // The lowest possible score marks a placement that ends the game.
        let own = |lane: usize| match scratch.lost >> lane & 1 {
            0 => scratch.scores[lane],
            _ => i64::MIN,
        };
        let (mut best, mut second) = (i64::MIN, i64::MIN);
        for score in (0..count).map(own) {
            // The lower of the new score and the best so far competes for second place.
            second = second.max(score.min(best));
            best = best.max(score);
        }
        // All placements, if fewer than two survive.
        (0..count).map(|lane| u64::from(own(lane) >= second) << lane).sum()
    }
}
