//! Weights that change with the height of the stack.
//!
//! In a file `"holes@8" = -6.0` gives the weight of `holes` where the stack is 8 rows high before a piece is placed, beside
//! `holes = -4.0`, which is that on an empty board. Between two heights weights lie on a line, and above the last they
//! stay. The height is that of the board on which the decision is taken, so that one decision compares all its placements,
//! and all answers that look-ahead asks about, by the same weights.

use std::fmt;

use super::Controller;
use crate::board::MAX_HEIGHT;
use crate::features::Feature;

/// What stands between a feature and a height.
const AT: char = '@';

/// The weight of a feature where the stack is so many rows high before a piece is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightWeight {
    /// Which feature.
    pub feature: Feature,
    /// Rows up to the highest cell, 1 or more: the weight on an empty board stands by itself.
    pub height: usize,
    /// Per whole unit of the feature.
    pub weight: f64,
}

/// As files and logs name it: `holes@8`.
impl fmt::Display for HeightWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{AT}{}", self.feature, self.height)
    }
}

/// Weights by name, as a controller has them: those of empty boards, and those at heights.
pub type SplitWeights = (Vec<(Feature, f64)>, Vec<HeightWeight>);

/// Weights by name, such as `holes` and `holes@8`, in their order.
///
/// # Errors
/// In words, when a name is no feature, a height is none, or a feature with heights has no weight on an empty board.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::split_weights;
/// let (weights, at_height) = split_weights([("holes", -4.0), ("holes@8", -6.0)])?;
/// assert_eq!((weights.len(), at_height[0].height, at_height[0].weight), (1, 8, -6.0));
/// assert!(split_weights([("holes@8", -6.0)]).is_err());
/// # Ok::<(), String>(())
/// ```
pub fn split_weights<N: AsRef<str>>(
    named: impl IntoIterator<Item = (N, f64)>,
) -> Result<SplitWeights, String> {
    let (mut weights, mut at_height) = (Vec::new(), Vec::<HeightWeight>::new());
    let feature = |name: &str| name.parse::<Feature>().map_err(|error| error.to_string());
    for (name, weight) in named {
        match name.as_ref().split_once(AT) {
            None => weights.push((feature(name.as_ref())?, weight)),
            Some((of, rows)) => {
                // Only as it would be written, so that one height has one name.
                let is_height = |height: &usize| {
                    (1..=MAX_HEIGHT).contains(height) && height.to_string() == rows
                };
                let height = rows.parse().ok().filter(is_height);
                let height = height.ok_or_else(|| {
                    format!(
                        "'{}': after {AT} give the height of the stack, 1 to {MAX_HEIGHT} rows, for example {of}{AT}8",
                        name.as_ref().escape_debug()
                    )
                })?;
                at_height.push(HeightWeight { feature: feature(of)?, height, weight });
            }
        }
    }
    let is_missing =
        |at: &&HeightWeight| !weights.iter().any(|(feature, _)| *feature == at.feature);
    match at_height.iter().find(is_missing) {
        Some(at) => Err(format!(
            "{at} has no weight on an empty board to begin with: give {} too",
            at.feature
        )),
        None => Ok((weights, at_height)),
    }
}

impl Controller {
    /// All its weights by name, as [`split_weights`] takes them: those of empty boards first.
    pub fn named_weights(&self) -> impl Iterator<Item = (String, f64)> {
        let empty = self.weights.iter().map(|(feature, weight)| (feature.to_string(), *weight));
        empty.chain(self.at_height.iter().map(|at| (at.to_string(), at.weight)))
    }

    /// Its weights where the stack is so high before a piece is placed, in the order of [`Controller::weights`].
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::controller::Controller;
    /// let mine = Controller::parse("mine.toml", r#"
    ///     name = "mine"
    ///     measured = "after-clear"
    ///     [weights]
    ///     holes = -4.0
    ///     "holes@8" = -6.0
    /// "#)?;
    /// let weight_at = |height| mine.weights_at(height)[0].1;
    /// assert_eq!([0, 4, 8, 20].map(weight_at), [-4.0, -5.0, -6.0, -6.0]);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn weights_at(&self, height: usize) -> Vec<(Feature, f64)> {
        let at = |&(feature, empty): &(Feature, f64)| {
            let (mut below, mut above) = ((0, empty), None);
            for knot in self.at_height.iter().filter(|knot| knot.feature == feature) {
                let point = (knot.height, knot.weight);
                if knot.height <= height {
                    below = if point.0 >= below.0 { point } else { below };
                } else if above.is_none_or(|(nearest, _)| knot.height < nearest) {
                    above = Some(point);
                }
            }
            let weight = match above {
                Some((top, weight)) => {
                    let share = (height - below.0) as f64 / (top - below.0) as f64;
                    below.1 + (weight - below.1) * share
                }
                None => below.1,
            };
            (feature, weight)
        };
        self.weights.iter().map(at).collect()
    }

    /// The highest stack at which a weight of its own begins: from there on all weights stay. 0 without any.
    #[must_use]
    pub fn last_height(&self) -> usize {
        self.at_height.iter().map(|at| at.height).max().unwrap_or(0)
    }

    /// The same player, with a weight of each feature at these heights too: those that it has there now.
    #[must_use]
    pub fn spread_over(&self, heights: &[usize]) -> Controller {
        let mut spread = self.clone();
        for &height in heights {
            for (feature, weight) in self.weights_at(height) {
                let is_there = |at: &HeightWeight| at.feature == feature && at.height == height;
                if height > 0 && !spread.at_height.iter().any(is_there) {
                    spread.at_height.push(HeightWeight { feature, height, weight });
                }
            }
        }
        spread
    }
}
