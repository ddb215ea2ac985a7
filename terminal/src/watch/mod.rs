//! A controller plays, and tells why: the model and the screens of `tetrastat watch`.
//!
//! | file | what it holds |
//! |---|---|
//! | [`game`] | the interface of a watchable game; [`crate::explain`] explains its placements |
//! | [`classic`], [`guideline`] | the games |
//! | [`timeline`] | a game that can be looked at back and forth |
//! | `sources` | where its placements come from: a game in play, or a log, built again by the rules |
//! | [`playback_clock`] | how many placements a second |
//! | [`app`] | keys and time to what is shown |
//! | [`screen`], `panels` | from what is shown to a picture |
//! | [`run`] | the terminal: pictures out, keys in |

pub mod app;
pub mod classic;
pub mod game;
pub mod guideline;
mod panels;
pub mod playback_clock;
pub mod run;
pub mod screen;
mod sources;
pub mod timeline;

pub use timeline::{KEPT, Timeline};

#[cfg(test)]
mod screens;
#[cfg(test)]
mod tests;
