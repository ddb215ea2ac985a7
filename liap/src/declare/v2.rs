//! Implements the declarers `v2`, the intent of the repository's plan for version 2, in which
//! strong combinations do not overlap and forbidden values are always checked, and `v2-literal`.

use super::super::hand::Hand;
use super::super::play::{Group, HIGH_BLACK, HIGH_RED, LOW_BLACK, LOW_RED, PLAYS};
use super::{Context, DeclarationChoice, WinningPlays};

/// Returns the minimum points for a single piece to be expected to win, if `room` piles are left.
pub(super) const fn threshold(room: i32) -> u8 {
    match room {
        ..=0 => 15,
        // "More than 13": the red general alone.
        1 => 14,
        2 => 13,
        3 | 4 => 12,
        _ => 11,
    }
}

#[inline]
pub(super) const fn pieces_from_threshold(hand: u32, threshold: u8) -> Hand {
    if threshold > 14 { Hand(0) } else { Hand(hand).at_least(threshold) }
}

#[inline]
pub(super) fn best_of(pieces: Hand, count: i32) -> Hand {
    let mut left = pieces;
    while left.len() as i32 > count.max(0) {
        left.0 &= left.0 - 1;
    }
    left
}

/// Returns `kind`, the bits of a pair, if `hand` has both pieces, otherwise 0.
#[inline]
pub(super) const fn pair(hand: u32, kind: u32) -> u32 {
    if hand & kind == kind { kind } else { 0 }
}

#[inline]
fn add_strong(hand: u32, plan: &mut WinningPlays) {
    for group in [&HIGH_BLACK, &HIGH_RED] {
        add_high(hand, group, plan);
    }
    plan.add_some(strong_red_low(hand));
    plan.add_some(pair(hand, LOW_BLACK.top));
}

/// Adds to `plan` one colour's straight of general, advisor and elephant pieces, or else the
/// colour's pairs.
#[inline]
pub(super) fn add_high(hand: u32, group: &Group, plan: &mut WinningPlays) {
    if group.is_whole(hand) {
        plan.add(hand & group.mask());
    } else {
        plan.add_some(pair(hand, group.middle));
        plan.add_some(pair(hand, group.low));
    }
}

/// Returns the strong combination (over 6 points per piece) of red chariots, horses and cannons in
/// `hand`, or 0.
#[inline]
fn strong_red_low(hand: u32) -> u32 {
    let chariots = pair(hand, LOW_RED.top);
    if chariots == 0 || !LOW_RED.is_whole(hand) {
        return chariots;
    }
    let cannon = hand & LOW_RED.low;
    chariots | hand & LOW_RED.middle | cannon & cannon.wrapping_neg()
}

#[inline]
pub(super) fn decide(hand: Hand, context: &Context) -> DeclarationChoice {
    let mut plan = WinningPlays::default();
    let room = 8 - i32::from(context.sum());
    if context.is_starter() {
        plan_plays(hand, room, &mut plan);
    } else {
        plan.opener = hand.openers().best();
        if room > 0 && !plan.opener.is_empty() {
            plan_plays(hand, room, &mut plan);
            plan.fit(room, Hand::points);
        } else {
            plan.opener = Hand(0);
        }
    }
    DeclarationChoice::planned(room, plan).nearest(context)
}

#[inline]
fn plan_plays(hand: Hand, room: i32, plan: &mut WinningPlays) {
    let mut left = hand.without(plan.opener);
    add_strong(left.0, plan);
    plan.found().iter().for_each(|&combo| left = left.without(combo));
    let free = room - plan.pieces() as i32;
    plan.extras = best_of(pieces_from_threshold(left.0, threshold(free.min(5))), free);
}

/// Mean points per piece that a strong play must exceed.
const STRONG_MEAN: u32 = 6;

static STRONG: [bool; PLAYS.len()] = strong();

const fn strong() -> [bool; PLAYS.len()] {
    let mut all = [false; PLAYS.len()];
    let mut place = 0;
    while place < PLAYS.len() {
        let play = &PLAYS[place];
        let (mut left, mut points) = (play.pieces.0, 0);
        while left != 0 {
            points +=
                super::super::hand::PieceKind::from_bit(left.trailing_zeros()).points() as u32;
            left &= left - 1;
        }
        all[place] = points > STRONG_MEAN * play.size();
        place += 1;
    }
    all
}

/// Decides how many piles to declare by the literal text of version 2's plan. `singles` counts
/// single pieces as combinations.
pub(super) fn decide_literal(hand: Hand, context: &Context, singles: bool) -> DeclarationChoice {
    let mut plan = WinningPlays::default();
    let room = 8 - i32::from(context.sum());
    if !context.is_starter() {
        plan.opener = hand.openers().best();
        if plan.opener.is_empty() {
            return DeclarationChoice::early(room);
        }
    }
    let mut left = hand.without(plan.opener);
    let whole = left;
    for (play, _) in PLAYS.iter().zip(STRONG).filter(|(_, strong)| *strong) {
        if play.pieces.without(whole).is_empty() && (singles || play.size() > 1) {
            plan.add(play.pieces.0);
            left = left.without(play.pieces);
        }
    }
    let free = room - plan.pieces() as i32;
    plan.extras = best_of(pieces_from_threshold(left.0, threshold(free.min(5))), free);
    if !context.is_starter() {
        plan.fit(room, Hand::points);
    }
    DeclarationChoice::planned(room, plan).nearest(context)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cards;
    use crate::play::{PLAYS, Play};

    /// Returns the strong combinations taken from a hand one by one, the largest first.
    fn greedy(hand: Hand) -> Vec<Hand> {
        let (mut left, mut taken) = (hand, Vec::new());
        loop {
            let fits = |play: &&Play| {
                play.size() > 1
                    && play.pieces.without(left).is_empty()
                    && play.points() > 6 * play.size()
            };
            let best = PLAYS.iter().filter(fits).max_by_key(|play| (play.size(), play.points()));
            let Some(best) = best else { return taken };
            left = left.without(best.pieces);
            taken.push(best.pieces);
        }
    }

    #[test]
    fn the_closed_form_is_the_greedy_choice() {
        let kinds = |hands: &[Hand]| {
            let mut all: Vec<String> = hands.iter().map(Hand::to_string).collect();
            all.sort();
            all
        };
        let mut compared = 0;
        for (hand, _) in crate::hand::multisets().step_by(7) {
            let mut plan = WinningPlays::default();
            add_strong(hand.0, &mut plan);
            assert_eq!(kinds(plan.found()), kinds(&greedy(hand)), "{hand}");
            compared += plan.found().len();
        }
        assert!(compared > 5000, "{compared}");
    }

    #[test]
    fn thresholds_by_room() {
        let thresholds: Vec<u8> = (-1..=8).map(threshold).collect();
        assert_eq!(thresholds, [15, 15, 14, 13, 12, 12, 11, 11, 11, 11]);
        let hand = "GgAaE".parse::<Cards>().unwrap().hand();
        let passing = [1, 2, 5].map(|room| pieces_from_threshold(hand.0, threshold(room)).len());
        assert_eq!(passing, [1, 2, 4]);
    }

    #[test]
    fn what_does_not_fit_is_dropped_cheapest_first() {
        let hand: Cards = "gAARReeh".parse().unwrap();
        let decided = decide(hand.hand(), &Context::new(&[3], false).unwrap());
        let DeclarationChoice { plan, value, .. } = decided;
        assert_eq!(plan.found().len(), 3, "{plan}");
        assert_eq!((plan.to_string(), value), ("ee+AA+g".to_owned(), 5));
    }
}
