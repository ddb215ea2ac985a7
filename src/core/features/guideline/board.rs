//! Defines the scalar functions of the terms that are computed from a matrix.

use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};

/// Returns the column heights as signed numbers.
fn heights(matrix: &Matrix) -> [i32; WIDTH] {
    matrix.heights().map(i32::from)
}

/// Returns the sum of `value(column)` over the columns.
fn over_columns(value: impl Fn(usize) -> i32) -> i32 {
    (0..WIDTH).map(value).sum()
}

/// Returns the number of rows for which `value(row)` is true.
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

/// Returns the absolute differences of neighbouring values in `heights`.
fn steps(heights: &[i32]) -> impl Iterator<Item = i32> + '_ {
    heights.windows(2).map(|pair| (pair[0] - pair[1]).abs())
}

/// Returns the sum of the absolute height differences of neighbouring columns.
pub(super) fn bumpiness(matrix: &Matrix) -> i32 {
    steps(&heights(matrix)).sum()
}

/// Returns the index of the well column: the lowest column, and the leftmost if there are several.
pub(super) fn well(matrix: &Matrix) -> usize {
    let heights = heights(matrix);
    (0..WIDTH).min_by_key(|&column| heights[column]).unwrap_or(0)
}

/// Returns the heights of all columns but the well column. The columns on both sides of the well
/// become neighbours.
fn heights_but_well(matrix: &Matrix) -> Vec<i32> {
    let (heights, well) = (heights(matrix), well(matrix));
    (0..WIDTH).filter(|&column| column != well).map(|column| heights[column]).collect()
}

/// Returns the bumpiness without the well column, so that a column left open for an I costs
/// nothing.
pub(super) fn bumpiness_open(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).sum()
}

/// Returns the sum of the squared height differences of neighbouring columns, without the well
/// column.
pub(super) fn bumpiness_open_squared(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).map(|step| step * step).sum()
}

/// Returns the number of changes between filled and empty along rows, with both walls filled. It
/// counts the 20 visible rows, and higher rows up to the stack height.
pub(super) fn row_transitions(matrix: &Matrix) -> i32 {
    let rows = matrix.stack_height().max(VISIBLE);
    let filled = |column: i32, row| {
        !(0..WIDTH as i32).contains(&column) || matrix.is_filled(column as usize, row)
    };
    let of_row = |row| (-1..WIDTH as i32).filter(|&c| filled(c, row) != filled(c + 1, row)).count();
    (0..rows).map(of_row).sum::<usize>() as i32
}

/// Returns the number of changes between filled and empty along columns, with a filled floor and an
/// empty sky.
pub(super) fn column_transitions(matrix: &Matrix) -> i32 {
    over_columns(|column| {
        let filled = |row: usize| row == 0 || (row <= ROWS && matrix.is_filled(column, row - 1));
        // Each column adds one change into the sky, at its top, or at the floor if it is empty.
        (0..matrix.height(column)).filter(|&row| filled(row) != filled(row + 1)).count() as i32 + 1
    })
}

pub(super) fn rows_with_holes(matrix: &Matrix) -> i32 {
    over_rows(|row| each_hole(matrix).any(|(_, hole)| hole == row))
}

/// Returns true if the hole at (`column`, `row`) is an overhang, under which a piece may slide. The
/// two nearest columns on one side of it are then at most `row` rows high.
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

/// Returns the number of cavities: holes that are no overhangs.
pub(super) fn cavities(matrix: &Matrix) -> i32 {
    holes(matrix) - overhangs(matrix)
}

/// Returns the square of the number of cavities.
pub(super) fn cavities_squared(matrix: &Matrix) -> i32 {
    cavities(matrix).pow(2)
}

/// Returns the number of filled cells above the hole at (`column`, `row`), at most six.
pub(super) fn cover(matrix: &Matrix, (column, row): (usize, usize)) -> i32 {
    let above = (row + 1..ROWS).filter(|&above| matrix.is_filled(column, above));
    above.take(6).count() as i32
}

/// Returns, for each hole, the number of filled cells above it, at most six.
fn each_cover(matrix: &Matrix) -> impl Iterator<Item = i32> + '_ {
    each_hole(matrix).map(|hole| cover(matrix, hole))
}

/// Returns the sum, over all holes, of the number of filled cells above, at most six for each hole.
pub(super) fn covered(matrix: &Matrix) -> i32 {
    each_cover(matrix).sum()
}

/// Returns the sum, over all holes, of the squared number of filled cells above, at most 36 for
/// each hole.
pub(super) fn covered_squared(matrix: &Matrix) -> i32 {
    each_cover(matrix).map(|cells| cells * cells).sum()
}

/// Returns the number of rows by which the highest column exceeds 10 rows, half of the visible
/// ones; 0 if it does not.
pub(super) fn top_half(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 10).max(0)
}

/// Returns the number of rows by which the highest column exceeds 15 rows; 0 if it does not.
pub(super) fn top_quarter(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 15).max(0)
}

/// Largest value of the term `well_depth`, in rows.
pub(super) const MAX_WELL_DEPTH: usize = 17;

/// Returns the depth of the well: the number of consecutive rows, from the well column's height up,
/// that are full except for the well column. The depth is at most [`MAX_WELL_DEPTH`].
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
    (matrix.height(well)..ROWS).take_while(is_open).take(MAX_WELL_DEPTH).count() as i32
}

/// Returns 1 if the well column is `C` and its depth is not 0, otherwise 0. Each column has its own
/// term, so that it can have its own weight.
pub(super) fn well_column<const C: usize>(matrix: &Matrix) -> i32 {
    i32::from(well(matrix) == C && well_depth(matrix) > 0)
}

/// Returns the sum over columns of 1 + ... + d, where d is the number of rows by which the column
/// is below its lower neighbour. Walls are higher than all columns.
pub(super) fn wells_by_height(matrix: &Matrix) -> i32 {
    let heights = heights(matrix);
    let beside = |column: usize, side: i32| {
        let neighbour = column as i32 + side;
        // Walls are higher than all columns. No column is between two walls, so the lower neighbour
        // is a column.
        usize::try_from(neighbour).ok().and_then(|c| heights.get(c)).copied().unwrap_or(i32::MAX)
    };
    over_columns(|column| {
        let lower = beside(column, -1).min(beside(column, 1));
        let depth = (lower - heights[column]).max(0);
        depth * (depth + 1) / 2
    })
}

/// Returns the number of filled cells in row `left` and above. A Sprint in which `left` rows are
/// still to be removed does not need these cells. Returns 0 if `left` is `None`, in a game without
/// end.
pub(super) fn cells_over_goal(matrix: &Matrix, left: Option<u32>) -> i32 {
    let Some(left) = left else { return 0 };
    over_columns(|column| {
        (left as usize..ROWS).filter(|&row| matrix.is_filled(column, row)).count() as i32
    })
}

pub(super) fn occupied_cells(matrix: &Matrix) -> i32 {
    matrix.cells() as i32
}

/// Largest stack height, in rows, at which the term `perfect_chance` expects a perfect clear.
pub(super) const PERFECT_ROWS: i32 = 4;

pub(super) fn perfect_chance(matrix: &Matrix) -> i32 {
    let cells = occupied_cells(matrix);
    let is_left = max_height(matrix) <= PERFECT_ROWS && holes(matrix) == 0 && cells % 4 == 0;
    if is_left { cells } else { 0 }
}

/// Returns the number of full rows. It is 0 if full rows are already removed.
pub(super) fn complete_rows(matrix: &Matrix) -> i32 {
    over_rows(|row| (0..WIDTH).all(|column| matrix.is_filled(column, row)))
}
