//! Estimates the mean lines per game from replications (independent runs of the splitting
//! estimator), as lines divided by deaths, with an interval.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::stats::{Interval, Mean, Method};

/// Estimate of the mean lines per game: the lines of all replications divided by their deaths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// Estimated mean lines per game, over independent replications.
    #[serde(flatten)]
    pub mean: Mean,
    /// Standard error of `mean` divided by `mean`.
    pub relative_error: f64,
}

impl Ratio {
    /// Computes the estimate from one `(lines, deaths)` per replication, with an interval at
    /// confidence `level`. Returns `None` with fewer than two replications, without lines or
    /// without deaths.
    ///
    /// Let n be the number of replications, `x` the lines and `y` the deaths of one replication,
    /// and `e = y/mean(y) - x/mean(x)`. Then the logarithm of the ratio has standard error
    /// `sqrt(sum(e^2) / (n - 1) / n)`. This is the delta method (Cochran 1977, *Sampling
    /// Techniques*, section 6.4). The interval is `exp(log(mean) +- t(n - 1) x error)`, with a
    /// quantile t of Student's distribution. It is logarithmic because a death rate is positive and
    /// its estimates are skewed. It assumes that the sum of deaths is nearly normal: many
    /// replications, none of which dominates.
    #[must_use]
    pub fn of(replications: &[(f64, f64)], level: f64) -> Option<Ratio> {
        let n = replications.len() as f64;
        let lines: f64 = replications.iter().map(|r| r.0).sum();
        let deaths: f64 = replications.iter().map(|r| r.1).sum();
        if replications.len() < 2 || lines <= 0.0 || deaths <= 0.0 {
            return None;
        }
        let residual = |&(x, y): &(f64, f64)| (y / deaths - x / lines) * n;
        let squares: f64 = replications.iter().map(|r| residual(r).powi(2)).sum();
        let relative_error = (squares / (n - 1.0) / n).sqrt();
        let t = StudentsT::new(0.0, 1.0, n - 1.0).ok()?.inverse_cdf((1.0 + level) / 2.0);
        let mean = lines / deaths;
        let (low, high) = (mean * (-t * relative_error).exp(), mean * (t * relative_error).exp());
        let interval = Interval { low, high: Some(high) };
        let n = replications.len() as u64;
        let mean = Mean { level, ..Mean::new(Some(mean), Some(interval), Method::Splitting, n) };
        Some(Ratio { mean, relative_error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// R: `x <- c(10,20,30,40); y <- c(1,3,2,4); e <- y/mean(y) - x/mean(x);` `s <-
    /// sqrt(sum(e^2)/3/4); exp(log(10) + c(-1,1) * qt(.975,3) * s)`. Here e = (0, .4, -.4, 0), s =
    /// sqrt(.32/12) = 0.163299, qt = 3.182446.
    #[test]
    fn a_ratio_by_hand() {
        let ratio = Ratio::of(&[(10.0, 1.0), (20.0, 3.0), (30.0, 2.0), (40.0, 4.0)], 0.95).unwrap();
        assert!((ratio.mean.mean.unwrap() - 10.0).abs() < 1e-12 && ratio.mean.n == 4);
        assert!((ratio.relative_error - 0.163_299_316).abs() < 1e-8, "{ratio:?}");
        let factor = (3.182_446_305 * 0.163_299_316_f64).exp();
        assert!((ratio.mean.low.unwrap() - 10.0 / factor).abs() < 1e-6, "{ratio:?}");
        assert!((ratio.mean.high.unwrap() - 10.0 * factor).abs() < 1e-6);
        assert!((ratio.mean.half_width() - (factor - 1.0 / factor) / 2.0).abs() < 1e-7);
    }

    #[test]
    fn too_little_gives_none() {
        assert_eq!(Ratio::of(&[(10.0, 1.0)], 0.95), None);
        assert_eq!(Ratio::of(&[(10.0, 0.0), (12.0, 0.0)], 0.95), None);
    }

    /// 1,000 estimates from 30 replications with Poisson-like deaths (binomial of 40 draws of
    /// 1/10). Between 930 and 970 of the 95 % intervals hold the true ratio: 4 standard errors are
    /// 27, and the delta method loses a little.
    #[test]
    fn the_interval_covers() {
        let mut stream = Stream::new(3, Purpose::Bootstrap, 0);
        let mut replication = || {
            let deaths = (0..40).filter(|_| stream.below(10) == 0).count();
            (100.0 + f64::from(stream.below(21)) - 10.0, deaths as f64)
        };
        let held = (0..1000).filter(|_| {
            let found: Vec<(f64, f64)> = (0..30).map(|_| replication()).collect();
            Ratio::of(&found, 0.95).unwrap().mean.contains(25.0)
        });
        let held = held.count();
        assert!((930..=970).contains(&held), "{held} of 1000");
    }
}
