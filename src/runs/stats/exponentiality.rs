//! Tests whether lifetimes are exponential, as exact intervals assume.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use super::Observed;

/// Significance level of [`Exponentiality::fits`]: it rejects one of a hundred samples of
/// exponential lifetimes.
const LEVEL: f64 = 0.01;
/// Critical value of the modified Anderson-Darling statistic: exponential values exceed it with
/// probability LEVEL / 2 (D'Agostino & Stephens 1986, *Goodness-of-Fit Techniques*, table 4.14).
const ANDERSON_DARLING_BOUND: f64 = 2.244;
/// Minimum number of finished games for a test.
const FEWEST: usize = 10;

/// Results of tests of the assumption that lifetimes have a constant risk. No test needs a known
/// mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Exponentiality {
    /// Standard deviation divided by mean, 1 for exponential values; `None` if some values are
    /// censored.
    pub spread: Option<f64>,
    /// Score statistic of the test that the Weibull shape is 1 ([`cox_oakes`]): standard normal for
    /// exponential values, positive if the risk grows.
    pub shape_z: f64,
    /// Two-sided p-value of `shape_z`.
    pub shape_p: f64,
    /// Modified Anderson-Darling statistic; `None` if some values are censored.
    pub anderson_darling: Option<f64>,
}

impl Exponentiality {
    /// Tests whether the values of `games` are exponential. Returns `None` if fewer than ten games
    /// ended. Values may be censored for reasons unrelated to their risk.
    #[must_use]
    pub fn of(games: &[Observed]) -> Option<Exponentiality> {
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

    /// Returns true if no test rejects exponential values. Each of the two tests has half the level
    /// of 1 % (Bonferroni). Cox-Oakes detects a risk that grows or falls, Anderson-Darling any
    /// other shape.
    #[must_use]
    pub fn fits(&self) -> bool {
        let odd = self.anderson_darling.is_some_and(|found| found > ANDERSON_DARLING_BOUND);
        self.shape_p >= LEVEL / 2.0 && !odd
    }
}

/// Returns the standard deviation of `values` (with divisor n - 1) divided by their mean. The
/// expected quotient of exponential values is about 1.
#[must_use]
pub fn spread(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (squares / (n - 1.0)).sqrt() / mean
}

/// Returns the score statistic of the test that Weibull lifetimes have shape 1, with observed
/// information (Cox & Oakes 1984, *Analysis of Survival Data*, section 3.7).
///
/// With y = value / mean and d games that ended, `U = d + sum over ends of ln y - sum of y ln y`.
/// The variance of U is `d + sum of y (ln y)^2 - (sum of y ln y)^2 / d`. U divided by the root of
/// its variance is standard normal. Values below 1/2 (no line) count as 1/2, because ln 0 is not
/// finite.
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

/// Returns Anderson and Darling's A^2 for the hypothesis that the n `values` are exponential with
/// unknown mean, times 1 + 0.6/n (D'Agostino & Stephens 1986, section 4.9). Critical values are
/// 1.321 (5 %), 1.959 (1 %) and 2.244 (0.5 %). Values below 1/2 count as 1/2.
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
    use super::super::observed::ended;
    use super::*;
    use crate::rng::{Purpose, Stream};

    const VALUES: [f64; 10] = [1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0];

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found}, not {expected}");
    }

    /// R: `ad <- function(x){n<-length(x);z<-sort(1-exp(-x/mean(x)));i<-1:n;
    /// -n-sum((2*i-1)*(log(z)+log(1-rev(z))))/n}`, `sd(x)/mean(x)`. For Cox-Oakes with d ends and y
    /// = x d/sum(x): `u <- d+sum(log(y)[e])-sum(y*log(y))`, `v <-
    /// d+sum(y*log(y)^2)-sum(y*log(y))^2/d`, `u/sqrt(v)`. Every third value is censored.
    #[test]
    fn statistics_as_in_r() {
        near(anderson_darling(&VALUES), 0.6265953657 * 1.06);
        near(spread(&VALUES), 1.2479167918);
        let mut games = ended(&VALUES);
        near(cox_oakes(&games), -1.0399218874);
        near(Exponentiality::of(&games).unwrap().shape_p, 0.2983761928);
        games.iter_mut().skip(2).step_by(3).for_each(|game| game.censored = true);
        near(cox_oakes(&games), -1.0785155281);
        assert_eq!(Exponentiality::of(&games), None, "seven ends");
    }

    /// Draws `n` Weibull values of shape `shape`, cut off at `limit`.
    fn weibull(stream: &mut Stream, n: usize, shape: f64, limit: f64) -> Vec<Observed> {
        let draw = |_| {
            let value = 1000.0 * (-libm::log(1.0 - stream.unit())).powf(1.0 / shape);
            Observed { value: value.min(limit), censored: value > limit }
        };
        (0..n).map(draw).collect()
    }

    /// 1,000 samples of 100 values each (seeded). Exponential values, whole or a quarter cut off,
    /// are rejected in at most 24 samples (99.99 % of a binomial of 1 %). Shapes 0.7 and 1.4 are
    /// rejected in most samples.
    #[test]
    fn size_and_power() {
        let mut stream = Stream::new(8, Purpose::Bootstrap, 0);
        let mut unlike = |shape: f64, limit: f64| {
            let samples = (0..1000).map(|_| weibull(&mut stream, 100, shape, limit));
            samples.filter(|games| !Exponentiality::of(games).unwrap().fits()).count()
        };
        let sizes = [unlike(1.0, f64::INFINITY), unlike(1.0, 1386.0)];
        assert!(sizes.iter().all(|&size| size <= 24), "{sizes:?}");
        let powers = [unlike(0.7, f64::INFINITY), unlike(1.4, f64::INFINITY)];
        assert!(powers.iter().all(|&power| power >= 700), "{powers:?}");
    }
}
