//! Implements `bot`, the LIAP repository's strategy for playing cards in the turns of a round.
//!
//! Each turn, the bot plans from its cards, piles and all declarations, but not the played cards:
//! openers and combinations to win with, two weak cards in reserve, and the burden, other cards to
//! discard.

use super::super::hand::{Hand, at_least};
use super::super::play::{Group, HIGH_BLACK, HIGH_RED, LOW_BLACK, LOW_RED, Play, SOLDIERS};
use super::{
    PAIR_LOW_BITS, TurnView, bits, highest, kind, pairs, straight, strongest, strongest_play,
    weakest, weakest_play,
};
use crate::rng::Stream;

/// The strength of a round's players, judged by the sum of the four declarations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldStrength {
    Weak,
    Normal,
    Strong,
}

impl FieldStrength {
    /// Classifies players by their declarations' sum: weak up to a mean of 2, strong from 3.5 on.
    fn from_total(total: u8) -> FieldStrength {
        match total {
            ..=8 => FieldStrength::Weak,
            9..=13 => FieldStrength::Normal,
            _ => FieldStrength::Strong,
        }
    }

    /// Returns the minimum points of each piece in a pair that the bot expects to win.
    fn pair_points(self) -> u8 {
        match self {
            FieldStrength::Weak => 5,
            FieldStrength::Normal => 7,
            FieldStrength::Strong => 9,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Urgency {
    /// The player needs no more piles to meet the declaration.
    None,
    /// The player needs fewer piles than three quarters of the remaining turns.
    Low,
    /// The player needs fewer piles than turns are left, but at least three quarters as many.
    High,
    /// The player needs at least one pile from each remaining turn.
    Critical,
}

impl Urgency {
    /// Returns the urgency to capture `need` piles after turn `turn`, as if rounds had eight turns.
    fn from_need(need: i32, turn: u32) -> Urgency {
        let left = 8 - turn as i32;
        match () {
            () if need <= 0 => Urgency::None,
            () if left <= 0 || need >= left => Urgency::Critical,
            () if 4 * need >= 3 * left => Urgency::High,
            () => Urgency::Low,
        }
    }
}

struct Plan {
    /// Bit set of the strong single cards with which the bot plans to win turns.
    openers: u32,
    pairs: u32,
    /// Bit sets of the bot's planned combinations of three: soldiers of a colour, or straights.
    combos: [u32; 4],
    count: usize,
    /// Bit set of the cards of all planned pairs and other combinations.
    used: u32,
}

impl Plan {
    /// Plans the bot's plays to win turns: at most `need` openers (never more than two), pairs and
    /// combinations of three.
    #[inline]
    fn new(view: &TurnView, need: i32, leads: bool) -> Plan {
        let (held, left) = (view.held, view.held.remaining().0);
        let openers = held.first(left & at_least(11), need.clamp(0, 2) as u32);
        let mut plan = Plan { openers, pairs: 0, combos: [0; 4], count: 0, used: 0 };
        plan.take_pairs(pairs(left, FieldStrength::from_total(view.total).pair_points()), leads);
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
        // Openers are the first in hand order. So if either advisor of a pair is an opener, the
        // first one is, and a follower plans no pair.
        let held_back = if leads { 0 } else { whole_pairs(found & self.openers) };
        self.pairs = found & !held_back;
        self.used = self.pairs;
        self.openers &= !self.pairs;
    }

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

    fn is_openers_only(&self) -> bool {
        self.openers != 0 && self.used == 0
    }

    fn combos(&self) -> impl Iterator<Item = u32> {
        let pairs = bits(self.pairs & self.pairs >> 1 & PAIR_LOW_BITS).map(|low| low | low << 1);
        pairs.chain(self.combos[..self.count].iter().copied())
    }
}

/// Returns `cards` and the missing piece of each pair that has one piece in `cards`.
const fn whole_pairs(cards: u32) -> u32 {
    cards | (cards & PAIR_LOW_BITS) << 1 | (cards & PAIR_LOW_BITS << 1) >> 1
}

/// Returns the bot's reserve of weak cards: the two weakest `free` cards of at most four points.
#[inline]
fn reserve(free: u32) -> u32 {
    weakest(free & !at_least(5), 2)
}

/// Decides at random whether a bot with openers but no combinations plays an opener now.
fn draws_opener_play(view: &TurnView, choices: &mut Stream) -> bool {
    let hundredths = match view.held.remaining().len() {
        6.. => 35,
        4 | 5 => 40,
        _ => 50,
    };
    choices.below(100) < hundredths
}

/// Returns true if a combination captures more than `need` piles. A strong one is also risky among
/// weak players if `need` is 1 or 2.
fn is_risky(combo: u32, need: i32, field: FieldStrength) -> bool {
    let size = combo.count_ones();
    let too_large = size as i32 > need && (size > 1 || need > 0);
    let too_good = || {
        field == FieldStrength::Weak && matches!(need, 1 | 2) && Hand(combo).points() >= 7 * size
    };
    too_large || too_good()
}

pub(super) fn lead(view: &TurnView, choices: &mut Stream) -> Hand {
    let (held, need) = (view.held, view.need());
    let plan = Plan::new(view, need, true);
    let size = match need {
        _ if plan.is_openers_only() && draws_opener_play(view, choices) => 1,
        ..=0 => 1,
        _ => (need as u32).min(held.remaining().len()).min(6),
    };
    Hand(
        lead_of_size(view, &plan, size, choices)
            .unwrap_or_else(|| held.first(held.remaining().0, 1)),
    )
}

/// Chooses the cards with which the bot leads a turn: `size` cards, or fewer.
fn lead_of_size(view: &TurnView, plan: &Plan, size: u32, choices: &mut Stream) -> Option<u32> {
    let (left, need) = (view.held.remaining().0, view.need());
    let urgency = Urgency::from_need(need, view.turn);
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
    if let Some(drawn) = draw(free, size, choices) {
        if is_legal(drawn) {
            return Some(drawn);
        }
        // In the order of burden, then reserve, the first legal play is the strongest.
        if let Some(play) = strongest_play(free, size) {
            return Some(play);
        }
    }
    weakest_play(left, size)
}

/// Returns a planned combination that is not risky: of `size` cards the first in the order held,
/// or else the best smaller one.
fn planned_combo(view: &TurnView, plan: &Plan, size: u32) -> Option<u32> {
    let (held, need, field) = (view.held, view.need(), FieldStrength::from_total(view.total));
    let rank = |&combo: &u32| {
        let same_size = combo.count_ones() == size;
        let worth = if same_size { (0, 0) } else { (type_rank(combo), Hand(combo).points()) };
        (same_size, worth, held.order(combo))
    };
    let fits = |combo: &u32| combo.count_ones() <= size && !is_risky(*combo, need, field);
    plan.combos().filter(fits).max_by_key(rank)
}

/// Returns the rank of a combination's type: 0 for a pair, 1 for three soldiers, 2 for a straight.
const fn type_rank(combo: u32) -> u8 {
    match combo.count_ones() {
        2 => 0,
        _ if combo & at_least(3) == 0 => 1,
        _ => 2,
    }
}

fn is_legal(cards: u32) -> bool {
    cards.count_ones() == 1 || Play::from_hand(Hand(cards)).is_some()
}

/// Draws `count` cards from the bit set `among` at random. Returns `None` if `among` has fewer.
pub(super) fn draw(among: u32, count: u32, choices: &mut Stream) -> Option<u32> {
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

/// Chooses the `size` cards that the bot plays after the turn's leader; any cards are allowed.
#[inline]
pub(super) fn follow(view: &TurnView, size: u32, choices: &mut Stream) -> Hand {
    let (left, need) = (view.held.remaining().0, view.need());
    let plan = Plan::new(view, need, false);
    if size == 1 && plan.is_openers_only() && draws_opener_play(view, choices) {
        return Hand(highest(plan.openers));
    }
    if Urgency::from_need(need, view.turn) == Urgency::Critical
        && let Some(play) = strongest_play(left, size)
    {
        return Hand(play);
    }
    Hand(discard(left, &plan, size, need))
}

/// Chooses `size` cards to discard: unplanned cards, then the weak reserve, then planned cards. If
/// `need` is 1 or 2 and below `size`, different piece names come first.
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

/// Chooses `size` cards from `groups` in order, with different piece names where possible. A
/// group's flag puts strong cards first.
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
