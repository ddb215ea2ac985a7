//! The value of a placement under a search.
//!
//! Placements are compared by how safe they are first and by score second: one after which a next piece has no
//! surviving answer ranks below every other, whatever its score. That order is the only thing that keeps a
//! controller whose weights say nothing about height from ending its own game.

use std::cmp::{Ordering, Reverse};

/// What a placement is worth: first how many next pieces have no answer that survives, fewer
/// being better, then the sum of the scores of those that have.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::search::Value;
/// let safe = Value { unanswered: 0, answered: 7, sum: -7_000 };
/// let risky = Value { unanswered: 1, answered: 6, sum: 9_000 };
/// assert!(safe > risky && risky > Value::LOST);
/// assert_eq!(safe.score(10.0), Some(-100.0)); // the mean, in units of a scale of 10 steps
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Next pieces without a surviving answer; [`Value::LOST`] has more than there can be.
    pub unanswered: u8,
    /// Next pieces with one; 1 for a greedy value.
    pub answered: u8,
    /// Sum of scores over the answered pieces, in steps of the scorer's scale; the placement's
    /// own score when none is.
    pub sum: i64,
}

impl Value {
    /// A placement that ends the game.
    pub const LOST: Value = Value { unanswered: u8::MAX, answered: 0, sum: 0 };

    /// The score of a placement that is not looked beyond.
    #[must_use]
    pub const fn of_score(score: i64) -> Value {
        Value { unanswered: 0, answered: 1, sum: score }
    }

    /// The mean score in units (`scale` steps each), or `None` when no answer survives.
    #[must_use]
    pub fn score(self, scale: f64) -> Option<f64> {
        (self.answered > 0).then(|| self.sum as f64 / scale / f64::from(self.answered))
    }

    /// How much better than `other`, in units; `None` when they are not on one scale.
    #[must_use]
    pub fn margin(self, other: Value, scale: f64) -> Option<f64> {
        // Only of as many answers, since a mean over seven pieces and one over six are not on one scale.
        let comparable = self.answered > 0 && self.answered == other.answered;
        let difference = (self.sum - other.sum) as f64;
        comparable.then(|| difference / scale / f64::from(self.answered))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        (Reverse(self.unanswered), self.sum).cmp(&(Reverse(other.unanswered), other.sum))
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
