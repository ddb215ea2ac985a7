//! Stores the state from which an interrupted run resumes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Game, Manifest, Resumable};
use crate::error::{Error, Result};
use crate::record::{
    Cursor, FileEntry, ResumePoint, RunFolder, TableCursor, VERSION, have_changed, shorten,
};

/// State of a run between two work items. Work items whose rows are not in every table are played
/// again.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Checkpoint<G: Game> {
    /// Version of the program; another version may play differently.
    pub version: String,
    /// Settings of the command that started the run, in that command's own form; null if it needs
    /// none to resume.
    #[serde(default)]
    pub settings: Value,
    /// Configuration of the run.
    pub config: G::Entry,
    /// First work item that is not counted, if items are taken in order; otherwise the results give
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// Count of the work items before `counted`.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept: Map<String, Value>,
    /// Part of each table to keep.
    pub tables: Vec<TableCursor>,
    /// States of the unfinished work items that can be resumed; the others start again.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<G::Resumable>,
}

impl<G: Game> Checkpoint<G> {
    /// Returns the checkpoint from which a complete run is extended to the work items of `longer`.
    /// `game` is the first new work item, and `of_game` its number of rows in the tables. Items
    /// without a table are counted anew.
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

    /// Returns the unfinished work items by their numbers.
    pub(super) fn reopened(&self, game: &G) -> Result<BTreeMap<u64, G::Resumable>> {
        let reopen = |open: &G::Resumable| {
            let open = game.reopened(open.clone())?;
            Ok((open.number(), open))
        };
        self.open.iter().map(reopen).collect()
    }

    /// Checks that the checkpoint belongs to this game.
    pub(super) fn fits(&self, game: &G) -> Result<()> {
        let entry = game.entry();
        if self.config == entry {
            return Ok(());
        }
        Err(have_changed(&json!(self.config), &json!(entry)))
    }

    /// Returns the count and the first work item not in it. The tables in the folder must be in the
    /// state of the checkpoint.
    pub(super) fn recalled(&self, game: &G, folder: &RunFolder) -> Result<(G::Count, u64)> {
        if !G::IN_ORDER {
            // Each row of the results is one work item.
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

    /// Returns the first work item that is not counted or lacks rows in some table.
    pub(super) fn first(&self, counted: u64) -> u64 {
        // The minimum over all tables is needed: their blocks fill at different times, so one may
        // be ahead of another.
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
