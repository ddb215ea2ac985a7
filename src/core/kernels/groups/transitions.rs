//! Computes the transitions between empty and filled cells along rows and columns.

use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group};
use crate::simd::Lanes;

/// Group for `row_transitions`.
pub(in crate::kernels) struct RowTransitions<V>(V);

impl<V: Lanes> Group<V> for RowTransitions<V> {
    /// Begins with 2 transitions for each measured row above the swept ones, since an empty row has
    /// two.
    #[inline(always)]
    fn start(frame: &BatchSlice<V>) -> Self {
        // Negative (it wraps) on boards that measure fewer rows than are swept; their excess empty
        // rows add as much in the sweep.
        let measured = frame.measured().sub(V::splat(frame.top as u16));
        RowTransitions(measured.add(measured))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        let shifted = cells.shl(1).or(frame.first);
        // Compares each cell with the one on its left. The bit right of the last column is the
        // wall.
        let changes = cells.or(frame.right_wall).xor(shifted).popcount();
        self.0 = self.0.add(changes);
        // Sixteen columns leave no bit for the wall: an empty last column is counted separately.
        if frame.width == 16 {
            self.0 = self.0.add(frame.first.without(cells.shr(15)));
        }
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("row_transitions") }, self.0);
    }
}

/// Group for `row_flips_unity`.
pub(in crate::kernels) struct RowFlips<V>(V);

impl<V: Lanes> Group<V> for RowFlips<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        RowFlips(V::zero())
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        // The shift brings in 0: the left wall counts as empty, and nothing beyond the last column
        // counts.
        self.0 = self.0.add(cells.xor(cells.shl(1)).and(frame.full).popcount());
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("row_flips_unity") }, self.0);
    }
}

/// Group for `column_transitions`: all changes between empty and filled cells from the sky down to
/// the floor.
pub(in crate::kernels) struct ColumnTransitions<V> {
    above: V,
    sum: V,
}

impl<V: Lanes> ColumnTransitions<V> {
    /// Returns the number of all changes, including those at the floor. It must be called after the
    /// last row.
    #[inline(always)]
    fn total(&self, frame: &BatchSlice<V>) -> V {
        // `above` is row 0 now, and the floor is filled.
        self.sum.add(frame.full.without(self.above).popcount())
    }
}

impl<V: Lanes> Group<V> for ColumnTransitions<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        ColumnTransitions { above: V::zero(), sum: V::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        self.sum = self.sum.add(cells.xor(self.above).popcount());
        self.above = cells;
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("column_transitions") }, self.total(frame));
    }
}

/// Group for `column_transitions_open`, `_floor` and `_ceiling`, which count the floor and the
/// ceiling differently.
pub(in crate::kernels) struct ColumnEdges<V>(ColumnTransitions<V>);

impl<V: Lanes> Group<V> for ColumnEdges<V> {
    #[inline(always)]
    fn start(frame: &BatchSlice<V>) -> Self {
        ColumnEdges(Group::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        self.0.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        let measured = frame.measured();
        let mut top = V::zero();
        // The ceiling lies above the highest measured row, which differs between boards if stacks
        // overflow.
        for row in frame.height - 1..frame.top {
            let is_top = measured.equal(V::splat(row as u16 + 1));
            top = is_top.select(frame.row(row), top);
        }
        let at_top = top.popcount();
        let at_floor = frame.full.without(self.0.above).popcount();
        let total = self.0.total(frame);
        // With a filled ceiling, columns that reach it lose a change and all others gain one.
        let ceiling = total.add(V::splat(frame.width as u16)).sub(at_top).sub(at_top);
        frame.put(raws, const { slot("column_transitions_floor") }, total.sub(at_top));
        frame.put(raws, const { slot("column_transitions_open") }, total.sub(at_floor).sub(at_top));
        frame.put(raws, const { slot("column_transitions_ceiling") }, ceiling);
    }
}
