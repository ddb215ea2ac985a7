//! Estimates the mean lines of games that are too long to play to their end.
//!
//! Suppose that games follow one another: each starts from the start board after the death of the
//! game before. By the renewal-reward theorem (Ross, *Stochastic Processes*, section 3.6), the mean
//! lines of a game are the long-run rate of lines divided by the long-run rate of deaths. This
//! holds exactly, for any distribution of game lengths. A short play gives the rate of lines.
//! Deaths are rare, so their rate is estimated by **multilevel splitting** (RESTART:
//! Villen-Altamirano & Villen-Altamirano 1991, 2002; Garvels 2000):
//!
//! * An importance ([`Importance`]) measures how close a board is to the end. [`Levels`] are
//!   intervals of importance. Each level i has a splitting factor R_i.
//! * A path is a game in progress. When a path rises to level i, it becomes R_i paths: itself and
//!   (R_i - 1) copies. These branches end when they fall below level i. Each branch has its own
//!   future. The known part of the queue (pieces seen, rest of a bag) stays, and the rest is drawn
//!   from another stream. The main path consists of the games without the branches.
//! * A death in level k counts 1 / (R_1 x ... x R_k). The expected sum is the expected number of
//!   deaths in the main path, for any levels and factors fixed beforehand. Splitting therefore
//!   changes only the variance. A pilot ([`place_levels`]) places the levels; its counts are not
//!   used again.
//! * [`Replication`]s are independent runs of the estimator. Each plays a stretch of the main path
//!   after a burn-in. Branches are played to their end, even beyond the stretch. Branches from
//!   before the stretch are not counted, and on average the two effects balance. So in a stationary
//!   process the totals of lines and of deaths of a replication are both unbiased. [`Ratio`] gives
//!   their quotient with its interval.
//!
//! [`Game`](crate::sim::Game) states what a game must provide: its state between two pieces, a
//! step, an importance, and a copy with another future. In guideline games the current piece, the
//! previews and the rest of the bag are known.
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
//! let results = EstimateResults::of(&done, &estimate.levels, true);
//! let found = results.splitting.expect("games on this board are short");
//! let mean = found.ratio.mean.mean.expect("some games ended");
//! assert!((3_000.0..5_000.0).contains(&mean)); // 10,000 games had 3,914 lines
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```
//!
//! The replications give two other estimates for comparison. [`Exposure`] uses only the games
//! without the branches. [`Extrapolation`] is Fahey's line through the histogram of stack heights.

mod config;
mod histogram;
mod importance;
mod job;
mod levels;
mod pilot;
mod ratio;
mod replication;
mod results;
mod summary;
#[cfg(test)]
mod tests;

pub use config::{EstimateConfig, FEWEST_REPLICATIONS, StopRule};
pub(crate) use config::{check_policy, check_queue, check_start};
pub use histogram::{Extrapolation, fitted_heights};
pub use importance::Importance;
pub use job::{ESTIMATE, Estimate, EstimateWatch, Replications, find_levels, recorded_levels};
pub use levels::Levels;
pub use pilot::{PilotOptions, place_levels};
pub use ratio::Ratio;
pub use replication::{Replication, ReplicationSetup, replicate};
pub use results::{
    EstimateResults, Exposure, Splitting, extrapolation, height_rows, level_rows, replication_row,
};
pub use summary::{EstimateMethod, EstimateSummary, ExtrapolatedMean, FEW_EXCURSIONS};
