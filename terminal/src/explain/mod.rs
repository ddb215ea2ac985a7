//! Explains played and logged placements for `watch` and the HTML page: the reasons why the
//! controller chose them.
//!
//! | file | contents |
//! |---|---|
//! | [`analysis`] | candidates with scores, and two of them compared term by term |
//! | [`classic`], [`guideline`] | placements, explainers and rebuilt games of each game |
//! | [`step`] | a placement with all data needed to show and explain it |
//!
//! [`Rebuild`] turns a row of a log into a placement on its board. [`Explain`] turns a placement
//! into an [`Analysis`]. Screens and pages get all terms of the controller from here.

pub mod analysis;
pub mod classic;
pub mod guideline;
pub mod step;

pub use analysis::{Analysis, DecidedBy, TermDifference};
pub use step::{StepView, WatchedStep};

use analysis::rival;

use crate::search::RankedPlacement;

/// A placement of a game, with the state before it.
pub trait Scene {
    /// Returns the placement as the screen shows it.
    fn view(&self) -> StepView;
}

/// A game in progress that is rebuilt from the rows of its log, by its rules.
pub trait Rebuild: Clone {
    /// A placement with the state before it.
    type Scene;
    /// A row of the log, with one placement.
    type Row: Clone;

    /// Returns the number of the placement in `row`.
    fn piece_no(row: &Self::Row) -> u64;

    /// Rebuilds the placement of `row`, the next row of the log, and moves the game to the state
    /// after it.
    ///
    /// # Errors
    /// Returns a description of the first contradiction between the row and the rules.
    fn rebuild(&mut self, row: &Self::Row)
    -> std::result::Result<WatchedStep<Self::Scene>, String>;

    /// Returns the game after the placement of `row`, or `None` if the row lacks a needed value.
    /// The earlier game is not needed, so a part of a log can be explained.
    fn after(&self, row: &Self::Row) -> Option<Self>;

    /// Returns the reason why there are no more placements.
    fn ending(&self) -> String;
}

/// An explainer of a controller's choices. It ranks the possible placements and compares the chosen
/// one with another, term by term.
pub trait Explain {
    /// A placement that was made, with the state before it.
    type Scene;
    /// A possible placement of the piece, with its score.
    type Candidate;

    /// Returns every possible placement, the best first.
    fn ranked(&mut self, scene: &Self::Scene) -> Vec<Self::Candidate>;

    /// Returns true if `candidate` is the chosen placement.
    fn is_chosen(scene: &Self::Scene, candidate: &Self::Candidate) -> bool;

    /// Returns the chosen placement as a candidate. `ranked` is its entry in the ranking, if any.
    fn mine(&self, scene: &Self::Scene, ranked: Option<&Self::Candidate>) -> Self::Candidate;

    /// Describes a candidate of `scene`.
    fn described(&self, scene: &Self::Scene, candidate: &Self::Candidate) -> RankedPlacement;

    /// Returns the controller's terms for the chosen placement and for `other`.
    fn terms(
        &mut self,
        scene: &Self::Scene,
        mine: &Self::Candidate,
        other: Option<&Self::Candidate>,
    ) -> Vec<TermDifference>;

    /// Returns the number of steps in one unit of score.
    fn scale(&self, mine: &Self::Candidate) -> f64;

    /// Describes the boards on which the terms are measured, for `scene` or, if it is `None`, for
    /// placements in general.
    fn measured(&self, scene: Option<&Self::Scene>) -> String;

    /// Returns true if an earlier decision planned the placement. The values of the candidates then
    /// do not show why it was chosen.
    fn is_planned(&self, _: &Self::Scene) -> bool {
        false
    }

    /// Compares the candidate of rank `chosen` with `other`, and returns the reason for the choice.
    fn verdict(
        &self,
        scene: &Self::Scene,
        chosen: usize,
        mine: &Self::Candidate,
        other: &Self::Candidate,
    ) -> DecidedBy;

    /// Ranks the possible placements and compares the one of `scene` with another. `other` is the
    /// rank to compare with; `None` means the best other candidate.
    fn explain(&mut self, scene: &Self::Scene, other: Option<usize>) -> Analysis {
        let ranked = self.ranked(scene);
        let chosen = ranked.iter().position(|candidate| Self::is_chosen(scene, candidate));
        let other = rival(chosen, other, ranked.len());
        let mine = self.mine(scene, chosen.map(|rank| &ranked[rank]));
        let against = other.map(|rank| &ranked[rank]);
        let verdict = match (chosen, against) {
            _ if self.is_planned(scene) => DecidedBy::Planned,
            (None, _) => DecidedBy::Unknown,
            (Some(_), None) => DecidedBy::Only,
            (Some(chosen), Some(against)) => self.verdict(scene, chosen, &mine, against),
        };
        Analysis {
            terms: self.terms(scene, &mine, against),
            scale: self.scale(&mine),
            measured: self.measured(Some(scene)),
            candidates: ranked.iter().map(|candidate| self.described(scene, candidate)).collect(),
            chosen,
            other,
            verdict,
        }
    }
}
