//! Plays games from one board and compares the results of two boards.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::RolloutConfig;
use crate::board::Board;
use crate::error::Result;
use crate::record::Estimated;
use crate::search::Player;
use crate::sim::{Game, Snapshot, Unrecorded, play_game};
use crate::stats::{Interval, mean_interval, share_difference_interval, share_interval};

const LEVEL: f64 = 0.95;
/// Level of the confidence intervals that decide whether a candidate gets more games. It is higher
/// than [`LEVEL`] because many intervals are computed.
const RACE_LEVEL: f64 = 0.99;

#[derive(Clone, Copy, Debug)]
pub(super) struct RolloutGame {
    pub(super) died: bool,
    pub(super) lines: u64,
    pub(super) pieces: u64,
}

/// Results of the games from one board. Game i of every board receives the same pieces.
pub(super) struct RolloutResults(Vec<RolloutGame>);

impl RolloutResults {
    /// Plays the games with the numbers `replicates` from `board`. `lines` rows, those that the
    /// placement before the games removed, are added to each game. Returns `None` if `stop` is
    /// raised.
    pub(super) fn of(
        config: &RolloutConfig,
        player: &mut Player,
        (board, lines): (Board, u64),
        replicates: Range<u64>,
        stop: &AtomicBool,
    ) -> Result<Option<RolloutResults>> {
        let mut endings = Vec::with_capacity((replicates.end - replicates.start) as usize);
        for replicate in replicates {
            // The stream depends on the replicate but not on the board, so all boards have common
            // random numbers.
            let game = Snapshot { board, ..config.play.begin(config.play.seed, replicate) };
            let Ok(row) = play_game(&config.play, player, game, stop, &mut Unrecorded)? else {
                return Ok(None);
            };
            let died = !row.end_reason.is_censored();
            endings.push(RolloutGame { died, lines: lines + row.lines, pieces: row.pieces });
        }
        Ok(Some(RolloutResults(endings)))
    }

    #[cfg(test)]
    pub(super) fn of_games(games: Vec<RolloutGame>) -> RolloutResults {
        RolloutResults(games)
    }

    /// Returns the results of `replicates` games after a placement that ends the game: each dies at
    /// once.
    pub(super) fn lost(replicates: u64, lines: u64) -> RolloutResults {
        // The number of pieces is 0, because the candidate's own piece does not count in other
        // games either.
        let ending = RolloutGame { died: true, lines, pieces: 0 };
        RolloutResults(vec![ending; replicates as usize])
    }

    /// Appends the results of further games from the same board.
    pub(super) fn extend(&mut self, more: RolloutResults) {
        self.0.extend(more.0);
    }

    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn deaths(&self) -> u64 {
        self.0.iter().filter(|ending| ending.died).count() as u64
    }

    pub(super) fn pieces(&self) -> u64 {
        self.0.iter().map(|ending| ending.pieces).sum()
    }

    pub(super) fn p_death(&self) -> Estimated {
        let interval = share_interval(self.deaths(), self.len(), LEVEL);
        estimated(self.deaths() as f64 / self.len() as f64, interval)
    }

    pub(super) fn lines(&self) -> Estimated {
        mean(self.0.iter().map(|ending| ending.lines as f64), LEVEL)
    }

    /// Returns the standard error of the share of games that died.
    pub(super) fn p_death_error(&self) -> f64 {
        let share = self.p_death().value;
        (share * (1.0 - share) / self.len() as f64).sqrt()
    }

    /// Returns the standard error of the mean lines; 0 for games that a placement ended.
    pub(super) fn lines_error(&self) -> f64 {
        let mean = self.lines().value;
        let squares = self.0.iter().map(|ending| (ending.lines as f64 - mean).powi(2)).sum::<f64>();
        (squares / (self.len() as f64 - 1.0) / self.len() as f64).sqrt()
    }

    /// Returns true if the standard error of the mean lines is at most `precision` times the mean.
    pub(super) fn is_precise(&self, precision: f64) -> bool {
        self.lines_error() <= precision * self.lines().value
    }

    /// Returns true if these results show that the games of `leader` have more lines on the same
    /// pieces, at the level [`RACE_LEVEL`].
    pub(super) fn is_behind(&self, leader: &RolloutResults) -> bool {
        self.lines_differences(leader, RACE_LEVEL).high < 0.0
    }

    pub(super) fn death_difference(&self, other: &RolloutResults) -> Estimated {
        let (mut more, mut less) = (0, 0);
        for (own, other) in self.0.iter().zip(&other.0) {
            more += u64::from(own.died && !other.died);
            less += u64::from(other.died && !own.died);
        }
        let pairs = self.len().min(other.len());
        let value = (more as f64 - less as f64) / pairs as f64;
        estimated(value, share_difference_interval(more, less, pairs, LEVEL))
    }

    /// Returns the mean difference of lines, own minus `other`, over pairs of games with the same
    /// pieces.
    pub(super) fn lines_difference(&self, other: &RolloutResults) -> Estimated {
        self.lines_differences(other, LEVEL)
    }

    fn lines_differences(&self, other: &RolloutResults, level: f64) -> Estimated {
        let pairs = self.0.iter().zip(&other.0);
        mean(pairs.map(|(own, other)| own.lines as f64 - other.lines as f64), level)
    }
}

/// Returns the mean of `values` with its interval of this level. The interval assumes a normal
/// distribution of the mean, which is accurate only for many values.
fn mean(values: impl Iterator<Item = f64>, level: f64) -> Estimated {
    let (mut sum, mut squares, mut n) = (0.0, 0.0, 0);
    for value in values {
        (sum, squares, n) = (sum + value, squares + value * value, n + 1);
    }
    estimated(sum / n as f64, mean_interval(sum, squares, n, level))
}

/// Converts a value and its interval to an estimate. The bounds are NaN without an interval, for
/// example for one game.
fn estimated(value: f64, interval: Option<Interval>) -> Estimated {
    let low = interval.map_or(f64::NAN, |interval| interval.low);
    let high = interval.and_then(|interval| interval.high).unwrap_or(f64::NAN);
    Estimated { value, low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(endings: &[(bool, u64)]) -> RolloutResults {
        let ending = |&(died, lines)| RolloutGame { died, lines, pieces: 10 };
        RolloutResults(endings.iter().map(ending).collect())
    }

    /// Four games on the same pieces: two die here, one on the other board. With half a game added
    /// to each outcome the difference is (1.5 - 0.5) / 6, with standard error sqrt((2 / 6 - 1 / 36)
    /// / 6) = 0.225668. Lines differ by -2, 0, 0, 0, with standard error 0.5. Two boards without
    /// any differing game may still differ by 0.33.
    #[test]
    fn differences_are_of_games_on_the_same_pieces() {
        let here = outlook(&[(true, 1), (true, 2), (false, 3), (false, 4)]);
        let there = outlook(&[(false, 3), (true, 2), (false, 3), (false, 4)]);
        let death = here.death_difference(&there);
        assert!((death.value - 0.25).abs() < 1e-12 && (death.high - 0.608_967).abs() < 1e-6);
        let lines = here.lines_difference(&there);
        assert!((lines.value + 0.5).abs() < 1e-12 && (lines.low + 1.479_982).abs() < 1e-6);
        assert_eq!((here.deaths(), here.pieces(), here.p_death().value), (2, 40, 0.5));
        assert!((here.death_difference(&here).low + 0.326_661).abs() < 1e-6);
        // The numbers of lines 1, 2, 3 and 4 have the sample variance 5 / 3. A share of 1 / 2 has
        // the variance 1 / 2 * (1 - 1 / 2) = 1 / 4.
        assert!((here.lines_error() - f64::sqrt(5.0 / 12.0)).abs() < 1e-12);
        assert!((here.p_death_error() - 0.25).abs() < 1e-12);
        // With fewer games on one side, only the games with the same pieces are compared.
        assert_eq!(outlook(&[(true, 1)]).lines_difference(&there).value, -2.0);
        assert_eq!(outlook(&[(true, 1)]).death_difference(&there).value, 1.0);
        assert!(!here.is_behind(&there));
        assert!(outlook(&[(false, 1), (false, 1)]).is_behind(&there));
        let lost = RolloutResults::lost(3, 2);
        assert_eq!((lost.p_death().value, lost.lines().value, lost.lines_error()), (1.0, 2.0, 0.0));
    }
}
