//! Plays matches in batches, the unit of work of a run, and collects their table rows.

use super::config::LiapConfig;
use super::contest::PlayedMatch;
use super::declare::Declarer;
use super::hand::{Cards, Hand};
use super::play::{PLAYS, PlayType};
use super::round::{Declaration, Round, RoundStart, SEATS};
use super::tally::Tally;
use crate::record::Selection;
use crate::rng::{Purpose, stream_seed};
use crate::tables::{DeclarationRow, LiapRows, MatchRow, RoundRow};

/// Number of matches in a batch.
pub(super) const MATCHES_PER_BATCH: u64 = 64;

/// Number of declarations in a round.
const DECLARATIONS_PER_ROUND: u64 = SEATS as u64;

/// The results of a batch of matches.
#[derive(Debug)]
pub struct Batch {
    /// Counts over the played matches.
    pub tally: Tally,
    /// Table rows of the played matches.
    pub rows: LiapRows,
}

impl Batch {
    /// Plays the matches of batch `number` that are part of the run, with at most `limit` rounds in
    /// total.
    pub(super) fn play(config: &LiapConfig, number: u64, limit: u64) -> Batch {
        let (kinds, all) = (config.kind_of_seats(), config.matches());
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
            let (first, mut hits) = (rows.places(), 0);
            let contest =
                PlayedMatch::play(&config.seats, &config.rules, at, left, |start, round| {
                    tally.see(&kinds, round);
                    hits += count_hits(round);
                    if let Some(selection) = selection {
                        log(config, selection, (index, start), round, &mut rows);
                    }
                });
            if let Some(selection @ Selection { only_last: Some(_), .. }) = selection {
                let last = selection.for_length(DECLARATIONS_PER_ROUND * u64::from(contest.rounds));
                rows.keep_from(first, |round, position| last.keeps(number_of(round, position)));
            }
            tally.end(&kinds, &contest);
            rows.matches.push(match_row(config, &contest, hits));
        }
        Batch { tally, rows }
    }
}

/// Returns the number of players in a round who captured exactly the piles that they declared.
fn count_hits(round: &Round) -> u32 {
    (0..SEATS).filter(|&position| round.base_points(position) > 0).count() as u32
}

/// Returns the number of a declaration in its match, counted from 1. `round` is counted from 1, and
/// `position` from 0.
fn number_of(round: u64, position: usize) -> u64 {
    DECLARATIONS_PER_ROUND * (round - 1) + position as u64 + 1
}

/// Appends the table rows of a round to `rows`: one for each declaration that `selection` includes.
/// If there is at least one, the row of the round is appended too.
fn log(
    config: &LiapConfig,
    selection: Selection,
    (index, start): (u64, &RoundStart),
    round: &Round,
    rows: &mut LiapRows,
) {
    let key = (index, u64::from(start.rounds) + 1);
    let kept = (0..SEATS).filter(|&position| selection.keeps(number_of(key.1, position)));
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

/// Returns the plays with which `declarer` intends to win, as text. The declaration is decided
/// again, because rounds do not store these plays.
fn plan(declarer: Declarer, cards: &Cards, one: &Declaration) -> String {
    declarer.decide(cards, &one.context).final_plan().to_string()
}

/// Returns the play types of two or more pieces that `hand` contains, as names joined by `;`.
fn combos(hand: Hand) -> String {
    let mut present = [false; PlayType::ALL.len()];
    for play in PLAYS.iter().filter(|play| play.pieces.without(hand).is_empty()) {
        present[play.kind as usize] = true;
    }
    let mut text = String::new();
    for kind in PlayType::ALL.into_iter().skip(1).filter(|&kind| present[kind as usize]) {
        separate(&mut text);
        text.push_str(kind.name());
    }
    text
}

fn joined(values: impl Iterator<Item = u8>) -> String {
    let mut text = String::new();
    for value in values {
        separate(&mut text);
        text.push_str(itoa::Buffer::new().format(value));
    }
    text
}

/// Appends a `;` to `text` unless `text` is empty.
fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push(';');
    }
}

fn match_row(config: &LiapConfig, contest: &PlayedMatch, hits: u32) -> MatchRow {
    MatchRow {
        index: contest.index,
        deals_seed: stream_seed(config.seed, Purpose::Deals, contest.index),
        rounds: contest.rounds,
        end: contest.end as usize,
        winners: joined(contest.winners().map(|seat| seat as u8)),
        scores: contest.scores,
        hits,
    }
}
