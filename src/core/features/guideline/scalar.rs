//! Computes each term of guideline games on its own, as the specification of the faster code.
//!
//! A T-spin triple, where the fifth kick turns a T upright with its tip under an overhang:
//!
//! ```text
//! #........    row y + 3: the filled cell that makes the kicks before the fifth fail
//! .........    row y + 2: the T before the turn, with its centre in the second column
//! .########    row y + 1: after the turn the T has three cells in the first column
//! ..#######    row y:     and its tip in the second, which clears these three rows
//! .########    row y - 1
//! ```

use serde::{Deserialize, Serialize};

use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};
use crate::piece::Piece;
use crate::placement::Spin;

fn heights(matrix: &Matrix) -> [i32; WIDTH] {
    matrix.heights().map(i32::from)
}

fn over_columns(value: impl Fn(usize) -> i32) -> i32 {
    (0..WIDTH).map(value).sum()
}

fn over_rows(value: impl Fn(usize) -> bool) -> i32 {
    (0..ROWS).filter(|&row| value(row)).count() as i32
}

pub(super) fn aggregate_height(matrix: &Matrix) -> i32 {
    heights(matrix).iter().sum()
}

pub(super) fn max_height(matrix: &Matrix) -> i32 {
    matrix.stack_height() as i32
}

pub(super) fn each_hole(matrix: &Matrix) -> impl Iterator<Item = (usize, usize)> + '_ {
    let below = |column| (0..matrix.height(column)).map(move |row| (column, row));
    (0..WIDTH).flat_map(below).filter(|&(column, row)| !matrix.is_filled(column, row))
}

pub(super) fn holes(matrix: &Matrix) -> i32 {
    each_hole(matrix).count() as i32
}

fn steps(heights: &[i32]) -> impl Iterator<Item = i32> + '_ {
    heights.windows(2).map(|pair| (pair[0] - pair[1]).abs())
}

pub(super) fn bumpiness(matrix: &Matrix) -> i32 {
    steps(&heights(matrix)).sum()
}

pub(super) fn well(matrix: &Matrix) -> usize {
    let heights = heights(matrix);
    (0..WIDTH).min_by_key(|&column| heights[column]).unwrap_or(0)
}

fn heights_but_well(matrix: &Matrix) -> Vec<i32> {
    let (heights, well) = (heights(matrix), well(matrix));
    (0..WIDTH).filter(|&column| column != well).map(|column| heights[column]).collect()
}

pub(super) fn bumpiness_open(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).sum()
}

pub(super) fn bumpiness_open_squared(matrix: &Matrix) -> i32 {
    steps(&heights_but_well(matrix)).map(|step| step * step).sum()
}

pub(super) fn row_transitions(matrix: &Matrix) -> i32 {
    let rows = matrix.stack_height().max(VISIBLE);
    let filled = |column: i32, row| {
        !(0..WIDTH as i32).contains(&column) || matrix.is_filled(column as usize, row)
    };
    let of_row = |row| (-1..WIDTH as i32).filter(|&c| filled(c, row) != filled(c + 1, row)).count();
    (0..rows).map(of_row).sum::<usize>() as i32
}

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

/// Returns true if the hole's two nearest columns on one side are at most `row` rows high, so that
/// a piece may slide in.
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

pub(super) fn overhangs(matrix: &Matrix) -> i32 {
    each_hole(matrix).filter(|&hole| is_overhang(matrix, hole)).count() as i32
}

pub(super) fn overhangs_squared(matrix: &Matrix) -> i32 {
    overhangs(matrix).pow(2)
}

pub(super) fn cavities(matrix: &Matrix) -> i32 {
    holes(matrix) - overhangs(matrix)
}

pub(super) fn cavities_squared(matrix: &Matrix) -> i32 {
    cavities(matrix).pow(2)
}

pub(super) fn covered_cells(matrix: &Matrix, (column, row): (usize, usize)) -> i32 {
    let above = (row + 1..ROWS).filter(|&above| matrix.is_filled(column, above));
    above.take(6).count() as i32
}

fn each_cover(matrix: &Matrix) -> impl Iterator<Item = i32> + '_ {
    each_hole(matrix).map(|hole| covered_cells(matrix, hole))
}

pub(super) fn covered(matrix: &Matrix) -> i32 {
    each_cover(matrix).sum()
}

pub(super) fn covered_squared(matrix: &Matrix) -> i32 {
    each_cover(matrix).map(|cells| cells * cells).sum()
}

pub(super) fn top_half(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 10).max(0)
}

pub(super) fn top_quarter(matrix: &Matrix) -> i32 {
    (max_height(matrix) - 15).max(0)
}

pub(super) const MAX_WELL_DEPTH: usize = 17;

/// Returns the depth of the well: consecutive rows above the well column that are full except for
/// the well, at most [`MAX_WELL_DEPTH`].
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

pub(super) fn well_column<const C: usize>(matrix: &Matrix) -> i32 {
    i32::from(well(matrix) == C && well_depth(matrix) > 0)
}

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

pub(super) fn cells_over_goal(matrix: &Matrix, goal: Option<u32>) -> i32 {
    let Some(goal) = goal else { return 0 };
    over_columns(|column| {
        (goal as usize..ROWS).filter(|&row| matrix.is_filled(column, row)).count() as i32
    })
}

pub(super) fn occupied_cells(matrix: &Matrix) -> i32 {
    matrix.cells() as i32
}

pub(super) const PERFECT_ROWS: i32 = 4;

pub(super) fn perfect_chance(matrix: &Matrix) -> i32 {
    let cells = occupied_cells(matrix);
    let is_left = max_height(matrix) <= PERFECT_ROWS && holes(matrix) == 0 && cells % 4 == 0;
    if is_left { cells } else { 0 }
}

pub(super) fn complete_rows(matrix: &Matrix) -> i32 {
    over_rows(|row| (0..WIDTH).all(|column| matrix.is_filled(column, row)))
}

/// Largest number of T-slots (places for a T-spin) that are counted on a matrix.
pub(crate) const MAX_SLOTS: usize = 3;

pub(super) struct Slot {
    pub(super) lines: u32,
    pub(super) centre: (usize, usize),
    /// Matrix with a T in the T-slot (place for a T-spin), after full rows are removed.
    after: Matrix,
}

pub(super) fn each_t_slot(matrix: &Matrix) -> impl Iterator<Item = Slot> {
    let mut matrix = *matrix;
    let next = move || {
        let slot = best_t_slot(&matrix)?;
        matrix = slot.after;
        Some(slot)
    };
    std::iter::from_fn(next).take(MAX_SLOTS)
}

pub(super) fn t_slots<const LINES: u32>(matrix: &Matrix) -> i32 {
    each_t_slot(matrix).filter(|slot| slot.lines == LINES).count() as i32
}

pub(super) fn with_t(matrix: &Matrix, (x, y): (usize, usize)) -> Matrix {
    matrix.with(x - 1, y).with(x, y).with(x + 1, y).with(x, y - 1)
}

/// Returns the T-slot (place for a T-spin) whose T clears the most rows, the leftmost of several.
///
/// ```text
/// row y + 1   . . #       the overhang: a cell above the arm of the T
/// row y       T T T       the centre is (x, y); the open column on the left has height y
/// row y - 1   # T #       the tip, with a filled cell in the overhang's column beside it
///               x
/// ```
fn best_t_slot(matrix: &Matrix) -> Option<Slot> {
    let heights = matrix.heights().map(usize::from);
    let mut best: Option<Slot> = None;
    for x in 1..WIDTH - 1 {
        for (open, roof) in [(x - 1, x + 1), (x + 1, x - 1)] {
            let y = heights[open];
            let is_slot = y >= 1
                && heights[x] < y
                && y < VISIBLE + 2
                && matrix.is_filled(roof, y + 1)
                && !matrix.is_filled(roof, y)
                && matrix.is_filled(roof, y - 1);
            if is_slot {
                let (after, lines) = with_t(matrix, (x, y)).clear();
                if best.as_ref().is_none_or(|best| lines > best.lines) {
                    best = Some(Slot { lines, centre: (x, y), after });
                }
            }
        }
    }
    best
}

/// Returns the places for a T-spin triple: column and row of the T's centre, and the number of rows
/// that the T completes.
pub(super) fn each_triple(matrix: &Matrix) -> impl Iterator<Item = (usize, usize, u32)> + '_ {
    let both =
        (0..WIDTH).flat_map(|x| [(x, x + 1, x + 2), (x, x.wrapping_sub(1), x.wrapping_sub(2))]);
    both.filter_map(|(x, beside, beyond)| {
        if beside >= WIDTH || beyond >= WIDTH {
            return None;
        }
        let y = matrix.height(beside).checked_sub(2).filter(|y| (1..VISIBLE).contains(y))?;
        let free = |x: usize, y: usize| !matrix.is_filled(x, y);
        let fits = free(beside, y) && (y - 1..y + 3).all(|row| free(x, row));
        // The first four kicks fail, because (x, y + 2) is free and (x, y + 3) is filled.
        let fails = y + 3 < ROWS && matrix.is_filled(x, y + 3) && matrix.height(beyond) <= y + 2;
        (fits && fails).then(|| {
            let filled = matrix.with(x, y).with(x, y - 1).with(x, y + 1).with(beside, y);
            let rows = (y - 1..y + 2).filter(|&row| filled.row(row) == 1023);
            (x, y, rows.count() as u32)
        })
    })
}

pub(super) fn t_triples<const LINES: u32>(matrix: &Matrix) -> i32 {
    each_triple(matrix).filter(|&(_, _, lines)| lines == LINES).count() as i32
}

/// The data of a placement in a guideline game from which the terms (features) of placements are
/// computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClearEvent {
    /// Piece that was placed.
    pub piece: Piece,
    /// Number of rows that the placement removed, 0 to 4.
    pub lines: u8,
    /// Spin of the placement.
    pub spin: Spin,
    /// True if the matrix is empty after the placement.
    pub perfect: bool,
    /// Number of consecutive placements just before this placement that removed rows.
    pub combo: u8,
    /// True if the last clear before the placement was difficult (a tetris, or a spin with rows).
    pub back_to_back: bool,
    /// Height of the stack after the placement, in rows.
    pub height: u8,
    /// Points of the placement, without the points of soft and hard drops.
    pub points: u32,
    /// Rows of garbage that the placement sends to an opponent.
    pub attack: u32,
}

fn is_clear(event: &ClearEvent, spin: Spin, lines: u8) -> i32 {
    i32::from(event.spin == spin && event.lines == lines)
}

pub(super) fn clear<const LINES: u8>(event: &ClearEvent) -> i32 {
    is_clear(event, Spin::None, LINES)
}

pub(super) fn mini<const LINES: u8>(event: &ClearEvent) -> i32 {
    is_clear(event, Spin::Mini, LINES)
}

pub(super) fn t_spin<const LINES: u8>(event: &ClearEvent) -> i32 {
    is_clear(event, Spin::Full, LINES)
}

fn is_difficult(event: &ClearEvent) -> bool {
    event.lines == 4 || (event.lines > 0 && event.spin != Spin::None)
}

pub(super) fn back_to_back_clear(event: &ClearEvent) -> i32 {
    i32::from(event.back_to_back && is_difficult(event))
}

pub(super) fn back_to_back_lost(event: &ClearEvent) -> i32 {
    i32::from(event.back_to_back && event.lines > 0 && !is_difficult(event))
}

pub(super) fn perfect_clear(event: &ClearEvent) -> i32 {
    i32::from(event.perfect)
}

/// Values of the term (feature) `combo`, by the number of consecutive clears before the placement.
pub(crate) const COMBO: [i32; 12] = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5];

pub(super) fn combo(event: &ClearEvent) -> i32 {
    if event.lines == 0 { 0 } else { COMBO[usize::from(event.combo).min(COMBO.len() - 1)] }
}

pub(super) fn wasted_t(event: &ClearEvent) -> i32 {
    i32::from(event.piece == Piece::T && (event.spin == Spin::None || event.lines == 0))
}

pub(super) fn jeopardy(event: &ClearEvent) -> i32 {
    (i32::from(event.height) - 10).max(0)
}

pub(super) fn points(event: &ClearEvent) -> i32 {
    event.points as i32
}

pub(super) fn attack(event: &ClearEvent) -> i32 {
    event.attack as i32
}

pub(super) fn rows_removed(event: &ClearEvent) -> i32 {
    event.lines.into()
}
