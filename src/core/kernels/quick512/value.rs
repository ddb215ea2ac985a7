//! The score of a single board: a parent, or what is left when rows are cleared.

use std::arch::x86_64::*;

use super::features;
use super::registers::*;
use super::tables::pattern_of;
use crate::board::ROWS;
use crate::kernels::quick::{DIVERSITY, Quick};

features! {
/// The weighted sum of a board's own features; a parent's leaves out the diversity, which
/// placements count whole and not as a difference.
#[inline]
pub(super) fn value<const SET: u32>(quick: &Quick, rows: __m512i, parent: bool) -> i64 {
    let width = quick.size.width();
    let weights = &quick.weights.known;
    let (zero, ones) = (_mm512_setzero_si512(), _mm512_set1_epi32(-1));
    let count = |cells| _mm512_popcnt_epi32(cells);
    let cells = transposed(rows);
    let walled = _mm512_mask_mov_epi32(ones, ((1u32 << width) - 1) as u16, cells);
    let above = _mm512_lzcnt_epi32(cells);
    let heights = _mm512_sub_epi32(_mm512_set1_epi32(ROWS as i32), above);
    let holes = _mm512_andnot_si512(cells, _mm512_srlv_epi32(ones, above));
    let mut sum = 0;
    let mut pairs = [(zero, zero); 4];
    if SET & 1 != 0 {
        let stack = 32 - _mm512_test_epi16_mask(rows, rows).leading_zeros() as usize;
        let measured = ((1u64 << quick.size.height().max(stack)) - 1) as i32;
        let edges = _mm512_xor_si512(walled, right::<1>(walled, ones));
        let edges = count(_mm512_and_si512(edges, _mm512_set1_epi32(measured)));
        let wall = count(_mm512_andnot_si512(walled, _mm512_set1_epi32(measured)));
        pairs[0].0 = _mm512_mask_add_epi32(edges, 1, edges, wall);
    }
    if SET & 2 != 0 {
        let below = _mm512_or_si512(_mm512_slli_epi32::<1>(cells), _mm512_set1_epi32(1));
        let flips = count(_mm512_xor_si512(cells, below));
        pairs[0].1 = _mm512_maskz_mov_epi32(((1u32 << width) - 1) as u16, flips);
    }
    pairs[1].0 = count(holes);
    if SET & 8 != 0 {
        pairs[1].1 = depths(walled);
    }
    if SET & 16 != 0 {
        let from_lowest = _mm512_or_si512(holes, _mm512_sub_epi32(zero, holes));
        pairs[2].0 = count(_mm512_and_si512(cells, from_lowest));
    }
    if SET & 32 != 0 {
        let dirty = _mm512_reduce_or_epi32(holes);
        sum += i64::from(dirty.count_ones()) * weights[5];
    }
    if SET & (64 | 128 | DIVERSITY) != 0 {
        pairs[3].0 = heights;
        let inside = ((1u32 << (width - 1)) - 1) as u16;
        let step = _mm512_sub_epi32(right::<1>(heights, zero), heights);
        pairs[3].1 = _mm512_maskz_abs_epi32(inside, step);
        if SET & DIVERSITY != 0 && !parent {
            let patterns = _mm512_maskz_mov_epi32(inside, pattern_of(step));
            let patterns = _mm512_reduce_or_epi32(patterns) & 0xff;
            sum += i64::from(patterns.count_ones()) * weights[9];
        }
    }
    for (power, digits) in quick.weights.digits.iter().enumerate() {
        let mut part = zero;
        for (k, needed) in [0b11, 0b1100, 0b01_0000, 0b1100_0000].into_iter().enumerate() {
            if SET & needed != 0 {
                let both = _mm512_or_si512(pairs[k].0, _mm512_slli_epi32::<16>(pairs[k].1));
                part = _mm512_dpwssd_epi32(part, both, _mm512_set1_epi32(digits[k]));
            }
        }
        sum += i64::from(_mm512_reduce_add_epi32(part)) << (14 * power);
    }
    sum
}}

features! {
/// For each column, the sum over its well cells of the empty cells from there downward.
#[inline]
fn depths(walled: __m512i) -> __m512i {
    let ones = _mm512_set1_epi32(-1);
    let mut deep = between(walled, left::<15>(walled, ones), right::<1>(walled, ones));
    let mut empty = _mm512_andnot_si512(walled, ones);
    let mut sum = _mm512_popcnt_epi32(deep);
    loop {
        // Few wells are deeper than six.
        for _ in 0..5 {
            empty = _mm512_slli_epi32::<1>(empty);
            deep = _mm512_and_si512(deep, empty);
            sum = _mm512_add_epi32(sum, _mm512_popcnt_epi32(deep));
        }
        if _mm512_test_epi32_mask(deep, deep) == 0 {
            return sum;
        }
    }
}}
