//! Means with their intervals: the one shape that every table, folder and report has.

use serde::{Deserialize, Serialize};

use super::{Interval, Warning, share_interval};
use crate::text::numbers::NA;

/// Confidence level of every interval in summaries, estimates and comparisons.
pub const LEVEL: f64 = 0.95;

tetrastat_core::names! {
    /// Method that computes the interval of a mean.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Method {
        /// Exact interval for exponential lifetimes
        /// ([`exponential_mean`](super::exponential_mean)).
        Exponential = "exponential",
        /// Bootstrap-t interval ([`bootstrap_scaled`](super::bootstrap_scaled)).
        Bootstrap = "bootstrap",
        /// Bootstrap-t interval of a difference or ratio on common seeds
        /// ([`bootstrap_paired`](super::bootstrap_paired)).
        PairedBootstrap = "paired_bootstrap",
        /// Confidence sequence, an interval that is valid at every look
        /// ([`Sequential::mean_interval`](super::Sequential::mean_interval)).
        ConfidenceSequence = "confidence_sequence",
        /// Student's t distribution.
        T = "t",
        /// Gamma interval of Fay and Feuer (1997), for events in fewer than 30 games and in less
        /// than half of the games. If no game has more than one event, it is the exact Poisson
        /// interval.
        Gamma = "gamma",
        /// F distribution of the ratio of two exponential means
        /// ([`exponential_ratio`](super::exponential_ratio)).
        F = "f",
        /// Difference of two means with unequal variances ([`welch`](super::welch)).
        Welch = "welch",
        /// Student's t distribution of the logarithm of a ratio of sums
        /// ([`Contrast`](super::Contrast)).
        LogT = "log_t",
        /// Student's t distribution of the logarithm of the mean of splitting replications.
        Splitting = "splitting",
        /// Normal distribution of the mean of a large sample
        /// ([`mean_interval`](super::mean_interval)).
        Normal = "normal",
        /// Score interval of a share ([`share_interval`](super::share_interval)).
        Wilson = "wilson",
        /// Order statistics of a quantile ([`quantile_interval`](super::quantile_interval)).
        OrderStatistics = "order_statistics",
    }
}

/// Estimate of a mean, or of a median, share, difference or ratio, with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// Estimate; `None` if it is unknown, for example because no game ended.
    pub mean: Option<f64>,
    /// Lower end of the confidence interval; `None` without an interval.
    pub low: Option<f64>,
    /// Upper end of the confidence interval; `None` if the data do not bound the value from above.
    pub high: Option<f64>,
    /// Confidence level of the interval.
    pub level: f64,
    /// Method that computed the interval; `None` without an interval.
    pub method: Option<Method>,
    /// Number of independent observations (games, replications), including censored ones.
    pub n: u64,
    /// Number of observations that a limit cut off.
    pub censored: u64,
    /// Warnings for the reader, the most important first.
    pub warnings: Vec<Warning>,
}

impl Mean {
    /// Creates the mean of `n` observations, none of them censored. `method` computed `interval`.
    #[must_use]
    pub fn new(mean: Option<f64>, interval: Option<Interval>, method: Method, n: u64) -> Mean {
        Mean {
            mean,
            low: interval.map(|interval| interval.low),
            high: interval.and_then(|interval| interval.high),
            level: LEVEL,
            method: interval.map(|_| method),
            n,
            censored: 0,
            warnings: Vec::new(),
        }
    }

    /// Creates the mean of `n` observations of which `hits` are 1 and the others 0. `n` must be at
    /// least 1.
    #[must_use]
    pub fn of_share(hits: u64, n: u64) -> Mean {
        let interval = share_interval(hits, n, LEVEL);
        Mean::new(Some(hits as f64 / n as f64), interval, Method::Wilson, n)
    }

    /// Returns the same mean with another interval, which `method` computed.
    #[must_use]
    pub fn with_interval(self, interval: Option<Interval>, method: Method) -> Mean {
        let Mean { mean, n, level, censored, warnings, .. } = self;
        Mean { level, censored, warnings, ..Mean::new(mean, interval, method, n) }
    }

    /// Returns the mean with `change` applied to the estimate and to both ends.
    #[must_use]
    pub fn map(self, change: impl Fn(f64) -> f64) -> Mean {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|value| value.map(&change));
        Mean { mean, low, high, ..self }
    }

    /// Returns the confidence interval.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        self.low.map(|low| Interval { low, high: self.high })
    }

    /// Returns true if there is an interval and it contains `value`.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.interval().is_some_and(|interval| interval.contains(value))
    }

    /// Returns the text of the mean, `NA` if it is unknown, with its interval in parentheses.
    /// `show` formats a number.
    #[must_use]
    pub fn text(&self, show: impl Fn(f64) -> String) -> String {
        let Some(mean) = self.mean else { return NA.to_owned() };
        let interval = self.interval().map(|found| format!(" ({})", found.text(&show)));
        show(mean) + &interval.unwrap_or_default()
    }

    /// Returns half the interval's width divided by the mean; infinite if interval or mean is
    /// unknown.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        let both = self.interval().zip(self.mean);
        both.map_or(f64::INFINITY, |(interval, mean)| interval.half_width(mean))
    }
}
