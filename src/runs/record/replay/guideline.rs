//! Logged placements of one guideline game.

use std::path::Path;

use super::row_reader::RowReader;
use super::rows_of;
use crate::error::Result;
use crate::piece::Piece;
use crate::record::tables::guideline::next_column;
use crate::record::{Column, Rows};
use crate::rules::guideline::{Landing, MAX_PREVIEWS, RotationState, Spin};

/// Logged placement of a guideline game.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedLanding {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Placed piece.
    pub piece: Piece,
    /// True if the placement used the hold.
    pub held: bool,
    /// Piece in the hold before and after the placement.
    pub hold: [Option<Piece>; 2],
    /// Visible next pieces after the placement.
    pub next: [Option<Piece>; MAX_PREVIEWS],
    /// Final position of the piece; `None` if the logged position is impossible.
    pub landing: Option<Landing>,
    /// Number of rows cleared by the placement.
    pub lines: i64,
    /// Points for the soft and hard drops of the piece.
    pub drop_points: i64,
    /// Points of the game, including this placement.
    pub score: i64,
    /// Number of rows cleared in the game, including this placement; `None` if it was not logged.
    pub lines_total: Option<i64>,
    /// Number of consecutive placements that cleared rows, up to this one; `None` if it was not
    /// logged.
    pub combo: Option<i64>,
    /// True if the last clear was difficult, a tetris or a T-spin; `None` if it was not logged.
    pub back_to_back: Option<bool>,
    /// Score of the placement in the controller's search; `None` if it was planned or not logged.
    pub value: Option<f64>,
    /// Matrix after the placement, in the form of [`crate::board::Board::to_hex`].
    pub board: String,
}

/// Reads every placement of the game `game` in a run folder.
///
/// # Errors
/// The errors of [`super::read_placements`].
pub fn read_landings(folder: &Path, game: u64) -> Result<Vec<LoggedLanding>> {
    rows_of(folder, game, placement, |placement| placement.piece_no)
}

impl LoggedLanding {
    /// Reads the placement in row `row` of a log.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if a required value is missing.
    pub fn read(columns: &[Column], rows: &Rows, row: usize) -> Result<LoggedLanding> {
        let path = Path::new("placements");
        placement(&RowReader { path, before: 0, columns, rows }, row)
    }
}

fn placement(reader: &RowReader, row: usize) -> Result<LoggedLanding> {
    let need = |name| reader.need(name, row, reader.whole(name, row));
    let level = |name| reader.need(name, row, reader.level(name, row));
    let piece = reader.need("piece", row, reader.piece("piece", row))?;
    let state = RotationState::ALL
        .into_iter()
        .find(|state| level("orientation").ok() == Some(state.name()));
    let spin = Spin::NAMES.iter().position(|spin| level("t_spin").ok() == Some(spin));
    let (state, spin) =
        (reader.need("orientation", row, state)?, reader.need("t_spin", row, spin)?);
    let spin = [Spin::None, Spin::Mini, Spin::Full][spin];
    let [left, low] = [need("column")?, need("landing_row")?];
    Ok(LoggedLanding {
        piece_no: need("piece_no")? as u64,
        piece,
        held: need("used_hold")? == 1,
        hold: ["hold_before", "hold_after"].map(|name| reader.piece(name, row)),
        next: std::array::from_fn(|k| reader.piece(&next_column(k), row)),
        landing: Landing::at(piece, state, left, low).map(|at| Landing { spin, ..at }),
        lines: need("lines")?,
        drop_points: need("points_drop")?,
        score: need("points_total")?,
        lines_total: reader.whole("lines_total", row),
        combo: reader.whole("combo", row),
        back_to_back: reader.whole("b2b_after", row).map(|value| value == 1),
        value: reader.fraction("score", row),
        board: reader.need("board", row, reader.text("board", row))?,
    })
}
