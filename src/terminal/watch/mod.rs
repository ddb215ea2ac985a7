//! A controller plays, and tells why: the model and the screens of `tetrastat watch`.
//!
//! | file | what it holds |
//! |---|---|
//! | [`game`] | what a game gives to be watched; a game in play, and the way to an explanation |
//! | [`one_piece`], [`guideline`] | the games: their placements, rules and controllers |
//! | [`step`] | a placement with all that is needed to show and explain it |
//! | [`timeline`] | a game that can be looked at back and forth |
//! | `replay` | games from the log of a run, built again by the rules |
//! | [`analysis`] | candidates with scores, and two of them held against each other |
//! | [`playback_clock`] | how many placements a second |
//! | [`app`] | keys and time to what is shown |
//! | [`screen`], `panels` | from what is shown to a picture |
//! | [`run`] | the terminal: pictures out, keys in |

pub mod analysis;
pub mod app;
pub mod game;
pub mod guideline;
pub mod one_piece;
mod panels;
pub mod playback_clock;
mod replay;
pub mod run;
pub mod screen;
pub mod step;
pub mod timeline;

pub use timeline::{KEPT, Timeline};

#[cfg(test)]
mod screens;
#[cfg(test)]
mod tests;
