//! Who can be best or second: all that a decision and its log ask about.

use super::delta::TopTwo;
use super::evaluator::{Evaluator, Scratch};
use crate::board::Board;
use crate::piece::Piece;
use crate::simd::LANES;

impl Evaluator {
    /// The candidates of a piece dropped from above among which are the best, all that score the
    /// same, and the first of the second best, one bit each; those that end the game come last.
    /// Only their scores, rows and bits of `lost` are exact, and there are no raw values.
    pub fn top_two(&self, board: &Board, piece: Piece, scratch: &mut Scratch) -> u64 {
        let Scratch { tables, rows, scores, lost, .. } = scratch;
        let found = TopTwo { tables, rows, scores, lost };
        if let Some(delta) = &self.delta
            && let Some(some) = delta.top_two(board, piece, found)
        {
            return some;
        }
        let count = self.evaluate(board, piece, scratch);
        // From here on the worst score there is stands for "loses", so that what is compared below needs no
        // second list.
        for (lane, score) in scratch.scores.iter_mut().enumerate() {
            if lane >= count || scratch.lost >> lane & 1 == 1 {
                *score = i64::MIN;
            }
        }
        from_second_on(&scratch.scores, count)
    }
}

/// The candidates whose score is at least the second best: all where fewer than two survive. Those
/// that lose, and lanes beyond `count` up to a multiple of eight, have the lowest score there is.
#[inline(always)]
pub(super) fn from_second_on(scores: &[i64; LANES], count: usize) -> u64 {
    // The best and second best of every eighth lane, merged below, so that no branch and no index depends on a
    // score.
    let (mut best, mut second) = ([i64::MIN; 8], [i64::MIN; 8]);
    let used = &scores[..count.next_multiple_of(8).min(LANES)];
    for eight in used.chunks_exact(8) {
        for (k, &score) in eight.iter().enumerate() {
            // The lower of the newcomer and the best so far is a candidate for second place.
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
    // Without lanes beyond the count, since their lowest score is "at least" the second best where fewer than
    // two survive.
    some & u64::MAX >> (LANES - count)
}
