//! Computes features of holes.

use fearless_simd::{Simd, SimdBase, SimdInt};

use super::counter::{Counter, Total};
use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group, Lanes, condition};

/// Group for `holes` and `rows_with_holes`.
///
/// ```text
/// row 2   .##.      cover above row 1: .##.     holes of row 1: .#..  (covered and empty)
/// row 1   ..#.      cover above row 0: .##.     holes of row 0: .##.
/// row 0   #...
/// ```
pub(in crate::kernels) struct Holes<S: Simd> {
    cover: Lanes<S>,
    holes: Lanes<S>,
    rows: Lanes<S>,
}

impl<S: Simd> Group<S> for Holes<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        // `rows` begins with all swept rows and loses those without holes: a true condition is -1.
        Holes { cover: frame.zero(), holes: frame.zero(), rows: frame.splat(frame.top as u16) }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        let holes = self.cover & !cells;
        self.holes += holes.count_ones();
        self.rows += condition::<S>(holes.simd_eq(0));
        self.cover |= cells;
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("holes") }, self.holes);
        frame.put(raws, const { slot("rows_with_holes") }, self.rows);
    }
}

/// Group for `hole_depth`: the number of filled cells with an empty cell somewhere below.
pub(in crate::kernels) struct HoleDepth<S: Simd> {
    open: Lanes<S>,
    sum: Lanes<S>,
}

impl<S: Simd> Group<S> for HoleDepth<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        HoleDepth { open: frame.zero(), sum: frame.zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        // `hole_depth` needs the rows below, so it reads the rows from the floor up. It still
        // shares the pass with groups that read from the top.
        let cells = frame.row(frame.top - 1 - row);
        self.sum += (cells & self.open).count_ones();
        self.open |= frame.full & !cells;
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("hole_depth") }, self.sum);
    }
}

/// Group for `hole_depth_all`: the empty cells below each filled cell, counted from the floor up.
pub(in crate::kernels) struct HoleDepthAll<S: Simd> {
    empty: Counter<S, 6>,
    sum: Total<S, 6>,
}

impl<S: Simd> Group<S> for HoleDepthAll<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        HoleDepthAll { empty: Counter::zero(frame.simd), sum: Total::zero(frame.simd) }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(frame.top - 1 - row);
        self.sum.add(&self.empty, cells);
        self.empty.count(frame.full & !cells);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("hole_depth_all") }, self.sum.value());
    }
}
