//! Computes features of many boards at once, row by row from the top down. Each lane of a vector is
//! one board. A feature takes a few shifts, xors and popcounts, and no branch for each board.

use fearless_simd::{Bytes, Simd, SimdBase, SimdMask};

use super::board_batch::BoardBatch;
use super::slots::FeatureLanes;
use crate::board::full_row;
use crate::simd::Lanes16;

/// One `u16` for each board of a vector: a row of cells, or a number.
pub(super) type Lanes<S> = <S as Simd>::u16s;

/// Returns 0xffff, which is -1, for each lane for which `mask` is true, and 0 for all others.
#[inline(always)]
pub(super) fn condition<S: Simd>(mask: S::mask16s) -> Lanes<S> {
    mask.to_vector().bitcast()
}

/// The boards of a batch that fit one vector, with constants that the feature groups need.
pub(super) struct BatchSlice<'a, S: Simd> {
    /// Proof that the processor has the instructions of the vectors.
    pub(super) simd: S,
    pub(super) batch: &'a BoardBatch,
    /// Index, in the batch, of the first board of the vector.
    pub(super) at: usize,
    /// Number of rows to sweep, at least 1: all rows from this one up are empty on every board.
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) full: Lanes<S>,
    /// Row mask of the right wall, repeated for each board: the bit after that of the last column.
    /// The mask is 0 on boards 16 columns wide, which have no bit left.
    pub(super) right_wall: Lanes<S>,
    /// Row mask in which only the bit of the last column is set, repeated for each board.
    pub(super) last: Lanes<S>,
    /// Row mask in which only the bit of the first column is set, repeated for each board.
    pub(super) first: Lanes<S>,
}

impl<'a, S: Simd> BatchSlice<'a, S> {
    /// Creates the frame of the boards of `batch` from index `at` on.
    #[inline(always)]
    pub(super) fn new(simd: S, batch: &'a BoardBatch, at: usize) -> Self {
        let width = batch.size.width();
        BatchSlice {
            simd,
            batch,
            at,
            top: batch.top,
            width,
            height: batch.size.height(),
            full: Lanes::<S>::splat(simd, full_row(width)),
            // The bit right of the last column. With 16 columns the shift drops it;
            // `RowTransitions` then counts the wall separately.
            right_wall: Lanes::<S>::splat(simd, !full_row(width) & (full_row(width) << 1)),
            last: Lanes::<S>::splat(simd, 1 << (width - 1)),
            first: Lanes::<S>::splat(simd, 1),
        }
    }

    /// Returns `value` for each board.
    #[inline(always)]
    pub(super) fn splat(&self, value: u16) -> Lanes<S> {
        Lanes::<S>::splat(self.simd, value)
    }

    #[inline(always)]
    pub(super) fn zero(&self) -> Lanes<S> {
        self.splat(0)
    }

    /// Returns the values of the frame's boards.
    #[inline(always)]
    pub(super) fn load(&self, from: &Lanes16) -> Lanes<S> {
        Lanes::<S>::from_slice(self.simd, &from.0[self.at..self.at + Lanes::<S>::LEN])
    }

    /// Returns row `row` of each board in the frame.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Lanes<S> {
        self.load(&self.batch.rows[row])
    }

    /// Returns, for each board, the number of rows that features measure: the board's height, or
    /// the stack's if it is higher.
    #[inline(always)]
    pub(super) fn measured(&self) -> Lanes<S> {
        self.load(&self.batch.measured)
    }

    /// Returns the well cells of `row`, one row of each board.
    ///
    /// ```text
    /// row      #.#..#.      a well cell is empty, with a filled bit on its left and on its right
    /// left    1#.#..#       the row moved right in the picture (shl 1), a wall at the first column
    /// right    .#..#.1      the row moved left (shr 1), a wall at the last
    /// wells    .w....w
    /// ```
    #[inline(always)]
    pub(super) fn wells(&self, row: Lanes<S>) -> Lanes<S> {
        let left = (row << 1) | self.first;
        let right = (row >> 1) | self.last;
        left & right & !row
    }

    /// Writes the raw values `value` of the frame's boards to the feature slot `slot`.
    #[inline(always)]
    pub(super) fn put(&self, raws: &mut FeatureLanes, slot: usize, value: Lanes<S>) {
        value.store_slice(&mut raws.0[slot].0[self.at..self.at + Lanes::<S>::LEN]);
    }
}

/// Features that are computed together in one pass over the rows.
///
/// Several groups are combined as nested pairs instead of a list: the compiler then sees one loop
/// body and keeps shared values in registers.
pub(super) trait Group<S: Simd>: Sized {
    /// Returns the group's state before the first row.
    fn start(frame: &BatchSlice<S>) -> Self;
    /// Processes row `row` of all boards; rows come from the top down.
    fn row(&mut self, frame: &BatchSlice<S>, row: usize);
    /// Writes the group's raw values to the slots of its features, after the last row.
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes);
}

impl<S: Simd, A: Group<S>, B: Group<S>> Group<S> for (A, B) {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        (A::start(frame), B::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        self.0.row(frame, row);
        self.1.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        self.0.end(frame, raws);
        self.1.end(frame, raws);
    }
}

/// Computes the feature group `G` for all boards of `batch` and writes the values to `raws`.
#[inline(always)]
pub(super) fn sweep<S: Simd, G: Group<S>>(simd: S, batch: &BoardBatch, raws: &mut FeatureLanes) {
    for at in (0..batch.count).step_by(Lanes::<S>::LEN) {
        let frame = BatchSlice::new(simd, batch, at);
        let mut group = G::start(&frame);
        // From the top down: the cover of a cell is known once all rows above it were read.
        for row in (0..frame.top).rev() {
            group.row(&frame, row);
        }
        group.end(&frame, raws);
    }
}
