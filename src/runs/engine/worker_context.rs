//! Connects a worker with its run. The worker sends rows, states and totals, and receives the stop
//! flag.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use super::Job;
use crate::record::Rows;

/// Running totals of all workers, for a progress display.
#[derive(Debug, Default)]
pub struct Totals {
    /// Number of finished games; in other runs, of another unit, such as boards.
    pub played: AtomicU64,
    /// Number of pieces placed, if the game has any.
    pub pieces: AtomicU64,
    /// Number of lines removed.
    pub lines: AtomicU64,
}

impl Totals {
    /// Adds the numbers of finished units (`played`), pieces and lines since a worker's last call.
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

/// Message from a worker to the writer.
pub(super) enum Event<J: Job> {
    /// Rows of the unfinished work item `item`, for the table with index `table`.
    Rows { item: u64, table: usize, rows: Rows },
    /// State of an unfinished work item.
    InPlay(Box<J::Resumable>),
    /// Finished work item, with the last rows of every table.
    Ended { number: u64, item: J::ItemResult, rows: Vec<Rows> },
}

/// Connection of a player to its run during one work item. The player sends rows and states to the
/// writer through it.
pub struct WorkerContext<'a, J: Job> {
    pub(super) item: u64,
    pub(super) stop: &'a AtomicBool,
    /// True if the run needs no more work items.
    pub(super) enough: &'a AtomicBool,
    pub(super) totals: &'a Totals,
    pub(super) sender: &'a SyncSender<Event<J>>,
}

impl<J: Job> WorkerContext<'_, J> {
    /// Returns the stop flag, which the user or a failure of the run raises. If it is true, the
    /// player must end the work item at once.
    #[must_use]
    pub fn stop(&self) -> &AtomicBool {
        self.stop
    }

    /// Returns true if the stop flag is raised or the run needs no more work items. A worker may
    /// then abandon its item, because items are counted only when they are complete and in order.
    #[must_use]
    pub fn is_halted(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.enough.load(Ordering::Relaxed)
    }

    /// Returns the running totals of all workers.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        self.totals
    }

    /// Sends rows to the writer, for the table with index `table` in [`Job::tables`]. In the table
    /// they precede all rows of this work item that are sent later.
    pub fn rows(&self, table: usize, rows: Rows) {
        if !rows.is_empty() {
            self.send(Event::Rows { item: self.item, table, rows });
        }
    }

    /// Sends the state of the work item to the writer, for the next checkpoint. All rows before
    /// that state must have been sent. A work item whose rows are logged must not use this method;
    /// a resumed run plays it again instead.
    pub fn open(&self, state: J::Resumable) {
        self.send(Event::InPlay(Box::new(state)));
    }

    /// Sends `event` to the writer. This fails only if the writer has ended, which raises `stop`,
    /// so the failure is ignored.
    fn send(&self, event: Event<J>) {
        let _ = self.sender.send(event);
    }
}
