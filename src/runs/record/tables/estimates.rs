//! The tables of an estimate: levels, replications, and heights of the stack.

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Result;
use crate::record::FileEntry;
use crate::record::RunFolder;
use crate::record::tables::field::{Field, columns, put_table};
use crate::record::write_manifest;

/// One level of a splitting estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelRow {
    /// 0 for what lies below the first level.
    pub level: usize,
    /// Least importance of the level.
    pub threshold: usize,
    /// Paths that one becomes on rising to it.
    pub factor: u32,
    /// Weight of its paths.
    pub weight: f64,
    /// Rises to it, as simulated.
    pub rises: u64,
    /// Rises to it per piece, by weight.
    pub rises_per_piece: f64,
    /// Rises to the next level, or deaths in the last, per rise to this one; none where none rose.
    pub onward: Option<f64>,
    /// Pieces placed in it.
    pub pieces: u64,
    /// Deaths in it, as simulated.
    pub deaths: u64,
}

/// One replication.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReplicationRow {
    /// 0-based.
    pub replication: usize,
    /// Pieces of the main path.
    pub main_pieces: u64,
    /// Its lines.
    pub lines: u64,
    /// Its deaths.
    pub main_deaths: u64,
    /// Pieces of all paths.
    pub pieces: u64,
    /// Deaths of all paths, as simulated.
    pub deaths: u64,
    /// Deaths of all paths, by weight.
    pub weighted_deaths: f64,
    /// Excursions of the main path above the first level in which a path died.
    pub deadly_excursions: u64,
}

/// How often the stack had a height after a placement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeightRow {
    /// Height of the stack, in rows.
    pub height: usize,
    /// Placements of the main paths that left it.
    pub main_placements: u64,
    /// Their share.
    pub main_share: f64,
    /// The share by all paths, each with its weight.
    pub weighted_share: f64,
    /// The share by Fahey's line; missing where none could be fitted.
    pub fahey_share: Option<f64>,
}

/// Files that an estimate writes while it runs.
pub(crate) const ESTIMATE_COURSE: [&str; 2] = ["plan.json", "replications.jsonl"];

/// Writes `levels.csv`, `replications.csv` and `heights.csv` into a folder that already holds `ESTIMATE_COURSE`.
/// Then writes `report` as `estimate.json`, with size, rows and SHA-256 of the five other files and a checksum of
/// itself.
///
/// # Errors
/// [`crate::error::Error::Io`] when they can't be written.
pub fn write_estimate(
    folder: &RunFolder,
    levels: &[LevelRow],
    replications: &[ReplicationRow],
    heights: &[HeightRow],
    mut report: Value,
) -> Result<()> {
    let tables = [
        written(folder, "levels.csv", &level_fields(), levels)?,
        written(folder, "replications.csv", &replication_fields(), replications)?,
        written(folder, "heights.csv", &height_fields(), heights)?,
    ];
    let course = ESTIMATE_COURSE.map(|name| FileEntry::of_text(folder.path(), name));
    let course = course.into_iter().collect::<Result<Vec<_>>>()?;
    report["files"] = json!([&course[..], &tables].concat());
    write_manifest(folder, "estimate.json", &report, None)
}

/// Writes a table and returns its entry.
fn written<S>(
    folder: &RunFolder,
    name: &str,
    fields: &[Field<S>],
    rows: &[S],
) -> Result<FileEntry> {
    put_table(folder, name, fields, rows)?;
    FileEntry::of(&folder.path().join(name), &columns(fields))
}

/// A column of counts.
fn count<S: 'static>(
    name: &str,
    unit: &'static str,
    meaning: &str,
    value: fn(&S) -> u64,
) -> Field<S> {
    Field::count(name, unit, meaning, value)
}

/// A column of fractions.
fn real<S: 'static>(
    name: &str,
    unit: &'static str,
    meaning: &str,
    value: fn(&S) -> f64,
) -> Field<S> {
    Field::real(name, unit, meaning, value)
}

/// The columns of `levels`.
pub(crate) fn level_fields() -> Vec<Field<LevelRow>> {
    vec![
        count("level", "-", "0 for what lies below the first level", |row| row.level as u64),
        count("threshold", "-", "least importance of the level", |row| row.threshold as u64),
        count("factor", "paths", "paths that one becomes on rising to it", |row| {
            u64::from(row.factor)
        }),
        real("weight", "-", "weight of its paths", |row| row.weight),
        count("rises", "-", "rises to it, as simulated", |row| row.rises),
        real(
            "rises_per_piece",
            "1 / piece",
            "rises to it by weight, per piece of the main paths",
            |row| row.rises_per_piece,
        ),
        Field::real(
            "onward",
            "-",
            "rises to the next level, or deaths in the last, per rise to this one",
            |row: &LevelRow| row.onward,
        )
        .missing("no path rose to it"),
        count("pieces", "pieces", "pieces placed in it", |row| row.pieces),
        count("deaths", "-", "deaths in it, as simulated", |row| row.deaths),
    ]
}

/// The columns of `replications`.
pub(crate) fn replication_fields() -> Vec<Field<ReplicationRow>> {
    vec![
        count("replication", "-", "0-based", |row| row.replication as u64),
        count("main_pieces", "pieces", "pieces of the main path", |row| row.main_pieces),
        count("lines", "rows", "lines of the main path", |row| row.lines),
        count("main_deaths", "-", "deaths of the main path", |row| row.main_deaths),
        count("pieces", "pieces", "pieces of all paths", |row| row.pieces),
        count("deaths", "-", "deaths of all paths, as simulated", |row| row.deaths),
        real("weighted_deaths", "-", "deaths of all paths, by weight", |row| row.weighted_deaths),
        count(
            "deadly_excursions",
            "-",
            "excursions of the main path above the first level in which a path died",
            |row| row.deadly_excursions,
        ),
    ]
}

/// The columns of `heights`.
pub(crate) fn height_fields() -> Vec<Field<HeightRow>> {
    vec![
        count("height", "rows", "height of the stack after a placement", |row| row.height as u64),
        count(
            "main_placements",
            "placements",
            "placements of the main paths that left it",
            |row| row.main_placements,
        ),
        real("main_share", "-", "their share of the main paths' placements", |row| row.main_share),
        real("weighted_share", "-", "the share of all paths' placements, by weight", |row| {
            row.weighted_share
        }),
        Field::real(
            "fahey_share",
            "-",
            "the share by the line that Fahey's extrapolation fits",
            |row: &HeightRow| row.fahey_share,
        )
        .missing("no line could be fitted"),
    ]
}
