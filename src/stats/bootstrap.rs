//! The percentile bootstrap (Efron & Tibshirani 1993, chapter 13) over games.

use super::Interval;
use crate::record::Lifetime;
use crate::rng::{Purpose, Stream};

/// Draws in all, so that a million games take about a second.
const DRAWS: u64 = 40_000_000;
/// Resamples at most and at least.
const RESAMPLES: (u64, u64) = (2000, 200);

/// Percentile interval of the estimated mean (exposure / ends), resampling whole games. It assumes
/// that games are independent; with censored ones also, as the estimate itself does, a constant
/// risk per line. `None` with fewer than two games, or fewer than five ends:
/// then resamples without any would be common.
#[must_use]
pub fn bootstrap_mean(games: &[Lifetime], level: f64, seed: u64) -> Option<Interval> {
    let ends = games.iter().filter(|game| !game.censored).count();
    if games.len() < 2 || ends < 5 {
        return None;
    }
    Some(percentiles(games.len(), level, seed, |stream| resampled_mean(games, stream)))
}

/// Percentile interval of any statistic of values, resampling them. It assumes that they are
/// independent. `None` with fewer than five.
#[must_use]
pub fn bootstrap(
    values: &[f64],
    level: f64,
    seed: u64,
    statistic: impl Fn(&mut [f64]) -> f64,
) -> Option<Interval> {
    let n = values.len();
    let resampled = |stream: &mut Stream| {
        let mut drawn: Vec<f64> = (0..n).map(|_| values[stream.below(n as u32) as usize]).collect();
        statistic(&mut drawn)
    };
    (n >= 5).then(|| percentiles(n, level, seed, resampled))
}

/// The percentiles of a statistic of samples of size `n`.
fn percentiles(
    n: usize,
    level: f64,
    seed: u64,
    mut resampled: impl FnMut(&mut Stream) -> f64,
) -> Interval {
    let resamples = (DRAWS / n as u64).clamp(RESAMPLES.1, RESAMPLES.0);
    let mut stream = Stream::new(seed, Purpose::Bootstrap, 0);
    let mut found: Vec<f64> = (0..resamples).map(|_| resampled(&mut stream)).collect();
    found.sort_by(f64::total_cmp);
    let at = |p: f64| found[((found.len() - 1) as f64 * p).round() as usize];
    let tail = (1.0 - level) / 2.0;
    Interval { low: at(tail), high: Some(at(1.0 - tail)) }
}

fn resampled_mean(games: &[Lifetime], stream: &mut Stream) -> f64 {
    let (mut exposure, mut ends) = (0.0, 0u64);
    for _ in 0..games.len() {
        let game = games[stream.below(games.len() as u32) as usize];
        exposure += game.lines as f64;
        ends += u64::from(!game.censored);
    }
    exposure / ends.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(lines: impl IntoIterator<Item = u64>) -> Vec<Lifetime> {
        lines.into_iter().map(|lines| Lifetime { lines, censored: false }).collect()
    }

    /// 0..=999 has mean 499.5 and standard error 288.7/sqrt(1000) = 9.13.
    #[test]
    fn the_interval_is_about_two_standard_errors_wide() {
        let interval = bootstrap_mean(&finished(0..1000), 0.95, 1).unwrap();
        assert!((interval.low - (499.5 - 17.9)).abs() < 2.0, "{interval:?}");
        assert!((interval.high.unwrap() - (499.5 + 17.9)).abs() < 2.0, "{interval:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval_and_too_few_ends_none() {
        let games = finished(0..100);
        assert_eq!(bootstrap_mean(&games, 0.95, 3), bootstrap_mean(&games, 0.95, 3));
        assert_eq!(bootstrap_mean(&games[..1], 0.95, 3), None);
        let censored: Vec<Lifetime> =
            games.iter().map(|game| Lifetime { censored: true, ..*game }).collect();
        assert_eq!(bootstrap_mean(&censored, 0.95, 3), None);
    }
}
