//! Computes intervals of one mean, median, quantile or share, and survival curves.

mod bootstrap;
mod exponential;
mod per_game;
mod proportion;
mod quantile;
mod survival;

pub use bootstrap::{
    FEWEST, bootstrap_mean, bootstrap_median, bootstrap_paired, bootstrap_scaled, bootstrap_values,
};
pub use exponential::{Interval, exponential_mean};
pub use per_game::PerGameSums;
pub use proportion::{mean_interval, share_difference_interval, share_interval};
pub use quantile::{quantile, quantile_interval};
pub use survival::{Survival, survival};
