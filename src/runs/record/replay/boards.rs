//! Boards of a placement log, each with the piece that came next.

use std::path::{Path, PathBuf};

use super::placements_file;
use super::row_reader::RowReader;
use crate::board::{Board, BoardSize};
use crate::error::setting::COLUMNS;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::formats::blocks::sha256_of;
use crate::record::{check_recorded, read_table};

/// Board after a logged placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedBoard {
    /// Number of the game.
    pub game: u64,
    /// Number of the placement, from 1.
    pub piece_no: u64,
    /// Board after the placement.
    pub board: Board,
    /// Piece of the next placement, if that was logged.
    pub next: Option<Piece>,
}

/// Selected boards of a placement log.
#[derive(Clone, Debug)]
pub struct LoggedBoards {
    /// Boards in the order of the log.
    pub boards: Vec<LoggedBoard>,
    /// Path of the log's file.
    pub file: PathBuf,
    /// SHA-256 of the file's bytes.
    pub sha256: String,
}

/// Reads the board after every `every`-th placement of a run's log, on boards of size `size`.
/// Placements that ended a game are skipped. `from` is the run's folder, or the log in it.
///
/// # Errors
/// [`crate::error::Error::Config`] if there is no log or it has no boards; otherwise the errors of
/// [`read_table`].
pub fn read_boards(from: &Path, size: BoardSize, every: u64) -> Result<LoggedBoards> {
    let file = if from.is_dir() { placements_file(from)? } else { from.to_owned() };
    let recorded = check_recorded(&file)?;
    let mut boards: Vec<LoggedBoard> = Vec::new();
    let mut before = 0;
    read_table(&file, |columns, rows| {
        if columns.iter().all(|column| column.name != "board") {
            let file = file.display();
            let text =
                format!("{file} has no column board: log it with {COLUMNS} all, or name it there");
            return Err(Error::Config(text));
        }
        let reader = RowReader { path: &file, before, columns, rows: &rows };
        for row in 0..rows.len() {
            let need = |name| reader.need(name, row, reader.whole(name, row));
            let (game, piece_no) = (need("game")? as u64, need("piece_no")? as u64);
            if let Some(last) = boards.last_mut()
                && (last.game, last.piece_no + 1) == (game, piece_no)
            {
                last.next = reader.piece("piece", row);
            }
            if !((before + row + 1) as u64).is_multiple_of(every)
                || reader.whole("lost", row) == Some(1)
            {
                continue;
            }
            let board =
                Board::from_hex(size, &reader.need("board", row, reader.text("board", row))?)?;
            if board.stack_height() <= size.height() {
                boards.push(LoggedBoard { game, piece_no, board, next: None });
            }
        }
        before += rows.len();
        Ok(())
    })?;
    let sha256 = recorded.map_or_else(|| sha256_of(&file), Ok)?;
    Ok(LoggedBoards { boards, file, sha256 })
}
