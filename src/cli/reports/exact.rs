//! What `tetrastat exact` prints.

use std::fmt::Write;

use anyhow::Context;
use serde::Serialize;
use serde_json::{Value as Json, json as object};

use crate::cli::console::output::thousands;
use crate::exact::{Deviation, Goal, SmallGame, Solution};
use crate::search::Search;

/// What all rows share.
pub(crate) struct Heading<'a> {
    pub(crate) game: &'a SmallGame,
    pub(crate) search: Search,
}

/// One player.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) player: String,
    pub(crate) states: usize,
    /// `None` when games may go on for ever.
    pub(crate) solution: Option<Solution>,
    /// Mean lines or pieces as a part of the best player's.
    pub(crate) of_optimal: Option<f64>,
    pub(crate) check: Option<Deviation>,
    pub(crate) survival: Option<Vec<f64>>,
}

impl Row {
    /// Fills in the part of the best player's mean.
    pub(crate) fn compare(&mut self, goal: Goal, best: Option<&Solution>) {
        let mean = |solution: &Solution| match goal {
            Goal::Lines => solution.lines.mean,
            Goal::Pieces => solution.pieces.mean,
        };
        let part = |(own, best): (&Solution, &Solution)| mean(own) / mean(best);
        self.of_optimal = self.solution.as_ref().zip(best).map(part);
    }
}

impl Heading<'_> {
    fn fields(&self) -> [(&'static str, String); 4] {
        [
            ("board", self.game.start.size().to_string()),
            ("rules", self.game.rules.to_string()),
            ("queue", self.game.queue.describe()),
            ("search", self.search.to_string()),
        ]
    }
}

/// The table for eyes.
pub(crate) fn text(heading: &Heading, rows: &[Row]) -> String {
    let fields = heading.fields();
    let fields = fields.iter().map(|(name, value)| format!("{name} {value}"));
    let mut text = fields.collect::<Vec<_>>().join(", ") + "\n\n";
    let compared = rows.iter().any(|row| row.of_optimal.is_some());
    let checked = rows.iter().any(|row| row.check.is_some());
    let _ = write!(
        text,
        "{:18} {:>12} {:>14} {:>12} {:>14} {:>12} {:>9}",
        "player", "states", "mean lines", "SD", "mean pieces", "SD", "residual"
    );
    text.push_str(if compared { "  of optimal" } else { "" });
    text.push_str(if checked { "       games  z lines  z pieces" } else { "" });
    text.push('\n');
    for row in rows {
        write_row(&mut text, row, compared);
    }
    if compared && heading.search == Search::Next {
        text.push_str("\nThe optimal player does not know the next piece.\n");
    }
    write_survival(&mut text, rows);
    text
}

fn write_row(text: &mut String, row: &Row, compared: bool) {
    let _ = write!(text, "{:18} {:>12}", row.player, thousands(row.states as u64));
    let Some(Solution { lines, pieces, residual, .. }) = &row.solution else {
        text.push_str("  a game may go on for ever: there is no finite mean\n");
        return;
    };
    let _ = write!(
        text,
        " {:>14.8} {:>12.6} {:>14.8} {:>12.6} {residual:>9.1e}",
        lines.mean, lines.sd, pieces.mean, pieces.sd
    );
    match row.of_optimal {
        Some(part) => {
            let _ = write!(text, "  {:>8.2} %", 100.0 * part);
        }
        None if compared => text.push_str("           "),
        None => {}
    }
    if let Some(check) = &row.check {
        let _ = write!(
            text,
            "  {:>10} {:>8.2} {:>9.2}",
            thousands(check.games),
            check.z_lines,
            check.z_pieces
        );
    }
    text.push('\n');
}

/// Every probability up to 10 pieces, then every tenth, and so on.
fn write_survival(text: &mut String, rows: &[Row]) {
    let told: Vec<(&str, &Vec<f64>)> =
        rows.iter().filter_map(|row| Some((row.player.as_str(), row.survival.as_ref()?))).collect();
    let Some(longest) = told.iter().map(|(_, survival)| survival.len()).max() else { return };
    text.push_str("\nprobability that the game goes on\npieces    ");
    for (player, _) in &told {
        let _ = write!(text, " {player:>18}");
    }
    let shown = |pieces: &usize| pieces.is_multiple_of(10usize.pow(pieces.max(&1).ilog10()));
    for pieces in (0..longest).filter(shown) {
        let _ = write!(text, "\n{pieces:<10}");
        for (_, survival) in &told {
            let _ = write!(text, " {:>18.12}", survival[pieces]);
        }
    }
    text.push('\n');
}

/// One object.
pub(crate) fn json(heading: &Heading, rows: &[Row]) -> Json {
    let mut fields: serde_json::Map<String, Json> =
        heading.fields().into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    fields.insert("players".to_owned(), object!(rows));
    Json::Object(fields)
}

/// One line per player; `NA` where there is no value.
pub(crate) fn csv(heading: &Heading, rows: &[Row]) -> anyhow::Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let fields = heading.fields();
    let own = [
        "player",
        "states",
        "lines_mean",
        "lines_sd",
        "pieces_mean",
        "pieces_sd",
        "residual",
        "error_lines",
        "of_optimal",
        "games",
        "z_lines",
        "z_pieces",
    ];
    csv.write_record(fields.iter().map(|(name, _)| *name).chain(own))?;
    let real = |value: Option<f64>| value.map_or("NA".to_owned(), |value| value.to_string());
    for row in rows {
        let solution = row.solution.as_ref();
        let exact = |of: fn(&Solution) -> f64| real(solution.map(of));
        let check = row.check.as_ref();
        let values = [
            row.player.clone(),
            row.states.to_string(),
            exact(|solution| solution.lines.mean),
            exact(|solution| solution.lines.sd),
            exact(|solution| solution.pieces.mean),
            exact(|solution| solution.pieces.sd),
            exact(|solution| solution.residual),
            exact(|solution| solution.error_lines),
            real(row.of_optimal),
            check.map_or("NA".to_owned(), |check| check.games.to_string()),
            real(check.map(|check| check.z_lines)),
            real(check.map(|check| check.z_pieces)),
        ];
        let shared = fields.iter().map(|(_, value)| value);
        csv.write_record(shared.chain(&values))?;
    }
    finished(csv)
}

/// One line per player and number of pieces.
pub(crate) fn survival_csv(rows: &[Row]) -> anyhow::Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(["player", "pieces", "survival"])?;
    for row in rows {
        for (pieces, probability) in row.survival.iter().flatten().enumerate() {
            csv.write_record([&row.player, &pieces.to_string(), &probability.to_string()])?;
        }
    }
    finished(csv)
}

fn finished(csv: csv::Writer<Vec<u8>>) -> anyhow::Result<String> {
    String::from_utf8(csv.into_inner()?).context("a name that is not UTF-8")
}
