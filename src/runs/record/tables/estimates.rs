//! Tables of estimates (levels, replications, heights of the stack), rollouts and labels, and
//! trainings (generations, candidates, learning reports).
//! Frozen: bytes

use serde_json::Value;

use crate::placement::Placement;
use crate::prelude::*;
use crate::record::folder::verify::as_error;
use crate::record::formats::csv::read_rows;
use crate::record::tables::conditions::mean_columns;
use crate::record::tables::field::{columns, put_table, rows_of};
use crate::record::tables::games::split_field;
use crate::record::tables::table;
use crate::record::{Progress, first_problem, kind_of, read_manifest, unknown_folder_error};
use crate::stats::{Mean, Method};

table! {
    pub(crate) fn level_fields() of row;

    /// Row of the table `levels`: one level, at which a splitting estimate copies a game.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
    pub struct LevelRow {
        /// Number of the splitting level, from 1; 0 stands for boards below level 1.
        pub level: usize => count;
        /// Smallest importance of the level, where importance measures how close a board is to the
        /// game's end; 0 for level 0.
        pub threshold: usize => count;
        /// Number of paths (game and copies) into which a path splits at the level; 1 for level 0.
        pub factor: u32 => count, "paths";
        /// Weight of a game or copy in the level: 1 / product of `factor` up to this level.
        pub weight: f64 => real;
        /// Number of times that a game or copy rose to the level; 0 for level 0.
        pub rises: u64 => count;
        /// Number of rises to the level, each counted with its weight, per piece of the original
        /// games; 1 for level 0.
        pub rises_per_piece: f64 => real, "1 / piece";
        /// Weighted rises to the next level (for the last level: deaths) per weighted rise to this
        /// level (for level 0: per piece).
        pub onward: Option<f64> => real, missing "no path rose to the level";
        /// Number of pieces that games and their copies placed in the level.
        pub pieces: u64 => count, "pieces";
        /// Number of games and copies that ended in the level.
        pub deaths: u64 => count;
    }
}

table! {
    pub(crate) fn replication_fields() of row;

    /// Row of the table `replications`: one of the independent repetitions of a splitting estimate.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub(crate) struct ReplicationRow {
        /// Index of the replication, from 0.
        pub replication: u64 => count;
        /// Number of pieces of the main path (the games, without copies) after the burn-in.
        pub main_pieces: u64 => count, "pieces";
        /// Number of lines of the main path (the games, without copies) after the burn-in.
        pub lines: u64 => count, "rows";
        /// Number of games of the main path (without copies) that ended after the burn-in.
        pub main_deaths: u64 => count;
        /// Number of pieces that the games and all copies placed after the burn-in.
        pub pieces: u64 => count, "pieces";
        /// Number of games and copies that ended after the burn-in.
        pub deaths: u64 => count;
        /// Number of ended games and copies, each counted with the weight of its splitting level.
        pub weighted_deaths: f64 => real;
        /// Number of stretches of an original game above level 0 in which the game or a copy ended.
        /// Ends at level 0 count too.
        pub deadly_excursions: u64 => count;
    }
}

table! {
    pub(crate) fn height_fields() of row;

    /// Row of the table `heights`: the frequency of one stack height in a splitting estimate.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub(crate) struct HeightRow {
        /// Height of the stack after a placement.
        pub height: usize => count, "rows";
        /// Number of placements on the main path (games, no copies) that left a stack of `height`.
        pub main_placements: u64 => count, "placements";
        /// Share of the main path's placements (games, no copies) with a stack of `height`, 0 to 1.
        pub main_share: f64 => real;
        /// Weighted share of all placements, also of copies, that left a stack of `height`, 0 to 1.
        pub weighted_share: f64 => real;
        /// Share of placements that left a stack of `height`, from a straight line fitted to the
        /// logarithms of `main_share` (Fahey's extrapolation).
        pub fahey_share: Option<f64> => real, missing "no line could be fitted";
    }
}

/// Reads the configuration of a splitting estimate, and the lines and weighted deaths of each of
/// its independent runs.
pub fn read_replications(folder: &Path) -> Result<(Value, Vec<[f64; 2]>)> {
    #[derive(Deserialize)]
    struct Deaths {
        lines: f64,
        weighted_deaths: f64,
    }
    if kind_of(folder)? != Some(Kind::Estimate) {
        return Err(unknown_folder_error(folder));
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
        /// Progress of the estimate: `pending` (nothing stored), `unfinished` (can be resumed) or
        /// `complete`.
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
        /// Results of the splitting estimate of the condition; `None` until it is complete.
        #[serde(flatten)]
        pub results: Option<EstimatedMean>;
        /// Number of pieces that games and copies placed after the burn-in, in all replications.
        pieces: count, "pieces" = row.results.as_ref().map(|found| found.pieces),
            missing ESTIMATE_INCOMPLETE;
        ..mean_columns("lines of a game that is played to its end", "rows", |row: &EstimatedRow| {
            Some(&row.results.as_ref()?.mean)
        });
        /// Effective sample size of the deadly excursions (groups of deaths with unequal weights).
        /// Below 20, the interval is unreliable.
        effective_excursions: real =
            row.results.as_ref().and_then(|found| found.effective_excursions),
            missing "the estimate is not complete, or no path died";
    }
}

const ESTIMATE_INCOMPLETE: &str = "the estimate is not complete";

/// Results of a complete splitting estimate for one condition (combination of settings) of a study.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EstimatedMean {
    /// Estimated mean lines of a game played to its end, over independent repetitions.
    #[serde(flatten)]
    pub mean: Mean,
    /// Number of pieces that games and copies placed after the burn-in, in all replications.
    pub pieces: u64,
    /// Effective sample size of the deadly excursions, groups of deaths with unequal weights.
    pub effective_excursions: Option<f64>,
}

impl EstimatedMean {
    /// Reads the results of a splitting estimate from `summary`, an object in `run.json`.
    #[must_use]
    pub fn from_summary(summary: &Value) -> EstimatedMean {
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

/// Name of the table of a study's conditions (combinations of settings) estimated by splitting.
pub const ESTIMATES: &str = "estimates.csv";

/// Writes the conditions of a study that are estimated by splitting into `estimates.csv`.
pub fn write_estimates(folder: &RunFolder, rows: &[EstimatedRow]) -> Result<()> {
    put_table(folder, ESTIMATES, &estimated_fields(), rows)
}

/// Estimated number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// Estimate of the number.
    pub value: f64,
    /// Lower bound of the 95 % interval.
    pub low: f64,
    /// Upper bound of the 95 % interval.
    pub high: f64,
}

table! {
    pub(crate) fn rollout_fields() of row;

    /// Row of `rollouts`: a board and the results of the games continued from it.
    #[derive(Clone, Debug)]
    pub(crate) struct RolloutRow {
        /// Index of the game in the log that the board comes from, from 0.
        pub game: u64 => count;
        /// Number of the placement that left the board, from 1 in its game.
        pub piece_no: u64 => count;
        /// Board from which games are continued, in the format of `board` in `placements`.
        pub board: Board => written = |text| row.board.write_hex(text);
        /// Height of the stack on `board`.
        height: integer, "rows" = row.board.stack_height();
        /// Number of games continued from `board`.
        pub replicates: u64 => count, "games";
        /// Number of games continued from `board` that ended within the horizon, the piece limit of
        /// a continued game.
        pub deaths: u64 => count, "games";
        pub p_death: Estimated;
        ..estimated(
            ["p_death", "p_death_low", "p_death_high"],
            "-",
            "share of the games continued from `board` that end within the horizon \
             (interval: Wilson)",
            |row: &RolloutRow| row.p_death,
        );
        pub lines: Estimated;
        ..estimated(
            ["lines_mean", "lines_low", "lines_high"],
            "rows",
            "mean number of rows removed within the horizon by a game continued from `board` \
             (interval: normal)",
            |row: &RolloutRow| row.lines,
        );
        /// Mean number of pieces placed within the horizon by a game continued from `board`.
        pub pieces_mean: f64 => real, "pieces";
    }
}

table! {
    pub(crate) fn rollout_candidate_fields() of row;

    /// Row of `rollout_candidates`: a candidate placement on a board and the results of the games
    /// continued after it.
    #[derive(Clone, Debug)]
    pub(crate) struct RolloutCandidateRow {
        /// Index of the game in the log that the board comes from, from 0.
        pub game: u64 => count;
        /// Number of the piece to be placed, from 1 in its game.
        pub piece_no: u64 => count;
        pub board: Board;
        pub source: Option<LabelSource>;
        /// Piece to be placed.
        pub piece: Piece => factor(Piece::ALL);
        /// Number of the candidate placement, from 1, ordered by `orientation`, then `column`.
        pub candidate: u64 => count;
        pub placement: Placement;
        /// Number of the piece's rotation, from 0, as drawn under Orientations in data/README.md.
        orientation: integer = row.placement.orientation;
        /// Column of the piece's leftmost cell, from 0.
        column: integer = row.placement.column;
        /// True for the placement that the controller would choose without knowing the next piece.
        pub chosen: bool => logical;
        /// True if the candidate ends the game.
        pub lost: bool => logical;
        /// Score of the candidate under the search of the controller that plays the games.
        pub score: Option<f64> => real,
            missing "the candidate loses, or every placement of the next piece after it loses";
        /// Share of the games after the candidate that end within the horizon, their limit of
        /// pieces.
        pub p_death: f64 => real;
        /// Mean number of rows removed within the horizon (the limit of pieces), including the
        /// candidate's own rows.
        pub lines_mean: f64 => real, "rows";
        pub death_difference: Estimated;
        ..estimated(
            ["death_difference", "death_difference_low", "death_difference_high"],
            "-",
            "`p_death` of the candidate minus `p_death` of the chosen candidate, on equal pieces; \
             below 0 is better (interval: Agresti and Min)",
            |row: &RolloutCandidateRow| row.death_difference,
        );
        pub lines_difference: Estimated;
        ..estimated(
            ["lines_difference", "lines_difference_low", "lines_difference_high"],
            "rows",
            "`lines_mean` of the candidate minus `lines_mean` of the chosen candidate, on equal \
             pieces; above 0 is better (interval: normal)",
            |row: &RolloutCandidateRow| row.lines_difference,
        );
        /// Number of games continued after the candidate.
        pub replicates: u64 => count, "games";
        /// Standard error of `p_death`.
        pub p_death_se: f64 => real;
        /// Standard error of `lines_mean`.
        pub lines_se: f64 => real, "rows";
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelSource {
    pub condition: u64,
    pub stream_seed: u64,
}

table! {
    pub(crate) fn decision_fields() of row: RolloutCandidateRow {
        /// Number of the condition in the data set, from 1.
        condition: count = row.source.map(|source| source.condition);
        ..[split_field(|row: &RolloutCandidateRow| {
            row.source.map_or(0, |source| source.stream_seed)
        })];
        /// Board before the placement, in the format of `board` in `placements`.
        board_before: written = |text| row.board.write_hex(text);
    }
}

pub(crate) fn label_fields() -> Vec<Field<RolloutCandidateRow>> {
    decision_fields().into_iter().chain(rollout_candidate_fields()).collect()
}

/// Name of a data set's table of results of games that were continued after candidate placements.
pub const LABELS: &str = "labels";

pub(crate) struct RolloutEncoder {
    boards: Option<Vec<Field<RolloutRow>>>,
    candidates: Option<Vec<Field<RolloutCandidateRow>>>,
}

pub(crate) const ROLLOUT_TABLES: [&str; 2] = ["rollouts", "rollout_candidates"];

impl RolloutEncoder {
    pub(crate) fn new(candidates: bool) -> RolloutEncoder {
        let candidates = candidates.then(rollout_candidate_fields);
        RolloutEncoder { boards: Some(rollout_fields()), candidates }
    }

    pub(crate) fn labels() -> RolloutEncoder {
        RolloutEncoder { boards: None, candidates: Some(label_fields()) }
    }

    pub(crate) fn columns(&self) -> Vec<Vec<Column>> {
        let candidates = self.candidates.as_deref().map(columns);
        self.boards.as_deref().map(columns).into_iter().chain(candidates).collect()
    }

    pub(crate) fn rows(&self, board: &RolloutRow, candidates: &[RolloutCandidateRow]) -> Vec<Rows> {
        let rows = |fields: &Vec<_>| rows_of(fields, std::slice::from_ref(board));
        let candidates = self.candidates.as_deref().map(|fields| rows_of(fields, candidates));
        self.boards.as_ref().map(rows).into_iter().chain(candidates).collect()
    }
}

pub(crate) fn rollout_columns(table: &str) -> Option<Vec<Column>> {
    if table == LABELS {
        return Some(columns(&label_fields()));
    }
    let index = ROLLOUT_TABLES.iter().position(|name| *name == table)?;
    RolloutEncoder::new(true).columns().into_iter().nth(index)
}

fn estimated<S: 'static>(
    names: [&str; 3],
    unit: &'static str,
    meaning: &str,
    value: fn(&S) -> Estimated,
) -> [Field<S>; 3] {
    let [name, low, high] = names;
    let bound = |side| format!("{side} bound of the 95 % interval of `{name}`");
    [
        Field::real(name, unit, meaning, move |row: &S| value(row).value),
        Field::real(low, unit, bound("lower"), move |row: &S| value(row).low),
        Field::real(high, unit, bound("upper"), move |row: &S| value(row).high),
    ]
}

table! {
    /// Returns the columns of `history`, with one row per generation of a controller's training.
    pub fn history_fields(features: &[String]) of row;

    /// Row of the table `history`: one generation of a controller's training.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HistoryRow {
        /// Number of the generation, from 0.
        pub generation: u64 => count;
        /// Objective values of the generation's candidate controllers, in the order of candidates.
        pub values: Vec<f64>;
        /// Mean objective value of the generation's candidates.
        mean: real, "objective" = row.mean();
        /// Objective value of the generation's best candidate, on average too good because selected
        /// from many noisy values.
        pub best: f64 => real, "objective";
        /// Standard deviation (n - 1) of the objective values of the generation's candidates.
        spread: real, "objective" = row.spread();
        /// Objective value of the mean weights after the generation, on check games equal in every
        /// check; a genetic search checks its best candidate.
        pub held_out: Option<f64> => real, "objective", missing "the generation was not checked";
        /// Number of games played by all candidates of the generation.
        pub games: u64 => count, "games";
        /// Number of the generation's games that were cut off by a limit (guideline games: that
        /// were not lost).
        pub censored: u64 => count, "games";
        /// Number of pieces in the games of all candidates of the generation.
        pub pieces: u64 => count, "pieces";
        /// Mean of each weight in the distribution or population of candidate controllers.
        pub weight_mean: Vec<f64>;
        ..weight_fields(
            "mean_",
            features,
            "mean of the weight in the distribution or population that candidates came from",
            |row: &HistoryRow, index| row.weight_mean[index],
        );
        /// Standard deviation of each weight in the distribution or population of candidate
        /// controllers.
        pub weight_sd: Vec<f64>;
        ..weight_fields(
            "sd_",
            features,
            "standard deviation of the weight in the distribution or population that candidates \
             came from",
            |row: &HistoryRow, index| row.weight_sd[index],
        );
        /// Root mean square of the standard errors of the candidates' objective values.
        pub error: Option<f64> => real, "objective",
            missing "of a median, and where too few games ended";
        /// Standard error of `held_out`.
        pub held_out_error: Option<f64> => real, "objective",
            missing "the generation was not checked, or `error` would be missing";
        /// Number of the generation's games that racing (fewer games for worse candidates) saved.
        pub saved: u64 => count, "games";
        /// Number of restarts of the optimiser so far.
        pub restarts: u64 => count;
    }
}

impl HistoryRow {
    /// Computes the mean objective value of the generation's candidate controllers.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.values.iter().sum::<f64>() / self.values.len().max(1) as f64
    }

    /// Computes the standard deviation (n - 1) of the candidate controllers' objective values.
    #[must_use]
    pub fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.values.iter().map(|value| (value - mean) * (value - mean)).sum();
        // A single candidate gives 0 instead of NaN.
        (squares / self.values.len().saturating_sub(1).max(1) as f64).sqrt()
    }
}

table! {
    /// Returns the columns of `population`, with one row per candidate controller of a training.
    pub fn population_fields(features: &[String]) of row;

    /// Row of the table `population`: one candidate of a generation in a controller's training.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PopulationRow {
        /// Number of the generation, from 0.
        pub generation: u64 => count;
        /// Index of the candidate in its generation, from 0.
        pub candidate: u64 => count;
        /// Objective value of the candidate.
        pub value: f64 => real, "objective";
        /// Number of the candidate's games that were cut off by a limit (guideline games: that were
        /// not lost).
        pub censored: u64 => count, "games";
        /// Number of pieces in the candidate's games.
        pub pieces: u64 => count, "pieces";
        /// Weights of the candidate controller, one for each feature.
        pub weights: Vec<f64>;
        ..weight_fields(
            "",
            features,
            "weight of the feature in the candidate",
            |row: &PopulationRow, index| row.weights[index],
        );
    }
}

table! {
    /// Returns the columns of `history` for a controller's learning by temporal differences.
    pub fn learning_fields() of row;

    /// Row of the table `history`: one report of a controller's learning by temporal differences.
    #[derive(Clone, Debug, PartialEq)]
    pub struct LearningRow {
        /// Number of the report, from 0.
        pub report: u64 => count;
        /// Number of placements that the player has made so far, in all parallel games.
        pub placements: u64 => count, "placements";
        /// Number of games ended so far, including games that a limit cut off.
        pub games: u64 => count, "games";
        /// Number of games that ended since the last report and were not cut off.
        pub finished: u64 => count, "games";
        /// Number of games that a limit cut off since the last report.
        pub cut: u64 => count, "games";
        /// Estimated mean lines of a game since the last report: lines of all ended games /
        /// `finished`.
        pub mean_lines: Option<f64> => real, "lines",
            missing "no game was finished since the last report";
        /// Mean absolute error of predicted board values (lines to come) since the last report.
        pub mean_error: Option<f64> => real, "lines", missing "nothing was learned";
        /// Learning rate at the report.
        pub alpha: f64 => real;
    }
}

fn weight_fields<S: 'static>(
    prefix: &str,
    features: &[String],
    meaning: &str,
    value: fn(&S, usize) -> f64,
) -> Vec<Field<S>> {
    let field = |(index, feature): (usize, &String)| {
        Field::real(format!("{prefix}{feature}"), "weight", meaning, move |row: &S| {
            value(row, index)
        })
    };
    features.iter().enumerate().map(field).collect()
}
