//! The placements of one game of the one-piece rules.

use std::path::Path;

use super::rows_of;
use super::sheet::Sheet;
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::Placement;

/// A placement as it was logged; what was not logged is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedPlacement {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// The piece.
    pub piece: Piece,
    /// The next one, if the search knew it.
    pub next: Option<Piece>,
    /// Orientation and column.
    pub placement: Placement,
    /// Row of its lowest cell.
    pub landing_row: Option<i64>,
    /// Rows removed.
    pub lines: Option<i64>,
    /// Rows removed so far.
    pub lines_total: Option<i64>,
    /// Whether it ended the game.
    pub lost: Option<i64>,
    /// Its value under the search.
    pub score: Option<f64>,
    /// The board afterwards ([`crate::board::Board::to_hex`]).
    pub board: Option<String>,
}

/// Reads every placement of a game.
///
/// # Errors
/// [`crate::error::Error::Config`] when the log is missing, has no such game, or not all of it;
/// otherwise as [`crate::record::read_table`].
pub fn read_placements(folder: &Path, game: u64) -> Result<Vec<LoggedPlacement>> {
    rows_of(folder, game, placement, |placement| placement.piece_no)
}

fn placement(sheet: &Sheet, row: usize) -> Result<LoggedPlacement> {
    let need = |name| sheet.need(name, row, sheet.whole(name, row));
    Ok(LoggedPlacement {
        piece_no: need("piece_no")? as u64,
        piece: sheet.need("piece", row, sheet.piece("piece", row))?,
        next: sheet.piece("next", row),
        placement: Placement {
            orientation: sheet.small("orientation", row)?,
            column: sheet.small("column", row)?,
        },
        landing_row: sheet.whole("landing_row", row),
        lines: sheet.whole("lines", row),
        lines_total: sheet.whole("lines_total", row),
        lost: sheet.whole("lost", row),
        score: sheet.fraction("score", row),
        board: sheet.text("board", row),
    })
}
