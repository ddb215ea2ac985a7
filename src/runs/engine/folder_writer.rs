//! Writes tables, checkpoints and `run.json` into the folder of a run, an estimate or a training.

use std::time::{Instant, SystemTime};

use serde_json::Value;

use super::{Described, Job, Manifest};
use crate::prelude::*;
use crate::record::{
    Checkpoint, CheckpointState, Cursor, OrderedLog, Provenance, TableCursor, publish,
};
use crate::threads::{BackgroundTask, in_background};

/// Writer of the tables and checkpoints in the folder of a run, an estimate or a training.
pub struct FolderWriter {
    folder: RunFolder,
    tables: Vec<OrderedLog>,
    started: (SystemTime, Instant),
    checkpointed: Instant,
    writing: Option<BackgroundTask<Result<()>>>,
}

/// Folder of a run whose tables are finished, but whose `run.json` is not written yet.
pub struct FinishedTables {
    folder: RunFolder,
    started: (SystemTime, Instant),
    /// Entries for `run.json` of the tables' files: names, sizes and checksums.
    pub files: Vec<FileEntry>,
    /// First error that kept rows of tables from being written; `None` if all were written.
    pub problem: Option<Error>,
    /// Positions at which tables were cut off because of rows of an unfinished game.
    shortened: Vec<TableCursor>,
}

impl FolderWriter {
    /// Opens a run's tables with `prepare`, and returns their writer and the second value of
    /// `prepare`. An error deletes a new folder.
    pub fn begin<T>(
        folder: RunFolder,
        prepare: impl FnOnce(&RunFolder) -> Result<(Vec<OrderedLog>, T)>,
    ) -> Result<(FolderWriter, T)> {
        let started = (SystemTime::now(), Instant::now());
        match prepare(&folder) {
            Ok((tables, state)) => {
                let (checkpointed, writing) = (Instant::now(), None);
                Ok((FolderWriter { folder, tables, started, checkpointed, writing }, state))
            }
            Err(error) => {
                folder.discard();
                Err(error)
            }
        }
    }

    /// Returns the folder into which this writer writes.
    #[must_use]
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Returns the seconds since this process began to work on the run's folder.
    #[must_use]
    pub fn elapsed_s(&self) -> f64 {
        self.started.1.elapsed().as_secs_f64()
    }

    /// Adds rows of the game (work item) `number` to the run's table with index `table`.
    pub fn push_rows(&mut self, table: usize, number: u64, rows: Rows) -> Result<()> {
        self.tables.get_mut(table).map_or(Ok(()), |log| log.rows(number, rows))
    }

    /// Adds the last rows of the game (work item) `number`, one [`Rows`] per table of the run.
    pub fn end(&mut self, number: u64, rows: Vec<Rows>) -> Result<()> {
        for (log, rows) in self.tables.iter_mut().zip(rows) {
            log.rows(number, rows)?;
            log.end(number)?;
        }
        Ok(())
    }

    /// Forces the rows of the run's tables onto the disk, for runs without checkpoints.
    pub fn sync(&mut self) -> Result<()> {
        self.tables.iter_mut().try_for_each(OrderedLog::sync)
    }

    /// Returns true if the run's last checkpoint is older than `interval`.
    #[must_use]
    pub fn is_checkpoint_due(&self, interval: Duration) -> bool {
        self.checkpointed.elapsed() >= interval
    }

    /// Writes a checkpoint (from `make`) on another thread. If `wait` is true, waits for the end of
    /// the writing; otherwise, does nothing while an earlier checkpoint is being written.
    pub fn write_checkpoint<S: CheckpointState>(
        &mut self,
        wait: bool,
        make: impl FnOnce(Vec<TableCursor>) -> Checkpoint<S>,
    ) -> Result<()>
    where
        Checkpoint<S>: Send + 'static,
    {
        if !wait && self.writing.as_ref().is_some_and(|writing| !writing.is_done()) {
            return Ok(());
        }
        self.wait_for_checkpoint()?;
        // Rows written after this point are not part of the checkpoint.
        let positions: Result<Vec<_>> = self.tables.iter_mut().map(OrderedLog::flush).collect();
        let (tables, files): (Vec<_>, Vec<_>) = positions?.into_iter().flatten().unzip();
        let checkpoint = make(tables);
        self.checkpointed = Instant::now();
        let folder = self.folder.path().to_owned();
        self.writing = Some(in_background(move || {
            for (name, file) in files {
                // The rows must reach the disk before the checkpoint that counts on them, in case
                // of a power cut.
                file.sync_data().map_err(|e| Error::io("writing", folder.join(name), e))?;
            }
            checkpoint.write(&folder)
        }));
        if wait { self.wait_for_checkpoint() } else { Ok(()) }
    }

    fn wait_for_checkpoint(&mut self) -> Result<()> {
        self.writing.take().map_or(Ok(()), |writing| writing.join().and_then(|written| written))
    }

    /// Deletes a new run's folder, once no checkpoint is being written into it any more.
    pub fn discard(mut self) {
        // The work has failed already, so a failed checkpoint changes nothing.
        let _ = self.wait_for_checkpoint();
        // Tables are closed first, since some systems can't delete open files.
        drop(self.tables);
        self.folder.discard();
    }

    /// Finishes all tables of the run; the table with index `last` is finished last.
    pub fn finish(mut self, last: usize) -> Result<FinishedTables> {
        // A failed checkpoint is ignored: the tables report the same problem, or there was no room
        // for a newer one.
        let _ = self.wait_for_checkpoint();
        let FolderWriter { folder, mut tables, started, .. } = self;
        let (mut files, mut problem, mut shortened) = (Vec::new(), None, Vec::new());
        let rotated = tables.len().min(last + 1);
        tables.rotate_left(rotated);
        for log in tables {
            let name = log.name().to_owned();
            let (finished, failed) = log.finish()?;
            problem = problem.or(failed);
            let Some(finished) = finished else { continue };
            folder.finish(&name)?;
            let cursor = finished.truncated_at.clone();
            let cursor =
                cursor.map(|(cursor, sha256)| TableCursor { name: name.clone(), cursor, sha256 });
            shortened.extend(cursor);
            files.push(FileEntry::new(name, finished));
        }
        // Files are listed in the order of the tables. Without files of logs there are fewer of
        // them.
        let rotated = rotated.min(files.len());
        files.rotate_right(rotated);
        Ok(FinishedTables { folder, started, files, problem, shortened })
    }
}

impl FinishedTables {
    /// Returns the run's final status: failed if rows could not be written, otherwise `status`.
    #[must_use]
    pub fn status(&self, status: Status) -> Status {
        match (&self.problem, status) {
            (Some(problem), Status::Complete | Status::Interrupted) => {
                Status::Failed(problem.to_string())
            }
            (_, status) => status,
        }
    }

    /// Returns program, machine (threads, instruction level) and times of the run, which ends now.
    #[must_use]
    pub fn provenance(&self, machine: (usize, Option<String>), resumed: bool) -> Provenance {
        Provenance::new(machine, self.started, resumed)
    }

    /// Writes `datapackage.json` and then `run.json`, which completes the run's folder.
    pub fn publish<J: Described>(
        &mut self,
        provenance: Provenance,
        status: Status,
        config: J::Entry,
        totals: J::Totals,
        summary: Option<J::Summary>,
    ) -> Result<Manifest<J>> {
        let (kind, files) = (J::KIND, std::mem::take(&mut self.files));
        let manifest = Manifest { provenance, kind, status, config, totals, summary, files };
        publish(&self.folder, &manifest, manifest.package(), &manifest.files)?;
        Ok(manifest)
    }

    /// Deletes the checkpoint of a complete run; otherwise moves the checkpoint's positions back to
    /// where tables were cut off.
    pub fn finish_checkpoint<S: CheckpointState>(&self, complete: bool) {
        Checkpoint::<S>::finish(self.folder.path(), complete, &self.shortened);
    }
}

/// State of an unfinished run in a checkpoint, from which the run can be resumed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", deny_unknown_fields)]
pub struct RunState<J: Job> {
    /// Number of the first game without a stored result; `None` if a table has the results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<u64>,
    /// Accumulated results of the finished games up to the checkpoint, as JSON, if any are stored.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub kept: Map<String, Value>,
    /// States of unfinished games (work items), from which a resumed run continues the games.
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
    /// Returns a checkpoint with which `longer` continues the complete run `complete` at game
    /// `game`. The tables already have `of_game` rows of this game.
    #[must_use]
    pub fn after(complete: &Manifest<J>, (game, of_game): (u64, u64), longer: &J) -> Self {
        let cursor = |file: &FileEntry| TableCursor {
            name: file.name.clone(),
            cursor: Cursor { bytes: file.bytes, rows: file.rows, game, of_game },
            sha256: file.sha256.clone(),
        };
        let tables = complete.files.iter().map(cursor).collect();
        let state = RunState { counted: None, kept: Map::new(), open: Vec::new() };
        Checkpoint::new(Value::Null, longer.recorded_config(), tables, state)
    }

    pub(super) fn restore_items(&self, job: &J) -> Result<BTreeMap<u64, J::Resumable>> {
        let reopen = |open: &J::Resumable| {
            let open = job.restore_item(open.clone())?;
            Ok((J::number_of(&open), open))
        };
        self.state.open.iter().map(reopen).collect()
    }

    /// Returns a run's results up to its checkpoint, and the number of the first missing game.
    pub(super) fn restore_count(&self, job: &J, folder: &RunFolder) -> Result<(J::Count, u64)> {
        if !J::IN_ORDER {
            // Each row of the results is one work item.
            let results = job.result_table().map(|table| table.file);
            let results = self.tables.iter().find(|table| Some(&table.name) == results.as_ref());
            let counted = results.map_or(0, |results| results.cursor.rows);
            return Ok((
                job.restore_count(job.empty_count(), folder)?,
                job.work_items().start + counted,
            ));
        }
        let Some(counted) = self.state.counted else {
            return Ok((job.empty_count(), job.work_items().start));
        };
        Ok((job.restore_count(self.count()?, folder)?, counted))
    }

    /// Returns a run's accumulated results up to the checkpoint, if they are stored in it.
    pub fn count(&self) -> Result<J::Count> {
        serde_json::from_value(json!(self.state.kept)).map_err(|error| {
            Error::Config(format!("the checkpoint's count: {error}: start a new run"))
        })
    }

    pub(super) fn first_item(&self, counted: u64) -> u64 {
        // The smallest number over all tables is needed: their blocks of rows fill at different
        // times, so one table may be ahead of another.
        let cursors = self.tables.iter().map(|table| table.cursor.game);
        cursors.min().unwrap_or(counted).min(counted)
    }
}
