//! Formats contrasts between conditions: text, JSON or one tidy table.

use std::fmt::Write;

use serde_json::json;

use crate::cli::console::Console;
use crate::cli::console::output::TableFormat;
use crate::cli::reports::compare::{MIN_NAME_WIDTH, ends, mean_text, percent, rows_csv};
use crate::record::{
    CellMean, Column, ContrastRow, Field, Rows, columns, contrast_fields, rows_of,
};
use crate::stats::{Mean, Method};
use crate::text::numbers::{number, p_value, significant, thousands};
use crate::text::table::{NA, ReportTable, or_na};

/// Contrasts between conditions, with the means that they compare.
pub(crate) struct ContrastReport<'a> {
    /// Name of the measure, such as `lines`.
    pub(crate) measure: &'a str,
    pub(crate) means: &'a [CellMean],
    pub(crate) rows: &'a [ContrastRow],
    /// Margin of the test for non-inferiority; `None` if it was not requested.
    pub(crate) not_worse: Option<f64>,
}

impl ContrastReport<'_> {
    pub(crate) fn print(&self, console: &Console, format: TableFormat) -> anyhow::Result<()> {
        console.give_table(|| Some(self.table()));
        let json = json!({
            "measure": self.measure,
            "conditions": self.means,
            "contrasts": self.rows,
        });
        let csv = || {
            let (columns, rows) = self.table();
            rows_csv(&columns, &rows)
        };
        format.print(console, || self.text(), json, csv)
    }

    fn text(&self) -> String {
        let means = ReportTable::new(self.means)
            .fitted("condition", MIN_NAME_WIDTH, |row| row.condition.clone())
            .right("method", 9, |row| row.mean.method.map_or(NA, Method::name).to_owned())
            .right("n", 9, |row| thousands(row.mean.n))
            .right("mean", 14, |row| or_na(row.mean.mean.map(number)))
            .right("95 % interval", 32, |row| {
                or_na(row.mean.interval().map(|interval| ends(interval, number)))
            })
            .text();
        let has_others = self.rows.iter().any(|row| !row.within.is_empty());
        // The test for non-inferiority is about the first value, which must stay the first.
        let shown = |row: &ContrastRow| match self.not_worse {
            None => larger_over_smaller(row),
            Some(_) => (row.levels.clone(), row.found.as_ref().map(|found| found.ratio.clone())),
        };
        let mut contrasts = ReportTable::new(self.rows)
            .fitted("contrast", MIN_NAME_WIDTH, |row| row.contrast.clone())
            .fitted("compared", MIN_NAME_WIDTH, |row| shown(row).0);
        if has_others {
            contrasts = contrasts.fitted("within", MIN_NAME_WIDTH, |row| row.within.clone());
        }
        contrasts = contrasts
            .right("ratio (95 %)", 28, |row| {
                or_na(shown(row).1.map(|ratio| mean_text(&ratio, significant)))
            })
            .right("p", 8, |row| or_na(row.found.as_ref().map(|found| p_value(found.p))))
            .right("p (Holm)", 9, |row| or_na(row.p_adjusted.map(p_value)));
        if self.not_worse.is_some() {
            contrasts =
                contrasts.right("p not worse", 12, |row| or_na(row.p_not_worse.map(p_value)));
        }
        let contrasts = contrasts.text();
        let mut text = format!("{} per game\n\n{means}\n{contrasts}", self.measure);
        text.push_str(
            "For `a / b`, the ratio is the mean at a divided by the mean at b. For `a / b, c / d`, \
             it is the ratio a / b at c,\ndivided by the ratio a / b at d. Holm's method adjusts p \
             for the number of rows in this table.\n",
        );
        if let Some(margin) = self.not_worse {
            let _ = writeln!(
                text,
                "p not worse: one-sided p of the hypothesis that the first value is worse by more \
                 than {}, by Holm's method; a small p shows that it is not.",
                percent(margin)
            );
        }
        if self.rows.iter().any(|row| row.found.is_none()) {
            text.push_str(
                "NA: no game of a condition ended, so that its mean is unknown: raise max_pieces, \
                 or use `tetrastat estimate`\n",
            );
        }
        text
    }

    /// Returns the table of contrasts, one row for each.
    fn table(&self) -> (Vec<Column>, Rows) {
        let mut fields = contrast_fields();
        if self.not_worse.is_some() {
            let meaning = "one-sided p-value that the first value is worse by more than the margin";
            let p = |row: &ContrastRow| row.p_not_worse.filter(|value| value.is_finite());
            let field = Field::real("p_not_worse", "-", meaning, p);
            fields.push(field.missing("no game of a condition ended"));
        }
        (columns(&fields), rows_of(&fields, self.rows))
    }
}

/// Returns the compared values and their ratio. A ratio below 1 is inverted, and the compared values
/// of the first factor are exchanged: `next / greedy` for `greedy / next`.
fn larger_over_smaller(row: &ContrastRow) -> (String, Option<Mean>) {
    let Some(found) = &row.found else { return (row.levels.clone(), None) };
    let (ratio, value) = (found.ratio.clone(), found.ratio.mean.unwrap_or_default());
    let (first, others) = match row.levels.split_once(", ") {
        Some((first, others)) => (first, format!(", {others}")),
        None => (&*row.levels, String::new()),
    };
    match first.split_once(" / ") {
        Some((one, other)) if value > 0.0 && value < 1.0 => {
            let low = Some(ratio.high.map_or(0.0, |high| 1.0 / high));
            let high = found.ratio.low.map(|low| 1.0 / low).filter(|high| high.is_finite());
            (
                format!("{other} / {one}{others}"),
                Some(Mean { mean: Some(1.0 / value), low, high, ..ratio }),
            )
        }
        _ => (row.levels.clone(), Some(ratio)),
    }
}
