//! Renders a report for programs: JSON, CSV, and a table for a host program.

use serde_json::{Map, Value as Json};

use super::{NA, Part, Report, Table, Value};
use crate::record::{self, Field, Rows};
use crate::text::table::{csv_number, csv_text};

/// Longest line of JSON, in characters, unless a single value is longer.
const LONGEST_LINE: usize = 100;

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
        let row = |row: usize| columns.iter().map(move |(_, cells)| cell_text(&cells[row].data));
        csv_text(columns.iter().map(|(name, _)| name), (0..self.rows).map(row))
    }

    fn to_rows(&self) -> (Vec<record::Column>, Rows) {
        let field = |(place, (name, cells)): (usize, (&str, &[Value]))| {
            let all = |is: fn(&Json) -> bool| {
                let mut known = cells.iter().map(|cell| &cell.data).filter(|data| !data.is_null());
                known.clone().next().is_some() && known.all(is)
            };
            let field = if all(Json::is_u64) {
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
        Json::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Json::Number(number) if number.is_f64() => csv_number(number.as_f64()),
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(cell_text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Formats JSON for people and programs: each object and list that fits on a line is on one.
#[must_use]
pub fn json_text(json: &Json) -> String {
    fn write(json: &Json, indent: usize, text: &mut String) {
        let line = on_one_line(json);
        let entries: Vec<(String, &Json)> = match json {
            Json::Object(entries) => entries
                .iter()
                .map(|(key, value)| (format!("{}: ", Json::from(&**key)), value))
                .collect(),
            Json::Array(values) => values.iter().map(|value| (String::new(), value)).collect(),
            _ => Vec::new(),
        };
        if entries.is_empty() || (indent > 0 && indent + line.chars().count() <= LONGEST_LINE) {
            return text.push_str(&line);
        }
        let (open, close) = if json.is_array() { ("[", "]") } else { ("{", "}") };
        text.push_str(open);
        let inner = indent + 2;
        // Numbers fill lines, so that a table of a million weights is no million lines.
        let fills = json.as_array().is_some_and(|all| all.iter().all(Json::is_number));
        let mut column = LONGEST_LINE;
        for (place, (key, value)) in entries.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let mut entry = key.clone();
            write(value, inner, &mut entry);
            match fills && column + entry.len() + 2 <= LONGEST_LINE {
                true => *text += &format!("{comma} {entry}"),
                false => {
                    *text += &format!("{comma}\n{:inner$}{entry}", "");
                    column = inner;
                }
            }
            column += entry.len() + 2;
        }
        *text += &format!("\n{:indent$}{close}", "");
    }
    let mut text = String::new();
    write(json, 0, &mut text);
    text + "\n"
}

/// Formats JSON on one line, with a space after each comma and colon.
pub(super) fn on_one_line(json: &Json) -> String {
    let joined = |entries: Vec<String>| entries.join(", ");
    match json {
        Json::Array(values) => format!("[{}]", joined(values.iter().map(on_one_line).collect())),
        Json::Object(entries) if !entries.is_empty() => {
            let entry = |(key, value): (&String, &Json)| {
                format!("{}: {}", Json::from(&**key), on_one_line(value))
            };
            format!("{{ {} }}", joined(entries.iter().map(entry).collect()))
        }
        other => other.to_string(),
    }
}
