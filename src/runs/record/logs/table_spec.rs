//! The tables of a run, and how they are opened.

use crate::error::Result;
use crate::record::{Column, EncoderPool, LogFormat, OrderedLog, PartialTables, RunFolder};

/// A table that a run writes.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// The name of its file.
    pub file: String,
    /// The file's format.
    pub format: LogFormat,
    /// Its columns.
    pub columns: Vec<Column>,
}

impl TableSpec {
    /// The table of this name.
    #[must_use]
    pub fn new(table: &str, format: LogFormat, columns: Vec<Column>) -> TableSpec {
        TableSpec { file: TableSpec::name(table, format), format, columns }
    }

    /// The file's name of the table of this name.
    #[must_use]
    pub fn name(table: &str, format: LogFormat) -> String {
        format!("{table}.{format}")
    }
}

/// Opens tables whose rows begin with those of the game `first`, or continues the partial tables `from`; `threads`
/// threads pack their rows.
///
/// # Errors
/// [`crate::error::Error::Io`] when a file can't be written, [`crate::error::Error::Config`] when it is not
/// what was marked, [`crate::error::Error::Exists`] when a folder stands in its place.
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
