//! The screens of `tetrastat play` and `tetrastat watch`: a terminal borrowed and given back, keys and
//! time as one stream of events, boards as pictures. With them is what shows games elsewhere: explanations and pictures.
//!
//! Whoever uses the library depends on `tetrastat`, which has this crate as `tetrastat::terminal`.
//!
//! | file | what it holds |
//! |---|---|
//! | [`screen`] | raw mode and the alternate screen, restored however the program ends |
//! | [`events`] | key presses, resizes and signals, waited for until the next thing is due |
//! | [`theme`] | colours of pieces and words; none under `NO_COLOR` |
//! | [`board_view`] | a board as a widget, two characters per cell |
//! | [`play`] | a game for a person |
//! | [`watch`] | a controller plays, and tells why |
//! | [`pictures`] | placements as SVG, games in motion, casts of a terminal; fumen read and written |
//! | [`explain`] | explanations of placements, term by term; games rebuilt from their log |
//!
//! What a screen shows is a function of a model without any terminal, so that tests compare it as
//! text.

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
pub(crate) mod screen_text;

// The rooms below, so that every room is `crate::room` wherever it stands.
use tetrastat_core::{
    board, controller, error, features, files, kernels, matrix, piece, placement, queue, rng,
    rules, search,
};
use tetrastat_runs::{engine, record, sim, threads};
