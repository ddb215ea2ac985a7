//! Runs of any game: workers, order, checkpoint, tables, `run.json`, each once.
//!
//! A game says what a run of it is ([`Game`]); [`play`] plays the units of a run on all cores into a
//! folder, to the same bytes for any number of threads and wherever it was stopped in between.

mod checkpoint;
mod manifest;
mod run;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use checkpoint::Checkpoint;
pub use manifest::Manifest;
pub use run::{Played, play};

use crate::error::Result;
use crate::record::{Rows, RunFolder, Status, TableSpec};

/// A run of some game, configured: what is played, and what becomes of it.
///
/// A run is a row of units with numbers from 0: games, or batches of them where one is too short to be handed
/// over alone. Each is played from its number and the configuration alone, by any worker.
pub trait Game: Clone + Debug + Sync {
    /// What a run of it is called, with its article.
    const OF: &'static str;
    /// What the configuration calls the game.
    const NAME: &'static str;
    /// Whether units are taken in the order of their numbers, because what has been counted decides what of
    /// a unit is kept. Else they are taken as they come, and the tables put their rows in order.
    const IN_ORDER: bool;

    /// The configuration as `run.json` has it: compared to tell one run from another, and read back.
    type Entry: Clone + PartialEq + Serialize + DeserializeOwned + Debug;
    /// What a worker keeps from one unit to the next.
    type Player;
    /// What a unit came to, besides its rows.
    type Unit: Send;
    /// What the units so far came to.
    type Count;
    /// What of that a checkpoint must keep, since no table has it.
    type Kept: Clone + Serialize + DeserializeOwned + Debug;
    /// What `run.json` says of the count.
    type Totals: Clone + Serialize + DeserializeOwned + Debug;

    /// Checks what types cannot.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] naming the setting to change.
    fn check(&self) -> Result<()>;

    /// The configuration as `run.json` has it.
    fn entry(&self) -> Self::Entry;

    /// The tables, in the order in which [`Game::play`] returns their rows.
    fn tables(&self) -> Vec<TableSpec>;

    /// The files of the tables.
    fn files(&self) -> Vec<String> {
        self.tables().into_iter().map(|table| table.file).collect()
    }

    /// Worker threads.
    fn threads(&self) -> usize;

    /// Time between two checkpoints.
    fn checkpoint_every(&self) -> Duration;

    /// The instruction level of the kernels, where the game has any.
    fn level(&self) -> Option<String>;

    /// Numbers of the units to play; of a run that ends by what is counted, more than there will be.
    fn units(&self) -> Range<u64>;

    /// One who plays, for a worker.
    fn player(&self) -> Self::Player;

    /// Plays a unit; `None` when `halted` said so before it ended.
    fn play(
        &self,
        player: &mut Self::Player,
        unit: u64,
        halted: &dyn Fn() -> bool,
    ) -> Option<(Self::Unit, Vec<Rows>)>;

    /// How far a unit takes the progress that people see.
    fn steps(unit: &Self::Unit) -> u64;

    /// The count at the beginning, or where a checkpoint left it; the tables of that lie in the folder.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when they can't be read back.
    fn count(&self, from: Option<(&Self::Kept, &RunFolder)>) -> Result<Self::Count>;

    /// The first unit that a count does not have: in a run that goes on, those before it are only played for
    /// their rows.
    fn counted(&self, count: &Self::Count) -> u64;

    /// Takes a unit that the count does not have; its rows may be replaced. Whether there is more to come.
    fn take(
        &self,
        count: &mut Self::Count,
        number: u64,
        unit: Self::Unit,
        rows: &mut Vec<Rows>,
    ) -> bool;

    /// What a checkpoint keeps of the count.
    fn kept(count: &Self::Count) -> Self::Kept;

    /// Whether all was played.
    fn is_complete(&self, count: &Self::Count) -> bool;

    /// Puts a count in order that will not grow any more.
    fn end(_: &mut Self::Count) {}

    /// What `run.json` says of the count.
    fn totals(count: &Self::Count) -> Self::Totals;

    /// Name, title and description of the data package.
    fn describe(entry: &Self::Entry, totals: &Self::Totals, status: &Status) -> [String; 3];

    /// Sets the progress that people see to where the run goes on, from this unit.
    fn show(&self, count: &Self::Count, first: u64, played: &AtomicU64);
}
