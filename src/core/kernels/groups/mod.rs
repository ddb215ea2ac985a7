//! Defines groups of features that share a sweep over board rows, except those of the heights.

mod heights;

use fearless_simd::{ExtractToken, Select, Simd, SimdBase, SimdInt, SimdMask};

use crate::kernels::batch_features::{BatchSlice, FeatureLanes, Group, Lanes, condition, slot};

pub(super) use heights::{Heights, Steps, Surfaces, rbf};

/// Number from 0 to 2^P - 1 for each column of many boards, stored as binary digits.
#[derive(Clone, Copy)]
pub(super) struct ColumnCounter<S: Simd, const P: usize>(pub(super) [Lanes<S>; P]);

impl<S: Simd, const P: usize> ColumnCounter<S, P> {
    #[inline(always)]
    pub(super) fn zero(simd: S) -> Self {
        ColumnCounter([Lanes::<S>::splat(simd, 0); P])
    }

    /// Adds 1 to the counters of `columns`; returns the columns with an overflow.
    #[inline(always)]
    pub(super) fn count(&mut self, columns: Lanes<S>) -> Lanes<S> {
        let mut carry = columns;
        for digit in &mut self.0 {
            let next = *digit & carry;
            *digit ^= carry;
            carry = next;
        }
        carry
    }

    #[inline(always)]
    pub(super) fn retain(&mut self, columns: Lanes<S>) {
        for digit in &mut self.0 {
            *digit &= columns;
        }
    }

    #[inline(always)]
    pub(super) fn sum(&self) -> Lanes<S> {
        let mut total = Total::zero(self.0[0].token());
        total.add_all(self);
        total.value()
    }

    /// Returns, for each board, the sum of the squared counters of `columns`.
    #[inline(always)]
    pub(super) fn squares(&self, columns: Lanes<S>) -> Lanes<S> {
        // n = sum of b_i 2^i, so n^2 = sum of b_i 2^2i + 2 x sum over pairs of b_i b_j 2^(i+j).
        let mut total = Lanes::<S>::splat(columns.token(), 0);
        for i in 0..P {
            let with = self.0[i] & columns;
            total += with.count_ones() << (2 * i as u32);
            for j in 0..i {
                total += (with & self.0[j]).count_ones() << ((i + j + 1) as u32);
            }
        }
        total
    }

    /// Returns, for each board, the sum of n (n + 1) / 2 over the counters n of `columns`.
    #[inline(always)]
    pub(super) fn triangles(&self, columns: Lanes<S>) -> Lanes<S> {
        // (n + n^2) / 2; both sums fit 16 bits, since 16 columns of 32 rows sum to 8,448.
        let mut total = Total::zero(columns.token());
        total.add(self, columns);
        (total.value() + self.squares(columns)) >> 1
    }
}

/// Sum of column counters over many board rows, kept separately for each binary digit.
pub(super) struct Total<S: Simd, const P: usize>([Lanes<S>; P]);

impl<S: Simd, const P: usize> Total<S, P> {
    #[inline(always)]
    pub(super) fn zero(simd: S) -> Self {
        Total([Lanes::<S>::splat(simd, 0); P])
    }

    #[inline(always)]
    pub(super) fn add(&mut self, counter: &ColumnCounter<S, P>, columns: Lanes<S>) {
        for (sum, digit) in self.0.iter_mut().zip(counter.0) {
            *sum += (digit & columns).count_ones();
        }
    }

    #[inline(always)]
    pub(super) fn add_all(&mut self, counter: &ColumnCounter<S, P>) {
        for (sum, digit) in self.0.iter_mut().zip(counter.0) {
            *sum += digit.count_ones();
        }
    }

    #[inline(always)]
    pub(super) fn value(&self) -> Lanes<S> {
        let mut total = Lanes::<S>::splat(self.0[0].token(), 0);
        // Horner's method from the highest digit: twice the sum so far, plus the next digit.
        for digit in self.0.iter().rev() {
            total = total + total + *digit;
        }
        total
    }
}

pub(in crate::kernels) struct RowTransitions<S: Simd>(Lanes<S>);

impl<S: Simd> Group<S> for RowTransitions<S> {
    /// Starts the sum of row transitions with 2 for each measured row above all stacks.
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

pub(in crate::kernels) struct ColumnTransitions<S: Simd> {
    above: Lanes<S>,
    sum: Lanes<S>,
}

impl<S: Simd> ColumnTransitions<S> {
    /// Returns the number of column transitions, with those at the floor, once all rows are read.
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

/// Counters of the features `holes` and `rows_with_holes`, which read rows from the top down.
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

pub(in crate::kernels) struct HoleDepthAll<S: Simd> {
    empty: ColumnCounter<S, 6>,
    sum: Total<S, 6>,
}

impl<S: Simd> Group<S> for HoleDepthAll<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        HoleDepthAll { empty: ColumnCounter::zero(frame.simd), sum: Total::zero(frame.simd) }
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

/// Sum of the depths of all well cells (feature `wells`). Three binary digits per count suffice for
/// most boards; if one overflows, all boards of the vector are counted again with six.
pub(in crate::kernels) struct Wells<S: Simd> {
    few: RunCounter<S, 3>,
    overflow: Lanes<S>,
}

/// Number of well cells in each column's current vertical run of empty cells, and the sum of these
/// numbers over all rows.
struct RunCounter<S: Simd, const P: usize> {
    above: ColumnCounter<S, P>,
    sum: Total<S, P>,
}

impl<S: Simd, const P: usize> RunCounter<S, P> {
    #[inline(always)]
    fn zero(simd: S) -> Self {
        RunCounter { above: ColumnCounter::zero(simd), sum: Total::zero(simd) }
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
        self.above.retain(empty);
        let overflow = self.above.count(wells);
        self.sum.add_all(&self.above);
        overflow
    }
}

impl<S: Simd> Group<S> for Wells<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        Wells { few: RunCounter::zero(frame.simd), overflow: frame.zero() }
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
            let mut all = RunCounter::<S, 6>::zero(frame.simd);
            for row in (0..frame.top).rev() {
                let cells = frame.row(row);
                all.row(frame.wells(cells), frame.full & !cells);
            }
            sum = all.sum.value();
        }
        frame.put(raws, const { slot("wells") }, sum);
    }
}

pub(in crate::kernels) struct WellsFast<S: Simd> {
    below: Lanes<S>,
    cells: Lanes<S>,
    count: RunCounter<S, 6>,
}

impl<S: Simd> Group<S> for WellsFast<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        WellsFast { below: frame.zero(), cells: frame.zero(), count: RunCounter::zero(frame.simd) }
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

/// Feature `wells_open`: sum of 1 + ... + n over columns with n uncovered well cells each.
pub(in crate::kernels) struct WellsOpen<S: Simd> {
    cover: Lanes<S>,
    counter: ColumnCounter<S, 6>,
    sum: Total<S, 6>,
}

impl<S: Simd> Group<S> for WellsOpen<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        let (counter, sum) = (ColumnCounter::zero(frame.simd), Total::zero(frame.simd));
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

/// Feature `wells_open_restart`: the n-th cell of a vertical run of uncovered well cells adds n.
pub(in crate::kernels) struct WellsOpenRestart<S: Simd> {
    cover: Lanes<S>,
    count: RunCounter<S, 6>,
}

impl<S: Simd> Group<S> for WellsOpenRestart<S> {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        WellsOpenRestart { cover: frame.zero(), count: RunCounter::zero(frame.simd) }
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

pub(in crate::kernels) struct WellsGuide<S: Simd> {
    length: ColumnCounter<S, 6>,
    /// Columns whose current run of empty cells has had a filled cell on its left.
    left: Lanes<S>,
    /// Columns whose current run of empty cells has had a filled cell on its right.
    right: Lanes<S>,
    sum: Lanes<S>,
}

impl<S: Simd> WellsGuide<S> {
    #[inline(always)]
    fn step(&mut self, frame: &BatchSlice<S>, cells: Lanes<S>, in_play: Lanes<S>) {
        let empty = frame.full & !cells & in_play;
        self.end_runs(frame, cells);
        self.length.retain(empty);
        self.length.count(empty);
        self.left = (self.left | (cells << 1)) & empty;
        self.right = (self.right | (cells >> 1)) & empty;
    }

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
        let length = ColumnCounter::zero(frame.simd);
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
