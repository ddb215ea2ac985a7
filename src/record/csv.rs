//! Rows as CSV lines and back, by the conventions of the code book: `NA`, `TRUE`, `FALSE`.

use std::io::Read;

use csv::{ByteRecord, ReaderBuilder};

use super::values::{NO_CODE, NO_COUNT, NO_INTEGER};
use super::{Column, Rows, Text, Values};
use crate::error::{Error, Result};

const MISSING: &[u8; 2] = b"NA";

/// The header line.
pub(super) fn header(columns: &[Column]) -> Vec<u8> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    (names.join(",") + "\n").into_bytes()
}

/// Appends the lines of some rows.
pub(super) fn write(columns: &[Column], rows: &Rows, out: &mut Vec<u8>) {
    let texts: Vec<&Text> = rows.columns.iter().filter_map(Values::text).collect();
    let widest = |column: &Column| column.levels.iter().map(String::len).max().unwrap_or(0);
    let most: usize = columns.iter().map(|column| widest(column).max(NUMBER) + 1).sum();
    let mut line = Line { at: out.len(), out };
    for row in 0..rows.len() {
        line.make_room(most + texts.iter().map(|text| text.get(row).len()).sum::<usize>());
        for (column, values) in columns.iter().zip(&rows.columns) {
            line.value(column, values, row);
            line.put(*b",");
        }
        line.at -= 1;
        line.put(*b"\n");
    }
    let end = line.at;
    out.truncate(end);
}

/// Most bytes of a number; for longer fractions room is made.
const NUMBER: usize = 24;

/// A text with room to write at a place.
struct Line<'a> {
    out: &'a mut Vec<u8>,
    at: usize,
}

impl Line<'_> {
    fn make_room(&mut self, bytes: usize) {
        let needed = self.at + bytes;
        if needed > self.out.len() {
            self.out.resize(needed.max(2 * self.at), 0);
        }
    }

    #[inline]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.out[self.at..self.at + N].copy_from_slice(&bytes);
        self.at += N;
    }

    #[inline]
    fn put_slice(&mut self, bytes: &[u8]) {
        self.out[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }

    #[inline]
    fn value(&mut self, column: &Column, values: &Values, row: usize) {
        match values {
            Values::Integer(values) if values[row] != NO_INTEGER => {
                self.integer(values[row].into());
            }
            Values::Count(values) if values[row] != NO_COUNT => self.integer(values[row]),
            Values::Real(values) if !values[row].is_nan() => self.real(values[row]),
            Values::Factor(codes) if codes[row] != NO_CODE => {
                self.put_slice(column.levels[codes[row] as usize].as_bytes());
            }
            Values::Logical(codes) if codes[row] == 1 => self.put(*b"TRUE"),
            Values::Logical(codes) if codes[row] == 0 => self.put(*b"FALSE"),
            Values::Text(text) if !text.get(row).is_empty() => self.put_slice(text.get(row)),
            _ => self.put(*MISSING),
        }
    }

    #[inline]
    fn integer(&mut self, value: i64) {
        if value < 0 {
            self.put(*b"-");
        }
        match value.unsigned_abs() {
            small @ 0..1000 => self.small(small as usize),
            middle @ 1000..1_000_000 => {
                self.small((middle / 1000) as usize);
                self.put(three((middle % 1000) as usize));
            }
            large => self.put_slice(itoa::Buffer::new().format(large).as_bytes()),
        }
    }

    #[inline]
    fn small(&mut self, value: usize) {
        let [digits @ .., length] = DIGITS[value];
        self.put(digits);
        self.at -= 3 - length as usize;
    }

    /// The shortest form that reads back.
    fn real(&mut self, value: f64) {
        let scaled = (value * 1e9).round_ties_even();
        // With at most 15 digits a decimal that reads as `value` is its shortest form, and a
        // quotient of exact numbers is rounded as a decimal is when it is read.
        if scaled.abs() >= 1e15 || scaled / 1e9 != value {
            let text = value.to_string();
            // As much room as before stays for what follows.
            self.out.splice(self.at..self.at, text.bytes());
            self.at += text.len();
            return;
        }
        if scaled < 0.0 {
            self.put(*b"-");
        }
        let scaled = scaled.abs() as u64;
        self.integer((scaled / 1_000_000_000) as i64);
        let fraction = (scaled % 1_000_000_000) as usize;
        if fraction != 0 {
            self.put(*b".");
            self.put(three(fraction / 1_000_000));
            self.put(three(fraction / 1000 % 1000));
            self.put(three(fraction % 1000));
            while self.out[self.at - 1] == b'0' {
                self.at -= 1;
            }
        }
    }
}

/// The digits of numbers below 1000, from the left, and how many they are.
const DIGITS: [[u8; 4]; 1000] = digits();

const fn digits() -> [[u8; 4]; 1000] {
    let mut all = [[b'0'; 4]; 1000];
    let mut n = 0;
    while n < 1000 {
        let [hundreds, tens, ones] = three(n);
        all[n] = match n {
            0..10 => [ones, b'0', b'0', 1],
            10..100 => [tens, ones, b'0', 2],
            _ => [hundreds, tens, ones, 3],
        };
        n += 1;
    }
    all
}

/// Three digits of a number below 1000.
const fn three(n: usize) -> [u8; 3] {
    [b'0' + (n / 100) as u8, b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8]
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
        write(&columns, &Rows { columns: vec![Values::Real(vec![value])] }, &mut text);
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
                write(columns, &rows, &mut back);
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
