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

/// A placement's score, in steps of [`Scorer::scale`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Over all features.
    pub total: i64,
    /// Over the features that a placement earns once ([`Feature::is_earned`]).
    pub earned: i64,
}

/// A controller made ready for boards of one size.
#[derive(Clone, Debug)]
pub struct Scorer {
    terms: Vec<(Feature, i64)>,
    measured: Measured,
    scale: f64,
}

impl Scorer {
    /// Makes a controller ready.
    ///
    /// # Errors
    /// [`Error::Controller`] when it does not fit the board, or its weights are too large.
    pub fn new(controller: &Controller, size: BoardSize) -> Result<Scorer> {
        controller.check(size)?;
        let units = controller
            .weights
            .iter()
            .map(|(feature, _)| feature.definition().unit.denominator(size.width()))
            .fold(1, lcm);
        let sum: f64 = controller.weights.iter().map(|(_, weight)| weight.abs()).sum();
        let decimals = controller.weights.iter().map(|(_, weight)| decimals(*weight)).max();
        let fits = |d: &i32| sum * 10f64.powi(*d) * f64::from(units) <= WEIGHT_LIMIT;
        let decimals = (0..=decimals.unwrap_or(0)).rev().find(fits).ok_or_else(|| {
            let problem = format!(
                "its weights add up to {sum:e}, more than exact scores can hold: divide them all by the same number"
            );
            Error::Controller { name: controller.name.clone(), problem }
        })?;
        let power = 10f64.powi(decimals);
        let lost = |&&(_, weight): &&(Feature, f64)| {
            ((weight * power).round() / power - weight).abs() > weight.abs() * LARGEST_ROUNDING
        };
        if let Some((feature, weight)) = controller.weights.iter().find(lost) {
            let problem = format!(
                "the weight {weight} of {feature} is too small beside the others to be exact: its score counts in steps of 1e-{decimals}; make it 0 or larger"
            );
            return Err(Error::Controller { name: controller.name.clone(), problem });
        }
        let integer = |&(feature, weight): &(Feature, f64)| {
            let per_raw = units / feature.definition().unit.denominator(size.width());
            (feature, (weight * power).round() as i64 * i64::from(per_raw))
        };
        Ok(Scorer {
            terms: controller.weights.iter().map(integer).collect(),
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

    /// Features with their integer weights per raw step.
    #[must_use]
    pub fn terms(&self) -> &[(Feature, i64)] {
        &self.terms
    }

    /// The score of a placement, by the scalar functions.
    #[must_use]
    pub fn score(&self, measured: &Board, played: &Move) -> Score {
        let mut score = Score::default();
        for (feature, weight) in &self.terms {
            let value = weight * i64::from(feature.raw(measured, Some(played)).unwrap_or(0));
            score.total += value;
            if feature.is_earned() {
                score.earned += value;
            }
        }
        score
    }
}

/// Decimals of the shortest text that reads back as this number.
fn decimals(weight: f64) -> i32 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::PRESETS;
    use crate::piece::Piece;
    use crate::placement::{Candidate, Placement};

    fn scorer(name: &str) -> Scorer {
        let size = BoardSize::new(10, 20).unwrap();
        Scorer::new(&Controller::load(name).unwrap(), size).unwrap()
    }

    #[test]
    fn weights_become_exact_integers() {
        let weights = |name| scorer(name).terms().iter().map(|term| term.1).collect::<Vec<_>>();
        assert_eq!(weights("dellacherie"), [-1, 2, -2, -2, -8, -2]);
        assert_eq!(weights("dt20"), [-268, 276, -482, -1264, 406, -542, -86, -1896, 178]);
        assert_eq!(weights("bcts")[..2], [-12_629_000, 13_203_948]);
        assert_eq!(scorer("bcts").scale(), 2e6);
    }

    #[test]
    fn every_preset_fits_and_keeps_at_least_nine_decimals_or_all() {
        for preset in PRESETS {
            let controller = preset.controller().unwrap();
            let scorer = Scorer::new(&controller, BoardSize::new(10, 20).unwrap()).unwrap();
            for ((feature, weight), (_, integer)) in controller.weights.iter().zip(scorer.terms()) {
                let units = f64::from(feature.definition().unit.denominator(10));
                let back = *integer as f64 * units / scorer.scale();
                assert!((back - weight).abs() < 1e-9, "{} {feature}: {weight} {back}", preset.name);
            }
        }
    }

    #[test]
    fn weights_beyond_64_bits_are_refused() {
        let text = "name='x'\nmeasured='after-clear'\n[weights]\nholes=1e300";
        let huge = Controller::parse("x", text).unwrap();
        let error = Scorer::new(&huge, BoardSize::new(10, 20).unwrap()).unwrap_err();
        assert!(error.to_string().contains("divide"), "{error}");
    }

    #[test]
    fn weights_that_would_round_to_nothing_are_refused() {
        for weights in
            ["holes=-1e12\nmax_height=-1e-6", "holes=-5e-324", "holes=1\nbumpiness=1e-14"]
        {
            let text = format!("name='x'\nmeasured='after-clear'\n[weights]\n{weights}");
            let controller = Controller::parse("x", &text).unwrap();
            let error = Scorer::new(&controller, BoardSize::new(10, 20).unwrap()).unwrap_err();
            assert!(error.to_string().contains("too small"), "{weights}: {error}");
        }
    }

    #[test]
    fn a_score_by_hand() {
        // A flat I on an empty 10x20 board: landing height 0, no wells. Row 0 is filled to column
        // 3: it changes there and at the right wall; 19 empty rows have 2 each. Columns 0 to 3
        // change at the sky, the others at the floor.
        let board: Board = (0..4).fold(Board::empty("10x20".parse().unwrap()), |b, c| b.with(c, 0));
        let candidate = Candidate { placement: Placement { orientation: 1, column: 0 }, row: 0 };
        let played = Move { piece: Piece::I, candidate, lines: 0, removed_cells: [0; 4] };
        let dellacherie = scorer("dellacherie");
        let score = dellacherie.score(&board, &played);
        assert_eq!(score.total as f64 / dellacherie.scale(), -(2.0 * 19.0 + 2.0) - 10.0);
        assert_eq!(score.earned, 0);
    }
}
