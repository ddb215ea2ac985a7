//! `tetrastat play`: a guideline game for a person.
//!
//! | file | what it holds |
//! |---|---|
//! | [`handling`], `held`, `falling` | the times of a game; keys held down; the piece that falls |
//! | [`session`] | a game in time, fed with keys: deterministic, without a terminal |
//! | [`placed`] | placements as the tables of guideline runs have them |
//! | [`keys`] | which keys do what |
//! | [`options`] | what the user asked for |
//! | [`app`] | which screen is shown, and what keys do there |
//! | [`session_folder`] | the games in a run folder |
//! | [`mod@run`] | the loop |
//! | [`mod@draw`], `draw_game`, [`words`] | the screens |

pub mod app;
pub mod draw;
mod draw_game;
pub mod falling;
pub mod handling;
mod held;
pub mod keys;
pub mod options;
pub mod placed;
pub mod run;
pub mod session;
pub mod session_folder;
pub mod words;

#[cfg(test)]
mod screens;
