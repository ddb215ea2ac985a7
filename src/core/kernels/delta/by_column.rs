//! Weights of the height of each column and of each step between two, as BDU has them: what they add is not a
//! count times one weight, so it is added up for each placement before the counts are.

use super::Delta;
use super::board::Tables;
use super::shape::Shape;
use super::weights::round;
use crate::board::{MAX_WIDTH, ROWS};
use crate::piece::Orientation;
use crate::simd::{self, Block, Job, Simd, SumBlock};

/// Columns that a placement of four may reach to, and the one after.
const REACH: usize = MAX_WIDTH + 5;

/// The most that a height changes or differs by.
const MOST: f64 = ROWS as f64;

/// A weight for each column; for each step the one of the column on its right.
pub(super) struct ByColumn {
    pub(super) heights: [i64; REACH],
    pub(super) steps: [i64; REACH],
    /// The same weights times the scale, as rounded sums have them.
    rounded_heights: [i32; REACH],
    rounded_steps: [i32; REACH],
}

impl Default for ByColumn {
    fn default() -> ByColumn {
        ByColumn {
            heights: [0; REACH],
            steps: [0; REACH],
            rounded_heights: [0; REACH],
            rounded_steps: [0; REACH],
        }
    }
}

impl ByColumn {
    /// What an orientation adds in a column wherever it comes to rest.
    pub(super) fn of_shape(&self, shape: &Orientation, column: usize) -> i64 {
        let w = shape.width as usize;
        let top = |j: usize| i64::from(shape.bottom[j] + shape.thickness[j]);
        let tops: i64 = (0..w).map(|j| self.heights[column + j] * top(j)).sum();
        let step = |j: usize| self.steps[column + j] * (top(j) - top(j - 1)).abs();
        tops + (1..w).map(step).sum::<i64>()
    }

    /// The most that it adds to a rounded sum, in steps of the weights, if each weight is given by `of`.
    pub(super) fn most(&self, of: impl Fn(i64) -> f64) -> f64 {
        // Four columns change height, five steps go, and two come: each by no more than the rows there are.
        let largest = |weights: &[i64; REACH], n: usize| {
            let sums = weights.windows(n).map(|some| some.iter().map(|&w| of(w)).sum::<f64>());
            sums.fold(0.0, f64::max)
        };
        MOST * (largest(&self.heights, 4) + largest(&self.steps, 5) + 2.0 * largest(&self.steps, 1))
    }

    /// Rounds the weights as all others are.
    pub(super) fn round(&mut self, scale: f64) {
        self.rounded_heights = self.heights.map(|weight| round(weight, scale) as i32);
        self.rounded_steps = self.steps.map(|weight| round(weight, scale) as i32);
    }

    /// The exact difference that one placement makes, but for what its shape adds anywhere.
    pub(super) fn exact(&self, tables: &Tables, shape: &Shape, lane: usize, row: usize) -> i64 {
        let (column, w) = (lane % 16, shape.widths[lane / 16]);
        let row = row as i64;
        // Columns count from one, so that there is one on the left.
        let height = |x: usize| match x {
            1..=MAX_WIDTH => tables.height(x) as i64,
            _ => 0,
        };
        let mut sum = 0;
        for x in column..column + w {
            sum += self.heights[x] * (row - height(x + 1));
        }
        for x in column..=column + w {
            // Steps that go: into each column of the piece, and out of the last. Their weights are 0 at walls.
            sum -= self.steps[x] * (height(x + 1) - height(x)).abs();
        }
        let [left, right] = shape.ends[..2] else { return sum };
        let (first, last) = (row + i64::from(left.0[lane]), row + i64::from(right.0[lane]));
        let out = height(column + w + 1) - last;
        sum + self.steps[column] * (first - height(column)).abs()
            + self.steps[column + w] * out.abs()
    }

    /// What the columns of a board add to its score.
    pub(super) fn of_board(&self, heights: &[u8; MAX_WIDTH]) -> i64 {
        let mut sum = self.heights[0] * i64::from(heights[0]);
        for x in 1..MAX_WIDTH {
            sum += self.heights[x] * i64::from(heights[x]);
            sum += self.steps[x] * i64::from(heights[x].abs_diff(heights[x - 1]));
        }
        sum
    }
}

/// What all placements of a piece begin with: what does not depend on the board, and what the columns add.
pub(super) struct Start<'a> {
    pub(super) delta: &'a Delta,
    pub(super) tables: &'a Tables,
    pub(super) shape: &'a Shape,
    /// The landing rows.
    pub(super) landing: &'a Block,
}

impl Start<'_> {
    /// Compiled apart, since only controllers with weights by column come here.
    #[cold]
    #[inline(never)]
    pub(super) fn found(self) -> SumBlock {
        let start = self.shape.start;
        simd::run(self.delta.level, self).unwrap_or(start)
    }
}

impl Job for Start<'_> {
    type Output = SumBlock;

    #[inline(always)]
    fn run<S: Simd>(self) -> SumBlock {
        let Start { delta, tables, shape, landing } = self;
        let (weights, steps) = (&delta.by_column.rounded_heights, &delta.by_column.rounded_steps);
        // One byte further on, so that every column has a left neighbour, and zeros beyond the last.
        let mut heights = [0i32; REACH + 1];
        for c in 0..MAX_WIDTH {
            heights[c + 1] = i32::from(tables.heights[1].0[c]);
        }
        let (mut weighed, mut stepped) = ([0i32; REACH], [0i32; REACH]);
        for c in 0..REACH {
            weighed[c] = weights[c] * heights[c + 1];
            stepped[c] = steps[c] * (heights[c + 1] - heights[c]).abs();
        }
        let mut sums = shape.start;
        // All sixteen columns of an orientation at once, in loops of a known length, so that the compiler makes
        // vectors of them.
        for (o, &w) in shape.widths.iter().enumerate() {
            let (mut before, mut of_row) = ([0i32; MAX_WIDTH], [0i32; MAX_WIDTH]);
            for j in 0..w {
                let (weighed, stepped) = (from(&weighed, j), from(&stepped, j));
                let weights = from(weights, j);
                for c in 0..MAX_WIDTH {
                    before[c] += weighed[c] + stepped[c];
                    of_row[c] += weights[c];
                }
            }
            let (left, right) = (shape.ends[0].0[16 * o], shape.ends[1].0[16 * o]);
            let (beyond, step_out) = (from(&heights, w + 1), from(steps, w));
            let (landing, stepped) = (from(&landing.0, 16 * o), from(&stepped, w));
            let mut change = [0i32; MAX_WIDTH];
            for c in 0..MAX_WIDTH {
                let row = i32::from(landing[c]);
                let into = (row + i32::from(left) - heights[c]).abs() * steps[c];
                let out = (row + i32::from(right) - beyond[c]).abs() * step_out[c];
                change[c] = row * of_row[c] + into + out - before[c] - stepped[c];
            }
            for c in 0..MAX_WIDTH {
                let (k, at) = SumBlock::place(16 * o + c);
                sums.0[k][at] += change[c];
            }
        }
        sums
    }
}

/// The columns from one on: of a length that is known, since loops with checks of their index stay loops.
#[inline(always)]
fn from<T>(all: &[T], first: usize) -> &[T; MAX_WIDTH] {
    // Always in range: for the compiler.
    all.get(first..).and_then(<[T]>::first_chunk).unwrap_or_else(|| unreachable!("columns"))
}
