//! Reads and writes `run.json` for runs of any game.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Described;
use crate::error::{Error, Result};
use crate::record::{FileEntry, Kind, Provenance, Status, package, read_manifest, read_run};

/// Contents of `run.json`, the description of a run in its folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Manifest<J: Described> {
    /// Program, machine and times of the run.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Kind of work that wrote the folder.
    pub kind: Kind,
    /// Final status of the run.
    pub status: Status,
    /// Configuration of the run.
    pub config: J::Entry,
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
/// The errors of [`read_run`].
pub fn game_of(folder: &Path) -> Result<String> {
    Ok(read_run(folder)?["config"]["game"].as_str().unwrap_or_default().to_owned())
}

impl<J: Described> Manifest<J> {
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
        let Provenance { program, version, finished, .. } = &self.provenance;
        package["version"] = json!(version);
        package["created"] = json!(finished);
        let mut sources = vec![json!({ "title": program, "version": version })];
        sources.extend(J::sources(&self.config));
        package["sources"] = json!(sources);
        package
    }
}
