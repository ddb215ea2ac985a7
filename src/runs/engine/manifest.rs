//! `run.json` of a run of any game.

use std::path::Path;
use std::time::{Instant, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Described;
use crate::error::{Error, Result};
use crate::record::{
    COMMIT, FileEntry, PROGRAM, RunFolder, Status, VERSION, command_line, cpu_name, package,
    publish, read_manifest, utc_time,
};

/// Everything in `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Manifest<G: Described> {
    /// "tetrastat".
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Commit it was built from, or "unknown".
    pub commit: String,
    /// How the run ended.
    pub status: Status,
    /// The command line.
    pub command: Vec<String>,
    /// What was played.
    pub config: G::Entry,
    /// Worker threads.
    pub threads: usize,
    /// Instruction level of the kernels, where the game has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simd: Option<String>,
    /// Processor.
    pub cpu: String,
    /// Start, UTC.
    pub started: String,
    /// End, UTC.
    pub finished: String,
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

impl<G: Described> Manifest<G> {
    /// The manifest of what was played until now, on so many threads at an instruction level; its files are added.
    #[must_use]
    pub fn new(
        (config, totals): (G::Entry, G::Totals),
        (threads, simd): (usize, Option<String>),
        status: Status,
        (started, clock): (SystemTime, Instant),
    ) -> Manifest<G> {
        Manifest {
            program: PROGRAM.to_owned(),
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            status,
            command: command_line(),
            config,
            threads,
            simd,
            cpu: cpu_name(),
            started: utc_time(started),
            finished: utc_time(SystemTime::now()),
            elapsed_s: clock.elapsed().as_secs_f64(),
            resumed: false,
            totals,
            files: Vec::new(),
        }
    }

    /// Completes a folder: `datapackage.json`, and then this as `run.json`.
    ///
    /// # Errors
    /// [`Error::Io`] when they can't be written.
    pub fn publish(&self, folder: &RunFolder) -> Result<()> {
        publish(folder, self, self.package(), &self.files)
    }

    /// Reads the manifest of a run folder.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when it is missing or cannot be read.
    pub fn read(folder: &Path) -> Result<Manifest<G>> {
        read_manifest(&folder.join("run.json"))
    }

    /// A manifest that was read as it is.
    ///
    /// # Errors
    /// [`Error::Config`] when it is of another game, or lacks something.
    pub fn of(manifest: &Value) -> Result<Manifest<G>> {
        serde_json::from_value(manifest.clone())
            .map_err(|error| Error::Config(format!("run.json: {error}: restore it from a copy")))
    }

    /// `datapackage.json` without its tables.
    #[must_use]
    pub fn package(&self) -> Value {
        let [name, title, text] = G::describe(self);
        let mut package = package(&name, &title, &text);
        package["version"] = json!(self.version);
        package["created"] = json!(self.finished);
        let mut sources = vec![json!({ "title": self.program, "version": self.version })];
        sources.extend(G::sources(&self.config));
        package["sources"] = json!(sources);
        package
    }
}
