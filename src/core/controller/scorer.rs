//! Exact scores: weights as integers, so that equal scores are equal on every machine.
//!
//! A score is sum(weight x value). With d the most decimals of any weight and u the least common
//! multiple of the features' denominators, every weight times 10^d times u is an integer, and so
//! is the score in steps of 1/(10^d u). Weights printed from doubles can have 16 decimals, too
//! many for 64 bits: d is then lowered until the sum of the integer weights is at most 2^43, and
//! the weights are rounded to it (rvce and the three of El-Tetris keep 9 decimals, all other presets all).

use super::Controller;
use crate::board::{Board, BoardSize};
use crate::error::{Error, Result};
use crate::features::{Feature, Measured, Move};

/// Largest sum of absolute integer weights: raw values fit 15 bits and their sign, so a score fits
/// 58 bits, and sums over two pieces and seven answers fit 62.
const WEIGHT_LIMIT: f64 = (1u64 << 43) as f64;

/// Largest part of a weight that rounding may take.
const LARGEST_ROUNDING: f64 = 1e-6;

/// A placement's score, in steps of [`Scorer::scale`]: larger is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Over all features.
    pub total: i64,
    /// Over the features that a placement earns once ([`Feature::is_reward`]).
    pub reward: i64,
}

/// A controller made ready for boards of one size: its weights as integers.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, controller::{Controller, Scorer}, piece::Piece};
/// use tetrastat::{placement::Placements, rules::Rules};
/// let board = Board::empty("10x20".parse()?);
/// let scorer = Scorer::new(&Controller::load("bcts")?, board.size())?;
/// let (rules, mut candidates) = (Rules::simplified(), Vec::new());
/// rules.candidates(&Placements::new(10), &board, Piece::O, &mut candidates);
/// let corner = rules.play(&board, Piece::O, candidates[0]);
/// let middle = rules.play(&board, Piece::O, candidates[4]);
/// let score = |o: &tetrastat::rules::Outcome| scorer.score(0, o.board(scorer.measured()), &o.played).total;
/// assert!(score(&corner) > score(&middle)); // no new walls for wells
/// assert_eq!(score(&corner) as f64 / scorer.scale(), -572.6827);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scorer {
    /// By the height of the stack; one for all where weights do not depend on it. Above the last it stays.
    terms: Vec<Vec<(Feature, i64)>>,
    measured: Measured,
    scale: f64,
}

impl Scorer {
    /// Makes a controller ready for boards of one size; a weight's decimals are kept where 64 bits have room
    /// for them, and rounding that would change one by more than a millionth is refused.
    ///
    /// # Errors
    /// [`Error::Controller`] when it does not fit the board, or its weights are too large or too far apart.
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
        // One scale for all heights: that of the largest weights.
        let sum = by_height.iter().map(sum_at).fold(0.0, f64::max);
        // Of the weights that were given; those between two heights are rounded to the same.
        let decimals = controller.named_weights().map(|(_, weight)| decimals(weight)).max();
        // As if every feature counted in the finest unit: the sum of the integer weights is no more than that.
        let fits = |d: &i32| sum * 10f64.powi(*d) * f64::from(units) <= WEIGHT_LIMIT;
        // The most decimals that fit, from all of them down.
        let decimals = (0..=decimals.unwrap_or(0)).rev().find(fits).ok_or_else(|| {
            let problem = format!(
                "its weights add up to {sum:e}, more than exact scores can hold: divide them all by the same number"
            );
            Error::Controller { name: controller.name.clone(), problem }
        })?;
        let power = 10f64.powi(decimals);
        let lost = |(_, weight): &(String, f64)| {
            ((weight * power).round() / power - weight).abs() > weight.abs() * LARGEST_ROUNDING
        };
        if let Some((name, weight)) = controller.named_weights().find(lost) {
            let problem = format!(
                "the weight {weight} of {name} is too small beside the others to be exact: its score counts in steps of 1e-{decimals}; make it 0 or larger"
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
            measured: controller.measured,
            scale: power * f64::from(units),
        })
    }

    /// Steps in one unit of score.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Which board the features are measured on.
    #[must_use]
    pub fn measured(&self) -> Measured {
        self.measured
    }

    /// Features with their integer weights per raw step, where the stack is so high before the placement.
    #[must_use]
    pub fn terms(&self, stack: usize) -> &[(Feature, i64)] {
        &self.terms[stack.min(self.last_height())]
    }

    /// The height from which on all weights stay; 0 where they do not depend on it.
    #[must_use]
    pub fn last_height(&self) -> usize {
        self.terms.len() - 1
    }

    /// The score of a placement on a board whose stack was so high before it, by the scalar functions; `measured` is the
    /// board that [`Scorer::measured`] says. The kernels find the same number for all placements at once.
    #[must_use]
    pub fn score(&self, stack: usize, measured: &Board, played: &Move) -> Score {
        let mut score = Score::default();
        for (feature, weight) in self.terms(stack) {
            let value = weight * i64::from(feature.raw(measured, Some(played)).unwrap_or(0));
            score.total += value;
            if feature.is_reward() {
                score.reward += value;
            }
        }
        score
    }
}

/// Decimals of the shortest text that reads back as this number.
fn decimals(weight: f64) -> i32 {
    // A number's text never has an exponent here, so that what follows the point are its decimals.
    weight.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32)
}

/// The least common multiple of two positive numbers.
fn lcm(a: i32, b: i32) -> i32 {
    let gcd = |mut a: i32, mut b: i32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    a / gcd(a, b) * b
}
