//! Reader of recorded games: the rows of every placement of one game, and boards of a log.

use crate::error::setting::{COLUMNS, EVERY, FROM, GAME, ONLY_LAST, PLACEMENTS, TO};
use crate::prelude::*;
use crate::record::folder::output_file::{is_in_parts, sha256_of_table};
use crate::record::{check_recorded, invalid_content_error, read_table};

fn placements_file(folder: &Path) -> Result<PathBuf> {
    let paths = LogFormat::ALL.map(|format| folder.join(format!("placements.{format}")));
    paths.into_iter().find(|path| path.exists()).ok_or_else(|| {
        Error::Config(format!(
            "{} holds no placements: play the run again with {PLACEMENTS} csv",
            folder.display()
        ))
    })
}

/// Calls `take` for each placement of game `game` in a run's log. Returns the number of placements.
pub fn read_game(
    folder: &Path,
    game: u64,
    mut take: impl FnMut(&LoggedRow) -> Result<()>,
) -> Result<u64> {
    let path = placements_file(folder)?;
    check_recorded(&path)?;
    let mut last = 0;
    for_each_row(&path, |row| {
        if row.integer("game")? != game as i64 {
            return Ok(());
        }
        let number = row.integer("piece_no")? as u64;
        if number != last + 1 {
            return Err(Error::Config(format!(
                "{}: game {game} goes from placement {last} to {number}: only a log of \
                 every placement can be played back; play the run again without {EVERY}, {FROM}, \
                 {TO} and {ONLY_LAST}, or watch it live with the same flags and seed",
                path.display()
            )));
        }
        last = number;
        take(row)
    })?;
    if last == 0 {
        return Err(Error::Config(format!(
            "{} holds no placement of game {game}: give another {GAME} (they are counted from 0)",
            path.display()
        )));
    }
    Ok(last)
}

/// Board between two placements of a game, read from a run's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedBoard {
    /// Index of the game in its run, from 0.
    pub game: u64,
    /// Number of placements made in the game before this board.
    pub piece_no: u64,
    /// Board after the first `piece_no` placements of the game.
    pub board: Board,
    /// Piece of the game's next placement; `None` if that placement was not logged.
    pub next: Option<Piece>,
}

/// Boards selected from a run's log of placements, with the log's checksum.
#[derive(Clone, Debug, Default)]
pub struct LoggedBoards {
    /// Selected boards in the order of the log.
    pub boards: Vec<LoggedBoard>,
    /// Path of the placement log's file.
    pub file: PathBuf,
    /// SHA-256 of the placement log's file, hexadecimal.
    pub sha256: String,
}

/// Reads one board per `every` placements from a run's log. Boards after a losing placement are
/// left out.
pub fn read_boards(from: &Path, size: BoardSize, every: u64) -> Result<LoggedBoards> {
    let is_table = !from.is_dir() || is_in_parts(from);
    let file = if is_table { from.to_owned() } else { placements_file(from)? };
    let recorded = check_recorded(&file)?;
    let mut boards: Vec<LoggedBoard> = Vec::new();
    for_each_row(&file, |row| {
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

/// Row of a run's table, with access to its values by column name.
#[derive(Clone, Copy, Debug)]
pub struct LoggedRow<'a> {
    /// Path of the table that contains the row.
    pub path: &'a Path,
    /// Number of the table's rows before this row.
    pub before: usize,
    /// Descriptions of the columns of the table that contains the row.
    pub columns: &'a [Column],
    /// Chunk of the table's rows that contains this row.
    pub rows: &'a Rows,
    /// Index of this row in the chunk `rows`, from 0.
    pub row: usize,
}

pub(crate) fn for_each_row(
    path: &Path,
    mut take: impl FnMut(&LoggedRow) -> Result<()>,
) -> Result<()> {
    let mut before = 0;
    read_table(path, |columns, rows| {
        for row in 0..rows.len() {
            take(&LoggedRow { path, before, columns, rows: &rows, row })?;
            before += 1;
        }
        Ok(())
    })
}

impl LoggedRow<'_> {
    fn find(&self, name: &str) -> Option<(&Column, &ColumnValues)> {
        let index = self.columns.iter().position(|column| column.name == name)?;
        Some((&self.columns[index], &self.rows.columns[index]))
    }

    /// Returns true if the row's table has a column called `name`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the row's integer in the column `name`; `None` if column or value is missing.
    #[must_use]
    pub fn whole(&self, name: &str) -> Option<i64> {
        self.find(name)?.1.whole(self.row)
    }

    /// Returns the row's real number in the column `name`; `None` if column or value is missing.
    #[must_use]
    pub fn fraction(&self, name: &str) -> Option<f64> {
        match self.find(name)?.1 {
            ColumnValues::Real(values) => Some(values[self.row]).filter(|value| !value.is_nan()),
            _ => None,
        }
    }

    /// Returns the row's factor level in the column `name`; `None` if column or value is missing.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<&str> {
        match self.find(name)? {
            (column, ColumnValues::Factor(codes)) => {
                column.levels.get(usize::from(codes[self.row])).map(String::as_str)
            }
            _ => None,
        }
    }

    /// Returns the row's text in the column `name`: empty for a missing value, `None` if the table
    /// lacks the column.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        match self.find(name)?.1 {
            ColumnValues::Text(text) => {
                Some(String::from_utf8_lossy(text.get(self.row)).into_owned())
            }
            _ => None,
        }
    }

    /// Returns the row's piece in the column `name`; `None` if the column or the value is missing.
    #[must_use]
    pub fn piece(&self, name: &str) -> Option<Piece> {
        self.level(name)?.parse().ok()
    }

    /// Returns `found`, which was read from the column `name`, or an error if `found` is `None`.
    pub fn need<T>(&self, name: &str, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| match self.find(name) {
            Some(_) => self.wrong(&format!("'{name}' is missing")),
            None => Error::Config(format!(
                "{} lacks '{name}': only a log with {COLUMNS} minimal, controller or all can be \
                 played back",
                self.path.display()
            )),
        })
    }

    /// Returns the row's integer in the column `name`, or an error if it is not from 0 to 255.
    pub fn small(&self, name: &str) -> Result<u8> {
        let value = self.integer(name)?;
        value.try_into().map_err(|_| self.wrong(&format!("{name} {value}")))
    }

    /// Returns the row's integer in the column `name`, or an error if it is missing.
    pub fn integer(&self, name: &str) -> Result<i64> {
        self.need(name, self.whole(name))
    }

    /// Checks the row against `values`, pairs of column name and expected text. An error states the
    /// first difference.
    pub fn check(&self, values: &[(&str, String)]) -> std::result::Result<(), String> {
        for (name, value) in values {
            let whole = self.whole(name).map(|whole| whole.to_string());
            let logged = whole.or_else(|| self.text(name)).filter(|logged| logged != value);
            if let Some(logged) = logged {
                return Err(format!("the log has {name} {logged}, by the rules it is {value}"));
            }
        }
        Ok(())
    }

    fn wrong(&self, problem: &str) -> Error {
        // Rows are numbered over the whole table, from 1, as in a viewer of the file.
        let row = self.before + 1;
        invalid_content_error(self.path, format!("row {row}: {problem}"))
    }
}
