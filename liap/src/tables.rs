//! The tables of a LIAP run: one row per declaration, per round, per match.

use std::sync::Arc;

use crate::error::Result;
use crate::record::{
    ColumnType, Columns, Field, GameTables, LogFormat, Rows, Selection, TableSpec, chosen, columns,
    names_of, rows_of,
};

/// What the guard did to a declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moved {
    /// Nothing: the rules allow it.
    #[default]
    No,
    /// It was above 8.
    AboveEight,
    /// It would have made the sum 8.
    SumEight,
    /// It was a third 0 in a row.
    ThirdZero,
}

impl Moved {
    /// All, in the order of the code book's levels.
    pub const ALL: [Moved; 4] = [Moved::No, Moved::AboveEight, Moved::SumEight, Moved::ThirdZero];
}

/// Names of [`Moved`], of why a seat starts a round, and of how a match ended.
const MOVED: [&str; 4] = ["no", "above_8", "sum_8", "third_zero"];
const REASONS: [&str; 3] = ["red_general", "redeal", "last_winner"];
const ENDS: [&str; 3] = ["target", "round_cap", "cut"];

/// One declaration, with what became of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeclarationRow {
    /// Number of the match, and of the round in it.
    pub round: (u64, u64),
    /// Position in the order of declarations, and the seat there.
    pub place: (usize, usize),
    /// Who declares and who plays.
    pub by: (&'static str, &'static str),
    /// The hand in the order held, and as a set.
    pub hand: (String, u32),
    /// Openers, and whether the red general is among them.
    pub openers: (u32, bool),
    /// Types of two pieces and more that it has, joined by `;`.
    pub combos: String,
    /// Declarations before, joined by `;`, and their sum.
    pub previous: (String, u8),
    /// Values barred, joined by `;`.
    pub forbidden: String,
    /// What the declarer returned, what was declared, and what moved it.
    pub value: (u8, u8, Moved),
    /// The play list, joined by `+`.
    pub plan: String,
    /// Piles.
    pub captured: u8,
    /// Points before they were multiplied, and by how much they were.
    pub points: (i32, i32),
}

/// One round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundRow {
    /// Number of the match, and of the round in it.
    pub round: (u64, u64),
    /// Deals thrown in.
    pub redeals: u32,
    /// The seat that starts, and the place of the reason among the levels.
    pub starter: (usize, usize),
    /// Sum of the declarations.
    pub declared: u8,
    /// How many were hit.
    pub hits: u32,
    /// Turns, and of them those won by who had its piles already.
    pub turns: (u32, u32),
    /// Who won the last turn.
    pub last_winner: usize,
}

/// One match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRow {
    /// Its number.
    pub index: u64,
    /// Seed of its deals.
    pub seed: u64,
    /// Rounds played.
    pub rounds: u32,
    /// The place of how it ended among the levels.
    pub end: usize,
    /// Seats with the most points, joined by `;`.
    pub winners: String,
    /// Points by seat.
    pub scores: [i32; 4],
    /// Declarations that were hit, of all four players.
    pub hits: u32,
}

impl MatchRow {
    /// Points of all four players.
    fn points(&self) -> i64 {
        self.scores.iter().map(|&score| i64::from(score)).sum()
    }

    /// A mean over the declarations of a match: four in each round.
    fn per_declaration(&self, sum: i64) -> f64 {
        sum as f64 / (4.0 * f64::from(self.rounds))
    }
}

/// A column of text that each row has already.
fn text<S>(
    name: &str,
    meaning: &str,
    value: impl Fn(&S) -> &str + Send + Sync + 'static,
) -> Field<S> {
    Field::text(name, meaning, move |row, text| text.extend_from_slice(value(row).as_bytes()))
}

/// The columns that say which round a row is of.
fn round_keys<S: 'static>(key: fn(&S) -> (u64, u64)) -> Vec<Field<S>> {
    vec![
        Field::count("match", "-", "number of the match in its run, from 0", move |row: &S| {
            key(row).0
        }),
        Field::count("round", "-", "number of the round in its match, from 1", move |row: &S| {
            key(row).1
        }),
    ]
}

/// The columns of `declarations`.
fn declaration_fields() -> Vec<Field<DeclarationRow>> {
    type Row = DeclarationRow;
    let mut fields = round_keys(|row: &Row| row.round);
    fields.extend(knowledge_fields());
    fields.extend(outcome_fields());
    for field in &mut fields {
        field.minimal = MINIMAL.contains(&&*field.column.name);
    }
    fields
}

/// Columns of `declarations` by which its rows are told apart: every choice of columns has them.
const KEYS: [&str; 3] = ["match", "round", "position"];

/// Columns of the smallest choice: who declared what with which hand, and what became of it.
const MINIMAL: [&str; 9] = [
    "match",
    "round",
    "position",
    "seat",
    "declarer",
    "hand_mask",
    "declared",
    "captured",
    "points",
];

/// What a run logs of its declarations and rounds.
#[derive(Clone, Debug, PartialEq)]
pub struct LiapLog {
    /// The format of both tables.
    pub format: LogFormat,
    /// The columns of `declarations`; those of the controller are all.
    pub columns: Columns,
    /// Which declarations are kept, numbered from 1 in their match; of the rounds those are kept that have one.
    pub selection: Selection,
}

impl LiapLog {
    /// All declarations with all columns.
    #[must_use]
    pub fn all(format: LogFormat) -> LiapLog {
        LiapLog { format, columns: Columns::All, selection: Selection::default() }
    }

    /// The names of the columns of `declarations`, unless they are all.
    ///
    /// # Errors
    /// [`crate::error::Error::Unknown`] for a column that there is not.
    pub fn column_names(&self) -> Result<Option<Vec<String>>> {
        if matches!(self.columns, Columns::All | Columns::Controller) {
            return Ok(None);
        }
        let names = columns(&chosen_fields(&self.columns)?).into_iter().map(|column| column.name);
        Ok(Some(names.collect()))
    }
}

/// The fields of `declarations` that were asked for.
fn chosen_fields(asked: &Columns) -> Result<Vec<Field<DeclarationRow>>> {
    let fields = declaration_fields();
    let sets =
        [("minimal", MINIMAL.map(str::to_owned).to_vec()), ("all", names_of(&fields, |_| true))];
    chosen(asked, fields, &KEYS, &sets)
}

/// Who declares, and what it knows.
fn knowledge_fields() -> Vec<Field<DeclarationRow>> {
    type Row = DeclarationRow;
    vec![
        Field::integer(
            "position",
            "-",
            "place in the order of declarations, 0 for the starter",
            |row: &Row| row.place.0 as i64,
        ),
        Field::integer("seat", "-", "place at the table, 0 to 3", |row: &Row| row.place.1 as i64),
        text("declarer", "version of the declaration rule", |row: &Row| row.by.0),
        text("player", "how the turns are played", |row: &Row| row.by.1),
        text(
            "hand",
            "pieces in the order held: G A E R H C S for red general, advisor, elephant, chariot, horse, cannon, soldier, small letters for black",
            |row: &Row| &row.hand.0,
        ),
        Field::text(
            "hand_mask",
            "the hand as a set: hexadecimal, kinds from bit 0 in order of points",
            |row: &Row, text| {
                // Text, since a column of integers is signed and has no room for the highest bit.
                text.extend_from_slice(format!("0x{:08x}", row.hand.1).as_bytes());
            },
        ),
        Field::integer("openers", "pieces", "generals and advisors in the hand", |row: &Row| {
            i64::from(row.openers.0)
        }),
        Field::logical(
            "red_general",
            "-",
            "whether the red general is in the hand",
            |row: &Row| row.openers.1,
        ),
        text(
            "combos",
            "types of two pieces and more that can be played from the hand, joined by ';'",
            |row: &Row| &row.combos,
        )
        .missing("there is none"),
        text("previous", "declarations before this one, in order, joined by ';'", |row: &Row| {
            &row.previous.0
        })
        .missing("the starter declares first"),
        Field::integer("sum_before", "piles", "their sum", |row: &Row| i64::from(row.previous.1)),
        Field::integer(
            "room",
            "piles",
            "8 less their sum; negative when they want more than there are",
            // Signed: the declarations before may ask for more than the 8 piles of a round.
            |row: &Row| 8 - i64::from(row.previous.1),
        ),
        text("forbidden", "values that the rules bar, joined by ';'", |row: &Row| &row.forbidden)
            .missing("every value is allowed"),
    ]
}

/// What is declared, and what becomes of it.
fn outcome_fields() -> Vec<Field<DeclarationRow>> {
    type Row = DeclarationRow;
    let hit = |row: &Row| row.value.1 == row.captured;
    vec![
        Field::integer("raw", "piles", "what the declarer returned", |row: &Row| {
            i64::from(row.value.0)
        }),
        Field::integer("declared", "piles", "what was declared", |row: &Row| {
            i64::from(row.value.1)
        }),
        Field::factor("moved", "why the guard moved the value", MOVED, |row: &Row| {
            row.value.2 as usize
        }),
        text(
            "plan",
            "play list of the declarer, joined by '+'; of v1 and v1-rich what they counted",
            |row: &Row| &row.plan,
        )
        .missing("it is empty"),
        Field::integer("captured", "piles", "piles captured", |row: &Row| i64::from(row.captured)),
        Field::logical("hit", "-", "whether they are as many as declared", hit),
        Field::integer("error", "piles", "captured less declared", |row: &Row| {
            i64::from(row.captured) - i64::from(row.value.1)
        }),
        Field::integer(
            "base_points",
            "points",
            "points before they are multiplied",
            |row: &Row| i64::from(row.points.0),
        ),
        Field::integer("points", "points", "points", |row: &Row| {
            i64::from(row.points.0) * i64::from(row.points.1)
        }),
    ]
}

/// The columns of `rounds`.
fn round_fields() -> Vec<Field<RoundRow>> {
    type Row = RoundRow;
    let mut fields = round_keys(|row: &Row| row.round);
    fields.extend([
        Field::integer("redeals", "deals", "deals thrown in for weak hands", |row: &Row| {
            i64::from(row.redeals)
        }),
        Field::integer("multiplier", "-", "what points are multiplied by", |row: &Row| {
            1 + i64::from(row.redeals)
        }),
        Field::integer("starter", "-", "seat that declares and leads first", |row: &Row| {
            row.starter.0 as i64
        }),
        Field::factor("starter_reason", "why it starts", REASONS, |row: &Row| row.starter.1),
        Field::integer("declared", "piles", "sum of the four declarations", |row: &Row| {
            i64::from(row.declared)
        }),
        Field::integer(
            "hits",
            "players",
            "players who captured what they declared",
            |row: &Row| i64::from(row.hits),
        ),
        Field::integer("turns", "turns", "turns played", |row: &Row| i64::from(row.turns.0)),
        Field::integer(
            "wins_beyond",
            "turns",
            "turns won by a player who had captured what it declared, or more",
            |row: &Row| i64::from(row.turns.1),
        ),
        Field::integer("last_winner", "-", "seat that won the last turn", |row: &Row| {
            row.last_winner as i64
        }),
    ]);
    fields
}

/// The columns of `matches`.
fn match_fields() -> Vec<Field<MatchRow>> {
    type Row = MatchRow;
    let mut fields = vec![
        Field::count("match", "-", "number of the match in its run, from 0", |row: &Row| row.index),
        Field::text(
            "deals_seed",
            "seed of the match's deals, f(run seed, purpose, match), as hexadecimal text",
            |row: &Row, text| text.extend_from_slice(format!("0x{:016x}", row.seed).as_bytes()),
        ),
        Field::integer("rounds", "rounds", "rounds played", |row: &Row| i64::from(row.rounds)),
        Field::factor(
            "end",
            "how it ended: points reached, last round, or the run's",
            ENDS,
            |row: &Row| row.end,
        ),
        text("winners", "seats with the most points, joined by ';'", |row: &Row| &row.winners)
            .missing("the match was cut"),
    ];
    for seat in 0..4 {
        let score = move |row: &Row| i64::from(row.scores[seat]);
        let meaning = format!("points of seat {seat} at the end");
        fields.push(Field::integer(format!("score_{seat}"), "points", meaning, score));
    }
    fields.extend([
        Field::integer("hits", "-", "declarations that were hit, of all players", |row: &Row| {
            i64::from(row.hits)
        }),
        Field::integer("points", "points", "points of all players at the end", Row::points),
        Field::real("hit_rate", "-", "share of the declarations that were hit", |row: &Row| {
            row.per_declaration(row.hits.into())
        }),
        Field::real("mean_points", "points", "points of a declaration on average", |row: &Row| {
            row.per_declaration(row.points())
        }),
    ]);
    fields
}

/// Rows of the three tables.
#[derive(Debug, Default)]
pub struct LiapRows {
    /// One per declaration.
    pub declarations: Vec<DeclarationRow>,
    /// One per round.
    pub rounds: Vec<RoundRow>,
    /// One per match.
    pub matches: Vec<MatchRow>,
}

impl LiapRows {
    /// Where the next declaration and the next round go.
    #[must_use]
    pub fn places(&self) -> (usize, usize) {
        (self.declarations.len(), self.rounds.len())
    }

    /// Leaves out what follows these places, but for the declarations that `keeps` names by round and position, and
    /// their rounds. All that follows is of one match.
    pub fn keep_from(
        &mut self,
        (first, first_round): (usize, usize),
        keeps: impl Fn(u64, usize) -> bool,
    ) {
        // Only the rows of the match that just ended are looked at; those before were sifted when theirs ended.
        let mut later = self.declarations.split_off(first);
        later.retain(|row| keeps(row.round.1, row.place.0));
        let mut rounds = self.rounds.split_off(first_round);
        rounds.retain(|one| later.iter().any(|row| row.round == one.round));
        self.declarations.append(&mut later);
        self.rounds.append(&mut rounds);
    }
}

/// Turns rows into columns.
pub struct LiapEncoder {
    declarations: Arc<[Field<DeclarationRow>]>,
    rounds: Arc<[Field<RoundRow>]>,
    matches: Arc<[Field<MatchRow>]>,
}

impl LiapEncoder {
    /// Encodes what a run logs. Columns that there are not are left out; [`LiapLog::column_names`] refuses them.
    #[must_use]
    pub fn new(log: Option<&LiapLog>) -> LiapEncoder {
        LiapEncoder {
            declarations: log.map_or_else(Vec::new, logged_fields).into(),
            rounds: round_fields().into(),
            matches: match_fields().into(),
        }
    }

    /// The rows in columns, in the order of [`liap_tables`]; matches alone when nothing else is logged.
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

/// The columns of `matches` by which runs can be compared.
#[must_use]
pub fn liap_measures() -> Vec<String> {
    // Without the match's own number, which is no result.
    let numbers = columns(&match_fields()).into_iter().skip(1);
    let numbers =
        numbers.filter(|column| matches!(column.kind, ColumnType::Integer | ColumnType::Real));
    numbers.map(|column| column.name).collect()
}

/// The tables of LIAP runs, for the code book and for runs without a `datapackage.json`.
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

/// The fields of `declarations` that a run logs; none where a name is unknown, which [`LiapLog::column_names`]
/// has refused before.
fn logged_fields(log: &LiapLog) -> Vec<Field<DeclarationRow>> {
    chosen_fields(&log.columns).unwrap_or_default()
}

/// The tables of a run: `matches.csv`, and before it declarations and rounds when they are logged.
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
