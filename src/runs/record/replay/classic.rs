//! Logged placements of one classic game.

use std::path::Path;

use super::row_reader::RowReader;
use super::rows_of;
use crate::error::Result;
use crate::piece::Piece;
use crate::placement::Placement;
use crate::record::{Column, Rows};

/// Logged placement of a classic game; values that were not logged are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedPlacement {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Placed piece.
    pub piece: Piece,
    /// Next piece, if the search knew it.
    pub next: Option<Piece>,
    /// Orientation and column of the piece.
    pub placement: Placement,
    /// Row of the piece's lowest cell, from 0 at the floor.
    pub landing_row: Option<i64>,
    /// Number of rows cleared by the placement.
    pub lines: Option<i64>,
    /// Number of rows cleared in the game, including this placement.
    pub lines_total: Option<i64>,
    /// 1 if the placement ended the game, otherwise 0.
    pub lost: Option<i64>,
    /// Score of the placement in the controller's search.
    pub score: Option<f64>,
    /// Board after the placement, in the form of [`crate::board::Board::to_hex`].
    pub board: Option<String>,
}

/// Reads every placement of the game `game` in a run folder.
///
/// # Errors
/// [`crate::error::Error::Config`] if the log is missing or does not contain the complete game;
/// otherwise the errors of [`crate::record::read_table`].
pub fn read_placements(folder: &Path, game: u64) -> Result<Vec<LoggedPlacement>> {
    rows_of(folder, game, placement, |placement| placement.piece_no)
}

impl LoggedPlacement {
    /// Reads the placement in row `row` of a log.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if a required value is missing.
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
