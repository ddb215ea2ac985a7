//! Estimates from games: summaries, intervals, tests and plans. Every formula cites its source and
//! states what it assumes.
//!
//! | question | answer |
//! |---|---|
//! | what does one run say? | [`Summary`], [`Estimate`] with its [`Warning`]s |
//! | are lifetimes exponential? | [`Exponentiality`]: Cox-Oakes, Anderson-Darling, SD/mean |
//! | which of several controllers is better? | [`Comparison`] of [`Paired`] games, adjusted by [`holm`] |
//! | and without common seeds? | [`exponential_ratio`], [`welch`], [`permutation_test`], [`log_rank`] |
//! | when has enough been played? | [`Stopping`]; [`Sequential`], a verdict that may be looked at after every game |
//! | how many games will it take? | [`ends_to_tell`], [`ends_for_half_width`]; by a pilot [`PilotPair`], [`games_for_half_width`] |

mod bootstrap;
mod comparison;
#[cfg(test)]
mod coverage;
mod estimate;
mod exponential;
mod exponentiality;
mod holm;
mod log_rank;
mod observed;
mod paired;
mod permutation;
mod pilot;
mod plan;
mod proportion;
mod quantile;
mod sequential;
mod stopping;
mod summary;
mod survival;
mod unpaired;
mod warning;

pub use bootstrap::{
    FEWEST, bootstrap_mean, bootstrap_median, bootstrap_paired, bootstrap_scaled, bootstrap_values,
};
pub use comparison::{ALPHA, Arm, Comparison, Pair, RankedArm};
pub use estimate::{Estimate, LEVEL, Method};
pub use exponential::{Interval, exponential_mean};
pub use exponentiality::{Exponentiality, anderson_darling, cox_oakes, spread};
pub use holm::holm;
pub use log_rank::{LogRank, log_rank};
pub use observed::{Better, Observed, Scale};
pub use paired::{Paired, Unpaired, sign_test};
pub use permutation::{Permuted, sign_flip_test};
pub use pilot::{PilotPair, Question, ToTell, games_for_half_width};
pub use plan::{ends_for_half_width, ends_to_tell, power, share_ended};
pub use proportion::{mean_interval, share_difference_interval, share_interval};
pub use quantile::{quantile, quantile_interval};
pub use sequential::{FIRST_LOOK, Look, Sequential, Verdict, next_look, schedule};
pub use stopping::{AfterLook, FIRST, Stopping};
pub use summary::{Summary, as_whole};
pub use survival::{Survival, survival};
pub use unpaired::{Effect, exponential_ratio, permutation_test, welch};
pub use warning::{Warning, remedy_without_ends};
