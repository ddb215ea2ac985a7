//! Writer of integer columns without missing values.
//!
//! The crate `parquet` encodes integers one at a time. This module encodes whole blocks of
//! differences with vector instructions, and writes the same bytes. Columns with missing values
//! are left to the crate.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result as Parquet;
use parquet::file::metadata::{ColumnChunkMetaData, LevelHistogram, PageEncodingStats};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::checksums::ChecksummedPages;

/// Number of rows of a page: the crate ends a page after the first 1,024 rows with which it has at
/// least 20,000.
const PAGE_ROWS: usize = 20_480;
/// Number of groups of differences in a block, each with its own number of bits.
const GROUPS: usize = 4;
/// Minimum number of equal definition levels that are stored as one run.
const MIN_RUN: usize = 8;

/// Integer type of a column.
pub(super) trait Integer: Copy + Ord {
    /// Returns the smallest and the largest value for the metadata, where no value is missing.
    fn statistics(least: Self, most: Self) -> Statistics;

    /// Appends the encoded differences of `values` to `to`.
    fn encode(values: &[Self], to: &mut Vec<u8>);
}

/// Defines an integer type: its unsigned type, its statistics, and the number of differences in a
/// group.
macro_rules! integer {
    ($Int:ty, $Unsigned:ty, $kind:ident, $group:literal) => {
        impl Integer for $Int {
            fn statistics(least: $Int, most: $Int) -> Statistics {
                let values = ValueStatistics::new(Some(least), Some(most), None, Some(0), false);
                Statistics::$kind(values.with_backwards_compatible_min_max(true))
            }

            fn encode(values: &[$Int], to: &mut Vec<u8>) {
                push_number(($group * GROUPS) as u64, to);
                push_number(GROUPS as u64, to);
                push_number(values.len() as u64, to);
                push_signed(values.first().copied().unwrap_or_default().into(), to);
                let mut differences = [0; $group * GROUPS];
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
                    to.extend_from_slice(&[0; GROUPS]);
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

/// Appends the low `width` bits of each number, the lowest bits first. `COUNT` is a multiple of 32,
/// so the last byte is full.
fn pack<const COUNT: usize>(numbers: &[u64; COUNT], width: u32, to: &mut Vec<u8>) {
    match width {
        0 => {}
        1..=16 => pack_joined::<4>(numbers, width, to),
        17..=32 => pack_joined::<2>(numbers, width, to),
        _ => pack_joined::<1>(numbers, width, to),
    }
}

/// Packs `numbers` like [`pack`], in words of `JOINED` numbers, which must fit 64 bits.
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
        bytes[end..end + 8].copy_from_slice(&word.to_le_bytes());
        let bits = used + JOINED as u32 * width;
        if bits >= u64::BITS {
            end += 8;
            // Two shifts, since a shift by 64 bits is not defined.
            word = joined >> 1 >> (u64::BITS - 1 - used);
            bytes[end..end + 8].copy_from_slice(&word.to_le_bytes());
        }
        used = bits % u64::BITS;
    }
    to.extend_from_slice(&bytes[..end + used as usize / 8]);
}

/// Appends a number in groups of seven bits, the lowest first.
fn push_number(mut number: u64, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Appends a signed number, whose sign becomes the lowest bit.
fn push_signed(number: i64, to: &mut Vec<u8>) {
    push_number((number << 1 ^ number >> 63).cast_unsigned(), to);
}

/// Appends the column of `values`, none of which is missing, to `chunk`. Returns `None` if the
/// crate must write the column.
pub(super) fn write<T: Integer>(
    values: &[T],
    description: &ColumnDescPtr,
    compression: Compression,
    compressor: &mut Compressor<'_>,
    chunk: &mut Vec<u8>,
) -> Parquet<Option<ColumnCloseResult>> {
    let is_nullable = description.max_def_level() > 0;
    let last_page = (values.len().max(1) - 1) % PAGE_ROWS + 1;
    let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) else {
        return Ok(None);
    };
    if is_nullable && last_page < MIN_RUN {
        return Ok(None);
    }
    let mut pages = ChecksummedPages::new(chunk);
    let (mut sizes, mut count, mut offset) = ([0; 3], 0, None);
    let mut plain = Vec::new();
    for values in values.chunks(PAGE_ROWS) {
        plain.clear();
        if is_nullable {
            // One run of the level 1, after the number of its bytes.
            plain.extend_from_slice(&[0; 4]);
            push_number((values.len() as u64) << 1, &mut plain);
            plain.push(1);
            let length = plain.len() as u32 - 4;
            plain[..4].copy_from_slice(&length.to_le_bytes());
        }
        T::encode(values, &mut plain);
        let page = Page::DataPage {
            buf: Bytes::from(compressor.compress(&plain)?),
            num_values: values.len() as u32,
            encoding: Encoding::DELTA_BINARY_PACKED,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let written = pages.write_page(CompressedPage::new(page, plain.len()))?;
        sizes[0] += written.uncompressed_size as u64;
        sizes[1] += written.compressed_size as u64;
        sizes[2] += written.bytes_written;
        count += 1;
        offset.get_or_insert(written.offset);
    }
    let mut levels = LevelHistogram::try_new(description.max_def_level());
    if let Some(levels) = &mut levels {
        levels.increment_by(1, values.len() as i64);
    }
    let encodings = PageEncodingStats {
        page_type: PageType::DATA_PAGE,
        encoding: Encoding::DELTA_BINARY_PACKED,
        count,
    };
    let metadata = ColumnChunkMetaData::builder(description.clone())
        .set_compression(compression)
        .set_encodings(vec![Encoding::RLE, Encoding::DELTA_BINARY_PACKED])
        .set_page_encoding_stats(vec![encodings])
        .set_total_uncompressed_size(sizes[0] as i64)
        .set_total_compressed_size(sizes[1] as i64)
        .set_num_values(values.len() as i64)
        .set_data_page_offset(offset.unwrap_or(0) as i64)
        .set_statistics(T::statistics(*least, *most))
        .set_definition_level_histogram(levels)
        .build()?;
    Ok(Some(ColumnCloseResult {
        bytes_written: sizes[2],
        rows_written: values.len() as u64,
        bloom_filter: None,
        metadata,
        column_index: None,
        offset_index: None,
    }))
}
