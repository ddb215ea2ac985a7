//! Scores candidates one after another by the scalar functions: the level `scalar`, and the
//! specification of all others.

use super::evaluator::{Evaluator, Scratch};
use crate::board::Board;
use crate::features::{Measured, Move};
use crate::piece::Piece;
use crate::simd::LANES;

impl Evaluator {
    /// Scores each of `candidates` with the scalar functions and writes raw values and weighted
    /// sums to `scratch`. A candidate is an index of the piece's placements and a landing row.
    pub(super) fn score_by_features(
        &self,
        board: &Board,
        piece: Piece,
        candidates: impl ExactSizeIterator<Item = (usize, usize)>,
        scratch: &mut Scratch,
    ) {
        scratch.scores = [0; LANES];
        scratch.of_move = [0; LANES];
        scratch.lost = 0;
        for (lane, (shape, row)) in candidates.enumerate() {
            let candidate = self.shapes(piece).candidate(shape, row as u8);
            let before = candidate.lock(board, piece);
            let overflows = candidate.top(piece) > board.height();
            let stays = overflows && !self.play.clear_on_overflow;
            let removed = if stays { 0 } else { before.full_rows_among(row..candidate.top(piece)) };
            let after = before.without_rows(removed);
            scratch.lost |= u64::from(after.stack_height() > board.height()) << lane;
            // Number of the piece's cells removed from each of its rows: eroded-cell features count
            // only these.
            // `u64`, because pieces above row 28 may shift by 32: all have four rows here, and the
            // upper ones may be empty.
            let is_removed = |row: usize| (u64::from(removed) >> row & 1) as u32;
            let own = |k: usize| is_removed(row + k) * candidate.shape(piece).rows[k].count_ones();
            let removed_cells = std::array::from_fn(|k| own(k) as u8);
            let played =
                Move { piece, candidate, lines: removed.count_ones() as u8, removed_cells };
            let measured =
                if self.play.measured == Measured::AfterClear { &after } else { &before };
            for (&(feature, weight), &(slot, is_reward)) in self.terms.iter().zip(&self.term_slots)
            {
                let raw = feature.raw(measured, Some(&played)).unwrap_or(0);
                scratch.raws.0[slot].0[lane] = raw as u16;
                scratch.scores[lane] += weight * i64::from(raw);
                if is_reward {
                    scratch.of_move[lane] += weight * i64::from(raw);
                }
            }
            if let Some(terms) = &self.patterns {
                scratch.scores[lane] += terms.weight * terms.patterns.value(measured);
            }
        }
    }
}
