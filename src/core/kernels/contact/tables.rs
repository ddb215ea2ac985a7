//! What is known about a board before any placement: running sums over the rows of each column.

use crate::board::{Board, ROWS, full_row};
use crate::kernels::lanes::{Lanes, Line};

/// Where a table of running sums stands: which line of a row, and the lane of the left wall.
/// Column c of a board comes c + 1 lanes later, the right wall after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) at: usize,
}

/// Of a column's empty cells below the row: [`EMPTY`] each, and their depths where the cell on
/// their left is filled.
pub(super) const HELD_LEFT: Place = Place { line: 0, at: 0 };
/// The same where the cell on their right is filled.
pub(super) const HELD_RIGHT: Place = Place { line: 0, at: 32 };
/// The depths of the well cells below the row.
pub(super) const WELLS: Place = Place { line: 1, at: 0 };
/// The filled cells below the row.
pub(super) const COUNT: Place = Place { line: 1, at: 32 };

/// What an empty cell adds: more than any sum of depths over a piece's intervals.
pub(super) const EMPTY: u16 = 512;
pub(super) const EMPTY_BITS: u32 = EMPTY.trailing_zeros();

/// Tables of one board.
pub(in crate::kernels) struct Tables {
    /// Two lines for each row: the sums below it.
    sums: [Line; 128],
    /// Heights by column, from lane 1; 0 beyond the walls.
    pub(super) heights: Line,
    /// Sizes of the steps from the column on the left, from lane 0; 0 at the walls.
    pub(super) steps: Line,
    /// 0xffff for columns with a hole, from lane 0.
    pub(super) holed: Line,
    /// Rows without a hole below the height of each column, from lane 0.
    pub(super) whole_below: Line,
    /// Rows without a hole below each row.
    pub(super) whole: [u16; 64],
    pub(super) stack: usize,
    /// Pieces land between these rows.
    pub(super) lowest: usize,
}

impl Tables {
    pub(in crate::kernels) fn new(width: usize) -> Tables {
        let mut sums = [Line::ZERO; 128];
        for (row, lines) in (0..).zip(sums.chunks_exact_mut(2)) {
            lines[COUNT.line].0[COUNT.at] = row;
            lines[COUNT.line].0[COUNT.at + width + 1] = row;
        }
        Tables {
            sums,
            heights: Line::ZERO,
            steps: Line::ZERO,
            holed: Line::ZERO,
            whole_below: Line::ZERO,
            whole: [0; 64],
            stack: 0,
            lowest: 0,
        }
    }

    /// A line of sums, from a lane on.
    #[inline(always)]
    pub(super) fn sums<V: Lanes>(&self, line: usize, at: usize) -> V {
        V::load(&self.sums[line & 127], at)
    }

    /// A board's tables; false if it has a full row.
    #[inline(always)]
    pub(super) fn read<V: Lanes>(&mut self, board: &Board, stack: usize) -> bool {
        self.stack = stack;
        for x in (0..board.width()).step_by(V::COUNT) {
            self.read_columns::<V>(board, x);
        }
        self.read_steps::<V>(board);
        let full = self.read_holes(board);
        let heights = &self.heights.0[1..=board.width()];
        let lowest = heights.iter().copied().min().unwrap_or(0);
        self.lowest = lowest.saturating_sub(2) as usize;
        for (whole, &height) in self.whole_below.0.iter_mut().zip(heights) {
            *whole = self.whole[height as usize & 31];
        }
        !full
    }

    /// Row by row from the floor up, a vector of columns from `x` on.
    #[inline(always)]
    fn read_columns<V: Lanes>(&mut self, board: &Board, x: usize) {
        let width = board.width();
        let walls = !full_row(width);
        let last = 1 << (width - 1);
        let one = V::splat(1);
        let mut next = V::zero();
        let (mut left, mut right, mut wells, mut filled) =
            (V::zero(), V::zero(), V::zero(), V::zero());
        let (mut depth, mut heights) = (V::zero(), V::zero());
        for row in 0..(self.stack + 4).min(ROWS) {
            let own = board.row(row) | walls;
            let at_left = spread::<V>(own << 1 | 1, x);
            let at_right = spread::<V>(own >> 1 | last, x);
            let own = spread::<V>(own, x);
            next = next.add(one);
            depth = depth.add(one).without(own);
            let held_left = depth.and(at_left);
            let empty = V::splat(EMPTY).without(own);
            left = left.add(held_left).add(empty);
            right = right.add(depth.and(at_right)).add(empty);
            wells = wells.add(held_left.and(at_right));
            filled = filled.sub(own);
            heights = own.select(next, heights);
            let held = &mut self.sums[2 * row + 2];
            left.store(held, x + HELD_LEFT.at + 1);
            right.store(held, x + HELD_RIGHT.at + 1);
            let own = &mut self.sums[2 * row + 3];
            wells.store(own, x + WELLS.at + 1);
            filled.store(own, x + COUNT.at + 1);
        }
        let same = filled.equal(heights);
        V::splat(u16::MAX).without(same).store(&mut self.holed, x);
        // Beyond the last column all cells counted as filled.
        let inside = spread::<V>(!walls, x);
        heights.and(inside).store(&mut self.heights, x + 1);
    }

    #[inline(always)]
    fn read_steps<V: Lanes>(&mut self, board: &Board) {
        let inner = board.full_row() & !1;
        for x in (0..board.width()).step_by(V::COUNT) {
            let left = V::load(&self.heights, x);
            let right = V::load(&self.heights, x + 1);
            let most = left.max(right);
            let steps = most.add(most).sub(left).sub(right);
            steps.and(spread(inner, x)).store(&mut self.steps, x);
        }
    }

    #[inline(always)]
    fn read_holes(&mut self, board: &Board) -> bool {
        let mut cover = 0;
        let mut full = false;
        let mut holes = 0u32;
        for row in (0..self.stack).rev() {
            let cells = board.row(row);
            holes |= u32::from(cover & !cells != 0) << row;
            full |= cells == board.full_row();
            cover |= cells;
        }
        let mut whole = 0;
        for row in 0..(self.stack + 4).min(ROWS) {
            whole += (!holes >> row & 1) as u16;
            self.whole[row + 1] = whole;
        }
        full
    }
}

/// One bit per column.
pub(super) const COLUMNS: Line = {
    let mut columns = Line::ZERO;
    let mut x = 0;
    while x < 16 {
        columns.0[x] = 1 << x;
        x += 1;
    }
    columns
};

/// 0xffff in the lanes whose bit is set, of the columns from `x` on.
#[inline(always)]
pub(super) fn spread<V: Lanes>(bits: u16, x: usize) -> V {
    let columns = V::load(&COLUMNS, x);
    V::splat(bits).and(columns).equal(columns)
}
