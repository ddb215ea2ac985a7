//! Plays the placements that fill rows and scores the boards after them as a whole.

use super::Delta;
use super::extras;
use super::shape::Shape;
use super::value::value;
use super::weights::{CELLS, DeltaFeature, EXTRAS};
use crate::board::{ROWS, full_row};
use crate::features::Measured;
use crate::simd::{self, Blocks, BoardJob, Rows};

/// Returns the score of the landing features for the placement in byte `lane`, landing on `row`.
/// The move earns it even if it removes no row.
#[inline(always)]
pub(super) fn landing_score(delta: &Delta, shape: &Shape, lane: usize, row: usize) -> i64 {
    shape.landing[lane] + delta.weights.landing_row * row as i64
}

/// Returns the score of the board `rows`, without pattern diversity if `parent`. It runs as a
/// separate job, so that all callers share one copy of the code. `SET` is the feature set if it is
/// known when the code is compiled, otherwise 0.
#[inline]
pub(super) fn board_value<const SET: u32>(delta: &Delta, rows: &[u16; ROWS], parent: bool) -> i64 {
    simd::run(delta.level, ValueJob::<SET> { delta, rows, parent }).unwrap_or(0)
}

/// Job that computes the score of a whole board.
struct ValueJob<'a, const SET: u32> {
    delta: &'a Delta,
    rows: &'a [u16; ROWS],
    parent: bool,
}

impl<const SET: u32> BoardJob for ValueJob<'_, SET> {
    type Output = i64;

    #[inline(always)]
    fn run<S: Blocks>(self, simd: S) -> i64 {
        let ValueJob { delta, rows, parent } = self;
        let set = delta.set_or::<SET>();
        let mut sum = value(delta, set, Rows::load(simd, rows), parent);
        if set & CELLS != 0 {
            sum += delta.weights.cells.board_score(rows, delta.size);
        }
        if set & EXTRAS != 0 {
            sum += extras::board_score(delta, rows);
        }
        sum
    }
}

/// Returns the board `rows` with the piece of the placement in byte `lane` on it, landing on `row`.
#[inline(always)]
pub(super) fn with_piece<S: Blocks>(
    rows: Rows<S>,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Rows<S> {
    rows.with(shape.rows_at(lane, row), lane as u32 % 16)
}

/// A placement that removes rows: score of the move, score of the board after it, and that board's
/// rows.
pub(super) struct Cleared<S: Blocks> {
    pub(super) of_move: i64,
    pub(super) board: i64,
    pub(super) rows: Rows<S>,
}

/// Plays and scores the placement in byte `lane`, which fills rows and lands on `row`. Returns
/// `None` if it loses.
#[inline(always)]
pub(super) fn clear_rows<S: Blocks, const SET: u32>(
    delta: &Delta,
    rows: Rows<S>,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Option<Cleared<S>> {
    let (weights, height) = (&delta.weights, delta.size.height());
    // The piece ends above the top and removes nothing: the game is lost. If the rules clear first,
    // the rows left decide.
    if row + shape.heights[lane / 16] as usize > height && !delta.play.clear_on_overflow {
        return None;
    }
    let rows = with_piece(rows, shape, lane, row);
    let full = rows.equal(full_row(delta.size.width()));
    let cleared = rows.removed(full);
    if cleared.occupied().checked_shr(height as u32).unwrap_or(0) != 0 {
        return None;
    }
    // Eroded cells are cells of the piece in removed rows; `alone` counts those that completed a
    // row by themselves. Both are multiplied by the number of removed rows.
    let (mut own, mut alone) = (0, 0);
    for k in 0..4 {
        let removed = full >> (row + k) & 1 == 1;
        let cells = if removed { shape.row_cells[lane / 16][k] } else { 0 };
        own += i64::from(cells);
        alone += i64::from(cells == 1);
    }
    let lines = i64::from(full.count_ones());
    let landing = landing_score(delta, shape, lane, row);
    let reward = lines * (weights.eroded * own + weights.eroded_alone * alone + weights.lines);
    let mut measured = [0; ROWS];
    let of_move = match delta.play.measured {
        Measured::AfterClear => {
            cleared.store(&mut measured);
            landing + reward
        }
        Measured::BeforeClear => {
            rows.store(&mut measured);
            // Complete rows belong to the move: look-ahead must not count them again on the next
            // board.
            landing + reward + weights.features[DeltaFeature::CompleteRows] * lines
        }
    };
    let mut board = board_value::<SET>(delta, &measured, false);
    if delta.play.measured == Measured::BeforeClear {
        // Complete rows are part of the move's score.
        board -= weights.features[DeltaFeature::CompleteRows] * lines;
    }
    Some(Cleared { of_move, board, rows: cleared })
}
