//! `run.json` of a run of any game.

use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::Game;
use crate::record::{COMMIT, FileEntry, PROGRAM, Status, VERSION, command_line, cpu_name};

/// Everything in `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Manifest<G: Game> {
    program: String,
    version: String,
    commit: String,
    /// How the run ended.
    pub status: Status,
    command: Vec<String>,
    config: G::Entry,
    threads: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    simd: Option<String>,
    cpu: String,
    started: String,
    finished: String,
    /// Seconds between, of the last part of a run that went on.
    pub elapsed_s: f64,
    /// Whether the run went on from a checkpoint.
    pub resumed: bool,
    /// What was played.
    #[serde(flatten)]
    pub totals: G::Totals,
    /// The tables.
    pub files: Vec<FileEntry>,
}

impl<G: Game> Manifest<G> {
    /// The manifest of a run that ends now; its files are added.
    pub(super) fn new(
        game: &G,
        count: &G::Count,
        status: Status,
        (started, clock): (SystemTime, Instant),
        resumed: bool,
    ) -> Manifest<G> {
        let utc = |time| humantime::format_rfc3339_seconds(time).to_string();
        Manifest {
            program: PROGRAM.to_owned(),
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            status,
            command: command_line(),
            config: game.entry(),
            threads: game.threads(),
            simd: game.level(),
            cpu: cpu_name(),
            started: utc(started),
            finished: utc(SystemTime::now()),
            elapsed_s: clock.elapsed().as_secs_f64(),
            resumed,
            totals: G::totals(count),
            files: Vec::new(),
        }
    }

    /// Name, title and description of the data package.
    #[must_use]
    pub fn described(&self) -> [String; 3] {
        G::describe(&self.config, &self.totals, &self.status)
    }
}
