//! Implements the declarers `v2-literal` and `v2-literal-singles`, which follow the pseudo-code of
//! the plan for version 2 to the letter. Overlapping combinations count in full, and values above 8
//! are possible. A player without an opener returns 0 before the forbidden values are checked.

use super::super::hand::Hand;
use super::super::play::PLAYS;
use super::v2::{best_of, passing, threshold};
use super::{Context, DeclarationChoice, WinningPlays};

/// Limit for strong plays: their mean points per piece are above this number.
const STRONG_MEAN: u32 = 6;

/// Flag for each entry of [`PLAYS`], true if the play is strong. Single pieces come first.
static STRONG: [bool; PLAYS.len()] = strong();

const fn strong() -> [bool; PLAYS.len()] {
    let mut all = [false; PLAYS.len()];
    let mut place = 0;
    while place < PLAYS.len() {
        let play = &PLAYS[place];
        let (mut left, mut points) = (play.pieces.0, 0);
        while left != 0 {
            points += super::super::piece::PieceKind::of(left.trailing_zeros()).points() as u32;
            left &= left - 1;
        }
        all[place] = points > STRONG_MEAN * play.size();
        place += 1;
    }
    all
}

/// Decides the declaration of a hand. If `singles` is true, single pieces count as combinations
/// too, as in the repository's enumeration.
pub(super) fn decide(hand: Hand, context: &Context, singles: bool) -> DeclarationChoice {
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
    plan.extras = best_of(passing(left.0, threshold(free.min(5))), free);
    if !context.is_starter() {
        plan.fit(room, Hand::points);
    }
    DeclarationChoice::planned(room, plan).nearest(context)
}
