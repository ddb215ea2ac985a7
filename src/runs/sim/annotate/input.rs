//! Reading of an input table: its columns by name, and the values of a row.

use std::fmt::Display;
use std::path::Path;

use super::AnnotatedGame;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::{Column, ColumnType, ColumnValues, Rows};

/// Name of the column with the board before the placement.
pub(super) const BOARD_BEFORE: &str = "board_before";
/// Name of the board before the placement in tables that are no logs. In logs, it is the board
/// after the placement.
pub(super) const BOARD: &str = "board";
/// Column that every log has.
pub(super) const OF_LOGS: &str = "piece_no";

/// Returns the name of the column with the board before the placement.
pub(super) fn board_of(names: &[String]) -> &'static str {
    let has = |name: &str| names.iter().any(|other| other == name);
    if has(BOARD) && !has(BOARD_BEFORE) && !has(OF_LOGS) { BOARD } else { BOARD_BEFORE }
}

/// Returns input columns with their types. The levels of factors are the pieces.
pub(super) fn input_columns(typed: &[(ColumnType, &[&str])]) -> Vec<Column> {
    let of = |(kind, names): &(ColumnType, &[&str])| {
        let levels = if *kind == ColumnType::Factor { &Piece::ALL[..] } else { &[] };
        let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
        let column = |name: &&str| Column {
            levels: levels.clone(),
            ..Column::new(*name, *kind, "-", "input")
        };
        names.iter().map(column).collect::<Vec<_>>()
    };
    typed.iter().flat_map(of).collect()
}

/// Name and columns of an input table.
pub struct Header<'a> {
    path: &'a Path,
    pub(super) names: Vec<String>,
    /// Names and places of the columns that are read. The board is called [`BOARD_BEFORE`].
    pub(super) read: Vec<(String, usize)>,
}

impl<'a> Header<'a> {
    /// Finds the columns that a game reads in the table `path`.
    ///
    /// # Errors
    /// [`Error::Config`] if a column is missing or has another type.
    pub(super) fn of<G: AnnotatedGame>(path: &'a Path, columns: &[Column]) -> Result<Header<'a>> {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (typed, needed) = (G::columns(&names), G::needed(&names));
        let mut header = Header { path, names: names.clone(), read: Vec::new() };
        for (place, column) in columns.iter().enumerate() {
            let (name, found) = (&column.name, column.kind);
            let expected = typed.iter().find(|other| other.name == *name).map(|other| other.kind);
            if expected.is_none() && !needed.contains(&&**name) {
                continue;
            }
            // Whole doubles are read as integers, too, and integers as truth values.
            let kind = expected.unwrap_or(found);
            let is_number = matches!(kind, ColumnType::Integer | ColumnType::Logical)
                && matches!(found, ColumnType::Integer | ColumnType::Count | ColumnType::Real);
            if found != kind && !is_number {
                let (found, kind) = (found.name(), kind.name());
                let text = format!("column {name} is of type {found}: write it as {kind}");
                return Err(Error::Config(format!("{}: {text}", path.display())));
            }
            let name = if name == BOARD { BOARD_BEFORE } else { name };
            header.read.push((name.to_owned(), place));
        }
        let why = |name| match name {
            BOARD_BEFORE => "the board before the placement (in logs `board` is the one after it)",
            _ => "which every placement needs: name it so, or add it",
        };
        for name in needed.into_iter().filter(|name| !names.iter().any(|other| other == name)) {
            header.need(name, why(name))?;
        }
        Ok(header)
    }

    /// Returns an error that says `why` the column `name` is needed, unless the table has it.
    pub(super) fn need(&self, name: &str, why: &str) -> Result<()> {
        let missing =
            || Error::Config(format!("{} has no column {name}, {why}", self.path.display()));
        self.place(name).map(|_| ()).ok_or_else(missing)
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.read.iter().find(|(other, _)| other == name).map(|(_, place)| *place)
    }
}

/// Row of an input table. A column that the table lacks has missing values.
#[derive(Clone, Copy)]
pub struct InputRow<'a> {
    pub(super) header: &'a Header<'a>,
    pub(super) rows: &'a Rows,
    /// Index of the row in `rows`.
    pub(super) row: usize,
    /// Number of rows of the table before `rows`.
    pub(super) before: u64,
}

impl<'a> InputRow<'a> {
    /// Returns true if the table has the column `name`.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.place(name).is_some()
    }

    fn values(&self, name: &str) -> Option<&'a ColumnValues> {
        self.header.place(name).map(|place| &self.rows.columns[place])
    }

    /// Returns an integer. Other programs store integers with missing values as doubles.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>> {
        let values = match self.values(name) {
            Some(ColumnValues::Real(values)) => values,
            values => return Ok(values.and_then(|values| values.whole(self.row))),
        };
        let value = values[self.row];
        let is_whole = value.is_nan() || value.fract() == 0.0;
        let not_whole = || self.refuse(name, &format!("{value} is no integer: correct it"));
        if is_whole { Ok((!value.is_nan()).then_some(value as i64)) } else { Err(not_whole()) }
    }

    pub(super) fn piece(&self, name: &str) -> Option<Piece> {
        let code = self.values(name)?.whole(self.row)?;
        Piece::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Returns the text of a cell; a missing one is empty, as is one that is not UTF-8.
    pub(super) fn text(&self, name: &str) -> &'a str {
        match self.values(name) {
            Some(ColumnValues::Text(text)) => {
                std::str::from_utf8(text.get(self.row)).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Returns the error of a malformed value in the column `name`.
    pub(super) fn refuse(&self, name: &str, problem: &dyn Display) -> Error {
        let (path, number) = (self.header.path.display(), self.before + self.row as u64 + 1);
        let place = self.header.place(name);
        let name = place.map_or(name, |place| &*self.header.names[place]);
        Error::Config(format!("{path}, row {number}, column {name}: {problem}"))
    }
}

/// Returns true for a board that is drawn, and false for one in hexadecimal.
pub(super) fn is_picture(text: &str) -> bool {
    text.contains(['.', '#'])
}
