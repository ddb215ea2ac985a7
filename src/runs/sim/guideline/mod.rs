//! Plays guideline games on all cores: Sprint, Blitz and endless games.

mod bot;
mod clock;
mod config;
mod external;
mod game;
mod recorded;
mod run;

pub use bot::{BotReply, GuidelineBot};
pub use clock::{Clock, InputTiming};
pub use config::{GuidelineConfig, GuidelineEntry, Mode, SPRINT_LINES, Unseen};
pub use game::{GuidelinePlayer, InPlay, look, play};
pub use recorded::{is_guideline_run, read_guideline_config};
pub use run::{GuidelineRun, main_measure, measure};

/// Checkpoint of a run of guideline games.
pub type GuidelineCheckpoint = crate::engine::Checkpoint<GuidelineConfig>;
