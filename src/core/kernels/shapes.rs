//! The placements of one piece on boards of one width, laid out by lane.

use crate::piece::Piece;
use crate::placement::{Candidate, Placement, Placements};
use crate::simd::{LANES, Line};

/// All placements of a piece in canonical order, one lane each.
///
/// ```text
/// J on a board four wide:  lane 0 1 | 2 3 4 | 5 6 | 7 8 9      rows[0] of lanes 0, 1: ###. .###
///                orientation   0    |   1   |  2  |   3        rows[1] of lanes 0, 1: #... .#..
///                     column 0 1    | 0 1 2 | 0 1 | 0 1 2      (rows[1] lies above rows[0])
/// ```
pub(super) struct Shapes {
    pub(super) count: usize,
    pub(super) placements: Vec<Placement>,
    /// First lane of each orientation.
    pub(super) first: [usize; 4],
    /// The piece's rows in their columns, lowest first.
    pub(super) rows: [Line; 4],
    /// The board columns under the piece; a repeated one where it is narrower than four.
    pub(super) columns: [[u8; LANES]; 4],
    /// What the height of such a column counts less.
    pub(super) bottoms: [[u8; LANES]; 4],
    /// Rows of the piece.
    pub(super) height: [u8; LANES],
    /// What each landing feature adds to its multiple of the landing row.
    pub(super) landing: [Line; LANDING.len()],
}

/// The features of the landing row alone: name and rows to one step.
///
/// Each is `steps x row + constant`, the constant depending on the orientation alone, so that a placement costs
/// one multiplication: half rows for `landing_height`, quarter rows (four cells) for `landing_height_mean`.
pub(super) const LANDING: [(&str, u16); 4] = [
    ("landing_height", 2),
    ("landing_height_mean", 4),
    ("landing_height_anchor", 1),
    ("piece_height_unity", 1),
];

impl Shapes {
    /// The placements of a piece on boards of this width.
    pub(super) fn new(width: usize, piece: Piece) -> Shapes {
        let placements = Placements::new(width).of(piece).to_vec();
        let mut shapes = Shapes {
            count: placements.len(),
            placements: Vec::new(),
            first: [0; 4],
            rows: [Line::ZERO; 4],
            columns: [[0; LANES]; 4],
            bottoms: [[0; LANES]; 4],
            height: [0; LANES],
            landing: [Line::ZERO; LANDING.len()],
        };
        for (lane, &placement) in placements.iter().enumerate() {
            shapes.set(lane, piece, placement);
        }
        shapes.placements = placements;
        shapes
    }

    /// Lays out one placement.
    fn set(&mut self, lane: usize, piece: Piece, placement: Placement) {
        let shape = &piece.orientations()[placement.orientation as usize];
        if placement.column == 0 {
            self.first[placement.orientation as usize] = lane;
        }
        self.height[lane] = shape.height;
        for k in 0..4 {
            // A column again in place of one that is not there, so that the highest of four is the highest of
            // those that are.
            let within = k.min(shape.width as usize - 1);
            self.rows[k].0[lane] = shape.rows[k] << placement.column;
            self.columns[k][lane] = placement.column + within as u8;
            self.bottoms[k][lane] = shape.bottom[within];
        }
        // Four cells in quarter rows: the sum of their rows, counted from one, is four times their mean.
        let weighted: u16 = (1..).zip(shape.rows).map(|(k, row)| k * row.count_ones() as u16).sum();
        let top_of_left = shape.bottom[0] + shape.thickness[0] - 1;
        let constants = [
            u16::from(shape.height) - 1,
            weighted,
            u16::from(shape.anchor_row) + 1,
            // As a word that wraps, since it is less than nothing and the sum with the row is read as signed.
            u16::from(top_of_left).wrapping_neg(),
        ];
        for (line, constant) in self.landing.iter_mut().zip(constants) {
            line.0[lane] = constant;
        }
    }

    /// The lane of a placement.
    pub(super) fn lane(&self, placement: Placement) -> usize {
        self.first[placement.orientation as usize] + placement.column as usize
    }

    /// The placement of a lane that lands on `row`.
    pub(super) fn candidate(&self, lane: usize, row: u8) -> Candidate {
        Candidate { placement: self.placements[lane], row }
    }

    /// The landing rows of all placements dropped from above.
    pub(super) fn landing_rows(&self, heights: &[u8; 16]) -> [u8; LANES] {
        let mut rows = [0; LANES];
        for (lane, row) in rows[..self.count].iter_mut().enumerate() {
            let rest = |k: usize| {
                // Masked so that the compiler drops the check of the index: columns are below 16.
                let height = heights[self.columns[k][lane] as usize & 15];
                height.saturating_sub(self.bottoms[k][lane])
            };
            *row = rest(0).max(rest(1)).max(rest(2)).max(rest(3));
        }
        rows
    }
}
