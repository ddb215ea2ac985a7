//! Implements `tetrastat play`, guideline games for a human player.
//!
//! | file | contents |
//! |---|---|
//! | [`handling`], `held`, `falling` | times of a game, keys held down, the falling piece |
//! | [`session`] | a game as a deterministic function of keys and times, without a terminal |
//! | [`keys`] | keys and their actions |
//! | [`options`] | options of the user |
//! | [`app`] | the shown screen and the reaction to keys |
//! | [`session_folder`] | games in a run folder |
//! | [`mod@run`] | the main loop |
//! | [`mod@draw`], `draw_game`, [`words`] | the screens |

pub mod app;
pub mod draw;
mod draw_game;
pub mod falling;
pub mod handling;
mod held;
pub mod keys;
pub mod options;
pub mod run;
pub mod session;
pub mod session_folder;
pub mod words;

#[cfg(test)]
#[path = "tests/screens.rs"]
mod screens;
