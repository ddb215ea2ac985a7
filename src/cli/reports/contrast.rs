//! Formats contrasts between conditions: text, JSON or one tidy table.

use crate::cli::reports::compare::percent;
use crate::record::{CellMean, ContrastRow};
use crate::report::{Report, TableOf, Value};
use crate::stats::Mean;
use crate::text::numbers::{number, p_value, significant};

/// Reports contrasts between conditions by `measure`, such as `lines`, with the means that they
/// compare. `not_worse` is the margin of the test for non-inferiority, if it was requested.
pub(crate) fn of_contrasts(
    measure: &str,
    means: &[CellMean],
    rows: &[ContrastRow],
    not_worse: Option<f64>,
) -> Report {
    let mut report = Report::default();
    report.data("measure", measure);
    report.data("conditions", means);
    report.data("contrasts", rows);
    report.text(format!("{measure} per game"));
    report.table(
        TableOf::new("", means)
            .with("condition", |row| &row.condition)
            .mean(|row| Some(&row.mean), |_, mean| number(mean)),
    );
    // The test for non-inferiority is about the first value, which must stay the first.
    let shown = |row: &ContrastRow| match not_worse {
        None => larger_over_smaller(row),
        Some(_) => (row.levels.clone(), row.found.as_ref().map(|found| found.ratio.clone())),
    };
    let within = |row: &ContrastRow| Some(row.within.clone()).filter(|it| !it.is_empty());
    let real = |of: fn(&ContrastRow) -> Option<f64>| {
        move |row: &ContrastRow| Value::real(of(row), p_value)
    };
    report.table(
        TableOf::new("", rows)
            .main()
            .with("contrast", |row| &row.contrast)
            .data("levels", |row| &row.levels)
            .shown("compared", |row| shown(row).0)
            .with("within", within)
            .data("ratio", real(|row| row.found.as_ref()?.ratio.mean))
            .data("low", real(|row| row.found.as_ref()?.ratio.low))
            .data("high", real(|row| row.found.as_ref()?.ratio.high))
            .shown("ratio (95 %)", |row| shown(row).1.map(|it| Value::mean(&it, significant)))
            .data("log_error", real(|row| Some(row.found.as_ref()?.log_error)))
            .data("df", real(|row| Some(row.found.as_ref()?.df)))
            .with("p", real(|row| Some(row.found.as_ref()?.p)))
            .with(("p_adjusted", "p (Holm)"), real(|row| row.p_adjusted))
            .with_if(
                not_worse.is_some(),
                ("p_not_worse", "p not worse"),
                real(|row| row.p_not_worse),
            ),
    );
    report.text(
        "For `a / b`, the ratio is the mean at a divided by the mean at b. For `a / b, c / d`, \
         it is the ratio a / b at c,\ndivided by the ratio a / b at d. Holm's method adjusts p \
         for the number of rows in this table.",
    );
    if let Some(margin) = not_worse {
        report.text(format!(
            "p not worse: one-sided p of the hypothesis that the first value is worse by more \
             than {}, by Holm's method; a small p shows that it is not.",
            percent(margin)
        ));
    }
    if rows.iter().any(|row| row.found.is_none()) {
        report.text(
            "NA: no game of a condition ended, so that its mean is unknown: raise max_pieces, \
             or use `tetrastat estimate`",
        );
    }
    report
}

/// Returns the compared values and their ratio. A ratio below 1 is inverted, and the compared
/// values of the first factor are exchanged: `next / greedy` for `greedy / next`.
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
