//! Boards of a placement log, each with the piece that came next.

use std::path::{Path, PathBuf};

use super::placements_file;
use super::row_reader::RowReader;
use crate::board::{Board, BoardSize};
use crate::error::setting::COLUMNS;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::folder::parts::{is_in_parts, sha256_of_table};
use crate::record::{check_recorded, read_table};

/// Board between two placements of a logged game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedBoard {
    /// Number of the game.
    pub game: u64,
    /// Number of placements before the board.
    pub piece_no: u64,
    /// Board after that placement.
    pub board: Board,
    /// Piece of the next placement, if that was logged.
    pub next: Option<Piece>,
}

/// Selected boards of a placement log.
#[derive(Clone, Debug, Default)]
pub struct LoggedBoards {
    /// Boards in the order of the log.
    pub boards: Vec<LoggedBoard>,
    /// Path of the log's file.
    pub file: PathBuf,
    /// SHA-256 of the file's bytes.
    pub sha256: String,
}

/// Reads a board for every `every`-th placement of a run's log, on boards of size `size`. It is the
/// board after the placement, from the column `board`, or the board before it if the log only has
/// `board_before`. Boards after a lost game are skipped. `from` is the run's folder, or the log in
/// it.
///
/// # Errors
/// [`crate::error::Error::Config`] if there is no log or it has no boards; otherwise the errors of
/// [`read_table`].
pub fn read_boards(from: &Path, size: BoardSize, every: u64) -> Result<LoggedBoards> {
    let is_table = !from.is_dir() || is_in_parts(from);
    let file = if is_table { from.to_owned() } else { placements_file(from)? };
    let recorded = check_recorded(&file)?;
    let mut boards: Vec<LoggedBoard> = Vec::new();
    let mut before = 0;
    read_table(&file, |columns, rows| {
        let has = |name: &str| columns.iter().any(|column| column.name == name);
        let column = if has("board") { "board" } else { "board_before" };
        if !has(column) {
            let file = file.display();
            let text = format!(
                "{file} has no column board or board_before: log it with {COLUMNS} all, or name \
                 one there"
            );
            return Err(Error::Config(text));
        }
        let is_after = column == "board";
        let reader = RowReader { path: &file, before, columns, rows: &rows };
        for row in 0..rows.len() {
            let need = |name| reader.need(name, row, reader.whole(name, row));
            let (game, piece_no) = (need("game")? as u64, need("piece_no")? as u64);
            let piece = reader.piece("piece", row);
            if let Some(last) = boards.last_mut()
                && (last.game, last.piece_no + 1) == (game, piece_no)
            {
                last.next = piece;
            }
            if !((before + row + 1) as u64).is_multiple_of(every)
                || (is_after && reader.whole("lost", row) == Some(1))
            {
                continue;
            }
            let board =
                Board::from_hex(size, &reader.need(column, row, reader.text(column, row))?)?;
            if board.stack_height() <= size.height() {
                let (piece_no, next) =
                    if is_after { (piece_no, None) } else { (piece_no.saturating_sub(1), piece) };
                boards.push(LoggedBoard { game, piece_no, board, next });
            }
        }
        before += rows.len();
        Ok(())
    })?;
    let sha256 = recorded.map_or_else(|| sha256_of_table(&file), Ok)?;
    Ok(LoggedBoards { boards, file, sha256 })
}
