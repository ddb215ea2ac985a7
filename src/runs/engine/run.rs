//! Plays the work items of a run on all cores, and writes them to a folder or passes them to a
//! function.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::worker_context::Event;
use super::writer::Writer;
use super::{Job, Manifest, RunState, Totals, WorkerContext};
use crate::error::Result;
use crate::record::{Checkpoint, RowSink, RunFolder, Status, has_checkpoint};
use crate::threads::{produce_and_consume, useful_threads};

/// Number of events that may wait for the writer before workers have to wait.
const WAITING: usize = 64;

/// Result of a run that was played into a folder.
#[derive(Debug)]
pub struct Played<J: Job> {
    /// Accumulated results of the finished work items ([`Job::Count`]).
    pub count: J::Count,
    /// Contents of `run.json`, as written.
    pub manifest: Manifest<J>,
}

/// Plays a run into `folder`, or resumes it from the checkpoint `from` of that folder.
///
/// Checkpoints store `settings`, the settings of the command, for a later resume; null if the
/// command needs none. `totals` is only for a progress display. If `stop` is raised, or after an
/// error, finished work items are kept. If no work item is finished by then, the folder is removed.
///
/// With `sink`, only the table of the results is written to the folder. The rows of the logs go to
/// `sink`, in the order that they would have in files. `from` must then be `None`, since logs that
/// are not written can't be resumed.
///
/// # Errors
/// [`crate::error::Error::Config`] if the configuration is invalid or the checkpoint belongs to
/// another run. Otherwise the error that ended the run before any work item was kept, or the
/// error of `sink`.
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
        false => work_items(job, first, open, totals, stop, |event| writer.take(event)),
    };
    let status = match ended {
        Err(error) if writer.taken() == 0 => {
            writer.discard();
            return Err(error);
        }
        Err(error) => Status::Failed(error.to_string()),
        Ok(()) if writer.is_complete() => Status::Complete,
        Ok(()) => Status::Interrupted,
    };
    writer.finish(status)
}

/// Plays a run into the folder `path`, or resumes it if the folder has a checkpoint. A folder
/// without a checkpoint, for example of a program that was killed before the first one, is
/// replaced.
///
/// # Errors
/// The errors of [`play`]; [`crate::error::Error::Config`] if the checkpoint is damaged.
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

/// Plays the work items of a run without a folder. `take` receives each result and returns true to
/// continue. Results arrive in the order of the item numbers if [`Job::IN_ORDER`] is true,
/// otherwise in the order of ending.
///
/// # Errors
/// The errors of [`Job::check`], [`Job::play`] and `take`.
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

/// Plays work items from number `first` until `take` returns false or no item is left. `take`
/// receives all events. Items in `open` are resumed from their states. If [`Job::IN_ORDER`] is
/// true, `take` receives the ends of items in the order of their numbers.
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
    let left_open = |item: u64| open.lock().unwrap_or_else(PoisonError::into_inner).remove(&item);
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
            let ended = job.play(&mut player, number, left_open(number), &context)?;
            let Some((item, rows)) = ended else { break };
            // Sending fails only if the writer has enough or has failed.
            let _ = sender.send(Event::Ended { number, item, rows });
        }
        Ok(())
    };
    let (mut waiting, mut expected, mut more) = (BTreeMap::new(), first, true);
    let threads = useful_threads(job.threads(), job.work_items().end.saturating_sub(first));
    produce_and_consume(threads, WAITING, fail, work, |event| {
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
