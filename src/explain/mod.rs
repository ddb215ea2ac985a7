//! Why a placement was chosen: what `watch` and the page show of a played or logged game.
//!
//! | file | what it has |
//! |---|---|
//! | [`analysis`] | candidates with scores, and two of them compared term by term |
//! | [`one_piece`], [`guideline`] | the games: their placements, who explains them, and how a log is built again |
//! | [`step`] | a placement with all that is needed to show and explain it |
//!
//! [`Rebuild`] turns the row of a log into a placement on its board, [`Explain`] a placement into an [`Analysis`]: both
//! screens and pages get every term of the controller from here.

pub mod analysis;
pub mod guideline;
pub mod one_piece;
pub mod step;

pub use analysis::{Analysis, DecidedBy, Rated, TermDifference};
pub use step::{StepView, WatchedStep};

use analysis::rival;

/// A placement of a game, and what it was made on.
pub trait Scene {
    /// What the screen shows of it.
    fn view(&self) -> StepView;
}

/// A game's rules and where it stands: what the rows of a log are built again by.
pub trait Rebuild: Clone {
    /// A placement.
    type Scene;
    /// A placement as it was logged.
    type Row: Clone;

    /// Its number.
    fn piece_no(row: &Self::Row) -> u64;

    /// The placement of the next row; in words, what in it the rules contradict.
    ///
    /// # Errors
    /// Those words.
    fn rebuild(&mut self, row: &Self::Row)
    -> std::result::Result<WatchedStep<Self::Scene>, String>;

    /// Returns the game after a logged row, or `None` if the row lacks what that needs. The game before the row is
    /// not needed, so that a part of a log can be explained.
    fn after(&self, row: &Self::Row) -> Option<Self>;

    /// Why there is no more.
    fn ending(&self) -> String;
}

/// Who ranks the placements there were, and tells by which terms the chosen one is better than another.
pub trait Explain {
    /// A placement that was made.
    type Scene;
    /// One that could be made, with its value.
    type Candidate;

    /// Every placement there was, the best first.
    fn ranked(&mut self, scene: &Self::Scene) -> Vec<Self::Candidate>;

    /// Whether a candidate is what was chosen.
    fn is_chosen(scene: &Self::Scene, candidate: &Self::Candidate) -> bool;

    /// What was chosen, which need not be among the candidates; `ranked` is it as one of them.
    fn mine(&self, scene: &Self::Scene, ranked: Option<&Self::Candidate>) -> Self::Candidate;

    /// A candidate as it is listed.
    fn rated(&self, candidate: &Self::Candidate) -> Rated;

    /// The terms of the controller for what was chosen and for another.
    fn terms(
        &mut self,
        scene: &Self::Scene,
        mine: &Self::Candidate,
        other: Option<&Self::Candidate>,
    ) -> Vec<TermDifference>;

    /// Steps in one unit of score.
    fn scale(&self, mine: &Self::Candidate) -> f64;

    /// What values are measured on, in words: those of `scene`, or of any placement.
    fn measured(&self, scene: Option<&Self::Scene>) -> String;

    /// Whether a placement was planned before, so that no candidate says why.
    fn is_planned(&self, _: &Self::Scene) -> bool {
        false
    }

    /// What decided for the candidate of this rank, held against another.
    fn verdict(
        &self,
        scene: &Self::Scene,
        chosen: usize,
        mine: &Self::Candidate,
        other: &Self::Candidate,
    ) -> DecidedBy;

    /// The placements there were, and why the one of `scene` was chosen rather than another: that of this rank, or
    /// the best other one.
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
            candidates: ranked.iter().map(|candidate| self.rated(candidate)).collect(),
            chosen,
            other,
            verdict,
        }
    }
}
