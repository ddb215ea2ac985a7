//! Tables of rollouts: one row per board from which games were continued, and one per candidate
//! placement on it.

use crate::board::Board;
use crate::piece::Piece;
use crate::placement::Placement;
use crate::record::tables::field::{Field, columns, rows_of};
use crate::record::tables::split::split_field;
use crate::record::tables::table::table;
use crate::record::{Column, Rows};

/// Estimated number with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// Estimate.
    pub value: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

table! {
    pub(crate) fn rollout_fields() of row;

    /// Row of `rollouts`: a board and the results of the games continued from it.
    #[derive(Clone, Debug)]
    pub struct RolloutRow {
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
        /// Share of games that ended within the horizon.
        pub p_death: Estimated;
        ..estimated(
            ["p_death", "p_death_low", "p_death_high"],
            "-",
            "share of the games continued from `board` that end within the horizon \
             (interval: Wilson)",
            |row: &RolloutRow| row.p_death,
        );
        /// Mean lines of a game within the horizon.
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
    pub struct RolloutCandidateRow {
        /// Index of the game in the log that the board comes from, from 0.
        pub game: u64 => count;
        /// Number of the placement that is decided, from 1 in its game.
        pub piece_no: u64 => count;
        /// Board before that placement.
        pub board: Board;
        /// Condition and stream seed of the game in a data set; `None` outside data sets.
        pub source: Option<LabelSource>;
        /// Piece of the placement that is decided.
        pub piece: Piece => factor(Piece::ALL);
        /// Number of the candidate in tie order, from 1.
        pub candidate: u64 => count;
        /// Orientation and column of the placement.
        pub placement: Placement;
        /// Orientation of the piece: number of its distinct rotation, from 0, as drawn under
        /// Orientations in data/README.md.
        orientation: integer = row.placement.orientation;
        /// Column of the piece's leftmost cell, from 0.
        column: integer = row.placement.column;
        /// True if the controller that plays the games chooses the candidate, without knowledge of
        /// the next piece.
        pub chosen: bool => logical;
        /// True if the candidate ends the game.
        pub lost: bool => logical;
        /// Score that this controller's search gives the candidate.
        pub score: Option<f64> => real,
            missing "the candidate loses, or every placement of the next piece after it loses";
        /// Share of the games after the candidate that end within the horizon, their limit of
        /// pieces.
        pub p_death: f64 => real;
        /// Mean number of rows that the candidate and the game after it remove within the horizon.
        pub lines_mean: f64 => real, "rows";
        /// Difference in `p_death` from the chosen candidate, in games with equal pieces.
        pub death_difference: Estimated;
        ..estimated(
            ["death_difference", "death_difference_low", "death_difference_high"],
            "-",
            "`p_death` of the candidate minus `p_death` of the chosen candidate, on equal pieces; \
             below 0 is better (interval: Agresti and Min)",
            |row: &RolloutCandidateRow| row.death_difference,
        );
        /// Difference in `lines_mean` from the chosen candidate, in games with equal pieces.
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

/// Game of a data set that a label belongs to.
#[derive(Clone, Copy, Debug)]
pub struct LabelSource {
    /// Number of the condition in the data set, from 1.
    pub condition: u64,
    /// Seed of the game's piece stream.
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

/// Returns the columns of the table `labels`, which holds the labelled candidates of a data set.
pub(crate) fn label_fields() -> Vec<Field<RolloutCandidateRow>> {
    decision_fields().into_iter().chain(rollout_candidate_fields()).collect()
}

/// Name of the table of labels.
pub const LABELS: &str = "labels";

/// Encoder that turns boards and their candidates into rows.
pub struct RolloutEncoder {
    boards: Option<Vec<Field<RolloutRow>>>,
    candidates: Option<Vec<Field<RolloutCandidateRow>>>,
}

/// Names of the tables.
pub const ROLLOUT_TABLES: [&str; 2] = ["rollouts", "rollout_candidates"];

impl RolloutEncoder {
    /// Creates an encoder for boards and, with `candidates`, for their candidates.
    #[must_use]
    pub fn new(candidates: bool) -> RolloutEncoder {
        let candidates = candidates.then(rollout_candidate_fields);
        RolloutEncoder { boards: Some(rollout_fields()), candidates }
    }

    /// Creates an encoder for the table of labels.
    #[must_use]
    pub fn labels() -> RolloutEncoder {
        RolloutEncoder { boards: None, candidates: Some(label_fields()) }
    }

    /// Returns the columns of each table, in the order of [`ROLLOUT_TABLES`].
    #[must_use]
    pub fn columns(&self) -> Vec<Vec<Column>> {
        let candidates = self.candidates.as_deref().map(columns);
        self.boards.as_deref().map(columns).into_iter().chain(candidates).collect()
    }

    /// Returns the rows of a board for each table.
    #[must_use]
    pub fn rows(&self, board: &RolloutRow, candidates: &[RolloutCandidateRow]) -> Vec<Rows> {
        let rows = |fields: &Vec<_>| rows_of(fields, std::slice::from_ref(board));
        let candidates = self.candidates.as_deref().map(|fields| rows_of(fields, candidates));
        self.boards.as_ref().map(rows).into_iter().chain(candidates).collect()
    }
}

pub(crate) fn rollout_columns(table: &str) -> Option<Vec<Column>> {
    if table == LABELS {
        return Some(columns(&label_fields()));
    }
    let place = ROLLOUT_TABLES.iter().position(|name| *name == table)?;
    RolloutEncoder::new(true).columns().into_iter().nth(place)
}

/// Returns three columns: a number and its bounds.
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
