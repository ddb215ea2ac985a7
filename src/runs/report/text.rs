//! Renders a report as text for people.

use super::{Column, Heading, Part, Report, Table};
use crate::text::numbers::NA;

impl Report {
    /// Returns the report as text for people.
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
}

/// Returns one line for each fact with a label, with their values below each other.
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
    /// Returns true if the column has numbers and no text in `rows`.
    fn is_number(&self, rows: &[usize]) -> bool {
        let data = rows.iter().map(|row| &self.cells[*row].data);
        let mut known = data.filter(|data| !data.is_null()).peekable();
        known.peek().is_some() && known.all(|data| !data.is_string() && !data.is_boolean())
    }

    /// Returns true if a row has a value.
    pub(super) fn is_known(&self, rows: &[usize]) -> bool {
        rows.iter().any(|row| !self.cells[*row].data.is_null() || self.cells[*row].text != NA)
    }
}

impl Table {
    /// Returns title, headings and rows as aligned lines. A table of groups has a block for each,
    /// with the group as its title.
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

    /// Returns some rows as aligned lines below a title and the headings. Numbers stand at the
    /// right of their column, texts at the left. Columns without a value are left out.
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
}
