//! Formats contrasts between conditions: text, JSON or one tidy table.

use std::fmt::Write;

use serde_json::json;

use crate::cli::console::Console;
use crate::cli::console::output::TableFormat;
use crate::cli::reports::compare::{MIN_NAME_WIDTH, ends, percent, rows_csv, with_interval};
use crate::record::{
    CellMean, Column, ContrastRow, Field, Rows, columns, contrast_fields, rows_of,
};
use crate::stats::{Contrast, Interval};
use crate::text::numbers::{number, p_value, significant, thousands};
use crate::text::table::{ReportTable, or_na};

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
            .right("method", 8, |row| row.method.to_owned())
            .right("n", 9, |row| thousands(row.observations as u64))
            .right("mean", 14, |row| or_na(row.mean.map(number)))
            .right("95 % interval", 32, |row| {
                or_na(row.interval.map(|interval| ends(interval, number)))
            })
            .text();
        let has_others = self.rows.iter().any(|row| !row.within.is_empty());
        // The test for non-inferiority is about the first value, which must stay the first.
        let shown = |row: &ContrastRow| match self.not_worse {
            None => larger_over_smaller(row),
            Some(_) => (
                row.levels.clone(),
                row.found.map(|found| found.ratio),
                row.found.map(|found| found.interval),
            ),
        };
        let mut contrasts = ReportTable::new(self.rows)
            .fitted("contrast", MIN_NAME_WIDTH, |row| row.contrast.clone())
            .fitted("compared", MIN_NAME_WIDTH, |row| shown(row).0);
        if has_others {
            contrasts = contrasts.fitted("within", MIN_NAME_WIDTH, |row| row.within.clone());
        }
        contrasts = contrasts
            .right("ratio (95 %)", 28, |row| {
                let (_, ratio, interval) = shown(row);
                with_interval(ratio, interval, significant)
            })
            .right("p", 8, |row| or_na(row.found.map(|found| p_value(found.p))))
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

/// Returns the compared values, the ratio and its interval. A ratio below 1 is inverted, and the
/// compared values of the first factor are exchanged: `next / greedy` for `greedy / next`.
fn larger_over_smaller(row: &ContrastRow) -> (String, Option<f64>, Option<Interval>) {
    let Some(Contrast { ratio, interval, .. }) = row.found else {
        return (row.levels.clone(), None, None);
    };
    let (first, others) = match row.levels.split_once(", ") {
        Some((first, others)) => (first, format!(", {others}")),
        None => (&*row.levels, String::new()),
    };
    match first.split_once(" / ") {
        Some((one, other)) if ratio > 0.0 && ratio < 1.0 => {
            let low = interval.high.map_or(0.0, |high| 1.0 / high);
            let high = Some(1.0 / interval.low).filter(|high| high.is_finite());
            let levels = format!("{other} / {one}{others}");
            (levels, Some(1.0 / ratio), Some(Interval { low, high }))
        }
        _ => (row.levels.clone(), Some(ratio), Some(interval)),
    }
}
