//! Plays games from one board and compares the results of two boards.

use std::sync::atomic::AtomicBool;

use super::RolloutConfig;
use crate::board::Board;
use crate::error::Result;
use crate::record::{EndReason, Estimated};
use crate::search::Player;
use crate::sim::{Snapshot, Unrecorded, play_game};
use crate::stats::{Interval, mean_interval, share_difference_interval, share_interval};

const LEVEL: f64 = 0.95;

#[derive(Clone, Copy, Debug)]
pub(super) struct RolloutGame {
    pub(super) died: bool,
    pub(super) lines: u64,
    pub(super) pieces: u64,
}

/// Results of the games from one board. Game i of every board receives the same pieces.
pub(super) struct RolloutResults(Vec<RolloutGame>);

impl RolloutResults {
    /// Plays the games from `board`. Returns `None` if `stop` is raised.
    pub(super) fn of(
        config: &RolloutConfig,
        player: &mut Player,
        board: Board,
        stop: &AtomicBool,
    ) -> Result<Option<RolloutResults>> {
        let mut endings = Vec::with_capacity(config.replicates as usize);
        for replicate in 0..config.replicates {
            // The stream depends on the replicate but not on the board, so all boards have common
            // random numbers.
            let game = Snapshot { board, ..Snapshot::first(&config.play, replicate) };
            let row = play_game(&config.play, player, game, stop, &mut Unrecorded)?;
            if row.end_reason == EndReason::Interrupted {
                return Ok(None);
            }
            let died = !row.end_reason.is_censored();
            endings.push(RolloutGame { died, lines: row.lines, pieces: row.pieces });
        }
        Ok(Some(RolloutResults(endings)))
    }

    /// Returns the results of `replicates` games after a placement that ends the game: each dies at
    /// once.
    pub(super) fn lost(replicates: u64) -> RolloutResults {
        // The number of pieces is 0, because the candidate's own piece does not count in other
        // games either.
        let ending = RolloutGame { died: true, lines: 0, pieces: 0 };
        RolloutResults(vec![ending; replicates as usize])
    }

    pub(super) fn with_lines(mut self, lines: u64) -> RolloutResults {
        self.0.iter_mut().for_each(|ending| ending.lines += lines);
        self
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
        mean(self.0.iter().map(|ending| ending.lines as f64))
    }

    pub(super) fn death_difference(&self, other: &RolloutResults) -> Estimated {
        let (mut more, mut less) = (0, 0);
        for (own, other) in self.0.iter().zip(&other.0) {
            more += u64::from(own.died && !other.died);
            less += u64::from(other.died && !own.died);
        }
        let value = (more as f64 - less as f64) / self.len() as f64;
        estimated(value, share_difference_interval(more, less, self.len(), LEVEL))
    }

    /// Returns the mean difference of lines, own minus `other`, over pairs of games with the same
    /// pieces.
    pub(super) fn lines_difference(&self, other: &RolloutResults) -> Estimated {
        mean(self.0.iter().zip(&other.0).map(|(own, other)| own.lines as f64 - other.lines as f64))
    }
}

/// Returns the mean of `values` with its 95 % interval. The interval assumes a normal distribution
/// of the mean, which is accurate only for many values.
fn mean(values: impl Iterator<Item = f64>) -> Estimated {
    let (mut sum, mut squares, mut n) = (0.0, 0.0, 0);
    for value in values {
        (sum, squares, n) = (sum + value, squares + value * value, n + 1);
    }
    estimated(sum / n as f64, mean_interval(sum, squares, n, LEVEL))
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
        assert_eq!(RolloutResults::lost(3).p_death().value, 1.0);
    }
}
