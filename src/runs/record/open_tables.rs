//! The tables of a run of any game in their files.

use super::finish::{FinishedTables, finish_tables};
use super::{Column, LogFormat, OrderedLog, Packers, Rows, RunFolder, Standings, TableMark};
use crate::error::Result;

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
        TableSpec { file: format!("{table}.{format}"), format, columns }
    }
}

/// The open tables of a run, under their partial names.
pub struct OpenTables {
    /// With their files' names.
    tables: Vec<(String, OrderedLog)>,
}

impl OpenTables {
    /// Opens tables whose rows begin with those of the game `first`, or goes on with them from where they stand;
    /// `threads` pack their rows.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when a file can't be written, [`crate::error::Error::Config`] when it is not
    /// what was marked.
    pub fn open(
        folder: &RunFolder,
        tables: Vec<TableSpec>,
        threads: usize,
        from: Option<&Standings>,
        first: u64,
    ) -> Result<OpenTables> {
        let packers = Packers::new(threads)?;
        let open = |TableSpec { file, format, columns }: TableSpec| {
            let from = from.map(|from| from.table(&file)).transpose()?;
            let log = OrderedLog::open(folder, &file, (format, &columns), &packers, from, first)?;
            Ok((file, log))
        };
        Ok(OpenTables { tables: tables.into_iter().map(open).collect::<Result<_>>()? })
    }

    /// Adds the rows of a game or batch, table by table; games may come in any order.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when they can't be written.
    pub fn add(&mut self, game: u64, rows: impl IntoIterator<Item = Rows>) -> Result<()> {
        for ((_, log), rows) in self.tables.iter_mut().zip(rows) {
            log.rows(game, rows)?;
            log.end(game)?;
        }
        Ok(())
    }

    /// Puts on disk what there is, as far as blocks need not be whole; says how far that is.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when that fails.
    pub fn sync(&mut self) -> Result<Vec<TableMark>> {
        self.tables.iter_mut().map(|(name, log)| log.sync(name)).collect()
    }

    /// Finishes the files.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when not even that can be done.
    pub fn finish(self, folder: &RunFolder) -> Result<FinishedTables> {
        finish_tables(folder, self.tables)
    }
}
