//! Some rows of a table, by the names of their columns.

use std::path::Path;

use crate::error::setting::COLUMNS;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::tables::values::{NO_CODE, NO_COUNT, NO_INTEGER};
use crate::record::{Column, ColumnValues, Rows};

/// Some rows, what their columns are, and where they stand.
pub(crate) struct RowReader<'a> {
    pub(crate) path: &'a Path,
    /// Rows of the table before these.
    pub(crate) before: usize,
    pub(crate) columns: &'a [Column],
    pub(crate) rows: &'a Rows,
}

impl RowReader<'_> {
    /// A column and its values, by name.
    fn find(&self, name: &str) -> Option<(&Column, &ColumnValues)> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        Some((&self.columns[place], &self.rows.columns[place]))
    }

    /// A whole number; `None` when the table lacks it, or it is missing.
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

    /// A fraction.
    pub(crate) fn fraction(&self, name: &str, row: usize) -> Option<f64> {
        match self.find(name)?.1 {
            ColumnValues::Real(values) => Some(values[row]).filter(|value| !value.is_nan()),
            _ => None,
        }
    }

    /// A level of a factor.
    pub(crate) fn level(&self, name: &str, row: usize) -> Option<&str> {
        match self.find(name)? {
            (column, ColumnValues::Factor(codes)) => {
                column.levels.get(usize::from(codes[row])).map(String::as_str)
            }
            _ => None,
        }
    }

    /// A text.
    pub(crate) fn text(&self, name: &str, row: usize) -> Option<String> {
        match self.find(name)?.1 {
            ColumnValues::Text(text) => Some(String::from_utf8_lossy(text.get(row)).into_owned()),
            _ => None,
        }
    }

    /// A piece.
    pub(crate) fn piece(&self, name: &str, row: usize) -> Option<Piece> {
        self.level(name, row)?.parse().ok()
    }

    /// What a placement cannot be built again without.
    ///
    /// # Errors
    /// [`Error::Config`] when the table or this row lacks it.
    pub(crate) fn need<T>(&self, name: &str, row: usize, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| match self.find(name) {
            Some(_) => self.wrong(row, &format!("'{name}' is missing")),
            None => Error::Config(format!(
                "{} lacks '{name}': only a log with {COLUMNS} minimal, controller or all can be played back",
                self.path.display()
            )),
        })
    }

    /// A small whole number, as [`RowReader::need`].
    ///
    /// # Errors
    /// [`Error::Config`] when it is missing, negative, or above 255.
    pub(crate) fn small(&self, name: &str, row: usize) -> Result<u8> {
        let value = self.need(name, row, self.whole(name, row))?;
        value.try_into().map_err(|_| self.wrong(row, &format!("{name} {value}")))
    }

    /// The error of a row that no run writes.
    fn wrong(&self, row: usize, problem: &str) -> Error {
        // As whoever opens the file counts: over the whole table, from 1.
        let row = self.before + row + 1;
        Error::Config(format!(
            "{}: row {row}: {problem}: restore it from a copy",
            self.path.display()
        ))
    }

    /// The rows of a game.
    ///
    /// # Errors
    /// As [`RowReader::need`].
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
