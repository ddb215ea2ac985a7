//! Defines the scalar functions of the terms of a matrix.

use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};

/// Returns the column heights as signed numbers.
fn heights(matrix: &Matrix) -> [i32; WIDTH] {
    matrix.heights().map(i32::from)
}

/// Returns the sum of `value` over the columns.
fn over_columns(value: impl Fn(usize) -> i32) -> i32 {
    (0..WIDTH).map(value).sum()
}

/// Returns the number of rows for which `value` is true.
fn over_rows(value: impl Fn(usize) -> bool) -> i32 {
    (0..ROWS).filter(|&row| value(row)).count() as i32
}

pub(super) fn aggregate_height(matrix: &Matrix) -> i32 {
    heights(matrix).iter().sum()
}

pub(super) fn max_height(matrix: &Matrix) -> i32 {
    matrix.stack_height() as i32
}

/// Returns the column and row of each hole.
pub(super) fn each_hole(matrix: &Matrix) -> impl Iterator<Item = (usize, usize)> + '_ {
    let below = |column| (0..matrix.height(column)).map(move |row| (column, row));
    (0..WIDTH).flat_map(below).filter(|&(column, row)| !matrix.is_filled(column, row))
}

/// Returns the number of empty cells below a filled one.
pub(super) fn holes(matrix: &Matrix) -> i32 {
    each_hole(matrix).count() as i32
}

/// Returns the absolute differences of neighbouring heights.
fn steps(heights: &[i32]) -> impl Iterator<Item = i32> + '_ {
    heights.windows(2).map(|pair| (pair[0] - pair[1]).abs())
}

/// Returns the sum of the absolute differences of neighbouring heights.
pub(super) fn bumpiness(matrix: &Matrix) -> i32 {
    steps(&heights(matrix)).sum()
}

/// Returns the lowest column, the leftmost if there are several.
pub(super) fn well(matrix: &Matrix) -> usize {
    let heights = heights(matrix);
    (0..WIDTH).min_by_key(|&column| heights[column]).unwrap_or(0)
}

/// Returns the heights without the well column, whose neighbours become neighbours of each other.
fn heights_but_well(matrix: &Matrix) -> Vec<i32> {
    let (heights, well) = (heights(matrix), well(matrix));
    (0..WIDTH).filter(|&column| column != well).map(|column| heights[column]).collect()
}

/// Returns the bumpiness without the well column, so that a column kept open for I costs nothing.
pub(super) fn bumpiness_open(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).sum()
}

/// Returns the sum of the squared height differences without the well column.
pub(super) fn bumpiness_open_squared(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).map(|step| step * step).sum()
}

/// Returns the number of changes along rows, with filled walls. Rows above the 20 visible ones
/// count up to the stack height.
pub(super) fn row_transitions(matrix: &Matrix) -> i32 {
    let rows = matrix.stack_height().max(VISIBLE);
    let filled = |column: i32, row| {
        !(0..WIDTH as i32).contains(&column) || matrix.is_filled(column as usize, row)
    };
    let of_row = |row| (-1..WIDTH as i32).filter(|&c| filled(c, row) != filled(c + 1, row)).count();
    (0..rows).map(of_row).sum::<usize>() as i32
}

/// Returns the number of changes along columns, with a filled floor and an empty sky.
pub(super) fn column_transitions(matrix: &Matrix) -> i32 {
    over_columns(|column| {
        let filled = |row: usize| row == 0 || (row <= ROWS && matrix.is_filled(column, row - 1));
        // The change into the sky adds one, at the column's top or at the floor.
        (0..matrix.height(column)).filter(|&row| filled(row) != filled(row + 1)).count() as i32 + 1
    })
}

pub(super) fn rows_with_holes(matrix: &Matrix) -> i32 {
    over_rows(|row| each_hole(matrix).any(|(_, hole)| hole == row))
}

/// Returns true if a piece may slide under the overhang: two columns on one side of the hole are at
/// most as high as its row.
///
/// ```text
/// #.....      #.....
/// o..###      c#.###      o: an overhang, with two columns beside it no higher than its row
/// ######      ######      c: a cavity, which opens only if rows are removed
/// ```
pub(super) fn is_overhang(matrix: &Matrix, (column, row): (usize, usize)) -> bool {
    let low = |c: i32| (0..WIDTH as i32).contains(&c) && matrix.height(c as usize) <= row;
    let beside = |side: i32| low(column as i32 + side) && low(column as i32 + 2 * side);
    beside(-1) || beside(1)
}

/// Returns the number of holes that are overhangs.
pub(super) fn overhangs(matrix: &Matrix) -> i32 {
    each_hole(matrix).filter(|&hole| is_overhang(matrix, hole)).count() as i32
}

/// Returns the square of the number of overhangs, so that the second costs more than the first.
pub(super) fn overhangs_squared(matrix: &Matrix) -> i32 {
    overhangs(matrix).pow(2)
}

/// Returns the number of holes that are no overhangs.
pub(super) fn cavities(matrix: &Matrix) -> i32 {
    holes(matrix) - overhangs(matrix)
}

/// Returns the square of the number of cavities.
pub(super) fn cavities_squared(matrix: &Matrix) -> i32 {
    cavities(matrix).pow(2)
}

/// Returns the number of filled cells above a hole, at most six.
pub(super) fn cover(matrix: &Matrix, (column, row): (usize, usize)) -> i32 {
    let above = (row + 1..ROWS).filter(|&above| matrix.is_filled(column, above));
    above.take(6).count() as i32
}

/// Returns the number of filled cells above each hole.
fn each_cover(matrix: &Matrix) -> impl Iterator<Item = i32> + '_ {
    each_hole(matrix).map(|hole| cover(matrix, hole))
}

/// Returns the sum over holes of the number of filled cells above, at most six for each hole.
pub(super) fn covered(matrix: &Matrix) -> i32 {
    each_cover(matrix).sum()
}

/// Returns the sum over holes of the squared number of filled cells above.
pub(super) fn covered_squared(matrix: &Matrix) -> i32 {
    each_cover(matrix).map(|cells| cells * cells).sum()
}

/// Returns the number of rows by which the highest column exceeds 10, half of the visible rows.
pub(super) fn top_half(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 10).max(0)
}

/// Returns the number of rows by which the highest column exceeds 15.
pub(super) fn top_quarter(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 15).max(0)
}

/// Largest depth of a well that counts.
pub(super) const DEEPEST: usize = 17;

/// Returns the number of rows, from the well column's height up, that are filled except in the well
/// column, at most [`DEEPEST`].
///
/// ```text
/// ###.######
/// ###.######      the well is column 3, with height 1 and depth 2;
/// .#########      gaps below its height do not count
/// ```
pub(super) fn well_depth(matrix: &Matrix) -> i32 {
    let well = well(matrix);
    let is_open =
        |row: &usize| (0..WIDTH).all(|column| column == well || matrix.is_filled(column, *row));
    (matrix.height(well)..ROWS).take_while(is_open).take(DEEPEST).count() as i32
}

/// Returns 1 if the well is column `C` and has any depth: a weight for each place.
pub(super) fn well_column<const C: usize>(matrix: &Matrix) -> i32 {
    i32::from(well(matrix) == C && well_depth(matrix) > 0)
}

/// Returns the sum over columns of 1 + ... + d, for a column d rows below its lower neighbour.
/// Walls are higher than all columns.
pub(super) fn wells_by_height(matrix: &Matrix) -> i32 {
    let heights = heights(matrix);
    let beside = |column: usize, side: i32| {
        let neighbour = column as i32 + side;
        // Walls are higher than all columns; no column has two, so the lower neighbour is a column.
        usize::try_from(neighbour).ok().and_then(|c| heights.get(c)).copied().unwrap_or(i32::MAX)
    };
    over_columns(|column| {
        let lower = beside(column, -1).min(beside(column, 1));
        let depth = (lower - heights[column]).max(0);
        depth * (depth + 1) / 2
    })
}

/// Returns the number of filled cells above the `left` rows still to be removed, which a Sprint
/// does not need. A game without end has 0.
pub(super) fn cells_over_goal(matrix: &Matrix, left: Option<u32>) -> i32 {
    let Some(left) = left else { return 0 };
    over_columns(|column| {
        (left as usize..ROWS).filter(|&row| matrix.is_filled(column, row)).count() as i32
    })
}

pub(super) fn occupied_cells(matrix: &Matrix) -> i32 {
    matrix.cells() as i32
}

/// Number of rows in which a perfect clear is expected.
pub(super) const PERFECT_ROWS: i32 = 4;

pub(super) fn perfect_chance(matrix: &Matrix) -> i32 {
    let cells = occupied_cells(matrix);
    let is_left = max_height(matrix) <= PERFECT_ROWS && holes(matrix) == 0 && cells % 4 == 0;
    if is_left { cells } else { 0 }
}

/// Returns the number of full rows, which exist only before they are removed.
pub(super) fn complete_rows(matrix: &Matrix) -> i32 {
    over_rows(|row| (0..WIDTH).all(|column| matrix.is_filled(column, row)))
}
