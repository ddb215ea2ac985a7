//! Stores up to 64 boards side by side, each with one placement played, for the feature sweeps.

use super::shapes::{LANDING, Shapes};
use crate::board::{Board, BoardSize, ROWS, full_row};
use crate::features::Measured;
use crate::simd::{LANES, Lanes16};

/// A batch of up to 64 boards, one in each lane: row r of board l is `rows[r].0[l]`.
///
/// ```text
///              lane 0   lane 1   lane 2 ...     each lane is a board, placement played
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
    /// Height of the highest stack among the boards added so far.
    max_stack: usize,
    pub(super) rows: [Lanes16; ROWS],
    /// Stack height of each board.
    pub(super) stack: Lanes16,
    /// Number of rows of each board that features measure: its height, or the stack's if it is
    /// higher.
    pub(super) measured: Lanes16,
    /// Raw values of the landing features, one for each board.
    pub(super) landing: [Lanes16; LANDING.len()],
    /// Number of rows removed from each board.
    pub(super) lines: Lanes16,
    /// Number of rows removed times the number of the piece's cells in these rows.
    pub(super) eroded: Lanes16,
    /// Number of rows removed times the number of rows that a single cell of the piece completed.
    pub(super) eroded_alone: Lanes16,
    /// Boards whose placement ends the game, one bit each.
    pub(super) lost: u64,
}

/// State of one placement while it is played.
struct PlacementState {
    lane: usize,
    /// Full rows among the rows of the piece, one bit each.
    full: u32,
    stack: usize,
    overflows: bool,
}

/// Rules that decide how a placement is played.
#[derive(Clone, Copy)]
pub(super) struct PlayRules {
    /// Board on which features are measured: before or after full rows are removed.
    pub(super) measured: Measured,
    /// True if full rows are removed even if the piece ends above the top.
    pub(super) clear_on_overflow: bool,
}

impl BoardBatch {
    /// Creates an empty batch for boards of one size, about 5 KiB.
    pub(super) fn new(size: BoardSize) -> BoardBatch {
        BoardBatch {
            size,
            count: 0,
            top: 1,
            max_stack: 1,
            rows: [Lanes16::ZERO; ROWS],
            stack: Lanes16::ZERO,
            measured: Lanes16::ZERO,
            landing: [Lanes16::ZERO; LANDING.len()],
            lines: Lanes16::ZERO,
            eroded: Lanes16::ZERO,
            eroded_alone: Lanes16::ZERO,
            lost: 0,
        }
    }

    /// Empties the batch. Boards added afterwards must have stacks of at most `stack` rows before
    /// the piece is placed.
    pub(super) fn begin(&mut self, stack: usize) {
        self.count = 0;
        self.lost = 0;
        self.max_stack = 1;
        // Four more rows for the piece; `finish` drops those that no piece reaches.
        self.top = (stack + 4).min(ROWS);
    }

    /// Ends the filling of the batch: limits the sweep to the rows of the highest stack.
    pub(super) fn finish(&mut self) {
        self.top = self.max_stack;
    }

    /// Adds one board for each of `candidates`: a copy of `board` with that placement played. A
    /// candidate is an index of `shapes` and a landing row.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        play: PlayRules,
        board: &Board,
        shapes: &Shapes,
        candidates: impl ExactSizeIterator<Item = (usize, usize)>,
    ) {
        let from = self.count;
        self.count += candidates.len();
        // Lanes beyond the last candidate get a board too, since vectors read whole registers.
        let end = (from + candidates.len().next_multiple_of(16)).min(LANES);
        for (row, line) in self.rows[..self.top].iter_mut().enumerate() {
            line.0[from..end].fill(board.row(row));
        }
        self.lines.0[from..end].fill(0);
        self.eroded.0[from..end].fill(0);
        self.eroded_alone.0[from..end].fill(0);
        let stack = board.stack_height();
        for (lane, (shape, row)) in (from..).zip(candidates) {
            self.put(
                play,
                PlacementState { lane, full: 0, stack, overflows: false },
                shapes,
                shape,
                row,
            );
        }
    }

    /// Fills the batch with `boards` as they are; no placement is played.
    pub(super) fn fill<'a>(&mut self, boards: impl Iterator<Item = &'a Board> + Clone) {
        self.begin(0);
        for (lane, board) in boards.clone().enumerate() {
            let stack = board.stack_height();
            self.set_stack(lane, stack);
            self.max_stack = self.max_stack.max(stack);
            self.count = lane + 1;
        }
        self.finish();
        // A second loop, since only now the highest stack is known.
        for (lane, board) in boards.enumerate() {
            for (line, &cells) in self.rows[..self.top].iter_mut().zip(board.rows()) {
                line.0[lane] = cells;
            }
        }
    }

    /// Plays placement `shape` on landing row `row`: adds the piece to the board, and removes full
    /// rows if the rules say so. `rest` has the number of the board in the batch.
    #[inline(always)]
    fn put(
        &mut self,
        play: PlayRules,
        mut rest: PlacementState,
        shapes: &Shapes,
        shape: usize,
        row: usize,
    ) {
        let lane = rest.lane;
        let full_row = full_row(self.size.width());
        for k in 0..shapes.height[shape] as usize {
            let cells = &mut self.rows[row + k].0[lane];
            // Only rows of the piece can become full.
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
        self.max_stack = self.max_stack.max(rest.stack);
        if rest.full != 0 && (!rest.overflows || play.clear_on_overflow) {
            self.clear(play, &mut rest, shapes, shape, row);
        }
        self.lost |= u64::from(rest.stack > self.size.height()) << lane;
    }

    /// Stores the stack height `stack` of board number `lane`, and the number of its rows that
    /// features measure.
    #[inline(always)]
    fn set_stack(&mut self, lane: usize, stack: usize) {
        self.stack.0[lane] = stack as u16;
        self.measured.0[lane] = stack.max(self.size.height()) as u16;
    }

    /// Counts and removes the full rows of one board. If features are measured before removal, only
    /// the later stack height is computed.
    #[cold]
    #[inline(never)]
    fn clear(
        &mut self,
        play: PlayRules,
        rest: &mut PlacementState,
        shapes: &Shapes,
        shape: usize,
        row: usize,
    ) {
        let lane = rest.lane;
        let lines = rest.full.count_ones() as u16;
        self.lines.0[lane] = lines;
        for k in 0..4 {
            // A piece lands on row 28 at most, so `row + k` is at most 31; `min` is for the
            // compiler.
            if rest.full >> (row + k).min(31) & 1 == 1 {
                let cells = shapes.rows[k].0[shape].count_ones() as u16;
                self.eroded.0[lane] += lines * cells;
                self.eroded_alone.0[lane] += lines * u16::from(cells == 1);
            }
        }
        // One board at a time, since each removes different rows; `cold`, since few placements fill
        // any.
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
