//! Computes the part of the score from heights and steps that have a weight for each column, as in
//! BDU.
//!
//! This part is no product of a count and one weight, so it is added to each placement's sum before
//! the counts.

use super::Delta;
use super::board::Tables;
use super::shape::Shape;
use super::weights::round;
use crate::board::{MAX_WIDTH, ROWS};
use crate::piece::Orientation;
use crate::simd::{self, Block, Blocks, BoardJob, SumBlock};

/// Length of the weight tables: sixteen columns, plus five beyond the wall that a placement and its
/// right neighbour may reach.
const REACH: usize = MAX_WIDTH + 5;

/// Maximum change of a height or step, in rows.
const MAX: f64 = ROWS as f64;

/// Weights of the height of each column, and of each step between two columns, indexed by the right
/// one.
pub(super) struct ByColumn {
    pub(super) heights: [i64; REACH],
    pub(super) steps: [i64; REACH],
    /// `heights` times the scale of the rounded sums.
    rounded_heights: [i32; REACH],
    /// `steps` times the scale of the rounded sums.
    rounded_steps: [i32; REACH],
    /// Sums of n adjacent elements of `rounded_heights`: `row_weight[n - 1][c]` begins with column
    /// c.
    row_weight: [[i32; MAX_WIDTH]; 4],
}

impl Default for ByColumn {
    fn default() -> ByColumn {
        ByColumn {
            heights: [0; REACH],
            steps: [0; REACH],
            rounded_heights: [0; REACH],
            rounded_steps: [0; REACH],
            row_weight: [[0; MAX_WIDTH]; 4],
        }
    }
}

impl ByColumn {
    /// Returns the part of the score change by `shape` in `column` that depends neither on the
    /// landing row nor on the board.
    pub(super) fn shape_constant(&self, shape: &Orientation, column: usize) -> i64 {
        let w = shape.width as usize;
        let top = |j: usize| i64::from(shape.bottom[j] + shape.thickness[j]);
        let tops: i64 = (0..w).map(|j| self.heights[column + j] * top(j)).sum();
        let step = |j: usize| self.steps[column + j] * (top(j) - top(j - 1)).abs();
        tops + (1..w).map(step).sum::<i64>()
    }

    /// Returns the maximum change by one placement of the sum of heights and steps, with each
    /// weight replaced by `of(weight)`.
    pub(super) fn max_change(&self, of: impl Fn(i64) -> f64) -> f64 {
        // Four columns change height, five steps vanish and two appear, each by at most the number
        // of rows.
        let largest = |weights: &[i64; REACH], n: usize| {
            let sums = weights.windows(n).map(|some| some.iter().map(|&w| of(w)).sum::<f64>());
            sums.fold(0.0, f64::max)
        };
        MAX * (largest(&self.heights, 4) + largest(&self.steps, 5) + 2.0 * largest(&self.steps, 1))
    }

    /// Multiplies the weights by `scale` and rounds them.
    pub(super) fn round(&mut self, scale: f64) {
        self.rounded_heights = self.heights.map(|weight| round(weight, scale) as i32);
        self.rounded_steps = self.steps.map(|weight| round(weight, scale) as i32);
        for (width, sums) in (1..).zip(&mut self.row_weight) {
            *sums = std::array::from_fn(|c| self.rounded_heights[c..c + width].iter().sum());
        }
    }

    /// Returns, for each column c, the rounded score of the `WIDTH` columns from c on before a
    /// piece lands there. It includes their heights, the steps into each, and the step out of the
    /// last. `heights[d]` has the height of column c + d - 1.
    #[inline(always)]
    fn before<const WIDTH: usize>(&self, heights: [&[u8; MAX_WIDTH]; 6]) -> [i32; MAX_WIDTH] {
        let mut sums = [0; MAX_WIDTH];
        for (c, sum) in sums.iter_mut().enumerate() {
            let mut left = i32::from(heights[0][c]);
            for j in 0..WIDTH {
                let height = i32::from(heights[j + 1][c]);
                *sum += self.rounded_heights[c + j] * height;
                *sum += self.rounded_steps[c + j] * (height - left).abs();
                left = height;
            }
            *sum += self.rounded_steps[c + WIDTH] * (i32::from(heights[WIDTH + 1][c]) - left).abs();
        }
        sums
    }

    /// Returns the exact change of the weighted heights and steps by the placement in byte `lane`,
    /// landing on `row`. It excludes [`Self::shape_constant`].
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
            // Steps that vanish: into each column of the piece and out of the last. Weights at
            // walls are 0.
            sum -= self.steps[x] * (height(x + 1) - height(x)).abs();
        }
        let [left, right] = shape.ends[..2] else { return sum };
        let (first, last) = (row + i64::from(left.0[lane]), row + i64::from(right.0[lane]));
        let out = height(column + w + 1) - last;
        sum + self.steps[column] * (first - height(column)).abs()
            + self.steps[column + w] * out.abs()
    }

    /// Returns the part of a board's score that comes from the `heights` of its columns.
    pub(super) fn board_score(&self, heights: &[u8; MAX_WIDTH]) -> i64 {
        let mut sum = self.heights[0] * i64::from(heights[0]);
        for x in 1..MAX_WIDTH {
            sum += self.heights[x] * i64::from(heights[x]);
            sum += self.steps[x] * i64::from(heights[x].abs_diff(heights[x - 1]));
        }
        sum
    }
}

/// Job that adds each placement's change of heights and steps to its initial rounded sum.
pub(super) struct StartSumsJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) tables: &'a Tables,
    pub(super) shape: &'a Shape,
    /// Landing row of each placement.
    pub(super) landing: &'a Block,
    /// The initial sums, to which the job adds.
    pub(super) sums: &'a mut SumBlock,
}

impl StartSumsJob<'_> {
    /// Runs the job and writes `sums`. It is compiled separately because only controllers with
    /// weights by column need it.
    #[cold]
    #[inline(never)]
    pub(super) fn write(self) {
        // A controller has this kernel at levels above `scalar` alone, so the job always runs.
        simd::run(self.delta.level, self);
    }
}

impl BoardJob for StartSumsJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Blocks>(self, _: S) {
        let StartSumsJob { delta, tables, shape, landing, sums } = self;
        let of = &delta.by_column;
        let heights = tables.heights.each_ref().map(|lane| &lane.0);
        // All sixteen columns of an orientation in loops of fixed length, so that the compiler
        // vectorises them.
        let mut before = [[0i32; MAX_WIDTH]; 2];
        for (o, &w) in shape.widths.iter().enumerate() {
            // Orientations o and o + 2 have the same width, so they share `before`.
            if o < 2 {
                before[o] = match w {
                    1 => of.before::<1>(heights),
                    2 => of.before::<2>(heights),
                    3 => of.before::<3>(heights),
                    _ => of.before::<4>(heights),
                };
            }
            let before = &before[o % 2];
            let (first, last) = (shape.ends[0].0[16 * o], shape.ends[1].0[16 * o]);
            let (left, right) = (heights[0], heights[w + 1]);
            let (into, out) = (columns_at(&of.rounded_steps, 0), columns_at(&of.rounded_steps, w));
            let (row_weight, landing) = (&of.row_weight[w - 1], columns_at(&landing.0, 16 * o));
            let mut change = [0i32; MAX_WIDTH];
            for c in 0..MAX_WIDTH {
                let row = i32::from(landing[c]);
                let into = (row + i32::from(first) - i32::from(left[c])).abs() * into[c];
                let out = (row + i32::from(last) - i32::from(right[c])).abs() * out[c];
                change[c] = row * row_weight[c] + into + out - before[c];
            }
            for c in 0..MAX_WIDTH {
                let (k, at) = SumBlock::place(16 * o + c);
                sums.0[k][at] += change[c];
            }
        }
    }
}

/// Returns the sixteen elements of `all` from index `first` on. The fixed length spares index
/// checks, so that loops are vectorised.
#[inline(always)]
fn columns_at<T>(all: &[T], first: usize) -> &[T; MAX_WIDTH] {
    // Always in range; `unreachable` is for the compiler.
    all.get(first..).and_then(<[T]>::first_chunk).unwrap_or_else(|| unreachable!("columns"))
}
