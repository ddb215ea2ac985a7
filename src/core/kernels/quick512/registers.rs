//! Small operations on registers: a column of the board per 32 bits, a placement per byte.

use std::arch::x86_64::*;

use super::features;
use crate::board::ROWS;
use crate::kernels::quick::Bytes;

features! {
#[inline]
pub(super) fn load(bytes: &Bytes) -> __m512i {
    // SAFETY: the array is 64 bytes long and aligned to them.
    unsafe { _mm512_load_si512(bytes.0.as_ptr().cast()) }
}}

features! {
#[inline]
pub(super) fn load_rows(rows: &[u16; ROWS]) -> __m512i {
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) }
}}

features! {
#[inline]
pub(super) fn store_rows(to: &mut [u16; ROWS], rows: __m512i) {
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), rows) };
}}

features! {
#[inline]
pub(super) fn store(bytes: __m512i) -> Bytes {
    let mut to = Bytes([0; 64]);
    // SAFETY: the array is 64 bytes long and aligned to them.
    unsafe { _mm512_store_si512(to.0.as_mut_ptr().cast(), bytes) };
    to
}}

features! {
/// What lies `D` columns to the right, `beyond` past the last.
#[inline]
pub(super) fn right<const D: i32>(columns: __m512i, beyond: __m512i) -> __m512i {
    _mm512_alignr_epi32::<D>(beyond, columns)
}}

features! {
/// What lies `16 - D` columns to the left, `beyond` before the first.
#[inline]
pub(super) fn left<const D: i32>(columns: __m512i, beyond: __m512i) -> __m512i {
    _mm512_alignr_epi32::<D>(columns, beyond)
}}

features! {
/// Cells empty in `empty` and filled in the other two.
#[inline]
pub(super) fn between(empty: __m512i, one: __m512i, other: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0x08>(empty, one, other)
}}

features! {
/// The lowest byte of each column in all its four.
#[inline]
pub(super) fn spread(columns: __m512i) -> __m512i {
    let index = _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    _mm512_shuffle_epi8(columns, _mm512_broadcast_i32x4(index))
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
/// For each row, a byte: how many rows below it are in the mask.
#[inline]
pub(super) fn counted_below(mask: __m512i) -> __m512i {
    // SAFETY: the array is 128 bytes long.
    let (low, high) = unsafe {
        (_mm512_loadu_si512(BELOW.as_ptr().cast()), _mm512_loadu_si512(BELOW[16..].as_ptr().cast()))
    };
    let low = _mm512_cvtepi32_epi8(_mm512_popcnt_epi32(_mm512_and_si512(low, mask)));
    let high = _mm512_cvtepi32_epi8(_mm512_popcnt_epi32(_mm512_and_si512(high, mask)));
    _mm512_castsi256_si512(_mm256_set_m128i(high, low))
}}

features! {
/// The cells of any column, in every column.
#[inline]
pub(super) fn any_column(columns: __m512i) -> __m512i {
    let all = _mm512_or_si512(columns, _mm512_shuffle_i64x2::<0b01_00_11_10>(columns, columns));
    let all = _mm512_or_si512(all, _mm512_shuffle_i64x2::<0b10_11_00_01>(all, all));
    let all = _mm512_or_si512(all, _mm512_shuffle_epi32::<0b01_00_11_10>(all));
    _mm512_or_si512(all, _mm512_shuffle_epi32::<0b10_11_00_01>(all))
}}
