//! Splits a controller's score into terms, for logs and explanations.

use crate::controller::GuidelineController;
use crate::features::Measured;
use crate::features::guideline::{ClearEvent, Term, TermFunction, values};
use crate::matrix::Matrix;
use crate::rules::guideline::{GuidelineState, Hold, Placed};

use super::node::SCALE;

/// The weighted terms of a controller, for explanations and logs; play uses [`super::Weights`].
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{controller::GuidelineController, search::guideline::Terms};
/// let controller = GuidelineController::load("tetrastat-sprint")?;
/// let terms = Terms::new(&controller, Some(40));
/// assert_eq!(terms.weights(), controller.weights);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Terms {
    weights: Vec<(Term, f64)>,
    measured: Measured,
    /// Number of rows that end the game.
    goal: Option<u32>,
    /// True if a term of T-slots has to be computed, which takes much time.
    slots: bool,
}

impl Terms {
    /// Creates the terms of a controller; `goal` is the number of rows that ends the game.
    #[must_use]
    pub fn new(controller: &GuidelineController, goal: Option<u32>) -> Terms {
        Terms::weighted(controller.weights.clone(), controller.measured, goal)
    }

    /// Creates terms with these weights, in this order; `goal` is the number of rows that ends the
    /// game.
    #[must_use]
    pub fn weighted(weights: Vec<(Term, f64)>, measured: Measured, goal: Option<u32>) -> Terms {
        let slots = weights.iter().any(|(term, _)| term.is_slot_term());
        Terms { weights, measured, goal, slots }
    }

    /// Creates an empty list of terms, for a human player.
    #[must_use]
    pub fn none() -> Terms {
        Terms::weighted(Vec::new(), Measured::AfterClear, None)
    }

    /// Creates a list of all terms with weight 0.
    #[must_use]
    pub fn all(measured: Measured, goal: Option<u32>) -> Terms {
        Terms::weighted(Term::all().map(|term| (term, 0.0)).collect(), measured, goal)
    }

    /// Returns the terms with their weights, in the controller's order.
    #[must_use]
    pub fn weights(&self) -> &[(Term, f64)] {
        &self.weights
    }

    /// Returns the matrix on which terms are measured after a placement: before or after full rows
    /// are removed, as the controller states.
    #[must_use]
    pub fn measured<'a>(&self, placed: &'a Placed) -> &'a Matrix {
        match self.measured {
            Measured::BeforeClear => &placed.locked,
            Measured::AfterClear => &placed.after.matrix,
        }
    }

    /// Returns the value of each term after a placement, in the controller's order.
    #[must_use]
    pub fn values(&self, placed: &Placed) -> Vec<i32> {
        self.values_of(self.measured(placed), &placed.after, Some(&placed.event))
    }

    /// Returns the value of each term of `matrix` in the state `after`. `event` is the effect of
    /// the last placement; without an event, terms of the placement are 0.
    #[must_use]
    pub fn values_of(
        &self,
        matrix: &Matrix,
        after: &GuidelineState,
        event: Option<&ClearEvent>,
    ) -> Vec<i32> {
        let left = self.goal.map(|goal| goal.saturating_sub(after.lines));
        let found = values(matrix, left, self.slots);
        let value = |&(term, _): &(Term, f64)| match term.definition().measure {
            TermFunction::ClearEvent(function) => event.map_or(0, function),
            _ => match term.matrix_index() {
                Some(place) => found[place],
                None => of_state(term, after).unwrap_or(0),
            },
        };
        self.weights.iter().map(value).collect()
    }
}

/// Returns the value of a term of back-to-back or of the hold in `state`, or `None` for other
/// terms.
#[must_use]
pub fn of_state(term: Term, state: &GuidelineState) -> Option<i32> {
    match term.definition().measure {
        TermFunction::BackToBack => Some(state.combo_state.back_to_back().into()),
        TermFunction::Hold(piece) => Some((state.hold == Hold::Piece(piece)).into()),
        TermFunction::Matrix(_) | TermFunction::Goal(_) | TermFunction::ClearEvent(_) => None,
    }
}

/// Returns the exact contribution of a term's `value` to a score under `weight`, in steps of
/// 1/[`SCALE`].
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::search::guideline::{SCALE, steps};
/// assert_eq!(steps(-0.5, 3) as f64 / SCALE, -1.5);
/// ```
#[must_use]
pub fn steps(weight: f64, value: i32) -> i64 {
    // Rounding the weight before the product, as in play, makes terms add up exactly to the score.
    (weight * SCALE).round() as i64 * i64::from(value)
}
