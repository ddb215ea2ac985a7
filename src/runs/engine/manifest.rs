//! Reads and writes `run.json` for runs of any game.

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

/// Contents of `run.json`, the description of a run in its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Manifest<J: Described> {
    /// Name of the program, "tetrastat".
    pub program: String,
    /// Version of the program.
    pub version: String,
    /// Commit from which the program was built, or "unknown".
    pub commit: String,
    /// Final status of the run.
    pub status: Status,
    /// Command line of the run.
    pub command: Vec<String>,
    /// Configuration of the run.
    pub config: J::Entry,
    /// Number of worker threads.
    pub threads: usize,
    /// Instruction level of the kernels; `None` if the game has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simd: Option<String>,
    /// Name of the processor.
    pub cpu: String,
    /// Start time, UTC.
    pub started: String,
    /// End time, UTC.
    pub finished: String,
    /// Number of seconds between start and end; for a resumed run, since the last resume.
    pub elapsed_s: f64,
    /// True if the run was resumed from a checkpoint.
    pub resumed: bool,
    /// Totals of the games played.
    #[serde(flatten)]
    pub totals: J::Totals,
    /// Summary of the games played; `None` without games.
    #[serde(default = "Option::default", skip_serializing_if = "Option::is_none")]
    pub summary: Option<J::Summary>,
    /// Files of the run's tables, with their sizes and checksums.
    pub files: Vec<FileEntry>,
}

/// Returns the name of the game that was played in `folder`; empty if `run.json` names none.
///
/// # Errors
/// [`Error::Io`] or [`Error::Config`] if `run.json` is missing or cannot be read.
pub fn game_of(folder: &Path) -> Result<String> {
    let manifest: Value = read_manifest(&folder.join("run.json"))?;
    Ok(manifest["config"]["game"].as_str().unwrap_or_default().to_owned())
}

impl<J: Described> Manifest<J> {
    /// Creates the manifest of a run that ends now. `threads` is the number of worker threads,
    /// `simd` the instruction level. The start is given as a date (`started`) and on a monotonic
    /// clock (`clock`). The summary and the list of files are empty and must be set later.
    #[must_use]
    pub fn new(
        (config, totals): (J::Entry, J::Totals),
        (threads, simd): (usize, Option<String>),
        status: Status,
        (started, clock): (SystemTime, Instant),
    ) -> Manifest<J> {
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
            summary: None,
            files: Vec::new(),
        }
    }

    /// Writes `datapackage.json` and then `run.json`. A folder with `run.json` is complete.
    ///
    /// # Errors
    /// [`Error::Io`] if the files can't be written.
    pub fn publish(&self, folder: &RunFolder) -> Result<()> {
        publish(folder, self, self.package(), &self.files)
    }

    /// Reads `run.json` from a run's folder.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] if it is missing or cannot be
    /// read.
    pub fn read(folder: &Path) -> Result<Manifest<J>> {
        read_manifest(&folder.join("run.json"))
    }

    /// Parses a manifest from the JSON of `run.json`.
    ///
    /// # Errors
    /// [`Error::Config`] if the JSON belongs to another game or lacks an entry.
    pub fn of(manifest: &Value) -> Result<Manifest<J>> {
        serde_json::from_value(manifest.clone())
            .map_err(|error| Error::Config(format!("run.json: {error}: use its game's command")))
    }

    /// Returns the contents of `datapackage.json`, without the list of tables.
    #[must_use]
    pub fn package(&self) -> Value {
        let [name, title, text] = J::describe(self);
        let mut package = package(&name, &title, &text);
        package["version"] = json!(self.version);
        package["created"] = json!(self.finished);
        let mut sources = vec![json!({ "title": self.program, "version": self.version })];
        sources.extend(J::sources(&self.config));
        package["sources"] = json!(sources);
        package
    }
}
