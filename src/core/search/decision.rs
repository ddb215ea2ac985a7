//! What a player decides, and what it saw.

use super::Value;
use crate::placement::{Candidate, Step};
use crate::rules::Outcome;

/// A chosen placement, with what a log keeps of the choice. Values are in steps of [`Scorer::scale`].
///
/// [`Scorer::scale`]: crate::controller::Scorer::scale
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What it leads to.
    pub outcome: Outcome,
    /// Its value under the search.
    pub value: Value,
    /// The best other placement, if there is another.
    pub runner_up: Option<RunnerUp>,
    /// Placements there were to choose from, those that lose among them.
    pub candidates: usize,
}

impl Decision {
    /// What it does to the game: rows, height of the stack, whether it ends.
    #[must_use]
    pub fn step(&self) -> Step {
        let Outcome { after, played, lost, .. } = &self.outcome;
        Step { lines: played.lines, stack: after.stack_height() as u8, lost: *lost }
    }

    /// Its score in units, or `None` when it loses or every answer to it does.
    #[must_use]
    pub fn score(&self, scale: f64) -> Option<f64> {
        self.value.score(scale)
    }

    /// How much better than the runner-up, in units; `None` when that has no comparable score.
    #[must_use]
    pub fn margin(&self, scale: f64) -> Option<f64> {
        self.runner_up.and_then(|other| self.value.margin(other.value, scale))
    }
}

/// The second choice: the best placement besides the one chosen, the first of equal ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunnerUp {
    /// Where the piece would have come to rest.
    pub candidate: Candidate,
    /// Its value under the search.
    pub value: Value,
}

/// A placement with its value, for explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// What it leads to.
    pub outcome: Outcome,
    /// Its value under the search.
    pub value: Value,
}
