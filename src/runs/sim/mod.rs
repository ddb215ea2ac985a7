//! Plays classic games on all cores; results do not depend on the number of threads.
//!
//! [`ClassicConfig`] configures the games and [`ClassicGames`] adds the logs. The [`crate::engine`]
//! plays them, here without a folder:
//!
//! ```
//! # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::{controller::Controller, engine::{Totals, each}};
//! use tetrastat::sim::{ClassicConfig, ClassicGames};
//!
//! let bcts = Controller::load("bcts")?;
//! let config = ClassicConfig { games: 3, ..ClassicConfig::new(bcts, "10x10".parse()?) };
//! let mut lines = Vec::new();
//! each(&ClassicGames::unlogged(config)?, &Totals::default(), &AtomicBool::new(false), |game| {
//!     lines.push((game.row.game, game.row.lines));
//!     Ok(true) // there may be more
//! })?;
//! assert_eq!(lines, [(0, 7785), (1, 2993), (2, 2139)]);
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```

mod annotate;
mod classic_games;
mod config;
mod described;
mod external;
mod game;
pub mod guideline;
mod log;
pub mod rollout;
mod sample;
mod snapshot;

pub use annotate::{Annotated, Annotation, Problem, input_columns};
pub use config::{ClassicConfig, Limits, MOST_GAMES, garbage_label};

pub use crate::engine::CHECKPOINT_EVERY;
pub use classic_games::{
    ClassicCheckpoint, ClassicGames, ClassicManifest, ClassicRun, EndedGame, GameSums, GameTotals,
    MAIN_MEASURE, measure,
};
pub use external::bot_controller;
pub use game::{LOOK_EVERY, Recorder, Unrecorded, place_next, play_game};
pub use log::RowBuilders;
pub use sample::SampledPlacement;
pub use snapshot::Snapshot;
