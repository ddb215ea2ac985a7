//! Reproduction of published tables: the published numbers, the conditions, the comparison.
//!
//! | file | content |
//! |---|---|
//! | `data/published.csv` | every published number, with its source, page and kind of evidence |
//! | `data/reproduce.toml` | conditions that reproduce these numbers, also in a brief form |
//!
//! Classic tables report lines per game, which are assumed to be exponentially distributed.
//! Guideline tables report pieces or points; their intervals come from [`crate::stats::Estimate`].
//!
//! A reproduction is a [`crate::study`]: it has common seeds, a folder per run, and can be resumed.

mod compare;
mod plan;
mod published;

pub use compare::{compare, reproduced};
pub use plan::{CLASSIC_TABLES, Planned, TABLES, plan, study_text};
pub use published::{Published, published};
