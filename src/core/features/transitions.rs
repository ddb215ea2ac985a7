//! Transitions: how often filled and empty cells meet, along rows and along columns.
//!
//! ```text
//! |#.##.#|    along this row 4: the walls count as filled, and are no change here
//! |......|    along an empty row 2, at both walls
//! ```
//!
//! Rows above the highest cell add the same 2 each, so that only rows with cells are looked at one by one. Along columns
//! the sources differ in what lies above the highest row: nothing (MDPTetris), something filled (guide, notebook), or
//! what is not counted (El-Tetris, Unity).

use crate::board::Board;

/// Along all measured rows, both walls filled; an empty row has 2.
pub(super) fn row_transitions(board: &Board) -> i32 {
    let wall = 1u32 << (board.width() + 1);
    let changes = |row: usize| {
        // One bit to the left makes room for the left wall; the right one is bit width + 1.
        let walled = u32::from(board.row(row)) << 1 | 1 | wall;
        // Each bit against the next one, its neighbour on the right; the right wall has none.
        ((walled ^ walled >> 1) & (wall - 1)).count_ones() as i32
    };
    let occupied = board.stack_height();
    let empty = board.measured_rows() - occupied;
    2 * empty as i32 + (0..occupied).map(changes).sum::<i32>()
}

/// Along all measured rows, the left edge empty and the right edge not counted.
pub(super) fn row_flips_unity(board: &Board) -> i32 {
    let changes = |row: usize| {
        let cells = u32::from(board.row(row));
        // Bit 0 is against an empty left edge; the bit that went past the right edge is cut off.
        ((cells ^ cells << 1) & u32::from(board.full_row())).count_ones() as i32
    };
    (0..board.stack_height()).map(changes).sum()
}

/// Changes between neighbouring rows, edges not counted.
pub(super) fn column_transitions_open(board: &Board) -> i32 {
    let changes = |row: usize| (board.row(row) ^ board.row(row - 1)).count_ones() as i32;
    // The empty row above the stack meets the stack's top; rows further up meet empty ones.
    let occupied_and_one = (board.stack_height() + 1).min(board.measured_rows());
    (1..occupied_and_one).map(changes).sum()
}

/// The floor filled, the sky not counted.
pub(super) fn column_transitions_floor(board: &Board) -> i32 {
    column_transitions_open(board) + at_floor(board)
}

/// The floor filled, the sky empty; an empty column has 1.
pub(super) fn column_transitions(board: &Board) -> i32 {
    column_transitions_floor(board) + top_row(board).count_ones() as i32
}

/// The floor and the ceiling filled; an empty column has 2.
pub(super) fn column_transitions_ceiling(board: &Board) -> i32 {
    let empty_at_ceiling = (board.full_row() & !top_row(board)).count_ones() as i32;
    column_transitions_floor(board) + empty_at_ceiling
}

/// Changes at the floor: columns that are empty in row 0.
fn at_floor(board: &Board) -> i32 {
    (board.full_row() & !board.row(0)).count_ones() as i32
}

/// The highest row that is measured: the board's own, or above it where the stack overflows.
fn top_row(board: &Board) -> u16 {
    board.row(board.measured_rows() - 1)
}
