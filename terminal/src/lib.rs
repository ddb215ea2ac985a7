//! Shows games: the screens of `tetrastat play` and `tetrastat watch`, explanations and pictures.
//!
//! Library users depend on `tetrastat`, which re-exports this crate as `tetrastat::terminal`.
//!
//! | module | contents |
//! |---|---|
//! | [`screen`] | raw mode and the alternate screen, restored on every exit |
//! | [`events`] | key presses, resizes and signals as one stream |
//! | [`theme`] | colours of pieces and words; none under `NO_COLOR` |
//! | [`board_view`] | a board as a widget, two characters per cell |
//! | [`play`] | guideline games for a human player |
//! | [`watch`] | games of a controller with explanations |
//! | [`pictures`] | placements as SVG, animated games, terminal casts, fumen |
//! | [`explain`] | explanations of placements, term by term; games rebuilt from their log |
//!
//! Every screen is a function of a model without a terminal, so tests compare screens as text.

// No panic may reach a user.
#![warn(clippy::unwrap_used, clippy::expect_used)]
// Texts from files reach a terminal only through the printers of `cli`, which escape them.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod board_view;
pub mod events;
pub mod explain;
pub mod pictures;
pub mod play;
pub mod screen;
pub mod theme;
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
