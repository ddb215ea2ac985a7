//! The quick way's instructions.

mod place;
mod registers;
mod tables;
mod value;

use std::arch::x86_64::*;

use super::quick::{BCTS, DELLACHERIE, DT, Found, Half, LEE, Lane32, Quick};
use crate::board::{Board, ROWS, full_row};
use crate::features::Measured;
use crate::piece::Piece;
use place::{deep_wells, place, sums};
use registers::{load, load_rows, set};
use tables::{Tables, tables};
use value::value;

/// A function compiled for the quick way's instructions.
macro_rules! features {
    ($(#[$doc:meta])* $vis:vis fn $($rest:tt)*) => {
        $(#[$doc])*
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512bitalg")]
        #[target_feature(enable = "avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt")]
        $vis fn $($rest)*
    };
}
use features;

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
            scores[k] = (found.best != super::quick::ALL_LOSE).then(|| found.score + parent);
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
    choose::<SET>(quick, board, (stack, parent), piece, found, full, &all);
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
/// Scores the placements that fill rows one by one, then finds the first best that does not lose.
#[inline]
fn choose<const SET: u32>(
    quick: &Quick,
    board: &Board,
    (stack, parent): (usize, Option<i64>),
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
    found.best = if sound == 0 { super::quick::ALL_LOSE } else { (first & sound).trailing_zeros() as usize };
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
        if !lost && (found.best == super::quick::ALL_LOSE || better) {
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
/// The board once a placement of the last `find` is played, and the rows it removed.
pub(super) fn play(quick: &Quick, board: &Board, piece: Piece, index: usize, row: usize) -> (Board, u32) {
    let half = &quick.pieces[piece.index()][index / 32];
    let lane = super::quick::lane_of(index % 32);
    let mut rows = load_rows(board.rows());
    for k in 0..4 {
        let cells = set(half.rows[k].0[lane]);
        rows = _mm512_or_si512(rows, _mm512_maskz_mov_epi16(1u32.wrapping_shl((row + k) as u32), cells));
    }
    let height = half.height.0[lane] as usize;
    let overflows = row + height > quick.size.height();
    let own = ((1u32 << height) - 1) << row;
    let mut full = own & _mm512_cmpeq_epi16_mask(rows, set(full_row(quick.size.width())));
    if overflows && !quick.play.clear_on_overflow {
        full = 0;
    }
    let mut after = [0; ROWS];
    let rows = _mm512_maskz_compress_epi16(!full, rows);
    // SAFETY: the array is 64 bytes long.
    unsafe { _mm512_storeu_si512(after.as_mut_ptr().cast(), rows) };
    (board.with_rows(after), full.count_ones())
}}
