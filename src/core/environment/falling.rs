//! Moves and turns a piece on its way down.
//!
//! A piece turns about its *anchor* (`A`), a cell that does not move. Pieces enter the board like
//! this, as in the teaching notebook `tetris_ia`:
//!
//! ```text
//! I    O     T      S      Z      J     L
//! #                               .#    #.
//! #    ##    .#.    .##    ##.    .#    #.
//! #    #A    #A#    #A.    .A#    #A    A#
//! A
//! ```
//!
//! There are no wall kicks: a turn without free cells for it has no effect.

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::piece::{Orientation, Piece};
use crate::placement::{Candidate, Placement};

/// A cell relative to the anchor: columns to the right, rows up.
type Cell = (i8, i8);

/// Cells of the pieces I O T S Z J L when they enter a board, as in the teaching notebook
/// `tetris_ia`, which exchanges the names of S and Z.
const ENTERING: [[Cell; 4]; 7] = [
    [(0, 0), (0, 1), (0, 2), (0, 3)],
    [(0, 0), (0, 1), (-1, 0), (-1, 1)],
    [(0, 0), (-1, 0), (1, 0), (0, 1)],
    [(0, 0), (-1, 0), (0, 1), (1, 1)],
    [(0, 0), (-1, 1), (0, 1), (1, 0)],
    [(0, 0), (-1, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (0, 1), (0, 2)],
];

/// A falling piece: four cells around an anchor. The rows above the board count as free.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, environment::Falling, piece::Piece};
/// let board = Board::empty("6x8".parse()?);
/// let entering = Falling::entering(Piece::T, &board);
/// assert_eq!((entering.column, entering.row), (3, 7));
/// let rest = entering.dropped(&board).unwrap();
/// assert_eq!((rest.row, rest.candidate().row), (0, 0));
/// assert_eq!(entering.resting_places(&board).len(), 4 + 5 + 5 + 4);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Falling {
    piece: Piece,
    cells: [Cell; 4],
    /// Column of the piece's anchor, counted from 0.
    pub column: i32,
    /// Row of the piece's anchor, 0 at the floor.
    pub row: i32,
}

impl Falling {
    /// Creates a piece in its entering orientation, with its anchor in `column` and `row`.
    #[must_use]
    pub fn new(piece: Piece, column: i32, row: i32) -> Falling {
        Falling { piece, cells: ENTERING[piece.index()], column, row }
    }

    /// Creates a piece where it enters a board: its anchor in the middle of the top row.
    #[must_use]
    pub fn entering(piece: Piece, board: &Board) -> Falling {
        Falling::new(piece, board.width() as i32 / 2, board.height() as i32 - 1)
    }

    /// Returns the kind of the piece.
    #[must_use]
    pub fn piece(&self) -> Piece {
        self.piece
    }

    /// Returns the columns and rows of the piece's cells.
    pub fn cells(&self) -> impl Iterator<Item = (i32, i32)> + '_ {
        self.cells.iter().map(|&(x, y)| (self.column + i32::from(x), self.row + i32::from(y)))
    }

    /// Returns the piece moved `columns` to the right and `rows` up, without checks.
    #[must_use]
    pub fn moved(mut self, columns: i32, rows: i32) -> Falling {
        self.column += columns;
        self.row += rows;
        self
    }

    /// Returns the piece turned counter-clockwise about its anchor, without checks.
    #[must_use]
    pub fn turned_left(mut self) -> Falling {
        self.cells = self.cells.map(|(x, y)| (-y, x));
        self
    }

    /// Returns the piece turned clockwise about its anchor, without checks.
    #[must_use]
    pub fn turned_right(mut self) -> Falling {
        self.cells = self.cells.map(|(x, y)| (y, -x));
        self
    }

    /// Returns true if all cells of the piece are free. Cells left or right of the board are never
    /// free, not even above its top. For such cells above the top, the teaching notebook
    /// `tetris_ia` has no check, and its code fails.
    #[must_use]
    pub fn fits(&self, board: &Board) -> bool {
        self.cells().all(|(column, row)| {
            let inside = (0..board.width() as i32).contains(&column) && row >= 0;
            let above = row >= board.height() as i32;
            inside && (above || !board.is_filled(column as usize, row as usize))
        })
    }

    /// Returns true if the piece is at rest, that is, does not fit one row further down.
    #[must_use]
    pub fn rests(&self, board: &Board) -> bool {
        !self.moved(0, -1).fits(board)
    }

    /// Returns the piece after a straight drop, or `None` if it does not fit where it is.
    #[must_use]
    pub fn dropped(self, board: &Board) -> Option<Falling> {
        let mut falling = self.fits(board).then_some(self)?;
        while !falling.rests(board) {
            falling = falling.moved(0, -1);
        }
        Some(falling)
    }

    /// Returns the piece at rest after it moved from the middle of the top row to `column` and
    /// dropped. Returns `None` if filled cells or a wall block it.
    #[must_use]
    pub fn dropped_in(self, board: &Board, column: i32) -> Option<Falling> {
        let Falling { column: middle, row, .. } = Falling::entering(self.piece, board);
        let mut falling = Falling { column: middle, row, ..self };
        while falling.fits(board) && falling.column != column {
            falling = falling.moved((column - falling.column).signum(), 0);
        }
        falling.dropped(board)
    }

    /// Returns all resting places reachable by turns, moves in the top row and a drop, ordered by
    /// turn and then column. The order of turns is none, right, left, half; I, S and Z use the
    /// first two, and O only the first.
    #[must_use]
    pub fn resting_places(self, board: &Board) -> Vec<Falling> {
        let all =
            [self, self.turned_right(), self.turned_left(), self.turned_right().turned_right()];
        let turns = self.piece.orientations().len();
        let columns = 0..board.width() as i32;
        all[..turns]
            .iter()
            .flat_map(|turned| {
                columns.clone().filter_map(|column| turned.dropped_in(board, column))
            })
            .collect()
    }

    /// Returns true if the piece and `other` have equal cells relative to their anchors.
    #[must_use]
    pub fn is_turned_like(&self, other: &Falling) -> bool {
        // Comparing in one direction is enough, since both have four different cells.
        self.cells.iter().all(|cell| other.cells.contains(cell))
    }

    /// Returns `board` with the piece's cells filled. Cells above the top are cut off, as when a
    /// piece is locked. If `wraps` is true, these cells reappear at the floor, as in the search of
    /// the teaching notebook `tetris_ia`. The method `Board.add` of the notebook counts rows from
    /// the top, and NumPy reads row -1 as the last.
    #[must_use]
    pub fn on(&self, board: &Board, wraps: bool) -> Board {
        let height = board.height() as i32;
        self.cells().fold(*board, |board, (column, row)| match row {
            row if row < height => board.with(column as usize, row as usize),
            row if wraps => board.with(column as usize, (row - height) as usize),
            _ => board,
        })
    }

    /// Returns the candidate placement that fills the cells of this piece.
    #[must_use]
    pub fn candidate(&self) -> Candidate {
        let least = |of: fn((i32, i32)) -> i32| self.cells().map(of).min().unwrap_or(0);
        let (column, row) = (least(|cell| cell.0), least(|cell| cell.1));
        let mut rows = [0u16; 4];
        self.cells().for_each(|cell| rows[(cell.1 - row) as usize] |= 1 << (cell.0 - column));
        let same = |orientation: &Orientation| orientation.rows == rows;
        let orientation = self.piece.orientations().iter().position(same).unwrap_or(0) as u8;
        Candidate { placement: Placement { orientation, column: column as u8 }, row: row as u8 }
    }
}
