//! Defines the weights of the difference kernel: exact weights, rounded ones that select the
//! candidates for the best placement, and weights of heights and steps for each column.

use std::ops::{Index, IndexMut};

use super::Delta;
use super::board::Tables;
use super::nonlinear::NonlinearTerms;
use super::shape::Shape;
use crate::board::{BoardSize, MAX_WIDTH, ROWS};
use crate::kernels::shapes::LANDING_FEATURES;
use crate::piece::Orientation;
use crate::simd::{self, Block, Blocks, BoardJob, SumBlock};

/// Weights of the changes that a placement makes to a board, which give its score change.
// `exact[k] x count[k]` over all counts, row x its weight, the placement's constant, and `common`.
#[derive(Default)]
pub(super) struct Weights {
    pub(super) features: FeatureWeights,
    pub(super) landing: [i64; LANDING_FEATURES.len()],
    pub(super) landing_row: i64,
    pub(super) cells: CellWeights,
    pub(super) eroded: i64,
    pub(super) eroded_alone: i64,
    pub(super) lines: i64,
    pub(super) constant: i64,
    /// Exact weights of the counts of board changes; 0 for the landing row, weighted separately.
    pub(super) exact: [i64; COUNTS],
    /// Score change common to all placements: four new cells, minus the biases added to counts.
    pub(super) common: i64,
}

#[derive(Default, PartialEq)]
pub(super) struct CellWeights {
    pub(super) each: i64,
    pub(super) first: i64,
    pub(super) last: i64,
    /// Weight of the feature that counts each filled cell by its row, from 1 at the floor.
    pub(super) row: i64,
    pub(super) measured: i64,
}

impl CellWeights {
    pub(super) fn board_score(&self, rows: &[u16; ROWS], size: BoardSize) -> i64 {
        let stack = ROWS - rows.iter().rev().take_while(|&&cells| cells == 0).count();
        let (mut each, mut first, mut last, mut by_row) = (0, 0, 0, 0);
        for (row, &cells) in (1..).zip(&rows[..stack]) {
            let count = cells.count_ones();
            each += count;
            first += u32::from(cells & 1);
            last += u32::from(cells >> (size.width() - 1) & 1);
            by_row += row * count;
        }
        self.each * i64::from(each)
            + self.first * i64::from(first)
            + self.last * i64::from(last)
            + self.row * i64::from(by_row)
            + self.measured * stack.max(size.height()) as i64
    }

    pub(super) fn shape_constant(&self, shape: &Orientation, column: usize, width: usize) -> i64 {
        let w = shape.width as usize;
        let first = if column == 0 { shape.thickness[0] } else { 0 };
        let last = if column + w == width { shape.thickness[w - 1] } else { 0 };
        let in_row = |(row, cells): (i64, u16)| row * i64::from(cells.count_ones());
        4 * self.each
            + self.first * i64::from(first)
            + self.last * i64::from(last)
            + self.row * (1..).zip(shape.rows).map(in_row).sum::<i64>()
    }
}

crate::names! {
    #[derive(Clone, Copy)]
    pub(super) enum DeltaFeature {
        RowTransitions = "row_transitions",
        ColumnTransitions = "column_transitions",
        Holes = "holes",
        Wells = "wells",
        HoleDepth = "hole_depth",
        RowsWithHoles = "rows_with_holes",
        AggregateHeight = "aggregate_height",
        Bumpiness = "bumpiness",
        CompleteRows = "complete_rows",
        PatternDiversity = "pattern_diversity",
        MaxHeight = "max_height",
        WellsFast = "wells_fast",
    }
}

impl DeltaFeature {
    pub(super) const fn bit(self) -> u32 {
        1 << self as u32
    }
}

#[derive(Default)]
pub(super) struct FeatureWeights([i64; DeltaFeature::ALL.len()]);

impl Index<DeltaFeature> for FeatureWeights {
    type Output = i64;

    #[inline(always)]
    fn index(&self, feature: DeltaFeature) -> &i64 {
        &self.0[feature as usize]
    }
}

impl IndexMut<DeltaFeature> for FeatureWeights {
    fn index_mut(&mut self, feature: DeltaFeature) -> &mut i64 {
        &mut self.0[feature as usize]
    }
}

pub(super) const ROW_TRANSITIONS: u32 = DeltaFeature::RowTransitions.bit();
pub(super) const COLUMN_TRANSITIONS: u32 = DeltaFeature::ColumnTransitions.bit();
pub(super) const HOLES: u32 = DeltaFeature::Holes.bit();
pub(super) const WELLS: u32 = DeltaFeature::Wells.bit();
pub(super) const HOLE_DEPTH: u32 = DeltaFeature::HoleDepth.bit();
pub(super) const ROWS_WITH_HOLES: u32 = DeltaFeature::RowsWithHoles.bit();
pub(super) const HEIGHTS: u32 = DeltaFeature::AggregateHeight.bit();
pub(super) const BUMPINESS: u32 = DeltaFeature::Bumpiness.bit();
pub(super) const DIVERSITY: u32 = DeltaFeature::PatternDiversity.bit();
pub(super) const MAX_HEIGHT: u32 = DeltaFeature::MaxHeight.bit();
pub(super) const WELLS_FAST: u32 = DeltaFeature::WellsFast.bit();
pub(super) const ANY_WELLS: u32 = WELLS | WELLS_FAST;
pub(super) const BY_COLUMN: u32 = 1 << DeltaFeature::ALL.len();
pub(super) const BCTS: u32 =
    ROW_TRANSITIONS | COLUMN_TRANSITIONS | HOLES | WELLS | HOLE_DEPTH | ROWS_WITH_HOLES;
pub(super) const CELLS: u32 = BY_COLUMN << 1;
pub(super) const NONLINEAR: u32 = BY_COLUMN << 2;

/// Number of byte-sized counts of board changes that are kept for each placement.
///
/// ```text
/// pair     count                        maximum
/// 0        LANDING_ROW, WELL_CHANGE     28, 226
/// 1        EMPTY_BESIDE, HEIGHT_SUM     8, 112
/// 2        CONTACTS, NEW_HOLE_ROWS      4, 28
/// 3        SOLID_CELLS, RISE            4, 4
/// 4        STEP_CHANGE, PATTERNS        168, 5
/// ```
pub(super) const COUNTS: usize = 10;
pub(super) const LANDING_ROW: usize = 0;
pub(super) const WELL_CHANGE: usize = 1;
pub(super) const EMPTY_BESIDE: usize = 2;
pub(super) const HEIGHT_SUM: usize = 3;
/// Index, among a placement's counts, of the number of columns that the piece rests on.
pub(super) const CONTACTS: usize = 4;
pub(super) const NEW_HOLE_ROWS: usize = 5;
pub(super) const SOLID_CELLS: usize = 6;
pub(super) const RISE: usize = 7;
/// Index, among a placement's counts, of the change in bumpiness, plus [`STEPS_BIAS`].
pub(super) const STEP_CHANGE: usize = 8;
pub(super) const PATTERNS: usize = 9;

/// Amount added to a placement's change of well depths, so that an unsigned byte can store it.
// The upright I in a well of 28 rows changes the sum by -106; below row 13, 116 is the most.
pub(super) const WELLS_BIAS: u8 = 110;
/// Largest stored change of well depths, with its bias; this and larger changes are recounted.
pub(super) const MAX_WELL_COUNT: u8 = 226;
/// Amount added to a placement's change in bumpiness, so that an unsigned byte can store it.
pub(super) const STEPS_BIAS: u8 = 112;

const MAX_COUNT: [i64; COUNTS] = [28, MAX_WELL_COUNT as i64, 8, 112, 4, 28, 4, 4, 168, 5];

/// Scale and error bounds of weights rounded to two digits, by which placements are preselected.
///
/// ```text
/// weight x scale  =  high x base + low        base 128: low -64 to 63, base 64: low -32 to 31
///
/// sums, in units of the base (counts + start + low digits)
/// -32,513 + 2,500 + 300                        largest sum of a placement that is not eligible
/// -28,000                                      MIN_ELIGIBLE
/// -24,000 - 2,500 - 300 ... 24,000 + 2,500 + 300     eligible placements
/// ```
pub(super) struct Rounded {
    pub(super) scale: f64,
    pub(super) base: i16,
    pub(super) min_eligible: i32,
    /// Largest amount by which the best placement's rounded score can be below the largest one.
    pub(super) slack: i32,
}

/// Largest allowed sum of a placement's counts times the high digits of their weights, so that sums
/// fit 16 bits.
const MAX_HIGH_SUM: i64 = 24_000;
const MAX_START: i64 = 2_500;
const MIN_ELIGIBLE: i32 = -28_000;

impl Weights {
    pub(super) fn set_count_weights(&mut self) {
        let features = &self.features;
        let covered = features[DeltaFeature::Holes] + features[DeltaFeature::AggregateHeight];
        let steps = self.landing.iter().zip(LANDING_FEATURES);
        self.landing_row = steps.map(|(weight, (_, steps))| weight * i64::from(steps)).sum();
        self.exact = [0; COUNTS];
        self.exact[WELL_CHANGE] = features[DeltaFeature::Wells] + features[DeltaFeature::WellsFast];
        self.exact[EMPTY_BESIDE] = 2 * features[DeltaFeature::RowTransitions];
        // Higher columns under the piece leave fewer cells to cover: the weight is negative.
        self.exact[HEIGHT_SUM] = -covered;
        self.exact[CONTACTS] = -2 * features[DeltaFeature::ColumnTransitions];
        self.exact[NEW_HOLE_ROWS] = features[DeltaFeature::RowsWithHoles];
        self.exact[SOLID_CELLS] = -features[DeltaFeature::HoleDepth];
        self.exact[RISE] = features[DeltaFeature::MaxHeight];
        self.exact[STEP_CHANGE] = features[DeltaFeature::Bumpiness];
        self.exact[PATTERNS] = features[DeltaFeature::PatternDiversity];
        // Counts are unsigned bytes, so two of them are biased; the biases are subtracted here
        // once.
        let too_much = i64::from(WELLS_BIAS) * self.exact[WELL_CHANGE]
            + i64::from(STEPS_BIAS) * features[DeltaFeature::Bumpiness];
        self.common = 4
            * (features[DeltaFeature::HoleDepth] + features[DeltaFeature::AggregateHeight])
            - too_much;
    }

    pub(super) fn row_weight(&self, columns: usize) -> i64 {
        self.landing_row
            + 4 * self.cells.row
            + columns as i64
                * (self.features[DeltaFeature::Holes]
                    + self.features[DeltaFeature::AggregateHeight])
    }

    /// Chooses the scale at which rounding the weights loses least, given the constant parts
    /// (`starts`) of all score changes.
    pub(super) fn rounded(
        &self,
        starts: &[i64],
        by_column: &ColumnWeights,
        nonlinear: &NonlinearTerms,
    ) -> Rounded {
        let rows: Vec<i64> = (1..=4).map(|columns| self.row_weight(columns)).collect();
        let used = |k: &usize| self.exact[*k] != 0;
        let most: i64 =
            MAX_COUNT[LANDING_ROW] + (1..COUNTS).filter(used).map(|k| MAX_COUNT[k]).sum::<i64>();
        // The larger base loses less, but its low digits reach 64 and their sum must fit a word
        // too.
        let base = if most * 64 < i64::from(i16::MAX) { 128 } else { 64 };
        let least = starts.iter().copied().min().unwrap_or(0);
        let largest = starts.iter().copied().max().unwrap_or(0);
        let fits = |scale: f64| {
            let high = |weight: i64| split_digits(round(weight, scale), base).0.abs();
            let row = rows.iter().map(|&weight| high(weight)).max().unwrap_or(0);
            let counts = || (1..COUNTS).map(|k| (high(self.exact[k]), MAX_COUNT[k]));
            let sum = row * MAX_COUNT[LANDING_ROW]
                + counts().map(|(high, most)| high * most).sum::<i64>();
            let largest_digit = counts().map(|(high, _)| high).max().unwrap_or(0).max(row);
            let columns = by_column.max_change(|weight| weight.abs() as f64) * scale;
            let start =
                round(largest, scale).abs().max(round(least, scale).abs()) + columns.ceil() as i64;
            largest_digit <= 127
                && sum <= MAX_HIGH_SUM
                && start <= MAX_START * base
                && nonlinear.fit(scale)
        };
        // Maximum amount by which rounding changes the difference of two sums.
        let lost = |scale: f64| {
            let of =
                |w: i64, most: i64| (w as f64 * scale - round(w, scale) as f64).abs() * most as f64;
            let row = rows.iter().map(|&w| of(w, MAX_COUNT[LANDING_ROW])).fold(0.0, f64::max);
            let start = starts.iter().map(|&w| of(w, 1)).fold(0.0, f64::max);
            let counts: f64 = (1..COUNTS).map(|k| of(self.exact[k], MAX_COUNT[k])).sum();
            let error = |weight| (weight as f64 * scale - round(weight, scale) as f64).abs();
            2.0 * (row + start + counts + by_column.max_change(error) + nonlinear.max_error(scale))
        };
        // Weights are whole numbers: if they are small, nothing is lost.
        let mut scale = 1.0;
        while !fits(scale) {
            scale *= 0.97;
        }
        let mut slack = lost(scale);
        if scale < 1.0 {
            // A slightly smaller scale may lose less if weights come close to whole numbers; the
            // smallest ratio of slack to scale wins.
            for part in 0..400 {
                let other = scale * (1.0 - f64::from(part) / 1000.0);
                if lost(other) / other < slack / scale && fits(other) {
                    (scale, slack) = (other, lost(other));
                }
            }
            // 1 more for the rounding of `f64` sums.
            slack += 1.0;
        }
        let slack = slack.ceil() as i32;
        let min_eligible = nonlinear.min_eligible().unwrap_or(MIN_ELIGIBLE * base as i32);
        Rounded { scale, base: base as i16, min_eligible, slack }
    }
}

pub(super) fn round(weight: i64, scale: f64) -> i64 {
    (weight as f64 * scale).round() as i64
}

/// Splits a rounded weight into a high and a low digit: `rounded` = high x `base` + low.
pub(super) fn split_digits(rounded: i64, base: i64) -> (i64, i64) {
    let high = (rounded + base / 2).div_euclid(base);
    // The high digit is the nearest multiple of the base, so that the low digit is smallest.
    (high, rounded - high * base)
}

/// Number of entries in tables by column: five more than the widest board has columns.
const COLUMN_TABLE_LENGTH: usize = MAX_WIDTH + 5;

const MAX: f64 = ROWS as f64;

pub(super) struct ColumnWeights {
    pub(super) heights: [i64; COLUMN_TABLE_LENGTH],
    pub(super) steps: [i64; COLUMN_TABLE_LENGTH],
    rounded_heights: [i32; COLUMN_TABLE_LENGTH],
    rounded_steps: [i32; COLUMN_TABLE_LENGTH],
    /// Sums of the rounded height weights of n adjacent columns from column c on, at `[n - 1][c]`.
    row_weight: [[i32; MAX_WIDTH]; 4],
}

impl Default for ColumnWeights {
    fn default() -> ColumnWeights {
        ColumnWeights {
            heights: [0; COLUMN_TABLE_LENGTH],
            steps: [0; COLUMN_TABLE_LENGTH],
            rounded_heights: [0; COLUMN_TABLE_LENGTH],
            rounded_steps: [0; COLUMN_TABLE_LENGTH],
            row_weight: [[0; MAX_WIDTH]; 4],
        }
    }
}

impl ColumnWeights {
    /// Returns the height features' score change that depends on piece and column alone.
    pub(super) fn shape_constant(&self, shape: &Orientation, column: usize) -> i64 {
        let w = shape.width as usize;
        let top = |j: usize| i64::from(shape.bottom[j] + shape.thickness[j]);
        let tops: i64 = (0..w).map(|j| self.heights[column + j] * top(j)).sum();
        let step = |j: usize| self.steps[column + j] * (top(j) - top(j - 1)).abs();
        tops + (1..w).map(step).sum::<i64>()
    }

    pub(super) fn max_change(&self, of: impl Fn(i64) -> f64) -> f64 {
        // Four columns change height, five steps vanish and two appear, each by at most the number
        // of rows.
        let largest = |weights: &[i64; COLUMN_TABLE_LENGTH], n: usize| {
            let sums = weights.windows(n).map(|some| some.iter().map(|&w| of(w)).sum::<f64>());
            sums.fold(0.0, f64::max)
        };
        MAX * (largest(&self.heights, 4) + largest(&self.steps, 5) + 2.0 * largest(&self.steps, 1))
    }

    pub(super) fn round(&mut self, scale: f64) {
        self.rounded_heights = self.heights.map(|weight| round(weight, scale) as i32);
        self.rounded_steps = self.steps.map(|weight| round(weight, scale) as i32);
        for (width, sums) in (1..).zip(&mut self.row_weight) {
            *sums = std::array::from_fn(|c| self.rounded_heights[c..c + width].iter().sum());
        }
    }

    /// Returns, by leftmost column, the rounded score of heights and height differences under a
    /// piece before the piece lands.
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

    /// Returns the height features' exact score change that depends on the board.
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

    pub(super) fn board_score(&self, heights: &[u8; MAX_WIDTH]) -> i64 {
        let mut sum = self.heights[0] * i64::from(heights[0]);
        for x in 1..MAX_WIDTH {
            sum += self.heights[x] * i64::from(heights[x]);
            sum += self.steps[x] * i64::from(heights[x].abs_diff(heights[x - 1]));
        }
        sum
    }
}

pub(super) struct StartSumsJob<'a> {
    pub(super) delta: &'a Delta,
    pub(super) tables: &'a Tables,
    pub(super) shape: &'a Shape,
    pub(super) landing: &'a Block,
    pub(super) sums: &'a mut SumBlock,
}

impl StartSumsJob<'_> {
    /// Adds the rounded score change by height features to each placement's score in `sums`.
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
                let (k, at) = SumBlock::index(16 * o + c);
                sums.0[k][at] += change[c];
            }
        }
    }
}

#[inline(always)]
fn columns_at<T>(all: &[T], first: usize) -> &[T; MAX_WIDTH] {
    // Always in range; `unreachable` is for the compiler.
    all.get(first..).and_then(<[T]>::first_chunk).unwrap_or_else(|| unreachable!("columns"))
}
