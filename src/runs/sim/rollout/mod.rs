//! Plays rollouts: many games from each board of a log. They measure how dangerous a board is, and
//! how good each possible placement on it is.
//!
//! Game i from every board, and from every candidate placement, receives the same pieces (common
//! random numbers). A difference between two boards is therefore not due to luck of the pieces.

mod config;
mod outlook;
mod run;

pub use config::{MOST_REPLICATES, RolloutConfig, RolloutEntry};
pub use run::RolloutTotals;
