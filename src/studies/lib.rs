//! Studies of many games: experiments, reproductions of published tables, training.
//!
//! Users depend on the crate `tetrastat`, which exports these modules under the same names. A
//! function fails with one line that names the file or the setting to change.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]

mod prelude;
pub mod study;
pub mod train;

// Modules of the crates below this one, so that code can name every module as `crate::module`.
use tetrastat_core::{board, controller, error, features, rng, search};
#[cfg(test)]
use tetrastat_core::{queue, rules};
use tetrastat_runs::{engine, estimate, learn, record, settings, sim, stats, text, threads};
