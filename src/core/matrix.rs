//! Stores the matrix of a guideline game: ten columns of 32 rows, one `u32` per column.
//!
//! In a column, row number r is bit 31 - r, so the floor is the highest bit. A piece falls toward
//! the high bits, and one addition lets an orientation fall from all its positions at once
//! ([`crate::rules::guideline::MoveGenerator`]). The full rows are the AND of the ten columns.
//!
//! ```text
//! row 1   #.........    column 0 = 11000000 00000000 00000000 00000000
//! row 0   ##.#######    column 1 = 10000000 00000000 00000000 00000000
//!                       column 2 = 00000000 00000000 00000000 00000000
//!                                  ^ bit 31 is the floor            ^ bit 0 is row 31
//! ```

use serde::{Deserialize, Serialize};

use std::fmt;
use std::str::FromStr;

use crate::board::{Board, BoardSize, MIN_SIDE};
use crate::error::setting::BOARD;
use crate::error::{Error, Result};

/// Number of columns of the matrix, the board of a guideline game.
pub const WIDTH: usize = 10;
/// Number of rows stored in a matrix: 32 of the guideline's 40, so that a column fits one `u32`.
pub const ROWS: usize = 32;
/// Number of visible rows of a matrix. A piece that locks wholly above them may end the game.
pub const VISIBLE: usize = 20;

/// The matrix (board) of a guideline game: its settled cells in ten columns of 32 rows.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::matrix::Matrix;
/// let matrix: Matrix = "#.........\n##########\n##.#######".parse()?;
/// let (after, lines) = matrix.clear();
/// assert_eq!((after.to_string().as_str(), lines), ("#.........\n##.#######\n", 1));
/// assert_eq!(after.heights()[..3], [2, 1, 0]);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Matrix {
    columns: [u32; WIDTH],
}

/// Returns the bit that stands for row number `row` in a column of a matrix: bit 31 for the floor.
#[must_use]
pub const fn bit(row: usize) -> u32 {
    1 << (ROWS - 1 - row)
}

/// Returns the bits of all rows below `row` in a column of a matrix.
#[must_use]
pub(crate) const fn below(row: usize) -> u32 {
    if row == 0 { 0 } else { u32::MAX << (ROWS - row) }
}

impl Matrix {
    /// Matrix without filled cells.
    pub const EMPTY: Matrix = Matrix { columns: [0; WIDTH] };

    /// Creates a matrix from its columns, leftmost first; bit 31 of each is the floor.
    #[must_use]
    pub const fn from_columns(columns: [u32; WIDTH]) -> Matrix {
        Matrix { columns }
    }

    /// Returns all columns of the matrix, leftmost first; bit 31 of each is the floor.
    #[must_use]
    pub const fn columns(&self) -> &[u32; WIDTH] {
        &self.columns
    }

    /// Returns true if the cell at `column` and `row`, counted from 0 at the lower left, is filled.
    /// The cell must be inside the matrix; [`Matrix::is_blocked`] takes any cell.
    #[must_use]
    pub fn is_filled(&self, column: usize, row: usize) -> bool {
        self.columns[column] & bit(row) != 0
    }

    /// Returns true if the matrix's cell at `column` and `row` is filled, or outside the matrix.
    #[must_use]
    pub fn is_blocked(&self, column: i32, row: i32) -> bool {
        let inside = (0..WIDTH as i32).contains(&column) && (0..ROWS as i32).contains(&row);
        !inside || self.is_filled(column as usize, row as usize)
    }

    /// Returns the number of free cells directly below a cell, down to the next filled cell or the
    /// floor.
    pub(crate) fn free_below(&self, column: i32, row: i32) -> i32 {
        let column = usize::try_from(column).ok().and_then(|column| self.columns.get(column));
        let row = row.clamp(0, ROWS as i32);
        // The shift moves the next lower row to bit 0, and the rows below it to the bits above.
        let under = |cells: &u32| cells.checked_shr((ROWS as i32 - row) as u32).unwrap_or(0);
        column.map_or(0, |cells| (under(cells).trailing_zeros() as i32).min(row))
    }

    /// Returns the matrix with the cell at `column` and `row` filled, too.
    #[must_use = "returns a new matrix; the old one is unchanged"]
    pub fn with(mut self, column: usize, row: usize) -> Matrix {
        self.columns[column] |= bit(row);
        self
    }

    /// Returns the height of a column: the row of its highest filled cell plus one, or 0 if empty.
    #[must_use]
    pub fn height(&self, column: usize) -> usize {
        // The lowest set bit is the highest filled cell; an empty column has 32 trailing zeros.
        ROWS - self.columns[column].trailing_zeros() as usize
    }

    /// Returns the heights of all columns of the matrix, in rows ([`Matrix::height`]).
    #[must_use]
    pub fn heights(&self) -> [u8; WIDTH] {
        self.columns.map(|column| (ROWS as u32 - column.trailing_zeros()) as u8)
    }

    /// Returns the height of the stack: the number of rows up to the highest filled cell.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let any = self.columns.iter().fold(0, |any, column| any | column);
        ROWS - any.trailing_zeros() as usize
    }

    /// Returns true if no cell of the matrix is filled.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Matrix::EMPTY
    }

    /// Returns the number of filled cells in the matrix.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.columns.iter().map(|column| column.count_ones()).sum()
    }

    /// Returns a bit mask of the matrix's full rows; row number r is bit 31 - r, as in a column.
    #[must_use]
    pub fn full_rows(&self) -> u32 {
        self.columns.iter().fold(u32::MAX, |full, column| full & column)
    }

    /// Returns the matrix without its full rows, and the number of removed rows.
    #[must_use = "returns a new matrix; the old one is unchanged"]
    pub fn clear(self) -> (Matrix, u32) {
        let full = self.full_rows();
        if full == 0 { (self, 0) } else { (self.without_rows(full), full.count_ones()) }
    }

    /// Returns the matrix without the rows in `mask` (row r is bit 31 - r). Higher rows move down.
    #[must_use = "returns a new matrix; the old one is unchanged"]
    pub(crate) fn without_rows(mut self, mut mask: u32) -> Matrix {
        // Rows are removed from the highest down, because a removal moves only the rows above it.
        while mask != 0 {
            let row = mask & mask.wrapping_neg();
            let above = row - 1;
            for column in &mut self.columns {
                *column = *column & !(row | above) | (*column & above) << 1;
            }
            mask &= mask - 1;
        }
        self
    }

    /// Returns the matrix with row number `row` and all higher rows emptied.
    #[must_use = "returns a new matrix; the old one is unchanged"]
    pub fn without_rows_from(mut self, row: usize) -> Matrix {
        for column in &mut self.columns {
            *column &= below(row);
        }
        self
    }

    /// Lifts the matrix by one row and inserts `row` at the floor. Returns false if a filled cell
    /// is then above the lowest `height` rows.
    pub fn lift(&mut self, row: u16, height: usize) -> bool {
        // Bit 0 of `row` is the leftmost column.
        let fits = self.stack_height() < height;
        for (number, column) in self.columns.iter_mut().enumerate() {
            *column = *column >> 1 | u32::from(row >> number & 1) << (ROWS - 1);
        }
        fits
    }

    /// Returns the matrix mirrored left to right, on which S lands like Z, and J like L.
    #[must_use]
    pub fn mirrored(mut self) -> Matrix {
        self.columns.reverse();
        self
    }

    /// Returns the cells of the matrix's row number `row`; bit 0 is the leftmost column.
    #[must_use]
    pub fn row(&self, row: usize) -> u16 {
        let cell = |column: usize| u16::from(self.is_filled(column, row)) << column;
        (0..WIDTH).map(cell).sum()
    }

    /// Returns a classic 10x20 board with the cells in rows 0 to 23 of the matrix.
    #[must_use]
    pub fn to_board(&self) -> Board {
        const HEIGHT: usize = VISIBLE + MIN_SIDE;
        let rows: [u16; HEIGHT] = std::array::from_fn(|row| self.row(row));
        let size = BoardSize::new(WIDTH, VISIBLE);
        let board = size.and_then(|size| Board::from_rows(size, &rows));
        // Ten columns and 24 rows always fit a board, so the fallback is unreachable.
        board.unwrap_or_else(|_| unreachable!("ten columns and 24 rows fit a board"))
    }

    /// Creates a matrix from a classic board, which must have ten columns.
    pub fn from_board(board: &Board) -> Result<Matrix> {
        if board.width() != WIDTH {
            return Err(Error::Config(format!(
                "guideline rules play on {WIDTH} columns, not {}: use {BOARD} {WIDTH}x{VISIBLE}",
                board.width()
            )));
        }
        let mut matrix = Matrix::EMPTY;
        for (row, &cells) in board.rows().iter().enumerate() {
            for column in (0..WIDTH).filter(|column| cells >> column & 1 == 1) {
                matrix = matrix.with(column, row);
            }
        }
        Ok(matrix)
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..self.stack_height().max(1)).rev() {
            for column in 0..WIDTH {
                f.write_str(if self.is_filled(column, row) { "#" } else { "." })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl FromStr for Matrix {
    type Err = Error;

    /// Parses a picture of a matrix, one line per row, top row first; `/` may replace a line end.
    fn from_str(text: &str) -> Result<Matrix> {
        let lines: Vec<&str> = text.trim().split(['\n', '/']).map(str::trim).collect();
        if lines.len() > ROWS {
            return Err(Error::Config(format!(
                "a matrix has at most {ROWS} rows, not {}: leave out empty rows above",
                lines.len()
            )));
        }
        let mut matrix = Matrix::EMPTY;
        for (index, line) in lines.iter().enumerate() {
            let wrong = |problem: String| Error::Picture { line: index + 1, problem };
            let cells = line.chars().count();
            if cells != WIDTH {
                return Err(wrong(format!("{cells} cells, but a matrix has {WIDTH} columns")));
            }
            for (column, cell) in line.chars().enumerate() {
                match cell {
                    '#' => matrix = matrix.with(column, lines.len() - 1 - index),
                    '.' => {}
                    _ => return Err(wrong(format!("'{cell}' is neither '.' nor '#'"))),
                }
            }
        }
        Ok(matrix)
    }
}
