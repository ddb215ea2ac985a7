//! Reads rows of a table at a fixed stride, since a page cannot show all rows of a long table.

use std::fs::File;
use std::io::Read;

use serde::Serialize;
use serde_json::{Number, Value, json};

use super::games::Picker;
use crate::error::{Error, Result};
use crate::record::{
    BoundedLines, Column, ColumnType, RowFilter, Rows, TableFile, invalid_content_error,
};

/// Text of a missing value in a table.
const MISSING: &str = "NA";
/// Number of kept rows at or below which a table is not thinned out further.
const MIN_ROWS: usize = 20;

/// The description of a table column: name, type, unit and meaning, as in the code book.
#[derive(Clone, Debug, Serialize)]
pub struct Heading {
    name: String,
    kind: &'static str,
    unit: String,
    meaning: String,
}

impl Heading {
    pub(super) fn of(column: &Column) -> Heading {
        Heading {
            name: column.name.clone(),
            kind: column.kind.name(),
            unit: column.unit.to_string(),
            meaning: column.meaning.clone(),
        }
    }
}

/// Rows of a table at a fixed stride: the first of every `step` rows.
#[derive(Debug, Serialize)]
pub struct Table {
    /// Name of the table.
    pub name: String,
    /// Name of the table's file in the folder.
    pub file: String,
    /// Columns of the table.
    pub columns: Vec<Heading>,
    /// Number of rows in the file.
    pub rows: usize,
    /// Stride: the first of every `step` rows is kept.
    pub step: usize,
    /// Values of the kept rows, one list per column.
    pub data: Vec<Vec<Value>>,
}

impl Table {
    /// Creates a table without rows, with a stride that will keep at most `most` rows of the file.
    fn new(file: &TableFile, most: usize) -> Table {
        let rows = file.rows().and_then(|rows| usize::try_from(rows).ok()).unwrap_or(0);
        let mut step = 1;
        while rows.div_ceil(step) > most.max(MIN_ROWS) {
            step *= 2;
        }
        Table {
            name: file.table().to_owned(),
            file: file.name().to_owned(),
            columns: Vec::new(),
            rows: 0,
            step,
            data: Vec::new(),
        }
    }

    /// Reads at most `most` rows of a table. Also adds to `picker`, if there is one, the placements
    /// of its games.
    ///
    /// # Errors
    /// Returns the errors of [`TableFile::seek`].
    pub(super) fn read(
        file: &TableFile,
        most: usize,
        mut picker: Option<&mut Picker>,
    ) -> Result<Table> {
        let mut table = Table::new(file, most);
        let games = picker.as_ref().map(|picker| picker.ranges()).unwrap_or_default();
        let filter = RowFilter { every: table.step as u64, first_row: 0, games };
        let rows = file.seek(&filter, &mut |columns, rows, places| {
            table.take(columns, rows, places, most);
            if let Some(picker) = &mut picker {
                picker.take(columns, rows);
            }
            Ok(())
        })?;
        table.rows = rows.unwrap_or_default() as usize;
        Ok(table)
    }

    /// Reads at most `most` rows of a CSV table without a code book. A column is numeric if all its
    /// values read so far are numbers.
    ///
    /// # Errors
    /// [`Error::Config`] if the file is not a table or cannot be read.
    pub(super) fn read_plain(file: &TableFile, most: usize) -> Result<Table> {
        let path = file.path();
        let failed = |error: csv::Error| invalid_content_error(path, error);
        let mut table = Table::new(file, most);
        let opened = File::open(path).map_err(|error| Error::io("reading", path, error))?;
        let mut reader = csv::Reader::from_reader(BoundedLines::new(
            opened.take(file.length().unwrap_or(u64::MAX)),
        ));
        let names: Vec<String> =
            reader.headers().map_err(failed)?.iter().map(str::to_owned).collect();
        let (mut rows, mut record) = (Vec::new(), csv::StringRecord::new());
        while reader.read_record(&mut record).map_err(failed)? {
            if table.rows.is_multiple_of(table.step) {
                rows.push(record.clone());
            }
            table.rows += 1;
            if rows.len() > most.max(MIN_ROWS) {
                table.step *= 2;
                let mut place = 0;
                rows.retain(|_| {
                    place += 1;
                    place % 2 == 1
                });
            }
        }
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
        Ok(table)
    }

    /// Adds those of `rows` that the stride keeps; `places` are their row numbers in the file.
    /// Doubles the stride while more than `most` rows are kept.
    fn take(&mut self, columns: &[Column], rows: &Rows, places: &[u64], most: usize) {
        if self.columns.is_empty() {
            self.columns = columns.iter().map(Heading::of).collect();
            self.data = vec![Vec::new(); columns.len()];
        }
        for (row, place) in places.iter().enumerate() {
            if !place.is_multiple_of(self.step as u64) {
                continue;
            }
            for ((values, column), data) in rows.columns.iter().zip(columns).zip(&mut self.data) {
                data.push(values.json(column, row));
            }
        }
        while self.shown() > most.max(MIN_ROWS) {
            self.thin();
        }
    }

    /// Drops every second row. Returns `false`, and drops nothing, if only few rows are left.
    pub(super) fn halve(&mut self) -> bool {
        let enough = self.shown() > MIN_ROWS;
        if enough {
            self.thin();
        }
        enough
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
