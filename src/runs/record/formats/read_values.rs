//! Reader of one column of a table in any format.

use std::path::Path;

use crate::error::Result;
use crate::record::folder::exists;
use crate::record::formats::extract::place;
use crate::record::{Column, ColumnType, ColumnValues, Rows, TableFile};

/// Reads a column of numbers as [`TableFile::values`] does. Returns an empty list if the file does
/// not exist.
///
/// # Errors
/// The errors of [`TableFile::values`].
pub fn read_values(
    path: &Path,
    column: &str,
    ended: Option<(&str, &[&str])>,
) -> Result<Vec<(f64, bool)>> {
    if exists(path)? { TableFile::finished(path).values(column, ended) } else { Ok(Vec::new()) }
}

/// Returns the numbers of a column, each with true if its row is censored. `ended` has the meaning
/// given at [`TableFile::values`].
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

/// Returns for each row true if its value in `column` is none of the names in `ends`.
fn cut(column: &Column, values: &ColumnValues, ends: &[&str]) -> Vec<bool> {
    let level = |code: &f64| match column.kind {
        ColumnType::Logical if *code == 1.0 => "TRUE",
        ColumnType::Logical => "FALSE",
        _ => column.levels.get(*code as usize).map_or("", |level| level),
    };
    values.as_numbers().iter().map(|code| !ends.contains(&level(code))).collect()
}
