//! Interface of the games that learning code steps, and the types that all of them use.

use serde::{Deserialize, Serialize};
use tetrastat::board::{Board, BoardSize};
use tetrastat::error::{Error, Result};
use tetrastat::piece::Piece;

use super::state::{GameOptions, damaged};

/// Number that stands for a missing piece. Pieces have the numbers 0 to 6.
pub(super) const NO_PIECE: u8 = 7;

/// Number of values that describe one placement in [`Game::placements`].
pub(super) const PLACEMENT: usize = 6;

/// Settings with which a game starts.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    /// Seed of this game and of later ones. `None` keeps the current seed.
    pub seed: Option<u64>,
    /// Number of the game under its seed. `None` stands for 0 with a new seed, and for the next
    /// number otherwise.
    pub game: Option<u64>,
    /// Board at the start; `None` for an empty board.
    pub board: Option<Board>,
}

/// Counter that gives the games under a seed their numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Numbering {
    pub seed: u64,
    next: u64,
}

impl Numbering {
    /// Returns the number of the game that `start` describes, and advances the counter.
    pub fn begin(&mut self, start: &Start) -> u64 {
        let game = start.game.unwrap_or(if start.seed.is_some() { 0 } else { self.next });
        self.seed = start.seed.unwrap_or(self.seed);
        self.next = game + 1;
        game
    }
}

/// Reward and end of a game after an action.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepResult {
    pub reward: f64,
    /// True if the game is over by its own rules.
    pub terminated: bool,
    /// True if the game was ended from outside, for example by a limit.
    pub truncated: bool,
}

/// Reward of a placement, by the number of rows removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reward {
    /// Reward for each number of removed rows, 0 to 4.
    pub by_lines: [f64; 5],
    /// Amount added to the reward if the game is lost.
    pub lost: f64,
}

impl Reward {
    /// Returns the reward of a placement that removes `lines` rows. `lost` is true if the game is
    /// lost.
    pub fn of(&self, lines: u32, lost: bool) -> f64 {
        self.by_lines[lines.min(4) as usize] + if lost { self.lost } else { 0.0 }
    }
}

/// Sizes of a game's observations and actions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub planes: usize,
    pub height: usize,
    pub width: usize,
    /// Number of pieces in an observation, the current one first.
    pub dealt: usize,
    /// Number of status values, which depend on the game.
    pub status: usize,
    /// Number of features in an observation.
    pub features: usize,
    pub actions: usize,
    /// Number of rows of a board from which a game can start.
    pub start_height: usize,
}

impl Shape {
    /// Returns the number of values of a feature observation: the features, seven values for each
    /// piece (one-hot), and the status values.
    pub fn observed(&self) -> usize {
        self.features + 7 * self.dealt + self.status
    }
}

/// A game that proceeds by numbered actions. The caller passes only legal actions, and none after
/// the end.
pub(super) trait Game: Clone + Send + Sync {
    /// Type that measures the game's features. Each thread has its own value.
    type Meter: Send + Sync;

    /// Stored form of a game, without its options.
    type Saved: Serialize + for<'a> Deserialize<'a>;

    /// Creates a meter for the features of this game.
    fn meter(&self) -> Self::Meter;

    /// Returns the sizes of the observations and actions.
    fn shape(&self) -> Shape;

    /// Starts a new game with the settings `start`.
    fn begin(&mut self, start: &Start) -> Result<()>;

    /// Returns true if `action`, a number below [`Shape::actions`], is legal now.
    fn is_legal(&self, action: usize) -> bool;

    /// Performs `action`, which must be legal.
    fn act(&mut self, action: usize) -> Result<StepResult>;

    /// Returns three counts of this game so far: rows removed, pieces placed and points.
    fn counts(&self) -> [i64; 3];

    /// Writes the planes of cells to `out`, one byte per cell.
    fn cells(&self, out: &mut [u8]);

    /// Writes the numbers of the pieces in an observation to `out`. [`NO_PIECE`] stands for a
    /// missing piece.
    fn dealt(&mut self, out: &mut [u8]);

    /// Writes the status values to `out`.
    fn status(&self, out: &mut [f32]);

    /// Writes the action mask to `out`: one byte per action, 1 if the action is legal.
    fn mask(&self, out: &mut [u8]);

    /// Writes the features of the last placement, and of the board after it, to `out`.
    fn features(&mut self, meter: &mut Self::Meter, out: &mut [f32]);

    /// Writes the features of the placement of every action, and of the board after it, to `out`.
    /// Features of illegal actions are 0.
    fn afterstates(&mut self, meter: &mut Self::Meter, out: &mut [f32]);

    /// Writes six values for the placement of every legal action to `out`: piece, 1 if it comes
    /// from the hold, orientation or state, leftmost column, lowest row, spin. Values of illegal
    /// actions are not changed.
    fn placements(&mut self, out: &mut [i64]);

    /// Returns a picture of the game as text.
    fn picture(&mut self) -> String;

    /// Returns the options that decide how the game continues.
    fn options(&self) -> &GameOptions;

    /// Returns the stored form of the game.
    fn saved(&self) -> Self::Saved;

    /// Returns the stored game `saved`, with the options of this game.
    fn restored(&self, saved: Self::Saved) -> Result<Self>;
}

/// Returns the letters of the pieces with the numbers `dealt`, separated by spaces. `-` stands for
/// a missing piece.
pub(super) fn piece_letters(dealt: &[u8]) -> String {
    let name = |&piece: &u8| Piece::ALL.get(usize::from(piece)).map_or("-", |piece| piece.name());
    dealt.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Returns an error if `board` is no board of `size`, because the state that it comes from is
/// damaged.
pub(super) fn check_restored(board: &Board, size: BoardSize) -> Result<()> {
    if board.size() != size || board.validate().is_err() { Err(damaged()) } else { Ok(()) }
}

/// Returns an error if a game cannot start from `board`, because it has full rows or cells above
/// the top.
pub(super) fn check_start(board: &Board) -> Result<()> {
    if board.stack_height() > board.height() || board.full_rows() != 0 {
        let text = "the start board has full rows or cells above the top: remove them";
        return Err(Error::Config(text.to_owned()));
    }
    Ok(())
}
