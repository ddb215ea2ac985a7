//! Table in a folder, finished or not, read completely, by column, or by selected rows.

use std::ops::RangeInclusive;

use crate::error::quoted;
use crate::prelude::*;
use crate::record::folder::data_package::described_columns;
use crate::record::folder::dataset::PARTITIONED;
use crate::record::folder::exists;
use crate::record::folder::output_file::table_files;
use crate::record::formats::extract::column_index;
use crate::record::formats::{csv, parquet, unpacked};
use crate::record::{Extract, PARTIAL, TableCursor, columns_of};

const ROWS_AT_ONCE: usize = 1 << 12;

/// File of a table: complete, or unfinished and valid up to the position in a checkpoint.
#[derive(Clone, Debug)]
pub struct TableFile {
    path: PathBuf,
    /// Name of the table's file, or of its folder of parts, without the suffix of unfinished files.
    name: String,
    /// Number of the file's valid bytes; `None` if all are valid.
    length: Option<u64>,
    rows: Option<u64>,
    typed: Option<TypedColumns>,
}

/// Function that receives a table's columns, some selected rows and their row numbers.
pub type TakeRows<'a> = &'a mut dyn FnMut(&[Column], &Rows, &[u64]) -> Result<()>;

pub(crate) type TypedColumns = fn(&[String]) -> Vec<Column>;

type TakeAll<'a> = &'a mut dyn FnMut(&[Column], Rows) -> Result<()>;

/// Selection of a table's rows: rows at a fixed interval, and rows of chosen placements.
#[derive(Clone, Debug, Default)]
pub struct RowFilter {
    /// Interval between rows selected by number, from row 0 on; 0 for no selection by number.
    pub every: u64,
    /// Number of rows in the table's earlier files, if the table is divided into several files.
    pub first_row: u64,
    /// Selected games: index of each game, with a range of its placement numbers.
    pub games: Vec<(u64, RangeInclusive<u64>)>,
}

impl RowFilter {
    pub(crate) fn has_row(&self, row: u64) -> bool {
        self.every > 0 && (self.first_row + row).is_multiple_of(self.every)
    }

    pub(crate) fn has_placement(&self, game: u64, number: u64) -> bool {
        self.games.iter().any(|(sought, numbers)| *sought == game && numbers.contains(&number))
    }

    /// Returns the last selected game, after which reading may stop; `None` if `every` is above 0.
    pub(crate) fn last_game(&self) -> Option<u64> {
        if self.every > 0 {
            return None;
        }
        self.games.iter().map(|(game, _)| *game).max()
    }
}

impl TableFile {
    /// Creates a reader of all rows of the table's file `path`, which may be unfinished.
    #[must_use]
    pub fn finished(path: &Path) -> TableFile {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(PARTIAL).unwrap_or(&name).to_owned();
        TableFile { path: path.to_owned(), name, length: None, rows: None, typed: None }
    }

    /// Creates a reader of a table of any program; any value may be missing. The types are those of
    /// the Parquet file, or else those that `typed` returns, or else text.
    #[must_use]
    pub fn untyped(path: &Path, typed: TypedColumns) -> TableFile {
        TableFile { typed: Some(typed), ..TableFile::finished(path) }
    }

    /// Sets the table's expected number of rows; with another number, the table counts as damaged.
    #[must_use]
    pub fn with_rows(self, rows: Option<u64>) -> TableFile {
        TableFile { rows, ..self }
    }

    /// Creates a reader of the unfinished table in `folder`, up to its checkpoint's position.
    pub fn at_cursor(folder: &Path, cursor: &TableCursor) -> Result<TableFile> {
        let partial = folder.join(format!("{}{PARTIAL}", cursor.name));
        let path = if exists(&partial)? { partial } else { folder.join(&cursor.name) };
        let (length, rows) = (Some(cursor.cursor.bytes), Some(cursor.cursor.rows));
        Ok(TableFile { path, name: cursor.name.clone(), length, rows, typed: None })
    }

    /// Returns the final name of the table's file, without the suffix of unfinished files.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the table's name, such as `games`; for a part of a table, its folder's name.
    #[must_use]
    pub fn table(&self) -> &str {
        let name = self.name.split('.').next().unwrap_or_default();
        let ending = format!(".{}", LogFormat::Parquet);
        let folders = self.path.iter().rev().filter_map(|folder| folder.to_str());
        let mut folders = folders.map(|folder| folder.strip_suffix(&ending).unwrap_or(folder));
        let of_part = name
            .strip_prefix("part-")
            .and_then(|_| folders.find(|folder| PARTITIONED.contains(folder)));
        of_part.unwrap_or(name)
    }

    /// Returns the path at which the table's file is at present.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the expected number of rows of the table, if it is recorded.
    #[must_use]
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }

    /// Returns the number of valid bytes at the start of the table's file; `None` if all are.
    #[must_use]
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    pub(crate) fn named_columns(&self, names: &[String]) -> Result<Vec<Column>> {
        if let Some(typed) = self.typed {
            return self.foreign_columns(names, &typed(names));
        }
        columns_of(self.table(), names)
            .or_else(|error| described_columns(&self.path, names)?.ok_or(error))
    }

    fn foreign_columns(&self, names: &[String], typed: &[Column]) -> Result<Vec<Column>> {
        let refuse = |name: &str, problem: &str| {
            let text = format!("{}: column '{}' {problem}", self.path.display(), quoted(name));
            Err(Error::Config(text))
        };
        let stored = match LogFormat::of_file(&self.name)? {
            LogFormat::Parquet => parquet::types(&table_files(&self.path)?[0])?,
            _ => vec![None; names.len()],
        };
        let (mut columns, mut found) = (Vec::new(), BTreeSet::new());
        for (name, stored) in names.iter().zip(stored) {
            if !found.insert(name) {
                return refuse(name, "occurs twice: rename one of them");
            }
            if name.is_empty() || !name.bytes().all(csv::is_plain) {
                return refuse(name, "needs a name without commas and quotation marks: rename it");
            }
            let known = typed.iter().find(|column| column.name == *name);
            let kind = stored.unwrap_or(known.map_or(ColumnType::Text, |column| column.kind));
            let is_factor = |column: &&Column| {
                kind == column.kind || (kind, column.kind) == (ColumnType::Text, ColumnType::Factor)
            };
            let column = known.filter(is_factor).cloned();
            let column = column.unwrap_or_else(|| Column::new(name, kind, "-", "input"));
            columns.push(column.in_foreign());
        }
        Ok(columns)
    }

    /// Returns the table's columns; an empty list for an unfinished Parquet file without rows.
    pub fn columns(&self) -> Result<Vec<Column>> {
        let names = match LogFormat::of_file(&self.name)? {
            LogFormat::Parquet => parquet::names(&table_files(&self.path)?[0], self.length)?,
            format => csv::names(&self.display_path(), unpacked(&self.path, format, self.length)?)?,
        };
        if names.is_empty() { Ok(Vec::new()) } else { self.named_columns(&names) }
    }

    /// Reads the table and passes its columns and rows to `take` in chunks.
    pub fn read(&self, take: impl FnMut(&[Column], Rows) -> Result<()>) -> Result<()> {
        self.extract(&Extract::default(), take)
    }

    /// Passes the rows and columns of the table that `extract` selects to `take` in chunks.
    pub fn extract(
        &self,
        extract: &Extract,
        mut take: impl FnMut(&[Column], Rows) -> Result<()>,
    ) -> Result<()> {
        let columns = |names: &[String]| self.named_columns(names);
        let found = match LogFormat::of_file(&self.name)? {
            LogFormat::Parquet => self.extract_parts(extract, &mut take)?,
            format => {
                let reader = unpacked(&self.path, format, self.length)?;
                let (mut found, mut known) = (0, None);
                csv::read(&self.display_path(), reader, columns, ROWS_AT_ONCE, |columns, rows| {
                    found += rows.len() as u64;
                    let kept = match &mut known {
                        Some(kept) => kept,
                        None => known.insert(extract.resolve(columns)?),
                    };
                    let rows = kept.rows(rows);
                    take(&kept.columns, rows)
                })?;
                found
            }
        };
        self.check(found)
    }

    fn extract_parts(&self, extract: &Extract, take: TakeAll<'_>) -> Result<u64> {
        let files = table_files(&self.path)?;
        // `every` counts the selected rows of all parts.
        let each = Extract { every: extract.every.filter(|_| files.len() == 1), ..extract.clone() };
        let rest = Extract { every: extract.every, ..Extract::default() };
        let (mut found, mut thinned, mut first) = (0, None, None);
        for file in &files {
            let columns = |names: &[String]| {
                if first.get_or_insert_with(|| names.to_vec()) != names {
                    let file = file.display();
                    let text = format!(
                        "{file} has other columns than the first part: give tables with \
                                equal columns"
                    );
                    return Err(Error::Config(text));
                }
                self.named_columns(names)
            };
            found += parquet::read(file, self.length, columns, &each, |columns, rows| {
                if files.len() == 1 || extract.every.is_none() {
                    return take(columns, rows);
                }
                let thinned = match &mut thinned {
                    Some(thinned) => thinned,
                    None => thinned.insert(rest.resolve(columns)?),
                };
                take(columns, thinned.rows(rows))
            })?;
        }
        Ok(found)
    }

    /// Passes the rows that `filter` selects to `take`, with their row numbers. Returns the table's
    /// row count if all rows were read.
    pub fn seek(&self, filter: &RowFilter, take: TakeRows<'_>) -> Result<Option<u64>> {
        let columns = |names: &[String]| self.named_columns(names);
        let found = match LogFormat::of_file(&self.name)? {
            LogFormat::Parquet => {
                let (mut first, mut filter) = (0, filter.clone());
                for file in table_files(&self.path)? {
                    filter.first_row = first;
                    let take = &mut |columns: &[Column], rows: &Rows, indices: &[u64]| {
                        let indices: Vec<u64> = indices.iter().map(|index| first + index).collect();
                        take(columns, rows, &indices)
                    };
                    first += parquet::seek(&file, self.length, columns, &filter, take)?;
                }
                Some(first)
            }
            format => {
                let reader = unpacked(&self.path, format, self.length)?;
                csv::seek(&self.display_path(), reader, columns, ROWS_AT_ONCE, filter, take)?
            }
        };
        found.map_or(Ok(()), |found| self.check(found))?;
        Ok(found)
    }

    // A game is cut off if the column `ended.0` has none of the values `ended.1`.
    /// Reads the numbers in `column` (NaN: missing) and, for each row, whether the game was cut
    /// off.
    pub fn values(&self, column: &str, ended: Option<(&str, &[&str])>) -> Result<Vec<(f64, bool)>> {
        let mut values = Vec::new();
        self.read(|columns, rows| {
            values.extend(numbers(columns, &rows, column, ended)?);
            Ok(())
        })?;
        Ok(values)
    }

    fn display_path(&self) -> String {
        self.path.to_string_lossy().into_owned()
    }

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

/// Returns two values per table row: the number in `column`, and true if the game was cut off. A
/// missing file has no rows.
pub fn read_values(
    path: &Path,
    column: &str,
    ended: Option<(&str, &[&str])>,
) -> Result<Vec<(f64, bool)>> {
    if exists(path)? { TableFile::finished(path).values(column, ended) } else { Ok(Vec::new()) }
}

pub(crate) fn numbers(
    columns: &[Column],
    rows: &Rows,
    column: &str,
    ended: Option<(&str, &[&str])>,
) -> Result<impl Iterator<Item = (f64, bool)>> {
    let numbers = rows.columns[column_index(columns, column)?].as_numbers();
    let cut = match ended {
        None => vec![false; numbers.len()],
        Some((name, ends)) => {
            let index = column_index(columns, name)?;
            are_cut_off(&columns[index], &rows.columns[index], ends)
        }
    };
    Ok(numbers.into_iter().zip(cut))
}

fn are_cut_off(column: &Column, values: &ColumnValues, ends: &[&str]) -> Vec<bool> {
    let level = |code: &f64| match column.kind {
        ColumnType::Logical if *code == 1.0 => "TRUE",
        ColumnType::Logical => "FALSE",
        _ => column.levels.get(*code as usize).map_or("", |level| level),
    };
    values.as_numbers().iter().map(|code| !ends.contains(&level(code))).collect()
}
