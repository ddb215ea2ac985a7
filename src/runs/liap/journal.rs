//! A LIAP run's checkpoint and its `run.json`.

use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{LiapConfig, LiapEntry};
use super::tally::Tally;
use crate::record::{
    COMMIT, FileEntry, PROGRAM, ResumePoint, Status, TableMark, VERSION, cpu_name, shorten,
};

/// Where a run that was killed or interrupted goes on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LiapCheckpoint {
    /// Version of the program; another may play differently.
    pub version: String,
    /// The command line.
    pub command: Vec<String>,
    /// What is played.
    pub config: LiapEntry,
    /// Batches of matches that are counted.
    pub batches: u64,
    /// What they came to.
    pub tally: Tally,
    /// What of each table is to be kept.
    pub tables: Vec<TableMark>,
}

impl LiapCheckpoint {
    /// The first batch whose rows are not all in every table.
    pub(super) fn first(&self) -> u64 {
        let marks = self.tables.iter().map(|table| table.mark.game);
        marks.min().unwrap_or(self.batches).min(self.batches)
    }
}

impl ResumePoint for LiapCheckpoint {
    const OF: &'static str = "a LIAP run";
    const GAME: Option<&'static str> = Some("liap");

    fn version(&self) -> &str {
        &self.version
    }

    fn config(&self) -> Value {
        json!(self.config)
    }

    fn files(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    fn take_back(&mut self, marks: &[TableMark]) {
        shorten(&mut self.tables, marks);
    }
}

/// Everything in `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct LiapManifest {
    program: &'static str,
    version: &'static str,
    commit: &'static str,
    /// How the run ended.
    pub status: Status,
    command: Vec<String>,
    config: LiapEntry,
    threads: usize,
    cpu: String,
    started: String,
    finished: String,
    /// Seconds between, of the last part of a run that went on.
    pub elapsed_s: f64,
    /// Whether the run went on from a checkpoint.
    pub resumed: bool,
    /// Matches, the cut one included.
    pub matches: u64,
    /// Rounds.
    pub rounds: u64,
    /// The tables.
    pub files: Vec<FileEntry>,
}

impl LiapManifest {
    /// The manifest of a run that has ended.
    pub(super) fn new(
        config: &LiapConfig,
        command: Vec<String>,
        status: Status,
        tally: &Tally,
        (started, clock): (SystemTime, Instant),
        resumed: bool,
    ) -> LiapManifest {
        let utc = |time| humantime::format_rfc3339_seconds(time).to_string();
        LiapManifest {
            program: PROGRAM,
            version: VERSION,
            commit: COMMIT,
            status,
            command,
            config: config.entry(),
            threads: config.threads,
            cpu: cpu_name(),
            started: utc(started),
            finished: utc(SystemTime::now()),
            elapsed_s: clock.elapsed().as_secs_f64(),
            resumed,
            matches: tally.matches(),
            rounds: tally.rounds,
            files: Vec::new(),
        }
    }
}
