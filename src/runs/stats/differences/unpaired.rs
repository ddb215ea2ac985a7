//! Compares two groups of games that have no seeds in common.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

use super::permutation::{Permuted, resampled_p};
use crate::rng::Stream;
use crate::stats::{Interval, Mean, Method, Observed, Scale};

/// Estimate of a quantity that compares two groups, with its interval and test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// Estimate of the quantity that compares the two groups, for example the ratio of their means.
    #[serde(flatten)]
    pub mean: Mean,
    /// Two-sided p-value of the hypothesis that the two groups do not differ.
    pub p: f64,
}

/// Returns the ratio of the means of two groups of exponential lifetimes. Each group is given by
/// the sum T of its lifetimes and its number of ends: k in the first group, l in the second.
/// Returns `None` if a group has no end.
///
/// 2T/mean is chi-square with 2k degrees of freedom, or 2l for the second group. The estimated
/// ratio divided by the true ratio is therefore F with (2k, 2l) degrees of freedom (Lawless,
/// section 4.1). The interval is exact if all games ended, and approximate with censored games.
#[must_use]
pub fn exponential_ratio(first: (f64, u64), second: (f64, u64), level: f64) -> Option<Effect> {
    let degrees = |ends: u64| 2.0 * ends as f64;
    let f = FisherSnedecor::new(degrees(first.1), degrees(second.1)).ok()?;
    let estimate = (first.0 / first.1 as f64) / (second.0 / second.1 as f64);
    let tail = (1.0 - level) / 2.0;
    let interval = Interval {
        low: estimate / f.inverse_cdf(1.0 - tail),
        high: Some(estimate / f.inverse_cdf(tail)),
    };
    let mean = Mean::new(Some(estimate), Some(interval), Method::F, first.1 + second.1);
    Some(Effect { mean, p: 2.0 * f.cdf(estimate).min(f.sf(estimate)) })
}

/// Returns the difference of two means with unequal variances (Welch 1947, *Biometrika* 34),
/// assuming that the means are normal, as those of many games are. Returns `None` with fewer than
/// two values in a group, or if no value varies.
#[must_use]
pub fn welch(first: &[f64], second: &[f64], level: f64) -> Option<Effect> {
    let [(mean, error, less), (other, others_error, others_less)] =
        [moments(first)?, moments(second)?];
    let squared = error + others_error;
    let degrees = squared.powi(2) / (error.powi(2) / less + others_error.powi(2) / others_less);
    let t = StudentsT::new(0.0, 1.0, degrees).ok()?;
    let (estimate, error) = (mean - other, squared.sqrt());
    let reach = t.inverse_cdf(f64::midpoint(1.0, level)) * error;
    let interval = Interval { low: estimate - reach, high: Some(estimate + reach) };
    let n = (first.len() + second.len()) as u64;
    let mean = Mean::new(Some(estimate), Some(interval), Method::Welch, n);
    Some(Effect { mean, p: 2.0 * t.cdf(-(estimate / error).abs()) })
}

/// Returns the mean of `values`, the squared standard error of that mean, and the number of values
/// minus one. Returns `None` with fewer than two values.
fn moments(values: &[f64]) -> Option<(f64, f64, f64)> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (n >= 2.0).then(|| (mean, squares / (n * (n - 1.0)), n - 1.0))
}

/// Tests whether two groups of games differ, by dividing all games at random into groups of the
/// given sizes. The statistic is the difference of means; on [`Scale::Total`], of their logarithms.
///
/// The test assumes that games are exchangeable under the null hypothesis: independent, and cut off
/// by the same limits.
#[must_use]
pub fn permutation_test(
    first: &[Observed],
    second: &[Observed],
    scale: Scale,
    seed: u64,
) -> Permuted {
    let mut games: Vec<[f64; 2]> =
        first.iter().chain(second).map(|game| scale.parts(game)).collect();
    let all = games.iter().copied().fold([0.0; 2], crate::stats::observed::add);
    let distance = |mine: [f64; 2]| scale.distance(mine, [all[0] - mine[0], all[1] - mine[1]]);
    let drawn = scale.sums(first);
    let group = first.len();
    resampled_p(games.len(), distance(drawn), seed, |stream: &mut Stream| {
        let mut sums = [0.0; 2];
        for place in 0..group {
            // A partial Fisher-Yates shuffle of one group is enough: the rest of the list is the
            // other group.
            let other = place + stream.below((games.len() - place) as u32) as usize;
            // The list stays shuffled: a shuffle of a shuffled list is as good and saves a copy for
            // each resample.
            games.swap(place, other);
            sums = crate::stats::observed::add(sums, games[place]);
        }
        distance(sums)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;
    use crate::stats::observed::ended;

    const A: [f64; 8] = [12.0, 15.0, 9.0, 20.0, 33.0, 7.0, 14.0, 18.0];
    const B: [f64; 8] = [8.0, 11.0, 10.0, 13.0, 16.0, 9.0, 6.0, 12.0];

    fn near(found: Effect, [estimate, low, high, p]: [f64; 4]) {
        let Mean { mean, low: found_low, high: found_high, .. } = found.mean;
        let found = [mean.unwrap(), found_low.unwrap(), found_high.unwrap(), found.p];
        for (found, expected) in found.into_iter().zip([estimate, low, high, p]) {
            assert!((found / expected - 1.0).abs() < 1e-7, "{found}, not {expected}");
        }
    }

    /// R: `r <- (2600/20)/(2700/30)`, `r/qf(c(.975,.025),40,60)`,
    /// `2*min(pf(r,40,60),1-pf(r,40,60))`.
    #[test]
    fn the_ratio_of_exponential_means_as_in_r() {
        let found = exponential_ratio((2600.0, 20), (2700.0, 30), 0.95).unwrap();
        near(found, [1.444_444_444_4, 0.828_214_445_2, 2.604_001_690_8, 0.194_006_425_6]);
        assert_eq!(exponential_ratio((2600.0, 0), (2700.0, 30), 0.95), None);
    }

    /// R: `t.test(a, b)`.
    #[test]
    fn welch_as_in_r() {
        let found = welch(&A, &B, 0.95).unwrap();
        near(found, [5.375, -1.567_802_011_5, 12.317_802_011_5, 0.113_840_712_5]);
        assert_eq!(welch(&A[..1], &B, 0.95), None);
        assert_eq!(welch(&[3.0; 4], &[3.0; 4], 0.95), None);
    }

    /// R (`combn(16, 8)`): 9.448 % of all 12,870 ways to choose 8 of the 16 values differ as much.
    /// The test draws 9,999, with a standard error of 0.3 %.
    #[test]
    fn the_permutation_test_is_near_that_of_all_permutations() {
        let found = permutation_test(&ended(&A), &ended(&B), Scale::PerGame, 1);
        assert!((found.p - 0.094_48).abs() < 0.012, "{found:?}");
        assert_eq!(found, permutation_test(&ended(&A), &ended(&B), Scale::PerGame, 1));
    }

    /// Computes 2,000 intervals (seeded) of the ratio of the means of 20 and of 30 exponential
    /// lifetimes. The true ratio is 3. The number of 95 % intervals that hold it lies within 4
    /// standard errors (39) of 1,900.
    #[test]
    fn coverage_of_the_ratio_is_as_stated() {
        let mut stream = Stream::new(6, Purpose::Bootstrap, 0);
        let mut exposure =
            |n: u64| -> f64 { (0..n).map(|_| -libm::log(1.0 - stream.unit())).sum() };
        let held = (0..2000).filter(|_| {
            let ratio = exponential_ratio((3.0 * exposure(20), 20), (exposure(30), 30), 0.95);
            ratio.unwrap().mean.contains(3.0)
        });
        let held = held.count();
        assert!((1861..=1939).contains(&held), "{held} of 2000");
    }
}
