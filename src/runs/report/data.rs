//! Renders a report for programs: JSON, CSV, and a table for a host program.

use serde_json::{Map, Value as Json};

use super::{Part, Report, Table, Value};
use crate::record::{self, Field, Rows};
use crate::text::numbers::{NA, shortest};

/// Longest entry of an object that is on one line, in characters with its indentation.
const LONGEST: usize = 100;
/// Longest element of a list, such as a row of a table, that is on one line.
const LONGEST_ROW: usize = 400;

impl Report {
    /// Returns the report as one JSON object: facts, lists of objects for tables, and `notes`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let (mut object, mut notes) = (Map::new(), Vec::new());
        for part in &self.parts {
            match part {
                Part::Fact(heading, value) => set(&mut object, &heading.name, value),
                Part::Table(table) => {
                    set(&mut object, &table.name, &Value::new(table.to_json(), ""));
                }
                Part::Text(_) => {}
                Part::Note(note) => notes.push(note.as_str()),
            }
        }
        if !notes.is_empty() {
            object.insert("notes".to_owned(), notes.into());
        }
        Json::Object(object)
    }

    /// Returns the main table as CSV, or `None` if the report has no table.
    ///
    /// # Errors
    /// [`csv::Error`] if the table can't be written.
    pub fn to_csv(&self) -> Option<csv::Result<String>> {
        self.main_table().map(Table::to_csv)
    }

    /// Returns the main table in columns, for a host program.
    #[must_use]
    pub fn rows(&self) -> Option<(Vec<record::Column>, Rows)> {
        self.main_table().map(Table::to_rows)
    }
}

/// Sets the entry `name` of an object, or of the objects within it that `name` leads to. Does
/// nothing if the name is empty.
fn set(object: &mut Map<String, Json>, name: &str, value: &Value) {
    match name.split_once('.') {
        _ if name.is_empty() => {}
        None => _ = object.insert(name.to_owned(), value.data.clone()),
        Some((first, rest)) => {
            let inner = object.entry(first).or_insert_with(|| Json::Object(Map::new()));
            inner.as_object_mut().into_iter().for_each(|inner| set(inner, rest, value));
        }
    }
}

impl Table {
    /// Returns the rows as a list of objects.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let row = |row: usize| {
            let mut object = Map::new();
            for column in &self.columns {
                set(&mut object, &column.heading.name, &column.cells[row]);
            }
            Json::Object(object)
        };
        (0..self.rows).map(row).collect()
    }

    /// Returns the columns that are data, with the last part of their names.
    fn named(&self) -> impl Iterator<Item = (&str, &[Value])> {
        let named = self.columns.iter().filter(|column| !column.heading.name.is_empty());
        named.map(|column| {
            let name = &column.heading.name;
            (name.rsplit('.').next().unwrap_or(name), &*column.cells)
        })
    }

    fn to_csv(&self) -> csv::Result<String> {
        let columns: Vec<_> = self.named().collect();
        let mut csv = csv::Writer::from_writer(Vec::new());
        csv.write_record(columns.iter().map(|(name, _)| name))?;
        for row in 0..self.rows {
            csv.write_record(columns.iter().map(|(_, cells)| cell_text(&cells[row].data)))?;
        }
        let text = csv.into_inner().map_err(|error| error.into_error())?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn to_rows(&self) -> (Vec<record::Column>, Rows) {
        let field = |(place, (name, cells)): (usize, (&str, &[Value]))| {
            let known = || cells.iter().map(|cell| &cell.data).filter(|data| !data.is_null());
            let all = |is: fn(&Json) -> bool| known().all(is);
            let field = if all(Json::is_u64) && known().next().is_some() {
                Field::count(name, "-", "", move |row: &Vec<Json>| row[place].as_u64())
            } else if all(Json::is_number) {
                Field::real(name, "-", "", move |row: &Vec<Json>| row[place].as_f64())
            } else if all(Json::is_boolean) {
                Field::logical(name, "-", "", move |row: &Vec<Json>| row[place].as_bool())
            } else {
                Field::text(name, "", move |row: &Vec<Json>, to: &mut Vec<u8>| {
                    if !row[place].is_null() {
                        to.extend(cell_text(&row[place]).bytes());
                    }
                })
            };
            field.missing("it is unknown, or not defined for this row")
        };
        let fields: Vec<_> = self.named().enumerate().map(field).collect();
        let row = |row: usize| self.named().map(|(_, cells)| cells[row].data.clone()).collect();
        let rows: Vec<Vec<Json>> = (0..self.rows).map(row).collect();
        (record::columns(&fields), record::rows_of(&fields, &rows))
    }
}

/// Returns the text of a cell in CSV. The elements of a list are joined by spaces.
fn cell_text(data: &Json) -> String {
    match data {
        Json::Null => NA.to_owned(),
        Json::Array(values) if values.is_empty() => NA.to_owned(),
        Json::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Json::Number(number) if number.is_f64() => shortest(number.as_f64().unwrap_or(f64::NAN)),
        Json::Number(number) => number.to_string(),
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(cell_text).collect::<Vec<_>>().join(" "),
        // Warnings have a kind.
        Json::Object(entries) => entries.get("kind").map_or(data.to_string(), cell_text),
    }
}

/// Formats JSON for people and programs, with what is short on one line.
#[must_use]
pub fn json_text(json: &Json) -> String {
    lines_of(json, 0, 0) + "\n"
}

/// Formats JSON on one line if it is no longer than `most` characters, and otherwise with an entry
/// or an element in each line.
fn lines_of(json: &Json, indent: usize, most: usize) -> String {
    let flat = on_one_line(json);
    let inner = indent + 2;
    let (open, lines, close): (_, Vec<String>, _) = match json {
        _ if flat.len() <= most => return flat,
        Json::Object(entries) if !entries.is_empty() => {
            let line = |(key, value): (&String, &Json)| {
                format!(
                    "{}: {}",
                    Json::from(&**key),
                    lines_of(value, inner, LONGEST.saturating_sub(inner))
                )
            };
            ('{', entries.iter().map(line).collect(), '}')
        }
        Json::Array(values) if !values.iter().all(Json::is_number) => {
            let line = |value| lines_of(value, inner, LONGEST_ROW);
            ('[', values.iter().map(line).collect(), ']')
        }
        _ => return flat,
    };
    let gap = format!("\n{:inner$}", "");
    format!("{open}{gap}{}\n{:indent$}{close}", lines.join(&format!(",{gap}")), "")
}

/// Formats JSON on one line, with a space after each comma and colon.
pub(super) fn on_one_line(json: &Json) -> String {
    match json {
        Json::Array(values) => {
            format!("[{}]", values.iter().map(on_one_line).collect::<Vec<_>>().join(", "))
        }
        Json::Object(entries) if !entries.is_empty() => {
            let entry = |(key, value): (&String, &Json)| {
                format!("{}: {}", Json::from(&**key), on_one_line(value))
            };
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}
