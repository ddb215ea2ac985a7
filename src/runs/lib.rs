//! What tetrastat does with games: plays them on all cores, records, counts and estimates.
//!
//! Whoever uses the library depends on `tetrastat`, which has these rooms under the same names; the
//! code map stands there.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]

pub mod bench;
pub mod engine;
pub mod estimate;
pub mod exact;
pub mod record;
pub mod sim;
pub mod stats;
pub mod text;
pub mod threads;

// The rooms below, so that every room is `crate::room` wherever it stands.
use tetrastat_core::{
    board, controller, error, features, files, kernels, matrix, piece, placement, queue, rng,
    rules, search,
};
