//! `checkpoint.json`, from which a killed or interrupted run is resumed.
//!
//! The file contains a checksum of itself, and one of the bytes of every table that the run
//! continues. A resumed run writes the same bytes as an uninterrupted one, or fails.

use std::io::ErrorKind;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::files::read_written;
use crate::record::folder::checksum::{verify_checksum, write_checksum};
use crate::record::folder::listed::check_listed_names;
use crate::record::folder::{CHECKPOINT, put, remove_checkpoint};
use crate::record::{Kind, TableCursor, VERSION};

/// Checkpoint of one kind of run: the complete state from which the run continues as if it had
/// never stopped.
pub trait ResumePoint: Serialize + DeserializeOwned {
    /// Kind of run with an article, such as "a copy of a run", for messages.
    const OF: &'static str;

    /// Kind of work, as stored in `run.json`.
    const KIND: Kind;

    /// True if the command that writes such a run has the option `--force`.
    const HAS_FORCE: bool = true;

    /// Returns true if `state`, the content of a checkpoint, belongs to this kind of run.
    fn is_of(state: &Value) -> bool;

    /// Returns the version of the program that wrote the checkpoint; another version may play
    /// differently.
    fn version(&self) -> &str;

    /// Returns the configuration in the form that the manifest will contain.
    fn config(&self) -> Value;

    /// Returns the names of the run's table files.
    fn files(&self) -> Vec<String>;

    /// Sets the recorded positions of tables that a failed run had to shorten to `cursors`.
    fn take_back(&mut self, cursors: &[TableCursor]);

    /// Reads the checkpoint in `folder`.
    ///
    /// # Errors
    /// [`Error::Config`] if it is missing, damaged, or of another version or game.
    fn read(folder: &Path) -> Result<Self> {
        let (text, state) = read_checked_state(folder)?;
        let is_ours = Self::is_of(&state);
        serde_json::from_str(&text).ok().filter(|_| is_ours).ok_or_else(|| {
            let (path, of) = (folder.join(CHECKPOINT), Self::OF);
            let path = path.display();
            Error::Config(format!("{path} is no checkpoint of {of}: choose another folder"))
        })
    }

    /// Writes the checkpoint into `folder` atomically.
    ///
    /// # Errors
    /// [`Error::Io`] if it can't be written.
    fn write(&self, folder: &Path) -> Result<()> {
        let state = serde_json::to_string(self);
        let state = state.map_err(|e| Error::io("writing", folder.join(CHECKPOINT), e.into()))?;
        put(folder, CHECKPOINT, write_checksum(&state).as_bytes())
    }

    /// Updates the checkpoint at the end of a run. A complete run needs no checkpoint, so it is
    /// removed. After a failure, the new ends `taken_back` of shortened tables are recorded. If
    /// they can't be recorded, the checkpoint is removed: a wrong one would lose rows.
    fn settle(folder: &Path, complete: bool, taken_back: &[TableCursor]) {
        let tell = || {
            let mut point = Self::read(folder)?;
            point.take_back(taken_back);
            point.write(folder)
        };
        if complete || (!taken_back.is_empty() && tell().is_err()) {
            remove_checkpoint(folder);
        }
    }
}

/// Returns the state in a folder's checkpoint, for any kind of run.
///
/// # Errors
/// The errors of [`ResumePoint::read`].
pub fn checkpoint_state(folder: &Path) -> Result<Value> {
    read_checked_state(folder).map(|(_, state)| state)
}

/// Returns the state in a folder's checkpoint, as text and parsed.
fn read_checked_state(folder: &Path) -> Result<(String, Value)> {
    let (path, shown) = (folder.join(CHECKPOINT), folder.display());
    let bytes = read_written(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Error::Config(format!(
            "{shown} has no checkpoint to resume from: only a killed or interrupted run has one"
        )),
        _ => Error::io("reading", &path, error),
    })?;
    let (list, path, remedy) = (&path, path.display(), start_anew(folder));
    let text = verify_checksum(&bytes).ok_or_else(|| {
        let what = "is damaged: it does not match its checksum";
        Error::Config(format!("{path} {what}; {remedy}"))
    })?;
    let state: Value = serde_json::from_str(text).unwrap_or_default();
    check_listed_names(list, &state)?;
    let (begun, this) = (state["version"].as_str(), VERSION);
    if let Some(begun) = begun.filter(|begun| *begun != this) {
        return Err(Error::Config(format!(
            "{shown} was started by version {begun}, this is {this}: resume it with that version, \
             or {remedy}"
        )));
    }
    Ok((text.to_owned(), state))
}

/// Returns advice for damaged files in a folder that the same command can resume: restore the
/// files, or remove the folder and start anew.
pub fn start_anew(folder: &Path) -> String {
    format!(
        "restore it from a copy, or remove {} and give the command again to start a new run",
        folder.display()
    )
}

/// Moves each position in `tables` back to that of the same table in `cursors`, if the latter is
/// earlier in the file.
pub fn shorten(tables: &mut [TableCursor], cursors: &[TableCursor]) {
    for table in tables {
        let shorter = |other: &&TableCursor| {
            other.name == table.name && other.cursor.bytes < table.cursor.bytes
        };
        if let Some(other) = cursors.iter().find(shorter) {
            table.clone_from(other);
        }
    }
}
