//! Estimates a mean from games, with a confidence interval and warnings for the reader.

use serde::Serialize;

use super::{
    Exponentiality, Interval, Observed, Scale, Warning, bootstrap_scaled, exponential_mean,
    quantile, quantile_interval, spread,
};

/// Confidence level of every interval in estimates and comparisons.
pub const LEVEL: f64 = 0.95;
/// Minimum number of games for a check that values are exponential.
const MIN_CHECKABLE: u64 = 10;

tetrastat_core::names! {
    /// Method that computes the interval of a mean.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Method {
        /// Exact interval for exponential lifetimes ([`exponential_mean`]).
        Exponential = "exponential",
        /// Bootstrap-t interval ([`bootstrap_scaled`]).
        Bootstrap = "bootstrap",
        /// Confidence sequence, an interval that is valid at every look
        /// ([`Sequential::mean_interval`](super::Sequential::mean_interval)).
        ConfidenceSequence = "confidence_sequence",
    }
}

/// Estimated mean of one controller's games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Number of games, including censored ones.
    pub games: u64,
    /// Number of games cut off by a limit.
    pub censored: u64,
    /// Estimated mean ([`Scale::mean`]); `None` if no game ended.
    pub mean: Option<f64>,
    /// 95 % interval of the mean; `None` if too few games ended or games do not differ by chance.
    pub interval: Option<Interval>,
    /// Method that computed `interval`.
    pub method: Option<Method>,
    /// Standard deviation divided by mean of the observed values; `None` with fewer than two games.
    pub spread: Option<f64>,
    /// Median of the values (quantile type 7 of R); `None` if the end of a censored game might
    /// change it.
    pub median: Option<f64>,
    /// 95 % interval of the median, by order statistics; `None` with too few games, or if a
    /// censored game might change it.
    pub median_interval: Option<Interval>,
    /// Check of the assumption that values are exponential, on [`Scale::Total`] only; `None` if too
    /// few games ended or games do not differ by chance.
    pub exponentiality: Option<Exponentiality>,
    /// Warnings for the reader, the most important first.
    pub warnings: Vec<Warning>,
}

impl Estimate {
    /// Estimates the mean of `games`. On [`Scale::Total`], the interval is the exact one for
    /// exponential values unless [`Exponentiality`] rejects them. All other intervals are by
    /// bootstrap-t. If `independent` is false, games do not differ by chance, so there are no
    /// intervals. `seed` seeds the bootstrap.
    #[must_use]
    pub fn of(games: &[Observed], scale: Scale, independent: bool, seed: u64) -> Estimate {
        let total = scale == Scale::Total && independent;
        let exponentiality = if total { Exponentiality::of(games) } else { None };
        let fits = total && exponentiality.is_none_or(|found| found.fits());
        let interval = match (independent, fits) {
            (false, _) => None,
            (true, true) => exponential(games),
            (true, false) => bootstrap_scaled(games, scale, LEVEL, seed),
        };
        let method = if fits { Method::Exponential } else { Method::Bootstrap };
        let values: Vec<f64> = games.iter().map(|game| game.value).collect();
        let (median, median_interval) = median(games, independent);
        Estimate {
            games: games.len() as u64,
            censored: censored(games),
            mean: scale.mean(games),
            interval,
            method: interval.map(|_| method),
            spread: (games.len() > 1).then(|| spread(&values)).filter(|spread| spread.is_finite()),
            median,
            median_interval,
            exponentiality,
            warnings: warnings(games, scale, independent, exponentiality),
        }
    }

    /// Returns half the interval's width divided by the mean; infinite if interval or mean is
    /// unknown.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        let both = self.interval.zip(self.mean);
        both.map_or(f64::INFINITY, |(interval, mean)| interval.half_width(mean))
    }
}

fn censored(games: &[Observed]) -> u64 {
    games.iter().filter(|game| game.censored).count() as u64
}

/// Returns the exact interval of the mean of exponential values, or `None` if all values are 0.
fn exponential(games: &[Observed]) -> Option<Interval> {
    let [exposure, ends] = Scale::Total.sums(games);
    let any_censored = censored(games) > 0;
    (exposure > 0.0).then(|| exponential_mean(exposure, ends as u64, any_censored, LEVEL))
}

/// Returns the median and its interval. Each is `None` if a censored game has a value at or below
/// it, because the end of that game might change it.
fn median(games: &[Observed], independent: bool) -> (Option<f64>, Option<Interval>) {
    let mut values: Vec<f64> = games.iter().map(|game| game.value).collect();
    values.sort_by(f64::total_cmp);
    let cut = games.iter().filter(|game| game.censored).map(|game| game.value);
    let cut = cut.fold(f64::INFINITY, f64::min);
    // A censored game would have ended above its limit, so it can't move a median below that limit.
    let median = Some(quantile(&values, 0.5)).filter(|median| *median < cut);
    let interval = if independent { quantile_interval(&values, 0.5, LEVEL) } else { None };
    (median, interval.filter(|interval| interval.high.is_some_and(|high| high < cut)))
}

/// Returns the warnings about an estimate, the most important first.
fn warnings(
    all: &[Observed],
    scale: Scale,
    independent: bool,
    exponentiality: Option<Exponentiality>,
) -> Vec<Warning> {
    let (games, censored) = (all.len() as u64, censored(all));
    let ended = games - censored;
    if !independent {
        // No other warning applies, because the others concern chance.
        return vec![Warning::SameGames];
    }
    let mut found = Vec::new();
    match scale {
        Scale::PerGame if censored > 0 => {
            found.push(Warning::CensoredAsObserved { censored, games });
        }
        Scale::Total if ended == 0 => found.push(Warning::AllCensored { games }),
        Scale::Total if 2 * censored > games => {
            found.push(Warning::MostCensored { censored, games });
        }
        _ => {}
    }
    // If no game ended, the warning above says so.
    let few = if scale == Scale::Total { ended } else { games };
    if few < MIN_CHECKABLE && (few > 0 || scale == Scale::PerGame) {
        found.push(Warning::FewGames { ended });
    }
    if let Some(odd) = exponentiality.filter(|found| !found.fits()) {
        let Exponentiality { spread, shape_p, anderson_darling, .. } = odd;
        found.push(Warning::NotExponential { spread, shape_p, anderson_darling });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::observed::ended;
    use super::*;
    use crate::rng::{Purpose, Stream};

    fn lifetimes(seed: u64, n: usize) -> Vec<f64> {
        let mut stream = Stream::new(seed, Purpose::Bootstrap, 9);
        (0..n).map(|_| -1000.0 * libm::log(1.0 - stream.unit())).collect()
    }

    #[test]
    fn exponential_values_have_the_exact_interval_and_others_the_bootstrap() {
        let games = ended(&lifetimes(1, 100));
        let found = Estimate::of(&games, Scale::Total, true, 1);
        assert_eq!((found.method, found.warnings.len()), (Some(Method::Exponential), 0));
        // R: `(200/qchisq(.025,200) - 200/qchisq(.975,200))/2`, that is 20 % for a hundred games.
        assert!((found.half_width() - 0.199_684_356_6).abs() < 1e-8, "{}", found.half_width());
        let near: Vec<f64> = (0..100).map(|i| 1000.0 + f64::from(i)).collect();
        let found = Estimate::of(&ended(&near), Scale::Total, true, 1);
        assert_eq!(found.method, Some(Method::Bootstrap));
        assert!(matches!(found.warnings[..], [Warning::NotExponential { .. }]), "{found:?}");
    }

    #[test]
    fn censored_games_are_warned_of() {
        let mut games = ended(&lifetimes(2, 100));
        for game in &mut games {
            game.censored = game.value > 300.0;
            game.value = game.value.min(300.0);
        }
        let found = Estimate::of(&games, Scale::Total, true, 1);
        assert!(matches!(found.warnings[..], [Warning::MostCensored { games: 100, .. }]));
        assert_eq!((found.median, found.median_interval), (None, None));
        let found = Estimate::of(&games, Scale::PerGame, true, 1);
        assert!(matches!(found.warnings[..], [Warning::CensoredAsObserved { .. }]));
        games.iter_mut().for_each(|game| game.censored = true);
        let found = Estimate::of(&games, Scale::Total, true, 1);
        assert_eq!(found.warnings, [Warning::AllCensored { games: 100 }]);
        let found = Estimate::of(&games[..3], Scale::Total, true, 1);
        assert_eq!(found.warnings, [Warning::AllCensored { games: 3 }]);
        assert!(found.mean.is_none() && found.interval.unwrap().high.is_none());
        assert!(found.half_width().is_infinite());
    }

    #[test]
    fn equal_games_and_few_games_are_warned_of() {
        let found = Estimate::of(&ended(&[5.0; 20]), Scale::Total, false, 1);
        assert_eq!((found.interval, found.warnings), (None, vec![Warning::SameGames]));
        let found = Estimate::of(&ended(&lifetimes(3, 4)), Scale::Total, true, 1);
        assert_eq!(found.warnings, [Warning::FewGames { ended: 4 }]);
        assert!(found.interval.is_some());
        let found = Estimate::of(&[], Scale::Total, true, 1);
        assert_eq!((found.mean, found.interval), (None, None));
    }
}
