//! `checkpoint.json`: where a run that is killed goes on.

use std::fs::{self, File};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{ConfigEntry, Manifest, Mark, PARTIAL};
use crate::error::{Error, Result};
use crate::sim::Snapshot;

/// The file's name.
const NAME: &str = "checkpoint.json";

/// The state of a run at one moment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Version of the program; another may play differently.
    pub version: String,
    /// The command line.
    pub command: Vec<String>,
    /// What is played.
    pub config: ConfigEntry,
    /// The first game whose rows are not all in every table.
    pub first: u64,
    /// What of each table is to be kept.
    pub tables: Vec<TableMark>,
    /// Games in play that go on from here; the others begin again.
    pub games: Vec<Snapshot>,
}

/// How far a table has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableMark {
    /// The table's file, without the ending of unfinished ones.
    pub name: String,
    /// How far that is.
    #[serde(flatten)]
    pub mark: Mark,
}

impl Checkpoint {
    /// Reads the checkpoint of a run folder.
    ///
    /// # Errors
    /// [`Error::Config`] when there is none, it is damaged, or of another version.
    pub fn read(folder: &Path) -> Result<Checkpoint> {
        let path = folder.join(NAME);
        let text = fs::read_to_string(&path).map_err(|error| {
            let folder = folder.display();
            Error::Config(format!(
                "{folder} has no checkpoint to go on from ({error}): only a killed or interrupted run does"
            ))
        })?;
        let checkpoint: Checkpoint = serde_json::from_str(&text).map_err(|error| {
            Error::Config(format!("{}: {error}: start the run anew", path.display()))
        })?;
        let (begun, this) = (&checkpoint.version, env!("CARGO_PKG_VERSION"));
        if begun != this {
            let folder = folder.display();
            let text = format!(
                "{folder} was begun by version {begun}, this is {this}: go on with that one, or start anew"
            );
            return Err(Error::Config(text));
        }
        Ok(checkpoint)
    }

    /// The checkpoint from which a complete run goes on to more games, as `longer` says.
    #[must_use]
    pub fn after(complete: &Manifest, longer: ConfigEntry) -> Checkpoint {
        let first = complete.config.games();
        let tables = complete.files.iter().map(|file| TableMark {
            name: file.name.clone(),
            mark: Mark { bytes: file.bytes, rows: file.rows, game: first, of_game: 0 },
        });
        Checkpoint {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            command: std::env::args().collect(),
            config: longer,
            first,
            tables: tables.collect(),
            games: Vec::new(),
        }
    }

    /// Whether a folder has one.
    #[must_use]
    pub fn is_in(folder: &Path) -> bool {
        folder.join(NAME).exists()
    }

    /// Writes the checkpoint so that there is always a whole one.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(NAME);
        let partial = folder.join(format!("{NAME}{PARTIAL}"));
        let failed = |e: std::io::Error| Error::io("writing", &path, e);
        let mut file = File::create(&partial).map_err(failed)?;
        serde_json::to_writer(&mut file, self).map_err(|e| failed(e.into()))?;
        file.sync_all().map_err(failed)?;
        fs::rename(&partial, &path).map_err(failed)
    }

    /// Tells the checkpoint of a run that failed that tables were shortened to these marks. Where it can't be
    /// told, there is none any more: a wrong one would lose rows.
    pub fn take_back(folder: &Path, marks: &[TableMark]) {
        let told = Checkpoint::read(folder).and_then(|mut checkpoint| {
            for table in &mut checkpoint.tables {
                let shorter = |other: &&TableMark| {
                    other.name == table.name && other.mark.bytes < table.mark.bytes
                };
                if let Some(other) = marks.iter().find(shorter) {
                    table.mark = other.mark;
                }
            }
            let first = checkpoint.tables.iter().map(|table| table.mark.game).min();
            checkpoint.first = first.unwrap_or(checkpoint.first);
            checkpoint.write(folder)
        });
        if told.is_err() {
            Checkpoint::remove(folder);
        }
    }

    /// Removes the checkpoint of a run that is complete.
    pub fn remove(folder: &Path) {
        let _ = fs::remove_file(folder.join(NAME));
        let _ = fs::remove_file(folder.join(format!("{NAME}{PARTIAL}")));
    }
}
