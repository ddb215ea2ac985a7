//! Candidates whose games are too long to play: scored by the logarithm of their mean lines, found by multilevel
//! splitting ([`crate::estimate`]).
//!
//! What a candidate plays are replications instead of games: number 0, 1, ... under the generation's seed, the same for all
//! candidates, and between levels that are the same for all: they are placed once for a batch, by a pilot of one player
//! ([`super::EvaluationBatch::pilot`]), the mean of the distribution. So a candidate costs no pilot of its own. Splitting is unbiased for
//! any levels; they suit those best who die about as often as that player. One who dies far more often would split
//! without end: its replication ends at [`EstimateOptions::most`] pieces, and what it left unplayed counts as deaths, which makes
//! it worse than it is and never better.

use serde::{Deserialize, Serialize};

use super::config;
use super::games::{CandidateGames, PlayedGame, TrainingGames};
use crate::error::Result;
use crate::estimate::{Importance, Levels, Ratio, ReplicationSetup, Splittable};
use crate::stats::{Interval, LEVEL};

/// Part of a path in the last level that a replication counts as dead besides those that were: so nobody's mean is
/// infinite who was not seen to die. Ten replications count half a path; where a replication sees twenty deaths, as
/// a pilot asks for, it is a quarter of a per cent, for all candidates alike.
pub(super) const UNSEEN: f64 = 0.05;
/// Pieces of a replication, its burn-in and a pilot's round at most.
const MOST_PIECES: u64 = 1_000_000_000_000;

/// How the mean lines of candidates are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateOptions {
    /// What levels are levels of.
    pub importance: Importance,
    /// Pieces of the main path of a replication.
    pub pieces: u64,
    /// Pieces that a replication plays before it counts.
    pub burn_in: u64,
    /// Pieces of the main path in each round of the pilot that places levels.
    pub pilot_pieces: u64,
    /// Pieces of all paths of a replication at most, burn-in left out.
    pub most: u64,
}

impl Default for EstimateOptions {
    fn default() -> EstimateOptions {
        EstimateOptions {
            importance: Importance::Cells,
            pieces: 50_000,
            burn_in: 2_000,
            pilot_pieces: 50_000,
            most: 1_000_000,
        }
    }
}

impl EstimateOptions {
    /// Refuses what can't be played.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] naming the setting to change.
    pub fn check(&self, games: &TrainingGames) -> Result<()> {
        let EstimateOptions { pieces, burn_in, pilot_pieces, most, .. } = *self;
        let counts = [
            ("estimate-pieces", pieces),
            ("estimate-burn-in", burn_in),
            ("estimate-pilot-pieces", pilot_pieces),
            ("estimate-most", most),
        ];
        if let Some((name, count)) = counts.iter().find(|(_, count)| *count > MOST_PIECES) {
            return config(format!("{name} {count}: give at most {MOST_PIECES}"));
        }
        if pieces == 0 || pilot_pieces == 0 {
            return config(
                "estimate-pieces and estimate-pilot-pieces: give at least 1, for example 50000"
                    .to_owned(),
            );
        }
        if most < pieces {
            return config(format!(
                "estimate-most {most}: the main path alone has {pieces} pieces, give ten times as many"
            ));
        }
        if games.games() < 2 {
            return config(
                "games 1: an estimate needs two replications for its error, give for example 10"
                    .to_owned(),
            );
        }
        match games {
            TrainingGames::Classic(config, _) => config.check(self.importance),
            TrainingGames::Guideline(config, _) => config.check(self.importance),
        }
    }

    /// Returns what a replication between `levels` plays.
    pub(super) fn setup<'a, G>(
        &self,
        config: &'a G,
        levels: &'a Levels,
    ) -> ReplicationSetup<'a, G> {
        let EstimateOptions { importance, pieces, burn_in, most, .. } = *self;
        ReplicationSetup { config, importance, levels, burn_in, pieces, most }
    }
}

/// The logarithm of mean lines per game: lines of main paths over deaths by weight, of all replications.
pub(super) fn log_mean(replications: &CandidateGames) -> f64 {
    let lines: u64 = replications.0.iter().map(|found| found.lines).sum();
    let deaths: f64 = replications.values().iter().sum();
    libm::log(lines.max(1) as f64) - libm::log(deaths)
}

/// Standard error of [`log_mean`], and its interval; `None` with fewer than two replications or without lines.
pub(super) fn log_error(replications: &CandidateGames) -> Option<(f64, Interval)> {
    let pair = |found: &PlayedGame| (found.lines as f64, found.value);
    let pairs: Vec<(f64, f64)> = replications.0.iter().map(pair).collect();
    let ratio = Ratio::of(&pairs, LEVEL)?;
    let Interval { low, high } = ratio.interval;
    Some((ratio.relative_error, Interval { low: libm::log(low), high: high.map(libm::log) }))
}
