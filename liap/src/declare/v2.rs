//! `v2`: the seed's plan as it is meant. Strong combinations do not overlap, singles are none, and
//! the rules' forbidden values are always looked at.

use super::super::hand::Hand;
use super::super::play::{Group, HIGH_BLACK, HIGH_RED, LOW_BLACK, LOW_RED};
use super::{Context, DeclarationChoice, WinningPlays};

/// Points that a single piece needs, by room: the seed's `get_piece_threshold`. Nothing has 15.
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

/// The pieces of a hand that a threshold lets pass.
#[inline]
pub(super) const fn passing(hand: u32, threshold: u8) -> Hand {
    if threshold > 14 { Hand(0) } else { Hand(hand).at_least(threshold) }
}

/// Up to `count` of some pieces, the best first.
#[inline]
pub(super) fn best_of(pieces: Hand, count: i32) -> Hand {
    let mut left = pieces;
    while left.len() as i32 > count.max(0) {
        left.0 &= left.0 - 1;
    }
    left
}

/// The pieces of a kind when a hand has both of them, otherwise none.
#[inline]
pub(super) const fn pair(hand: u32, kind: u32) -> u32 {
    if hand & kind == kind { kind } else { 0 }
}

/// Strong combinations, those of more than 6 points a piece: the largest first, then the most
/// points, without overlap. They share pieces only within a group, so that each group is a case.
#[inline]
fn add_strong(hand: u32, plan: &mut WinningPlays) {
    for group in [&HIGH_BLACK, &HIGH_RED] {
        add_high(hand, group, plan);
    }
    plan.add_some(strong_red_low(hand));
    plan.add_some(pair(hand, LOW_BLACK.top));
}

/// General, advisors and elephants: all of them when each name is there, otherwise pairs.
#[inline]
pub(super) fn add_high(hand: u32, group: &Group, plan: &mut WinningPlays) {
    if group.is_whole(hand) {
        plan.add(hand & group.mask());
    } else {
        plan.add_some(pair(hand, group.middle));
        plan.add_some(pair(hand, group.low));
    }
}

/// Red chariots, horses and cannons have more than 6 points a piece only as RRHHC (6.4), RRHC (6.5)
/// and RR: with a chariot short, or with two cannons, they come to 6 at most.
#[inline]
fn strong_red_low(hand: u32) -> u32 {
    let chariots = pair(hand, LOW_RED.top);
    if chariots == 0 || !LOW_RED.is_whole(hand) {
        return chariots;
    }
    let cannon = hand & LOW_RED.low;
    chariots | hand & LOW_RED.middle | cannon & cannon.wrapping_neg()
}

/// The decision of a hand.
#[inline]
pub(super) fn decide(hand: Hand, context: &Context) -> DeclarationChoice {
    let mut plan = WinningPlays::default();
    let room = 8 - i32::from(context.sum());
    if context.is_starter() {
        fill(hand, room, &mut plan);
    } else {
        plan.opener = hand.openers().best();
        if room > 0 && !plan.opener.is_empty() {
            fill(hand, room, &mut plan);
            plan.fit(room, Hand::points);
        } else {
            plan.opener = Hand(0);
        }
    }
    DeclarationChoice::planned(room, plan).nearest(context)
}

/// Adds combinations and then as many single pieces as the room that is left has a threshold for.
/// The seed lowers the room step by step, but thresholds only rise as it shrinks: the first step
/// takes all that any takes.
#[inline]
fn fill(hand: Hand, room: i32, plan: &mut WinningPlays) {
    let mut left = hand.without(plan.opener);
    add_strong(left.0, plan);
    plan.found().iter().for_each(|&combo| left = left.without(combo));
    let free = room - plan.pieces() as i32;
    plan.extras = best_of(passing(left.0, threshold(free.min(5))), free);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cards, PLAYS, Play};

    /// The rule that [`add_strong`] is a closed form of: all strong combinations, greedily.
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

    /// Sizes agree, kind by kind, on hands of every kind-multiset that has a pair or a straight.
    #[test]
    fn the_closed_form_is_the_greedy_choice() {
        let kinds = |hands: &[Hand]| {
            let mut all: Vec<String> = hands.iter().map(Hand::to_string).collect();
            all.sort();
            all
        };
        let mut compared = 0;
        for (hand, _) in crate::distribution::multisets().step_by(7) {
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
        let passing = [1, 2, 5].map(|room| passing(hand.0, threshold(room)).len());
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
