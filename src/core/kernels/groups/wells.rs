//! Computes each well feature as its source defines wells, with bit-sliced counters for each
//! column.

use fearless_simd::{Simd, SimdBase, SimdInt, SimdMask};

use super::counter::{Counter, Total};
use crate::kernels::slots::{FeatureLanes, slot};
use crate::kernels::sweep::{BatchSlice, Group, Lanes, condition};

/// Group for `wells`: each empty cell counts the well cells at or above it in its run of empty
/// cells. Counters of three digits suffice for nearly all boards; if one overflows, the sweep is
/// repeated with six.
pub(in crate::kernels) struct Wells<S: Simd> {
    few: Count<S, 3>,
    overflow: Lanes<S>,
}

/// Counter of the well cells read so far in each column's current run of empty cells, with `P`
/// digits. `sum` adds these numbers over the rows.
struct Count<S: Simd, const P: usize> {
    above: Counter<S, P>,
    sum: Total<S, P>,
}

impl<S: Simd, const P: usize> Count<S, P> {
    #[inline(always)]
    fn zero(simd: S) -> Self {
        Count { above: Counter::zero(simd), sum: Total::zero(simd) }
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
    fn row(&mut self, wells: Lanes<S>, empty: Lanes<S>) -> Lanes<S> {
        self.above.keep(empty);
        let overflow = self.above.count(wells);
        self.sum.add_all(&self.above);
        overflow
    }
}

impl<S: Simd> Group<S> for Wells<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        Wells { few: Count::zero(frame.simd), overflow: frame.zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        self.overflow |= self.few.row(frame.wells(cells), frame.full & !cells);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        let mut sum = self.few.sum.value();
        if self.overflow.simd_ne(0).any_true() {
            // Again from the top with six digits: overflow means at least eight well cells in one
            // run.
            let mut all = Count::<S, 6>::zero(frame.simd);
            for row in (0..frame.top).rev() {
                let cells = frame.row(row);
                all.row(frame.wells(cells), frame.full & !cells);
            }
            sum = all.sum.value();
        }
        frame.put(raws, const { slot("wells") }, sum);
    }
}

/// Group for `wells_fast` and `well_cells`.
pub(in crate::kernels) struct WellsFast<S: Simd> {
    below: Lanes<S>,
    cells: Lanes<S>,
    count: Count<S, 6>,
}

impl<S: Simd> Group<S> for WellsFast<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        WellsFast { below: frame.zero(), cells: frame.zero(), count: Count::zero(frame.simd) }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        // All cells from a run's first well cell to its end, even if the neighbours are not filled
        // further down.
        self.below = (self.below & !cells) | frame.wells(cells);
        self.cells += self.below.count_ones();
        // The n-th cell adds n, so a run of n cells adds 1 + ... + n.
        self.count.row(self.below, self.below);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("well_cells") }, self.cells);
        frame.put(raws, const { slot("wells_fast") }, self.count.sum.value());
    }
}

/// Group for `wells_open`: the n-th well cell of a column, counted from the top, adds n. Only cells
/// open to the sky count.
pub(in crate::kernels) struct WellsOpen<S: Simd> {
    cover: Lanes<S>,
    counter: Counter<S, 6>,
    sum: Total<S, 6>,
}

impl<S: Simd> Group<S> for WellsOpen<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        let (counter, sum) = (Counter::zero(frame.simd), Total::zero(frame.simd));
        WellsOpen { cover: frame.zero(), counter, sum }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        let wells = frame.wells(cells) & !self.cover;
        self.counter.count(wells);
        self.sum.add(&self.counter, wells);
        self.cover |= cells;
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("wells_open") }, self.sum.value());
    }
}

/// Group for `wells_open_restart`: like `wells_open`, but a cell that is no well cell restarts the
/// count.
pub(in crate::kernels) struct WellsOpenRestart<S: Simd> {
    cover: Lanes<S>,
    count: Count<S, 6>,
}

impl<S: Simd> Group<S> for WellsOpenRestart<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        WellsOpenRestart { cover: frame.zero(), count: Count::zero(frame.simd) }
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        let cells = frame.row(row);
        let wells = frame.wells(cells) & !self.cover;
        self.count.row(wells, wells);
        self.cover |= cells;
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        frame.put(raws, const { slot("wells_open_restart") }, self.count.sum.value());
    }
}

/// Group for `wells_guide`, which also counts the empty rows above the stack: it covers all
/// measured rows, not only the swept ones.
pub(in crate::kernels) struct WellsGuide<S: Simd> {
    /// Length of each column's run of empty cells that ends at the row read last.
    length: Counter<S, 6>,
    /// Columns whose current run has had a filled cell on its left.
    left: Lanes<S>,
    /// Columns whose current run has had a filled cell on its right.
    right: Lanes<S>,
    sum: Lanes<S>,
}

impl<S: Simd> WellsGuide<S> {
    /// Processes the cells of the next row down: a filled cell ends its column's run, and an empty
    /// cell in `in_play` extends it.
    #[inline(always)]
    fn step(&mut self, frame: &BatchSlice<S>, cells: Lanes<S>, in_play: Lanes<S>) {
        let empty = frame.full & !cells & in_play;
        self.end_runs(frame, cells);
        self.length.keep(empty);
        self.length.count(empty);
        self.left = (self.left | (cells << 1)) & empty;
        self.right = (self.right | (cells >> 1)) & empty;
    }

    /// Adds the enclosed runs that end above the cells of `ends` to the sum: 1 + ... + n for a run
    /// of n cells.
    #[inline(always)]
    fn end_runs(&mut self, frame: &BatchSlice<S>, ends: Lanes<S>) {
        let enclosed = (self.left | frame.first) & (self.right | frame.last) & ends;
        self.sum += self.length.triangles(enclosed);
    }
}

impl<S: Simd> Group<S> for WellsGuide<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        let zero = frame.zero();
        let length = Counter::zero(frame.simd);
        let mut wells = WellsGuide { length, left: zero, right: zero, sum: zero };
        // Nothing is filled above the stack, but runs begin at the top of the board.
        for _ in frame.top..frame.height {
            wells.step(frame, zero, frame.splat(u16::MAX));
        }
        wells
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        // Rows above a board's own measured rows are not in play; the highest stack determines the
        // rows swept.
        let in_play = condition::<S>(frame.measured().simd_gt(row as u16));
        self.step(frame, frame.row(row), in_play);
    }

    #[inline(always)]
    fn end(mut self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        self.end_runs(frame, frame.full);
        frame.put(raws, const { slot("wells_guide") }, self.sum);
    }
}
