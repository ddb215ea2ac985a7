//! Specification of a run's tables, and the function that opens them.

use crate::error::{Error, Result};
use crate::record::{
    Column, EncoderPool, LogFormat, OrderedLog, PartialTable, RunFolder, TableCursor,
};

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

/// Creates the files of `tables`; `first` is the number of the first game. If the positions `from`
/// of a checkpoint are given, opens the files and continues there instead. `threads` threads encode
/// the rows.
///
/// # Errors
/// [`Error::Io`] if a file can't be written. [`Error::Config`] if it is missing or differs from the
/// checkpoint. [`Error::Exists`] if a folder has its name.
pub fn open_tables(
    folder: &RunFolder,
    tables: Vec<TableSpec>,
    threads: usize,
    from: Option<&[TableCursor]>,
    first: u64,
) -> Result<Vec<OrderedLog>> {
    let encoders = EncoderPool::new(threads)?;
    // All tables are checked before one is changed.
    let check = |cursor: &TableCursor| PartialTable::of(folder, cursor);
    let checked: Result<Vec<_>> = from.unwrap_or_default().iter().map(check).collect();
    let checked = checked?;
    let partial_table = |file: &str| {
        let found = checked.iter().find(|table| table.cursor.name == file);
        found.ok_or_else(|| {
            Error::Config(format!("the checkpoint has no table {file}: start a new run"))
        })
    };
    let open = |TableSpec { file, format, columns }: TableSpec| {
        folder.refuse_folder(&file)?;
        let from = from.map(|_| partial_table(&file)).transpose()?;
        OrderedLog::open(folder, &file, (format, &columns), &encoders, from, first)
    };
    tables.into_iter().map(open).collect()
}
