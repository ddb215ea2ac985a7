//! Mean lines of games that are too long to play.
//!
//! Let games follow one another, each from the start board once the one before has died. By the
//! renewal-reward theorem (Ross, *Stochastic Processes*, section 3.6) the mean lines of a game are exactly
//! the long-run rate of lines over the long-run rate of deaths, whatever the distribution of a game. The
//! rate of lines any short play tells; deaths are rare, and their rate is found by **multilevel splitting**
//! (RESTART: Villen-Altamirano & Villen-Altamirano 1991, 2002; Garvels 2000):
//!
//! * An importance ([`Importance`]) says how near a board is to the end; [`Levels`] cut it into
//!   levels. A path that rises to level i becomes R_i paths: itself and R_i - 1 others, which end when
//!   they fall below level i. Each has a future of its own: what is known of the queue (a piece seen, the
//!   rest of a bag) stays, the rest is drawn from another stream.
//! * A death in level k counts 1 / (R_1 x ... x R_k). The mean of the sum is the mean number of deaths of the
//!   path that is not split, for any levels and factors, fixed beforehand: splitting changes the
//!   variance only. Levels are placed by a pilot ([`place_levels`]) whose counts are not used again.
//! * Independent [`Replication`]s play a stretch of the main path each, after a burn-in, with all that splits off
//!   it, to its end, even beyond the stretch; as much splits off before a stretch and is not counted. So
//!   in a stationary process both totals of a replication are unbiased, and [`Ratio`] has their
//!   quotient with its interval.
//!
//! A game is what [`Splittable`] asks for: a path between two pieces, a step, an importance, a fork. Classic games and
//! guideline games are such; of guideline games the current piece, the previews and the rest of the bag are known.
//!
//! ```
//! # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::estimate::{EstimateConfig, Importance, PilotOptions, EstimateResults, StopRule, EstimateWatch};
//! use tetrastat::estimate::{find_levels, run_replications};
//! use tetrastat::{controller::Controller, sim::ClassicConfig};
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
//! let (watch, stop) = (EstimateWatch::default(), AtomicBool::new(false));
//! let levels = find_levels(&config, &watch, &stop)?.expect("nobody raised stop");
//! let mut done = Vec::new();
//! run_replications(&config, &levels, &mut done, &watch, &stop, |_| Ok(()))?;
//! let found = EstimateResults::of(&done, &levels).splitting.expect("games on this board are short");
//! assert!((3_000.0..5_000.0).contains(&found.ratio.mean)); // 10,000 games had 3,914 lines
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```
//!
//! For comparison, from the same replications: [`Exposure`], what the main paths say as they are, and
//! [`Extrapolation`], Fahey's line through the histogram of heights.

mod classic;
mod config;
mod guideline;
mod histogram;
mod importance;
mod levels;
mod pilot;
mod ratio;
mod replication;
mod replication_table;
mod results;
mod run;
mod splittable;
#[cfg(test)]
mod tests;

pub use config::{EstimateConfig, FEWEST_REPLICATIONS, StopRule};
pub use histogram::{Extrapolation, fitted_heights};
pub use importance::Importance;
pub use levels::Levels;
pub use pilot::{PilotOptions, place_levels};
pub use ratio::Ratio;
pub use replication::{Replication, ReplicationSetup, replicate};
pub use replication_table::{RecordedEstimate, ReplicationTable};
pub use results::{
    EstimateResults, Exposure, Splitting, extrapolation, height_rows, level_rows, replication_rows,
};
pub use run::{EstimateWatch, find_levels, replicate_at, run_replications};
pub use splittable::Splittable;
