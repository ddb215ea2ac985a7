//! A controller plays, and tells why: the model and the screens of `tetrastat watch`.
//!
//! | file | what it holds |
//! |---|---|
//! | [`step`] | a placement with all that is needed to show and explain it |
//! | [`film`] | a game that can be looked at back and forth |
//! | [`live`], [`live_guideline`] | games as `simulate` plays them |
//! | [`replay`] | games from the log of a run, built again by the rules |
//! | [`analysis`] | candidates with scores, and two of them held against each other |
//! | [`explain`], [`explain_guideline`] | whoever makes an analysis: a controller and its search |
//! | [`pace`] | how many placements a second |
//! | [`app`] | keys and time to what is shown |
//! | [`screen`], `panels` | from what is shown to a picture |
//! | [`run`] | the terminal: pictures out, keys in |

pub mod analysis;
pub mod app;
pub mod explain;
pub mod explain_guideline;
pub mod film;
pub mod live;
pub mod live_guideline;
pub mod pace;
mod panels;
pub mod replay;
pub mod run;
pub mod screen;
pub mod step;

pub use film::{Film, KEPT};

#[cfg(test)]
mod screens;
#[cfg(test)]
mod tests;
