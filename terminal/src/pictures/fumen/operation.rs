//! Converts between the cells of a piece and the rotation and location of the fumen format.
//!
//! A piece has four rotations about a centre. Rotation 0 is upside down, and 2 is the spawn state.
//! The location is the centre's index, counted from the top left cell. For some pieces whose
//! rotations look alike it is shifted, because the editor places its own pieces by the shifted
//! location.

use super::field::{ROWS, WIDTH};
use crate::piece::Piece;

/// Rotations in order of preference among those that fill the same cells: spawn, right, upside
/// down, left.
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

/// Returns the cells of a piece in its spawn state, relative to its centre.
fn spawned(piece: Piece) -> [Cell; 4] {
    match piece {
        Piece::I => [(-1, 0), (0, 0), (1, 0), (2, 0)],
        Piece::O => [(0, 0), (1, 0), (0, 1), (1, 1)],
        Piece::T => [(-1, 0), (0, 0), (1, 0), (0, 1)],
        Piece::L => [(-1, 0), (0, 0), (1, 0), (1, 1)],
        Piece::J => [(-1, 0), (0, 0), (1, 0), (-1, 1)],
        Piece::S => [(-1, 0), (0, 0), (0, 1), (1, 1)],
        Piece::Z => [(-1, 1), (0, 1), (0, 0), (1, 0)],
    }
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

    /// Returns the cells of the piece, or `None` if one is outside the rows above the garbage row.
    #[must_use]
    pub fn cells(&self) -> Option<[(usize, usize); 4]> {
        let turned = |(x, y): Cell| match self.rotation {
            0 => (-x, -y),
            1 => (y, -x),
            3 => (-y, x),
            _ => (x, y),
        };
        let cells = spawned(self.piece).map(turned);
        let cells = cells.map(|(x, y)| (self.centre.0 + x, self.centre.1 + y));
        let inside =
            |&(x, y): &Cell| (0..WIDTH as i32).contains(&x) && (0..ROWS as i32).contains(&y);
        cells.iter().all(inside).then(|| cells.map(|(x, y)| (x as usize, y as usize)))
    }

    /// Returns the operation by which a piece fills these cells, or `None` if there is none.
    #[must_use]
    pub fn of_cells(piece: Piece, cells: [(usize, usize); 4]) -> Option<Operation> {
        let mut wanted = cells;
        wanted.sort_unstable();
        let centres = cells.into_iter().flat_map(|(x, y)| {
            // For every rotation the centre is one of the cells.
            ROTATIONS.map(|rotation| Operation { piece, rotation, centre: (x as i32, y as i32) })
        });
        let fills = |operation: &Operation| {
            operation.location().is_some()
                && operation.cells().is_some_and(|mut cells| {
                    cells.sort_unstable();
                    cells == wanted
                })
        };
        let rank = |operation: &Operation| {
            ROTATIONS.into_iter().position(|rotation| rotation == operation.rotation)
        };
        centres.filter(fills).min_by_key(rank)
    }
}
