//! Estimation of candidates whose games are too long to play. The score is the logarithm of mean
//! lines, found by multilevel splitting ([`crate::estimate`]).
//!
//! A candidate plays replications instead of games. Replications 0, 1, ... of a generation's seed
//! are common to all candidates, and so are the levels. A pilot run of one player places the levels
//! once per batch ([`super::EvaluationBatch::pilot`]), by default the mean of the distribution. So
//! no candidate needs a pilot run of its own.
//!
//! Splitting is unbiased for any levels but most precise for players that die about as often as the
//! pilot. A player that dies far more often would split without end. Its replication therefore ends
//! at [`EstimateOptions::most`] pieces, and unplayed paths count as deaths. This makes the
//! candidate look worse than it is and never better.

use serde::{Deserialize, Serialize};

use super::config;
use super::games::{CandidateGames, PlayedGame, TrainingGames};
use crate::error::Result;
use crate::estimate::{Importance, Levels, Ratio, ReplicationSetup, Splittable};
use crate::stats::{Interval, LEVEL};

/// Part of a path in the last level that counts as dead in each replication, in addition to
/// observed deaths. It keeps the mean finite for a candidate without an observed death. Ten
/// replications count half a path. If a replication observes twenty deaths, the pilot's target,
/// this is a quarter of a per cent for all candidates alike.
pub(super) const UNSEEN: f64 = 0.05;
/// Maximum number of pieces in a replication, its burn-in or a round of the pilot.
const MOST_PIECES: u64 = 1_000_000_000_000;

/// Settings for estimating the mean lines of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EstimateOptions {
    /// Importance function on which the levels are defined.
    pub importance: Importance,
    /// Number of pieces of the main path of a replication.
    pub pieces: u64,
    /// Number of pieces that a replication plays before it counts.
    pub burn_in: u64,
    /// Number of pieces of the main path in each round of the pilot that places levels.
    pub pilot_pieces: u64,
    /// Maximum number of pieces on all paths of a replication, without the burn-in.
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
    /// Refuses settings that can't be played.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] naming the setting to
    /// change.
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
                "estimate-most {most}: the main path alone has {pieces} pieces, give ten times as \
                 many"
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

    /// Returns the setup of a replication between `levels`.
    pub(super) fn setup<'a, G>(
        &self,
        config: &'a G,
        levels: &'a Levels,
    ) -> ReplicationSetup<'a, G> {
        let EstimateOptions { importance, pieces, burn_in, most, .. } = *self;
        ReplicationSetup { config, importance, levels, burn_in, pieces, most }
    }
}

/// Computes the logarithm of mean lines per game: lines of the main paths divided by weighted
/// deaths, over all replications.
pub(super) fn log_mean(replications: &CandidateGames) -> f64 {
    let lines: u64 = replications.0.iter().map(|found| found.lines).sum();
    let deaths: f64 = replications.values().iter().sum();
    libm::log(lines.max(1) as f64) - libm::log(deaths)
}

/// Computes the standard error of [`log_mean`] and its interval. Returns `None` with fewer than two
/// replications or without lines.
pub(super) fn log_error(replications: &CandidateGames) -> Option<(f64, Interval)> {
    let pair = |found: &PlayedGame| (found.lines as f64, found.value);
    let pairs: Vec<(f64, f64)> = replications.0.iter().map(pair).collect();
    let ratio = Ratio::of(&pairs, LEVEL)?;
    let Interval { low, high } = ratio.interval;
    Some((ratio.relative_error, Interval { low: libm::log(low), high: high.map(libm::log) }))
}
