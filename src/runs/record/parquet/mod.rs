//! Rows as Parquet and back.
//!
//! Each block of rows is packed apart into a whole small Parquet file of one row group. The table
//! is these files, end to end, and one footer that points into them all: readers look at nothing
//! else, blocks can be packed on all cores, and what a killed run leaves tells where it ends.

mod arrow_schema;
mod describe;
mod footer;
mod part;
mod read;
mod write;

use std::path::Path;

use parquet::errors::ParquetError;

pub(super) use describe::describe;
pub(super) use footer::footer;
pub(super) use read::{names, read, row_count, seek};
pub(super) use write::pack;

use super::Column;
use crate::error::Error;

fn damaged() -> ParquetError {
    ParquetError::General("it is damaged".to_owned())
}

fn other_type(column: &Column) -> ParquetError {
    ParquetError::General(format!("column {} is no {}", column.name, column.kind.name()))
}

/// How the crate begins to say that it was built without a way to compress.
const DISABLED: &str = "Disabled feature at compile time: ";

fn too_long(column: &Column) -> ParquetError {
    ParquetError::General(format!("column {} has a longer text than any table", column.name))
}

/// What the crate says, on one line, with the remedy.
fn failed(action: &'static str, path: &Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(cause) => Error::io(action, path, *cause),
            Err(cause) => unusable(path, &cause.to_string()),
        },
        // As pyarrow writes unless told otherwise.
        ParquetError::General(text) if text.starts_with(DISABLED) => Error::Config(format!(
            "{} is compressed by {}, which this program can't read: write it with zstd or without compression",
            path.display(),
            text.trim_start_matches(DISABLED).replace("snap", "snappy").replace("flate2", "gzip")
        )),
        other => unusable(path, &other.to_string()),
    }
}

fn unusable(path: &Path, problem: &str) -> Error {
    Error::Config(format!(
        "{}: {problem}: restore it from a copy, or play it again",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_another_program_compressed_is_told_how_to_write_it() {
        let error = ParquetError::General(format!("{DISABLED}snap"));
        let message = failed("reading", Path::new("placements.parquet"), error).to_string();
        assert!(message.contains("compressed by snappy") && message.contains("zstd"), "{message}");
    }
}
