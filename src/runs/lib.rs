//! Library that plays falling-block games on all cores, records them in tables, and computes exact
//! results, estimates and statistics.
//!
//! Functions fail with [`error::Error::Io`] if a file can't be read or written, with
//! [`error::Error::Config`] or a more specific variant, such as [`error::Error::Controller`] or
//! [`error::Error::ScriptEnded`], if an argument or a file's content is wrong, and with
//! [`error::Error::Internal`] after a panic.
//!
//! Users depend on the crate `tetrastat`, which re-exports these modules. Its documentation
//! contains the code map.

// A panic must never reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]

mod prelude;
mod settings;

pub mod bench;
pub mod engine;
pub mod estimate;
pub mod exact;
pub mod learn;
pub mod record;
pub mod report;
pub mod sim;
pub mod stats;
pub mod tbp;
pub mod threads;

/// Formats and parses the numbers in command-line options and in reports.
pub mod text {
    pub mod numbers;
    pub mod parse;
}

// The imports make every module available as `crate::module`, wherever it is defined.
use tetrastat_core::{
    board, controller, error, features, files, kernels, matrix, piece, placement, queue, rng,
    rules, search,
};
