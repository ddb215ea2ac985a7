//! Implements `tetrastat watch`, which plays a controller's game and explains its choices.
//!
//! | file | contents |
//! |---|---|
//! | [`game`] | the interface of a watchable game; [`crate::explain`] explains its placements |
//! | [`classic`], [`guideline`] | the games |
//! | [`timeline`] | a game that can be stepped back and forth |
//! | `sources` | placements of a live game, or of a log, rebuilt by the rules |
//! | [`playback_clock`] | the speed in placements per second |
//! | [`app`] | the state of the screen, changed by keys and time |
//! | [`screen`], `panels` | drawing of the state |
//! | [`run`] | the loop on the terminal |

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

pub use timeline::{DEFAULT_STORED, Timeline};

#[cfg(test)]
mod screens;
#[cfg(test)]
mod tests;
