//! `checkpoint.json`, from where a run goes on that was killed or interrupted.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{PARTIAL, TableMark};
use crate::error::{Error, Result};

/// The file's name.
const NAME: &str = "checkpoint.json";

/// The state of one kind of run at one moment: everything that it needs to go on as if it had never stopped.
pub trait ResumePoint: Serialize + DeserializeOwned {
    /// What it is of, with its article.
    const OF: &'static str;

    /// Version of the program that wrote it; another may play differently.
    fn version(&self) -> &str;

    /// Learns that a run that failed shortened its tables to these marks.
    fn take_back(&mut self, marks: &[TableMark]);

    /// Reads the checkpoint of a folder.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none, it is damaged, or of another version.
    fn read(folder: &Path) -> Result<Self> {
        let (path, shown) = (folder.join(NAME), folder.display());
        let text = fs::read_to_string(&path).map_err(|error| {
            Error::Config(format!(
                "{shown} has no checkpoint to go on from ({error}): only a killed or interrupted run does"
            ))
        })?;
        let point: Self = serde_json::from_str(&text).map_err(|error| {
            let (path, of) = (path.display(), Self::OF);
            Error::Config(format!("{path} is no checkpoint of {of} ({error}): start anew"))
        })?;
        let (begun, this) = (point.version(), env!("CARGO_PKG_VERSION"));
        if begun != this {
            return Err(Error::Config(format!(
                "{shown} was begun by version {begun}, this is {this}: go on with that one, or start anew"
            )));
        }
        Ok(point)
    }

    /// Writes the checkpoint so that there is always a whole one.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(NAME);
        let partial = folder.join(format!("{NAME}{PARTIAL}"));
        let failed = |e: std::io::Error| Error::io("writing", &path, e);
        let text = serde_json::to_string(self).map_err(|e| failed(e.into()))? + "\n";
        let mut file = File::create(&partial).map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&partial, &path).map_err(failed)
    }

    /// At the end of a run: a complete one needs no checkpoint, and that of a run that failed is told how far
    /// tables were shortened. Where it can't be told, there is none any more: a wrong one would lose rows.
    fn settle(folder: &Path, complete: bool, taken_back: &[TableMark]) {
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

/// Whether a folder has a checkpoint of any kind.
#[must_use]
pub fn has_checkpoint(folder: &Path) -> bool {
    folder.join(NAME).exists()
}

/// Removes the checkpoint of a folder, of any kind.
pub fn remove_checkpoint(folder: &Path) {
    let _ = fs::remove_file(folder.join(NAME));
    let _ = fs::remove_file(folder.join(format!("{NAME}{PARTIAL}")));
}

/// Moves the marks of tables that were shortened back to where they end now.
pub fn shorten(tables: &mut [TableMark], marks: &[TableMark]) {
    for table in tables {
        let shorter =
            |other: &&TableMark| other.name == table.name && other.mark.bytes < table.mark.bytes;
        if let Some(other) = marks.iter().find(shorter) {
            table.mark = other.mark;
        }
    }
}
