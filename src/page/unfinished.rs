//! Reads a folder of unfinished work: its checkpoint, and the table rows up to the checkpoint.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::facts;
use crate::error::{Error, Result};
use crate::games::resume_command;
use crate::record::{TableCursor, TableFile, checkpoint_state, has_checkpoint, restart_advice};

/// Work that has begun in a folder and is not complete.
pub(super) struct UnfinishedWork {
    state: Value,
    /// Tables, each up to the length in the checkpoint.
    pub(super) tables: Vec<TableFile>,
}

impl UnfinishedWork {
    /// Reads the unfinished work in a folder. Returns `None` if the folder has none.
    ///
    /// # Errors
    /// [`Error::Config`] if the checkpoint is damaged, was written by another version, or belongs
    /// to an unfinished copy of a run.
    pub(super) fn read(folder: &Path) -> Result<Option<UnfinishedWork>> {
        if !has_checkpoint(folder)? {
            return Ok(None);
        }
        let state = checkpoint_state(folder)?;
        if state["state"]["files"].is_array() {
            return Err(Error::Config(format!(
                "{} is an unfinished copy of a run: give its command again to complete it, \
                 then view it",
                folder.display()
            )));
        }
        let cursors: Vec<TableCursor> = serde_json::from_value(state["tables"].clone())
            .map_err(|error| unknown(folder, &error.to_string()))?;
        let tables = cursors
            .iter()
            .map(|cursor| TableFile::at_cursor(folder, cursor))
            .collect::<Result<Vec<_>>>()?;
        let is_open = tables.iter().any(|table| !table.path().ends_with(table.name()));
        Ok(is_open.then_some(UnfinishedWork { state, tables }))
    }

    /// Returns a sentence with the command that resumes the work.
    pub(super) fn resume_sentence(&self, folder: &Path) -> String {
        resume_sentence(&self.state, folder)
    }

    /// Returns the configuration of the work.
    pub(super) fn config(&self) -> &Value {
        &self.state["config"]
    }

    pub(super) fn is_training(&self) -> bool {
        self.state["kind"] == "training"
    }

    pub(super) fn is_estimate(&self) -> bool {
        self.state["kind"] == "estimate"
    }

    /// Returns a manifest of the facts that the checkpoint has: version and configuration.
    pub(super) fn manifest(&self) -> Value {
        let keys = ["version", "config"];
        let entry = |key: &str| Some((key.to_owned(), self.state.get(key)?.clone()));
        let known: Map<String, Value> = keys.into_iter().filter_map(entry).collect();
        json!(known)
    }

    pub(super) fn facts(&self) -> Vec<(String, Vec<(String, String)>)> {
        facts::facts(&self.manifest())
    }

    /// Returns the table with one row per game or match, or `None` if the work has no such table.
    pub(super) fn results(&self) -> Option<&TableFile> {
        self.tables.iter().find(|table| ["games", "matches"].contains(&table.table()))
    }

    /// Describes the progress of the work, for example `37 of 200 games`.
    pub(super) fn progress(&self) -> String {
        match (self.results().or(self.tables.first()), self.is_training()) {
            (None, _) => "nothing yet".to_owned(),
            (Some(table), true) => format!("{} generations", table.rows().unwrap_or_default()),
            (Some(table), false) => {
                progress(table.table(), table.rows().unwrap_or_default(), self.config())
            }
        }
    }
}

/// Describes the progress of a run, for example `37 of 200 games`. `rows` is the number of finished
/// `units`, which are `games` or `matches`.
pub(super) fn progress(units: &str, rows: u64, config: &Value) -> String {
    // A shard plays fewer units than the configuration of the whole run says.
    let all = config[units].as_u64().filter(|_| config["shard"].is_null());
    all.map_or_else(|| format!("{rows} {units}"), |all| format!("{rows} of {all} {units}"))
}

/// Returns a sentence with the command that resumes the work in `folder`. `state` is the content of
/// the checkpoint, which has the command's settings.
pub(super) fn resume_sentence(state: &Value, folder: &Path) -> String {
    match resume_command(&state["settings"], folder) {
        Some(command) => format!("To resume: tetrastat {command}"),
        None => "The command that started it resumes it.".to_owned(),
    }
}

fn unknown(folder: &Path, problem: &str) -> Error {
    let (shown, remedy) = (folder.display(), restart_advice(folder));
    Error::Config(format!("the checkpoint in {shown} is not understood ({problem}): {remedy}"))
}
