//! Defines the tables of a LIAP run, with one row per declaration, per round and per match.

use std::sync::Arc;

use crate::error::Result;
use crate::record::{
    ColumnType, Columns, Field, GameTables, LogFormat, Rows, Selection, TableSpec, chosen, columns,
    names_of, rows_of,
};
use crate::table;

/// The reason why the guard moved a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moved {
    /// No move, since the rules allow the value.
    #[default]
    No,
    /// Value above 8.
    AboveEight,
    /// Value that would make the sum of declarations 8.
    SumEight,
    /// Third 0 in a row.
    ThirdZero,
}

impl Moved {
    /// All reasons, in the order of the code book's levels.
    pub const ALL: [Moved; 4] = [Moved::No, Moved::AboveEight, Moved::SumEight, Moved::ThirdZero];
}

/// Names in tables of [`Moved`], of the reasons to start a round, and of the ends of a match.
const MOVED: [&str; 4] = ["no", "above_8", "sum_8", "third_zero"];
const REASONS: [&str; 3] = ["red_general", "redeal", "last_winner"];
const ENDS: [&str; 3] = ["target", "round_cap", "cut"];

table! {
    /// Returns the columns of `declarations`.
    fn declaration_fields() of row;

    /// A row of `declarations`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct DeclarationRow {
        /// Number of the match, and of the round in it.
        pub key: (u64, u64);
        /// Number of the match in its run, from 0.
        match: count + minimal = row.key.0;
        /// Number of the round in its match, from 1.
        round: count + minimal = row.key.1;
        /// Place in the order of declarations, 0 for the starter.
        pub position: usize => integer + minimal;
        /// Place at the table, 0 to 3.
        pub seat: usize => integer + minimal;
        /// Version of the declaration rule.
        pub declarer: &'static str => text + minimal;
        /// How the turns are played.
        pub player: &'static str => text;
        /// Pieces in the order held: G A E R H C S for red general, advisor, elephant, chariot,
        /// horse, cannon, soldier, small letters for black.
        pub hand: String => text;
        // Text, since a column of integers is signed and has no room for the highest bit.
        /// The hand as a set: hexadecimal, kinds from bit 0 in order of points.
        pub hand_mask: u32 => written + minimal =
            |text| text.extend_from_slice(format!("0x{:08x}", row.hand_mask).as_bytes());
        /// Generals and advisors in the hand.
        pub openers: u32 => integer, "pieces";
        /// Whether the red general is in the hand.
        pub red_general: bool => logical;
        /// Types of two pieces and more that can be played from the hand, joined by ';'.
        pub combos: String => text, missing "there is none";
        /// Declarations before this one, in order, joined by ';'.
        pub previous: String => text, missing "the starter declares first";
        /// Their sum.
        pub sum_before: u8 => integer, "piles";
        // Signed: the declarations before may ask for more than the 8 piles of a round.
        /// 8 less their sum; negative when they want more than there are.
        room: integer, "piles" = 8 - i64::from(row.sum_before);
        /// Values that the rules bar, joined by ';'.
        pub forbidden: String => text, missing "every value is allowed";
        /// What the declarer returned.
        pub raw: u8 => integer, "piles";
        /// What was declared.
        pub declared: u8 => integer + minimal, "piles";
        /// Why the guard moved the value.
        pub moved: Moved => factor(MOVED) = row.moved as usize;
        /// Play list of the declarer, joined by '+'; of v1 and v1-rich what they counted.
        pub plan: String => text, missing "it is empty";
        /// Piles captured.
        pub captured: u8 => integer + minimal, "piles";
        /// Whether they are as many as declared.
        hit: logical = row.declared == row.captured;
        /// Captured less declared.
        error: integer, "piles" = i64::from(row.captured) - i64::from(row.declared);
        /// Points before they are multiplied.
        pub base_points: i32 => integer, "points";
        /// Points.
        points: integer + minimal, "points" =
            i64::from(row.base_points) * i64::from(row.multiplier);
        /// What points are multiplied by.
        pub multiplier: i32;
    }
}

table! {
    /// Returns the columns of `rounds`.
    fn round_fields() of row;

    /// A row of `rounds`.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct RoundRow {
        /// Number of the match, and of the round in it.
        pub key: (u64, u64);
        /// Number of the match in its run, from 0.
        match: count = row.key.0;
        /// Number of the round in its match, from 1.
        round: count = row.key.1;
        /// Deals thrown in for weak hands.
        pub redeals: u32 => integer, "deals";
        /// What points are multiplied by.
        multiplier: integer = 1 + i64::from(row.redeals);
        /// Seat that declares and leads first.
        pub starter: usize => integer;
        /// Why it starts.
        pub starter_reason: usize => factor(REASONS);
        /// Sum of the four declarations.
        pub declared: u8 => integer, "piles";
        /// Players who captured what they declared.
        pub hits: u32 => integer, "players";
        /// Turns played.
        pub turns: u32 => integer, "turns";
        /// Turns won by a player who had captured what it declared, or more.
        pub wins_beyond: u32 => integer, "turns";
        /// Seat that won the last turn.
        pub last_winner: usize => integer;
    }
}

table! {
    /// Returns the columns of `matches`.
    fn match_fields() of row;

    /// A row of `matches`.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct MatchRow {
        /// Number of the match in its run, from 0.
        pub index: u64;
        /// Number of the match in its run, from 0.
        match: count = row.index;
        /// Seed of the match's deals, f(run seed, purpose, match), as hexadecimal text.
        pub deals_seed: u64 => written =
            |text| text.extend_from_slice(format!("0x{:016x}", row.deals_seed).as_bytes());
        /// Rounds played.
        pub rounds: u32 => integer, "rounds";
        /// How it ended: points reached, last round, or the run's.
        pub end: usize => factor(ENDS);
        /// Seats with the most points, joined by ';'.
        pub winners: String => text, missing "the match was cut";
        /// Points by seat.
        pub scores: [i32; 4];
        ..(0..4).map(|seat| {
            let meaning = format!("points of seat {seat} at the end");
            Field::integer(format!("score_{seat}"), "points", meaning, move |row: &MatchRow| {
                i64::from(row.scores[seat])
            })
        });
        /// Declarations that were hit, of all players.
        pub hits: u32 => integer;
        /// Points of all players at the end.
        points: integer, "points" = row.points();
        /// Share of the declarations that were hit.
        hit_rate: real = row.per_declaration(row.hits.into());
        /// Points of a declaration on average.
        mean_points: real, "points" = row.per_declaration(row.points());
    }
}

impl MatchRow {
    /// Returns the points of all four players together.
    fn points(&self) -> i64 {
        self.scores.iter().map(|&score| i64::from(score)).sum()
    }

    /// Returns a mean over the declarations of a match, four in each round.
    fn per_declaration(&self, sum: i64) -> f64 {
        sum as f64 / (4.0 * f64::from(self.rounds))
    }
}

/// Columns that identify a row of `declarations`; every choice of columns includes them.
const KEYS: [&str; 3] = ["match", "round", "position"];

/// The logging settings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct LiapLog {
    /// Format of both tables.
    pub format: LogFormat,
    /// Logged columns of `declarations`. The controller's columns mean all columns.
    pub columns: Columns,
    /// Logged declarations, numbered from 1 in their match. A round is logged if any of its
    /// declarations is.
    pub selection: Selection,
}

impl LiapLog {
    /// Logs all declarations with all columns.
    #[must_use]
    pub fn all(format: LogFormat) -> LiapLog {
        LiapLog { format, columns: Columns::All, selection: Selection::default() }
    }

    /// Returns the names of the logged columns of `declarations`, or `None` if all are logged.
    ///
    /// # Errors
    /// [`crate::error::Error::Unknown`] for an unknown column.
    pub fn column_names(&self) -> Result<Option<Vec<String>>> {
        if matches!(self.columns, Columns::All | Columns::Controller) {
            return Ok(None);
        }
        let names = columns(&chosen_fields(&self.columns)?).into_iter().map(|column| column.name);
        Ok(Some(names.collect()))
    }
}

/// Returns the requested fields of `declarations`.
fn chosen_fields(asked: &Columns) -> Result<Vec<Field<DeclarationRow>>> {
    let fields = declaration_fields();
    let sets = [
        ("minimal", names_of(&fields, |field| field.minimal)),
        ("all", names_of(&fields, |_| true)),
    ];
    chosen(asked, fields, &KEYS, &sets)
}

/// Rows of the three tables, one list per table.
#[derive(Debug, Default)]
pub struct LiapRows {
    /// Rows of `declarations`.
    pub declarations: Vec<DeclarationRow>,
    /// Rows of `rounds`.
    pub rounds: Vec<RoundRow>,
    /// Rows of `matches`.
    pub matches: Vec<MatchRow>,
}

impl LiapRows {
    /// Returns the number of rows in `declarations` and in `rounds`: the indices that the next rows
    /// of these tables will have.
    #[must_use]
    pub fn places(&self) -> (usize, usize) {
        (self.declarations.len(), self.rounds.len())
    }

    /// Removes the declarations from index `first` on and the rounds from index `first_round` on.
    /// It keeps the declarations that `keeps` accepts by round and position, and the rounds of
    /// these. All these rows must belong to one match.
    pub fn keep_from(
        &mut self,
        (first, first_round): (usize, usize),
        keeps: impl Fn(u64, usize) -> bool,
    ) {
        // Earlier matches were filtered when they ended, so only the last match is checked.
        let mut later = self.declarations.split_off(first);
        later.retain(|row| keeps(row.key.1, row.position));
        let mut rounds = self.rounds.split_off(first_round);
        rounds.retain(|one| later.iter().any(|row| row.key == one.key));
        self.declarations.append(&mut later);
        self.rounds.append(&mut rounds);
    }
}

/// Encoder of rows into columns.
pub struct LiapEncoder {
    declarations: Arc<[Field<DeclarationRow>]>,
    rounds: Arc<[Field<RoundRow>]>,
    matches: Arc<[Field<MatchRow>]>,
}

impl LiapEncoder {
    /// Creates an encoder for a run's log. Skips unknown columns, which [`LiapLog::column_names`]
    /// rejects.
    #[must_use]
    pub fn new(log: Option<&LiapLog>) -> LiapEncoder {
        LiapEncoder {
            declarations: log.map_or_else(Vec::new, logged_fields).into(),
            rounds: round_fields().into(),
            matches: match_fields().into(),
        }
    }

    /// Encodes the rows in the order of [`liap_tables`]. Without `logs` only the matches are
    /// encoded.
    #[must_use]
    pub fn columns(&self, rows: &LiapRows, logs: bool) -> Vec<Rows> {
        let matches = rows_of(&self.matches, &rows.matches);
        if !logs {
            return vec![matches];
        }
        vec![
            rows_of(&self.declarations, &rows.declarations),
            rows_of(&self.rounds, &rows.rounds),
            matches,
        ]
    }
}

/// Returns the columns of `matches` by which runs can be compared.
#[must_use]
pub fn liap_measures() -> Vec<String> {
    // Skips the match's number, which is not a result.
    let numbers = columns(&match_fields()).into_iter().skip(1);
    let numbers =
        numbers.filter(|column| matches!(column.kind, ColumnType::Integer | ColumnType::Real));
    numbers.map(|column| column.name).collect()
}

/// Tables of LIAP runs, for the code book and for runs without a `datapackage.json`.
pub const TABLES: GameTables = GameTables {
    columns: || {
        vec![
            ("declarations", columns(&declaration_fields())),
            ("rounds", columns(&round_fields())),
            ("matches", columns(&match_fields())),
        ]
    },
    titles: &[
        "one row per declaration of a LIAP run",
        "one row per round of a LIAP run",
        "one row per match of a LIAP run",
    ],
};

/// Returns the fields of `declarations` that a run logs. Returns none if a name is unknown, which
/// [`LiapLog::column_names`] rejects earlier.
fn logged_fields(log: &LiapLog) -> Vec<Field<DeclarationRow>> {
    chosen_fields(&log.columns).unwrap_or_default()
}

/// Returns the tables of a run: declarations and rounds if they are logged, then `matches.csv`.
#[must_use]
pub fn liap_tables(log: Option<&LiapLog>) -> Vec<TableSpec> {
    let logs = log.into_iter().flat_map(|log| {
        [
            TableSpec::new("declarations", log.format, columns(&logged_fields(log))),
            TableSpec::new("rounds", log.format, columns(&round_fields())),
        ]
    });
    let matches = TableSpec::new("matches", LogFormat::Csv, columns(&match_fields()));
    logs.chain([matches]).collect()
}
