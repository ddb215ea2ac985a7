//! Some rows of a table, by the names of their columns.

use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::values::{NO_CODE, NO_COUNT, NO_INTEGER};
use crate::record::{Column, Rows, Values};

/// Some rows, and what their columns are.
pub(super) struct Sheet<'a> {
    pub(super) columns: &'a [Column],
    pub(super) rows: &'a Rows,
}

impl Sheet<'_> {
    fn find(&self, name: &str) -> Option<(&Column, &Values)> {
        let place = self.columns.iter().position(|column| column.name == name)?;
        Some((&self.columns[place], &self.rows.columns[place]))
    }

    /// A whole number; `None` when the table lacks it, or it is missing.
    pub(super) fn whole(&self, name: &str, row: usize) -> Option<i64> {
        match self.find(name)?.1 {
            Values::Integer(values) => {
                Some(values[row]).filter(|&v| v != NO_INTEGER).map(i64::from)
            }
            Values::Count(values) => Some(values[row]).filter(|&value| value != NO_COUNT),
            Values::Logical(codes) => Some(codes[row]).filter(|&c| c != NO_CODE).map(i64::from),
            _ => None,
        }
    }

    /// A fraction.
    pub(super) fn fraction(&self, name: &str, row: usize) -> Option<f64> {
        match self.find(name)?.1 {
            Values::Real(values) => Some(values[row]).filter(|value| !value.is_nan()),
            _ => None,
        }
    }

    /// A level of a factor.
    pub(super) fn level(&self, name: &str, row: usize) -> Option<&str> {
        match self.find(name)? {
            (column, Values::Factor(codes)) => {
                column.levels.get(usize::from(codes[row])).map(String::as_str)
            }
            _ => None,
        }
    }

    /// A text.
    pub(super) fn text(&self, name: &str, row: usize) -> Option<String> {
        match self.find(name)?.1 {
            Values::Text(text) => Some(String::from_utf8_lossy(text.get(row)).into_owned()),
            _ => None,
        }
    }

    /// A piece.
    pub(super) fn piece(&self, name: &str, row: usize) -> Option<Piece> {
        self.level(name, row)?.parse().ok()
    }

    /// What a placement cannot be built again without.
    ///
    /// # Errors
    /// [`Error::Config`] when it is missing.
    pub(super) fn need<T>(&self, name: &str, found: Option<T>) -> Result<T> {
        found.ok_or_else(|| {
            Error::Config(format!(
                "the log lacks '{name}': only a log with --columns minimal, controller or all can be played back"
            ))
        })
    }

    /// The rows of a game.
    ///
    /// # Errors
    /// As [`Sheet::need`].
    pub(super) fn of_game(&self, game: u64) -> Result<Vec<usize>> {
        let mut rows = Vec::new();
        for row in 0..self.rows.len() {
            if self.need("game", self.whole("game", row))? == game as i64 {
                rows.push(row);
            }
        }
        Ok(rows)
    }
}
