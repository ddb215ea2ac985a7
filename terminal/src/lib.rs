//! Shows games: the screens of `tetrastat play` and `tetrastat watch`, explanations and pictures.
//!
//! Library users depend on `tetrastat`, which re-exports this crate as `tetrastat::terminal`.
//!
//! | module | contents |
//! |---|---|
//! | [`screen`] | raw mode and the alternate screen, restored on every exit; keys and signals |
//! | [`board_view`] | colours, and a board as a widget with two characters per cell |
//! | [`play`] | guideline games for a human player |
//! | [`watch`] | games of a controller with explanations |
//! | [`pictures`] | placements as SVG, animated games, terminal recordings, fumen |
//! | [`explain`] | explanations of placements; games rebuilt from their log |
//!
//! Every screen is a function of a model without a terminal, so tests compare screens as text.
//! Functions fail with [`tetrastat_core::error::Error::Config`] for an invalid setting and
//! [`tetrastat_core::error::Error::Io`] for a file that cannot be read or written.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]
// Texts from files reach a terminal only through the printers of `cli`, which escape them.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod board_view;
pub mod explain;
pub mod pictures;
pub mod play;
mod prelude;
pub mod screen;
pub mod watch;

#[cfg(test)]
#[path = "tests/screen_text.rs"]
pub(crate) mod screen_text;

// Re-exports of the engine's modules, so that `crate::module` works as in the engine's crates.
use tetrastat_core::{
    board, controller, error, features, files, kernels, matrix, piece, placement, queue, rng,
    rules, search,
};
use tetrastat_runs::{engine, record, sim, threads};
