//! Small operations on a register that holds one row, or one placement, per lane.

use std::arch::x86_64::*;

use super::features;
use crate::board::ROWS;
use crate::kernels::quick::Lane32;

features! {
#[inline]
pub(super) fn load(lanes: &Lane32) -> __m512i {
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
}}

features! {
#[inline]
pub(super) fn load_rows(rows: &[u16; ROWS]) -> __m512i {
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) }
}}

features! {
#[inline]
pub(super) fn set(value: u16) -> __m512i {
    _mm512_set1_epi16(value as i16)
}}

const fn shifted<const UP: isize>() -> ([i16; ROWS], u32) {
    let mut index = [0; ROWS];
    let mut mask = 0;
    let mut row = 0;
    while row < ROWS as isize {
        let from = row - UP;
        if from >= 0 && from < ROWS as isize {
            index[row as usize] = from as i16;
            mask |= 1 << row;
        }
        row += 1;
    }
    (index, mask)
}

features! {
/// Moves rows up by `UP` (down when negative), zeros follow.
#[inline]
pub(super) fn moved<const UP: isize>(rows: __m512i) -> __m512i {
    let (index, mask) = const { shifted::<UP>() };
    // SAFETY: the array is 64 bytes long.
    let index = unsafe { _mm512_loadu_si512(index.as_ptr().cast()) };
    _mm512_maskz_permutexvar_epi16(mask, index, rows)
}}

features! {
#[inline]
pub(super) fn select(mask: __m512i, yes: __m512i, no: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0xca>(mask, yes, no)
}}

features! {
/// Every row with all rows above it.
#[inline]
pub(super) fn covered(rows: __m512i) -> __m512i {
    let mut all = rows;
    all = _mm512_or_si512(all, moved::<-1>(all));
    all = _mm512_or_si512(all, moved::<-2>(all));
    all = _mm512_or_si512(all, moved::<-4>(all));
    all = _mm512_or_si512(all, moved::<-8>(all));
    _mm512_or_si512(all, moved::<-16>(all))
}}

features! {
/// Every row with all rows below it.
#[inline]
pub(super) fn from_below(rows: __m512i) -> __m512i {
    let mut all = rows;
    all = _mm512_or_si512(all, moved::<1>(all));
    all = _mm512_or_si512(all, moved::<2>(all));
    all = _mm512_or_si512(all, moved::<4>(all));
    all = _mm512_or_si512(all, moved::<8>(all));
    _mm512_or_si512(all, moved::<16>(all))
}}

/// Bytes that gather, for each 8 columns, the same byte of 8 rows.
const BY_COLUMNS: [u8; 64] = {
    let mut index = [0; 64];
    let mut k = 0;
    while k < 64 {
        // qword q = (columns 8 * (q / 4)..., rows 8 * (q % 4)...); byte b = row within, reversed.
        let (q, b) = (k / 8, k % 8);
        index[k] = (2 * (8 * (q % 4) + 7 - b) + q / 4) as u8;
        k += 1;
    }
    index
};

/// Bytes that bring the transposed blocks into one 32-bit lane per column.
const TO_LANES: [u8; 64] = {
    let mut index = [0; 64];
    let mut k = 0;
    while k < 64 {
        let (column, rows) = (k / 4, k % 4);
        index[k] = (8 * (4 * (column / 8) + rows) + column % 8) as u8;
        k += 1;
    }
    index
};

features! {
/// One 32-bit lane per column, bit y = row y.
#[inline]
pub(super) fn transposed(rows: __m512i) -> __m512i {
    // SAFETY: the arrays are 64 bytes long.
    let (gather, spread) = unsafe {
        (_mm512_loadu_si512(BY_COLUMNS.as_ptr().cast()), _mm512_loadu_si512(TO_LANES.as_ptr().cast()))
    };
    let blocks = _mm512_permutexvar_epi8(gather, rows);
    let identity = _mm512_set1_epi64(0x8040_2010_0804_0201u64 as i64);
    let turned = _mm512_gf2p8affine_epi64_epi8::<0>(identity, blocks);
    _mm512_permutexvar_epi8(spread, turned)
}}

features! {
/// Four binary digits of the empty cells from each cell downward; None if 16 or more.
#[inline]
pub(super) fn depths(empty: __m512i) -> [__m512i; 4] {
    let a0 = empty;
    let a1 = _mm512_and_si512(a0, moved::<1>(a0));
    let a2 = _mm512_and_si512(a1, moved::<2>(a1));
    let a3 = _mm512_and_si512(a2, moved::<4>(a2));
    let b2 = select(a3, moved::<8>(a2), a2);
    let b1 = select(a2, moved::<4>(a1), a1);
    let b1 = select(a3, moved::<8>(b1), b1);
    let b0 = select(a1, moved::<2>(a0), a0);
    let b0 = select(a2, moved::<4>(b0), b0);
    let b0 = select(a3, moved::<8>(b0), b0);
    [b0, b1, b2, a3]
}}

features! {
#[inline]
pub(super) fn well_cells(rows: __m512i, first: __m512i, last: __m512i) -> __m512i {
    let left = _mm512_or_si512(_mm512_add_epi16(rows, rows), first);
    let right = _mm512_or_si512(_mm512_srli_epi16::<1>(rows), last);
    _mm512_ternarylogic_epi32::<0x08>(rows, left, right)
}}

features! {
#[inline]
pub(super) fn weighted_depth(cells: __m512i, depth: &[__m512i; 4]) -> __m512i {
    let count = |digit| _mm512_popcnt_epi16(_mm512_and_si512(cells, digit));
    let high = _mm512_add_epi16(count(depth[2]), _mm512_slli_epi16::<1>(count(depth[3])));
    let low = _mm512_add_epi16(count(depth[0]), _mm512_slli_epi16::<1>(count(depth[1])));
    _mm512_add_epi16(low, _mm512_slli_epi16::<2>(high))
}}

const BELOW: [u32; ROWS] = {
    let mut below = [0; ROWS];
    let mut row = 1;
    while row < ROWS {
        below[row] = below[row - 1] << 1 | 1;
        row += 1;
    }
    below
};

features! {
/// For each row, how many rows below it are in the mask.
#[inline]
pub(super) fn counted_below(mask: u32) -> __m512i {
    // SAFETY: the array is 128 bytes long.
    let (low, high) = unsafe {
        (_mm512_loadu_si512(BELOW.as_ptr().cast()), _mm512_loadu_si512(BELOW[16..].as_ptr().cast()))
    };
    let mask = _mm512_set1_epi32(mask as i32);
    let low = _mm512_cvtepi32_epi16(_mm512_popcnt_epi32(_mm512_and_si512(low, mask)));
    let high = _mm512_cvtepi32_epi16(_mm512_popcnt_epi32(_mm512_and_si512(high, mask)));
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}}

features! {
/// The columns that occur in any row.
#[inline]
pub(super) fn columns_of(rows: __m512i) -> u16 {
    let all = _mm512_reduce_or_epi32(rows) as u32;
    (all | all >> 16) as u16
}}
