//! `checkpoint.json`, from which a killed or interrupted run is resumed.
//!
//! The file holds a checksum of itself and of the bytes of every table that it continues. A resumed
//! run gives the bytes of an uninterrupted one, or fails.

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
use crate::record::{TableCursor, VERSION};

/// Checkpoint of one kind of run: the complete state from which the run continues as if it had
/// never stopped.
pub trait ResumePoint: Serialize + DeserializeOwned {
    /// Kind of run, with an article, for messages.
    const OF: &'static str;

    /// Name of the manifest that completes the folder.
    const MANIFEST: &'static str = "run.json";
    /// Key of the configuration in the manifest.
    const CONFIG: &'static str = "config";

    /// True if the command has `--force`.
    const HAS_FORCE: bool = true;
    /// Key of the game in the configuration, if there is one.
    const GAME: Option<&'static str> = None;

    /// Returns true if a configuration belongs to this kind of run.
    fn is_of(config: &Value) -> bool {
        config["game"].as_str() == Self::GAME
    }

    /// Returns the version of the program that wrote the checkpoint; another version may play
    /// differently.
    fn version(&self) -> &str;

    /// Returns the configuration as the manifest will state it.
    fn config(&self) -> Value;

    /// Returns the files of the run's tables.
    fn files(&self) -> Vec<String>;

    /// Sets the ends of the tables that a failed run had to shorten.
    fn take_back(&mut self, cursors: &[TableCursor]);

    /// Reads the checkpoint of a folder.
    ///
    /// # Errors
    /// [`Error::Config`] if it is missing, damaged, or of another version or game.
    fn read(folder: &Path) -> Result<Self> {
        let (text, state) = sealed_state(folder)?;
        let is_ours = state.get(Self::CONFIG).is_some_and(Self::is_of);
        serde_json::from_str(&text).ok().filter(|_| is_ours).ok_or_else(|| {
            let (path, of) = (folder.join(CHECKPOINT), Self::OF);
            let path = path.display();
            Error::Config(format!("{path} is no checkpoint of {of}: choose another folder"))
        })
    }

    /// Writes the checkpoint atomically.
    ///
    /// # Errors
    /// [`Error::Io`] if it can't be written.
    fn write(&self, folder: &Path) -> Result<()> {
        let state = serde_json::to_string(self);
        let state = state.map_err(|e| Error::io("writing", folder.join(CHECKPOINT), e.into()))?;
        put(folder, CHECKPOINT, &write_checksum(&state))
    }

    /// Updates the checkpoint at the end of a run. A complete run needs none; a failed one records
    /// the ends of shortened tables. If they can't be recorded, the checkpoint is removed: a wrong
    /// one would lose rows.
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

/// Returns the content of a folder's checkpoint, for any kind of run.
///
/// # Errors
/// The errors of [`ResumePoint::read`].
pub fn checkpoint_state(folder: &Path) -> Result<Value> {
    sealed_state(folder).map(|(_, state)| state)
}

/// Returns the state in a folder's checkpoint, as text and parsed.
fn sealed_state(folder: &Path) -> Result<(String, Value)> {
    let (path, shown) = (folder.join(CHECKPOINT), folder.display());
    let bytes = read_written(&path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Error::Config(format!(
            "{shown} has no checkpoint to go on from: only a killed or interrupted run does"
        )),
        _ => Error::io("reading", &path, error),
    })?;
    let (list, path, remedy) = (&path, path.display(), start_anew(folder));
    let Some(text) = verify_checksum(&bytes) else {
        // Versions before checksums wrote the state alone.
        let what = match bytes.starts_with(br#"{"version""#) {
            true => "was written by an earlier version of the program",
            false => "is damaged: it does not match its checksum",
        };
        return Err(Error::Config(format!("{path} {what}; {remedy}")));
    };
    let state: Value = serde_json::from_str(text).unwrap_or_default();
    check_listed_names(list, &state)?;
    let (begun, this) = (state["version"].as_str(), VERSION);
    if let Some(begun) = begun.filter(|begun| *begun != this) {
        return Err(Error::Config(format!(
            "{shown} was begun by version {begun}, this is {this}: go on with that one, or {remedy}"
        )));
    }
    Ok((text.to_owned(), state))
}

/// Describes how to restart without the damaged files in a folder that the same command can resume.
pub fn start_anew(folder: &Path) -> String {
    format!(
        "restore it from a copy, or remove {} and give the command again, which starts anew",
        folder.display()
    )
}

/// Moves the cursors of shortened tables back to their new ends.
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
