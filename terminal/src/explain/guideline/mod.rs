//! Explains guideline games: placements, explainers, and games rebuilt from their log.

mod explainer;
mod rebuilt;

pub use explainer::GuidelineExplainer;
pub use rebuilt::RebuiltGuidelineGame;

use super::{Scene, StepView};
use crate::matrix::VISIBLE;
use crate::piece::Piece;
use crate::rules::guideline::{Choice, GuidelineState, Landing, Placed};
use crate::sim::guideline::GuidelineConfig;

/// A placement under guideline rules, with the state before it.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidelineScene {
    /// The state before the placement. Its `taken` of 0 refers to the current piece, the first of
    /// `known`.
    pub state: GuidelineState,
    /// The current piece and the visible pieces that follow it.
    pub known: Vec<Piece>,
    /// The choice of the placed piece: the current piece, or the piece that the hold gives.
    pub choice: Choice,
    /// The landing of the piece.
    pub landing: Landing,
    /// The result of the placement.
    pub placed: Placed,
    /// Value of the placement under the search, in steps. `None` for a placement of a perfect
    /// finish planned earlier.
    pub value: Option<i64>,
    /// Points up to and including this placement, with its drop points.
    pub score: u32,
}

/// Creates the explainer of a run's controller. Returns `None` for a human player, who has no
/// weights.
#[must_use]
pub fn explainer(config: &GuidelineConfig) -> Option<GuidelineExplainer> {
    let has_weights = !config.controller.weights.is_empty();
    has_weights.then(|| GuidelineExplainer::new(config))
}

impl Scene for GuidelineScene {
    fn view(&self) -> StepView {
        let GuidelineScene { state, known, choice, landing, placed, score, .. } = self;
        StepView {
            before: state.matrix.to_board(),
            height: VISIBLE,
            piece: landing.piece,
            cells: landing.cells(),
            lines: placed.clear.lines,
            lost: placed.lost,
            score: Some(*score),
            next: known.iter().skip(choice.taken as usize).copied().collect(),
            hold: Some((state.hold, choice.held)),
            after: placed.after.matrix.to_board(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::controller::GuidelineController;
    use crate::record::{Columns, LogFormat, LogSettings};
    use crate::rules::guideline::{Moves, RuleSet};
    use crate::search::guideline::Beam;
    use crate::sim::guideline::{GuidelineConfig, Mode};

    /// Returns the configuration of a run of two logged games in `mode`, with the preset controller
    /// for Sprint or Blitz and the search settings `beam`.
    pub(crate) fn guideline(beam: Beam, mode: Mode) -> GuidelineConfig {
        let sprint = mode.goal().is_some();
        let name = if sprint { "tetrastat-sprint" } else { "tetrastat-blitz-greedy" };
        let controller = GuidelineController::load(name).unwrap();
        GuidelineConfig {
            moves: if sprint { Moves::HardDrops } else { Moves::All },
            beam,
            finisher: if sprint && beam.depth > 1 { 500 } else { 0 },
            mode,
            games: 2,
            seed: 3,
            log: Some(LogSettings::new(LogFormat::Csv, Columns::All)),
            ..GuidelineConfig::new(controller, RuleSet::official())
        }
    }
}
