//! The differences that each placement makes.

use std::arch::x86_64::*;

use super::features;
use super::registers::*;
use super::tables::Tables;
use crate::board::{Board, full_row};
use crate::kernels::quick::{DIVERSITY, Half, Lane32, Quick};

/// The placements of one half.
pub(super) struct Placed {
    /// Differences: landing, nothing, then in the order of the weights.
    pub(super) values: [__m512i; 10],
    pub(super) landing: __m512i,
    /// Lanes that fill a row; lanes that end above the top.
    pub(super) full: u32,
    pub(super) lost: u32,
}

features! {
/// Places the pieces of a half: K rows are enough for all but the upright I.
#[inline]
pub(super) fn place<const SET: u32, const K: usize>(quick: &Quick, tables: &Tables, half: &Half) -> Placed {
    let zero = _mm512_setzero_si512();
    let one = set(1);
    let width = quick.size.width();
    let at = |table, index| _mm512_permutexvar_epi16(index, table);
    let heights: [__m512i; 4] = std::array::from_fn(|j| at(tables.heights, load(&half.columns[j])));
    let rest = |j: usize| _mm512_subs_epu16(heights[j], load(&half.bottom[j]));
    let landing =
        _mm512_max_epu16(_mm512_max_epu16(rest(0), rest(1)), _mm512_max_epu16(rest(2), rest(3)));
    let mut index = [landing; 5];
    for k in 1..=K {
        index[k] = _mm512_add_epi16(index[k - 1], one);
    }
    let below = at(tables.rows, landing);
    let rows: [__m512i; K] = std::array::from_fn(|k| at(tables.rows, index[k + 1]));
    let piece: [__m512i; K] = std::array::from_fn(|k| load(&half.rows[k]));
    let full_row = set(full_row(width));
    let mut full = 0;
    let mut after = rows;
    for k in 0..K {
        after[k] = _mm512_or_si512(rows[k], piece[k]);
        full |= _mm512_cmpeq_epi16_mask(after[k], full_row);
    }
    let top = _mm512_add_epi16(landing, load(&half.height));
    let over = _mm512_subs_epu16(top, set(quick.size.height() as u16));
    let mut values = [zero; 10];
    let steps = _mm512_mullo_epi16(landing, set(quick.landing_steps));
    values[0] = _mm512_add_epi16(steps, load(&half.landing));

    let count = |cells| _mm512_popcnt_epi16(cells);
    let twice = |value| _mm512_add_epi16(value, value);
    let height_sum = _mm512_add_epi16(
        _mm512_add_epi16(heights[0], heights[1]),
        _mm512_add_epi16(heights[2], heights[3]),
    );
    let raised = _mm512_mullo_epi16(load(&half.width), landing);
    let raised = _mm512_sub_epi16(raised, height_sum);
    values[4] = _mm512_add_epi16(raised, load(&half.low_sum));
    if SET & 1 != 0 {
        let mut open = _mm512_sub_epi16(over, load(&half.height));
        for (row, beside) in rows.iter().zip(&half.beside) {
            open = _mm512_add_epi16(open, count(_mm512_andnot_si512(*row, load(beside))));
        }
        values[2] = twice(open);
    }
    let hanging = {
        let low = _mm512_andnot_si512(below, load(&half.bottoms[0]));
        let middle = _mm512_andnot_si512(rows[0], load(&half.bottoms[1]));
        let high = _mm512_andnot_si512(rows[1], load(&half.bottoms[2]));
        _mm512_ternarylogic_epi32::<0xfe>(low, middle, high)
    };
    if SET & 2 != 0 {
        values[3] = twice(count(hanging));
    }
    if SET & 8 != 0 {
        let (first, last) = (one, set(1 << (width - 1)));
        let mut sums = [zero; 4];
        let mut extra = zero;
        for k in 0..K {
            let mut wells = well_cells(after[k], first, last);
            if k == 1 || k == 2 {
                let above = load(&half.above[k - 1]);
                let own = _mm512_and_si512(wells, above);
                extra = _mm512_add_epi16(extra, count(own));
                if k == 2 {
                    let two = _mm512_and_si512(own, load(&half.above[0]));
                    extra = _mm512_add_epi16(extra, count(two));
                }
                wells = _mm512_andnot_si512(above, wells);
            }
            for (sum, digit) in sums.iter_mut().zip(tables.depth) {
                let here = _mm512_and_si512(wells, at(digit, index[k]));
                *sum = _mm512_add_epi16(*sum, count(here));
            }
        }
        let high = _mm512_add_epi16(sums[2], twice(sums[3]));
        let low = _mm512_add_epi16(sums[0], twice(sums[1]));
        let sum = _mm512_add_epi16(low, _mm512_slli_epi16::<2>(high));
        let before = at(tables.wells[K - 3], landing);
        values[5] = _mm512_sub_epi16(_mm512_add_epi16(sum, extra), before);
    }
    if SET & 16 != 0 {
        let holed = _mm512_or_si512(tables.holed, hanging);
        for cells in piece {
            values[6] = _mm512_add_epi16(values[6], count(_mm512_and_si512(cells, holed)));
        }
    }
    if SET & 32 != 0 {
        let mut lowest = landing;
        for (height, absent) in heights.iter().zip(&half.absent) {
            lowest = _mm512_min_epu16(lowest, _mm512_or_si512(*height, load(absent)));
        }
        let whole: [__m512i; 3] = std::array::from_fn(|k| at(tables.whole, index[k]));
        let bottoms = _mm512_or_si512(load(&half.bottoms[1]), load(&half.bottoms[2]));
        let low = _mm512_andnot_si512(rows[0], bottoms);
        let high = _mm512_andnot_si512(rows[1], load(&half.bottoms[2]));
        let low = _mm512_test_epi16_mask(low, low);
        let high = _mm512_test_epi16_mask(high, high);
        let under = _mm512_sub_epi16(whole[0], at(tables.whole, lowest));
        let low = _mm512_maskz_sub_epi16(low, whole[1], whole[0]);
        let high = _mm512_maskz_sub_epi16(high, whole[2], whole[1]);
        values[7] = _mm512_add_epi16(under, _mm512_add_epi16(low, high));
    }
    if SET & 64 != 0 {
        values[8] = _mm512_add_epi16(raised, load(&half.high_sum));
    }
    let step = |s: usize| {
        let end = _mm512_add_epi16(landing, load(&half.ends[s]));
        _mm512_sub_epi16(end, at(tables.heights, load(&half.sides[s])))
    };
    if SET & DIVERSITY != 0 {
        let has_side: [u32; 2] = std::array::from_fn(|s| {
            let side = load(&half.has_side[s]);
            _mm512_test_epi16_mask(side, side)
        });
        let (left, right) = (step(0), step(1));
        let kept = load(&half.kept);
        for (kind, value) in (0..).zip(-2i16..=2) {
            let own = load(&half.own_kinds[kind]);
            let stays = _mm512_ternarylogic_epi32::<0xf8>(own, tables.kinds[kind], kept);
            let (up, down) = (_mm512_set1_epi16(value), _mm512_set1_epi16(-value));
            let found = _mm512_test_epi16_mask(stays, stays)
                | _mm512_mask_cmpeq_epi16_mask(has_side[0], left, up)
                | _mm512_mask_cmpeq_epi16_mask(has_side[1], right, down);
            values[1] = _mm512_mask_add_epi16(values[1], found, values[1], one);
        }
    }
    if SET & 128 != 0 {
        let side = |s: usize| _mm512_and_si512(_mm512_abs_epi16(step(s)), load(&half.has_side[s]));
        let now = _mm512_add_epi16(_mm512_add_epi16(side(0), side(1)), load(&half.own_steps));
        let right = at(tables.steps, load(&half.bounds[1]));
        let left = at(tables.steps, load(&half.bounds[0]));
        // The step into the leftmost column is among those replaced.
        let into = at(_mm512_sub_epi16(tables.steps, moved::<1>(tables.steps)), load(&half.bounds[0]));
        let before = _mm512_add_epi16(_mm512_sub_epi16(right, left), into);
        values[9] = _mm512_sub_epi16(now, before);
    }
    Placed { values, landing, full, lost: _mm512_test_epi16_mask(over, over) }
}}

features! {
/// The exact sums of 32 lanes, in the order of the placements.
#[inline]
pub(super) fn sums<const SET: u32>(quick: &Quick, values: &[__m512i; 10]) -> [__m512i; 4] {
    let mut sums = [_mm512_setzero_si512(); 4];
    for (power, digits) in quick.digits.iter().enumerate() {
        let (mut low, mut high) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        macro_rules! pair {
            ($k:literal, $features:expr) => {
                if SET & $features != 0 {
                    let weights = _mm512_set1_epi32(digits[$k]);
                    let (a, b) = (values[2 * $k], values[2 * $k + 1]);
                    let (a, b) = (_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b));
                    low = _mm512_add_epi32(low, _mm512_madd_epi16(a, weights));
                    high = _mm512_add_epi32(high, _mm512_madd_epi16(b, weights));
                }
            };
        }
        pair!(0, u32::MAX);
        pair!(1, 0b11);
        pair!(2, 0b1100);
        pair!(3, 0b11_0000);
        pair!(4, 0b1100_0000);
        let shift = _mm_cvtsi32_si128(14 * power as i32);
        let parts = [
            _mm512_castsi512_si256(low),
            _mm512_extracti64x4_epi64::<1>(low),
            _mm512_castsi512_si256(high),
            _mm512_extracti64x4_epi64::<1>(high),
        ];
        for (sum, part) in sums.iter_mut().zip(parts) {
            let part = _mm512_sll_epi64(_mm512_cvtepi32_epi64(part), shift);
            *sum = _mm512_add_epi64(*sum, part);
        }
    }
    sums
}}

features! {
/// An upright I shortens the wells above it, beyond the rows looked at.
#[inline]
pub(super) fn deep_wells(board: &Board, stack: usize, tables: &Tables, half: &Half, placed: &mut Placed) {
    let mut heights = Lane32([0; 32]);
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_store_si512(heights.0.as_mut_ptr().cast(), tables.heights) };
    let full = board.full_row();
    let last = 1 << (board.width() - 1);
    let mut above = [0u16; 16];
    let mut any = 0;
    for row in 4..stack {
        let cells = board.row(row);
        let mut wells = !cells & (cells << 1 | 1) & (cells >> 1 | last) & full;
        while wells != 0 {
            let column = wells.trailing_zeros() as usize;
            let counts = u16::from(row as u16 >= heights.0[column] + 4);
            above[column] += 4 * counts;
            any |= counts;
            wells &= wells - 1;
        }
    }
    if any == 0 {
        return;
    }
    let mut table = [0u16; 32];
    table[..16].copy_from_slice(&above);
    let shorter = _mm512_permutexvar_epi16(load(&half.columns[0]), load_rows(&table));
    let upright = _mm512_cmpeq_epi16_mask(load(&half.width), set(1));
    placed.values[5] = _mm512_mask_sub_epi16(placed.values[5], upright, placed.values[5], shorter);
}}
