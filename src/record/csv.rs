//! Rows as CSV lines and back, by the conventions of the code book: `NA`, `TRUE`, `FALSE`.

use std::io::Read;
use std::ops::Range;

use csv::{ByteRecord, ReaderBuilder};

use super::values::{NO_CODE, NO_COUNT, NO_INTEGER};
use super::{Column, Piece, Rows, Values};
use crate::error::{Error, Result};

const MISSING: &[u8; 2] = b"NA";

/// The header line.
pub(super) fn header(columns: &[Column]) -> Vec<u8> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    (names.join(",") + "\n").into_bytes()
}

/// Rows whose cells are made at once: they fit the innermost cache.
const BATCH: usize = 64;

/// Appends the lines of some rows. Cells are made column by column, which reads values in order,
/// and joined row by row: 2 to 3 times faster than going through the columns for each row.
pub(super) fn write(columns: &[Column], piece: &Piece, out: &mut Vec<u8>) {
    let table: Vec<_> = columns.iter().zip(&piece.rows.columns).collect();
    let mut cells = vec![cell(b""); BATCH * table.len()];
    for start in piece.range.clone().step_by(BATCH) {
        let batch = start..piece.range.end.min(start + BATCH);
        for (place, &(column, values)) in table.iter().enumerate() {
            let column_cells = cells[place..].iter_mut().step_by(table.len());
            fill(column, values, batch.clone(), column_cells);
        }
        for (row, cells) in batch.zip(cells.chunks_exact(table.len())) {
            join(&table, row, cells, out);
        }
    }
}

/// Up to seven bytes of text from the lowest, and in the highest byte how many they are.
type Cell = u64;

/// The cell of a text that is longer.
const LONG: Cell = Cell::MAX;

const fn cell(text: &[u8]) -> Cell {
    if text.len() > 7 {
        return LONG;
    }
    let mut cell = (text.len() as u64) << 56;
    let mut k = 0;
    while k < text.len() {
        cell |= (text[k] as u64) << (8 * k);
        k += 1;
    }
    cell
}

const MISSING_CELL: Cell = cell(b"NA,");

/// Makes the cells of some rows of a column, with the commas that follow.
fn fill<'a>(
    column: &Column,
    values: &Values,
    rows: Range<usize>,
    cells: impl Iterator<Item = &'a mut Cell>,
) {
    match values {
        Values::Integer(values) => {
            let found = values[rows].iter().map(|&value| match value {
                NO_INTEGER => MISSING_CELL,
                value => integer(value.into()),
            });
            cells.zip(found).for_each(|(cell, found)| *cell = found);
        }
        Values::Count(values) => {
            let found = values[rows].iter().map(|&value| match value {
                NO_COUNT => MISSING_CELL,
                value => integer(value),
            });
            cells.zip(found).for_each(|(cell, found)| *cell = found);
        }
        Values::Factor(codes) => {
            let levels: Vec<Cell> =
                column.levels.iter().map(|level| cell(format!("{level},").as_bytes())).collect();
            let found = codes[rows].iter().map(|&code| match code {
                NO_CODE => MISSING_CELL,
                code => levels[code as usize],
            });
            cells.zip(found).for_each(|(cell, found)| *cell = found);
        }
        Values::Logical(codes) => {
            let found = codes[rows].iter().map(|&code| match code {
                0 => const { cell(b"FALSE,") },
                1 => const { cell(b"TRUE,") },
                _ => MISSING_CELL,
            });
            cells.zip(found).for_each(|(cell, found)| *cell = found);
        }
        Values::Real(_) | Values::Text(_) => cells.for_each(|cell| *cell = LONG),
    }
}

/// Whole numbers below 1000 with a comma.
const SMALL: [Cell; 1000] = small();

const fn small() -> [Cell; 1000] {
    let mut all = [0; 1000];
    let mut n = 0;
    while n < 1000 {
        let [hundreds, tens, ones] = three(n);
        all[n] = match n {
            0..10 => cell(&[ones, b',']),
            10..100 => cell(&[tens, ones, b',']),
            _ => cell(&[hundreds, tens, ones, b',']),
        };
        n += 1;
    }
    all
}

/// Three digits of a number below 1000.
const fn three(n: usize) -> [u8; 3] {
    [b'0' + (n / 100) as u8, b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8]
}

#[inline]
fn integer(value: i64) -> Cell {
    match value {
        0..1000 => SMALL[value as usize],
        1000..1_000_000 => {
            let thousands = SMALL[value as usize / 1000];
            let digits = (thousands >> 56) - 1;
            let [a, b, c] = three(value as usize % 1000);
            let rest = u64::from_le_bytes([a, b, c, b',', 0, 0, 0, 0]);
            let kept = thousands & ((1 << (8 * digits)) - 1);
            kept | rest << (8 * digits) | (digits + 4) << 56
        }
        -999..0 => {
            let positive = SMALL[value.unsigned_abs() as usize];
            let length = positive >> 56;
            u64::from(b'-') | positive << 8 & (u64::MAX >> 8) | (length + 1) << 56
        }
        _ => LONG,
    }
}

/// Appends the line of a row.
fn join(table: &[(&Column, &Values)], row: usize, cells: &[Cell], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + 8 * (cells.len() + 1), 0);
    let mut at = start;
    for (place, cell) in cells.iter().enumerate() {
        if *cell == LONG {
            out.truncate(at);
            write_long(table[place], row, out);
            out.push(b',');
            at = out.len();
            out.resize(at + 8 * (cells.len() - place), 0);
        } else {
            out[at..at + 8].copy_from_slice(&cell.to_le_bytes());
            at += (cell >> 56) as usize;
        }
    }
    out.truncate(at);
    if let Some(last) = out.last_mut() {
        *last = b'\n';
    }
}

/// Appends a value that does not fit a cell.
fn write_long((column, values): (&Column, &Values), row: usize, out: &mut Vec<u8>) {
    match values {
        Values::Real(values) if !values[row].is_nan() => write_real(values[row], out),
        Values::Text(text) if !text.get(row).is_empty() => out.extend_from_slice(text.get(row)),
        Values::Real(_) | Values::Text(_) => out.extend_from_slice(MISSING),
        Values::Integer(values) => write_integer(values[row].into(), out),
        Values::Count(values) => write_integer(values[row], out),
        Values::Factor(codes) | Values::Logical(codes) => {
            out.extend_from_slice(column.levels[codes[row] as usize].as_bytes());
        }
    }
}

fn write_integer(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// The shortest form that reads back.
fn write_real(value: f64, out: &mut Vec<u8>) {
    let scaled = (value.abs() * 1e9 + 0.5) as u64;
    // With at most 15 digits a decimal that reads as `value` is its shortest form, and a quotient
    // of exact numbers is rounded as a decimal is when it is read.
    if scaled >= 1_000_000_000_000_000 || scaled as f64 / 1e9 != value.abs() {
        return out.extend_from_slice(value.to_string().as_bytes());
    }
    if value < 0.0 {
        out.push(b'-');
    }
    write_integer((scaled / 1_000_000_000) as i64, out);
    let fraction = (scaled % 1_000_000_000) as usize;
    if fraction != 0 {
        out.push(b'.');
        for three_digits in [fraction / 1_000_000, fraction / 1000 % 1000, fraction % 1000] {
            out.extend_from_slice(&three(three_digits));
        }
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// Reads a table of known columns in pieces of so many rows.
///
/// # Errors
/// [`Error::Config`] when a line is not what the columns are, and what `take` returns.
pub(super) fn read(
    name: &str,
    reader: impl Read,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    piece: usize,
    mut take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<()> {
    let failed =
        |error: csv::Error| Error::Config(format!("{name}: {error}: restore it from a copy"));
    let mut reader = ReaderBuilder::new().buffer_capacity(1 << 18).from_reader(reader);
    let header = reader.headers().map_err(failed)?;
    let names: Vec<String> = header.iter().map(str::to_owned).collect();
    let columns = columns_of(&names)?;
    let mut rows = Rows::new(&columns);
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(failed)? {
        for ((column, values), cell) in columns.iter().zip(&mut rows.columns).zip(&record) {
            read_value(column, values, cell).ok_or_else(|| {
                let line = record.position().map_or(0, csv::Position::line);
                let (cell, kind) = (String::from_utf8_lossy(cell), column.kind.name());
                let problem = format!("'{cell}' in column {} is no {kind}", column.name);
                Error::Config(format!("{name}, line {line}: {problem}: restore it from a copy"))
            })?;
        }
        if rows.len() == piece {
            take(&columns, std::mem::replace(&mut rows, Rows::new(&columns)))?;
        }
    }
    take(&columns, rows)
}

fn read_value(column: &Column, values: &mut Values, cell: &[u8]) -> Option<()> {
    let missing = cell == MISSING;
    let text = std::str::from_utf8(cell).ok()?;
    match values {
        Values::Integer(values) if missing => values.push(NO_INTEGER),
        Values::Integer(values) => values.push(text.parse().ok()?),
        Values::Count(values) if missing => values.push(NO_COUNT),
        Values::Count(values) => values.push(text.parse().ok()?),
        Values::Real(values) if missing => values.push(f64::NAN),
        Values::Real(values) => values.push(text.parse().ok()?),
        Values::Factor(codes) | Values::Logical(codes) if missing => codes.push(NO_CODE),
        Values::Factor(codes) => {
            let place = column.levels.iter().position(|level| level == text)?;
            codes.push(place as u8);
        }
        Values::Logical(codes) => codes.push(match text {
            "TRUE" => 1,
            "FALSE" => 0,
            _ => return None,
        }),
        Values::Text(texts) => texts.push(|bytes| {
            if !missing {
                bytes.extend_from_slice(cell);
            }
        }),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use proptest::prelude::*;

    use super::*;

    fn shown(value: f64) -> String {
        let columns = [Column::new("x", Kind::Real, "-", "")];
        let mut text = Vec::new();
        write(&columns, &Piece::new(Rows { columns: vec![Values::Real(vec![value])] }), &mut text);
        String::from_utf8(text).unwrap().trim_end().to_owned()
    }

    #[test]
    fn fractions_are_written_in_their_shortest_form() {
        for (value, text) in [
            (2.0, "2"),
            (-40.5, "-40.5"),
            (-0.1, "-0.1"),
            (0.0, "0"),
            (-572.6827, "-572.6827"),
            (0.000000001, "0.000000001"),
            (1.0 / 3.0, "0.3333333333333333"),
            (1e300 / 7.0, &(1e300 / 7.0).to_string()),
            (123456789.125, "123456789.125"),
        ] {
            assert_eq!(shown(value), text);
        }
    }

    proptest! {
        #[test]
        fn a_fraction_is_written_as_the_standard_library_does(
            steps in -1_000_000_000_000i64..1_000_000_000_000,
            scale in prop::sample::select(vec![1.0, 2.0, 4.0, 7.0, 10.0, 1e4, 2e6, 14e6, 1e9]),
        ) {
            let value = steps as f64 / scale;
            prop_assert_eq!(shown(value), value.to_string());
        }
    }

    #[test]
    fn whole_numbers_are_written_as_the_standard_library_does() {
        let columns = [Column::new("x", Kind::Count, "-", "")];
        let near = |power: u32| (-2..=2).map(move |off| 10i64.pow(power) + off);
        let numbers: Vec<i64> = (0..19).flat_map(near).flat_map(|n| [n, -n]).collect();
        let mut text = Vec::new();
        let rows = Rows { columns: vec![Values::Count(numbers.clone())] };
        write(&columns, &Piece::new(rows), &mut text);
        let expected: String = numbers.iter().map(|n| format!("{n}\n")).collect();
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn lines_read_back() {
        let kinds =
            [Kind::Integer, Kind::Count, Kind::Real, Kind::Factor, Kind::Logical, Kind::Text];
        let mut columns = kinds.map(|kind| Column::new(kind.name(), kind, "-", "")).to_vec();
        columns[3].levels = ["I", "T"].map(str::to_owned).to_vec();
        let text = "integer,count,real,factor,logical,text\n\
                    -3,99999999999,-40.5,T,TRUE,2f:21\nNA,NA,NA,NA,NA,NA\n100,10,7,I,FALSE,a\n";
        let read_all = |text: &str, piece| {
            let mut back = header(&columns);
            let columns_of = |_: &[String]| Ok(columns.clone());
            let found = read("x.csv", text.as_bytes(), columns_of, piece, |columns, rows| {
                write(columns, &Piece::new(rows), &mut back);
                Ok(())
            });
            found.map(|()| String::from_utf8(back).unwrap())
        };
        for piece in 1..4 {
            assert_eq!(read_all(text, piece).unwrap(), text);
        }
        let problem = |text: &str| read_all(text, 9).unwrap_err().to_string();
        let wrong = text.replace("T,TRUE", "T,yes");
        assert!(problem(&wrong).contains("line 2: 'yes' in column logical is no logical"));
        assert!(problem(&text.replace(",2f:21", "")).contains("x.csv"));
    }
}
