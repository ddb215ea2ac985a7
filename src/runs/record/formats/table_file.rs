//! A table as it lies in a folder, finished or not: all of it, one column, or the rows that somebody asks for.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::record::folder::data_package::stated_columns;
use crate::record::folder::exists;
use crate::record::formats::format::unpacked;
use crate::record::formats::old_names::current_names;
use crate::record::formats::read_values::numbers;
use crate::record::formats::{csv, parquet};
use crate::record::{Column, Extract, LogFormat, PARTIAL, Rows, TableCursor, columns_of};

/// Rows of a CSV table that are read at once.
const ROWS_AT_ONCE: usize = 1 << 12;

/// A table's file: whole, or as far as a checkpoint says.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// Where it is now.
    path: PathBuf,
    /// The name that it has once it is finished, which tells table and format.
    name: String,
    /// Bytes that count; all when `None`.
    length: Option<u64>,
    /// Rows that it is said to have.
    rows: Option<u64>,
}

/// Who takes sought rows. What reads them is compiled beside it, whoever asks: most rows are only passed by.
pub type TakeRows<'a> = &'a mut dyn FnMut(&[Column], &Rows, &[u64]) -> Result<()>;

/// Some rows of a table: the first of every so many, and placements of some games.
#[derive(Clone, Debug, Default)]
pub struct RowFilter {
    /// One of so many rows, from the first on; none when 0.
    pub every: u64,
    /// Games and ranges of their placements, where the table has columns `game` and `piece_no`.
    pub games: Vec<(u64, RangeInclusive<u64>)>,
}

impl RowFilter {
    /// Whether a row is among every so many.
    pub(crate) fn has_row(&self, row: u64) -> bool {
        self.every > 0 && row.is_multiple_of(self.every)
    }

    /// Whether a placement is among those of the games.
    pub(crate) fn has_placement(&self, game: u64, number: u64) -> bool {
        self.games.iter().any(|(sought, numbers)| *sought == game && numbers.contains(&number))
    }

    /// The last game of which something is sought, where nothing else is: tables have their games in order.
    pub(crate) fn last_game(&self) -> Option<u64> {
        if self.every > 0 {
            return None;
        }
        self.games.iter().map(|(game, _)| *game).max()
    }
}

impl TableFile {
    /// A finished table, or all that there is of one that is being written.
    #[must_use]
    pub fn finished(path: &Path) -> TableFile {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(PARTIAL).unwrap_or(&name).to_owned();
        TableFile { path: path.to_owned(), name, length: None, rows: None }
    }

    /// The same, of so many rows: one that has others is damaged.
    #[must_use]
    pub fn of_rows(self, rows: Option<u64>) -> TableFile {
        TableFile { rows, ..self }
    }

    /// A table that is being written, or was when its run was killed, as far as the checkpoint says.
    ///
    /// # Errors
    /// [`Error::Io`] when it can't be looked for.
    pub fn at_cursor(folder: &Path, cursor: &TableCursor) -> Result<TableFile> {
        let partial = folder.join(format!("{}{PARTIAL}", cursor.name));
        let path = if exists(&partial)? { partial } else { folder.join(&cursor.name) };
        let (length, rows) = (Some(cursor.cursor.bytes), Some(cursor.cursor.rows));
        Ok(TableFile { path, name: cursor.name.clone(), length, rows })
    }

    /// The name of its file when it is finished.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of the table.
    #[must_use]
    pub fn table(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }

    /// Where it is now.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Rows that it is said to have, where somebody says it.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// Bytes of the file that count; `None` when all do.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    fn columns_of(&self, names: &[String]) -> Result<Vec<Column>> {
        let current = current_names(&self.path, self.table(), names)?;
        columns_of(self.table(), &current)
            .or_else(|error| stated_columns(&self.path, names)?.ok_or(error))
    }

    /// Its columns; none of a Parquet table that is being written and has no rows yet.
    ///
    /// # Errors
    /// As [`TableFile::read`].
    pub fn columns(&self) -> Result<Vec<Column>> {
        let names = match LogFormat::of_file(&self.name)? {
            LogFormat::Parquet => parquet::names(&self.path, self.length)?,
            format => csv::names(&self.shown(), unpacked(&self.path, format, self.length)?)?,
        };
        if names.is_empty() { Ok(Vec::new()) } else { self.columns_of(&names) }
    }

    /// Reads it in pieces.
    ///
    /// # Errors
    /// [`Error::Unknown`] or [`Error::Config`] when it is no such table, [`Error::Io`] when it can't be
    /// read, and what `take` returns.
    pub fn read(&self, take: impl FnMut(&[Column], Rows) -> Result<()>) -> Result<()> {
        self.extract(&Extract::default(), take)
    }

    /// Reads what `extract` keeps, in pieces. The columns that `take` gets are the kept ones.
    ///
    /// # Errors
    /// As [`TableFile::read`]; [`Error::Unknown`] or [`Error::Config`] when the table lacks what `extract` names. A
    /// Parquet table is decoded as far as `extract` needs it, so damage elsewhere is not seen.
    pub fn extract(
        &self,
        extract: &Extract,
        mut take: impl FnMut(&[Column], Rows) -> Result<()>,
    ) -> Result<()> {
        let columns = |names: &[String]| self.columns_of(names);
        let found = match LogFormat::of_file(&self.name)? {
            LogFormat::Parquet => {
                parquet::read(&self.path, self.length, columns, extract, &mut take)?
            }
            format => {
                let reader = unpacked(&self.path, format, self.length)?;
                let (mut found, mut known) = (0, None);
                csv::read(&self.shown(), reader, columns, ROWS_AT_ONCE, |columns, rows| {
                    found += rows.len() as u64;
                    let kept = match &mut known {
                        Some(kept) => kept,
                        None => known.insert(extract.of(columns)?),
                    };
                    let rows = kept.rows(rows);
                    take(&kept.columns, rows)
                })?;
                found
            }
        };
        self.check(found)
    }

    /// Reads the rows that are sought, in pieces, each with the places of its rows in the table. How many rows the
    /// table has is known in the end, unless those that are sought came to an end before.
    ///
    /// # Errors
    /// As [`TableFile::read`]; what is wrong with rows that are not sought is not seen.
    pub fn seek(&self, filter: &RowFilter, take: TakeRows<'_>) -> Result<Option<u64>> {
        let columns = |names: &[String]| self.columns_of(names);
        let found = match LogFormat::of_file(&self.name)? {
            LogFormat::Parquet => {
                Some(parquet::seek(&self.path, self.length, columns, filter, take)?)
            }
            format => {
                let reader = unpacked(&self.path, format, self.length)?;
                csv::seek(&self.shown(), reader, columns, ROWS_AT_ONCE, filter, take)?
            }
        };
        found.map_or(Ok(()), |found| self.check(found))?;
        Ok(found)
    }

    /// Reads a column of numbers, row by row (NaN where one is missing), and whether the row's unit was cut off: not
    /// so where another column, named in `ended`, has one of these values.
    ///
    /// # Errors
    /// [`Error::Unknown`] when the table lacks a column, and as [`TableFile::read`].
    pub fn values(&self, column: &str, ended: Option<(&str, &[&str])>) -> Result<Vec<(f64, bool)>> {
        let mut values = Vec::new();
        self.read(|columns, rows| {
            values.extend(numbers(columns, &rows, column, ended)?);
            Ok(())
        })?;
        Ok(values)
    }

    fn shown(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

    /// Makes sure that it has the rows that it is said to have.
    fn check(&self, found: u64) -> Result<()> {
        match self.rows {
            Some(rows) if rows != found => Err(Error::Config(format!(
                "{} has {found} rows, and {rows} were written: restore it from a copy",
                self.path.display()
            ))),
            _ => Ok(()),
        }
    }
}
