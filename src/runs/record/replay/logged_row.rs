//! Reads the values of table rows by column name.

use std::path::Path;

use crate::error::setting::COLUMNS;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::{Column, ColumnValues, Rows, not_as_written, read_table};

/// A row of a run's table, read by column name. Its position in the table appears in messages.
#[derive(Clone, Copy, Debug)]
pub struct LoggedRow<'a> {
    /// Path of the table.
    pub path: &'a Path,
    /// Number of rows before this one in the table.
    pub before: usize,
    /// Columns of `rows`.
    pub columns: &'a [Column],
    /// Some rows of the table, among them this one.
    pub rows: &'a Rows,
    /// Index of this row in `rows`.
    pub row: usize,
}

/// Passes every row of a table to `take`.
///
/// # Errors
/// The errors of [`read_table`] and of `take`.
pub(crate) fn each_row(path: &Path, mut take: impl FnMut(&LoggedRow) -> Result<()>) -> Result<()> {
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
    /// Returns the column `name` and its values, or `None` if there is no such column.
    fn find(&self, name: &str) -> Option<(&Column, &ColumnValues)> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        Some((&self.columns[place], &self.rows.columns[place]))
    }

    /// Returns true if the table has a column `name`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the integer in the column `name`; `None` if the column or the value is missing.
    #[must_use]
    pub fn whole(&self, name: &str) -> Option<i64> {
        self.find(name)?.1.whole(self.row)
    }

    /// Returns the real number in the column `name`; `None` if the column or the value is missing.
    #[must_use]
    pub fn fraction(&self, name: &str) -> Option<f64> {
        match self.find(name)?.1 {
            ColumnValues::Real(values) => Some(values[self.row]).filter(|value| !value.is_nan()),
            _ => None,
        }
    }

    /// Returns the level of the factor `name`; `None` if the column or the value is missing.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<&str> {
        match self.find(name)? {
            (column, ColumnValues::Factor(codes)) => {
                column.levels.get(usize::from(codes[self.row])).map(String::as_str)
            }
            _ => None,
        }
    }

    /// Returns the text in the column `name`; `None` if the column is missing. A missing value is
    /// an empty text.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        match self.find(name)?.1 {
            ColumnValues::Text(text) => {
                Some(String::from_utf8_lossy(text.get(self.row)).into_owned())
            }
            _ => None,
        }
    }

    /// Returns the piece in the column `name`; `None` if the column or the value is missing.
    #[must_use]
    pub fn piece(&self, name: &str) -> Option<Piece> {
        self.level(name)?.parse().ok()
    }

    /// Returns `found`, a value of the column `name` without which a placement can't be rebuilt.
    ///
    /// # Errors
    /// [`Error::Config`] if `found` is `None`.
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

    /// Returns the required integer in the column `name`, which must be between 0 and 255.
    ///
    /// # Errors
    /// [`Error::Config`] if the integer is missing or out of range.
    pub fn small(&self, name: &str) -> Result<u8> {
        let value = self.integer(name)?;
        value.try_into().map_err(|_| self.wrong(&format!("{name} {value}")))
    }

    /// Returns the required integer in the column `name`.
    ///
    /// # Errors
    /// [`Error::Config`] if the integer is missing.
    pub fn integer(&self, name: &str) -> Result<i64> {
        self.need(name, self.whole(name))
    }

    /// Compares values, each with the name of its column, with those that the row has.
    ///
    /// # Errors
    /// A description of the first difference. Missing integers and columns are no difference.
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

    /// Returns the error for a row with a `problem` that no run causes.
    fn wrong(&self, problem: &str) -> Error {
        // Rows are numbered over the whole table, from 1, as in a viewer of the file.
        let row = self.before + 1;
        not_as_written(self.path, format!("row {row}: {problem}"))
    }
}
