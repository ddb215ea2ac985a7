//! Access to the values of table rows by column name.

use std::path::Path;

use crate::error::setting::COLUMNS;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::tables::values::{NO_CODE, NO_COUNT, NO_INTEGER};
use crate::record::{Column, ColumnValues, Rows};

/// Rows with their columns and their position in the table.
pub(crate) struct RowReader<'a> {
    pub(crate) path: &'a Path,
    /// Number of rows of the table before these.
    pub(crate) before: usize,
    pub(crate) columns: &'a [Column],
    pub(crate) rows: &'a Rows,
}

impl RowReader<'_> {
    /// Returns a column and its values by name.
    fn find(&self, name: &str) -> Option<(&Column, &ColumnValues)> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        Some((&self.columns[place], &self.rows.columns[place]))
    }

    /// Returns an integer; `None` if the column or the value is missing.
    pub(crate) fn whole(&self, name: &str, row: usize) -> Option<i64> {
        match self.find(name)?.1 {
            ColumnValues::Integer(values) => {
                Some(values[row]).filter(|&v| v != NO_INTEGER).map(i64::from)
            }
            ColumnValues::Count(values) => Some(values[row]).filter(|&value| value != NO_COUNT),
            ColumnValues::Logical(codes) => {
                Some(codes[row]).filter(|&c| c != NO_CODE).map(i64::from)
            }
            _ => None,
        }
    }

    /// Returns a real number; `None` if the column or the value is missing.
    pub(crate) fn fraction(&self, name: &str, row: usize) -> Option<f64> {
        match self.find(name)?.1 {
            ColumnValues::Real(values) => Some(values[row]).filter(|value| !value.is_nan()),
            _ => None,
        }
    }

    /// Returns the level of a factor; `None` if the column or the value is missing.
    pub(crate) fn level(&self, name: &str, row: usize) -> Option<&str> {
        match self.find(name)? {
            (column, ColumnValues::Factor(codes)) => {
                column.levels.get(usize::from(codes[row])).map(String::as_str)
            }
            _ => None,
        }
    }

    /// Returns a text; `None` if the column or the value is missing.
    pub(crate) fn text(&self, name: &str, row: usize) -> Option<String> {
        match self.find(name)?.1 {
            ColumnValues::Text(text) => Some(String::from_utf8_lossy(text.get(row)).into_owned()),
            _ => None,
        }
    }

    /// Returns a piece; `None` if the column or the value is missing.
    pub(crate) fn piece(&self, name: &str, row: usize) -> Option<Piece> {
        self.level(name, row)?.parse().ok()
    }

    /// Returns `found`, a value without which a placement can't be rebuilt.
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

    /// Returns a required integer between 0 and 255.
    ///
    /// # Errors
    /// [`Error::Config`] if it is missing or out of range.
    pub(crate) fn small(&self, name: &str, row: usize) -> Result<u8> {
        let value = self.need(name, row, self.whole(name, row))?;
        value.try_into().map_err(|_| self.wrong(row, &format!("{name} {value}")))
    }

    /// Returns the error for a row that no run writes.
    fn wrong(&self, row: usize, problem: &str) -> Error {
        // Rows are numbered over the whole table, from 1, as in a viewer of the file.
        let row = self.before + row + 1;
        Error::Config(format!(
            "{}: row {row}: {problem}: restore it from a copy",
            self.path.display()
        ))
    }

    /// Returns the rows of a game.
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
