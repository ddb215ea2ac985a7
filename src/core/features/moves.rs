//! Computes features of the move: where the piece landed and which rows it removed.
//!
//! ```text
//! TTT     T with its stem down, its lowest cell on row 4. landing_height is the middle of its
//! .T.     box, 4.5 rows or 9 half rows; landing_height_mean is (6 + 6 + 6 + 5) / 4 rows or 23/4
//! ```

use super::Move;

/// Returns the middle of the piece's bounding box in half rows: 2 x row of the lowest cell + box
/// height - 1.
pub(super) fn landing_height(played: &Move) -> i32 {
    2 * i32::from(played.candidate.row) + i32::from(played.shape().height) - 1
}

/// Returns the mean of (row + 1) over the piece's four cells, in quarter rows.
pub(super) fn landing_height_mean(played: &Move) -> i32 {
    let in_row = |(k, row): (usize, &u16)| {
        row.count_ones() as i32 * (i32::from(played.candidate.row) + k as i32 + 1)
    };
    played.shape().rows.iter().enumerate().map(in_row).sum()
}

/// Returns 1 + the row of the anchor cell (`Orientation::anchor_row`), about which the teaching
/// notebook `tetris_ia` turns the piece.
pub(super) fn landing_height_anchor(played: &Move) -> i32 {
    i32::from(played.candidate.row) + i32::from(played.shape().anchor_row) + 1
}

/// Returns the row of the piece's lowest cell, minus the row, within the piece's box, of the top
/// cell of its leftmost column.
pub(super) fn piece_height_unity(played: &Move) -> i32 {
    let shape = played.shape();
    let top_of_left = shape.bottom[0] + shape.thickness[0] - 1;
    i32::from(played.candidate.row) - i32::from(top_of_left)
}

/// Returns the number of rows removed, times the number of the piece's cells in these rows.
pub(super) fn eroded_cells(played: &Move) -> i32 {
    let own: u8 = played.removed_cells.iter().sum();
    i32::from(played.lines) * i32::from(own)
}

/// Returns the number of rows removed, times the number of removed rows in which the piece has a
/// single cell.
pub(super) fn eroded_cells_guide(played: &Move) -> i32 {
    let alone = played.removed_cells.iter().filter(|&&cells| cells == 1).count();
    i32::from(played.lines) * alone as i32
}

pub(super) fn rows_removed(played: &Move) -> i32 {
    i32::from(played.lines)
}
