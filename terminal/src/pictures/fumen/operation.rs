//! Where a page's piece lies: rotation and location, as numbers of the format.
//!
//! A piece has four rotations, numbered from that on its head (2 is as it spawns), which turn about a centre; the location
//! is that of the centre, from the top left cell on, but shifted for some pieces whose rotations look alike, since the
//! editor has them where its own pieces are.

use super::field::{ROWS, WIDTH};
use crate::piece::Piece;

/// Rotations in the order in which alike ones are preferred: spawn, right, on its head, left.
const ROTATIONS: [u8; 4] = [2, 1, 0, 3];

/// A cell: column and row, or how far it is from another.
type Cell = (i32, i32);

/// A piece at rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The piece.
    pub piece: Piece,
    /// 0 on its head, 1 turned right, 2 as it spawns, 3 turned left.
    pub(super) rotation: u8,
    /// Column and row of its centre.
    pub(super) centre: Cell,
}

/// The cells of a piece as it spawns, about its centre.
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

/// How far the location of a rotation is from the centre, in columns and rows.
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
    /// The operation of a rotation and a location.
    pub(super) fn at(piece: Piece, rotation: u8, location: usize) -> Operation {
        let (columns, rows) = shift(piece, rotation);
        let (x, y) = ((location % WIDTH) as i32, ROWS as i32 - 1 - (location / WIDTH) as i32);
        Operation { piece, rotation, centre: (x - columns, y - rows) }
    }

    /// Its location; `None` when that lies outside the field.
    pub(super) fn location(&self) -> Option<usize> {
        let (columns, rows) = shift(self.piece, self.rotation);
        let (x, y) = (self.centre.0 + columns, self.centre.1 + rows);
        let inside = (0..WIDTH as i32).contains(&x) && (0..ROWS as i32).contains(&y);
        inside.then(|| (ROWS - 1 - y as usize) * WIDTH + x as usize)
    }

    /// The cells that a piece fills; `None` when one lies outside the rows above the garbage row.
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

    /// The operation by which a piece fills these cells, if there is one.
    #[must_use]
    pub fn of_cells(piece: Piece, cells: [(usize, usize); 4]) -> Option<Operation> {
        let mut wanted = cells;
        wanted.sort_unstable();
        let centres = cells.into_iter().flat_map(|(x, y)| {
            // The centre of every rotation is one of its cells.
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
