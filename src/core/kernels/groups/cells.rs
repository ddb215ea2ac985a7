//! Counts filled cells and full rows.

use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group};
use crate::simd::Lanes;

/// Group for `occupied_cells` and `weighted_cells`.
pub(in crate::kernels) struct Cells<V> {
    above: V,
    weighted: V,
}

impl<V: Lanes> Group<V> for Cells<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        Cells { above: V::zero(), weighted: V::zero() }
    }

    /// Adds, for each row, all cells at or above it. A cell of row r is thus counted r + 1 times.
    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        self.above = self.above.add(frame.row(row).popcount());
        self.weighted = self.weighted.add(self.above);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("occupied_cells") }, self.above);
        frame.put(raws, const { slot("weighted_cells") }, self.weighted);
    }
}

/// Group for `complete_rows`.
pub(in crate::kernels) struct CompleteRows<V>(V);

impl<V: Lanes> Group<V> for CompleteRows<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        CompleteRows(V::zero())
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        // Subtracted, since a true condition is 0xffff, which is -1.
        self.0 = self.0.sub(frame.row(row).equal(frame.full));
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("complete_rows") }, self.0);
    }
}
