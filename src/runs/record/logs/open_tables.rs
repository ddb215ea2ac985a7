//! The tables of a run of any game in their files.

use std::fs::File;

use crate::error::Result;
use crate::record::Column;
use crate::record::LogFormat;
use crate::record::OrderedLog;
use crate::record::Packers;
use crate::record::PartialTables;
use crate::record::Rows;
use crate::record::RunFolder;
use crate::record::Settled;
use crate::record::TableCursor;
use crate::record::folder::finish::{FinishedTables, finish_tables};

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

/// How far tables have come once these files, which go by their names, are on disk.
pub type SettledTables = (Vec<TableCursor>, Vec<(String, File)>);

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
    /// what was marked, [`crate::error::Error::Exists`] when a folder stands in its place.
    pub fn open(
        folder: &RunFolder,
        tables: Vec<TableSpec>,
        threads: usize,
        from: Option<&PartialTables>,
        first: u64,
    ) -> Result<OpenTables> {
        let packers = Packers::new(threads)?;
        let open = |TableSpec { file, format, columns }: TableSpec| {
            folder.refuse_folder(&file)?;
            let from = from.map(|from| from.table(&file)).transpose()?;
            let log = OrderedLog::open(folder, &file, (format, &columns), &packers, from, first)?;
            Ok((file, log))
        };
        Ok(OpenTables { tables: tables.into_iter().map(open).collect::<Result<_>>()? })
    }

    /// Adds rows of a game in play to the table of this place.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when they can't be written.
    pub fn rows(&mut self, game: u64, table: usize, rows: Rows) -> Result<()> {
        self.tables.get_mut(table).map_or(Ok(()), |(_, log)| log.rows(game, rows))
    }

    /// Ends a game or batch with its last rows, table by table; games may end in any order.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when they can't be written.
    pub fn end(&mut self, game: u64, rows: Vec<Rows>) -> Result<()> {
        for ((_, log), rows) in self.tables.iter_mut().zip(rows) {
            if !rows.is_empty() {
                log.rows(game, rows)?;
            }
            log.end(game)?;
        }
        Ok(())
    }

    /// Writes what there is, as far as blocks need not be whole: how far each table has come once it is on disk, and
    /// the files that are to be put there.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when that fails.
    pub fn settle(&mut self) -> Result<SettledTables> {
        let (mut cursors, mut files) = (Vec::new(), Vec::new());
        for (name, log) in &mut self.tables {
            let Settled { cursor, sha256, file } = log.settle()?;
            cursors.push(TableCursor { name: name.clone(), cursor, sha256 });
            files.push((name.clone(), file));
        }
        Ok((cursors, files))
    }

    /// Puts on disk what there is, as far as blocks need not be whole; says how far that is.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when that fails.
    pub fn sync(&mut self) -> Result<Vec<TableCursor>> {
        self.tables.iter_mut().map(|(name, log)| log.sync(name)).collect()
    }

    /// Finishes the files: that of this place last, since what others lose when a disk is full may make room for it.
    ///
    /// # Errors
    /// [`crate::error::Error::Io`] when not even that can be done.
    pub fn finish(mut self, folder: &RunFolder, last: usize) -> Result<FinishedTables> {
        let places = self.tables.len().min(last + 1);
        // So that the one in place `last` is the last; turned back below, since files are told in the order of
        // tables.
        self.tables.rotate_left(places);
        let mut finished = finish_tables(folder, self.tables)?;
        finished.files.rotate_right(places);
        Ok(finished)
    }
}
