//! Reads and writes the tables of cell patterns: a header and compressed 16-bit integers.
//!
//! ```text
//! bytes 0 to 7      "TSTABLE1"
//! bytes 8 to 11     number of entries
//! bytes 12 to 15    checksum of the entries' bytes: FNV-1a of 32 bits
//! the rest          entries, two bytes each and signed, as one stream of deflate (RFC 1951)
//! ```
//!
//! All numbers are little-endian.

use std::io::{Read, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// First bytes of a file of tables; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"TSTABLE1";

/// Returns the contents of a file with the entries `tables`.
pub(super) fn pack(tables: &[i16]) -> Vec<u8> {
    let entries: Vec<u8> = tables.iter().flat_map(|entry| entry.to_le_bytes()).collect();
    let mut bytes = MAGIC.to_vec();
    bytes.extend((tables.len() as u32).to_le_bytes());
    bytes.extend(checksum(&entries).to_le_bytes());
    let mut encoder = DeflateEncoder::new(&mut bytes, Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&entries);
    let _ = encoder.finish();
    bytes
}

/// Returns the `count` entries in `bytes`, the contents of a file of tables.
///
/// # Errors
/// Returns an error message for other bytes, a damaged file, or another number of entries.
pub(super) fn unpack(bytes: &[u8], count: usize) -> Result<Vec<i16>, String> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err("tables: no file of pattern tables: name the right file".to_owned());
    };
    let number = |rest: &mut &[u8]| {
        let (number, others) = rest.split_first_chunk()?;
        *rest = others;
        Some(u32::from_le_bytes(*number))
    };
    let mut stream = rest;
    let damaged = || "tables: damaged or cut off: copy the file again".to_owned();
    let given = number(&mut stream).ok_or_else(damaged)? as usize;
    let expected = number(&mut stream).ok_or_else(damaged)?;
    if given != count {
        return Err(format!(
            "tables: {given} entries, but the windows need {count}: name the file that belongs to \
             these windows"
        ));
    }
    let (mut entries, mut decoder) = (vec![0; 2 * count], DeflateDecoder::new(stream));
    decoder.read_exact(&mut entries).map_err(|_| damaged())?;
    let has_ended = matches!(decoder.read(&mut [0]), Ok(0));
    let is_whole = has_ended && decoder.total_in() == stream.len() as u64;
    if !is_whole || checksum(&entries) != expected {
        return Err(damaged());
    }
    Ok(entries.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect())
}

/// Returns the FNV-1a hash of `bytes` with 32 bits.
fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Returns `bytes` in base64.
pub(super) fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns the bytes that `text` stands for. Text in several lines is accepted.
///
/// # Errors
/// Returns an error message for text that is not base64.
pub(super) fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let text: String = text.split_whitespace().collect();
    STANDARD.decode(text).map_err(|error| {
        format!(
            "tables: neither the name of a file (it has no dot) nor base64 text ({error}): name a \
             file with a dot in its name, such as mine.bin, or give its bytes in base64"
        )
    })
}
