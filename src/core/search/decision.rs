//! Describes a player's decision and the placements that it compared.

use super::Value;
use crate::placement::{Candidate, Step};
use crate::rules::Outcome;

/// A chosen placement with the data for logs. Values are in steps of [`Scorer::scale`].
///
/// [`Scorer::scale`]: crate::controller::Scorer::scale
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Boards and move after the chosen placement.
    pub outcome: Outcome,
    /// Value of the chosen placement under the search.
    pub value: Value,
    /// Best of the other placements, or `None` if there is only one placement.
    pub runner_up: Option<RunnerUp>,
    /// Number of placements to choose from, including losing ones.
    pub candidates: usize,
    /// One more than the number of placements with a better value. Equal placements share a rank.
    pub rank: usize,
    /// Best placement, if a policy chose another one ([`super::Policy`]).
    pub best: Option<Candidate>,
}

impl Decision {
    /// Returns the effect of the placement on the game: rows removed, stack height, and the end of
    /// the game.
    #[must_use]
    pub fn step(&self) -> Step {
        let Outcome { after, played, lost, .. } = &self.outcome;
        Step { lines: played.lines, stack: after.stack_height() as u8, lost: *lost }
    }

    /// Returns the score of the chosen placement in units of `scale` steps. Returns `None` if the
    /// placement loses, or if every placement of every possible next piece after it loses.
    #[must_use]
    pub fn score(&self, scale: f64) -> Option<f64> {
        self.value.score(scale)
    }

    /// Returns the value of the chosen placement minus the value of the runner-up, in units of
    /// `scale` steps. Returns `None` without a runner-up, or if the two values are not comparable.
    #[must_use]
    pub fn margin(&self, scale: f64) -> Option<f64> {
        self.runner_up.and_then(|other| self.value.margin(other.value, scale))
    }

    /// Returns the value of the best placement minus the value of the chosen one, in units of
    /// `scale` steps. It is 0 for the best placement. Returns `None` if the two values are not
    /// comparable.
    #[must_use]
    pub fn regret(&self, scale: f64) -> Option<f64> {
        // The runner-up of a placement that is not the best is the best one or its equal.
        if self.rank == 1 { Some(0.0) } else { self.margin(scale).map(|margin| 0.0 - margin) }
    }
}

/// The best placement except the chosen one; of equal ones, the first in tie order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunnerUp {
    /// Orientation, column and row of the placement.
    pub candidate: Candidate,
    /// Value of the placement under the search.
    pub value: Value,
}

/// A placement with its value, for explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Boards and move after the placement.
    pub outcome: Outcome,
    /// Value of the placement under the search.
    pub value: Value,
}
