//! Estimates a mean from games, with its interval and warnings, and tests the assumption that
//! lifetimes are exponential.
//!
//! With y = value / mean and d ends, the Cox-Oakes statistic is `d + sum over ends of ln y - sum of
//! y ln y` divided by the root of `d + sum of y (ln y)^2 - (sum of y ln y)^2 / d`. Critical values
//! of Anderson and Darling's A^2 are 1.321 (5 %), 1.959 (1 %) and 2.244 (0.5 %). In both tests,
//! values below 1/2 (no line) count as 1/2.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{
    LEVEL, Mean, Method, Observed, Scale, Warning, bootstrap_scaled, exponential_mean, quantile,
    quantile_interval,
};
use crate::prelude::*;

const MIN_CHECKABLE: u64 = 10;

/// Mean, standard deviation and quartiles of the games' observed values, including games cut off by
/// a limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean of the observed values, games cut off by a limit included.
    pub observed_mean: f64,
    /// Standard deviation of the values (divisor n - 1); `None` with fewer than two games.
    pub sd: Option<f64>,
    /// Smallest observed value.
    pub min: f64,
    /// Lower quartile of the observed values (quantile type 7 of R).
    pub q1: f64,
    /// Median of the observed values.
    pub median: f64,
    /// Upper quartile of the observed values (quantile type 7 of R).
    pub q3: f64,
    /// Largest observed value.
    pub max: f64,
}

impl Spread {
    /// Computes the spread of `games`; returns `None` without games.
    #[must_use]
    pub fn new(games: &[Observed]) -> Option<Spread> {
        let values = sorted_values(games);
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

    /// Returns the relative spread of the values: their standard deviation divided by the mean.
    #[must_use]
    pub fn relative(&self) -> Option<f64> {
        self.sd.map(|sd| sd / self.observed_mean).filter(|spread| spread.is_finite())
    }
}

/// Estimated mean and median of a value, such as lines, over one controller's games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Estimated mean with its 95 % interval, if enough independent games ended.
    #[serde(flatten)]
    pub mean: Mean,
    /// Median of the games; unknown if a limit cut off a game at or below the median.
    pub median: Mean,
    /// Spread of the observed values; `None` without games.
    pub spread: Option<Spread>,
    /// Test that totals such as lines are exponential; `None` for other values or under ten ends.
    pub exponentiality: Option<Exponentiality>,
}

impl Estimate {
    /// Estimates the mean and median of `games`, with intervals only if games are `independent`.
    /// The mean's is bootstrap-t, or exact for totals that [`Exponentiality`] does not reject.
    #[must_use]
    pub fn new(games: &[Observed], scale: Scale, independent: bool, seed: u64) -> Estimate {
        let total = scale == Scale::Total && independent;
        let exponentiality = if total { Exponentiality::new(games) } else { None };
        let fits = total && exponentiality.is_none_or(|found| found.fits());
        let method = if fits { Method::Exponential } else { Method::Bootstrap };
        let mean = mean_by(method, games, scale, independent, seed);
        let warnings = warnings(games, scale, independent, exponentiality);
        Estimate {
            mean: Mean { warnings, ..mean },
            median: median(games, independent),
            spread: Spread::new(games),
            exponentiality,
        }
    }
}

/// Returns the mean of `games` with the interval of `method` (exponential or bootstrap); without an
/// interval if the games are too few or not `independent`.
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

fn sorted_values(games: &[Observed]) -> Vec<f64> {
    let mut values: Vec<f64> = games.iter().map(|game| game.value).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn censored(games: &[Observed]) -> u64 {
    games.iter().filter(|game| game.censored).count() as u64
}

/// Returns the median and its interval, each `None` if a game was cut off at or below it.
fn median(games: &[Observed], independent: bool) -> Mean {
    let values = sorted_values(games);
    let cut = games.iter().filter(|game| game.censored).map(|game| game.value);
    let cut = cut.fold(f64::INFINITY, f64::min);
    // A censored game would have ended above its limit, so it can't move a median below that limit.
    let median = Some(quantile(&values, 0.5)).filter(|median| *median < cut);
    let interval = if independent { quantile_interval(&values, 0.5, LEVEL) } else { None };
    let interval = interval.filter(|interval| interval.high.is_some_and(|high| high < cut));
    let found = Mean::new(median, interval, Method::OrderStatistics, games.len() as u64);
    Mean { censored: censored(games), ..found }
}

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

const REJECTION_LEVEL: f64 = 0.01;
/// Critical value of the adjusted Anderson-Darling statistic for exponential values at 0.5 %
/// (D'Agostino & Stephens 1986, *Goodness-of-Fit Techniques*, table 4.14).
const ANDERSON_DARLING_BOUND: f64 = 2.244;
const FEWEST: usize = 10;

/// Tests of the assumption that lifetimes are exponential with an unknown mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exponentiality {
    /// Standard deviation divided by mean, 1 for exponential values; `None` if some are censored.
    pub spread: Option<f64>,
    /// Statistic of the Cox-Oakes test, standard normal; positive if the risk of ending grows.
    pub shape_z: f64,
    /// Two-sided p-value of the Cox-Oakes statistic `shape_z`.
    pub shape_p: f64,
    /// Anderson-Darling statistic, adjusted for the number of values; `None` if some are censored.
    pub anderson_darling: Option<f64>,
}

impl Exponentiality {
    /// Tests if values of `games` are exponential; `None` with fewer than ten ended games.
    #[must_use]
    pub fn new(games: &[Observed]) -> Option<Exponentiality> {
        let ends = games.iter().filter(|game| !game.censored).count();
        if ends < FEWEST {
            return None;
        }
        let values: Vec<f64> = games.iter().map(|game| game.value).collect();
        let whole = ends == games.len();
        let shape_z = cox_oakes(games);
        let tail = Normal::standard().cdf(-shape_z.abs());
        Some(Exponentiality {
            spread: whole.then(|| spread(&values)),
            shape_z,
            shape_p: 2.0 * tail,
            anderson_darling: whole.then(|| anderson_darling(&values)),
        })
    }

    /// Returns true if neither the Cox-Oakes nor the Anderson-Darling test rejects exponential
    /// values at 1 % in all (Bonferroni).
    #[must_use]
    pub fn fits(&self) -> bool {
        let odd = self.anderson_darling.is_some_and(|found| found > ANDERSON_DARLING_BOUND);
        self.shape_p >= REJECTION_LEVEL / 2.0 && !odd
    }
}

/// Returns the relative spread of `values`: standard deviation (divisor n - 1) / mean.
#[must_use]
pub fn spread(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (squares / (n - 1.0)).sqrt() / mean
}

/// Returns the score statistic of the test that Weibull lifetimes have shape 1 (Cox & Oakes 1984,
/// *Analysis of Survival Data*, section 3.7).
#[must_use]
pub fn cox_oakes(games: &[Observed]) -> f64 {
    let ends = games.iter().filter(|game| !game.censored).count() as f64;
    // Estimated risk per line: ends divided by exposure, including censored games.
    let risk = ends / games.iter().map(|game| game.value.max(0.5)).sum::<f64>();
    let (mut of_ends, mut first, mut second) = (0.0, 0.0, 0.0);
    for game in games {
        let y = risk * game.value.max(0.5);
        let log = libm::log(y);
        of_ends += if game.censored { 0.0 } else { log };
        first += y * log;
        second += y * log * log;
    }
    (ends + of_ends - first) / (ends + second - first * first / ends).sqrt()
}

/// Returns Anderson and Darling's A^2 for exponential `values` with unknown mean, times 1 + 0.6/n
/// (D'Agostino & Stephens 1986).
#[must_use]
pub fn anderson_darling(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().map(|value| value.max(0.5)).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / n;
    // `expm1` keeps the digits that 1 - exp(-y) would lose for a small y. The logarithm of the
    // other tail is -x / mean itself.
    let below = |x: f64| libm::log(-libm::expm1(-x / mean));
    let terms = sorted.iter().zip(sorted.iter().rev()).enumerate();
    let sum: f64 =
        terms.map(|(i, (low, high))| (2 * i + 1) as f64 * (below(*low) - high / mean)).sum();
    (-n - sum / n) * (1.0 + 0.6 / n)
}

#[cfg(test)]
mod tests {
    use super::super::mean::ended;
    use super::*;
    use crate::rng::{Purpose, Stream};

    fn lifetimes(seed: u64, n: usize) -> Vec<f64> {
        let mut stream = Stream::new(seed, Purpose::Bootstrap, 9);
        (0..n).map(|_| -1000.0 * libm::log(1.0 - stream.unit())).collect()
    }

    #[test]
    fn exponential_values_have_the_exact_interval_and_others_the_bootstrap() {
        let games = ended(&lifetimes(1, 100));
        let found = Estimate::new(&games, Scale::Total, true, 1);
        assert_eq!((found.mean.method, found.mean.warnings.len()), (Some(Method::Exponential), 0));
        // R: `(200/qchisq(.025,200) - 200/qchisq(.975,200))/2`, that is 20 % for a hundred games.
        assert!(
            (found.mean.half_width() - 0.199_684_356_6).abs() < 1e-8,
            "{}",
            found.mean.half_width()
        );
        let near: Vec<f64> = (0..100).map(|i| 1000.0 + f64::from(i)).collect();
        let found = Estimate::new(&ended(&near), Scale::Total, true, 1);
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
        let found = Estimate::new(&games, Scale::Total, true, 1);
        assert!(matches!(found.mean.warnings[..], [Warning::MostCensored { games: 100, .. }]));
        assert_eq!((found.median.mean, found.median.low), (None, None));
        let found = Estimate::new(&games, Scale::PerGame, true, 1);
        assert!(matches!(found.mean.warnings[..], [Warning::CensoredAsObserved { .. }]));
        games.iter_mut().for_each(|game| game.censored = true);
        let found = Estimate::new(&games, Scale::Total, true, 1);
        assert_eq!(found.mean.warnings, [Warning::AllCensored { games: 100 }]);
        let found = Estimate::new(&games[..3], Scale::Total, true, 1);
        assert_eq!(found.mean.warnings, [Warning::AllCensored { games: 3 }]);
        assert!(found.mean.mean.is_none() && found.mean.low.is_some() && found.mean.high.is_none());
        assert!(found.mean.half_width().is_infinite());
    }

    #[test]
    fn equal_games_and_few_games_are_warned_of() {
        let found = Estimate::new(&ended(&[5.0; 20]), Scale::Total, false, 1);
        assert_eq!((found.mean.low, found.mean.warnings), (None, vec![Warning::SameGames]));
        let found = Estimate::new(&ended(&lifetimes(3, 4)), Scale::Total, true, 1);
        assert_eq!(found.mean.warnings, [Warning::FewGames { ended: 4 }]);
        assert!(found.mean.low.is_some());
        let found = Estimate::new(&[], Scale::Total, true, 1);
        assert_eq!((found.mean.mean, found.mean.low), (None, None));
    }
    #[test]
    fn a_spread_by_hand() {
        let mut games = ended(&[2.0, 4.0, 6.0, 12.0]);
        games[2].censored = true;
        let found = mean_by(Method::Bootstrap, &games, Scale::Total, true, 1);
        assert_eq!((found.n, found.censored, found.mean), (4, 1, Some(8.0))); // 24 in all, 3 ends
        let spread = Spread::new(&games).unwrap();
        let sd = (56.0f64 / 3.0).sqrt(); // deviations -4 -2 0 6
        assert!((spread.sd.unwrap() - sd).abs() < 1e-12 && spread.observed_mean == 6.0);
        let five = [spread.min, spread.q1, spread.median, spread.q3, spread.max];
        assert_eq!(five, [2.0, 3.5, 5.0, 7.5, 12.0]);
        assert_eq!(Spread::new(&[]), None);
    }

    const VALUES: [f64; 10] = [1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0];

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found}, not {expected}");
    }

    // R: `ad <- function(x){n<-length(x);z<-sort(1-exp(-x/mean(x)));i<-1:n;
    // -n-sum((2*i-1)*(log(z)+log(1-rev(z))))/n}`, `sd(x)/mean(x)`. For Cox-Oakes with d ends and y
    // = x d/sum(x): `u <- d+sum(log(y)[e])-sum(y*log(y))`, `v <-
    // d+sum(y*log(y)^2)-sum(y*log(y))^2/d`, `u/sqrt(v)`. Every third value is censored.
    #[test]
    fn statistics_as_in_r() {
        near(anderson_darling(&VALUES), 0.6265953657 * 1.06);
        near(spread(&VALUES), 1.2479167918);
        let mut games = ended(&VALUES);
        near(cox_oakes(&games), -1.0399218874);
        near(Exponentiality::new(&games).unwrap().shape_p, 0.2983761928);
        games.iter_mut().skip(2).step_by(3).for_each(|game| game.censored = true);
        near(cox_oakes(&games), -1.0785155281);
        assert_eq!(Exponentiality::new(&games), None, "seven ends");
    }

    fn weibull(stream: &mut Stream, n: usize, shape: f64, limit: f64) -> Vec<Observed> {
        let draw = |_| {
            let value = 1000.0 * (-libm::log(1.0 - stream.unit())).powf(1.0 / shape);
            Observed { value: value.min(limit), censored: value > limit }
        };
        (0..n).map(draw).collect()
    }

    // Rejections of exponential samples: at most 24 of 1,000 (99.99 % of a binomial of 1 %).
    #[test]
    fn size_and_power() {
        let mut stream = Stream::new(8, Purpose::Bootstrap, 0);
        let mut unlike = |shape: f64, limit: f64| {
            let samples = (0..1000).map(|_| weibull(&mut stream, 100, shape, limit));
            samples.filter(|games| !Exponentiality::new(games).unwrap().fits()).count()
        };
        let sizes = [unlike(1.0, f64::INFINITY), unlike(1.0, 1386.0)];
        assert!(sizes.iter().all(|&size| size <= 24), "{sizes:?}");
        let powers = [unlike(0.7, f64::INFINITY), unlike(1.4, f64::INFINITY)];
        assert!(powers.iter().all(|&power| power >= 700), "{powers:?}");
    }
}
