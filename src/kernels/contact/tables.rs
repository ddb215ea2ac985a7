//! What is known about a board before any placement: running sums over the rows of each column.

use super::form::Columns;
use crate::board::{Board, ROWS, full_row};

/// Tables of running sums, side by side in each row; column c of a board is column c + 1 here,
/// between the walls.
///
/// Of a column's empty cells below the row: [`EMPTY`] each, and their depths where the cell on
/// their left is filled.
pub(super) const HELD_LEFT: usize = 0;
/// The same where the cell on their right is filled.
pub(super) const HELD_RIGHT: usize = 1;
/// The depths of the well cells below the row.
pub(super) const WELLS: usize = 2;
/// The filled cells below the row.
pub(super) const COUNT: usize = 3;
/// The well cells below the row.
pub(super) const WELL_CELLS: usize = 4;

/// What an empty cell adds, beyond any sum of depths over a piece's intervals.
pub(super) const EMPTY: u16 = 512;

const TABLE: usize = 18;
pub(super) const STRIDE: usize = 5 * TABLE;
/// A power of two, so that masking an index proves it in bounds.
const CELLS: usize = 4096;

/// Where a table keeps a running sum.
pub(super) const fn place_of(table: usize, row: usize, column: usize) -> usize {
    row * STRIDE + table * TABLE + column
}

pub(in crate::kernels) struct Tables {
    sums: [u16; CELLS],
    /// Heights by column; 0 beyond the last.
    pub(super) heights: [u8; 20],
    /// Sizes of the steps from the column on the left; 0 at the walls.
    pub(super) steps: [u8; 20],
    /// 0xff for columns with a hole.
    pub(super) holed: [u8; 20],
    /// Rows below each that have no hole.
    pub(super) whole: [u8; 40],
    pub(super) stack: usize,
}

impl Tables {
    pub(in crate::kernels) fn new(width: usize) -> Tables {
        let mut sums = [0; CELLS];
        for row in 0..=ROWS {
            sums[place_of(COUNT, row, 0)] = row as u16;
            sums[place_of(COUNT, row, width + 1)] = row as u16;
        }
        Tables { sums, heights: [0; 20], steps: [0; 20], holed: [0; 20], whole: [0; 40], stack: 0 }
    }

    #[inline(always)]
    pub(super) fn sum(&self, index: usize) -> u16 {
        self.sums[index & (CELLS - 1)]
    }

    #[inline(always)]
    pub(super) fn read(&mut self, board: &Board, stack: usize) {
        self.stack = stack;
        self.read_columns(board, stack);
        self.read_holes(board, stack);
    }

    /// Row by row from the floor up, all columns at once.
    #[inline(always)]
    fn read_columns(&mut self, board: &Board, stack: usize) {
        let walls = !full_row(board.width());
        let last = 1 << (board.width() - 1);
        let (mut left, mut right) = ([0u16; 16], [0u16; 16]);
        let (mut wells, mut filled, mut cells) = ([0u16; 16], [0u16; 16], [0u16; 16]);
        let (mut depth, mut heights) = ([0u16; 16], [0u16; 16]);
        for row in 0..(stack + 4).min(ROWS) {
            let own = board.row(row) | walls;
            let at_left = spread(own << 1 | 1);
            let at_right = spread(own >> 1 | last);
            let is_filled = spread(own);
            for x in 0..16 {
                depth[x] = (depth[x] + 1) & !is_filled[x];
                let held_left = depth[x] & at_left[x];
                let empty = EMPTY & !is_filled[x];
                left[x] += held_left + empty;
                right[x] += (depth[x] & at_right[x]) + empty;
                wells[x] += held_left & at_right[x];
                cells[x] += at_left[x] & at_right[x] & !is_filled[x] & 1;
                filled[x] += is_filled[x] & 1;
                heights[x] = heights[x].max((row as u16 + 1) & is_filled[x]);
            }
            let at = |table| place_of(table, row + 1, 1);
            self.sums[at(HELD_LEFT)..][..16].copy_from_slice(&left);
            self.sums[at(HELD_RIGHT)..][..16].copy_from_slice(&right);
            self.sums[at(WELLS)..][..16].copy_from_slice(&wells);
            self.sums[at(COUNT)..][..16].copy_from_slice(&filled);
            self.sums[at(WELL_CELLS)..][..16].copy_from_slice(&cells);
        }
        for x in 0..16 {
            self.holed[x] = if filled[x] < heights[x] { 0xff } else { 0 };
            self.heights[x] = heights[x] as u8;
        }
        // Beyond the last column all cells counted as filled.
        self.heights[board.width()..].fill(0);
        for x in 1..16 {
            self.steps[x] = self.heights[x].abs_diff(self.heights[x - 1]);
        }
        self.steps[board.width()..].fill(0);
    }

    #[inline(always)]
    fn read_holes(&mut self, board: &Board, stack: usize) {
        let mut cover = 0;
        let mut holes = 0u32;
        for row in (0..stack).rev() {
            let cells = board.row(row);
            holes |= u32::from(cover & !cells != 0) << row;
            cover |= cells;
        }
        let mut whole = 0;
        for row in 0..(stack + 4).min(ROWS) {
            whole += (!holes >> row & 1) as u8;
            self.whole[row + 1] = whole;
        }
    }
}

/// 0xffff in the lanes whose bit is set.
#[inline(always)]
fn spread(bits: u16) -> [u16; 16] {
    std::array::from_fn(|x| if bits & 1 << x != 0 { u16::MAX } else { 0 })
}

/// Lanes x + j of a padded array.
#[inline(always)]
pub(super) fn from_column(of: &[u8; 20], j: usize) -> Columns {
    std::array::from_fn(|x| of[x + j])
}
