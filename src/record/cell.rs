//! One value of a table, and its text in CSV.

use std::io::Write;

/// A value of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A whole number.
    Integer(i64),
    /// A fraction, written in the shortest form that reads back.
    Real(f64),
    /// Text without commas, quotes or line ends.
    Text(&'a str),
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
}

/// Appends one CSV line.
pub fn write_csv(cells: &[Cell], out: &mut Vec<u8>) {
    let mut digits = itoa::Buffer::new();
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match cell {
            Cell::Integer(value) => out.extend_from_slice(digits.format(*value).as_bytes()),
            // Writing to a Vec cannot fail.
            Cell::Real(value) => _ = write!(out, "{value}"),
            Cell::Text(text) => {
                debug_assert!(!text.contains([',', '"', '\n', '\r']), "{text}");
                out.extend_from_slice(text.as_bytes());
            }
            Cell::Logical(true) => out.extend_from_slice(b"TRUE"),
            Cell::Logical(false) => out.extend_from_slice(b"FALSE"),
            Cell::Missing => out.extend_from_slice(b"NA"),
        }
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_as_r_expects() {
        let mut line = Vec::new();
        let cells = [
            Cell::Integer(-3),
            Cell::Real(-40.5),
            Cell::Real(2.0),
            Cell::Text("T"),
            Cell::Logical(true),
            Cell::Missing,
        ];
        write_csv(&cells, &mut line);
        assert_eq!(line, b"-3,-40.5,2,T,TRUE,NA\n");
    }
}
