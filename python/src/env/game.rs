//! A game as learning code steps it, and what all such games share.

use tetrastat::board::Board;
use tetrastat::error::{Error, Result};
use tetrastat::piece::Piece;

/// In place of a piece's number (0 to 6): there is none.
pub(super) const NO_PIECE: u8 = 7;

/// Values in a row of [`Game::placements`].
pub(super) const PLACEMENT: usize = 6;

/// Where a game begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    /// The seed of this game and those that follow; the seed so far when `None`.
    pub seed: Option<u64>,
    /// The game's number under its seed; the next one when `None`, 0 of a new seed.
    pub game: Option<u64>,
    /// The board; the usual one when `None`.
    pub board: Option<Board>,
}

/// The numbers of games: those of a seed one after another.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbering {
    pub seed: u64,
    next: u64,
}

impl Numbering {
    /// The number of the game that begins.
    pub fn begin(&mut self, start: &Start) -> u64 {
        let game = start.game.unwrap_or(if start.seed.is_some() { 0 } else { self.next });
        self.seed = start.seed.unwrap_or(self.seed);
        self.next = game + 1;
        game
    }
}

/// What an action came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Acted {
    pub reward: f64,
    /// The game is over by its own rules.
    pub terminated: bool,
    /// The game was cut off.
    pub truncated: bool,
}

/// What a placement is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reward {
    /// By the rows that it removes, 0 to 4.
    pub by_lines: [f64; 5],
    /// Added when the game is lost.
    pub lost: f64,
}

impl Reward {
    pub fn of(&self, lines: u32, lost: bool) -> f64 {
        self.by_lines[lines.min(4) as usize] + if lost { self.lost } else { 0.0 }
    }
}

/// How large what is shown of a game is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub planes: usize,
    pub height: usize,
    pub width: usize,
    /// Pieces shown: the current one first.
    pub dealt: usize,
    /// Numbers besides.
    pub status: usize,
    /// Features of a board, or of a placement and its board.
    pub features: usize,
    pub actions: usize,
    /// Rows of a board that a game starts from.
    pub start_height: usize,
}

impl Shape {
    /// Values of an observation by features: they, the pieces one-hot, the numbers besides.
    pub fn observed(&self) -> usize {
        self.features + 7 * self.dealt + self.status
    }
}

/// A game that goes on by actions. Who steps it takes legal actions only, and none once it is over.
pub(super) trait Game: Send + Sync {
    /// What measures its features; each thread has one.
    type Meter: Send + Sync;

    /// One of them.
    fn meter(&self) -> Self::Meter;

    /// How large what is shown is.
    fn shape(&self) -> Shape;

    /// Begins a game.
    fn begin(&mut self, start: &Start) -> Result<()>;

    /// Whether an action, below [`Shape::actions`], can be done now.
    fn is_legal(&self, action: usize) -> bool;

    /// Does a legal action.
    fn act(&mut self, action: usize) -> Result<Acted>;

    /// Rows removed, pieces placed and points of this game so far.
    fn counts(&self) -> [i64; 3];

    /// The planes of cells.
    fn cells(&self, out: &mut [u8]);

    /// The pieces shown.
    fn dealt(&mut self, out: &mut [u8]);

    /// The numbers besides.
    fn status(&self, out: &mut [f32]);

    /// Which actions are legal, a byte for each.
    fn mask(&self, out: &mut [u8]);

    /// The features of the last placement and its board.
    fn features(&mut self, meter: &mut Self::Meter, out: &mut [f32]);

    /// The features of every action's placement and the board it leads to; 0 where there is none.
    fn afterstates(&mut self, meter: &mut Self::Meter, out: &mut [f32]);

    /// Of every action that is a legal placement: piece, whether held, orientation or state, leftmost column, lowest
    /// row, spin. Other rows are left as they are.
    fn placements(&mut self, out: &mut [i64]);

    /// A picture.
    fn picture(&mut self) -> String;
}

/// The picture's line of pieces.
pub(super) fn named(dealt: &[u8]) -> String {
    let name = |&piece: &u8| Piece::ALL.get(usize::from(piece)).map_or("-", |piece| piece.name());
    dealt.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Whether a game can start from a board.
pub(super) fn check_start(board: &Board) -> Result<()> {
    if board.stack_height() > board.height() || board.full_rows() != 0 {
        let text = "the start board has full rows or cells above the top: remove them";
        return Err(Error::Config(text.to_owned()));
    }
    Ok(())
}
