//! Implements the declarers `v2-upstream` and `v2-late`, the repository's early and last version 2.
//!
//! Combinations of three or more pieces and pairs of chariots or stronger pieces are strong. For a
//! forbidden value, the plays are chosen again from a few simple options.

use super::super::hand::Hand;
use super::super::play::{
    Group, HIGH_BLACK, HIGH_RED, LOW_BLACK, LOW_RED, PLAYS, Play, PlayType, SOLDIERS,
};
use super::v2::{add_high, best_of, pair, pieces_from_threshold, threshold};
use super::{Context, DeclarationChoice, WinningPlays};

/// Minimum sum of both pieces' points in a pair that is expected to win.
const STRONG_PAIR: u32 = 13;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Early declaration rule: the points that an opener (winning single piece) needs depend on the
    /// piles left. Without an opener, only the starter declares more than 0.
    Early,
    /// Late declaration rule: an opener needs 11 points, and further openers fill the unused piles.
    Late,
}

pub(super) fn decide(hand: Hand, context: &Context, form: Form) -> DeclarationChoice {
    let room = count_free_piles(hand, context, form);
    let mut plan = WinningPlays::default();
    if context.is_starter() {
        plan_plays(hand, room, None, &mut plan);
    } else {
        let needed = if form == Form::Late { 11 } else { threshold(room) };
        plan.opener = if room > 0 { pieces_from_threshold(hand.0, needed).best() } else { Hand(0) };
        if !plan.opener.is_empty() {
            plan_plays(hand, room, Some(needed), &mut plan);
            plan.fit(room, rank_for_dropping);
            if form == Form::Late {
                refill(hand, room, &mut plan);
            }
        } else if form == Form::Early {
            return DeclarationChoice::early(room);
        }
    }
    let decision = DeclarationChoice::planned(room, plan);
    if context.forbidden().contains(decision.value) {
        return rebuilt(hand, context, form, decision);
    }
    decision
}

/// Returns how many of eight piles the earlier declarations leave. If their sum exceeds 8, the
/// last one is ignored. With the red general, the late rule counts only the first one.
fn count_free_piles(hand: Hand, context: &Context, form: Form) -> i32 {
    let taken = match context.previous() {
        [starter, ..] if form == Form::Late && hand.has_red_general() => *starter,
        _ if context.sum() > 8 => context.sum() - context.last(),
        _ => context.sum(),
    };
    (8 - i32::from(taken)).max(0)
}

/// Adds the combinations and single pieces expected to win to `plan`. `needed` is a single piece's
/// minimum points; without a value, the piles left decide.
#[inline]
fn plan_plays(hand: Hand, room: i32, needed: Option<u8>, plan: &mut WinningPlays) {
    let mut left = hand.without(plan.opener);
    add_strong(left.0, plan);
    plan.found().iter().for_each(|&combo| left = left.without(combo));
    let free = room - plan.pieces() as i32;
    plan.extras = best_of(pieces_from_threshold(left.0, needed.unwrap_or(threshold(free))), free);
}

#[inline]
fn add_strong(hand: u32, plan: &mut WinningPlays) {
    add_low(hand, &LOW_BLACK, plan);
    add_low(hand, &LOW_RED, plan);
    add_high(hand, &HIGH_BLACK, plan);
    add_high(hand, &HIGH_RED, plan);
    for soldiers in SOLDIERS {
        if (hand & soldiers).count_ones() >= 3 {
            plan.add(hand & soldiers);
        }
    }
}

#[inline]
fn add_low(hand: u32, group: &Group, plan: &mut WinningPlays) {
    let combo = if group.is_whole(hand) { group.mask() & hand } else { pair(hand, group.top) };
    plan.add_some(combo);
}

fn rank_for_dropping(combo: Hand) -> (u8, u32, u32) {
    let of_type = match Play::from_hand(combo).map(|play| play.kind) {
        Some(PlayType::Five) => 6,
        Some(PlayType::Four) => 5,
        Some(PlayType::Extended4 | PlayType::Extended5 | PlayType::Double) => 4,
        Some(PlayType::Straight) => 3,
        Some(PlayType::Three) => 2,
        _ => 1,
    };
    (of_type, combo.len(), combo.points())
}

/// Adds openers (pieces of at least 11 points) of further kinds, up to `room` planned pieces.
fn refill(hand: Hand, room: i32, plan: &mut WinningPlays) {
    let listed = plan.remaining().fold(plan.openers().0, |listed, combo| listed | combo.0);
    let kinds = Hand(listed).kinds().fold(0, |kinds, kind| kinds | kind.mask());
    let more = best_of(hand.openers().without(Hand(kinds)), room - plan.pieces() as i32);
    plan.extras.0 |= more.0;
}

/// Replaces a forbidden declaration by the largest allowed one from an opener, a combination or two
/// of these, otherwise by 0 or 1.
#[cold]
fn rebuilt(
    hand: Hand,
    context: &Context,
    form: Form,
    decision: DeclarationChoice,
) -> DeclarationChoice {
    let forbidden = context.forbidden();
    let late = form == Form::Late;
    let room = if late && context.nonzero { decision.room.max(1) } else { decision.room };
    let needed = if late { 11 } else { threshold(room) };
    let openers = pieces_from_threshold(hand.0, needed);
    let mut best = WinningPlays::default();
    let mut consider = |plan: WinningPlays| {
        let pieces = plan.pieces();
        let order = |plan: &WinningPlays| {
            let points: u32 =
                plan.remaining().map(Hand::points).sum::<u32>() + plan.openers().points();
            (plan.pieces(), plan.found().len().min(1), points)
        };
        if pieces as i32 <= room && !forbidden.contains(pieces as u8) && order(&plan) > order(&best)
        {
            best = plan;
        }
    };
    let strong =
        || PLAYS.iter().filter(move |play| is_strong(play) && play.pieces.without(hand).is_empty());
    if !context.is_starter() {
        each_piece(openers, |one| {
            consider(single(one));
            // Two pieces of one kind count as two openers; a combination excludes openers of its
            // own kinds.
            each_piece(openers.without(one), |two| consider(single(Hand(one.0 | two.0))));
        });
    }
    for combo in strong().map(|play| play.pieces) {
        if context.is_starter() || !late {
            consider(with_combo(Hand(0), combo));
        }
        let kinds = combo.kinds().fold(0, |kinds, kind| kinds | kind.mask());
        each_piece(openers.without(Hand(kinds)), |one| consider(with_combo(one, combo)));
        if context.is_starter() {
            for other in strong().filter(|other| other.pieces.0 & kinds == 0) {
                let mut plan = with_combo(Hand(0), combo);
                plan.add(other.pieces.0);
                consider(plan);
            }
        }
    }
    if best.pieces() == 0 && late && forbidden.contains(0) && room > 0 {
        best = single(Hand(hand.0 & hand.0.wrapping_neg()));
    }
    DeclarationChoice { value: best.pieces() as u8, rebuilt: Some(best), ..decision }
}

fn is_strong(play: &Play) -> bool {
    play.size() > 2 || play.kind == PlayType::Pair && play.points() >= STRONG_PAIR
}

fn single(pieces: Hand) -> WinningPlays {
    WinningPlays::from_openers(pieces, Hand(0))
}

fn with_combo(opener: Hand, combo: Hand) -> WinningPlays {
    let mut plan = single(opener);
    plan.add(combo.0);
    plan
}

fn each_piece(pieces: Hand, mut work: impl FnMut(Hand)) {
    let mut left = pieces;
    while !left.is_empty() {
        work(left.best());
        left = left.without(left.best());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greedy_sizes(hand: Hand) -> Vec<u32> {
        let (mut left, mut sizes) = (hand, Vec::new());
        loop {
            let fits = |play: &&Play| is_strong(play) && play.pieces.without(left).is_empty();
            let Some(best) = PLAYS.iter().filter(fits).max_by_key(|play| play.size()) else {
                sizes.sort_unstable();
                return sizes;
            };
            left = left.without(best.pieces);
            sizes.push(best.size());
        }
    }

    #[test]
    fn the_closed_form_is_the_greedy_choice() {
        for (hand, _) in crate::hand::multisets().step_by(7) {
            let mut plan = WinningPlays::default();
            add_strong(hand.0, &mut plan);
            let mut sizes: Vec<u32> = plan.found().iter().map(|combo| combo.len()).collect();
            sizes.sort_unstable();
            assert_eq!(sizes, greedy_sizes(hand), "{hand}");
        }
    }

    #[test]
    fn fit_by_the_cases_of_the_repository() {
        let kept = |room: i32| {
            let mut plan = WinningPlays::default();
            let pieces = |text: &str| text.parse::<crate::Cards>().unwrap().hand();
            plan.opener = pieces("g");
            plan.add(pieces("SSSS").0);
            plan.add(pieces("rhc").0);
            plan.fit(room, rank_for_dropping);
            plan.pieces()
        };
        assert_eq!([8, 7, 5, 4, 1].map(kept), [8, 5, 5, 1, 1]);
    }
}
