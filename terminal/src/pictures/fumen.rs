//! Reads fumen, versions 110 and 115, and writes version 115: boards or games, page by page, in one
//! line of text.
//!
//! The format is that of the editor at fumen.zui.jp, as tetris-fumen
//! (github.com/knewjade/tetris-fumen) reads it. A text is `v115@` and numbers in base 64, each with
//! its lowest digit first. Question marks between digits are ignored. The text ends at the first
//! character that is no digit. Each page has these parts:
//!
//! 1. Differences of its field from the previous one, in runs of two digits each. A run is (8 + new
//!    colour - old colour) x 240 + (cells of the run - 1). If all 240 cells are equal, one more
//!    digit has the number of further pages with an equal field.
//! 2. Three digits: piece + 8 x (rotation + 4 x (location + 240 x flags)). The flags are 1 rise,
//!    2 mirror, 4 guideline colours (on the first page), 8 comment, 16 piece not locked.
//! 3. The comment, if any: its length in two digits, and five digits for each four letters.
//!
//! The previous field in part 1 is the field after all changes of the previous page. The page's
//! piece is locked and full rows are removed. Then the field is raised and mirrored as the flags
//! say. Comments are skipped when reading and never written.
//!
//! Version 110 lacks the two highest rows, so its numbers have 220 where those of version 115 have
//! 240.
//!
//! The crate `fumen` (0.1.2, of 2020) panics at damaged texts, so only tests use it, to check the
//! results of this module.

use std::iter::Peekable;

use crate::pictures::StretchStep;
use crate::prelude::*;
use crate::rules::guideline::RotationState;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Prefix of written fumens (text form of boards): letter `v` for the usual view, and version 115.
const PREFIX: &str = "v115@";
/// Letters with which a fumen (text form of boards) can begin, before its version number.
const LETTERS: [char; 3] = ['v', 'm', 'd'];
const VERSIONS: [(&str, usize); 2] = [("115", CELLS), ("110", CELLS - 2 * WIDTH)];
const ENDS: [&str; 2] = ["@", "%40"];

const FIRST_DIGITS: usize = 42;
const LATER_DIGITS: usize = 47;

const RISE: usize = 1;
const MIRROR: usize = 2;
const COLOURS: usize = 4;
const COMMENT: usize = 8;
const UNLOCKED: usize = 16;

/// A page of a fumen (text form of boards): a field of cells with a piece on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FumenPage {
    /// Cells of a fumen's page before the page's piece is added.
    pub field: Field,
    /// Piece that a fumen's page places on its field, if any.
    pub operation: Option<Operation>,
    /// True if the page's piece becomes part of the next page's field, and full rows are removed.
    pub lock: bool,
    /// True if the page's garbage row rises into the field of the fumen's next page.
    pub rise: bool,
    /// True if the field of the fumen's next page is mirrored.
    pub mirror: bool,
}

impl FumenPage {
    /// Creates a page of a fumen (text form of boards) whose piece, if any, locks on `field`.
    #[must_use]
    pub fn new(field: Field, operation: Option<Operation>) -> FumenPage {
        FumenPage { field, operation, lock: true, rise: false, mirror: false }
    }

    /// Returns the field of the fumen's next page. If the piece locks, applies row clears, rise and
    /// mirroring.
    #[must_use]
    pub fn next_field(&self) -> Field {
        let mut field = self.field.clone();
        if !self.lock {
            return field;
        }
        if let Some(operation) = &self.operation {
            for (column, row) in operation.cells().into_iter().flatten() {
                field.fill(column, row, Some(operation.piece));
            }
        }
        field.clear();
        if self.rise {
            field.rise();
        }
        if self.mirror {
            field.mirror();
        }
        field
    }

    fn flags(&self) -> usize {
        let flag = |set: bool, flag: usize| if set { flag } else { 0 };
        flag(self.rise, RISE) + flag(self.mirror, MIRROR) + flag(!self.lock, UNLOCKED)
    }
}

/// A reader of the base-64 digits of a fumen (text form of boards).
struct Reader<I: Iterator<Item = char>> {
    digits: Peekable<I>,
    cells: usize,
}

fn damaged() -> Error {
    Error::Config(
        "the fumen is damaged: copy the whole text again, from v115@ to its end".to_owned(),
    )
}

fn is_digit(letter: u8) -> bool {
    DIGITS.contains(&letter)
}

impl<I: Iterator<Item = char>> Reader<I> {
    fn is_empty(&mut self) -> bool {
        self.digits.peek().is_none()
    }

    /// Reads one number, written as `digits` base-64 digits, lowest first, from a fumen.
    fn number(&mut self, digits: u32) -> Result<usize> {
        let mut number = 0;
        for index in 0..digits {
            let letter = self.digits.next().ok_or_else(damaged)?;
            let digit = DIGITS.iter().position(|&digit| char::from(digit) == letter);
            number += digit.ok_or_else(damaged)? << (6 * index);
        }
        Ok(number)
    }

    /// Reads the cells that a fumen's page changes in `field`. Returns true if there are any.
    fn field(&mut self, field: &mut Field) -> Result<bool> {
        let (mut index, mut changed) = (CELLS - self.cells, false);
        while index < CELLS {
            let run = self.number(2)?;
            let (by, cells) = (run / self.cells, run % self.cells + 1);
            changed |= by != 8 || cells != self.cells;
            let run = field.cells.get_mut(index..index + cells).ok_or_else(damaged)?;
            for cell in run {
                let colour = (usize::from(*cell) + by).checked_sub(8).ok_or_else(damaged)?;
                *cell = colour as u8;
                if *cell > GREY {
                    return Err(damaged());
                }
            }
            index += cells;
        }
        Ok(changed)
    }

    fn page(&mut self, field: Field) -> Result<FumenPage> {
        let number = self.number(3)?;
        let (piece, rotation) = (number % 8, number / 8 % 4);
        let location = CELLS - self.cells + number / 32 % self.cells;
        let flags = number / 32 / self.cells;
        if flags & COMMENT != 0 {
            let letters = self.number(2)?;
            for _ in 0..letters.div_ceil(4) {
                self.number(5)?;
            }
        }
        let piece = piece_of_number(piece as u8);
        Ok(FumenPage {
            field,
            operation: piece.map(|piece| Operation::from_location(piece, rotation as u8, location)),
            lock: flags & UNLOCKED == 0,
            rise: flags & RISE != 0,
            mirror: flags & MIRROR != 0,
        })
    }
}

/// Returns where the first fumen in `text` begins, where its digits begin, and how many cells a
/// page has.
fn find_next(text: &str) -> Option<(usize, usize, usize)> {
    let starts = text.char_indices().filter(|(_, letter)| LETTERS.contains(letter));
    starts.into_iter().find_map(|(begin, _)| {
        let after = &text[begin + 1..];
        let (after, cells) = VERSIONS
            .iter()
            .find_map(|&(version, cells)| Some((after.strip_prefix(version)?, cells)))?;
        let digits = ENDS.iter().find_map(|end| after.strip_prefix(end))?;
        Some((begin, text.len() - digits.len(), cells))
    })
}

/// Splits a text with several fumens, such as a list, into parts with one fumen each.
pub fn split(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((begin, digits, _)) = find_next(rest) {
        let end = find_next(&rest[digits..]).map_or(rest.len(), |(next, ..)| digits + next);
        pieces.push(&rest[begin..end]);
        rest = &rest[end..];
    }
    pieces
}

/// Reads the pages of the first fumen in `text`, such as an address or a note.
pub fn decode(text: &str) -> Result<Vec<FumenPage>> {
    let (_, begin, cells) = find_next(text).ok_or_else(|| {
        Error::Config(
            "no fumen of version 110 or 115: give a text that begins with v115@, or an address \
             with it"
                .to_owned(),
        )
    })?;
    // Addresses may write these characters in hexadecimal.
    let text = text[begin..].replace("%2B", "+").replace("%2F", "/").replace("%3F", "?");
    let is_part = |letter: &char| *letter == '?' || u8::try_from(*letter).is_ok_and(is_digit);
    let digits = text.chars().take_while(is_part).filter(|&letter| letter != '?');
    let mut reader = Reader { digits: digits.peekable(), cells };
    let (mut pages, mut field, mut same) = (Vec::new(), Field::default(), 0);
    while !reader.is_empty() {
        if same > 0 {
            same -= 1;
        } else if !reader.field(&mut field)? {
            same = reader.number(1)?;
        }
        let page = reader.page(field)?;
        field = page.next_field();
        pages.push(page);
    }
    if pages.is_empty() { Err(damaged()) } else { Ok(pages) }
}

/// Returns `pages` as a fumen of version 115. A piece located outside the field is left out.
#[must_use]
pub fn encode(pages: &[FumenPage]) -> String {
    let mut digits = Vec::new();
    let mut before = Field::default();
    // Index of the digit that counts the pages with an unchanged field, while such pages continue.
    let mut same: Option<usize> = None;
    for (number, page) in pages.iter().enumerate() {
        match same {
            Some(index) if page.field == before && digits[index] < 63 => digits[index] += 1,
            _ => same = write_field(&mut digits, &before, &page.field),
        }
        let flags = page.flags() + if number == 0 { COLOURS } else { 0 };
        let operation = page.operation.as_ref().and_then(|operation| {
            let piece = usize::from(number_of_piece(operation.piece));
            Some(piece + 8 * usize::from(operation.rotation) + 32 * operation.location()?)
        });
        write(&mut digits, operation.unwrap_or(0) + 32 * CELLS * flags, 3);
        before = page.next_field();
    }
    let mut text = PREFIX.to_owned();
    for (index, &digit) in digits.iter().enumerate() {
        if index >= FIRST_DIGITS && (index - FIRST_DIGITS).is_multiple_of(LATER_DIGITS) {
            text.push('?');
        }
        text.push(char::from(DIGITS[usize::from(digit)]));
    }
    text
}

fn write(digits: &mut Vec<u8>, number: usize, count: u32) {
    digits.extend((0..count).map(|index| (number >> (6 * index) & 63) as u8));
}

fn write_field(digits: &mut Vec<u8>, before: &Field, field: &Field) -> Option<usize> {
    let by = |index: usize| 8 + usize::from(field.cells[index]) - usize::from(before.cells[index]);
    let mut begin = 0;
    for end in 1..=CELLS {
        if end == CELLS || by(end) != by(begin) {
            write(digits, by(begin) * CELLS + end - begin - 1, 2);
            begin = end;
        }
    }
    (field == before).then(|| {
        digits.push(0);
        digits.len() - 1
    })
}

#[cfg(test)]
mod tests;

/// Number of columns of a fumen's field.
pub const WIDTH: usize = 10;
/// Number of rows of a fumen's field above its garbage row.
pub const ROWS: usize = 23;
const CELLS: usize = (ROWS + 1) * WIDTH;

const NUMBERS: [(Piece, u8); 7] = [
    (Piece::I, 1),
    (Piece::L, 2),
    (Piece::O, 3),
    (Piece::Z, 4),
    (Piece::T, 5),
    (Piece::J, 6),
    (Piece::S, 7),
];

const GREY: u8 = 8;

fn number_of_piece(piece: Piece) -> u8 {
    NUMBERS.into_iter().find(|&(other, _)| other == piece).map_or(GREY, |(_, number)| number)
}

fn piece_of_number(number: u8) -> Option<Piece> {
    NUMBERS.into_iter().find(|&(_, other)| other == number).map(|(piece, _)| piece)
}

/// The colours of all cells of a fumen's page. Row 0 is the lowest row above the garbage row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Colour number of each cell of a fumen's page, top row first: 0 empty, 1 to 7 pieces, 8 grey.
    cells: [u8; CELLS],
}

impl Default for Field {
    fn default() -> Field {
        Field { cells: [0; CELLS] }
    }
}

fn index(column: usize, row: usize) -> usize {
    (ROWS - 1 - row) * WIDTH + column
}

impl Field {
    /// Returns true if a cell of the fumen's field is filled.
    #[must_use]
    pub fn is_filled(&self, column: usize, row: usize) -> bool {
        self.cells[index(column, row)] != 0
    }

    /// Returns the piece whose colour a cell of the fumen's field has, or `None` for other cells.
    #[must_use]
    pub fn piece(&self, column: usize, row: usize) -> Option<Piece> {
        piece_of_number(self.cells[index(column, row)])
    }

    /// Fills a cell of the fumen's field with the colour of `piece`, or with grey for `None`.
    pub fn fill(&mut self, column: usize, row: usize, piece: Option<Piece>) {
        self.cells[index(column, row)] = piece.map_or(GREY, number_of_piece);
    }

    /// Returns the number of rows up to the highest filled cell of the fumen's field.
    #[must_use]
    pub fn stack_height(&self) -> usize {
        let is_filled = |&row: &usize| (0..WIDTH).any(|column| self.is_filled(column, row));
        (0..ROWS).rev().find(is_filled).map_or(0, |row| row + 1)
    }

    /// Returns the fumen's field as rows of `#` (filled) and `.`, top first, at least `rows` of
    /// them.
    #[must_use]
    pub fn picture(&self, rows: usize) -> String {
        let cell = |column, row| if self.is_filled(column, row) { '#' } else { '.' };
        let line = |row| (0..WIDTH).map(move |column| cell(column, row)).chain(['\n']);
        (0..rows.max(self.stack_height()).min(ROWS)).rev().flat_map(line).collect()
    }

    fn clear(&mut self) {
        let rows = self.cells[..ROWS * WIDTH].chunks_exact(WIDTH);
        let kept: Vec<u8> = rows.filter(|row| row.contains(&0)).flatten().copied().collect();
        let empty = ROWS * WIDTH - kept.len();
        self.cells[..empty].fill(0);
        self.cells[empty..ROWS * WIDTH].copy_from_slice(&kept);
    }

    fn rise(&mut self) {
        self.cells.copy_within(WIDTH.., 0);
        self.cells[ROWS * WIDTH..].fill(0);
    }

    fn mirror(&mut self) {
        self.cells[..ROWS * WIDTH].chunks_exact_mut(WIDTH).for_each(<[u8]>::reverse);
    }
}

/// Numbers that fumens use for rotations, indexed by quarter turns from the spawn state.
const ROTATIONS: [u8; 4] = [2, 1, 0, 3];

type Cell = (i32, i32);

/// A piece at rest on a fumen's page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Kind of the piece that a fumen's page places.
    pub piece: Piece,
    /// Rotation in the numbers of fumens: 0 upside down, 1 right, 2 spawn, 3 left.
    rotation: u8,
    centre: Cell,
}

/// Returns the columns and rows from a piece's centre to its location as fumens store it.
fn location_offset(piece: Piece, rotation: u8) -> Cell {
    match (piece, rotation) {
        (Piece::O, 3) => (-1, 1),
        (Piece::O | Piece::I, 0) | (Piece::Z, 3) => (-1, 0),
        (Piece::O | Piece::S | Piece::Z, 2) | (Piece::I, 3) => (0, 1),
        (Piece::S, 1) => (1, 0),
        _ => (0, 0),
    }
}

impl Operation {
    fn from_location(piece: Piece, rotation: u8, location: usize) -> Operation {
        let (columns, rows) = location_offset(piece, rotation);
        let (x, y) = ((location % WIDTH) as i32, ROWS as i32 - 1 - (location / WIDTH) as i32);
        Operation { piece, rotation, centre: (x - columns, y - rows) }
    }

    /// Returns the piece's location as fumens store it, or `None` if it is outside the 10 columns
    /// and 23 rows above the garbage row.
    fn location(&self) -> Option<usize> {
        let (columns, rows) = location_offset(self.piece, self.rotation);
        let (x, y) = (self.centre.0 + columns, self.centre.1 + rows);
        let inside = (0..WIDTH as i32).contains(&x) && (0..ROWS as i32).contains(&y);
        inside.then(|| (ROWS - 1 - y as usize) * WIDTH + x as usize)
    }

    /// Returns where the page's piece comes to rest, or `None` if a cell is outside the board.
    #[must_use]
    pub fn landing(&self) -> Option<Landing> {
        let state = RotationState::ALL[usize::from(ROTATIONS[usize::from(self.rotation)])];
        let (x, y) = self.centre;
        let landing = Landing::centred(self.piece, state, x.into(), y.into())?;
        landing.cells().iter().all(|&(_, row)| row < ROWS).then_some(landing)
    }

    /// Returns column and row of each cell of the page's piece, or `None` if one is off the board.
    #[must_use]
    pub fn cells(&self) -> Option<[(usize, usize); 4]> {
        self.landing().map(Landing::cells)
    }

    /// Returns `piece` in the rotation and place that fill `cells`; `None` if no placement does.
    #[must_use]
    pub fn from_cells(piece: Piece, cells: [(usize, usize); 4]) -> Option<Operation> {
        let Landing { state, x, y, .. } = Landing::from_cells(piece, cells)?;
        let operation =
            Operation { piece, rotation: ROTATIONS[state.index()], centre: (x.into(), y.into()) };
        Some(operation).filter(|operation| operation.landing().is_some())
    }
}

const EDITOR: &str = "http://fumen.zui.jp/?";

/// Returns the web address that shows an animation's placements in the fumen editor. The board
/// needs ten columns and no cell above row 23.
pub fn address(shots: &[StretchStep]) -> Result<String> {
    let pages = shots.iter().map(page).collect::<Result<Vec<FumenPage>>>()?;
    Ok(EDITOR.to_owned() + &encode(&pages))
}

fn page(shot: &StretchStep) -> Result<FumenPage> {
    let (columns, rows) = (shot.step.scene.size().0, ROWS);
    if columns != WIDTH {
        return Err(Error::Config(format!(
            "a fumen has {WIDTH} columns, this board {columns}: give --svg or --animate"
        )));
    }
    let number = shot.step.piece_no;
    let too_high = || {
        Error::Config(format!(
            "placement {number} reaches above the {rows} rows of a fumen: end before it (--to {})",
            number.saturating_sub(1)
        ))
    };
    let mut field = Field::default();
    for row in 0..ROWS {
        for column in (0..WIDTH).filter(|&column| shot.step.scene.before.is_filled(column, row)) {
            field.fill(column, row, shot.before.get(column, row).piece());
        }
    }
    let is_over =
        |column| (ROWS..ROWS + 5).any(|row| shot.step.scene.before.is_filled(column, row));
    if (0..WIDTH).any(is_over) {
        return Err(too_high());
    }
    let operation = Operation::from_cells(shot.step.scene.piece, shot.step.scene.cells);
    Ok(FumenPage::new(field, Some(operation.ok_or_else(too_high)?)))
}
