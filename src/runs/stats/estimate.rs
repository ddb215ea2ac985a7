//! Estimates a mean from games, with a confidence interval and warnings for the reader.

use serde::{Deserialize, Serialize};

use super::{
    Exponentiality, LEVEL, Mean, Method, Observed, Scale, Warning, bootstrap_scaled,
    exponential_mean, quantile, quantile_interval,
};

/// Minimum number of games for a check that values are exponential.
const MIN_CHECKABLE: u64 = 10;

/// Spread of the values of games as observed, censored games included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean of the observed values.
    pub observed_mean: f64,
    /// Standard deviation (with divisor n - 1); `None` with fewer than two games.
    pub sd: Option<f64>,
    /// Smallest value.
    pub min: f64,
    /// Lower quartile (quantile type 7 of R).
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile (quantile type 7 of R).
    pub q3: f64,
    /// Largest value.
    pub max: f64,
}

impl Spread {
    /// Computes the spread of `games`; returns `None` without games.
    #[must_use]
    pub fn of(games: &[Observed]) -> Option<Spread> {
        let values = sorted(games);
        let (&min, &max) = (values.first()?, values.last()?);
        let n = values.len();
        let observed_mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|x| (x - observed_mean).powi(2)).sum();
        Some(Spread {
            observed_mean,
            sd: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()),
            min,
            q1: quantile(&values, 0.25),
            median: (values[(n - 1) / 2] + values[n / 2]) / 2.0,
            q3: quantile(&values, 0.75),
            max,
        })
    }

    /// Returns the standard deviation divided by the mean of the observed values.
    #[must_use]
    pub fn relative(&self) -> Option<f64> {
        self.sd.map(|sd| sd / self.observed_mean).filter(|spread| spread.is_finite())
    }
}

/// Estimated mean and median of one controller's games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Estimated mean ([`Scale::mean`]) with its 95 % interval, which is missing if too few games
    /// ended or games do not differ by chance.
    #[serde(flatten)]
    pub mean: Mean,
    /// Median of the values (quantile type 7 of R) with its 95 % interval by order statistics. Each
    /// is missing if the end of a censored game might change it.
    pub median: Mean,
    /// Spread of the observed values; `None` without games.
    pub spread: Option<Spread>,
    /// Check of the assumption that values are exponential, on [`Scale::Total`] only; `None` if too
    /// few games ended or games do not differ by chance.
    pub exponentiality: Option<Exponentiality>,
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
        let method = if fits { Method::Exponential } else { Method::Bootstrap };
        let mean = mean_by(method, games, scale, independent, seed);
        let warnings = warnings(games, scale, independent, exponentiality);
        Estimate {
            mean: Mean { warnings, ..mean },
            median: median(games, independent),
            spread: Spread::of(games),
            exponentiality,
        }
    }
}

/// Returns the mean of `games` with its interval by `method`, [`Method::Exponential`] or
/// [`Method::Bootstrap`]. There is no interval unless the games are `independent`. The exponential
/// one is missing if all values are 0, and a bootstrap, which `seed` seeds, with too few games.
#[must_use]
pub fn mean_by(
    method: Method,
    games: &[Observed],
    scale: Scale,
    independent: bool,
    seed: u64,
) -> Mean {
    let [exposure, ends] = Scale::Total.sums(games);
    let censored = censored(games);
    let interval = match method {
        _ if !independent => None,
        Method::Exponential => {
            (exposure > 0.0).then(|| exponential_mean(exposure, ends as u64, censored > 0, LEVEL))
        }
        _ => bootstrap_scaled(games, scale, LEVEL, seed),
    };
    Mean { censored, ..Mean::new(scale.mean(games), interval, method, games.len() as u64) }
}

fn sorted(games: &[Observed]) -> Vec<f64> {
    let mut values: Vec<f64> = games.iter().map(|game| game.value).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn censored(games: &[Observed]) -> u64 {
    games.iter().filter(|game| game.censored).count() as u64
}

/// Returns the median and its interval. Each is `None` if a censored game has a value at or below
/// it, because the end of that game might change it.
fn median(games: &[Observed], independent: bool) -> Mean {
    let values = sorted(games);
    let cut = games.iter().filter(|game| game.censored).map(|game| game.value);
    let cut = cut.fold(f64::INFINITY, f64::min);
    // A censored game would have ended above its limit, so it can't move a median below that limit.
    let median = Some(quantile(&values, 0.5)).filter(|median| *median < cut);
    let interval = if independent { quantile_interval(&values, 0.5, LEVEL) } else { None };
    let interval = interval.filter(|interval| interval.high.is_some_and(|high| high < cut));
    let found = Mean::new(median, interval, Method::OrderStatistics, games.len() as u64);
    Mean { censored: censored(games), ..found }
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
        assert_eq!((found.mean.method, found.mean.warnings.len()), (Some(Method::Exponential), 0));
        // R: `(200/qchisq(.025,200) - 200/qchisq(.975,200))/2`, that is 20 % for a hundred games.
        assert!(
            (found.mean.half_width() - 0.199_684_356_6).abs() < 1e-8,
            "{}",
            found.mean.half_width()
        );
        let near: Vec<f64> = (0..100).map(|i| 1000.0 + f64::from(i)).collect();
        let found = Estimate::of(&ended(&near), Scale::Total, true, 1);
        assert_eq!(found.mean.method, Some(Method::Bootstrap));
        assert!(matches!(found.mean.warnings[..], [Warning::NotExponential { .. }]), "{found:?}");
    }

    #[test]
    fn censored_games_are_warned_of() {
        let mut games = ended(&lifetimes(2, 100));
        for game in &mut games {
            game.censored = game.value > 300.0;
            game.value = game.value.min(300.0);
        }
        let found = Estimate::of(&games, Scale::Total, true, 1);
        assert!(matches!(found.mean.warnings[..], [Warning::MostCensored { games: 100, .. }]));
        assert_eq!((found.median.mean, found.median.low), (None, None));
        let found = Estimate::of(&games, Scale::PerGame, true, 1);
        assert!(matches!(found.mean.warnings[..], [Warning::CensoredAsObserved { .. }]));
        games.iter_mut().for_each(|game| game.censored = true);
        let found = Estimate::of(&games, Scale::Total, true, 1);
        assert_eq!(found.mean.warnings, [Warning::AllCensored { games: 100 }]);
        let found = Estimate::of(&games[..3], Scale::Total, true, 1);
        assert_eq!(found.mean.warnings, [Warning::AllCensored { games: 3 }]);
        assert!(found.mean.mean.is_none() && found.mean.low.is_some() && found.mean.high.is_none());
        assert!(found.mean.half_width().is_infinite());
    }

    #[test]
    fn equal_games_and_few_games_are_warned_of() {
        let found = Estimate::of(&ended(&[5.0; 20]), Scale::Total, false, 1);
        assert_eq!((found.mean.low, found.mean.warnings), (None, vec![Warning::SameGames]));
        let found = Estimate::of(&ended(&lifetimes(3, 4)), Scale::Total, true, 1);
        assert_eq!(found.mean.warnings, [Warning::FewGames { ended: 4 }]);
        assert!(found.mean.low.is_some());
        let found = Estimate::of(&[], Scale::Total, true, 1);
        assert_eq!((found.mean.mean, found.mean.low), (None, None));
    }
    #[test]
    fn a_spread_by_hand() {
        let mut games = ended(&[2.0, 4.0, 6.0, 12.0]);
        games[2].censored = true;
        let found = mean_by(Method::Bootstrap, &games, Scale::Total, true, 1);
        assert_eq!((found.n, found.censored, found.mean), (4, 1, Some(8.0))); // 24 in all, 3 ends
        let spread = Spread::of(&games).unwrap();
        let sd = (56.0f64 / 3.0).sqrt(); // deviations -4 -2 0 6
        assert!((spread.sd.unwrap() - sd).abs() < 1e-12 && spread.observed_mean == 6.0);
        let five = [spread.min, spread.q1, spread.median, spread.q3, spread.max];
        assert_eq!(five, [2.0, 3.5, 5.0, 7.5, 12.0]);
        assert_eq!(Spread::of(&[]), None);
    }
}
