//! Formats the results of `tetrastat exact`.

use serde::Serialize;
use serde_json::{Value as Json, json as object};

use crate::exact::{Deviation, Goal, SmallGame, Solution};
use crate::search::Search;
use crate::text::numbers::thousands;
use crate::text::table::{ReportTable, csv_number};

/// Settings that all rows of a report share.
pub(crate) struct Heading<'a> {
    pub(crate) game: &'a SmallGame,
    pub(crate) search: Search,
}

/// Result of one player.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) player: String,
    pub(crate) states: usize,
    /// Exact solution; `None` if games may never end.
    pub(crate) solution: Option<Solution>,
    /// Mean lines or pieces as a fraction of the optimal player's mean.
    pub(crate) of_optimal: Option<f64>,
    pub(crate) check: Option<Deviation>,
    pub(crate) survival: Option<Vec<f64>>,
}

impl Row {
    /// Sets `of_optimal` to this player's mean divided by that of the optimal player, whose
    /// solution is `best`. `goal` selects the mean lines or the mean pieces.
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

/// Formats the results as text: a table with one row per player, and the survival probabilities.
pub(crate) fn text(heading: &Heading, rows: &[Row]) -> String {
    let fields = heading.fields();
    let fields = fields.iter().map(|(name, value)| format!("{name} {value}"));
    let mut text = fields.collect::<Vec<_>>().join(", ") + "\n\n";
    let compared = rows.iter().any(|row| row.of_optimal.is_some());
    let checked = rows.iter().any(|row| row.check.is_some());
    let solved = |show: fn(&Solution) -> String| {
        move |row: &Row| row.solution.as_ref().map(show).unwrap_or_default()
    };
    let check = |show: fn(&Deviation) -> String| {
        move |row: &Row| row.check.as_ref().map(show).unwrap_or_default()
    };
    let mut table = ReportTable::new(rows)
        .left("player", 18, |row| row.player.clone())
        .right("states", 12, |row| thousands(row.states as u64))
        .right("mean lines", 14, solved(|found| format!("{:.8}", found.lines.mean)))
        .right("SD", 12, solved(|found| format!("{:.6}", found.lines.sd)))
        .right("mean pieces", 14, solved(|found| format!("{:.8}", found.pieces.mean)))
        .right("SD", 12, solved(|found| format!("{:.6}", found.pieces.sd)))
        .right("residual", 9, solved(|found| format!("{:.1e}", found.residual)));
    if compared {
        let percent = |part: f64| format!("{:.2} %", 100.0 * part);
        table = table
            .right("of optimal", 11, move |row| row.of_optimal.map(percent).unwrap_or_default());
    }
    if checked {
        table = table
            .right("games", 11, check(|check| thousands(check.games)))
            .right("z lines", 8, check(|check| format!("{:.2}", check.z_lines)))
            .right("z pieces", 9, check(|check| format!("{:.2}", check.z_pieces)));
    }
    let endless = "  a game may never end: there is no finite mean";
    text += &table.text_with(|row| match (row.solution, row.check) {
        (None, _) => Some((2, endless.to_owned())),
        (Some(_), None) => Some((7 + usize::from(compared), String::new())),
        _ => None,
    });
    if compared && heading.search == Search::Next {
        text.push_str("\nThe optimal player does not know the next piece.\n");
    }
    write_survival(&mut text, rows);
    text
}

/// Writes the table of survival probabilities: for each number of pieces up to 10, then for each
/// tenth number up to 100, and so on.
fn write_survival(text: &mut String, rows: &[Row]) {
    let told: Vec<(&str, &Vec<f64>)> =
        rows.iter().filter_map(|row| Some((row.player.as_str(), row.survival.as_ref()?))).collect();
    let Some(longest) = told.iter().map(|(_, survival)| survival.len()).max() else { return };
    let shown = |pieces: &usize| pieces.is_multiple_of(10usize.pow(pieces.max(&1).ilog10()));
    let pieces: Vec<usize> = (0..longest).filter(shown).collect();
    let table = ReportTable::new(&pieces).left("pieces", 10, |pieces| *pieces);
    let table = told.into_iter().fold(table, |table, (player, survival)| {
        table.right(player, 18, |pieces: &usize| format!("{:.12}", survival[*pieces]))
    });
    *text += &format!("\nprobability that the game continues\n{}", table.text());
}

/// Returns the results as one JSON object.
pub(crate) fn json(heading: &Heading, rows: &[Row]) -> Json {
    let mut fields: serde_json::Map<String, Json> =
        heading.fields().into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
    fields.insert("players".to_owned(), object!(rows));
    Json::Object(fields)
}

/// Formats the results as CSV with one row per player; `NA` marks a missing value.
pub(crate) fn csv(heading: &Heading, rows: &[Row]) -> csv::Result<String> {
    let solved =
        |value: fn(&Solution) -> f64| move |row: &Row| csv_number(row.solution.as_ref().map(value));
    let check =
        |value: fn(&Deviation) -> f64| move |row: &Row| csv_number(row.check.as_ref().map(value));
    let shared = heading.fields().into_iter();
    let table = shared.fold(ReportTable::new(rows), |table, (name, value)| {
        table.plain(name, move |_| value.clone())
    });
    table
        .plain("player", |row| row.player.clone())
        .plain("states", |row| row.states)
        .plain("lines_mean", solved(|solution| solution.lines.mean))
        .plain("lines_sd", solved(|solution| solution.lines.sd))
        .plain("pieces_mean", solved(|solution| solution.pieces.mean))
        .plain("pieces_sd", solved(|solution| solution.pieces.sd))
        .plain("residual", solved(|solution| solution.residual))
        .plain("error_lines", solved(|solution| solution.error_lines))
        .plain("of_optimal", |row| csv_number(row.of_optimal))
        .plain("games", check(|check| check.games as f64))
        .plain("z_lines", check(|check| check.z_lines))
        .plain("z_pieces", check(|check| check.z_pieces))
        .csv()
}

/// Formats the survival probabilities as CSV with one row per player and number of pieces.
pub(crate) fn survival_csv(rows: &[Row]) -> csv::Result<String> {
    let points = rows.iter().flat_map(|row| {
        let survival = row.survival.iter().flatten().enumerate();
        survival.map(|(pieces, probability)| (&row.player, pieces, *probability))
    });
    ReportTable::new(&points.collect::<Vec<_>>())
        .plain("player", |(player, ..)| player.to_string())
        .plain("pieces", |(_, pieces, _)| *pieces)
        .plain("survival", |(_, _, probability)| *probability)
        .csv()
}
