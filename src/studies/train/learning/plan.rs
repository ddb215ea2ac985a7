//! Plan and state of a training by temporal differences.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::controller::{PatternLayout, Patterns};
use crate::error::{Error, Result};
use crate::learn::{Learner, LearnerState, LearningSettings};
use crate::record::{CheckpointState, FileEntry, Kind, checksum};
use crate::sim::ClassicConfig;

/// Name of the method, as in the setting `method`.
pub const TEMPORAL_DIFFERENCES: &str = "td";

/// Largest number of held-out games, whose results are in memory.
const MOST_GAMES: u64 = 10_000_000;

/// Settings of a training by temporal differences.
#[derive(Clone, Debug)]
pub struct LearningPlan {
    /// Settings of learning.
    pub settings: LearningSettings,
    /// Windows whose tables learn.
    pub layout: PatternLayout,
    /// Patterns whose values are the first tables; `None` for equal entries.
    pub start: Option<Patterns>,
    /// Games and the template of the result: a controller without patterns.
    pub config: ClassicConfig,
    /// Numbers after which learning ends.
    pub ends: LearningEnds,
    /// Minimum number of placements between two reports, which are rows of `history.csv`.
    pub report_every: u64,
    /// Number of held-out games, which measure the result.
    pub held_out_games: u64,
}

/// Numbers after which learning ends. Only whole rounds are played, so they are exceeded a little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LearningEnds {
    /// Number of placements of all streams; `None` for no limit.
    pub placements: Option<u64>,
    /// Number of ended games of all streams; `None` for no limit.
    pub games: Option<u64>,
}

impl LearningEnds {
    /// Returns true if learning ends after `placements` and `games`.
    #[must_use]
    pub fn are_reached(&self, placements: u64, games: u64) -> bool {
        self.placements.is_some_and(|limit| placements >= limit)
            || self.games.is_some_and(|limit| games >= limit)
    }

    /// Returns the finished share of the learning, 0 to 1; `None` without limits.
    #[must_use]
    pub fn share(&self, placements: u64, games: u64) -> Option<f64> {
        let share = |done: u64, limit: Option<u64>| Some(done as f64 / limit?.max(1) as f64);
        let shares = [share(placements, self.placements), share(games, self.games)];
        shares.into_iter().flatten().reduce(f64::max).map(|share| share.min(1.0))
    }
}

impl LearningPlan {
    /// Checks the plan and returns a learner before its first round.
    ///
    /// # Errors
    /// [`Error::Config`] naming the setting to change.
    pub fn start(&self) -> Result<Learner> {
        self.config.validate()?;
        let counts = [("report-every", self.report_every), ("held-out-games", self.held_out_games)];
        if let Some((name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(Error::Config(format!("{name} 0: give at least 1")));
        }
        if self.held_out_games > MOST_GAMES {
            let count = self.held_out_games;
            return Err(Error::Config(format!(
                "held-out-games {count}: give at most {MOST_GAMES}"
            )));
        }
        let (settings, config) = (self.settings, self.config.clone());
        Learner::new(settings, config, &self.layout, self.start.as_ref())
    }

    /// Returns the settings that affect the result, as JSON for the training's files. The ends are
    /// left out, since a finished training can be extended.
    #[must_use]
    pub fn entry(&self) -> Value {
        let start = self.start.as_ref().map(|start| checksum(&[&start.to_toml(None)]));
        let mut entry = json!({
            "method": TEMPORAL_DIFFERENCES,
            "windows": self.layout.windows(),
            "start_sha256": start,
            "learning": self.settings,
            "report_every": self.report_every,
            "held_out_games": self.held_out_games,
            "play": self.config,
        });
        if let Some(entry) = entry.as_object_mut() {
            entry.retain(|_, value| !value.is_null());
        }
        entry
    }

    /// Describes the games in words. `comma` separates the parts.
    #[must_use]
    pub fn describe(&self, comma: &str) -> String {
        let ClassicConfig { rules, size, queue, .. } = &self.config;
        format!("{rules} {size}{comma}queue {queue}")
    }
}

/// Describes the windows of `layout` in words, such as `4x4, 3x3`.
#[must_use]
pub fn describe_windows(layout: &PatternLayout) -> String {
    let windows = layout.windows().iter().map(|window| &*window.cells);
    windows.collect::<Vec<_>>().join(", ")
}

/// State of a training by temporal differences.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LearningState {
    /// State of the learner without its tables.
    pub(super) learner: LearnerState,
    /// Number of reports so far.
    pub(super) reports: u64,
    /// File with the tables of the learner; `None` before the first round.
    pub(super) learned: Option<FileEntry>,
}

impl CheckpointState for LearningState {
    const OF: &'static str = "a training by temporal differences";
    const KIND: Kind = Kind::Training;
    type Config = Value;
}
