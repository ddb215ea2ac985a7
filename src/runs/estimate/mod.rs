//! Estimates the mean lines of games that are too long to play to their end.
//!
//! Suppose that games follow one another. By the renewal-reward theorem (Ross, *Stochastic
//! Processes*, section 3.6), the mean lines of a game are the long-run rate of lines divided by the
//! long-run rate of deaths, for any distribution of game lengths. Deaths are rare, so their rate is
//! estimated by **multilevel splitting** (RESTART: Villen-Altamirano & Villen-Altamirano 1991,
//! 2002; Garvels 2000):
//!
//! * An importance ([`Importance`]) measures how close a board is to the end. [`Levels`] are
//!   intervals of importance. Each level i has a splitting factor R_i.
//! * A path is a game in progress. The main path plays one game after another. When a path rises to
//!   level i, it becomes R_i paths: itself and (R_i - 1) copies, the branches, which end when they
//!   fall below level i. The known pieces of the queue (those seen, the rest of a bag) stay, and
//!   each branch draws the others from its own stream.
//! * A death in level k has the weight 1 / (R_1 x ... x R_k). The expected sum is the expected
//!   number of deaths on the main path, for any levels and factors fixed beforehand, so splitting
//!   changes only the variance. A pilot ([`place_levels`]) places the levels.
//! * [`Replication`]s are independent runs of the estimator: a stretch of the main path after a
//!   burn-in. Branches are played to their end, even beyond the stretch, and those from before it
//!   are not counted; on average the two effects balance. [`Ratio`] gives the quotient of the
//!   totals of lines and of deaths with its interval.
//!
//! For comparison, the replications give direct play ([`DirectEstimate`]: the main path alone) and
//! Fahey's line through the histogram of stack heights ([`Extrapolation`]).
//!
//! ```
//! # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::estimate::{Estimate, EstimateConfig, EstimateMethod, EstimateResults};
//! use tetrastat::estimate::{Importance, PilotOptions, StopRule, find_levels};
//! use tetrastat::{controller::Controller, engine::{self, Totals}, sim::ClassicConfig};
//!
//! let config = EstimateConfig {
//!     run: ClassicConfig::new(Controller::load("bcts")?, "10x10".parse()?),
//!     splits: true,
//!     importance: Importance::Cells,
//!     pieces: 20_000, // of each replication
//!     burn_in: 500,
//!     pilot: PilotOptions { pieces: 20_000, ..PilotOptions::default() },
//!     stop: StopRule { budget: Some(500_000), half_width: None },
//! };
//! config.validate()?;
//! let (watch, stop) = (Default::default(), AtomicBool::new(false));
//! let levels = find_levels(&config, &watch, &stop)?.expect("nobody raised stop");
//! let estimate = Estimate { config, method: EstimateMethod::All, levels, watch: watch.into() };
//! let mut done = Vec::new();
//! engine::each(&estimate, &Totals::default(), &stop, |found| {
//!     done.push(found);
//!     Ok(!estimate.is_enough(&done))
//! })?;
//! let results = EstimateResults::new(&done, &estimate.levels, true);
//! let found = results.splitting.expect("games on this board are short");
//! let mean = found.ratio.mean.mean.expect("some games ended");
//! assert!((3_000.0..5_000.0).contains(&mean)); // 10,000 games had 3,914 lines
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```

mod job;
mod replication;
mod summary;

use crate::error::setting::{
    BOARD_FILE, BUDGET, GARBAGE, GARBAGE_EVERY, POLICY, QUEUE, UNTIL_HALFWIDTH,
};
use crate::prelude::*;
use crate::rules::Garbage;
use crate::sim::Game;

pub use job::{
    DirectEstimate, ESTIMATE, Estimate, EstimateResults, EstimateWatch, Replications, Splitting,
    extrapolation, find_levels, recorded_levels,
};
pub use replication::{PilotOptions, Replication, ReplicationSetup, place_levels, replicate};
pub use summary::{
    EstimateMethod, EstimateSummary, ExtrapolatedMean, Extrapolation, FEW_EXCURSIONS, Ratio,
    fitted_heights,
};

#[cfg(test)]
mod tests;

/// Minimum number of independent runs before a narrow interval may stop an estimate; with fewer
/// runs, intervals are too narrow (`data/estimates/stop_rule.R`).
pub const FEWEST_REPLICATIONS: usize = 100;

/// Largest accepted number of pieces in an independent run, which is stored only when complete.
const MOST_PIECES: u64 = 1_000_000_000_000;

/// Rule that ends an estimate at a number of pieces or at a precision, whichever comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Number of pieces in games and their copies at which an estimate stops; `None` for no limit.
    /// Burn-in and trial games do not count.
    pub budget: Option<u64>,
    /// Target for half the interval's width divided by the mean lines; `None` for no target.
    pub half_width: Option<f64>,
}

/// Configuration of an estimate of the mean lines per game.
#[derive(Clone, Debug)]
pub struct EstimateConfig<G> {
    /// Game and controller to play; their number of games, limits and shard (part) are ignored.
    pub run: G,
    /// True if games split into copies when close to their end; false for direct play.
    pub splits: bool,
    /// Measure of how close a board is to the end of the game.
    pub importance: Importance,
    /// Number of counted pieces of the original games in each independent run.
    pub pieces: u64,
    /// Number of pieces that an independent run plays before its lines and deaths count.
    pub burn_in: u64,
    /// Options of the trial games that determine the levels at which games split.
    pub pilot: PilotOptions,
    /// Rule that decides when the estimate stops.
    pub stop: StopRule,
}

impl<G: Game> EstimateConfig<G> {
    /// Checks that the settings of an estimate are complete, in range and possible for its game.
    pub fn validate(&self) -> Result<()> {
        self.run.check_estimable(self.importance)?;
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        let StopRule { budget, half_width } = self.stop;
        if budget.is_none() && half_width.is_none() {
            return fail(&format!(
                "the stopping rule is missing: give {BUDGET}, {UNTIL_HALFWIDTH} or both"
            ));
        }
        if half_width.is_some_and(|width| !(width > 0.0 && width < 10.0)) {
            return fail("a half-width must be above 0 and below 1000 %: for example 20%");
        }
        let counts = [
            ("pieces", self.pieces),
            ("burn-in", self.burn_in),
            ("pilot-pieces", self.pilot.pieces),
        ];
        if let Some((name, count)) = counts.into_iter().find(|(_, count)| *count > MOST_PIECES) {
            let text = format!("{name} {count}: give at most {MOST_PIECES}, and raise {BUDGET}");
            return Err(Error::Config(text));
        }
        if self.pieces == 0 || self.pilot.pieces == 0 {
            return fail("a replication of 0 pieces plays nothing: give at least 1");
        }
        Ok(())
    }
}

impl StopRule {
    /// Returns the finished fraction of an estimate's work, if known. `splits` is false if games do
    /// not split into copies.
    #[must_use]
    pub fn share(&self, results: &EstimateResults, splits: bool) -> Option<f64> {
        let played = self.budget.map(|budget| results.pieces as f64 / budget as f64);
        // The first replications may have any width; a share from them would mean nothing.
        let is_known = |width: &f64| *width > 0.0 && *width < 1.0;
        let width = half_width(results, splits).filter(is_known);
        let narrowed = self.half_width.zip(width).map(|(target, width)| {
            // No estimate ends before this number of replications, however narrow the interval is.
            let fewest = results.replications as f64 / FEWEST_REPLICATIONS as f64;
            (target / width).powi(2).min(fewest)
        });
        let share = match (played, narrowed) {
            (Some(played), Some(narrowed)) => Some(played.max(narrowed)),
            (played, narrowed) => played.or(narrowed),
        };
        share.map(|share| share.min(1.0))
    }

    /// Returns true if an estimate's first `replications` (independent runs) meet its stop rule.
    #[must_use]
    pub fn is_met(&self, replications: &[Replication], levels: &Levels, splits: bool) -> bool {
        let played = || replications.iter().map(|found| found.pieces).sum::<u64>();
        if self.budget.is_some_and(|budget| played() >= budget) {
            return true;
        }
        self.is_narrow(replications, levels, splits) == Some(true)
    }

    /// Returns true if the interval of the mean lines is narrow enough; `None` without a target.
    /// Always false before [`FEWEST_REPLICATIONS`] independent runs.
    #[must_use]
    pub fn is_narrow(
        &self,
        replications: &[Replication],
        levels: &Levels,
        splits: bool,
    ) -> Option<bool> {
        let target = self.half_width?;
        if replications.len() < FEWEST_REPLICATIONS {
            return Some(false);
        }
        // The results use all replications so far, in order. The answer therefore does not depend
        // on how many further ones were played.
        let results = EstimateResults::new(replications, levels, splits);
        Some(half_width(&results, splits).is_some_and(|width| width <= target))
    }
}

fn half_width(results: &EstimateResults, splits: bool) -> Option<f64> {
    let mean = match &results.splitting {
        Some(splitting) if splits => &splitting.ratio.mean,
        _ if splits => return None,
        _ => &results.direct.mean,
    };
    Some(mean.half_width()).filter(|width| width.is_finite())
}

/// Refuses random choices of placements, because copies of a split game would make equal draws.
pub(crate) fn check_policy(policy: Policy) -> Result<()> {
    if policy == Policy::Best {
        return Ok(());
    }
    Err(Error::Config(format!(
        "an estimate plays the best placements, not policy {policy}: leave out {POLICY}, or play \
         the games with simulate"
    )))
}

/// Refuses games with garbage rows, because a splitting estimate starts all games from one board.
pub(crate) fn check_start(garbage: &Garbage) -> Result<()> {
    if !garbage.has_rows() {
        return Ok(());
    }
    let option = if garbage.rows > 0 { GARBAGE } else { GARBAGE_EVERY };
    Err(Error::Config(format!(
        "an estimate starts all games from one board: leave out {option}, give {BOARD_FILE}, or \
         play the games with simulate"
    )))
}

pub(crate) fn check_queue(queue: &QueueKind) -> Result<()> {
    if queue.is_random() {
        return Ok(());
    }
    let text = format!(
        "this queue deals every game the same pieces, so there is nothing to estimate: play one \
         game with simulate, or choose {QUEUE} uniform or bag"
    );
    Err(Error::Config(text))
}

tetrastat_core::names! {
    /// Measure of a board that defines the splitting levels: a whole number that tends to rise
    /// before a game ends.
    ///
    /// An estimate is unbiased with any measure; only its cost (pieces x relative variance)
    /// changes. For greedy `bcts` on 10x20 it was 65,000 by height, 26,000 by cells and 40,000 by
    /// value, which takes twice as long to compute. For `tetrastat-blitz-greedy` (guideline games,
    /// about 13,000 lines), play without splitting takes 1.2, 1.1 and 0.5 times the pieces of
    /// splitting by cells, height and holes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Importance as "importance" {
        /// Number of filled cells of the board, the finest measure of closeness to a game's end.
        #[default]
        Cells = "cells",
        /// Height of the stack, in rows.
        Height = "height",
        /// Negative score that the controller gives the board, scaled by the sum of the absolute
        /// weights; classic games only.
        Value = "value",
        /// Number of holes: empty cells with a filled cell above.
        Holes = "holes",
    }
}

/// Levels of importance (closeness to a game's end) at which games split into copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Levels {
    /// Importance (closeness to a game's end) at which each splitting level begins, ascending.
    pub thresholds: Vec<usize>,
    /// Splitting factor of each level: the number of games that one game becomes on reaching it.
    pub factors: Vec<u32>,
}

impl Levels {
    /// Returns the splitting level of a board of importance `grade`; 0 if below all thresholds.
    #[must_use]
    pub fn level_of(&self, grade: usize) -> usize {
        self.thresholds.partition_point(|&threshold| threshold <= grade)
    }

    /// Returns the number of splitting levels, not counting level 0, where games do not split.
    #[must_use]
    pub fn count(&self) -> usize {
        self.thresholds.len()
    }

    /// Returns the statistical weight of a game's end at each splitting level: 1 / product of the
    /// splitting factors up to this level.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let mut paths = 1.0;
        std::iter::once(1.0)
            .chain(self.factors.iter().map(|&factor| {
                paths *= f64::from(factor);
                1.0 / paths
            }))
            .collect()
    }
}
