//! Represents a watched game whose viewer can step back and forth among the last placements.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use crate::engine::Job;
use crate::explain::{self, Analysis, NextPlacement, StepView, Watched, WatchedStep};
use crate::prelude::*;
use crate::record::read_game;

/// Default number of a watched game's last placements that are stored for stepping back.
pub const DEFAULT_STORED: usize = 10_000;

/// A watched game that stores its last placements, so that the viewer can step back and forth.
pub struct Timeline<G: Watched> {
    config: G,
    title: String,
    source: NextPlacement<G::Scene>,
    explainer: Option<G::Explainer>,
    steps: VecDeque<WatchedStep<G::Scene>>,
    stored: usize,
    /// Index of the shown placement in the list `steps` of stored placements.
    at: usize,
    /// Reason for the watched game's end, as text. `None` until its last placement was played.
    ending: Option<String>,
}

impl<G: Watched> Timeline<G> {
    /// Creates a watched game that is played while it is watched. Its last `stored` placements are
    /// kept for stepping back. None is shown yet.
    pub fn live(config: G, game: u64, stored: usize) -> Result<Timeline<G>> {
        let (title, source) = (config.title(game), explain::live(&config, game)?);
        let explainer = config.explainer()?;
        Ok(Timeline::new(config, title, source, explainer, stored))
    }

    /// Creates a watched game from its log in a run folder, rebuilt by the rules. A row that
    /// contradicts the rules is an error.
    pub fn replay(folder: &Path, game: u64, stored: usize) -> Result<Timeline<G>> {
        let config = G::read_entry(folder)?;
        let (mut state, mut steps) = (config.first_state(game), Vec::new());
        // The whole log is rebuilt at once, so that errors are not reported only when the placement
        // is shown.
        read_game(folder, game, |row| {
            let step = config.rebuild(&mut state, row)?.map_err(|problem| {
                Error::Config(format!(
                    "{folder}: game {game}, placement {number}: {problem}: the log or run.json was \
                     changed; `tetrastat data verify {folder}` names the file",
                    number = steps.len() + 1,
                    folder = folder.display()
                ))
            });
            step.map(|step| steps.push(step))
        })?;
        let lost = steps.last().is_some_and(|step| G::view(&step.scene).lost);
        let ending = config.ending(folder, game, steps.len() as u64, lost);
        let title = format!("replay · {}", config.title(game));
        let (mut steps, explainer) = (steps.into_iter(), config.explainer().ok().flatten());
        let next = move || {
            let ending = || ControlFlow::Break(ending.clone());
            Ok(steps.next().map_or_else(ending, ControlFlow::Continue))
        };
        Ok(Timeline::new(config, title, Box::new(next), explainer, stored))
    }

    fn new(
        config: G,
        title: String,
        source: NextPlacement<G::Scene>,
        explainer: Option<G::Explainer>,
        stored: usize,
    ) -> Timeline<G> {
        let (stored, steps) = (stored.max(1), VecDeque::new());
        Timeline { config, title, source, explainer, steps, stored, at: 0, ending: None }
    }

    /// Returns the title of the watched game, one line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the placement on the screen, or `None` before the first [`Timeline::forward`].
    #[must_use]
    pub fn step(&self) -> Option<&WatchedStep<G::Scene>> {
        self.steps.get(self.at)
    }

    /// Returns the shown placement as screen data, of one type for classic and guideline games.
    #[must_use]
    pub fn viewed(&self) -> Option<WatchedStep<StepView>> {
        let WatchedStep { piece_no, lines_total, scene } = self.step()?;
        let scene = G::view(scene);
        Some(WatchedStep { piece_no: *piece_no, lines_total: *lines_total, scene })
    }

    /// Returns the reason why the watched game is over if its last placement is shown, otherwise
    /// `None`.
    #[must_use]
    pub fn ending(&self) -> Option<&str> {
        self.ending.as_deref().filter(|_| self.at + 1 >= self.steps.len())
    }

    /// Returns the numbers of the first and last placement stored for stepping back, if any.
    #[must_use]
    pub fn range(&self) -> Option<(u64, u64)> {
        Some((self.steps.front()?.piece_no, self.steps.back()?.piece_no))
    }

    /// Shows the game's next placement, and plays it if it is not stored. Returns `false` after the
    /// game's end.
    pub fn forward(&mut self) -> Result<bool> {
        if self.at + 1 < self.steps.len() {
            self.at += 1;
            return Ok(true);
        }
        if self.ending.is_some() {
            return Ok(false);
        }
        let step = match (self.source)()? {
            ControlFlow::Continue(step) => step,
            ControlFlow::Break(ending) => {
                self.ending = Some(ending);
                return Ok(false);
            }
        };
        // The oldest placement is dropped only when a new one exists, so that the last ones stay at
        // the end of the game.
        if self.steps.len() == self.stored {
            self.steps.pop_front();
        }
        self.steps.push_back(step);
        self.at = self.steps.len() - 1;
        Ok(true)
    }

    /// Shows the game's previous placement. Returns `false` if that placement is not stored.
    pub fn back(&mut self) -> bool {
        let can = self.at > 0;
        self.at -= usize::from(can);
        can
    }

    /// Shows the first placement of the game that is still stored.
    pub fn first(&mut self) {
        self.at = 0;
    }

    /// Shows the last placement of the game that is stored.
    pub fn last(&mut self) {
        self.at = self.steps.len().saturating_sub(1);
    }

    /// Plays the game to placement number `piece_no`, and calls `made` with the number of each
    /// placement. Returns `false` if the game ends before.
    pub fn seek(&mut self, piece_no: u64, made: &dyn Fn(u64)) -> Result<bool> {
        // A placement depends on all earlier ones, and earlier states are not stored, so the game
        // is played on.
        while self.step().is_none_or(|step| step.piece_no < piece_no) {
            if !self.forward()? {
                return Ok(false);
            }
            made(self.step().map_or(0, |step| step.piece_no));
        }
        Ok(true)
    }

    /// Plays the watched game to its end, and shows the first stored placement. Calls `made` with
    /// each placement's number to show progress.
    pub fn play_out(&mut self, made: &dyn Fn(u64)) -> Result<()> {
        self.seek(u64::MAX, made)?;
        self.first();
        Ok(())
    }

    /// Explains the choice of the shown placement over the placement of rank `other`, by default
    /// the best alternative. `None` without a known controller or before a placement is shown.
    pub fn analysis(&mut self, other: Option<usize>) -> Option<Analysis> {
        let step = self.steps.get(self.at)?;
        Some(self.config.explain(self.explainer.as_mut()?, &step.scene, other))
    }
}
