//! The generic sweep: lanes are placements, rows come from the top down, every feature is a
//! few shifts, xors and popcounts without a branch per candidate.

use super::board_batch::BoardBatch;
use super::slots::Raws;
use crate::board::full_row;
use crate::simd::Lanes;

/// What a group of features sees of a batch: one vector of its lanes.
pub(super) struct Frame<'a, V> {
    pub(super) batch: &'a BoardBatch,
    /// First lane.
    pub(super) at: usize,
    /// No lane has a filled cell at or above this row; at least 1.
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    /// A full row.
    pub(super) full: V,
    /// The wall to the right of the last column; 0 on boards 16 wide.
    pub(super) right_wall: V,
    /// The last column.
    pub(super) last: V,
    /// The first column.
    pub(super) first: V,
}

impl<'a, V: Lanes> Frame<'a, V> {
    /// The lanes from `at` on, with what the groups compare rows to.
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
            // The bit right of the last column; for 16 columns the shift drops it, and transitions mend that.
            right_wall: V::splat(!full_row(width) & (full_row(width) << 1)),
            last: V::splat(1 << (width - 1)),
            first: V::splat(1),
        }
    }

    /// One row of these lanes.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> V {
        V::load(&self.batch.rows[row], self.at)
    }

    /// Rows that features look at.
    #[inline(always)]
    pub(super) fn measured(&self) -> V {
        V::load(&self.batch.measured, self.at)
    }

    /// The row's well cells.
    ///
    /// ```text
    /// row      #.#..#.      well where the bit on the left and the bit on the right are set, and this is not:
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
    pub(super) fn put(&self, raws: &mut Raws, slot: usize, value: V) {
        value.store(&mut raws.0[slot], self.at);
    }
}

/// Features that share one pass over the rows.
///
/// Groups are nested pairs rather than a list: the compiler sees one loop body and keeps what all of them read
/// in registers.
pub(super) trait Group<V: Lanes>: Sized {
    /// Before the first row.
    fn start(frame: &Frame<V>) -> Self;
    /// One row; rows come from the top down.
    fn row(&mut self, frame: &Frame<V>, row: usize);
    /// After the last: writes raw values to the slots of its features.
    fn end(self, frame: &Frame<V>, raws: &mut Raws);
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
    fn end(self, frame: &Frame<V>, raws: &mut Raws) {
        self.0.end(frame, raws);
        self.1.end(frame, raws);
    }
}

/// Measures one group on all lanes of a batch.
#[inline(always)]
pub(super) fn sweep<V: Lanes, G: Group<V>>(batch: &BoardBatch, raws: &mut Raws) {
    for at in (0..batch.count).step_by(V::COUNT) {
        let frame = Frame::<V>::new(batch, at);
        let mut group = G::start(&frame);
        // From the top down, since what covers a cell is known only when all above it was seen.
        for row in (0..frame.top).rev() {
            group.row(&frame, row);
        }
        group.end(&frame, raws);
    }
}
