//! Implements the declarers `v1`, the repository's rule when the plan for version 2 was written,
//! and `v1-rich`, the rule before.
//!
//! `v1` ignores the piles that earlier declarations leave, so four such players declare 11.5 piles
//! on average. The hand order of equally large combinations changes the value for 3.7 % of hands.

use super::super::hand::{Cards, Hand, Name, at_least};
use super::super::play::{PLAYS, Play, PlayType};
use super::{Context, DeclarationChoice, PILES, WinningPlays};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Weak,
    Normal,
    Strong,
}

impl Field {
    /// Classifies the earlier players by their mean declaration: weak up to `weak`/2, strong from
    /// `strong`/2 on, otherwise normal, also without earlier players.
    pub(super) fn from_context(context: &Context, weak: u8, strong: u8) -> Field {
        let (count, doubled) = (context.position(), 2 * context.sum());
        match count {
            0 => Field::Normal,
            _ if doubled <= weak * count => Field::Weak,
            _ if doubled >= strong * count => Field::Strong,
            _ => Field::Normal,
        }
    }
}

pub(super) fn decide(cards: &Cards, context: &Context) -> DeclarationChoice {
    let hand = cards.hand();
    let field = Field::from_context(context, 3, 6);
    let openers = hand.openers();
    let mut plan = WinningPlays::from_openers(Hand(0), openers);
    let best = best_combo(cards, field);
    let mut value = openers.len();
    if let Some(combo) = best {
        value = with_combo(openers, &combo, context.is_starter());
        if value > openers.len() {
            plan.extras = openers.without(combo.pieces);
            plan.add(combo.pieces.0);
        }
    }
    if hand.len() >= 6 && value < hand.len() {
        let aside = best.map_or(0, |combo| combo.pieces.0);
        let pairs = extra_pairs(hand.0 & !openers.0 & !aside, field);
        value = (value + if context.position() < 2 { pairs } else { pairs / 2 }).min(8);
    }
    let middling = hand.0 & at_least(7) & !at_least(11);
    if value == 0 && field == Field::Weak && middling.count_ones() >= 3 {
        value = 1;
    }
    let room = 8 - i32::from(context.sum());
    DeclarationChoice { value: value as u8, ..DeclarationChoice::planned(room, plan) }
        .nearest(context)
}

/// Returns the largest combination expected to win, the first in the order held among equals.
fn best_combo(cards: &Cards, field: Field) -> Option<Play> {
    let hand = cards.hand();
    let has_opener = !hand.openers().is_empty();
    let mut best: Option<(u32, u8, &Play)> = None;
    for play in PLAYS.iter().filter(|play| play.pieces.without(hand).is_empty()) {
        let larger = best.is_none_or(|(size, ..)| play.size() >= size);
        if larger && is_viable(play, field, has_opener) {
            let places = cards.positions(play.pieces);
            if best.is_none_or(|(size, first, _)| (play.size(), places) > (size, first)) {
                best = Some((play.size(), places, play));
            }
        }
    }
    best.map(|(.., play)| *play)
}

/// Returns true if a combination is expected to win. The original rule does not list doubles and
/// straights of five.
fn is_viable(play: &Play, field: Field, has_opener: bool) -> bool {
    let points = play.points();
    match play.kind {
        PlayType::Pair if has_opener => field == Field::Weak || points >= 10,
        PlayType::Pair => points >= 18,
        PlayType::Three => has_opener || points >= 12,
        PlayType::Straight | PlayType::Four => has_opener || points >= 20,
        PlayType::Extended4 | PlayType::Five => has_opener,
        PlayType::Single | PlayType::Extended5 | PlayType::Double => false,
    }
}

fn with_combo(openers: Hand, combo: &Play, starter: bool) -> u32 {
    let inside = Hand(openers.0 & combo.pieces.0).len();
    let (count, size) = (openers.len(), combo.size());
    let preferred = combo.kind != PlayType::Pair || combo.points() >= 18;
    if inside > 0 && count >= size && !(starter && preferred) {
        return count;
    }
    count - inside + size
}

/// Counts piece names that occur twice or more in `pieces`. Against strong players, fewer names
/// count.
fn extra_pairs(pieces: u32, field: Field) -> u32 {
    let names: &[Name] = match field {
        Field::Weak => &[Name::Horse, Name::Chariot, Name::Elephant],
        Field::Normal => &[Name::Chariot, Name::Elephant],
        Field::Strong => &[Name::Elephant],
    };
    names.iter().filter(|name| (pieces & name.mask()).count_ones() >= 2).count() as u32
}

pub(super) fn decide_rich(hand: Hand, context: &Context) -> DeclarationChoice {
    let field = Field::from_context(context, 2, 7);
    let room = (8 - i32::from(context.sum())).max(0);
    let worth = expected_opener_piles(hand.openers(), field);
    let mut plan = WinningPlays::from_openers(Hand(0), hand.openers());
    add_combos(hand, context, field, room, &mut plan);
    let mut value =
        plan.found().iter().map(|combo| combo.len()).sum::<u32>() + round_half_even(worth);
    if value == 0 {
        value = last_resort(hand, context, field);
    }
    if is_low(context) && hand.has_red_general() && field == Field::Weak {
        let elephants = Hand(hand.0 & at_least(9) & !at_least(11)).len();
        if elephants > 0 {
            value = value.max((elephants + 1).min(room as u32));
        }
    }
    let value = value.min(u32::from(PILES)) as u8;
    let planned =
        DeclarationChoice { value, ..DeclarationChoice::planned(room, plan) }.nearest(context);
    DeclarationChoice { value: planned.value.min(max_piles(hand, context.is_starter())), ..planned }
}

fn is_low(context: &Context) -> bool {
    context.position() > 0 && 2 * context.sum() <= context.position()
}

/// Returns how many piles the single pieces `openers` are expected to win, times 100.
fn expected_opener_piles(openers: Hand, field: Field) -> u32 {
    let generals = openers.at_least(13).len();
    let advisors = openers.len() - generals;
    let advisor = match field {
        Field::Weak => 100,
        Field::Normal => 85,
        Field::Strong => 70,
    };
    let bonus = match openers.len() {
        0 | 1 => 0,
        2 => 60,
        3 => 80,
        _ => 100,
    };
    100 * generals + advisor * advisors + bonus
}

const fn round_half_even(hundredths: u32) -> u32 {
    let (whole, rest) = (hundredths / 100, hundredths % 100);
    whole + (rest > 50 || rest == 50 && whole % 2 == 1) as u32
}

/// Adds to `plan` the combinations of at most `room` pieces that are expected to win, the largest
/// first, up to eight pieces in total. Combinations may share pieces.
fn add_combos(hand: Hand, context: &Context, field: Field, room: i32, plan: &mut WinningPlays) {
    let held =
        || PLAYS.iter().filter(|play| play.size() > 2 && play.pieces.without(hand).is_empty());
    let many_soldiers = held().any(|play| matches!(play.kind, PlayType::Four | PlayType::Five));
    let is_listed = |play: &Play| match play.kind {
        PlayType::Three => !many_soldiers,
        kind => kind != PlayType::Extended5,
    };
    let mut pieces = 0;
    for size in (3..=6).rev().filter(|&size| size as i32 <= room) {
        for play in held().filter(|play| play.size() == size && is_listed(play)) {
            if pieces + size <= 8 && is_viable_rich(play, hand, context, field) {
                pieces += size;
                plan.add(play.pieces.0);
            }
        }
    }
}

fn is_viable_rich(play: &Play, hand: Hand, context: &Context, field: Field) -> bool {
    if context.is_starter() || hand.has_red_general() && field != Field::Strong {
        return true;
    }
    let previous = context.previous();
    if previous.iter().all(|&value| value <= 1) {
        return play.size() == 3 && field == Field::Weak && play.points() >= 21;
    }
    previous.iter().any(|&value| value >= 3) && !is_rejected(play, previous, field)
}

fn is_rejected(play: &Play, previous: &[u8], field: Field) -> bool {
    let points = play.points();
    match (play.kind, field) {
        (PlayType::Straight, Field::Strong) => points < 24,
        (PlayType::Three, Field::Strong) => points < 15,
        (PlayType::Straight, _) => points < 21,
        (PlayType::Three, _) => points < 12 && previous == [3],
        _ => false,
    }
}

fn last_resort(hand: Hand, context: &Context, field: Field) -> u32 {
    let middling = Hand(hand.0 & at_least(7) & !at_least(11)).len();
    match field {
        Field::Weak if middling >= 3 => 2,
        Field::Weak if middling > 0 => 1,
        Field::Weak => 0,
        _ => u32::from(context.is_starter() && !hand.at_least(9).is_empty()),
    }
}

/// Returns the maximum declaration of a hand of only soldiers or only pieces above 7 points,
/// otherwise 255.
fn max_piles(hand: Hand, starter: bool) -> u8 {
    match () {
        () if hand.at_least(8) == hand => 4 + u8::from(starter),
        () if hand.at_least(3).is_empty() => 1 + u8::from(starter),
        () => u8::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openers_by_the_table() {
        let worth = |generals: u32, advisors: u32, field| {
            let (generals, advisors) = ((1 << generals) - 1, (1 << advisors) - 1);
            round_half_even(expected_opener_piles(Hand(generals << 30 | advisors << 26), field))
        };
        let rows = |generals| {
            [Field::Weak, Field::Normal, Field::Strong]
                .map(|field| [0, 1, 2, 3, 4].map(|advisors| worth(generals, advisors, field)))
        };
        assert_eq!(rows(0), [[0, 1, 3, 4, 5], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4]]);
        assert_eq!(rows(1), [[1, 3, 4, 5, 6], [1, 2, 4, 5, 5], [1, 2, 3, 4, 5]]);
        assert_eq!(rows(2), [[3, 4, 5, 6, 7], [3, 4, 5, 6, 6], [3, 4, 4, 5, 6]]);
    }
}
