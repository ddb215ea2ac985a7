//! Weights of the quick way: exact, and rounded to 16 bits to find who can be best.

use super::{DIVERSITY, KNOWN, Shape};

/// What is counted for every placement, one byte each, beside the wells: landing row; empty cells
/// beside the piece (or steps, less 128); columns that hang; holes; cells of the piece over
/// holes; rows with a first hole; patterns; nothing.
pub(in crate::kernels) const SLOTS: usize = 8;

/// The most that a byte can count, and the wells.
const MOST: [i64; SLOTS + 1] = [28, 255, 4, 112, 4, 28, 5, 0, 420];

/// The largest weight whose two digits fit 8 bits.
const LARGEST: i64 = 0x7f7f;

#[derive(Default)]
pub(in crate::kernels) struct Weights {
    pub(in crate::kernels) known: [i64; KNOWN.len()],
    /// Weight and raw steps to a row of the landing feature.
    pub(in crate::kernels) landing: i64,
    pub(in crate::kernels) landing_steps: i64,
    pub(in crate::kernels) eroded: i64,
    pub(in crate::kernels) eroded_alone: i64,
    pub(in crate::kernels) lines: i64,
    /// Of each byte, and last of the wells.
    pub(in crate::kernels) exact: [i64; SLOTS + 1],
    /// Bits that the rounded weights lack.
    pub(in crate::kernels) shift: u32,
    /// Four bytes and four bytes, by digit, the high one first.
    pub(in crate::kernels) rounded: [[i32; 2]; 2],
    pub(in crate::kernels) rounded_wells: i32,
    /// How far below the best rounded sum a best placement may lie.
    pub(in crate::kernels) slack: i32,
    /// For each digit of the weights of a single board's features: the pairs of [`KNOWN`].
    pub(in crate::kernels) digits: Vec<[i32; 4]>,
}

impl Weights {
    /// Makes all that follows from the weights given; None where they are too large.
    pub(super) fn split(&mut self, set: u32) -> Option<()> {
        let known = &self.known;
        let beside = if set & 128 != 0 { known[7] } else { 2 * known[0] };
        let hanging = 2 * known[1];
        let patterns = if set & DIVERSITY != 0 { known[9] } else { 0 };
        let landing = self.landing * self.landing_steps;
        let holes = known[2] + known[6];
        self.exact = [landing, beside, hanging, holes, known[4], known[5], patterns, 0, known[3]];
        let too_large = |shift: &u32| self.exact.iter().all(|w| w.abs() >> shift < LARGEST);
        self.shift = (0..48).find(too_large)?;
        let rounded = self.exact.map(|weight| self.round(weight));
        let digit = |four: usize, high: bool| {
            let of = |k: usize| {
                let weight = rounded[4 * four + k];
                let upper = (weight + 128) >> 8;
                if high { upper as u8 } else { (weight - (upper << 8)) as u8 }
            };
            i32::from_le_bytes(std::array::from_fn(of))
        };
        self.rounded = [0, 1].map(|four| [digit(four, true), digit(four, false)]);
        self.rounded_wells = i32::from(rounded[SLOTS] as u16);
        let off = |k: usize| MOST[k] * (self.exact[k] - (rounded[k] << self.shift)).abs();
        let off: i64 = (0..=SLOTS).map(off).sum();
        self.slack = if self.shift == 0 { 0 } else { 2 * (off >> self.shift) as i32 + 4 };
        self.digits = digits(&self.known)?;
        Some(())
    }

    /// What the landing feature adds.
    #[inline]
    pub(in crate::kernels) fn landing_of(&self, shape: &Shape, lane: usize, row: usize) -> i64 {
        shape.landing[lane] + self.exact[0] * row as i64
    }

    pub(super) fn round(&self, weight: i64) -> i64 {
        (weight + (1 << self.shift >> 1)) >> self.shift
    }
}

/// The digits of the weights of a board's features, paired for multiply-add.
fn digits(known: &[i64; KNOWN.len()]) -> Option<Vec<[i32; 4]>> {
    let mut rest: [i64; 8] = std::array::from_fn(|k| known[k]);
    let mut digits = Vec::new();
    while digits.is_empty() || rest.iter().any(|&weight| weight != 0) {
        let mut lowest = [0i16; 8];
        for (digit, weight) in lowest.iter_mut().zip(&mut rest) {
            *digit = ((*weight + 0x2000) & 0x3fff) as i16 - 0x2000;
            *weight = (*weight - i64::from(*digit)) >> 14;
        }
        let pair = |k: usize| i32::from(lowest[2 * k + 1]) << 16 | i32::from(lowest[2 * k] as u16);
        digits.push(std::array::from_fn(pair));
    }
    (digits.len() <= 4).then_some(digits)
}
