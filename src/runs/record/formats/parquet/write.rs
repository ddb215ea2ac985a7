//! Parquet writer: encodes blocks of rows as files of one row group, whose pages have checksums.
//!
//! The crate `parquet` verifies the CRC-32 of a page but does not write one, so this module inserts
//! it after the sizes in each page header, a Thrift structure in compact encoding.
//! Frozen: bytes

use bytes::Bytes;
use flate2::Crc;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use parquet::column::writer::{ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::errors::Result as Parquet;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnPath, SchemaDescriptor, Type};

use super::full_columns::Pages;
use super::{damaged, failed, other_type};
use crate::prelude::*;
use crate::record::formats::LEVEL;
use crate::record::tables::values::{NO_COUNT, NO_INTEGER, Text};

macro_rules! all_values {
    ($kind:ident, $block:expr, $index:expr, $column:expr) => {{
        let mut all = Vec::with_capacity($block.iter().map(RowSlice::len).sum());
        for slice in $block {
            match &slice.rows.columns[$index] {
                ColumnValues::$kind(values) => {
                    all.extend_from_slice(&values[slice.range.clone()]);
                }
                _ => return Err(other_type($column)),
            }
        }
        all
    }};
}

pub(crate) fn pack(columns: &[Column], block: &[RowSlice]) -> Result<Vec<u8>> {
    pack_group(columns, block).map_err(|e| failed("packing", Path::new("a block"), e))
}

pub(super) fn pack_group(columns: &[Column], block: &[RowSlice]) -> Parquet<Vec<u8>> {
    let mut packed = Vec::new();
    let properties = Arc::new(properties(columns)?);
    let schema = schema(columns)?;
    let descriptions = SchemaDescriptor::new(schema.clone());
    let mut writer = SerializedFileWriter::new(&mut packed, schema, properties.clone())?;
    let mut group = writer.next_row_group()?;
    let mut pages = Pages::new(LEVEL)?;
    let row_count = block.iter().map(RowSlice::len).sum();
    for (index, column) in columns.iter().enumerate() {
        let mut chunk = Vec::new();
        let description = descriptions.column(index);
        let values = || block.iter().map(|slice| (&slice.rows.columns[index], slice.range.clone()));
        let is_required = column.is_required();
        let written = match column.kind {
            ColumnType::Integer => {
                let all = all_values!(Integer, block, index, column);
                let is_full = is_required || !all.contains(&NO_INTEGER);
                if is_full { pages.integers(&description, &all, &mut chunk)? } else { None }
            }
            ColumnType::Count => {
                let all = all_values!(Count, block, index, column);
                let is_full = is_required || !all.contains(&NO_COUNT);
                if is_full { pages.integers(&description, &all, &mut chunk)? } else { None }
            }
            ColumnType::Text => {
                let mut all = Text::with_room(row_count);
                for (values, rows) in values() {
                    match values {
                        ColumnValues::Text(text) => all.extend(text, rows),
                        _ => return Err(other_type(column)),
                    }
                }
                let is_full = !(0..all.ends.len()).any(|row| all.get(row).is_empty());
                if is_full { pages.texts(&description, &all, &mut chunk)? } else { None }
            }
            _ => None,
        };
        let closed = match written {
            Some(closed) => closed,
            None => {
                let pages = Box::new(ChecksummedPages::new(&mut chunk));
                let mut to = get_column_writer(description, properties.clone(), pages);
                write(&mut to, column, block, index)?;
                to.close()?
            }
        };
        group.append_column(&Bytes::from(chunk), closed)?;
    }
    group.close()?;
    writer.close()?;
    Ok(packed)
}

/// Returns the settings of the Parquet writer: compression, and integers stored as differences.
pub(super) fn properties(columns: &[Column]) -> Parquet<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(LEVEL)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_enabled(false)
        .set_offset_index_disabled(true);
    for column in columns {
        let path = ColumnPath::from(column.name.clone());
        properties = match column.kind {
            ColumnType::Factor => properties.set_column_dictionary_enabled(path, true),
            ColumnType::Integer | ColumnType::Count => {
                properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
            }
            _ => properties,
        };
    }
    Ok(properties.build())
}

pub(super) fn schema(columns: &[Column]) -> Parquet<Arc<Type>> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            ColumnType::Integer => (Physical::INT32, None),
            ColumnType::Count => (Physical::INT64, None),
            ColumnType::Real => (Physical::DOUBLE, None),
            ColumnType::Logical => (Physical::BOOLEAN, None),
            ColumnType::Factor | ColumnType::Text => {
                (Physical::BYTE_ARRAY, Some(LogicalType::String))
            }
        };
        let repetition =
            if column.is_required() { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let builder = Type::primitive_type_builder(&column.name, physical);
        builder.with_repetition(repetition).with_logical_type(logical).build().map(Arc::new)
    };
    let fields = columns.iter().map(field).collect::<Parquet<Vec<_>>>()?;
    Type::group_type_builder("rows").with_fields(fields).build().map(Arc::new)
}

/// Writes a column's values in one call, so that the bytes do not depend on how rows arrived.
pub(super) fn write(
    to: &mut ColumnWriter<'_>,
    column: &Column,
    block: &[RowSlice],
    index: usize,
) -> Parquet<()> {
    let values = || block.iter().map(|slice| (&slice.rows.columns[index], slice.range.clone()));
    let row_count = block.iter().map(RowSlice::len).sum();
    let levels: Option<Vec<i16>> = (!column.is_required()).then(|| {
        let mut all = Vec::with_capacity(row_count);
        for (values, rows) in values() {
            all.extend_from_slice(&values.presence(rows));
        }
        all
    });
    let levels = levels.as_deref();
    // Stored values of all rows, without missing ones.
    macro_rules! stored {
        ($kind:ident) => {
            present(all_values!($kind, block, index, column), levels)
        };
    }
    let written = match to {
        ColumnWriter::Int32ColumnWriter(to) => to.write_batch(&stored!(Integer), levels, None),
        ColumnWriter::Int64ColumnWriter(to) => to.write_batch(&stored!(Count), levels, None),
        ColumnWriter::DoubleColumnWriter(to) => to.write_batch(&stored!(Real), levels, None),
        ColumnWriter::BoolColumnWriter(to) => {
            let flags: Vec<bool> = stored!(Logical).iter().map(|&code| code == 1).collect();
            to.write_batch(&flags, levels, None)
        }
        ColumnWriter::ByteArrayColumnWriter(to) if column.kind == ColumnType::Factor => {
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
                    ColumnValues::Text(text) => add_texts(text, rows, &mut all),
                    _ => return Err(other_type(column)),
                }
            }
            to.write_batch(&all, levels, None)
        }
        _ => Err(other_type(column)),
    };
    written.map(|_| ())
}

fn present<T: Copy>(values: Vec<T>, levels: Option<&[i16]>) -> Vec<T> {
    match levels {
        Some(levels) if levels.contains(&0) => {
            let pairs = values.iter().zip(levels);
            pairs.filter(|(_, level)| **level == 1).map(|(value, _)| *value).collect()
        }
        _ => values,
    }
}

fn add_texts(text: &Text, rows: Range<usize>, to: &mut Vec<ByteArray>) {
    let first = text.start(rows.start);
    let all = Bytes::copy_from_slice(&text.bytes[first..text.start(rows.end)]);
    let slice = |row| all.slice(text.start(row) - first..text.start(row + 1) - first);
    to.extend(rows.map(slice).filter(|slice| !slice.is_empty()).map(ByteArray::from));
}

/// First byte of a Thrift integer field, if no field number is skipped before the field.
const NEXT_INTEGER: u8 = 0x15;
/// Number of integer fields before the checksum in a Parquet page header.
const FIELDS_BEFORE_CHECKSUM: usize = 3;
/// Amount that each skipped field number adds to the first byte of a Thrift field.
const ONE_FIELD: u8 = 0x10;
/// Bit of a byte in a varint that marks that more bytes follow.
const VARINT_MORE: u8 = 0x80;

pub(super) struct ChecksummedPages<'a>(&'a mut Vec<u8>);

impl<'a> ChecksummedPages<'a> {
    pub(super) fn new(chunk: &'a mut Vec<u8>) -> ChecksummedPages<'a> {
        ChecksummedPages(chunk)
    }
}

impl PageWriter for ChecksummedPages<'_> {
    fn write_page(&mut self, page: CompressedPage) -> Parquet<PageWriteSpec> {
        let mut crc = Crc::new();
        crc.update(page.data());
        let size = page.data().len();
        let mut plain = TrackedWrite::new(Vec::new());
        let mut spec = SerializedPageWriter::new(&mut plain).write_page(page)?;
        let plain = plain.into_inner()?;
        let (header, data) = plain.split_at(plain.len() - size);
        let header = with_checksum(header, crc.sum())?;
        let more = header.len() + size - plain.len();
        spec.offset = self.0.len() as u64;
        spec.uncompressed_size += more;
        spec.compressed_size += more;
        spec.bytes_written += more as u64;
        self.0.extend_from_slice(&header);
        self.0.extend_from_slice(data);
        Ok(spec)
    }

    fn close(&mut self) -> Parquet<()> {
        Ok(())
    }
}

fn with_checksum(header: &[u8], crc: u32) -> Parquet<Vec<u8>> {
    let mut place = 0;
    for _ in 0..FIELDS_BEFORE_CHECKSUM {
        if header.get(place) != Some(&NEXT_INTEGER) {
            return Err(damaged());
        }
        let more = header[place + 1..].iter().take_while(|&&byte| byte & VARINT_MORE != 0).count();
        place += 2 + more;
    }
    let (before, after) = header.split_at_checked(place).ok_or_else(damaged)?;
    let Some((&next, rest)) = after.split_first() else { return Err(damaged()) };
    // A difference of 1 means that the header already has a field with the checksum's number.
    if next < 2 * ONE_FIELD {
        return Err(damaged());
    }
    let mut completed = before.to_vec();
    completed.push(NEXT_INTEGER);
    push_integer(crc.cast_signed(), &mut completed);
    completed.push(next - ONE_FIELD);
    completed.extend_from_slice(rest);
    Ok(completed)
}

/// Appends a Thrift integer in zigzag form, seven bits per byte, the lowest first.
fn push_integer(value: i32, to: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 31)).cast_unsigned();
    while rest >= u32::from(VARINT_MORE) {
        to.push(rest as u8 | VARINT_MORE);
        rest >>= 7;
    }
    to.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_stands_between_the_sizes_and_the_header_of_the_type() {
        // A dictionary page of 300 and 5 bytes.
        let header = [0x15, 4, 0x15, 0xd8, 4, 0x15, 10, 0x4c, 0x15, 2, 0, 0];
        let completed = with_checksum(&header, 1).unwrap();
        assert_eq!(completed, [0x15, 4, 0x15, 0xd8, 4, 0x15, 10, 0x15, 2, 0x3c, 0x15, 2, 0, 0]);
        assert!(with_checksum(&completed, 1).is_err(), "it has one already");
        (0..8).for_each(|length| assert!(with_checksum(&header[..length], 1).is_err()));
    }

    #[test]
    fn integers_are_encoded_as_thrift_has_them() {
        for (value, bytes) in [
            (0, &[0][..]),
            (-1, &[1]),
            (63, &[126]),
            (64, &[128, 1]),
            (i32::MIN, &[255, 255, 255, 255, 15]),
        ] {
            let mut found = Vec::new();
            push_integer(value, &mut found);
            assert_eq!(found, bytes, "{value}");
        }
    }
}
