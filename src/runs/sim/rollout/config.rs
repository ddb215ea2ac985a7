//! Defines the configuration of rollouts: boards, number of games, and player.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::setting::{
    EVERY, GARBAGE_EVERY, MAX_REPLICATES, PRECISION, QUEUE, REGRET, REPLICATES, SEARCH,
};
use crate::error::{Error, Result};
use crate::record::{LoggedBoard, LoggedBoards, Shard};
use crate::rules::Garbage;
use crate::search::Search;
use crate::sim::ClassicConfig;

/// Largest number of games from each board or after each candidate.
pub const MOST_REPLICATES: u64 = 1_000_000;

/// Configuration of rollouts from the boards of a log.
#[derive(Clone, Debug)]
pub struct RolloutConfig {
    /// Configuration of the player's games: `games` is the number of boards, and the limit of
    /// pieces cuts each game off (the horizon).
    pub play: ClassicConfig,
    /// Boards from the log.
    pub boards: Arc<[LoggedBoard]>,
    /// SHA-256 of the log, in hexadecimal.
    pub log_sha256: String,
    /// Distance between sampled placements of the log: one board per `every` placements.
    pub every: u64,
    /// Number of games from each board, and from each candidate placement if `candidates` is set.
    pub replicates: u64,
    /// Number of games from a candidate that may have the most lines of its board. The games of all
    /// other candidates end earlier. As many other games decide which candidates these are, and
    /// enter no result. `replicates` gives all candidates the same number of games, without others.
    pub max_replicates: u64,
    /// Relative standard error of the lines at which the games of a candidate end; `None` to stop
    /// only at `max_replicates`.
    pub precision: Option<f64>,
    /// True if games are also played from each candidate: each legal placement of a board's next
    /// piece.
    pub candidates: bool,
    /// Number of the condition of a data set that the log belongs to, and the seed of the
    /// condition's games. If set, the run writes the table `labels` and plays games only after
    /// candidates, not from the boards before them.
    pub labels_of: Option<(u64, u64)>,
}

/// Configuration of rollouts as stored in `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RolloutEntry {
    game: String,
    log_sha256: String,
    every: u64,
    /// Number of boards of all shards together.
    pub boards: u64,
    /// Number of games from each board.
    pub replicates: u64,
    /// Number of games from a candidate that may be the best; `None` if all candidates have
    /// `replicates` games.
    max_replicates: Option<u64>,
    precision: Option<f64>,
    /// Number of pieces after which a game is cut off.
    pub horizon: u64,
    candidates: bool,
    /// Number of the condition of a data set, whose candidates are written as `labels`.
    condition: Option<u64>,
    shard: Option<Shard>,
    pub(super) play: ClassicConfig,
}

impl RolloutConfig {
    /// Value of the key `game` in the configuration of rollouts.
    pub const GAME: &str = "rollout";

    /// Creates a configuration that plays `replicates` games from each board of `logged`, without
    /// games from candidates. The boards were sampled from a log, one per `every` placements.
    /// `play` gives the player and the horizon: the limit of pieces, at which a game is cut off.
    #[must_use]
    pub fn new(
        play: ClassicConfig,
        logged: LoggedBoards,
        every: u64,
        replicates: u64,
    ) -> RolloutConfig {
        // Games continue from the boards of a log. Rows that enter are kept, and refused later.
        let garbage = Garbage { rows: 0, messiness: None, ..play.garbage };
        let config = RolloutConfig {
            play: ClassicConfig { start: None, garbage, ..play },
            boards: Arc::default(),
            log_sha256: String::new(),
            every,
            replicates,
            max_replicates: replicates,
            precision: None,
            candidates: false,
            labels_of: None,
        };
        config.with_boards(logged)
    }

    /// Returns this configuration with the boards of another log, `logged`.
    #[must_use]
    pub fn with_boards(mut self, logged: LoggedBoards) -> RolloutConfig {
        self.play.games = logged.boards.len() as u64;
        (self.boards, self.log_sha256) = (logged.boards.into(), logged.sha256);
        self
    }

    /// Checks the boards and the settings.
    ///
    /// # Errors
    /// [`Error::Config`] naming the setting to change.
    pub fn validate(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        if self.boards.is_empty() {
            return fail(&format!("the log has no board to continue from: give a smaller {EVERY}"));
        }
        if self.candidates && self.boards.iter().all(|board| board.next.is_none()) {
            return fail(&format!(
                "{REGRET} needs the piece that came next, which a log with {EVERY} lacks: log \
                 every placement"
            ));
        }
        self.validate_settings()
    }

    /// Checks the settings that do not depend on the boards.
    ///
    /// # Errors
    /// [`Error::Config`] naming the setting to change.
    pub fn validate_settings(&self) -> Result<()> {
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        if self.play.garbage.every.is_some() {
            return fail(&format!(
                "the boards of a log do not show the garbage rows that enter: label games without \
                 {GARBAGE_EVERY}"
            ));
        }
        if self.replicates < 2 {
            return fail(&format!(
                "replicates {}: an interval needs at least 2, for example {REPLICATES} 100",
                self.replicates
            ));
        }
        if self.max_replicates > MOST_REPLICATES {
            return fail(&format!(
                "{REPLICATES} or {MAX_REPLICATES} {}: give at most {MOST_REPLICATES}",
                self.max_replicates
            ));
        }
        if self.max_replicates < self.replicates {
            return fail(&format!(
                "{MAX_REPLICATES} {} is less than {REPLICATES} {}: give a greater one",
                self.max_replicates, self.replicates
            ));
        }
        if self.precision.is_some_and(|precision| !(0.0..1.0).contains(&precision)) {
            return fail(&format!(
                "{PRECISION} is a share of the mean lines: give 0.03, for example"
            ));
        }
        if !self.play.queue.is_random() {
            return fail(&format!(
                "the run's queue deals all games the same pieces: give another, for example \
                 {QUEUE} uniform"
            ));
        }
        if self.candidates && self.play.search == Search::Next {
            let what = self.labels_of.map_or(REGRET.to_string(), |_| "a label".to_owned());
            return fail(&format!(
                "{what} decides without knowing the next piece: give {SEARCH} greedy or expect"
            ));
        }
        // The number of games is that of the boards, which may not be known yet.
        ClassicConfig { games: self.play.games.max(1), ..self.play.clone() }.validate()
    }

    /// Returns the configuration as stored in `run.json`.
    #[must_use]
    pub fn entry(&self) -> RolloutEntry {
        let play = ClassicConfig { shard: None, ..self.play.clone() };
        RolloutEntry {
            game: RolloutConfig::GAME.to_owned(),
            log_sha256: self.log_sha256.clone(),
            every: self.every,
            boards: self.play.games,
            replicates: self.replicates,
            max_replicates: Some(self.max_replicates).filter(|max| *max != self.replicates),
            precision: self.precision,
            horizon: self.play.limits.pieces.unwrap_or_default(),
            candidates: self.candidates,
            condition: self.labels_of.map(|(condition, _)| condition),
            shard: self.play.shard,
            play,
        }
    }
}
