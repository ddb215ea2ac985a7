//! Defines the value of a game, and the mean with its interval and warnings: the one form of
//! results in every table, folder and report.

use std::fmt;

use super::{Interval, Spread, share_interval};
use crate::error::setting::{BOARD, MAX_LINES, MAX_PIECES, QUEUE};
use crate::prelude::*;
use crate::record::Lifetime;
use crate::text::numbers::{NA, counted, thousands};

/// Confidence level of every interval in summaries, estimates and comparisons.
pub const LEVEL: f64 = 0.95;

tetrastat_core::names! {
    /// Method that computes the interval of a mean.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Method {
        /// Exact interval for exponential lifetimes.
        Exponential = "exponential",
        /// Bootstrap-t interval ([`bootstrap_scaled`](super::bootstrap_scaled)).
        Bootstrap = "bootstrap",
        /// Bootstrap-t interval of a difference or ratio on common seeds.
        PairedBootstrap = "paired_bootstrap",
        /// Confidence sequence, an interval that stays valid when it is computed after every game.
        ConfidenceSequence = "confidence_sequence",
        /// Student's t distribution.
        T = "t",
        /// Gamma interval (Fay and Feuer 1997) of a value that is above 0 in few games.
        Gamma = "gamma",
        /// F distribution of the ratio of two exponential means.
        F = "f",
        /// Difference of two means with unequal variances ([`welch`](super::welch)).
        Welch = "welch",
        /// Student's t distribution of the logarithm of a ratio of sums.
        LogT = "log_t",
        /// Student's t distribution of the log mean of rare-event (splitting) estimates.
        Splitting = "splitting",
        /// Normal distribution of the mean of a large sample.
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
    /// Estimated value; `None` if it is unknown, for example because no game ended.
    pub mean: Option<f64>,
    /// Lower end of the confidence interval; `None` without an interval.
    pub low: Option<f64>,
    /// Upper end of the confidence interval; `None` if the data do not bound the value from above.
    pub high: Option<f64>,
    /// Confidence level of the interval, 0 to 1.
    pub level: f64,
    /// Method that computed the interval; `None` without an interval.
    pub method: Option<Method>,
    /// Number of independent observations (games or runs), including those cut off by a limit.
    pub n: u64,
    /// Number of observations that a limit cut off.
    pub censored: u64,
    /// Warnings about the estimate for the reader, the most important first.
    pub warnings: Vec<Warning>,
}

impl Mean {
    /// Creates an estimated mean of `n` observations, none of them censored.
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

    /// Creates the estimated share of `hits` in `n` observations (at least 1), with its interval.
    #[must_use]
    pub fn of_share(hits: u64, n: u64) -> Mean {
        let interval = share_interval(hits, n, LEVEL);
        Mean::new(Some(hits as f64 / n as f64), interval, Method::Wilson, n)
    }

    /// Returns the mean with its interval replaced by `interval`, which `method` computed.
    #[must_use]
    pub fn with_interval(self, interval: Option<Interval>, method: Method) -> Mean {
        let Mean { mean, n, level, censored, warnings, .. } = self;
        Mean { level, censored, warnings, ..Mean::new(mean, interval, method, n) }
    }

    /// Returns the estimate with `change` applied to its value and both ends of its interval.
    #[must_use]
    pub fn map(self, change: impl Fn(f64) -> f64) -> Mean {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|value| value.map(&change));
        Mean { mean, low, high, ..self }
    }

    /// Returns the confidence interval of the mean, if there is one.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        self.low.map(|low| Interval { low, high: self.high })
    }

    /// Returns true if the mean has an interval that contains `value`.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.interval().is_some_and(|interval| interval.contains(value))
    }

    /// Returns the mean (`NA` if unknown) and its interval in parentheses; `show` formats a number.
    #[must_use]
    pub fn text(&self, show: impl Fn(f64) -> String) -> String {
        let Some(mean) = self.mean else { return NA.to_owned() };
        let interval = self.interval().map(|found| format!(" ({})", found.text(&show)));
        show(mean) + &interval.unwrap_or_default()
    }

    /// Returns half the interval's width divided by the mean; infinite if either is unknown.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        let both = self.interval().zip(self.mean);
        both.map_or(f64::INFINITY, |(interval, mean)| interval.half_width(mean))
    }
}

/// Measured value of one game, and a flag that is set if a limit cut the game off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// Measured value, for example the number of lines.
    pub value: f64,
    /// True if a limit cut the game off before its end.
    pub censored: bool,
}

impl From<Lifetime> for Observed {
    fn from(game: Lifetime) -> Observed {
        Observed { value: game.lines as f64, censored: game.censored }
    }
}

/// Kind of a game's value, which decides how to compute its mean if some games were cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Value that grows during a game (lines, pieces); its mean is the sum / games that ended.
    Total,
    /// Value that does not grow during a game (heights); its mean is the sum / all games.
    PerGame,
}

impl Scale {
    /// Returns a game's value, and 1 if the mean's divisor counts the game, otherwise 0.
    #[must_use]
    pub fn parts(self, game: &Observed) -> [f64; 2] {
        let counts = self == Scale::PerGame || !game.censored;
        [game.value, f64::from(u8::from(counts))]
    }

    /// Returns the numerator and denominator of the mean: the sum of the values, and the number of
    /// counted games.
    #[must_use]
    pub fn sums(self, games: &[Observed]) -> [f64; 2] {
        games.iter().map(|game| self.parts(game)).fold([0.0; 2], add)
    }

    /// Returns the mean value of `games`, or `None` if its denominator is 0.
    #[must_use]
    pub fn mean(self, games: &[Observed]) -> Option<f64> {
        let [sum, count] = self.sums(games);
        (count > 0.0).then(|| sum / count)
    }
}

/// Direction in which a player's mean result is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// A greater mean is better: lines, points.
    #[default]
    More,
    /// A smaller mean is better: pieces of a Sprint.
    Fewer,
}

pub(super) fn add([sum, count]: [f64; 2], [more, counts]: [f64; 2]) -> [f64; 2] {
    [sum + more, count + counts]
}

#[cfg(test)]
pub(super) fn ended(values: &[f64]) -> Vec<Observed> {
    values.iter().map(|&value| Observed { value, censored: false }).collect()
}

/// Warning about the estimates from one controller's games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Warning {
    /// No game ended, so the mean has only a lower bound.
    AllCensored {
        /// Number of games, all of them cut off.
        games: u64,
    },
    /// More than half of the games were cut off.
    MostCensored {
        /// Number of games cut off.
        censored: u64,
        /// Number of all games.
        games: u64,
    },
    /// Some games were cut off, and their values are used like those of finished games.
    CensoredAsObserved {
        /// Number of games cut off.
        censored: u64,
        /// Number of all games.
        games: u64,
    },
    /// Fewer than ten games ended, too few to check the assumptions of the interval.
    FewGames {
        /// Number of games that ended.
        ended: u64,
    },
    /// A test rejects the assumption that values are exponential.
    NotExponential {
        /// Standard deviation of the values divided by their mean; `None` with censored games.
        spread: Option<f64>,
        /// P-value of the Cox-Oakes test that the Weibull shape is 1.
        shape_p: f64,
        /// Modified Anderson-Darling statistic; `None` with censored games.
        anderson_darling: Option<f64>,
    },
    /// The queue gives every game the same pieces, so all games are equal.
    SameGames,
}

impl Warning {
    /// Returns a one-word name of the warning for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Warning::AllCensored { .. } => "all_censored",
            Warning::MostCensored { .. } => "most_censored",
            Warning::CensoredAsObserved { .. } => "censored_as_observed",
            Warning::FewGames { .. } => "few_games",
            Warning::NotExponential { .. } => "not_exponential",
            Warning::SameGames => "same_games",
        }
    }
}

/// Returns advice for users if games do not end, such as to raise the options in `limits`.
#[must_use]
pub fn remedy_without_ends(limits: &str) -> String {
    format!(
        "raise {limits}, take a smaller {BOARD}, or run `tetrastat estimate`, which needs no game \
         to end"
    )
}

/// Returns a text such as `3 of 20 games were cut off and count as observed`.
#[must_use]
pub fn observed_at_limit(censored: u64, games: u64) -> String {
    let count = if censored == 1 { "counts" } else { "count" };
    format!("{} and {count} as observed", cut_off(censored, games))
}

fn cut_off(censored: u64, games: u64) -> String {
    let were = if censored == 1 { "was" } else { "were" };
    format!("{} of {} {were} cut off", thousands(censored), counted(games, "game"))
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::AllCensored { games: 0 } => f.write_str("no game was played"),
            Warning::AllCensored { games: 1 } => write!(
                f,
                "the only game did not end, so the mean has only a lower bound: {}",
                remedy_without_ends(&format!("{MAX_PIECES} or {MAX_LINES} (or give none)"))
            ),
            Warning::AllCensored { games } => write!(
                f,
                "none of the {games} games ended, so the mean has only a lower bound: {}",
                remedy_without_ends(&format!("{MAX_PIECES} or {MAX_LINES} (or give none)"))
            ),
            Warning::MostCensored { censored, games } => write!(
                f,
                "{}: the mean assumes a constant risk beyond the limit; raise {MAX_PIECES} or \
                 {MAX_LINES}",
                cut_off(*censored, *games)
            ),
            Warning::CensoredAsObserved { censored, games } => write!(
                f,
                "{}: raise {MAX_PIECES} or {MAX_LINES}, or compare lines",
                observed_at_limit(*censored, *games)
            ),
            Warning::FewGames { ended } => write!(
                f,
                "only {} ended: too few to check the interval's assumptions; play more",
                counted(*ended, "game")
            ),
            Warning::NotExponential { spread, shape_p, anderson_darling } => {
                write!(f, "not exponential (")?;
                if let Some(spread) = spread {
                    write!(f, "SD/mean {spread:.2}, ")?;
                }
                write!(f, "Cox-Oakes p {shape_p:.4}")?;
                if let Some(found) = anderson_darling {
                    write!(f, ", Anderson-Darling {found:.2}")?;
                }
                f.write_str("): the interval is by bootstrap-t")?;
                let censored = spread.is_none();
                if censored {
                    write!(f, "; it extrapolates the games that were cut off: raise {MAX_PIECES}")
                } else {
                    f.write_str(", which assumes only independent games")
                }
            }
            Warning::SameGames => write!(
                f,
                "the queue deals every game the same pieces, so that nothing varies: for \
                 intervals take another {QUEUE}"
            ),
        }
    }
}

/// Means, medians and spreads of values (such as lines) over the simulated games.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Means per game, by the name of the measured value, such as `lines` or `points`.
    #[serde(flatten)]
    pub means: BTreeMap<String, Mean>,
    /// Spreads (deviation and quartiles) over the games, by the name of the measured value.
    pub spread: BTreeMap<String, Spread>,
    /// Medians over the games, by the name of the measured value, such as `lines`.
    pub median: BTreeMap<String, Mean>,
    /// Means of the number of line clears per game, by kind of clear.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clears: BTreeMap<String, Mean>,
    /// Means of the points per game, by kind of points, such as back-to-back, combo or drop.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub points_by: BTreeMap<String, Mean>,
}

impl Summary {
    /// Adds the estimated mean, median and spread of the value `name` to the summary.
    pub fn add(&mut self, name: &str, estimate: super::Estimate) {
        self.means.insert(name.to_owned(), estimate.mean);
        self.median.insert(name.to_owned(), estimate.median);
        self.spread.extend(estimate.spread.map(|spread| (name.to_owned(), spread)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_censored_game_is_exposure_or_a_value() {
        let mut games = ended(&[2.0, 4.0, 6.0]);
        games[2].censored = true;
        assert_eq!(Scale::Total.mean(&games), Some(6.0));
        assert_eq!(Scale::PerGame.mean(&games), Some(4.0));
        assert_eq!(Scale::Total.mean(&games[2..]), None);
        assert_eq!(Scale::PerGame.mean(&[]), None);
    }

    #[test]
    fn advice_is_given_only_if_games_were_played() {
        assert_eq!(Warning::AllCensored { games: 0 }.to_string(), "no game was played");
        let played = Warning::AllCensored { games: 3 }.to_string();
        assert!(played.starts_with("none of the 3 games ended") && played.contains("estimate"));
    }

    #[test]
    fn one_game_is_singular() {
        let begins = |warning: Warning, text: &str| {
            let shown = warning.to_string();
            assert!(shown.starts_with(text), "{shown}");
        };
        begins(Warning::AllCensored { games: 1 }, "the only game did not end, so");
        let most = |censored, games| Warning::MostCensored { censored, games };
        begins(most(1, 1), "1 of 1 game was cut off: ");
        begins(most(2, 3), "2 of 3 games were cut off: ");
        let observed = Warning::CensoredAsObserved { censored: 1, games: 3 };
        begins(observed, "1 of 3 games was cut off and counts as observed: ");
        begins(Warning::FewGames { ended: 1 }, "only 1 game ended: ");
        begins(Warning::FewGames { ended: 9 }, "only 9 games ended: ");
    }
}
