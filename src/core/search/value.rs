//! Defines the value by which a search compares placements.
//!
//! Safety is compared first and score second. A placement after which a next piece has no surviving
//! reply ranks below every placement without such a piece. Only this order keeps a controller whose
//! weights ignore height from ending its own game.

use std::cmp::{Ordering, Reverse};

/// The value of a placement. The number of next pieces without a surviving reply is compared first
/// (fewer is better), then the sum of scores over the other pieces.
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
    /// Number of next pieces without a surviving reply; 255 in [`Value::LOST`].
    pub unanswered: u8,
    /// Number of next pieces with a surviving reply; 1 for a greedy value.
    pub answered: u8,
    /// Sum of scores over the next pieces with a surviving reply, in steps of the scorer's scale.
    /// If there is no such piece, it is the placement's own score.
    pub sum: i64,
}

impl Value {
    /// The value of a placement that ends the game.
    pub const LOST: Value = Value { unanswered: u8::MAX, answered: 0, sum: 0 };

    /// The value of a placement that an external player, which gives no scores, did not suggest.
    pub const NOT_SUGGESTED: Value = Value { unanswered: 0, answered: 0, sum: 0 };

    /// Returns the value of a surviving placement with this `score`, without look-ahead.
    #[must_use]
    pub const fn of_score(score: i64) -> Value {
        Value { unanswered: 0, answered: 1, sum: score }
    }

    /// Returns the value of a surviving placement from the `best` score of each next piece, `None`
    /// for a piece without a surviving reply. If no piece has one, the placement's own `score`
    /// still orders it among such placements.
    pub(super) fn of_answers(best: &[Option<i64>], score: i64) -> Value {
        let answered = best.iter().flatten().count() as u8;
        let sum = if answered == 0 { score } else { best.iter().flatten().sum() };
        Value { unanswered: best.len() as u8 - answered, answered, sum }
    }

    /// Returns the number of next pieces without a surviving reply, or `None` for a placement that
    /// ends the game.
    #[must_use]
    pub fn deadly_next(self) -> Option<u8> {
        (self != Value::LOST).then_some(self.unanswered)
    }

    /// Returns the mean score over the next pieces that can be placed without ending the game.
    /// `scale` is the number of steps in one point of the score. Returns `None` if there is no such
    /// piece.
    #[must_use]
    pub fn score(self, scale: f64) -> Option<f64> {
        (self.answered > 0).then(|| self.sum as f64 / scale / f64::from(self.answered))
    }

    /// Returns this mean score minus that of `other`, in units of `scale` steps. Returns `None` if
    /// the means are over different numbers of next pieces, or over none.
    #[must_use]
    pub fn margin(self, other: Value, scale: f64) -> Option<f64> {
        // Means over different numbers of pieces are not comparable.
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
