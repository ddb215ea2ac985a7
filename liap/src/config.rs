//! Configures a LIAP run, and reads the configuration of a finished one.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::batch::MATCHES_PER_BATCH;
use super::contest::{MAX_MATCH_ROUNDS, MatchRules};
use super::round::{SEATS, Seat};
use crate::engine::CHECKPOINT_EVERY;
use crate::error::setting::{GAMES, MAX_ROUNDS, ROUNDS, THREADS};
use crate::error::{Error, Result};
use crate::record::{Selection, Shard, not_as_written, read_manifest, recorded_seed};
use crate::tables::LiapLog;

/// Maximum number of rounds of a run, so that all counts stay far below 2^63.
pub(super) const MAX_ROUNDS_OF_RUN: u64 = 1_000_000_000_000_000;

/// Maximum number of matches of a run, so that their rounds do not exceed [`MAX_ROUNDS_OF_RUN`].
const MAX_MATCHES_OF_RUN: u64 = MAX_ROUNDS_OF_RUN / MAX_MATCH_ROUNDS as u64;

/// The length of a run, in rounds or in matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Exact number of rounds. The last match is cut off when this number is reached.
    Rounds(u64),
    /// Number of matches, each played to its end. Only runs of this kind can be split into shards.
    Matches(u64),
}

impl Length {
    /// Returns the number of rounds, or `None` if the run is measured in matches.
    #[must_use]
    pub fn rounds(self) -> Option<u64> {
        match self {
            Length::Rounds(rounds) => Some(rounds),
            Length::Matches(_) => None,
        }
    }

    /// Returns the number of matches, or `None` if the run is measured in rounds.
    #[must_use]
    pub fn matches(self) -> Option<u64> {
        match self {
            Length::Rounds(_) => None,
            Length::Matches(matches) => Some(matches),
        }
    }
}

/// The configuration of a LIAP run, in which the same four players play all matches.
#[derive(Clone, Debug)]
pub struct LiapConfig {
    /// Declarer and player of each seat.
    pub seats: [Seat; SEATS],
    /// Rules of a match.
    pub rules: MatchRules,
    /// Length of the whole run, all shards together.
    pub length: Length,
    /// Part of the matches that this run plays. `None` plays all matches.
    pub shard: Option<Shard>,
    /// Seed from which every random stream derives.
    pub seed: u64,
    /// Settings for the tables of declarations and rounds. If `None`, only the table of matches is
    /// written.
    pub log: Option<LiapLog>,
    /// Number of worker threads.
    pub threads: usize,
    /// Time between two checkpoints.
    pub checkpoint_every: Duration,
}

/// The configuration as written to `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiapEntry {
    game: String,
    declarers: [String; SEATS],
    players: [String; SEATS],
    target: i32,
    max_rounds: Option<u32>,
    guard: bool,
    /// Number of rounds, if the run is measured in rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rounds: Option<u64>,
    /// Number of matches of all shards together, if the run is measured in matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) matches: Option<u64>,
    /// Shard of the matches that the run played. Missing if the run played all matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<String>,
    pub(super) seed: String,
    pub(super) log: Option<String>,
    /// Selection of the logged declarations. Missing if all are logged or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) logged: Option<Selection>,
    /// Logged columns of the `declarations` table. Missing if all columns are logged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<String>>,
}

impl LiapEntry {
    /// Describes each distinct pair of declarer and player once, in order of first appearance.
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

    /// Returns true if this run equals the start of `longer`: it has fewer matches and no other
    /// difference. Both runs must be without shards and logs.
    pub(super) fn begins(&self, longer: &LiapEntry) -> bool {
        let alike = LiapEntry { matches: longer.matches, ..self.clone() };
        let whole = self.shard.is_none() && self.log.is_none();
        whole && self.matches.is_some() && self.matches < longer.matches && alike == *longer
    }

    /// Converts the entry back to a configuration, without the settings for logging.
    fn config(&self) -> Result<LiapConfig> {
        let mut seats = [Seat::default(); SEATS];
        for (seat, (declarer, player)) in
            seats.iter_mut().zip(self.declarers.iter().zip(&self.players))
        {
            *seat = Seat { declarer: declarer.parse()?, player: player.parse()? };
        }
        let length = self.matches.map(Length::Matches).or(self.rounds.map(Length::Rounds));
        Ok(LiapConfig {
            seats,
            rules: MatchRules {
                target: self.target,
                max_rounds: self.max_rounds,
                guard: self.guard,
            },
            length: length.unwrap_or(Length::Rounds(0)),
            shard: self.shard.as_deref().map(str::parse).transpose()?,
            seed: recorded_seed(&self.seed)?,
            log: None,
            threads: 1,
            checkpoint_every: CHECKPOINT_EVERY,
        })
    }
}

/// Reads the configuration of a LIAP run from `run.json` in `folder`, without the settings for
/// logging.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] if `run.json` cannot be read or is not a valid configuration.
pub fn read_liap_config(folder: &Path) -> Result<LiapConfig> {
    #[derive(Deserialize)]
    struct Recorded {
        config: LiapEntry,
    }
    let path = folder.join("run.json");
    let Recorded { config } = read_manifest(&path)?;
    let config = config.config().and_then(|config| config.validate().map(|()| config));
    config.map_err(|error| not_as_written(&path, error))
}

impl LiapConfig {
    /// Checks all settings.
    ///
    /// # Errors
    /// [`Error::Config`] if a setting is invalid; the message names the setting to change.
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

    /// Checks the run's length, and that its shard is possible for this length.
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

    /// Returns the unit in which progress is reported (`rounds` or `matches`), and the number of
    /// units to play.
    #[must_use]
    pub fn asked(&self) -> (&'static str, u64) {
        let matches = self.matches();
        match self.length {
            Length::Rounds(rounds) => ("rounds", rounds),
            Length::Matches(_) => ("matches", matches.end - matches.start),
        }
    }

    /// Returns the numbers of the matches to play. For a run of N rounds the range has N matches,
    /// since no such run needs more.
    pub(super) fn matches(&self) -> Range<u64> {
        let most = match self.length {
            Length::Rounds(rounds) => rounds,
            Length::Matches(matches) => matches,
        };
        Shard::games(self.shard, most)
    }

    /// Returns the numbers of the batches that contain the matches to play.
    pub(super) fn batches(&self) -> Range<u64> {
        let matches = self.matches();
        // Batch numbers do not depend on the shard; the first and last batch of a shard may be
        // partial.
        matches.start / MATCHES_PER_BATCH..matches.end.div_ceil(MATCHES_PER_BATCH)
    }

    /// Returns the distinct pairs of declarer and player, in order of first appearance.
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

    /// Returns the index into [`Self::kinds`] for each seat.
    #[must_use]
    pub fn kind_of_seats(&self) -> [usize; SEATS] {
        let kinds = self.kinds();
        self.seats.map(|seat| kinds.iter().position(|kind| *kind == seat).unwrap_or(0))
    }

    /// Returns the configuration in the form of `run.json`.
    #[must_use]
    pub fn entry(&self) -> LiapEntry {
        let log = self.log.as_ref();
        LiapEntry {
            game: "liap".to_owned(),
            declarers: self.seats.map(|seat| seat.declarer.to_string()),
            players: self.seats.map(|seat| seat.player.to_string()),
            target: self.rules.target,
            max_rounds: self.rules.max_rounds,
            guard: self.rules.guard,
            rounds: self.length.rounds(),
            matches: self.length.matches(),
            shard: self.shard.map(|shard| shard.to_string()),
            seed: format!("0x{:016x}", self.seed),
            log: log.map(|log| log.format.to_string()),
            logged: log.map(|log| log.selection).filter(|kept| *kept != Selection::default()),
            columns: log.and_then(|log| log.column_names().ok().flatten()),
        }
    }
}
