//! A placement of a game, with all that is needed to show and explain it.

use crate::piece::Piece;
use crate::placement::Candidate;
use crate::rules::guideline::Hold;

/// A placement of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<S> {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Rows removed so far, by this placement too.
    pub lines_total: u64,
    /// What was placed, and on what.
    pub scene: S,
}

/// What the screen asks of a placement, whatever game it is of.
pub trait Scene {
    /// The piece placed.
    fn piece(&self) -> Piece;

    /// Columns and rows of the cells where it comes to rest.
    fn cells(&self) -> [(usize, usize); 4];

    /// Columns, and rows in play.
    fn size(&self) -> (usize, usize);

    /// Whether a cell was filled before it.
    fn is_settled(&self, column: usize, row: usize) -> bool;

    /// Rows that it removes.
    fn lines(&self) -> u8;

    /// Whether it ends the game.
    fn is_lost(&self) -> bool;

    /// Points so far, in games that have them.
    fn score(&self) -> Option<u32> {
        None
    }

    /// The pieces known to come after it.
    fn next(&self) -> Vec<Piece>;

    /// The hold before it and whether it was used, in games that have one.
    fn hold(&self) -> Option<(Hold, bool)> {
        None
    }

    /// The board after it, as [`crate::board::Board::to_hex`].
    fn after(&self) -> String;
}

/// Columns and rows of a candidate's cells.
#[must_use]
pub(super) fn cells_of(candidate: Candidate, piece: Piece) -> [(usize, usize); 4] {
    let shape = candidate.shape(piece);
    let mut cells = (0..4).flat_map(|k| {
        let row = shape.rows[k];
        let filled = (0..4).filter(move |column| row >> column & 1 == 1);
        filled.map(move |column| {
            (usize::from(candidate.placement.column) + column, usize::from(candidate.row) + k)
        })
    });
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}
