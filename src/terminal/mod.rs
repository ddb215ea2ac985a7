//! The screens of `tetrastat play` and `tetrastat watch`: a terminal borrowed and given back, keys and
//! time as one stream of events, boards as pictures.
//!
//! | file | what it holds |
//! |---|---|
//! | [`screen`] | raw mode and the alternate screen, restored however the program ends |
//! | [`events`] | key presses, resizes and signals, waited for until the next thing is due |
//! | [`theme`] | colours of pieces and words; none under `NO_COLOR` |
//! | [`board_view`] | a board as a widget, two characters per cell |
//! | [`play`] | a game for a person |
//! | [`watch`] | a controller plays, and tells why |
//!
//! What a screen shows is a function of a model without any terminal, so that tests compare it as
//! text.

pub mod board_view;
pub mod events;
pub mod play;
pub mod screen;
pub mod theme;
pub mod watch;

#[cfg(test)]
pub(crate) mod pictures;
