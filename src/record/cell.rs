//! One value of a table, and its text in CSV.

use std::io::Write;

use crate::board::Board;

/// A value of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A whole number.
    Integer(i64),
    /// A fraction, written in the shortest form that reads back.
    Real(f64),
    /// Text without commas, quotes or line ends.
    Text(&'a str),
    /// A 64-bit number as hexadecimal text, because R would lose digits.
    Hex(u64),
    /// A board as text ([`Board::to_hex`]).
    Board(&'a Board),
    /// The numbers of the bits set, joined by `;`.
    Bits(u32),
    /// `TRUE` or `FALSE`.
    Logical(bool),
    /// `NA`.
    Missing,
}

impl<'a> Cell<'a> {
    /// A value that may be missing.
    pub fn or_missing<T>(value: Option<T>, cell: impl FnOnce(T) -> Cell<'a>) -> Cell<'a> {
        value.map_or(Cell::Missing, cell)
    }

    /// Appends its text.
    pub fn write(&self, out: &mut Vec<u8>) {
        // Writing to a Vec cannot fail.
        match *self {
            Cell::Integer(value) => write_integer(value, out),
            Cell::Real(value) if value == value as i64 as f64 => {
                write_integer(value as i64, out);
            }
            Cell::Real(value) => _ = write!(out, "{value}"),
            Cell::Text(text) => {
                debug_assert!(!text.contains([',', '"', '\n', '\r']), "{text}");
                out.extend_from_slice(text.as_bytes());
            }
            Cell::Hex(value) => _ = write!(out, "0x{value:016x}"),
            Cell::Board(board) => board.write_hex(out),
            Cell::Bits(mask) => write_bits(mask, out),
            Cell::Logical(true) => out.extend_from_slice(b"TRUE"),
            Cell::Logical(false) => out.extend_from_slice(b"FALSE"),
            Cell::Missing => out.extend_from_slice(b"NA"),
        }
    }
}

fn write_integer(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn write_bits(mut mask: u32, out: &mut Vec<u8>) {
    while mask != 0 {
        write_integer(i64::from(mask.trailing_zeros()), out);
        mask &= mask - 1;
        if mask != 0 {
            out.push(b';');
        }
    }
}

/// Appends one CSV line.
pub fn write_csv(cells: &[Cell], out: &mut Vec<u8>) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        cell.write(out);
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_as_r_expects() {
        let mut line = Vec::new();
        let board: Board = "....../....../#....#/####.#".parse().unwrap();
        let cells = [
            Cell::Integer(-3),
            Cell::Real(-40.5),
            Cell::Real(2.0),
            Cell::Real(-0.1),
            Cell::Text("T"),
            Cell::Hex(255),
            Cell::Board(&board),
            Cell::Bits(0b1011),
            Cell::Logical(true),
            Cell::Missing,
        ];
        write_csv(&cells, &mut line);
        let expected = "-3,-40.5,2,-0.1,T,0x00000000000000ff,2f:21,0;1;3,TRUE,NA\n";
        assert_eq!(String::from_utf8(line).unwrap(), expected);
    }
}
