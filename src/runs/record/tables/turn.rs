//! What a row of a placement or a candidate is made of.

use crate::board::Board;
use crate::features::Measured;
use crate::piece::Piece;
use crate::search::Decision;

/// One piece placed, as a recorder sees it.
#[derive(Clone, Copy, Debug)]
pub struct PlacedTurn<'a> {
    /// Index of the game in its run.
    pub game: u64,
    /// 1-based number of the piece in its game.
    pub piece_no: u64,
    /// The piece.
    pub piece: Piece,
    /// The next piece, when the search knew it.
    pub next: Option<Piece>,
    /// Lines of the game, this placement's included.
    pub lines_total: u64,
    /// Pieces since the last I, 0 for an I; `None` before the first.
    pub since_i: Option<u64>,
    /// Whether the queue deals bags of seven.
    pub deals_bags: bool,
    /// The choice and what it led to.
    pub decision: &'a Decision,
    /// The board before it.
    pub board: &'a Board,
    /// Which board the controller measured.
    pub measured: Measured,
    /// Steps of the scorer in one unit of score.
    pub scale: f64,
}
