//! Summarises the games of a run: mean, spread, range and confidence intervals.

use serde::Serialize;

use super::{Interval, Observed, Scale, bootstrap_scaled, exponential_mean};
use crate::record::Lifetime;
use crate::text::numbers::as_whole;

/// Confidence level of every interval in a summary.
const LEVEL: f64 = 0.95;

/// Summary of the lines per game, or of another value of each game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Number of games, including censored ones.
    pub games: u64,
    /// Number of games cut off by a limit.
    pub censored: u64,
    /// Estimated mean lines of a finished game: the lines of all games divided by the number of
    /// games that ended. `None` if no game ended.
    pub mean: Option<f64>,
    /// Standard deviation (with divisor n - 1) of the lines of all games, censored ones included;
    /// `None` with fewer than two games.
    pub sd: Option<f64>,
    /// Median of the lines of all games, censored ones included.
    pub median: f64,
    /// Smallest number of lines of a game.
    #[serde(serialize_with = "as_whole")]
    pub min: f64,
    /// Largest number of lines of a game.
    #[serde(serialize_with = "as_whole")]
    pub max: f64,
    /// 95 % interval of the mean for exponential lifetimes ([`exponential_mean`]); `None` if games
    /// do not differ by chance.
    pub exponential: Option<Interval>,
    /// 95 % interval of the mean by bootstrap-t ([`bootstrap_scaled`]); `None` if too few games
    /// ended or games do not differ by chance.
    pub bootstrap: Option<Interval>,
}

/// Range of SD/mean that is plausible for exponential lifetimes, whose true value is 1. With 30
/// games or more, over 95 % of samples lie in this range (the standard error is about 1/sqrt(n)).
const EXPONENTIAL_SPREAD: std::ops::RangeInclusive<f64> = 0.7..=1.4;

impl Summary {
    /// Returns true if the spread of the games contradicts exponential lifetimes. The check needs
    /// at least 30 games, all finished.
    #[must_use]
    pub fn is_unlike_exponential(&self) -> bool {
        let spread = self.sd.zip(self.mean).map(|(sd, mean)| sd / mean);
        let judged = self.games >= 30 && self.censored == 0;
        judged && spread.is_some_and(|spread| !EXPONENTIAL_SPREAD.contains(&spread))
    }

    /// Summarises the lines of `games`; returns `None` if there are no games. If `independent` is
    /// false, games do not differ by chance, so there are no intervals. `seed` seeds the bootstrap.
    #[must_use]
    pub fn of(games: &[Lifetime], independent: bool, seed: u64) -> Option<Summary> {
        let games: Vec<Observed> = games.iter().map(|game| (*game).into()).collect();
        Summary::of_values(&games, Scale::Total, independent, seed)
    }

    /// Summarises any value of `games`, of the kind `scale`; otherwise like [`Summary::of`].
    #[must_use]
    pub fn of_values(
        games: &[Observed],
        scale: Scale,
        independent: bool,
        seed: u64,
    ) -> Option<Summary> {
        // All values count as observed; censoring affects only the mean and its intervals.
        let mut values: Vec<f64> = games.iter().map(|game| game.value).collect();
        values.sort_by(f64::total_cmp);
        let (&min, &max) = (values.first()?, values.last()?);
        let n = values.len();
        let total = values.iter().sum::<f64>();
        let censored = games.iter().filter(|game| game.censored).count() as u64;
        let ends = n as u64 - censored;
        let observed_mean = total / n as f64;
        let squares: f64 = values.iter().map(|x| (x - observed_mean).powi(2)).sum();
        Some(Summary {
            games: n as u64,
            censored,
            mean: scale.mean(games),
            sd: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()),
            median: (values[(n - 1) / 2] + values[n / 2]) / 2.0,
            min,
            max,
            exponential: independent.then(|| exponential_mean(total, ends, censored > 0, LEVEL)),
            bootstrap: if independent { bootstrap_scaled(games, scale, LEVEL, seed) } else { None },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_by_hand() {
        let game = |lines, censored| Lifetime { lines, censored };
        let games = [game(2, false), game(4, false), game(6, true), game(12, false)];
        let summary = Summary::of(&games, true, 1).unwrap();
        assert_eq!((summary.games, summary.censored), (4, 1));
        assert_eq!(summary.mean, Some(8.0)); // 24 lines, 3 ends
        assert_eq!((summary.median, summary.min, summary.max), (5.0, 2.0, 12.0));
        let sd = summary.sd.unwrap(); // deviations -4 -2 0 6: 56/3
        assert!((sd - (56.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Summary::of(&[], true, 1), None);
        let same = Summary::of(&games, false, 1).unwrap();
        assert_eq!((same.exponential, same.bootstrap, same.mean), (None, None, Some(8.0)));
    }
}
