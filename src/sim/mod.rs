//! Games on all cores: one configuration, many games, the same results for any number of threads.

mod config;
mod game;
mod run;

pub use config::{Limits, RunConfig};
pub use game::{Recorder, Stopped, Turn, Unrecorded, play_game};
pub use run::{Event, Shown, Totals, run};
