//! Runs games of any kind: workers, order, checkpoints, tables and `run.json`.
//!
//! A type implements [`Game`] to define a run. [`play`] plays the work items of a run on all cores
//! into a folder. The bytes are identical for any number of threads and any interruptions. [`each`]
//! plays the items without a folder.

mod checkpoint;
mod comparable;
mod manifest;
mod run;
mod worker_context;
mod writer;

use std::fmt::Debug;
use std::ops::Range;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use checkpoint::Checkpoint;
pub use comparable::{Comparable, Measure};
pub use manifest::Manifest;
pub use run::{Played, each, play};
pub use worker_context::{Totals, WorkerContext};

use crate::error::Result;
use crate::record::{Rows, RunFolder, TableSpec};
use crate::threads::all_cores;

/// A game that `run.json` and `datapackage.json` can describe, played by the engine or by a person.
pub trait Described: Sized {
    /// Configuration as stored in `run.json`; it identifies a run and is read back.
    type Entry: Clone + PartialEq + Serialize + DeserializeOwned + Debug + Send + 'static;
    /// Totals of the run, as stored in `run.json`.
    type Totals: Clone + Serialize + DeserializeOwned + Debug;

    /// Returns name, title and description of the data package.
    fn describe(manifest: &Manifest<Self>) -> [String; 3];

    /// Returns the sources of a run for the data package, for example of its controller.
    fn sources(_: &Self::Entry) -> Vec<Value> {
        Vec::new()
    }
}

/// Default time between two checkpoints.
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(3);

/// A configured run of some game.
///
/// A run is a sequence of work items numbered from 0: games, or batches of games that are too short
/// alone. Any worker can play an item from its number and the configuration. A long item may hand
/// over rows while it is played, and its state, from which a later process resumes it
/// ([`WorkerContext`]).
///
/// The defaults suit a game with short work items and a small count.
pub trait Game: Described + Clone + Debug + Sync + 'static {
    /// Phrase for a run of this game, with its article.
    const OF: &'static str = "a run";
    /// Name of the game in configurations; `None` for classic games, which came first.
    const NAME: Option<&'static str>;
    /// True if work items are taken in the order of their numbers and checkpoints keep the count. A
    /// game needs this if earlier counts decide what is kept of an item; it may choose it if
    /// waiting is cheap.
    ///
    /// Otherwise items are taken in any order, and the tables sort their rows. The count is then
    /// read back from the results ([`Game::recall`]), which must have one row for each item.
    const IN_ORDER: bool = true;

    /// State that a worker keeps between work items.
    type Player;
    /// Result of a work item, in addition to its rows.
    type ItemResult: Send;
    /// State of an unfinished work item from which it can be resumed; [`NotResumable`] if work
    /// items are too short.
    type Resumable: Resumable;
    /// Count over the finished work items.
    type Count: Default + Serialize + DeserializeOwned;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Returns the configuration as stored in `run.json`.
    fn entry(&self) -> Self::Entry;

    /// Returns the tables, in the order in which [`Game::play`] returns their rows.
    fn tables(&self) -> Vec<TableSpec>;

    /// Returns the index of the results among the tables: the table with one row per game.
    /// Comparisons read this table. It is finished last, because rows lost from others on a full
    /// disk may make room for it.
    fn results(&self) -> usize {
        0
    }

    /// Returns the table of the results, if the game has one.
    fn result_table(&self) -> Option<TableSpec> {
        self.tables().into_iter().nth(self.results())
    }

    /// Returns the file names of the tables.
    fn files(&self) -> Vec<String> {
        self.tables().into_iter().map(|table| table.file).collect()
    }

    /// Returns the number of worker threads.
    fn threads(&self) -> usize {
        all_cores()
    }

    /// Returns the time between two checkpoints.
    fn checkpoint_every(&self) -> Duration {
        CHECKPOINT_EVERY
    }

    /// Returns the instruction level of the kernels, if the game has any.
    fn level(&self) -> Option<String> {
        None
    }

    /// Returns the numbers of the work items to play. A run that ends by its count gives a range
    /// beyond its end.
    fn work_items(&self) -> Range<u64>;

    /// Creates the player of one worker.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] if the configuration
    /// has no player.
    fn player(&self) -> Result<Self::Player>;

    /// Plays a work item from its beginning or from the state of a checkpoint. Returns `None` if
    /// `context` stopped it and nothing of it is kept.
    ///
    /// # Errors
    /// Any error that ends the run.
    fn play(
        &self,
        player: &mut Self::Player,
        item: u64,
        from: Option<Self::Resumable>,
        context: &WorkerContext<Self>,
    ) -> Result<Option<(Self::ItemResult, Vec<Rows>)>>;

    /// Returns true if a stop cut the work item off. Its rows stay in the tables, and a resumed run
    /// plays it again.
    fn is_cut(_: &Self::ItemResult) -> bool {
        false
    }

    /// Restores a work item from a checkpoint and completes it from the configuration.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] if it belongs to another run.
    fn reopened(&self, open: Self::Resumable) -> Result<Self::Resumable> {
        Ok(open)
    }

    /// Returns the count with which a new run begins, before any work item is added to it.
    fn none(&self) -> Self::Count {
        Self::Count::default()
    }

    /// Restores the count from a checkpoint. For items taken in order, `kept` is the count. For
    /// others, the folder holds the tables as of the checkpoint.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] if they can't be read back.
    fn recall(&self, kept: Self::Count, _: &RunFolder) -> Result<Self::Count> {
        Ok(kept)
    }

    /// Adds a work item to the count and may replace its rows. Returns true if more items are
    /// needed.
    fn take(
        &self,
        count: &mut Self::Count,
        number: u64,
        item: Self::ItemResult,
        rows: &mut Vec<Rows>,
    ) -> bool;

    /// Returns true if the run is complete; `counted` is the first work item that is not counted.
    fn is_complete(&self, counted: u64, _: &Self::Count) -> bool {
        counted >= self.work_items().end
    }

    /// Sorts the entries of the run's count after the last work item.
    fn end(_: &mut Self::Count) {}

    /// Returns the totals for `run.json`.
    fn totals(count: &Self::Count) -> Self::Totals;

    /// Returns the displayed progress of a run that resumes at work item `first`.
    fn played(&self, _: &Self::Count, first: u64) -> u64 {
        first - self.work_items().start
    }
}

/// State of an unfinished work item in a checkpoint.
pub trait Resumable: Clone + Serialize + DeserializeOwned + Debug + Send + 'static {
    /// Returns the number of the work item.
    fn number(&self) -> u64;
}

/// State type of a game whose work items are too short to be resumed; it has no values.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum NotResumable {}

impl Resumable for NotResumable {
    fn number(&self) -> u64 {
        // The type has no values, so this code is never reached.
        match *self {}
    }
}
