//! Renderers of a report: aligned text, HTML for notebooks, and JSON, CSV or columns for programs.
//! Frozen: bytes

use serde_json::Value as Json;

use super::{Column, Heading, Part, Report, Table, Value};
use crate::prelude::*;
use crate::record;
use crate::text::numbers::{NA, shortest};

impl Report {
    /// Returns the report as text for people, with aligned columns.
    #[must_use]
    pub fn to_text(&self) -> String {
        let is_fact = |part: &Part| matches!(part, Part::Fact(..));
        let (mut text, mut after_table, mut parts) = (String::new(), false, &self.parts[..]);
        while let Some(part) = parts.first() {
            let count = parts.iter().take_while(|part| is_fact(part)).count().max(1);
            let found = match part {
                Part::Fact(..) => facts(&parts[..count]),
                Part::Table(table) => table.to_text(),
                Part::Text(lines) if lines.ends_with('\n') => lines.clone(),
                Part::Text(lines) => format!("{lines}\n"),
                Part::Note(note) => format!("note: {note}\n"),
            };
            parts = &parts[count..];
            if found.is_empty() {
                continue;
            }
            let is_table = matches!(part, Part::Table(_));
            let is_apart = is_table || (after_table && is_fact(part));
            if is_apart && !text.is_empty() && !text.ends_with("\n\n") {
                text.push('\n');
            }
            (text, after_table) = (text + &found, is_table);
        }
        text
    }

    /// Returns the report as one HTML element, for notebooks.
    #[must_use]
    pub fn to_html(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Fact(Heading { label, .. }, _) if label.is_empty() => String::new(),
            Part::Fact(Heading { label, .. }, value) => {
                format!("<div><b>{}</b> {}</div>", escaped(label), escaped(&value.text))
            }
            Part::Table(table) => table.to_html(),
            Part::Text(text) => format!("<pre>{}</pre>", escaped(text.trim_end())),
            Part::Note(note) => format!("<div>note: {}</div>", escaped(note)),
        });
        format!("<div>{}</div>", parts.collect::<String>())
    }

    /// Returns the report as one JSON object, in which each table is a list of objects.
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

    /// Returns the report's main table as CSV, or `None` if there is no table.
    pub fn to_csv(&self) -> Option<csv::Result<String>> {
        self.main_table().map(Table::to_csv)
    }

    /// Returns the report's main table in columns, for a host program such as Python or R.
    #[must_use]
    pub fn rows(&self) -> Option<(Vec<record::Column>, Rows)> {
        self.main_table().map(Table::to_rows)
    }
}

fn facts(parts: &[Part]) -> String {
    let facts = parts.iter().filter_map(|part| match part {
        Part::Fact(Heading { label, .. }, value) if !label.is_empty() => Some((label, &value.text)),
        _ => None,
    });
    let width = facts.clone().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    facts
        .map(|(label, text)| format!("{label:width$}  {text}").trim_end().to_owned() + "\n")
        .collect()
}

impl Column {
    fn is_number(&self, rows: &[usize]) -> bool {
        let data = rows.iter().map(|row| &self.cells[*row].data);
        let mut known = data.filter(|data| !data.is_null()).peekable();
        known.peek().is_some() && known.all(|data| !data.is_string() && !data.is_boolean())
    }

    fn is_known(&self, rows: &[usize]) -> bool {
        rows.iter().any(|row| !self.cells[*row].data.is_null() || self.cells[*row].text != NA)
    }
}

impl Table {
    fn to_text(&self) -> String {
        let rows: Vec<usize> = (0..self.rows).collect();
        match self.columns.first().filter(|_| self.is_grouped) {
            None => self.block(&self.title, &rows),
            Some(group) => {
                let text = |row: &usize| &*group.cells[*row].text;
                let blocks = rows.chunk_by(|one, other| text(one) == text(other));
                let blocks = blocks.map(|rows| self.block(text(&rows[0]), rows));
                blocks.collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Formats `rows` of a report's table as aligned text under `title`, without empty columns.
    fn block(&self, title: &str, rows: &[usize]) -> String {
        let shown = self.columns.iter().skip(usize::from(self.is_grouped));
        let shown =
            shown.filter(|column| !column.heading.label.is_empty() && column.is_known(rows));
        let (below, beside): (Vec<_>, Vec<_>) = shown.partition(|column| column.is_below);
        if beside.is_empty() {
            return String::new();
        }
        let wide = |column: &Column| {
            let cells = rows.iter().map(|row| &column.cells[*row].text);
            let all = cells.chain([&column.heading.label]).map(|text| text.chars().count());
            all.max().unwrap_or(0)
        };
        let columns: Vec<_> =
            beside.iter().map(|column| (wide(column), column.is_number(rows), *column)).collect();
        let line = |text_of: &dyn Fn(&Column) -> String| {
            let cells = columns.iter().map(|&(width, is_number, column)| match is_number {
                true => format!("{:>width$}", text_of(column)),
                false => format!("{:width$}", text_of(column)),
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        let mut text = if title.is_empty() { String::new() } else { format!("{title}\n") };
        text += &line(&|column| column.heading.label.clone());
        for &row in rows {
            text += &line(&|column| column.cells[row].text.clone());
            for Column { heading, cells, .. } in &below {
                if !cells[row].data.is_null() {
                    text += &format!("    {}: {}\n", heading.label, cells[row].text);
                }
            }
        }
        text
    }

    fn to_html(&self) -> String {
        let rows: Vec<usize> = (0..self.rows).collect();
        let shown = |column: &&Column| {
            !column.heading.label.is_empty() && (rows.is_empty() || column.is_known(&rows))
        };
        let columns: Vec<_> = self.columns.iter().filter(shown).collect();
        if columns.is_empty() {
            return String::new();
        }
        let head = columns.iter().map(|column| {
            let Heading { label, meaning, .. } = &column.heading;
            format!("<th title=\"{}\">{}</th>", escaped(meaning), escaped(label))
        });
        let line = |row: &usize| {
            let cells = columns.iter().map(|column| escaped(&column.cells[*row].text));
            format!("<tr>{}</tr>", cells.map(|cell| format!("<td>{cell}</td>")).collect::<String>())
        };
        let (head, body) = (head.collect::<String>(), rows.iter().map(line).collect::<String>());
        let title = escaped(&self.title);
        format!(
            "<table><caption>{title}</caption><thead><tr>{head}</tr></thead>\
             <tbody>{body}</tbody></table>"
        )
    }

    /// Returns the rows of a report's table as a JSON list of objects.
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
        let field = |(index, (name, cells)): (usize, (&str, &[Value]))| {
            let known = || cells.iter().map(|cell| &cell.data).filter(|data| !data.is_null());
            let all = |is: fn(&Json) -> bool| known().all(is);
            let field = if all(Json::is_u64) && known().next().is_some() {
                Field::count(name, "-", "", move |row: &Vec<Json>| row[index].as_u64())
            } else if all(Json::is_number) {
                Field::real(name, "-", "", move |row: &Vec<Json>| row[index].as_f64())
            } else if all(Json::is_boolean) {
                Field::logical(name, "-", "", move |row: &Vec<Json>| row[index].as_bool())
            } else {
                Field::text(name, "", move |row: &Vec<Json>, to: &mut Vec<u8>| {
                    if !row[index].is_null() {
                        to.extend(cell_text(&row[index]).bytes());
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

/// Returns `text` with the characters `&`, `<`, `>` and `"` escaped for HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}

const LONGEST_JSON_LINE: usize = 100;
const LONGEST_ROW: usize = 400;

/// Sets a key of a JSON object; a dotted name such as `features.holes` leads into inner objects.
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

/// Formats JSON with indented lines, but short lists and objects on one line.
#[must_use]
pub fn json_text(json: &Json) -> String {
    lines_of(json, 0, 0) + "\n"
}

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
                    lines_of(value, inner, LONGEST_JSON_LINE.saturating_sub(inner))
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

#[cfg(test)]
mod tests {
    use crate::report::{Report, TableOf, Value};

    #[test]
    fn a_report_is_one_element_and_nothing_of_a_name_is_an_element() {
        let mut report = Report::default();
        report.data("out", "folder");
        report.text("bcts <10x20>");
        report.shown("games", 12_000u64);
        let table = TableOf::new("", &["a&b"]).title("means");
        let table = table.with(("name", "name", "the \"name\""), |row| *row);
        report.table(table.with("mean", |_| Value::default()));
        report.note("few games");
        let expected = "<div><pre>bcts &lt;10x20&gt;</pre><div><b>games</b> 12,000</div><table>\
            <caption>means</caption><thead><tr><th title=\"the &quot;name&quot;\">name</th></tr>\
            </thead><tbody><tr><td>a&amp;b</td></tr></tbody></table>\
            <div>note: few games</div></div>";
        assert_eq!(report.to_html(), expected);
    }
}
