//! All placements of a piece at once, for look-ahead and for decisions that are logged.

use super::board::{Tables, stack_of};
use super::choose::{self, Near};
use super::clear::{clearing, locked, of_landing, value_of};
use super::counted::{Counted, keep};
use super::place::place;
use super::shape::Shape;
use super::weights::*;
use super::{After, Delta};
use crate::board::Board;
use crate::features::Measured;
use crate::kernels::bits::SetBits;
use crate::piece::Piece;
use crate::simd::{BoardJob, LANES, Rows, Simd, Windows};

/// All placements, and the boards they lead to.
pub(super) struct Ahead<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) tables: &'a mut Tables,
    pub(super) after: &'a mut [After],
}

/// What is known of a piece's placements beside their counts.
struct Survey {
    unsettled: u64,
    full: u64,
    lost: u64,
    /// Those that may be best or second among those that survive and fill no row.
    near: u64,
}

/// Places a piece and keeps its counts; None where fast wells do not fit a byte. With `places` 0 nobody asks
/// who is near, as for look-ahead, which wants all.
#[inline(always)]
fn survey_of<V: Windows, const I: bool>(
    delta: &Delta,
    tables: &mut Tables,
    shape: &Shape,
    places: u32,
) -> Option<Survey> {
    let placed = place::<V, I>(delta, tables, shape);
    if placed.wild {
        return None;
    }
    let (full, lost) = (placed.full, placed.lost);
    let mut near = 0;
    if places != 0 {
        let Near { some, open, .. } =
            choose::near(delta, delta.set, tables, shape, &placed, places, i32::MIN);
        // Wells of a placement near the best are not settled: another may be better than it seems, so that all
        // count.
        near = if open { shape.valid & !(full | lost) } else { some };
    }
    keep(&placed, tables);
    Some(Survey { unsettled: placed.unsettled, full, lost, near })
}

/// Places a piece on a board: all that is not done piece after piece.
#[inline(always)]
fn survey<S: Simd>(
    delta: &Delta,
    rows: S::Rows,
    stack: usize,
    piece: Piece,
    tables: &mut Tables,
    places: u32,
) -> Option<Survey> {
    tables.read::<S>(delta, delta.set, rows, stack);
    let shape = delta.shape(piece);
    match piece {
        Piece::I => {
            if delta.set & WELLS != 0 {
                tables.high_wells::<S>();
            }
            survey_of::<S::Narrow, true>(delta, tables, shape, places)
        }
        Piece::O | Piece::S | Piece::Z if !S::JOINED => {
            survey_of::<S::Narrow, false>(delta, tables, shape, places)
        }
        _ => survey_of::<S::Wide, false>(delta, tables, shape, places),
    }
}

impl BoardJob for Ahead<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Ahead { delta, board, piece, tables, after } = self;
        let rows = S::Rows::load(board.rows());
        let Some(stack) = stack_of::<S>(delta, rows) else { return false };
        let parent = value_of(delta, board.rows(), true);
        let Some(survey) = survey::<S>(delta, rows, stack, piece, tables, 0) else { return false };
        let shape = delta.shape(piece);
        let counted = Counted { delta, shape, tables, unsettled: survey.unsettled };
        for (lane, after) in shape.lanes().zip(after) {
            let row = counted.row(lane);
            after.row = row as u8;
            // Fills no row: the parent's score and a difference. The board is made all the same, for the next
            // piece.
            if survey.full >> lane & 1 == 0 {
                after.of_move = of_landing(delta, shape, lane, row);
                after.score = parent + counted.settled(lane);
                after.lost = survey.lost >> lane & 1 == 1;
                after.own = Some(after.score - after.of_move);
                locked(rows, shape, lane, row).store(after.board.rows_mut());
            } else if let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) {
                after.of_move = cleared.of_move;
                after.score = cleared.of_move + cleared.board;
                after.lost = false;
                // Only then, since a score measured before clearing is not that of the board that is left.
                let known = delta.play.measured == Measured::AfterClear;
                after.own = known.then_some(cleared.board);
                cleared.rows.store(after.board.rows_mut());
            } else {
                after.lost = true;
            }
        }
        true
    }
}

/// Where is written what is found of placements that can be best or second, by their places.
pub(in crate::kernels) struct TopTwo<'a> {
    pub(in crate::kernels) tables: &'a mut Tables,
    /// The landing rows.
    pub(in crate::kernels) rows: &'a mut [u8; LANES],
    pub(in crate::kernels) scores: &'a mut [i64; LANES],
    /// Those that end the game, one bit each.
    pub(in crate::kernels) lost: &'a mut u64,
}

/// The placements that can be best or second.
pub(super) struct Contend<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) scratch: TopTwo<'a>,
}

impl BoardJob for Contend<'_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<u64> {
        let Contend { delta, board, piece, scratch } = self;
        let rows = S::Rows::load(board.rows());
        let stack = stack_of::<S>(delta, rows)?;
        let tables = &mut *scratch.tables;
        let known = tables.known_value(delta, rows);
        let parent = known.unwrap_or_else(|| value_of(delta, board.rows(), true));
        let survey = survey::<S>(delta, rows, stack, piece, tables, 2)?;
        let shape = delta.shape(piece);
        let counted = Counted { delta, shape, tables, unsettled: survey.unsettled };
        let mut some = 0u64;
        // The first best, the board that it leads to, and that board's own score: most likely what is asked about next.
        let mut best = (i64::MIN, usize::MAX, rows, None);
        for lane in SetBits(survey.near) {
            let (index, row) = (shape.index(lane), counted.row(lane));
            let sum = counted.settled(lane);
            scratch.rows[index] = row as u8;
            scratch.scores[index] = parent + sum;
            some |= 1 << index;
            if parent + sum > best.0 {
                let own = parent + sum - of_landing(delta, shape, lane, row);
                best = (parent + sum, index, locked(rows, shape, lane, row), Some(own));
            }
        }
        // All that fill rows, since whether they are best is known only from their whole boards.
        for lane in SetBits(survey.full) {
            let row = counted.row(lane);
            if let Some(cleared) = clearing::<S>(delta, rows, shape, lane, row) {
                let index = shape.index(lane);
                let score = cleared.of_move + cleared.board;
                scratch.rows[index] = row as u8;
                scratch.scores[index] = score;
                some |= 1 << index;
                if score > best.0 || (score == best.0 && index < best.1) {
                    best = (score, index, cleared.rows, Some(cleared.board));
                }
            }
        }
        scratch.tables.keep_value(delta, best.2, best.3);
        *scratch.lost = 0;
        Some(if some.count_ones() < 2 { with_losers(some, shape, scratch) } else { some })
    }
}

/// Where fewer than two placements survive, the first that do not are best or second.
#[cold]
fn with_losers(mut some: u64, shape: &Shape, scratch: TopTwo<'_>) -> u64 {
    for (index, lane) in shape.lanes().enumerate() {
        if some.count_ones() < 2 && some >> index & 1 == 0 {
            // No score, since a placement that loses has none: the log shows it as missing.
            scratch.rows[index] = scratch.tables.counts[LANDING].0[lane];
            *scratch.lost |= 1 << index;
            some |= 1 << index;
        }
    }
    some
}
