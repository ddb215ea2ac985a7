//! The score of a single board: a parent, or what is left when rows are cleared.

use super::Delta;
use super::board::{filled_down, pattern_of};
use super::weights::*;
use crate::board::{ROWS, full_row};
use crate::simd::{Bytes, Lane, OneLane, Rows, Simd, Words};

/// The columns of a board as one value, however high.
///
/// Features are written once over it; `Low` is half the work, and most boards are lower than 16 rows.
trait Tower: Copy {
    /// Sixteen rows of it.
    type Words: Words;
    /// Rows that it has, empty ones among them: features that count those of a board are mended by the
    /// difference.
    const ROWS: usize;
    /// Cells in one of both.
    fn xor(self, other: Self) -> Self;
    /// Cells in both.
    fn and(self, other: Self) -> Self;
    /// Cells that the other lacks.
    fn without(self, other: Self) -> Self;
    /// Everything a row up, or down.
    fn up(self) -> Self;
    fn down(self) -> Self;
    /// What stands on the left of each column, a wall at the first; then on the right, a wall at the last.
    fn left_neighbour(self) -> Self;
    fn right_neighbour(self) -> Self;
    /// In each column all rows up to the highest cell.
    fn filled_down(self) -> Self;
    /// In each column the rows from the lowest cell on.
    fn upward(self) -> Self;
    /// Cells, a byte for each eight rows of a column; `All` adds those of rows 16 to 31 to them.
    fn counts(self) -> <Self::Words as Words>::Counts;
    /// Cells of each column.
    fn heights(self) -> <Self::Words as Words>::Lane;
    /// Rows that have a cell in any column.
    fn any_column(self) -> u32;
    /// Whether there is no cell.
    fn is_empty(self) -> bool;
    /// Cells in either.
    fn or(self, other: Self) -> Self;
    /// The same word of a column for each sixteen rows, or only for the lowest.
    fn all(columns: &[u16; 16]) -> Self;
    fn lowest(columns: &[u16; 16]) -> Self;
    /// Cells that are not there.
    fn not(self) -> Self;
}

/// Rows 0 to 15.
#[derive(Clone, Copy)]
struct Low<W>(W);

/// All rows.
#[derive(Clone, Copy)]
struct All<W>(W, W);

impl<W: Words> Tower for Low<W> {
    type Words = W;
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
    fn counts(self) -> W::Counts {
        self.0.counts()
    }
    #[inline(always)]
    fn heights(self) -> W::Lane {
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
    fn all(columns: &[u16; 16]) -> Self {
        Low(W::load(columns))
    }
    #[inline(always)]
    fn lowest(columns: &[u16; 16]) -> Self {
        Low(W::load(columns))
    }
    #[inline(always)]
    fn not(self) -> Self {
        Low(W::splat(u16::MAX).without(self.0))
    }
}

impl<W: Words> Tower for All<W> {
    type Words = W;
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
        // A column with anything above is filled in all sixteen rows below.
        let under = W::splat(u16::MAX).without(self.1.whole_if_empty());
        All(filled_down(self.0).or(under), filled_down(self.1))
    }
    #[inline(always)]
    fn upward(self) -> Self {
        // And one whose lowest cell is below has all rows above.
        let over = W::splat(u16::MAX).without(self.0.whole_if_empty());
        All(self.0.upward(), self.1.upward().or(over))
    }
    #[inline(always)]
    fn counts(self) -> W::Counts {
        W::add_counts(self.0.counts(), self.1.counts())
    }
    #[inline(always)]
    fn heights(self) -> W::Lane {
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
    fn all(columns: &[u16; 16]) -> Self {
        All(W::load(columns), W::load(columns))
    }
    #[inline(always)]
    fn lowest(columns: &[u16; 16]) -> Self {
        All(W::load(columns), W::splat(0))
    }
    #[inline(always)]
    fn not(self) -> Self {
        let ones = W::splat(u16::MAX);
        All(ones.without(self.0), ones.without(self.1))
    }
}

/// The weighted sum of a board's own features; a parent's leaves out the diversity, which
/// placements count whole and not as a difference.
#[inline(always)]
pub(super) fn value<S: Simd>(delta: &Delta, set: u32, rows: S::Rows, parent: bool) -> i64 {
    let stack = ROWS - rows.occupied().leading_zeros() as usize;
    let mut sum = delta.weights.constant;
    // Before full rows are cleared.
    if delta.weights.known[DeltaFeature::CompleteRows] != 0 {
        let full = rows.equal(full_row(delta.size.width()));
        sum += i64::from(full.count_ones()) * delta.weights.known[DeltaFeature::CompleteRows];
    }
    if set & MAX_HEIGHT != 0 {
        sum += stack as i64 * delta.weights.known[DeltaFeature::MaxHeight];
    }
    // The highest row is empty, so that the sky is above all cells.
    if stack < 16 {
        sum + of_columns::<S, _>(delta, set, Low(rows.lower()), stack, parent)
    } else {
        sum + of_columns::<S, _>(delta, set, All(rows.lower(), rows.upper()), stack, parent)
    }
}

/// The features of a board that its columns tell: all but complete rows and the height of the stack.
#[inline(always)]
fn of_columns<S: Simd, T: Tower<Words = S::Words>>(
    delta: &Delta,
    set: u32,
    cells: T,
    stack: usize,
    parent: bool,
) -> i64 {
    let weights = &delta.weights.known;
    let masks = &delta.masks;
    // Columns beyond the board are filled, so that the last one has a wall for a neighbour.
    let walled = cells.or(T::all(&masks.walls));
    let below = cells.filled_down();
    let holes = below.without(cells);
    let none = S::Words::splat(0).counts();
    let mut counts = [none; 4];
    let mut sum = 0;
    if set & ROW_TRANSITIONS != 0 {
        counts[0] = walled.xor(walled.left_neighbour()).counts();
        // The wall on the right of sixteen columns has no column of its own.
        if delta.size.width() == 16 {
            let right = T::all(&masks.last).without(walled).counts();
            counts[0] = S::Words::add_counts(counts[0], right);
        }
        // Of rows that are not looked at, or looked at and not measured.
        let measured = stack.max(delta.size.height()) as i64;
        sum += 2 * (measured - T::ROWS as i64) * weights[DeltaFeature::RowTransitions];
    }
    if set & COLUMN_TRANSITIONS != 0 {
        // Each cell against the one below; the floor is filled below row 0, and nothing beyond the last column.
        counts[1] = cells.xor(cells.up().or(T::lowest(&masks.floor))).counts();
    }
    counts[2] = holes.counts();
    // Three at a time: four products are multiplied as a vector, which takes longer.
    let [rows, columns, holed, _] = S::Words::totals(counts);
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
        let [wells, depth, ..] = S::Words::totals([wells, depth, none, none]);
        sum += wells * delta.weights.exact[CHANGE] + depth * weights[DeltaFeature::HoleDepth];
    }
    if set & (HEIGHTS | BUMPINESS) != 0 {
        // A column reaches a row and its neighbour does not: a step.
        let steps = below.xor(below.right_neighbour()).and(T::all(&masks.inner)).counts();
        let [heights, steps, ..] = S::Words::totals([below.counts(), steps, none, none]);
        sum += heights * weights[DeltaFeature::AggregateHeight]
            + steps * weights[DeltaFeature::Bumpiness];
    }
    if set & BY_COLUMN != 0 {
        let mut lane = Lane::ZERO;
        below.heights().store_lane(&mut lane);
        sum += delta.by_column.of_board(&lane.0);
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

/// The sum over all well cells of the empty cells from there downward; of fast wells over those cells too.
///
/// ```text
/// round 1  each well cell counts 1
/// round 2  those with an empty cell below count 1 more       a cell counts as often as there are
/// round 3  those with two empty cells below, and so on       empty cells from it down: its depth
/// ```
///
/// A count is a byte for eight rows of a column, rows 8 to 15 and 24 to 31 in one: a well of 28 rows adds 100
/// and 106.
#[inline(always)]
fn depths<T: Tower>(set: u32, walled: T) -> <T::Words as Words>::Counts {
    let mut deep = walled.left_neighbour().and(walled.right_neighbour()).without(walled);
    let mut empty = walled.not();
    if set & WELLS_FAST != 0 {
        deep = down_from(deep, empty);
    }
    let mut sum = deep.counts();
    loop {
        // Few wells are deeper than six.
        for _ in 0..5 {
            empty = empty.up();
            deep = deep.and(empty);
            sum = <T::Words as Words>::add_counts(sum, deep.counts());
        }
        if deep.is_empty() {
            return sum;
        }
    }
}

/// Cells, and the empty ones below them.
#[inline(always)]
fn down_from<T: Tower>(mut cells: T, empty: T) -> T {
    // Mostly there is nothing to add: below a well cell are others.
    loop {
        let below = cells.down().and(empty).without(cells);
        if below.is_empty() {
            return cells;
        }
        cells = cells.or(below);
    }
}
