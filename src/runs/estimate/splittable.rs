//! What an estimate asks of a game.

use std::fmt;

use serde_json::Value;

use super::Importance;
use crate::error::setting::QUEUE;
use crate::error::{Error, Result};
use crate::placement::Step;
use crate::queue::QueueKind;

/// A game that begins anew whenever it has died, and that can branch between two pieces.
pub trait Splittable: Clone + fmt::Debug + Sync {
    /// What a worker keeps.
    type Player;
    /// A game between two pieces: all that its future depends on, the board and what is known of the queue.
    type Path: Clone;

    /// Checks what types cannot.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] naming the setting to change.
    fn check(&self, importance: Importance) -> Result<()>;

    /// Who plays what, as files have it. Its games and limits say nothing here.
    fn entry(&self) -> Value;

    /// The seed that every stream derives from.
    fn seed(&self) -> u64;

    /// Worker threads.
    fn threads(&self) -> usize;

    /// Rows of the board; of a guideline game those in view. Fahey's extrapolation reads the share of the next height.
    fn rows(&self) -> usize;

    /// The highest stack there can be, in rows.
    fn highest_stack(&self) -> usize;

    /// One who plays.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] when the controller does not fit the board.
    fn player(&self) -> Result<Self::Player>;

    /// Game `index` of a seed before its first piece.
    fn begin(&self, seed: u64, index: u64) -> Self::Path;

    /// The same game with a future of its own: what is known of the queue stays, the rest is drawn from stream `index`
    /// of the seed.
    fn fork(path: &Self::Path, seed: u64, index: u64) -> Self::Path;

    /// Places one piece. A piece that finds no place ends the game, too, and counts.
    ///
    /// # Errors
    /// [`crate::error::Error::ScriptEnded`].
    fn step(&self, player: &mut Self::Player, path: &mut Self::Path) -> Result<Step>;

    /// How near a path is to its end.
    fn importance(&self, importance: Importance, player: &Self::Player, path: &Self::Path)
    -> usize;
}

pub(super) fn check_queue(queue: &QueueKind) -> Result<()> {
    if queue.is_random() {
        return Ok(());
    }
    let text = format!(
        "this queue deals every game the same pieces, so there is nothing to estimate: play one game with simulate, or choose {QUEUE} uniform or bag"
    );
    Err(Error::Config(text))
}
