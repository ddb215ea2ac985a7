//! Computes the number of games that a plan needs before any are played.

use crate::stats::exponential_mean;

/// Largest number of finished games in a plan; a plan that needs more has no answer.
pub(super) const MAX_ENDS: u64 = 1 << 33;

/// Returns the smallest number of finished games for which the exact interval of an exponential
/// mean has at most the relative half-width `half_width` at confidence `level`. Returns `None` if
/// the number is above 2^33. All games are assumed to end.
#[must_use]
pub fn ends_for_half_width(half_width: f64, level: f64) -> Option<u64> {
    least(|ends| exponential_mean(ends as f64, ends, false, level).half_width(1.0) <= half_width)
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

    /// R: `hw <- function(k) (2*k/qchisq(.025,2*k) - 2*k/qchisq(.975,2*k))/2`, with the smallest k
    /// found by counting up.
    #[test]
    fn games_for_a_half_width_as_in_r() {
        let expected = [(0.5, 19), (0.2, 100), (0.1, 388), (0.05, 1541), (0.03, 4273)];
        for (half_width, ends) in expected {
            assert_eq!(ends_for_half_width(half_width, 0.95), Some(ends), "{half_width}");
        }
    }
}
