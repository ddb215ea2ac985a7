//! Writes a run into its folder.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::worker_context::Event;
use super::{FolderWriter, Job, Played, RunState};
use crate::error::Result;
use crate::record::{
    Checkpoint, OrderedLog, RowSink, Rows, RunFolder, Status, TableSpec, open_tables,
};

/// Writer of a run: its open tables, its count and its checkpoints.
pub struct Writer<J: Job> {
    job: J,
    files: FolderWriter,
    /// Settings of the command that started the run, stored in checkpoints.
    settings: Value,
    /// Number of the first work item to play.
    first: u64,
    /// Number of the first work item that was not counted when the run was resumed.
    recalled: u64,
    /// Number of counted work items, without those that were cut off.
    taken: u64,
    count: J::Count,
    /// Latest states of the unfinished work items, by item number.
    open: BTreeMap<u64, J::Resumable>,
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
    /// [`crate::error::Error::Config`] if the configuration is invalid or the checkpoint belongs to
    /// another run.
    /// [`crate::error::Error::Io`] if the folder can't be written.
    pub fn begin(
        job: &J,
        folder: RunFolder,
        from: Option<&Checkpoint<RunState<J>>>,
        settings: &Value,
        sink: Option<&RowSink>,
    ) -> Result<Writer<J>> {
        let (files, (count, recalled, open)) =
            FolderWriter::begin(folder, |folder| opened(job, folder, from, sink))?;
        let first = job.work_items().start;
        let mut writer = Writer {
            job: job.clone(),
            files,
            settings: settings.clone(),
            first: from.map_or(first, |from| from.first(recalled)),
            recalled,
            taken: recalled - first,
            count,
            open,
            is_cut: false,
            resumed: from.is_some(),
        };
        // Waiting for a checkpoint before the first work item lets the run be resumed after a kill
        // at any later moment.
        match writer.write_checkpoint(true) {
            Ok(()) => Ok(writer),
            Err(error) => {
                writer.discard();
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
    /// [`crate::error::Error::Io`] if the folder can't be written.
    pub fn add(&mut self, (item, rows): (J::ItemResult, Vec<Rows>)) -> Result<()> {
        self.take(Event::Ended { number: self.counted(), item, rows })?;
        self.write_checkpoint(true)
    }

    /// Handles an event from a worker. Returns true if more work items are needed.
    pub(super) fn take(&mut self, event: Event<J>) -> Result<bool> {
        let cuts = matches!(&event, Event::Ended { item, .. } if J::is_cut(item));
        if !self.is_cut && (cuts || self.files.is_checkpoint_due(self.job.checkpoint_every())) {
            // A checkpoint after a cut-off item would not know which items are counted.
            self.write_checkpoint(cuts)?;
            self.is_cut = cuts;
        }
        match event {
            Event::InPlay(state) => _ = self.open.insert(J::number_of(&state), *state),
            Event::Rows { item, table, rows } => self.files.rows(table, item, rows)?,
            Event::Ended { number, item, mut rows } => {
                self.open.remove(&number);
                let mut more = true;
                // Work items before `recalled` are in the count already and only lack rows.
                if number >= self.recalled {
                    self.taken += u64::from(!cuts);
                    more = self.job.take(&mut self.count, number, item, &mut rows);
                }
                self.files.end(number, rows)?;
                return Ok(more);
            }
        }
        Ok(true)
    }

    /// Writes a checkpoint as [`FolderWriter::write_checkpoint`] does.
    fn write_checkpoint(&mut self, wait: bool) -> Result<()> {
        let counted = J::IN_ORDER.then(|| self.counted());
        let Writer { files, job, settings, open, count, .. } = self;
        files.write_checkpoint(wait, |tables| {
            // The tables give a count that is not in the order of the items.
            let kept = match J::IN_ORDER.then(|| json!(count)) {
                Some(Value::Object(kept)) => kept,
                _ => Map::new(),
            };
            let state = RunState::<J> { counted, kept, open: open.values().cloned().collect() };
            Checkpoint::new(settings.clone(), job.entry(), tables, state)
        })
    }

    /// Ends a run of which nothing is kept as [`FolderWriter::discard`] does.
    pub(super) fn discard(self) {
        self.files.discard();
    }

    /// Finishes the tables, writes `run.json` and returns the result of the run.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] if the folder can't be written.
    pub fn finish(mut self, status: Status) -> Result<Played<J>> {
        let is_continued = match status {
            Status::Complete => J::IS_EXTENDABLE,
            Status::Interrupted => !self.is_cut,
            Status::Failed(_) => false,
        };
        if is_continued {
            self.write_checkpoint(true)?;
        }
        let (number, last) = (self.counted(), self.job.last_rows(&self.count));
        self.files.end(number, last)?;
        let Writer { job, files, mut count, resumed, .. } = self;
        J::end(&mut count);
        let mut finished = files.finish(job.results())?;
        let status = finished.status(status);
        // The run may have failed because its disk is full, so `run.json` stays small.
        let has_failed = matches!(status, Status::Failed(_));
        let complete = status == Status::Complete && !J::IS_EXTENDABLE;
        let provenance = finished.provenance((job.threads(), job.level()), resumed);
        let summary = if has_failed { None } else { job.summary(&count) };
        let manifest =
            finished.publish(provenance, status, job.entry(), J::totals(&count), summary)?;
        finished.settle_checkpoint::<RunState<J>>(complete);
        Ok(Played { count, manifest })
    }
}

/// Count of a run so far, the number of the first work item that is not counted, and the unfinished
/// work items.
type State<J> = (<J as Job>::Count, u64, BTreeMap<u64, <J as Job>::Resumable>);

/// Opens the tables, and returns them with the state of the run.
fn opened<J: Job>(
    job: &J,
    folder: &RunFolder,
    from: Option<&Checkpoint<RunState<J>>>,
    sink: Option<&RowSink>,
) -> Result<(Vec<OrderedLog>, State<J>)> {
    job.check()?;
    from.map_or(Ok(()), |from| from.check_config(&job.entry()))?;
    let open = from.map(|from| from.reopened(job)).transpose()?.unwrap_or_default();
    let first = job.work_items().start;
    let cursors = from.map(|from| &*from.tables);
    let tables = match sink {
        None => open_tables(folder, job.tables(), job.threads(), cursors, first)?,
        Some(sink) => open_results(job, folder, sink, first)?,
    };
    let recalled = from.map(|from| from.recalled(job, folder)).transpose()?;
    let (count, recalled) = recalled.unwrap_or_else(|| (job.none(), first));
    Ok((tables, (count, recalled, open)))
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
