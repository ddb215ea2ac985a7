//! Computes features of holes.

use super::counter::{Counter, Total};
use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group};
use crate::simd::Lanes;

/// Group for `holes` and `rows_with_holes`.
///
/// ```text
/// row 2   .##.      cover above row 1: .##.     holes of row 1: .#..  (covered and empty)
/// row 1   ..#.      cover above row 0: .##.     holes of row 0: .##.
/// row 0   #...
/// ```
pub(in crate::kernels) struct Holes<V> {
    cover: V,
    holes: V,
    rows: V,
}

impl<V: Lanes> Group<V> for Holes<V> {
    #[inline(always)]
    fn start(frame: &BatchSlice<V>) -> Self {
        // `rows` begins with all swept rows and loses those without holes, since vectors compare
        // for equality only.
        Holes { cover: V::zero(), holes: V::zero(), rows: V::splat(frame.top as u16) }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        let holes = self.cover.without(cells);
        self.holes = self.holes.add(holes.popcount());
        self.rows = self.rows.add(holes.equal(V::zero()));
        self.cover = self.cover.or(cells);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("holes") }, self.holes);
        frame.put(raws, const { slot("rows_with_holes") }, self.rows);
    }
}

/// Group for `hole_depth`: the number of filled cells with an empty cell somewhere below.
pub(in crate::kernels) struct HoleDepth<V> {
    open: V,
    sum: V,
}

impl<V: Lanes> Group<V> for HoleDepth<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        HoleDepth { open: V::zero(), sum: V::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        // `hole_depth` needs the rows below, so it reads the rows from the floor up. It still
        // shares the pass with groups that read from the top.
        let cells = frame.row(frame.top - 1 - row);
        self.sum = self.sum.add(cells.and(self.open).popcount());
        self.open = self.open.or(frame.full.without(cells));
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("hole_depth") }, self.sum);
    }
}

/// Group for `hole_depth_all`: the empty cells below each filled cell, counted from the floor up.
pub(in crate::kernels) struct HoleDepthAll<V> {
    empty: Counter<V, 6>,
    sum: Total<V, 6>,
}

impl<V: Lanes> Group<V> for HoleDepthAll<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        HoleDepthAll { empty: Counter::zero(), sum: Total::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(frame.top - 1 - row);
        self.sum.add(&self.empty, cells);
        self.empty.count(frame.full.without(cells));
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("hole_depth_all") }, self.sum.value());
    }
}
