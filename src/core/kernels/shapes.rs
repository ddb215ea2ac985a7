//! Tabulates the placements of one piece on boards of one width, one vector lane each.

use crate::board::MAX_WIDTH;
use crate::piece::Piece;
use crate::placement::{Candidate, Placement, Placements};
use crate::simd::{LANES, Lanes16};

/// Tables of a piece's placements: element l of each table belongs to the l-th placement, in the
/// order of orientations and then columns.
///
/// ```text
/// J on a board four wide:  lane 0 1 | 2 3 4 | 5 6 | 7 8 9     rows[0] of lanes 0, 1: ###. .###
///                orientation   0    |   1   |  2  |   3       rows[1] of lanes 0, 1: #... .#..
///                     column 0 1    | 0 1 2 | 0 1 | 0 1 2     (rows[1] lies above rows[0])
/// ```
pub(super) struct Shapes {
    pub(super) count: usize,
    pub(super) placements: Vec<Placement>,
    pub(super) first: [usize; 4],
    /// Cells of the piece in each placement, by row from its lowest; bit c is board column c.
    pub(super) rows: [Lanes16; 4],
    drops: Vec<Drops>,
    pub(super) height: [u8; LANES],
    /// Raw value of each of the [`LANDING_FEATURES`] if the piece lands on row 0, by placement.
    pub(super) landing: [Lanes16; LANDING_FEATURES.len()],
}

struct Drops {
    first: usize,
    columns: [u8; 4],
    bottoms: [u8; 4],
}

/// Names of the features that grow with the landing row, and by how many raw-value steps per row.
pub(super) const LANDING_FEATURES: [(&str, u16); 4] = [
    ("landing_height", 2),
    ("landing_height_mean", 4),
    ("landing_height_anchor", 1),
    ("piece_height_unity", 1),
];

impl Shapes {
    pub(super) fn new(width: usize, piece: Piece) -> Shapes {
        let placements = Placements::new(width).of_piece(piece).to_vec();
        let mut shapes = Shapes {
            count: placements.len(),
            placements: Vec::new(),
            first: [0; 4],
            rows: [Lanes16::ZERO; 4],
            drops: Vec::new(),
            height: [0; LANES],
            landing: [Lanes16::ZERO; LANDING_FEATURES.len()],
        };
        for (lane, &placement) in placements.iter().enumerate() {
            shapes.set(lane, piece, placement);
        }
        shapes.placements = placements;
        shapes
    }

    fn set(&mut self, lane: usize, piece: Piece, placement: Placement) {
        let shape = &piece.orientations()[placement.orientation as usize];
        if placement.column == 0 {
            self.first[placement.orientation as usize] = lane;
            // The last column repeats, so that the maximum of four is the maximum of the piece's
            // columns.
            let within = std::array::from_fn(|k| k.min(shape.width as usize - 1));
            let bottoms = within.map(|column| shape.bottom[column]);
            self.drops.push(Drops {
                first: lane,
                columns: within.map(|column| column as u8),
                bottoms,
            });
        }
        self.height[lane] = shape.height;
        for k in 0..4 {
            self.rows[k].0[lane] = shape.rows[k] << placement.column;
        }
        // In quarter rows: the sum of the four cells' rows, counted from one, is four times their
        // mean.
        let weighted: u16 = (1..).zip(shape.rows).map(|(k, row)| k * row.count_ones() as u16).sum();
        let top_of_left = shape.bottom[0] + shape.thickness[0] - 1;
        let constants = [
            u16::from(shape.height) - 1,
            weighted,
            u16::from(shape.anchor_row) + 1,
            // Wraps below zero; the sum with the row is read as signed.
            u16::from(top_of_left).wrapping_neg(),
        ];
        for (line, constant) in self.landing.iter_mut().zip(constants) {
            line.0[lane] = constant;
        }
    }

    pub(super) fn lane(&self, placement: Placement) -> usize {
        self.first[placement.orientation as usize] + placement.column as usize
    }

    pub(super) fn candidate(&self, lane: usize, row: u8) -> Candidate {
        Candidate { placement: self.placements[lane], row }
    }

    #[inline(never)]
    pub(super) fn landing_rows(&self, heights: &[u8; 16]) -> [u8; LANES] {
        let mut beside = [0; 2 * MAX_WIDTH];
        beside[..MAX_WIDTH].copy_from_slice(heights);
        let mut rows = [0; LANES];
        for &Drops { first, columns, bottoms } in &self.drops {
            // All columns at once: the compiler makes this a few vector instructions.
            let mut landing = [0u8; MAX_WIDTH];
            for k in 0..4 {
                let under = &beside[usize::from(columns[k]) % MAX_WIDTH..][..MAX_WIDTH];
                for (row, height) in landing.iter_mut().zip(under) {
                    *row = (*row).max(height.saturating_sub(bottoms[k]));
                }
            }
            // Rows beyond the orientation's columns are overwritten by the next orientation.
            let to = &mut rows[first..];
            let count = to.len().min(MAX_WIDTH);
            to[..count].copy_from_slice(&landing[..count]);
        }
        rows
    }
}

/// Iterator over the indices of the set bits of a mask, lowest first.
pub(crate) struct SetBits(pub(crate) u64);

impl Iterator for SetBits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let index = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(index)
    }
}
