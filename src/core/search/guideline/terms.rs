//! A controller's score term by term: what logs and explanations tell of a placement.

use crate::controller::GuidelineController;
use crate::features::Measured;
use crate::features::guideline::{ClearEvent, Term, TermFunction, TermValues, values};
use crate::matrix::Matrix;
use crate::rules::guideline::{GuidelineState, Hold, Placed};

use super::node::SCALE;

/// The terms of a controller with their weights, for whoever explains or logs a score; play uses
/// [`super::Weights`].
#[derive(Clone, Debug)]
pub struct Terms {
    weights: Vec<(Term, f64)>,
    measured: Measured,
    /// Rows that end the game.
    goal: Option<u32>,
    /// Whether any of them asks about slots, which only then are looked for.
    slots: bool,
}

impl Terms {
    /// The terms of a controller; `goal` is how many rows end the game.
    #[must_use]
    pub fn new(controller: &GuidelineController, goal: Option<u32>) -> Terms {
        Terms {
            weights: controller.weights.clone(),
            measured: controller.measured,
            goal,
            slots: controller.weights.iter().any(|(term, _)| term.is_of_slots()),
        }
    }

    /// No terms: those of a person.
    #[must_use]
    pub fn none() -> Terms {
        let measured = Measured::AfterClear;
        Terms { weights: Vec::new(), measured, goal: None, slots: false }
    }

    /// Every term that there is, each of weight 0.
    #[must_use]
    pub fn all(measured: Measured, goal: Option<u32>) -> Terms {
        let weights = Term::all().map(|term| (term, 0.0)).collect();
        Terms { weights, measured, goal, slots: true }
    }

    /// Each with its weight, in the controller's order.
    #[must_use]
    pub fn weights(&self) -> &[(Term, f64)] {
        &self.weights
    }

    /// The matrix that is measured after a placement.
    #[must_use]
    pub fn measured<'a>(&self, placed: &'a Placed) -> &'a Matrix {
        match self.measured {
            Measured::BeforeClear => &placed.locked,
            Measured::AfterClear => &placed.after.matrix,
        }
    }

    /// The value of each term after a placement, in the controller's order.
    #[must_use]
    pub fn values(&self, placed: &Placed) -> Vec<i32> {
        let left = self.goal.map(|goal| goal.saturating_sub(placed.after.lines));
        let found = values(self.measured(placed), left, self.slots);
        let (after, event) = (&placed.after, Some(&placed.event));
        self.weights.iter().map(|&(term, _)| value(term, &found, after, event)).collect()
    }
}

/// Returns the value of `term` after a placement; `found` are those of its matrix, found together since they share its columns.
#[must_use]
pub fn value(
    term: Term,
    found: &TermValues,
    after: &GuidelineState,
    event: Option<&ClearEvent>,
) -> i32 {
    match term.definition().measure {
        TermFunction::ClearEvent(function) => event.map_or(0, function),
        _ => match term.place() {
            Some(place) => found[place],
            None => of_state(term, after).unwrap_or(0),
        },
    }
}

/// The value of a term of what a state is besides its matrix: back-to-back, or the hold; `None` for all others.
#[must_use]
pub fn of_state(term: Term, state: &GuidelineState) -> Option<i32> {
    match term.definition().measure {
        TermFunction::BackToBack => Some(state.combo_state.back_to_back.into()),
        TermFunction::Hold(piece) => Some((state.hold == Hold::Piece(piece)).into()),
        TermFunction::Matrix(_) | TermFunction::Goal(_) | TermFunction::ClearEvent(_) => None,
    }
}

/// What a value adds to a score under a weight, in steps of 1/[`SCALE`], exactly.
#[must_use]
pub fn steps(weight: f64, value: i32) -> i64 {
    // The weight is rounded before the product, as play does it: so that terms add up to the score to the last
    // step.
    (weight * SCALE).round() as i64 * i64::from(value)
}
