//! The quick way's instructions.

mod place;
mod registers;
mod score;
mod tables;
mod value;
mod wells;

use std::arch::x86_64::*;

use super::quick::{ALL_LOSE, BCTS, DELLACHERIE, DT, Found, LEE, Quick, Shape};
use crate::board::{Board, ROWS, full_row};
use crate::features::Measured;
use crate::piece::Piece;
use place::{Placed, place};
use registers::{load_rows, store};
use score::{Counted, lanes_near_best};
use tables::tables;
use value::value;

/// A function compiled for the quick way's instructions.
macro_rules! features {
    ($(#[$doc:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$doc])*
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512bitalg")]
        #[target_feature(enable = "avx512vpopcntdq,avx512vnni,gfni,bmi1,bmi2,lzcnt,popcnt")]
        $vis fn $($rest)*
    };
}
use features;

features! {
/// Finds the best placement of a piece; false where the quick way does not lead.
pub(super) fn find(quick: &Quick, board: &Board, piece: Piece, found: &mut Found) -> bool {
    match quick.set {
        DELLACHERIE => find_set::<DELLACHERIE>(quick, board, piece, found),
        DT => find_set::<DT>(quick, board, piece, found),
        BCTS => find_set::<BCTS>(quick, board, piece, found),
        _ => find_set::<LEE>(quick, board, piece, found),
    }
}}

features! {
/// Finds the best score of each piece on one board, None where all placements lose; false where
/// the quick way does not lead.
pub(super) fn scores(quick: &Quick, board: &Board, pieces: &[Piece], scores: &mut [Option<i64>]) -> bool {
    match quick.set {
        DELLACHERIE => scores_set::<DELLACHERIE>(quick, board, pieces, scores),
        DT => scores_set::<DT>(quick, board, pieces, scores),
        BCTS => scores_set::<BCTS>(quick, board, pieces, scores),
        _ => scores_set::<LEE>(quick, board, pieces, scores),
    }
}}

features! {
/// The rows of a board, if it is one for the quick way.
#[inline]
fn read(quick: &Quick, board: &Board) -> Option<__m512i> {
    let rows = load_rows(board.rows());
    let stack = 32 - _mm512_test_epi16_mask(rows, rows).leading_zeros() as usize;
    (any_full(quick, rows) == 0 && stack <= quick.size.height().min(24)).then_some(rows)
}}

features! {
#[inline]
fn find_set<const SET: u32>(quick: &Quick, board: &Board, piece: Piece, found: &mut Found) -> bool {
    let Some(rows) = read(quick, board) else { return false };
    let shape = &quick.shapes[piece.index()];
    // Each kind of piece has the whole way for itself, tables included: nothing waits in memory.
    if piece == Piece::I {
        let placed = place::<SET, true>(quick, &tables::<SET>(quick, rows), shape);
        choose::<SET, false>(quick, rows, shape, &placed, None, found);
    } else {
        let placed = place::<SET, false>(quick, &tables::<SET>(quick, rows), shape);
        choose::<SET, false>(quick, rows, shape, &placed, None, found);
    }
    true
}}

features! {
#[inline]
fn scores_set<const SET: u32>(
    quick: &Quick,
    board: &Board,
    pieces: &[Piece],
    scores: &mut [Option<i64>],
) -> bool {
    let Some(rows) = read(quick, board) else { return false };
    let tables = tables::<SET>(quick, rows);
    let parent = value::<SET>(quick, rows, true);
    let mut found = Found::nothing();
    for (&piece, score) in pieces.iter().zip(scores) {
        let shape = &quick.shapes[piece.index()];
        let placed = if piece == Piece::I {
            place::<SET, true>(quick, &tables, shape)
        } else {
            place::<SET, false>(quick, &tables, shape)
        };
        choose::<SET, true>(quick, rows, shape, &placed, Some(parent), &mut found);
        *score = (found.best != ALL_LOSE).then(|| found.score + parent);
    }
    true
}}

features! {
#[inline]
fn any_full(quick: &Quick, rows: __m512i) -> u32 {
    _mm512_cmpeq_epi16_mask(rows, _mm512_set1_epi16(full_row(quick.size.width()) as i16))
}}

features! {
/// The first best of the placements that do not lose; with `EXACT`, its score as well.
#[inline]
fn choose<const SET: u32, const EXACT: bool>(
    quick: &Quick,
    rows: __m512i,
    shape: &Shape,
    placed: &Placed,
    parent: Option<i64>,
    found: &mut Found,
) {
    let landing = store(placed.landing).0;
    let near = lanes_near_best::<SET>(quick, shape, placed);
    let (mut best, mut score) = (None, i64::MIN);
    if !EXACT && placed.full == 0 && near.is_power_of_two() {
        best = Some(near.trailing_zeros() as usize);
    } else if near != 0 {
        let counted = Counted::new::<SET>(placed);
        let mut left = in_order(near);
        let alike = quick.weights.shift == 0;
        while left != 0 {
            let lane = lane_of(left.trailing_zeros());
            left &= left - 1;
            let sum = counted.sum(quick, shape, lane);
            if sum > score || best.is_none() {
                (best, score) = (Some(lane), sum);
            }
            if alike {
                break;
            }
        }
    }
    if placed.full != 0 {
        (best, score) = clearings::<SET>(quick, rows, parent, shape, placed.full, &landing, (best, score));
    }
    let lane = best.unwrap_or(0);
    let index = shape.first[lane % 4] as usize + lane / 4;
    *found = Found { best: best.map_or(ALL_LOSE, |_| index), row: landing[lane], score };
}}

/// Bits of placements in the order that decides ties: 16 of each orientation.
#[inline]
fn in_order(lanes: u64) -> u64 {
    let of = |o: u32| {
        let first = 0x1111_1111_1111_1111;
        // SAFETY: only code compiled for the quick way's instructions calls this.
        unsafe { _pext_u64(lanes, first << o) << (16 * o) }
    };
    of(0) | of(1) | of(2) | of(3)
}

#[inline]
fn lane_of(ordered: u32) -> usize {
    (ordered % 16 * 4 + ordered / 16) as usize
}

features! {
/// Scores the placements that fill rows one by one; returns the best of all.
#[inline(never)]
fn clearings<const SET: u32>(
    quick: &Quick,
    rows: __m512i,
    parent: Option<i64>,
    shape: &Shape,
    full: u64,
    landing: &[u8; 64],
    (mut best, mut score): (Option<usize>, i64),
) -> (Option<usize>, i64) {
    let parent = parent.unwrap_or_else(|| value::<SET>(quick, rows, true));
    let mut left = in_order(full);
    while left != 0 {
        let lane = lane_of(left.trailing_zeros());
        left &= left - 1;
        let Some(sum) = clearing::<SET>(quick, rows, shape, lane, landing[lane] as usize) else {
            continue;
        };
        let sum = sum - parent;
        let rank = |lane: usize| (lane % 4, lane / 4);
        let better = |best| sum > score || (sum == score && rank(lane) < rank(best));
        if best.is_none_or(better) {
            (best, score) = (Some(lane), sum);
        }
    }
    (best, score)
}}

features! {
/// A board with a piece on it.
#[inline]
fn locked(rows: __m512i, shape: &Shape, lane: usize, row: usize) -> __m512i {
    let piece = _mm512_castsi128_si512(_mm_cvtsi64_si128(shape.rows[lane] as i64));
    _mm512_or_si512(rows, _mm512_maskz_expand_epi16(0xfu32 << row, piece))
}}

features! {
/// The score of one placement that fills rows, None if it loses.
#[inline]
fn clearing<const SET: u32>(
    quick: &Quick,
    rows: __m512i,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Option<i64> {
    let (weights, height) = (&quick.weights, quick.size.height());
    if row + shape.height.0[lane] as usize > height && !quick.play.clear_on_overflow {
        return None;
    }
    let rows = locked(rows, shape, lane, row);
    let full = any_full(quick, rows);
    let cleared = _mm512_maskz_compress_epi16(!full, rows);
    if _mm512_test_epi16_mask(cleared, cleared).checked_shr(height as u32).unwrap_or(0) != 0 {
        return None;
    }
    let (mut own, mut alone) = (0, 0);
    for k in 0..4 {
        let removed = full >> (row + k) & 1 == 1;
        let cells = if removed { shape.in_row[k].0[lane] } else { 0 };
        own += i64::from(cells);
        alone += i64::from(cells == 1);
    }
    let lines = i64::from(full.count_ones());
    let landing = weights.landing_of(shape, lane, row);
    let earned = lines * (weights.eroded * own + weights.eroded_alone * alone + weights.lines);
    let board = match quick.play.measured {
        Measured::AfterClear => value::<SET>(quick, cleared, false),
        Measured::BeforeClear => value::<SET>(quick, rows, false) + weights.known[8] * lines,
    };
    Some(landing + earned + board)
}}

features! {
/// The board once a placement of the last `find` is played, and the rows it removed.
pub(super) fn play(quick: &Quick, board: &Board, piece: Piece, index: usize, row: usize) -> (Board, u32) {
    let shape = &quick.shapes[piece.index()];
    let lane = shape.lanes[index] as usize;
    let rows = locked(load_rows(board.rows()), shape, lane, row);
    let height = shape.height.0[lane] as usize;
    let overflows = row + height > quick.size.height();
    let own = ((1u32 << height) - 1) << row;
    let mut full = own & any_full(quick, rows);
    if overflows && !quick.play.clear_on_overflow {
        full = 0;
    }
    let mut after = [0; ROWS];
    let rows = _mm512_maskz_compress_epi16(!full, rows);
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_storeu_si512(after.as_mut_ptr().cast(), rows) };
    (board.with_rows(after), full.count_ones())
}}
