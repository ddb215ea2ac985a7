//! The tables of a study: one row per condition, and the games of all conditions as one table.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use serde::Serialize;

use super::csv;
use super::data_package::study_package;
use super::field::{Field, columns, condition_field, put_table};
use super::games::games_fields;
use super::manifest::write_json;
use super::schema::CONDITION;
use super::{Column, ConfigEntry, FileEntry, RunFolder};
use crate::controller::TIE_NAMES;
use crate::error::{Error, Result};

/// When results are missing.
const NOT_COMPLETE: &str = "the condition is not complete";
/// When ends of intervals are missing.
const NO_INTERVAL: &str =
    "the condition is not complete, or its queue deals every game the same pieces";

/// How far a condition has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Nothing of it is kept.
    Pending,
    /// It was killed, interrupted or failed, and goes on when the study does.
    Unfinished,
    /// All its games were played.
    Complete,
}

impl Progress {
    /// All, in the order of the code book's levels.
    pub const ALL: [Progress; 3] = [Progress::Pending, Progress::Unfinished, Progress::Complete];

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Progress::Pending => "pending",
            Progress::Unfinished => "unfinished",
            Progress::Complete => "complete",
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What the games of a complete condition say. Counts are of games, pieces and lines; the rest is
/// lines per game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Results {
    /// Games played.
    pub games: u64,
    /// Games that came to their end.
    pub ended: u64,
    /// Games cut off by a limit.
    pub censored: u64,
    /// Pieces of all games.
    pub pieces: u64,
    /// Lines of all games.
    pub lines: u64,
    /// Estimated mean of a finished game: all lines / games that ended.
    pub mean: Option<f64>,
    /// Ends of its 95 % interval for exponential lifetimes.
    pub exponential: (Option<f64>, Option<f64>),
    /// Ends of its 95 % interval by bootstrap-t.
    pub bootstrap: (Option<f64>, Option<f64>),
    /// Standard deviation as observed.
    pub sd: Option<f64>,
    /// Median as observed.
    pub median: f64,
    /// Least of a game.
    pub min: u64,
    /// Most of a game.
    pub max: u64,
}

/// One condition of a study.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionRow {
    /// Its number, from 1.
    pub condition: u64,
    /// The folder of its run, in the study's.
    pub folder: String,
    /// How far it has come.
    pub status: Progress,
    /// What is played.
    pub config: ConfigEntry,
    /// What came out, once it is complete.
    pub results: Option<Results>,
}

/// Writes `conditions.csv` into a study's folder, so that there is always a whole one.
///
/// # Errors
/// [`Error::Io`] when it can't be written.
pub fn write_conditions(folder: &RunFolder, rows: &[ConditionRow]) -> Result<()> {
    put_table(folder, "conditions.csv", &condition_fields(), rows)
}

/// Writes `games.csv` into a study's folder: the games of its conditions, one after the other, each
/// row behind the number of its condition.
///
/// # Errors
/// [`Error::Io`] when a condition's games can't be read or the table can't be written.
pub fn write_games(folder: &RunFolder, rows: &[ConditionRow]) -> Result<()> {
    const NAME: &str = "games.csv";
    let path = folder.partial(NAME);
    let writing = |e| Error::io("writing", &path, e);
    let mut out = BufWriter::new(File::create(&path).map_err(writing)?);
    write!(out, "{CONDITION},").map_err(writing)?;
    out.write_all(&csv::header(&columns(&games_fields()))).map_err(writing)?;
    for ConditionRow { condition, folder: run, .. } in rows {
        let games = folder.path().join(run).join(NAME);
        let reading = |e| Error::io("reading", &games, e);
        let lines = BufReader::new(File::open(&games).map_err(reading)?).lines();
        for line in lines.skip(1) {
            writeln!(out, "{condition},{}", line.map_err(reading)?).map_err(writing)?;
        }
    }
    let file = out.into_inner().map_err(|e| writing(e.into_error()))?;
    file.sync_all().map_err(writing)?;
    folder.finish(NAME).map(|_| ())
}

/// The tables of a study, with their columns.
pub(super) fn study_tables() -> [(&'static str, Vec<Column>); 2] {
    let conditions = columns(&condition_fields());
    let games = columns(&games_fields());
    let games = [conditions[..1].to_vec(), games].concat();
    [("conditions.csv", conditions), ("games.csv", games)]
}

/// Writes `datapackage.json` into the folder of a study that is complete.
///
/// # Errors
/// [`Error::Io`] when a table can't be read or the file can't be written.
pub fn describe_study(folder: &RunFolder, rows: &[ConditionRow]) -> Result<()> {
    let tables = study_tables();
    let entry =
        |(name, columns): &(&str, Vec<Column>)| FileEntry::of(&folder.path().join(name), columns);
    let entries = tables.iter().map(entry).collect::<Result<Vec<_>>>()?;
    let described: Vec<_> =
        entries.iter().zip(tables.iter().map(|(_, columns)| &**columns)).collect();
    write_json(folder, "datapackage.json", &study_package(rows, &described)).map(|_| ())
}

/// The columns of `conditions`.
pub(super) fn condition_fields() -> Vec<Field<ConditionRow>> {
    let place = |row: &ConditionRow| Progress::ALL.iter().position(|&known| known == row.status);
    let mut fields = vec![
        condition_field(|row: &ConditionRow| row.condition),
        text("folder", "folder of its run, in the study's", |row| Some(&row.folder)),
        Field::factor("status", "how far it has come", Progress::ALL, place),
    ];
    fields.extend(config_fields());
    fields.extend(result_fields());
    fields
}

fn config_fields() -> Vec<Field<ConditionRow>> {
    type Row = ConditionRow;
    let tie = |row: &Row| row.config.controller.tie as usize;
    let limit = |name, unit, meaning, value: fn(&Row) -> Option<u64>| {
        Field::count(name, unit, meaning, value).missing("there is no such limit")
    };
    vec![
        text("controller", "name of the controller", |row| Some(&row.config.controller.name)),
        Field::factor("tie", "which of several best placements is played", TIE_NAMES, tie),
        text("rules", "name of the rules", |row| Some(&row.config.rules)),
        text("reach", "which columns a piece reaches at its spawn row", |row| {
            row.config.reach.as_ref()
        })
        .missing("the rules are simplified: every column is reached"),
        Field::logical(
            "clear_on_overflow",
            "-",
            "whether a piece that rests above the top row still removes full rows",
            |row: &Row| row.config.clear_on_overflow,
        ),
        text("board", "width x height", |row| Some(&row.config.board)),
        text("start", "board that every game starts from", |row| row.config.start.as_ref())
            .missing("it is empty"),
        text("queue", "who deals; a script with its pieces", |row| Some(&row.config.queue)),
        text("search", "how far the controller looks ahead", |row| Some(&row.config.search)),
        text("seed", "seed of the run, as hexadecimal text", |row| Some(&row.config.seed)),
        limit("max_pieces", "pieces", "pieces after which a game is cut off", |row| {
            row.config.max_pieces
        }),
        limit("max_lines", "rows", "lines at which a game is cut off", |row| row.config.max_lines),
    ]
}

fn result_fields() -> Vec<Field<ConditionRow>> {
    let exponential = "95 % interval of the mean for exponential lifetimes";
    let bootstrap = "95 % interval of the mean by bootstrap-t over games";
    let interval = |name: &str, of: &str, end: &str, value: fn(&Results) -> Option<f64>| {
        real(name, format!("{end} end of the {of}"), NO_INTERVAL, value)
    };
    let open = "as mean_low, or no game ended: there is no upper end";
    let few = "as mean_low, or fewer than 10 games ended";
    vec![
        count("games", "games", "games played", |results| results.games),
        count("ended", "games", "games that came to their end", |results| results.ended),
        count("censored", "games", "games cut off by a limit", |results| results.censored),
        count("pieces", "pieces", "pieces of all games", |results| results.pieces),
        count("lines", "rows", "lines of all games", |results| results.lines),
        real(
            "mean",
            "estimated mean lines of a finished game: all lines / games that ended",
            "the condition is not complete, or no game ended",
            |results| results.mean,
        ),
        interval("mean_low", exponential, "lower", |results| results.exponential.0),
        interval("mean_high", exponential, "upper", |results| results.exponential.1).missing(open),
        interval("bootstrap_low", bootstrap, "lower", |results| results.bootstrap.0).missing(few),
        interval("bootstrap_high", bootstrap, "upper", |results| results.bootstrap.1).missing(few),
        real(
            "sd",
            "standard deviation of the lines as observed",
            "the condition is not complete, or has one game",
            |results| results.sd,
        ),
        real("median", "median of the lines as observed", NOT_COMPLETE, |r| Some(r.median)),
        count("min", "rows", "least lines of a game", |results| results.min),
        count("max", "rows", "most lines of a game", |results| results.max),
    ]
}

/// Text, which may be missing.
fn text(
    name: &str,
    meaning: &str,
    value: fn(&ConditionRow) -> Option<&String>,
) -> Field<ConditionRow> {
    Field::text(name, meaning, move |row: &ConditionRow, text| {
        text.extend_from_slice(value(row).map_or(&[], |value| value.as_bytes()));
    })
}

/// A count of a complete condition.
fn count(
    name: &str,
    unit: &'static str,
    meaning: &str,
    value: fn(&Results) -> u64,
) -> Field<ConditionRow> {
    let value = move |row: &ConditionRow| row.results.as_ref().map(value);
    Field::count(name, unit, meaning, value).missing(NOT_COMPLETE)
}

/// Lines per game, of a complete condition.
fn real(
    name: &str,
    meaning: impl Into<String>,
    missing: &'static str,
    value: fn(&Results) -> Option<f64>,
) -> Field<ConditionRow> {
    let value = move |row: &ConditionRow| row.results.as_ref().and_then(value);
    Field::real(name, "rows", meaning, value).missing(missing)
}
