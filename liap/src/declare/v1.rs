//! Implements the declarer `v1`, the repository's rule at the time when the plan for version 2 was
//! written.
//!
//! The rule ignores the piles that earlier declarations leave, so the declarations of four such
//! players sum to 11.5 on average. Among equally large combinations, the first in hand order is
//! chosen. This order changes the value for 3.7 % of hands.

use super::super::hand::{Cards, Hand};
use super::super::piece::{Name, at_least};
use super::super::play::{PLAYS, Play, PlayType};
use super::{Context, DeclarationChoice, WinningPlays};

/// The strength of the field: the level of the earlier declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Weak,
    Normal,
    Strong,
}

impl Field {
    /// Classifies the mean of the earlier declarations: weak up to `weak`/2, strong from `strong`/2
    /// on, otherwise normal. Returns normal for the starter, who has no earlier declarations.
    pub(super) fn of(context: &Context, weak: u8, strong: u8) -> Field {
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
    let field = Field::of(context, 3, 6);
    let openers = hand.openers();
    let mut plan = WinningPlays::of_openers(Hand(0), openers);
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

/// Returns the largest viable combination, or `None`. Among combinations of equal size, the first
/// in hand order is chosen.
fn best_combo(cards: &Cards, field: Field) -> Option<Play> {
    let hand = cards.hand();
    let has_opener = !hand.openers().is_empty();
    let mut best: Option<(u32, u8, &Play)> = None;
    for play in PLAYS.iter().filter(|play| play.pieces.without(hand).is_empty()) {
        let larger = best.is_none_or(|(size, ..)| play.size() >= size);
        if larger && is_viable(play, field, has_opener) {
            let places = cards.places(play.pieces);
            if best.is_none_or(|(size, first, _)| (play.size(), places) > (size, first)) {
                best = Some((play.size(), places, play));
            }
        }
    }
    best.map(|(.., play)| *play)
}

/// Returns true if the rule counts on winning with a combination. Extended straights of five and
/// doubles are never viable, since the repository's list lacks both.
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

/// Returns the declaration of the openers together with the best combination. `starter` is true if
/// the player declares first.
fn with_combo(openers: Hand, combo: &Play, starter: bool) -> u32 {
    let inside = Hand(openers.0 & combo.pieces.0).len();
    let (count, size) = (openers.len(), combo.size());
    let preferred = combo.kind != PlayType::Pair || combo.points() >= 18;
    if inside > 0 && count >= size && !(starter && preferred) {
        return count;
    }
    count - inside + size
}

/// Counts the names of which `pieces` has two or more, in any colours. In a stronger field, only
/// stronger names count.
fn extra_pairs(pieces: u32, field: Field) -> u32 {
    let names: &[Name] = match field {
        Field::Weak => &[Name::Horse, Name::Chariot, Name::Elephant],
        Field::Normal => &[Name::Chariot, Name::Elephant],
        Field::Strong => &[Name::Elephant],
    };
    names.iter().filter(|name| (pieces & name.mask()).count_ones() >= 2).count() as u32
}
