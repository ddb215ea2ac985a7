//! A number of matches at once: what workers play, with the rows of the tables.

use super::config::LiapConfig;
use super::contest::Contest;
use super::declare::Declarer;
use super::hand::{Cards, Hand};
use super::play::{PLAYS, PlayType};
use super::round::{Declaration, Round, Standing};
use super::tally::Tally;
use crate::record::{DeclarationRow, LiapRows, MatchRow, RoundRow};
use crate::rng::{Purpose, stream_seed};

/// Matches of a batch.
const MATCHES: u64 = 64;

/// Some matches, played.
#[derive(Debug)]
pub struct Batch {
    /// What they came to.
    pub tally: Tally,
    /// Their rows.
    pub rows: LiapRows,
}

impl Batch {
    /// Plays the batch of this number, at most `limit` rounds of it.
    pub(super) fn play(config: &LiapConfig, number: u64, limit: u64) -> Batch {
        let kinds = config.kind_of_seats();
        let (mut tally, mut rows) = (Tally::new(config.kinds().len()), LiapRows::default());
        for index in number * MATCHES..(number + 1) * MATCHES {
            let left = limit - tally.rounds;
            if left == 0 {
                break;
            }
            let at = (config.seed, index);
            let contest =
                Contest::play(&config.seats, &config.rules, at, left, |standing, round| {
                    tally.see(&kinds, round);
                    if config.log.is_some() {
                        log(config, (index, standing), round, &mut rows);
                    }
                });
            tally.end(&kinds, &contest);
            rows.matches.push(match_row(config, &contest));
        }
        Batch { tally, rows }
    }
}

/// Adds the rows of a round.
fn log(
    config: &LiapConfig,
    (index, standing): (u64, &Standing),
    round: &Round,
    rows: &mut LiapRows,
) {
    let key = (index, u64::from(standing.rounds) + 1);
    let hits = (0..4).filter(|&position| round.base_points(position) > 0).count();
    rows.rounds.push(RoundRow {
        round: key,
        redeals: round.deal.redeals,
        starter: (round.deal.starter, round.deal.reason as usize),
        declared: round.total(),
        hits: hits as u32,
        turns: (round.turns, round.wins_beyond),
        last_winner: round.last_winner,
    });
    for position in 0..4 {
        rows.declarations.push(declaration_row(config, key, round, position));
    }
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
        round: key,
        place: (position, seat),
        by: (by.declarer.name(), by.player.name()),
        hand: (cards.to_string(), hand.0),
        openers: (hand.openers().len(), hand.has_red_general()),
        combos: combos(hand),
        previous: (joined(context.previous().iter().copied()), context.sum()),
        forbidden: joined(context.forbidden().values()),
        value: (raw, declared, round.declarations[position].moved()),
        plan: plan(by.declarer, cards, &round.declarations[position]),
        captured: round.captured[seat],
        points: (round.base_points(position), round.deal.multiplier()),
    }
}

/// The play list, which a declarer makes again for the table alone.
fn plan(declarer: Declarer, cards: &Cards, one: &Declaration) -> String {
    declarer.decide(cards, &one.context).final_plan().to_string()
}

/// Types of two pieces and more that a hand has.
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

/// Puts a `;` behind what stands before another value.
fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push(';');
    }
}

fn match_row(config: &LiapConfig, contest: &Contest) -> MatchRow {
    MatchRow {
        index: contest.index,
        seed: stream_seed(config.seed, Purpose::Deals, contest.index),
        rounds: contest.rounds,
        end: contest.end as usize,
        winners: joined(contest.winners().map(|seat| seat as u8)),
        scores: contest.scores,
    }
}
