//! Exact weighted sums of raw values: weights are split into digits that 16-bit multiply-add
//! takes.

use super::slots::{NOTHING, Raws, slot_of};
use crate::features::Feature;
use crate::simd::{self, LANES, Lanes, LanesJob, Level};

/// Bits of a weight's digit. Digits lie in -2^13..2^13 and the raw values of all features of the
/// largest board together stay below 2^18, so that a sum of products fits an `i32`.
///
/// ```text
/// weight = d0 + d1 x 2^14 + d2 x 2^28 ...       each digit times raw values in 16-bit multiply-add,
///          signed digits of 14 bits             the sums put together in 64 bits: exact
/// ```
const DIGIT: u32 = 14;

/// A weighted sum, features in pairs.
pub(super) struct WeightedSum {
    slots: Vec<[usize; 2]>,
    /// For each digit, lowest first, the weights of each pair.
    digits: Vec<Vec<[i16; 2]>>,
}

impl WeightedSum {
    /// Splits weights into digits, as many as the largest of them needs.
    pub(super) fn new(terms: &[(Feature, i64)]) -> WeightedSum {
        let mut merged: Vec<(usize, i64)> = Vec::new();
        for &(feature, weight) in terms {
            // A feature that a controller lists twice is one weight: slots are unique, so that a pair never has
            // one twice.
            let slot = slot_of(feature);
            match merged.iter_mut().find(|(other, _)| *other == slot) {
                Some((_, sum)) => *sum += weight,
                None => merged.push((slot, weight)),
            }
        }
        let mut sum = WeightedSum { slots: Vec::new(), digits: Vec::new() };
        // As many digits as the largest weight needs: one below 2^13, four at the 2^43 that an evaluator allows.
        while merged.iter().any(|&(_, weight)| weight != 0) {
            sum.digits.push(pairs(&merged, 0, |(_, weight)| lowest_digit(weight) as i16));
            for (_, weight) in &mut merged {
                *weight = (*weight - lowest_digit(*weight)) >> DIGIT;
            }
        }
        sum.slots = pairs(&merged, NOTHING, |(slot, _)| slot);
        sum
    }

    /// The sum of every lane; `scores` is overwritten.
    pub(super) fn score(&self, level: Level, raws: &Raws, count: usize, scores: &mut [i64; LANES]) {
        simd::run_lanes(level, Score { sum: self, raws, count, scores });
    }

    /// Digit by digit: a product of pairs in 32 bits, added up in 64 bits at its power of 2^14.
    #[inline(always)]
    fn score_in<V: Lanes>(&self, raws: &Raws, count: usize, scores: &mut [i64; LANES]) {
        scores.fill(0);
        let mut part = [0; LANES];
        for (power, digits) in (0..).zip(&self.digits) {
            for at in (0..count).step_by(V::COUNT) {
                let mut sums = V::no_sums();
                for (&[a, b], &weights) in self.slots.iter().zip(digits) {
                    let (a, b) = (V::load(&raws.0[a], at), V::load(&raws.0[b], at));
                    sums = V::dot(sums, a, b, weights);
                }
                V::store_sums(sums, &mut part, at);
            }
            for (score, &part) in scores.iter_mut().zip(&part) {
                *score += i64::from(part) << (DIGIT * power);
            }
        }
    }
}

/// The sum of every lane, as work of a level.
struct Score<'a> {
    sum: &'a WeightedSum,
    raws: &'a Raws,
    count: usize,
    scores: &'a mut [i64; LANES],
}

impl LanesJob for Score<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        self.sum.score_in::<V>(self.raws, self.count, self.scores);
    }
}

/// The digit in -2^13..2^13 that a weight leaves modulo 2^14.
fn lowest_digit(weight: i64) -> i64 {
    // Digits are centred on 0, since multiply-add takes signed words: 0 to 2^14 - 1 would need one bit more for
    // negative weights.
    let half = 1 << (DIGIT - 1);
    ((weight + half) & ((1 << DIGIT) - 1)) - half
}

/// Values of terms in twos, with `nothing` beside the last where their number is odd.
fn pairs<T: Copy, U: Copy>(terms: &[T], nothing: U, value: impl Fn(T) -> U) -> Vec<[U; 2]> {
    let second = |pair: &[T]| pair.get(1).map_or(nothing, |&term| value(term));
    terms.chunks(2).map(|pair| [value(pair[0]), second(pair)]).collect()
}
