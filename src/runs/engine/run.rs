//! The work items of a run on all cores: into a folder, or to whoever asks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use serde_json::Value;

use super::worker_context::Event;
use super::writer::Writer;
use super::{Checkpoint, Game, Manifest, Totals, WorkerContext};
use crate::error::Result;
use crate::record::{RunFolder, Status};
use crate::threads::{at_most, share};

/// Events that may wait for the writer before workers wait in turn.
const WAITING: usize = 64;

/// What a run came to.
#[derive(Debug)]
pub struct Played<G: Game> {
    /// What its work items came to.
    pub count: G::Count,
    /// `run.json` as written.
    pub manifest: Manifest<G>,
}

/// Plays a run into a folder, or goes on with it from a checkpoint there. Its checkpoints keep `settings`, what its
/// command was asked for, for whoever goes on with them; null when nobody asks. `totals` count for eyes; when `stop`
/// is raised, the work items that have ended are kept, and so they are after an error, which raises it. A folder in which
/// nothing would be kept is taken back.
///
/// # Errors
/// [`crate::error::Error::Config`] when the configuration makes no sense or the checkpoint is of another run;
/// otherwise the error that ended the run before any work item was kept.
pub fn play<G: Game>(
    game: &G,
    folder: RunFolder,
    from: Option<&Checkpoint<G>>,
    settings: &Value,
    totals: &Totals,
    stop: &AtomicBool,
) -> Result<Played<G>> {
    let started = (SystemTime::now(), Instant::now());
    let mut writer = match Writer::begin(game, &folder, from, settings) {
        Ok(writer) => writer,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    totals.played.store(writer.played(), Ordering::Relaxed);
    let (first, open) = (writer.first(), writer.open().clone());
    let ended = work_items(game, first, open, totals, stop, |event| writer.take(event));
    let status = match ended {
        Err(error) if writer.taken() == 0 => {
            drop(writer);
            folder.discard();
            return Err(error);
        }
        Err(error) => Status::Failed(error.to_string()),
        Ok(()) if writer.is_complete() => Status::Complete,
        Ok(()) => Status::Interrupted,
    };
    writer.finish(started, status)
}

/// Plays the work items of a run without a folder; `take` gets what each came to, in the order of ending, or of the
/// numbers where the game says so ([`Game::IN_ORDER`]), and says whether there is more to come.
///
/// # Errors
/// As [`Game::check`] and [`Game::play`]; what `take` returns.
pub fn each<G: Game>(
    game: &G,
    totals: &Totals,
    stop: &AtomicBool,
    mut take: impl FnMut(G::ItemResult) -> Result<bool>,
) -> Result<()> {
    game.check()?;
    work_items(game, game.work_items().start, BTreeMap::new(), totals, stop, |event| match event {
        Event::Ended { item, .. } => take(item),
        Event::Rows { .. } | Event::InPlay(_) => Ok(true),
    })
}

/// Plays the work items from one on, those that are `open` from where they stand, and hands what happens on to `take`
/// until it has enough. Work items end in order where the game says so, else in any.
fn work_items<G: Game>(
    game: &G,
    first: u64,
    open: BTreeMap<u64, G::Resumable>,
    totals: &Totals,
    stop: &AtomicBool,
    mut take: impl FnMut(Event<G>) -> Result<bool>,
) -> Result<()> {
    let (next, enough) = (AtomicU64::new(first), AtomicBool::new(false));
    let open = Mutex::new(open);
    // Taken out by whichever worker gets the number: a work item goes on from its state once.
    let left_open = |item: u64| open.lock().unwrap_or_else(PoisonError::into_inner).remove(&item);
    let halted = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
    let fail = || stop.store(true, Ordering::Relaxed);
    let work = |sender: &SyncSender<Event<G>>| {
        // Made by the worker, since a player need not be able to go to another thread.
        let mut player = game.player()?;
        while !halted() {
            // Relaxed, since numbers have to be different and nothing else is shared by them.
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= game.work_items().end {
                break;
            }
            let context = WorkerContext { item: number, stop, totals, sender };
            let ended = game.play(&mut player, number, left_open(number), &context)?;
            let Some((item, rows)) = ended else { break };
            // A writer that has enough, or has failed, has gone away.
            let _ = sender.send(Event::Ended { number, item, rows });
        }
        Ok(())
    };
    let (mut waiting, mut expected, mut more) = (BTreeMap::new(), first, true);
    let threads = at_most(game.threads(), game.work_items().end.saturating_sub(first));
    share(threads, WAITING, fail, work, |event| {
        match event {
            Event::Ended { number, .. } if G::IN_ORDER => {
                waiting.insert(number, event);
                // Work items that ended before their turn wait here; a work item that comes late lets all that wait for
                // it go.
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
