//! Formats of the placements table.

use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::str::FromStr;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use crate::error::{Error, Result};

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Plain CSV.
    #[default]
    Csv,
    /// CSV in gzip members, one for each chunk of a game; readers take them as one file.
    CsvGz,
    /// CSV in zstd frames, one for each chunk of a game; readers take them as one file.
    CsvZst,
}

/// Fast levels: higher ones cost several times the time of playing (gzip 6 is 5 times slower than 1).
const LEVEL: u32 = 1;

impl LogFormat {
    /// All formats, plainest first.
    pub const ALL: [LogFormat; 3] = [LogFormat::Csv, LogFormat::CsvGz, LogFormat::CsvZst];

    /// The ending of its files, which is also its name.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            LogFormat::Csv => "csv",
            LogFormat::CsvGz => "csv.gz",
            LogFormat::CsvZst => "csv.zst",
        }
    }

    /// Reads what was packed.
    pub(super) fn unpack(self, file: File) -> std::io::Result<Box<dyn Read>> {
        Ok(match self {
            LogFormat::Csv => Box::new(file),
            LogFormat::CsvGz => Box::new(MultiGzDecoder::new(file)),
            LogFormat::CsvZst => Box::new(zstd::stream::Decoder::new(file)?),
        })
    }

    /// Turns lines into the bytes that are written; what is packed apart can be joined.
    #[must_use]
    pub fn pack(self, lines: Vec<u8>) -> Vec<u8> {
        let packed = match self {
            LogFormat::Csv => return lines,
            LogFormat::CsvGz => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::new(LEVEL));
                encoder.write_all(&lines).and_then(|()| encoder.finish())
            }
            LogFormat::CsvZst => zstd::bulk::compress(&lines, LEVEL as i32),
        };
        // Both write to memory, which has no other way to fail than to run out.
        packed.unwrap_or_else(|error| panic!("compressing in memory: {error}"))
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.ending())
    }
}

impl FromStr for LogFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<LogFormat> {
        let found = LogFormat::ALL.into_iter().find(|format| format.ending() == name);
        let known = LogFormat::ALL.map(LogFormat::ending);
        found.ok_or_else(|| {
            Error::unknown("format of placements", name, ["none"].into_iter().chain(known))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_apart_reads_back_as_one() {
        let joined = |format: LogFormat| {
            [format.pack(b"a,b\n".to_vec()), format.pack(b"1,2\n".to_vec())].concat()
        };
        let mut text = String::new();
        let gz = joined(LogFormat::CsvGz);
        MultiGzDecoder::new(&gz[..]).read_to_string(&mut text).unwrap();
        let zst = zstd::stream::decode_all(&joined(LogFormat::CsvZst)[..]).unwrap();
        assert_eq!((text.as_bytes(), &zst[..]), (&b"a,b\n1,2\n"[..], &b"a,b\n1,2\n"[..]));
        assert_eq!(joined(LogFormat::Csv), b"a,b\n1,2\n");
    }
}
