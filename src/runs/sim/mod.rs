//! Games on all cores: one configuration, many games, the same results for any number of threads.

mod checkpoint;
mod config;
mod described;
mod entry;
mod game;
pub mod guideline;
mod job;
mod run;
mod sample;
mod snapshot;
mod tables;

pub use checkpoint::Checkpoint;
pub use config::{CHECKPOINT_EVERY, Limits, MOST_GAMES, RunConfig};
pub use described::described;
pub use game::{LOOK_EVERY, Recorder, Unrecorded, place_next, play_game};
pub use job::{Job, Played};
pub use run::{Event, Totals, run};
pub use sample::Shown;
pub use snapshot::{Snapshot, Start};
pub use tables::{FinishedRun, RunTables};
