//! What a worker hands over while it plays, and what it is told.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::Game;
use crate::record::Rows;

/// Running totals over all workers, for those who look on.
#[derive(Debug, Default)]
pub struct Totals {
    /// Games that ended, or what else a run is counted by.
    pub played: AtomicU64,
    /// Pieces placed, where the game has any.
    pub pieces: AtomicU64,
    /// Lines removed.
    pub lines: AtomicU64,
}

impl Totals {
    /// Adds what was played since the last call.
    pub fn add(&self, played: u64, pieces: u64, lines: u64) {
        for (total, more) in [(&self.played, played), (&self.pieces, pieces), (&self.lines, lines)]
        {
            // All workers write to these: a call that has nothing to add should not take the cache line from
            // them.
            if more > 0 {
                total.fetch_add(more, Ordering::Relaxed);
            }
        }
    }
}

/// What workers tell the writer.
pub(super) enum Event<G: Game> {
    /// Rows of a work item in play, for the table of this place.
    Rows { item: u64, table: usize, rows: Rows },
    /// A work item in play.
    InPlay(Box<G::Resumable>),
    /// A work item that ended, with the last rows of every table.
    Ended { number: u64, item: G::ItemResult, rows: Vec<Rows> },
}

/// Where the player of a work item hands in what it has before the work item ends.
pub struct WorkerContext<'a, G: Game> {
    pub(super) item: u64,
    pub(super) stop: &'a AtomicBool,
    pub(super) totals: &'a Totals,
    pub(super) sender: &'a SyncSender<Event<G>>,
}

impl<G: Game> WorkerContext<'_, G> {
    /// Raised when the work item is to end at once, because the user says so or the run has failed.
    #[must_use]
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    /// Running totals for those who look on.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        self.totals
    }

    /// Hands over rows of a table by its place among [`Game::tables`]. They come before all that are handed over
    /// later.
    pub fn rows(&self, table: usize, rows: Rows) {
        if !rows.is_empty() {
            self.send(Event::Rows { item: self.item, table, rows });
        }
    }

    /// Hands over the state of the work item, for the next checkpoint. Rows before it must not be missing: a work item whose
    /// rows are logged is played again instead.
    pub fn open(&self, state: G::Resumable) {
        self.send(Event::InPlay(Box::new(state)));
    }

    /// A writer that has gone away has raised `stop`; there is nothing left to tell it.
    fn send(&self, event: Event<G>) {
        let _ = self.sender.send(event);
    }
}
