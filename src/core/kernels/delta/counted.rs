//! Computes exact scores of a few placements from the stored counts.

use super::Delta;
use super::board::Tables;
use super::exact_wells::{deficit, recount};
use super::place::PlacedPiece;
use super::shape::Shape;
use super::weights::*;
use crate::kernels::bits::SetBits;
use crate::simd::{Blocks, Bytes};

/// The stored counts of all placements of a piece.
///
/// The rounded sums of all placements stay in registers. Only a few placements need an exact sum,
/// one after another, so their counts are read from `Tables::counts` byte by byte.
#[derive(Clone, Copy)]
pub(super) struct Counted<'a> {
    pub(super) delta: &'a Delta,
    pub(super) shape: &'a Shape,
    pub(super) tables: &'a Tables,
    /// Placements whose well count may be too low, one bit each.
    pub(super) inexact: u64,
}

/// Stores the counts of all placements in `tables`.
#[inline(always)]
pub(super) fn store_counts<S: Blocks, V: Bytes<S>>(placed: &PlacedPiece<V>, tables: &mut Tables) {
    for k in 0..COUNTS {
        placed.counts[k].store(&mut tables.counts[k]);
    }
}

impl Counted<'_> {
    /// Returns the landing row of the placement in byte `lane`.
    #[inline(always)]
    pub(super) fn row(self, lane: usize) -> usize {
        self.tables.counts[LANDING_ROW].0[lane] as usize
    }

    /// Returns the change of the score by the placement in byte `lane`, computed from its counts.
    /// It is exact if the well count is.
    #[inline(always)]
    pub(super) fn sum(self, lane: usize) -> i64 {
        let (weights, counts) = (&self.delta.weights, &self.tables.counts);
        let mut sum = self.shape.exact[lane] + weights.common;
        sum += i64::from(counts[LANDING_ROW].0[lane]) * self.shape.row_weight[lane / 16];
        // From 1, since the landing row's weight depends on the orientation.
        for k in 1..COUNTS {
            sum += i64::from(counts[k].0[lane]) * weights.exact[k];
        }
        if self.delta.set & (BY_COLUMN | EXTRAS) != 0 {
            sum += self.apart(lane);
        }
        sum
    }

    /// Returns the first best placement of the set `some`, which is not empty, and its score
    /// change. Well counts must be exact.
    #[inline(never)]
    pub(super) fn best(self, some: u64) -> (usize, i64) {
        let mut best = (some.trailing_zeros() as usize, i64::MIN);
        for lane in SetBits(some) {
            let sum = self.sum(lane);
            if sum > best.1 {
                best = (lane, sum);
            }
        }
        best
    }

    /// Returns the part of the score change that is no sum of weighted counts. Not inlined: few
    /// controllers have such a part, and all others would carry the code.
    #[inline(never)]
    fn apart(self, lane: usize) -> i64 {
        let Counted { delta, shape, tables, .. } = self;
        let mut sum = delta.extras.exact(tables, lane);
        if delta.set & BY_COLUMN != 0 {
            sum += delta.by_column.exact(tables, shape, lane, self.row(lane));
        }
        sum
    }

    /// Returns the exact change of the score by the placement in byte `lane`.
    #[inline]
    pub(super) fn exact_sum(self, lane: usize) -> i64 {
        let sum = self.sum(lane);
        if self.is_exact(lane) { sum } else { sum + self.deficit(lane) }
    }

    /// Returns true if the well count of the placement in byte `lane` is exact, because no cell
    /// that becomes a well cell can be a hole.
    #[inline(always)]
    pub(super) fn is_exact(self, lane: usize) -> bool {
        let few = self.tables.counts[WELL_CHANGE].0[lane] < MAX_WELL_COUNT;
        self.inexact >> lane & 1 == 0
            // A second, narrower test: `inexact` considers the rows of the whole board, but the
            // piece's own columns may have no hole there.
            || (few && !self.tables.has_gaps && !self.tables.has_holes(lane % 16, self.row(lane)))
    }

    /// Returns the score of the wells that the count of the placement in byte `lane` misses.
    #[cold]
    #[inline(never)]
    pub(super) fn deficit(self, lane: usize) -> i64 {
        let counted = self.tables.counts[WELL_CHANGE].0[lane];
        let row = self.row(lane);
        let fast = self.delta.set & WELLS_FAST != 0;
        // Capped counts and fast wells are recounted; otherwise only the missing cells are added.
        let more = if counted < MAX_WELL_COUNT && !fast {
            deficit(self.tables, self.shape, lane, row)
        } else {
            let counted = i64::from(counted) - i64::from(WELLS_BIAS);
            recount(self.tables, self.shape, lane, row, fast) - counted
        };
        more * self.delta.weights.exact[WELL_CHANGE]
    }

    /// Returns the first best placement of the set `some`: its byte, its exact score change, and
    /// the part of that change that its counts miss. The byte is 64 if `some` is empty.
    #[cold]
    #[inline(never)]
    pub(super) fn exact_best(self, some: u64) -> (usize, i64, i64) {
        let mut best = (64, i64::MIN, 0);
        for lane in SetBits(some) {
            let counted = self.sum(lane);
            let sum = if self.is_exact(lane) { counted } else { counted + self.deficit(lane) };
            if sum > best.1 {
                best = (lane, sum, sum - counted);
            }
        }
        best
    }
}
