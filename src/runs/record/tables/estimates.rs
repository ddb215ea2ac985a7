//! Tables of an estimate: levels, replications, and heights of the stack.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Result;
use crate::record::folder::verify::as_error;
use crate::record::formats::csv::read_rows;
use crate::record::tables::field::put_table;
use crate::record::tables::means::mean_columns;
use crate::record::tables::table::table;
use crate::record::{
    Kind, Progress, RunFolder, first_problem, kind_of, no_known_folder, read_manifest,
};
use crate::stats::{Mean, Method};

table! {
    pub(crate) fn level_fields() of row;

    /// Row of `levels`: one level of a splitting estimate.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct LevelRow {
        /// Number of the splitting level; 0 is the region below the first level.
        pub level: usize => count;
        /// Smallest importance that belongs to the level; 0 for level 0.
        pub threshold: usize => count;
        /// Number of paths that one path becomes when it rises to the level; 1 for level 0.
        pub factor: u32 => count, "paths";
        /// Weight of a path in the level: 1 / number of paths that the main path has become there.
        pub weight: f64 => real;
        /// Number of rises to the level in the simulation, without weights; 0 for level 0.
        pub rises: u64 => count;
        /// Number of rises to the level by weight, per piece of the main paths. Level 0 counts the
        /// pieces of the main paths instead of rises.
        pub rises_per_piece: f64 => real, "1 / piece";
        /// Ratio of rises to the next level to rises to the level, by weight. The last level has
        /// deaths as numerator; level 0 has pieces of the main paths as denominator.
        pub onward: Option<f64> => real, missing "no path rose to the level";
        /// Number of pieces that all paths placed in the level.
        pub pieces: u64 => count, "pieces";
        /// Number of deaths in the level in the simulation, without weights.
        pub deaths: u64 => count;
    }
}

table! {
    pub(crate) fn replication_fields() of row;

    /// Row of `replications`: one independent run of the splitting estimator.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct ReplicationRow {
        /// Index of the replication, from 0.
        pub replication: u64 => count;
        /// Number of pieces of the main path, without the burn-in.
        pub main_pieces: u64 => count, "pieces";
        /// Number of lines of the main path, without the burn-in.
        pub lines: u64 => count, "rows";
        /// Number of deaths of the main path, without the burn-in.
        pub main_deaths: u64 => count;
        /// Number of pieces of all paths, without the burn-in.
        pub pieces: u64 => count, "pieces";
        /// Number of deaths of all paths in the simulation, without weights.
        pub deaths: u64 => count;
        /// Number of deaths of all paths by weight: each death counts the weight of its level.
        pub weighted_deaths: f64 => real;
        /// Number of excursions of the main path to the first level or above in which the main path
        /// or one of its branches died.
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
        /// Number of placements of the main paths that left a stack of `height`.
        pub main_placements: u64 => count, "placements";
        /// Share of the main paths' placements that left a stack of `height`, 0 to 1.
        pub main_share: f64 => real;
        /// Share of all paths' placements, by weight, that left a stack of `height`, 0 to 1.
        pub weighted_share: f64 => real;
        /// Share of placements at `height` according to the line that Fahey's extrapolation fits to
        /// the logarithms of the shares.
        pub fahey_share: Option<f64> => real, missing "no line could be fitted";
    }
}

/// Reads the configuration of the estimate in `folder`, and the lines and the weighted deaths of
/// each of its replications.
///
/// # Errors
/// [`crate::error::Error::Config`] if the folder has no complete estimate or a damaged one,
/// [`crate::error::Error::Io`] if it can't be read.
pub fn read_replications(folder: &Path) -> Result<(Value, Vec<[f64; 2]>)> {
    /// Columns of `replications.csv` that an estimate's mean needs.
    #[derive(Deserialize)]
    struct Deaths {
        lines: f64,
        weighted_deaths: f64,
    }
    if kind_of(folder)? != Some(Kind::Estimate) {
        return Err(no_known_folder(folder));
    }
    if let Some(problem) = first_problem(folder)? {
        return Err(as_error(folder, &problem));
    }
    let mut manifest: Value = read_manifest(&folder.join("run.json"))?;
    let replications = read_rows::<Deaths>(&folder.join("replications.csv"))?;
    let deaths = replications.into_iter().map(|row| [row.lines, row.weighted_deaths]);
    Ok((manifest["config"].take(), deaths.collect()))
}

table! {
    pub(crate) fn estimated_fields() of row;

    /// Row of `estimates`: a condition of a study whose mean lines come from splitting instead of
    /// complete games.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct EstimatedRow {
        /// Number of the condition in its study, from 1.
        pub condition: u64 => count;
        /// Folder of the estimate, inside the study's folder.
        pub folder: String => text;
        /// Progress of the estimate: `pending` has no stored replication, `unfinished` is resumed
        /// with the study, `complete` has met its stop rule.
        pub status: Progress => factor(Progress::NAMES) = row.status as usize;
        /// Name of the controller.
        pub controller: String => text;
        /// Name of the rules.
        pub rules: String => text;
        /// Board size, width x height, in cells.
        pub board: String => text;
        /// Queue that deals the pieces.
        pub queue: String => text;
        /// Search of the controller: its look-ahead.
        pub search: String => text;
        /// Seed of the estimate, as hexadecimal text.
        pub seed: String => text;
        /// Results of a complete estimate.
        #[serde(flatten)]
        pub results: Option<EstimatedMean>;
        /// Number of pieces of all paths.
        pieces: count, "pieces" = row.results.as_ref().map(|found| found.pieces),
            missing INCOMPLETE;
        ..mean_columns("lines of a game that is played to its end", "rows", |row: &EstimatedRow| {
            Some(&row.results.as_ref()?.mean)
        });
        /// Effective sample size: number of equally weighted rises of the stack that end in death
        /// and carry as much information. Below 20, the interval is unreliable.
        effective_excursions: real =
            row.results.as_ref().and_then(|found| found.effective_excursions),
            missing "the estimate is not complete, or no path died";
    }
}

/// Reason for missing results.
const INCOMPLETE: &str = "the estimate is not complete";

/// Results of a complete estimate in a study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedMean {
    /// Estimated mean lines of a game that is played to its end, over independent replications.
    #[serde(flatten)]
    pub mean: Mean,
    /// Number of pieces of all paths.
    pub pieces: u64,
    /// Effective sample size: number of equally weighted rises of the stack that end in death and
    /// carry as much information.
    pub effective_excursions: Option<f64>,
}

impl EstimatedMean {
    /// Reads the results of the splitting estimate from `summary`, the summary of its manifest.
    #[must_use]
    pub fn of(summary: &Value) -> EstimatedMean {
        let splitting = &summary["splitting"];
        let n = summary["replications"].as_u64().unwrap_or_default();
        let unknown = |_| Mean::new(None, None, Method::Splitting, n);
        EstimatedMean {
            mean: Mean::deserialize(splitting).unwrap_or_else(unknown),
            pieces: summary["pieces"].as_u64().unwrap_or_default(),
            effective_excursions: splitting["effective_excursions"].as_f64(),
        }
    }
}

/// Name of the table of a study's conditions whose mean is estimated.
pub const ESTIMATES: &str = "estimates.csv";

/// Writes `estimates.csv` into a study's folder, atomically.
///
/// # Errors
/// [`crate::error::Error::Io`] if it can't be written.
pub fn write_estimates(folder: &RunFolder, rows: &[EstimatedRow]) -> Result<()> {
    put_table(folder, ESTIMATES, &estimated_fields(), rows)
}
