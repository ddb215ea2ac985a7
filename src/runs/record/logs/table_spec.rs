//! Specification of a run's tables, and the function that opens them.

use crate::error::Result;
use crate::record::{Column, EncoderPool, LogFormat, OrderedLog, PartialTables, RunFolder};

/// Specification of a table that a run writes.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Name of the file.
    pub file: String,
    /// Format of the file.
    pub format: LogFormat,
    /// Columns of the table.
    pub columns: Vec<Column>,
}

impl TableSpec {
    /// Creates the specification of the table named `table`.
    #[must_use]
    pub fn new(table: &str, format: LogFormat, columns: Vec<Column>) -> TableSpec {
        TableSpec { file: TableSpec::name(table, format), format, columns }
    }

    /// Returns the file name of a table.
    #[must_use]
    pub fn name(table: &str, format: LogFormat) -> String {
        format!("{table}.{format}")
    }
}

/// Creates the files of `tables`, with `first` as the first game, or resumes the partial tables
/// `from`. `threads` threads encode the rows.
///
/// # Errors
/// [`crate::error::Error::Io`] if a file can't be written. [`crate::error::Error::Config`] if it
/// differs from the checkpoint. [`crate::error::Error::Exists`] if a folder has its name.
pub fn open_tables(
    folder: &RunFolder,
    tables: Vec<TableSpec>,
    threads: usize,
    from: Option<&PartialTables>,
    first: u64,
) -> Result<Vec<OrderedLog>> {
    let encoders = EncoderPool::new(threads)?;
    let open = |TableSpec { file, format, columns }: TableSpec| {
        folder.refuse_folder(&file)?;
        let from = from.map(|from| from.table(&file)).transpose()?;
        OrderedLog::open(folder, &file, (format, &columns), &encoders, from, first)
    };
    tables.into_iter().map(open).collect()
}
