//! Renders a report as HTML for notebooks.

use super::{Heading, Part, Report, Table};

/// Returns `text` with the characters escaped that have a meaning in HTML.
#[must_use]
pub fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;")
}

impl Report {
    /// Returns the report as one HTML element.
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
}

impl Table {
    /// Returns the table as an HTML element. The tooltip of a column is its meaning.
    fn to_html(&self) -> String {
        let rows: Vec<usize> = (0..self.rows).collect();
        let shown = |column: &&super::Column| {
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
