//! Sweeps the rows of many boards: each lane is one placement or board, and rows come from the top
//! down. Every feature is a few shifts, xors and popcounts without a branch for each candidate.

use super::board_batch::BoardBatch;
use super::slots::FeatureLanes;
use crate::board::full_row;
use crate::simd::Lanes;

/// The part of a batch that fits one vector, as groups of features read it.
pub(super) struct Frame<'a, V> {
    pub(super) batch: &'a BoardBatch,
    /// First lane of the vector.
    pub(super) at: usize,
    /// Row from which on no lane has a filled cell; at least 1.
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) full: V,
    /// Wall right of the last column; 0 on boards 16 wide.
    pub(super) right_wall: V,
    /// Bit of the last column.
    pub(super) last: V,
    /// Bit of the first column.
    pub(super) first: V,
}

impl<'a, V: Lanes> Frame<'a, V> {
    /// Selects the lanes of `batch` from `at` on.
    #[inline(always)]
    pub(super) fn new(batch: &'a BoardBatch, at: usize) -> Self {
        let width = batch.size.width();
        Frame {
            batch,
            at,
            top: batch.top,
            width,
            height: batch.size.height(),
            full: V::splat(full_row(width)),
            // Bit right of the last column. With 16 columns the shift drops it, which transitions
            // correct.
            right_wall: V::splat(!full_row(width) & (full_row(width) << 1)),
            last: V::splat(1 << (width - 1)),
            first: V::splat(1),
        }
    }

    /// Returns one row of these lanes.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> V {
        V::load(&self.batch.rows[row], self.at)
    }

    /// Returns the number of rows that features measure in each lane.
    #[inline(always)]
    pub(super) fn measured(&self) -> V {
        V::load(&self.batch.measured, self.at)
    }

    /// Returns the well cells of a row.
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

    /// Writes the raw values of a feature for these lanes.
    #[inline(always)]
    pub(super) fn put(&self, raws: &mut FeatureLanes, slot: usize, value: V) {
        value.store(&mut raws.0[slot], self.at);
    }
}

/// A group of features that shares one pass over the rows.
///
/// Groups are nested pairs instead of a list: the compiler sees one loop body and keeps shared
/// values in registers.
pub(super) trait Group<V: Lanes>: Sized {
    /// Returns the state before the first row.
    fn start(frame: &Frame<V>) -> Self;
    /// Processes one row; rows come from the top down.
    fn row(&mut self, frame: &Frame<V>, row: usize);
    /// Writes the raw values to the slots of the features after the last row.
    fn end(self, frame: &Frame<V>, raws: &mut FeatureLanes);
}

impl<V: Lanes, A: Group<V>, B: Group<V>> Group<V> for (A, B) {
    #[inline(always)]
    fn start(frame: &Frame<V>) -> Self {
        (A::start(frame), B::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &Frame<V>, row: usize) {
        self.0.row(frame, row);
        self.1.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &Frame<V>, raws: &mut FeatureLanes) {
        self.0.end(frame, raws);
        self.1.end(frame, raws);
    }
}

/// Measures one group on all lanes of a batch.
#[inline(always)]
pub(super) fn sweep<V: Lanes, G: Group<V>>(batch: &BoardBatch, raws: &mut FeatureLanes) {
    for at in (0..batch.count).step_by(V::COUNT) {
        let frame = Frame::<V>::new(batch, at);
        let mut group = G::start(&frame);
        // From the top down: the cover of a cell is known once all rows above it were read.
        for row in (0..frame.top).rev() {
            group.row(&frame, row);
        }
        group.end(&frame, raws);
    }
}
