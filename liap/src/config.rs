//! Configures a run of the card game LIAP, and reads the configuration of a finished one.

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::declare::Declarer;
use super::player::CardPlayer;
use super::round::{MAX_MATCH_ROUNDS, MatchRules, SEATS, Seat};
use super::tables::MATCHES_PER_BATCH;
use crate::engine::{checkpoint_every, one_thread};
use crate::error::setting::{GAMES, MAX_ROUNDS, ROUNDS, THREADS};
use crate::error::{Error, Result};
use crate::record::Shard;
use crate::tables::LiapLog;

/// Maximum number of rounds of a LIAP run, so that all counts stay far below 2^63.
pub(super) const MAX_ROUNDS_OF_RUN: u64 = 1_000_000_000_000_000;

const MAX_MATCHES_OF_RUN: u64 = MAX_ROUNDS_OF_RUN / MAX_MATCH_ROUNDS as u64;

/// The length of a run of card games, in rounds or in matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Length {
    /// Number of rounds of the run. The last match is cut off when this number is reached.
    Rounds(u64),
    /// Number of matches, each played to its end. Runs of matches, not of rounds, can be split into
    /// shards (shares).
    Matches(u64),
}

impl Length {
    pub(crate) fn rounds(self) -> Option<u64> {
        match self {
            Length::Rounds(rounds) => Some(rounds),
            Length::Matches(_) => None,
        }
    }

    /// Returns the run's number of matches, or `None` if its length is counted in rounds.
    #[must_use]
    pub fn matches(self) -> Option<u64> {
        match self {
            Length::Rounds(_) => None,
            Length::Matches(matches) => Some(matches),
        }
    }
}

/// The configuration of a run of the card game LIAP: the same four players play all matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "game", rename = "liap")]
pub struct LiapConfig {
    /// Declaration rule and playing strategy of each seat.
    #[serde(flatten, with = "seats")]
    pub seats: [Seat; SEATS],
    /// Rules by which a match of card-game rounds ends.
    #[serde(flatten)]
    pub rules: MatchRules,
    /// Number of rounds or matches of the whole run, before a split into shards (shares).
    #[serde(flatten)]
    pub length: Length,
    /// Share of the matches that this run plays, by default all.
    pub shard: Option<Shard>,
    /// Seed from which every random stream derives.
    #[serde(with = "tetrastat_core::names::hex_seed")]
    pub seed: u64,
    /// Settings for the logs of declarations and rounds. `None` if the run writes no logs.
    pub log: Option<LiapLog>,
    /// Number of worker threads.
    #[serde(skip, default = "one_thread")]
    pub threads: usize,
    /// Time between two checkpoints of the run.
    #[serde(skip, default = "checkpoint_every")]
    pub checkpoint_every: Duration,
}

/// Serialises the four players in `run.json` as a list of declaration rules and a list of
/// strategies.
mod seats {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Recorded {
        declarers: [Declarer; SEATS],
        players: [CardPlayer; SEATS],
    }

    pub(super) fn serialize<S: Serializer>(
        seats: &[Seat; SEATS],
        to: S,
    ) -> std::result::Result<S::Ok, S::Error> {
        let declarers = seats.map(|seat| seat.declarer);
        Recorded { declarers, players: seats.map(|seat| seat.player) }.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> std::result::Result<[Seat; SEATS], D::Error> {
        let Recorded { declarers, players } = Recorded::deserialize(from)?;
        let seat = |seat: usize| Seat { declarer: declarers[seat], player: players[seat] };
        Ok(std::array::from_fn(seat))
    }
}

impl LiapConfig {
    /// Checks all settings of a LIAP run.
    pub fn validate(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        self.check_length()?;
        if let Some(log) = &self.log {
            log.selection.validate()?;
            log.column_names()?;
        }
        match self {
            LiapConfig { threads: 0, .. } => {
                fail(&format!("threads 0: give at least one, for example {THREADS} 2"))
            }
            LiapConfig { rules: MatchRules { max_rounds: Some(most), .. }, .. }
                if !(1..=MAX_MATCH_ROUNDS).contains(most) =>
            {
                fail(&format!(
                    "a match has 1 to 1000 rounds: give {MAX_ROUNDS} 1 to 1000, or none for 1000"
                ))
            }
            _ => Ok(()),
        }
    }

    fn check_length(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        match self.length {
            Length::Rounds(0) => {
                fail(&format!("rounds 0: play at least one, for example {ROUNDS} 1000"))
            }
            Length::Matches(0) => {
                fail(&format!("matches 0: play at least one, for example {GAMES} 100"))
            }
            Length::Rounds(rounds) if rounds > MAX_ROUNDS_OF_RUN => {
                Err(Error::Config(format!("rounds {rounds}: give at most {MAX_ROUNDS_OF_RUN}")))
            }
            Length::Matches(matches) if matches > MAX_MATCHES_OF_RUN => {
                Err(Error::Config(format!("matches {matches}: give at most {MAX_MATCHES_OF_RUN}")))
            }
            Length::Rounds(_) if self.shard.is_some() => fail(&format!(
                "a run of rounds cannot be split into shards, because where the last match is cut \
                 depends on all matches before it: give {GAMES} instead of {ROUNDS}"
            )),
            Length::Matches(matches) => Shard::check(self.shard, matches),
            Length::Rounds(_) => Ok(()),
        }
    }

    /// Returns how many rounds or matches the run plays, and the unit: `rounds` or `matches`.
    #[must_use]
    pub fn asked(&self) -> (u64, &'static str) {
        let matches = self.matches();
        match self.length {
            Length::Rounds(rounds) => (rounds, "rounds"),
            Length::Matches(_) => (matches.end - matches.start, "matches"),
        }
    }

    /// Returns the numbers of the matches that a run may play. A run of N rounds has at most N
    /// matches.
    pub(super) fn matches(&self) -> Range<u64> {
        let most = match self.length {
            Length::Rounds(rounds) => rounds,
            Length::Matches(matches) => matches,
        };
        Shard::games(self.shard, most)
    }

    pub(super) fn batches(&self) -> Range<u64> {
        let matches = self.matches();
        // Batch numbers do not depend on the shard; the first and last batch of a shard may be
        // partial.
        matches.start / MATCHES_PER_BATCH..matches.end.div_ceil(MATCHES_PER_BATCH)
    }

    /// Returns the distinct pairs of declaration rule and playing strategy among the seats, in
    /// order of first appearance.
    pub(crate) fn kinds(&self) -> Vec<Seat> {
        let mut kinds: Vec<Seat> = Vec::new();
        for seat in self.seats {
            if !kinds.contains(&seat) {
                kinds.push(seat);
            }
        }
        kinds
    }

    pub(crate) fn kind_indices(&self) -> [usize; SEATS] {
        let kinds = self.kinds();
        self.seats.map(|seat| kinds.iter().position(|kind| *kind == seat).unwrap_or(0))
    }
}
