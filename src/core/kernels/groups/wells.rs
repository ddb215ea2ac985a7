//! Wells in each source's version, as bit-sliced counters per column.

use super::counter::{Counter, Total};
use crate::kernels::slots::{Raws, slot};
use crate::kernels::sweep::{Frame, Group};
use crate::simd::Lanes;

/// `wells`: each empty cell counts the well cells at or above it in its run. Three digits do for
/// nearly all boards; where they overflow the lanes are swept again with six.
pub(in crate::kernels) struct Wells<V> {
    few: Count<V, 3>,
    overflow: V,
}

/// Well cells above each cell of its run, with P digits for each column, and their sum.
struct Count<V, const P: usize> {
    above: Counter<V, P>,
    sum: Total<V, P>,
}

impl<V: Lanes, const P: usize> Count<V, P> {
    #[inline(always)]
    fn zero() -> Self {
        Count { above: Counter::zero(), sum: Total::zero() }
    }

    /// Adds, for each empty cell of a row, the well cells at or above it in its run; returns the columns that
    /// overflow.
    ///
    /// ```text
    /// row 3   #.#    well: 1       a well cell's depth is the number of cells from it down to the end of the run, so
    /// row 2   #.#    well: 2       the sum of depths (3 + 2) is the sum over the run's cells of the well cells at or
    /// row 1   ..#    still 2       above each (1 + 2 + 2): found from the top down, without looking ahead
    /// row 0   ###    run ends: 0
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
    fn start(_: &Frame<V>) -> Self {
        Wells { few: Count::zero(), overflow: V::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        let cells = frame.row(row);
        let overflow = self.few.row(frame.wells(cells), frame.full.without(cells));
        self.overflow = self.overflow.or(overflow);
    }

    #[inline(always)]
    fn end(self, frame: &Frame<V>, raws: &mut Raws) {
        let mut sum = self.few.sum.value();
        if self.overflow.any() {
            // Again from the top with six digits, since overflow means eight well cells or more in one run.
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

/// `wells_fast` and `well_cells`.
pub(in crate::kernels) struct WellsFast<V> {
    below: V,
    cells: V,
    count: Count<V, 6>,
}

impl<V: Lanes> Group<V> for WellsFast<V> {
    #[inline(always)]
    fn start(_: &Frame<V>) -> Self {
        WellsFast { below: V::zero(), cells: V::zero(), count: Count::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        let cells = frame.row(row);
        // From the first well cell of a run down to its end, whether or not its neighbours are filled further
        // down.
        self.below = self.below.without(cells).or(frame.wells(cells));
        self.cells = self.cells.add(self.below.popcount());
        // The n-th cell adds n, so that a run of n cells adds 1 + ... + n.
        self.count.row(self.below, self.below);
    }

    #[inline(always)]
    fn end(self, frame: &Frame<V>, raws: &mut Raws) {
        frame.put(raws, const { slot("well_cells") }, self.cells);
        frame.put(raws, const { slot("wells_fast") }, self.count.sum.value());
    }
}

/// `wells_open`: the n-th well cell of a column that is open to the sky adds n.
pub(in crate::kernels) struct WellsOpen<V> {
    cover: V,
    counter: Counter<V, 6>,
    sum: Total<V, 6>,
}

impl<V: Lanes> Group<V> for WellsOpen<V> {
    #[inline(always)]
    fn start(_: &Frame<V>) -> Self {
        WellsOpen { cover: V::zero(), counter: Counter::zero(), sum: Total::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        let cells = frame.row(row);
        let wells = frame.wells(cells).without(self.cover);
        self.counter.count(wells);
        self.sum.add(&self.counter, wells);
        self.cover = self.cover.or(cells);
    }

    #[inline(always)]
    fn end(self, frame: &Frame<V>, raws: &mut Raws) {
        frame.put(raws, const { slot("wells_open") }, self.sum.value());
    }
}

/// `wells_open_restart`: as `wells_open`, but a gap starts the counting again.
pub(in crate::kernels) struct WellsOpenRestart<V> {
    cover: V,
    count: Count<V, 6>,
}

impl<V: Lanes> Group<V> for WellsOpenRestart<V> {
    #[inline(always)]
    fn start(_: &Frame<V>) -> Self {
        WellsOpenRestart { cover: V::zero(), count: Count::zero() }
    }

    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        let cells = frame.row(row);
        let wells = frame.wells(cells).without(self.cover);
        self.count.row(wells, wells);
        self.cover = self.cover.or(cells);
    }

    #[inline(always)]
    fn end(self, frame: &Frame<V>, raws: &mut Raws) {
        frame.put(raws, const { slot("wells_open_restart") }, self.count.sum.value());
    }
}

/// `wells_guide`: the sky counts, so it goes over all measured rows, beyond those swept.
pub(in crate::kernels) struct WellsGuide<V> {
    /// Cells of the empty run that reaches down to this row.
    length: Counter<V, 6>,
    /// Columns whose run has had a filled cell on its left so far; then on its right.
    left: V,
    right: V,
    sum: V,
}

impl<V: Lanes> WellsGuide<V> {
    /// Goes down one row: runs end at filled cells, and grow by empty ones that are in play.
    #[inline(always)]
    fn step(&mut self, frame: &Frame<V>, cells: V, in_play: V) {
        let empty = frame.full.without(cells).and(in_play);
        self.end_runs(frame, cells);
        self.length.keep(empty);
        self.length.count(empty);
        self.left = self.left.or(cells.shl(1)).and(empty);
        self.right = self.right.or(cells.shr(1)).and(empty);
    }

    /// Adds the runs that end above the cells of `ends`.
    #[inline(always)]
    fn end_runs(&mut self, frame: &Frame<V>, ends: V) {
        let left = self.left.or(frame.first);
        let right = self.right.or(frame.last);
        let enclosed = left.and(right).and(ends);
        self.sum = self.sum.add(self.length.triangles(enclosed));
    }
}

impl<V: Lanes> Group<V> for WellsGuide<V> {
    #[inline(always)]
    fn start(frame: &Frame<V>) -> Self {
        let zero = V::zero();
        let mut wells = WellsGuide { length: Counter::zero(), left: zero, right: zero, sum: zero };
        // Nothing is filled up there, but runs begin at the top of the board and not at the stack.
        for _ in frame.top..frame.height {
            wells.step(frame, zero, V::splat(u16::MAX));
        }
        wells
    }

    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        // Not yet in play in lanes whose own rows end further down than those of the highest stack.
        let above = V::splat(row as u16 + 1);
        let in_play = frame.measured().max(above).equal(frame.measured());
        self.step(frame, frame.row(row), in_play);
    }

    #[inline(always)]
    fn end(mut self, frame: &Frame<V>, raws: &mut Raws) {
        self.end_runs(frame, frame.full);
        frame.put(raws, const { slot("wells_guide") }, self.sum);
    }
}
