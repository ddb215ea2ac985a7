//! Renders a report for programs: JSON, CSV, and a table for a host program.

use serde_json::{Map, Value as Json};

use super::{Part, Report, Table, Value};
use crate::record::{self, Field, Rows};
use crate::text::table::{NA, csv_number, csv_text};

/// Longest line of JSON, in characters, except for rows of tables and long values.
const LONGEST_LINE: usize = 100;
/// Most objects and lists within each other in a row that is on one line.
const ROW_DEPTH: usize = 3;

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
        Json::Bool(value) => if *value { "TRUE" } else { "FALSE" }.to_owned(),
        Json::Number(number) if number.is_f64() => csv_number(number.as_f64()),
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(cell_text).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

/// Formats JSON for people and programs. Rows of tables, and what fits on a line, are on one line.
#[must_use]
pub fn json_text(json: &Json) -> String {
    let mut text = String::new();
    write_json(json, 0, false, &mut text);
    text + "\n"
}

fn write_json(json: &Json, indent: usize, is_row: bool, text: &mut String) {
    let entries: Vec<(String, &Json)> = match json {
        Json::Object(entries) => {
            let entry = |(key, value)| (format!("{}: ", Json::String(key)), value);
            entries.iter().map(|(key, value)| entry((key.clone(), value))).collect()
        }
        Json::Array(values) => values.iter().map(|value| (String::new(), value)).collect(),
        _ => Vec::new(),
    };
    let is_short = indent > 0 && json.to_string().len() + indent <= LONGEST_LINE;
    if entries.is_empty() || is_short || (is_row && depth(json) <= ROW_DEPTH) {
        return text.push_str(&on_one_line(json));
    }
    let (open, close) = if json.is_array() { ('[', ']') } else { ('{', '}') };
    text.push(open);
    let inner = indent + 2;
    // Numbers fill lines, so that a table of a million weights is not a million lines.
    let fills = entries.iter().all(|(key, value)| key.is_empty() && value.is_number());
    let mut column = LONGEST_LINE;
    for (place, (key, value)) in entries.iter().enumerate() {
        let comma = if place == 0 { "" } else { "," };
        let mut entry = key.clone();
        write_json(value, inner, json.is_array(), &mut entry);
        if fills && column + entry.len() + 2 <= LONGEST_LINE {
            *text += &format!("{comma} {entry}");
        } else {
            *text += &format!("{comma}\n{:inner$}{entry}", "");
            column = inner;
        }
        column += entry.len() + 2;
    }
    *text += &format!("\n{:indent$}{close}", "");
}

/// Returns the number of objects and lists within each other.
fn depth(json: &Json) -> usize {
    let deepest = match json {
        Json::Array(values) => values.iter().map(depth).max(),
        Json::Object(entries) => entries.values().map(depth).max(),
        _ => return 0,
    };
    1 + deepest.unwrap_or(0)
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
