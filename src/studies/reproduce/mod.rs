//! The published tables played again: what was published, what is played for it, and what a comparison
//! says.
//!
//! | file | what it holds |
//! |---|---|
//! | `data/published.csv` | every published number, with source, page and how it is known |
//! | `data/reproduce.toml` | the conditions that are played for them, also in brief |
//!
//! The tables are of lines of classic games, whose lifetimes are taken for exponential, and of pieces and points of
//! guideline games, whose interval of a mean or a median is as [`crate::stats::Estimate`] has it.
//!
//! A reproduction is a [`crate::study`]: it has common seeds, a folder per run, and goes on after an
//! interruption.

mod compare;
mod plan;
mod published;

pub use compare::{compare, reproduced};
pub use plan::{CLASSIC_TABLES, Planned, TABLES, plan, study_text};
pub use published::{Published, published};
