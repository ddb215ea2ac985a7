//! Explains classic games: placements, explainers, and games rebuilt from their log.

mod explainer;
mod rebuilt;

pub use explainer::ClassicExplainer;
pub use rebuilt::RebuiltGame;

use super::{Scene, StepView};
use crate::board::Board;
use crate::error::Result;
use crate::piece::Piece;
use crate::rules::Outcome;
use crate::sim::ClassicConfig;

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
pub fn explainer(config: &ClassicConfig) -> Result<ClassicExplainer> {
    ClassicExplainer::new(&config.controller, config.rules, config.search, config.size)
}

impl Scene for ClassicScene {
    fn view(&self) -> StepView {
        let ClassicScene { board, next, outcome } = self;
        let (piece, lines) = (outcome.played.piece, outcome.played.lines);
        StepView {
            before: *board,
            height: board.height(),
            piece,
            cells: outcome.played.candidate.cells(piece),
            lines,
            lost: outcome.lost,
            score: None,
            next: next.iter().copied().collect(),
            hold: None,
            after: outcome.after,
        }
    }
}
