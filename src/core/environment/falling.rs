//! A piece on its way down.
//!
//! It turns about an *anchor*, the cell that keeps its place (`A`); as they enter, in the notebook's code:
//!
//! ```text
//! I    O     T      S      Z      J     L
//! #                               .#    #.
//! #    ##    .#.    .##    ##.    .#    #.
//! #    #A    #A#    #A.    .A#    #A    A#
//! A
//! ```
//!
//! There are no kicks: a turn that does not fit is not made.

use crate::board::Board;
use crate::piece::{Orientation, Piece};
use crate::placement::{Candidate, Placement};

/// A cell relative to the anchor: columns to the right, rows up.
type Cell = (i8, i8);

/// The cells of I O T S Z J L as they enter, in the notebook's code (which counts rows
/// downward and calls our S its Z).
const ENTERING: [[Cell; 4]; 7] = [
    [(0, 0), (0, 1), (0, 2), (0, 3)],
    [(0, 0), (0, 1), (-1, 0), (-1, 1)],
    [(0, 0), (-1, 0), (1, 0), (0, 1)],
    [(0, 0), (-1, 0), (0, 1), (1, 1)],
    [(0, 0), (-1, 1), (0, 1), (1, 0)],
    [(0, 0), (-1, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (0, 1), (0, 2)],
];

/// A piece with its four cells around an anchor. Rows at and above the board's height are free.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Falling {
    piece: Piece,
    cells: [Cell; 4],
    /// Column of the anchor, 0-based.
    pub column: i32,
    /// Row of the anchor, 0 at the floor.
    pub row: i32,
}

impl Falling {
    /// A piece as it enters, its anchor in this column and row.
    #[must_use]
    pub fn new(piece: Piece, column: i32, row: i32) -> Falling {
        Falling { piece, cells: ENTERING[piece.index()], column, row }
    }

    /// A piece where it enters a board: its anchor in the middle of the top row.
    #[must_use]
    pub fn entering(piece: Piece, board: &Board) -> Falling {
        Falling::new(piece, board.width() as i32 / 2, board.height() as i32 - 1)
    }

    /// Which piece it is.
    #[must_use]
    pub fn piece(&self) -> Piece {
        self.piece
    }

    /// Columns and rows of its cells.
    pub fn cells(&self) -> impl Iterator<Item = (i32, i32)> + '_ {
        self.cells.iter().map(|&(x, y)| (self.column + i32::from(x), self.row + i32::from(y)))
    }

    /// Moved by columns (to the right) and rows (up), whatever is there.
    #[must_use]
    pub fn moved(mut self, columns: i32, rows: i32) -> Falling {
        self.column += columns;
        self.row += rows;
        self
    }

    /// Turned counter-clockwise about the anchor, whatever is there.
    #[must_use]
    pub fn turned_left(mut self) -> Falling {
        self.cells = self.cells.map(|(x, y)| (-y, x));
        self
    }

    /// Turned clockwise about the anchor, whatever is there.
    #[must_use]
    pub fn turned_right(mut self) -> Falling {
        self.cells = self.cells.map(|(x, y)| (y, -x));
        self
    }

    /// Whether all its cells are free. No column beside the board is, not even above its top, where the
    /// notebook's code forgets to look and then fails.
    #[must_use]
    pub fn fits(&self, board: &Board) -> bool {
        self.cells().all(|(column, row)| {
            let inside = (0..board.width() as i32).contains(&column) && row >= 0;
            let above = row >= board.height() as i32;
            inside && (above || !board.is_filled(column as usize, row as usize))
        })
    }

    /// Whether it has come to rest: it does not fit one row further down.
    #[must_use]
    pub fn rests(&self, board: &Board) -> bool {
        !self.moved(0, -1).fits(board)
    }

    /// Where it comes to rest, straight down; `None` when it doesn't even fit where it is.
    #[must_use]
    pub fn dropped(self, board: &Board) -> Option<Falling> {
        let mut falling = self.fits(board).then_some(self)?;
        while !falling.rests(board) {
            falling = falling.moved(0, -1);
        }
        Some(falling)
    }

    /// Where it comes to rest from the middle of the top row by steps to a column and then straight down;
    /// `None` when something is in the way.
    #[must_use]
    pub fn dropped_in(self, board: &Board, column: i32) -> Option<Falling> {
        let Falling { column: middle, row, .. } = Falling::entering(self.piece, board);
        let mut falling = Falling { column: middle, row, ..self };
        while falling.fits(board) && falling.column != column {
            falling = falling.moved((column - falling.column).signum(), 0);
        }
        falling.dropped(board)
    }

    /// Everywhere it can come to rest by turns, steps in the top row and a drop: first as it is, then turned
    /// right, left and over (only right for I, S and Z, not at all for O), by columns.
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

    /// Whether another has the same cells around its anchor.
    #[must_use]
    pub fn is_turned_like(&self, other: &Falling) -> bool {
        // One way is enough: both have four different cells.
        self.cells.iter().all(|cell| other.cells.contains(cell))
    }

    /// The board with its cells. What stands out above the top is cut off, as when a piece is locked, or with
    /// `wraps` comes up from the floor, as where the notebook's player plans: its `Board.add` counts rows
    /// from the top, and NumPy takes row -1 for the last.
    #[must_use]
    pub fn on(&self, board: &Board, wraps: bool) -> Board {
        let height = board.height() as i32;
        self.cells().fold(*board, |board, (column, row)| match row {
            row if row < height => board.with(column as usize, row as usize),
            row if wraps => board.with(column as usize, (row - height) as usize),
            _ => board,
        })
    }

    /// The placement with the same cells.
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
