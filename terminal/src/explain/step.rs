//! Describes a placement of a game, with all data needed to show and explain it.

use super::Scene;
use crate::board::Board;
use crate::piece::Piece;
use crate::placement::{Candidate, Placement};
use crate::rules::guideline::Hold;

/// A placement of a game, with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedStep<S> {
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Number of rows removed so far, including this placement's.
    pub lines_total: u64,
    /// Placement and the state before it.
    pub scene: S,
}

impl<S: Scene> WatchedStep<S> {
    /// Returns the placement with only the data that the screen shows.
    #[must_use]
    pub fn viewed(&self) -> WatchedStep<StepView> {
        let WatchedStep { piece_no, lines_total, scene } = self;
        WatchedStep { piece_no: *piece_no, lines_total: *lines_total, scene: scene.view() }
    }
}

/// A placement as the screen shows it, for any game.
#[derive(Clone, Debug, PartialEq)]
pub struct StepView {
    /// Board before the placement.
    pub before: Board,
    /// Number of rows in play.
    pub height: usize,
    /// Placed piece.
    pub piece: Piece,
    /// Column and row of each cell where the piece comes to rest.
    pub cells: [(usize, usize); 4],
    /// Number of rows that the placement removes.
    pub lines: u8,
    /// True if the placement ends the game.
    pub lost: bool,
    /// Points so far. `None` in games without points.
    pub score: Option<u32>,
    /// Known pieces after the placed one.
    pub next: Vec<Piece>,
    /// Content of the hold before the placement, and true if the placement used the hold. `None` in
    /// games without a hold.
    pub hold: Option<(Hold, bool)>,
    /// Board after the placement.
    pub after: Board,
}

impl StepView {
    /// Returns the number of columns, and the number of rows in play.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.before.width(), self.height)
    }

    /// Returns true if the cell was filled before the placement.
    #[must_use]
    pub fn is_settled(&self, column: usize, row: usize) -> bool {
        self.before.is_filled(column, row)
    }
}

/// Returns the candidate that fills these cells, or `None` if the piece has no such orientation.
#[must_use]
pub fn candidate_of(piece: Piece, mut cells: [(usize, usize); 4]) -> Option<Candidate> {
    cells.sort_unstable();
    let (left, low) = (cells.map(|(column, _)| column), cells.map(|(_, row)| row));
    let (column, row) = (*left.iter().min()? as u8, *low.iter().min()? as u8);
    let candidate = |orientation| Candidate { placement: Placement { orientation, column }, row };
    let fills = |candidate: &Candidate| {
        let mut own = candidate.cells(piece);
        own.sort_unstable();
        own == cells
    };
    (0..piece.orientations().len() as u8).map(candidate).find(fills)
}
