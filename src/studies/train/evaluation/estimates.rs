//! Estimation of candidates whose games are too long to play. The score is the logarithm of mean
//! lines, found by multilevel splitting ([`crate::estimate`]).
//!
//! A candidate plays replications instead of games. A replication is one independent run of the
//! splitting estimator. All candidates of a generation play the replications 0, 1, ... under the
//! same seed and with the same levels. A pilot run places the levels once per batch, so no
//! candidate needs a pilot run of its own. The player of the pilot run
//! ([`super::EvaluationBatch::pilot`]) is usually the mean of the search distribution.
//!
//! Splitting is unbiased for any levels but most precise for players that die about as often as the
//! player of the pilot run. A player that dies far more often would split without end. Its
//! replication therefore ends at [`EstimateOptions::most`] pieces, and copies of a game that were
//! not played to their end count as deaths. This can make the candidate look worse than it is, but
//! never better.

use super::config;
use super::games::{CandidateGames, PlayedGame, TrainingGames, for_config};
use crate::error::Result;
use crate::estimate::{Importance, Levels, Ratio, ReplicationSetup};
use crate::settings;
use crate::sim::Game;
use crate::stats::{Interval, LEVEL};
use crate::text::parse::count;

/// Number of deaths in the last level that is added to the observed deaths of each replication. The
/// addition keeps the mean finite for a candidate without an observed death. Ten replications add
/// half a death. If a replication observes twenty deaths, the target of the pilot run, the addition
/// is a quarter of a per cent, equal for all candidates.
pub(super) const UNSEEN: f64 = 0.05;
/// Maximum number of pieces in a replication, in its burn-in and in a round of the pilot run. The
/// limit is needed because a replication is stored only when it is complete.
const MOST_PIECES: u64 = 1_000_000_000_000;

settings! {
    /// Settings for estimating the mean lines of candidates. Names and meanings are those of
    /// `tetrastat estimate`.
    pub struct EstimateOptions {
        /// Quantity that defines the splitting levels: `cells`, `height`, `holes` or, in classic
        /// games only, `value`, for --objective estimate
        #[arg(value_name = "IMPORTANCE")]
        pub estimate_importance: Importance = Importance::Cells,
        /// Pieces of the main path of a replication
        #[arg(value_name = "N", value_parser = count::<u64>(1..))]
        pub estimate_pieces: u64 = 50_000,
        /// Pieces at the start of a replication that are not counted
        #[arg(value_name = "N", value_parser = count::<u64>(..))]
        pub estimate_burn_in: u64 = 2_000,
        /// Pieces of the main path in each round of the pilot that places the levels
        #[arg(value_name = "N", value_parser = count::<u64>(1..))]
        pub estimate_pilot_pieces: u64 = 50_000,
        /// Maximum number of pieces of all paths of a replication. Paths cut off by it count as
        /// deaths [default: 20 for each of --estimate-pieces]
        #[arg(value_name = "N", value_parser = count::<u64>(1..))]
        pub estimate_most: Option<u64>,
    }
}

/// Default limit of all pieces of a replication, as a multiple of its pieces in the games without
/// the copies made by splitting.
const DEFAULT_MOST: u64 = 20;

impl EstimateOptions {
    /// Returns the maximum number of pieces in a replication, with the copies made by splitting but
    /// without the burn-in.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.estimate_most.unwrap_or(self.estimate_pieces.saturating_mul(DEFAULT_MOST))
    }

    /// Returns an error if estimates of `games` can't be made with these settings.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] naming the setting to
    /// change.
    pub fn check(&self, games: &TrainingGames) -> Result<()> {
        let EstimateOptions {
            estimate_pieces: pieces,
            estimate_burn_in: burn_in,
            estimate_pilot_pieces: pilot_pieces,
            ..
        } = *self;
        let most = self.most();
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
        if games.plan().games < 2 {
            return config(
                "games 1: an estimate needs two replications for its error, give for example 10"
                    .to_owned(),
            );
        }
        for_config!(games, config => config.check_estimable(self.estimate_importance))
    }

    /// Returns the setup of a replication of the game `config` with the splitting levels `levels`.
    pub(super) fn setup<'a, G>(
        &self,
        config: &'a G,
        levels: &'a Levels,
    ) -> ReplicationSetup<'a, G> {
        ReplicationSetup {
            config,
            importance: self.estimate_importance,
            levels,
            burn_in: self.estimate_burn_in,
            pieces: self.estimate_pieces,
            most: self.most(),
        }
    }
}

/// Computes the natural logarithm of the mean lines per game: the lines of all replications divided
/// by their weighted deaths. The lines are those of games without the copies made by splitting.
pub(super) fn log_mean(replications: &CandidateGames) -> f64 {
    let lines: u64 = replications.0.iter().map(|found| found.lines).sum();
    let deaths: f64 = replications.values().iter().sum();
    libm::log(lines.max(1) as f64) - libm::log(deaths)
}

/// Computes the standard error and the 95 % interval of [`log_mean`]. Returns `None` with fewer
/// than two replications or without lines.
pub(super) fn log_error(replications: &CandidateGames) -> Option<(f64, Interval)> {
    let pair = |found: &PlayedGame| (found.lines as f64, found.value);
    let pairs: Vec<(f64, f64)> = replications.0.iter().map(pair).collect();
    let ratio = Ratio::of(&pairs, LEVEL)?;
    let Interval { low, high } = ratio.mean.interval()?;
    Some((ratio.relative_error, Interval { low: libm::log(low), high: high.map(libm::log) }))
}
