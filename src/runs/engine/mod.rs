//! Runs of any game: workers, order, checkpoint, tables, `run.json`, each once.
//!
//! A game says what a run of it is ([`Game`]); [`play`] plays the work items of a run on all cores into a
//! folder, to the same bytes for any number of threads and wherever it was stopped in between. [`each`] plays
//! them without a folder.

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

/// What `run.json` and `datapackage.json` say of games, whoever played them: the engine, or a person.
pub trait Described: Sized {
    /// The configuration as `run.json` has it: compared to tell one run from another, and read back.
    type Entry: Clone + PartialEq + Serialize + DeserializeOwned + Debug + Send + 'static;
    /// What `run.json` says of what was played.
    type Totals: Clone + Serialize + DeserializeOwned + Debug;

    /// Name, title and description of the data package.
    fn describe(manifest: &Manifest<Self>) -> [String; 3];

    /// What a run is made of besides the program, as the data package says it: where its controller comes from.
    fn sources(_: &Self::Entry) -> Vec<Value> {
        Vec::new()
    }
}

/// Time between two checkpoints, where nobody says otherwise.
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(3);

/// A run of some game, configured: what is played, and what becomes of it.
///
/// A run is a row of work items with numbers from 0: games, or batches of them where one is too short to be handed
/// over alone. Each is played from its number and the configuration alone, by any worker. Of a long one rows may be
/// handed over while it is played, and its state, from which a later process goes on with it ([`WorkerContext`]).
///
/// What has a default here suits a game whose work items are short, and whose count is small.
pub trait Game: Described + Clone + Debug + Sync + 'static {
    /// What a run of it is called, with its article.
    const OF: &'static str = "a run";
    /// What the configuration calls the game, if it names one: that of classic games, which came first, does not.
    const NAME: Option<&'static str>;
    /// Whether work items are taken in the order of their numbers, and checkpoints keep the count: because what has been
    /// counted decides what of a work item is kept, or because waiting costs nothing. Else they are taken as they come, the
    /// tables put their rows in order, and the count is read back from the results ([`Game::recall`]), which then have
    /// one row for each work item.
    const IN_ORDER: bool = true;

    /// What a worker keeps from one work item to the next.
    type Player;
    /// What a work item came to, besides its rows.
    type ItemResult: Send;
    /// A work item between two of its decisions, complete enough to go on with; [`NotResumable`] where work items are too short.
    type Resumable: Resumable;
    /// What the work items so far came to.
    type Count: Default + Serialize + DeserializeOwned;

    /// Checks what types cannot.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// The configuration as `run.json` has it.
    fn entry(&self) -> Self::Entry;

    /// The tables, in the order in which [`Game::play`] returns their rows.
    fn tables(&self) -> Vec<TableSpec>;

    /// The place among them of the results: one row for each game. Comparisons read that table, and it is finished
    /// last, since what others lose when a disk is full may make room for it.
    fn results(&self) -> usize {
        0
    }

    /// The table of the results, if there is one.
    fn result_table(&self) -> Option<TableSpec> {
        self.tables().into_iter().nth(self.results())
    }

    /// The files of the tables.
    fn files(&self) -> Vec<String> {
        self.tables().into_iter().map(|table| table.file).collect()
    }

    /// Worker threads.
    fn threads(&self) -> usize {
        all_cores()
    }

    /// Time between two checkpoints.
    fn checkpoint_every(&self) -> Duration {
        CHECKPOINT_EVERY
    }

    /// The instruction level of the kernels, where the game has any.
    fn level(&self) -> Option<String> {
        None
    }

    /// Numbers of the work items to play; of a run that ends by what is counted, more than there will be.
    fn work_items(&self) -> Range<u64>;

    /// One who plays, for a worker.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] when the configuration has no player.
    fn player(&self) -> Result<Self::Player>;

    /// Plays a work item from its beginning or from where a checkpoint left it; `None` when `context` told it to stop and
    /// nothing is to be kept of it.
    ///
    /// # Errors
    /// What ends the run.
    fn play(
        &self,
        player: &mut Self::Player,
        item: u64,
        from: Option<Self::Resumable>,
        context: &WorkerContext<Self>,
    ) -> Result<Option<(Self::ItemResult, Vec<Rows>)>>;

    /// Whether a work item was cut off when the run was stopped: its rows are kept in the tables, and a run that goes on
    /// plays it again.
    fn is_cut(_: &Self::ItemResult) -> bool {
        false
    }

    /// A work item as it was when the checkpoint was written, completed with what the configuration says.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] when it is of another run.
    fn reopened(&self, open: Self::Resumable) -> Result<Self::Resumable> {
        Ok(open)
    }

    /// The count of no work item.
    fn none(&self) -> Self::Count {
        Self::Count::default()
    }

    /// The count where a checkpoint left it. Of work items that are taken in order, that is what the checkpoint kept; of
    /// others the tables of that moment lie in the folder.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when they can't be read back.
    fn recall(&self, kept: Self::Count, _: &RunFolder) -> Result<Self::Count> {
        Ok(kept)
    }

    /// Takes a work item that the count does not have; its rows may be replaced. Whether there is more to come.
    fn take(
        &self,
        count: &mut Self::Count,
        number: u64,
        item: Self::ItemResult,
        rows: &mut Vec<Rows>,
    ) -> bool;

    /// Whether all was played: `counted` is the first work item that the count does not have.
    fn is_complete(&self, counted: u64, _: &Self::Count) -> bool {
        counted >= self.work_items().end
    }

    /// Puts a count in order that will not grow any more.
    fn end(_: &mut Self::Count) {}

    /// What `run.json` says of the count.
    fn totals(count: &Self::Count) -> Self::Totals;

    /// How much of the progress that people see is made when a run goes on from this work item.
    fn played(&self, _: &Self::Count, first: u64) -> u64 {
        first - self.work_items().start
    }
}

/// The state of a work item, as a checkpoint keeps it.
pub trait Resumable: Clone + Serialize + DeserializeOwned + Debug + Send + 'static {
    /// The number of the work item.
    fn number(&self) -> u64;
}

/// The state of a work item in a game whose work items are too short to be left open.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum NotResumable {}

impl Resumable for NotResumable {
    fn number(&self) -> u64 {
        // No value of it exists, so that there is nothing to answer for: the compiler knows that nobody gets
        // here.
        match *self {}
    }
}
