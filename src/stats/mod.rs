//! Estimates from games: summaries and intervals. Every formula cites its source and states what
//! it assumes.

mod bootstrap;
mod exponential;
mod proportion;
mod summary;

pub use bootstrap::{bootstrap, bootstrap_mean};
pub use exponential::{Interval, exponential_mean};
pub use proportion::{mean_interval, paired_test, share_interval};
pub use summary::Summary;
