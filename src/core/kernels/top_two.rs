//! Finds the placements that may be best or second best, the only ones that a logged decision
//! needs.

use super::delta::TopTwo;
use super::evaluator::{Evaluator, Scratch};
use crate::board::Board;
use crate::piece::Piece;
use crate::simd::LANES;

impl Evaluator {
    /// Returns the placements of `piece` dropped from above that may be best or second best, one
    /// bit each by index.
    ///
    /// The set has at least every placement with the best score, and the first with the second-best
    /// score. Placements that end the game rank last. In `scratch`, only placements of the set have
    /// exact scores, landing rows and `lost` bits; raw values are not computed.
    pub fn top_two(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> u64 {
        let Scratch { tables, rows, scores, lost, .. } = scratch;
        let found = TopTwo { tables, rows, scores, lost };
        if let Some(delta) = self.delta_alone()
            && let Some(some) = delta.top_two(board, piece, found)
        {
            return some;
        }
        let count = self.evaluate_with_patterns(board, piece, scratch);
        // From here on the lowest possible score marks a losing candidate, so no second list is
        // needed.
        for (lane, score) in scratch.scores.iter_mut().enumerate() {
            if lane >= count || scratch.lost >> lane & 1 == 1 {
                *score = i64::MIN;
            }
        }
        from_second_on(&scratch.scores, count)
    }
}

/// Returns the candidates whose score is at least the second best, one bit each. If fewer than two
/// candidates survive, it returns all.
///
/// In `scores`, candidates that lose and the elements from `count` up to a multiple of eight must
/// be `i64::MIN`.
#[inline(always)]
pub(super) fn from_second_on(scores: &[i64; LANES], count: usize) -> u64 {
    // Best and second-best score among every eighth candidate, merged below: no branch and no index
    // depends on a score.
    let (mut best, mut second) = ([i64::MIN; 8], [i64::MIN; 8]);
    let used = &scores[..count.next_multiple_of(8).min(LANES)];
    for eight in used.chunks_exact(8) {
        for (k, &score) in eight.iter().enumerate() {
            // The lower of the new score and the best so far competes for second place.
            second[k] = second[k].max(score.min(best[k]));
            best[k] = best[k].max(score);
        }
    }
    let (mut most, mut least) = (i64::MIN, i64::MIN);
    for (best, second) in best.into_iter().zip(second) {
        least = least.max(second).max(most.min(best));
        most = most.max(best);
    }
    let mut some = 0;
    for (at, eight) in (0..).step_by(8).zip(used.chunks_exact(8)) {
        let bits = eight.iter().enumerate().map(|(k, &score)| u64::from(score >= least) << k);
        some |= bits.sum::<u64>() << at;
    }
    // Bits from `count` on would be set too if fewer than two candidates survive.
    some & u64::MAX >> (LANES - count)
}
