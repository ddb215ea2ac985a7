//! CSV reader: parses lines into rows.

use std::io::Read;

use csv::{ByteRecord, ReaderBuilder};

use super::MISSING;
use crate::error::{Error, Result, quoted};
use crate::record::tables::values::{LONGEST_TEXT, MOST_TEXT, NO_CODE, NO_COUNT, NO_INTEGER};
use crate::record::{Column, ColumnType, ColumnValues, Rows};

/// Reads the CSV table `name` and passes chunks of `rows_at_once` rows to `take`. `columns_of`
/// returns the columns for the names in the header.
///
/// # Errors
/// [`Error::Config`] if a line has a wrong number of cells or an invalid cell, and the errors of
/// `take`.
pub(crate) fn read(
    name: &str,
    reader: impl Read,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    rows_at_once: usize,
    mut take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<()> {
    let failed =
        |error: csv::Error| Error::Config(format!("{name}: {error}: restore it from a copy"));
    let mut reader = ReaderBuilder::new().buffer_capacity(1 << 18).from_reader(reader);
    let header = reader.headers().map_err(failed)?;
    let names: Vec<String> = header.iter().map(str::to_owned).collect();
    if names.is_empty() {
        return Err(empty(name));
    }
    let columns = columns_of(&names)?;
    let mut rows = Rows::new(&columns);
    let mut record = ByteRecord::new();
    while reader.read_byte_record(&mut record).map_err(failed)? {
        for ((column, values), cell) in columns.iter().zip(&mut rows.columns).zip(&record) {
            read_value(column, values, cell).ok_or_else(|| {
                wrong(name, record.position().map_or(0, csv::Position::line), column, cell)
            })?;
        }
        if rows.len() == rows_at_once {
            take(&columns, std::mem::replace(&mut rows, Rows::new(&columns)))?;
        }
    }
    take(&columns, rows)
}

/// Returns true if a text may contain `byte`. Commas, quotation marks and control characters are
/// excluded.
pub(crate) fn is_plain(byte: u8) -> bool {
    !byte.is_ascii_control() && byte != b',' && byte != b'"'
}

/// Returns the error for a table without a header.
pub(super) fn empty(name: &str) -> Error {
    Error::Config(format!(
        "{name}: the file is empty, without even a header: restore it from a copy"
    ))
}

/// Returns the error for a cell that is invalid in its column.
pub(super) fn wrong(name: &str, line: u64, column: &Column, cell: &[u8]) -> Error {
    let cell = quoted(&String::from_utf8_lossy(cell));
    let problem = match column.kind {
        ColumnType::Text if column.is_foreign() => {
            "has a comma, a quotation mark or a control character, or is too long".to_owned()
        }
        ColumnType::Factor => format!("is none of {}", column.levels.join(" ")),
        kind => format!("is no {}", kind.name()),
    };
    let remedy = if column.is_foreign() { "correct the cell" } else { "restore it from a copy" };
    Error::Config(format!(
        "{name}, line {line}: '{cell}' in column {} {problem}: {remedy}",
        column.name
    ))
}

/// Parses a cell and appends its value to `values`. Returns `None` if the cell is invalid in its
/// column.
pub(super) fn read_value(column: &Column, values: &mut ColumnValues, cell: &[u8]) -> Option<()> {
    // Other programs leave the cell of a missing value empty.
    let missing = cell == MISSING || cell.is_empty() && column.is_foreign();
    if missing && column.is_required() {
        return None;
    }
    let text = std::str::from_utf8(cell).ok()?;
    match values {
        ColumnValues::Integer(values) if missing => values.push(NO_INTEGER),
        ColumnValues::Integer(values) => {
            // The internal mark of a missing value is not valid input: no run writes it.
            values.push(text.parse().ok().filter(|&number| number != NO_INTEGER)?);
        }
        ColumnValues::Count(values) if missing => values.push(NO_COUNT),
        ColumnValues::Count(values) => {
            values.push(text.parse().ok().filter(|&number| number != NO_COUNT)?);
        }
        ColumnValues::Real(values) if missing => values.push(f64::NAN),
        ColumnValues::Real(values) => {
            values.push(text.parse().ok().filter(|number: &f64| !number.is_nan())?);
        }
        ColumnValues::Factor(codes) | ColumnValues::Logical(codes) if missing => {
            codes.push(NO_CODE)
        }
        ColumnValues::Factor(codes) => {
            let place = column.levels.iter().position(|level| level == text)?;
            codes.push(place as u8);
        }
        ColumnValues::Logical(codes) => codes.push(match text {
            "TRUE" => 1,
            "FALSE" => 0,
            _ => return None,
        }),
        // Cells are written without quotation marks.
        ColumnValues::Text(_) if cell.iter().any(|&byte| !is_plain(byte)) => return None,
        ColumnValues::Text(texts) => {
            if cell.len() > LONGEST_TEXT || texts.bytes.len() + cell.len() > MOST_TEXT {
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
