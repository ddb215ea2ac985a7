//! Computes the score of a whole board: the parent of the placements, or the board after rows are
//! removed.

use super::Delta;
use super::board::{filled_down, pattern_of};
use super::weights::*;
use crate::board::{ROWS, full_row};
use crate::simd::{Blocks, Bytes, Counts, Lane, OneLane, Rows, Words, u8x16};

/// The cells of a board, one word for each column.
///
/// Features are written once over this trait, for the two types [`Low`] and [`All`]. [`Low`] costs
/// half as much, and most boards are lower than 16 rows.
pub(super) trait ColumnCells<S: Blocks>: Copy {
    /// Number of rows that the type stores, including rows above the board: 16 or 32. Features that
    /// count rows correct their counts for these rows.
    const ROWS: usize;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    /// Moves all cells one row up.
    fn up(self) -> Self;
    /// Moves all cells one row down.
    fn down(self) -> Self;
    /// Returns, for each column, the cells of its left neighbour: a filled wall for the first
    /// column.
    fn left_neighbour(self) -> Self;
    /// Returns, for each column, the cells of its right neighbour: a filled wall for the last
    /// column.
    fn right_neighbour(self) -> Self;
    /// Fills each column from its highest cell down.
    fn filled_down(self) -> Self;
    /// Fills each column from its lowest cell up.
    fn upward(self) -> Self;
    /// Adds the columns as numbers, in which row r is the binary digit 2^r.
    fn plus(self, other: Self) -> Self;
    /// Counts the cells of each column, one byte for each eight rows. [`All`] adds the counts of
    /// rows 16 to 31 to those of rows 0 to 15.
    fn counts(self) -> Counts<S>;
    /// Returns the number of cells of each column. This is its height if the column is filled down.
    fn heights(self) -> u8x16<S>;
    /// Returns the rows that have a cell in any column.
    fn any_column(self) -> u32;
    fn is_empty(self) -> bool;
    fn or(self, other: Self) -> Self;
    /// Loads rows 0 to 15 of each column from `low`, and rows 16 to 31, if any, from `high`.
    fn load(simd: S, low: &[u16; 16], high: &[u16; 16]) -> Self;
    fn not(self) -> Self;
    /// Returns the token with which the cells were loaded.
    fn simd(self) -> S;
}

/// Rows 0 to 15 of a board, one word for each column.
#[derive(Clone, Copy)]
pub(super) struct Low<S: Blocks>(pub(super) Words<S>);

/// All 32 rows of a board, two words for each column: rows 0 to 15, then rows 16 to 31.
#[derive(Clone, Copy)]
pub(super) struct All<S: Blocks>(pub(super) Words<S>, pub(super) Words<S>);

impl<S: Blocks> ColumnCells<S> for Low<S> {
    const ROWS: usize = 16;
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Low(self.0.xor(other.0))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Low(self.0.and(other.0))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Low(self.0.without(other.0))
    }
    #[inline(always)]
    fn up(self) -> Self {
        Low(self.0.up::<1>())
    }
    #[inline(always)]
    fn down(self) -> Self {
        Low(self.0.down::<1>())
    }
    #[inline(always)]
    fn left_neighbour(self) -> Self {
        Low(self.0.left_neighbour())
    }
    #[inline(always)]
    fn right_neighbour(self) -> Self {
        Low(self.0.right_neighbour())
    }
    #[inline(always)]
    fn filled_down(self) -> Self {
        Low(filled_down(self.0))
    }
    #[inline(always)]
    fn upward(self) -> Self {
        Low(self.0.upward())
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Low(self.0.plus(other.0))
    }
    #[inline(always)]
    fn counts(self) -> Counts<S> {
        self.0.counts()
    }
    #[inline(always)]
    fn heights(self) -> u8x16<S> {
        self.0.heights()
    }
    #[inline(always)]
    fn any_column(self) -> u32 {
        u32::from(self.0.any_column())
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.is_empty()
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Low(self.0.or(other.0))
    }
    #[inline(always)]
    fn load(simd: S, low: &[u16; 16], _: &[u16; 16]) -> Self {
        Low(Words::load(simd, low))
    }
    #[inline(always)]
    fn not(self) -> Self {
        Low(self.0.not())
    }
    #[inline(always)]
    fn simd(self) -> S {
        self.0.simd()
    }
}

impl<S: Blocks> ColumnCells<S> for All<S> {
    const ROWS: usize = ROWS;
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        All(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        All(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        All(self.0.without(other.0), self.1.without(other.1))
    }
    #[inline(always)]
    fn up(self) -> Self {
        // The highest row of the lower word becomes the lowest of the upper one.
        All(self.0.up::<1>(), self.1.up::<1>().or(self.0.down::<15>()))
    }
    #[inline(always)]
    fn down(self) -> Self {
        All(self.0.down::<1>().or(self.1.up::<15>()), self.1.down::<1>())
    }
    #[inline(always)]
    fn left_neighbour(self) -> Self {
        All(self.0.left_neighbour(), self.1.left_neighbour())
    }
    #[inline(always)]
    fn right_neighbour(self) -> Self {
        All(self.0.right_neighbour(), self.1.right_neighbour())
    }
    #[inline(always)]
    fn filled_down(self) -> Self {
        // A column with a cell above row 15 is filled in all sixteen rows below.
        let under = self.1.whole_unless_empty();
        All(filled_down(self.0).or(under), filled_down(self.1))
    }
    #[inline(always)]
    fn upward(self) -> Self {
        // A column with a cell below row 16 is filled in all rows above.
        let over = self.0.whole_unless_empty();
        All(self.0.upward(), self.1.upward().or(over))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let low = self.0.plus(other.0);
        // The lower word carries if both highest bits are set, or if one is and the sum's is not.
        let carry = self.0.and(other.0).or(self.0.or(other.0).without(low)).down::<15>();
        All(low, self.1.plus(other.1).plus(carry))
    }
    #[inline(always)]
    fn counts(self) -> Counts<S> {
        self.0.counts().plus(self.1.counts())
    }
    #[inline(always)]
    fn heights(self) -> u8x16<S> {
        self.0.heights().add(self.1.heights())
    }
    #[inline(always)]
    fn any_column(self) -> u32 {
        u32::from(self.0.any_column()) | u32::from(self.1.any_column()) << 16
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.0.or(self.1).is_empty()
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        All(self.0.or(other.0), self.1.or(other.1))
    }
    #[inline(always)]
    fn load(simd: S, low: &[u16; 16], high: &[u16; 16]) -> Self {
        All(Words::load(simd, low), Words::load(simd, high))
    }
    #[inline(always)]
    fn not(self) -> Self {
        All(self.0.not(), self.1.not())
    }
    #[inline(always)]
    fn simd(self) -> S {
        self.0.simd()
    }
}

/// Returns the weighted sum of the features in `set` that depend on the board `rows` alone. If
/// `parent` is true, pattern diversity is omitted: placements count its value and not its change.
#[inline(always)]
pub(super) fn value<S: Blocks>(delta: &Delta, set: u32, rows: Rows<S>, parent: bool) -> i64 {
    let stack = ROWS - rows.occupied().leading_zeros() as usize;
    let mut sum = delta.weights.constant;
    // Complete rows exist only on boards measured before clearing.
    if delta.weights.features[DeltaFeature::CompleteRows] != 0 {
        let full = rows.equal(full_row(delta.size.width()));
        sum += i64::from(full.count_ones()) * delta.weights.features[DeltaFeature::CompleteRows];
    }
    if set & MAX_HEIGHT != 0 {
        sum += stack as i64 * delta.weights.features[DeltaFeature::MaxHeight];
    }
    // Below 16 rows, row 15 is empty, so `Low` sees an open sky above all cells.
    if stack < 16 {
        sum + value_of_columns(delta, set, Low(rows.lower()), stack, parent)
    } else {
        sum + value_of_columns(delta, set, All(rows.lower(), rows.upper()), stack, parent)
    }
}

/// Returns the weighted sum of the features in `set` that are computed from the columns `cells`:
/// all except complete rows and maximum height.
#[inline(always)]
fn value_of_columns<S: Blocks, T: ColumnCells<S>>(
    delta: &Delta,
    set: u32,
    cells: T,
    stack: usize,
    parent: bool,
) -> i64 {
    let simd = cells.simd();
    let weights = &delta.weights.features;
    let masks = &delta.masks;
    // Columns beyond the board are filled, so the last column has a wall for a neighbour.
    let walled = cells.or(T::load(simd, &masks.walls, &masks.walls));
    let below = cells.filled_down();
    let holes = below.without(cells);
    let none = Words::splat(simd, 0).counts();
    let mut counts = [none; 4];
    let mut sum = 0;
    if set & ROW_TRANSITIONS != 0 {
        counts[0] = walled.xor(walled.left_neighbour()).counts();
        // A board of sixteen columns has no column left for the wall on its right.
        if delta.size.width() == 16 {
            let right = T::load(simd, &masks.last, &masks.last).without(walled).counts();
            counts[0] = counts[0].plus(right);
        }
        // Measured rows beyond those of `T` count 2 each; rows of `T` that are not measured lose 2
        // each.
        let measured = stack.max(delta.size.height()) as i64;
        sum += 2 * (measured - T::ROWS as i64) * weights[DeltaFeature::RowTransitions];
    }
    if set & COLUMN_TRANSITIONS != 0 {
        // Compares each cell with the one below. The floor is filled; columns beyond the board have
        // no floor.
        counts[1] = cells.xor(cells.up().or(T::load(simd, &masks.floor, &[0; 16]))).counts();
    }
    counts[2] = holes.counts();
    // Three products at a time: the compiler would turn four into a vector product, which takes
    // longer.
    let [rows, columns, holed, _] = Counts::totals(counts);
    sum += rows * weights[DeltaFeature::RowTransitions]
        + columns * weights[DeltaFeature::ColumnTransitions]
        + holed * weights[DeltaFeature::Holes];
    if set & ROWS_WITH_HOLES != 0 {
        sum += i64::from(holes.any_column().count_ones()) * weights[DeltaFeature::RowsWithHoles];
    }
    if set & (ANY_WELLS | HOLE_DEPTH) != 0 {
        let wells = if set & ANY_WELLS != 0 { depths(set, walled) } else { none };
        // Cells above the lowest hole of their column.
        let depth = cells.and(holes.upward()).counts();
        let [wells, depth, ..] = Counts::totals([wells, depth, none, none]);
        sum += wells * delta.weights.exact[WELL_CHANGE] + depth * weights[DeltaFeature::HoleDepth];
    }
    if set & (HEIGHTS | BUMPINESS) != 0 {
        // A step of one row: a column reaches this row and its neighbour does not.
        let inner = T::load(simd, &masks.inner, &masks.inner);
        let steps = below.xor(below.right_neighbour()).and(inner).counts();
        let [heights, steps, ..] = Counts::totals([below.counts(), steps, none, none]);
        sum += heights * weights[DeltaFeature::AggregateHeight]
            + steps * weights[DeltaFeature::Bumpiness];
    }
    if set & BY_COLUMN != 0 {
        let mut lane = Lane::ZERO;
        below.heights().store_lane(&mut lane);
        sum += delta.by_column.board_score(&lane.0);
    }
    if set & DIVERSITY != 0 && !parent {
        let heights = below.heights();
        let steps = heights.next::<1>(heights).sub(heights);
        let mut lane = Lane::ZERO;
        pattern_of(steps).store_lane(&mut lane);
        let inner = &lane.0[..delta.size.width() - 1];
        let patterns = inner.iter().fold(0, |all, one| all | one);
        sum += i64::from(patterns.count_ones()) * weights[DeltaFeature::PatternDiversity];
    }
    sum
}

/// Sums the depths of all well cells of the columns `walled`. A well cell's depth is the number of
/// empty cells from it down to the next filled cell. For fast wells, all empty cells below a well
/// cell are treated as well cells.
///
/// ```text
/// round 1  each well cell counts 1
/// round 2  those with an empty cell below count 1 more       a cell is counted once for each empty
/// round 3  those with two empty cells below, and so on       cell from it down: its depth
/// ```
///
/// Each byte of the result counts eight rows of a column; rows 8-15 share a byte with rows 24-31. A
/// well of 28 rows adds 100 + 106 to that byte, which fits.
#[inline(always)]
fn depths<S: Blocks, T: ColumnCells<S>>(set: u32, walled: T) -> Counts<S> {
    let mut deep = walled.left_neighbour().and(walled.right_neighbour()).without(walled);
    let mut empty = walled.not();
    if set & WELLS_FAST != 0 {
        deep = down_from(deep, empty);
    }
    let mut sum = deep.counts();
    loop {
        // Five rounds before each check, since few wells are deeper than six rows.
        for _ in 0..5 {
            empty = empty.up();
            deep = deep.and(empty);
            sum = sum.plus(deep.counts());
        }
        if deep.is_empty() {
            return sum;
        }
    }
}

/// Returns `cells` together with the cells of `empty` directly below them, down to the next filled
/// cell.
#[inline(always)]
pub(super) fn down_from<S: Blocks, T: ColumnCells<S>>(mut cells: T, empty: T) -> T {
    loop {
        // Several rounds before each check, although usually one is enough: below a well cell lie
        // other well cells.
        for _ in 0..3 {
            cells = cells.or(cells.down().and(empty));
        }
        if cells.down().and(empty).without(cells).is_empty() {
            return cells;
        }
    }
}
