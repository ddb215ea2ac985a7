//! What a placement changes about the wells, a sum over well cells of their depth.
//!
//! A cell in row k of the piece, empty down to the height of its column, has the depth
//! (landing row + 3 - height) + (k - 2): a part of the column and a part of the row.

use std::arch::x86_64::*;

use super::features;
use super::registers::*;
use super::tables::Tables;
use crate::kernels::quick::{Bytes, RUNS, Shape};

/// Columns beside and under a piece, their cells from the landing row on before it comes.
pub(super) struct Windows {
    /// From two columns left of the piece on.
    pub(super) cells: [__m512i; 7],
    /// From one column left of it on.
    pub(super) heights: [__m512i; 5],
    /// The first row of each window, as a shift.
    pub(super) control: __m512i,
}

/// For each kind of column and change of its three lowest rows: how many well cells of the first
/// kind of depth come (rows below the piece) or go (rows of the piece).
const COUNTS: Bytes = changes(true);
/// And what their rows add; new ones above the piece count whole.
const ROWS_ADD: Bytes = changes(false);

const fn changes(counts: bool) -> Bytes {
    let mut table = [0; 64];
    let mut index = 0;
    while index < 8 * RUNS.len() {
        let (bottom, top) = RUNS[index / 8];
        let mut sum = 0i8;
        let mut k = 0;
        while k < 3 {
            if index >> k & 1 == 1 {
                let (count, row) = if k < bottom {
                    (1, k as i8 - 2)
                } else if k < top {
                    (-1, 2 - k as i8)
                } else {
                    (0, (k + 1 - top) as i8)
                };
                sum += if counts { count } else { row };
            }
            k += 1;
        }
        table[index] = sum as u8;
        index += 1;
    }
    Bytes(table)
}

/// Sum of k - 2 over the rows of four, and of k + 1.
const fn of_four(each: i8) -> i128 {
    let mut table = [0; 16];
    let mut index = 0;
    while index < 16 {
        let mut k = 0;
        while k < 4 {
            if index >> k & 1 == 1 {
                table[index] += (k + each) as u8 as i8;
            }
            k += 1;
        }
        index += 1;
    }
    let mut bytes = [0; 16];
    let mut index = 0;
    while index < 16 {
        bytes[index] = table[index] as u8;
        index += 1;
    }
    i128::from_le_bytes(bytes)
}

features! {
/// Products of the bytes of two pairs of registers, added: words, those of the lower eight bytes
/// of each sixteen and those of the upper.
#[inline]
fn dot(unsigned: [__m512i; 2], signed: [__m512i; 2]) -> [__m512i; 2] {
    let ([a, b], [c, d]) = (unsigned, signed);
    let low = _mm512_maddubs_epi16(_mm512_unpacklo_epi8(a, b), _mm512_unpacklo_epi8(c, d));
    let high = _mm512_maddubs_epi16(_mm512_unpackhi_epi8(a, b), _mm512_unpackhi_epi8(c, d));
    [low, high]
}}

features! {
#[inline]
fn add(a: [__m512i; 2], b: [__m512i; 2]) -> [__m512i; 2] {
    [_mm512_add_epi16(a[0], b[0]), _mm512_add_epi16(a[1], b[1])]
}}

features! {
/// The change of the wells by pieces of three rows and columns: words as `dot` leaves them.
#[inline]
pub(super) fn wells(
    tables: &Tables,
    shape: &Shape,
    windows: &Windows,
    landing: __m512i,
    dirty: __m512i,
) -> [__m512i; 2] {
    let before = &windows.cells;
    let mut after = *before;
    for j in 0..3 {
        after[j + 2] = _mm512_or_si512(before[j + 2], load(&shape.cells[j]));
    }
    let (count, row) = (load(&COUNTS), load(&ROWS_ADD));
    let reach = _mm512_add_epi8(landing, _mm512_set1_epi8(3));
    let mut parts = [(reach, reach, reach, reach); 5];
    for d in 0..5 {
        let old = between(before[d + 1], before[d], before[d + 2]);
        let new = between(after[d + 1], after[d], after[d + 2]);
        let changed = _mm512_xor_si512(old, new);
        let kind = _mm512_or_si512(changed, load(&shape.runs[d]));
        parts[d] = (
            _mm512_subs_epu8(reach, windows.heights[d]),
            _mm512_permutexvar_epi8(kind, count),
            _mm512_permutexvar_epi8(kind, row),
            changed,
        );
    }
    let [a, b, c, d, e] = parts;
    let rows = _mm512_add_epi8(_mm512_add_epi8(a.2, b.2), _mm512_add_epi8(c.2, d.2));
    let rows = _mm512_add_epi8(rows, e.2);
    let one = _mm512_set1_epi8(1);
    let sums = add(dot([a.0, b.0], [a.1, b.1]), dot([c.0, d.0], [c.1, d.1]));
    let sums = add(sums, dot([e.0, one], [e.1, rows]));
    let changed = _mm512_ternarylogic_epi32::<0xfe>(a.3, b.3, c.3);
    let changed = _mm512_ternarylogic_epi32::<0xfe>(changed, d.3, e.3);
    if _mm512_test_epi8_mask(changed, dirty) & shape.valid == 0 {
        return sums;
    }
    let changed = parts.map(|part| part.3);
    let ones = _mm512_set1_epi32(-1);
    let holes = tables.holes;
    let columns = [left::<15>(holes, ones), holes, right::<1>(holes, ones), right::<2>(holes, ones), right::<3>(holes, ones)];
    uncover(tables, shape, windows, landing, &[0, 1, 2, 3, 4], &columns, &changed, sums)
}}

features! {
/// The change of the wells by the I, which has one column or one row.
#[inline]
pub(super) fn wells_of_i(
    tables: &Tables,
    shape: &Shape,
    windows: &Windows,
    landing: __m512i,
    dirty: __m512i,
) -> [__m512i; 2] {
    let cells = load(&shape.cells[0]);
    let w = &windows.cells;
    let far = |narrow, wide| _mm512_mask_mov_epi8(narrow, shape.wide, wide);
    let ones = _mm512_set1_epi32(-1);
    let beyond = _mm512_multishift_epi64_epi8(windows.control, right::<5>(tables.columns, ones));
    let on_left = between(w[1], w[0], cells);
    let on_right = between(far(w[3], w[6]), far(w[4], beyond), cells);
    let own = _mm512_and_si512(between(w[2], w[1], w[3]), _mm512_set1_epi8(15));
    let own = _mm512_mask_mov_epi8(own, shape.wide, _mm512_setzero_si512());
    let reach = _mm512_add_epi8(landing, _mm512_set1_epi8(3));
    let depth = |height| _mm512_subs_epu8(reach, height);
    let right_height = far(windows.heights[2], right::<4>(tables.heights, _mm512_setzero_si512()));
    let table = |bytes: i128| {
        _mm512_broadcast_i32x4(_mm_set_epi64x((bytes >> 64) as i64, bytes as i64))
    };
    let rows = table(const { of_four(-2) });
    let come = _mm512_add_epi8(_mm512_shuffle_epi8(rows, on_left), _mm512_shuffle_epi8(rows, on_right));
    let go = _mm512_shuffle_epi8(table(const { of_four(1) }), own);
    let high = _mm512_mask_mov_epi8(spread(tables.high_wells), shape.wide, _mm512_setzero_si512());
    let rows = _mm512_sub_epi8(come, _mm512_add_epi8(go, high));
    let counts = [_mm512_popcnt_epi8(on_left), _mm512_popcnt_epi8(on_right)];
    let sums = dot([depth(windows.heights[0]), depth(right_height)], counts);
    let zero = _mm512_setzero_si512();
    let sums = add(sums, dot([_mm512_set1_epi8(1), zero], [rows, zero]));
    let changed = _mm512_or_si512(on_left, on_right);
    if _mm512_test_epi8_mask(changed, dirty) & shape.valid == 0 {
        return sums;
    }
    let holes = tables.holes;
    let columns = [left::<15>(holes, ones), right::<1>(holes, ones), right::<4>(holes, ones)];
    let narrow = _mm512_mask_mov_epi8(on_right, shape.wide, zero);
    let wide = _mm512_mask_mov_epi8(zero, shape.wide, on_right);
    uncover(tables, shape, windows, landing, &[0, 2, 5], &columns, &[on_left, narrow, wide], sums)
}}

features! {
/// Puts right what was added for new well cells below the height of their column.
#[cold]
#[inline(never)]
fn uncover(
    tables: &Tables,
    shape: &Shape,
    windows: &Windows,
    landing: __m512i,
    from_left: &[usize],
    holes: &[__m512i],
    changed: &[__m512i],
    sums: [__m512i; 2],
) -> [__m512i; 2] {
    let mut words = [0i16; 64];
    let mut dirty = false;
    let landing = store(landing).0;
    let columns: [u32; 16] = {
        let mut columns = [0; 16];
        // SAFETY: the array is 64 bytes long.
        unsafe { _mm512_storeu_si512(columns.as_mut_ptr().cast(), tables.columns) };
        columns
    };
    for ((&d, &holes), &changed) in from_left.iter().zip(holes).zip(changed) {
        let covered = _mm512_and_si512(changed, _mm512_multishift_epi64_epi8(windows.control, holes));
        let mut lanes = _mm512_test_epi8_mask(covered, covered) & shape.valid;
        if lanes == 0 {
            continue;
        }
        dirty = true;
        let covered = store(covered).0;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let column = columns[lane / 4 + d - 1];
            let height = 32 - column.leading_zeros() as i32;
            let mut rows = covered[lane];
            while rows != 0 {
                let k = rows.trailing_zeros() as i32;
                rows &= rows - 1;
                let row = i32::from(landing[lane]) + k;
                let below = column & ((1 << row) - 1);
                let depth = row - 31 + below.leading_zeros() as i32;
                let added = (i32::from(landing[lane]) + 3 - height).max(0) + k - 2;
                words[lane % 16 / 8 * 32 + lane / 16 * 8 + lane % 8] += (depth - added) as i16;
            }
        }
    }
    if !dirty {
        return sums;
    }
    // SAFETY: the array is 128 bytes long.
    let (low, high) = unsafe {
        (_mm512_loadu_si512(words.as_ptr().cast()), _mm512_loadu_si512(words[32..].as_ptr().cast()))
    };
    add(sums, [low, high])
}}
