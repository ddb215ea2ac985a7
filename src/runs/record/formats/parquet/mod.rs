//! Parquet reader and writer.
//!
//! Each block of rows is encoded as a complete Parquet file of one row group. A table is a sequence
//! of these files and one footer that refers to all of them. Readers use only that footer, blocks
//! can be encoded in parallel, and a killed run leaves complete blocks.

mod arrow_schema;
mod checksums;
mod footer;
mod full_columns;
mod part;
mod read;
mod statistics;
mod write;

use std::path::Path;

use parquet::errors::ParquetError;

pub use arrow_schema::arrow_schema;
pub(crate) use footer::footer;
pub(crate) use read::{names, read, row_count, seek, types};
pub(crate) use write::pack;

use crate::error::Error;
use crate::record::Column;

fn damaged() -> ParquetError {
    ParquetError::General("it is damaged".to_owned())
}

fn other_type(column: &Column) -> ParquetError {
    ParquetError::General(format!("column {} is no {}", column.name, column.kind.name()))
}

/// Beginning of the message of the crate `parquet` for a compression codec that it was built
/// without.
const DISABLED: &str = "Disabled feature at compile time: ";

fn too_long(column: &Column) -> ParquetError {
    ParquetError::General(format!("column {} has a longer text than any table", column.name))
}

/// Converts an error of the crate `parquet` to an error of one line with a remedy.
fn failed(action: &'static str, path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => Error::io(action, path, *cause),
            Err(cause) => unusable(path, &cause.to_string()),
        },
        ParquetError::General(text) if text.starts_with(DISABLED) => Error::Config(format!(
            "{} is compressed by {}, which this program can't read: write it with zstd, snappy or \
             no compression",
            path.display(),
            text.trim_start_matches(DISABLED).replace("flate2", "gzip")
        )),
        ParquetError::General(text) => unusable(path, &text),
        other => unusable(path, &other.to_string()),
    }
}

fn unusable(path: &Path, problem: &str) -> Error {
    let remedy = if problem.starts_with("column ") && problem.contains(": ") {
        return Error::Config(format!("{}: {problem}", path.display()));
    } else if problem.starts_with("column ") {
        "correct the column"
    } else {
        "copy the file again, or write it again"
    };
    Error::Config(format!("{}: {problem}: {remedy}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::error::Result;
    use crate::record::{
        BlockFile, ColumnType, ColumnValues, EncoderPool, LogFormat, RowSlice, Rows, read_table,
    };

    #[test]
    fn a_table_that_another_program_compressed_is_told_how_to_write_it() {
        let error = ParquetError::General(format!("{DISABLED}flate2"));
        let message = failed("reading", Path::new("placements.parquet"), error).to_string();
        assert!(message.contains("compressed by gzip") && message.contains("zstd"), "{message}");
    }

    /// Writes a table of games with a few rows to a file.
    fn write(path: &Path, format: LogFormat) {
        let count = |name: &str| Column::new(name, ColumnType::Count, "-", "");
        let columns = [count("game"), count("lines")];
        let values = |from: i64| ColumnValues::Count((0..9).map(|k| from + k * k).collect());
        let encoders = EncoderPool::new(1).unwrap();
        let mut file = BlockFile::create(path, format, &columns, &encoders, 0).unwrap();
        file.push(0, RowSlice::new(Rows { columns: vec![values(0), values(70)] })).unwrap();
        file.end_games(1);
        assert!(file.finish().unwrap().1.is_none());
    }

    fn read_all(path: &Path) -> Result<(Vec<String>, Vec<String>)> {
        let (mut names, mut found) = (Vec::new(), Vec::new());
        read_table(path, |columns, rows| {
            names = columns.iter().map(|column| column.name.clone()).collect();
            found.push(format!("{rows:?}"));
            Ok(())
        })?;
        Ok((names, found))
    }

    #[test]
    fn no_flipped_bit_changes_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for format in [LogFormat::Parquet, LogFormat::CsvZst, LogFormat::CsvGz] {
            let path = folder.path().join(format!("games.{format}"));
            write(&path, format);
            let (good, whole) = (fs::read(&path).unwrap(), read_all(&path).unwrap());
            let mut refused = 0;
            for bit in 0..good.len() * 8 {
                let mut flipped = good.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                fs::write(&path, flipped).unwrap();
                match read_all(&path) {
                    Ok(read) => assert_eq!(read, whole, "bit {bit} of a {format} table"),
                    Err(_) => refused += 1,
                }
            }
            assert!(refused > good.len(), "{refused} of {} bits", good.len() * 8);
        }
    }
}
