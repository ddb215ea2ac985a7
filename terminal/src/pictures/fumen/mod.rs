//! Fumen, version 115: boards, and games page by page, in one line of text, as players pass them around.
//!
//! The format is that of the editor at fumen.zui.jp, as tetris-fumen (github.com/knewjade/tetris-fumen) reads it. A text is
//! `v115@` and digits of a base of 64, the lowest first; question marks between them mean nothing. Each page is:
//!
//! 1. how its field differs from the one before, run by run: (8 + new colour - old colour) x 240 + (cells of the run - 1), two
//!    digits. A field that is the same in all 240 cells is followed by how many more pages are, one digit;
//! 2. three digits: piece + 8 x (rotation + 4 x (location + 240 x flags)); the flags are 1 rise, 2 mirror, 4 guideline
//!    colours (on the first page), 8 a comment follows, 16 the piece is not locked;
//! 3. the comment, if there is one: its length in two digits, and five for each four letters of it.
//!
//! The field after a page is what the next one differs from: with its piece locked and full rows removed, then risen and
//! mirrored as the flags say. Comments are passed over; none are written.
//!
//! The crate `fumen` (0.1.2, of 2020) panics at texts that are damaged, so that it serves as the oracle of tests only.

mod export;
mod field;
mod operation;

use std::iter::Peekable;

pub use export::address;
pub use field::{Field, ROWS, WIDTH};
pub use operation::Operation;

use self::field::{CELLS, GREY};
use crate::error::{Error, Result};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// What a text begins with, as it is shown to be viewed; `m` and `d` stand for other views of the same.
const HEADS: [&str; 3] = ["v115@", "m115@", "d115@"];

/// Digits before the first question mark, and between two.
const FIRST: usize = 42;
const LATER: usize = 47;

const RISE: usize = 1;
const MIRROR: usize = 2;
const COLOURS: usize = 4;
const COMMENT: usize = 8;
const UNLOCKED: usize = 16;

/// A field with a piece on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FumenPage {
    /// Before the piece.
    pub field: Field,
    /// The piece.
    pub operation: Option<Operation>,
    /// Whether the piece becomes part of the next field, and full rows are removed.
    pub lock: bool,
    /// Whether the garbage row rises into the next field.
    pub rise: bool,
    /// Whether the next field is mirrored.
    pub mirror: bool,
}

impl FumenPage {
    /// A field and the piece that locks on it.
    #[must_use]
    pub fn new(field: Field, operation: Option<Operation>) -> FumenPage {
        FumenPage { field, operation, lock: true, rise: false, mirror: false }
    }

    /// The field that the next page begins with.
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

/// The digits of a text, and how they are read.
struct Reader<I: Iterator<Item = char>>(Peekable<I>);

fn damaged() -> Error {
    Error::Config(
        "the fumen is damaged: copy the whole text again, from v115@ to its end".to_owned(),
    )
}

impl<I: Iterator<Item = char>> Reader<I> {
    fn is_empty(&mut self) -> bool {
        self.0.peek().is_none()
    }

    /// A number of so many digits, the lowest first.
    fn number(&mut self, digits: u32) -> Result<usize> {
        let mut number = 0;
        for place in 0..digits {
            let letter = self.0.next().ok_or_else(damaged)?;
            let digit = DIGITS.iter().position(|&digit| char::from(digit) == letter);
            number += digit.ok_or_else(damaged)? << (6 * place);
        }
        Ok(number)
    }

    /// Changes a field by the runs that are read; whether it is another one then.
    fn field(&mut self, field: &mut Field) -> Result<bool> {
        let (mut place, mut changed) = (0, false);
        while place < CELLS {
            let run = self.number(2)?;
            let (by, cells) = (run / CELLS, run % CELLS + 1);
            changed |= by != 8 || cells != CELLS;
            let run = field.cells.get_mut(place..place + cells).ok_or_else(damaged)?;
            for cell in run {
                let colour = (usize::from(*cell) + by).checked_sub(8).ok_or_else(damaged)?;
                *cell = colour as u8;
                if *cell > GREY {
                    return Err(damaged());
                }
            }
            place += cells;
        }
        Ok(changed)
    }

    /// A page without its field.
    fn page(&mut self, field: Field) -> Result<FumenPage> {
        let number = self.number(3)?;
        let (piece, rotation, location) = (number % 8, number / 8 % 4, number / 32 % CELLS);
        let flags = number / 32 / CELLS;
        if flags & COMMENT != 0 {
            let letters = self.number(2)?;
            for _ in 0..letters.div_ceil(4) {
                self.number(5)?;
            }
        }
        let piece = field::piece(piece as u8);
        Ok(FumenPage {
            field,
            operation: piece.map(|piece| Operation::at(piece, rotation as u8, location)),
            lock: flags & UNLOCKED == 0,
            rise: flags & RISE != 0,
            mirror: flags & MIRROR != 0,
        })
    }
}

/// The pages of a fumen: the text itself, or an address that it stands in.
///
/// # Errors
/// [`Error::Config`] when there is none, or it is damaged.
pub fn decode(text: &str) -> Result<Vec<FumenPage>> {
    let begin = HEADS.iter().filter_map(|head| text.find(head)).min().ok_or_else(|| {
        Error::Config(
            "no fumen of version 115: give a text that begins with v115@, or an address with it"
                .to_owned(),
        )
    })?;
    let digits = text[begin + HEADS[0].len()..].split('&').next().unwrap_or("");
    let digits = digits.chars().filter(|&letter| letter != '?' && !letter.is_whitespace());
    let mut reader = Reader(digits.peekable());
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

/// The text of pages.
///
/// # Panics
/// Never: a location that cannot be written is written as none.
#[must_use]
pub fn encode(pages: &[FumenPage]) -> String {
    let mut digits = Vec::new();
    let mut before = Field::default();
    // Where the number of pages stands whose fields are as expected, while such pages go on.
    let mut same: Option<usize> = None;
    for (number, page) in pages.iter().enumerate() {
        match same {
            Some(place) if page.field == before && digits[place] < 63 => digits[place] += 1,
            _ => same = write_field(&mut digits, &before, &page.field),
        }
        let flags = page.flags() + if number == 0 { COLOURS } else { 0 };
        let operation = page.operation.as_ref().and_then(|operation| {
            let piece = usize::from(field::number(operation.piece));
            Some(piece + 8 * usize::from(operation.rotation) + 32 * operation.location()?)
        });
        write(&mut digits, operation.unwrap_or(0) + 32 * CELLS * flags, 3);
        before = page.next_field();
    }
    let mut text = HEADS[0].to_owned();
    for (place, &digit) in digits.iter().enumerate() {
        if place >= FIRST && (place - FIRST).is_multiple_of(LATER) {
            text.push('?');
        }
        text.push(char::from(DIGITS[usize::from(digit)]));
    }
    text
}

/// Writes a number in so many digits.
fn write(digits: &mut Vec<u8>, number: usize, count: u32) {
    digits.extend((0..count).map(|place| (number >> (6 * place) & 63) as u8));
}

/// Writes how a field differs from the one before; of one that does not, the place of the number of those after it.
fn write_field(digits: &mut Vec<u8>, before: &Field, field: &Field) -> Option<usize> {
    let by = |place: usize| 8 + usize::from(field.cells[place]) - usize::from(before.cells[place]);
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
