//! Stores up to 64 boards side by side, for the feature sweeps.

use crate::board::{Board, BoardSize, ROWS};
use crate::simd::Lanes16;

/// A batch of up to 64 boards, one in each lane: row r of board l is `rows[r].0[l]`.
///
/// ```text
///              lane 0   lane 1   lane 2 ...     each lane is a board
/// rows[2]      .....    ..#..    .....
/// rows[1]      ##...    .##..    ...#.          A vector register holds one row of 8, 16 or 32
/// rows[0]      ##.##    #####    ##.##          lanes: one shift or popcount serves all of them.
/// ```
pub(super) struct BoardBatch {
    pub(super) size: BoardSize,
    /// Number of boards in the batch.
    pub(super) count: usize,
    /// Number of rows to sweep, at least 1: all rows from this one up are empty on every board.
    pub(super) top: usize,
    pub(super) rows: [Lanes16; ROWS],
    /// Stack height of each board.
    pub(super) stack: Lanes16,
    /// Number of rows of each board that features measure: its height, or the stack's if it is
    /// higher.
    pub(super) measured: Lanes16,
}

impl BoardBatch {
    /// Creates an empty batch for boards of one size, about 5 KiB.
    pub(super) fn new(size: BoardSize) -> BoardBatch {
        BoardBatch {
            size,
            count: 0,
            top: 1,
            rows: [Lanes16::ZERO; ROWS],
            stack: Lanes16::ZERO,
            measured: Lanes16::ZERO,
        }
    }

    /// Fills the batch with `boards`.
    pub(super) fn fill<'a>(&mut self, boards: impl Iterator<Item = &'a Board> + Clone) {
        (self.count, self.top) = (0, 1);
        for (lane, board) in boards.clone().enumerate() {
            let stack = board.stack_height();
            self.stack.0[lane] = stack as u16;
            self.measured.0[lane] = stack.max(self.size.height()) as u16;
            self.top = self.top.max(stack);
            self.count = lane + 1;
        }
        // A second loop, since only now the highest stack is known.
        for (lane, board) in boards.enumerate() {
            for (line, &cells) in self.rows[..self.top].iter_mut().zip(board.rows()) {
                line.0[lane] = cells;
            }
        }
    }
}
