//! Placements that fill rows: played, and their boards valued whole.

use super::Delta;
use super::shape::Shape;
use super::value::value;
use super::weights::DeltaFeature;
use crate::board::{ROWS, full_row};
use crate::features::Measured;
use crate::simd::{self, BoardJob, Rows, Simd};

/// What the move itself earns where it removes no row.
#[inline(always)]
pub(super) fn of_landing(delta: &Delta, shape: &Shape, lane: usize, row: usize) -> i64 {
    let weights = &delta.weights;
    shape.landing[lane] + weights.landing * weights.landing_steps * row as i64
}

/// A board's score, by a function of its own: it is long.
#[inline]
pub(super) fn value_of(delta: &Delta, rows: &[u16; ROWS], parent: bool) -> i64 {
    simd::run(delta.level, Value { delta, rows, parent }).unwrap_or(0)
}

/// The work of [`value_of`].
pub(super) struct Value<'a> {
    pub(super) delta: &'a Delta,
    pub(super) rows: &'a [u16; ROWS],
    pub(super) parent: bool,
}

impl BoardJob for Value<'_> {
    type Output = i64;

    #[inline(always)]
    fn run<S: Simd>(self) -> i64 {
        value::<S>(self.delta, self.delta.set, S::Rows::load(self.rows), self.parent)
    }
}

/// A board with a piece on it.
#[inline(always)]
pub(super) fn locked<R: Rows>(rows: R, shape: &Shape, lane: usize, row: usize) -> R {
    rows.with(shape.rows_at(lane, row), lane as u32 % 16)
}

/// A placement that removes rows: what it earns itself, what the board it leads to is worth.
pub(super) struct Cleared<R> {
    pub(super) of_move: i64,
    pub(super) board: i64,
    pub(super) rows: R,
}

/// The score of one placement that fills rows, None if it loses.
#[inline(always)]
pub(super) fn clearing<S: Simd>(
    delta: &Delta,
    rows: S::Rows,
    shape: &Shape,
    lane: usize,
    row: usize,
) -> Option<Cleared<S::Rows>> {
    let (weights, height) = (&delta.weights, delta.size.height());
    // Nothing is removed and the stack is too high: lost. Where rules clear first, it depends on what is left.
    if row + shape.heights[lane / 16] as usize > height && !delta.play.clear_on_overflow {
        return None;
    }
    let rows = locked(rows, shape, lane, row);
    let full = rows.equal(full_row(delta.size.width()));
    let cleared = rows.removed(full);
    if cleared.occupied().checked_shr(height as u32).unwrap_or(0) != 0 {
        return None;
    }
    // Eroded cells, and cells that completed their row alone: both times the rows removed.
    let (mut own, mut alone) = (0, 0);
    for k in 0..4 {
        let removed = full >> (row + k) & 1 == 1;
        let cells = if removed { shape.row_cells[lane / 16][k] } else { 0 };
        own += i64::from(cells);
        alone += i64::from(cells == 1);
    }
    let lines = i64::from(full.count_ones());
    let landing = of_landing(delta, shape, lane, row);
    let reward = lines * (weights.eroded * own + weights.eroded_alone * alone + weights.lines);
    let mut measured = [0; ROWS];
    let of_move = match delta.play.measured {
        Measured::AfterClear => {
            cleared.store(&mut measured);
            landing + reward
        }
        Measured::BeforeClear => {
            rows.store(&mut measured);
            // Complete rows stand on the board that is measured, but look-ahead must not count them again on
            // the next: they belong to the move.
            landing + reward + weights.known[DeltaFeature::CompleteRows] * lines
        }
    };
    let mut board = value_of(delta, &measured, false);
    if delta.play.measured == Measured::BeforeClear {
        // Rows that are complete are earned by the move.
        board -= weights.known[DeltaFeature::CompleteRows] * lines;
    }
    Some(Cleared { of_move, board, rows: cleared })
}
