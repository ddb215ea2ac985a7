//! Formats of table files: CSV (plain, gzip, zstd) and Parquet, written in blocks of rows and read
//! as columns.

pub(crate) mod blocks;
pub(crate) mod copy;
pub(crate) mod csv;
pub(crate) mod extract;
pub(crate) mod parquet;
pub(crate) mod table_file;

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::str::FromStr;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use zstd::bulk::Compressor;

use crate::prelude::*;

tetrastat_core::names! {
    /// File format of a table.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum LogFormat {
        /// CSV without compression.
        #[default]
        Csv = "csv",
        /// CSV compressed as gzip, one gzip member per block of rows.
        CsvGz = "csv.gz",
        /// CSV compressed in zstd frames with checksums, one per block of rows.
        CsvZst = "csv.zst",
        /// Parquet file with zstd and page checksums, one row group per block of rows.
        Parquet = "parquet",
    }
}
tetrastat_core::by_text!(LogFormat);

/// Compression level of table files. Higher levels would take longer than playing the games.
pub(crate) const LEVEL: i32 = 1;

impl LogFormat {
    /// Returns the format of a table's file, by the ending of its name in upper or lower case.
    pub fn of_file(name: &str) -> Result<LogFormat> {
        let lower = name.to_ascii_lowercase();
        let found = LogFormat::ALL.into_iter().find(|f| lower.ends_with(&format!(".{f}")));
        found.ok_or_else(|| Error::unknown("ending of a table's file", name, LogFormat::NAMES))
    }

    /// Returns the number of table rows that are encoded together as a block.
    #[must_use]
    pub fn block_rows(self) -> usize {
        match self {
            LogFormat::Csv => 1 << 10,
            LogFormat::CsvGz | LogFormat::CsvZst => 1 << 13,
            LogFormat::Parquet => 1 << 16,
        }
    }

    pub(crate) fn begin(self, columns: &[Column]) -> Result<Vec<u8>> {
        match self {
            // Each Parquet block is a complete file that begins with its own magic.
            LogFormat::Parquet => Ok(Vec::new()),
            _ => self.compress(csv::header(columns)),
        }
    }

    pub(crate) fn pack(self, columns: &[Column], block: &[RowSlice]) -> Result<Vec<u8>> {
        if self == LogFormat::Parquet {
            return parquet::pack(columns, block);
        }
        let mut lines = Vec::new();
        block.iter().for_each(|slice| csv::write(columns, slice, &mut lines));
        self.compress(lines)
    }

    /// Compresses a block of CSV lines as a separate gzip member or zstd frame.
    pub(crate) fn compress(self, lines: Vec<u8>) -> Result<Vec<u8>> {
        let packed = match self {
            LogFormat::CsvGz => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::new(LEVEL as u32));
                encoder.write_all(&lines).and_then(|()| encoder.finish())
            }
            LogFormat::CsvZst => zstd_frame(&lines),
            LogFormat::Csv | LogFormat::Parquet => return Ok(lines),
        };
        packed.map_err(|e| Error::io("compressing", "a table", e))
    }
}

/// Compresses lines into a zstd frame with a checksum, by which readers notice damage.
fn zstd_frame(lines: &[u8]) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.compress(lines)
}

impl FromStr for LogFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<LogFormat> {
        LogFormat::named(name).ok_or_else(|| {
            let known = ["none"].into_iter().chain(LogFormat::NAMES);
            Error::unknown("format of a log", name, known)
        })
    }
}

pub(crate) fn unpacked(
    path: &Path,
    format: LogFormat,
    length: Option<u64>,
) -> Result<Box<dyn Read>> {
    let failed = |e| Error::io("reading", path, e);
    let file = File::open(path).map_err(failed)?.take(length.unwrap_or(u64::MAX));
    Ok(match format {
        // `GzDecoder` would end after the first member.
        LogFormat::CsvGz => Box::new(BoundedLines::new(MultiGzDecoder::new(file))),
        LogFormat::CsvZst => {
            Box::new(BoundedLines::new(zstd::stream::Decoder::new(file).map_err(failed)?))
        }
        LogFormat::Csv | LogFormat::Parquet => Box::new(BoundedLines::new(file)),
    })
}

pub(crate) fn is_without_rows(path: &Path, format: LogFormat) -> Result<bool> {
    if format == LogFormat::Parquet {
        // A Parquet file with any row group is not empty.
        let metadata = fs::metadata(path).map_err(|e| Error::io("reading", path, e))?;
        return Ok(metadata.len() == 0);
    }
    let mut reader = BufReader::new(unpacked(path, format, None)?);
    let mut lines = 0;
    loop {
        let buffer = match reader.fill_buf() {
            Ok(buffer) => buffer,
            // A read error may hide rows, but data that can't be decompressed contains none.
            Err(e) if e.raw_os_error().is_some() => return Err(Error::io("reading", path, e)),
            Err(_) => &[],
        };
        lines += buffer.iter().filter(|&&byte| byte == b'\n').count();
        if lines > 1 || buffer.is_empty() {
            return Ok(lines <= 1);
        }
        let used = buffer.len();
        reader.consume(used);
    }
}

/// Maximum length of a line in a table's file, in bytes.
pub const LONGEST_LINE: usize = 1 << 20;

/// Reader that fails on lines longer than [`LONGEST_LINE`] bytes, as a short compressed file may
/// expand to gigabytes.
#[derive(Debug)]
pub struct BoundedLines<R> {
    reader: R,
    length: usize,
}

impl<R: Read> BoundedLines<R> {
    /// Creates a reader that fails if a line of `reader` is longer than about [`LONGEST_LINE`]
    /// bytes.
    pub fn new(reader: R) -> BoundedLines<R> {
        BoundedLines { reader, length: 0 }
    }
}

impl<R: Read> Read for BoundedLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.length = match buffer[..read].iter().rposition(|&byte| byte == b'\n') {
            Some(end) => read - end - 1,
            None => self.length + read,
        };
        if self.length > LONGEST_LINE {
            let text =
                format!("a line has more than {LONGEST_LINE} bytes, which none of a table has");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_longer_than_a_tables() {
        let read = |text: &[u8]| BoundedLines::new(text).read_to_end(&mut Vec::new());
        let line = vec![b'0'; LONGEST_LINE];
        assert_eq!(read(&[&line[..], b"\n", &line, b"\n"].concat()).unwrap(), 2 * LONGEST_LINE + 2);
        assert!(read(&[&line[..], &line, &line[..]].concat()).is_err());
        let mut endless = BoundedLines::new(io::repeat(b'0'));
        let error = io::copy(&mut endless, &mut io::sink()).unwrap_err().to_string();
        assert_eq!(error, "a line has more than 1048576 bytes, which none of a table has");
    }

    #[test]
    fn a_file_tells_its_format() {
        for format in LogFormat::ALL {
            assert_eq!(LogFormat::of_file(&format!("a.b/games.{format}")).unwrap(), format);
        }
        assert_eq!(LogFormat::of_file("GAMES.CSV").unwrap(), LogFormat::Csv);
        assert!(LogFormat::of_file("games.xlsx").is_err());
        assert!(LogFormat::of_file("csv").is_err());
    }
}
