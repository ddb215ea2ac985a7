//! Connects a worker with its run: rows, states and totals go out, the stop flag comes in.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::Game;
use crate::record::Rows;

/// Running totals over all workers, for a progress display.
#[derive(Debug, Default)]
pub struct Totals {
    /// Number of finished games, or of another unit of the run.
    pub played: AtomicU64,
    /// Number of pieces placed, if the game has any.
    pub pieces: AtomicU64,
    /// Number of lines removed.
    pub lines: AtomicU64,
}

impl Totals {
    /// Adds the amounts since the last call.
    pub fn add(&self, played: u64, pieces: u64, lines: u64) {
        for (total, more) in [(&self.played, played), (&self.pieces, pieces), (&self.lines, lines)]
        {
            // All workers write these totals, so a call with nothing to add must not take the cache
            // line from them.
            if more > 0 {
                total.fetch_add(more, Ordering::Relaxed);
            }
        }
    }
}

/// Message from a worker to the writer.
pub(super) enum Event<G: Game> {
    /// Rows of an unfinished work item, for the table with this index.
    Rows { item: u64, table: usize, rows: Rows },
    /// State of an unfinished work item.
    InPlay(Box<G::Resumable>),
    /// Finished work item, with the last rows of every table.
    Ended { number: u64, item: G::ItemResult, rows: Vec<Rows> },
}

/// Connection through which a player hands over rows and states during a work item.
pub struct WorkerContext<'a, G: Game> {
    pub(super) item: u64,
    pub(super) stop: &'a AtomicBool,
    pub(super) totals: &'a Totals,
    pub(super) sender: &'a SyncSender<Event<G>>,
}

impl<G: Game> WorkerContext<'_, G> {
    /// Returns the flag that ends a work item at once, raised by the user or by a failure of the
    /// run.
    #[must_use]
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    /// Returns the running totals.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        self.totals
    }

    /// Hands over rows for the table with index `table` in [`Game::tables`]. They precede all rows
    /// handed over later.
    pub fn rows(&self, table: usize, rows: Rows) {
        if !rows.is_empty() {
            self.send(Event::Rows { item: self.item, table, rows });
        }
    }

    /// Hands over the state of the work item for the next checkpoint. All rows before that state
    /// must have been handed over. A work item whose rows are logged must not use this method; it
    /// is played again instead.
    pub fn open(&self, state: G::Resumable) {
        self.send(Event::InPlay(Box::new(state)));
    }

    /// Sending fails only if the writer has ended, which raises `stop`; the failure can be ignored.
    fn send(&self, event: Event<G>) {
        let _ = self.sender.send(event);
    }
}
