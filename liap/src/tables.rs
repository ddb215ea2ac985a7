//! Plays LIAP matches in batches, the unit of work of a run, and defines their tables: a row per
//! declaration, per round and per match.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::config::LiapConfig;
use super::declare::Declarer;
use super::hand::{Cards, Hand};
use super::play::{PLAYS, PlayType};
use super::round::{Declaration, MatchEnd, PlayedMatch, Round, RoundStart, SEATS, StartReason};
use super::tally::Tally;
use crate::error::Result;
use crate::record::{
    ColumnType, Columns, Field, GameTables, LogFormat, Rows, Selection, TableSpec, columns,
    names_of, rows_of, select_fields,
};
use crate::rng::{Purpose, stream_seed};
use crate::table;

tetrastat_core::names! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum BrokenRule {
        #[default]
        No = "no",
        AboveEight = "above_8",
        SumEight = "sum_8",
        ThirdZero = "third_zero",
    }
}

table! {
    fn declaration_fields() of row;

    /// Row of the table `declarations`: one player's declaration in a round of LIAP.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct DeclarationRow {
        /// Match number in the run, from 0, and round number in the match, from 1.
        pub key: (u64, u64);
        /// Number of the match in its run, from 0.
        match: count + minimal = row.key.0;
        /// Number of the round in its match, from 1.
        round: count + minimal = row.key.1;
        /// Position of the player in the order of declarations, 0 for the starter to 3.
        pub position: usize => integer + minimal;
        /// Seat of the player at the table, 0 to 3.
        pub seat: usize => integer + minimal;
        /// Version of the declaration rule that the player uses.
        pub declarer: &'static str => text + minimal;
        /// Strategy by which the player plays the turns: bot, basic or random.
        pub player: &'static str => text;
        /// Hand in the order held: G general, A advisor, E elephant, R chariot, H horse, C cannon,
        /// S soldier; lower case is black.
        pub hand: String => text;
        // Text, since a column of integers is signed and has no room for the highest bit.
        /// Hand as a hexadecimal bit set of the 32 pieces, with the kinds of fewest points in the
        /// lowest bits.
        pub hand_mask: u32 => written + minimal =
            |text| text.extend_from_slice(format!("0x{:08x}", row.hand_mask).as_bytes());
        /// Number of generals and advisors in the hand.
        pub openers: u32 => integer, "pieces";
        /// True if the hand has the red general.
        pub red_general: bool => logical;
        /// Types of plays with two or more pieces that the hand allows, joined by ';'.
        pub combos: String => text, missing "the hand has no combination";
        /// Declarations of the earlier players in the round, in order, joined by ';'.
        pub previous: String => text, missing "the starter declares first";
        /// Sum of the declarations of the earlier players in the round.
        pub sum_before: u8 => integer, "piles";
        // Signed: the declarations before may ask for more than the 8 piles of a round.
        /// 8 minus the sum of the earlier declarations, in piles; negative if the sum exceeds 8.
        room: integer, "piles" = 8 - i64::from(row.sum_before);
        /// Values that the rules forbid the player to declare, joined by ';'.
        pub forbidden: String => text, missing "every value is allowed";
        /// Number of piles that the declaration rule returned; the rules of LIAP may forbid the
        /// number.
        pub raw: u8 => integer, "piles";
        /// Number of piles that the player finally declared, 0 to 8.
        pub declared: u8 => integer + minimal, "piles";
        /// LIAP rule that the returned number of piles breaks: above 8, a sum of 8, or a third 0 in
        /// a row.
        pub moved: BrokenRule => factor(BrokenRule::NAMES) = row.moved as usize;
        /// Plays that the declaration counts on to win, joined by '+'.
        pub plan: String => text, missing "the plan is empty";
        /// Number of piles that the player captured in the round.
        pub captured: u8 => integer + minimal, "piles";
        /// True if the player captured exactly the number of piles declared.
        hit: logical = row.declared == row.captured;
        /// Number of piles captured minus number of piles declared.
        error: integer, "piles" = i64::from(row.captured) - i64::from(row.declared);
        /// Points that the player gets for the round, before redeals multiply the points.
        pub base_points: i32 => integer, "points";
        /// Points that the player gets for the round, multiplied by 1 + number of redeals.
        points: integer + minimal, "points" =
            i64::from(row.base_points) * i64::from(row.multiplier);
        /// Factor by which points are multiplied: 1 + number of redeals.
        pub multiplier: i32;
    }
}

table! {
    fn round_fields() of row;

    /// Row of the table `rounds`: one round of a LIAP match.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct RoundRow {
        /// Match number in the run, from 0, and round number in the match, from 1.
        pub key: (u64, u64);
        /// Number of the match in its run, from 0.
        match: count = row.key.0;
        /// Number of the round in its match, from 1.
        round: count = row.key.1;
        /// Number of redeals in the round: deals discarded because of weak hands.
        pub redeals: u32 => integer, "deals";
        /// Factor by which points of the round are multiplied: 1 + `redeals`.
        multiplier: integer = 1 + i64::from(row.redeals);
        /// Seat that declares and leads first in the round, 0 to 3.
        pub starter: usize => integer;
        /// Reason why the starter starts: has the red general, accepted the last redeal, or won the
        /// last turn of the previous round.
        pub starter_reason: usize => factor(StartReason::NAMES);
        /// Sum of the four declarations of the round.
        pub declared: u8 => integer, "piles";
        /// Number of players who captured exactly the number of piles declared.
        pub hits: u32 => integer, "players";
        /// Number of turns played in the round.
        pub turns: u32 => integer, "turns";
        /// Number of turns won by a player who had already reached the declared number of piles.
        pub wins_beyond: u32 => integer, "turns";
        /// Seat that won the last turn of the round, 0 to 3.
        pub last_winner: usize => integer;
    }
}

table! {
    fn match_fields() of row;

    /// Row of the table `matches`: one match of a LIAP run.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct MatchRow {
        /// Number of the match in its run, from 0.
        pub index: u64;
        /// Number of the match in its run, from 0.
        match: count = row.index;
        /// Seed of the match's random deals, derived from the run's seed, as hexadecimal text.
        pub deals_seed: u64 => written =
            |text| text.extend_from_slice(format!("0x{:016x}", row.deals_seed).as_bytes());
        /// Number of rounds played in the match.
        pub rounds: u32 => integer, "rounds";
        /// Reason for the end of the match: target points, maximum number of rounds, or end of the
        /// run.
        pub end: usize => factor(MatchEnd::NAMES);
        /// Seats with the most points at the end of the match, joined by ';'.
        pub winners: String => text, missing "the match was cut off";
        /// Points by seat.
        pub scores: [i32; 4];
        ..(0..4).map(|seat| {
            let meaning = format!("points of seat {seat} at the end");
            Field::integer(format!("score_{seat}"), "points", meaning, move |row: &MatchRow| {
                i64::from(row.scores[seat])
            })
        });
        /// Number of declarations in the match that were met exactly, over all players.
        pub hits: u32 => integer;
        /// Sum of the points of all players at the end of the match.
        points: integer, "points" = row.points();
        /// Share of the match's declarations that were met exactly, 0 to 1.
        hit_rate: real = row.per_declaration(row.hits.into());
        /// Mean points that a player gets in a round of the match.
        mean_points: real, "points" = row.per_declaration(row.points());
    }
}

impl MatchRow {
    fn points(&self) -> i64 {
        self.scores.iter().map(|&score| i64::from(score)).sum()
    }

    fn per_declaration(&self, sum: i64) -> f64 {
        sum as f64 / (4.0 * f64::from(self.rounds))
    }
}

/// Columns of the declaration table that are always logged, because they identify a row.
const KEYS: [&str; 3] = ["match", "round", "position"];

/// The settings of a LIAP run's logs of declarations and rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiapLog {
    /// File format of the logs of declarations and rounds.
    pub format: LogFormat,
    /// Logged columns of the table of declarations. [`Columns::Controller`] selects all columns.
    pub columns: Columns,
    /// Selection of declarations to log, by number in the match, from 1. Rounds without a logged
    /// declaration are left out.
    pub selection: Selection,
}

impl LiapLog {
    /// Returns settings that log all declarations with all columns.
    #[must_use]
    pub fn all(format: LogFormat) -> LiapLog {
        LiapLog { format, columns: Columns::All, selection: Selection::default() }
    }

    /// Returns the logged columns of the table of declarations, or `None` if all are logged.
    pub fn column_names(&self) -> Result<Option<Vec<String>>> {
        if matches!(self.columns, Columns::All | Columns::Controller) {
            return Ok(None);
        }
        let names = columns(&chosen_fields(&self.columns)?).into_iter().map(|column| column.name);
        Ok(Some(names.collect()))
    }
}

fn chosen_fields(asked: &Columns) -> Result<Vec<Field<DeclarationRow>>> {
    let fields = declaration_fields();
    let sets = [
        ("minimal", names_of(&fields, |field| field.minimal)),
        ("all", names_of(&fields, |_| true)),
    ];
    select_fields(asked, fields, &KEYS, &sets)
}

#[derive(Debug, Default)]
pub struct LiapRows {
    pub declarations: Vec<DeclarationRow>,
    pub rounds: Vec<RoundRow>,
    pub matches: Vec<MatchRow>,
}

impl LiapRows {
    #[must_use]
    pub fn row_counts(&self) -> (usize, usize) {
        (self.declarations.len(), self.rounds.len())
    }

    /// Drops declaration rows from index `first` on that `keeps` rejects. Then drops round rows
    /// from `first_round` on that have no declaration rows left.
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

pub struct LiapEncoder {
    declarations: Arc<[Field<DeclarationRow>]>,
    rounds: Arc<[Field<RoundRow>]>,
    matches: Arc<[Field<MatchRow>]>,
}

impl LiapEncoder {
    /// Creates the encoder of a LIAP run's table rows. An unknown column in `log`, which
    /// [`LiapLog::column_names`] rejects, leaves the declaration table without columns.
    #[must_use]
    pub fn new(log: Option<&LiapLog>) -> LiapEncoder {
        LiapEncoder {
            declarations: log.map_or_else(Vec::new, logged_fields).into(),
            rounds: round_fields().into(),
            matches: match_fields().into(),
        }
    }

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

/// Returns the columns of the table of matches by which LIAP runs can be compared.
#[must_use]
pub fn liap_measures() -> Vec<String> {
    // Skips the match's number, which is not a result.
    let numbers = columns(&match_fields()).into_iter().skip(1);
    let numbers =
        numbers.filter(|column| matches!(column.kind, ColumnType::Integer | ColumnType::Real));
    numbers.map(|column| column.name).collect()
}

/// Tables of LIAP runs, for the code book and for folders without a `datapackage.json`.
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

fn logged_fields(log: &LiapLog) -> Vec<Field<DeclarationRow>> {
    chosen_fields(&log.columns).unwrap_or_default()
}

/// Returns a LIAP run's tables: declarations and rounds if logged, then `matches.csv`.
#[must_use]
pub(crate) fn liap_tables(log: Option<&LiapLog>) -> Vec<TableSpec> {
    let logs = log.into_iter().flat_map(|log| {
        [
            TableSpec::new("declarations", log.format, columns(&logged_fields(log))),
            TableSpec::new("rounds", log.format, columns(&round_fields())),
        ]
    });
    let matches = TableSpec::new("matches", LogFormat::Csv, columns(&match_fields()));
    logs.chain([matches]).collect()
}

pub(super) const MATCHES_PER_BATCH: u64 = 64;

const DECLARATIONS_PER_ROUND: u64 = SEATS as u64;

#[derive(Debug)]
pub struct Batch {
    pub tally: Tally,
    pub rows: LiapRows,
}

impl Batch {
    /// Plays batch `number` of a run, up to 64 consecutive matches, with at most `limit` rounds.
    pub(super) fn play(config: &LiapConfig, number: u64, limit: u64) -> Batch {
        let (kinds, all) = (config.kind_indices(), config.matches());
        let (mut tally, mut rows) = (Tally::new(config.kinds().len()), LiapRows::default());
        let own = number * MATCHES_PER_BATCH..(number + 1) * MATCHES_PER_BATCH;
        for index in own.start.max(all.start)..own.end.min(all.end) {
            let left = limit - tally.rounds;
            if left == 0 {
                break;
            }
            let at = (config.seed, index);
            let selection = config.log.as_ref().map(|log| log.selection);
            let selection = selection.filter(|kept| kept.keeps_game(config.seed, index));
            let (first, mut hits) = (rows.row_counts(), 0);
            let played =
                PlayedMatch::play(&config.seats, &config.rules, at, left, |start, round| {
                    tally.count_round(&kinds, round);
                    hits += count_hits(round);
                    if let Some(selection) = selection {
                        log(config, selection, (index, start), round, &mut rows);
                    }
                });
            if let Some(selection @ Selection { only_last: Some(_), .. }) = selection {
                let last = selection.for_length(DECLARATIONS_PER_ROUND * u64::from(played.rounds));
                rows.keep_from(first, |round, position| {
                    last.keeps(declaration_number(round, position))
                });
            }
            tally.count_match(&kinds, &played);
            rows.matches.push(match_row(config, &played, hits));
        }
        Batch { tally, rows }
    }
}

fn count_hits(round: &Round) -> u32 {
    (0..SEATS).filter(|&position| round.base_points(position) > 0).count() as u32
}

/// Returns a declaration's number in its match from 1, by `round` from 1 and `position` from 0.
fn declaration_number(round: u64, position: usize) -> u64 {
    DECLARATIONS_PER_ROUND * (round - 1) + position as u64 + 1
}

fn log(
    config: &LiapConfig,
    selection: Selection,
    (index, start): (u64, &RoundStart),
    round: &Round,
    rows: &mut LiapRows,
) {
    let key = (index, u64::from(start.rounds) + 1);
    let kept = (0..SEATS).filter(|&position| selection.keeps(declaration_number(key.1, position)));
    let kept = kept.map(|position| declaration_row(config, key, round, position));
    let before = rows.declarations.len();
    rows.declarations.extend(kept);
    if rows.declarations.len() == before {
        return;
    }
    rows.rounds.push(RoundRow {
        key,
        redeals: round.deal.redeals,
        starter: round.deal.starter,
        starter_reason: round.deal.reason as usize,
        declared: round.total(),
        hits: count_hits(round),
        turns: round.turns,
        wins_beyond: round.wins_beyond,
        last_winner: round.last_winner,
    });
}

fn declaration_row(
    config: &LiapConfig,
    key: (u64, u64),
    round: &Round,
    position: usize,
) -> DeclarationRow {
    let Declaration { seat, context, raw, declared } = round.declarations[position];
    let (cards, by) = (&round.deal.cards[seat], config.seats[seat]);
    let hand = cards.hand();
    DeclarationRow {
        key,
        position,
        seat,
        declarer: by.declarer.name(),
        player: by.player.name(),
        hand: cards.to_string(),
        hand_mask: hand.0,
        openers: hand.openers().len(),
        red_general: hand.has_red_general(),
        combos: combos(hand),
        previous: joined(context.previous().iter().copied()),
        sum_before: context.sum(),
        forbidden: joined(context.forbidden().values()),
        raw,
        declared,
        moved: round.declarations[position].moved(),
        plan: plan(by.declarer, cards, &round.declarations[position]),
        captured: round.captured[seat],
        base_points: round.base_points(position),
        multiplier: round.deal.multiplier(),
    }
}

/// Returns, as text, the plays that a declaration counted on to win, which rounds do not store.
fn plan(declarer: Declarer, cards: &Cards, one: &Declaration) -> String {
    declarer.decide(cards, &one.context).final_plan().to_string()
}

/// Returns the types of all plays of two or more pieces in `hand`, joined by `;`.
fn combos(hand: Hand) -> String {
    let mut present = [false; PlayType::ALL.len()];
    for play in PLAYS.iter().filter(|play| play.pieces.without(hand).is_empty()) {
        present[play.kind as usize] = true;
    }
    let mut text = String::new();
    for kind in PlayType::ALL.into_iter().skip(1).filter(|&kind| present[kind as usize]) {
        push_separator(&mut text);
        text.push_str(kind.name());
    }
    text
}

fn joined(values: impl Iterator<Item = u8>) -> String {
    let mut text = String::new();
    for value in values {
        push_separator(&mut text);
        text.push_str(itoa::Buffer::new().format(value));
    }
    text
}

fn push_separator(text: &mut String) {
    if !text.is_empty() {
        text.push(';');
    }
}

fn match_row(config: &LiapConfig, played: &PlayedMatch, hits: u32) -> MatchRow {
    MatchRow {
        index: played.index,
        deals_seed: stream_seed(config.seed, Purpose::Deals, played.index),
        rounds: played.rounds,
        end: played.end as usize,
        winners: joined(played.winners().map(|seat| seat as u8)),
        scores: played.scores,
        hits,
    }
}
