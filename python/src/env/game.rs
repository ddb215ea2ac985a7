//! Interface of the games that learning code steps, and the types that all of them use.

use pyo3::IntoPyObject;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tetrastat::board::{Board, BoardSize, ROWS};
use tetrastat::error::{Error, Result};

use crate::afterstates::{Afterstate, Measurable};

/// Number that stands for a missing piece. Pieces have the numbers 0 to 6.
pub(super) const NO_PIECE: u8 = 7;

/// Game to start: a number under a seed, and the board at the start.
pub(super) struct Start {
    pub seed: u64,
    pub game: u64,
    /// True if the game follows the last one of the same seed.
    pub is_next: bool,
    /// Board at the start; `None` for an empty board.
    pub board: Option<Board>,
}

/// Effect of an action on a game.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Played {
    /// Number of rows removed.
    pub lines: u32,
    /// Number of pieces placed: 0 or 1.
    pub pieces: u32,
    pub points: u32,
    pub lost: bool,
    /// True if the game is over by its own rules.
    pub terminated: bool,
    /// True if the game was ended from outside, for example by a limit.
    pub truncated: bool,
}

/// Sizes of a game's observations and actions, which Python reads as a dictionary.
#[derive(Clone, Copy, Debug, IntoPyObject)]
pub(super) struct Shape {
    /// Number of planes: 2 if one shows the falling piece, otherwise 1.
    pub planes: usize,
    pub height: usize,
    pub width: usize,
    /// Number of pieces in an observation, the current one first.
    pub dealt: usize,
    /// Number of status values, which depend on the game.
    pub status: usize,
    pub actions: usize,
    /// Number of rows of a board from which a game can start.
    pub start_height: usize,
}

/// A game that proceeds by numbered actions: its rules and options, without the state of a game in
/// progress. The caller passes only legal actions, and none after the end.
pub(super) trait Game: Send + Sync + 'static {
    /// State of a game in progress. Its stored form has no options.
    type State: Clone + Send + Sync + Serialize + DeserializeOwned;
    /// Result of a placement.
    type After: Measurable;

    /// Returns the sizes of the observations and actions.
    fn shape(&self) -> Shape;

    /// Returns the state before the first game starts.
    fn idle(&self) -> Result<Self::State>;

    /// Starts a new game.
    fn begin(&self, state: &mut Self::State, start: &Start) -> Result<()>;

    /// Returns true if `action`, a number below [`Shape::actions`], is legal now.
    fn is_legal(&self, state: &Self::State, action: usize) -> bool;

    /// Performs `action`, which must be legal.
    fn act(&self, state: &mut Self::State, action: usize) -> Result<Played>;

    /// Returns the bit-packed rows of the settled cells, floor first.
    fn rows(&self, state: &Self::State) -> [u16; ROWS];

    /// Calls a function with the column and row of each cell of the falling piece, if the game has
    /// one.
    fn falling(&self, _: &Self::State, _: impl FnMut(usize, usize)) {}

    /// Writes the numbers of the pieces in an observation to `out`, [`NO_PIECE`] for none.
    fn dealt(&self, state: &mut Self::State, out: &mut [u8]);

    /// Writes the status values to `out`.
    fn status(&self, _: &Self::State, _: &mut [f32]) {}

    /// Writes the action mask to `out`: one byte per action, 1 if the action is legal.
    fn mask(&self, state: &Self::State, out: &mut [u8]);

    /// Returns the state after the last placement.
    fn latest(&self, state: &Self::State) -> Afterstate;

    /// Returns the number of every legal action that is a placement, with its result.
    fn afterstates(&self, _: &Self::State) -> Vec<(usize, Self::After)> {
        Vec::new()
    }

    /// Replaces the pieces that are not visible yet by others of the same distribution, which
    /// depend on `seed`. Later games do not change.
    fn branch(&self, state: &mut Self::State, seed: u64);

    /// Completes a state that was read from its stored form. `is_ended` is true if the game is over
    /// by its own rules.
    fn restore(&self, state: &mut Self::State, is_ended: bool) -> Result<()>;

    /// Returns the number of rows in a picture of a stack of this height.
    fn pictured_rows(&self, stack: usize) -> usize {
        self.shape().height.max(stack)
    }

    /// Returns the line below a picture, from the letters of the pieces in an observation and the
    /// rows, pieces and points of the game so far.
    fn caption(&self, dealt: &[&str], [lines, pieces, _]: [i64; 3]) -> String {
        format!("{}  {lines} lines, {pieces} pieces\n", dealt.join(" "))
    }
}

/// Returns an error if a board of a stored state is not valid or not of `size`.
pub(super) fn check_restored(board: &Board, size: BoardSize) -> Result<()> {
    if board.size() != size || board.validate().is_err() { Err(damaged()) } else { Ok(()) }
}

/// Returns the error for bytes that are no state.
pub(super) fn damaged() -> Error {
    Error::Config("state: it is damaged, or not from get_state".to_owned())
}
