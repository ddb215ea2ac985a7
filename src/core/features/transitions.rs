//! Computes transitions: changes between filled and empty cells along rows and columns.
//!
//! ```text
//! |#.##.#|    row transitions 4: the walls count as filled, so they add no change here
//! |......|    row transitions 2: an empty row has a change at both walls
//! ```
//!
//! Rows above the highest cell add 2 each, so only rows with cells are examined. Sources differ in
//! the row above the highest for changes along columns: it is empty (MDPTetris), filled (guide,
//! notebook), or not counted (El-Tetris, Unity).

use crate::board::Board;

/// Returns the number of changes along all measured rows, with both walls filled.
pub(super) fn row_transitions(board: &Board) -> i32 {
    let wall = 1u32 << (board.width() + 1);
    let changes = |row: usize| {
        // A shift by one bit makes room for the left wall; the right wall is bit width + 1.
        let walled = u32::from(board.row(row)) << 1 | 1 | wall;
        // Each bit is compared with its right neighbour; the right wall has none.
        ((walled ^ walled >> 1) & (wall - 1)).count_ones() as i32
    };
    let occupied = board.stack_height();
    let empty = board.measured_rows() - occupied;
    2 * empty as i32 + (0..occupied).map(changes).sum::<i32>()
}

/// Returns the number of changes along rows, with an empty left edge and no right edge.
pub(super) fn row_flips_unity(board: &Board) -> i32 {
    let changes = |row: usize| {
        let cells = u32::from(board.row(row));
        // Bit 0 is compared with the empty left edge; a bit beyond the right edge is cut off.
        ((cells ^ cells << 1) & u32::from(board.full_row())).count_ones() as i32
    };
    (0..board.stack_height()).map(changes).sum()
}

/// Returns the number of changes between neighbouring rows, without the floor and the ceiling.
pub(super) fn column_transitions_open(board: &Board) -> i32 {
    let changes = |row: usize| (board.row(row) ^ board.row(row - 1)).count_ones() as i32;
    // The empty row above the stack adds changes; rows further up do not.
    let occupied_and_one = (board.stack_height() + 1).min(board.measured_rows());
    (1..occupied_and_one).map(changes).sum()
}

/// Returns the number of changes along columns with a filled floor, without the ceiling.
pub(super) fn column_transitions_floor(board: &Board) -> i32 {
    column_transitions_open(board) + at_floor(board)
}

/// Returns the number of changes along columns with a filled floor and an empty sky.
pub(super) fn column_transitions(board: &Board) -> i32 {
    column_transitions_floor(board) + top_row(board).count_ones() as i32
}

/// Returns the number of changes along columns with a filled floor and ceiling.
pub(super) fn column_transitions_ceiling(board: &Board) -> i32 {
    let empty_at_ceiling = (board.full_row() & !top_row(board)).count_ones() as i32;
    column_transitions_floor(board) + empty_at_ceiling
}

/// Returns the number of columns that are empty in row 0, which are changes at the floor.
fn at_floor(board: &Board) -> i32 {
    (board.full_row() & !board.row(0)).count_ones() as i32
}

/// Returns the highest measured row, above the board if the stack overflows.
fn top_row(board: &Board) -> u16 {
    board.row(board.measured_rows() - 1)
}
