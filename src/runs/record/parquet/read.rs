//! Files to rows.

use std::fs::File;
use std::path::Path;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::Result as Parquet;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;

use super::super::csv::is_plain;
use super::super::values::{NO_CODE, NO_COUNT, NO_INTEGER, Text};
use super::super::{Column, ColumnType, ColumnValues, Rows};
use super::{damaged, failed, other_type};
use crate::error::{Error, Result};
use crate::threads::caught;

/// Rows of a group at most; ours have 65,536, and other programs seldom write more than a million.
const MOST_ROWS: usize = 1 << 24;
/// Rows that are read at once.
const ROWS_AT_ONCE: usize = 1 << 16;

/// Rows of a file.
///
/// # Errors
/// [`Error::Config`] when it is no Parquet file, [`Error::Io`] when it can't be read.
pub(in crate::record) fn row_count(path: &Path) -> Result<u64> {
    let file = File::open(path).map_err(|e| Error::io("reading", path, e))?;
    let read = || ParquetMetaDataReader::new().parse_and_finish(&file);
    let metadata = whole(path, read)?;
    Ok(metadata.file_metadata().num_rows() as u64)
}

/// Reads a table of known columns, a row group at a time.
///
/// # Errors
/// [`Error::Config`] when it does not have the columns, [`Error::Io`] when it can't be read, and
/// what `take` returns.
pub(in crate::record) fn read(
    path: &Path,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    mut take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<()> {
    let file = File::open(path).map_err(|e| Error::io("reading", path, e))?;
    let reader = whole(path, || SerializedFileReader::new(file))?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
    let columns = columns_of(&names)?;
    if reader.num_row_groups() == 0 {
        return take(&columns, Rows::new(&columns));
    }
    for group in 0..reader.num_row_groups() {
        let read = || read_group(&*reader.get_row_group(group)?, &columns);
        take(&columns, whole(path, read)?)?;
    }
    Ok(())
}

fn read_group(group: &dyn RowGroupReader, columns: &[Column]) -> Parquet<Rows> {
    let count = usize::try_from(group.metadata().num_rows()).unwrap_or(usize::MAX);
    if count > MOST_ROWS || group.num_columns() != columns.len() {
        return Err(damaged());
    }
    let read = |(index, column)| {
        let values = read_column(group.get_column_reader(index)?, column, count)?;
        if is_sound(&values, column) { Ok(values) } else { Err(other_type(column)) }
    };
    Ok(Rows { columns: columns.iter().enumerate().map(read).collect::<Parquet<_>>()? })
}

/// Whether values are what the column may hold.
fn is_sound(values: &ColumnValues, column: &Column) -> bool {
    let there =
        !column.is_required() || values.presence(0..values.len()).iter().all(|&one| one == 1);
    // A text with a comma or a quotation mark would make a CSV that this program refuses to read again.
    let plain = match values {
        ColumnValues::Text(text) => {
            text.bytes.iter().all(|&byte| is_plain(byte))
                && std::str::from_utf8(&text.bytes).is_ok()
        }
        _ => true,
    };
    there && plain
}

/// What a damaged file makes of the crate's reader: an error or, at some bytes, a panic.
fn whole<T>(path: &Path, read: impl FnOnce() -> Parquet<T>) -> Result<T> {
    let read = caught(read).map_err(|_| failed("reading", path, damaged()))?;
    read.map_err(|e| failed("reading", path, e))
}

fn read_column(from: ColumnReader, column: &Column, count: usize) -> Parquet<ColumnValues> {
    Ok(match (from, column.kind) {
        (ColumnReader::Int32ColumnReader(from), ColumnType::Integer) => {
            ColumnValues::Integer(cells(from, column, count, NO_INTEGER, |&value| value)?)
        }
        (ColumnReader::Int64ColumnReader(from), ColumnType::Count) => {
            ColumnValues::Count(cells(from, column, count, NO_COUNT, |&value| value)?)
        }
        (ColumnReader::DoubleColumnReader(from), ColumnType::Real) => {
            ColumnValues::Real(cells(from, column, count, f64::NAN, |&value| value)?)
        }
        (ColumnReader::BoolColumnReader(from), ColumnType::Logical) => {
            ColumnValues::Logical(cells(from, column, count, NO_CODE, |&value| u8::from(value))?)
        }
        (ColumnReader::ByteArrayColumnReader(from), ColumnType::Factor) => {
            let place = |name: &ByteArray| {
                column.levels.iter().position(|level| level.as_bytes() == name.data())
            };
            let codes = cells(from, column, count, Some(NO_CODE), |name: &ByteArray| {
                place(name).map(|place| place as u8)
            })?;
            let codes: Option<Vec<u8>> = codes.into_iter().collect();
            ColumnValues::Factor(codes.ok_or_else(|| other_type(column))?)
        }
        (ColumnReader::ByteArrayColumnReader(from), ColumnType::Text) => {
            let mut text = Text::default();
            let found = cells(from, column, count, None, |value: &ByteArray| Some(value.clone()))?;
            for value in found {
                text.bytes.extend_from_slice(value.as_ref().map_or(&[], ByteArray::data));
                text.end();
            }
            ColumnValues::Text(text)
        }
        _ => return Err(other_type(column)),
    })
}

/// The values of a column, with `missing` where there is none.
fn cells<D: DataType, V: Clone>(
    mut from: ColumnReaderImpl<D>,
    column: &Column,
    count: usize,
    missing: V,
    cell: impl Fn(&D::T) -> V,
) -> Parquet<Vec<V>> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let optional = !column.is_required();
    // A number of rows that is not true must not make room for so many.
    let mut rows = 0;
    loop {
        let most = (count - rows).min(ROWS_AT_ONCE);
        match from.read_records(most, optional.then_some(&mut levels), None, &mut values)?.0 {
            0 => break,
            read => rows += read,
        }
    }
    if rows != count || (if optional { levels.len() } else { values.len() }) != count {
        return Err(damaged());
    }
    let mut values = values.iter();
    if optional {
        let next =
            |level| if level == 1 { values.next().map(&cell) } else { Some(missing.clone()) };
        let cells: Option<Vec<V>> = levels.into_iter().map(next).collect();
        return cells.ok_or_else(|| other_type(column));
    }
    Ok(values.map(cell).collect())
}
