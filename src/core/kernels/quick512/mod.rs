//! The quick way's instructions.

mod contend;
mod place;
mod registers;
mod score;
mod tables;
mod value;
mod wells;

use std::arch::x86_64::*;

use super::quick::{
    After, BCTS, Bytes, DELLACHERIE, DIVERSITY, DT, Found, LEE, Quick, SLOTS, Shape,
};
use crate::board::{Board, full_row};
use crate::features::Measured;
use crate::piece::Piece;
use crate::placement::Step;
pub(super) use contend::contenders;
use place::{Placed, place};
use registers::{load_rows, store, store_rows};
use score::{Counted, lanes_near_best};
use tables::{Tables, tables};
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

/// What placing is for.
const BEST: u8 = 0;
const SCORES: u8 = 1;
const SCORE: u8 = 2;
const AFTERSTATES: u8 = 3;
const CONTENDERS: u8 = 4;

/// Runs a function compiled for the plan's set of features.
macro_rules! by_set {
    ($quick:expr, $function:ident($($argument:expr),*)) => {
        match $quick.set {
            DELLACHERIE => $function::<DELLACHERIE>($($argument),*),
            DT => $function::<DT>($($argument),*),
            BCTS => $function::<BCTS>($($argument),*),
            _ => $function::<LEE>($($argument),*),
        }
    };
}
use by_set;

features! {
/// The best placement of a piece, None where the quick way does not lead.
pub(super) fn find(quick: &Quick, board: &Board, piece: Piece) -> Option<Found> {
    let rows = read(quick, board)?;
    let chosen = by_set!(quick, find_set(quick, rows, piece));
    let shape = &quick.shapes[piece.index()];
    Some(Found { index: shape.index(chosen.lane), row: chosen.row as u8, lost: chosen.lost })
}}

features! {
/// Plays the best placement of a piece, None where the quick way does not lead.
pub(super) fn step(quick: &Quick, board: &mut Board, piece: Piece) -> Option<Step> {
    let rows = read(quick, board)?;
    let chosen = by_set!(quick, find_set(quick, rows, piece));
    let shape = &quick.shapes[piece.index()];
    let rows = locked(rows, shape, chosen.lane, chosen.row);
    let top = chosen.row + shape.height.0[chosen.lane] as usize;
    let stays = top > quick.size.height() && !quick.play.clear_on_overflow;
    let full = if stays { 0 } else { any_full(quick, rows) };
    let rows = _mm512_maskz_compress_epi16(!full, rows);
    store_rows(board.rows_mut(), rows);
    let stack = 32 - _mm512_test_epi16_mask(rows, rows).leading_zeros();
    Some(Step { lines: full.count_ones() as u8, stack: stack as u8, lost: chosen.lost })
}}

features! {
/// Finds the best score of each piece on one board, None where all placements lose; false where
/// the quick way does not lead.
pub(super) fn scores(
    quick: &Quick,
    (board, own): (&Board, Option<i64>),
    pieces: &[Piece],
    scores: &mut [Option<i64>],
) -> bool {
    by_set!(quick, scores_set(quick, (board, own), pieces, scores))
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
fn find_set<const SET: u32>(quick: &Quick, rows: __m512i, piece: Piece) -> Chosen {
    choose_one::<SET, BEST>(quick, rows, piece, 0)
}}

features! {
#[inline]
fn choose_one<const SET: u32, const USE: u8>(
    quick: &Quick,
    rows: __m512i,
    piece: Piece,
    parent: i64,
) -> Chosen {
    // The I has the whole way for itself, tables included, so that registers stay registers.
    if piece == Piece::I {
        let tables = tables::<SET>(quick, rows);
        choose::<SET, true, USE>(quick, rows, &tables, piece, parent)
    } else {
        let tables = tables::<SET>(quick, rows);
        choose::<SET, false, USE>(quick, rows, &tables, piece, parent)
    }
}}

features! {
#[inline]
fn scores_set<const SET: u32>(
    quick: &Quick,
    (board, own): (&Board, Option<i64>),
    pieces: &[Piece],
    scores: &mut [Option<i64>],
) -> bool {
    let Some(rows) = read(quick, board) else { return false };
    let parent = match own {
        Some(own) if SET & DIVERSITY == 0 => own,
        _ => value::<SET>(quick, rows, true),
    };
    if let (&[piece], [score]) = (pieces, &mut *scores) {
        let chosen = choose_one::<SET, SCORE>(quick, rows, piece, parent);
        *score = (!chosen.lost).then(|| chosen.score + parent);
        return true;
    }
    let tables = tables::<SET>(quick, rows);
    for (&piece, score) in pieces.iter().zip(scores) {
        let chosen = if piece == Piece::I {
            choose::<SET, true, SCORES>(quick, rows, &tables, piece, parent)
        } else {
            choose::<SET, false, SCORES>(quick, rows, &tables, piece, parent)
        };
        *score = (!chosen.lost).then(|| chosen.score + parent);
    }
    true
}}

features! {
#[inline]
fn any_full(quick: &Quick, rows: __m512i) -> u32 {
    _mm512_cmpeq_epi16_mask(rows, _mm512_set1_epi16(full_row(quick.size.width()) as i16))
}}

features! {
/// Scores all placements and makes the boards they lead to; None where the quick way does not
/// lead.
pub(super) fn afterstates(quick: &Quick, board: &Board, piece: Piece, after: &mut [After]) -> bool {
    by_set!(quick, afterstates_set(quick, board, piece, after))
}}

features! {
#[inline]
fn afterstates_set<const SET: u32>(
    quick: &Quick,
    board: &Board,
    piece: Piece,
    after: &mut [After],
) -> bool {
    let Some(rows) = read(quick, board) else { return false };
    let tables = tables::<SET>(quick, rows);
    let parent = value::<SET>(quick, rows, true);
    let shape = &quick.shapes[piece.index()];
    let (counted, landing, full, lost) = if piece == Piece::I {
        let mut placed = place::<SET, true, AFTERSTATES>(quick, &tables, shape);
        settle_all::<true>(&tables, shape, &mut placed);
        counts(&placed)
    } else {
        let mut placed = place::<SET, false, AFTERSTATES>(quick, &tables, shape);
        settle_all::<false>(&tables, shape, &mut placed);
        counts(&placed)
    };
    for (&lane, after) in shape.lanes.iter().zip(after) {
        let lane = lane as usize;
        let row = landing.0[lane] as usize;
        let filled = locked(rows, shape, lane, row);
        after.row = row as u8;
        if full >> lane & 1 == 0 {
            after.of_move = quick.weights.landing_of(shape, lane, row);
            after.score = parent + counted.sum(quick, shape, lane);
            after.lost = lost >> lane & 1 == 1;
            after.own = Some(after.score - after.of_move);
            store_rows(after.board.rows_mut(), filled);
        } else if let Some(cleared) = clearing::<SET>(quick, rows, shape, lane, row) {
            after.of_move = cleared.of_move;
            after.score = cleared.of_move + cleared.board;
            after.lost = false;
            after.own = (quick.play.measured == Measured::AfterClear).then_some(cleared.board);
            store_rows(after.board.rows_mut(), cleared.rows);
        } else {
            after.lost = true;
        }
    }
    true
}}

features! {
#[inline]
fn settle_all<const WIDE: bool>(tables: &Tables, shape: &Shape, placed: &mut Placed) {
    if placed.unsettled != 0 {
        placed.settle::<WIDE>(tables, shape, placed.unsettled);
    }
}}

features! {
/// Makes the wells exact of all placements near the best, and returns these. What the wells lack
/// only lowers a score where their weight is not positive, so that others stay where they are:
/// too low. Seldom needed: kept apart, with a copy of its own.
#[cold]
#[inline(never)]
fn settle_near<const SET: u32, const WIDE: bool, const PLACES: u8>(
    quick: &Quick,
    tables: &Tables,
    shape: &Shape,
    placed: &mut Placed,
    mut near: u64,
) -> u64 {
    while near & placed.unsettled != 0 {
        placed.settle::<WIDE>(tables, shape, near & placed.unsettled);
        near = lanes_near_best::<SET, PLACES>(quick, shape, placed);
    }
    near
}}

features! {
#[inline]
fn counts(placed: &Placed) -> (Counted, Bytes, u64, u64) {
    (Counted::new(placed), store(placed.landing), placed.full, placed.lost)
}}

/// The first best of the placements that do not lose, or the first if all do.
#[derive(Clone, Copy)]
struct Chosen {
    lane: usize,
    row: usize,
    lost: bool,
    /// How much better than the parent; where it is asked for.
    score: i64,
}

features! {
/// Chooses; but for `BEST` the score is asked for and the parent's known.
#[inline]
fn choose<const SET: u32, const WIDE: bool, const USE: u8>(
    quick: &Quick,
    rows: __m512i,
    tables: &Tables,
    piece: Piece,
    parent: i64,
) -> Chosen {
    let shape = &quick.shapes[piece.index()];
    let mut placed = place::<SET, WIDE, USE>(quick, tables, shape);
    if quick.weights.exact[SLOTS] > 0 {
        settle_all::<WIDE>(tables, shape, &mut placed);
    }
    let landing = store(placed.landing).0;
    let mut near = lanes_near_best::<SET, 1>(quick, shape, &placed);
    if near & placed.unsettled != 0 {
        let mut exact = placed;
        near = settle_near::<SET, WIDE, 1>(quick, tables, shape, &mut exact, near);
        placed.wells = exact.wells;
    }
    let (mut best, mut score) = (None, i64::MIN);
    if USE == BEST && placed.full == 0 && near.is_power_of_two() {
        best = Some(near.trailing_zeros() as usize);
    } else if near != 0 {
        let counted = Counted::new(&placed);
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
        let parent = (USE != BEST).then_some(parent);
        (best, score) = clearings::<SET>(quick, rows, parent, shape, placed.full, &landing, (best, score));
    }
    let lane = best.unwrap_or(0);
    Chosen { lane, row: landing[lane] as usize, lost: best.is_none(), score }
}}

features! {
/// Bits of placements in the order that decides ties: 16 of each orientation.
#[inline]
fn in_order(lanes: u64) -> u64 {
    let of = |o: u32| _pext_u64(lanes, 0x1111_1111_1111_1111 << o) << (16 * o);
    of(0) | of(1) | of(2) | of(3)
}}

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
        let sum = sum.of_move + sum.board - parent;
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

/// A placement that removes rows: what it earns itself, what the board it leads to is worth.
struct Cleared {
    of_move: i64,
    board: i64,
    rows: __m512i,
}

features! {
/// The score of one placement that fills rows, None if it loses.
#[inline]
fn clearing<const SET: u32>(
    quick: &Quick,
    rows: __m512i,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Option<Cleared> {
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
    let earned = landing + earned;
    Some(match quick.play.measured {
        Measured::AfterClear => {
            let board = value::<SET>(quick, cleared, false);
            Cleared { of_move: earned, board, rows: cleared }
        }
        Measured::BeforeClear => {
            let of_move = earned + weights.known[8] * lines;
            Cleared { of_move, board: value::<SET>(quick, rows, false), rows: cleared }
        }
    })
}}
