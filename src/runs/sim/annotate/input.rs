//! Reading of an input table: its columns by name, and the values of a row.

use std::borrow::Cow;
use std::fmt::Display;
use std::path::Path;

use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::record::{Column, ColumnType, ColumnValues, Rows};

/// Name of the column with the board before the placement.
pub(super) const BOARD_BEFORE: &str = "board_before";
/// Name of the board before the placement in tables that are no logs.
pub(super) const BOARD: &str = "board";
/// Column that every log has. In logs, the column `board` holds the board after the placement.
pub(super) const OF_LOGS: &str = "piece_no";

/// Returns an input column of a type. The levels of a factor are the pieces.
pub(super) fn input_column(name: &str, kind: ColumnType) -> Column {
    let mut column = Column::new(name, kind, "-", "input");
    if kind == ColumnType::Factor {
        column.levels = Piece::ALL.iter().map(ToString::to_string).collect();
    }
    column
}

/// Name and columns of an input table.
pub struct Header<'a> {
    /// Path of the table, for messages.
    pub path: &'a Path,
    /// Columns of the table.
    pub columns: Vec<Column>,
}

impl Header<'_> {
    /// Returns the place of the column `name`, if the table has it.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Returns the place of the column `name`. The error says `why` it is needed.
    pub(super) fn need(&self, name: &str, why: &str) -> Result<usize> {
        let missing = || Error::Config(format!("{} has no column {name}, {why}", self.shown()));
        self.place(name).ok_or_else(missing)
    }

    /// Returns the place of a column that every placement needs.
    pub(super) fn of_placement(&self, name: &str) -> Result<usize> {
        self.need(name, "which every placement needs: name it so, or add it")
    }

    /// Returns the place of the board before the placement.
    pub(super) fn board(&self) -> Result<usize> {
        let is_log = self.place(OF_LOGS).is_some();
        let board = self.place(BOARD_BEFORE).or(self.place(BOARD).filter(|_| !is_log));
        board.map_or_else(
            || {
                let why = "the board before the placement (in logs `board` is the one after it)";
                self.need(BOARD_BEFORE, why)
            },
            Ok,
        )
    }

    /// Checks that the column at each place has a type. Whole doubles are read as integers, and
    /// integers as truth values, too.
    pub(super) fn check(
        &self,
        typed: impl IntoIterator<Item = (Option<usize>, ColumnType)>,
    ) -> Result<()> {
        for (place, kind) in typed {
            let Some(column) = place.map(|place| &self.columns[place]) else { continue };
            let is_number = matches!(kind, ColumnType::Integer | ColumnType::Logical)
                && matches!(
                    column.kind,
                    ColumnType::Integer | ColumnType::Count | ColumnType::Real
                );
            if column.kind != kind && !is_number {
                let (path, name) = (self.shown(), &column.name);
                let (found, kind) = (column.kind.name(), kind.name());
                let text = format!("{path}: column {name} is of type {found}: write it as {kind}");
                return Err(Error::Config(text));
            }
        }
        Ok(())
    }

    fn shown(&self) -> impl Display {
        self.path.display()
    }
}

/// Row of an input table.
#[derive(Clone, Copy)]
pub struct InputRow<'a> {
    /// Name and columns of the table.
    pub header: &'a Header<'a>,
    /// Some rows of the table.
    pub rows: &'a Rows,
    /// Index of the row in `rows`.
    pub row: usize,
    /// Number of rows of the table before `rows`.
    pub before: u64,
}

impl<'a> InputRow<'a> {
    /// Returns an integer. Other programs store integers with missing values as doubles.
    pub(super) fn integer(&self, place: usize) -> Result<Option<i64>> {
        let ColumnValues::Real(values) = &self.rows.columns[place] else {
            return Ok(self.rows.columns[place].whole(self.row));
        };
        let value = values[self.row];
        let is_whole = value.is_nan() || value.fract() == 0.0;
        let not_whole = || self.refuse(place, &format!("{value} is no integer: correct it"));
        if is_whole { Ok((!value.is_nan()).then_some(value as i64)) } else { Err(not_whole()) }
    }

    /// Returns the integer at a place, if the table has the column.
    pub(super) fn optional(&self, place: Option<usize>) -> Result<Option<i64>> {
        place.map_or(Ok(None), |place| self.integer(place))
    }

    pub(super) fn piece(&self, place: usize) -> Option<Piece> {
        let code = self.rows.columns[place].whole(self.row)?;
        Piece::ALL.get(usize::try_from(code).ok()?).copied()
    }

    /// Returns the text of a cell; a missing one is empty, as is one that is not UTF-8.
    pub(super) fn text(&self, place: usize) -> &'a str {
        match &self.rows.columns[place] {
            ColumnValues::Text(text) => std::str::from_utf8(text.get(self.row)).unwrap_or_default(),
            _ => "",
        }
    }

    /// Returns the text or the integer of a cell as a text; a missing one is empty.
    pub(super) fn word(&self, place: usize) -> Result<Cow<'a, str>> {
        let number = |number: Option<i64>| number.map_or(String::new(), |one| one.to_string());
        Ok(match &self.rows.columns[place] {
            ColumnValues::Text(_) => Cow::Borrowed(self.text(place)),
            _ => Cow::Owned(number(self.integer(place)?)),
        })
    }

    /// Returns the error of a malformed value in the column at `place`.
    pub(super) fn refuse(&self, place: usize, problem: &dyn Display) -> Error {
        let (path, number) = (self.header.shown(), self.before + self.row as u64 + 1);
        let name = &self.header.columns[place].name;
        Error::Config(format!("{path}, row {number}, column {name}: {problem}"))
    }
}

/// Returns true for a board that is drawn, and false for one in hexadecimal.
pub(super) fn is_picture(text: &str) -> bool {
    text.contains(['.', '#'])
}
