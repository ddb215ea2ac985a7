//! Stores the state from which an interrupted run resumes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Game, Manifest, Resumable};
use crate::error::{Error, Result};
use crate::record::{
    Cursor, FileEntry, ResumePoint, RunFolder, TableCursor, VERSION, have_changed, shorten,
};

/// State of a run from which it can be resumed. A resumed run plays those work items again whose
/// rows are not in every table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Checkpoint<G: Game> {
    /// Version of the program that wrote the checkpoint; another version may play differently.
    pub version: String,
    /// Settings of the command that started the run, in a form that only this command reads. Null
    /// if the command needs none to resume.
    pub settings: Value,
    /// Configuration of the run.
    pub config: G::Entry,
    /// Number of the first work item that is not counted. `None` if items are counted in any order,
    /// because the table of results then gives the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// Accumulated results ([`Game::Count`]) of the work items before `counted`, as JSON. Empty if
    /// items are counted in any order.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept: Map<String, Value>,
    /// Position in the file of each table; a resumed run keeps the rows before it.
    pub tables: Vec<TableCursor>,
    /// States of the unfinished work items that can be resumed; a resumed run plays all other
    /// unfinished items from their beginning.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<G::Resumable>,
}

impl<G: Game> Checkpoint<G> {
    /// Returns the checkpoint from which the run `complete` is extended to the work items of
    /// `longer`. `game` is the first new work item, and `of_game` is the number of its rows that
    /// are already in the tables. If items are counted in order, the count starts anew.
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

    /// Returns the states of the unfinished work items by item number.
    pub(super) fn reopened(&self, game: &G) -> Result<BTreeMap<u64, G::Resumable>> {
        let reopen = |open: &G::Resumable| {
            let open = game.reopened(open.clone())?;
            Ok((open.number(), open))
        };
        self.open.iter().map(reopen).collect()
    }

    /// Checks that the configuration in the checkpoint is that of `game`.
    pub(super) fn fits(&self, game: &G) -> Result<()> {
        let (begun, asked) = (json!(self.config), json!(game.entry()));
        if begun == asked { Ok(()) } else { Err(have_changed(&begun, &asked)) }
    }

    /// Restores the count of the run, and returns it with the number of the first work item that it
    /// does not contain. The tables in the folder must end at the checkpoint.
    pub(super) fn recalled(&self, game: &G, folder: &RunFolder) -> Result<(G::Count, u64)> {
        if !G::IN_ORDER {
            // Each row of the results is one work item.
            let results = game.result_table().map(|table| table.file);
            let results = self.tables.iter().find(|table| Some(&table.name) == results.as_ref());
            let counted = results.map_or(0, |results| results.cursor.rows);
            return Ok((
                game.restore_count(game.none(), folder)?,
                game.work_items().start + counted,
            ));
        }
        let Some(counted) = self.counted else { return Ok((game.none(), game.work_items().start)) };
        let kept = serde_json::from_value(json!(self.kept)).map_err(|error| {
            Error::Config(format!("the checkpoint's count: {error}: start a new run"))
        })?;
        Ok((game.restore_count(kept, folder)?, counted))
    }

    /// Returns the number of the first work item to play: the first that is not counted (`counted`)
    /// or lacks rows in some table.
    pub(super) fn first(&self, counted: u64) -> u64 {
        // The smallest number over all tables is needed: their blocks of rows fill at different
        // times, so one table may be ahead of another.
        let cursors = self.tables.iter().map(|table| table.cursor.game);
        cursors.min().unwrap_or(counted).min(counted)
    }
}

impl<G: Game> ResumePoint for Checkpoint<G> {
    const OF: &'static str = G::OF;
    const GAME: Option<&'static str> = Some(G::NAME);

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
