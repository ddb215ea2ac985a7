//! Contrasts of means: ratios of means, and ratios of such ratios.

use std::collections::BTreeMap;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::stats::{Better, Interval, Mean, Method};

/// Independent observations of one condition, whose mean is a ratio of two sums.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Name of the random streams. In samples with the same name, observations with the same index
    /// used the same random numbers, so they are paired.
    pub stream: String,
    /// One pair of numerator and denominator for each observation. The mean is the sum of the
    /// numerators divided by the sum of the denominators. A game has its lines and 1, or its lines
    /// and 0 if it was cut off. A replication of an estimate has its lines and weighted deaths.
    pub parts: Vec<[f64; 2]>,
}

impl Sample {
    /// Returns the mean: the sum of the numerators divided by the sum of the denominators. Returns
    /// `None` unless both sums are positive.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let [above, below] = self.sums();
        (above > 0.0 && below > 0.0).then(|| above / below)
    }

    fn sums(&self) -> [f64; 2] {
        self.parts.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    }
}

/// Ratio of means, or ratio of such ratios, with its interval and test. Each mean has the power 1
/// or -1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contrast {
    /// Product of the means to their powers.
    pub ratio: Mean,
    /// Standard error of the natural logarithm of `ratio`.
    pub log_error: f64,
    /// Degrees of freedom of Student's distribution, by Welch and Satterthwaite.
    pub df: f64,
    /// Two-sided p-value of the hypothesis that `ratio` is 1.
    pub p: f64,
}

impl Contrast {
    /// Computes the product of the means of `terms` to the given powers, with an interval at
    /// confidence `level`. Returns `None` if a mean is unknown or a sample has fewer than two
    /// observations.
    ///
    /// The logarithm of the product is a sum of logarithms of means. Its standard error is that of
    /// the delta method for ratios of sums (Cochran 1977, *Sampling Techniques*, section 6.4).
    /// Observations of one stream with the same index are added before they are squared, so common
    /// random numbers make the interval narrower. Streams are independent of each other.
    #[must_use]
    pub fn of(terms: &[(f64, &Sample)], level: f64) -> Option<Contrast> {
        // For each stream the influence of each of its observations on the logarithm.
        let mut streams: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let mut log_ratio = 0.0;
        for &(power, sample) in terms {
            log_ratio += power * libm::log(sample.mean()?);
            if sample.parts.len() < 2 {
                return None;
            }
            let [above, below] = sample.sums();
            let influences = streams.entry(&sample.stream).or_default();
            influences.resize(influences.len().max(sample.parts.len()), 0.0);
            for (influence, part) in influences.iter_mut().zip(&sample.parts) {
                *influence += power * (part[0] / above - part[1] / below);
            }
        }
        let (mut variance, mut by_freedom) = (0.0, 0.0);
        for influences in streams.values() {
            let n = influences.len() as f64;
            let own = influences.iter().map(|one| one * one).sum::<f64>() * n / (n - 1.0);
            variance += own;
            by_freedom += own * own / (n - 1.0);
        }
        let log_error = variance.sqrt();
        // Equal observations, for example of two equal conditions, have no error.
        let (df, reach, p) = match by_freedom > 0.0 {
            true => {
                let df = variance * variance / by_freedom;
                let (quantile, below) = student(df, level, -(log_ratio / log_error).abs())?;
                (df, quantile * log_error, 2.0 * below)
            }
            false if log_ratio == 0.0 => (f64::INFINITY, 0.0, 1.0),
            false => (f64::INFINITY, 0.0, 0.0),
        };
        let (low, high) = (libm::exp(log_ratio - reach), libm::exp(log_ratio + reach));
        let (ratio, interval) = (libm::exp(log_ratio), Interval { low, high: Some(high) });
        let n = streams.values().map(|influences| influences.len() as u64).sum();
        Some(Contrast {
            ratio: Mean { level, ..Mean::new(Some(ratio), Some(interval), Method::LogT, n) },
            log_error,
            df,
            p: p.clamp(f64::MIN_POSITIVE, 1.0),
        })
    }
}

impl Contrast {
    /// Returns the one-sided p-value of the hypothesis that the numerator is worse than the
    /// denominator by more than the share `margin`: that `ratio` is at most 1 - `margin` if a
    /// greater mean is better, or at least 1 + `margin` if a smaller one is. A small value shows
    /// non-inferiority.
    #[must_use]
    pub fn p_not_worse(&self, margin: f64, better: Better) -> f64 {
        let log_ratio = libm::log(self.ratio.mean.unwrap_or(f64::NAN));
        let lead = match better {
            Better::More => log_ratio - libm::log(1.0 - margin),
            Better::Fewer => libm::log(1.0 + margin) - log_ratio,
        };
        if self.log_error == 0.0 {
            return if lead > 0.0 { f64::MIN_POSITIVE } else { 1.0 };
        }
        let below = student(self.df, 0.0, -lead / self.log_error).map_or(1.0, |(_, below)| below);
        below.clamp(f64::MIN_POSITIVE, 1.0)
    }
}

/// Largest number of degrees of freedom for which Student's distribution is used. Above it, its
/// quantiles differ from those of the normal distribution by less than 0.02 %, and the library's
/// search for them may not end.
const MOST_FREEDOM: f64 = 1e4;

/// Returns the two-sided quantile at confidence `level` of Student's distribution with `df` degrees
/// of freedom, and its distribution function at `value`.
fn student(df: f64, level: f64, value: f64) -> Option<(f64, f64)> {
    let of = |found: &dyn ContinuousCDF<f64, f64>| {
        (found.inverse_cdf((1.0 + level) / 2.0), found.cdf(value))
    };
    Some(match df > MOST_FREEDOM {
        true => of(&Normal::standard()),
        false => of(&StudentsT::new(0.0, 1.0, df).ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(stream: &str, parts: &[[f64; 2]]) -> Sample {
        Sample { stream: stream.to_owned(), parts: parts.to_vec() }
    }

    /// R: `z <- c(10,20,30,40)/100 - c(2,2,3,3)/10; s <- sqrt(sum(z^2)*4/3); exp(log(10) +
    /// c(-1,1)*qt(.975,3)*s); 2*pt(-log(10)/s, 3)`. Here z = (-.1, 0, 0, .1) and s = 0.163299.
    #[test]
    fn a_ratio_of_paired_games_by_hand() {
        let one = sample("a", &[[10.0, 1.0], [20.0, 1.0], [30.0, 1.0], [40.0, 1.0]]);
        let other = sample("a", &[[2.0, 1.0], [2.0, 1.0], [3.0, 1.0], [3.0, 1.0]]);
        let found = Contrast::of(&[(1.0, &one), (-1.0, &other)], 0.95).unwrap();
        assert!((found.ratio.mean.unwrap() - 10.0).abs() < 1e-12);
        let error = 0.163_299_316;
        assert!((found.log_error - error).abs() < 1e-8, "{found:?}");
        assert!((found.df - 3.0).abs() < 1e-9);
        let factor = (3.182_446_305 * error).exp();
        assert!((found.ratio.low.unwrap() - 10.0 / factor).abs() < 1e-6, "{found:?}");
        assert!((found.ratio.high.unwrap() - 10.0 * factor).abs() < 1e-5, "{found:?}");
        assert!((found.p - 0.000_772_62).abs() < 1e-6, "{found:?}");
    }

    /// A ratio of 1 with standard error 0.163299, 3 degrees of freedom, and a margin of 10 %.
    #[test]
    fn non_inferiority_by_hand() {
        let one = sample("a", &[[10.0, 1.0], [20.0, 1.0], [30.0, 1.0], [40.0, 1.0]]);
        let other = sample("a", &[[20.0, 1.0], [20.0, 1.0], [30.0, 1.0], [30.0, 1.0]]);
        let found = Contrast::of(&[(1.0, &one), (-1.0, &other)], 0.95).unwrap();
        assert!(
            (found.ratio.mean.unwrap() - 1.0).abs() < 1e-12
                && (found.log_error - 0.163_299_316).abs() < 1e-8
        );
        // R: pt(log(0.9) / 0.163299316, 3) and pt(-log(1.1) / 0.163299316, 3).
        let [more, fewer] = [Better::More, Better::Fewer].map(|it| found.p_not_worse(0.1, it));
        assert!(
            (more - 0.282_372_450).abs() < 1e-6 && (fewer - 0.300_218_241).abs() < 1e-6,
            "{more} {fewer}"
        );
        let same = Contrast::of(&[(1.0, &one), (-1.0, &one)], 0.95).unwrap();
        assert!(same.p_not_worse(0.01, Better::More) < 1e-9 && same.p == 1.0);
    }

    /// Two independent samples by Welch and Satterthwaite: variances add, and so do degrees of
    /// freedom if the variances are equal.
    #[test]
    fn independent_samples_add_their_variances() {
        let parts = [[10.0, 1.0], [20.0, 3.0], [30.0, 2.0], [40.0, 4.0]];
        let (one, other) = (sample("a", &parts), sample("b", &parts));
        let found = Contrast::of(&[(1.0, &one), (-1.0, &other)], 0.95).unwrap();
        let single = (0.32_f64 / 12.0).sqrt(); // as in estimate/ratio.rs
        assert!((found.log_error - single * 2.0_f64.sqrt()).abs() < 1e-12, "{found:?}");
        assert!((found.df - 6.0).abs() < 1e-9 && found.ratio.mean == Some(1.0) && found.p == 1.0);
        let same = Contrast::of(&[(1.0, &one), (-1.0, &one)], 0.95).unwrap();
        assert!(same.log_error == 0.0 && same.p == 1.0, "{same:?}");
        let without_ends = sample("c", &[[10.0, 0.0], [20.0, 0.0]]);
        assert_eq!(Contrast::of(&[(1.0, &one), (-1.0, &without_ends)], 0.95), None);
        assert_eq!(Contrast::of(&[(1.0, &sample("d", &[[1.0, 1.0]]))], 0.95), None);
    }
}
