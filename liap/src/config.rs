//! What a LIAP run plays.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::batch::MATCHES;
use super::contest::{LONGEST, MatchRules};
use super::round::{SEATS, Seat};
use crate::engine::CHECKPOINT_EVERY;
use crate::error::setting::{MATCHES as BY_MATCHES, MAX_ROUNDS, ROUNDS, THREADS};
use crate::error::{Error, Result};
use crate::record::{Selection, Shard, not_as_written, read_manifest, recorded_seed};
use crate::tables::LiapLog;

/// Rounds of one run, so that all that is counted of them stays far below 2^63.
pub(super) const MOST_ROUNDS: u64 = 1_000_000_000_000_000;

/// Matches of one run, for the same reason.
const MOST_MATCHES: u64 = MOST_ROUNDS / LONGEST as u64;

/// What ends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many rounds, exactly: the last match is cut when they are played.
    Rounds(u64),
    /// So many matches, each played to its end: of these a run can be sharded.
    Matches(u64),
}

impl Length {
    /// Rounds, if they end a run.
    #[must_use]
    pub fn rounds(self) -> Option<u64> {
        match self {
            Length::Rounds(rounds) => Some(rounds),
            Length::Matches(_) => None,
        }
    }

    /// Matches, if they end a run.
    #[must_use]
    pub fn matches(self) -> Option<u64> {
        match self {
            Length::Rounds(_) => None,
            Length::Matches(matches) => Some(matches),
        }
    }
}

/// Rounds of one table of four.
#[derive(Clone, Debug)]
pub struct LiapConfig {
    /// Who sits where.
    pub seats: [Seat; SEATS],
    /// How matches are played.
    pub rules: MatchRules,
    /// What ends the run, all shards together.
    pub length: Length,
    /// The part of the matches to play; all when `None`.
    pub shard: Option<Shard>,
    /// The seed that every stream derives from.
    pub seed: u64,
    /// What is logged of declarations and rounds, if they are.
    pub log: Option<LiapLog>,
    /// Worker threads.
    pub threads: usize,
    /// Time between two checkpoints.
    pub checkpoint_every: Duration,
}

/// A configuration as files have it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiapEntry {
    game: String,
    declarers: [String; SEATS],
    players: [String; SEATS],
    target: i32,
    max_rounds: Option<u32>,
    guard: bool,
    /// Rounds, of a run that ends by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rounds: Option<u64>,
    /// Matches of all shards together, of a run that ends by them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) matches: Option<u64>,
    /// The part of the matches that was played; all when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shard: Option<String>,
    pub(super) seed: String,
    pub(super) log: Option<String>,
    /// Which declarations are logged, when they are not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) logged: Option<Selection>,
    /// Columns of the declarations, when they are not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<String>>,
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

    /// Whether the run is the beginning of another: the same, with fewer matches, and only those.
    pub(super) fn begins(&self, longer: &LiapEntry) -> bool {
        let alike = LiapEntry { matches: longer.matches, ..self.clone() };
        let whole = self.shard.is_none() && self.log.is_none();
        whole && self.matches.is_some() && self.matches < longer.matches && alike == *longer
    }

    /// The configuration, nothing logged.
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

/// What a LIAP run played, nothing logged.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] when its `run.json` can't be read or says what no run can be.
pub fn read_liap_config(folder: &Path) -> Result<LiapConfig> {
    #[derive(Deserialize)]
    struct Recorded {
        config: LiapEntry,
    }
    let path = folder.join("run.json");
    let Recorded { config } = read_manifest(&path)?;
    let config = config.config().and_then(|config| config.validate().map(|()| config));
    config.map_err(|error| not_as_written(&path, &error))
}

impl LiapConfig {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// [`Error::Config`] naming the setting to change.
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
                if !(1..=LONGEST).contains(most) =>
            {
                fail(&format!(
                    "matches have 1 to 1000 rounds: give {MAX_ROUNDS} so many, or none for 1000"
                ))
            }
            _ => Ok(()),
        }
    }

    /// Checks the length of the run, which its game decides.
    fn check_length(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        match self.length {
            Length::Rounds(0) => {
                fail(&format!("rounds 0: play at least one, for example {ROUNDS} 1000"))
            }
            Length::Matches(0) => {
                fail(&format!("matches 0: play at least one, for example {BY_MATCHES} 100"))
            }
            Length::Rounds(rounds) if rounds > MOST_ROUNDS => {
                Err(Error::Config(format!("rounds {rounds}: give at most {MOST_ROUNDS}")))
            }
            Length::Matches(matches) if matches > MOST_MATCHES => {
                Err(Error::Config(format!("matches {matches}: give at most {MOST_MATCHES}")))
            }
            Length::Rounds(_) if self.shard.is_some() => fail(&format!(
                "rounds have no shards, since where the last match is cut depends on all matches before it: give {BY_MATCHES} instead of {ROUNDS}"
            )),
            Length::Matches(matches) => Shard::check(self.shard, matches),
            Length::Rounds(_) => Ok(()),
        }
    }

    /// What is counted of the run for those who look on, and how much of it is asked for.
    #[must_use]
    pub fn asked(&self) -> (&'static str, u64) {
        let matches = self.matches();
        match self.length {
            Length::Rounds(rounds) => ("rounds", rounds),
            Length::Matches(_) => ("matches", matches.end - matches.start),
        }
    }

    /// Returns the numbers of the matches to play. A run that ends by its rounds plays fewer matches than it has rounds.
    pub(super) fn matches(&self) -> Range<u64> {
        let most = match self.length {
            Length::Rounds(rounds) => rounds,
            Length::Matches(matches) => matches,
        };
        Shard::games(self.shard, most)
    }

    /// Numbers of the batches that hold them.
    pub(super) fn batches(&self) -> Range<u64> {
        let matches = self.matches();
        // Batches have the same numbers in every shard; the first and the last may be cut.
        matches.start / MATCHES..matches.end.div_ceil(MATCHES)
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
