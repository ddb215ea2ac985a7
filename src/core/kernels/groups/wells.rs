//! Computes each well feature as its source defines wells, with bit-sliced counters for each
//! column.

use super::counter::{Counter, Total};
use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group};
use crate::simd::Lanes;

/// Group for `wells`: each empty cell counts the well cells at or above it in its run of empty
/// cells. Counters of three digits suffice for nearly all boards; if one overflows, the sweep is
/// repeated with six.
pub(in crate::kernels) struct Wells<V> {
    few: Count<V, 3>,
    overflow: V,
}

/// Counter of the well cells read so far in each column's current run of empty cells, with `P`
/// digits. `sum` adds these numbers over the rows.
struct Count<V, const P: usize> {
    above: Counter<V, P>,
    sum: Total<V, P>,
}

impl<V: Lanes, const P: usize> Count<V, P> {
    #[inline(always)]
    fn zero() -> Self {
        Count { above: Counter::zero(), sum: Total::zero() }
    }

    /// Adds, for each empty cell of a row, the well cells at or above it in its run of empty cells.
    /// Returns the columns whose counter overflowed.
    ///
    /// ```text
    /// row 3   #.#    well: 1       A well cell's depth is the number of cells from it down to
    /// row 2   #.#    well: 2       the end of its run. The sum of depths, 3 + 2, equals the sum
    /// row 1   ..#    still 2       of the well cells at or above each cell, 1 + 2 + 2, which is
    /// row 0   ###    run ends: 0   found from the top down.
    /// ```
    #[inline(always)]
    fn row(&mut self, wells: V, empty: V) -> V {
        self.above.keep(empty);
        let overflow = self.above.count(wells);
        self.sum.add_all(&self.above);
        overflow
    }
}

impl<V: Lanes> Group<V> for Wells<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        Wells { few: Count::zero(), overflow: V::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        let overflow = self.few.row(frame.wells(cells), frame.full.without(cells));
        self.overflow = self.overflow.or(overflow);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        let mut sum = self.few.sum.value();
        if self.overflow.any() {
            // Again from the top with six digits: overflow means at least eight well cells in one
            // run.
            let mut all = Count::<V, 6>::zero();
            for row in (0..frame.top).rev() {
                let cells = frame.row(row);
                all.row(frame.wells(cells), frame.full.without(cells));
            }
            sum = all.sum.value();
        }
        frame.put(raws, const { slot("wells") }, sum);
    }
}

/// Group for `wells_fast` and `well_cells`.
pub(in crate::kernels) struct WellsFast<V> {
    below: V,
    cells: V,
    count: Count<V, 6>,
}

impl<V: Lanes> Group<V> for WellsFast<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        WellsFast { below: V::zero(), cells: V::zero(), count: Count::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        // All cells from a run's first well cell to its end, even if the neighbours are not filled
        // further down.
        self.below = self.below.without(cells).or(frame.wells(cells));
        self.cells = self.cells.add(self.below.popcount());
        // The n-th cell adds n, so a run of n cells adds 1 + ... + n.
        self.count.row(self.below, self.below);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("well_cells") }, self.cells);
        frame.put(raws, const { slot("wells_fast") }, self.count.sum.value());
    }
}

/// Group for `wells_open`: the n-th well cell of a column, counted from the top, adds n. Only cells
/// open to the sky count.
pub(in crate::kernels) struct WellsOpen<V> {
    cover: V,
    counter: Counter<V, 6>,
    sum: Total<V, 6>,
}

impl<V: Lanes> Group<V> for WellsOpen<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        WellsOpen { cover: V::zero(), counter: Counter::zero(), sum: Total::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        let wells = frame.wells(cells).without(self.cover);
        self.counter.count(wells);
        self.sum.add(&self.counter, wells);
        self.cover = self.cover.or(cells);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("wells_open") }, self.sum.value());
    }
}

/// Group for `wells_open_restart`: like `wells_open`, but a cell that is no well cell restarts the
/// count.
pub(in crate::kernels) struct WellsOpenRestart<V> {
    cover: V,
    count: Count<V, 6>,
}

impl<V: Lanes> Group<V> for WellsOpenRestart<V> {
    #[inline(always)]
    fn start(_: &BatchSlice<V>) -> Self {
        WellsOpenRestart { cover: V::zero(), count: Count::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        let cells = frame.row(row);
        let wells = frame.wells(cells).without(self.cover);
        self.count.row(wells, wells);
        self.cover = self.cover.or(cells);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("wells_open_restart") }, self.count.sum.value());
    }
}

/// Group for `wells_guide`, which also counts the empty rows above the stack: it covers all
/// measured rows, not only the swept ones.
pub(in crate::kernels) struct WellsGuide<V> {
    /// Length of each column's run of empty cells that ends at the row read last.
    length: Counter<V, 6>,
    /// Columns whose current run has had a filled cell on its left.
    left: V,
    /// Columns whose current run has had a filled cell on its right.
    right: V,
    sum: V,
}

impl<V: Lanes> WellsGuide<V> {
    /// Processes the cells of the next row down: a filled cell ends its column's run, and an empty
    /// cell in `in_play` extends it.
    #[inline(always)]
    fn step(&mut self, frame: &BatchSlice<V>, cells: V, in_play: V) {
        let empty = frame.full.without(cells).and(in_play);
        self.end_runs(frame, cells);
        self.length.keep(empty);
        self.length.count(empty);
        self.left = self.left.or(cells.shl(1)).and(empty);
        self.right = self.right.or(cells.shr(1)).and(empty);
    }

    /// Adds the enclosed runs that end above the cells of `ends` to the sum: 1 + ... + n for a run
    /// of n cells.
    #[inline(always)]
    fn end_runs(&mut self, frame: &BatchSlice<V>, ends: V) {
        let left = self.left.or(frame.first);
        let right = self.right.or(frame.last);
        let enclosed = left.and(right).and(ends);
        self.sum = self.sum.add(self.length.triangles(enclosed));
    }
}

impl<V: Lanes> Group<V> for WellsGuide<V> {
    #[inline(always)]
    fn start(frame: &BatchSlice<V>) -> Self {
        let zero = V::zero();
        let mut wells = WellsGuide { length: Counter::zero(), left: zero, right: zero, sum: zero };
        // Nothing is filled above the stack, but runs begin at the top of the board.
        for _ in frame.top..frame.height {
            wells.step(frame, zero, V::splat(u16::MAX));
        }
        wells
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        // Rows above a board's own measured rows are not in play; the highest stack determines the
        // rows swept.
        let above = V::splat(row as u16 + 1);
        let in_play = frame.measured().max(above).equal(frame.measured());
        self.step(frame, frame.row(row), in_play);
    }

    #[inline(always)]
    fn end(mut self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        self.end_runs(frame, frame.full);
        frame.put(raws, const { slot("wells_guide") }, self.sum);
    }
}
