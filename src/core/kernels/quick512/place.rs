//! The differences that each placement makes.

use std::arch::x86_64::*;

use super::features;
use super::registers::*;
use super::tables::{Tables, pattern_of};
use super::wells::{self, Windows};
use crate::kernels::quick::{DIVERSITY, Quick, SLOTS, Shape};

/// The placements of one piece.
#[derive(Clone, Copy)]
pub(super) struct Placed {
    /// What is counted, in the order of the weights.
    pub(super) bytes: [__m512i; SLOTS],
    /// The change of the wells: words of the lower eight of each 16 placements, and the upper.
    pub(super) wells: [__m512i; 2],
    /// Placements whose wells may still lack what [`wells::covered`] adds.
    pub(super) unsettled: u64,
    pub(super) landing: __m512i,
    /// Placements that fill a row; those that end above the top.
    pub(super) full: u64,
    pub(super) lost: u64,
}

features! {
/// Places a piece: `WIDE` is the I, of up to four rows or columns, all others have three.
/// One instance for each `USE`, of which there is one each, so that the compiler inlines it.
#[inline]
pub(super) fn place<const SET: u32, const WIDE: bool, const USE: u8>(quick: &Quick, tables: &Tables, shape: &Shape) -> Placed {
    let columns = if WIDE { 4 } else { 3 };
    let zero = _mm512_setzero_si512();
    let one = _mm512_set1_epi8(1);
    let h = tables.heights;
    let heights = [left::<15>(h, zero), h, right::<1>(h, zero), right::<2>(h, zero), right::<3>(h, zero)];
    let mut landing = _mm512_subs_epu8(h, load(&shape.bottom[0]));
    for j in 1..columns {
        landing = _mm512_max_epu8(landing, _mm512_subs_epu8(heights[j + 1], load(&shape.bottom[j])));
    }
    let mut bytes = [zero; SLOTS];
    bytes[0] = landing;
    let mut gaps = [zero; 4];
    for j in 0..columns {
        let bottom = _mm512_add_epi8(landing, load(&shape.bottom[j]));
        gaps[j] = _mm512_maskz_sub_epi8(shape.present[j], bottom, heights[j + 1]);
        bytes[3] = _mm512_add_epi8(bytes[3], gaps[j]);
        if SET & 2 != 0 {
            bytes[2] = _mm512_add_epi8(bytes[2], _mm512_min_epu8(gaps[j], one));
        }
        if SET & 16 != 0 {
            let over = _mm512_or_si512(gaps[j], holed(tables, j));
            let over = _mm512_test_epi8_mask(over, over);
            bytes[4] = _mm512_mask_add_epi8(bytes[4], over, bytes[4], load(&shape.thickness[j]));
        }
    }
    let mut wells = [zero; 2];
    let mut unsettled = 0;
    if SET & (1 | 8 | 32) != 0 {
        let windows = Windows::new(tables, landing);
        let dirty = _mm512_multishift_epi64_epi8(windows.control, tables.dirty);
        if SET & 1 != 0 {
            bytes[1] = open::<WIDE>(shape, &windows.cells);
        }
        if SET & 8 != 0 {
            (wells, unsettled) = if WIDE {
                wells::wells_of_i::<SET, USE>(tables, shape, &windows, dirty)
            } else {
                wells::wells::<SET, USE>(shape, &windows, dirty)
            };
        }
        if SET & 32 != 0 {
            bytes[5] = new_dirty::<WIDE>(tables, shape, &windows, landing, dirty);
        }
    }
    if SET & (128 | DIVERSITY) != 0 {
        let (pattern, bumps) = steps::<SET, WIDE, USE>(tables, shape, &heights, landing);
        if SET & 128 != 0 {
            bytes[1] = bumps;
        } else {
            bytes[6] = pattern;
        }
    }
    let top = _mm512_add_epi8(landing, load(&shape.height));
    let height = _mm512_set1_epi8(quick.size.height() as i8);
    let mut full = 0;
    let mut row = landing;
    for k in 0..columns {
        let empty = _mm512_permutexvar_epi8(row, tables.empty);
        full |= _mm512_cmpeq_epi8_mask(empty, load(&shape.in_row[k]));
        row = _mm512_add_epi8(row, one);
    }
    Placed {
        bytes,
        wells,
        unsettled,
        landing,
        full: full & shape.valid,
        lost: _mm512_cmpgt_epu8_mask(top, height) & shape.valid,
    }
}}

features! {
#[inline]
fn holed(tables: &Tables, j: usize) -> __m512i {
    let (holed, zero) = (tables.holed, _mm512_setzero_si512());
    match j {
        0 => holed,
        1 => right::<1>(holed, zero),
        2 => right::<2>(holed, zero),
        _ => right::<3>(holed, zero),
    }
}}

features! {
/// Empty cells beside the piece.
#[inline]
fn open<const WIDE: bool>(shape: &Shape, cells: &[__m512i; 7]) -> __m512i {
    let open = |cells, beside| _mm512_popcnt_epi8(_mm512_andnot_si512(cells, beside));
    if WIDE {
        let rows = load(&shape.cells[0]);
        let right = _mm512_mask_mov_epi8(cells[3], shape.wide, cells[6]);
        return _mm512_add_epi8(open(cells[1], rows), open(right, rows));
    }
    let mut sum = open(cells[1], load(&shape.beside[0]));
    for d in 1..5 {
        sum = _mm512_add_epi8(sum, open(cells[d + 1], load(&shape.beside[d])));
    }
    sum
}}

features! {
/// Rows that get their first hole: those from the lowest column up to the piece, and those under
/// a part of it.
#[inline]
fn new_dirty<const WIDE: bool>(
    tables: &Tables,
    shape: &Shape,
    windows: &Windows,
    landing: __m512i,
    dirty: __m512i,
) -> __m512i {
    let h = &windows.heights;
    let mut lowest = _mm512_min_epu8(h[1], _mm512_or_si512(h[2], load(&shape.absent[1])));
    lowest = _mm512_min_epu8(lowest, _mm512_or_si512(h[3], load(&shape.absent[2])));
    if WIDE {
        lowest = _mm512_min_epu8(lowest, _mm512_or_si512(h[4], load(&shape.absent[3])));
    }
    let clean = |row| _mm512_permutexvar_epi8(row, tables.clean);
    let below = _mm512_sub_epi8(clean(landing), clean(lowest));
    if WIDE {
        return below;
    }
    let under = |j: usize| _mm512_andnot_si512(windows.cells[j + 2], load(&shape.under[j]));
    let under = _mm512_ternarylogic_epi32::<0xfe>(under(0), under(1), under(2));
    _mm512_add_epi8(below, _mm512_popcnt_epi8(_mm512_andnot_si512(dirty, under)))
}}

features! {
/// The patterns there are afterwards; the change of the steps between columns.
#[inline]
fn steps<const SET: u32, const WIDE: bool, const USE: u8>(
    tables: &Tables,
    shape: &Shape,
    heights: &[__m512i; 5],
    landing: __m512i,
) -> (__m512i, __m512i) {
    let zero = _mm512_setzero_si512();
    let far = |narrow, wide| _mm512_mask_mov_epi8(narrow, shape.wide, wide);
    let beyond = if WIDE {
        far(heights[2], right::<4>(tables.heights, zero))
    } else {
        far(heights[3], heights[4])
    };
    let end = |s: usize| _mm512_add_epi8(landing, load(&shape.ends[s]));
    let into = _mm512_maskz_sub_epi8(shape.has_side[0], end(0), heights[0]);
    let out = _mm512_maskz_sub_epi8(shape.has_side[1], beyond, end(1));
    if SET & 128 != 0 {
        let now = _mm512_add_epi8(_mm512_abs_epi8(into), _mm512_abs_epi8(out));
        let s = tables.steps;
        let two = _mm512_add_epi8(s, right::<1>(s, zero));
        let before = if WIDE {
            let five = _mm512_add_epi8(two, right::<2>(two, zero));
            far(two, _mm512_add_epi8(five, right::<4>(s, zero)))
        } else {
            let three = _mm512_add_epi8(two, right::<2>(s, zero));
            far(three, _mm512_add_epi8(three, right::<3>(s, zero)))
        };
        let change = _mm512_sub_epi8(now, before);
        return (zero, _mm512_add_epi8(change, _mm512_set1_epi8(-128)));
    }
    let [left_of, right_of] = tables.patterns;
    let kept = if WIDE {
        far(right::<1>(right_of, zero), right::<4>(right_of, zero))
    } else {
        far(right::<2>(right_of, zero), right::<3>(right_of, zero))
    };
    let own = _mm512_ternarylogic_epi32::<0xfe>(left_of, kept, load(&shape.patterns));
    let into = _mm512_maskz_mov_epi8(shape.has_side[0], pattern_of(into));
    let out = _mm512_maskz_mov_epi8(shape.has_side[1], pattern_of(out));
    (_mm512_popcnt_epi8(_mm512_ternarylogic_epi32::<0xfe>(own, into, out)), zero)
}}

impl Placed {
    features! {
    /// Makes the wells of some placements exact.
    #[inline]
    pub(super) fn settle<const WIDE: bool>(&mut self, tables: &Tables, shape: &Shape, some: u64) {
        self.unsettled &= !some;
        let lack = wells::covered::<WIDE>(tables, shape, self.landing, some);
        self.wells = wells::add(self.wells, lack);
    }}
}
