//! Status of a running training, for a progress display.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::engine::Totals;

/// Current status of a training.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrainingStatus {
    /// Number of finished generations.
    pub generation: u64,
    /// True since the beginning of the finals.
    pub finals: bool,
    /// Best value and mean value of the candidates in the last finished generation.
    pub last: Option<(f64, f64)>,
    /// Value of the objective in the last check; `None` before the first check.
    pub held_out: Option<f64>,
    /// Current stage and the work after it.
    pub stage: Stage,
}

/// Stage of a training: the games that are played now, such as a generation, and the work expected
/// after them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stage {
    /// Number of games of the stage.
    pub games: u64,
    /// Numbers of games and pieces of the whole training before the stage began.
    pub begun: (u64, u64),
    /// Expected number of pieces per game of the stage, used until one of its games has ended;
    /// `None` if unknown.
    pub guess: Option<f64>,
    /// Number of pieces that the training is expected to place after this stage, in later
    /// generations and the finals; `None` if unknown.
    pub after: Option<f64>,
}

/// Shared counters from which a progress display reads while a training runs.
#[derive(Debug, Default)]
pub struct TrainingWatch {
    /// Total numbers of games and pieces played so far.
    pub totals: Totals,
    status: Mutex<TrainingStatus>,
}

impl TrainingWatch {
    /// Returns the current status.
    #[must_use]
    pub fn status(&self) -> TrainingStatus {
        *self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Estimates the share of the training's pieces that are already placed, 0 to 1. Checks and
    /// finals are included. Later games are assumed to be as long as the finished ones, although
    /// games become longer while a controller learns. Returns `None` while the lengths are unknown.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let Stage { games, begun, guess, after } = self.status().stage;
        let count = |total: &AtomicU64| total.load(Ordering::Relaxed);
        let (ended, pieces) = (count(&self.totals.played), count(&self.totals.pieces));
        let own = ended.saturating_sub(begun.0);
        let per_game = match own {
            0 => guess?,
            _ => pieces.saturating_sub(begun.1) as f64 / own as f64,
        };
        let left = games.saturating_sub(own) as f64 * per_game + after?;
        Some(pieces as f64 / (pieces as f64 + left).max(1.0))
    }

    pub(super) fn begin(&self, games: u64, guess: Option<f64>, after: Option<f64>) {
        let count = |total: &AtomicU64| total.load(Ordering::Relaxed);
        let begun = (count(&self.totals.played), count(&self.totals.pieces));
        self.tell(|status| status.stage = Stage { games, begun, guess, after });
    }

    pub(super) fn tell(&self, change: impl FnOnce(&mut TrainingStatus)) {
        change(&mut self.status.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(watch: &TrainingWatch, games: u64, pieces: u64) {
        watch.totals.played.fetch_add(games, Ordering::Relaxed);
        watch.totals.pieces.fetch_add(pieces, Ordering::Relaxed);
    }

    /// A generation of 20 games, then another of 20, then 10 long games.
    #[test]
    fn the_finals_are_part_of_the_whole() {
        let watch = TrainingWatch::default();
        assert_eq!(watch.share(), None);
        watch.begin(20, None, None);
        ended(&watch, 20, 200);
        assert_eq!(watch.share(), None, "nobody knows how long a finalist lives");
        watch.begin(20, Some(10.0), Some(1000.0));
        assert_eq!(watch.share(), Some(200.0 / 1400.0));
        ended(&watch, 10, 200);
        assert_eq!(watch.share(), Some(400.0 / 1600.0), "these games are twice as long");
        ended(&watch, 10, 200);
        watch.begin(10, Some(100.0), Some(0.0));
        assert_eq!(watch.share(), Some(600.0 / 1600.0));
        ended(&watch, 9, 1800);
        assert_eq!(watch.share(), Some(2400.0 / 2600.0));
        ended(&watch, 1, 200);
        assert_eq!(watch.share(), Some(1.0));
    }
}
