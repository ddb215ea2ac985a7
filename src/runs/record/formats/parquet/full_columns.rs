//! Writer of Parquet columns of integers and texts without missing values. The crate `parquet`
//! encodes integers one at a time and counts references to each text. This module encodes whole
//! blocks to the same bytes, and leaves other columns to the crate.
//! Frozen: bytes

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::Result as Parquet;
use parquet::file::metadata::{ColumnChunkMetaData, LevelHistogram, PageEncodingStats};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::write::ChecksummedPages;
use crate::prelude::*;
use crate::record::tables::values::Text;

// The crate `parquet` ends a page at a multiple of 1,024 rows from 20,000 on.
const PAGE_ROWS: usize = 20_480;
/// Number of groups in a block of delta-encoded integers in Parquet, each with its own bit width.
const GROUPS_PER_BLOCK: usize = 4;
/// Size of a Parquet page of texts at which the crate `parquet` begins a new page, in bytes.
const PAGE_BYTES: usize = 1 << 20;
/// Maximum length of the least and greatest text in a Parquet column's statistics, in bytes.
const STATISTICS_BYTES: usize = 64;
/// Minimum number of equal values that Parquet stores as one run (value and length).
const MIN_RUN: usize = 8;

pub(super) trait Integer: Copy + Ord + Default {
    fn statistics(least: Self, most: Self) -> Statistics;

    fn encode(values: &[Self], to: &mut Vec<u8>);
}

macro_rules! integer {
    ($Int:ty, $Unsigned:ty, $kind:ident, $group:literal) => {
        impl Integer for $Int {
            fn statistics(least: $Int, most: $Int) -> Statistics {
                let values = ValueStatistics::new(Some(least), Some(most), None, Some(0), false);
                Statistics::$kind(values.with_backwards_compatible_min_max(true))
            }

            fn encode(values: &[$Int], to: &mut Vec<u8>) {
                push_number(($group * GROUPS_PER_BLOCK) as u64, to);
                push_number(GROUPS_PER_BLOCK as u64, to);
                push_number(values.len() as u64, to);
                push_signed(values.first().copied().unwrap_or_default().into(), to);
                let mut differences = [0; $group * GROUPS_PER_BLOCK];
                let mut first = 1;
                while first < values.len() {
                    let count = (values.len() - first).min(differences.len());
                    let (own, before) = (&values[first..], &values[first - 1..]);
                    let differences = &mut differences[..count];
                    let mut least = <$Int>::MAX;
                    for (k, difference) in differences.iter_mut().enumerate() {
                        *difference = own[..count][k].wrapping_sub(before[..count][k]);
                        least = least.min(*difference);
                    }
                    push_signed(least.into(), to);
                    let widths = to.len();
                    to.extend_from_slice(&[0; GROUPS_PER_BLOCK]);
                    for (group, differences) in differences.chunks($group).enumerate() {
                        // Differences that a last group lacks are stored as zeros.
                        let mut above = [0; $group];
                        let mut bits = 0;
                        for (k, difference) in differences.iter().enumerate() {
                            above[k] = u64::from(difference.wrapping_sub(least) as $Unsigned);
                            bits |= above[k];
                        }
                        let width = u64::BITS - bits.leading_zeros();
                        to[widths + group] = width as u8;
                        pack(&above, width, to);
                    }
                    first += count;
                }
            }
        }
    };
}

integer!(i32, u32, Int32, 32);
integer!(i64, u64, Int64, 64);

/// Appends integers to bytes, each in `width` bits.
fn pack<const COUNT: usize>(numbers: &[u64; COUNT], width: u32, to: &mut Vec<u8>) {
    match width {
        0 => {}
        1..=16 => pack_joined::<4>(numbers, width, to),
        17..=32 => pack_joined::<2>(numbers, width, to),
        _ => pack_joined::<1>(numbers, width, to),
    }
}

/// Appends integers to bytes, each in `width` bits, several at a time for speed.
#[inline(always)]
fn pack_joined<const JOINED: usize>(numbers: &[u64], width: u32, to: &mut Vec<u8>) {
    let mut bytes = [0; (64 + 1) * 8];
    let (mut end, mut word, mut used) = (0, 0u64, 0);
    for numbers in numbers.chunks_exact(JOINED) {
        let mut joined = 0;
        for (k, number) in numbers.iter().enumerate() {
            joined |= number << (k as u32 * width);
        }
        word |= joined << used;
        put_word(&mut bytes, end, word);
        let bits = used + JOINED as u32 * width;
        if bits >= u64::BITS {
            end += 8;
            // Two shifts, since a shift by 64 bits is not defined.
            word = joined >> 1 >> (u64::BITS - 1 - used);
            put_word(&mut bytes, end, word);
        }
        used = bits % u64::BITS;
    }
    to.extend_from_slice(&bytes[..end + used as usize / 8]);
}

fn can_write(description: &ColumnDescPtr, count: usize) -> bool {
    let last_page = (count.max(1) - 1) % PAGE_ROWS + 1;
    count > 0 && (description.max_def_level() == 0 || last_page >= MIN_RUN)
}

#[inline(always)]
fn put_word(bytes: &mut [u8; (64 + 1) * 8], at: usize, word: u64) {
    if let Some(to) = bytes[at..].first_chunk_mut() {
        *to = word.to_le_bytes();
    }
}

/// Appends a number as a varint: seven bits per byte, the lowest first.
fn push_number(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Appends a signed number as a varint (seven bits per byte) whose lowest bit is the sign.
fn push_signed(number: i64, to: &mut Vec<u8>) {
    push_number((number << 1 ^ number >> 63).cast_unsigned(), to);
}

pub(super) struct Pages {
    compression: Compression,
    compressor: Compressor<'static>,
    plain: Vec<u8>,
}

impl Pages {
    pub(super) fn new(level: i32) -> Parquet<Pages> {
        let compression = Compression::ZSTD(ZstdLevel::try_new(level)?);
        Ok(Pages { compression, compressor: Compressor::new(level)?, plain: Vec::new() })
    }

    /// Encodes integers as a Parquet column; `None` if the crate `parquet` must encode the column.
    pub(super) fn integers<T: Integer>(
        &mut self,
        description: &ColumnDescPtr,
        values: &[T],
        chunk: &mut Vec<u8>,
    ) -> Parquet<Option<ColumnCloseResult>> {
        if !can_write(description, values.len()) {
            return Ok(None);
        }
        let (mut least, mut most) = (values[0], values[0]);
        for &value in values {
            least = least.min(value);
            most = most.max(value);
        }
        let (statistics, encoding) = (T::statistics(least, most), Encoding::DELTA_BINARY_PACKED);
        let encode = |rows, to: &mut Vec<u8>| T::encode(&values[rows], to);
        self.write(description, values.len(), encoding, encode, (statistics, None), chunk).map(Some)
    }

    /// Encodes texts as a Parquet column; `None` if the crate `parquet` must encode the column.
    pub(super) fn texts(
        &mut self,
        description: &ColumnDescPtr,
        texts: &Text,
        chunk: &mut Vec<u8>,
    ) -> Parquet<Option<ColumnCloseResult>> {
        let count = texts.ends.len();
        let is_small = |first: usize| {
            let end = count.min(first + PAGE_ROWS);
            texts.start(end) - texts.start(first) + 4 * (end - first) < PAGE_BYTES
        };
        if !can_write(description, count) || !(0..count).step_by(PAGE_ROWS).all(is_small) {
            return Ok(None);
        }
        let (mut least, mut most) = (texts.get(0), texts.get(0));
        for row in 0..count {
            let text = texts.get(row);
            if text < least {
                least = text;
            }
            if text > most {
                most = text;
            }
        }
        if least.len().max(most.len()) > STATISTICS_BYTES {
            return Ok(None);
        }
        let bound = |text: &[u8]| Some(ByteArray::from(text.to_vec()));
        let statistics = ValueStatistics::new(bound(least), bound(most), None, Some(0), false);
        let encode = |rows: Range<usize>, to: &mut Vec<u8>| {
            for row in rows {
                let text = texts.get(row);
                to.extend_from_slice(&(text.len() as u32).to_le_bytes());
                to.extend_from_slice(text);
            }
        };
        let about = (Statistics::ByteArray(statistics), Some(texts.bytes.len() as i64));
        self.write(description, count, Encoding::PLAIN, encode, about, chunk).map(Some)
    }

    fn write(
        &mut self,
        description: &ColumnDescPtr,
        count: usize,
        encoding: Encoding,
        encode: impl Fn(Range<usize>, &mut Vec<u8>),
        about: (Statistics, Option<i64>),
        chunk: &mut Vec<u8>,
    ) -> Parquet<ColumnCloseResult> {
        let max_level = description.max_def_level();
        let mut pages = ChecksummedPages::new(chunk);
        let (mut uncompressed, mut compressed, mut bytes_written) = (0, 0, 0);
        let mut offset = None;
        let plain = &mut self.plain;
        let firsts = (0..count).step_by(PAGE_ROWS);
        let page_count = firsts.len() as i32;
        for first in firsts {
            let rows = first..count.min(first + PAGE_ROWS);
            plain.clear();
            if max_level > 0 {
                // One run of the level 1, after the number of its bytes.
                plain.extend_from_slice(&[0; 4]);
                push_number((rows.len() as u64) << 1, plain);
                plain.push(1);
                let length = plain.len() as u32 - 4;
                plain[..4].copy_from_slice(&length.to_le_bytes());
            }
            encode(rows.clone(), plain);
            let page = Page::DataPage {
                buf: Bytes::from(self.compressor.compress(plain)?),
                num_values: rows.len() as u32,
                encoding,
                def_level_encoding: Encoding::RLE,
                rep_level_encoding: Encoding::RLE,
                statistics: None,
            };
            let written = pages.write_page(CompressedPage::new(page, plain.len()))?;
            uncompressed += written.uncompressed_size;
            compressed += written.compressed_size;
            bytes_written += written.bytes_written;
            offset.get_or_insert(written.offset);
        }
        let mut levels = LevelHistogram::try_new(max_level);
        if let Some(levels) = &mut levels {
            levels.increment_by(max_level, count as i64);
        }
        let pages =
            PageEncodingStats { page_type: PageType::DATA_PAGE, encoding, count: page_count };
        let metadata = ColumnChunkMetaData::builder(description.clone())
            .set_compression(self.compression)
            .set_encodings(vec![Encoding::RLE, encoding])
            .set_page_encoding_stats(vec![pages])
            .set_total_uncompressed_size(uncompressed as i64)
            .set_total_compressed_size(compressed as i64)
            .set_num_values(count as i64)
            .set_data_page_offset(offset.unwrap_or(0) as i64)
            .set_statistics(about.0)
            .set_unencoded_byte_array_data_bytes(about.1)
            .set_definition_level_histogram(levels)
            .build()?;
        Ok(ColumnCloseResult {
            bytes_written,
            rows_written: count as u64,
            bloom_filter: None,
            metadata,
            column_index: None,
            offset_index: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::{properties, schema, write};
    use super::*;
    use crate::record::formats::LEVEL;
    use crate::record::{Column, ColumnType, ColumnValues, RowSlice, Rows};
    use crate::rng::{Purpose, Stream};
    use parquet::column::writer::get_column_writer;
    use parquet::schema::types::SchemaDescriptor;
    use std::sync::Arc;

    fn is_written_as_by_the_crate(
        values: ColumnValues,
        kind: ColumnType,
        is_nullable: bool,
    ) -> bool {
        let mut column = Column::new("x", kind, "-", "");
        if is_nullable {
            column.missing = "here and there".into();
        }
        let columns = [column];
        let schema = SchemaDescriptor::new(schema(&columns).unwrap());
        let description = schema.column(0);
        let mut chunk = Vec::new();
        let mut pages = Pages::new(LEVEL).unwrap();
        let written = match &values {
            ColumnValues::Integer(all) => pages.integers(&description, all, &mut chunk),
            ColumnValues::Count(all) => pages.integers(&description, all, &mut chunk),
            ColumnValues::Text(all) => pages.texts(&description, all, &mut chunk),
            _ => unreachable!(),
        };
        let Some(own) = written.unwrap() else { return false };
        let mut expected = Vec::new();
        let pages = Box::new(ChecksummedPages::new(&mut expected));
        let properties = Arc::new(properties(&columns).unwrap());
        let mut to = get_column_writer(description, properties, pages);
        let block = [RowSlice::new(Rows { columns: vec![values] })];
        write(&mut to, &columns[0], &block, 0).unwrap();
        let by_crate = to.close().unwrap();
        assert!(chunk == expected);
        assert_eq!(own.metadata, by_crate.metadata);
        assert_eq!(own.rows_written, by_crate.rows_written);
        assert_eq!(own.bytes_written, by_crate.bytes_written);
        true
    }

    #[test]
    fn columns_are_written_as_by_the_crate() {
        let mut random = Stream::new(49, Purpose::Queue, 1);
        let mut left_to_the_crate = 0;
        for count in [1, 2, 7, 8, 32, 129, 257, 20_480, 20_483, 41_000] {
            for is_nullable in [false, true] {
                let mut check = |values, kind| {
                    let own = is_written_as_by_the_crate(values, kind, is_nullable);
                    left_to_the_crate += u32::from(!own);
                };
                // Each shift gives numbers of another length, up to the whole range.
                for shift in [64, 63, 60, 40, 31, 20, 3, 0] {
                    let mut all = vec![0i64; count];
                    for value in &mut all {
                        *value = random.bits().checked_shr(shift).unwrap_or(7).cast_signed();
                    }
                    let short = all.iter().map(|&value| value as i32).collect();
                    check(ColumnValues::Integer(short), ColumnType::Integer);
                    check(ColumnValues::Count(all), ColumnType::Count);
                }
                let mut texts = Text::default();
                for _ in 0..count {
                    texts.push(&"0123456789abcdef:"[random.below(16) as usize..]);
                }
                check(ColumnValues::Text(texts), ColumnType::Text);
            }
        }
        // Pages with fewer than 8 definition levels: 1, 2, 7 and 20,483 rows of 17 columns.
        assert_eq!(left_to_the_crate, 4 * 17);
        // A long text, and too many bytes for a page.
        for (length, count) in [(65, 10), (60, 20_480)] {
            let mut texts = Text::default();
            (0..count).for_each(|_| texts.push(&"f".repeat(length)));
            let texts = ColumnValues::Text(texts);
            assert!(!is_written_as_by_the_crate(texts, ColumnType::Text, false));
        }
    }
}
