//! Rows of a table, every so many of them.

use std::path::Path;

use serde::Serialize;
use serde_json::{Number, Value, json};

use crate::error::{Error, Result};
use crate::record::{Column, ColumnType, Rows, read_table};

/// What stands for a value that is not there.
const MISSING: &str = "NA";
/// Rows below which a table is not thinned out any more.
const LEAST: usize = 20;

/// A column, as the code book has it.
#[derive(Clone, Debug, Serialize)]
pub struct Heading {
    name: String,
    kind: &'static str,
    unit: String,
    meaning: String,
}

impl Heading {
    /// What is said of a column.
    pub(super) fn of(column: &Column) -> Heading {
        Heading {
            name: column.name.clone(),
            kind: column.kind.name(),
            unit: column.unit.to_string(),
            meaning: column.meaning.clone(),
        }
    }
}

/// Rows of a table: the first of every `step`.
#[derive(Debug, Serialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its file in the folder.
    pub file: String,
    /// Its columns.
    pub columns: Vec<Heading>,
    /// Rows that it has.
    pub rows: usize,
    /// One of so many is here.
    pub step: usize,
    /// The values of each column.
    pub data: Vec<Vec<Value>>,
}

impl Table {
    /// A table of which nothing was read yet.
    pub(super) fn new(file: &str) -> Table {
        let name = file.split('.').next().unwrap_or_default().to_owned();
        Table {
            name,
            file: file.to_owned(),
            columns: Vec::new(),
            rows: 0,
            step: 1,
            data: Vec::new(),
        }
    }

    /// Reads at most so many rows of a table.
    ///
    /// # Errors
    /// As [`read_table`].
    pub(super) fn read(path: &Path, most: usize) -> Result<Table> {
        let mut table = Table::new(&path.file_name().unwrap_or_default().to_string_lossy());
        read_table(path, |columns, rows| {
            table.take(columns, &rows, most);
            Ok(())
        })?;
        Ok(table)
    }

    /// Reads at most so many rows of a CSV table that no code book has: a column of numbers is one all of whose values are.
    ///
    /// # Errors
    /// [`Error::Config`] when it is no table, or can't be read.
    pub(super) fn read_plain(path: &Path, most: usize) -> Result<Table> {
        let failed = |error: csv::Error| Error::Config(format!("{}: {error}", path.display()));
        let mut table = Table::new(&path.file_name().unwrap_or_default().to_string_lossy());
        let mut reader = csv::Reader::from_path(path).map_err(failed)?;
        let names: Vec<String> =
            reader.headers().map_err(failed)?.iter().map(str::to_owned).collect();
        let rows = reader.records().collect::<std::result::Result<Vec<_>, _>>().map_err(failed)?;
        for (place, name) in names.into_iter().enumerate() {
            let texts = || rows.iter().map(|row| row.get(place).filter(|text| *text != MISSING));
            let number = |text: &str| text.parse().ok().and_then(Number::from_f64);
            let numeric = texts().flatten().all(|text| number(text).is_some());
            let value = |text: Option<&str>| match text {
                Some(text) if numeric => json!(number(text)),
                text => json!(text),
            };
            table.data.push(texts().map(value).collect());
            table.columns.push(Heading {
                name,
                kind: if numeric { ColumnType::Real } else { ColumnType::Text }.name(),
                unit: "-".to_owned(),
                meaning: String::new(),
            });
        }
        table.rows = rows.len();
        while table.shown() > most.max(LEAST) {
            table.thin();
        }
        Ok(table)
    }

    /// Takes the next rows; when there are too many, every second one goes.
    pub(super) fn take(&mut self, columns: &[Column], rows: &Rows, most: usize) {
        if self.columns.is_empty() {
            self.columns = columns.iter().map(Heading::of).collect();
            self.data = vec![Vec::new(); columns.len()];
        }
        let first = self.rows.next_multiple_of(self.step) - self.rows;
        for row in (first..rows.len()).step_by(self.step) {
            for ((values, column), data) in rows.columns.iter().zip(columns).zip(&mut self.data) {
                data.push(values.json(column, row));
            }
        }
        self.rows += rows.len();
        while self.shown() > most.max(LEAST) {
            self.thin();
        }
    }

    /// Leaves every second row out; false when there are few.
    pub(super) fn halve(&mut self) -> bool {
        let enough = self.shown() > LEAST;
        if enough {
            self.thin();
        }
        enough
    }

    /// The values of a column that are here.
    pub(super) fn column(&self, name: &str) -> Option<&Vec<Value>> {
        self.data.get(self.columns.iter().position(|column| column.name == name)?)
    }

    fn shown(&self) -> usize {
        self.data.first().map_or(0, Vec::len)
    }

    fn thin(&mut self) {
        self.step *= 2;
        for data in &mut self.data {
            let mut place = 0;
            data.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
    }
}
