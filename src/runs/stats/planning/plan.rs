//! Computes the number of games that a plan needs before any are played.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use crate::stats::exponential_mean;

/// Largest number of finished games in a plan; a plan that needs more has no answer.
pub(super) const MAX_ENDS: u64 = 1 << 33;

/// Returns the power of the two-sided F test at level `alpha` for two controllers whose true means
/// have the ratio `ratio`. Each controller has `ends` finished games, on separate seeds. The
/// estimated ratio divided by the true ratio is F with (2 `ends`, 2 `ends`) degrees of freedom, as
/// in [`crate::stats::exponential_ratio`].
fn power(ends: f64, ratio: f64, alpha: f64) -> f64 {
    let Ok(f) = FisherSnedecor::new(2.0 * ends, 2.0 * ends) else { return f64::NAN };
    let low = f.inverse_cdf(alpha / 2.0);
    // If X is F(2n, 2n), 1/X has the same distribution, so the upper bound is 1 / low.
    f.cdf(low / ratio) + f.sf(1.0 / low / ratio)
}

/// Returns the number of finished games that each of two controllers needs for a test at level
/// `alpha` to detect a ratio of means `ratio` with power `wanted`. Returns `None` if the number is
/// above 2^33.
#[must_use]
pub fn games_for_power(ratio: f64, wanted: f64, alpha: f64) -> Option<u64> {
    least(|ends| power(ends as f64, ratio, alpha) >= wanted)
}

/// Returns the smallest number of finished games for which the exact interval of an exponential
/// mean has at most the relative half-width `half_width` at confidence `level`. Returns `None` if
/// the number is above 2^33. All games are assumed to end.
#[must_use]
pub fn ends_for_half_width(half_width: f64, level: f64) -> Option<u64> {
    least(|ends| exponential_mean(ends as f64, ends, false, level).half_width(1.0) <= half_width)
}

/// Returns the share of games that end before `limit` lines, for exponential lifetimes with mean
/// `mean`.
#[must_use]
pub fn share_ended(mean: f64, limit: f64) -> f64 {
    -libm::expm1(-limit / mean)
}

/// Returns the smallest number from 2 for which `enough` is true, assuming that it stays true for
/// all larger numbers. Returns `None` if that number is above [`MAX_ENDS`].
pub(super) fn least(enough: impl Fn(u64) -> bool) -> Option<u64> {
    let mut above = 2;
    // Doubling followed by bisection takes about sixty calls for any answer up to 2^33.
    while !enough(above) {
        above *= 2;
        if above > MAX_ENDS {
            return None;
        }
    }
    let mut below = above / 2;
    while above - below > 1 {
        let middle = u64::midpoint(below, above);
        if enough(middle) { above = middle } else { below = middle }
    }
    Some(above)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R: `pow <- function(n,r) pf(qf(.025,2*n,2*n)/r,2*n,2*n) + 1-pf(qf(.975,2*n,2*n)/r,2*n,2*n)`,
    /// with the smallest n found by counting up.
    #[test]
    fn games_to_tell_as_in_r() {
        let ends = |ratio, wanted| games_for_power(ratio, wanted, 0.05);
        assert_eq!(ends(40.0 / 35.0, 0.8), Some(881));
        assert_eq!(ends(40.0 / 35.0, 0.9), Some(1180));
        assert_eq!((ends(2.0, 0.8), ends(0.5, 0.8)), (Some(34), Some(34)));
        assert_eq!(ends(1.1, 0.8), Some(1729));
        assert_eq!(ends(1.01, 0.8), Some(158_549));
        assert_eq!(ends(1.0, 0.8), None);
        assert!((power(881.0, 40.0 / 35.0, 0.05) - 0.800_057_507_8).abs() < 1e-8);
        assert!((power(50.0, 1.0, 0.05) - 0.05).abs() < 1e-8, "the level is kept");
    }

    /// R: `hw <- function(k) (2*k/qchisq(.025,2*k) - 2*k/qchisq(.975,2*k))/2`, with the smallest k
    /// found by counting up.
    #[test]
    fn games_for_a_half_width_as_in_r() {
        let expected = [(0.5, 19), (0.2, 100), (0.1, 388), (0.05, 1541), (0.03, 4273)];
        for (half_width, ends) in expected {
            assert_eq!(ends_for_half_width(half_width, 0.95), Some(ends), "{half_width}");
        }
    }

    #[test]
    fn a_limit_of_the_mean_ends_63_percent() {
        assert!((share_ended(1000.0, 1000.0) - (1.0 - (-1f64).exp())).abs() < 1e-15);
    }
}
