//! `tetrastat play`: a guideline game for a person.
//!
//! | file | what it holds |
//! |---|---|
//! | [`handling`], `held`, `falling` | the times of a game; keys held down; the piece that falls |
//! | [`session`] | a game in time, fed with keys: deterministic, without a terminal |
//! | [`placed`] | placements as the tables of guideline runs have them |
//! | [`keys`] | which keys do what |
//! | [`app`] | which screen is shown, and what keys do there |
//! | [`mod@draw`], `draw_game`, [`words`] | the screens |

pub mod app;
pub mod draw;
mod draw_game;
pub mod falling;
pub mod handling;
mod held;
pub mod keys;
pub mod placed;
pub mod session;
pub mod words;
