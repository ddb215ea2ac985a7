//! Rows as CSV lines and back, by the conventions of the code book: `NA`, `TRUE`, `FALSE`.

use std::io::Read;

use csv::{ByteRecord, ReaderBuilder};

use super::values::{NO_CODE, NO_COUNT, NO_INTEGER};
use super::{Column, Rows, Values};
use crate::error::{Error, Result};

const MISSING: &[u8] = b"NA";

/// The header line.
pub(super) fn header(columns: &[Column]) -> Vec<u8> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    (names.join(",") + "\n").into_bytes()
}

/// Appends the lines of some rows.
pub(super) fn write(columns: &[Column], rows: &Rows, out: &mut Vec<u8>) {
    out.reserve(rows.len() * 4 * columns.len());
    for row in 0..rows.len() {
        for (column, values) in columns.iter().zip(&rows.columns) {
            write_value(column, values, row, out);
            out.push(b',');
        }
        if let Some(last) = out.last_mut() {
            *last = b'\n';
        }
    }
}

#[inline]
fn write_value(column: &Column, values: &Values, row: usize, out: &mut Vec<u8>) {
    match values {
        Values::Integer(values) if values[row] != NO_INTEGER => {
            write_integer(values[row].into(), out);
        }
        Values::Count(values) if values[row] != NO_COUNT => write_integer(values[row], out),
        Values::Real(values) if !values[row].is_nan() => write_real(values[row], out),
        Values::Factor(codes) if codes[row] != NO_CODE => {
            out.extend_from_slice(column.levels[codes[row] as usize].as_bytes());
        }
        Values::Logical(codes) if codes[row] != NO_CODE => {
            let text: &[u8] = if codes[row] == 1 { b"TRUE" } else { b"FALSE" };
            out.extend_from_slice(text);
        }
        Values::Text(text) if !text.get(row).is_empty() => out.extend_from_slice(text.get(row)),
        _ => out.extend_from_slice(MISSING),
    }
}

fn write_integer(value: i64, out: &mut Vec<u8>) {
    match u8::try_from(value) {
        Ok(digit @ 0..10) => out.push(b'0' + digit),
        Ok(value @ 10..100) => out.extend_from_slice(&[b'0' + value / 10, b'0' + value % 10]),
        _ => out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes()),
    }
}

/// Decimals that most fractions here need no more of.
const DECIMALS: u32 = 9;

/// The shortest form that reads back.
fn write_real(value: f64, out: &mut Vec<u8>) {
    let power = 10i64.pow(DECIMALS);
    let scaled = (value * power as f64).round();
    // With at most 15 digits a decimal that reads as `value` is its shortest form, and a quotient
    // of exact numbers is rounded as a decimal is when it is read.
    if scaled.abs() >= 1e15 || scaled / power as f64 != value {
        out.extend_from_slice(value.to_string().as_bytes());
        return;
    }
    let scaled = scaled as i64;
    if scaled < 0 {
        out.push(b'-');
    }
    let (whole, mut fraction) = (scaled.abs() / power, scaled.abs() % power);
    write_integer(whole, out);
    if fraction != 0 {
        out.push(b'.');
        let start = out.len();
        let mut unit = power;
        while fraction != 0 {
            unit /= 10;
            out.push(b'0' + (fraction / unit) as u8);
            fraction %= unit;
        }
        debug_assert!(out.len() - start <= DECIMALS as usize);
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
        let mut text = Vec::new();
        write_real(value, &mut text);
        String::from_utf8(text).unwrap()
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
