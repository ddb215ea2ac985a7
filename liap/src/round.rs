//! Plays rounds of LIAP (deal, redeals, declarations, turns, points) and matches of rounds.

use serde::{Deserialize, Serialize};

use super::declare::{Context, Declarer, PILES};
use super::hand::{Cards, HAND_SIZE};
use super::play::Play;
use super::player::{CardPlayer, Held, TurnView};
use crate::rng::{Purpose, Stream};

/// Number of players in a match of LIAP.
pub const SEATS: usize = 4;

/// The declaration rule and playing strategy of one of the four players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    /// Rule by which the player declares the piles to capture.
    pub declarer: Declarer,
    /// Strategy by which the player plays cards in turns.
    pub player: CardPlayer,
}

#[must_use]
pub(crate) fn deal(deals: &mut Stream) -> [Cards; SEATS] {
    let mut deck: [u8; 32] = std::array::from_fn(|bit| bit as u8);
    deals.shuffle(&mut deck);
    std::array::from_fn(|seat| {
        Cards::dealt(std::array::from_fn(|place| deck[HAND_SIZE * seat + place]))
    })
}

tetrastat_core::names! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum StartReason {
        #[default]
        RedGeneral = "red_general",
        Redeal = "redeal",
        LastWinner = "last_winner",
    }
}

/// The state of a card match before one of its rounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundStart {
    /// Points of each player in the match so far.
    pub scores: [i32; SEATS],
    /// Number of consecutive rounds, up to the latest, in which each player declared 0.
    pub zeros: [u8; SEATS],
    /// Winner of the previous round's last turn, if there was a previous round.
    pub last_winner: Option<usize>,
    /// Number of rounds of the match played so far.
    pub rounds: u32,
}

/// Number of rounds, and points ahead, after which a leading player accepts redeals less often.
const CAUTION_LIMITS: (u32, i32) = (10, 10);

impl RoundStart {
    fn acceptance(&self, seat: usize) -> u32 {
        let others = (0..SEATS).filter(|&other| other != seat).map(|other| self.scores[other]);
        let ahead = self.scores[seat] - others.max().unwrap_or(0);
        if self.rounds >= CAUTION_LIMITS.0 && ahead > CAUTION_LIMITS.1 { 40 } else { 80 }
    }
}

/// The hands dealt for a round of LIAP, after all redeals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deal {
    /// Dealt hand of each player, by seat at the table.
    pub cards: [Cards; SEATS],
    pub(crate) redeals: u32,
    pub(crate) starter: usize,
    pub(crate) reason: StartReason,
}

impl Deal {
    /// Deals the hands of a LIAP round, and again after each accepted redeal. `deals` supplies the
    /// random numbers.
    #[must_use]
    pub fn new(start: &RoundStart, deals: &mut Stream) -> Deal {
        let (mut cards, mut redeals, mut accepter) = (deal(deals), 0, None);
        while let Some(first) = first_accepter(&cards, accepter, start, deals) {
            accepter = Some(first);
            redeals += 1;
            cards = deal(deals);
        }
        // All 32 pieces are dealt, so one of the four hands has the red general.
        let general = || cards.iter().position(|cards| cards.hand().has_red_general());
        let (starter, reason) = match (accepter, start.last_winner) {
            (Some(seat), _) => (seat, StartReason::Redeal),
            (None, Some(seat)) => (seat, StartReason::LastWinner),
            (None, None) => (general().unwrap_or(0), StartReason::RedGeneral),
        };
        Deal { cards, redeals, starter, reason }
    }

    /// Returns the factor by which the round's points are multiplied: 1 plus the number of redeals.
    pub(crate) fn multiplier(&self) -> i32 {
        1 + self.redeals as i32
    }
}

/// Returns the first player in play order who has a weak hand and accepts a redeal. `accepter`
/// accepted the previous redeal, if any.
fn first_accepter(
    cards: &[Cards; SEATS],
    accepter: Option<usize>,
    start: &RoundStart,
    deals: &mut Stream,
) -> Option<usize> {
    let mut accepts = [false; SEATS];
    for (seat, accepts) in accepts.iter_mut().enumerate() {
        if cards[seat].hand().is_weak() {
            // Every player with a weak hand draws, so that the draws do not depend on the order of
            // play.
            *accepts = deals.below(100) < start.acceptance(seat);
        }
    }
    // After a redeal, play order begins with its accepter, since that seat would start.
    let starter = accepter.or(start.last_winner).unwrap_or(0);
    in_order(starter).find(|&seat| accepts[seat])
}

pub(super) fn in_order(from: usize) -> impl Iterator<Item = usize> {
    (0..SEATS).map(move |step| (from + step) % SEATS)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub seat: usize,
    pub context: Context,
    /// Number of piles that the player's rule declared, before a forbidden number is corrected.
    pub raw: u8,
    /// Number of piles that the player declared, after a forbidden number was corrected.
    pub declared: u8,
}

/// The result of a round of LIAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    pub(crate) deal: Deal,
    pub(crate) declarations: [Declaration; SEATS],
    /// Number of piles that each seat captured in the round.
    pub captured: [u8; SEATS],
    /// Number of turns in the round, 2 to 8.
    pub(crate) turns: u32,
    /// Number of turns won by players who had already reached the declared number of piles.
    pub(crate) wins_beyond: u32,
    pub(crate) last_winner: usize,
}

impl Round {
    /// Plays a round of LIAP from the dealt hands. With `guard`, a forbidden declaration becomes
    /// the nearest allowed number.
    #[must_use]
    pub fn play(
        seats: &[Seat; SEATS],
        start: &RoundStart,
        guard: bool,
        deal: Deal,
        choices: &mut Stream,
    ) -> Round {
        let declarations = declare(seats, start, guard, &deal);
        let mut turns = Turns::new(seats, &deal, &declarations);
        let last_winner = turns.play(deal.starter, choices);
        Round {
            deal,
            declarations,
            captured: turns.captured,
            turns: turns.number,
            wins_beyond: turns.wins_beyond,
            last_winner,
        }
    }

    #[must_use]
    pub(crate) fn total(&self) -> u8 {
        self.declarations.iter().map(|one| one.declared).sum()
    }

    pub(crate) fn base_points(&self, position: usize) -> i32 {
        let Declaration { seat, declared, .. } = self.declarations[position];
        base_points(declared, self.captured[seat])
    }
}

/// Returns the points of a round for declared and captured piles, before redeals multiply them.
#[must_use]
pub(crate) fn base_points(declared: u8, captured: u8) -> i32 {
    match (i32::from(declared), i32::from(captured)) {
        (0, 0) => 3,
        (declared, captured) if declared == captured => declared + 5,
        (declared, captured) => -(declared - captured).abs(),
    }
}

fn declare(
    seats: &[Seat; SEATS],
    start: &RoundStart,
    guard: bool,
    deal: &Deal,
) -> [Declaration; SEATS] {
    let mut declarations = [Declaration::default(); SEATS];
    let mut context = Context::default();
    for (declaration, seat) in declarations.iter_mut().zip(in_order(deal.starter)) {
        context.nonzero = start.zeros[seat] >= 2;
        let decision = seats[seat].declarer.decide(&deal.cards[seat], &context);
        let raw = decision.value;
        // Without the guard a declaration may break the rules, but is at most the number of piles.
        let declared = if guard { decision.guarded(&context) } else { raw.min(PILES) };
        *declaration = Declaration { seat, context, raw, declared };
        context.push(declared);
    }
    declarations
}

struct Turns<'a> {
    seats: &'a [Seat; SEATS],
    held: [Held; SEATS],
    declared: [u8; SEATS],
    total: u8,
    captured: [u8; SEATS],
    number: u32,
    wins_beyond: u32,
}

impl<'a> Turns<'a> {
    fn new(
        seats: &'a [Seat; SEATS],
        deal: &Deal,
        declarations: &[Declaration; SEATS],
    ) -> Turns<'a> {
        let mut declared = [0; SEATS];
        declarations.iter().for_each(|one| declared[one.seat] = one.declared);
        Turns {
            seats,
            held: std::array::from_fn(|seat| Held::new(&deal.cards[seat])),
            declared,
            total: declared.iter().sum(),
            captured: [0; SEATS],
            number: 0,
            wins_beyond: 0,
        }
    }

    fn play(&mut self, starter: usize, choices: &mut Stream) -> usize {
        let mut leader = starter;
        // All hands have the same size, since every player plays the same number of cards in a
        // turn.
        while !self.held[leader].is_empty() {
            self.number += 1;
            leader = self.turn(leader, choices);
        }
        leader
    }

    fn turn(&mut self, leader: usize, choices: &mut Stream) -> usize {
        let player = self.seats[leader].player;
        let lead = player.lead(&self.view(leader), choices);
        self.held[leader].play(lead);
        let (size, mut winner, mut best) = (lead.len(), leader, Play::from_hand(lead));
        for seat in in_order(leader).skip(1) {
            let follow = self.seats[seat].player.follow(&self.view(seat), size, choices);
            self.held[seat].play(follow);
            if let (Some(play), Some(leading)) = (Play::from_hand(follow), best)
                && play.beats(&leading)
            {
                (best, winner) = (Some(play), seat);
            }
        }
        self.wins_beyond += u32::from(self.captured[winner] >= self.declared[winner]);
        self.captured[winner] += size as u8;
        winner
    }

    fn view(&self, seat: usize) -> TurnView<'_> {
        TurnView {
            held: &self.held[seat],
            declared: self.declared[seat],
            captured: self.captured[seat],
            turn: self.number,
            total: self.total,
        }
    }
}

pub(crate) const DEFAULT_TARGET: i32 = 50;

/// Maximum number of rounds of a LIAP match, so that every match ends.
pub(crate) const MAX_MATCH_ROUNDS: u32 = 1000;

/// Rules by which a match of LIAP ends and declarations are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRules {
    /// Number of points that a player must reach to end a LIAP match.
    pub target: i32,
    /// Maximum number of rounds of a LIAP match; `None` stands for 1000.
    pub max_rounds: Option<u32>,
    /// True if forbidden declarations are replaced by the nearest allowed value.
    pub guard: bool,
}

impl Default for MatchRules {
    fn default() -> MatchRules {
        MatchRules { target: DEFAULT_TARGET, max_rounds: Some(20), guard: true }
    }
}

tetrastat_core::names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MatchEnd {
        Target = "target",
        RoundCap = "round_cap",
        /// The run reached its number of rounds, so the match's result is unknown.
        Cut = "cut",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlayedMatch {
    pub index: u64,
    pub scores: [i32; SEATS],
    pub rounds: u32,
    pub end: MatchEnd,
}

impl PlayedMatch {
    /// Plays a LIAP match of at most `limit` rounds. Calls `record` with each round and its start.
    pub(crate) fn play(
        seats: &[Seat; SEATS],
        rules: &MatchRules,
        (seed, index): (u64, u64),
        limit: u64,
        mut record: impl FnMut(&RoundStart, &Round),
    ) -> PlayedMatch {
        let mut deals = Stream::new(seed, Purpose::Deals, index);
        let mut choices = Stream::new(seed, Purpose::Choices, index);
        let mut state = RoundStart::default();
        loop {
            let end = rules.end(&state);
            let end = end.or((u64::from(state.rounds) >= limit).then_some(MatchEnd::Cut));
            if let Some(end) = end {
                let RoundStart { scores, rounds, .. } = state;
                return PlayedMatch { index, scores, rounds, end };
            }
            let deal = Deal::new(&state, &mut deals);
            let round = Round::play(seats, &state, rules.guard, deal, &mut choices);
            record(&state, &round);
            state.add(&round);
        }
    }

    /// Returns the seats with the most points, or no seats if the run ended before the match.
    pub(crate) fn winners(&self) -> impl Iterator<Item = usize> {
        let most = self.scores.iter().max().copied().filter(|_| self.end != MatchEnd::Cut);
        (0..SEATS).filter(move |&seat| Some(self.scores[seat]) == most)
    }
}

impl MatchRules {
    fn end(&self, state: &RoundStart) -> Option<MatchEnd> {
        if state.scores.iter().any(|&score| score >= self.target) {
            return Some(MatchEnd::Target);
        }
        let most = self.max_rounds.unwrap_or(MAX_MATCH_ROUNDS);
        (state.rounds >= most).then_some(MatchEnd::RoundCap)
    }
}

impl RoundStart {
    fn add(&mut self, round: &Round) {
        for (position, one) in round.declarations.iter().enumerate() {
            self.scores[one.seat] += round.deal.multiplier() * round.base_points(position);
            let zeros = &mut self.zeros[one.seat];
            *zeros = if one.declared == 0 { zeros.saturating_add(1) } else { 0 };
        }
        self.last_winner = Some(round.last_winner);
        self.rounds += 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Declarer;
    use crate::rng::Purpose;
    use crate::round::StartReason;

    fn seats() -> impl Strategy<Value = [Seat; SEATS]> {
        let seat = (0..Declarer::ALL.len(), 0..CardPlayer::ALL.len())
            .prop_map(|(d, p)| Seat { declarer: Declarer::ALL[d], player: CardPlayer::ALL[p] });
        [seat.clone(), seat.clone(), seat.clone(), seat]
    }

    fn round(seats: &[Seat; SEATS], start: &RoundStart, guard: bool, seed: u64) -> Round {
        let deal = Deal::new(start, &mut Stream::new(seed, Purpose::Deals, 0));
        Round::play(seats, start, guard, deal, &mut Stream::new(seed, Purpose::Choices, 0))
    }

    proptest! {
        #[test]
        fn a_round_keeps_its_invariants(
            seats in seats(),
            zeros in [0..4u8, 0..4, 0..4, 0..4],
            last_winner in proptest::option::of(0..SEATS),
            seed: u64,
        ) {
            let start = RoundStart { zeros, last_winner, ..RoundStart::default() };
            let played = round(&seats, &start, true, seed);
            prop_assert_eq!(played.captured.iter().sum::<u8>(), 8);
            prop_assert!((2..=8).contains(&played.turns) && played.wins_beyond <= played.turns);
            let hits = (0..SEATS).filter(|&position| played.base_points(position) > 0).count();
            prop_assert!(hits <= 3 && played.total() != 8);
            for (position, one) in played.declarations.iter().enumerate() {
                prop_assert_eq!(one.seat, (played.deal.starter + position) % SEATS);
                prop_assert!(one.declared <= 8 && !one.context.forbidden().contains(one.declared));
                prop_assert_eq!(one.context.nonzero, zeros[one.seat] >= 2);
            }
            let hands = played.deal.cards.iter().fold(0, |all, cards| all | cards.hand().0);
            prop_assert_eq!(hands, u32::MAX, "the whole deck is dealt");
            prop_assert_eq!(played, round(&seats, &start, true, seed));
        }
    }

    #[test]
    fn points_by_hand() {
        let points =
            [(0, 0), (0, 2), (3, 3), (2, 4), (4, 2), (8, 8)].map(|(d, c)| base_points(d, c));
        assert_eq!(points, [3, -2, 8, -2, -2, 13]);
    }

    #[test]
    fn without_the_guard_rules_are_broken() {
        let upstream = [Seat { declarer: Declarer::V2Upstream, ..Seat::default() }; SEATS];
        let rounds = 0..2000;
        let eights = rounds
            .filter(|&seed| round(&upstream, &RoundStart::default(), false, seed).total() == 8);
        assert!(eights.count() > 200);
    }

    /// Compares 40,000 deals with the exact probability of a weak hand and mean number of redeals.
    /// Each tolerance, four standard errors, is exceeded for about 6 of 100,000 seeds.
    #[test]
    fn redeals_are_as_often_as_computed() {
        let mut deals = Stream::new(4, Purpose::Deals, 0);
        let all = 40_000;
        let redeals: u32 =
            (0..all).map(|_| Deal::new(&RoundStart::default(), &mut deals).redeals).sum();
        let mean = f64::from(redeals) / f64::from(all);
        assert!((mean - 0.2805).abs() < 4.0 * 0.60 / f64::from(all).sqrt(), "{mean}");
        let weak = |cards: &[Cards; SEATS]| cards.iter().any(|cards| cards.hand().is_weak());
        let share = (0..all).filter(|_| weak(&deal(&mut deals))).count() as f64 / f64::from(all);
        assert!((share - 0.27235).abs() < 4.0 * 0.4452 / f64::from(all).sqrt(), "{share}");
    }

    #[test]
    fn who_starts_and_why() {
        let mut reasons = [0; 3];
        for seed in 0..400 {
            for last_winner in [None, Some(2)] {
                let start = RoundStart { last_winner, ..RoundStart::default() };
                let deal = Deal::new(&start, &mut Stream::new(seed, Purpose::Deals, 0));
                reasons[deal.reason as usize] += 1;
                match deal.reason {
                    StartReason::RedGeneral => {
                        assert!(deal.cards[deal.starter].hand().has_red_general());
                        assert_eq!((deal.redeals, last_winner), (0, None));
                    }
                    StartReason::LastWinner => assert_eq!((deal.redeals, deal.starter), (0, 2)),
                    StartReason::Redeal => assert_eq!(deal.multiplier(), 1 + deal.redeals as i32),
                }
            }
        }
        assert!(reasons.iter().all(|&count| count > 100), "{reasons:?}");
    }

    #[test]
    fn a_leader_is_careful_late_in_a_match() {
        let start =
            |scores, rounds| RoundStart { scores, rounds, ..RoundStart::default() }.acceptance(1);
        assert_eq!(start([5, 16, 3, 0], 10), 40);
        assert_eq!(start([6, 16, 3, 0], 10), 80, "ten ahead is not more than ten");
        assert_eq!(start([5, 16, 3, 0], 9), 80);
    }

    #[test]
    fn a_match_is_the_sum_of_its_rounds() {
        let seats = Declarer::ALL[..4].to_vec();
        let seats = std::array::from_fn(|k| Seat { declarer: seats[k], ..Seat::default() });
        let rules = MatchRules::default();
        let mut ends = [0; 3];
        for index in 0..300 {
            let (mut scores, mut winner, mut zeros) = ([0; SEATS], None, [0; SEATS]);
            let mut rounds = 0;
            let contest =
                PlayedMatch::play(&seats, &rules, (1, index), u64::MAX, |state, round| {
                    assert_eq!((state.scores, state.rounds), (scores, rounds));
                    assert!(scores.iter().all(|&score| score < DEFAULT_TARGET));
                    if round.deal.reason == StartReason::LastWinner {
                        assert_eq!(Some(round.deal.starter), winner);
                    }
                    for (position, one) in round.declarations.iter().enumerate() {
                        assert!(zeros[one.seat] < 2 || one.declared > 0, "a third zero");
                        zeros[one.seat] = if one.declared == 0 { zeros[one.seat] + 1 } else { 0 };
                        scores[one.seat] += round.deal.multiplier() * round.base_points(position);
                    }
                    winner = Some(round.last_winner);
                    rounds += 1;
                });
            assert_eq!((contest.scores, contest.rounds), (scores, rounds));
            assert!(rounds <= 20);
            let best = contest.scores.iter().max().unwrap();
            assert_eq!(contest.end == MatchEnd::Target, *best >= DEFAULT_TARGET);
            assert!(contest.winners().all(|seat| contest.scores[seat] == *best));
            ends[contest.end as usize] += 1;
        }
        assert!(ends[0] > 100 && ends[1] > 5 && ends[2] == 0, "{ends:?}");
    }

    #[test]
    fn a_match_that_is_cut_has_no_winner_and_is_the_beginning_of_the_whole() {
        let seats = [Seat::default(); SEATS];
        let rounds = |limit| {
            let mut seen = Vec::new();
            let contest =
                PlayedMatch::play(&seats, &MatchRules::default(), (5, 3), limit, |_, round| {
                    seen.push(*round)
                });
            (contest, seen)
        };
        let (whole, all) = rounds(u64::MAX);
        let (cut, some) = rounds(2);
        assert_eq!((cut.end, cut.rounds, cut.winners().count()), (MatchEnd::Cut, 2, 0));
        assert!(whole.winners().count() > 0);
        assert_eq!(some[..], all[..2]);
    }
}
