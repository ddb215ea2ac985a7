//! Writes a run into its folder.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime};

use serde_json::{Map, Value, json};

use super::worker_context::Event;
use super::{Job, Manifest, Played, RunState};
use crate::error::{Error, Result};
use crate::record::{
    Checkpoint, FinishedTables, OrderedLog, PartialTables, Provenance, RowSink, Rows, RunFolder,
    Status, TableSpec, finish_tables, open_tables,
};
use crate::threads::{BackgroundTask, in_background};

/// Writer of a run: its open tables, its count and its checkpoints.
pub struct Writer<J: Job> {
    job: J,
    folder: RunFolder,
    /// Settings of the command that started the run, stored in checkpoints.
    settings: Value,
    /// Start of the run on two clocks.
    started: (SystemTime, Instant),
    tables: Vec<OrderedLog>,
    /// Number of the first work item to play.
    first: u64,
    /// Number of the first work item that was not counted when the run was resumed.
    recalled: u64,
    /// Number of counted work items, without those that were cut off.
    taken: u64,
    count: J::Count,
    /// Latest states of the unfinished work items, by item number.
    open: BTreeMap<u64, J::Resumable>,
    checkpointed: Instant,
    /// Checkpoint that another thread is writing.
    writing: Option<BackgroundTask<Result<()>>>,
    /// True if a work item was cut off. The checkpoint written before that item is then the last
    /// one.
    is_cut: bool,
    resumed: bool,
}

impl<J: Job> Writer<J> {
    /// Opens the tables of a new run, or those of the checkpoint `from`, and writes a first
    /// checkpoint. With `sink`, only the table of the results is a file. If this fails in a new
    /// folder, the folder is deleted.
    ///
    /// # Errors
    /// [`Error::Config`] if the configuration is invalid or the checkpoint belongs to another run.
    /// [`Error::Io`] if the folder can't be written.
    pub fn begin(
        job: &J,
        folder: RunFolder,
        from: Option<&Checkpoint<RunState<J>>>,
        settings: &Value,
        sink: Option<&RowSink>,
    ) -> Result<Writer<J>> {
        let started = (SystemTime::now(), Instant::now());
        let opened = match opened(job, &folder, from, sink) {
            Ok(opened) => opened,
            Err(error) => {
                folder.discard();
                return Err(error);
            }
        };
        let (tables, count, recalled, open) = opened;
        let first = job.work_items().start;
        let mut writer = Writer {
            job: job.clone(),
            folder,
            settings: settings.clone(),
            started,
            tables,
            first: from.map_or(first, |from| from.first(recalled)),
            recalled,
            taken: recalled - first,
            count,
            open,
            checkpointed: Instant::now(),
            writing: None,
            is_cut: false,
            resumed: from.is_some(),
        };
        // Waiting for a checkpoint before the first work item lets the run be resumed after a kill
        // at any later moment.
        match writer.write_checkpoint(true) {
            Ok(()) => Ok(writer),
            Err(error) => {
                writer.abandon();
                Err(error)
            }
        }
    }

    pub(super) fn first(&self) -> u64 {
        self.first
    }

    pub(super) fn open(&self) -> &BTreeMap<u64, J::Resumable> {
        &self.open
    }

    /// Returns the number of finished work items; if it is 0, the run has nothing to store.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Returns the number of the first work item that is not counted.
    fn counted(&self) -> u64 {
        self.job.work_items().start + self.taken
    }

    /// Returns the value with which the progress display begins, for the work of earlier processes.
    pub(super) fn played(&self) -> u64 {
        self.job.played(&self.count, self.first)
    }

    /// Returns true if no more work items are needed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.job.is_complete(self.counted(), &self.count)
    }

    /// Returns the count of the work items so far.
    #[must_use]
    pub fn count(&self) -> &J::Count {
        &self.count
    }

    /// Adds the next work item, which another process has played, with its rows. The item is in the
    /// checkpoint when this call returns.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder can't be written.
    pub fn add(&mut self, (item, rows): (J::ItemResult, Vec<Rows>)) -> Result<()> {
        self.take(Event::Ended { number: self.counted(), item, rows })?;
        self.write_checkpoint(true)
    }

    /// Handles an event from a worker. Returns true if more work items are needed.
    pub(super) fn take(&mut self, event: Event<J>) -> Result<bool> {
        let cuts = matches!(&event, Event::Ended { item, .. } if J::is_cut(item));
        if !self.is_cut && (cuts || self.checkpointed.elapsed() >= self.job.checkpoint_every()) {
            // A checkpoint after a cut-off item would not know which items are counted.
            self.write_checkpoint(cuts)?;
            self.is_cut = cuts;
        }
        match event {
            Event::InPlay(state) => _ = self.open.insert(J::number_of(&state), *state),
            Event::Rows { item, table, rows } => {
                if let Some(log) = self.tables.get_mut(table) {
                    log.rows(item, rows)?;
                }
            }
            Event::Ended { number, item, mut rows } => {
                self.open.remove(&number);
                let mut more = true;
                // Work items before `recalled` are in the count already and only lack rows.
                if number >= self.recalled {
                    self.taken += u64::from(!cuts);
                    more = self.job.take(&mut self.count, number, item, &mut rows);
                }
                for (log, rows) in self.tables.iter_mut().zip(rows) {
                    log.rows(number, rows)?;
                    log.end(number)?;
                }
                return Ok(more);
            }
        }
        Ok(true)
    }

    /// Writes a checkpoint on another thread, so playing does not wait for the disk. That thread
    /// first makes sure that the table rows before the checkpoint's positions are on disk.
    ///
    /// If `wait` is true, this call waits for an earlier checkpoint and for its own. If false, it
    /// does nothing while an earlier checkpoint is being written.
    fn write_checkpoint(&mut self, wait: bool) -> Result<()> {
        if !wait && self.writing.as_ref().is_some_and(|writing| !writing.is_done()) {
            return Ok(());
        }
        self.wait_for_checkpoint()?;
        // Rows written after this point are not part of the checkpoint.
        let settled: Result<Vec<_>> = self.tables.iter_mut().map(OrderedLog::settle).collect();
        let (tables, files): (Vec<_>, Vec<_>) = settled?.into_iter().flatten().unzip();
        let state = RunState::<J> {
            counted: J::IN_ORDER.then(|| self.counted()),
            kept: self.kept(),
            open: self.open.values().cloned().collect(),
        };
        let checkpoint = Checkpoint::new(self.settings.clone(), self.job.entry(), tables, state);
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

    /// Returns the count to store in a checkpoint, or an empty map if the tables give the count.
    fn kept(&self) -> Map<String, Value> {
        match J::IN_ORDER.then(|| json!(self.count)) {
            Some(Value::Object(kept)) => kept,
            _ => Map::new(),
        }
    }

    fn wait_for_checkpoint(&mut self) -> Result<()> {
        self.writing.take().map_or(Ok(()), |writing| writing.join().and_then(|written| written))
    }

    /// Closes the tables of a run of which nothing is kept, and deletes its folder if it is new.
    /// Waits for the checkpoint that another thread may be writing: it would otherwise appear in
    /// the folder after its removal.
    pub(super) fn abandon(mut self) {
        // The run has failed already, so a failed checkpoint changes nothing.
        let _ = self.wait_for_checkpoint();
        // Tables are closed first, since some systems can't delete open files.
        drop(self.tables);
        self.folder.discard();
    }

    /// Finishes the tables, writes `run.json` and returns the result of the run.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder can't be written.
    pub fn finish(mut self, mut status: Status) -> Result<Played<J>> {
        // A failed checkpoint is ignored: the tables report the same problem, or there was no room
        // for a newer one.
        let _ = self.wait_for_checkpoint();
        let is_continued = match status {
            Status::Complete => J::IS_EXTENDABLE,
            Status::Interrupted => !self.is_cut,
            Status::Failed(_) => false,
        };
        if is_continued {
            self.write_checkpoint(true)?;
        }
        let (number, last) = (self.counted(), self.job.last_rows(&self.count));
        for (log, rows) in self.tables.iter_mut().zip(last) {
            log.rows(number, rows)?;
            log.end(number)?;
        }
        let Writer { job, folder, started, tables, mut count, resumed, .. } = self;
        J::end(&mut count);
        let FinishedTables { files, problem, taken_back } =
            finish_tables(&folder, tables, job.results())?;
        if let (Some(problem), Status::Complete | Status::Interrupted) = (problem, &status) {
            status = Status::Failed(problem.to_string());
        }
        // The run may have failed because its disk is full, so `run.json` stays small.
        let has_failed = matches!(status, Status::Failed(_));
        let manifest = Manifest {
            provenance: Provenance::new((job.threads(), job.level()), started, resumed),
            kind: J::KIND,
            status,
            config: job.entry(),
            totals: J::totals(&count),
            summary: if has_failed { None } else { job.summary(&count) },
            files,
        };
        manifest.publish(&folder)?;
        let complete = manifest.status == Status::Complete && !J::IS_EXTENDABLE;
        Checkpoint::<RunState<J>>::settle(folder.path(), complete, &taken_back);
        Ok(Played { count, manifest })
    }
}

/// Tables of a run, the count so far, the number of the first work item that is not counted, and
/// the unfinished work items.
type Opened<J> = (Vec<OrderedLog>, <J as Job>::Count, u64, BTreeMap<u64, <J as Job>::Resumable>);

/// Opens the tables, and returns them with the count so far, the number of the first work item
/// that is not counted, and the unfinished work items.
fn opened<J: Job>(
    job: &J,
    folder: &RunFolder,
    from: Option<&Checkpoint<RunState<J>>>,
    sink: Option<&RowSink>,
) -> Result<Opened<J>> {
    job.check()?;
    from.map_or(Ok(()), |from| from.check_config(&job.entry()))?;
    let open = from.map(|from| from.reopened(job)).transpose()?.unwrap_or_default();
    let partial_tables = from.map(|from| PartialTables::of(folder, &from.tables)).transpose()?;
    let first = job.work_items().start;
    let tables = match sink {
        None => open_tables(folder, job.tables(), job.threads(), partial_tables.as_ref(), first)?,
        Some(sink) => open_results(job, folder, sink, first)?,
    };
    let recalled = from.map(|from| from.recalled(job, folder)).transpose()?;
    let (count, recalled) = recalled.unwrap_or_else(|| (job.none(), first));
    Ok((tables, count, recalled, open))
}

/// Opens the table of the results as a file, and the other tables as logs whose rows go to `sink`.
fn open_results<J: Job>(
    job: &J,
    folder: &RunFolder,
    sink: &RowSink,
    first: u64,
) -> Result<Vec<OrderedLog>> {
    let open = |(place, table): (usize, TableSpec)| {
        if place == job.results() {
            let opened = open_tables(folder, vec![table], job.threads(), None, first)?;
            return Ok(opened);
        }
        Ok(vec![OrderedLog::to_sink(folder.path(), &table, sink.clone(), first)])
    };
    let tables: Result<Vec<_>> = job.tables().into_iter().enumerate().map(open).collect();
    Ok(tables?.into_iter().flatten().collect())
}
