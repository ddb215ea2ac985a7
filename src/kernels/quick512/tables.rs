//! What the quick way knows about a parent.

use std::arch::x86_64::*;

use super::features;
use super::registers::*;
use crate::board::{Board, ROWS, full_row};
use crate::kernels::quick::{DIVERSITY, Quick};

/// Tables of one board, a vector register each: entry y is about row y.
pub(super) struct Tables {
    /// Row y - 1; the floor, filled, is row -1.
    pub(super) rows: __m512i,
    /// Heights of the columns; 0 beyond the last.
    pub(super) heights: __m512i,
    /// Digits of the number of empty cells from a cell downward.
    pub(super) depth: [__m512i; 4],
    /// Over the three rows from y on, and the four: the sum over well cells of their depth.
    pub(super) wells: [__m512i; 2],
    /// Rows below y that have no hole.
    pub(super) whole: __m512i,
    /// Columns that have a hole, in every lane.
    pub(super) holed: __m512i,
    /// Sum of the steps left of column y.
    pub(super) steps: __m512i,
    /// The columns c with a step of -2, -1, ... 2 from column c - 1, in every lane.
    pub(super) kinds: [__m512i; 5],
}

features! {
/// Reads the tables of a board; None where four digits of depth do not do.
#[inline]
pub(super) fn tables<const SET: u32>(quick: &Quick, board: &Board, stack: usize) -> Option<Tables> {
    let width = quick.size.width();
    let full = set(full_row(width));
    let (first, last) = (set(1), set(1 << (width - 1)));
    let rows = load_rows(board.rows());
    let zero = _mm512_setzero_si512();
    let empty = _mm512_andnot_si512(rows, full);
    let cover = covered(rows);
    let holes = _mm512_andnot_si512(rows, moved::<-1>(cover));
    let whole = _mm512_testn_epi16_mask(holes, holes);
    // From the cells and not from `cover`, whose five steps would come before every landing row.
    let empty_above = _mm512_lzcnt_epi32(transposed(rows));
    let heights = _mm512_sub_epi32(_mm512_set1_epi32(ROWS as i32), empty_above);
    let heights = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(heights));
    let heights = _mm512_inserti64x4::<1>(heights, _mm256_setzero_si256());
    let mut tables = Tables {
        rows: _mm512_or_si512(moved::<1>(rows), _mm512_maskz_mov_epi16(1, full)),
        heights,
        depth: [zero; 4],
        wells: [zero; 2],
        whole: zero,
        holed: zero,
        steps: zero,
        kinds: [zero; 5],
    };
    if SET & 8 != 0 {
        let depth = depths(empty);
        let deep = _mm512_and_si512(depth[3], moved::<8>(depth[3]));
        let seen = (1u64 << (stack + 4).min(32)) as u32;
        if _mm512_mask_test_epi16_mask(seen.wrapping_sub(1), deep, deep) != 0 {
            return None;
        }
        let sums = weighted_depth(well_cells(rows, first, last), &depth);
        let two = _mm512_add_epi16(sums, moved::<-1>(sums));
        tables.wells[0] = _mm512_add_epi16(two, moved::<-2>(sums));
        tables.wells[1] = _mm512_add_epi16(two, moved::<-2>(two));
        tables.depth = depth;
    }
    if SET & 16 != 0 {
        tables.holed = set(columns_of(holes));
    }
    if SET & 32 != 0 {
        tables.whole = counted_below(whole);
    }
    if SET & (128 | DIVERSITY) != 0 {
        let inside = (1u32 << width) - 2;
        let step = _mm512_sub_epi16(heights, moved::<1>(heights));
        if SET & DIVERSITY != 0 {
            for (kind, value) in tables.kinds.iter_mut().zip(-2i16..) {
                let here = _mm512_mask_cmpeq_epi16_mask(inside, step, _mm512_set1_epi16(value));
                *kind = set(here as u16);
            }
        }
        if SET & 128 != 0 {
            let mut sum = _mm512_maskz_abs_epi16(inside, step);
            sum = _mm512_add_epi16(sum, moved::<1>(sum));
            sum = _mm512_add_epi16(sum, moved::<2>(sum));
            sum = _mm512_add_epi16(sum, moved::<4>(sum));
            tables.steps = _mm512_add_epi16(sum, moved::<8>(sum));
        }
    }
    Some(tables)
}}
