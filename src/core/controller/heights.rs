//! Supports weights that change with the height of the stack.
//!
//! In a controller file, `holes = -4.0` sets the weight on an empty board, and `"holes@8" = -6.0`
//! at a stack of 8 rows. Weights between two heights are interpolated linearly; above the greatest
//! height they are constant. The height is measured before a piece is placed. One decision
//! therefore scores all placements, also those of the next piece in a search, by the same weights.

use std::fmt;

use super::Controller;
use crate::board::MAX_HEIGHT;
use crate::features::Feature;

/// Separator between a feature and a height, as in `holes@8`.
const AT: char = '@';

/// The weight of a feature at one height of the stack, measured before a piece is placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightWeight {
    /// Feature that the weight is for.
    pub feature: Feature,
    /// Height of the stack in rows, 1 or more. The weight on an empty board is stored in
    /// [`Controller::weights`].
    pub height: usize,
    /// Weight per whole unit of the feature.
    pub weight: f64,
}

/// Writes the weight's name in files and logs: `holes@8`.
impl fmt::Display for HeightWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{AT}{}", self.feature, self.height)
    }
}

/// Weights on empty boards, and weights at stack heights, both in the order of a controller's file.
pub type SplitWeights = (Vec<(Feature, f64)>, Vec<HeightWeight>);

/// Separates weights at stack heights (`holes@8`) from weights on empty boards (`holes`), and keeps
/// the order of each group.
///
/// # Errors
/// Returns an error message for an unknown feature, an invalid height, or a feature with heights
/// but without a weight on empty boards.
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
                // Other spellings of a number are refused, so that one height has one name.
                let is_height = |height: &usize| {
                    (1..=MAX_HEIGHT).contains(height) && height.to_string() == rows
                };
                let height = rows.parse().ok().filter(is_height);
                let height = height.ok_or_else(|| {
                    format!(
                        "'{}': after {AT} give the height of the stack, 1 to {MAX_HEIGHT} rows, \
                         for example {of}{AT}8",
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
        Some(at) => Err(format!("{at} needs a weight for lower stacks: give {} too", at.feature)),
        None => Ok((weights, at_height)),
    }
}

impl Controller {
    /// Returns the name and the value of every weight, as [`split_weights`] reads them. Weights on
    /// empty boards come first.
    pub fn named_weights(&self) -> impl Iterator<Item = (String, f64)> {
        let empty = self.weights.iter().map(|(feature, weight)| (feature.to_string(), *weight));
        empty.chain(self.at_height.iter().map(|at| (at.to_string(), at.weight)))
    }

    /// Returns the weights at a stack of `height` rows before the placement, in the order of
    /// [`Controller::weights`].
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

    /// Returns the greatest stack height that has a weight of its own, or 0 if there is none.
    /// Higher stacks use the weights at this height.
    #[must_use]
    pub fn last_height(&self) -> usize {
        self.at_height.iter().map(|at| at.height).max().unwrap_or(0)
    }

    /// Returns an equivalent controller that has an explicit weight of each feature at every stack
    /// height in `heights`. Added weights have their interpolated values.
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
