//! Defines the requirements that a game must meet for estimates by splitting.

use std::fmt;

use serde_json::Value;

use super::Importance;
use crate::error::setting::QUEUE;
use crate::error::{Error, Result};
use crate::placement::Step;
use crate::queue::QueueKind;

/// A game that restarts after each death and can branch between two pieces.
pub trait Splittable: Clone + fmt::Debug + Sync {
    /// State that a worker keeps between steps.
    type Player;
    /// A game between two pieces: the board and the known part of the queue, on which its future
    /// depends.
    type Path: Clone;

    /// Checks the settings.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] naming the setting to
    /// change.
    fn check(&self, importance: Importance) -> Result<()>;

    /// Returns the configuration as files record it; the number of games and the limits have no
    /// effect.
    fn entry(&self) -> Value;

    /// Returns the seed from which all random streams derive.
    fn seed(&self) -> u64;

    /// Returns the number of worker threads.
    fn threads(&self) -> usize;

    /// Returns the number of rows of the board, for a guideline game the visible ones. Fahey's
    /// extrapolation reads the share at the next height.
    fn rows(&self) -> usize;

    /// Returns the height of the highest possible stack, in rows.
    fn highest_stack(&self) -> usize;

    /// Creates the player of one worker.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] if the controller does not fit the board.
    fn player(&self) -> Result<Self::Player>;

    /// Returns game `index` of a seed before its first piece.
    fn begin(&self, seed: u64, index: u64) -> Self::Path;

    /// Returns a copy of the game with its own future: the known part of the queue stays, and the
    /// rest is drawn from stream `index` of the seed.
    fn fork(path: &Self::Path, seed: u64, index: u64) -> Self::Path;

    /// Places one piece. A piece without a valid placement ends the game, too, and counts.
    ///
    /// # Errors
    /// [`crate::error::Error::ScriptEnded`].
    fn step(&self, player: &mut Self::Player, path: &mut Self::Path) -> Result<Step>;

    /// Returns how close a path is to its end.
    fn importance(&self, importance: Importance, player: &Self::Player, path: &Self::Path)
    -> usize;
}

pub(super) fn check_queue(queue: &QueueKind) -> Result<()> {
    if queue.is_random() {
        return Ok(());
    }
    let text = format!(
        "this queue deals every game the same pieces, so there is nothing to estimate: play one \
         game with simulate, or choose {QUEUE} uniform or bag"
    );
    Err(Error::Config(text))
}
