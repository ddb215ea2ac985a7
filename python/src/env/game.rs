//! The interface of a game that learning code steps, and the types that all such games share.

use tetrastat::board::Board;
use tetrastat::error::{Error, Result};
use tetrastat::piece::Piece;

/// Number that stands for the absence of a piece; pieces are 0 to 6.
pub(super) const NO_PIECE: u8 = 7;

/// Number of values in a row of [`Game::placements`].
pub(super) const PLACEMENT: usize = 6;

/// Starting point of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    /// Seed of this game and of later ones. The seed does not change if `None`.
    pub seed: Option<u64>,
    /// Number of the game under its seed. If `None`: 0 for a new seed, otherwise the next number.
    pub game: Option<u64>,
    /// Board at the start. The game starts on an empty board if `None`.
    pub board: Option<Board>,
}

/// Counter that numbers the games of a seed.
#[derive(Clone, Debug, Default)]
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

/// Result of an action.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepResult {
    pub reward: f64,
    /// True if the game is over by its own rules.
    pub terminated: bool,
    /// True if the game was cut off.
    pub truncated: bool,
}

/// Reward of a placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reward {
    /// Reward by number of rows removed, 0 to 4.
    pub by_lines: [f64; 5],
    /// Amount added if the game is lost.
    pub lost: f64,
}

impl Reward {
    /// Returns the reward of a placement that removes `lines` rows.
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
    /// Number of pieces shown, the current one first.
    pub dealt: usize,
    /// Number of status values.
    pub status: usize,
    /// Number of features of a board, or of a placement and its board.
    pub features: usize,
    pub actions: usize,
    /// Number of rows of a start board.
    pub start_height: usize,
}

impl Shape {
    /// Returns the length of a feature observation: the features, the pieces one-hot, then the
    /// status values.
    pub fn observed(&self) -> usize {
        self.features + 7 * self.dealt + self.status
    }
}

/// A game that actions advance. The caller passes legal actions only, and none after the end.
pub(super) trait Game: Send + Sync {
    /// Type that measures the game's features. Each thread has its own value.
    type Meter: Send + Sync;

    /// Creates a meter.
    fn meter(&self) -> Self::Meter;

    /// Returns the sizes of the observations and actions.
    fn shape(&self) -> Shape;

    /// Starts a game.
    fn begin(&mut self, start: &Start) -> Result<()>;

    /// Returns true if `action`, a number below [`Shape::actions`], is legal now.
    fn is_legal(&self, action: usize) -> bool;

    /// Performs a legal action.
    fn act(&mut self, action: usize) -> Result<StepResult>;

    /// Returns the rows removed, pieces placed and points of this game so far.
    fn counts(&self) -> [i64; 3];

    /// Writes the planes of cells.
    fn cells(&self, out: &mut [u8]);

    /// Writes the numbers of the pieces shown, [`NO_PIECE`] for an absent one.
    fn dealt(&mut self, out: &mut [u8]);

    /// Writes the status values.
    fn status(&self, out: &mut [f32]);

    /// Writes the action mask: one byte per action, 1 if it is legal.
    fn mask(&self, out: &mut [u8]);

    /// Writes the features of the last placement and of the board it led to.
    fn features(&mut self, meter: &mut Self::Meter, out: &mut [f32]);

    /// Writes the features of every action's placement and of the board it leads to. Features of
    /// illegal actions are 0.
    fn afterstates(&mut self, meter: &mut Self::Meter, out: &mut [f32]);

    /// Writes a row for every action that is a legal placement: piece, 1 if it comes from the hold,
    /// orientation or state, leftmost column, lowest row, spin. Other rows are not changed.
    fn placements(&mut self, out: &mut [i64]);

    /// Returns a picture of the game as text.
    fn picture(&mut self) -> String;
}

/// Returns the letters of pieces, separated by spaces, with `-` for an absent piece.
pub(super) fn piece_letters(dealt: &[u8]) -> String {
    let name = |&piece: &u8| Piece::ALL.get(usize::from(piece)).map_or("-", |piece| piece.name());
    dealt.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Returns an error if a game cannot start from `board`: full rows, or cells above the top.
pub(super) fn check_start(board: &Board) -> Result<()> {
    if board.stack_height() > board.height() || board.full_rows() != 0 {
        let text = "the start board has full rows or cells above the top: remove them";
        return Err(Error::Config(text.to_owned()));
    }
    Ok(())
}
