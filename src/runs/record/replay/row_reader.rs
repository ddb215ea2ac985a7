//! Access to the values of table rows by column name.

use std::path::Path;

use crate::error::setting::COLUMNS;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::{Column, ColumnValues, Rows, not_as_written};

/// Rows of a table, read by column name. The position of the rows in the table appears in messages.
pub(crate) struct RowReader<'a> {
    pub(crate) path: &'a Path,
    /// Number of the table's rows before `rows`.
    pub(crate) before: usize,
    pub(crate) columns: &'a [Column],
    pub(crate) rows: &'a Rows,
}

impl RowReader<'_> {
    /// Returns the column `name` and its values, or `None` if there is no such column.
    fn find(&self, name: &str) -> Option<(&Column, &ColumnValues)> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        Some((&self.columns[place], &self.rows.columns[place]))
    }

    /// Returns the integer in the column `name`; `None` if the column or the value is missing.
    pub(crate) fn whole(&self, name: &str, row: usize) -> Option<i64> {
        self.find(name)?.1.whole(row)
    }

    /// Returns the real number in the column `name`; `None` if the column or the value is missing.
    pub(crate) fn fraction(&self, name: &str, row: usize) -> Option<f64> {
        match self.find(name)?.1 {
            ColumnValues::Real(values) => Some(values[row]).filter(|value| !value.is_nan()),
            _ => None,
        }
    }

    /// Returns the level of the factor `name`; `None` if the column or the value is missing.
    pub(crate) fn level(&self, name: &str, row: usize) -> Option<&str> {
        match self.find(name)? {
            (column, ColumnValues::Factor(codes)) => {
                column.levels.get(usize::from(codes[row])).map(String::as_str)
            }
            _ => None,
        }
    }

    /// Returns the text in the column `name`; `None` if the column is missing. A missing value is
    /// an empty text.
    pub(crate) fn text(&self, name: &str, row: usize) -> Option<String> {
        match self.find(name)?.1 {
            ColumnValues::Text(text) => Some(String::from_utf8_lossy(text.get(row)).into_owned()),
            _ => None,
        }
    }

    /// Returns the piece in the column `name`; `None` if the column or the value is missing.
    pub(crate) fn piece(&self, name: &str, row: usize) -> Option<Piece> {
        self.level(name, row)?.parse().ok()
    }

    /// Returns `found`, a value of the column `name` without which a placement can't be rebuilt.
    ///
    /// # Errors
    /// [`Error::Config`] if `found` is `None`.
    pub(crate) fn need<T>(&self, name: &str, row: usize, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| match self.find(name) {
            Some(_) => self.wrong(row, &format!("'{name}' is missing")),
            None => Error::Config(format!(
                "{} lacks '{name}': only a log with {COLUMNS} minimal, controller or all can be \
                 played back",
                self.path.display()
            )),
        })
    }

    /// Returns the required integer in the column `name`, which must be between 0 and 255.
    ///
    /// # Errors
    /// [`Error::Config`] if the integer is missing or out of range.
    pub(crate) fn small(&self, name: &str, row: usize) -> Result<u8> {
        let value = self.need(name, row, self.whole(name, row))?;
        value.try_into().map_err(|_| self.wrong(row, &format!("{name} {value}")))
    }

    /// Returns the error for a row with a `problem` that no run causes.
    fn wrong(&self, row: usize, problem: &str) -> Error {
        // Rows are numbered over the whole table, from 1, as in a viewer of the file.
        let row = self.before + row + 1;
        not_as_written(self.path, format!("row {row}: {problem}"))
    }

    /// Returns the indices of the rows of the game `game`.
    ///
    /// # Errors
    /// The errors of [`RowReader::need`].
    pub(crate) fn of_game(&self, game: u64) -> Result<Vec<usize>> {
        let mut rows = Vec::new();
        for row in 0..self.rows.len() {
            if self.need("game", row, self.whole("game", row))? == game as i64 {
                rows.push(row);
            }
        }
        Ok(rows)
    }
}
