//! Counts filled cells and full rows.

use fearless_simd::{Simd, SimdBase, SimdInt};

use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group, Lanes, condition};

/// Group for `occupied_cells` and `weighted_cells`.
pub(in crate::kernels) struct Cells<S: Simd> {
    above: Lanes<S>,
    weighted: Lanes<S>,
}

impl<S: Simd> Group<S> for Cells<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        Cells { above: frame.zero(), weighted: frame.zero() }
    }

    /// Adds, for each row, all cells at or above it. A cell of row r is thus counted r + 1 times.
    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        self.above += frame.row(row).count_ones();
        self.weighted += self.above;
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("occupied_cells") }, self.above);
        frame.put(raws, const { slot("weighted_cells") }, self.weighted);
    }
}

/// Group for `complete_rows`.
pub(in crate::kernels) struct CompleteRows<S: Simd>(Lanes<S>);

impl<S: Simd> Group<S> for CompleteRows<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        CompleteRows(frame.zero())
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        // Subtracted, since a true condition is 0xffff, which is -1.
        self.0 -= condition::<S>(frame.row(row).simd_eq(frame.full));
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("complete_rows") }, self.0);
    }
}
