//! Parquet pages with checksums.
//!
//! The crate `parquet` verifies the CRC-32 of a page on reading but does not write one. This module
//! therefore completes each page header. The header is a Thrift structure in compact encoding,
//! whose first fields are small integers:
//!
//! ```text
//! 15 type  15 uncompressed size  15 compressed size  [15 crc]  D'C header of this type of page ...
//! ```
//!
//! Each field begins with one byte: the difference from the number of the previous field, and the
//! type (5: integer, C: structure).

use flate2::Crc;
use parquet::column::page::{CompressedPage, PageWriteSpec, PageWriter};
use parquet::errors::Result as Parquet;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};

use super::damaged;

/// First byte of an integer field whose number is one above that of the previous field.
const NEXT_INTEGER: u8 = 0x15;
/// Number of integer fields before the checksum in a page header: type, uncompressed size,
/// compressed size.
const BEFORE: usize = 3;
/// Amount that is added to the first byte of a field if its number increases by one.
const ONE_FIELD: u8 = 0x10;
/// Bit of a varint byte that marks that more bytes follow.
const MORE: u8 = 0x80;

/// A writer of a Parquet column's pages that stores in each page header the CRC-32 of the page's
/// bytes.
pub(super) struct ChecksummedPages<'a>(&'a mut Vec<u8>);

impl<'a> ChecksummedPages<'a> {
    /// Creates a writer that appends pages to `chunk`.
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

/// Returns the page header `header` with the checksum `crc` inserted.
fn with_checksum(header: &[u8], crc: u32) -> Parquet<Vec<u8>> {
    let mut place = 0;
    for _ in 0..BEFORE {
        if header.get(place) != Some(&NEXT_INTEGER) {
            return Err(damaged());
        }
        let more = header[place + 1..].iter().take_while(|&&byte| byte & MORE != 0).count();
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

/// Appends an integer in Thrift's compact encoding: zigzag, then seven bits per byte, the lowest
/// first.
fn push_integer(value: i32, to: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 31)).cast_unsigned();
    while rest >= u32::from(MORE) {
        to.push(rest as u8 | MORE);
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
