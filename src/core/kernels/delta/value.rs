//! Computes the score of a whole board: the parent of the placements, or the board after rows are
//! removed.

use super::Delta;
use super::board::pattern_of;
use super::weights::*;
use crate::board::{ROWS, full_row};
use crate::simd::{All, Blocks, Bytes, ColumnCells, Counts, Lane, OneLane, Rows, Words};

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
    // Below 16 rows, row 15 is empty, so `Words` see an open sky above all cells.
    if stack < 16 {
        sum + value_of_columns(delta, set, rows.lower(), stack, parent)
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
    let walled = cells.or(T::load_both(simd, &masks.walls, &masks.walls));
    let below = cells.filled_down();
    let holes = below.without(cells);
    let none = Words::splat(simd, 0).counts();
    let mut counts = [none; 4];
    let mut sum = 0;
    if set & ROW_TRANSITIONS != 0 {
        counts[0] = walled.xor(walled.left_neighbour()).counts();
        // A board of sixteen columns has no column left for the wall on its right.
        if delta.size.width() == 16 {
            let right = T::load_both(simd, &masks.last, &masks.last).without(walled).counts();
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
        counts[1] = cells.xor(cells.up(1).or(T::load_both(simd, &masks.floor, &[0; 16]))).counts();
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
        let inner = T::load_both(simd, &masks.inner, &masks.inner);
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
            empty = empty.up(1);
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
            cells = cells.or(cells.down(1).and(empty));
        }
        if cells.down(1).and(empty).without(cells).is_empty() {
            return cells;
        }
    }
}
