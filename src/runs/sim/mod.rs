//! Games on all cores: one configuration, many games, the same results for any number of threads.
//!
//! A [`RunConfig`] says what is played and a [`Job`] what of it is logged; [`crate::engine`] plays it, here
//! without a folder:
//!
//! ```
//! # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::{controller::Controller, engine::{Totals, each}, sim::{Job, RunConfig}};
//!
//! let bcts = Controller::load("bcts")?;
//! let config = RunConfig { games: 3, ..RunConfig::new(bcts, "10x10".parse()?) };
//! let mut lines = Vec::new();
//! each(&Job::unlogged(config)?, &Totals::default(), &AtomicBool::new(false), |game| {
//!     lines.push((game.row.game, game.row.lines));
//!     Ok(true) // there may be more
//! })?;
//! assert_eq!(lines, [(0, 7785), (1, 2993), (2, 2139)]);
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```

mod config;
mod described;
mod entry;
mod game;
pub mod guideline;
mod job;
mod log;
mod recorded;
pub mod rollout;
mod sample;
mod snapshot;

pub use config::{Limits, MOST_GAMES, RunConfig};

pub use crate::engine::CHECKPOINT_EVERY;
pub use game::{LOOK_EVERY, Recorder, Unrecorded, place_next, play_game};
pub use job::{
    ClassicCheckpoint, ClassicManifest, ClassicRun, EndedGame, GameSums, GameTotals, Job,
    MAIN_MEASURE, measure,
};
pub use log::Building;
pub use recorded::read_job;
pub use sample::Shown;
pub use snapshot::Snapshot;
