//! Games on all cores: one configuration, many games, the same results for any number of threads.

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
    ClassicCheckpoint, ClassicManifest, ClassicRun, Ended, GameTotals, Games, Job, MAIN_MEASURE, measure,
};
pub use log::Building;
pub use recorded::read_job;
pub use sample::Shown;
pub use snapshot::Snapshot;
