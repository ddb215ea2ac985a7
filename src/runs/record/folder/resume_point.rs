//! `checkpoint.json`, from where a run goes on that was killed or interrupted.
//!
//! It carries a checksum of itself, and one of the bytes of every table that it builds on: a run goes
//! on to the bytes that it would have had, or not at all.

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

/// The state of one kind of run at one moment: everything that it needs to go on as if it had never stopped.
pub trait ResumePoint: Serialize + DeserializeOwned {
    /// What it is of, with its article.
    const OF: &'static str;

    /// The manifest that completes its folder.
    const MANIFEST: &'static str = "run.json";
    /// What the manifest calls the configuration.
    const CONFIG: &'static str = "config";

    /// Whether its command has `--force`.
    const HAS_FORCE: bool = true;
    /// What the configuration calls its game, if it names one.
    const GAME: Option<&'static str> = None;

    /// Whether a configuration is of this kind of run.
    fn is_of(config: &Value) -> bool {
        config["game"].as_str() == Self::GAME
    }

    /// Version of the program that wrote it; another may play differently.
    fn version(&self) -> &str;

    /// What is played, as the manifest will say it.
    fn config(&self) -> Value;

    /// The files of its tables.
    fn files(&self) -> Vec<String>;

    /// Learns that a run that failed shortened its tables to these cursors.
    fn take_back(&mut self, cursors: &[TableCursor]);

    /// Reads the checkpoint of a folder.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none, it is damaged, or of another version or game.
    fn read(folder: &Path) -> Result<Self> {
        let (text, state) = sealed_state(folder)?;
        let is_ours = state.get(Self::CONFIG).is_some_and(Self::is_of);
        serde_json::from_str(&text).ok().filter(|_| is_ours).ok_or_else(|| {
            let (path, of) = (folder.join(CHECKPOINT), Self::OF);
            let path = path.display();
            Error::Config(format!("{path} is no checkpoint of {of}: choose another folder"))
        })
    }

    /// Writes the checkpoint so that there is always a whole one.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    fn write(&self, folder: &Path) -> Result<()> {
        let state = serde_json::to_string(self);
        let state = state.map_err(|e| Error::io("writing", folder.join(CHECKPOINT), e.into()))?;
        put(folder, CHECKPOINT, &write_checksum(&state))
    }

    /// At the end of a run: a complete one needs no checkpoint, and that of a run that failed is told how far
    /// tables were shortened. Where it can't be told, there is none any more: a wrong one would lose rows.
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

/// What the checkpoint of a folder says, of whatever kind of run.
///
/// # Errors
/// As [`ResumePoint::read`].
pub fn checkpoint_state(folder: &Path) -> Result<Value> {
    sealed_state(folder).map(|(_, state)| state)
}

/// The state in the checkpoint of a folder, as text and read.
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
        // A version before checksums wrote the bare state.
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

/// How to go on without what is damaged, in a folder where the same command goes on.
pub fn start_anew(folder: &Path) -> String {
    format!(
        "restore it from a copy, or remove {} and give the command again, which starts anew",
        folder.display()
    )
}

/// Moves the cursors of tables that were shortened back to where they end now.
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
