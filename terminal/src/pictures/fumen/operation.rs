//! Converts between the cells of a piece and the rotation and location of the fumen format.
//!
//! A piece has four rotations about a centre. Rotation 0 is upside down, and 2 is the spawn state.
//! The location is the centre's index, counted from the top left cell. For some pieces whose
//! rotations look alike it is shifted, because the editor places its own pieces by the shifted
//! location.

use super::field::{ROWS, WIDTH};
use crate::piece::Piece;
use crate::rules::guideline::{Landing, RotationState};

/// Rotation of the fumen format by number of quarter turns from the spawn state, and the reverse.
const ROTATIONS: [u8; 4] = [2, 1, 0, 3];

/// Column and row of a cell, or its offset from another cell.
type Cell = (i32, i32);

/// A piece at rest on a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The piece.
    pub piece: Piece,
    /// Rotation: 0 upside down, 1 right, 2 spawn, 3 left.
    pub(super) rotation: u8,
    /// Column and row of the centre.
    pub(super) centre: Cell,
}

/// Returns the offset from the centre to the location for a rotation, in columns and rows.
fn shift(piece: Piece, rotation: u8) -> Cell {
    match (piece, rotation) {
        (Piece::O, 3) => (-1, 1),
        (Piece::O | Piece::I, 0) | (Piece::Z, 3) => (-1, 0),
        (Piece::O | Piece::S | Piece::Z, 2) | (Piece::I, 3) => (0, 1),
        (Piece::S, 1) => (1, 0),
        _ => (0, 0),
    }
}

impl Operation {
    /// Creates the operation of a piece from its rotation and location in the fumen format.
    pub(super) fn at(piece: Piece, rotation: u8, location: usize) -> Operation {
        let (columns, rows) = shift(piece, rotation);
        let (x, y) = ((location % WIDTH) as i32, ROWS as i32 - 1 - (location / WIDTH) as i32);
        Operation { piece, rotation, centre: (x - columns, y - rows) }
    }

    /// Returns the location that the fumen format stores for the piece. It is the index of the
    /// centre's cell, shifted for some rotations and counted row by row from the top left cell.
    /// Returns `None` if the cell is outside the 10 columns and 23 rows above the garbage row.
    pub(super) fn location(&self) -> Option<usize> {
        let (columns, rows) = shift(self.piece, self.rotation);
        let (x, y) = (self.centre.0 + columns, self.centre.1 + rows);
        let inside = (0..WIDTH as i32).contains(&x) && (0..ROWS as i32).contains(&y);
        inside.then(|| (ROWS - 1 - y as usize) * WIDTH + x as usize)
    }

    /// Returns the placement, or `None` if a cell is outside the rows above the garbage row.
    #[must_use]
    pub fn landing(&self) -> Option<Landing> {
        let state = RotationState::ALL[usize::from(ROTATIONS[usize::from(self.rotation)])];
        let (x, y) = self.centre;
        let landing = Landing::centred(self.piece, state, x.into(), y.into())?;
        landing.cells().iter().all(|&(_, row)| row < ROWS).then_some(landing)
    }

    /// Returns the cells of the piece, or `None` if one is outside the rows above the garbage row.
    #[must_use]
    pub fn cells(&self) -> Option<[(usize, usize); 4]> {
        self.landing().map(Landing::cells)
    }

    /// Returns the operation by which a piece fills these cells, or `None` if there is none.
    #[must_use]
    pub fn of_cells(piece: Piece, cells: [(usize, usize); 4]) -> Option<Operation> {
        let Landing { state, x, y, .. } = Landing::from_cells(piece, cells)?;
        let operation =
            Operation { piece, rotation: ROTATIONS[state.index()], centre: (x.into(), y.into()) };
        Some(operation).filter(|operation| operation.landing().is_some())
    }
}
