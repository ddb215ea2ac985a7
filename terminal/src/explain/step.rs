//! A placement of a game, with all that is needed to show and explain it.

use super::Scene;
use crate::board::Board;
use crate::piece::Piece;
use crate::placement::Candidate;
use crate::rules::guideline::Hold;

/// A placement of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedStep<S> {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Rows removed so far, by this placement too.
    pub lines_total: u64,
    /// What was placed, and on what.
    pub scene: S,
}

impl<S: Scene> WatchedStep<S> {
    /// The same with what the screen shows of its scene.
    #[must_use]
    pub fn viewed(&self) -> WatchedStep<StepView> {
        let WatchedStep { piece_no, lines_total, scene } = self;
        WatchedStep { piece_no: *piece_no, lines_total: *lines_total, scene: scene.view() }
    }
}

/// A placement as the screen shows it, whatever game it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct StepView {
    /// The board before it.
    pub before: Board,
    /// Rows in play.
    pub height: usize,
    /// The piece placed.
    pub piece: Piece,
    /// Columns and rows of the cells where it comes to rest.
    pub cells: [(usize, usize); 4],
    /// Rows that it removes.
    pub lines: u8,
    /// Whether it ends the game.
    pub lost: bool,
    /// Points so far, in games that have them.
    pub score: Option<u32>,
    /// The pieces known to come after it.
    pub next: Vec<Piece>,
    /// The hold before it and whether it was used, in games that have one.
    pub hold: Option<(Hold, bool)>,
    /// The board after it.
    pub after: Board,
}

impl StepView {
    /// Columns, and rows in play.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.before.width(), self.height)
    }

    /// Whether a cell was filled before it.
    #[must_use]
    pub fn is_settled(&self, column: usize, row: usize) -> bool {
        self.before.is_filled(column, row)
    }
}

/// Columns and rows of a candidate's cells.
#[must_use]
pub fn cells_of(candidate: Candidate, piece: Piece) -> [(usize, usize); 4] {
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
