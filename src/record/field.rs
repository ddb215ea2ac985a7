//! A column together with how its value is found: header, code book and rows come from one list.

use super::{Cell, Column, Kind, write_csv};
use crate::features::{Feature, Unit};

/// How a value is found.
type Value<S> = Box<dyn for<'a> Fn(&'a S) -> Cell<'a> + Send + Sync>;

/// One column of a table whose rows are made from an `S`.
pub(super) struct Field<S> {
    pub(super) column: Column,
    value: Value<S>,
    /// Whether the smallest selection has it.
    pub(super) minimal: bool,
}

impl<S> Field<S> {
    pub(super) fn new(
        name: impl Into<String>,
        kind: Kind,
        unit: &'static str,
        meaning: impl Into<String>,
        value: impl for<'a> Fn(&'a S) -> Cell<'a> + Send + Sync + 'static,
    ) -> Field<S> {
        let column = Column {
            name: name.into(),
            kind,
            unit,
            meaning: meaning.into(),
            levels: Vec::new(),
            missing: "never",
        };
        Field { column, value: Box::new(value), minimal: false }
    }

    /// A whole number that is never missing.
    pub(super) fn count(
        name: impl Into<String>,
        unit: &'static str,
        meaning: impl Into<String>,
        value: impl Fn(&S) -> u64 + Send + Sync + 'static,
    ) -> Field<S> {
        Field::new(name, Kind::Integer, unit, meaning, move |s| Cell::Integer(value(s) as i64))
    }

    /// The value of a feature, in whole units.
    pub(super) fn of_feature(
        feature: Feature,
        value: impl for<'a> Fn(&'a S) -> Cell<'a> + Send + Sync + 'static,
    ) -> Field<S> {
        let definition = feature.definition();
        let kind = if definition.unit == Unit::One { Kind::Integer } else { Kind::Real };
        Field::new(feature.to_string(), kind, "-", definition.definition, value)
    }

    pub(super) fn levels(mut self, levels: impl IntoIterator<Item = impl ToString>) -> Field<S> {
        self.column.levels = levels.into_iter().map(|level| level.to_string()).collect();
        self
    }

    pub(super) fn missing(mut self, when: &'static str) -> Field<S> {
        self.column.missing = when;
        self
    }

    pub(super) fn minimal(mut self) -> Field<S> {
        self.minimal = true;
        self
    }
}

/// The header line of a table.
pub(super) fn header<S>(fields: &[Field<S>]) -> Vec<u8> {
    let cells: Vec<Cell> = fields.iter().map(|field| Cell::Text(&field.column.name)).collect();
    let mut line = Vec::new();
    write_csv(&cells, &mut line);
    line
}

/// Appends one row of a table.
pub(super) fn row<S>(fields: &[Field<S>], of: &S, out: &mut Vec<u8>) {
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        (field.value)(of).write(out);
    }
    out.push(b'\n');
}
