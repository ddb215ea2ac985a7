//! What a LIAP run plays.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::contest::{LONGEST, Rules};
use super::round::{SEATS, Seat};
use crate::error::{Error, Result};
use crate::record::LogFormat;

/// Rounds of one run, so that all that is counted of them stays far below 2^63.
pub(super) const MOST_ROUNDS: u64 = 1_000_000_000_000_000;

/// Rounds of one table of four.
#[derive(Clone, Debug)]
pub struct LiapConfig {
    /// Who sits where.
    pub seats: [Seat; SEATS],
    /// How matches are played.
    pub rules: Rules,
    /// Rounds, exactly: the last match is cut when they are played.
    pub rounds: u64,
    /// The seed that every stream derives from.
    pub seed: u64,
    /// The format of declarations and rounds, if they are logged.
    pub log: Option<LogFormat>,
    /// Worker threads.
    pub threads: usize,
    /// Time between two checkpoints.
    pub checkpoint_every: Duration,
}

/// A configuration as files have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiapEntry {
    game: String,
    declarers: [String; SEATS],
    players: [String; SEATS],
    target: i32,
    max_rounds: Option<u32>,
    guard: bool,
    rounds: u64,
    pub(super) seed: String,
    log: Option<String>,
}

impl LiapEntry {
    /// The kinds of seats in words, each once, in order of their first seat.
    pub(super) fn kinds(&self) -> Vec<String> {
        let mut kinds = Vec::new();
        for (declarer, player) in self.declarers.iter().zip(&self.players) {
            let kind = format!("{declarer} ({player})");
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }
}

impl LiapConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// [`Error::Config`] naming the setting to change.
    pub fn validate(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        match self {
            LiapConfig { rounds: 0, .. } => {
                fail("rounds 0: play at least one, for example --rounds 1000")
            }
            LiapConfig { rounds, .. } if *rounds > MOST_ROUNDS => {
                Err(Error::Config(format!("rounds {rounds}: give at most {MOST_ROUNDS}")))
            }
            LiapConfig { threads: 0, .. } => {
                fail("threads 0: give at least one, for example --threads 2")
            }
            LiapConfig { rules: Rules { max_rounds: Some(most), .. }, .. }
                if !(1..=LONGEST).contains(most) =>
            {
                fail("matches have 1 to 1000 rounds: give --max-rounds so many, or none for 1000")
            }
            _ => Ok(()),
        }
    }

    /// The kinds of seats, each once, in order of their first seat.
    #[must_use]
    pub fn kinds(&self) -> Vec<Seat> {
        let mut kinds: Vec<Seat> = Vec::new();
        for seat in self.seats {
            if !kinds.contains(&seat) {
                kinds.push(seat);
            }
        }
        kinds
    }

    /// For each seat the place of its kind.
    #[must_use]
    pub fn kind_of_seats(&self) -> [usize; SEATS] {
        let kinds = self.kinds();
        self.seats.map(|seat| kinds.iter().position(|kind| *kind == seat).unwrap_or(0))
    }

    /// The entry of files.
    #[must_use]
    pub fn entry(&self) -> LiapEntry {
        LiapEntry {
            game: "liap".to_owned(),
            declarers: self.seats.map(|seat| seat.declarer.to_string()),
            players: self.seats.map(|seat| seat.player.to_string()),
            target: self.rules.target,
            max_rounds: self.rules.max_rounds,
            guard: self.rules.guard,
            rounds: self.rounds,
            seed: format!("0x{:016x}", self.seed),
            log: self.log.map(|format| format.to_string()),
        }
    }
}
