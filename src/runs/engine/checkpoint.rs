//! Where a run that was killed or interrupted goes on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Game, Manifest};
use crate::error::Result;
use crate::record::{FileEntry, Mark, ResumePoint, TableMark, VERSION, have_changed, shorten};

/// The state of a run between two units. Units whose rows are not all in every table are played again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Checkpoint<G: Game> {
    /// Version of the program; another may play differently.
    pub version: String,
    /// What its command was asked for, in that command's own form; null when it goes on without.
    #[serde(default)]
    pub settings: Value,
    /// What is played.
    pub config: G::Entry,
    /// What no table has of the units that were counted.
    #[serde(flatten)]
    pub kept: G::Kept,
    /// What of each table is to be kept.
    pub tables: Vec<TableMark>,
    /// Units in play that go on from here; the others begin again.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<G::Open>,
}

impl<G: Game> Checkpoint<G> {
    /// The checkpoint from which a complete run goes on to more units, as `longer` says: from this unit on, of which
    /// the tables have so many rows; `kept` is what no table has of those that were played.
    #[must_use]
    pub fn after(
        complete: &Manifest<G>,
        (game, of_game): (u64, u64),
        longer: &G,
        kept: G::Kept,
    ) -> Checkpoint<G> {
        let mark = |file: &FileEntry| TableMark {
            name: file.name.clone(),
            mark: Mark { bytes: file.bytes, rows: file.rows, game, of_game },
            sha256: file.sha256.clone(),
        };
        Checkpoint {
            version: VERSION.to_owned(),
            settings: Value::Null,
            config: longer.entry(),
            kept,
            tables: complete.files.iter().map(mark).collect(),
            open: Vec::new(),
        }
    }

    /// The units in play, by their numbers.
    pub(super) fn reopened(&self, game: &G) -> Result<BTreeMap<u64, G::Open>> {
        let reopen = |open: &G::Open| {
            let open = game.reopened(open.clone())?;
            Ok((G::number(&open), open))
        };
        self.open.iter().map(reopen).collect()
    }

    /// Makes sure that the checkpoint is of this game.
    pub(super) fn fits(&self, game: &G) -> Result<()> {
        let entry = game.entry();
        if self.config == entry {
            return Ok(());
        }
        Err(have_changed(&json!(self.config), &json!(entry)))
    }

    /// The first unit whose rows are not all in every table, or that is not counted.
    pub(super) fn first(&self, counted: u64) -> u64 {
        let marks = self.tables.iter().map(|table| table.mark.game);
        marks.min().unwrap_or(counted).min(counted)
    }
}

impl<G: Game> ResumePoint for Checkpoint<G> {
    const OF: &'static str = G::OF;
    const GAME: Option<&'static str> = G::NAME;

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
    }
}
