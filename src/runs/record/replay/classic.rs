//! The placements of one game of the classic rules.

use std::path::Path;

use super::row_reader::RowReader;
use super::rows_of;
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::Placement;
use crate::record::{Column, Rows};

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

impl LoggedPlacement {
    /// Reads a row of a log.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if the log or the row lacks a value that is needed.
    pub fn read(columns: &[Column], rows: &Rows, row: usize) -> Result<LoggedPlacement> {
        let path = Path::new("placements");
        placement(&RowReader { path, before: 0, columns, rows }, row)
    }
}

fn placement(reader: &RowReader, row: usize) -> Result<LoggedPlacement> {
    let need = |name| reader.need(name, row, reader.whole(name, row));
    Ok(LoggedPlacement {
        piece_no: need("piece_no")? as u64,
        piece: reader.need("piece", row, reader.piece("piece", row))?,
        next: reader.piece("next_1", row),
        placement: Placement {
            orientation: reader.small("orientation", row)?,
            column: reader.small("column", row)?,
        },
        landing_row: reader.whole("landing_row", row),
        lines: reader.whole("lines", row),
        lines_total: reader.whole("lines_total", row),
        lost: reader.whole("lost", row),
        score: reader.fraction("score", row),
        board: reader.text("board", row),
    })
}
