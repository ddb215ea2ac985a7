//! The checkpoint of a run of one-piece games.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Snapshot;
use crate::record::{
    ConfigEntry, Manifest, Mark, ResumePoint, TableMark, VERSION, settings, shorten,
};

/// The state of a run at one moment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Version of the program; another may play differently.
    pub version: String,
    /// What its command was asked for, as [`crate::record::settings`].
    #[serde(default)]
    pub settings: Value,
    /// What is played.
    pub config: ConfigEntry,
    /// The first game whose rows are not all in every table.
    pub first: u64,
    /// What of each table is to be kept.
    pub tables: Vec<TableMark>,
    /// Games in play that go on from here; the others begin again.
    pub games: Vec<Snapshot>,
}

impl Checkpoint {
    /// The checkpoint from which a complete run goes on to more games, as `longer` says.
    #[must_use]
    pub fn after(complete: &Manifest, longer: ConfigEntry) -> Checkpoint {
        let first = complete.config.games();
        let tables = complete.files.iter().map(|file| TableMark {
            name: file.name.clone(),
            mark: Mark { bytes: file.bytes, rows: file.rows, game: first, of_game: 0 },
            sha256: file.sha256.clone(),
        });
        Checkpoint {
            version: VERSION.to_owned(),
            settings: settings(),
            config: longer,
            first,
            tables: tables.collect(),
            games: Vec::new(),
        }
    }
}

impl ResumePoint for Checkpoint {
    const OF: &'static str = "a run";

    fn version(&self) -> &str {
        &self.version
    }

    fn config(&self) -> Value {
        json!(self.config)
    }

    fn files(&self) -> Vec<String> {
        self.tables.iter().map(|table| table.name.clone()).collect()
    }

    fn take_back(&mut self, marks: &[TableMark]) {
        shorten(&mut self.tables, marks);
        let first = self.tables.iter().map(|table| table.mark.game).min();
        self.first = first.unwrap_or(self.first);
    }
}
