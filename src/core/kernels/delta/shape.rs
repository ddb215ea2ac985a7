//! The placements of a piece, one byte each: orientation o in column c is byte 16 o + c.

use super::by_column::ByColumn;
use super::fast::BELOW_THIRD;
use super::weights::{COUNTS, DeltaFeature, LANDING, Rounded, Weights, digits, round};
use crate::board::{BoardSize, MAX_WIDTH, ROWS};
use crate::kernels::shapes::Shapes;
use crate::piece::{Orientation, Piece};
use crate::simd::{Block, SumBlock};

/// All placements of a piece. Columns of the piece's box count from its left, rows from its
/// lowest cell.
///
/// Tables that belong to a placement have a value in each of its bytes; tables that are looked up in have
/// sixteen entries for an orientation, by the four rows of a window (bit k: row r + k).
///
/// ```text
/// J, orientation 1    .#        bottom    [0, 0]      cells[0] = 0b001   cells[1] = 0b111
///                     .#        thickness [1, 3]      under    = 0       in_row   = [2, 1, 1, 255]
///                     ##        ends      [1, 3]      patterns = 1 << 4: the step within is +2
/// J, orientation 2    ###       bottom    [1, 1, 0]   cells    = 0b10, 0b10, 0b11
///                     ..#       thickness [1, 1, 2]   under    = 0b01, 0b01, 0: covered when it comes down
/// ```
pub(super) struct Shape {
    /// The first placement of each orientation, and how many there are.
    pub(super) first: [u8; 4],
    pub(super) fits: Vec<u8>,
    /// Row of the lowest cell in each column; [`ABSENT`] where there is none.
    pub(super) bottom: [Block; 4],
    /// 255 in the bytes that count the cells of a column.
    pub(super) thickness: [Block; 4],
    /// Rows of the cells in each column.
    pub(super) cells: [Block; 3],
    /// Rows of the box below the piece, by column.
    pub(super) under: [Block; 3],
    /// From the column on the left on: for each window of four rows, the empty cells beside the piece.
    pub(super) open: [Block; 5],
    /// From the column on the left on: for each change of the well cells in three rows, how many come
    /// (rows below the piece and beside it) or go (rows of the piece) whose depth counts from the height
    /// of their column; and what their rows add. New ones above the piece count whole.
    pub(super) come: [Block; 5],
    pub(super) rows_add: [Block; 5],
    /// The same columns for fast wells: for the well cells in three rows, how far the highest that is not above the
    /// piece lies below the third; and of the piece's columns 1 + ... + n of those above it.
    pub(super) fast_row: [Block; 5],
    pub(super) fast_above: [Block; 3],
    /// Cells in each row; 255 above the piece.
    /// Compared with the empty cells of the row on the board: equal where the piece fills it.
    pub(super) in_row: [Block; 4],
    /// The highest row where it may land.
    pub(super) highest: Block,
    pub(super) height: Block,
    /// 255 for placements wider than the least wide.
    pub(super) wider: Block,
    /// 1 for bytes that are placements, and a bit for each.
    pub(super) inside: Block,
    pub(super) valid: u64,
    /// Heights of the outermost columns, and 255 where there are columns beside them.
    pub(super) ends: [Block; 2],
    pub(super) has_side: [Block; 2],
    /// Steps of -2, ... 2 within the piece, one bit each.
    pub(super) patterns: Block,
    /// What does not depend on the board, rounded and exact.
    pub(super) start: SumBlock,
    pub(super) exact: [i64; 64],
    /// The part of the landing feature in it.
    pub(super) landing: [i64; 64],
    /// The weight of the landing row, by orientation.
    pub(super) of_row: [i64; 4],
    /// For each pair of counts and each digit, the high one first: both weights in turn, the same for all columns.
    pub(super) digits: [[Block; 2]; COUNTS / 2],
    /// Rows of each orientation in column 0, with 32 empty ones below and as many above.
    ///
    /// ```text
    /// index   0 ... 31 | 32 33 34 35 | 36 ... 67
    ///          empty   | its four rows | empty       `rows_at(row)`: 32 rows from 32 - row on, so that the
    ///                                                piece stands at `row`, without a shift of rows
    /// ```
    alone: Vec<[u16; 2 * ROWS + 4]>,
    /// Rows of each orientation, and cells in them.
    pub(super) heights: Vec<u8>,
    pub(super) widths: Vec<usize>,
    pub(super) row_cells: Vec<[u8; 4]>,
}

/// Where there is no column: above all heights, and never equal to one.
///
/// Heights less this are 0, so that it never decides where a piece lands; a landing row and this are 128 or
/// more, and neither a height nor the 127 of `solid` is, so that the piece never rests on it.
const ABSENT: u8 = 128;

/// The bits of a pattern: bit 2 + step.
fn pattern(step: i32) -> u8 {
    if (-2..=2).contains(&step) { 1 << (2 + step) } else { 0 }
}

impl Shape {
    /// The placements of a piece on boards of one size, with what a landing feature, by its place in the list of
    /// `kernels::shapes`, and weights by column add to each. Rounded weights are put in later, by
    /// [`Shape::round`], since their scale depends on the constants of all pieces.
    pub(super) fn new(
        size: BoardSize,
        piece: Piece,
        landing: Option<usize>,
        weights: &Weights,
        by_column: &ByColumn,
    ) -> Shape {
        let (zero, all) = (Block::ZERO, Block([u8::MAX; 64]));
        let width = size.width();
        let mut shape = Shape {
            first: [0; 4],
            fits: Vec::new(),
            bottom: [Block([ABSENT; 64]); 4],
            thickness: [zero; 4],
            cells: [zero; 3],
            under: [zero; 3],
            open: [zero; 5],
            come: [zero; 5],
            rows_add: [zero; 5],
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
            of_row: [0; 4],
            digits: [[zero; 2]; COUNTS / 2],
            alone: Vec::new(),
            heights: Vec::new(),
            widths: Vec::new(),
            row_cells: Vec::new(),
        };
        let constants = Shapes::new(width, piece);
        let mut first = 0;
        for (o, orientation) in piece.orientations().iter().enumerate() {
            let fits = width + 1 - orientation.width as usize;
            shape.first[o] = first;
            shape.fits.push(fits as u8);
            // All sixteen, also where the piece reaches beyond the wall, since those bytes are computed with
            // the rest; `inside` leaves them out.
            for column in 0..MAX_WIDTH {
                shape.lay(size, 16 * o + column, orientation);
            }
            shape.tables(o, orientation);
            shape.fast_tables(o, orientation);
            for column in 0..fits {
                let lane = 16 * o + column;
                let index = first as usize + column;
                let of_row = landing.map_or(0, |k| i64::from(constants.landing[k].0[index] as i16));
                shape.landing[lane] = weights.landing * of_row;
                shape.exact[lane] = shape.landing[lane]
                    + of_shape(orientation, weights)
                    + by_column.of_shape(orientation, column);
            }
            shape.of_row[o] = weights.of_row(orientation.width as usize);
            first += fits as u8;
            let mut alone = [0; 2 * ROWS + 4];
            alone[ROWS..ROWS + 4].copy_from_slice(&orientation.rows);
            shape.alone.push(alone);
            shape.heights.push(orientation.height);
            shape.widths.push(orientation.width as usize);
            shape.row_cells.push(orientation.rows.map(|row| row.count_ones() as u8));
        }
        shape
    }

    /// The bytes of all placements in canonical order.
    pub(super) fn lanes(&self) -> impl Iterator<Item = usize> + Clone {
        self.fits
            .iter()
            .enumerate()
            .flat_map(|(o, &fits)| (0..fits as usize).map(move |c| 16 * o + c))
    }

    /// Rounds the weights.
    pub(super) fn round(&mut self, weights: &Weights, rounded: &Rounded) {
        let lanes: Vec<usize> = self.lanes().collect();
        for lane in lanes {
            let (k, at) = SumBlock::place(lane);
            self.start.0[k][at] = round(self.exact[lane], rounded.scale) as i32;
        }
        let base = i64::from(rounded.base);
        for k in 0..COUNTS {
            // Weights of two counts alternate, since multiply-add takes bytes in twos: a count and its partner.
            for at in (k % 2..64).step_by(2) {
                // The landing row counts once for each column that it covers, so that its weight is the
                // orientation's.
                let weight = if k == LANDING { self.of_row[at / 16] } else { weights.exact[k] };
                let (high, low) = digits(round(weight, rounded.scale), base);
                for (digit, value) in [high, low].into_iter().enumerate() {
                    self.digits[k / 2][digit].0[at] = value as u8;
                }
            }
        }
    }

    /// The place of a byte's placement in canonical order.
    #[inline(always)]
    pub(super) fn index(&self, lane: usize) -> usize {
        self.first[lane / 16 % 4] as usize + lane % 16
    }

    /// Its rows in column 0 where it lands on `row`.
    #[inline(always)]
    pub(super) fn rows_at(&self, lane: usize, row: usize) -> &[u16; ROWS] {
        let from = ROWS - row.min(ROWS);
        // Always in range: for the compiler.
        self.alone[lane / 16][from..].first_chunk().unwrap_or(&[0; ROWS])
    }

    /// One placement, which may reach beyond the right wall.
    fn lay(&mut self, size: BoardSize, lane: usize, shape: &Orientation) {
        let (column, w) = (lane % 16, shape.width as usize);
        let top = |j: usize| shape.bottom[j] + shape.thickness[j];
        for j in 0..w {
            self.bottom[j].0[lane] = shape.bottom[j];
            self.thickness[j].0[lane] = shape.thickness[j];
            // Only the I has four columns, whose cells and tables stand apart.
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
        // A piece has two widths at most: 2 and 3, of the I 1 and 4, so that one mask tells which.
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

    /// Its tables for fast wells.
    fn fast_tables(&mut self, o: usize, shape: &Orientation) {
        for (d, index) in (0..5).flat_map(|d| (0..16).map(move |index| (d, index))) {
            let own = d >= 1 && d <= shape.width as usize;
            let (bottom, top) = match own {
                true => (shape.bottom[d - 1], shape.bottom[d - 1] + shape.thickness[d - 1]),
                // Beside the piece no row lies above it: all three count from the height of their column.
                false => (3, 3),
            };
            let at = 16 * o + index;
            self.fast_row[d].0[at] = BELOW_THIRD[index & ((1 << bottom) - 1) & 7];
            let over = index as u8 & 7 & !((1 << top) - 1);
            if own && d <= 3 && over != 0 {
                let n = (8 - over.leading_zeros()) as u8 - top;
                self.fast_above[d - 1].0[at] = n * (n + 1) / 2;
            }
        }
    }

    /// Its tables, indexed by four rows of a column.
    fn tables(&mut self, o: usize, shape: &Orientation) {
        let w = shape.width as usize;
        let filled = |j: usize, k: usize| j < w && shape.rows[k] >> j & 1 == 1;
        for d in 0..5 {
            for index in 0..16usize {
                let at = 16 * o + index;
                for k in (0..4).filter(|&k| k < shape.height as usize) {
                    let left = d >= 2 && filled(d - 2, k);
                    // Column d of five is column d - 1 of the piece: it is beside a cell at d - 2 or at d, and
                    // no cell itself.
                    let beside = (left || filled(d, k)) && !(d >= 1 && filled(d - 1, k));
                    self.open[d].0[at] += u8::from(beside && index >> k & 1 == 0);
                }
                let own = d.wrapping_sub(1);
                let (bottom, top) = match own < w {
                    true => (shape.bottom[own], shape.bottom[own] + shape.thickness[own]),
                    false => (3, 3),
                };
                let (mut come, mut rows_add) = (0i8, 0i8);
                for k in (0..3).filter(|k| index >> k & 1 == 1) {
                    let row = k as i8 - 2;
                    if k < bottom {
                        (come, rows_add) = (come + 1, rows_add + row);
                    } else if k < top {
                        (come, rows_add) = (come - 1, rows_add - row);
                    } else {
                        rows_add += (k + 1 - top) as i8;
                    }
                }
                self.come[d].0[at] = come as u8;
                self.rows_add[d].0[at] = rows_add as u8;
            }
        }
    }
}

/// What an orientation adds to the score wherever it comes to rest, but for what all do.
fn of_shape(shape: &Orientation, weights: &Weights) -> i64 {
    let w = shape.width as usize;
    let top = |j: usize| i64::from(shape.bottom[j] + shape.thickness[j]);
    let steps: i64 = (1..w).map(|j| (top(j) - top(j - 1)).abs()).sum();
    let bottoms: i64 = shape.bottom[..w].iter().map(|&bottom| i64::from(bottom)).sum();
    let known = &weights.known;
    known[DeltaFeature::Bumpiness] * steps
        - 2 * known[DeltaFeature::RowTransitions] * i64::from(shape.height)
        + 2 * known[DeltaFeature::ColumnTransitions] * w as i64
        + (known[DeltaFeature::Holes] + known[DeltaFeature::AggregateHeight]) * bottoms
}
