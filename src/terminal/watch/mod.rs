//! A controller plays, and tells why: the model and the screens of `tetrastat watch`.
//!
//! | file | what it holds |
//! |---|---|
//! | [`game`] | what a game gives to be watched; a game in play, and the way to an explanation |
//! | [`one_piece`], [`guideline`] | the games: their placements, rules and controllers |
//! | [`step`] | a placement with all that is needed to show and explain it |
//! | [`film`] | a game that can be looked at back and forth |
//! | `replay` | games from the log of a run, built again by the rules |
//! | [`analysis`] | candidates with scores, and two of them held against each other |
//! | [`pace`] | how many placements a second |
//! | [`app`] | keys and time to what is shown |
//! | [`screen`], `panels` | from what is shown to a picture |
//! | [`run`] | the terminal: pictures out, keys in |

pub mod analysis;
pub mod app;
pub mod film;
pub mod game;
pub mod guideline;
pub mod one_piece;
pub mod pace;
mod panels;
mod replay;
pub mod run;
pub mod screen;
pub mod step;

pub use film::{Film, KEPT};

#[cfg(test)]
mod screens;
#[cfg(test)]
mod tests;
