//! Computes the transitions between empty and filled cells along rows and columns.

use fearless_simd::{Select, Simd, SimdBase, SimdInt};

use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group, Lanes};

/// Group for `row_transitions`.
pub(in crate::kernels) struct RowTransitions<S: Simd>(Lanes<S>);

impl<S: Simd> Group<S> for RowTransitions<S> {
    /// Begins with 2 transitions for each measured row above the swept ones, since an empty row has
    /// two.
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        // Negative (it wraps) on boards that measure fewer rows than are swept; their excess empty
        // rows add as much in the sweep.
        let measured = frame.measured() - frame.top as u16;
        RowTransitions(measured + measured)
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        let shifted = (cells << 1) | frame.first;
        // Compares each cell with the one on its left. The bit right of the last column is the
        // wall.
        self.0 += ((cells | frame.right_wall) ^ shifted).count_ones();
        // Sixteen columns leave no bit for the wall: an empty last column is counted separately.
        if frame.width == 16 {
            self.0 += frame.first & !(cells >> 15);
        }
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("row_transitions") }, self.0);
    }
}

/// Group for `row_flips_unity`.
pub(in crate::kernels) struct RowFlips<S: Simd>(Lanes<S>);

impl<S: Simd> Group<S> for RowFlips<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        RowFlips(frame.zero())
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        // The shift brings in 0: the left wall counts as empty, and nothing beyond the last column
        // counts.
        self.0 += ((cells ^ (cells << 1)) & frame.full).count_ones();
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("row_flips_unity") }, self.0);
    }
}

/// Group for `column_transitions`: all changes between empty and filled cells from the sky down to
/// the floor.
pub(in crate::kernels) struct ColumnTransitions<S: Simd> {
    above: Lanes<S>,
    sum: Lanes<S>,
}

impl<S: Simd> ColumnTransitions<S> {
    /// Returns the number of all changes, including those at the floor. It must be called after the
    /// last row.
    #[inline(always)]
    fn total(&self, frame: &BatchSlice<S>) -> Lanes<S> {
        // `above` is row 0 now, and the floor is filled.
        self.sum + (frame.full & !self.above).count_ones()
    }
}

impl<S: Simd> Group<S> for ColumnTransitions<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        ColumnTransitions { above: frame.zero(), sum: frame.zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        self.sum += (cells ^ self.above).count_ones();
        self.above = cells;
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("column_transitions") }, self.total(frame));
    }
}

/// Group for `column_transitions_open`, `_floor` and `_ceiling`, which count the floor and the
/// ceiling differently.
pub(in crate::kernels) struct ColumnEdges<S: Simd>(ColumnTransitions<S>);

impl<S: Simd> Group<S> for ColumnEdges<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        ColumnEdges(Group::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        self.0.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        let measured = frame.measured();
        let mut top = frame.zero();
        // The ceiling lies above the highest measured row, which differs between boards if stacks
        // overflow.
        for row in frame.height - 1..frame.top {
            top = measured.simd_eq(row as u16 + 1).select(frame.row(row), top);
        }
        let at_top = top.count_ones();
        let at_floor = (frame.full & !self.0.above).count_ones();
        let total = self.0.total(frame);
        // With a filled ceiling, columns that reach it lose a change and all others gain one.
        let ceiling = total + frame.width as u16 - at_top - at_top;
        frame.put(raws, const { slot("column_transitions_floor") }, total - at_top);
        frame.put(raws, const { slot("column_transitions_open") }, total - at_floor - at_top);
        frame.put(raws, const { slot("column_transitions_ceiling") }, ceiling);
    }
}
