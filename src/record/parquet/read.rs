//! Files to rows.

use std::fs::File;
use std::path::Path;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::Result as Parquet;
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;

use super::super::values::{NO_CODE, NO_COUNT, NO_INTEGER, Text};
use super::super::{Column, Kind, Rows, Values};
use super::{failed, other_type};
use crate::error::{Error, Result};

/// Rows of a file.
///
/// # Errors
/// [`Error::Config`] when it is no Parquet file, [`Error::Io`] when it can't be read.
pub(in crate::record) fn row_count(path: &Path) -> Result<u64> {
    let file = File::open(path).map_err(|e| Error::io("reading", path, e))?;
    let read = ParquetMetaDataReader::new().parse_and_finish(&file);
    let metadata = read.map_err(|e| failed("reading", path, e))?;
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
    let wrong = |e| failed("reading", path, e);
    let reader = SerializedFileReader::new(file).map_err(wrong)?;
    let fields = reader.metadata().file_metadata().schema().get_fields();
    let names: Vec<String> = fields.iter().map(|field| field.name().to_owned()).collect();
    let columns = columns_of(&names)?;
    if reader.num_row_groups() == 0 {
        return take(&columns, Rows::new(&columns));
    }
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(wrong)?;
        take(&columns, read_group(&*group, &columns).map_err(wrong)?)?;
    }
    Ok(())
}

fn read_group(group: &dyn RowGroupReader, columns: &[Column]) -> Parquet<Rows> {
    let count = group.metadata().num_rows() as usize;
    let read = |(index, column)| read_column(group.get_column_reader(index)?, column, count);
    Ok(Rows { columns: columns.iter().enumerate().map(read).collect::<Parquet<_>>()? })
}

fn read_column(from: ColumnReader, column: &Column, count: usize) -> Parquet<Values> {
    Ok(match (from, column.kind) {
        (ColumnReader::Int32ColumnReader(from), Kind::Integer) => {
            Values::Integer(cells(from, column, count, NO_INTEGER, |&value| value)?)
        }
        (ColumnReader::Int64ColumnReader(from), Kind::Count) => {
            Values::Count(cells(from, column, count, NO_COUNT, |&value| value)?)
        }
        (ColumnReader::DoubleColumnReader(from), Kind::Real) => {
            Values::Real(cells(from, column, count, f64::NAN, |&value| value)?)
        }
        (ColumnReader::BoolColumnReader(from), Kind::Logical) => {
            Values::Logical(cells(from, column, count, NO_CODE, |&value| u8::from(value))?)
        }
        (ColumnReader::ByteArrayColumnReader(from), Kind::Factor) => {
            let place = |name: &ByteArray| {
                column.levels.iter().position(|level| level.as_bytes() == name.data())
            };
            let codes = cells(from, column, count, Some(NO_CODE), |name: &ByteArray| {
                place(name).map(|place| place as u8)
            })?;
            let codes: Option<Vec<u8>> = codes.into_iter().collect();
            Values::Factor(codes.ok_or_else(|| other_type(column))?)
        }
        (ColumnReader::ByteArrayColumnReader(from), Kind::Text) => {
            let mut text = Text::default();
            let found = cells(from, column, count, None, |value: &ByteArray| Some(value.clone()))?;
            for value in found {
                text.push(|bytes| bytes.extend(value.iter().flat_map(|value| value.data())));
            }
            Values::Text(text)
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
    while from.read_records(count, optional.then_some(&mut levels), None, &mut values)?.0 > 0 {}
    let mut values = values.iter();
    if optional {
        let next =
            |level| if level == 1 { values.next().map(&cell) } else { Some(missing.clone()) };
        let cells: Option<Vec<V>> = levels.into_iter().map(next).collect();
        return cells.ok_or_else(|| other_type(column));
    }
    Ok(values.map(cell).collect())
}
