//! Where a run that was killed or interrupted goes on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Game, Manifest, Resumable};
use crate::error::{Error, Result};
use crate::record::{
    Cursor, FileEntry, ResumePoint, RunFolder, TableCursor, VERSION, have_changed, shorten,
};

/// The state of a run between two work items. Work items whose rows are not all in every table are played again.
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
    /// The first work item that is not counted, where work items are taken in order; else the results say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// What those before it came to.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept: Map<String, Value>,
    /// What of each table is to be kept.
    pub tables: Vec<TableCursor>,
    /// Work items in play that go on from here; the others begin again.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<G::Resumable>,
}

impl<G: Game> Checkpoint<G> {
    /// The checkpoint from which a complete run goes on to more work items, as `longer` says: from this work item on, of which
    /// the tables have so many rows. What no table has of those that were played is counted anew.
    #[must_use]
    pub fn after(complete: &Manifest<G>, (game, of_game): (u64, u64), longer: &G) -> Checkpoint<G> {
        let cursor = |file: &FileEntry| TableCursor {
            name: file.name.clone(),
            cursor: Cursor { bytes: file.bytes, rows: file.rows, game, of_game },
            sha256: file.sha256.clone(),
        };
        Checkpoint {
            version: VERSION.to_owned(),
            settings: Value::Null,
            config: longer.entry(),
            counted: None,
            kept: Map::new(),
            tables: complete.files.iter().map(cursor).collect(),
            open: Vec::new(),
        }
    }

    /// The work items in play, by their numbers.
    pub(super) fn reopened(&self, game: &G) -> Result<BTreeMap<u64, G::Resumable>> {
        let reopen = |open: &G::Resumable| {
            let open = game.reopened(open.clone())?;
            Ok((open.number(), open))
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

    /// What was counted, and the first work item that was not; the tables lie in the folder as the checkpoint has them.
    pub(super) fn recalled(&self, game: &G, folder: &RunFolder) -> Result<(G::Count, u64)> {
        if !G::IN_ORDER {
            // One row of the results is one work item.
            let results = game.result_table().map(|table| table.file);
            let results = self.tables.iter().find(|table| Some(&table.name) == results.as_ref());
            let counted = results.map_or(0, |results| results.cursor.rows);
            return Ok((game.recall(game.none(), folder)?, game.work_items().start + counted));
        }
        let Some(counted) = self.counted else { return Ok((game.none(), game.work_items().start)) };
        let kept = serde_json::from_value(json!(self.kept)).map_err(|error| {
            Error::Config(format!("the checkpoint's count: {error}: start the run anew"))
        })?;
        Ok((game.recall(kept, folder)?, counted))
    }

    /// The first work item whose rows are not all in every table, or that is not counted.
    pub(super) fn first(&self, counted: u64) -> u64 {
        // The least of all tables, since their blocks fill at different times and one may be work items ahead of
        // another.
        let cursors = self.tables.iter().map(|table| table.cursor.game);
        cursors.min().unwrap_or(counted).min(counted)
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

    fn take_back(&mut self, cursors: &[TableCursor]) {
        shorten(&mut self.tables, cursors);
    }
}
