//! The percentile bootstrap (Efron & Tibshirani 1993, chapter 13) over games.

use super::observed::add;
use super::{Interval, Observed, Scale};
use crate::record::Lifetime;
use crate::rng::{Purpose, Stream};

/// Draws in all, so that a million games take about a second.
const DRAWS: u64 = 40_000_000;
/// Resamples at most and at least.
const RESAMPLES: (u64, u64) = (2000, 200);
/// Games that count below which there is no interval: resamples without any would be common.
const FEWEST: f64 = 5.0;

/// Percentile interval of the estimated mean (exposure / ends), resampling whole games. It assumes
/// that games are independent; with censored ones also, as the estimate itself does, a constant
/// risk per line. `None` with fewer than two games, or fewer than five ends:
/// then resamples without any would be common.
#[must_use]
pub fn bootstrap_mean(games: &[Lifetime], level: f64, seed: u64) -> Option<Interval> {
    let games: Vec<Observed> = games.iter().map(|game| (*game).into()).collect();
    bootstrap_scaled(&games, Scale::Total, level, seed)
}

/// The same of any value of games. `None` with fewer than two games, or fewer than five that count.
#[must_use]
pub fn bootstrap_scaled(
    games: &[Observed],
    scale: Scale,
    level: f64,
    seed: u64,
) -> Option<Interval> {
    let [_, count] = scale.sums(games);
    if games.len() < 2 || count < FEWEST {
        return None;
    }
    let parts: Vec<[f64; 2]> = games.iter().map(|game| scale.parts(game)).collect();
    let n = games.len();
    let mut found = resamples(n, seed, |stream| {
        let drawn = (0..n).map(|_| parts[stream.below(n as u32) as usize]);
        mean(drawn.fold([0.0; 2], add))
    });
    Some(percentiles(&mut found, level))
}

/// Percentile intervals of the difference and the ratio of two means, resampling the seeds that the games
/// have in common, so that the two games of a seed stay together. `None` with fewer than two
/// seeds, or fewer than five games of either that count.
#[must_use]
pub fn bootstrap_paired(
    first: &[Observed],
    second: &[Observed],
    scale: Scale,
    level: f64,
    seed: u64,
) -> Option<(Interval, Interval)> {
    let pairs: Vec<[[f64; 2]; 2]> =
        first.iter().zip(second).map(|(a, b)| [scale.parts(a), scale.parts(b)]).collect();
    let least = scale.sums(first)[1].min(scale.sums(second)[1]);
    let n = pairs.len();
    if n < 2 || least < FEWEST {
        return None;
    }
    let drawn = resamples(n, seed, |stream| {
        let mut sums = [[0.0; 2]; 2];
        for _ in 0..n {
            let [a, b] = pairs[stream.below(n as u32) as usize];
            sums = [add(sums[0], a), add(sums[1], b)];
        }
        sums.map(mean)
    });
    let mut differences: Vec<f64> = drawn.iter().map(|[a, b]| a - b).collect();
    let mut ratios: Vec<f64> = drawn.iter().map(|[a, b]| a / b).collect();
    Some((percentiles(&mut differences, level), percentiles(&mut ratios, level)))
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
    (n >= 5).then(|| percentiles(&mut resamples(n, seed, resampled), level))
}

/// A statistic of samples of size `n`, drawn anew and anew.
fn resamples<T>(n: usize, seed: u64, mut resampled: impl FnMut(&mut Stream) -> T) -> Vec<T> {
    let resamples = (DRAWS / n as u64).clamp(RESAMPLES.1, RESAMPLES.0);
    let mut stream = Stream::new(seed, Purpose::Bootstrap, 0);
    (0..resamples).map(|_| resampled(&mut stream)).collect()
}

fn percentiles(found: &mut [f64], level: f64) -> Interval {
    found.sort_by(f64::total_cmp);
    let at = |p: f64| found[((found.len() - 1) as f64 * p).round() as usize];
    let tail = (1.0 - level) / 2.0;
    Interval { low: at(tail), high: Some(at(1.0 - tail)) }
}

/// A resample without any end counts as one with one.
fn mean([sum, count]: [f64; 2]) -> f64 {
    sum / count.max(1.0)
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

    /// Second games are thrice the first, seed by seed: the ratio is the same in every resample.
    #[test]
    fn pairs_stay_together() {
        let first: Vec<Observed> = finished(1..=50).into_iter().map(Observed::from).collect();
        let thrice = |game: &Observed| Observed { value: 3.0 * game.value, ..*game };
        let second: Vec<Observed> = first.iter().map(thrice).collect();
        let (difference, ratio) =
            bootstrap_paired(&second, &first, Scale::PerGame, 0.95, 1).unwrap();
        assert!((ratio.low - 3.0).abs() < 1e-12 && (ratio.high.unwrap() - 3.0).abs() < 1e-12);
        let mean = bootstrap_scaled(&first, Scale::PerGame, 0.95, 1).unwrap();
        assert!((difference.low - 2.0 * mean.low).abs() < 1e-9, "{difference:?} {mean:?}");
        assert_eq!(bootstrap_paired(&second[..4], &first[..4], Scale::Total, 0.95, 1), None);
    }
}
