//! Packs the cells of a small board into one 64-bit word.

use crate::board::{Board, BoardSize};
use crate::error::setting::BOARD;
use crate::error::{Error, Result};

/// Largest number of cells of a board whose games can be enumerated: a packed board has 64 bits.
pub const MAX_CELLS: usize = 64;

/// A board without cells above its top, packed into one word. Bit `row * width + column` is 1 if
/// that cell is filled.
///
/// ```text
/// 4x3 board   #..#   row 2       bits 11-8   1001
///             .##.   row 1       bits  7-4   0110       (column 0 is the lowest bit of its four)
///             ####   row 0       bits  3-0   1111
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Packed(u64);

impl Packed {
    /// Packs `board`. Its size must have passed [`Packed::check`], and no cell may be above its
    /// top.
    pub(super) fn of(board: &Board) -> Packed {
        let width = board.width();
        let rows = board.rows()[..board.height()].iter().enumerate();
        Packed(rows.fold(0, |cells, (row, &bits)| cells | u64::from(bits) << (row * width)))
    }

    pub(super) fn board(self, size: BoardSize) -> Board {
        let mut board = Board::empty(size);
        let mut cells = self.0;
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize;
            board = board.with(cell % size.width(), cell / size.width());
            cells &= cells - 1;
        }
        board
    }

    /// Checks that boards of `size` have at most [`MAX_CELLS`] cells.
    ///
    /// # Errors
    /// [`Error::Config`] if they have more.
    pub(super) fn check(size: BoardSize) -> Result<()> {
        let cells = size.width() * size.height();
        if cells <= MAX_CELLS {
            return Ok(());
        }
        Err(Error::Config(format!(
            "a board {size} has {cells} cells, and more than {MAX_CELLS} have too many states to \
             enumerate: give a smaller {BOARD}, for example 4x6"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_read_back() {
        for picture in ["..../..../#..#/.##.", "#......./.......#/#......./.#####.."] {
            let board: Board = picture.parse().unwrap();
            assert_eq!(Packed::of(&board).board(board.size()), board);
        }
        assert!(Packed::check("8x8".parse().unwrap()).is_ok());
        let error = Packed::check("10x20".parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains("200 cells") && error.contains("smaller board"), "{error}");
    }
}
