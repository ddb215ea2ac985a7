//! The quick way's instructions.

use std::arch::x86_64::*;

use super::lanes::LANES;
use super::quick::{BCTS, DELLACHERIE, DIVERSITY, DT, Half, LEE, Lane32, Quick};
use super::sheet::Measured;
use crate::board::{Board, ROWS, full_row};
use crate::piece::Piece;

/// Tables of one board, a vector register each: entry y is about row y.
struct Tables {
    /// Row y - 1; the floor, filled, is row -1.
    rows: __m512i,
    /// Heights of the columns; 0 beyond the last.
    heights: __m512i,
    /// Digits of the number of empty cells from a cell downward.
    depth: [__m512i; 4],
    /// Over the three rows from y on, and the four: the sum over well cells of their depth.
    wells: [__m512i; 2],
    /// Rows below y that have no hole.
    whole: __m512i,
    /// Columns that have a hole, in every lane.
    holed: __m512i,
    /// Sum of the steps left of column y.
    steps: __m512i,
    /// The columns c with a step of -2, -1, ... 2 from column c - 1, in every lane.
    kinds: [__m512i; 5],
}

/// What the quick way finds.
pub(super) struct Found {
    pub(super) scores: [i64; LANES],
    pub(super) rows: [u8; LANES],
    pub(super) lost: u64,
    pub(super) best: usize,
    pub(super) score: i64,
}

macro_rules! features {
    ($(#[$doc:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$doc])*
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512bitalg")]
        #[target_feature(enable = "avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt")]
        $vis fn $($rest)*
    };
}

features! {
#[inline]
fn load(lanes: &Lane32) -> __m512i {
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_load_si512(lanes.0.as_ptr().cast()) }
}}

features! {
#[inline]
fn load_rows(rows: &[u16; ROWS]) -> __m512i {
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_loadu_si512(rows.as_ptr().cast()) }
}}

features! {
#[inline]
fn set(value: u16) -> __m512i {
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
fn moved<const UP: isize>(rows: __m512i) -> __m512i {
    let (index, mask) = const { shifted::<UP>() };
    // SAFETY: the array is 64 bytes long.
    let index = unsafe { _mm512_loadu_si512(index.as_ptr().cast()) };
    _mm512_maskz_permutexvar_epi16(mask, index, rows)
}}

features! {
#[inline]
fn select(mask: __m512i, yes: __m512i, no: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0xca>(mask, yes, no)
}}

features! {
/// Every row with all rows above it.
#[inline]
fn covered(rows: __m512i) -> __m512i {
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
fn from_below(rows: __m512i) -> __m512i {
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
fn transposed(rows: __m512i) -> __m512i {
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
fn depths(empty: __m512i) -> [__m512i; 4] {
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
fn well_cells(rows: __m512i, first: __m512i, last: __m512i) -> __m512i {
    let left = _mm512_or_si512(_mm512_add_epi16(rows, rows), first);
    let right = _mm512_or_si512(_mm512_srli_epi16::<1>(rows), last);
    _mm512_ternarylogic_epi32::<0x08>(rows, left, right)
}}

features! {
#[inline]
fn weighted_depth(cells: __m512i, depth: &[__m512i; 4]) -> __m512i {
    let count = |digit| _mm512_popcnt_epi16(_mm512_and_si512(cells, digit));
    let high = _mm512_add_epi16(count(depth[2]), _mm512_slli_epi16::<1>(count(depth[3])));
    let low = _mm512_add_epi16(count(depth[0]), _mm512_slli_epi16::<1>(count(depth[1])));
    _mm512_add_epi16(low, _mm512_slli_epi16::<2>(high))
}}

features! {
#[inline]
fn total(values: __m512i) -> i64 {
    let pairs = _mm512_madd_epi16(values, set(1));
    i64::from(_mm512_reduce_add_epi32(pairs))
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
fn counted_below(mask: u32) -> __m512i {
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
/// Reads the tables of a board; None where four digits of depth do not do.
#[inline]
fn tables<const SET: u32>(quick: &Quick, board: &Board, stack: usize) -> Option<Tables> {
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

features! {
/// The columns that occur in any row.
#[inline]
fn columns_of(rows: __m512i) -> u16 {
    let all = _mm512_reduce_or_epi32(rows) as u32;
    (all | all >> 16) as u16
}}

/// The placements of one half.
struct Placed {
    /// Differences: landing, nothing, then in the order of the weights.
    values: [__m512i; 10],
    landing: __m512i,
    /// Lanes that fill a row; lanes that end above the top.
    full: u32,
    lost: u32,
}

features! {
/// Places the pieces of a half: K rows are enough for all but the upright I.
#[inline]
fn place<const SET: u32, const K: usize>(quick: &Quick, tables: &Tables, half: &Half) -> Placed {
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
        for k in 0..K {
            open = _mm512_add_epi16(open, count(_mm512_andnot_si512(rows[k], load(&half.beside[k]))));
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
        for j in 0..4 {
            lowest = _mm512_min_epu16(lowest, _mm512_or_si512(heights[j], load(&half.absent[j])));
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
fn sums<const SET: u32>(quick: &Quick, values: &[__m512i; 10]) -> [__m512i; 4] {
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

/// Bits of lanes in the order of the placements.
fn in_order(mask: u32) -> u32 {
    let gather = |from: u32| {
        let nibbles = from & 0x0f0f_0f0f;
        let bytes = (nibbles | nibbles >> 4) & 0x00ff_00ff;
        (bytes | bytes >> 8) & 0xffff
    };
    gather(mask) | gather(mask >> 4) << 16
}

features! {
/// Finds the best placement of each piece on one board; false where the quick way does not lead.
/// With `scores`, also its score, None where all placements lose; `found` is about the last.
/// One entry for both uses, so that the placing is compiled into it: worth about 15 %.
pub(super) fn find(
    quick: &Quick,
    board: &Board,
    pieces: &[Piece],
    found: &mut Found,
    scores: Option<&mut [Option<i64>]>,
) -> bool {
    match quick.set {
        DELLACHERIE => find_set::<DELLACHERIE>(quick, board, pieces, found, scores),
        DT => find_set::<DT>(quick, board, pieces, found, scores),
        BCTS => find_set::<BCTS>(quick, board, pieces, found, scores),
        _ => find_set::<LEE>(quick, board, pieces, found, scores),
    }
}}

features! {
#[inline]
fn find_set<const SET: u32>(
    quick: &Quick,
    board: &Board,
    pieces: &[Piece],
    found: &mut Found,
    mut scores: Option<&mut [Option<i64>]>,
) -> bool {
    let Some((tables, stack)) = read::<SET>(quick, board) else { return false };
    let parent = scores
        .is_some()
        .then(|| value::<SET>(quick, load_rows(board.rows()), stack, true));
    for (k, &piece) in pieces.iter().enumerate() {
        find_piece::<SET>(quick, board, stack, &tables, parent, piece, found);
        if let (Some(scores), Some(parent)) = (&mut scores, parent) {
            scores[k] = (found.best != 64).then(|| found.score + parent);
        }
    }
    true
}}

features! {
/// The tables of a board and its stack's height, if it is one for the quick way.
#[inline]
fn read<const SET: u32>(quick: &Quick, board: &Board) -> Option<(Tables, usize)> {
    let full_row = set(full_row(quick.size.width()));
    let rows = load_rows(board.rows());
    let stack = 32 - _mm512_test_epi16_mask(rows, rows).leading_zeros() as usize;
    let any_full = _mm512_cmpeq_epi16_mask(rows, full_row) != 0;
    if any_full || stack > quick.size.height().min(24) {
        return None;
    }
    Some((tables::<SET>(quick, board, stack)?, stack))
}}

features! {
#[inline]
fn find_piece<const SET: u32>(
    quick: &Quick,
    board: &Board,
    stack: usize,
    tables: &Tables,
    parent: Option<i64>,
    piece: Piece,
    found: &mut Found,
) {
    found.lost = 0;
    let mut full = 0u64;
    let mut all = [_mm512_set1_epi64(i64::MIN); 8];
    for (h, half) in quick.pieces[piece.index()].iter().enumerate() {
        let placed = if piece == Piece::I {
            let mut placed = place::<SET, 4>(quick, tables, half);
            if SET & 8 != 0 {
                deep_wells(board, stack, tables, half, &mut placed);
            }
            placed
        } else {
            place::<SET, 3>(quick, tables, half)
        };
        let sums = sums::<SET>(quick, &placed.values);
        let here = ((1u64 << half.count) - 1) as u32;
        full |= u64::from(in_order(placed.full) & here) << (32 * h);
        found.lost |= u64::from(in_order(placed.lost) & here) << (32 * h);
        let to = &mut found.scores[32 * h..32 * h + 32];
        for (k, sum) in sums.into_iter().enumerate() {
            let to = &mut to[8 * k..8 * k + 8];
            // SAFETY: eight scores are 64 bytes.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), sum) };
            all[4 * h + k] = sum;
        }
        let mut landing = Lane32([0; 32]);
        // SAFETY: the array is 64 bytes long.
        unsafe { _mm512_store_si512(landing.0.as_mut_ptr().cast(), placed.landing) };
        let order = load(&ORDER);
        let rows = _mm512_cvtepi16_epi8(_mm512_permutexvar_epi16(order, placed.landing));
        let to = &mut found.rows[32 * h..32 * h + 32];
        // SAFETY: the slice is 32 bytes long.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), rows) };
    }
    choose::<SET>(quick, board, stack, parent, piece, found, full, &all);
}}

/// The lane of each placement.
const ORDER: Lane32 = {
    let mut order = [0; 32];
    let mut k = 0;
    while k < 32 {
        order[k] = (k % 16 / 4 * 8 + k % 4 + k / 16 * 4) as u16;
        k += 1;
    }
    Lane32(order)
};

features! {
/// An upright I shortens the wells above it, beyond the rows looked at.
#[inline]
fn deep_wells(board: &Board, stack: usize, tables: &Tables, half: &Half, placed: &mut Placed) {
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

features! {
/// Scores the placements that fill rows one by one, then finds the first best that does not lose.
#[inline]
fn choose<const SET: u32>(
    quick: &Quick,
    board: &Board,
    stack: usize,
    parent: Option<i64>,
    piece: Piece,
    found: &mut Found,
    full: u64,
    all: &[__m512i; 8],
) {
    let halves = &quick.pieces[piece.index()];
    let count = halves[0].count + halves.get(1).map_or(0, |half| half.count);
    let sound = u64::MAX >> (64 - count) & !full & !found.lost;
    let low = _mm512_set1_epi64(i64::MIN);
    let sure = |k: usize| _mm512_mask_mov_epi64(low, (sound >> (8 * k)) as u8, all[k]);
    let [a, b, c, d] = [sure(0), sure(1), sure(2), sure(3)];
    let mut best = _mm512_max_epi64(_mm512_max_epi64(a, b), _mm512_max_epi64(c, d));
    let mut rest = [low; 4];
    if halves.len() > 1 {
        rest = [sure(4), sure(5), sure(6), sure(7)];
        let high = _mm512_max_epi64(_mm512_max_epi64(rest[0], rest[1]), _mm512_max_epi64(rest[2], rest[3]));
        best = _mm512_max_epi64(best, high);
    }
    found.score = _mm512_reduce_max_epi64(best);
    let wanted = _mm512_set1_epi64(found.score);
    let equal = |k: usize, sum| u64::from(_mm512_cmpeq_epi64_mask(sum, wanted)) << (8 * k);
    let mut first = equal(0, a) | equal(1, b) | equal(2, c) | equal(3, d);
    if halves.len() > 1 {
        let [a, b, c, d] = rest;
        first |= equal(4, a) | equal(5, b) | equal(6, c) | equal(7, d);
    }
    found.best = if sound == 0 { 64 } else { (first & sound).trailing_zeros() as usize };
    if full == 0 {
        return;
    }
    let known = || value::<SET>(quick, load_rows(board.rows()), stack, true);
    let parent = parent.unwrap_or_else(known);
    let mut left = full;
    while left != 0 {
        let index = left.trailing_zeros() as usize;
        left &= left - 1;
        let lost = clearing::<SET>(quick, board, parent, &halves[index / 32], index, found);
        let score = found.scores[index];
        let better = score > found.score || (score == found.score && index < found.best);
        if !lost && (found.best == 64 || better) {
            (found.score, found.best) = (score, index);
        }
    }
}}

features! {
/// Scores one placement that fills rows; returns whether it loses.
#[inline]
fn clearing<const SET: u32>(
    quick: &Quick,
    board: &Board,
    parent: i64,
    half: &Half,
    index: usize,
    found: &mut Found,
) -> bool {
    let lane = super::quick::lane_of(index % 32);
    let row = found.rows[index] as usize;
    let mut rows = load_rows(board.rows());
    for k in 0..4 {
        let cells = set(half.rows[k].0[lane]);
        rows = _mm512_or_si512(rows, _mm512_maskz_mov_epi16(1u32.wrapping_shl((row + k) as u32), cells));
    }
    let full = _mm512_cmpeq_epi16_mask(rows, set(full_row(quick.size.width())));
    let (mut own, mut alone) = (0, 0);
    for k in 0..4 {
        let cells = half.rows[k].0[lane].count_ones() & 0u32.wrapping_sub(full >> (row + k) & 1);
        own += i64::from(cells);
        alone += i64::from(cells == 1);
    }
    let lines = i64::from(full.count_ones());
    let overflows = row + half.height.0[lane] as usize > quick.size.height();
    let stays = overflows && !quick.play.clear_on_overflow;
    let removed = if stays { 0 } else { lines };
    let earned = removed * (quick.eroded * own + quick.eroded_alone * alone + quick.lines);
    if quick.play.measured == Measured::BeforeClear || stays {
        found.scores[index] += earned + quick.weights[8] * lines;
        if stays {
            return true;
        }
    }
    let cleared = _mm512_maskz_compress_epi16(!full, rows);
    let stack = 32 - _mm512_test_epi16_mask(cleared, cleared).leading_zeros() as usize;
    let lost = stack > quick.size.height();
    found.lost = found.lost & !(1 << index) | u64::from(lost) << index;
    if quick.play.measured == Measured::AfterClear {
        let landing = u16::wrapping_add(quick.landing_steps * row as u16, half.landing.0[lane]);
        let landing = quick.landing * i64::from(landing as i16);
        found.scores[index] = landing + earned + value::<SET>(quick, cleared, stack, false) - parent;
    }
    lost
}}

features! {
/// The weighted sum of a board's own features; a parent's leaves out the diversity, which
/// placements count whole and not as a difference.
#[inline]
fn value<const SET: u32>(quick: &Quick, rows: __m512i, stack: usize, parent: bool) -> i64 {
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
fn steps<const SET: u32>(quick: &Quick, cover: __m512i, parent: bool) -> i64 {
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

features! {
/// The board once a placement of the last `find` is played, and the rows it removed.
pub(super) fn play(quick: &Quick, board: &Board, piece: Piece, index: usize, row: usize) -> (Board, u32) {
    let half = &quick.pieces[piece.index()][index / 32];
    let lane = super::quick::lane_of(index % 32);
    let mut rows = load_rows(board.rows());
    for k in 0..4 {
        let cells = set(half.rows[k].0[lane]);
        rows = _mm512_or_si512(rows, _mm512_maskz_mov_epi16(1u32.wrapping_shl((row + k) as u32), cells));
    }
    let overflows = row + half.height.0[lane] as usize > quick.size.height();
    let mut full = _mm512_cmpeq_epi16_mask(rows, set(full_row(quick.size.width())));
    if overflows && !quick.play.clear_on_overflow {
        full = 0;
    }
    let mut after = [0; ROWS];
    let rows = _mm512_maskz_compress_epi16(!full, rows);
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_storeu_si512(after.as_mut_ptr().cast(), rows) };
    (board.with_rows(after), full.count_ones())
}}
