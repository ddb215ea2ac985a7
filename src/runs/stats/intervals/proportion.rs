//! Computes intervals of shares, of differences of shares, and of means of large samples.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::stats::Interval;

/// Returns the distance, in standard errors, from an estimate to each end of its normal interval at
/// confidence `level`.
fn reach(level: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + level / 2.0)
}

/// Returns the score interval of a share (Wilson 1927) for `successes` out of `n` independent
/// trials, or `None` if `n` is 0.
#[must_use]
pub fn share_interval(successes: u64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let (z, n) = (reach(level), n as f64);
    let share = successes as f64 / n;
    let spread = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let (middle, scale) = (share + z * z / (2.0 * n), 1.0 + z * z / n);
    Some(Interval { low: (middle - spread) / scale, high: Some((middle + spread) / scale) })
}

/// Returns the interval of the difference of two success rates over common trials (Agresti & Min
/// 2005, *Statistics in Medicine* 24). Returns `None` if the number `n` of trials is 0. In `more`
/// trials only the first contestant succeeded, in `less` trials only the second.
///
/// The interval is normal after half a trial is added to each of the four outcomes. Without that
/// addition it would have no width if both contestants had equal results in all trials.
#[must_use]
pub fn share_difference_interval(more: u64, less: u64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 {
        return None;
    }
    let (more, less, n) = (more as f64 + 0.5, less as f64 + 0.5, n as f64 + 2.0);
    let middle = (more - less) / n;
    let spread = reach(level) * (((more + less) / n - middle * middle) / n).sqrt();
    Some(Interval { low: (middle - spread).max(-1.0), high: Some((middle + spread).min(1.0)) })
}

/// Returns the normal interval of a mean of `n` independent values with the sum `sum` and the sum
/// of squares `squares`. Returns `None` with fewer than two values. It is meant for large samples.
#[must_use]
pub fn mean_interval(sum: f64, squares: f64, n: u64, level: f64) -> Option<Interval> {
    if n < 2 {
        return None;
    }
    let count = n as f64;
    let mean = sum / count;
    // The bound at 0 is needed because rounding may leave a negative variance of equal values.
    let variance = ((squares - sum * mean) / (count - 1.0)).max(0.0);
    let spread = reach(level) * (variance / count).sqrt();
    Some(Interval { low: mean - spread, high: Some(mean + spread) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(interval: Option<Interval>, low: f64, high: f64) {
        let Interval { low: l, high: h } = interval.unwrap();
        assert!((l - low).abs() < 1e-6 && (h.unwrap() - high).abs() < 1e-6, "{interval:?}");
    }

    /// R 4.5: `prop.test(x, n, correct = FALSE)$conf.int`.
    #[test]
    fn shares_as_r_has_them() {
        near(share_interval(8, 10, 0.95), 0.4901625, 0.9433178);
        near(share_interval(0, 10, 0.95), 0.0, 0.2775328);
        near(share_interval(450, 1000, 0.95), 0.4194154, 0.4809673);
        assert_eq!(share_interval(0, 0, 0.95), None);
    }

    /// Values 1 2 3 4: mean 2.5, standard error sqrt(5/3)/2 = 0.6454972; the interval spans
    /// 1.959964 standard errors to either side.
    #[test]
    fn means_by_hand() {
        near(mean_interval(10.0, 30.0, 4, 0.95), 2.5 - 1.265151, 2.5 + 1.265151);
        assert_eq!(mean_interval(1.0, 1.0, 1, 0.95), None);
    }
}
