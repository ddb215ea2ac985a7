//! Computes estimates from games: summaries, intervals, tests and plans. Every formula cites its
//! source and states its assumptions.
//!
//! | question | answer |
//! |---|---|
//! | what are the results of one run? | [`Summary`] of [`Mean`]s with their [`Warning`]s |
//! | are lifetimes exponential? | [`Exponentiality`]: Cox-Oakes, Anderson-Darling, SD/mean |
//! | which controller is better? | [`Comparison`] of pairs ([`PairedComparison`]), with [`holm`] |
//! | does one factor matter more where another differs? | [`Contrast`] of means |
//! | and on separate seeds, by means? | [`exponential_ratio`], [`welch`] |
//! | and on separate seeds, by tests? | [`permutation_test`], [`log_rank`] |
//! | when are enough games played? | [`Stopping`]; [`Sequential`], valid after every game |
//! | how many games are needed? | [`ends_for_half_width`], [`games_for_half_width`] |
//! | and by a pilot's games? | [`PilotPair`], [`games_for_half_width`] |

mod bootstrap;
mod comparison;
#[cfg(test)]
#[path = "tests/coverage.rs"]
mod coverage;
mod differences;
mod estimate;
mod intervals;
mod mean;
mod planning;
mod sequential;

pub use bootstrap::{
    FEWEST, bootstrap_mean, bootstrap_median, bootstrap_paired, bootstrap_scaled, bootstrap_values,
};
pub use comparison::{ALPHA, Arm, Comparison, Contrast, Pair, RankedArm, Sample, holm};
pub use differences::{
    Effect, LogRank, PairedComparison, PermutationTest, UnpairedComparison, exponential_ratio,
    log_rank, permutation_test, sign_flip_test, sign_test, welch,
};
pub use estimate::{
    Estimate, Exponentiality, Spread, anderson_darling, cox_oakes, mean_by, spread,
};
pub use intervals::{
    Interval, PerGameSums, Survival, exponential_mean, mean_interval, quantile, quantile_interval,
    share_difference_interval, share_interval, survival,
};
pub use mean::{
    Better, LEVEL, Mean, Method, Observed, Scale, Summary, Warning, observed_at_limit,
    remedy_without_ends,
};
pub use planning::{
    DetectionPlan, PilotPair, PowerTarget, ends_for_half_width, games_for_half_width,
    games_for_power, share_ended, t_quantile,
};
pub use sequential::{
    FIRST, FIRST_LOOK, Look, Sequential, StopDecision, Stopping, Verdict, next_look, schedule,
};
