//! The checkpoint of a run of guideline games, and its `run.json`.

use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::config::{GuidelineConfig, GuidelineEntry};
use crate::record::{
    COMMIT, FileEntry, PROGRAM, ResumePoint, Status, TableMark, VERSION, command_line, cpu_name,
    shorten,
};

/// Where a run that was killed or interrupted goes on: with the first game whose rows are not all in
/// every table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuidelineCheckpoint {
    /// Version of the program; another may play differently.
    pub version: String,
    /// The command line.
    pub command: Vec<String>,
    /// What is played.
    pub config: GuidelineEntry,
    /// What of each table is to be kept.
    pub tables: Vec<TableMark>,
}

impl ResumePoint for GuidelineCheckpoint {
    const OF: &'static str = "a run of guideline games";
    const GAME: Option<&'static str> = Some("guideline");

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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuidelineManifest {
    program: String,
    version: String,
    commit: String,
    /// How the run ended.
    pub status: Status,
    command: Vec<String>,
    config: GuidelineEntry,
    threads: usize,
    simd: String,
    cpu: String,
    started: String,
    finished: String,
    /// Seconds between, of the last part of a run that went on.
    pub elapsed_s: f64,
    /// Whether the run went on from a checkpoint.
    pub resumed: bool,
    /// Games that ended.
    pub games: u64,
    /// Their pieces.
    pub pieces: u64,
    /// Their rows.
    pub lines: u64,
    /// The tables.
    pub files: Vec<FileEntry>,
}

impl GuidelineManifest {
    /// The manifest of a run that has ended; games and files are added.
    pub(super) fn new(
        config: &GuidelineConfig,
        status: Status,
        (started, clock): (SystemTime, Instant),
        resumed: bool,
    ) -> GuidelineManifest {
        let utc = |time| humantime::format_rfc3339_seconds(time).to_string();
        GuidelineManifest {
            program: PROGRAM.to_owned(),
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            status,
            command: command_line(),
            config: config.entry(),
            threads: config.threads,
            simd: config.level.to_string(),
            cpu: cpu_name(),
            started: utc(started),
            finished: utc(SystemTime::now()),
            elapsed_s: clock.elapsed().as_secs_f64(),
            resumed,
            games: 0,
            pieces: 0,
            lines: 0,
            files: Vec::new(),
        }
    }
}
