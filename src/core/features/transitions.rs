//! Computes transitions: changes between filled and empty cells along rows and columns.
//!
//! ```text
//! |#.##.#|    row transitions 4: the walls count as filled, so they add no change here
//! |......|    row transitions 2: an empty row has a change at both walls
//! ```
//!
//! Each empty row above the stack has two row transitions, so only rows with cells are examined.
//! For changes along columns, sources differ in how the row above the highest measured row counts.
//! It is empty (MDPTetris), filled (guide, notebook `tetris_ia`), or not counted (El-Tetris,
//! Unity).

use crate::board::Board;

/// Returns the number of changes between filled and empty along all measured rows. Both walls count
/// as filled.
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

/// Returns the number of changes between filled and empty along rows. The left edge counts as
/// empty, and the right edge is not counted.
pub(super) fn row_flips_unity(board: &Board) -> i32 {
    let changes = |row: usize| {
        let cells = u32::from(board.row(row));
        // Bit 0 is compared with the empty left edge; a bit beyond the right edge is cut off.
        ((cells ^ cells << 1) & u32::from(board.full_row())).count_ones() as i32
    };
    (0..board.stack_height()).map(changes).sum()
}

/// Returns the number of changes between filled and empty along columns. The floor and the ceiling
/// are not counted.
pub(super) fn column_transitions_open(board: &Board) -> i32 {
    let changes = |row: usize| (board.row(row) ^ board.row(row - 1)).count_ones() as i32;
    // The empty row above the stack adds changes; rows further up do not.
    let occupied_and_one = (board.stack_height() + 1).min(board.measured_rows());
    (1..occupied_and_one).map(changes).sum()
}

/// Returns the number of changes between filled and empty along columns. The floor counts as
/// filled, and the ceiling is not counted.
pub(super) fn column_transitions_floor(board: &Board) -> i32 {
    column_transitions_open(board) + at_floor(board)
}

/// Returns the number of changes between filled and empty along columns. The floor counts as filled
/// and the sky as empty.
pub(super) fn column_transitions(board: &Board) -> i32 {
    column_transitions_floor(board) + top_row(board).count_ones() as i32
}

/// Returns the number of changes between filled and empty along columns. The floor and the ceiling
/// count as filled.
pub(super) fn column_transitions_ceiling(board: &Board) -> i32 {
    let empty_at_ceiling = (board.full_row() & !top_row(board)).count_ones() as i32;
    column_transitions_floor(board) + empty_at_ceiling
}

/// Returns the number of columns that are empty in row 0. Each has a change at the floor, which
/// counts as filled.
fn at_floor(board: &Board) -> i32 {
    (board.full_row() & !board.row(0)).count_ones() as i32
}

/// Returns the cells of the highest measured row, which is above the board if the stack overflows.
fn top_row(board: &Board) -> u16 {
    board.row(board.measured_rows() - 1)
}
