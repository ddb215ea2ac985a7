//! Computes estimates from games: summaries, intervals, tests and plans. Every formula cites its
//! source and states its assumptions.
//!
//! | question | answer |
//! |---|---|
//! | what are the results of one run? | [`Summary`] of [`Mean`]s with their [`Warning`]s |
//! | are lifetimes exponential? | [`Exponentiality`]: Cox-Oakes, Anderson-Darling, SD/mean |
//! | which controller is better? | [`Comparison`] of [`Paired`] games, adjusted by [`holm`] |
//! | does one factor matter more where another differs? | [`Contrast`] of means |
//! | and on separate seeds, by means? | [`exponential_ratio`], [`welch`] |
//! | and on separate seeds, by tests? | [`permutation_test`], [`log_rank`] |
//! | when are enough games played? | [`Stopping`]; [`Sequential`], valid after every game |
//! | how many games are needed? | [`ends_for_half_width`], [`games_for_half_width`] |
//! | and by a pilot's games? | [`PilotPair`], [`games_for_half_width`] |

#[cfg(test)]
#[path = "tests/coverage.rs"]
mod coverage;
mod differences;
mod estimate;
mod exponentiality;
mod intervals;
mod mean;
mod observed;
mod planning;
mod summary;
mod warning;

pub use differences::*;
pub use estimate::{Estimate, Spread, mean_by};
pub use exponentiality::{Exponentiality, anderson_darling, cox_oakes, spread};
pub use intervals::*;
pub use mean::{LEVEL, Mean, Method};
pub use observed::{Better, Observed, Scale};
pub use planning::*;
pub use summary::Summary;
pub use warning::{Warning, observed_at_limit, remedy_without_ends};
