//! What a game gives to be watched. Timeline, screen, keys and the way to an explanation know nothing else of it.

use std::path::Path;

use super::analysis::{Analysis, DecidedBy, Rated, TermDifference, rival};
use super::step::{StepView, WatchedStep};
use super::timeline::{Recorded, Source};
use crate::error::Result;

/// A run whose games can be watched: played, explained, and played back from their log.
pub trait Watched: Sized + 'static {
    /// A placement.
    type Scene: Scene;
    /// A game in play.
    type InPlay: Placing<Scene = Self::Scene>;
    /// Who tells why a placement was chosen.
    type Explainer: Explain<Scene = Self::Scene>;
    /// A game that is built again from its log.
    type Rebuilt: Rebuild<Scene = Self::Scene> + 'static;

    /// What is played, in one line.
    fn title(&self, game: u64) -> String;

    /// The game of this index before its first piece.
    ///
    /// # Errors
    /// [`crate::error::Error::Config`] or [`crate::error::Error::Controller`] when the configuration makes no sense.
    fn begin(&self, game: u64) -> Result<Self::InPlay>;

    /// Who explains the choices of its controller.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] when that does not fit the board.
    fn explainer(&self) -> Result<Self::Explainer>;

    /// A game that a run logged.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] or [`crate::error::Error::Config`] when the run or its log can't be read.
    fn recorded(folder: &Path, game: u64) -> Result<Recorded<Self>>;
}

/// A placement of a game, and what it was made on.
pub trait Scene {
    /// What the screen shows of it.
    fn view(&self) -> StepView;
}

/// A game in play, piece by piece what `simulate` plays.
pub trait Placing {
    /// A placement.
    type Scene;

    /// Makes the next placement, if there is one, and shows it; why the game is over, once it is.
    ///
    /// # Errors
    /// What keeps it from being made, in one line.
    fn place(
        &mut self,
        see: &mut dyn FnMut(WatchedStep<Self::Scene>),
    ) -> Result<Option<&'static str>>;
}

/// A game in play as the source of a timeline.
pub(super) struct LiveSource<P> {
    play: P,
    end: Option<&'static str>,
}

impl<P: Placing> LiveSource<P> {
    pub(super) fn new(play: P) -> LiveSource<P> {
        LiveSource { play, end: None }
    }
}

impl<P: Placing> Source<P::Scene> for LiveSource<P> {
    fn advance(&mut self) -> Result<Option<WatchedStep<P::Scene>>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let mut step = None;
        self.end = self.play.place(&mut |seen| step = Some(seen))?;
        Ok(step)
    }

    fn ending(&self) -> String {
        self.end.unwrap_or("stopped").to_owned()
    }
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

    /// What values are measured on, in words.
    fn measured(&self, scene: &Self::Scene) -> String;

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
            measured: self.measured(scene),
            candidates: ranked.iter().map(|candidate| self.rated(candidate)).collect(),
            chosen,
            other,
            verdict,
        }
    }
}
