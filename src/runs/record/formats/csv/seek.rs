//! CSV reader for selected rows: the lines of other rows are only counted.

use std::io::{BufRead, Read};

use super::read::{csv_problem, header_names, open, read_value, unreadable, wrong};
use crate::error::{Error, Result};
use crate::record::{Column, RowFilter, Rows};

/// Reads the column names in the header of the table `name`.
///
/// # Errors
/// [`Error::Config`] if there is no header.
pub(crate) fn names(name: &str, reader: impl Read) -> Result<Vec<String>> {
    let mut line = Vec::new();
    open(name, reader)?.read_until(b'\n', &mut line).map_err(|e| unreadable(name, &e))?;
    Ok(header(name, &line)?.0)
}

fn header(name: &str, line: &[u8]) -> Result<(Vec<String>, usize)> {
    let mut reader = csv::Reader::from_reader(line);
    header_names(name, reader.headers().map_err(|e| unreadable(name, &csv_problem(&e)))?)
}

/// Reads the rows that `filter` selects and passes them to `take` in chunks, with their row
/// numbers. `columns_of` returns the columns for the names in the header. Returns the number of
/// rows in the table, or `None` if reading ended after the last selected row.
///
/// # Errors
/// [`Error::Config`] if a selected line has a wrong number of cells or an invalid cell, and the
/// errors of `take`.
pub(crate) fn seek(
    name: &str,
    reader: impl Read,
    columns_of: impl FnOnce(&[String]) -> Result<Vec<Column>>,
    rows_at_once: usize,
    filter: &RowFilter,
    mut take: impl FnMut(&[Column], &Rows, &[u64]) -> Result<()>,
) -> Result<Option<u64>> {
    let mut reader = open(name, reader)?;
    let mut line = Vec::new();
    let mut next = |line: &mut Vec<u8>| {
        line.clear();
        let read = reader.read_until(b'\n', line).map_err(|e| unreadable(name, &e))?;
        while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
            line.pop();
        }
        Ok::<_, Error>(read > 0)
    };
    next(&mut line)?;
    let (names, skipped) = header(name, &line)?;
    let columns = columns_of(&names)?;
    let place = |key: &str| names.iter().position(|name| name == key).map(|at| at + skipped);
    let keys = place("game").zip(place("piece_no"));
    let (mut rows, mut places) = (Rows::new(&columns), Vec::new());
    let (mut row, mut line_no) = (0, 1);
    while next(&mut line)? {
        line_no += 1;
        if line.is_empty() {
            continue;
        }
        let placement = keys.filter(|_| !filter.games.is_empty()).and_then(|keys| key(&line, keys));
        if placement.is_some_and(|(game, _)| filter.last_game().is_some_and(|last| game > last)) {
            take(&columns, &rows, &places)?;
            return Ok(None);
        }
        let is_of_game = placement.is_some_and(|(game, number)| filter.has_placement(game, number));
        if is_of_game || filter.has_row(row) {
            let mut cells = line.split(|&byte| byte == b',').skip(skipped).map(unquoted);
            for (column, values) in columns.iter().zip(&mut rows.columns) {
                let cell = cells.next().ok_or_else(|| {
                    Error::Config(format!(
                        "{name}, line {line_no}: it has fewer cells than the header: correct it"
                    ))
                })?;
                read_value(column, values, cell)
                    .ok_or_else(|| wrong(name, line_no, column, cell))?;
            }
            if cells.next().is_some() {
                let text = format!("line {line_no}: it has more cells than the header: correct it");
                return Err(Error::Config(format!("{name}, {text}")));
            }
            places.push(row);
            if places.len() == rows_at_once {
                take(&columns, &rows, &places)?;
                (rows, places) = (Rows::new(&columns), Vec::new());
            }
        }
        row += 1;
    }
    take(&columns, &rows, &places)?;
    Ok(Some(row))
}

/// Returns a cell without the quotation marks around it.
fn unquoted(cell: &[u8]) -> &[u8] {
    let inner = cell.strip_prefix(b"\"").and_then(|cell| cell.strip_suffix(b"\""));
    inner.unwrap_or(cell)
}

/// Parses the game and the placement number in the cells `game` and `number` of a line, counted
/// from 0. Returns `None` if they are not numbers.
fn key(line: &[u8], (game, number): (usize, usize)) -> Option<(u64, u64)> {
    let cell = |place: usize| {
        let cell = unquoted(line.split(|&byte| byte == b',').nth(place)?);
        std::str::from_utf8(cell).ok()?.parse().ok()
    };
    Some((cell(game)?, cell(number)?))
}
