//! What is known about an orientation before any board: where its cells meet others.

use super::tables::{COUNT, HELD_LEFT, HELD_RIGHT, Place, WELLS};
use crate::board::{ROWS, full_row};
use crate::kernels::lanes::Line;
use crate::piece::{Orientation, Piece};

/// A sum over rows of one column beside or under the piece, from a table of running sums: what
/// stands at row `to` less what stands at row `from`, both counted from the landing row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    /// Lines of the tables, and the lane in them.
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) at: usize,
}

/// One orientation on boards of one width; lane x stands for column x.
pub(super) struct Form {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Columns where it fits.
    pub(super) count: usize,
    /// Index of the first among the piece's placements.
    pub(super) first: usize,
    /// Its rows in each column.
    pub(super) rows: [Line; 4],
    /// Its rows in column 0, with 32 empty ones below and as many above.
    pub(super) alone: [u16; 2 * ROWS + 4],
    /// Of each column: the row of its lowest cell and how many cells it has.
    pub(super) bottom: [u16; 4],
    pub(super) thickness: [u16; 4],
    /// The row above the highest cell of the first column, and of the last.
    pub(super) ends: [u16; 2],
    /// Steps between the tops of its columns.
    pub(super) own_steps: u16,
    pub(super) intervals: Vec<Interval>,
    /// Empty cells beside its cells and above others of its own.
    pub(super) shoulders: u16,
}

impl Form {
    pub(super) fn all(board_width: usize, piece: Piece) -> Vec<Form> {
        let mut first = 0;
        let form = |shape: &Orientation| {
            let form = Form::new(board_width, first, shape);
            first += form.count;
            form
        };
        piece.orientations().iter().map(form).collect()
    }

    fn new(board_width: usize, first: usize, shape: &Orientation) -> Form {
        let width = shape.width as usize;
        let top = |j: usize| u16::from(shape.bottom[j] + shape.thickness[j]);
        let placed = |row: u16| {
            Line(std::array::from_fn(|x| row.wrapping_shl(x as u32) & full_row(board_width)))
        };
        let mut alone = [0; 2 * ROWS + 4];
        alone[ROWS..ROWS + 4].copy_from_slice(&shape.rows);
        let mut form = Form {
            alone,
            width,
            height: shape.height as usize,
            count: board_width + 1 - width,
            first,
            rows: shape.rows.map(placed),
            bottom: shape.bottom.map(u16::from),
            thickness: shape.thickness.map(u16::from),
            ends: [top(0), top(width - 1)],
            own_steps: (1..width).map(|j| top(j).abs_diff(top(j - 1))).sum(),
            intervals: Vec::new(),
            shoulders: 0,
        };
        form.outside(shape);
        for j in 1..width {
            form.between(shape, j - 1, j, HELD_LEFT);
            form.between(shape, j, j - 1, HELD_RIGHT);
        }
        form.filled(shape);
        form
    }

    fn add(&mut self, table: Place, column: usize, from: u8, to: u8) {
        let line = |row: u8| 2 * row as usize + table.line;
        let at = table.at + column;
        self.intervals.push(Interval { from: line(from), to: line(to), at });
    }

    /// The columns on both sides: cells there have the piece on one side now.
    fn outside(&mut self, shape: &Orientation) {
        let last = shape.width as usize - 1;
        let top = |j: usize| shape.bottom[j] + shape.thickness[j];
        self.add(HELD_LEFT, 0, shape.bottom[0], top(0));
        self.add(HELD_RIGHT, last + 2, shape.bottom[last], top(last));
        if last == 0 {
            return;
        }
        // The n-th cell above an outer column is a well n deep if the cell outside is filled.
        for (outside, outer, inner) in [(0, 0, 1), (last + 2, last, last - 1)] {
            for from in top(outer)..top(inner) {
                self.add(COUNT, outside, from, top(inner));
            }
        }
    }

    /// A column of the piece and a neighbour in it, which reaches lower or higher.
    fn between(&mut self, shape: &Orientation, own: usize, other: usize, held: Place) {
        let top = |j: usize| shape.bottom[j] + shape.thickness[j];
        if shape.bottom[other] < shape.bottom[own] {
            self.add(held, own + 1, shape.bottom[other], shape.bottom[own]);
        }
        self.shoulders += u16::from(top(other).saturating_sub(top(own)));
    }

    /// Wells that the piece fills: counted backwards. Only cells below a neighbour of the same
    /// piece had filled cells on both sides, and those of the upright I.
    fn filled(&mut self, shape: &Orientation) {
        for j in 0..self.width {
            let bottom = shape.bottom[j];
            let beside = [j.wrapping_sub(1), j + 1].into_iter().filter(|&k| k < self.width);
            let to = beside.map(|k| shape.bottom[k]).max().unwrap_or(shape.height);
            if bottom < to {
                self.add(WELLS, j + 1, to, bottom);
            }
        }
    }
}
