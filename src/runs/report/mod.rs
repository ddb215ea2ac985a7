//! Results of commands, described once and rendered as text, HTML, JSON, CSV or rows of a table.
//!
//! A [`Report`] has facts, tables and notes in reading order. Each [`Value`] holds data for
//! programs and a text for people.

mod render;

use serde_json::Value as Json;

use crate::prelude::*;
use crate::stats::{Mean, Method};
use crate::text::numbers::{NA, shortest, thousands};

pub use render::{escaped, json_text};

/// Value in a report's table or list of facts: JSON data for programs, and a text for people.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Value {
    /// Value as programs get it, in JSON; null if it is missing.
    pub data: Json,
    /// Value as people read it in a report's tables and facts.
    #[serde(skip)]
    pub text: String,
}

impl Value {
    /// Creates a report's value from JSON data for programs and a text for people.
    pub fn new(data: impl Into<Json>, text: impl ToString) -> Value {
        Value { data: data.into(), text: text.to_string() }
    }

    /// Creates a report's value that is the same text for programs and for people.
    pub fn text(value: impl ToString) -> Value {
        let text = value.to_string();
        Value { data: text.clone().into(), text }
    }

    /// Creates a report's value that people see as the right-aligned `text` and programs read as 0.
    pub fn right(text: impl ToString) -> Value {
        Value::new(0, text)
    }

    /// Creates a report's value from a number that `show` formats; the value is missing without a
    /// finite number.
    pub fn real(value: impl Into<Option<f64>>, show: impl FnOnce(f64) -> String) -> Value {
        let value = value.into().filter(|value| value.is_finite());
        value.map(|value| Value::new(value, show(value))).into()
    }

    /// Creates a fraction for a report, shown to people as a percentage with `decimals` decimals.
    pub fn share(value: impl Into<Option<f64>>, decimals: usize) -> Value {
        Value::real(value, |share| format!("{:.decimals$} %", 100.0 * share))
    }

    /// Creates a report's value from a mean, shown with its confidence interval in parentheses.
    pub fn mean(mean: &Mean, show: impl Fn(f64) -> String) -> Value {
        Value::from_data(mean, mean.text(show))
    }

    /// Creates a report's value from any serialisable data for programs and a text for people.
    pub fn from_data(data: impl Serialize, text: impl ToString) -> Value {
        Value::new(serde_json::to_value(data).unwrap_or_default(), text)
    }

    /// Creates a report's value that people and programs get as the same JSON.
    pub fn json(data: impl Serialize) -> Value {
        let data = serde_json::to_value(data).unwrap_or_default();
        Value { text: render::on_one_line(&data), data }
    }
}

impl Default for Value {
    fn default() -> Value {
        Value::new(Json::Null, NA)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map(Into::into).unwrap_or_default()
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::real(value, shortest)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::new(value, if value { "yes" } else { "no" })
    }
}

impl From<&Path> for Value {
    fn from(path: &Path) -> Value {
        Value::text(path.display())
    }
}

macro_rules! values {
    ($make:expr, $($Type:ty),*) => {
        $(impl From<$Type> for Value {
            fn from(value: $Type) -> Value {
                let make: fn($Type) -> Value = $make;
                make(value)
            }
        })*
    };
}

values!(|text| Value::text(text), &str, String, &String);
values!(|count| Value::new(count, thousands(count.into())), u8, u16, u32);
values!(|count| Value::new(count, thousands(count)), u64);
values!(|count| Value::new(count, thousands(count as u64)), usize);
values!(|number| Value::new(number, number), i32, i64);

/// Heading of a report's column or fact: name for programs, label for people, and tooltip. People
/// do not see values without a label.
#[derive(Clone, Debug)]
pub struct Heading {
    name: String,
    label: String,
    meaning: String,
}

impl From<&str> for Heading {
    fn from(name: &str) -> Heading {
        name.to_owned().into()
    }
}

impl From<String> for Heading {
    fn from(name: String) -> Heading {
        let label = name.rsplit('.').next().unwrap_or(&name).to_owned();
        (name, label).into()
    }
}

impl<N: Into<String>, L: Into<String>> From<(N, L)> for Heading {
    fn from((name, label): (N, L)) -> Heading {
        (name, label, "").into()
    }
}

impl<N: Into<String>, L: Into<String>, M: Into<String>> From<(N, L, M)> for Heading {
    fn from((name, label, meaning): (N, L, M)) -> Heading {
        Heading { name: name.into(), label: label.into(), meaning: meaning.into() }
    }
}

#[derive(Clone, Debug)]
struct Column {
    heading: Heading,
    cells: Vec<Value>,
    is_below: bool,
}

/// Table of a report, with named columns; in JSON it is a list of objects.
#[derive(Clone, Debug, Default)]
pub struct Table {
    name: String,
    title: String,
    columns: Vec<Column>,
    rows: usize,
    is_main: bool,
    is_grouped: bool,
}

/// Builder of a report's table, whose columns are computed from the elements of a list.
#[derive(Debug)]
pub struct TableOf<'a, R> {
    rows: Vec<&'a R>,
    table: Table,
}

impl<'a, R> TableOf<'a, R> {
    /// Creates a builder of a report's table; programs get the table only if `name` is not empty.
    pub fn new(name: &str, rows: impl IntoIterator<Item = &'a R>) -> TableOf<'a, R> {
        let rows: Vec<&R> = rows.into_iter().collect();
        let table = Table { name: name.to_owned(), rows: rows.len(), ..Table::default() };
        TableOf { rows, table }
    }

    /// Sets the title of a report's table, a line above it.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> TableOf<'a, R> {
        self.table.title = title.into();
        self
    }

    /// Makes this the report's main table, the only one in CSV output and in data for Python.
    #[must_use]
    pub fn main(mut self) -> TableOf<'a, R> {
        self.table.is_main = true;
        self
    }

    /// Groups a report's table: people see a block of rows for each value of the first column.
    #[must_use]
    pub fn grouped(mut self) -> TableOf<'a, R> {
        self.table.is_grouped = true;
        self
    }

    /// Adds a column to a report's table, one cell per row; people do not see an empty column.
    #[must_use]
    pub fn with<V: Into<Value>>(
        mut self,
        heading: impl Into<Heading>,
        cell: impl Fn(&'a R) -> V,
    ) -> TableOf<'a, R> {
        let cells = self.rows.iter().map(|row| cell(row).into()).collect();
        self.table.columns.push(Column { heading: heading.into(), cells, is_below: false });
        self
    }

    /// Adds a column to a report's table if `condition` is true.
    #[must_use]
    pub fn with_if<V: Into<Value>>(
        self,
        condition: bool,
        heading: impl Into<Heading>,
        cell: impl Fn(&'a R) -> V,
    ) -> TableOf<'a, R> {
        if condition { self.with(heading, cell) } else { self }
    }

    /// Adds a column to a report's table that only programs get, in JSON and CSV.
    #[must_use]
    pub fn data<V: Into<Value>>(self, name: &str, cell: impl Fn(&'a R) -> V) -> TableOf<'a, R> {
        self.with((name, ""), cell)
    }

    /// Adds one column per field of the object that `cell` returns; only programs get the columns.
    #[must_use]
    pub fn fields<S: Serialize>(mut self, cell: impl Fn(&'a R) -> S) -> TableOf<'a, R> {
        let object = |row: &&'a R| serde_json::to_value(cell(row)).unwrap_or_default();
        let rows: Vec<Json> = self.rows.iter().map(object).collect();
        let mut names: Vec<&String> = Vec::new();
        for name in rows.iter().filter_map(Json::as_object).flat_map(Map::keys) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let cells = rows.iter().map(|row| Value::new(row[name].clone(), "")).collect();
            let heading = (name.as_str(), "").into();
            self.table.columns.push(Column { heading, cells, is_below: false });
        }
        self
    }

    /// Adds a mean and its confidence interval to each row of a report's table.
    #[must_use]
    pub fn mean(
        self,
        mean: impl Fn(&'a R) -> Option<&'a Mean>,
        show: impl Fn(&'a R, f64) -> String,
    ) -> TableOf<'a, R> {
        let number = |row| mean(row).map(|it| Value::real(it.mean, |value| show(row, value)));
        let ends = |row| mean(row)?.interval().map(|it| it.text(|value| show(row, value)));
        self.fields(&mean)
            .shown("n", |row| mean(row).map(|mean| mean.n))
            .shown("mean", number)
            .shown("95 % interval", |row| ends(row).map(Value::right))
            .shown("method", |row| mean(row)?.method.map(Method::name))
    }

    /// Adds a column to a report's table that only people see, not JSON and CSV.
    #[must_use]
    pub fn shown<V: Into<Value>>(
        self,
        label: impl Into<String>,
        cell: impl Fn(&'a R) -> V,
    ) -> TableOf<'a, R> {
        self.with(("", label), cell)
    }

    /// Adds a column of long texts to a report's table, each shown on a line below its row.
    #[must_use]
    pub fn below<V: Into<Value>>(
        self,
        heading: impl Into<Heading>,
        cell: impl Fn(&'a R) -> V,
    ) -> TableOf<'a, R> {
        let mut table = self.with(heading, cell);
        table.table.columns.iter_mut().next_back().into_iter().for_each(|one| one.is_below = true);
        table
    }
}

impl<R> From<TableOf<'_, R>> for Table {
    fn from(table: TableOf<'_, R>) -> Table {
        table.table
    }
}

#[derive(Clone, Debug)]
enum Part {
    Fact(Heading, Value),
    Table(Table),
    /// Free text in a report that only people see, such as a picture of a board.
    Text(String),
    Note(String),
}

/// Result of a command: facts, tables and notes, in the order in which people read them.
#[derive(Clone, Debug, Default)]
pub struct Report {
    parts: Vec<Part>,
}

impl Report {
    /// Adds a fact, a single value with a heading, to the report.
    pub fn fact(&mut self, heading: impl Into<Heading>, value: impl Into<Value>) {
        self.parts.push(Part::Fact(heading.into(), value.into()));
    }

    /// Adds a named value to the report that only programs get, in JSON.
    pub fn data(&mut self, name: &str, value: impl Serialize) {
        self.fact((name, ""), Value::from_data(value, ""));
    }

    /// Adds each field of `object` as a named value that only programs get, in JSON.
    pub fn fields(&mut self, object: impl Serialize) {
        if let Ok(Json::Object(fields)) = serde_json::to_value(object) {
            fields.into_iter().for_each(|(name, value)| self.data(&name, value));
        }
    }

    /// Adds a labelled value to the report that only people see, not JSON.
    pub fn shown(&mut self, label: impl Into<String>, value: impl Into<Value>) {
        self.fact(("", label), value);
    }

    /// Adds a table to the report.
    pub fn table(&mut self, table: impl Into<Table>) {
        self.parts.push(Part::Table(table.into()));
    }

    /// Adds free text to the report that only people see, such as a picture of a board.
    pub fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    /// Adds a note, such as a warning, to the report.
    pub fn note(&mut self, note: impl Into<String>) {
        self.parts.push(Part::Note(note.into()));
    }

    /// Returns true if the report has no facts, tables, texts or notes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    fn main_table(&self) -> Option<&Table> {
        let tables = self.parts.iter().filter_map(|part| match part {
            Part::Table(table) => Some(table),
            _ => None,
        });
        tables.clone().find(|table| table.is_main).or(tables.clone().find(|it| !it.name.is_empty()))
    }
}
