//! One column of a table, read back from any format.

use std::path::Path;

use crate::error::{Error, Result};
use crate::record::folder::exists;
use crate::record::{Column, ColumnType, ColumnValues, Rows, TableFile};

/// Reads back a column of numbers as [`TableFile::values`]; no rows when there is no file.
///
/// # Errors
/// As there.
pub fn read_values(
    path: &Path,
    column: &str,
    ended: Option<(&str, &[&str])>,
) -> Result<Vec<(f64, bool)>> {
    if exists(path)? { TableFile::finished(path).values(column, ended) } else { Ok(Vec::new()) }
}

/// The numbers of a column, and whether each row's unit was cut off.
pub(crate) fn numbers(
    columns: &[Column],
    rows: &Rows,
    column: &str,
    ended: Option<(&str, &[&str])>,
) -> Result<impl Iterator<Item = (f64, bool)>> {
    let numbers = rows.columns[place(columns, column)?].as_numbers();
    let cut = match ended {
        None => vec![false; numbers.len()],
        Some((name, ends)) => {
            let place = place(columns, name)?;
            cut(&columns[place], &rows.columns[place], ends)
        }
    };
    Ok(numbers.into_iter().zip(cut))
}

fn place(columns: &[Column], name: &str) -> Result<usize> {
    let found = columns.iter().position(|column| column.name == name);
    let names = columns.iter().map(|column| &*column.name);
    found.ok_or_else(|| Error::unknown("column", name, names))
}

/// Which rows have none of these values.
fn cut(column: &Column, values: &ColumnValues, ends: &[&str]) -> Vec<bool> {
    let level = |code: &f64| match column.kind {
        ColumnType::Logical if *code == 1.0 => "TRUE",
        ColumnType::Logical => "FALSE",
        _ => column.levels.get(*code as usize).map_or("", |level| level),
    };
    values.as_numbers().iter().map(|code| !ends.contains(&level(code))).collect()
}
