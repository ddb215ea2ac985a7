//! The score of a single board: a parent, or what is left when rows are cleared.

use std::arch::x86_64::*;

use super::features;
use super::registers::*;
use crate::board::{ROWS, full_row};
use crate::kernels::quick::{DIVERSITY, Quick};

features! {
/// The weighted sum of a board's own features; a parent's leaves out the diversity, which
/// placements count whole and not as a difference.
#[inline]
pub(super) fn value<const SET: u32>(quick: &Quick, rows: __m512i, stack: usize, parent: bool) -> i64 {
    let width = quick.size.width();
    let full = set(full_row(width));
    let (first, last) = (set(1), set(1 << (width - 1)));
    let zero = _mm512_setzero_si512();
    let empty = _mm512_andnot_si512(rows, full);
    let mut values = [zero; 10];
    let count = |cells| _mm512_popcnt_epi16(cells);
    let mut sum = 0;
    if SET & 1 != 0 {
        let shifted = _mm512_or_si512(_mm512_add_epi16(rows, rows), first);
        let inner = _mm512_and_si512(_mm512_xor_si512(rows, shifted), full);
        let right = count(_mm512_andnot_si512(rows, last));
        values[2] = _mm512_add_epi16(count(inner), right);
        let beyond = ROWS - quick.size.height().max(stack);
        sum -= 2 * beyond as i64 * quick.weights[0];
    }
    if SET & 2 != 0 {
        let below = _mm512_mask_mov_epi16(moved::<1>(rows), 1, full);
        values[3] = count(_mm512_xor_si512(rows, below));
    }
    let cover = covered(rows);
    let holes = _mm512_andnot_si512(rows, moved::<-1>(cover));
    values[4] = count(holes);
    if SET & 8 != 0 {
        let depth = depths(empty);
        let wells = well_cells(rows, first, last);
        values[5] = weighted_depth(wells, &depth);
        let deep = _mm512_and_si512(depth[3], moved::<8>(depth[3]));
        let deep = _mm512_and_si512(deep, wells);
        if _mm512_test_epi16_mask(deep, deep) != 0 {
            let far = _mm512_and_si512(depth[3], moved::<8>(depth[3]));
            let depth = depth.map(|digit| select(far, moved::<16>(digit), digit));
            let beyond = _mm512_slli_epi16::<4>(count(deep));
            values[5] = _mm512_add_epi16(weighted_depth(wells, &depth), beyond);
        }
    }
    if SET & 16 != 0 {
        values[6] = count(_mm512_and_si512(rows, from_below(moved::<1>(empty))));
    }
    if SET & 32 != 0 {
        let holed = _mm512_test_epi16_mask(holes, holes);
        sum += i64::from(holed.count_ones()) * quick.weights[5];
    }
    if SET & 64 != 0 {
        values[8] = count(cover);
    }
    if SET & (128 | DIVERSITY) != 0 {
        sum += steps::<SET>(quick, cover, parent);
    }
    for (power, digits) in quick.digits.iter().enumerate() {
        let mut part = zero;
        macro_rules! pair {
            ($k:literal, $features:expr) => {
                if SET & $features != 0 {
                    let weights = _mm512_set1_epi32(digits[$k]);
                    let (a, b) = (values[2 * $k], values[2 * $k + 1]);
                    let low = _mm512_madd_epi16(_mm512_unpacklo_epi16(a, b), weights);
                    let high = _mm512_madd_epi16(_mm512_unpackhi_epi16(a, b), weights);
                    part = _mm512_add_epi32(part, _mm512_add_epi32(low, high));
                }
            };
        }
        pair!(1, 0b11);
        pair!(2, 0b1100);
        pair!(3, 0b01_0000);
        pair!(4, 0b0100_0000);
        sum += i64::from(_mm512_reduce_add_epi32(part)) << (14 * power);
    }
    sum
}}

features! {
/// The weighted sum of what is made of the steps of a board.
#[inline]
pub(super) fn steps<const SET: u32>(quick: &Quick, cover: __m512i, parent: bool) -> i64 {
    let inside = (1u16 << (quick.size.width() - 1)) - 1;
    let heights = _mm512_popcnt_epi32(transposed(cover));
    let next = _mm512_alignr_epi32::<1>(heights, heights);
    let step = _mm512_sub_epi32(next, heights);
    let bumps = _mm512_reduce_add_epi32(_mm512_maskz_abs_epi32(inside, step));
    let mut sum = i64::from(bumps) * quick.weights[7];
    if SET & DIVERSITY != 0 && !parent {
        for value in -2..=2 {
            let here = _mm512_mask_cmpeq_epi32_mask(inside, step, _mm512_set1_epi32(value));
            sum += quick.weights[9] * i64::from(here != 0);
        }
    }
    sum
}}
