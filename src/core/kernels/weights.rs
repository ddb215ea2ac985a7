//! Computes exact weighted sums of raw values. Weights are split into digits that 16-bit
//! multiply-add can take.

use fearless_simd::{Bytes, Simd, SimdBase, SimdIntWiden};

use super::slots::{FeatureLanes, ZERO_SLOT, slot_of};
use crate::features::Feature;
use crate::simd::{LANES, Level, VectorJob, run_vectors};

/// Number of bits of each digit into which a weight is split.
///
/// Digits lie in -2^13..2^13, and the raw values of all features on the largest board together stay
/// below 2^18. A sum of products therefore fits an `i32`.
///
/// ```text
/// weight = d0 + d1 x 2^14 + d2 x 2^28 ...     signed digits of 14 bits
///
/// Each digit is multiplied by raw values in 16-bit multiply-add. The sums are combined in 64 bits.
/// ```
const DIGIT: u32 = 14;

/// The weights of a set of features, split into digits. Features are processed in pairs.
pub(super) struct WeightedSum {
    /// Slots of each pair of features.
    slots: Vec<[usize; 2]>,
    /// For each digit, lowest first: that digit of both weights of each pair of features.
    digits: Vec<Vec<[i16; 2]>>,
}

impl WeightedSum {
    /// Splits the weights of `terms` into digits.
    pub(super) fn new(terms: &[(Feature, i64)]) -> WeightedSum {
        let mut merged: Vec<(usize, i64)> = Vec::new();
        for &(feature, weight) in terms {
            // A feature listed twice gets one weight, so that a pair never has the same slot twice.
            let slot = slot_of(feature);
            match merged.iter_mut().find(|(other, _)| *other == slot) {
                Some((_, sum)) => *sum += weight,
                None => merged.push((slot, weight)),
            }
        }
        let mut sum = WeightedSum { slots: Vec::new(), digits: Vec::new() };
        // The largest weight sets the number of digits: one below 2^13, four at the evaluator's
        // limit of 2^43.
        while merged.iter().any(|&(_, weight)| weight != 0) {
            sum.digits.push(pairs(&merged, 0, |(_, weight)| lowest_digit(weight) as i16));
            for (_, weight) in &mut merged {
                *weight = (*weight - lowest_digit(*weight)) >> DIGIT;
            }
        }
        sum.slots = pairs(&merged, ZERO_SLOT, |(slot, _)| slot);
        sum
    }

    /// Writes the weighted sum of the raw values of each of the first `count` boards in `raws` to
    /// `scores`.
    pub(super) fn score(
        &self,
        level: Level,
        raws: &FeatureLanes,
        count: usize,
        scores: &mut [i64; LANES],
    ) {
        run_vectors(level, Score { sum: self, raws, count, scores });
    }
}

/// Job that computes the weighted sum of the raw values of each of the first `count` boards.
struct Score<'a> {
    sum: &'a WeightedSum,
    raws: &'a FeatureLanes,
    count: usize,
    scores: &'a mut [i64; LANES],
}

impl VectorJob for Score<'_> {
    type Output = ();

    /// Computes the sums digit by digit: products are added in 32 bits, then shifted and added to
    /// `scores` in 64 bits.
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.scores.fill(0);
        let (count, half) = (S::i16s::LEN, S::i32s::LEN);
        let mut part = [0; LANES];
        for (power, digits) in (0..).zip(&self.sum.digits) {
            for at in (0..self.count).step_by(count) {
                let load = |slot: usize| &self.raws.0[slot].0[at..at + count];
                let (mut low, mut high) = (S::i32s::splat(simd, 0), S::i32s::splat(simd, 0));
                for (&[a, b], &[first, second]) in self.sum.slots.iter().zip(digits) {
                    let a: S::i16s = S::u16s::from_slice(simd, load(a)).bitcast();
                    let b: S::i16s = S::u16s::from_slice(simd, load(b)).bitcast();
                    // Both weights in turn, as both raw values of each lane stand.
                    let weights = i32::from(second) << 16 | i32::from(first.cast_unsigned());
                    let weights: S::i16s = S::i32s::splat(simd, weights).bitcast();
                    let (a, b) = a.interleave(b);
                    low += a.pairwise_dot_product(weights);
                    high += b.pairwise_dot_product(weights);
                }
                low.store_slice(&mut part[at..at + half]);
                high.store_slice(&mut part[at + half..at + count]);
            }
            for (score, &part) in self.scores.iter_mut().zip(&part) {
                *score += i64::from(part) << (DIGIT * power);
            }
        }
    }
}

/// Returns the digit in -2^13..2^13 that equals `weight` modulo 2^14.
fn lowest_digit(weight: i64) -> i64 {
    // Digits are centred on 0: multiply-add takes signed words, and 0 to 2^14 - 1 would need
    // another bit.
    let half = 1 << (DIGIT - 1);
    ((weight + half) & ((1 << DIGIT) - 1)) - half
}

/// Returns the values of `terms` in pairs. If their number is odd, `nothing` completes the last
/// pair.
fn pairs<T: Copy, U: Copy>(terms: &[T], nothing: U, value: impl Fn(T) -> U) -> Vec<[U; 2]> {
    let second = |pair: &[T]| pair.get(1).map_or(nothing, |&term| value(term));
    terms.chunks(2).map(|pair| [value(pair[0]), second(pair)]).collect()
}
