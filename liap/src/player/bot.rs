//! `bot`: the repository's strategy for turns.
//!
//! It sees its own cards, what it declared and captured, the number of the turn and all
//! declarations; not what was played. Its plan is made anew each turn: openers and combinations to
//! win with, two small pieces in reserve, and a burden to be rid of.

use super::super::hand::Hand;
use super::super::held::{
    TWINS, bits, highest, kind, pairs, straight, strongest, strongest_play, weakest, weakest_play,
};
use super::super::piece::at_least;
use super::super::play::{Group, HIGH_BLACK, HIGH_RED, LOW_BLACK, LOW_RED, Play, SOLDIERS};
use super::TurnView;
use crate::rng::Stream;

/// How high all four have declared together; not the field of the declarers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldStrength {
    Weak,
    Normal,
    Strong,
}

impl FieldStrength {
    /// A mean up to 2 is weak, from 3.5 strong.
    fn of(total: u8) -> FieldStrength {
        match total {
            ..=8 => FieldStrength::Weak,
            9..=13 => FieldStrength::Normal,
            _ => FieldStrength::Strong,
        }
    }

    /// Points of each piece of a pair that is counted on.
    fn pair_points(self) -> u8 {
        match self {
            FieldStrength::Weak => 5,
            FieldStrength::Normal => 7,
            FieldStrength::Strong => 9,
        }
    }
}

/// How pressing it is to capture.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Urgency {
    /// Nothing is needed.
    None,
    /// Less than three quarters of the turns that may be left are needed.
    Low,
    High,
    /// All of them.
    Critical,
}

impl Urgency {
    /// It takes a round for eight turns, though larger plays shorten it.
    fn of(need: i32, turn: u32) -> Urgency {
        let left = 8 - turn as i32;
        match () {
            () if need <= 0 => Urgency::None,
            () if left <= 0 || need >= left => Urgency::Critical,
            () if 4 * need >= 3 * left => Urgency::High,
            () => Urgency::Low,
        }
    }
}

/// What each of a bot's cards is meant for.
struct Plan {
    /// To win with, one by one.
    openers: u32,
    /// Pairs to win with.
    pairs: u32,
    /// Other combinations: one of three soldiers for each colour, two straights at most in a hand.
    combos: [u32; 4],
    count: usize,
    /// The pieces of all combinations.
    used: u32,
}

impl Plan {
    /// Combinations are looked through from small to large, and taken if they overlap nothing taken
    /// before: so three soldiers block four and five, and pairs and straights every extended straight.
    /// A leader takes high straights and pairs of advisors before openers, which they release.
    #[inline]
    fn of(view: &TurnView, need: i32, leads: bool) -> Plan {
        let (held, left) = (view.held, view.held.left().0);
        let openers = held.first(left & at_least(11), need.clamp(0, 2) as u32);
        let mut plan = Plan { openers, pairs: 0, combos: [0; 4], count: 0, used: 0 };
        plan.take_pairs(pairs(left, FieldStrength::of(view.total).pair_points()), leads);
        for soldiers in SOLDIERS.map(|kind| kind & left) {
            if soldiers.count_ones() >= 3 {
                plan.add(strongest(soldiers, 3));
            }
        }
        for group in [&HIGH_RED, &HIGH_BLACK] {
            if group.is_whole(left) {
                plan.add_high(left, group, leads);
            }
        }
        for group in [&LOW_RED, &LOW_BLACK] {
            while let Some(combo) = straight(left & !plan.used, group) {
                plan.add(combo);
            }
        }
        plan
    }

    #[inline]
    fn add(&mut self, combo: u32) {
        self.combos[self.count] = combo;
        self.count += 1;
        self.used |= combo;
    }

    #[inline]
    fn take_pairs(&mut self, found: u32, leads: bool) {
        // Of advisors one may be an opener: then so is the first of them.
        let held_back = if leads { 0 } else { whole_pairs(found & self.openers) };
        self.pairs = found & !held_back;
        self.used = self.pairs;
        self.openers &= !self.pairs;
    }

    /// Leaders' straights overlap what they will when an opener is in them, the first that is looked
    /// at releases all of those.
    #[inline]
    fn add_high(&mut self, left: u32, group: &Group, leads: bool) {
        let releases = leads && group.mask() & self.openers != 0;
        let free = if releases { left } else { left & !self.used & !self.openers };
        if let Some(combo) = straight(free, group) {
            if releases {
                self.openers &= !group.mask();
            }
            self.add(combo);
        }
    }

    /// Whether it has openers and nothing else to win with.
    fn is_openers_only(&self) -> bool {
        self.openers != 0 && self.used == 0
    }

    /// All combinations.
    fn combos(&self) -> impl Iterator<Item = u32> {
        let pairs = bits(self.pairs & self.pairs >> 1 & TWINS).map(|low| low | low << 1);
        pairs.chain(self.combos[..self.count].iter().copied())
    }
}

/// Both copies of each kind of which one is given.
const fn whole_pairs(cards: u32) -> u32 {
    cards | (cards & TWINS) << 1 | (cards & TWINS << 1) >> 1
}

/// Of the free cards, the two weakest of up to four points are kept back; the rest is burden.
#[inline]
fn reserve(free: u32) -> u32 {
    weakest(free & !at_least(5), 2)
}

/// Whether a bot with nothing but openers to win with brings one now: the sooner the fewer cards.
fn times_opener(view: &TurnView, choices: &mut Stream) -> bool {
    let hundredths = match view.held.left().len() {
        6.. => 35,
        4 | 5 => 40,
        _ => 50,
    };
    choices.below(100) < hundredths
}

/// Whether a combination is too large, or too good, for what is needed.
fn is_risky(combo: u32, need: i32, field: FieldStrength) -> bool {
    let size = combo.count_ones();
    let too_large = size as i32 > need && (size > 1 || need > 0);
    let too_good = || {
        field == FieldStrength::Weak && matches!(need, 1 | 2) && Hand(combo).points() >= 7 * size
    };
    too_large || too_good()
}

/// The play of a leader: legal, of any size.
pub(super) fn lead(view: &TurnView, choices: &mut Stream) -> Hand {
    let (held, need) = (view.held, view.need());
    let plan = Plan::of(view, need, true);
    let size = match need {
        _ if plan.is_openers_only() && times_opener(view, choices) => 1,
        ..=0 => 1,
        _ => (need as u32).min(held.left().len()).min(6),
    };
    Hand(led(view, &plan, size, choices).unwrap_or_else(|| held.first(held.left().0, 1)))
}

/// The play of a size that a leader settles for, step by step; none when there is no legal one.
fn led(view: &TurnView, plan: &Plan, size: u32, choices: &mut Stream) -> Option<u32> {
    let (left, need) = (view.held.left().0, view.need());
    let urgency = Urgency::of(need, view.turn);
    if urgency == Urgency::Critical
        && let Some(play) = strongest_play(left, size)
    {
        return Some(play);
    }
    if let Some(combo) = planned_combo(view, plan, size) {
        return Some(combo);
    }
    let free = left & !plan.openers & !plan.used;
    if urgency == Urgency::Low {
        let best = strongest(free & !reserve(free), size);
        if best.count_ones() == size && is_legal(best) {
            return Some(best);
        }
    }
    if need <= 0 {
        return Some(weakest(left, 1));
    }
    if let Some(drawn) = drawn(free, size, choices) {
        if is_legal(drawn) {
            return Some(drawn);
        }
        // In the order of burden and reserve the first combination is the strongest.
        if let Some(play) = strongest_play(free, size) {
            return Some(play);
        }
    }
    weakest_play(left, size)
}

/// A combination of the plan that is not risky: the first in hand order of that size, or else the
/// highest of a smaller one.
fn planned_combo(view: &TurnView, plan: &Plan, size: u32) -> Option<u32> {
    let (held, need, field) = (view.held, view.need(), FieldStrength::of(view.total));
    let rank = |&combo: &u32| {
        let same_size = combo.count_ones() == size;
        let worth = if same_size { (0, 0) } else { (type_rank(combo), Hand(combo).points()) };
        (same_size, worth, held.order(combo))
    };
    let fits = |combo: &u32| combo.count_ones() <= size && !is_risky(*combo, need, field);
    plan.combos().filter(fits).max_by_key(rank)
}

/// Pairs before threes before straights: the types that plans hold.
const fn type_rank(combo: u32) -> u8 {
    match combo.count_ones() {
        2 => 0,
        _ if combo & at_least(3) == 0 => 1,
        _ => 2,
    }
}

fn is_legal(cards: u32) -> bool {
    cards.count_ones() == 1 || Play::of(Hand(cards)).is_some()
}

/// So many of some cards, each choice equally likely; none when there are too few.
pub(super) fn drawn(among: u32, count: u32, choices: &mut Stream) -> Option<u32> {
    let mut left = among;
    if left.count_ones() < count {
        return None;
    }
    for _ in 0..count {
        let skipped = choices.below(left.count_ones());
        left &= !weakest(left & !weakest(left, skipped), 1);
    }
    Some(among & !left)
}

/// The play of a follower, of as many pieces as the leader's, legal or not.
#[inline]
pub(super) fn follow(view: &TurnView, size: u32, choices: &mut Stream) -> Hand {
    let (left, need) = (view.held.left().0, view.need());
    let plan = Plan::of(view, need, false);
    if size == 1 && plan.is_openers_only() && times_opener(view, choices) {
        return Hand(highest(plan.openers));
    }
    if Urgency::of(need, view.turn) == Urgency::Critical
        && let Some(play) = strongest_play(left, size)
    {
        return Hand(play);
    }
    Hand(discard(left, &plan, size, need))
}

/// Burden first, the strongest first; then reserve, openers and combinations, the weakest first. Who
/// needs one or two, and fewer than are asked for, gives pieces of different names.
#[inline]
fn discard(left: u32, plan: &Plan, size: u32, need: i32) -> u32 {
    let free = left & !plan.openers & !plan.used;
    let reserve = reserve(free);
    let groups = [(free & !reserve, true), (reserve, true), (plan.openers, false), (left, false)];
    let mut taken = 0;
    for (place, (among, strongest_first)) in groups.into_iter().enumerate() {
        let (among, missing) = (among & !taken, size - taken.count_ones());
        if among.count_ones() >= missing {
            return match () {
                () if matches!(need, 1 | 2) && size as i32 > need => {
                    names_first(&groups[..=place], size)
                }
                () if strongest_first => taken | strongest(among, missing),
                () => taken | weakest(among, missing),
            };
        }
        taken |= among;
    }
    taken
}

/// One card of each name among the groups, in order, then whatever comes first.
#[cold]
fn names_first(groups: &[(u32, bool)], size: u32) -> u32 {
    let (mut order, mut count, mut seen) = ([0; 8], 0, 0);
    for (among, strongest_first) in groups {
        let mut left = among & !seen;
        seen |= among;
        while left != 0 {
            let card = if *strongest_first { highest(left) } else { weakest(left, 1) };
            left &= !card;
            order[count] = card;
            count += 1;
        }
    }
    let (mut taken, mut names) = (0u32, 0u8);
    for card in order.into_iter().take(count) {
        let name = 1 << kind(card).name() as u8;
        if names & name == 0 && taken.count_ones() < size {
            names |= name;
            taken |= card;
        }
    }
    for card in order.into_iter().take(count) {
        if taken.count_ones() < size {
            taken |= card;
        }
    }
    taken
}
