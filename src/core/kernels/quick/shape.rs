//! The placements of a piece, one byte each.

use super::Weights;
use crate::board::MAX_WIDTH;
use crate::kernels::shapes::Shapes;
use crate::piece::{Orientation, Piece};
use crate::placement::Placements;

/// One byte per placement.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::kernels) struct Bytes(pub(in crate::kernels) [u8; 64]);

/// A rounded score per placement: four registers, column c in register c % 4.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(in crate::kernels) struct Sums(pub(in crate::kernels) [i32; 64]);

/// A rounded score below all others.
pub(in crate::kernels) const LOWEST: i32 = -(1 << 30);

/// All placements of a piece. Columns of the piece's box count from its left, rows from its
/// lowest cell.
pub(in crate::kernels) struct Shape {
    /// Bytes that are placements.
    pub(in crate::kernels) valid: u64,
    /// The byte of each placement.
    pub(in crate::kernels) lanes: Vec<u8>,
    /// The first placement of each orientation.
    pub(in crate::kernels) first: [u8; 4],
    /// Row of the lowest cell in each column; 255 where there is none.
    pub(in crate::kernels) bottom: [Bytes; 4],
    /// Cells in each column.
    pub(in crate::kernels) thickness: [Bytes; 4],
    /// 255 where a column is not there, and the bytes where it is.
    pub(in crate::kernels) absent: [Bytes; 4],
    pub(in crate::kernels) present: [u64; 4],
    /// Rows of the cells in each column.
    pub(in crate::kernels) cells: [Bytes; 4],
    /// Rows of the cells beside the piece, from the column on its left on.
    pub(in crate::kernels) beside: [Bytes; 5],
    /// Rows of the box below the piece, by column.
    pub(in crate::kernels) under: [Bytes; 3],
    /// What rows of a column can become, from the column on the left on (see `wells`).
    pub(in crate::kernels) runs: [Bytes; 5],
    /// Cells in each row; 255 above the piece.
    pub(in crate::kernels) in_row: [Bytes; 4],
    pub(in crate::kernels) height: Bytes,
    /// Placements wider than the least wide by one, or flat ones of the I.
    pub(in crate::kernels) wide: u64,
    /// Heights of the outermost columns, and where there are columns beside them.
    pub(in crate::kernels) ends: [Bytes; 2],
    pub(in crate::kernels) has_side: [u64; 2],
    /// Steps of -2, ... 2 within the piece, one bit each.
    pub(in crate::kernels) patterns: Bytes,
    /// What does not depend on the board, rounded and exact.
    pub(in crate::kernels) start: Sums,
    pub(in crate::kernels) exact: [i64; 64],
    /// The part of the landing feature in it.
    pub(in crate::kernels) landing: [i64; 64],
    /// The rows, lowest first, 16 bits each.
    pub(in crate::kernels) rows: [u64; 64],
}

/// The bits of a pattern: bit 2 + step.
fn pattern(step: i32) -> u8 {
    if (-2..=2).contains(&step) { 1 << (2 + step) } else { 0 }
}

/// The kind of a column: rows from `bottom` on and below `top` are the piece's. Outside the piece
/// it is 0.
pub(in crate::kernels) const RUNS: [(u8, u8); 7] =
    [(3, 3), (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

impl Shape {
    pub(super) fn new(
        width: usize,
        piece: Piece,
        landing: Option<usize>,
        weights: &Weights,
    ) -> Shape {
        let zero = Bytes([0; 64]);
        let all = Bytes([u8::MAX; 64]);
        let mut shape = Shape {
            valid: 0,
            lanes: Vec::new(),
            first: [0; 4],
            bottom: [all; 4],
            thickness: [zero; 4],
            absent: [all; 4],
            present: [0; 4],
            cells: [zero; 4],
            beside: [zero; 5],
            under: [zero; 3],
            runs: [zero; 5],
            in_row: [all; 4],
            height: zero,
            wide: 0,
            ends: [zero; 2],
            has_side: [0; 2],
            patterns: zero,
            start: Sums([LOWEST; 64]),
            exact: [0; 64],
            landing: [0; 64],
            rows: [0; 64],
        };
        let constants = Shapes::new(width, piece);
        for (o, orientation) in piece.orientations().iter().enumerate() {
            for column in 0..MAX_WIDTH {
                shape.lay(width, 4 * column + o, orientation);
            }
        }
        for (index, &placement) in Placements::new(width).of(piece).iter().enumerate() {
            let (o, column) = (placement.orientation as usize, placement.column as usize);
            let lane = 4 * column + o;
            shape.valid |= 1 << lane;
            shape.lanes.push(lane as u8);
            if column == 0 {
                shape.first[o] = index as u8;
            }
            let orientation = &piece.orientations()[o];
            let of_row = landing
                .map_or(0, |k| i64::from(constants.landing[k].0[constants.lane(placement)] as i16));
            shape.landing[lane] = weights.landing * of_row;
            let exact = shape.landing[lane] + of_shape(orientation, weights);
            // Four cells of height are the same for all.
            shape.exact[lane] = exact + 4 * weights.known[6];
            shape.start.0[16 * (column % 4) + column / 4 * 4 + o] = weights.round(exact) as i32;
        }
        shape
    }

    /// The place of a byte's placement in canonical order.
    #[inline]
    pub(in crate::kernels) fn index(&self, lane: usize) -> usize {
        self.first[lane % 4] as usize + lane / 4
    }

    /// One placement, which may reach beyond the right wall.
    fn lay(&mut self, width: usize, lane: usize, shape: &Orientation) {
        let (column, w) = (lane / 4, shape.width as usize);
        let bit = 1u64 << lane;
        let top = |j: usize| shape.bottom[j] + shape.thickness[j];
        let filled = |j: usize, k: usize| j < w && shape.rows[k] >> j & 1 == 1;
        for j in 0..w {
            self.bottom[j].0[lane] = shape.bottom[j];
            self.thickness[j].0[lane] = shape.thickness[j];
            self.absent[j].0[lane] = 0;
            self.present[j] |= bit;
            self.cells[j].0[lane] = ((1 << shape.thickness[j]) - 1) << shape.bottom[j];
            if j < 3 {
                self.under[j].0[lane] = (1 << shape.bottom[j]) - 1;
                let kind = RUNS.iter().position(|&run| run == (shape.bottom[j], top(j)));
                self.runs[j + 1].0[lane] = 8 * kind.unwrap_or(0) as u8;
            }
        }
        for k in 0..shape.height as usize {
            self.in_row[k].0[lane] = shape.rows[k].count_ones() as u8;
            for d in 0..5 {
                let left = d >= 2 && filled(d - 2, k);
                let beside = (left || filled(d, k)) && !(d >= 1 && filled(d - 1, k));
                self.beside[d].0[lane] |= u8::from(beside) << k;
            }
        }
        self.height.0[lane] = shape.height;
        self.wide |= if w >= 3 { bit } else { 0 };
        self.ends[0].0[lane] = top(0);
        self.ends[1].0[lane] = top(w - 1);
        self.has_side[0] |= if column > 0 { bit } else { 0 };
        self.has_side[1] |= if column + w < width { bit } else { 0 };
        for j in 1..w {
            self.patterns.0[lane] |= pattern(i32::from(top(j)) - i32::from(top(j - 1)));
        }
        for k in 0..4 {
            let row = shape.rows[k].checked_shl(column as u32).unwrap_or(0);
            self.rows[lane] |= u64::from(row) << (16 * k);
        }
    }
}

/// What an orientation adds to the score wherever it comes to rest.
fn of_shape(shape: &Orientation, weights: &Weights) -> i64 {
    let top = |j: usize| i64::from(shape.bottom[j] + shape.thickness[j]);
    let steps: i64 = (1..shape.width as usize).map(|j| (top(j) - top(j - 1)).abs()).sum();
    let known = &weights.known;
    known[7] * (steps - 128) - 2 * known[0] * i64::from(shape.height)
}
