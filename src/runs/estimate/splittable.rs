//! Defines what a game must provide for estimates by splitting.

use std::fmt;

use serde::Serialize;

use super::Importance;
use crate::error::setting::{BOARD_FILE, GARBAGE, POLICY, QUEUE};
use crate::error::{Error, Result};
use crate::placement::Step;
use crate::queue::QueueKind;
use crate::search::Policy;

/// A game that can start again after each death, and of which copies can be made between two
/// pieces.
pub trait Splittable: Clone + fmt::Debug + Serialize + Sync {
    /// Player of a worker thread, with the state that it keeps between steps.
    type Player;
    /// State of a game between two pieces: the board and the known part of the queue, on which its
    /// future depends.
    type Path: Clone;

    /// Checks the settings of the game for an estimate by `importance`.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] naming the setting to
    /// change.
    fn check(&self, importance: Importance) -> Result<()>;

    /// Returns the seed from which all random streams derive.
    fn seed(&self) -> u64;

    /// Returns the number of worker threads.
    fn threads(&self) -> usize;

    /// Returns the number of rows of the board; for a guideline game, of visible rows. Fahey's
    /// extrapolation ends a game at the next height.
    fn rows(&self) -> usize;

    /// Returns the height of the highest possible stack, in rows.
    fn highest_stack(&self) -> usize;

    /// Creates the player of one worker thread.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] if the controller does not fit the board.
    fn player(&self) -> Result<Self::Player>;

    /// Returns game number `index` of `seed` before its first piece.
    fn begin(&self, seed: u64, index: u64) -> Self::Path;

    /// Returns a copy of the game with its own future. The known part of the queue stays, and the
    /// rest is drawn from stream `index` of `seed`.
    fn fork(path: &Self::Path, seed: u64, index: u64) -> Self::Path;

    /// Places one piece in the game `path`. A piece without a valid placement also counts, and ends
    /// the game.
    ///
    /// # Errors
    /// [`crate::error::Error::ScriptEnded`].
    fn step(&self, player: &mut Self::Player, path: &mut Self::Path) -> Result<Step>;

    /// Returns how close the game `path` is to its end, by the measure `importance`.
    fn importance(&self, importance: Importance, player: &Self::Player, path: &Self::Path)
    -> usize;
}

/// Checks that the best placements are played, because the copies of a split game have no draws of
/// their own.
pub(super) fn check_policy(policy: Policy) -> Result<()> {
    if policy == Policy::Best {
        return Ok(());
    }
    Err(Error::Config(format!(
        "an estimate plays the best placements, not policy {policy}: leave out {POLICY}, or play \
         the games with simulate"
    )))
}

/// Checks that all games start from one board, which the levels of an estimate begin above.
pub(super) fn check_start(rows: usize) -> Result<()> {
    if rows == 0 {
        return Ok(());
    }
    Err(Error::Config(format!(
        "an estimate starts all games from one board: leave out {GARBAGE}, give {BOARD_FILE}, or \
         play the games with simulate"
    )))
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
