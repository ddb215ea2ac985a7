//! A batch: up to 64 boards side by side, each with one placement played, ready to be swept.

use super::shapes::{LANDING, Shapes};
use crate::board::{Board, BoardSize, ROWS, full_row};
use crate::features::Measured;
use crate::simd::{LANES, Line};

/// Lanes of boards; row r of lane l is `rows[r].0[l]`.
///
/// ```text
///              lane 0   lane 1   lane 2 ...        each lane a board, placement played
/// rows[2]      .....    ..#..    .....
/// rows[1]      ##...    .##..    ...#.             a vector register holds one row of 8, 16 or 32 lanes,
/// rows[0]      ##.##    #####    ##.##             so that one shift or popcount serves all of them
/// ```
pub(super) struct BoardBatch {
    pub(super) size: BoardSize,
    /// Lanes in use.
    pub(super) count: usize,
    /// No lane has a filled cell at or above this row; at least 1.
    pub(super) top: usize,
    /// The highest stack so far.
    reach: usize,
    pub(super) rows: [Line; ROWS],
    /// Rows up to the highest filled cell.
    pub(super) stack: Line,
    /// Rows that features look at.
    pub(super) measured: Line,
    /// Raw values of the landing features.
    pub(super) landing: [Line; LANDING.len()],
    /// Rows removed.
    pub(super) lines: Line,
    /// Rows removed x cells of the piece in them.
    pub(super) eroded: Line,
    /// Rows removed x cells that completed their row alone.
    pub(super) eroded_alone: Line,
    /// Lanes whose placement ends the game.
    pub(super) lost: u64,
}

/// One lane's placement once it rests.
struct Rest {
    lane: usize,
    /// Rows of the piece that it fills.
    full: u32,
    stack: usize,
    overflows: bool,
}

/// How placements are played.
#[derive(Clone, Copy)]
pub(super) struct Play {
    /// On which board features are measured: full rows stay on it, or are removed.
    pub(super) measured: Measured,
    /// Whether full rows are removed also where the piece ends above the top.
    pub(super) clear_on_overflow: bool,
}

impl BoardBatch {
    /// An empty batch for boards of one size, some 5 KiB.
    pub(super) fn new(size: BoardSize) -> BoardBatch {
        BoardBatch {
            size,
            count: 0,
            top: 1,
            reach: 1,
            rows: [Line::ZERO; ROWS],
            stack: Line::ZERO,
            measured: Line::ZERO,
            landing: [Line::ZERO; LANDING.len()],
            lines: Line::ZERO,
            eroded: Line::ZERO,
            eroded_alone: Line::ZERO,
            lost: 0,
        }
    }

    /// Empties the batch for boards whose stacks, before a piece, reach no higher than `stack`.
    pub(super) fn begin(&mut self, stack: usize) {
        self.count = 0;
        self.lost = 0;
        self.reach = 1;
        // Room for the piece; what it does not reach is cut off by `finish`.
        self.top = (stack + 4).min(ROWS);
    }

    /// Ends the filling: nothing above the highest stack is swept.
    pub(super) fn finish(&mut self) {
        self.top = self.reach;
    }

    /// Adds one lane per placement: lane of the shapes and landing row.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        play: Play,
        board: &Board,
        shapes: &Shapes,
        candidates: impl ExactSizeIterator<Item = (usize, usize)>,
    ) {
        let from = self.count;
        self.count += candidates.len();
        // Lanes beyond the last candidate get boards too, since a vector reads whole registers; nobody reads
        // their values.
        let end = (from + candidates.len().next_multiple_of(16)).min(LANES);
        for (row, line) in self.rows[..self.top].iter_mut().enumerate() {
            line.0[from..end].fill(board.row(row));
        }
        self.lines.0[from..end].fill(0);
        self.eroded.0[from..end].fill(0);
        self.eroded_alone.0[from..end].fill(0);
        let stack = board.stack_height();
        for (lane, (shape, row)) in (from..).zip(candidates) {
            self.put(play, Rest { lane, full: 0, stack, overflows: false }, shapes, shape, row);
        }
    }

    /// Fills the batch with boards as they stand, no placement on them.
    pub(super) fn fill<'a>(&mut self, boards: impl Iterator<Item = &'a Board> + Clone) {
        self.begin(0);
        for (lane, board) in boards.clone().enumerate() {
            let stack = board.stack_height();
            self.set_stack(lane, stack);
            self.reach = self.reach.max(stack);
            self.count = lane + 1;
        }
        self.finish();
        // A second time over, since only now it is known how many rows have anything.
        for (lane, board) in boards.enumerate() {
            for (line, &cells) in self.rows[..self.top].iter_mut().zip(board.rows()) {
                line.0[lane] = cells;
            }
        }
    }

    /// Plays a placement on its lane: the piece is laid into the rows, and full ones are removed if the rules
    /// say so.
    #[inline(always)]
    fn put(&mut self, play: Play, mut rest: Rest, shapes: &Shapes, shape: usize, row: usize) {
        let lane = rest.lane;
        let full_row = full_row(self.size.width());
        for k in 0..shapes.height[shape] as usize {
            let cells = &mut self.rows[row + k].0[lane];
            // Only rows of the piece can become full, so that no other is compared.
            *cells |= shapes.rows[k].0[shape];
            rest.full |= u32::from(*cells == full_row) << (row + k);
        }
        let top = row + shapes.height[shape] as usize;
        rest.stack = rest.stack.max(top);
        rest.overflows = top > self.size.height();
        for (k, (_, steps)) in LANDING.iter().enumerate() {
            let rest = shapes.landing[k].0[shape];
            self.landing[k].0[lane] = rest.wrapping_add(steps * row as u16);
        }
        self.set_stack(lane, rest.stack);
        self.reach = self.reach.max(rest.stack);
        if rest.full != 0 && (!rest.overflows || play.clear_on_overflow) {
            self.clear(play, &mut rest, shapes, shape, row);
        }
        self.lost |= u64::from(rest.stack > self.size.height()) << lane;
    }

    /// Notes the height of a lane's stack, and so the rows that count: those of the board, and any that
    /// overflow it.
    #[inline(always)]
    fn set_stack(&mut self, lane: usize, stack: usize) {
        self.stack.0[lane] = stack as u16;
        self.measured.0[lane] = stack.max(self.size.height()) as u16;
    }

    /// Removes a lane's full rows, or only finds what that would leave.
    #[cold]
    #[inline(never)]
    fn clear(&mut self, play: Play, rest: &mut Rest, shapes: &Shapes, shape: usize, row: usize) {
        let lane = rest.lane;
        let lines = rest.full.count_ones() as u16;
        self.lines.0[lane] = lines;
        for k in 0..4 {
            // A piece lands on row 28 at most, so that this is 31 at most: the bound is for the compiler.
            if rest.full >> (row + k).min(31) & 1 == 1 {
                let cells = shapes.rows[k].0[shape].count_ones() as u16;
                self.eroded.0[lane] += lines * cells;
                self.eroded_alone.0[lane] += lines * u16::from(cells == 1);
            }
        }
        // One lane at a time, row by row, since each has rows of its own to lose; few placements fill any,
        // hence `cold`.
        let mut to = 0;
        let mut stack = 0;
        for from in 0..self.top {
            if rest.full >> from & 1 == 0 {
                let cells = self.rows[from].0[lane];
                if play.measured == Measured::AfterClear {
                    self.rows[to].0[lane] = cells;
                }
                to += 1;
                if cells != 0 {
                    stack = to;
                }
            }
        }
        if play.measured == Measured::AfterClear {
            self.rows[to..self.top].iter_mut().for_each(|line| line.0[lane] = 0);
            self.set_stack(lane, stack);
        }
        rest.stack = stack;
    }
}
