//! Plays a match: rounds until a player reaches the target points, or until the maximum number of
//! rounds.

use serde::{Deserialize, Serialize};

use super::round::{Deal, Round, RoundStart, SEATS, Seat};
use crate::rng::{Purpose, Stream};

/// Default number of points at which a match ends.
pub const DEFAULT_TARGET: i32 = 50;

/// Maximum number of rounds of a match. Without it, players who only lose points would never end a
/// match.
pub const MAX_MATCH_ROUNDS: u32 = 1000;

/// Rules of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchRules {
    /// Number of points at which a match ends.
    pub target: i32,
    /// Number of rounds after which a match ends even if no player has reached the target. `None`
    /// means [`MAX_MATCH_ROUNDS`].
    pub max_rounds: Option<u32>,
    /// True if forbidden declarations are replaced by the nearest allowed value.
    pub guard: bool,
}

impl Default for MatchRules {
    fn default() -> MatchRules {
        MatchRules { target: DEFAULT_TARGET, max_rounds: Some(20), guard: true }
    }
}

/// The reason why a match ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchEnd {
    /// A player reached the target points.
    Target,
    /// The last allowed round was played.
    RoundCap,
    /// The run reached its number of rounds during the match, so the match's result is unknown.
    Cut,
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedMatch {
    /// Number of the match in its run.
    pub index: u64,
    /// Points of each seat.
    pub scores: [i32; SEATS],
    /// Number of rounds played.
    pub rounds: u32,
    /// Reason why the match ended.
    pub end: MatchEnd,
}

impl PlayedMatch {
    /// Plays match `index` of the run with seed `seed`, for at most `limit` rounds. Calls `see`
    /// after each round with the state before the round and the round's result.
    pub fn play(
        seats: &[Seat; SEATS],
        rules: &MatchRules,
        (seed, index): (u64, u64),
        limit: u64,
        mut see: impl FnMut(&RoundStart, &Round),
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
            see(&state, &round);
            state.add(&round);
        }
    }

    /// Returns the seats with the most points; several seats may tie. Returns no seat if the match
    /// was cut off.
    pub fn winners(&self) -> impl Iterator<Item = usize> {
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
    /// Updates the state after a round: points, consecutive declarations of 0, last winner and
    /// number of rounds.
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
    use super::*;
    use crate::Declarer;
    use crate::round::StartReason;

    /// Over 300 matches, points are sums of rounds, starters follow winners, and third zeros are
    /// barred.
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
