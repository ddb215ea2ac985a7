//! Games on all cores: one configuration, many games, the same results for any number of threads.

mod config;
mod game;
mod run;
mod sample;

pub use config::{Limits, RunConfig, Shard};
pub use game::{Recorder, Turn, Unrecorded, play_game};
pub use run::{Event, Totals, run};
pub use sample::Shown;
