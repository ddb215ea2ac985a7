//! Scalar definitions of the terms of a matrix.

use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};

/// Heights as numbers that may be subtracted.
fn heights(matrix: &Matrix) -> [i32; WIDTH] {
    matrix.heights().map(i32::from)
}

/// The sum of a value over columns.
fn over_columns(value: impl Fn(usize) -> i32) -> i32 {
    (0..WIDTH).map(value).sum()
}

/// How many rows a condition holds of.
fn over_rows(value: impl Fn(usize) -> bool) -> i32 {
    (0..ROWS).filter(|&row| value(row)).count() as i32
}

/// Sum of the column heights.
pub(super) fn aggregate_height(matrix: &Matrix) -> i32 {
    heights(matrix).iter().sum()
}

/// Height of the highest column.
pub(super) fn max_height(matrix: &Matrix) -> i32 {
    matrix.stack_height() as i32
}

/// The holes of a matrix: column and row.
pub(super) fn each_hole(matrix: &Matrix) -> impl Iterator<Item = (usize, usize)> + '_ {
    let below = |column| (0..matrix.height(column)).map(move |row| (column, row));
    (0..WIDTH).flat_map(below).filter(|&(column, row)| !matrix.is_filled(column, row))
}

/// Empty cells with a filled one somewhere above in their column.
pub(super) fn holes(matrix: &Matrix) -> i32 {
    each_hole(matrix).count() as i32
}

/// Absolute differences of neighbouring heights.
fn steps(heights: &[i32]) -> impl Iterator<Item = i32> + '_ {
    heights.windows(2).map(|pair| (pair[0] - pair[1]).abs())
}

/// Their sum.
pub(super) fn bumpiness(matrix: &Matrix) -> i32 {
    steps(&heights(matrix)).sum()
}

/// The lowest column, the leftmost of several.
pub(super) fn well(matrix: &Matrix) -> usize {
    let heights = heights(matrix);
    (0..WIDTH).min_by_key(|&column| heights[column]).unwrap_or(0)
}

/// The heights without that of the well column, whose neighbours become neighbours of each other.
fn heights_but_well(matrix: &Matrix) -> Vec<i32> {
    let (heights, well) = (heights(matrix), well(matrix));
    (0..WIDTH).filter(|&column| column != well).map(|column| heights[column]).collect()
}

/// As bumpiness, the well column left out: keeping a column open for the I costs nothing.
pub(super) fn bumpiness_open(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).sum()
}

/// The same with squared differences.
pub(super) fn bumpiness_open_squared(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).map(|step| step * step).sum()
}

/// Rows above the 20 in view count where something is filled.
pub(super) fn row_transitions(matrix: &Matrix) -> i32 {
    let rows = matrix.stack_height().max(VISIBLE);
    let filled = |column: i32, row| {
        !(0..WIDTH as i32).contains(&column) || matrix.is_filled(column as usize, row)
    };
    let of_row = |row| (-1..WIDTH as i32).filter(|&c| filled(c, row) != filled(c + 1, row)).count();
    (0..rows).map(of_row).sum::<usize>() as i32
}

/// Changes along the columns, floor filled and sky empty; an empty column has 1.
pub(super) fn column_transitions(matrix: &Matrix) -> i32 {
    over_columns(|column| {
        let filled = |row: usize| row == 0 || (row <= ROWS && matrix.is_filled(column, row - 1));
        // One more for the change into the sky, at the top of the column or, of an empty one, at the floor.
        (0..matrix.height(column)).filter(|&row| filled(row) != filled(row + 1)).count() as i32 + 1
    })
}

/// Rows with a hole.
pub(super) fn rows_with_holes(matrix: &Matrix) -> i32 {
    over_rows(|row| each_hole(matrix).any(|(_, hole)| hole == row))
}

/// Whether two columns on one side of a hole are at most as high as its row: then a piece may slide in from
/// there.
///
/// ```text
/// #.....      #.....
/// o..###      c#.###      o: an overhang, two columns beside it are no higher than its row
/// ######      ######      c: a cavity, which only clearing rows opens
/// ```
pub(super) fn is_overhang(matrix: &Matrix, (column, row): (usize, usize)) -> bool {
    let low = |c: i32| (0..WIDTH as i32).contains(&c) && matrix.height(c as usize) <= row;
    let beside = |side: i32| low(column as i32 + side) && low(column as i32 + 2 * side);
    beside(-1) || beside(1)
}

/// Holes that are overhangs.
pub(super) fn overhangs(matrix: &Matrix) -> i32 {
    each_hole(matrix).filter(|&hole| is_overhang(matrix, hole)).count() as i32
}

/// The square of that: the second hole costs more than the first.
pub(super) fn overhangs_squared(matrix: &Matrix) -> i32 {
    overhangs(matrix).pow(2)
}

/// Holes that are none.
pub(super) fn cavities(matrix: &Matrix) -> i32 {
    holes(matrix) - overhangs(matrix)
}

/// The square of that.
pub(super) fn cavities_squared(matrix: &Matrix) -> i32 {
    cavities(matrix).pow(2)
}

/// The filled cells above a hole, at most six.
pub(super) fn cover(matrix: &Matrix, (column, row): (usize, usize)) -> i32 {
    let above = (row + 1..ROWS).filter(|&above| matrix.is_filled(column, above));
    above.take(6).count() as i32
}

/// What lies over each hole.
fn each_cover(matrix: &Matrix) -> impl Iterator<Item = i32> + '_ {
    each_hole(matrix).map(|hole| cover(matrix, hole))
}

/// Sum over holes of the filled cells above, at most six for each.
pub(super) fn covered(matrix: &Matrix) -> i32 {
    each_cover(matrix).sum()
}

/// Sum over holes of the square of the same.
pub(super) fn covered_squared(matrix: &Matrix) -> i32 {
    each_cover(matrix).map(|cells| cells * cells).sum()
}

/// Rows of the highest column above 10, half of those in view.
pub(super) fn top_half(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 10).max(0)
}

/// Rows of the highest column above 15.
pub(super) fn top_quarter(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 15).max(0)
}

/// Deepest well that counts.
pub(super) const DEEPEST: usize = 17;

/// Rows from the well column's height up that are filled but for it, at most [`DEEPEST`].
///
/// ```text
/// ###.######
/// ###.######      the well is column 3, 1 high and 2 deep: nothing beside it is lower up there,
/// .#########      and what lies below its own height does not count
/// ```
pub(super) fn well_depth(matrix: &Matrix) -> i32 {
    let well = well(matrix);
    let is_open =
        |row: &usize| (0..WIDTH).all(|column| column == well || matrix.is_filled(column, *row));
    (matrix.height(well)..ROWS).take_while(is_open).take(DEEPEST).count() as i32
}

/// 1 if the well is column `C` and has any depth: a weight for each place of the well.
pub(super) fn well_column<const C: usize>(matrix: &Matrix) -> i32 {
    i32::from(well(matrix) == C && well_depth(matrix) > 0)
}

/// Over columns 1 + ... + d, d how far a column lies below its lower neighbour; walls are above all.
pub(super) fn wells_by_height(matrix: &Matrix) -> i32 {
    let heights = heights(matrix);
    let beside = |column: usize, side: i32| {
        let neighbour = column as i32 + side;
        // A wall is higher than all; no column has two, so that the lower neighbour is always a column.
        usize::try_from(neighbour).ok().and_then(|c| heights.get(c)).copied().unwrap_or(i32::MAX)
    };
    over_columns(|column| {
        let lower = beside(column, -1).min(beside(column, 1));
        let depth = (lower - heights[column]).max(0);
        depth * (depth + 1) / 2
    })
}

/// Filled cells above the rows that are still to be cleared: work that a Sprint does not need any more. 0 in a
/// game without end.
pub(super) fn cells_over_goal(matrix: &Matrix, left: Option<u32>) -> i32 {
    let Some(left) = left else { return 0 };
    over_columns(|column| {
        (left as usize..ROWS).filter(|&row| matrix.is_filled(column, row)).count() as i32
    })
}

/// Filled cells.
pub(super) fn occupied_cells(matrix: &Matrix) -> i32 {
    matrix.cells() as i32
}

/// Rows that a perfect clear is looked for in.
pub(super) const PERFECT_ROWS: i32 = 4;

pub(super) fn perfect_chance(matrix: &Matrix) -> i32 {
    let cells = occupied_cells(matrix);
    let is_left = max_height(matrix) <= PERFECT_ROWS && holes(matrix) == 0 && cells % 4 == 0;
    if is_left { cells } else { 0 }
}

/// Full rows, which stand only on a matrix that is measured before clearing.
pub(super) fn complete_rows(matrix: &Matrix) -> i32 {
    over_rows(|row| (0..WIDTH).all(|column| matrix.is_filled(column, row)))
}
