//! Weights of the height of each column and of each step between two, as BDU has them: what they add is not a
//! count times one weight, so it is added up for each placement before the counts are.

use super::Delta;
use super::board::Tables;
use super::shape::Shape;
use super::weights::round;
use crate::board::{MAX_WIDTH, ROWS};
use crate::piece::Orientation;
use crate::simd::{self, Block, BoardJob, Simd, SumBlock};

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
    /// Rounded weights of the heights of one to four columns together, by the leftmost.
    of_row: [[i32; MAX_WIDTH]; 4],
}

impl Default for ByColumn {
    fn default() -> ByColumn {
        ByColumn {
            heights: [0; REACH],
            steps: [0; REACH],
            rounded_heights: [0; REACH],
            rounded_steps: [0; REACH],
            of_row: [[0; MAX_WIDTH]; 4],
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
        for (width, sums) in (1..).zip(&mut self.of_row) {
            *sums = std::array::from_fn(|c| self.rounded_heights[c..c + width].iter().sum());
        }
    }

    /// What so many columns add before a piece stands on them, by the leftmost: their heights, and the steps into
    /// each and out of the last. `heights` are as tables have them, from one column left on.
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
    /// Where it is written, since handing back so many numbers would copy them twice.
    pub(super) sums: &'a mut SumBlock,
}

impl Start<'_> {
    /// Compiled apart, since only controllers with weights by column come here.
    #[cold]
    #[inline(never)]
    pub(super) fn write(self) {
        // A controller has a kernel where its level has bytes.
        simd::run(self.delta.level, self);
    }
}

impl BoardJob for Start<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Start { delta, tables, shape, landing, sums } = self;
        let of = &delta.by_column;
        let heights = tables.heights.each_ref().map(|lane| &lane.0);
        sums.0 = shape.start.0;
        // All sixteen columns of an orientation at once, in loops of a known length, so that the compiler makes
        // vectors of them.
        let mut before = [[0i32; MAX_WIDTH]; 2];
        for (o, &w) in shape.widths.iter().enumerate() {
            // A half turn is as wide as what it turns.
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
            let (into, out) = (from(&of.rounded_steps, 0), from(&of.rounded_steps, w));
            let (of_row, landing) = (&of.of_row[w - 1], from(&landing.0, 16 * o));
            let mut change = [0i32; MAX_WIDTH];
            for c in 0..MAX_WIDTH {
                let row = i32::from(landing[c]);
                let into = (row + i32::from(first) - i32::from(left[c])).abs() * into[c];
                let out = (row + i32::from(last) - i32::from(right[c])).abs() * out[c];
                change[c] = row * of_row[c] + into + out - before[c];
            }
            for c in 0..MAX_WIDTH {
                let (k, at) = SumBlock::place(16 * o + c);
                sums.0[k][at] += change[c];
            }
        }
    }
}

/// The columns from one on: of a length that is known, since loops with checks of their index stay loops.
#[inline(always)]
fn from<T>(all: &[T], first: usize) -> &[T; MAX_WIDTH] {
    // Always in range: for the compiler.
    all.get(first..).and_then(<[T]>::first_chunk).unwrap_or_else(|| unreachable!("columns"))
}
