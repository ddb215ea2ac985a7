//! Tabulates a piece's placements, one byte each: orientation o in column c is byte 16 o + c.

use super::weights::{
    COUNTS, ColumnWeights, DeltaFeature, LANDING_ROW, Rounded, Weights, round, split_digits,
};
use crate::board::{BoardSize, MAX_WIDTH, ROWS};
use crate::kernels::shapes::Shapes;
use crate::piece::{Orientation, Piece};
use crate::simd::{Block, Lanes16, SumBlock};

/// Number of rows from the highest row of a set to row 2, by set of rows 0 to 2; 255 if empty.
const DISTANCE_TO_THIRD_ROW: [u8; 8] = [255, 2, 1, 1, 0, 0, 0, 0];

/// Tables of all placements of a piece. Columns count from the left of the piece, and rows from its
/// lowest cell.
///
/// A table of values has one byte for each placement. A lookup table has sixteen entries for each
/// orientation, indexed by a set of four rows: bit k stands for row r + k, where r is the landing
/// row.
///
/// ```text
/// J, orientation 1    .#        bottom    [0, 0]      cells[0] = 0b001   cells[1] = 0b111
///                     .#        thickness [1, 3]      under    = 0       in_row   = [2, 1, 1, 255]
///                     ##        ends      [1, 3]      patterns = 1 << 4: the step within is +2
/// J, orientation 2    ###       bottom    [1, 1, 0]   cells    = 0b10, 0b10, 0b11
///                     ..#       thickness [1, 1, 2]   under    = 0b01, 0b01, 0: covered rows
/// ```
pub(super) struct Shape {
    pub(super) first: [u8; 4],
    pub(super) fits: Vec<u8>,
    /// Row of the piece's lowest cell in each of its columns, or [`ABSENT_COLUMN`].
    pub(super) bottom: [Block; 4],
    pub(super) thickness: [Block; 4],
    pub(super) cells: [Block; 3],
    pub(super) under: [Block; 3],
    /// Number of empty cells beside the piece in a column of the board, by set of filled rows in
    /// this column.
    pub(super) empty_beside: [Block; 5],
    /// Number of well cells created beside or below the piece minus well cells filled, by set of
    /// changed rows in a column.
    pub(super) count_change: [Block; 5],
    /// Part of the change of well depths due to how far rows lie above the landing row, by set of
    /// changed rows in a column.
    pub(super) row_change: [Block; 5],
    /// Distance from the highest well cell beside or below the piece to row 2 of the piece, by set
    /// of well cells in a column.
    pub(super) fast_row: [Block; 5],
    /// Depths that new well cells above the piece add to the feature `wells_fast`, by set of well
    /// cells in a column.
    pub(super) fast_above: [Block; 3],
    /// Number of the piece's cells in each of its rows; 255 for rows above the piece.
    pub(super) in_row: [Block; 4],
    pub(super) highest: Block,
    pub(super) height: Block,
    /// Byte 255 for orientations that are three or four columns wide, 0 for narrower ones.
    pub(super) wider: Block,
    pub(super) inside: Block,
    pub(super) valid: u64,
    /// Heights of the piece's leftmost and rightmost column, measured from the landing row.
    pub(super) ends: [Block; 2],
    /// Bytes: 255 if the board has a column on the placement's left (`[0]`) or right (`[1]`), else
    /// 0.
    pub(super) has_side: [Block; 2],
    pub(super) patterns: Block,
    pub(super) start: SumBlock,
    /// Exact score change by each placement, as far as it does not depend on the board.
    pub(super) exact: [i64; 64],
    pub(super) landing: [i64; 64],
    pub(super) row_weight: [i64; 4],
    /// Digits of the rounded weights of each pair of counts: high digits in `[0]`, low digits in
    /// `[1]`.
    pub(super) digits: [[Block; 2]; COUNTS / 2],
    /// Rows of each orientation in column 0, with 32 empty rows below and above.
    padded_rows: Vec<[u16; 2 * ROWS + 4]>,
    pub(super) heights: Vec<u8>,
    pub(super) widths: Vec<usize>,
    pub(super) row_cells: Vec<[u8; 4]>,
    pub(super) column_cells: [[u16; 4]; 4],
    pub(super) tops: [[u8; 4]; 4],
}

/// Marker for a column that the piece lacks, which equals no height of a column.
// A height minus 128 saturates to 0; a landing row plus 128 equals no height, nor `solid`'s 127.
const ABSENT_COLUMN: u8 = 128;

fn pattern(step: i32) -> u8 {
    if (-2..=2).contains(&step) { 1 << (2 + step) } else { 0 }
}

impl Shape {
    /// Tabulates all placements of `piece`, except for the rounded weights, which [`Shape::round`]
    /// adds.
    pub(super) fn new(
        size: BoardSize,
        piece: Piece,
        weights: &Weights,
        by_column: &ColumnWeights,
    ) -> Shape {
        let (zero, all) = (Block::ZERO, Block([u8::MAX; 64]));
        let width = size.width();
        let mut shape = Shape {
            first: [0; 4],
            fits: Vec::new(),
            bottom: [Block([ABSENT_COLUMN; 64]); 4],
            thickness: [zero; 4],
            cells: [zero; 3],
            under: [zero; 3],
            empty_beside: [zero; 5],
            count_change: [zero; 5],
            row_change: [zero; 5],
            fast_row: [zero; 5],
            fast_above: [zero; 3],
            in_row: [all; 4],
            highest: zero,
            height: zero,
            wider: zero,
            inside: zero,
            valid: 0,
            ends: [zero; 2],
            has_side: [zero; 2],
            patterns: zero,
            start: SumBlock([[0; 16]; 4]),
            exact: [0; 64],
            landing: [0; 64],
            row_weight: [0; 4],
            digits: [[zero; 2]; COUNTS / 2],
            padded_rows: Vec::new(),
            heights: Vec::new(),
            widths: Vec::new(),
            row_cells: Vec::new(),
            column_cells: [[0; 4]; 4],
            tops: [[0; 4]; 4],
        };
        let constants = Shapes::new(width, piece);
        let mut first = 0;
        for (o, orientation) in piece.orientations().iter().enumerate() {
            let fits = width + 1 - orientation.width as usize;
            shape.first[o] = first;
            shape.fits.push(fits as u8);
            // All sixteen columns: bytes of pieces beyond the wall are computed with the rest and
            // excluded by `inside`.
            for column in 0..MAX_WIDTH {
                shape.set_lane(size, 16 * o + column, orientation);
            }
            shape.set_tables(o, orientation);
            shape.set_fast_tables(o, orientation);
            for column in 0..fits {
                let lane = 16 * o + column;
                let index = first as usize + column;
                let landing = weights.landing.iter().zip(&constants.landing);
                let constant =
                    |(weight, of): (&i64, &Lanes16)| weight * i64::from(of.0[index] as i16);
                shape.landing[lane] = landing.map(constant).sum();
                shape.exact[lane] = shape.landing[lane]
                    + shape_constant(orientation, weights)
                    + weights.cells.shape_constant(orientation, column, width)
                    + by_column.shape_constant(orientation, column);
            }
            shape.row_weight[o] = weights.row_weight(orientation.width as usize);
            first += fits as u8;
            let mut padded_rows = [0; 2 * ROWS + 4];
            padded_rows[ROWS..ROWS + 4].copy_from_slice(&orientation.rows);
            shape.padded_rows.push(padded_rows);
            for j in 0..orientation.width as usize {
                let (bottom, top) =
                    (orientation.bottom[j], orientation.bottom[j] + orientation.thickness[j]);
                shape.column_cells[o][j] = (1 << top) - (1 << bottom);
                shape.tops[o][j] = top;
            }
            shape.heights.push(orientation.height);
            shape.widths.push(orientation.width as usize);
            shape.row_cells.push(orientation.rows.map(|row| row.count_ones() as u8));
        }
        shape
    }

    pub(super) fn lanes(&self) -> impl Iterator<Item = usize> + Clone {
        self.fits
            .iter()
            .enumerate()
            .flat_map(|(o, &fits)| (0..fits as usize).map(move |c| 16 * o + c))
    }

    pub(super) fn round(&mut self, weights: &Weights, rounded: &Rounded) {
        let lanes: Vec<usize> = self.lanes().collect();
        for lane in lanes {
            let (k, at) = SumBlock::index(lane);
            self.start.0[k][at] = round(self.exact[lane], rounded.scale) as i32;
        }
        let base = i64::from(rounded.base);
        for k in 0..COUNTS {
            // Weights of a pair alternate, since multiply-add takes bytes in twos.
            for at in (k % 2..64).step_by(2) {
                // The landing row's weight depends on the orientation: it counts once for each
                // covered column.
                let weight =
                    if k == LANDING_ROW { self.row_weight[at / 16] } else { weights.exact[k] };
                let (high, low) = split_digits(round(weight, rounded.scale), base);
                for (digit, value) in [high, low].into_iter().enumerate() {
                    self.digits[k / 2][digit].0[at] = value as u8;
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn index(&self, lane: usize) -> usize {
        self.first[lane / 16 % 4] as usize + lane % 16
    }

    /// Returns the rows of an empty board with the piece in column 0, its lowest cell in `row`.
    #[inline(always)]
    pub(super) fn rows_at(&self, lane: usize, row: usize) -> &[u16; ROWS] {
        let from = ROWS - row.min(ROWS);
        // Always in range; the alternative is for the compiler.
        self.padded_rows[lane / 16][from..].first_chunk().unwrap_or(&[0; ROWS])
    }

    fn set_lane(&mut self, size: BoardSize, lane: usize, shape: &Orientation) {
        let (column, w) = (lane % 16, shape.width as usize);
        let top = |j: usize| shape.bottom[j] + shape.thickness[j];
        for j in 0..w {
            self.bottom[j].0[lane] = shape.bottom[j];
            self.thickness[j].0[lane] = shape.thickness[j];
            // Only the I has four columns; its cells and tables are separate.
            if j < 3 {
                self.cells[j].0[lane] = ((1 << shape.thickness[j]) - 1) << shape.bottom[j];
                self.under[j].0[lane] = (1 << shape.bottom[j]) - 1;
            }
        }
        for k in 0..shape.height as usize {
            self.in_row[k].0[lane] = shape.rows[k].count_ones() as u8;
        }
        self.height.0[lane] = shape.height;
        self.highest.0[lane] = (size.height() as u8).saturating_sub(shape.height);
        // Two widths at most, 2 and 3, or 1 and 4 for the I: one mask tells them apart.
        self.wider.0[lane] = if w >= 3 { u8::MAX } else { 0 };
        if column + w <= size.width() {
            self.inside.0[lane] = 1;
            self.valid |= 1 << lane;
        }
        self.ends[0].0[lane] = top(0);
        self.ends[1].0[lane] = top(w - 1);
        self.has_side[0].0[lane] = if column > 0 { u8::MAX } else { 0 };
        self.has_side[1].0[lane] = if column + w < size.width() { u8::MAX } else { 0 };
        for j in 1..w {
            self.patterns.0[lane] |= pattern(i32::from(top(j)) - i32::from(top(j - 1)));
        }
    }

    fn set_fast_tables(&mut self, o: usize, shape: &Orientation) {
        for (d, index) in (0..5).flat_map(|d| (0..16).map(move |index| (d, index))) {
            let own = d >= 1 && d <= shape.width as usize;
            let (bottom, top) = match own {
                true => (shape.bottom[d - 1], shape.bottom[d - 1] + shape.thickness[d - 1]),
                // Beside the piece no row counts as above it: in all three rows the depth begins at
                // the column's height.
                false => (3, 3),
            };
            let at = 16 * o + index;
            self.fast_row[d].0[at] = DISTANCE_TO_THIRD_ROW[index & ((1 << bottom) - 1) & 7];
            let over = index as u8 & 7 & !((1 << top) - 1);
            if own && d <= 3 && over != 0 {
                let n = (8 - over.leading_zeros()) as u8 - top;
                self.fast_above[d - 1].0[at] = n * (n + 1) / 2;
            }
        }
    }

    fn set_tables(&mut self, o: usize, shape: &Orientation) {
        let w = shape.width as usize;
        let filled = |j: usize, k: usize| j < w && shape.rows[k] >> j & 1 == 1;
        for d in 0..5 {
            for index in 0..16usize {
                let at = 16 * o + index;
                for k in (0..4).filter(|&k| k < shape.height as usize) {
                    let left = d >= 2 && filled(d - 2, k);
                    // Column d of five is column d - 1 of the piece. It is beside a cell at d - 2
                    // or d, but no cell.
                    let beside = (left || filled(d, k)) && !(d >= 1 && filled(d - 1, k));
                    self.empty_beside[d].0[at] += u8::from(beside && index >> k & 1 == 0);
                }
                let own = d.wrapping_sub(1);
                let (bottom, top) = match own < w {
                    true => (shape.bottom[own], shape.bottom[own] + shape.thickness[own]),
                    false => (3, 3),
                };
                let (mut count, mut rows) = (0i8, 0i8);
                for k in (0..3).filter(|k| index >> k & 1 == 1) {
                    let row = k as i8 - 2;
                    if k < bottom {
                        (count, rows) = (count + 1, rows + row);
                    } else if k < top {
                        (count, rows) = (count - 1, rows - row);
                    } else {
                        rows += (k + 1 - top) as i8;
                    }
                }
                self.count_change[d].0[at] = count as u8;
                self.row_change[d].0[at] = rows as u8;
            }
        }
    }
}

fn shape_constant(shape: &Orientation, weights: &Weights) -> i64 {
    let w = shape.width as usize;
    let top = |j: usize| i64::from(shape.bottom[j] + shape.thickness[j]);
    let steps: i64 = (1..w).map(|j| (top(j) - top(j - 1)).abs()).sum();
    let bottoms: i64 = shape.bottom[..w].iter().map(|&bottom| i64::from(bottom)).sum();
    let features = &weights.features;
    features[DeltaFeature::Bumpiness] * steps
        - 2 * features[DeltaFeature::RowTransitions] * i64::from(shape.height)
        + 2 * features[DeltaFeature::ColumnTransitions] * w as i64
        + (features[DeltaFeature::Holes] + features[DeltaFeature::AggregateHeight]) * bottoms
}
