//! Computes exact scores from integer weights, so that equal scores are equal on every machine.
//!
//! Let d be the largest number of decimals of a weight or of the patterns' step, and u the least
//! common multiple of the features' denominators. Every weight times 10^d u is then an integer, and
//! so is the score, in steps of 1/(10^d u). If the sum of the integer weights exceeds 2^43, d is
//! lowered and weights are rounded: in `rvce` and the three `el-tetris` presets to 9 decimals.

use super::external::VALUE_DECIMALS;
use super::{Controller, Patterns};
use crate::board::{Board, BoardSize};
use crate::error::{Error, Result};
use crate::features::{Feature, Measured, Move};

/// Largest sum of a controller's absolute integer weights, so that sums of scores fit 64 bits.
// Feature values fit 16 bits, so a score fits 58 bits, and the sums of a search over seven next
// pieces fit 62 bits.
const WEIGHT_LIMIT: f64 = (1u64 << 43) as f64;

const LARGEST_FEATURE: f64 = (1u64 << 15) as f64;

/// Largest rounding error of a controller's weight, as a share of the weight.
const LARGEST_ROUNDING: f64 = 1e-6;

const DECIMALS_BETWEEN_HEIGHTS: i32 = 6;

/// The score of a placement as integers, in steps of 1/[`Scorer::scale`]; larger is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Sum of weight x value over all features, plus the value of the cell patterns.
    pub total: i64,
    /// Weighted sum of the features of the placement itself, such as `rows_removed`; a search adds
    /// up these sums.
    pub reward: i64,
}

/// A controller prepared to score placements on boards of one size, with integer weights.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, controller::{Controller, Scorer}, piece::Piece};
/// use tetrastat::{placement::Placements, rules::{Outcome, Rules}};
/// let board = Board::empty("10x20".parse()?);
/// let scorer = Scorer::new(&Controller::load("bcts")?, board.size())?;
/// let (rules, mut candidates) = (Rules::simplified(), Vec::new());
/// rules.candidates(&Placements::new(10), &board, Piece::O, &mut candidates);
/// let corner = rules.play(&board, Piece::O, candidates[0]);
/// let middle = rules.play(&board, Piece::O, candidates[4]);
/// let measured = scorer.measured();
/// let score = |o: &Outcome| scorer.score(0, o.board(measured), &o.played).total;
/// assert!(score(&corner) > score(&middle)); // no new walls for wells
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scorer {
    /// Features and integer weights by stack height; the last entry also applies to higher stacks.
    terms: Vec<Vec<(Feature, i64)>>,
    /// Cell patterns of the controller, and the integer weight of their table entries.
    patterns: Option<(Patterns, i64)>,
    measured: Measured,
    scale: f64,
}

impl Scorer {
    /// Creates the scorer of `controller` on boards of `size`. Fails if the controller does not fit
    /// these boards, or if integers cannot hold a weight to within a millionth of it.
    pub fn new(controller: &Controller, size: BoardSize) -> Result<Scorer> {
        controller.check(size)?;
        let units = controller
            .weights
            .iter()
            .map(|(feature, _)| feature.definition().unit.denominator(size.width()))
            .fold(1, lcm);
        let by_height: Vec<_> =
            (0..=controller.last_height()).map(|height| controller.weights_at(height)).collect();
        let sum_at =
            |weights: &Vec<(Feature, f64)>| weights.iter().map(|(_, w)| w.abs()).sum::<f64>();
        // All heights share the scale of the largest weights.
        let sum = by_height.iter().map(sum_at).fold(0.0, f64::max);
        // Patterns count like a feature whose values fit 16 bits.
        let step = controller.patterns.as_ref().map_or(0.0, Patterns::step);
        let largest = controller.patterns.as_ref().map_or(0, Patterns::largest);
        let sum = sum + step * (largest as f64 / LARGEST_FEATURE).ceil().max(1.0);
        let decimals = controller.named_weights().map(|(_, weight)| weight);
        let decimals = decimals.chain([step]).map(decimals_of).max();
        // Interpolated weights have more decimals than the given ones.
        let more = if controller.at_height.is_empty() { 0 } else { DECIMALS_BETWEEN_HEIGHTS };
        let decimals = decimals.map(|decimals| decimals + more);
        // Values of an external player need decimals, too; their number must not depend on weights.
        let decimals = controller.external.as_ref().map_or(decimals, |_| Some(VALUE_DECIMALS));
        // Counting every feature in the finest unit bounds the sum of integer weights.
        let fits = |d: &i32| sum * 10f64.powi(*d) * f64::from(units) <= WEIGHT_LIMIT;
        // Tries all decimals first, then fewer.
        let decimals = (0..=decimals.unwrap_or(0)).rev().find(fits).ok_or_else(|| {
            let problem = format!(
                "its weights add up to {sum:e}, more than exact scores can hold: divide them all \
                 by the same number"
            );
            Error::Controller { name: controller.name.clone(), problem }
        })?;
        let power = 10f64.powi(decimals);
        let lost = |(_, weight): &(String, f64)| {
            ((weight * power).round() / power - weight).abs() > weight.abs() * LARGEST_ROUNDING
        };
        let of_patterns = ("step of the patterns".to_owned(), step);
        if let Some((name, weight)) = controller.named_weights().chain([of_patterns]).find(lost) {
            let problem = format!(
                "the weight {weight:?} of {name} is too small beside the others to be exact: \
                 scores have steps of 1e-{decimals}; make it 0 or larger"
            );
            return Err(Error::Controller { name: controller.name.clone(), problem });
        }
        let integer = |&(feature, weight): &(Feature, f64)| {
            let per_raw = units / feature.definition().unit.denominator(size.width());
            (feature, (weight * power).round() as i64 * i64::from(per_raw))
        };
        let exact = |weights: &Vec<(Feature, f64)>| weights.iter().map(integer).collect();
        Ok(Scorer {
            terms: by_height.iter().map(exact).collect(),
            patterns: controller.patterns.clone().map(|patterns| {
                let weight = (step * power).round() as i64 * i64::from(units);
                (patterns, weight)
            }),
            measured: controller.measured,
            scale: power * f64::from(units),
        })
    }

    /// Returns the integer that stands for a score of 1 in units of the controller's weights.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the board that the features are measured on: before or after full rows are removed.
    #[must_use]
    pub fn measured(&self) -> Measured {
        self.measured
    }

    /// Returns the features and integer weights for a placement on a stack of `stack` rows. Weights
    /// are per step of the raw value.
    #[must_use]
    pub fn terms(&self, stack: usize) -> &[(Feature, i64)] {
        &self.terms[stack.min(self.last_height())]
    }

    /// Returns the controller's cell patterns, and the integer weight of their table entries.
    #[must_use]
    pub fn patterns(&self) -> Option<(&Patterns, i64)> {
        self.patterns.as_ref().map(|(patterns, weight)| (patterns, *weight))
    }

    /// Returns the value of a board by the cell patterns, in units of the controller's weights;
    /// `None` without patterns.
    #[must_use]
    pub fn pattern_value(&self, measured: &Board) -> Option<f64> {
        let (patterns, weight) = self.patterns()?;
        Some((weight * patterns.value(measured)) as f64 / self.scale)
    }

    /// Returns the stack height, in rows, above which the controller's weights no longer change.
    #[must_use]
    pub fn last_height(&self) -> usize {
        self.terms.len() - 1
    }

    /// Returns the score of the placement `played` on a stack of `stack` rows. Features are
    /// computed on `measured`, the board that [`Scorer::measured`] names.
    #[must_use]
    pub fn score(&self, stack: usize, measured: &Board, played: &Move) -> Score {
        // The scalar functions of features are the specification of the vector kernels.
        let mut score = Score::default();
        for (feature, weight) in self.terms(stack) {
            let value = weight * i64::from(feature.raw(measured, Some(played)).unwrap_or(0));
            score.total += value;
            if feature.is_reward() {
                score.reward += value;
            }
        }
        if let Some((patterns, weight)) = &self.patterns {
            score.total += weight * patterns.value(measured);
        }
        score
    }
}

fn decimals_of(weight: f64) -> i32 {
    // `to_string` never writes an exponent, so all digits after the point are decimals.
    weight.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32)
}

fn lcm(a: i32, b: i32) -> i32 {
    let gcd = |mut a: i32, mut b: i32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    a / gcd(a, b) * b
}
