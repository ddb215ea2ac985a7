//! Value of a lost game in an objective. If less is better, the observed value of a game that was
//! lost early would be misleadingly good.

use std::str::FromStr;

use super::games::TrainingGames;
use crate::error::{Error, Result};

/// Default value of a lost game if less is better. It exceeds the keys, pieces, points or
/// milliseconds of any finished game.
pub const LOST: f64 = 1e6;

/// Rule for the value of a lost game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LostGame {
    /// Value as observed in the game.
    Observed,
    /// Value of a game that was lost just before its goal. Other lost games have worse values: the
    /// more of the goal a game missed, the worse, by at most the absolute value.
    Worth(f64),
}

impl FromStr for LostGame {
    type Err = Error;

    fn from_str(text: &str) -> Result<LostGame> {
        if text == "observed" {
            return Ok(LostGame::Observed);
        }
        let worth = text.parse().ok().filter(|worth: &f64| worth.is_finite());
        let wrong = || Error::Config("write a number, for example 1000000, or observed".to_owned());
        worth.map(LostGame::Worth).ok_or_else(wrong)
    }
}

/// Value of a lost game (`worth`), and the limits at which a game ends without a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lost {
    pub(super) worth: f64,
    lines: Option<u64>,
    pieces: Option<u64>,
    time_us: Option<u64>,
}

impl Lost {
    /// Creates the rule with the value `worth` and the limits of `games`. Returns `None` if only a
    /// loss can end a game.
    pub(super) fn of(worth: f64, games: &TrainingGames) -> Option<Lost> {
        let [pieces, lines, time_us] = games.limits();
        let has_goal = lines.is_some() || pieces.is_some() || time_us.is_some();
        has_goal.then_some(Lost { worth, lines, pieces, time_us })
    }

    /// Returns the value of a game that was lost after `[lines, pieces, time_us]`. It is `worth`,
    /// made worse by the share of the goal that the game missed. `minimise` is true if less is
    /// better.
    pub(super) fn value(&self, minimise: bool, [lines, pieces, time_us]: [u64; 3]) -> f64 {
        let share =
            |done: u64, goal: Option<u64>| goal.map(|goal| done as f64 / goal.max(1) as f64);
        let shares =
            [share(lines, self.lines), share(pieces, self.pieces), share(time_us, self.time_us)];
        // If there are several limits, the nearest one counts. A game that was lost just before its
        // time limit missed little, whatever its lines.
        let reached = shares.into_iter().flatten().fold(0.0, f64::max).min(1.0);
        let missed = self.worth.abs() * (1.0 - reached);
        if minimise { self.worth + missed } else { self.worth - missed }
    }
}
