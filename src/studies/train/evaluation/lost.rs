//! What a lost game is worth where its column alone would flatter it.

use std::str::FromStr;

use super::games::TrainingGames;
use crate::error::{Error, Result};

/// What a lost game is worth where less is better, unless the user says otherwise: more than a finished
/// game has of keys, pieces, points or milliseconds.
pub const LOST: f64 = 1e6;

/// What a lost game is to be worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LostGame {
    /// What was observed of it.
    Observed,
    /// This at best, and twice as bad when nothing of its goal was reached.
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

/// What a lost game is worth, and what it missed: ends of a game that is not lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lost {
    pub(super) worth: f64,
    lines: Option<u64>,
    pieces: Option<u64>,
    time_us: Option<u64>,
}

impl Lost {
    /// `None` when nothing but a loss ends a game.
    pub(super) fn of(worth: f64, games: &TrainingGames) -> Option<Lost> {
        let (lines, pieces, time_us) = match games {
            TrainingGames::Classic(config, _) => (config.limits.lines, config.limits.pieces, None),
            TrainingGames::Guideline(config, _) => {
                let pieces = Some(config.mode.pieces()).filter(|&most| most < u32::MAX);
                let time_us = Some(config.mode.time_us()).filter(|&most| most < u64::MAX);
                (config.mode.goal().map(u64::from), pieces.map(u64::from), time_us)
            }
        };
        let has_goal = lines.is_some() || pieces.is_some() || time_us.is_some();
        has_goal.then_some(Lost { worth, lines, pieces, time_us })
    }

    /// The worth of a game that came so far.
    pub(super) fn value(&self, minimise: bool, [lines, pieces, time_us]: [u64; 3]) -> f64 {
        let share =
            |done: u64, goal: Option<u64>| goal.map(|goal| done as f64 / goal.max(1) as f64);
        let shares =
            [share(lines, self.lines), share(pieces, self.pieces), share(time_us, self.time_us)];
        // The nearest of several ends: a game that is lost just before its time was up missed little, whatever
        // its lines.
        let reached = shares.into_iter().flatten().fold(0.0, f64::max).min(1.0);
        let missed = self.worth.abs() * (1.0 - reached);
        if minimise { self.worth + missed } else { self.worth - missed }
    }
}
