//! Explains classic games: placements, explainers, and games rebuilt from their log.

mod explainer;
mod rebuilt;

pub use explainer::ClassicExplainer;
pub use rebuilt::RebuiltGame;

use super::step::cells_of;
use super::{Scene, StepView};
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::record::ReplaySetup;
use crate::rules::Outcome;

/// A placement under `simplified` or `standard` rules, with the board before it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicScene {
    /// The board before the placement.
    pub board: Board,
    /// The next piece, or `None` if the search did not know it.
    pub next: Option<Piece>,
    /// The result of the placement.
    pub outcome: Outcome,
}

/// Creates the explainer of a run's controller.
///
/// # Errors
/// [`crate::error::Error::Controller`] if this program lacks a feature of the controller, or if the
/// controller does not fit the board.
pub fn explainer(setup: ReplaySetup) -> Result<ClassicExplainer> {
    ClassicExplainer::new(&setup.controller?, setup.rules, setup.search, setup.size)
}

impl Scene for ClassicScene {
    fn view(&self) -> StepView {
        let ClassicScene { board, next, outcome } = self;
        let (piece, lines) = (outcome.played.piece, outcome.played.lines);
        StepView {
            before: *board,
            height: board.height(),
            piece,
            cells: cells_of(outcome.played.candidate, piece),
            lines,
            lost: outcome.lost,
            score: None,
            next: next.iter().copied().collect(),
            hold: None,
            after: outcome.after,
        }
    }
}
