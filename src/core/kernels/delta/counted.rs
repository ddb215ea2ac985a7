//! The counts of a piece's placements, looked up: exact sums of a few.

use super::Delta;
use super::board::Tables;
use super::place::Placed;
use super::settle::{lacking, wells_of};
use super::shape::Shape;
use super::weights::*;
use crate::kernels::bits::SetBits;
use crate::simd::Bytes;

/// The counts of all placements, to be looked up.
///
/// Sums of all placements stay in registers; a few are wanted exactly, one after another, and those are looked
/// up in `Tables::counts` by their byte.
#[derive(Clone, Copy)]
pub(super) struct Counted<'a> {
    pub(super) delta: &'a Delta,
    pub(super) shape: &'a Shape,
    pub(super) tables: &'a Tables,
    /// Placements whose wells may be more than was counted.
    pub(super) unsettled: u64,
}

/// Keeps the counts of all placements.
#[inline(always)]
pub(super) fn keep<V: Bytes>(placed: &Placed<V>, tables: &mut Tables) {
    for k in 0..COUNTS {
        placed.counts[k].store(&mut tables.counts[k]);
    }
}

impl Counted<'_> {
    #[inline(always)]
    pub(super) fn row(self, lane: usize) -> usize {
        self.tables.counts[LANDING].0[lane] as usize
    }

    /// The exact difference that a placement makes, if its wells are settled.
    #[inline(always)]
    pub(super) fn sum(self, lane: usize) -> i64 {
        let (weights, counts) = (&self.delta.weights, &self.tables.counts);
        let mut sum = self.shape.exact[lane] + weights.always;
        sum += i64::from(counts[LANDING].0[lane]) * self.shape.of_row[lane / 16];
        // From 1, since the landing row has a weight for each orientation.
        for k in 1..COUNTS {
            sum += i64::from(counts[k].0[lane]) * weights.exact[k];
        }
        if self.delta.set & BY_COLUMN != 0 {
            sum += self.by_column(lane);
        }
        sum
    }

    /// Never inlined: few controllers have weights by column, and all others would carry the code.
    #[inline(never)]
    fn by_column(self, lane: usize) -> i64 {
        self.delta.by_column.exact(self.tables, self.shape, lane, self.row(lane))
    }

    /// The exact difference that a placement makes.
    #[inline]
    pub(super) fn settled(self, lane: usize) -> i64 {
        let sum = self.sum(lane);
        if self.is_settled(lane) { sum } else { sum + self.lacking(lane) }
    }

    /// Whether its wells are exact: none of the cells that changed can have been a hole.
    #[inline(always)]
    pub(super) fn is_settled(self, lane: usize) -> bool {
        let few = self.tables.counts[CHANGE].0[lane] < WELLS_MOST;
        self.unsettled >> lane & 1 == 0
            // Asked again more narrowly, since rows with holes were asked of the whole board, and the piece's
            // own columns may have none of them.
            || (few && !self.tables.sparse && !self.tables.has_holes(lane % 16, self.row(lane)))
    }

    /// What the wells that were not counted add.
    #[cold]
    #[inline(never)]
    pub(super) fn lacking(self, lane: usize) -> i64 {
        let counted = self.tables.counts[CHANGE].0[lane];
        let row = self.row(lane);
        let fast = self.delta.set & WELLS_FAST != 0;
        // A count that was cut off, and fast wells, are counted anew; otherwise only what covered cells lack is
        // added.
        let more = if counted < WELLS_MOST && !fast {
            lacking(self.tables, self.shape, lane, row)
        } else {
            let counted = i64::from(counted) - i64::from(WELLS_BIAS);
            wells_of(self.tables, self.shape, lane, row, fast) - counted
        };
        more * self.delta.weights.exact[CHANGE]
    }

    /// The first best of some, and what was counted too little of it.
    #[cold]
    #[inline(never)]
    pub(super) fn settled_best(self, some: u64) -> (usize, i64, i64) {
        let mut best = (64, i64::MIN, 0);
        for lane in SetBits(some) {
            let counted = self.sum(lane);
            let sum = if self.is_settled(lane) { counted } else { counted + self.lacking(lane) };
            if sum > best.1 {
                best = (lane, sum, sum - counted);
            }
        }
        best
    }
}
