//! Represents the board on a fumen page (the field): 23 rows and a garbage row below, with ten
//! coloured cells each.

use crate::piece::Piece;

/// Number of columns.
pub const WIDTH: usize = 10;
/// Number of rows above the garbage row.
pub const ROWS: usize = 23;
/// Number of cells of a field. The cells of the garbage row come last.
pub(super) const CELLS: usize = (ROWS + 1) * WIDTH;

/// Numbers of the pieces in the fumen format.
const NUMBERS: [(Piece, u8); 7] = [
    (Piece::I, 1),
    (Piece::L, 2),
    (Piece::O, 3),
    (Piece::Z, 4),
    (Piece::T, 5),
    (Piece::J, 6),
    (Piece::S, 7),
];

/// Number in the fumen format of a filled cell that belongs to no piece.
pub(super) const GREY: u8 = 8;

/// Returns the number of a piece in the fumen format.
pub(super) fn number(piece: Piece) -> u8 {
    NUMBERS.into_iter().find(|&(other, _)| other == piece).map_or(GREY, |(_, number)| number)
}

/// Returns the piece with this number in the fumen format, or `None` for 0 and grey.
pub(super) fn piece(number: u8) -> Option<Piece> {
    NUMBERS.into_iter().find(|&(_, other)| other == number).map(|(piece, _)| piece)
}

/// The colours of all cells of a fumen page. In method parameters, row 0 is the lowest row above
/// the garbage row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Number of each cell, the top row first: 0 empty, 1 to 7 pieces, 8 grey.
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
    /// Returns true if a cell is filled.
    #[must_use]
    pub fn is_filled(&self, column: usize, row: usize) -> bool {
        self.cells[place(column, row)] != 0
    }

    /// Returns the piece whose colour the cell has, or `None` if the cell is empty or grey.
    #[must_use]
    pub fn piece(&self, column: usize, row: usize) -> Option<Piece> {
        piece(self.cells[place(column, row)])
    }

    /// Fills a cell with the colour of a piece, or with grey if `piece` is `None`.
    pub fn fill(&mut self, column: usize, row: usize, piece: Option<Piece>) {
        self.cells[place(column, row)] = piece.map_or(GREY, number);
    }

    /// Returns the number of rows up to the highest filled cell.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let is_filled = |&row: &usize| (0..WIDTH).any(|column| self.is_filled(column, row));
        (0..ROWS).rev().find(is_filled).map_or(0, |row| row + 1)
    }

    /// Returns the field as text of `#` (filled) and `.` (empty), the top row first, with at least
    /// `rows` rows.
    #[must_use]
    pub fn picture(&self, rows: usize) -> String {
        let cell = |column, row| if self.is_filled(column, row) { '#' } else { '.' };
        let line = |row| (0..WIDTH).map(move |column| cell(column, row)).chain(['\n']);
        (0..rows.max(self.stack_height()).min(ROWS)).rev().flat_map(line).collect()
    }

    /// Removes full rows above the garbage row.
    pub(super) fn clear(&mut self) {
        let rows = self.cells[..ROWS * WIDTH].chunks_exact(WIDTH);
        let kept: Vec<u8> = rows.filter(|row| row.contains(&0)).flatten().copied().collect();
        let empty = ROWS * WIDTH - kept.len();
        self.cells[..empty].fill(0);
        self.cells[empty..ROWS * WIDTH].copy_from_slice(&kept);
    }

    /// Moves all rows up by one, so that the garbage row enters the field.
    pub(super) fn rise(&mut self) {
        self.cells.copy_within(WIDTH.., 0);
        self.cells[ROWS * WIDTH..].fill(0);
    }

    /// Exchanges left and right in the rows above the garbage row.
    pub(super) fn mirror(&mut self) {
        self.cells[..ROWS * WIDTH].chunks_exact_mut(WIDTH).for_each(<[u8]>::reverse);
    }
}
