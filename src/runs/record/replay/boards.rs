//! Boards of a placement log, each with the piece that came next.

use std::path::{Path, PathBuf};

use super::logged_row::each_row;
use super::placements_file;
use crate::board::{Board, BoardSize};
use crate::error::setting::COLUMNS;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::check_recorded;
use crate::record::folder::parts::{is_in_parts, sha256_of_table};

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
/// [`crate::record::read_table`].
pub fn read_boards(from: &Path, size: BoardSize, every: u64) -> Result<LoggedBoards> {
    let is_table = !from.is_dir() || is_in_parts(from);
    let file = if is_table { from.to_owned() } else { placements_file(from)? };
    let recorded = check_recorded(&file)?;
    let mut boards: Vec<LoggedBoard> = Vec::new();
    each_row(&file, |row| {
        let is_after = row.has("board");
        let column = if is_after { "board" } else { "board_before" };
        if !row.has(column) {
            let file = file.display();
            let text = format!(
                "{file} has no column board or board_before: log it with {COLUMNS} all, or name \
                 one there"
            );
            return Err(Error::Config(text));
        }
        let (game, piece_no) = (row.integer("game")? as u64, row.integer("piece_no")? as u64);
        let piece = row.piece("piece");
        if let Some(last) = boards.last_mut()
            && (last.game, last.piece_no + 1) == (game, piece_no)
        {
            last.next = piece;
        }
        let is_skipped = is_after && row.whole("lost") == Some(1);
        if is_skipped || !(row.before as u64 + 1).is_multiple_of(every) {
            return Ok(());
        }
        let board = Board::from_hex(size, &row.need(column, row.text(column))?)?;
        if board.stack_height() <= size.height() {
            let (piece_no, next) =
                if is_after { (piece_no, None) } else { (piece_no.saturating_sub(1), piece) };
            boards.push(LoggedBoard { game, piece_no, board, next });
        }
        Ok(())
    })?;
    let sha256 = recorded.map_or_else(|| sha256_of_table(&file), Ok)?;
    Ok(LoggedBoards { boards, file, sha256 })
}
