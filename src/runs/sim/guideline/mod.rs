//! Guideline games on all cores: Sprint, Blitz and endless practice.

mod clock;
mod config;
mod game;
mod journal;
mod recorded;
mod run;

pub use clock::{Clock, Timing};
pub use config::{GuidelineConfig, GuidelineEntry, Mode, SPRINT_LINES};
pub use game::{Dealt, Game, InPlay, Outcome, play};
pub use journal::{GuidelineCheckpoint, GuidelineManifest};
pub use recorded::{is_guideline_run, read_guideline_config};
pub use run::{GuidelineRun, simulate_guideline};
