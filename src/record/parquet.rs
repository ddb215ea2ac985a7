//! Rows as Parquet and back.
//!
//! Each block of rows is packed apart into a whole small Parquet file of one row group. The table
//! is these files, end to end, and one footer that points into them all: readers look at nothing
//! else, blocks can be packed on all cores, and what a killed run leaves tells where it ends.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::{ParquetError, Result as Parquet};
use parquet::file::metadata::{
    FileMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use super::format::LEVEL;
use super::values::{NO_CODE, NO_COUNT, NO_INTEGER, Text};
use super::{Column, Kind, Piece, Rows, Values};
use crate::error::{Error, Result};

const MAGIC: &[u8] = b"PAR1";

/// Columns by which rows are looked for, whose least and greatest values are stored.
const KEYS: [&str; 3] = ["condition", "game", "piece_no"];

/// A block as a whole file of one row group.
///
/// # Errors
/// [`Error::Io`] when memory runs out.
pub(super) fn pack(columns: &[Column], block: &[Piece]) -> Result<Vec<u8>> {
    pack_group(columns, block).map_err(|e| failed("packing", Path::new("a block"), e))
}

fn pack_group(columns: &[Column], block: &[Piece]) -> Parquet<Vec<u8>> {
    let mut packed = Vec::new();
    let properties = Arc::new(properties(columns)?);
    let mut writer = SerializedFileWriter::new(&mut packed, schema(columns)?, properties)?;
    let mut group = writer.next_row_group()?;
    let mut index = 0;
    while let Some(mut to) = group.next_column()? {
        write(to.untyped(), &columns[index], block, index)?;
        to.close()?;
        index += 1;
    }
    group.close()?;
    writer.close()?;
    Ok(packed)
}

/// Differences pack small whole numbers better and faster than a dictionary does.
fn properties(columns: &[Column]) -> Parquet<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_dictionary_enabled(false)
        .set_offset_index_disabled(true);
    for column in columns {
        let path = ColumnPath::from(column.name.clone());
        properties = match column.kind {
            Kind::Factor => properties.set_column_dictionary_enabled(path.clone(), true),
            Kind::Integer | Kind::Count => {
                properties.set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED)
            }
            _ => properties,
        };
        if KEYS.contains(&&*column.name) {
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::Chunk);
        }
    }
    Ok(properties.build())
}

fn schema(columns: &[Column]) -> Parquet<Arc<Type>> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            Kind::Integer => (Physical::INT32, None),
            Kind::Count => (Physical::INT64, None),
            Kind::Real => (Physical::DOUBLE, None),
            Kind::Logical => (Physical::BOOLEAN, None),
            Kind::Factor | Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition =
            if column.is_required() { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let builder = Type::primitive_type_builder(&column.name, physical);
        builder.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Parquet<Vec<_>>>()?;
    Type::group_type_builder("rows").with_fields(fields).build().map(Arc::new)
}

/// Writes a column in one go, so that the bytes do not depend on how the rows came.
fn write(to: &mut ColumnWriter<'_>, column: &Column, block: &[Piece], index: usize) -> Parquet<()> {
    let values = || block.iter().map(|piece| (&piece.rows.columns[index], piece.range.clone()));
    let levels: Option<Vec<i16>> = (!column.is_required())
        .then(|| values().flat_map(|(values, rows)| values.presence(rows)).collect());
    let levels = levels.as_deref();
    // The stored values of all rows, without those that are missing.
    macro_rules! stored {
        ($kind:ident) => {{
            let mut all = Vec::new();
            for (values, rows) in values() {
                match values {
                    Values::$kind(values) => all.extend_from_slice(&values[rows]),
                    _ => return Err(other_type(column)),
                }
            }
            present(all, levels)
        }};
    }
    let written = match to {
        ColumnWriter::Int32ColumnWriter(to) => to.write_batch(&stored!(Integer), levels, None),
        ColumnWriter::Int64ColumnWriter(to) => to.write_batch(&stored!(Count), levels, None),
        ColumnWriter::DoubleColumnWriter(to) => to.write_batch(&stored!(Real), levels, None),
        ColumnWriter::BoolColumnWriter(to) => {
            let flags: Vec<bool> = stored!(Logical).iter().map(|&code| code == 1).collect();
            to.write_batch(&flags, levels, None)
        }
        ColumnWriter::ByteArrayColumnWriter(to) if column.kind == Kind::Factor => {
            let name = |level: &String| ByteArray::from(Bytes::from(level.clone()));
            let names: Vec<ByteArray> = column.levels.iter().map(name).collect();
            let codes = stored!(Factor);
            let codes = codes.iter().map(|&code| names[code as usize].clone());
            to.write_batch(&codes.collect::<Vec<_>>(), levels, None)
        }
        ColumnWriter::ByteArrayColumnWriter(to) => {
            let mut all = Vec::new();
            for (values, rows) in values() {
                match values {
                    Values::Text(text) => add_texts(text, rows, &mut all),
                    _ => return Err(other_type(column)),
                }
            }
            to.write_batch(&all, levels, None)
        }
        _ => Err(other_type(column)),
    };
    written.map(|_| ())
}

fn other_type(column: &Column) -> ParquetError {
    ParquetError::General(format!("column {} is no {}", column.name, column.kind.name()))
}

/// The values that are not missing.
fn present<T: Copy>(values: Vec<T>, levels: Option<&[i16]>) -> Vec<T> {
    match levels {
        Some(levels) if levels.contains(&0) => {
            let pairs = values.iter().zip(levels);
            pairs.filter(|(_, level)| **level == 1).map(|(value, _)| *value).collect()
        }
        _ => values,
    }
}

/// Adds the texts of these rows that are not missing.
fn add_texts(text: &Text, rows: Range<usize>, to: &mut Vec<ByteArray>) {
    let first = text.start(rows.start);
    let all = Bytes::copy_from_slice(&text.bytes[first..text.start(rows.end)]);
    let slice = |row| all.slice(text.start(row) - first..text.start(row + 1) - first);
    to.extend(rows.map(slice).filter(|slice| !slice.is_empty()).map(ByteArray::from));
}

/// The footer over all blocks in the first `length` bytes of a file.
///
/// # Errors
/// [`Error::Config`] when these are no blocks, [`Error::Io`] when they can't be read.
pub(super) fn footer(path: &Path, file: &File, columns: &[Column], length: u64) -> Result<Vec<u8>> {
    let write = || {
        let mut groups = Vec::new();
        let mut end = length;
        while end > 0 {
            let (start, group) = last_block(file, end)?;
            groups.push(moved(group, start)?);
            end = start;
        }
        groups.reverse();
        let mut footer = if length == 0 { MAGIC.to_vec() } else { Vec::new() };
        let whole = whole(columns, groups)?;
        ParquetMetaDataWriter::new(&mut footer, &whole).finish()?;
        Ok(footer)
    };
    write().map_err(|e| failed("finishing", path, e))
}

fn whole(columns: &[Column], groups: Vec<RowGroupMetaData>) -> Parquet<ParquetMetaData> {
    // An empty file tells what else stands in a footer.
    let empty = Bytes::from(pack_group(columns, &[Piece::new(Rows::new(columns))])?);
    let empty = ParquetMetaDataReader::new().parse_and_finish(&empty)?;
    let like = empty.file_metadata();
    let groups: Vec<_> =
        (0..).zip(groups).map(|(k, group)| numbered(group, k)).collect::<Parquet<_>>()?;
    let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let by = like.created_by().map(str::to_owned);
    let (schema, orders) = (like.schema_descr_ptr(), like.column_orders().cloned());
    let file = FileMetaData::new(like.version(), rows, by, None, schema, orders);
    Ok(ParquetMetaData::new(file, groups))
}

fn numbered(group: RowGroupMetaData, number: i32) -> Parquet<RowGroupMetaData> {
    group.into_builder().set_ordinal(number).build()
}

/// Where the last block before `end` starts, and its row group.
fn last_block(file: &File, end: u64) -> Parquet<(u64, RowGroupMetaData)> {
    let damaged = || ParquetError::General("it is damaged".to_owned());
    let back = |bytes: u64| end.checked_sub(bytes).ok_or_else(damaged);
    let tail = bytes_at(file, back(8)?, 8)?;
    let length = u32::from_le_bytes(std::array::from_fn(|k| tail[k])).into();
    let footer = back(length + 8)?;
    let block = ParquetMetaDataReader::decode_metadata(&bytes_at(file, footer, length)?)?;
    let group = block.row_groups().first().ok_or_else(damaged)?.clone();
    let start = footer.checked_sub(group.compressed_size() as u64 + 4).ok_or_else(damaged)?;
    if bytes_at(file, start, 4)? != MAGIC {
        return Err(damaged());
    }
    Ok((start, group))
}

fn bytes_at(mut file: &File, start: u64, length: u64) -> Parquet<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A row group of a file that lies so far into another.
fn moved(mut group: RowGroupMetaData, by: u64) -> Parquet<RowGroupMetaData> {
    let by = by as i64;
    let offset = group.file_offset().map(|offset| offset + by);
    for column in group.columns_mut() {
        let dictionary = column.dictionary_page_offset().map(|offset| offset + by);
        let builder = column.clone().into_builder();
        let builder = builder.set_data_page_offset(column.data_page_offset() + by);
        *column = builder.set_dictionary_page_offset(dictionary).build()?;
    }
    match offset {
        Some(offset) => group.into_builder().set_file_offset(offset).build(),
        None => Ok(group),
    }
}

/// Rows of a file.
///
/// # Errors
/// [`Error::Config`] when it is no Parquet file, [`Error::Io`] when it can't be read.
pub(super) fn row_count(path: &Path) -> Result<u64> {
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
pub(super) fn read(
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

/// What the crate says, on one line, with the remedy.
fn failed(action: &'static str, path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => Error::io(action, path, *cause),
            Err(cause) => unusable(path, &cause.to_string()),
        },
        other => unusable(path, &other.to_string()),
    }
}

fn unusable(path: &Path, problem: &str) -> Error {
    Error::Config(format!(
        "{}: {problem}: restore it from a copy, or play it again",
        path.display()
    ))
}
