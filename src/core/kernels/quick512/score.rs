//! From counts to scores: rounded ones of all placements, exact ones of a few.

use std::arch::x86_64::*;

use super::features;
use super::place::Placed;
use super::registers::store;
use crate::kernels::quick::{Bytes, LOWEST, Quick, SLOTS, Shape};

/// The bytes of every fourth column.
const FOURTH: u64 = 0x000f_000f_000f_000f;

features! {
/// Four bytes of each placement side by side, in the four registers of [`Shape::start`].
#[inline]
fn together(four: &[__m512i]) -> [__m512i; 4] {
    let (a, b, c, d) = (four[0], four[1], four[2], four[3]);
    let (low, high) = (_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b));
    let (next_low, next_high) = (_mm512_unpacklo_epi8(c, d), _mm512_unpackhi_epi8(c, d));
    [
        _mm512_unpacklo_epi16(low, next_low),
        _mm512_unpackhi_epi16(low, next_low),
        _mm512_unpacklo_epi16(high, next_high),
        _mm512_unpackhi_epi16(high, next_high),
    ]
}}

features! {
#[inline]
fn rounded<const SET: u32>(quick: &Quick, shape: &Shape, placed: &Placed) -> [__m512i; 4] {
    let zero = _mm512_setzero_si512();
    let weights = &quick.weights;
    let mut high = [zero; 4];
    let mut low = [zero; 4];
    for (k, low) in low.iter_mut().enumerate() {
        // SAFETY: the array is 256 bytes long and aligned to 64.
        *low = unsafe { _mm512_load_si512(shape.start.0[16 * k..].as_ptr().cast()) };
    }
    for (four, digits) in weights.rounded.iter().enumerate() {
        if four == 0 || SET & 0b10_0011_0000 != 0 {
            let bytes = together(&placed.bytes[4 * four..4 * four + 4]);
            let (upper, lower) = (_mm512_set1_epi32(digits[0]), _mm512_set1_epi32(digits[1]));
            for k in 0..4 {
                high[k] = _mm512_dpbusd_epi32(high[k], bytes[k], upper);
                low[k] = _mm512_dpbusd_epi32(low[k], bytes[k], lower);
            }
        }
    }
    if SET & 8 != 0 {
        let [a, b] = placed.wells;
        let words = [
            _mm512_unpacklo_epi16(a, zero),
            _mm512_unpackhi_epi16(a, zero),
            _mm512_unpacklo_epi16(b, zero),
            _mm512_unpackhi_epi16(b, zero),
        ];
        let weight = _mm512_set1_epi32(weights.rounded_wells);
        for k in 0..4 {
            low[k] = _mm512_dpwssd_epi32(low[k], words[k], weight);
        }
    }
    for k in 0..4 {
        low[k] = _mm512_add_epi32(low[k], _mm512_slli_epi32::<8>(high[k]));
    }
    low
}}

features! {
/// The placements that may be best, or also second with two `PLACES`, among those that neither lose
/// nor fill a row.
#[inline]
pub(super) fn lanes_near_best<const SET: u32, const PLACES: u8>(
    quick: &Quick,
    shape: &Shape,
    placed: &Placed,
) -> u64 {
    let out = placed.full | placed.lost;
    let lowest = _mm512_set1_epi32(LOWEST);
    let mut sums = rounded::<SET>(quick, shape, placed);
    for (k, sum) in sums.iter_mut().enumerate() {
        let out = _pext_u64(out, FOURTH << (4 * k)) as u16;
        *sum = _mm512_mask_mov_epi32(*sum, out, lowest);
    }
    let [a, b, c, d] = sums;
    let pairs = [_mm512_max_epi32(a, b), _mm512_max_epi32(c, d)];
    let firsts = _mm512_max_epi32(pairs[0], pairs[1]);
    let mut most = _mm512_reduce_max_epi32(firsts);
    if most < LOWEST / 2 {
        return 0;
    }
    if PLACES == 2 {
        let seconds = _mm512_max_epi32(_mm512_min_epi32(a, b), _mm512_min_epi32(c, d));
        let seconds = _mm512_max_epi32(seconds, _mm512_min_epi32(pairs[0], pairs[1]));
        let leaders = _mm512_cmpeq_epi32_mask(firsts, _mm512_set1_epi32(most));
        let leader = leaders & leaders.wrapping_neg();
        let next = _mm512_reduce_max_epi32(_mm512_mask_mov_epi32(firsts, leader, seconds));
        most = if next < LOWEST / 2 { most } else { next };
    }
    let least = _mm512_set1_epi32(most - quick.weights.slack);
    let mut near = 0;
    for (k, sum) in sums.into_iter().enumerate() {
        let here = _mm512_cmpge_epi32_mask(sum, least);
        near |= _pdep_u64(u64::from(here), FOURTH << (4 * k));
    }
    near
}}

/// The counts of all placements, to be looked up.
pub(super) struct Counted {
    bytes: [Bytes; SLOTS],
    wells: [i16; 64],
}

impl Counted {
    features! {
    #[inline]
    pub(super) fn new(placed: &Placed) -> Counted {
        let mut counted = Counted { bytes: [Bytes([0; 64]); SLOTS], wells: [0; 64] };
        for (to, &bytes) in counted.bytes.iter_mut().zip(&placed.bytes) {
            *to = store(bytes);
        }
        // SAFETY: the array is 128 bytes long.
        unsafe {
            _mm512_storeu_si512(counted.wells.as_mut_ptr().cast(), placed.wells[0]);
            _mm512_storeu_si512(counted.wells[32..].as_mut_ptr().cast(), placed.wells[1]);
        }
        counted
    }}

    /// The exact difference that a placement makes.
    #[inline]
    pub(super) fn sum(&self, quick: &Quick, shape: &Shape, lane: usize) -> i64 {
        let weights = &quick.weights.exact;
        let counts = self.bytes.iter().zip(weights);
        let sum: i64 = counts.map(|(bytes, weight)| i64::from(bytes.0[lane]) * weight).sum();
        let wells = self.wells[lane % 16 / 8 * 32 + lane / 16 * 8 + lane % 8];
        shape.exact[lane] + sum + i64::from(wells) * weights[SLOTS]
    }
}
