//! Games, rollouts and annotated tables, played on all cores; results do not depend on the number
//! of threads.
//!
//! [`Game`] says what a game is, and [`ClassicConfig`] configures one kind. The [`crate::engine`]
//! plays them, here without a folder:
//!
//! ```
//! # mod tetrastat { pub use {tetrastat_core::*, tetrastat_runs::*}; }
//! use std::sync::atomic::AtomicBool;
//! use tetrastat::{controller::Controller, engine::{Totals, each}};
//! use tetrastat::sim::ClassicConfig;
//!
//! let bcts = Controller::load("bcts")?;
//! let config = ClassicConfig { games: 3, ..ClassicConfig::new(bcts, "10x10".parse()?) };
//! let mut lines = Vec::new();
//! each(&config, &Totals::default(), &AtomicBool::new(false), |game| {
//!     lines.push((game.row.game, game.row.lines));
//!     Ok(true) // there may be more
//! })?;
//! assert_eq!(lines, [(0, 7785), (1, 2993), (2, 2139)]);
//! # Ok::<(), tetrastat_core::error::Error>(())
//! ```

mod annotate;
mod classic;
mod config;
pub mod game;
pub mod guideline;
pub mod rollout;
mod run;

pub use crate::engine::CHECKPOINT_EVERY;
pub use annotate::{
    Annotated, AnnotatedGame, Annotation, ClassicAnnotation, GuidelineAnnotation, InputHeader,
    InputRow, Problem, RowError, RowResult,
};
pub use classic::{GameSums, MAIN_MEASURE, Snapshot, measure};
pub use config::{ClassicConfig, Limits, MOST_GAMES, bot_controller};
pub(crate) use game::WithoutRow;
pub use game::{
    Game, GameCounts, GameTotals, OnPlacement, Recorder, Stepped, Unrecorded, play_game,
    play_to_end,
};
pub use run::{EndedGame, PlayedGames, RowBuilders};
