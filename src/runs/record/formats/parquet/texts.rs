//! Decoder of texts, and of factors, which are stored as texts.
//!
//! The crate `parquet` returns one reference-counted object for each text. This module decodes the
//! pages of the two usual encodings without them: plain texts, and indices into a dictionary.

use std::ops::Range;

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageReader};
use parquet::errors::Result as Parquet;

use super::damaged;

/// Receiver of the texts of a column.
pub(super) trait TakeTexts {
    /// Prepares the texts of a dictionary, to which later indices refer.
    fn begin_dictionary(&mut self, texts: &[Bytes]);

    /// Adds a text of the dictionary. Returns `None` if it is no value of the column, or if the
    /// dictionary has no text with this index.
    fn take_index(&mut self, index: u32) -> Option<()>;

    /// Adds a text. Returns `None` if it is no value of the column.
    fn take_text(&mut self, text: &[u8]) -> Option<()>;

    /// Adds a missing value.
    fn take_missing(&mut self);
}

/// Encoded values of a page.
enum Values {
    Plain(Bytes),
    Indices(Vec<u32>),
}

/// Reads the texts in the ascending `ranges` of rows, and passes them to `to`. Returns false, and
/// leaves `to` incomplete, if a page has an encoding that this module does not decode.
pub(super) fn read_texts(
    mut pages: Box<dyn PageReader>,
    nullable: bool,
    ranges: &[Range<usize>],
    to: &mut impl TakeTexts,
) -> Parquet<bool> {
    let mut first = 0;
    let end = ranges.last().map_or(0, |range| range.end);
    while first < end {
        let page = match pages.get_next_page()?.ok_or_else(damaged)? {
            Page::DictionaryPage { buf, num_values, encoding, .. } => {
                if !matches!(encoding, Encoding::PLAIN | Encoding::PLAIN_DICTIONARY) {
                    return Ok(false);
                }
                to.begin_dictionary(&dictionary(&buf, num_values).ok_or_else(damaged)?);
                continue;
            }
            page => page,
        };
        let rows = page.num_values() as usize;
        let range_of_page = first..first.checked_add(rows).ok_or_else(damaged)?;
        first = range_of_page.end;
        let sought = ranges.iter().filter_map(|range| {
            let (start, end) =
                (range.start.max(range_of_page.start), range.end.min(range_of_page.end));
            (start < end).then(|| start - range_of_page.start..end - range_of_page.start)
        });
        let sought: Vec<Range<usize>> = sought.collect();
        if sought.is_empty() {
            continue;
        }
        let Some((presence, values, encoding)) = split(&page, nullable) else {
            return Ok(false);
        };
        let presence = match presence {
            Some(levels) => Some(hybrid(&levels, 1, rows).ok_or_else(damaged)?),
            None => None,
        };
        let stored = presence
            .as_ref()
            .map_or(rows, |levels| levels.iter().map(|&level| level as usize).sum());
        let values = match encoding {
            Encoding::PLAIN => Values::Plain(values),
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                Values::Indices(indices(&values, stored).ok_or_else(damaged)?)
            }
            _ => return Ok(false),
        };
        take_page(&values, presence.as_deref(), &sought, to).ok_or_else(damaged)?;
    }
    Ok(true)
}

/// Splits a data page into its definition levels, if the column is nullable, and its values with
/// their encoding. Returns `None` if the levels have another encoding than usual.
fn split(page: &Page, nullable: bool) -> Option<(Option<Bytes>, Bytes, Encoding)> {
    match page {
        Page::DataPage { buf, encoding, def_level_encoding, .. } => {
            if !nullable {
                return Some((None, buf.clone(), *encoding));
            }
            let length = u32::from_le_bytes(*buf.first_chunk()?) as usize;
            let end = length.checked_add(4).filter(|&end| end <= buf.len())?;
            (*def_level_encoding == Encoding::RLE)
                .then(|| (Some(buf.slice(4..end)), buf.slice(end..), *encoding))
        }
        Page::DataPageV2 { buf, encoding, def_levels_byte_len, rep_levels_byte_len, .. } => {
            let end = *def_levels_byte_len as usize;
            let is_flat = *rep_levels_byte_len == 0 && end <= buf.len();
            is_flat.then(|| (nullable.then(|| buf.slice(..end)), buf.slice(end..), *encoding))
        }
        Page::DictionaryPage { .. } => None,
    }
}

/// Passes the rows `sought` of a page to `to`.
fn take_page(
    values: &Values,
    presence: Option<&[u32]>,
    sought: &[Range<usize>],
    to: &mut impl TakeTexts,
) -> Option<()> {
    let (mut row, mut at, mut place) = (0, 0, 0);
    for range in sought {
        let end = range.end;
        while row < end {
            let is_sought = row >= range.start;
            if presence.is_some_and(|levels| levels[row] == 0) {
                if is_sought {
                    to.take_missing();
                }
            } else {
                match values {
                    Values::Indices(indices) => {
                        let index = *indices.get(place)?;
                        if is_sought {
                            to.take_index(index)?;
                        }
                        place += 1;
                    }
                    Values::Plain(bytes) => {
                        let (text, after) = plain(bytes, at)?;
                        if is_sought {
                            to.take_text(text)?;
                        }
                        at = after;
                    }
                }
            }
            row += 1;
        }
    }
    Some(())
}

/// Returns the text that begins at byte `at`, and the byte after it.
fn plain(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let (length, rest) = bytes.get(at..)?.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    Some((rest.get(..length)?, at + 4 + length))
}

fn dictionary(bytes: &Bytes, count: u32) -> Option<Vec<Bytes>> {
    let mut at = 0;
    let mut next = || {
        let (text, after) = plain(bytes, at)?;
        at = after;
        Some(bytes.slice_ref(text))
    };
    (0..count).map(|_| next()).collect()
}

/// Decodes `count` indices into a dictionary: one byte with their width, and the indices.
fn indices(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    // A page whose values are all missing may have no byte.
    if count == 0 {
        return Some(Vec::new());
    }
    let (&width, rest) = bytes.split_first()?;
    hybrid(rest, u32::from(width), count)
}

/// Decodes `count` numbers of `width` bits, which are stored as runs and as packed groups of eight.
fn hybrid(mut bytes: &[u8], width: u32, count: usize) -> Option<Vec<u32>> {
    if width > u32::BITS {
        return None;
    }
    let mut numbers: Vec<u32> = Vec::new();
    while numbers.len() < count {
        let left = count - numbers.len();
        let header = varint(&mut bytes)?;
        let length = usize::try_from(header >> 1).ok().filter(|&length| length > 0)?;
        if header & 1 == 0 {
            let (value, rest) = bytes.split_at_checked(width.div_ceil(8) as usize)?;
            let value = value.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
            numbers.resize(numbers.len() + length.min(left), value);
            bytes = rest;
        } else {
            let count = length.saturating_mul(8).min(left);
            let size = (count * width as usize).div_ceil(8);
            unpack(bytes.get(..size)?, width, count, &mut numbers);
            // Writers may leave out the bytes of the last group that belong to no number.
            bytes = bytes.get(length.saturating_mul(width as usize)..).unwrap_or_default();
        }
    }
    Some(numbers)
}

/// Appends `count` packed numbers of `width` bits, the lowest bits first.
fn unpack(bytes: &[u8], width: u32, count: usize, to: &mut Vec<u32>) {
    let mask = (1u64 << width) - 1;
    let (mut word, mut bits, mut bytes) = (0u64, 0, bytes.iter());
    to.extend((0..count).map(|_| {
        while bits < width {
            word |= u64::from(bytes.next().copied().unwrap_or(0)) << bits;
            bits += 8;
        }
        let number = (word & mask) as u32;
        (word, bits) = (word >> width, bits - width);
        number
    }));
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_packed_groups_are_decoded() {
        // A run of 5 fours, and a group of eight numbers of 3 bits, 0 to 7 (an example of the
        // format's specification).
        let bytes = [10, 4, 3, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        let expected = [4, 4, 4, 4, 4, 0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(hybrid(&bytes, 3, 13).unwrap(), expected);
        assert_eq!(hybrid(&bytes, 3, 7).unwrap(), expected[..7]);
        assert!(hybrid(&bytes, 3, 14).is_none(), "there are 13 numbers");
        assert!(hybrid(&bytes[..5], 3, 13).is_none(), "a byte is missing");
        assert!(hybrid(&[0, 4], 3, 1).is_none(), "an empty run would never end");
    }
}
