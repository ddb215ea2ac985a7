//! CSV tables with the conventions of the code book: `NA`, `TRUE`, `FALSE`, no quotation marks in
//! own tables. This file reads, and `write` formats lines.

mod write;

use std::fmt::Display;
use std::io::{BufRead, BufReader, Read};

use csv::{ByteRecord, ReaderBuilder, StringRecord};
use serde::de::DeserializeOwned;

use crate::error::quoted;
use crate::prelude::*;
use crate::record::folder::open_regular;
use crate::record::tables::values::{
    LONGEST_TEXT_BYTES, MOST_TEXT_BYTES, NO_CODE, NO_COUNT, NO_INTEGER, whole_number,
};
use crate::record::{BoundedLines, RowFilter, invalid_content_error};

pub(crate) use write::write;

const MISSING: &[u8; 2] = b"NA";

pub(crate) fn header(columns: &[Column]) -> Vec<u8> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    (names.join(",") + "\n").into_bytes()
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const NOT_UTF8: &str = "is not UTF-8 text (Latin-1, perhaps): save it as UTF-8";

/// Passes a CSV table's rows to `take` in chunks; `columns_of` finds the columns of the header.
pub(crate) fn read(
    name: &str,
    reader: impl Read,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    rows_at_once: usize,
    mut take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<()> {
    let failed = |error: csv::Error| unreadable(name, &csv_problem(&error));
    let reader = open(name, reader)?;
    let mut reader = ReaderBuilder::new().buffer_capacity(1 << 18).from_reader(reader);
    let (names, skipped) = header_names(name, reader.headers().map_err(failed)?)?;
    let columns = columns_of(&names)?;
    let mut rows = Rows::new(&columns);
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(failed)? {
        let cells = record.iter().skip(skipped);
        for ((column, values), cell) in columns.iter().zip(&mut rows.columns).zip(cells) {
            read_value(column, values, cell).ok_or_else(|| {
                cell_error(name, record.position().map_or(0, csv::Position::line), column, cell)
            })?;
        }
        if rows.len() == rows_at_once {
            take(&columns, std::mem::replace(&mut rows, Rows::new(&columns)))?;
        }
    }
    take(&columns, rows)
}

pub(super) fn open<R: Read>(name: &str, reader: R) -> Result<BufReader<R>> {
    let mut reader = BufReader::with_capacity(1 << 18, reader);
    let bytes = reader.fill_buf().map_err(|e| unreadable(name, &e))?;
    let line = bytes.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let has = |byte: u8| line.contains(&byte);
    // A character may be cut at the end of the buffer.
    let is_utf8 = std::str::from_utf8(line).map_or_else(|e| e.error_len().is_none(), |_| true);
    let problem = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || has(0) {
        "is UTF-16 text: save it as UTF-8"
    } else if !is_utf8 {
        NOT_UTF8
    } else if line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).starts_with(b"sep=") {
        "begins with a line `sep=`, which only Excel reads: delete this line"
    } else if !has(b',') && has(b';') {
        "has semicolons between its cells: save it with commas, and with points in numbers"
    } else if !has(b',') && has(b'\t') {
        "has tabs between its cells: save it with commas"
    } else {
        return Ok(reader);
    };
    Err(Error::Config(format!("{name} {problem}")))
}

/// Returns the column names of a CSV header, and how many cells to skip per line (1 for row names,
/// as from R).
pub(super) fn header_names(name: &str, header: &StringRecord) -> Result<(Vec<String>, usize)> {
    let skipped = usize::from(header.len() > 1 && header[0].is_empty());
    let names: Vec<String> = header.iter().skip(skipped).map(str::to_owned).collect();
    if names.is_empty() { Err(empty_error(name)) } else { Ok((names, skipped)) }
}

pub(super) fn unreadable(name: &str, error: &impl Display) -> Error {
    Error::Config(format!("{name}: {error}: correct the table, or write it again"))
}

pub(crate) fn read_rows<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>> {
    let mut table = csv::Reader::from_reader(BoundedLines::new(open_regular(path)?));
    let row = |row: csv::Result<R>| row.map_err(|e| invalid_content_error(path, csv_problem(&e)));
    table.deserialize().map(row).collect()
}

pub(super) fn csv_problem(error: &csv::Error) -> String {
    let line = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::Io(error) => error.to_string(),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line} has {len} cells, but the header has {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => format!("line {line}: the file {NOT_UTF8}"),
        csv::ErrorKind::Deserialize { err, .. } => format!("line {line}: {}", err.kind()),
        _ => error.to_string(),
    }
}

/// Returns true if `byte` may occur in a text: no comma, quotation mark or control character.
pub(crate) fn is_plain(byte: u8) -> bool {
    !byte.is_ascii_control() && byte != b',' && byte != b'"'
}

pub(super) fn empty_error(name: &str) -> Error {
    Error::Config(format!("{name}: the file is empty, without even a header: write it again"))
}

pub(super) fn cell_error(name: &str, line: u64, column: &Column, cell: &[u8]) -> Error {
    if std::str::from_utf8(cell).is_err() {
        let column = &column.name;
        return Error::Config(format!("{name}, line {line}, column {column}: the file {NOT_UTF8}"));
    }
    let cell = quoted(&String::from_utf8_lossy(cell));
    let problem = match column.kind {
        _ if cell.is_empty() || cell == "NA" => {
            "means a missing value, which this column cannot have".to_owned()
        }
        ColumnType::Text if column.is_foreign() => {
            format!("has more than {LONGEST_TEXT_BYTES} bytes")
        }
        ColumnType::Factor => format!("is none of {}", column.levels.join(" ")),
        kind => format!("is no {}", kind.name()),
    };
    Error::Config(format!(
        "{name}, line {line}: '{cell}' in column {} {problem}: correct the cell",
        column.name
    ))
}

pub(super) fn read_value(column: &Column, values: &mut ColumnValues, cell: &[u8]) -> Option<()> {
    // Other programs leave the cell of a missing value empty.
    let missing = cell == MISSING || cell.is_empty();
    if missing && column.is_required() {
        return None;
    }
    let text = std::str::from_utf8(cell).ok()?;
    match values {
        ColumnValues::Integer(values) if missing => values.push(NO_INTEGER),
        ColumnValues::Integer(values) => {
            // The internal mark of a missing value is not valid input: no run writes it.
            let number = text.parse().ok().or_else(|| i32::try_from(whole(text)?).ok());
            values.push(number.filter(|&number| number != NO_INTEGER)?);
        }
        ColumnValues::Count(values) if missing => values.push(NO_COUNT),
        ColumnValues::Count(values) => {
            let number = text.parse().ok().or_else(|| whole(text));
            values.push(number.filter(|&number| number != NO_COUNT)?);
        }
        ColumnValues::Real(values) if missing => values.push(f64::NAN),
        ColumnValues::Real(values) => {
            values.push(text.parse().ok().filter(|number: &f64| !number.is_nan())?);
        }
        ColumnValues::Factor(codes) | ColumnValues::Logical(codes) if missing => {
            codes.push(NO_CODE)
        }
        ColumnValues::Factor(codes) => {
            let index = column.levels.iter().position(|level| level == text)?;
            codes.push(index as u8);
        }
        ColumnValues::Logical(codes) => codes.push(match text {
            "TRUE" | "True" | "true" => 1,
            "FALSE" | "False" | "false" => 0,
            _ => return None,
        }),
        // Cells of this program's own tables are written without quotation marks.
        ColumnValues::Text(_)
            if !column.is_foreign() && cell.iter().any(|&byte| !is_plain(byte)) =>
        {
            return None;
        }
        ColumnValues::Text(texts) => {
            if cell.len() > LONGEST_TEXT_BYTES || texts.bytes.len() + cell.len() > MOST_TEXT_BYTES {
                return None;
            }
            if !missing {
                texts.bytes.extend_from_slice(cell);
            }
            texts.end();
        }
    }
    Some(())
}

/// Parses an integer that may be written with a decimal point or exponent, as `15.0` or `1e+05`.
fn whole(text: &str) -> Option<i64> {
    whole_number(text.parse().ok()?)
}

pub(crate) fn names(name: &str, reader: impl Read) -> Result<Vec<String>> {
    let mut line = Vec::new();
    open(name, reader)?.read_until(b'\n', &mut line).map_err(|e| unreadable(name, &e))?;
    Ok(parse_header(name, &line)?.0)
}

fn parse_header(name: &str, line: &[u8]) -> Result<(Vec<String>, usize)> {
    let mut reader = csv::Reader::from_reader(line);
    header_names(name, reader.headers().map_err(|e| unreadable(name, &csv_problem(&e)))?)
}

/// Passes the CSV rows that `filter` selects to `take`, with row numbers. Returns the table's row
/// count if all rows were read.
pub(crate) fn seek(
    name: &str,
    reader: impl Read,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    rows_at_once: usize,
    filter: &RowFilter,
    mut take: impl FnMut(&[Column], &Rows, &[u64]) -> Result<()>,
) -> Result<Option<u64>> {
    let mut reader = open(name, reader)?;
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| {
        line.clear();
        let read = reader.read_until(b'\n', line).map_err(|e| unreadable(name, &e))?;
        while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            line.pop();
        }
        Ok::<_, Error>(read > 0)
    };
    next(&mut line)?;
    let (names, skipped) = parse_header(name, &line)?;
    let columns = columns_of(&names)?;
    let index_of = |key: &str| names.iter().position(|name| name == key).map(|at| at + skipped);
    let keys = index_of("game").zip(index_of("piece_no"));
    let (mut rows, mut indices) = (Rows::new(&columns), Vec::new());
    let (mut row, mut line_no) = (0, 1);
    while next(&mut line)? {
        line_no += 1;
        if line.is_empty() {
            continue;
        }
        let placement = keys.filter(|_| !filter.games.is_empty()).and_then(|keys| key(&line, keys));
        if placement.is_some_and(|(game, _)| filter.last_game().is_some_and(|last| game > last)) {
            take(&columns, &rows, &indices)?;
            return Ok(None);
        }
        let is_of_game = placement.is_some_and(|(game, number)| filter.has_placement(game, number));
        if is_of_game || filter.has_row(row) {
            let mut cells = line.split(|&byte| byte == b',').skip(skipped).map(unquoted);
            for (column, values) in columns.iter().zip(&mut rows.columns) {
                let cell = cells.next().ok_or_else(|| {
                    Error::Config(format!(
                        "{name}, line {line_no}: it has fewer cells than the header: correct it"
                    ))
                })?;
                read_value(column, values, cell)
                    .ok_or_else(|| cell_error(name, line_no, column, cell))?;
            }
            if cells.next().is_some() {
                let text = format!("line {line_no}: it has more cells than the header: correct it");
                return Err(Error::Config(format!("{name}, {text}")));
            }
            indices.push(row);
            if indices.len() == rows_at_once {
                take(&columns, &rows, &indices)?;
                (rows, indices) = (Rows::new(&columns), Vec::new());
            }
        }
        row += 1;
    }
    take(&columns, &rows, &indices)?;
    Ok(Some(row))
}

fn unquoted(cell: &[u8]) -> &[u8] {
    let inner = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\""));
    inner.unwrap_or(cell)
}

fn key(line: &[u8], (game, number): (usize, usize)) -> Option<(u64, u64)> {
    let cell = |index: usize| {
        let cell = unquoted(line.split(|&byte| byte == b',').nth(index)?);
        std::str::from_utf8(cell).ok()?.parse().ok()
    };
    Some((cell(game)?, cell(number)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ColumnType, ColumnValues, RowSlice, Rows};
    use proptest::prelude::*;

    fn shown(value: f64) -> String {
        let columns = [Column::new("x", ColumnType::Real, "-", "")];
        let mut text = Vec::new();
        write(
            &columns,
            &RowSlice::new(Rows { columns: vec![ColumnValues::Real(vec![value])] }),
            &mut text,
        );
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
        let columns = [Column::new("x", ColumnType::Count, "-", "")];
        let near = |power: u32| (-2..=2).map(move |off| 10i64.pow(power) + off);
        let numbers: Vec<i64> = (0..19).flat_map(near).flat_map(|n| [n, -n]).collect();
        let mut text = Vec::new();
        let rows = Rows { columns: vec![ColumnValues::Count(numbers.clone())] };
        write(&columns, &RowSlice::new(rows), &mut text);
        let expected: String = numbers.iter().map(|n| format!("{n}\n")).collect();
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    #[test]
    fn lines_read_back() {
        let kinds = [
            ColumnType::Integer,
            ColumnType::Count,
            ColumnType::Real,
            ColumnType::Factor,
            ColumnType::Logical,
            ColumnType::Text,
        ];
        let mut columns = kinds.map(|kind| Column::new(kind.name(), kind, "-", "")).to_vec();
        columns[3].levels = ["I", "T"].map(str::to_owned).to_vec();
        columns.iter_mut().for_each(|column| column.missing = "here and there".into());
        let text = "integer,count,real,factor,logical,text\n\
                    -3,99999999999,-40.5,T,TRUE,2f:21\nNA,NA,NA,NA,NA,NA\n100,10,7,I,FALSE,a\n";
        let read_all = |text: &str, rows_at_once| {
            let mut back = header(&columns);
            let columns_of = |_: &[String]| Ok(columns.clone());
            let found =
                read("x.csv", text.as_bytes(), columns_of, rows_at_once, |columns, rows| {
                    write(columns, &RowSlice::new(rows), &mut back);
                    Ok(())
                });
            found.map(|()| String::from_utf8(back).unwrap())
        };
        for rows_at_once in 1..4 {
            assert_eq!(read_all(text, rows_at_once).unwrap(), text);
        }
        let problem = |text: &str| read_all(text, 9).unwrap_err().to_string();
        let wrong = text.replace("T,TRUE", "T,yes");
        assert!(problem(&wrong).contains("line 2: 'yes' in column logical is no logical"));
        assert!(problem(&text.replace(",2f:21", "")).contains("x.csv"));
    }
}
