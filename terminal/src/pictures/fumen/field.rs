//! The field of a page: 23 rows and the garbage row under them, each of ten cells with a colour.

use crate::piece::Piece;

/// Columns.
pub const WIDTH: usize = 10;
/// Rows above the garbage row.
pub const ROWS: usize = 23;
/// All cells, those of the garbage row last.
pub(super) const CELLS: usize = (ROWS + 1) * WIDTH;

/// Numbers of the pieces.
const NUMBERS: [(Piece, u8); 7] = [
    (Piece::I, 1),
    (Piece::L, 2),
    (Piece::O, 3),
    (Piece::Z, 4),
    (Piece::T, 5),
    (Piece::J, 6),
    (Piece::S, 7),
];

/// The number of a cell that is filled by no piece.
pub(super) const GREY: u8 = 8;

/// The number of a piece.
pub(super) fn number(piece: Piece) -> u8 {
    NUMBERS.into_iter().find(|&(other, _)| other == piece).map_or(GREY, |(_, number)| number)
}

/// The piece of a number.
pub(super) fn piece(number: u8) -> Option<Piece> {
    NUMBERS.into_iter().find(|&(_, other)| other == number).map(|(piece, _)| piece)
}

/// Colours of cells, row 0 at the floor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// 0 for nothing, 1 to 7 for pieces, 8 for grey; the top row first, as they are written.
    pub(super) cells: [u8; CELLS],
}

impl Default for Field {
    fn default() -> Field {
        Field { cells: [0; CELLS] }
    }
}

fn place(column: usize, row: usize) -> usize {
    (ROWS - 1 - row) * WIDTH + column
}

impl Field {
    /// Whether a cell is filled.
    #[must_use]
    pub fn is_filled(&self, column: usize, row: usize) -> bool {
        self.cells[place(column, row)] != 0
    }

    /// The piece whose colour a cell has, if it has one.
    #[must_use]
    pub fn piece(&self, column: usize, row: usize) -> Option<Piece> {
        piece(self.cells[place(column, row)])
    }

    /// Fills a cell with the colour of a piece, or grey.
    pub fn fill(&mut self, column: usize, row: usize, piece: Option<Piece>) {
        self.cells[place(column, row)] = piece.map_or(GREY, number);
    }

    /// Rows up to the highest filled cell.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let is_filled = |&row: &usize| (0..WIDTH).any(|column| self.is_filled(column, row));
        (0..ROWS).rev().find(is_filled).map_or(0, |row| row + 1)
    }

    /// The picture of `.` and `#`, top row first, with so many rows or as many as are filled.
    #[must_use]
    pub fn picture(&self, rows: usize) -> String {
        let cell = |column, row| if self.is_filled(column, row) { '#' } else { '.' };
        let line = |row| (0..WIDTH).map(move |column| cell(column, row)).chain(['\n']);
        (0..rows.max(self.stack_height()).min(ROWS)).rev().flat_map(line).collect()
    }

    /// Removes full rows; the garbage row stays.
    pub(super) fn clear(&mut self) {
        let rows = self.cells[..ROWS * WIDTH].chunks_exact(WIDTH);
        let kept: Vec<u8> = rows.filter(|row| row.contains(&0)).flatten().copied().collect();
        let empty = ROWS * WIDTH - kept.len();
        self.cells[..empty].fill(0);
        self.cells[empty..ROWS * WIDTH].copy_from_slice(&kept);
    }

    /// Moves all rows up by one, the garbage row into the field.
    pub(super) fn rise(&mut self) {
        self.cells.copy_within(WIDTH.., 0);
        self.cells[ROWS * WIDTH..].fill(0);
    }

    /// Swaps left and right above the garbage row.
    pub(super) fn mirror(&mut self) {
        self.cells[..ROWS * WIDTH].chunks_exact_mut(WIDTH).for_each(<[u8]>::reverse);
    }
}
