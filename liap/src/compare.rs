//! Two declarers on the same deals.
//!
//! Whole matches are compared like games of any other kind ([`crate::engine::Comparable`]). This asks what no run of
//! matches can tell: what the same single deal comes to in each position, and when one position alone changes.
//!
//! Every deal is like a later round of a match: seat 0 won the last turn of the one before and starts,
//! or else the last accepter of a redeal. First rounds are played differently: their starter has the red
//! general. Hands, redeals and what players draw by chance are the same for both, and nobody has declared
//! 0 before.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::config::MOST_ROUNDS;
use super::declare::Declarer;
use super::player::CardPlayer;
use super::round::{Deal, Round, RoundStart, SEATS, Seat, base_points};
use crate::error::{Error, Result};
use crate::rng::{Purpose, Stream};
use crate::stats::{Interval, LEVEL, mean_interval, sign_test};
use crate::threads::{at_most, thread_pool};

/// Deals that a thread takes at once.
const BLOCK: u64 = 1 << 11;

/// Who changes declarer between the two plays of a deal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Switch {
    /// All four.
    #[default]
    All,
    /// Each position in turn, while the others keep the first.
    One,
}

/// What is compared.
#[derive(Clone, Debug)]
pub struct DeclarerComparison {
    /// The two declarers.
    pub declarers: [Declarer; 2],
    /// How all four play.
    pub player: CardPlayer,
    /// Who changes.
    pub switch: Switch,
    /// Deals.
    pub rounds: u64,
    /// The seed that every stream derives from.
    pub seed: u64,
    /// Worker threads.
    pub threads: usize,
}

/// What is measured of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationMeasure {
    /// Whether it was hit.
    Hit,
    /// Piles between it and what was captured.
    AbsoluteError,
    /// Points before they are multiplied.
    Points,
    /// The declaration itself.
    Declared,
}

impl DeclarationMeasure {
    /// All of them.
    pub const ALL: [DeclarationMeasure; 4] = [
        DeclarationMeasure::Hit,
        DeclarationMeasure::AbsoluteError,
        DeclarationMeasure::Points,
        DeclarationMeasure::Declared,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DeclarationMeasure::Hit => "hit_rate",
            DeclarationMeasure::AbsoluteError => "absolute_error",
            DeclarationMeasure::Points => "base_points",
            DeclarationMeasure::Declared => "declared",
        }
    }

    /// Its value for a declaration and what was captured.
    fn of(self, declared: u8, captured: u8) -> i64 {
        match self {
            DeclarationMeasure::Hit => i64::from(declared == captured),
            DeclarationMeasure::AbsoluteError => i64::from(declared.abs_diff(captured)),
            DeclarationMeasure::Points => base_points(declared, captured).into(),
            DeclarationMeasure::Declared => declared.into(),
        }
    }
}

/// Sums of a measure over the same deals for both declarers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairedSums {
    /// Of each declarer.
    pub sums: [i64; 2],
    /// Of the squared differences, deal by deal.
    pub squares: i64,
}

impl PairedSums {
    /// Adds a deal.
    fn see(&mut self, first: i64, second: i64) {
        self.sums[0] += first;
        self.sums[1] += second;
        self.squares += (second - first).pow(2);
    }

    fn add(mut self, other: PairedSums) -> PairedSums {
        self.sums = [self.sums[0] + other.sums[0], self.sums[1] + other.sums[1]];
        self.squares += other.squares;
        self
    }
}

/// One position, or all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositionRow {
    paired: [PairedSums; DeclarationMeasure::ALL.len()],
    /// Deals in which only the first, only the second declarer was hit; not known of all positions
    /// together.
    pub only: [u64; 2],
}

/// An estimate of both declarers and of their difference, second less first, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeclarerEstimate {
    /// Of each declarer.
    pub means: [f64; 2],
    /// The difference.
    pub difference: f64,
    /// Its interval: deals are independent, positions of a deal are not and count as one.
    pub interval: Option<Interval>,
}

/// Positions, and then all together, whose measures are sums over a deal.
const ROWS: usize = SEATS + 1;

/// What a comparison came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Deals.
    pub rounds: u64,
    /// By position, and last all four together.
    pub rows: [PositionRow; ROWS],
}

impl Compared {
    /// A measure in a position; in all of them when `None`.
    #[must_use]
    pub fn estimate(
        &self,
        position: Option<usize>,
        measure: DeclarationMeasure,
    ) -> DeclarerEstimate {
        let scale = position.map_or(SEATS as f64, |_| 1.0);
        let PairedSums { sums, squares } =
            self.rows[position.unwrap_or(SEATS)].paired[measure as usize];
        let n = self.rounds as f64 * scale;
        let means = sums.map(|sum| sum as f64 / n);
        let difference = (sums[1] - sums[0]) as f64;
        let squares = squares as f64 / (scale * scale);
        let interval = mean_interval(difference / scale, squares, self.rounds, LEVEL);
        DeclarerEstimate { means, difference: difference / n, interval }
    }

    /// How likely so uneven a split of the deals is in which only one of the two was hit, if both
    /// were equally good in a position (the exact form of McNemar's test).
    #[must_use]
    pub fn paired_test(&self, position: usize) -> f64 {
        let [first, second] = self.rows[position].only;
        sign_test(second, first + second).unwrap_or(1.0)
    }

    fn add(mut self, other: Compared) -> Compared {
        self.rounds += other.rounds;
        for (row, more) in self.rows.iter_mut().zip(other.rows) {
            for (paired, more) in row.paired.iter_mut().zip(more.paired) {
                *paired = paired.add(more);
            }
            row.only = [row.only[0] + more.only[0], row.only[1] + more.only[1]];
        }
        self
    }
}

impl DeclarerComparison {
    /// Plays every deal with both declarers. `played` counts deals for eyes; when `stop` is raised the
    /// rest is left out, and `rounds` of the result says how many were played.
    ///
    /// # Errors
    /// [`Error::Config`] when there is nothing to play, or threads can't be started.
    pub fn play(&self, played: &AtomicU64, stop: &AtomicBool) -> Result<Compared> {
        if self.rounds == 0 || self.threads == 0 {
            let text = "nothing to compare with 0 rounds or threads: give at least one of each";
            return Err(Error::Config(text.to_owned()));
        }
        if self.rounds > MOST_ROUNDS {
            let text = format!("rounds {}: give at most {MOST_ROUNDS}", self.rounds);
            return Err(Error::Config(text));
        }
        let block = |number: u64| {
            if stop.load(Ordering::Relaxed) {
                return Compared::default();
            }
            let range = number * BLOCK..((number + 1) * BLOCK).min(self.rounds);
            played.fetch_add(range.end - range.start, Ordering::Relaxed);
            self.block(range)
        };
        let blocks = self.rounds.div_ceil(BLOCK);
        let all =
            || (0..blocks).into_par_iter().map(block).reduce(Compared::default, Compared::add);
        Ok(thread_pool(at_most(self.threads, blocks))?.install(all))
    }

    /// Plays some deals with both declarers.
    fn block(&self, range: Range<u64>) -> Compared {
        let mut compared = Compared { rounds: range.end - range.start, ..Compared::default() };
        for index in range {
            // As in a later round: the starter of a first one always has the red general.
            let start = RoundStart { last_winner: Some(0), ..RoundStart::default() };
            let deal = Deal::new(&start, &mut Stream::new(self.seed, Purpose::Deals, index));
            // Cloned for each play of the deal, so that what players draw is the same with both declarers.
            let choices = Stream::new(self.seed, Purpose::Choices, index);
            let play = |switched: [bool; SEATS]| self.results(&deal, switched, choices.clone());
            let first = play([false; SEATS]);
            let second = match self.switch {
                Switch::All => play([true; SEATS]),
                Switch::One => std::array::from_fn(|position| {
                    play(std::array::from_fn(|other| other == position))[position]
                }),
            };
            compared.see(&first, &second);
        }
        compared
    }

    /// What was declared and captured, by position, when the declarers of some positions change.
    fn results(
        &self,
        deal: &Deal,
        switched: [bool; SEATS],
        mut choices: Stream,
    ) -> [(u8, u8); SEATS] {
        let mut seats = [Seat::default(); SEATS];
        for (position, switched) in switched.into_iter().enumerate() {
            let declarer = self.declarers[usize::from(switched)];
            seats[(deal.starter + position) % SEATS] = Seat { declarer, player: self.player };
        }
        let round = Round::play(&seats, &RoundStart::default(), true, *deal, &mut choices);
        round.declarations.map(|one| (one.declared, round.captured[one.seat]))
    }
}

impl Compared {
    fn see(&mut self, first: &[(u8, u8); SEATS], second: &[(u8, u8); SEATS]) {
        for measure in DeclarationMeasure::ALL {
            let of = |all: &[(u8, u8); SEATS]| all.map(|(d, c)| measure.of(d, c));
            let (first, second) = (of(first), of(second));
            for (row, (one, other)) in self.rows.iter_mut().zip(first.into_iter().zip(second)) {
                row.paired[measure as usize].see(one, other);
                if measure == DeclarationMeasure::Hit && one != other {
                    row.only[other as usize] += 1;
                }
            }
            let all = &mut self.rows[SEATS].paired[measure as usize];
            all.see(first.iter().sum(), second.iter().sum());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(declarers: [Declarer; 2], switch: Switch, threads: usize) -> DeclarerComparison {
        DeclarerComparison {
            declarers,
            player: CardPlayer::Bot,
            switch,
            rounds: 5000,
            seed: 3,
            threads,
        }
    }

    fn play(comparison: &DeclarerComparison) -> Compared {
        comparison.play(&AtomicU64::new(0), &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn threads_do_not_matter_and_a_declarer_equals_itself() {
        for switch in [Switch::All, Switch::One] {
            let declarers = [Declarer::V1, Declarer::V2];
            let one = play(&comparison(declarers, switch, 1));
            assert_eq!(one, play(&comparison(declarers, switch, 3)));
            assert_eq!(one.rounds, 5000);
            let same = play(&comparison([Declarer::V2; 2], switch, 2));
            let none = same.estimate(None, DeclarationMeasure::Points);
            assert_eq!((none.difference, same.rows[0].only), (0.0, [0, 0]));
        }
    }

    /// By the recorded tables (6,000 rounds each) v1 declares 11.5 piles a round and v2-late 8.3, which is
    /// hit 0.165 more often in the second position; 5,000 deals have standard errors below 0.012.
    #[test]
    fn known_differences_are_found() {
        let compared = play(&comparison([Declarer::V1, Declarer::V2Late], Switch::All, 2));
        let second = compared.estimate(Some(1), DeclarationMeasure::Hit);
        assert!((second.difference - 0.165).abs() < 0.05, "{second:?}");
        let Interval { low, high } = second.interval.unwrap();
        assert!(low > 0.1 && high.unwrap() - low < 0.05 && compared.paired_test(1) < 1e-6);
        let declared = compared.estimate(None, DeclarationMeasure::Declared);
        assert!((4.0 * declared.difference + 3.2).abs() < 0.3, "{declared:?}");
    }

    /// Two positions by hand: the second is hit once where the first was not.
    #[test]
    fn differences_by_hand() {
        let mut compared = Compared { rounds: 2, ..Compared::default() };
        let missed = [(1, 2), (2, 2), (3, 3), (1, 1)];
        compared.see(&missed, &missed);
        compared.see(&missed, &[(2, 2), (2, 2), (3, 3), (1, 1)]);
        let hit = compared.estimate(Some(0), DeclarationMeasure::Hit);
        assert_eq!((hit.means, hit.difference), ([0.0, 0.5], 0.5));
        assert_eq!(compared.rows[0].only, [0, 1]);
        let points = compared.estimate(None, DeclarationMeasure::Points);
        // -1 + 7 + 8 + 6 = 20 and 28 over four positions.
        assert_eq!(points.means, [5.0, 6.0]);
    }
}
