//! Computes features of many boards at once, row by row from the top down. Each lane of a vector is
//! one board. A feature takes a few shifts, xors and popcounts, and no branch for each board.

use super::board_batch::BoardBatch;
use super::slots::FeatureLanes;
use crate::board::full_row;
use crate::simd::Lanes;

/// The boards of a batch that fit one vector, with constants that the feature groups need.
pub(super) struct BatchSlice<'a, V> {
    pub(super) batch: &'a BoardBatch,
    /// Index, in the batch, of the first board of the vector.
    pub(super) at: usize,
    /// Number of rows to sweep, at least 1: all rows from this one up are empty on every board.
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) full: V,
    /// Row mask of the right wall, repeated for each board: the bit after that of the last column.
    /// The mask is 0 on boards 16 columns wide, which have no bit left.
    pub(super) right_wall: V,
    /// Row mask in which only the bit of the last column is set, repeated for each board.
    pub(super) last: V,
    /// Row mask in which only the bit of the first column is set, repeated for each board.
    pub(super) first: V,
}

impl<'a, V: Lanes> BatchSlice<'a, V> {
    /// Creates the frame of the boards of `batch` from index `at` on.
    #[inline(always)]
    pub(super) fn new(batch: &'a BoardBatch, at: usize) -> Self {
        let width = batch.size.width();
        BatchSlice {
            batch,
            at,
            top: batch.top,
            width,
            height: batch.size.height(),
            full: V::splat(full_row(width)),
            // The bit right of the last column. With 16 columns the shift drops it;
            // `RowTransitions` then counts the wall separately.
            right_wall: V::splat(!full_row(width) & (full_row(width) << 1)),
            last: V::splat(1 << (width - 1)),
            first: V::splat(1),
        }
    }

    /// Returns row `row` of each board in the frame.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> V {
        V::load(&self.batch.rows[row], self.at)
    }

    /// Returns, for each board, the number of rows that features measure: the board's height, or
    /// the stack's if it is higher.
    #[inline(always)]
    pub(super) fn measured(&self) -> V {
        V::load(&self.batch.measured, self.at)
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
    pub(super) fn wells(&self, row: V) -> V {
        let left = row.shl(1).or(self.first);
        let right = row.shr(1).or(self.last);
        left.and(right).without(row)
    }

    /// Writes the raw values `value` of the frame's boards to the feature slot `slot`.
    #[inline(always)]
    pub(super) fn put(&self, raws: &mut FeatureLanes, slot: usize, value: V) {
        value.store(&mut raws.0[slot], self.at);
    }
}

/// Features that are computed together in one pass over the rows.
///
/// Several groups are combined as nested pairs instead of a list: the compiler then sees one loop
/// body and keeps shared values in registers.
pub(super) trait Group<V: Lanes>: Sized {
    /// Returns the group's state before the first row.
    fn start(frame: &BatchSlice<V>) -> Self;
    /// Processes row `row` of all boards; rows come from the top down.
    fn row(&mut self, frame: &BatchSlice<V>, row: usize);
    /// Writes the group's raw values to the slots of its features, after the last row.
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes);
}

impl<V: Lanes, A: Group<V>, B: Group<V>> Group<V> for (A, B) {
    #[inline(always)]
    fn start(frame: &BatchSlice<V>) -> Self {
        (A::start(frame), B::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<V>, row: usize) {
        self.0.row(frame, row);
        self.1.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<V>, raws: &mut FeatureLanes) {
        self.0.end(frame, raws);
        self.1.end(frame, raws);
    }
}

/// Computes the feature group `G` for all boards of `batch` and writes the values to `raws`.
#[inline(always)]
pub(super) fn sweep<V: Lanes, G: Group<V>>(batch: &BoardBatch, raws: &mut FeatureLanes) {
    for at in (0..batch.count).step_by(V::COUNT) {
        let frame = BatchSlice::<V>::new(batch, at);
        let mut group = G::start(&frame);
        // From the top down: the cover of a cell is known once all rows above it were read.
        for row in (0..frame.top).rev() {
            group.row(&frame, row);
        }
        group.end(&frame, raws);
    }
}
