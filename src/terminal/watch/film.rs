//! A game that can be looked at back and forth: the placements seen so far, and where the viewer is.

use std::collections::VecDeque;

use super::analysis::Analysis;
use super::step::Step;
use crate::error::Result;

/// Placements kept for stepping back.
pub const KEPT: usize = 10_000;

/// Where placements come from.
pub trait Source {
    /// The next placement; `None` when there is no more.
    ///
    /// # Errors
    /// What keeps it from being made, in one line.
    fn advance(&mut self) -> Result<Option<Step>>;

    /// Why there is no more.
    fn ending(&self) -> String;
}

/// Who tells why a placement was chosen.
pub trait Explain {
    /// The placements there were, and why the one of `step` was chosen rather than another: that of
    /// this rank, or the best other one. `None` when it can't be told.
    fn explain(&mut self, step: &Step, other: Option<usize>) -> Option<Analysis>;
}

/// A game with its past.
pub struct Film {
    /// What is played, in one line.
    title: String,
    source: Box<dyn Source>,
    explainer: Option<Box<dyn Explain>>,
    steps: VecDeque<Step>,
    kept: usize,
    /// Place of the one shown among `steps`.
    at: usize,
    /// Why there are no more, once that is known.
    ending: Option<String>,
}

impl Film {
    /// A game whose last `kept` placements are kept; nothing is shown before the first
    /// [`Film::forward`].
    #[must_use]
    pub fn new(
        title: String,
        source: Box<dyn Source>,
        explainer: Option<Box<dyn Explain>>,
        kept: usize,
    ) -> Film {
        let steps = VecDeque::new();
        Film { title, source, explainer, steps, kept: kept.max(1), at: 0, ending: None }
    }

    /// What is played.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The placement shown.
    #[must_use]
    pub fn step(&self) -> Option<&Step> {
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
    /// As [`Film::forward`].
    pub fn seek(&mut self, piece_no: u64, made: &dyn Fn(u64)) -> Result<bool> {
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
    /// As [`Film::forward`].
    pub fn play_out(&mut self, made: &dyn Fn(u64)) -> Result<()> {
        self.seek(u64::MAX, made)?;
        self.first();
        Ok(())
    }

    /// Why the placement shown was chosen.
    pub fn analysis(&mut self, other: Option<usize>) -> Option<Analysis> {
        let step = self.steps.get(self.at)?;
        self.explainer.as_mut()?.explain(step, other)
    }
}
