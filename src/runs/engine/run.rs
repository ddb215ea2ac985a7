//! Plays the work items (games) of a run on all cores. Workers send rows, states and results
//! through a [`WorkerContext`] to one [`Writer`], which counts them and writes the folder.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::{FolderWriter, Job, Manifest, RunState};
use crate::prelude::*;
use crate::record::{Checkpoint, OrderedLog, RowSink, has_checkpoint, open_tables};
use crate::threads::{produce_and_consume, useful_threads};

const MOST_WAITING_EVENTS: usize = 64;

/// Result of a run whose games were played and stored in a folder.
#[derive(Debug)]
pub struct Played<J: Job> {
    /// Accumulated results of the run's finished games (work items).
    pub count: J::Count,
    /// Description of the run, as written to its `run.json`.
    pub manifest: Manifest<J>,
}

/// Plays a run into `folder`, or resumes the run from its checkpoint `from`. Checkpoints also store
/// `settings`, the options of the command line.
///
/// With `sink`, log rows go to `sink` instead of files, and `from` must be `None`. After an
/// error, the result has [`Status::Failed`] if a game is finished; else a new folder is deleted.
pub fn play<J: Job>(
    job: &J,
    folder: RunFolder,
    from: Option<&Checkpoint<RunState<J>>>,
    settings: &Value,
    totals: &Totals,
    stop: &AtomicBool,
    sink: Option<&RowSink>,
) -> Result<Played<J>> {
    let mut writer = Writer::begin(job, folder, from, settings, sink)?;
    totals.played.store(writer.played(), Ordering::Relaxed);
    let (first, open) = (writer.first(), writer.open().clone());
    // The items of an earlier command may meet the stop rule of this one already.
    let ended = match J::IS_EXTENDABLE && writer.is_complete() {
        true => Ok(()),
        false => work_items(job, first, open, totals, stop, |event| writer.handle(event)),
    };
    let status = match ended {
        Err(error) if writer.finished() == 0 => {
            writer.discard();
            return Err(error);
        }
        Err(error) => Status::Failed(error.to_string()),
        Ok(()) if writer.is_complete() => Status::Complete,
        Ok(()) => Status::Interrupted,
    };
    writer.finish(status)
}

/// Plays a run into the folder `path`, or resumes the run from the folder's checkpoint. Without a
/// checkpoint, the new run replaces an earlier run in the folder.
pub fn play_or_resume<J: Job>(
    job: &J,
    path: &Path,
    totals: &Totals,
    stop: &AtomicBool,
) -> Result<Played<J>> {
    let mut folder = RunFolder::lock(path)?;
    let begun = has_checkpoint(path)?.then(|| Checkpoint::read(path)).transpose()?;
    if begun.is_none() {
        folder = folder.replaced();
    }
    play(job, folder, begun.as_ref(), &Value::Null, totals, stop, None)
}

/// Plays a run's games without a folder, until `take` returns false for a result. The results
/// arrive in the order of the games if [`Job::IN_ORDER`] is true.
pub fn each<J: Job>(
    job: &J,
    totals: &Totals,
    stop: &AtomicBool,
    mut take: impl FnMut(J::ItemResult) -> Result<bool>,
) -> Result<()> {
    job.check()?;
    work_items(job, job.work_items().start, BTreeMap::new(), totals, stop, |event| match event {
        Event::Ended { item, .. } => take(item),
        Event::Rows { .. } | Event::InPlay(_) => Ok(true),
    })
}

/// Plays a run's games on all cores and passes their rows, states and results to `take`.
fn work_items<J: Job>(
    job: &J,
    first: u64,
    open: BTreeMap<u64, J::Resumable>,
    totals: &Totals,
    stop: &AtomicBool,
    mut take: impl FnMut(Event<J>) -> Result<bool>,
) -> Result<()> {
    let (next, enough) = (AtomicU64::new(first), AtomicBool::new(false));
    let open = Mutex::new(open);
    // Each state is removed by the worker that gets its number, so an item is resumed only once.
    let resumed = |item: u64| open.lock().unwrap_or_else(PoisonError::into_inner).remove(&item);
    let halted = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
    let fail = || stop.store(true, Ordering::Relaxed);
    let work = |sender: &SyncSender<Event<J>>| {
        // Each worker creates its player, because a player need not be `Send`.
        let mut player = job.player()?;
        while !halted() {
            // Relaxed ordering is enough: the numbers must be distinct, and no other data depends
            // on them.
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= job.work_items().end {
                break;
            }
            let context = WorkerContext { item: number, stop, enough: &enough, totals, sender };
            let ended = job.play(&mut player, number, resumed(number), &context)?;
            let Some((item, rows)) = ended else { break };
            // Sending fails only if the writer has enough or has failed.
            let _ = sender.send(Event::Ended { number, item, rows });
        }
        Ok(())
    };
    let (mut waiting, mut expected, mut more) = (BTreeMap::new(), first, true);
    let threads = useful_threads(job.threads(), job.work_items().end.saturating_sub(first));
    produce_and_consume(threads, MOST_WAITING_EVENTS, fail, work, |event| {
        match event {
            Event::Ended { number, .. } if J::IN_ORDER => {
                waiting.insert(number, event);
                // Work items that end before their turn wait here until the missing one arrives.
                while more && let Some(event) = waiting.remove(&expected) {
                    more = take(event)?;
                    expected += 1;
                }
            }
            event => more = more && take(event)?,
        }
        if !more {
            enough.store(true, Ordering::Relaxed);
            waiting.clear();
        }
        Ok(())
    })
}

/// Counters of games, pieces and lines of all workers, which the progress bar reads.
#[derive(Debug, Default)]
pub struct Totals {
    /// Number of games, or other units such as boards, finished by all workers so far.
    pub played: AtomicU64,
    /// Number of pieces placed by all workers so far, if the game has any.
    pub pieces: AtomicU64,
    /// Number of lines removed by all workers so far.
    pub lines: AtomicU64,
}

impl Totals {
    /// Adds the numbers of games, pieces and lines that a worker played since its last call.
    pub fn add(&self, played: u64, pieces: u64, lines: u64) {
        for (total, more) in [(&self.played, played), (&self.pieces, pieces), (&self.lines, lines)]
        {
            // All workers write these totals, so a call with nothing to add must not take the cache
            // line from the others.
            if more > 0 {
                total.fetch_add(more, Ordering::Relaxed);
            }
        }
    }
}

enum Event<J: Job> {
    Rows { item: u64, table: usize, rows: Rows },
    InPlay(Box<J::Resumable>),
    Ended { number: u64, item: J::ItemResult, rows: Vec<Rows> },
}

/// Connection of a worker thread to the writer of its run while it plays one game (work item).
pub struct WorkerContext<'a, J: Job> {
    item: u64,
    stop: &'a AtomicBool,
    enough: &'a AtomicBool,
    totals: &'a Totals,
    sender: &'a SyncSender<Event<J>>,
}

impl<J: Job> WorkerContext<'_, J> {
    /// Returns the flag that stops the run; if it is raised, the player must end its game at once.
    #[must_use]
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    /// Returns true if a worker may give up its game: after a stop, or if no more games are needed.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.enough.load(Ordering::Relaxed)
    }

    /// Returns the counters of all workers, which the progress bar reads.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        self.totals
    }

    /// Sends rows of the game being played for the run's table with index `table`.
    pub fn rows(&self, table: usize, rows: Rows) {
        if !rows.is_empty() {
            self.send(Event::Rows { item: self.item, table, rows });
        }
    }

    /// Sends the state of the unfinished game for the next checkpoint. Must not be called for a
    /// game whose rows are logged.
    pub fn open(&self, state: J::Resumable) {
        self.send(Event::InPlay(Box::new(state)));
    }

    fn send(&self, event: Event<J>) {
        let _ = self.sender.send(event);
    }
}

/// Writer of a run's folder, which collects the results of games and writes checkpoints.
pub struct Writer<J: Job> {
    job: J,
    files: FolderWriter,
    settings: Value,
    first: u64,
    /// Number of the first game without a result at the time when the run was resumed.
    restored: u64,
    finished: u64,
    count: J::Count,
    open: BTreeMap<u64, J::Resumable>,
    /// True once a stop has cut off a game, after which no more checkpoints are written.
    is_cut: bool,
    resumed: bool,
}

impl<J: Job> Writer<J> {
    /// Opens the tables of a new or resumed run and writes a first checkpoint.
    pub fn begin(
        job: &J,
        folder: RunFolder,
        from: Option<&Checkpoint<RunState<J>>>,
        settings: &Value,
        sink: Option<&RowSink>,
    ) -> Result<Writer<J>> {
        let (files, (count, restored, open)) =
            FolderWriter::begin(folder, |folder| open_run(job, folder, from, sink))?;
        let first = job.work_items().start;
        let mut writer = Writer {
            job: job.clone(),
            files,
            settings: settings.clone(),
            first: from.map_or(first, |from| from.first_item(restored)),
            restored,
            finished: restored - first,
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

    fn first(&self) -> u64 {
        self.first
    }

    fn open(&self) -> &BTreeMap<u64, J::Resumable> {
        &self.open
    }

    fn finished(&self) -> u64 {
        self.finished
    }

    fn counted(&self) -> u64 {
        self.job.work_items().start + self.finished
    }

    fn played(&self) -> u64 {
        self.job.played(&self.count, self.first)
    }

    /// Returns true if the run needs no more work items (games).
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.job.is_complete(self.counted(), &self.count)
    }

    /// Returns the accumulated results of the work items (games) so far.
    #[must_use]
    pub fn count(&self) -> &J::Count {
        &self.count
    }

    /// Adds the next game, which another process played, to the run and writes a checkpoint.
    pub fn add(&mut self, (item, rows): (J::ItemResult, Vec<Rows>)) -> Result<()> {
        self.handle(Event::Ended { number: self.counted(), item, rows })?;
        self.write_checkpoint(true)
    }

    fn handle(&mut self, event: Event<J>) -> Result<bool> {
        let cuts = matches!(&event, Event::Ended { item, .. } if J::is_cut(item));
        if !self.is_cut && (cuts || self.files.is_checkpoint_due(self.job.checkpoint_every())) {
            // A checkpoint after a cut-off item would not know which items are counted.
            self.write_checkpoint(cuts)?;
            self.is_cut = cuts;
        }
        match event {
            Event::InPlay(state) => _ = self.open.insert(J::number_of(&state), *state),
            Event::Rows { item, table, rows } => self.files.push_rows(table, item, rows)?,
            Event::Ended { number, item, mut rows } => {
                self.open.remove(&number);
                let mut more = true;
                // Work items before `restored` are in the count already and only lack rows.
                if number >= self.restored {
                    self.finished += u64::from(!cuts);
                    more = self.job.take(&mut self.count, number, item, &mut rows);
                }
                self.files.end(number, rows)?;
                return Ok(more);
            }
        }
        Ok(true)
    }

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
            Checkpoint::new(settings.clone(), job.recorded_config(), tables, state)
        })
    }

    fn discard(self) {
        self.files.discard();
    }

    /// Finishes the run's tables, writes `run.json` and returns the results of the run.
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
        let manifest = finished.publish(
            provenance,
            status,
            job.recorded_config(),
            J::totals(&count),
            summary,
        )?;
        finished.finish_checkpoint::<RunState<J>>(complete);
        Ok(Played { count, manifest })
    }
}

type State<J> = (<J as Job>::Count, u64, BTreeMap<u64, <J as Job>::Resumable>);

fn open_run<J: Job>(
    job: &J,
    folder: &RunFolder,
    from: Option<&Checkpoint<RunState<J>>>,
    sink: Option<&RowSink>,
) -> Result<(Vec<OrderedLog>, State<J>)> {
    job.check()?;
    from.map_or(Ok(()), |from| from.check_config(&job.recorded_config()))?;
    let open = from.map(|from| from.restore_items(job)).transpose()?.unwrap_or_default();
    let first = job.work_items().start;
    let cursors = from.map(|from| &*from.tables);
    let tables = match sink {
        None => open_tables(folder, job.tables(), job.threads(), cursors, first)?,
        Some(sink) => open_results(job, folder, sink, first)?,
    };
    let restored = from.map(|from| from.restore_count(job, folder)).transpose()?;
    let (count, restored) = restored.unwrap_or_else(|| (job.empty_count(), first));
    Ok((tables, (count, restored, open)))
}

fn open_results<J: Job>(
    job: &J,
    folder: &RunFolder,
    sink: &RowSink,
    first: u64,
) -> Result<Vec<OrderedLog>> {
    let open = |(index, table): (usize, TableSpec)| {
        if index == job.results() {
            let opened = open_tables(folder, vec![table], job.threads(), None, first)?;
            return Ok(opened);
        }
        Ok(vec![OrderedLog::to_sink(folder.path(), &table, sink.clone(), first)])
    };
    let tables: Result<Vec<_>> = job.tables().into_iter().enumerate().map(open).collect();
    Ok(tables?.into_iter().flatten().collect())
}
