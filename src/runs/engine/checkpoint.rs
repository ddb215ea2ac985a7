//! Stores the state from which an interrupted run resumes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Job, Manifest};
use crate::error::{Error, Result};
use crate::record::{Checkpoint, CheckpointState, Cursor, FileEntry, Kind, RunFolder, TableCursor};

/// State of a run from which it can be resumed. A resumed run plays those work items again whose
/// rows are not in every table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct RunState<J: Job> {
    /// Number of the first work item that is not counted. `None` if items are counted in any order,
    /// because the table of results then gives the number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// Accumulated results ([`Job::Count`]) of the work items before `counted`, as JSON. Empty if
    /// items are counted in any order.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept: Map<String, Value>,
    /// States of the unfinished work items that can be resumed; a resumed run plays all other
    /// unfinished items from their beginning.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<J::Resumable>,
}

impl<J: Job> CheckpointState for RunState<J> {
    const OF: &'static str = J::OF;
    const KIND: Kind = J::KIND;
    const HAS_FORCE: bool = J::HAS_FORCE;
    type Config = J::Entry;
}

impl<J: Job> Checkpoint<RunState<J>> {
    /// Returns the checkpoint from which the run `complete` is extended to the work items of
    /// `longer`. `game` is the first new work item, and `of_game` is the number of its rows that
    /// are already in the tables. If items are counted in order, the count starts anew.
    #[must_use]
    pub fn after(complete: &Manifest<J>, (game, of_game): (u64, u64), longer: &J) -> Self {
        let cursor = |file: &FileEntry| TableCursor {
            name: file.name.clone(),
            cursor: Cursor { bytes: file.bytes, rows: file.rows, game, of_game },
            sha256: file.sha256.clone(),
        };
        let tables = complete.files.iter().map(cursor).collect();
        let state = RunState { counted: None, kept: Map::new(), open: Vec::new() };
        Checkpoint::new(Value::Null, longer.entry(), tables, state)
    }

    /// Returns the states of the unfinished work items by item number.
    pub(super) fn reopened(&self, job: &J) -> Result<BTreeMap<u64, J::Resumable>> {
        let reopen = |open: &J::Resumable| {
            let open = job.reopened(open.clone())?;
            Ok((J::number_of(&open), open))
        };
        self.state.open.iter().map(reopen).collect()
    }

    /// Restores the count of the run, and returns it with the number of the first work item that it
    /// does not contain. The tables in the folder must end at the checkpoint.
    pub(super) fn recalled(&self, job: &J, folder: &RunFolder) -> Result<(J::Count, u64)> {
        if !J::IN_ORDER {
            // Each row of the results is one work item.
            let results = job.result_table().map(|table| table.file);
            let results = self.tables.iter().find(|table| Some(&table.name) == results.as_ref());
            let counted = results.map_or(0, |results| results.cursor.rows);
            return Ok((job.restore_count(job.none(), folder)?, job.work_items().start + counted));
        }
        let Some(counted) = self.state.counted else {
            return Ok((job.none(), job.work_items().start));
        };
        Ok((job.restore_count(self.count()?, folder)?, counted))
    }

    /// Returns the count of the work items before the checkpoint, if they are counted in order.
    ///
    /// # Errors
    /// [`Error::Config`] if the checkpoint holds the count of another kind of run.
    pub fn count(&self) -> Result<J::Count> {
        serde_json::from_value(json!(self.state.kept)).map_err(|error| {
            Error::Config(format!("the checkpoint's count: {error}: start a new run"))
        })
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
