//! Features of the move alone: where the piece landed and what it removed.
//!
//! ```text
//! TTT     T with its stem down on row 4 (its lowest cell): landing_height is the middle of its box, 4.5, kept as 9
//! .T.     half rows; landing_height_mean, over its cells, (6 + 6 + 6 + 5) / 4, kept as 23 quarters
//! ```

use super::Move;

/// Middle of the piece's bounding box, in half rows: 2 x landing row + (rows of the piece - 1).
pub(super) fn landing_height(played: &Move) -> i32 {
    2 * i32::from(played.candidate.row) + i32::from(played.shape().height) - 1
}

/// Mean over the piece's cells of (row + 1), in quarter rows.
pub(super) fn landing_height_mean(played: &Move) -> i32 {
    let in_row = |(k, row): (usize, &u16)| {
        row.count_ones() as i32 * (i32::from(played.candidate.row) + k as i32 + 1)
    };
    played.shape().rows.iter().enumerate().map(in_row).sum()
}

/// Returns 1 + the row of the notebook's anchor cell, whose row in the piece's box is `Orientation::anchor_row`.
pub(super) fn landing_height_anchor(played: &Move) -> i32 {
    i32::from(played.candidate.row) + i32::from(played.shape().anchor_row) + 1
}

/// Returns the landing row minus the box row of the top cell of the piece's leftmost column, both from 0.
pub(super) fn piece_height_unity(played: &Move) -> i32 {
    let shape = played.shape();
    let top_of_left = shape.bottom[0] + shape.thickness[0] - 1;
    i32::from(played.candidate.row) - i32::from(top_of_left)
}

/// Rows removed x cells of this piece in them.
pub(super) fn eroded_cells(played: &Move) -> i32 {
    let own: u8 = played.removed_cells.iter().sum();
    i32::from(played.lines) * i32::from(own)
}

/// Rows removed x cells of this piece that completed their row alone.
pub(super) fn eroded_cells_guide(played: &Move) -> i32 {
    let alone = played.removed_cells.iter().filter(|&&cells| cells == 1).count();
    i32::from(played.lines) * alone as i32
}

/// Rows removed.
pub(super) fn rows_removed(played: &Move) -> i32 {
    i32::from(played.lines)
}
