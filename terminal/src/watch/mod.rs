//! Implements `tetrastat watch`, which plays a controller's game and explains its choices.
//! Games implement [`crate::explain::Watched`].
//!
//! | file | contents |
//! |---|---|
//! | [`timeline`] | a live or logged game that can be stepped back and forth |
//! | [`playback_clock`] | the speed in placements per second |
//! | [`app`] | the state of the screen, changed by keys and time |
//! | [`screen`], `panels` | drawing of the state |
//! | [`run`] | the loop on the terminal |

pub mod app;
mod panels;
pub mod playback_clock;
pub mod run;
pub mod screen;
pub mod timeline;

pub use timeline::{DEFAULT_STORED, Timeline};

#[cfg(test)]
#[path = "tests/screens.rs"]
mod screens;
#[cfg(test)]
mod tests;
