//! Computes wells, columns of empty cells between filled neighbours, in the version of each source.
//!
//! A *well cell* is empty and has a filled cell, or a wall, directly to its left and right.
//!
//! ```text
//! ......
//! ##...#     w: the well cells. Column 1 is covered and has two of them in a run of
//! #w#..#     three empty cells; the two of column 4 are open to the sky
//! #..#w#
//! #w##w#
//! ```
//!
//! ```
//! # extern crate tetrastat_core as tetrastat;
//! use tetrastat::{board::Board, features::Feature};
//! let board: Board = "....../##...#/#.#..#/#..#.#/#.##.#".parse()?;
//! let count = |name: &str| name.parse::<Feature>().map(|f| f.raw(&board, None).unwrap());
//! assert_eq!(count("wells")?, (3 + 1) + (2 + 1)); // from each well cell down
//! assert_eq!(count("wells_fast")?, (1 + 2 + 3) + (1 + 2)); // each run once
//! assert_eq!(count("well_cells")?, 3 + 2); // the same runs, cells counted
//! assert_eq!(count("wells_open")?, 1 + 2); // column 1 is covered
//! # Ok::<(), tetrastat::error::Error>(())
//! ```

use super::columns_of;
use crate::board::Board;

/// Returns a mask of the well cells of a row: empty, with a filled cell or a wall on either side.
/// Shifts by one align the neighbours of all columns at once.
fn well_row(board: &Board, row: usize) -> u16 {
    let cells = board.row(row);
    let right_wall = 1 << (board.width() - 1);
    !cells & (cells << 1 | 1) & (cells >> 1 | right_wall)
}

/// Returns true if a cell is a well cell.
pub(super) fn is_well_cell(board: &Board, column: usize, row: usize) -> bool {
    well_row(board, row) >> column & 1 == 1
}

/// Returns the number of consecutive empty cells in `column` from `row` downward, including the
/// cell in `row`.
pub(super) fn empty_run_down(board: &Board, column: usize, row: usize) -> usize {
    (0..=row).rev().take_while(|&below| !board.is_filled(column, below)).count()
}

/// Returns 1 + 2 + ... + n.
pub(super) fn triangle(n: usize) -> i32 {
    (n * (n + 1) / 2) as i32
}

/// Returns the sum of `value(column)` over the columns.
fn over_columns(board: &Board, value: impl Fn(usize) -> i32) -> i32 {
    (0..board.width()).map(value).sum()
}

/// Returns Dellacherie's wells: the sum, over all well cells, of the number of consecutive empty
/// cells from the well cell downward.
pub(super) fn wells(board: &Board) -> i32 {
    // Rows above the stack have no well cells, since no column has walls on both sides.
    let depth = |row, column| empty_run_down(board, column, row) as i32;
    let in_row = |row| columns_of(well_row(board, row)).map(move |column| depth(row, column));
    (0..board.stack_height()).flat_map(in_row).sum()
}

/// Returns MDPTetris' "fast" wells. Each empty run with a well cell adds 1 + 2 + ... + n, where n
/// is the length of the run from its highest well cell down.
pub(super) fn wells_fast(board: &Board) -> i32 {
    over_columns(board, |column| well_runs(board, column).map(triangle).sum())
}

/// Returns the number of cells that are well cells or are below one in the same empty run.
pub(super) fn well_cells(board: &Board) -> i32 {
    over_columns(board, |column| well_runs(board, column).sum::<usize>() as i32)
}

/// Returns the lengths of the empty runs of `column` that have a well cell, each from its highest
/// well cell down.
fn well_runs(board: &Board, column: usize) -> impl Iterator<Item = usize> {
    let mut row = board.stack_height();
    std::iter::from_fn(move || {
        row = (0..row).rev().find(|&row| is_well_cell(board, column, row))?;
        let run = empty_run_down(board, column, row);
        // The lowest cell of the run, below which the next search starts.
        row = row + 1 - run;
        Some(run)
    })
}

/// Returns the rows of the well cells of `column` that are open to the sky.
fn open_well_cells(board: &Board, column: usize) -> impl Iterator<Item = usize> {
    (board.column_height(column)..board.stack_height())
        .filter(move |&row| is_well_cell(board, column, row))
}

/// Returns the wells of the teaching notebook `tetris_ia`: each column adds 1 + 2 + ... + k for its
/// k well cells that are open to the sky. A gap between them does not reset the counter.
pub(super) fn wells_open(board: &Board) -> i32 {
    over_columns(board, |column| triangle(open_well_cells(board, column).count()))
}

/// Returns the wells of the teaching notebook `tetris_ia`, as in [`wells_open`], but the counter
/// restarts at 1 after a gap.
pub(super) fn wells_open_restart(board: &Board) -> i32 {
    over_columns(board, |column| {
        let mut run = 0;
        let mut next = None;
        let mut sum = 0;
        for row in open_well_cells(board, column) {
            run = if next == Some(row) { run + 1 } else { 1 };
            next = Some(row + 1);
            sum += run;
        }
        sum
    })
}

/// Returns wells computed from column heights alone: the sum over columns of d(d+1)/2, where d is
/// the number of rows by which the column is below its lower neighbour. Walls are higher than all
/// columns.
pub(super) fn wells_by_height(board: &Board) -> i32 {
    over_columns(board, |column| {
        let lower = lower_neighbour(board, column);
        triangle(lower.saturating_sub(board.column_height(column)))
    })
}

/// Returns the wells of the source `unity`: the sum of (height of the lower neighbour - own height)
/// squared, over columns not at a wall. Columns above their neighbours count too.
pub(super) fn wells_squared(board: &Board) -> i32 {
    let inner = 1..board.width() - 1;
    inner
        .map(|column| {
            let depth = lower_neighbour(board, column) as i32 - board.column_height(column) as i32;
            depth * depth
        })
        .sum()
}

/// Returns the height of the lower of the columns beside `column`; walls are not counted.
pub(super) fn lower_neighbour(board: &Board, column: usize) -> usize {
    let left = (column > 0).then(|| board.column_height(column - 1));
    let right = (column + 1 < board.width()).then(|| board.column_height(column + 1));
    left.into_iter().chain(right).min().unwrap_or(0)
}

/// Returns the wells of the source `guide`, as its code is printed. Each maximal empty run of d
/// cells adds d(d+1)/2 if each neighbour column has a filled cell beside the run. Runs may be
/// covered or reach the top row, and a wall counts as filled.
pub(super) fn wells_guide(board: &Board) -> i32 {
    over_columns(board, |column| {
        let mut sum = 0;
        let mut run = 0;
        // The additional row ends the last run.
        for row in 0..=board.measured_rows() {
            if row < board.measured_rows() && !board.is_filled(column, row) {
                run += 1;
                continue;
            }
            let beside = row - run..row;
            let touched = |neighbour: Option<usize>| {
                neighbour.is_none_or(|c| {
                    c == board.width() || beside.clone().any(|r| board.is_filled(c, r))
                })
            };
            if touched(column.checked_sub(1)) && touched(Some(column + 1)) {
                sum += triangle(run);
            }
            run = 0;
        }
        sum
    })
}
