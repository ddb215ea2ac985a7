//! Tables of an estimate: levels, replications, and heights of the stack.

use serde::Serialize;
use serde_json::{Value, json};

use crate::error::Result;
use crate::record::tables::field::{Field, columns, put_table};
use crate::record::tables::table::table;
use crate::record::{FileEntry, RunFolder, write_manifest};

table! {
    pub(crate) fn level_fields() of row;

    /// Row of `levels`: one level of a splitting estimate.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct LevelRow {
        /// 0 for what lies below the first level.
        pub level: usize => count;
        /// Least importance of the level.
        pub threshold: usize => count;
        /// Paths that one becomes on rising to it.
        pub factor: u32 => count, "paths";
        /// Weight of its paths.
        pub weight: f64 => real;
        /// Rises to it, as simulated.
        pub rises: u64 => count;
        /// Rises to it by weight, per piece of the main paths.
        pub rises_per_piece: f64 => real, "1 / piece";
        /// Rises to the next level, or deaths in the last, per rise to this one.
        pub onward: Option<f64> => real, missing "no path rose to it";
        /// Pieces placed in it.
        pub pieces: u64 => count, "pieces";
        /// Deaths in it, as simulated.
        pub deaths: u64 => count;
    }
}

table! {
    pub(crate) fn replication_fields() of row;

    /// Row of `replications`.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct ReplicationRow {
        /// 0-based.
        pub replication: usize => count;
        /// Pieces of the main path.
        pub main_pieces: u64 => count, "pieces";
        /// Lines of the main path.
        pub lines: u64 => count, "rows";
        /// Deaths of the main path.
        pub main_deaths: u64 => count;
        /// Pieces of all paths.
        pub pieces: u64 => count, "pieces";
        /// Deaths of all paths, as simulated.
        pub deaths: u64 => count;
        /// Deaths of all paths, by weight.
        pub weighted_deaths: f64 => real;
        /// Excursions of the main path above the first level in which a path died.
        pub deadly_excursions: u64 => count;
    }
}

table! {
    pub(crate) fn height_fields() of row;

    /// Row of `heights`: frequency of one stack height after a placement.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct HeightRow {
        /// Height of the stack after a placement.
        pub height: usize => count, "rows";
        /// Placements of the main paths that left it.
        pub main_placements: u64 => count, "placements";
        /// Their share of the main paths' placements.
        pub main_share: f64 => real;
        /// The share of all paths' placements, by weight.
        pub weighted_share: f64 => real;
        /// The share by the line that Fahey's extrapolation fits.
        pub fahey_share: Option<f64> => real, missing "no line could be fitted";
    }
}

/// Files that an estimate writes while it runs.
pub(crate) const ESTIMATE_COURSE: [&str; 2] = ["plan.json", "replications.jsonl"];

/// Writes `levels.csv`, `replications.csv` and `heights.csv` into a folder that already holds
/// `ESTIMATE_COURSE`. Then writes `report` as `estimate.json`, with size, rows and SHA-256 of the
/// five other files and a checksum of itself.
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
