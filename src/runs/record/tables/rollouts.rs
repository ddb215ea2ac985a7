//! The tables of rollouts: one row per board that games were played on from, one per candidate placement on it.

use crate::board::Board;
use crate::piece::Piece;
use crate::placement::Placement;
use crate::record::Column;
use crate::record::Rows;
use crate::record::tables::field::{Field, columns, fill};

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

/// A board, and what became of the games that were played on from it.
#[derive(Clone, Debug)]
pub struct RolloutRow {
    /// The game of the log.
    pub game: u64,
    /// The placement that left the board, from 1.
    pub piece_no: u64,
    /// The board.
    pub board: Board,
    /// Games played on.
    pub replicates: u64,
    /// Those that ended within the horizon.
    pub deaths: u64,
    /// Their share.
    pub p_death: Estimated,
    /// Lines of a game within the horizon.
    pub lines: Estimated,
    /// Pieces of a game within the horizon.
    pub pieces_mean: f64,
}

/// A candidate placement on a board, and what became of the games that were played on after it.
#[derive(Clone, Debug)]
pub struct RolloutCandidateRow {
    /// The game of the log.
    pub game: u64,
    /// The placement that is decided, from 1.
    pub piece_no: u64,
    /// Its piece.
    pub piece: Piece,
    /// The candidate's number in tie order, from 1.
    pub candidate: u64,
    /// Where it would come to rest.
    pub placement: Placement,
    /// Whether the controller chooses it, not knowing the next piece.
    pub chosen: bool,
    /// Whether it ends the game.
    pub lost: bool,
    /// Its value under the search, in units of the weights.
    pub score: Option<f64>,
    /// Share of the games that ended within the horizon.
    pub p_death: f64,
    /// Mean lines, those of the candidate included.
    pub lines_mean: f64,
    /// Its share of deaths less that of the chosen one, on the same pieces.
    pub death_difference: Estimated,
    /// Its mean lines less those of the chosen one, on the same pieces.
    pub lines_difference: Estimated,
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

/// The rows of a table, all at once.
fn rows_of<S>(fields: &[Field<S>], from: &[S]) -> Rows {
    let mut rows = Rows::new(fields.iter().map(|field| &field.column));
    fill(fields, from, None, &mut rows);
    rows
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

/// The columns of `rollouts`.
pub(crate) fn rollout_fields() -> Vec<Field<RolloutRow>> {
    let mut fields = vec![
        Field::count("game", "-", "game of the log", |row: &RolloutRow| row.game),
        Field::count(
            "piece_no",
            "-",
            "placement that left the board, from 1",
            |row: &RolloutRow| row.piece_no,
        ),
        Field::text(
            "board",
            "the board that games are played on from, as in `placements`",
            |row: &RolloutRow, text| row.board.write_hex(text),
        ),
        Field::integer("height", "rows", "height of its stack", |row: &RolloutRow| {
            row.board.stack_height() as i64
        }),
        Field::count("replicates", "games", "games played on from it", |row: &RolloutRow| {
            row.replicates
        }),
        Field::count(
            "deaths",
            "games",
            "those that ended within the horizon",
            |row: &RolloutRow| row.deaths,
        ),
    ];
    fields.extend(estimated(
        ["p_death", "p_death_low", "p_death_high"],
        "-",
        "chance that the game ends within the horizon (interval: Wilson)",
        |row: &RolloutRow| row.p_death,
    ));
    fields.extend(estimated(
        ["lines_mean", "lines_low", "lines_high"],
        "rows",
        "mean rows removed within the horizon (interval: normal)",
        |row: &RolloutRow| row.lines,
    ));
    fields.push(Field::real(
        "pieces_mean",
        "pieces",
        "mean pieces placed within the horizon",
        |row: &RolloutRow| row.pieces_mean,
    ));
    fields
}

/// The columns of `rollout_candidates`.
pub(crate) fn rollout_candidate_fields() -> Vec<Field<RolloutCandidateRow>> {
    type Row = RolloutCandidateRow;
    let mut fields = vec![
        Field::count("game", "-", "game of the log", |row: &Row| row.game),
        Field::count("piece_no", "-", "placement that is decided, from 1", |row: &Row| {
            row.piece_no
        }),
        Field::factor("piece", "its piece", Piece::ALL, |row: &Row| row.piece.index()),
        Field::count(
            "candidate",
            "-",
            "number of the candidate in tie order, from 1",
            |row: &Row| row.candidate,
        ),
        Field::integer(
            "orientation",
            "-",
            "number of the distinct rotation, from 0, as drawn under Orientations in data/README.md",
            |row: &Row| i64::from(row.placement.orientation),
        ),
        Field::integer("column", "-", "leftmost column of the piece, from 0", |row: &Row| {
            i64::from(row.placement.column)
        }),
        Field::logical(
            "chosen",
            "-",
            "whether the controller chooses it, not knowing the next piece",
            |row: &Row| row.chosen,
        ),
        Field::logical("lost", "-", "whether it ends the game", |row: &Row| row.lost),
        Field::real("score", "-", "its value under the search", |row: &Row| row.score)
            .missing("it loses, or every answer to it does"),
        Field::real(
            "p_death",
            "-",
            "share of the games played on after it that end within the horizon",
            |row: &Row| row.p_death,
        ),
        Field::real(
            "lines_mean",
            "rows",
            "mean rows removed by it and within the horizon",
            |row: &Row| row.lines_mean,
        ),
    ];
    fields.extend(estimated(
        ["death_difference", "death_difference_low", "death_difference_high"],
        "-",
        "its `p_death` less that of the chosen one, on the same pieces; below 0 is better (interval: Agresti and Min)",
        |row: &Row| row.death_difference,
    ));
    fields.extend(estimated(
        ["lines_difference", "lines_difference_low", "lines_difference_high"],
        "rows",
        "its `lines_mean` less that of the chosen one, on the same pieces; above 0 is better (interval: normal)",
        |row: &Row| row.lines_difference,
    ));
    fields
}
