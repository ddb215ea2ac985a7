//! A game that can be looked at back and forth: the placements seen so far, and where the viewer is.

use std::collections::VecDeque;
use std::path::Path;

use super::game::{Recorded, Source, Watched};
use super::sources::{LiveSource, Replay};
use crate::error::Result;
use crate::explain::Explain;
use crate::explain::analysis::Analysis;
use crate::explain::step::WatchedStep;

/// Placements kept for stepping back.
pub const KEPT: usize = 10_000;

/// A game with its past.
pub struct Timeline<G: Watched> {
    /// What is played, in one line.
    title: String,
    source: Box<dyn Source<G::Scene>>,
    explainer: Option<G::Explainer>,
    steps: VecDeque<WatchedStep<G::Scene>>,
    kept: usize,
    /// Place of the one shown among `steps`.
    at: usize,
    /// Why there are no more, once that is known.
    ending: Option<String>,
}

impl<G: Watched> Timeline<G> {
    /// A game as `simulate` plays it, whose last `kept` placements are kept; nothing is shown before the first
    /// [`Timeline::forward`].
    ///
    /// # Errors
    /// As [`Watched::begin`] and [`Watched::explainer`].
    pub fn live(config: &G, game: u64, kept: usize) -> Result<Timeline<G>> {
        let live = LiveSource::new(config.begin(game)?);
        Ok(Timeline::new(config.title(game), Box::new(live), Some(config.explainer()?), kept))
    }

    /// A game from the log of a run; with candidates where its controller is known.
    ///
    /// # Errors
    /// As [`Watched::recorded`]; [`crate::error::Error::Config`] when a row contradicts the rules.
    pub fn replay(folder: &Path, game: u64, kept: usize) -> Result<Timeline<G>> {
        let Recorded { title, explainer, rows, rebuilt } = G::recorded(folder, game)?;
        let replay = Replay::checked(folder, game, rows, rebuilt)?;
        Ok(Timeline::new(format!("replay · {title}"), Box::new(replay), explainer, kept))
    }

    fn new(
        title: String,
        source: Box<dyn Source<G::Scene>>,
        explainer: Option<G::Explainer>,
        kept: usize,
    ) -> Timeline<G> {
        let steps = VecDeque::new();
        Timeline { title, source, explainer, steps, kept: kept.max(1), at: 0, ending: None }
    }

    /// What is played.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The placement shown.
    #[must_use]
    pub fn step(&self) -> Option<&WatchedStep<G::Scene>> {
        self.steps.get(self.at)
    }

    /// Why the game is over, when its last placement is shown.
    #[must_use]
    pub fn ending(&self) -> Option<&str> {
        self.ending.as_deref().filter(|_| self.at + 1 >= self.steps.len())
    }

    /// Numbers of the first and last placement that can be stepped to without playing on.
    #[must_use]
    pub fn range(&self) -> Option<(u64, u64)> {
        Some((self.steps.front()?.piece_no, self.steps.back()?.piece_no))
    }

    /// Shows the next placement, which is played if need be; `false` when there is none.
    ///
    /// # Errors
    /// As [`Source::advance`].
    pub fn forward(&mut self) -> Result<bool> {
        if self.at + 1 < self.steps.len() {
            self.at += 1;
            return Ok(true);
        }
        if self.ending.is_some() {
            return Ok(false);
        }
        let Some(step) = self.source.advance()? else {
            self.ending = Some(self.source.ending());
            return Ok(false);
        };
        // Only when one more is there, so that the last placements stay when the game is over.
        if self.steps.len() == self.kept {
            self.steps.pop_front();
        }
        self.steps.push_back(step);
        self.at = self.steps.len() - 1;
        Ok(true)
    }

    /// Shows the placement before; `false` when it is not kept.
    pub fn back(&mut self) -> bool {
        let can = self.at > 0;
        self.at -= usize::from(can);
        can
    }

    /// Shows the first placement kept.
    pub fn first(&mut self) {
        self.at = 0;
    }

    /// Shows the last placement played.
    pub fn last(&mut self) {
        self.at = self.steps.len().saturating_sub(1);
    }

    /// Plays on to a placement, or the end; `made` is told the number of each placement.
    ///
    /// # Errors
    /// As [`Timeline::forward`].
    pub fn seek(&mut self, piece_no: u64, made: &dyn Fn(u64)) -> Result<bool> {
        // By playing, since a placement depends on all before it and nothing keeps the state at each of them.
        while self.step().is_none_or(|step| step.piece_no < piece_no) {
            if !self.forward()? {
                return Ok(false);
            }
            made(self.step().map_or(0, |step| step.piece_no));
        }
        Ok(true)
    }

    /// Plays to the end; what is kept then are the last placements, the first of which is shown.
    ///
    /// # Errors
    /// As [`Timeline::forward`].
    pub fn play_out(&mut self, made: &dyn Fn(u64)) -> Result<()> {
        self.seek(u64::MAX, made)?;
        self.first();
        Ok(())
    }

    /// Why the placement shown was chosen.
    pub fn analysis(&mut self, other: Option<usize>) -> Option<Analysis> {
        let step = self.steps.get(self.at)?;
        Some(self.explainer.as_mut()?.explain(&step.scene, other))
    }
}
