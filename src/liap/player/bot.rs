//! `bot`: the repository's strategy for turns.
//!
//! It sees its own cards, what it declared and captured, the number of the turn and all
//! declarations; not what was played. Its plan is made anew each turn: openers and combinations to
//! win with, two small pieces in reserve, and a burden to be rid of.

use super::super::held::{ByKind, Held, SOLDIERS, STRAIGHTS, first};
use super::super::play::Play;
use super::View;
use crate::rng::Stream;

/// How high all four have declared together; not the field of the declarers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Weak,
    Normal,
    Strong,
}

impl Field {
    /// A mean up to 2 is weak, from 3.5 strong.
    fn of(total: u8) -> Field {
        match total {
            ..=8 => Field::Weak,
            9..=13 => Field::Normal,
            _ => Field::Strong,
        }
    }

    /// Points of each piece of a pair that is counted on.
    fn pair_points(self) -> usize {
        match self {
            Field::Weak => 5,
            Field::Normal => 7,
            Field::Strong => 9,
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

/// Combinations that a plan has room for.
const ROOM: usize = 12;

/// What each of a bot's cards is meant for.
struct Plan {
    /// To win with, one by one.
    openers: u8,
    combos: [u8; ROOM],
    count: usize,
    /// The pieces of the combinations.
    used: u8,
}

impl Plan {
    #[inline]
    fn of(view: &View, need: i32, leads: bool) -> Plan {
        let held = view.held;
        let openers = first(held.openers(), need.clamp(0, 2) as u32);
        let mut plan = Plan { openers, combos: [0; ROOM], count: 0, used: 0 };
        let by_kind = held.by_kind(held.left());
        plan.add_pairs(&by_kind, Field::of(view.total).pair_points(), leads);
        for soldiers in SOLDIERS.map(|kind| by_kind.of(kind)) {
            // Three block four and five, for combinations are looked through from small to large.
            if soldiers.count_ones() >= 3 {
                plan.add(first(soldiers, 3));
            }
        }
        for (place, kinds) in STRAIGHTS.into_iter().enumerate() {
            let all = kinds.map(|kind| by_kind.of(kind));
            if all.contains(&0) {
                continue;
            }
            if place < 2 && leads && all.iter().any(|places| places & plan.openers != 0) {
                plan.add_high_straights(all);
            } else {
                plan.add_straights(all);
            }
        }
        plan
    }

    #[inline]
    fn add(&mut self, combo: u8) {
        self.combos[self.count] = combo;
        self.count += 1;
        self.used |= combo;
    }

    /// Pairs, which are looked at first. One of advisors is worth more to a leader than the openers
    /// in it.
    #[inline]
    fn add_pairs(&mut self, by_kind: &ByKind, points: usize, leads: bool) {
        for kind in points - 1..12 {
            let pair = by_kind.of(kind);
            if pair.count_ones() == 2 && (leads || pair & self.openers == 0) {
                self.openers &= !pair;
                self.add(pair);
            }
        }
    }

    /// Straights of three kinds without overlap. Extended ones overlap these, or what kept these
    /// from being there.
    #[inline]
    fn add_straights(&mut self, of: [u8; 3]) {
        let mut free = of.map(|places| places & !self.used & !self.openers);
        while !free.contains(&0) {
            let one = free.map(|places| first(places, 1));
            self.add(one[0] | one[1] | one[2]);
            free = [free[0] & !one[0], free[1] & !one[1], free[2] & !one[2]];
        }
    }

    /// High straights of a leader who has openers among them: each that holds an opener takes its
    /// place, whatever else it overlaps.
    fn add_high_straights(&mut self, [general, advisors, elephants]: [u8; 3]) {
        let mut straights = [0u8; 4];
        for (place, straight) in straights.iter_mut().enumerate() {
            let nth = |places: u8, last: bool| {
                let one = first(places, 1);
                if last { places & !one } else { one }
            };
            let (advisor, elephant) =
                (nth(advisors, place & 2 != 0), nth(elephants, place & 1 != 0));
            if advisor != 0 && elephant != 0 {
                *straight = general | advisor | elephant;
            }
        }
        straights.sort_unstable_by(|a, b| b.cmp(a));
        for straight in straights.into_iter().filter(|&straight| straight != 0) {
            if straight & self.openers != 0 || straight & self.used == 0 {
                self.openers &= !straight;
                self.add(straight);
            }
        }
    }

    /// Whether it has openers and nothing else to win with.
    fn is_openers_only(&self) -> bool {
        self.openers != 0 && self.count == 0
    }

    fn combos(&self) -> &[u8] {
        &self.combos[..self.count]
    }
}

/// Of the free cards, the two weakest of up to four points are kept back; the rest is burden.
#[inline]
fn reserve(held: &Held, free: u8) -> u8 {
    held.weakest(free & held.low(), 2)
}

/// Whether a bot with nothing but openers to win with brings one now: the sooner the fewer cards.
fn times_opener(held: &Held, choices: &mut Stream) -> bool {
    let hundredths = match held.len() {
        6.. => 35,
        4 | 5 => 40,
        _ => 50,
    };
    choices.below(100) < hundredths
}

/// Whether a combination is too large, or too good, for what is needed.
fn is_risky(held: &Held, places: u8, need: i32, field: Field) -> bool {
    let size = places.count_ones();
    let too_large = size as i32 > need && (size > 1 || need > 0);
    let too_good =
        || field == Field::Weak && matches!(need, 1 | 2) && held.points(places) >= 7 * size;
    too_large || too_good()
}

/// The play of a leader: legal, of any size.
pub(super) fn lead(view: &View, choices: &mut Stream) -> u8 {
    let (held, need) = (view.held, view.need());
    let plan = Plan::of(view, need, true);
    let size = match need {
        _ if plan.is_openers_only() && times_opener(held, choices) => 1,
        ..=0 => 1,
        _ => (need as u32).min(held.len()).min(6),
    };
    led(view, &plan, size, choices).unwrap_or_else(|| first(held.left(), 1))
}

/// The play of a size that a leader settles for, step by step; none when there is no legal one.
fn led(view: &View, plan: &Plan, size: u32, choices: &mut Stream) -> Option<u8> {
    let (held, need) = (view.held, view.need());
    let urgency = Urgency::of(need, view.turn);
    let all = || held.by_kind(held.left());
    if urgency == Urgency::Critical
        && let Some(play) = all().strongest_play(size)
    {
        return Some(play);
    }
    if let Some(combo) = planned_combo(view, plan, size) {
        return Some(combo);
    }
    let free = held.left() & !plan.openers & !plan.used;
    if urgency == Urgency::Low {
        let burden = free & !reserve(held, free);
        let best = held.strongest(burden, size);
        if best.count_ones() == size && is_legal(held, best) {
            return Some(best);
        }
    }
    if need <= 0 {
        return Some(held.weakest(held.left(), 1));
    }
    if let Some(drawn) = drawn(free, size, choices) {
        if is_legal(held, drawn) {
            return Some(drawn);
        }
        // In the order of burden and reserve the first combination is the strongest.
        if let Some(play) = held.by_kind(free).strongest_play(size) {
            return Some(play);
        }
    }
    all().weakest_play(size)
}

/// A combination of the plan that is not risky: of the size, or else the highest of a smaller one.
fn planned_combo(view: &View, plan: &Plan, size: u32) -> Option<u8> {
    let (held, need, field) = (view.held, view.need(), Field::of(view.total));
    let rank = |&combo: &u8| {
        let same_size = combo.count_ones() == size;
        let worth = if same_size { (0, 0) } else { (type_rank(held, combo), held.points(combo)) };
        (same_size, worth, combo)
    };
    let fits = |combo: &&u8| combo.count_ones() <= size && !is_risky(held, **combo, need, field);
    plan.combos().iter().filter(fits).max_by_key(|combo| rank(combo)).copied()
}

/// Pairs before threes before straights: the types that plans hold.
fn type_rank(held: &Held, combo: u8) -> u8 {
    match combo.count_ones() {
        2 => 0,
        _ if held.points(combo) <= 6 => 1,
        _ => 2,
    }
}

fn is_legal(held: &Held, places: u8) -> bool {
    places.count_ones() == 1 || Play::of(held.pieces(places)).is_some()
}

/// So many of some places, each choice equally likely; none when there are too few.
pub(super) fn drawn(among: u8, count: u32, choices: &mut Stream) -> Option<u8> {
    let mut left = among;
    if left.count_ones() < count {
        return None;
    }
    for _ in 0..count {
        let skipped = choices.below(left.count_ones());
        let one = first(left & !first(left, skipped), 1);
        left &= !one;
    }
    Some(among & !left)
}

/// The play of a follower, of as many pieces as the leader's, legal or not.
pub(super) fn follow(view: &View, size: u32, choices: &mut Stream) -> u8 {
    let (held, need) = (view.held, view.need());
    let plan = Plan::of(view, need, false);
    if size == 1 && plan.is_openers_only() && times_opener(held, choices) {
        return held.strongest(plan.openers, 1);
    }
    if Urgency::of(need, view.turn) == Urgency::Critical
        && let Some(play) = held.by_kind(held.left()).strongest_play(size)
    {
        return play;
    }
    discard(held, &plan, size, need)
}

/// Burden first, the strongest first; then reserve, openers and combinations, the weakest first. Who
/// needs one or two fewer than are asked for gives pieces of different names.
#[inline]
fn discard(held: &Held, plan: &Plan, size: u32, need: i32) -> u8 {
    let free = held.left() & !plan.openers & !plan.used;
    let reserve = reserve(held, free);
    let burden = free & !reserve;
    let varied = matches!(need, 1 | 2) && size as i32 > need;
    if size == 1 && burden != 0 {
        return held.strongest(burden, 1);
    }
    let mut order = [0u8; 8];
    let mut count = 0;
    let mut put = |place: u8| {
        order[count] = place;
        count += 1;
        count
    };
    let groups = [(burden, true), (reserve, true), (plan.openers, false), (plan.used, false)];
    let mut enough = 0;
    for (among, strongest_first) in groups {
        if enough >= size as usize {
            break;
        }
        let mut places = held.strongest_first(among);
        while let Some(place) = if strongest_first { places.next() } else { places.next_back() } {
            enough = put(place);
        }
    }
    let candidates = &order[..enough];
    if varied { names_first(held, candidates, size) } else { union(candidates, size) }
}

fn union(candidates: &[u8], size: u32) -> u8 {
    candidates.iter().take(size as usize).fold(0, |all, place| all | place)
}

/// One piece of each name in the order given, then whatever comes first.
fn names_first(held: &Held, candidates: &[u8], size: u32) -> u8 {
    let (mut taken, mut names) = (0u8, 0u8);
    for &place in candidates {
        let name = 1 << held.kind(place).name() as u8;
        if names & name == 0 && taken.count_ones() < size {
            names |= name;
            taken |= place;
        }
    }
    for &place in candidates {
        if taken.count_ones() < size {
            taken |= place;
        }
    }
    taken
}
