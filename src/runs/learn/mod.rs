//! Learns cell patterns, which give the values of boards, from the engine's own games.
//!
//! The value V of a board is the expected number of lines until the end of the game, as a sum of
//! table entries ([`crate::controller::PatternLayout`]). Games are played greedily: each placement
//! has the largest `lines + gamma V(board after it)`, except random ones for exploration. After
//! each placement, the value of the board before it moves towards the largest such sum, or towards
//! 0 at the end of a game. This is TD(0) of afterstates (Sutton 1988); the tables and the game of S
//! and Z are those of Jaskowski et al. 2015, *High-dimensional function approximation for
//! knowledge-free reinforcement learning: a case study in SZ-Tetris*. With lambda above 0, earlier
//! boards of the game move too, by the factor lambda gamma less for each placement.
//!
//! **Streams.** A stream is a sequence of games that learns in its own copy of the tables. After
//! every round, each entry that streams have changed becomes the mean over these streams. Results
//! depend on the number of streams and the length of a round, but not on the number of threads.
//!
//! Arithmetic is in single precision in a fixed order, so equal settings give equal bytes.

mod learner;
mod player;
mod tables;

use crate::prelude::*;
use crate::settings;
use crate::text::parse::count;

pub use learner::{Interval, Learner, LearnerState};

settings! {
    /// Settings of learning board values by temporal differences. Placements are counted over all
    /// streams (parallel sequences of games), except in `round`.
    pub struct LearningSettings {
        /// Learning rate: fraction of a prediction error by which the value of a board is
        /// corrected, up to twice as much if mirrored windows select the same entry
        pub alpha: f64 = 1.0,
        /// Number of placements before the learning rate decays
        #[arg(value_name = "PLACEMENTS", value_parser = count::<u64>(..))]
        pub hold: u64 = 0,
        /// Number of placements in which the learning rate halves [default: none, a constant rate]
        #[arg(value_name = "PLACEMENTS", value_parser = count::<u64>(1..))]
        pub half_life: Option<u64>,
        /// Discount of the value after a placement, above 0 and at most 1
        pub gamma: f64 = 1.0,
        /// Decay of the traces of past boards: 0 for TD(0), at most 0.99
        pub lambda: f64 = 0.0,
        /// Value of every board before learning, in lines
        #[arg(value_name = "LINES")]
        pub initial_value: f64 = 10.0,
        /// Probability of a random placement, so that the learner also sees boards that its best
        /// placements avoid
        #[arg(value_name = "PROBABILITY")]
        pub explore: f64 = 0.0,
        /// Number of placements after which the probability of --explore is half as large [default:
        /// none, a constant probability]
        #[arg(value_name = "PLACEMENTS", value_parser = count::<u64>(1..))]
        pub explore_half_life: Option<u64>,
        /// Give each table entry its own learning rate: --alpha times |sum of errors| / sum of
        /// |errors| of the entry (temporal coherence: Beal & Smith 1999)
        pub coherence: bool,
        /// Return an average of the tables, in which late tables weigh most, instead of the last
        /// tables
        pub average: bool,
        /// Number of streams (sequences of games played in parallel), each with its own copy of the
        /// tables in memory
        #[arg(value_name = "N", value_parser = count::<usize>(1..))]
        pub streams: usize = 4,
        /// Number of placements that each stream (sequence of games) plays between two merges of
        /// the streams' tables
        #[arg(value_name = "N", value_parser = count::<u64>(1..))]
        pub round: u64 = 4096,
    }
}

const MOST_STREAMS: usize = 256;
const MOST_ROUND_PLACEMENTS: u64 = 1 << 20;

impl LearningSettings {
    /// Checks that the settings of learning board values are in their ranges.
    pub fn check(&self) -> Result<()> {
        let fail = |text: String| Err(Error::Config(text));
        if !(self.alpha > 0.0 && self.alpha <= 10.0) {
            return fail(format!("alpha {}: give a number above 0 and at most 10", self.alpha));
        }
        if !(self.gamma > 0.0 && self.gamma <= 1.0) {
            return fail(format!("gamma {}: give a number above 0 and at most 1", self.gamma));
        }
        if !(0.0..=0.99).contains(&self.lambda) {
            return fail(format!("lambda {}: give a number from 0 to 0.99", self.lambda));
        }
        if !(self.initial_value.is_finite() && self.initial_value.abs() <= 1e9) {
            return fail(format!("initial-value {}: give a finite number", self.initial_value));
        }
        if !(0.0..=1.0).contains(&self.explore) {
            return fail(format!("explore {}: give a probability from 0 to 1", self.explore));
        }
        for (name, half_life) in
            [("half-life", self.half_life), ("explore-half-life", self.explore_half_life)]
        {
            if half_life == Some(0) {
                return fail(format!("{name} 0: give a number of placements, or leave it out"));
            }
        }
        if !(1..=MOST_STREAMS).contains(&self.streams) {
            return fail(format!("streams {}: give 1 to {MOST_STREAMS}", self.streams));
        }
        if !(1..=MOST_ROUND_PLACEMENTS).contains(&self.round) {
            return fail(format!(
                "round {}: give 1 to {MOST_ROUND_PLACEMENTS} placements",
                self.round
            ));
        }
        Ok(())
    }

    /// Returns the learning rate after the given number of placements in all streams of games.
    #[must_use]
    pub fn rate(&self, placements: u64) -> f64 {
        halved(self.alpha, placements.saturating_sub(self.hold), self.half_life)
    }

    /// Returns the probability of a random placement, given the number of earlier placements.
    #[must_use]
    pub fn exploration(&self, placements: u64) -> f64 {
        halved(self.explore, placements, self.explore_half_life)
    }

    /// Returns the number of past boards whose learned values one prediction error still changes.
    #[must_use]
    pub fn horizon(&self) -> usize {
        let (mut horizon, mut trace) = (1, self.lambda * self.gamma);
        while trace >= 0.01 {
            horizon += 1;
            trace *= self.lambda * self.gamma;
        }
        horizon
    }
}

fn halved(value: f64, placements: u64, half_life: Option<u64>) -> f64 {
    half_life.map_or(value, |half| value * libm::exp2(-(placements as f64) / half as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_halves_after_the_hold() {
        let settings =
            LearningSettings { hold: 100, half_life: Some(50), alpha: 0.8, ..Default::default() };
        assert_eq!([0, 100, 150, 200].map(|n| settings.rate(n)), [0.8, 0.8, 0.4, 0.2]);
        assert_eq!(LearningSettings::default().rate(u64::MAX), 1.0);
        let explore_half_life = Some(100);
        let settings = LearningSettings { explore: 0.2, explore_half_life, ..settings };
        assert_eq!([0, 100, 200].map(|n| settings.exploration(n)), [0.2, 0.1, 0.05]);
    }

    #[test]
    fn traces_end_below_one_percent() {
        let horizon =
            |lambda, gamma| LearningSettings { lambda, gamma, ..Default::default() }.horizon();
        assert_eq!(horizon(0.0, 1.0), 1);
        assert_eq!(horizon(0.5, 1.0), 7); // 0.5^6 = 0.0156
        assert_eq!(horizon(0.5, 0.5), 4); // 0.25^3 = 0.0156
    }

    #[test]
    fn wrong_settings_are_named() {
        let wrong = |settings: LearningSettings| settings.check().unwrap_err().to_string();
        let usual = LearningSettings::default;
        assert!(usual().check().is_ok());
        assert!(wrong(LearningSettings { alpha: f64::NAN, ..usual() }).starts_with("alpha NaN"));
        assert!(wrong(LearningSettings { gamma: 0.0, ..usual() }).starts_with("gamma 0"));
        assert!(wrong(LearningSettings { lambda: 1.0, ..usual() }).starts_with("lambda 1"));
        assert!(wrong(LearningSettings { explore: 1.5, ..usual() }).starts_with("explore 1.5"));
        let explore_half_life = Some(0);
        let endless = LearningSettings { explore_half_life, ..usual() };
        assert!(wrong(endless).starts_with("explore-half-life 0"));
        assert!(wrong(LearningSettings { streams: 0, ..usual() }).starts_with("streams 0"));
        assert!(wrong(LearningSettings { round: 0, ..usual() }).starts_with("round 0"));
    }
}
