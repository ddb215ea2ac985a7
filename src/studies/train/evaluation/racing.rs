//! Racing: plays fewer games with bad candidates and more with candidates that may be the best.
//!
//! **Successive halving** (Karnin, Koren & Somekh 2013, *Almost optimal exploration in multi-armed
//! bandits*, ICML; Jamieson & Talwalkar 2016 for settings of learners). In round 1 every candidate
//! plays the first part of its games. The better half of the candidates continues to twice as many
//! games, and so on until the remaining candidates have played all games. All candidates play under
//! common seeds, so a candidate of a later round has also played the games of all earlier rounds.
//!
//! A candidate of a later round ranks above every candidate that was eliminated earlier, whatever
//! their means are. An eliminated candidate keeps its own score, but at most a value just below the
//! worst score of the next round. Optimisers that learn from ranks alone (cem, snes, cmaes)
//! therefore lose only the order of the eliminated candidates.

use super::config;
use super::games::{CandidateGames, PlayedGame};
use crate::error::Result;

/// Maximum number of rounds. With 10 rounds, a candidate plays 1 of 512 games in the first round.
const MOST_ROUNDS: u32 = 10;
/// Minimum number of candidates that continue to the next round.
const FEWEST: usize = 2;

tetrastat_runs::kinds! {
    /// Rule that shares games among the candidates of a generation.
    pub enum Racing {
        /// Each candidate plays all games.
        None = "none",
        /// Successive halving.
        Halving = "halving" {
            /// Number of rounds. In the first round, a candidate plays the fraction 1/2^(rounds -
            /// 1) of its games.
            rounds: u32 = 3,
        },
    }
}

impl Racing {
    /// Returns an error if the number of rounds is not allowed, or is too large for `games` games
    /// per candidate.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    pub fn check(self, games: u64) -> Result<()> {
        let Racing::Halving { rounds } = self else { return Ok(()) };
        if !(2..=MOST_ROUNDS).contains(&rounds) {
            return config(format!("racing halving:{rounds}: give 2 to {MOST_ROUNDS} rounds"));
        }
        let parts = 1u64 << (rounds - 1);
        if games < parts {
            return config(format!(
                "games {games}: racing in {rounds} rounds needs at least {parts} games, give as \
                 many or fewer rounds"
            ));
        }
        Ok(())
    }

    /// Returns the number of games that a candidate has played by the end of each round. `games` is
    /// the number by the end of the last round.
    fn marks(self, games: u64) -> Vec<u64> {
        match self {
            Racing::None => vec![games],
            Racing::Halving { rounds } => {
                (0..rounds).rev().map(|halvings| games.div_ceil(1 << halvings)).collect()
            }
        }
    }

    pub(in crate::train) fn total(self, candidates: usize, games: u64) -> u64 {
        let (mut before, mut left, mut total) = (0, candidates, 0u64);
        for mark in self.marks(games) {
            total = total.saturating_add((left as u64).saturating_mul(mark - before));
            (before, left) = (mark, half(left));
        }
        total
    }
}

fn half(candidates: usize) -> usize {
    candidates.div_ceil(2).max(FEWEST.min(candidates))
}

#[derive(Clone, Debug, Default)]
pub(in crate::train) struct Race {
    /// Number of games that a candidate has played by the end of each round.
    marks: Vec<u64>,
    /// Current round, from 0.
    round: usize,
    /// Indices of the candidates in the current round, in ascending order.
    going: Vec<usize>,
    last: Vec<usize>,
    played: Vec<Vec<PlayedGame>>,
}

impl Race {
    pub(in crate::train) fn new(racing: Racing, candidates: usize, games: u64) -> Race {
        Race {
            marks: racing.marks(games),
            round: 0,
            going: (0..candidates).collect(),
            last: vec![0; candidates],
            played: vec![Vec::new(); candidates],
        }
    }

    /// Returns the indices of the candidates in the current round. Also returns the number of their
    /// first game in this round and the number of games that each plays.
    pub(in crate::train) fn round(&self) -> (&[usize], u64, u64) {
        let first = if self.round == 0 { 0 } else { self.marks[self.round - 1] };
        (&self.going, first, self.marks[self.round] - first)
    }

    /// Takes `batch`, the games of the current round, and keeps the better half of the candidates
    /// by `score`. Returns true if another round follows.
    pub(in crate::train) fn take(
        &mut self,
        batch: Vec<CandidateGames>,
        score: impl Fn(&CandidateGames) -> f64,
    ) -> bool {
        for (&candidate, games) in self.going.iter().zip(batch) {
            self.played[candidate].extend(games.0);
            self.last[candidate] = self.round;
        }
        if self.round + 1 == self.marks.len() {
            return false;
        }
        let scored = |&candidate: &usize| score(&CandidateGames(self.played[candidate].clone()));
        let mut ranked: Vec<(usize, f64)> =
            self.going.iter().map(|candidate| (*candidate, scored(candidate))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked.truncate(half(ranked.len()));
        self.going = ranked.into_iter().map(|(candidate, _)| candidate).collect();
        self.going.sort_unstable();
        self.round += 1;
        true
    }

    /// Returns the games of each candidate and the last round that it played.
    pub(in crate::train) fn end(self) -> (Vec<CandidateGames>, Vec<usize>) {
        (self.played.into_iter().map(CandidateGames).collect(), self.last)
    }
}

/// Returns `scores` adjusted so that a candidate ranks above all candidates that were eliminated in
/// an earlier round. `last` contains the last round that each candidate played.
pub(in crate::train) fn by_rounds(scores: &[f64], last: &[usize]) -> Vec<f64> {
    let mut told = scores.to_vec();
    let mut ceiling = f64::INFINITY;
    for round in (0..=last.iter().copied().max().unwrap_or(0)).rev() {
        let of_round = || (0..told.len()).filter(|&i| last[i] == round);
        let mut least = ceiling;
        for i in of_round().collect::<Vec<_>>() {
            told[i] = told[i].min(ceiling);
            least = least.min(told[i]);
        }
        ceiling = least.next_down();
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::tests::refused;

    fn games(value: f64, count: u64) -> CandidateGames {
        let game = PlayedGame { value, lines: 0, pieces: 1, censored: false };
        CandidateGames(vec![game; count as usize])
    }

    fn mean(games: &CandidateGames) -> f64 {
        games.values().iter().sum::<f64>() / games.games() as f64
    }

    /// 8 candidates, 20 games, 3 rounds: 5 games for all, 5 more for 4, 10 more for 2.
    #[test]
    fn halving_by_hand() {
        let racing = Racing::Halving { rounds: 3 };
        let mut race = Race::new(racing, 8, 20);
        assert_eq!(race.round(), (&[0, 1, 2, 3, 4, 5, 6, 7][..], 0, 5));
        let worth = [3.0, 9.0, 1.0, 8.0, 7.0, 2.0, 4.0, 6.0];
        assert!(race.take(worth.iter().map(|&value| games(value, 5)).collect(), mean));
        assert_eq!(race.round(), (&[1, 3, 4, 7][..], 5, 5));
        // Candidate 1 falls to 4.5, so candidates 3 and 4 continue.
        assert!(
            race.take([0.0, 8.0, 7.0, 6.0].iter().map(|&value| games(value, 5)).collect(), mean)
        );
        assert_eq!(race.round(), (&[3, 4][..], 10, 10));
        assert!(!race.take([0.0, 7.0].iter().map(|&value| games(value, 10)).collect(), mean));
        let (played, last) = race.end();
        let counts: Vec<u64> = played.iter().map(CandidateGames::games).collect();
        assert_eq!(
            (counts.clone(), last.clone()),
            (vec![5, 10, 5, 20, 20, 5, 5, 10], vec![0, 1, 0, 2, 2, 0, 0, 1])
        );
        assert_eq!((counts.iter().sum::<u64>(), racing.total(8, 20)), (80, 80));
        assert_eq!(Racing::None.total(8, 20), 160);
        // Candidate 3 ended with 4, yet no eliminated candidate ranks above it.
        let scores: Vec<f64> = played.iter().map(mean).collect();
        let told = by_rounds(&scores, &last);
        let mut ranking: Vec<usize> = (0..8).collect();
        ranking.sort_by(|&a, &b| told[b].total_cmp(&told[a]));
        assert_eq!((scores[3], &ranking[..4], ranking[7]), (4.0, &[4, 3, 1, 7][..], 2));
        assert!(told[3] == 4.0 && told[1] < 4.0 && told[1] > 3.999 && told[2] == 1.0, "{told:?}");
    }

    #[test]
    fn everybody_plays_all_without_a_race() {
        let mut race = Race::new(Racing::None, 3, 4);
        assert_eq!(race.round(), (&[0, 1, 2][..], 0, 4));
        assert!(!race.take(vec![games(1.0, 4); 3], mean));
        assert_eq!(by_rounds(&[1.0, 3.0, 2.0], &race.end().1), [1.0, 3.0, 2.0]);
    }

    #[test]
    fn bad_rounds_are_refused() {
        refused(Racing::Halving { rounds: 1 }.check(10), "racing halving:1:");
        refused(Racing::Halving { rounds: 11 }.check(10), "racing halving:11:");
        refused(Racing::Halving { rounds: 4 }.check(7), "games 7");
        assert!(Racing::Halving { rounds: 4 }.check(8).is_ok() && Racing::None.check(1).is_ok());
    }
}
