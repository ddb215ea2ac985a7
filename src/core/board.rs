//! Stores a classic board as one `u16` per row: row 0 at the floor, bit 0 the leftmost column.
//!
//! Widths 4 to 16 and heights 4 to 28 are chosen at run time. Storage always has 32 rows, so that a
//! piece that overflows the highest board still fits and vector code can load all rows.
//!
//! ```text
//! #..#    rows()[2] = 0b1001
//! ##.#    rows()[1] = 0b1011    the leftmost cell is the lowest bit, so a
//! ##.#    rows()[0] = 0b1011    binary literal shows the row mirrored
//! ```
//!
//! Finding a full row is one comparison, and the vector kernels keep a row of up to 32 boards in
//! one register. Guideline games, in which pieces turn and slide, use [`crate::matrix`].

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::setting::BOARD;
use crate::error::{Error, Result, quoted};
use crate::piece::Orientation;

/// Number of rows stored for every classic board: up to 28 in play, and 4 for overflowing pieces.
pub const ROWS: usize = 32;
/// Smallest width (in columns) and smallest height (in rows) of a classic board.
pub const MIN_SIDE: usize = 4;
/// Largest width of a classic board, in columns.
pub const MAX_WIDTH: usize = 16;
/// Largest height of a classic board, in rows.
pub const MAX_HEIGHT: usize = 28;

/// The size of a classic board, width (columns) by height (rows), written `10x20`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardSize {
    width: u8,
    height: u8,
}

impl BoardSize {
    /// Creates a board size of 4 to 16 columns and 4 to 28 rows in play.
    pub fn new(width: usize, height: usize) -> Result<BoardSize> {
        let fits =
            (MIN_SIDE..=MAX_WIDTH).contains(&width) && (MIN_SIDE..=MAX_HEIGHT).contains(&height);
        if !fits {
            return Err(Error::BoardSize { given: format!("{width}x{height}") });
        }
        Ok(BoardSize { width: width as u8, height: height as u8 })
    }

    /// Returns the board's number of columns, 4 to 16.
    #[must_use]
    pub fn width(self) -> usize {
        self.width as usize
    }

    /// Returns the board's number of rows in play, 4 to 28.
    #[must_use]
    pub fn height(self) -> usize {
        self.height as usize
    }
}

crate::by_text!(BoardSize);

impl FromStr for BoardSize {
    type Err = Error;

    fn from_str(text: &str) -> Result<BoardSize> {
        let wrong = || Error::BoardSize { given: text.to_owned() };
        let (width, height) = text.split_once(['x', 'X']).ok_or_else(wrong)?;
        let width = width.parse().map_err(|_| wrong())?;
        let height = height.parse().map_err(|_| wrong())?;
        BoardSize::new(width, height)
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// The board of a classic game: its size and the settled cells. Constructors and parsers return
/// only valid boards ([`Board::validate`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Board {
    rows: [u16; ROWS],
    width: u8,
    height: u8,
}

/// A condition that every valid board fulfils, checked by [`Board::validate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invariant {
    /// The board has 4 to 16 columns and 4 to 28 rows.
    #[error("size in range")]
    SizeInRange,
    /// No filled cell is to the right of the board's last column.
    #[error("cells inside the walls")]
    CellsInsideWalls,
    /// No filled cell is above the four rows over the board that an overflowing piece may reach.
    #[error("cells below the storage's end")]
    CellsBelowOverflow,
}

impl Board {
    /// Creates an empty board of the given size.
    #[must_use]
    pub fn empty(size: BoardSize) -> Board {
        Board { rows: [0; ROWS], width: size.width, height: size.height }
    }

    /// Creates a board from the bits of its rows, floor first; bit 0 is the leftmost column. Fails
    /// if the board is not valid.
    pub fn from_rows(size: BoardSize, rows: &[u16]) -> Result<Board> {
        let mut board = Board::empty(size);
        let too_many = || Error::Config(format!("a board has at most {ROWS} rows"));
        board.rows.get_mut(..rows.len()).ok_or_else(too_many)?.copy_from_slice(rows);
        board.validate().map_err(|broken| Error::Config(format!("not a board: {broken}")))?;
        Ok(board)
    }

    /// Parses a picture of a board; empty top rows may be left out. Without `size`, ten columns
    /// make a board of 20 or more rows.
    pub fn from_picture(text: &str, size: Option<BoardSize>) -> Result<Board> {
        let (width, rows) = pictured_rows(text)?;
        let size = match size {
            Some(size) => size,
            // More than 20 rows, and other widths, make a board with all pictured rows.
            None if width == 10 => BoardSize::new(width, rows.len().max(20))?,
            None if rows.len() < MIN_SIDE => {
                return Err(Error::Config(format!(
                    "a picture of {width} columns has only {} of its rows: draw all rows, or give \
                     {BOARD}, for example {BOARD} {width}x20",
                    rows.len()
                )));
            }
            None => BoardSize::new(width, rows.len())?,
        };
        if width != size.width() {
            return Err(Error::Config(format!(
                "the picture has {width} columns, and the board of {size} has {}: give another \
                 {BOARD}, or draw {} columns",
                size.width(),
                size.width()
            )));
        }
        if rows.len() > size.height() {
            return Err(Error::Config(format!(
                "the picture has {} rows, and the board of {size} has {}: give a higher {BOARD}, \
                 or leave out rows at the top",
                rows.len(),
                size.height()
            )));
        }
        Board::from_rows(size, &rows)
    }

    /// Returns the size of the board.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        BoardSize { width: self.width, height: self.height }
    }

    /// Returns the board's number of columns, 4 to 16.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Returns the board's number of rows in play, 4 to 28. Filled cells above these are overflow.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height as usize
    }

    /// Returns all [`ROWS`] stored rows, floor first: the rows in play, then the rows above them.
    #[must_use]
    pub fn rows(&self) -> &[u16; ROWS] {
        &self.rows
    }

    /// Returns the cells of row `row`, below [`ROWS`], as bits; bit 0 is the leftmost column.
    #[must_use]
    pub fn row(&self, row: usize) -> u16 {
        self.rows[row]
    }

    /// Returns the bits of a full row of this board, for example `0b11_1111_1111` for ten columns.
    #[must_use]
    pub fn full_row(&self) -> u16 {
        full_row(self.width())
    }

    /// Returns true if the cell at `column` and `row`, counted from 0 at the lower left, is filled.
    /// Panics if `row` is not below [`ROWS`].
    #[must_use]
    pub fn is_filled(&self, column: usize, row: usize) -> bool {
        self.rows[row] >> column & 1 == 1
    }

    /// Returns the board with the cell at `column` and `row` (below [`ROWS`]) filled, too.
    #[must_use = "returns a new board; the old one is unchanged"]
    pub fn with(mut self, column: usize, row: usize) -> Board {
        debug_assert!(column < self.width());
        self.rows[row] |= 1 << column;
        self
    }

    /// Returns the height of the stack: the number of rows up to the highest filled cell.
    #[must_use]
    #[inline(always)]
    pub fn stack_height(&self) -> usize {
        // Eight rows are one comparison; only the highest eight with a cell are examined singly.
        let last_eight = self.rows.chunks_exact(8).rposition(|rows| rows != [0; 8]);
        last_eight.map_or(0, |eight| {
            let rows = &self.rows[8 * eight..8 * eight + 8];
            let filled = (0..8).fold(0u32, |filled, k| filled | u32::from(rows[k] != 0) << k);
            // Bit k of `filled` is row k of the eight: 32 - leading zeros is the highest plus one.
            8 * eight + 32 - filled.leading_zeros() as usize
        })
    }

    /// Returns the greater of the board's height and its stack's height, in rows; features are
    /// computed on these rows.
    #[must_use]
    pub fn measured_rows(&self) -> usize {
        self.stack_height().max(self.height())
    }

    /// Returns the height of a column: the row of its highest filled cell plus one, or 0 if empty.
    #[must_use]
    pub fn column_height(&self, column: usize) -> usize {
        (0..ROWS).rev().find(|&row| self.is_filled(column, row)).map_or(0, |row| row + 1)
    }

    /// Returns the heights of all columns in rows ([`Board::column_height`]), 0 beyond the width.
    #[must_use]
    #[inline(always)]
    pub fn heights(&self) -> [u8; MAX_WIDTH] {
        // All columns at once: the compiler makes this a few vector instructions per row. Heights
        // are at most 32, but an `i16` is as wide as a row, so the vectors need no conversion.
        let mut heights = [0i16; MAX_WIDTH];
        for (row, &cells) in (1..).zip(&self.rows[..self.stack_height()]) {
            for (column, height) in heights.iter_mut().enumerate() {
                let filled = cells & (1 << column) != 0;
                *height = (*height).max(if filled { row } else { 0 });
            }
        }
        heights.map(|height| height as u8)
    }

    /// Returns the row of a piece's lowest cell after a straight drop onto columns of `heights`.
    /// The piece's leftmost column is `column`.
    ///
    /// ```text
    /// T T T .    row 2    a T that points down, over columns of heights 1 0 2:
    /// . T # .    row 1    its columns begin at rows 1 0 1 of its box,
    /// # . # .    row 0    so it rests at row max(1 - 1, 0 - 0, 2 - 1) = 1
    /// ```
    #[must_use]
    pub fn landing_row(
        heights: &[u8; MAX_WIDTH],
        orientation: &Orientation,
        column: usize,
    ) -> usize {
        (0..orientation.width as usize)
            .map(|c| heights[column + c].saturating_sub(orientation.bottom[c]))
            .max()
            .unwrap_or(0) as usize
    }

    /// Returns true if a piece with its lowest row at `row` and leftmost column at `column`
    /// overlaps no filled cell. Walls are not checked.
    #[must_use]
    pub fn is_free(&self, orientation: &Orientation, column: usize, row: usize) -> bool {
        // `column` must keep the piece inside the walls.
        // The piece has no cells in rows beyond the stored ones, so any row may replace those.
        (0..4).all(|k| orientation.rows[k] << column & self.rows[(row + k).min(ROWS - 1)] == 0)
    }

    /// Returns the board with a piece added at lowest row `row` and leftmost column `column`. Full
    /// rows stay; overlaps and walls are not checked.
    #[must_use = "returns a new board; the old one is unchanged"]
    #[inline]
    pub fn lock(mut self, orientation: &Orientation, column: usize, row: usize) -> Board {
        for k in 0..orientation.height as usize {
            self.rows[row + k] |= orientation.rows[k] << column;
        }
        self
    }

    /// Returns all rows of the board for writing; callers must keep the board valid.
    pub(crate) fn rows_mut(&mut self) -> &mut [u16; ROWS] {
        &mut self.rows
    }

    /// Returns a bit mask of the board's full rows; bit 0 is the row at the floor.
    #[must_use]
    pub fn full_rows(&self) -> u32 {
        self.full_rows_among(0..ROWS)
    }

    /// Returns a bit mask of the full rows in the row range `rows`; bit 0 is the row at the floor.
    #[must_use]
    #[inline]
    pub fn full_rows_among(&self, rows: Range<usize>) -> u32 {
        let full = self.full_row();
        rows.fold(0, |mask, row| mask | u32::from(self.rows[row] == full) << row)
    }

    /// Returns the board without the rows in `mask` (bit 0 is the floor). Higher rows move down.
    #[must_use = "returns a new board; the old one is unchanged"]
    #[inline]
    pub fn without_rows(self, mask: u32) -> Board {
        if mask == 0 { self } else { self.with_rows_removed(mask) }
    }

    fn with_rows_removed(self, mask: u32) -> Board {
        let mut next = Board { rows: [0; ROWS], ..self };
        let mut to = 0;
        for row in 0..ROWS {
            // Writing every row avoids a branch: the next row that stays replaces a removed one.
            next.rows[to] = self.rows[row];
            to += usize::from(mask >> row & 1 == 0);
            if to == ROWS {
                break;
            }
        }
        next.rows[to..].fill(0);
        next
    }

    /// Returns the board without its full rows, and the number of removed rows.
    #[must_use = "returns a new board; the old one is unchanged"]
    pub fn clear(self) -> (Board, u32) {
        let full = self.full_rows();
        (self.without_rows(full), full.count_ones())
    }

    /// Lifts the board by one row and inserts `row` at the floor. Returns false if a filled cell is
    /// then above the rows in play.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::board::Board;
    /// let mut board: Board = "..../..../#.../##.#".parse()?;
    /// assert!(board.lift(0b1110) && board.lift(0b0111));
    /// assert_eq!(board.to_string(), "#...\n##.#\n.###\n###.\n");
    /// assert!(!board.lift(0b1011)); // the highest cell is now in the fifth row
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    pub fn lift(&mut self, row: u16) -> bool {
        // The highest stored row must be empty.
        self.rows.copy_within(..ROWS - 1, 1);
        self.rows[0] = row;
        self.stack_height() <= self.height()
    }

    /// Returns an error with the board's first broken [`Invariant`], if it has one.
    pub fn validate(&self) -> std::result::Result<(), Invariant> {
        if BoardSize::new(self.width(), self.height()).is_err() {
            return Err(Invariant::SizeInRange);
        }
        if self.rows.iter().any(|row| row & !self.full_row() != 0) {
            return Err(Invariant::CellsInsideWalls);
        }
        if self.stack_height() > self.height() + 4 {
            return Err(Invariant::CellsBelowOverflow);
        }
        Ok(())
    }

    /// Returns the board as text for a CSV table: its rows in hexadecimal from the floor up, joined
    /// by `:`, without the empty rows at the top.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::board::Board;
    /// let board: Board = "..../..../#.../##.#".parse()?;
    /// assert_eq!(board.to_hex(), "b:1");
    /// assert_eq!(Board::from_hex(board.size(), "b:1")?, board);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn to_hex(&self) -> String {
        let mut text = Vec::new();
        self.write_hex(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Parses a board of `size` from the hexadecimal text of [`Board::to_hex`].
    pub fn from_hex(size: BoardSize, text: &str) -> Result<Board> {
        let wrong = |_| {
            Error::Config(format!(
                "board '{}': write its rows from the floor up in hexadecimal, joined by ':'",
                quoted(text)
            ))
        };
        let row = |digits: &str| u16::from_str_radix(digits, 16).map_err(wrong);
        let rows = text.split(':').map(row).collect::<Result<Vec<u16>>>()?;
        Board::from_rows(size, &rows)
    }

    /// Appends the board's hexadecimal text ([`Board::to_hex`]) to `out`, without a new string.
    pub fn write_hex(&self, out: &mut Vec<u8>) {
        let mut text = [0; (4 + 1) * ROWS + 8];
        let digits = self.width().div_ceil(4);
        let mut end = 0;
        // An empty board has one row too, since an empty table cell is a missing value.
        for &row in &self.rows[..self.stack_height().max(1)] {
            // Eight bytes are written for each row: its digits, a colon, and bytes that the next
            // row overwrites.
            let [low, high] = row.to_le_bytes().map(|byte| u64::from(HEX[usize::from(byte)]));
            let four = (high | low << 16) >> (8 * (4 - digits));
            let eight = four | u64::from(b':') << (8 * digits);
            if let Some(to) = text[end..].first_chunk_mut() {
                *to = eight.to_le_bytes();
            }
            end += digits + 1;
        }
        out.extend_from_slice(&text[..end - 1]);
    }
}

/// Two hexadecimal digits of every byte value, as ASCII codes; the low byte is the first digit.
static HEX: [u16; 256] = hex();

const fn hex() -> [u16; 256] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut all = [0; 256];
    let mut n = 0;
    while n < 256 {
        all[n] = u16::from_le_bytes([DIGITS[n / 16], DIGITS[n % 16]]);
        n += 1;
    }
    all
}

/// Returns the bit pattern of a full row of `width` cells, 1 to 16.
#[must_use]
pub fn full_row(width: usize) -> u16 {
    u16::MAX >> (MAX_WIDTH - width)
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..self.measured_rows()).rev() {
            for column in 0..self.width() {
                f.write_str(if self.is_filled(column, row) { "#" } else { "." })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl FromStr for Board {
    type Err = Error;

    /// Parses a picture of a board, one line per row, top row first; `/` may replace a line end.
    fn from_str(text: &str) -> Result<Board> {
        let (width, rows) = pictured_rows(text)?;
        Board::from_rows(BoardSize::new(width, rows.len())?, &rows)
    }
}

fn pictured_rows(text: &str) -> Result<(usize, Vec<u16>)> {
    let lines: Vec<&str> = text.trim().split(['\n', '/']).map(str::trim).collect();
    let width = lines[0].chars().count();
    let mut rows = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let wrong = |problem: String| Error::Picture { line: index + 1, problem };
        let cells = line.chars().count();
        if cells != width {
            return Err(wrong(format!("{cells} cells, but the first line has {width}")));
        }
        if !(MIN_SIDE..=MAX_WIDTH).contains(&width) {
            return Err(wrong(format!("{width} columns: draw {MIN_SIDE} to {MAX_WIDTH}")));
        }
        let mut row = 0;
        for (column, cell) in line.chars().enumerate() {
            match cell {
                '#' => row |= 1 << column,
                '.' => {}
                _ => return Err(wrong(format!("'{cell}' is neither '.' nor '#'"))),
            }
        }
        rows.push(row);
    }
    rows.reverse();
    Ok((width, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validate_names_the_broken_invariant() {
        let size = BoardSize::new(5, 4).unwrap();
        let mut wide = Board::empty(size);
        wide.rows[0] = 1 << 5;
        assert_eq!(wide.validate(), Err(Invariant::CellsInsideWalls));
        let mut tall = Board::empty(size);
        tall.rows[8] = 1;
        assert_eq!(tall.validate(), Err(Invariant::CellsBelowOverflow));
        let odd = Board { width: 17, ..Board::empty(size) };
        assert_eq!(odd.validate(), Err(Invariant::SizeInRange));
        assert_eq!(Board::empty(size).validate(), Ok(()));
    }
}
