//! What the quick way knows about a parent.

use std::arch::x86_64::*;

use super::features;
use super::registers::*;
use crate::board::ROWS;
use crate::kernels::quick::{DIVERSITY, Quick};

/// Registers about one board. Those of columns have 32 bits for each, those of heights the same
/// in four bytes; the walls are filled.
pub(super) struct Tables {
    pub(super) columns: __m512i,
    pub(super) heights: __m512i,
    /// Empty cells of each row, a byte for each.
    pub(super) empty: __m512i,
    /// Empty cells below the highest filled one of their column.
    pub(super) holes: __m512i,
    /// 255 in columns that have a hole.
    pub(super) holed: __m512i,
    /// Rows that have a hole, in every column.
    pub(super) dirty: __m512i,
    /// Rows below each that have no hole, a byte for each.
    pub(super) clean: __m512i,
    /// Four times the well cells four rows and more above a column.
    pub(super) high_wells: __m512i,
    /// Size of the step from the column on the left; 0 at the walls.
    pub(super) steps: __m512i,
    /// Patterns of the steps left of a column and of those right of it, its own in neither.
    pub(super) patterns: [__m512i; 2],
}

/// Of each step of -2, ... 2, plus 2, its bit.
const PATTERNS: i64 = 0x10_08_04_02_01;

features! {
/// One bit for each step of -2, ... 2.
#[inline]
pub(super) fn pattern_of(step: __m512i) -> __m512i {
    let index = _mm512_min_epu8(_mm512_add_epi8(step, _mm512_set1_epi8(2)), _mm512_set1_epi8(15));
    let table = _mm512_broadcast_i32x4(_mm_set_epi64x(0, PATTERNS));
    _mm512_shuffle_epi8(table, index)
}}

features! {
/// Reads the tables of a board.
#[inline]
pub(super) fn tables<const SET: u32>(quick: &Quick, rows: __m512i) -> Tables {
    let width = quick.size.width();
    let zero = _mm512_setzero_si512();
    let ones = _mm512_set1_epi32(-1);
    let cells = transposed(rows);
    let columns = _mm512_mask_mov_epi32(ones, ((1u32 << width) - 1) as u16, cells);
    let above = _mm512_lzcnt_epi32(cells);
    let heights = _mm512_sub_epi32(_mm512_set1_epi32(ROWS as i32), above);
    let holes = _mm512_andnot_si512(cells, _mm512_srlv_epi32(ones, above));
    let filled = _mm512_cvtepi16_epi8(_mm512_popcnt_epi16(rows));
    let empty = _mm256_sub_epi8(_mm256_set1_epi8(width as i8), filled);
    let mut tables = Tables {
        columns,
        heights: spread(heights),
        empty: _mm512_castsi256_si512(empty),
        holes,
        holed: zero,
        dirty: zero,
        clean: zero,
        high_wells: zero,
        steps: zero,
        patterns: [zero; 2],
    };
    if SET & (8 | 32) != 0 {
        tables.dirty = any_column(holes);
    }
    if SET & 8 != 0 {
        let wells = between(columns, left::<15>(columns, ones), right::<1>(columns, ones));
        let over = _mm512_srlv_epi32(wells, _mm512_add_epi32(heights, _mm512_set1_epi32(4)));
        tables.high_wells = _mm512_slli_epi32::<2>(_mm512_popcnt_epi32(over));
    }
    if SET & 16 != 0 {
        tables.holed = _mm512_maskz_mov_epi32(_mm512_test_epi32_mask(holes, holes), ones);
    }
    if SET & 32 != 0 {
        tables.clean = counted_below(_mm512_xor_si512(tables.dirty, ones));
    }
    if SET & (128 | DIVERSITY) != 0 {
        steps::<SET>(width, &mut tables);
    }
    tables
}}

features! {
#[inline]
fn steps<const SET: u32>(width: usize, tables: &mut Tables) {
    let zero = _mm512_setzero_si512();
    let inside = ((1u32 << width) - 2) as u16;
    let step = _mm512_sub_epi8(tables.heights, left::<15>(tables.heights, zero));
    if SET & 128 != 0 {
        tables.steps = _mm512_maskz_mov_epi32(inside, _mm512_abs_epi8(step));
    }
    if SET & DIVERSITY != 0 {
        let own = _mm512_maskz_mov_epi32(inside, pattern_of(step));
        let mut before = left::<15>(own, zero);
        before = _mm512_or_si512(before, left::<15>(before, zero));
        before = _mm512_or_si512(before, left::<14>(before, zero));
        before = _mm512_or_si512(before, left::<12>(before, zero));
        before = _mm512_or_si512(before, left::<8>(before, zero));
        let mut after = right::<1>(own, zero);
        after = _mm512_or_si512(after, right::<1>(after, zero));
        after = _mm512_or_si512(after, right::<2>(after, zero));
        after = _mm512_or_si512(after, right::<4>(after, zero));
        after = _mm512_or_si512(after, right::<8>(after, zero));
        tables.patterns = [before, after];
    }
}}
