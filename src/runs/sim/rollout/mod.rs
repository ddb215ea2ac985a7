//! Rollouts: from boards of a log, games are played on many times, to see how dangerous each board is, and what another
//! placement on it would have been worth.
//!
//! The r-th game from every board, and from every candidate on it, is dealt the same pieces (common random numbers), so
//! that a difference between two of them is one of the boards, not of luck.

mod config;
mod outlook;
mod run;

pub use config::{RolloutConfig, RolloutEntry};
pub use run::RolloutTotals;
