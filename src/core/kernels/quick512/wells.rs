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
    pub(super) landing: __m512i,
    /// The first row of each window, as a shift.
    pub(super) control: __m512i,
}

/// 32 in the bytes of odd columns: where a register of two columns has the second.
const SECOND: Bytes = {
    let mut shift = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        shift[lane] = (lane / 4 % 2 * 32) as u8;
        lane += 1;
    }
    Bytes(shift)
};

/// For each kind of column and change of its three lowest rows: how many well cells of the first
/// kind of depth come (rows below the piece) or go (rows of the piece).
const COUNTS: Bytes = table(true);
/// And what their rows add; new ones above the piece count whole.
const ROWS_ADD: Bytes = table(false);

const fn table(counts: bool) -> Bytes {
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
pub(super) fn add(a: [__m512i; 2], b: [__m512i; 2]) -> [__m512i; 2] {
    [_mm512_add_epi16(a[0], b[0]), _mm512_add_epi16(a[1], b[1])]
}}

features! {
/// Rows of each column, from one left of the piece on, where well cells come or go.
#[inline]
fn changes(shape: &Shape, cells: &[__m512i; 7]) -> [__m512i; 5] {
    let [b0, b1, b2, b3, b4, b5, b6] = *cells;
    let put = |cells, j: usize| _mm512_or_si512(cells, load(&shape.cells[j]));
    let (a2, a3, a4) = (put(b2, 0), put(b3, 1), put(b4, 2));
    let change = |before: [__m512i; 3], after: [__m512i; 3]| {
        let old = between(before[1], before[0], before[2]);
        _mm512_xor_si512(old, between(after[1], after[0], after[2]))
    };
    [
        change([b0, b1, b2], [b0, b1, a2]),
        change([b1, b2, b3], [b1, a2, a3]),
        change([b2, b3, b4], [a2, a3, a4]),
        change([b3, b4, b5], [a3, a4, b5]),
        change([b4, b5, b6], [a4, b5, b6]),
    ]
}}

features! {
/// The same of the I: on the left, in its own column, on the right.
#[inline]
fn changes_of_i(shape: &Shape, windows: &Windows, tables: &Tables) -> [__m512i; 3] {
    let rows = load(&shape.cells[0]);
    let w = &windows.cells;
    let far = |narrow, wide| _mm512_mask_mov_epi8(narrow, shape.wide, wide);
    let beyond = right::<5>(tables.columns, _mm512_set1_epi32(-1));
    let beyond = _mm512_multishift_epi64_epi8(windows.control, beyond);
    let own = between(w[2], w[1], w[3]);
    let own = _mm512_maskz_mov_epi8(!shape.wide, _mm512_and_si512(own, _mm512_set1_epi8(15)));
    [between(w[1], w[0], rows), own, between(far(w[3], w[6]), far(w[4], beyond), rows)]
}}

features! {
/// The change of the wells by pieces of three rows and columns: words as `dot` leaves them, and the
/// placements that may need what `covered` adds.
#[inline]
pub(super) fn wells<const SET: u32, const USE: u8>(
    shape: &Shape,
    windows: &Windows,
    dirty: __m512i,
) -> ([__m512i; 2], u64) {
    let changes = changes(shape, &windows.cells);
    let reach = _mm512_add_epi8(windows.landing, _mm512_set1_epi8(3));
    let depth = |d: usize| _mm512_subs_epu8(reach, windows.heights[d]);
    let kind = |d: usize| _mm512_or_si512(changes[d], load(&shape.runs[d]));
    let (count, row) = (load(&COUNTS), load(&ROWS_ADD));
    let counts = |d: usize| _mm512_permutexvar_epi8(kind(d), count);
    let rows = |d: usize| _mm512_permutexvar_epi8(kind(d), row);
    let two = |a, b| _mm512_add_epi8(a, b);
    let rows = two(two(two(rows(0), rows(1)), two(rows(2), rows(3))), rows(4));
    let one = _mm512_set1_epi8(1);
    let sums = dot([depth(0), depth(1)], [counts(0), counts(1)]);
    let sums = add(sums, dot([depth(2), depth(3)], [counts(2), counts(3)]));
    let sums = add(sums, dot([depth(4), one], [counts(4), rows]));
    let any = _mm512_ternarylogic_epi32::<0xfe>(changes[0], changes[1], changes[2]);
    let any = _mm512_ternarylogic_epi32::<0xfe>(any, changes[3], changes[4]);
    (sums, _mm512_test_epi8_mask(any, dirty) & shape.valid)
}}

features! {
/// The change of the wells by the I, which has one column or one row.
#[inline]
pub(super) fn wells_of_i<const SET: u32, const USE: u8>(
    tables: &Tables,
    shape: &Shape,
    windows: &Windows,
    dirty: __m512i,
) -> ([__m512i; 2], u64) {
    let zero = _mm512_setzero_si512();
    let [on_left, own, on_right] = changes_of_i(shape, windows, tables);
    let reach = _mm512_add_epi8(windows.landing, _mm512_set1_epi8(3));
    let depth = |height| _mm512_subs_epu8(reach, height);
    let far = right::<4>(tables.heights, zero);
    let right_height = _mm512_mask_mov_epi8(windows.heights[2], shape.wide, far);
    let table = |bytes: i128| {
        _mm512_broadcast_i32x4(_mm_set_epi64x((bytes >> 64) as i64, bytes as i64))
    };
    let rows = table(const { of_four(-2) });
    let come = _mm512_add_epi8(_mm512_shuffle_epi8(rows, on_left), _mm512_shuffle_epi8(rows, on_right));
    let go = _mm512_shuffle_epi8(table(const { of_four(1) }), own);
    let go = _mm512_add_epi8(go, spread(tables.high_wells));
    let rows = _mm512_mask_sub_epi8(come, !shape.wide, come, go);
    let counts = [_mm512_popcnt_epi8(on_left), _mm512_popcnt_epi8(on_right)];
    let sums = dot([depth(windows.heights[0]), depth(right_height)], counts);
    let sums = add(sums, dot([_mm512_set1_epi8(1), zero], [rows, zero]));
    let changed = _mm512_or_si512(on_left, on_right);
    (sums, _mm512_test_epi8_mask(changed, dirty) & shape.valid)
}}

features! {
/// The holes in the windows, from one column left of the piece on.
#[inline]
fn holes(tables: &Tables, windows: &Windows) -> [__m512i; 6] {
    let (h, zero) = (tables.holes, _mm512_setzero_si512());
    let window = |column| _mm512_multishift_epi64_epi8(windows.control, column);
    [
        window(left::<15>(h, zero)),
        window(h),
        window(right::<1>(h, zero)),
        window(right::<2>(h, zero)),
        window(right::<3>(h, zero)),
        window(right::<4>(h, zero)),
    ]
}}

features! {
/// What the sums of some placements lack because some new well cells lie below the height of
/// their column: never less than nothing. Seldom needed: it makes everything anew, so that nothing
/// is kept in registers for it.
#[inline]
pub(super) fn covered<const WIDE: bool>(
    tables: &Tables,
    shape: &Shape,
    landing: __m512i,
    some: u64,
) -> [__m512i; 2] {
    let windows = Windows::new(tables, landing);
    let holes = holes(tables, &windows);
    let zero = _mm512_setzero_si512();
    let mut changed = [zero; 6];
    if WIDE {
        let [on_left, _, on_right] = changes_of_i(shape, &windows, tables);
        changed[0] = on_left;
        changed[2] = _mm512_maskz_mov_epi8(!shape.wide, on_right);
        changed[5] = _mm512_maskz_mov_epi8(shape.wide, on_right);
    } else {
        changed[..5].copy_from_slice(&changes(shape, &windows.cells));
    }
    let mut words = [0i16; 64];
    let landing = store(landing).0;
    let mut columns = [0u32; 16];
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_storeu_si512(columns.as_mut_ptr().cast(), tables.columns) };
    for d in 0..6 {
        let covered = _mm512_and_si512(changed[d], holes[d]);
        let mut lanes = _mm512_test_epi8_mask(covered, covered) & some;
        if lanes == 0 {
            continue;
        }
        let covered = store(covered).0;
        while lanes != 0 {
            let lane = lanes.trailing_zeros() as usize;
            lanes &= lanes - 1;
            let lack = lacking(columns[lane / 4 + d - 1], landing[lane], covered[lane]);
            words[lane % 16 / 8 * 32 + lane / 16 * 8 + lane % 8] += lack;
        }
    }
    // SAFETY: the array is 128 bytes long.
    unsafe {
        [_mm512_loadu_si512(words.as_ptr().cast()), _mm512_loadu_si512(words[32..].as_ptr().cast())]
    }
}}

/// The depth of covered well cells, less what was added for them.
fn lacking(column: u32, landing: u8, covered: u8) -> i16 {
    let height = 32 - column.leading_zeros() as i32;
    let landing = i32::from(landing);
    let mut sum = 0;
    for k in (0..4).filter(|k| covered >> k & 1 == 1) {
        let row = landing + k;
        let below = column & ((1 << row) - 1);
        let depth = row - 31 + below.leading_zeros() as i32;
        sum += depth - ((landing + 3 - height).max(0) + k - 2);
    }
    sum as i16
}

impl Windows {
    features! {
    #[inline]
    pub(super) fn new(tables: &Tables, landing: __m512i) -> Windows {
        let control = _mm512_add_epi8(landing, load(&SECOND));
        let (c, ones) = (tables.columns, _mm512_set1_epi32(-1));
        let (h, zero) = (tables.heights, _mm512_setzero_si512());
        let window = |column| _mm512_multishift_epi64_epi8(control, column);
        let cells = [
            window(left::<14>(c, ones)),
            window(left::<15>(c, ones)),
            window(c),
            window(right::<1>(c, ones)),
            window(right::<2>(c, ones)),
            window(right::<3>(c, ones)),
            window(right::<4>(c, ones)),
        ];
        let heights =
            [left::<15>(h, zero), h, right::<1>(h, zero), right::<2>(h, zero), right::<3>(h, zero)];
        Windows { cells, heights, landing, control }
    }}
}
