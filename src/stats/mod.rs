//! Estimates from games: summaries and intervals. Every formula cites its source and states what
//! it assumes.

mod bootstrap;
mod exponential;
mod summary;

pub use bootstrap::{bootstrap, bootstrap_mean};
pub use exponential::{Interval, exponential_mean, exponential_ratio};
pub use summary::Summary;
