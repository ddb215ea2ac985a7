//! Scores all placements of a piece, for look-ahead and for decisions that are logged.

use super::board::{Tables, playable_stack};
use super::choose::{self, CandidateSet};
use super::clear::{board_value, clear_rows, landing_score, with_piece};
use super::counted::{Counted, store_counts};
use super::extras::measure_extras;
use super::place::place;
use super::shape::Shape;
use super::weights::*;
use super::{Afterstate, Delta};
use crate::board::Board;
use crate::features::Measured;
use crate::kernels::bits::SetBits;
use crate::piece::Piece;
use crate::simd::{Blocks, BoardJob, Bytes, LANES, Rows, u8x32, u8x64};

/// Job that scores all placements of a piece and writes the boards after them to `after`. Its
/// result is false if the kernel cannot score the board.
pub(super) struct AfterstatesJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) tables: &'a mut Tables,
    pub(super) after: &'a mut [Afterstate],
}

/// Sets of placements of one piece, one bit each. The counts of the placements are stored in
/// [`Tables`].
struct Survey {
    /// Placements whose well count may be too low.
    inexact: u64,
    /// Placements that fill a row.
    full: u64,
    /// Placements that end above the top.
    lost: u64,
    /// Placements that may be best or second among those that survive and fill no row.
    near: u64,
}

/// Counts the changes by all placements of a piece, and stores the counts in `tables`. Returns
/// `None` if the change of the fast wells exceeds a byte.
///
/// `places` is 2 to find the best and second best, 1 for the best alone. With 0, as in look-ahead,
/// `near` stays empty.
#[inline(always)]
fn survey_of<S: Blocks, V: Bytes<S>, const I: bool>(
    simd: S,
    delta: &Delta,
    tables: &mut Tables,
    shape: &Shape,
    places: u32,
) -> Option<Survey> {
    let placed = place::<S, V, I>(simd, delta, delta.set, tables, shape);
    if placed.overflowed {
        return None;
    }
    if delta.set & EXTRAS != 0 {
        measure_extras(delta, tables, shape, &placed);
    }
    let (full, lost) = (placed.full, placed.lost);
    let mut near = 0;
    if places != 0 {
        let CandidateSet { lanes, ambiguous, .. } =
            choose::near_best(delta, delta.set, tables, shape, &placed, places, i32::MIN);
        // If a candidate's well count is approximate, another placement may be better: all become
        // candidates.
        near = if ambiguous { shape.valid & !(full | lost) } else { lanes };
    }
    store_counts(&placed, tables);
    Some(Survey { inexact: placed.inexact, full, lost, near })
}

/// Reads the board `rows` into `tables` and returns the sets of placements of `piece`, as
/// `survey_of` does.
#[inline(always)]
fn survey<S: Blocks>(
    delta: &Delta,
    rows: Rows<S>,
    stack: usize,
    piece: Piece,
    tables: &mut Tables,
    places: u32,
) -> Option<Survey> {
    tables.read(delta, delta.set, rows, stack);
    let shape = delta.shape(piece);
    match piece {
        Piece::I => {
            if delta.set & WELLS != 0 {
                tables.read_high_wells(rows.simd());
            }
            survey_of::<S, u8x32<S>, true>(rows.simd(), delta, tables, shape, places)
        }
        Piece::O | Piece::S | Piece::Z => {
            survey_of::<S, u8x32<S>, false>(rows.simd(), delta, tables, shape, places)
        }
        _ => survey_of::<S, u8x64<S>, false>(rows.simd(), delta, tables, shape, places),
    }
}

impl BoardJob for AfterstatesJob<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> bool {
        let AfterstatesJob { delta, board, piece, tables, after } = self;
        let rows = Rows::load(simd, board.rows());
        let Some(stack) = playable_stack(delta, rows) else { return false };
        let parent = board_value::<0>(delta, board.rows(), true);
        let Some(survey) = survey(delta, rows, stack, piece, tables, 0) else { return false };
        let shape = delta.shape(piece);
        let counted = Counted { delta, shape, tables, inexact: survey.inexact };
        for (lane, after) in shape.lanes().zip(after) {
            let row = counted.row(lane);
            after.row = row as u8;
            // No row is filled: the score is the parent's plus the change. The next piece needs the
            // board.
            if survey.full >> lane & 1 == 0 {
                after.of_move = landing_score(delta, shape, lane, row);
                after.score = parent + counted.exact_sum(lane);
                after.lost = survey.lost >> lane & 1 == 1;
                after.board_score = Some(after.score - after.of_move);
                with_piece(rows, shape, lane, row).store(after.board.rows_mut());
            } else if let Some(cleared) = clear_rows::<S, 0>(delta, rows, shape, lane, row) {
                after.of_move = cleared.of_move;
                after.score = cleared.of_move + cleared.board;
                after.lost = false;
                // A score measured before rows are removed is not the score of the board after it.
                let known = delta.play.measured == Measured::AfterClear;
                after.board_score = known.then_some(cleared.board);
                cleared.rows.store(after.board.rows_mut());
            } else {
                after.lost = true;
            }
        }
        true
    }
}

/// Output of a search for the two best placements. Arrays are indexed by a placement's canonical
/// index.
pub(in crate::kernels) struct TopTwo<'a> {
    pub(in crate::kernels) tables: &'a mut Tables,
    pub(in crate::kernels) rows: &'a mut [u8; LANES],
    pub(in crate::kernels) scores: &'a mut [i64; LANES],
    /// Placements that end the game, one bit each.
    pub(in crate::kernels) lost: &'a mut u64,
}

/// Job that scores the placements that may be best or second best, and returns them as one bit
/// each.
pub(super) struct TopTwoJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) board: &'a Board,
    pub(super) piece: Piece,
    pub(super) scratch: TopTwo<'a>,
}

impl BoardJob for TopTwoJob<'_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> Option<u64> {
        let TopTwoJob { delta, board, piece, scratch } = self;
        let rows = Rows::load(simd, board.rows());
        let stack = playable_stack(delta, rows)?;
        let tables = &mut *scratch.tables;
        let known = tables.cached_value(delta, rows);
        let parent = known.unwrap_or_else(|| board_value::<0>(delta, board.rows(), true));
        let survey = survey(delta, rows, stack, piece, tables, 2)?;
        let shape = delta.shape(piece);
        let counted = Counted { delta, shape, tables, inexact: survey.inexact };
        let mut some = 0u64;
        // Score and index of the first best placement, the board after it, and that board's score.
        // The next query is most likely about this board.
        let mut best = (i64::MIN, usize::MAX, rows, None);
        for lane in SetBits(survey.near) {
            let (index, row) = (shape.index(lane), counted.row(lane));
            let sum = counted.exact_sum(lane);
            scratch.rows[index] = row as u8;
            scratch.scores[index] = parent + sum;
            some |= 1 << index;
            if parent + sum > best.0 {
                let own = parent + sum - landing_score(delta, shape, lane, row);
                best = (parent + sum, index, with_piece(rows, shape, lane, row), Some(own));
            }
        }
        // All placements that fill rows, since only the board after them shows how good they are.
        for lane in SetBits(survey.full) {
            let row = counted.row(lane);
            if let Some(cleared) = clear_rows::<S, 0>(delta, rows, shape, lane, row) {
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
        scratch.tables.cache_value(delta, best.2, best.3);
        *scratch.lost = 0;
        Some(if some.count_ones() < 2 { with_losers(some, shape, scratch) } else { some })
    }
}

/// Adds the first losing placements to the set `some` until it has two, and marks them as lost in
/// `scratch`.
#[cold]
fn with_losers(mut some: u64, shape: &Shape, scratch: TopTwo<'_>) -> u64 {
    for (index, lane) in shape.lanes().enumerate() {
        if some.count_ones() < 2 && some >> index & 1 == 0 {
            // A losing placement has no score: the log shows it as missing.
            scratch.rows[index] = scratch.tables.counts[LANDING_ROW].0[lane];
            *scratch.lost |= 1 << index;
            some |= 1 << index;
        }
    }
    some
}
