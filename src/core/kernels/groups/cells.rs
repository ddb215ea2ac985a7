//! Counts filled cells and full rows.

use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{Frame, Group};
use crate::simd::Lanes;

/// Group for `occupied_cells` and `weighted_cells`.
pub(in crate::kernels) struct Cells<V> {
    above: V,
    weighted: V,
}

impl<V: Lanes> Group<V> for Cells<V> {
    #[inline(always)]
    fn start(_: &Frame<V>) -> Self {
        Cells { above: V::zero(), weighted: V::zero() }
    }

    /// Counts a cell of row r r + 1 times: it is among those at or above rows r, r - 1, ... 0.
    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        self.above = self.above.add(frame.row(row).popcount());
        self.weighted = self.weighted.add(self.above);
    }

    #[inline(always)]
    fn end(self, frame: &Frame<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("occupied_cells") }, self.above);
        frame.put(raws, const { slot("weighted_cells") }, self.weighted);
    }
}

pub(in crate::kernels) struct CompleteRows<V>(V);

impl<V: Lanes> Group<V> for CompleteRows<V> {
    #[inline(always)]
    fn start(_: &Frame<V>) -> Self {
        CompleteRows(V::zero())
    }

    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        // Subtracted, since a condition is 0xffff, which is -1.
        self.0 = self.0.sub(frame.row(row).equal(frame.full));
    }

    #[inline(always)]
    fn end(self, frame: &Frame<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("complete_rows") }, self.0);
    }
}
