//! Parquet footers. A block is one row group with a footer of its own, so it is a complete file. A
//! table is a sequence of blocks and one footer over all of them, which is the only one that
//! readers use. A run can therefore be resumed at the end of any block.
//!
//! ```text
//! PAR1 group footer len PAR1 | PAR1 group footer len PAR1 | ... | footer over all groups, len,
//! PAR1 block 0: a complete file     block 1                            written once, at the end
//! ```
//!
//! Footers have no checksum, and a changed statistic would hide rows from readers that skip row
//! groups. The footer therefore contains a checksum of all statistics.
//! Frozen: bytes

use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};

use bytes::Bytes;
use flate2::Crc;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, encode_arrow_schema};
use parquet::errors::Result as Parquet;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader,
    ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::statistics::Statistics;

use super::write::pack_group;
use super::{arrow_schema, damaged, failed};
use crate::files::open_given;
use crate::prelude::*;

const MAGIC: &[u8] = b"PAR1";
/// Number of bytes after a Parquet footer: four for the footer's length, four for the mark `PAR1`.
const FOOTER_TAIL_BYTES: usize = 8;
/// Number of bytes in a Parquet footer that state how the values of one column are compared.
const ORDER_BYTES: usize = 3;
/// Byte in a Parquet footer that declares the default order of a column's values.
const TYPE_ORDER: u8 = 0x1c;
/// Byte in a Parquet footer that declares the IEEE 754 order of values, which some readers refuse.
const IEEE_754_ORDER: u8 = 0x2c;

pub(crate) fn footer(path: &Path, file: &File, columns: &[Column], length: u64) -> Result<Vec<u8>> {
    let write = || {
        let mut groups = Vec::new();
        let mut end = length;
        while end > 0 {
            // Blocks are found backwards: only the length before the last magic shows where a block
            // begins.
            let (start, group) = last_block(file, end)?;
            groups.push(moved(group, start)?);
            end = start;
        }
        groups.reverse();
        let mut footer = if length == 0 { MAGIC.to_vec() } else { Vec::new() };
        footer.extend(footer_bytes(&whole(columns, groups)?)?);
        Ok(footer)
    };
    write().map_err(|e| failed("finishing", path, e))
}

/// Encodes a Parquet footer, with the default order of values, which all readers know.
pub(super) fn footer_bytes(metadata: &ParquetMetaData) -> Parquet<Vec<u8>> {
    let mut bytes = Vec::new();
    ParquetMetaDataWriter::new(&mut bytes, metadata).finish()?;
    // The orders are the last field, followed by one byte that ends the structure. Their change
    // matters only for NaN, which no column stores, and for the sign of zero.
    let end = bytes.len().checked_sub(FOOTER_TAIL_BYTES + 1).ok_or_else(damaged)?;
    let columns = metadata.file_metadata().schema_descr().num_columns();
    let start = end.checked_sub(ORDER_BYTES * columns).ok_or_else(damaged)?;
    for order in bytes[start..end].chunks_exact_mut(ORDER_BYTES) {
        match order {
            [first @ (TYPE_ORDER | IEEE_754_ORDER), 0, 0] => *first = TYPE_ORDER,
            _ => return Err(damaged()),
        }
    }
    Ok(bytes)
}

fn whole(columns: &[Column], groups: Vec<RowGroupMetaData>) -> Parquet<ParquetMetaData> {
    // An empty file provides the other parts of the footer.
    let empty = Bytes::from(pack_group(columns, &[RowSlice::new(Rows::new(columns))])?);
    let empty = ParquetMetaDataReader::new().parse_and_finish(&empty)?;
    let like = empty.file_metadata();
    let groups = (0..).zip(groups).map(|(k, group)| group.into_builder().set_ordinal(k).build());
    let groups = groups.collect::<Parquet<Vec<_>>>()?;
    let rows = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let by = like.created_by().map(str::to_owned);
    let (schema, orders) = (like.schema_descr_ptr(), like.column_orders().cloned());
    let schema_of_arrow = KeyValue::new(
        ARROW_SCHEMA_META_KEY.to_owned(),
        encode_arrow_schema(&arrow_schema(columns)),
    );
    let said = vec![schema_of_arrow, statistics_checksum(&groups)];
    let file = FileMetaData::new(like.version(), rows, by, Some(said), schema, orders);
    Ok(ParquetMetaData::new(file, groups))
}

fn last_block(file: &File, end: u64) -> Parquet<(u64, RowGroupMetaData)> {
    let footer = footer_start(file, end)?;
    let length = end - 8 - footer;
    let block = ParquetMetaDataReader::decode_metadata(&bytes_at(file, footer, length)?)?;
    let group = block.row_groups().first().ok_or_else(damaged)?.clone();
    let start = footer.checked_sub(group.compressed_size() as u64 + 4).ok_or_else(damaged)?;
    if bytes_at(file, start, 4)? != MAGIC {
        return Err(damaged());
    }
    Ok((start, group))
}

pub(super) fn footer_start(file: &File, end: u64) -> Parquet<u64> {
    let back = |bytes: u64| end.checked_sub(bytes).ok_or_else(damaged);
    let tail = bytes_at(file, back(8)?, 8)?;
    let length: u64 = u32::from_le_bytes(std::array::from_fn(|k| tail[k])).into();
    back(length + 8)
}

pub(super) fn bytes_at(mut file: &File, start: u64, length: u64) -> Parquet<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

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

/// Parquet file, or the beginning of an unfinished one with a footer that is kept in memory.
#[derive(Clone)]
pub(super) struct FilePrefix {
    file: Arc<File>,
    length: u64,
    footer: Bytes,
}

pub(super) fn last_block_names(file: &File, length: u64) -> Parquet<Vec<String>> {
    if length == 0 {
        return Ok(Vec::new());
    }
    let start = footer_start(file, length)?;
    let block = bytes_at(file, start, length - 8 - start)?;
    Ok(field_names(&ParquetMetaDataReader::decode_metadata(&block)?))
}

pub(super) fn field_names(metadata: &ParquetMetaData) -> Vec<String> {
    let fields = metadata.file_metadata().schema().get_fields();
    fields.iter().map(|field| field.name().to_owned()).collect()
}

impl FilePrefix {
    pub(super) fn open_finished(path: &Path) -> Result<FilePrefix> {
        let failed = |e| Error::io("reading", path, e);
        let file = open_given(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        Ok(FilePrefix { file: Arc::new(file), length, footer: Bytes::new() })
    }

    pub(super) fn open(path: &Path, columns: &[Column], length: u64) -> Result<FilePrefix> {
        let file = open_given(path).map_err(|e| Error::io("reading", path, e))?;
        let footer = Bytes::from(footer(path, &file, columns, length)?);
        Ok(FilePrefix { file: Arc::new(file), length, footer })
    }
}

impl Length for FilePrefix {
    fn len(&self) -> u64 {
        self.length + self.footer.len() as u64
    }
}

impl ChunkReader for FilePrefix {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Parquet<Box<dyn Read>> {
        let behind = start.saturating_sub(self.length).min(self.footer.len() as u64);
        let footer = Cursor::new(self.footer.slice(behind as usize..));
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        let file = BufReader::new(file.take(self.length.saturating_sub(start)));
        Ok(Box::new(file.chain(footer)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Parquet<Bytes> {
        let mut bytes = Vec::new();
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() < length {
            return Err(super::damaged());
        }
        Ok(bytes.into())
    }
}

const STATISTICS_KEY: &str = "tetrastat:statistics";

pub(super) fn statistics_checksum(groups: &[RowGroupMetaData]) -> KeyValue {
    let mut crc = Crc::new();
    for group in groups {
        crc.update(&group.num_rows().to_le_bytes());
        for column in group.columns() {
            let found = column.statistics();
            let bounds = [
                found.and_then(Statistics::min_bytes_opt),
                found.and_then(Statistics::max_bytes_opt),
            ];
            for bound in bounds {
                // The length separates the bounds; no bound differs from an empty one.
                let length = bound.map_or(-1, |bound| bound.len() as i64);
                crc.update(&length.to_le_bytes());
                crc.update(bound.unwrap_or_default());
            }
        }
    }
    KeyValue::new(STATISTICS_KEY.to_owned(), format!("crc32:{:08x}", crc.sum()))
}

pub(super) fn are_statistics_valid(metadata: &ParquetMetaData) -> bool {
    let pairs = metadata.file_metadata().key_value_metadata();
    let stored = pairs.and_then(|pairs| pairs.iter().find(|pair| pair.key == STATISTICS_KEY));
    stored.is_some_and(|stored| *stored == statistics_checksum(metadata.row_groups()))
}

pub(super) fn integer_range(column: &ColumnChunkMetaData) -> Option<(i64, i64)> {
    match column.statistics()? {
        Statistics::Int32(found) => Some(((*found.min_opt()?).into(), (*found.max_opt()?).into())),
        Statistics::Int64(found) => Some((*found.min_opt()?, *found.max_opt()?)),
        _ => None,
    }
}

pub(super) fn value_range(column: &ColumnChunkMetaData) -> Option<(f64, f64)> {
    match column.statistics()? {
        Statistics::Double(found) => found.min_opt().copied().zip(found.max_opt().copied()),
        _ => integer_range(column).map(|(low, high)| (low as f64, high as f64)),
    }
}
