//! `run.json` of a run of guideline games.

use std::time::{Instant, SystemTime};

use serde::Serialize;

use super::config::{GuidelineConfig, GuidelineEntry};
use crate::record::{FileEntry, Status, cpu_name};

/// Everything in `run.json`.
#[derive(Clone, Debug, Serialize)]
pub struct GuidelineManifest {
    program: &'static str,
    version: &'static str,
    commit: &'static str,
    /// How the run ended.
    pub status: Status,
    command: Vec<String>,
    config: GuidelineEntry,
    threads: usize,
    simd: String,
    cpu: String,
    started: String,
    finished: String,
    /// Seconds between.
    pub elapsed_s: f64,
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
    ) -> GuidelineManifest {
        let utc = |time| humantime::format_rfc3339_seconds(time).to_string();
        GuidelineManifest {
            program: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
            commit: env!("TETRASTAT_COMMIT"),
            status,
            command: std::env::args().collect(),
            config: config.entry(),
            threads: config.threads,
            simd: config.level.to_string(),
            cpu: cpu_name(),
            started: utc(started),
            finished: utc(SystemTime::now()),
            elapsed_s: clock.elapsed().as_secs_f64(),
            games: 0,
            pieces: 0,
            lines: 0,
            files: Vec::new(),
        }
    }
}
