//! The tables of rollouts: one row per board that games were played on from, one per candidate placement on it.

use crate::board::Board;
use crate::piece::Piece;
use crate::placement::Placement;
use crate::record::tables::field::{Field, columns, rows_of};
use crate::record::tables::table::table;
use crate::record::{Column, Rows};

/// A number that was estimated, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimated {
    /// The estimate.
    pub value: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

table! {
    /// Returns the columns of `rollouts`.
    pub(crate) fn rollout_fields() of row;

    /// A board, and what became of the games that were played on from it.
    #[derive(Clone, Debug)]
    pub struct RolloutRow {
        /// Game of the log.
        pub game: u64 => count;
        /// Placement that left the board, from 1.
        pub piece_no: u64 => count;
        /// The board that games are played on from, as in `placements`.
        pub board: Board => written = |text| row.board.write_hex(text);
        /// Height of its stack.
        height: integer, "rows" = row.board.stack_height();
        /// Games played on from it.
        pub replicates: u64 => count, "games";
        /// Those that ended within the horizon.
        pub deaths: u64 => count, "games";
        /// Share of games that ended within the horizon.
        pub p_death: Estimated;
        ..estimated(
            ["p_death", "p_death_low", "p_death_high"],
            "-",
            "chance that the game ends within the horizon (interval: Wilson)",
            |row: &RolloutRow| row.p_death,
        );
        /// Lines of a game within the horizon.
        pub lines: Estimated;
        ..estimated(
            ["lines_mean", "lines_low", "lines_high"],
            "rows",
            "mean rows removed within the horizon (interval: normal)",
            |row: &RolloutRow| row.lines,
        );
        /// Mean pieces placed within the horizon.
        pub pieces_mean: f64 => real, "pieces";
    }
}

table! {
    /// Returns the columns of `rollout_candidates`.
    pub(crate) fn rollout_candidate_fields() of row;

    /// A candidate placement on a board, and what became of the games that were played on after it.
    #[derive(Clone, Debug)]
    pub struct RolloutCandidateRow {
        /// Game of the log.
        pub game: u64 => count;
        /// Placement that is decided, from 1.
        pub piece_no: u64 => count;
        /// Its piece.
        pub piece: Piece => factor(Piece::ALL);
        /// Number of the candidate in tie order, from 1.
        pub candidate: u64 => count;
        /// Where it would come to rest.
        pub placement: Placement;
        /// Number of the distinct rotation, from 0, as drawn under Orientations in data/README.md.
        orientation: integer = row.placement.orientation;
        /// Leftmost column of the piece, from 0.
        column: integer = row.placement.column;
        /// Whether the controller chooses it, not knowing the next piece.
        pub chosen: bool => logical;
        /// Whether it ends the game.
        pub lost: bool => logical;
        /// Its value under the search.
        pub score: Option<f64> => real, missing "it loses, or every answer to it does";
        /// Share of the games played on after it that end within the horizon.
        pub p_death: f64 => real;
        /// Mean rows removed by it and within the horizon.
        pub lines_mean: f64 => real, "rows";
        /// Its share of deaths less that of the chosen one, on the same pieces.
        pub death_difference: Estimated;
        ..estimated(
            ["death_difference", "death_difference_low", "death_difference_high"],
            "-",
            "its `p_death` less that of the chosen one, on the same pieces; below 0 is better (interval: Agresti and Min)",
            |row: &RolloutCandidateRow| row.death_difference,
        );
        /// Its mean lines less those of the chosen one, on the same pieces.
        pub lines_difference: Estimated;
        ..estimated(
            ["lines_difference", "lines_difference_low", "lines_difference_high"],
            "rows",
            "its `lines_mean` less that of the chosen one, on the same pieces; above 0 is better (interval: normal)",
            |row: &RolloutCandidateRow| row.lines_difference,
        );
    }
}

/// Turns boards and their candidates into rows.
pub struct RolloutEncoder {
    boards: Vec<Field<RolloutRow>>,
    candidates: Option<Vec<Field<RolloutCandidateRow>>>,
}

/// The names of the tables.
pub const ROLLOUT_TABLES: [&str; 2] = ["rollouts", "rollout_candidates"];

impl RolloutEncoder {
    /// Encodes boards and, if asked for, candidates.
    #[must_use]
    pub fn new(candidates: bool) -> RolloutEncoder {
        let candidates = candidates.then(rollout_candidate_fields);
        RolloutEncoder { boards: rollout_fields(), candidates }
    }

    /// The columns of each table, in the order of [`ROLLOUT_TABLES`].
    #[must_use]
    pub fn columns(&self) -> Vec<Vec<Column>> {
        let candidates = self.candidates.as_deref().map(columns);
        [columns(&self.boards)].into_iter().chain(candidates).collect()
    }

    /// The rows of a board, for each table.
    #[must_use]
    pub fn rows(&self, board: &RolloutRow, candidates: &[RolloutCandidateRow]) -> Vec<Rows> {
        let boards = rows_of(&self.boards, std::slice::from_ref(board));
        let candidates = self.candidates.as_deref().map(|fields| rows_of(fields, candidates));
        [boards].into_iter().chain(candidates).collect()
    }
}

/// The columns of a table of rollouts, if it is one.
pub(crate) fn rollout_columns(table: &str) -> Option<Vec<Column>> {
    let place = ROLLOUT_TABLES.iter().position(|name| *name == table)?;
    RolloutEncoder::new(true).columns().into_iter().nth(place)
}

/// A number and its bounds, as three columns.
fn estimated<S: 'static>(
    names: [&str; 3],
    unit: &'static str,
    meaning: &str,
    value: fn(&S) -> Estimated,
) -> [Field<S>; 3] {
    let [name, low, high] = names;
    let bound = |side| format!("{side} bound of its 95 % interval");
    [
        Field::real(name, unit, meaning, move |row: &S| value(row).value),
        Field::real(low, unit, bound("lower"), move |row: &S| value(row).low),
        Field::real(high, unit, bound("upper"), move |row: &S| value(row).high),
    ]
}
