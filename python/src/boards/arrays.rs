//! Conversion of arrays to boards: cells of any numeric type, and bit-packed rows.

use numpy::ndarray::{ArrayView1, ArrayView2, ArrayViewD, Axis};
use numpy::{PyArrayDescrMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use tetrastat::board::{Board, BoardSize};
use tetrastat::error::{Error, Result};

use super::{PyBoard, parsed};
use crate::aligned::aligned;
use crate::env::RowOrder;
use crate::errors::{argument_error, setting_error};

/// Error message for values that can't be converted to boards.
const BOARDS: &str = "boards: give a Board, a list of them, cells as numbers or bool of shape \
    [height, width] or [n, height, width], or rows as uint16";

/// Error message for values that can't be converted to one board.
const ONE_BOARD: &str = "cells: give one board as numbers or bool of shape [height, width]";

/// Error message for floats that are no cells.
const NOT_WHOLE: &str = "cells: some are not whole numbers: 0 is an empty cell, and every other \
    whole number a filled one";

const UPSIDE_DOWN: &str = "boards: the floor row is empty and the top row is filled, so this stack \
    is upside down: row 0 is the floor, give cells[..., ::-1, :] (or a Board made from a picture, \
    if this is intended)";

const UPSIDE_DOWN_FROM_TOP: &str = "cells: the last row, which is the floor with \
    row_order=\"top\", is empty and the top row is filled, so this stack is upside \
    down: give row_order=\"floor\"";

/// Returns true for each filled cell of an array, or `None` if `given` is no array of numbers.
fn filled<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<PyReadonlyArrayDyn<'py, bool>>> {
    let kind = match given.cast::<PyUntypedArray>() {
        Ok(array) if array.ndim() >= 2 => array.dtype().kind(),
        _ => return Ok(None),
    };
    if kind == b'f' {
        let numbers: PyReadonlyArrayDyn<'_, f64> =
            given.call_method1("astype", ("f8",))?.extract()?;
        if !numbers.as_array().iter().all(|cell| cell.is_finite() && cell.fract() == 0.0) {
            return Err(setting_error(NOT_WHOLE.to_owned()));
        }
    }
    match b"biuf".contains(&kind) {
        true => Ok(Some(given.rich_compare(0, CompareOp::Ne)?.extract()?)),
        false => Ok(None),
    }
}

/// Converts one board from an array of cells, or from nested sequences of numbers.
pub(super) fn board(given: &Bound<'_, PyAny>, order: RowOrder) -> PyResult<Board> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let Some(cells) = filled(&array)?.filter(|cells| cells.as_array().ndim() == 2) else {
        return Err(setting_error(ONE_BOARD.to_owned()));
    };
    let found = of_cells(&cells.as_array(), order).map_err(|error| argument_error(&error))?;
    Ok(found[0])
}

/// Converts boards from Python, which must all have one size. `given` is
///
/// - a `Board` or a sequence of them,
/// - cells: numbers or bool of shape [height, width] or [n, height, width], or
/// - bit-packed rows of boards of `size`: uint16 of shape [rows] or [n, rows].
pub(crate) fn boards(given: &Bound<'_, PyAny>, size: Option<&str>) -> PyResult<Vec<Board>> {
    if let Ok(board) = given.cast::<PyBoard>() {
        return Ok(vec![board.get().0]);
    }
    let given = &aligned(given)?;
    let found = if let Ok(rows) = given.extract::<PyReadonlyArrayDyn<'_, u16>>() {
        let size = size.ok_or_else(|| {
            setting_error(
                "boards: rows need the size of their boards: give size, such as \"10x20\""
                    .to_owned(),
            )
        })?;
        of_rows(&rows.as_array(), parsed(size)?)
    } else if let Some(cells) = filled(given)? {
        of_cells(&cells.as_array(), RowOrder::FloorFirst)
    } else {
        let each = |one: PyResult<Bound<'_, PyAny>>| -> PyResult<Board> {
            Ok(one?.cast::<PyBoard>()?.get().0)
        };
        let all: PyResult<Vec<Board>> = given.try_iter().and_then(|all| all.map(each).collect());
        all.map_err(|_| Error::Config(BOARDS.to_owned()))
    };
    let found = found.map_err(|error| argument_error(&error))?;
    match found.first() {
        Some(first) if found.iter().any(|board| board.size() != first.size()) => {
            Err(setting_error("boards: give boards of one size at a time".to_owned()))
        }
        _ => Ok(found),
    }
}

fn of_cells(cells: &ArrayViewD<'_, bool>, order: RowOrder) -> Result<Vec<Board>> {
    let wrong = || Error::Config(BOARDS.to_owned());
    let row = |cells: ArrayView1<'_, bool>| {
        cells.iter().enumerate().map(|(k, cell)| u16::from(*cell) << k).sum::<u16>()
    };
    let board = |cells: ArrayView2<'_, bool>| {
        let size = BoardSize::new(cells.ncols(), cells.nrows())?;
        let mut rows: Vec<u16> = cells.rows().into_iter().map(row).collect();
        if order == RowOrder::TopFirst {
            rows.reverse();
        }
        check_order(&rows, order)?;
        Board::from_rows(size, &rows)
    };
    match cells.ndim() {
        2 => Ok(vec![board(cells.view().into_dimensionality().map_err(|_| wrong())?)?]),
        3 => cells
            .axis_iter(Axis(0))
            .map(|one| board(one.into_dimensionality().map_err(|_| wrong())?))
            .collect(),
        _ => Err(wrong()),
    }
}

/// Returns an error if `order`, the given order of a board's rows, seems to be wrong. `rows` are in
/// the order from the floor up. No game leaves the floor empty below a filled top row.
fn check_order(rows: &[u16], order: RowOrder) -> Result<()> {
    match (rows, order) {
        ([0, .., top], RowOrder::FloorFirst) if *top != 0 => {
            Err(Error::Config(UPSIDE_DOWN.to_owned()))
        }
        ([0, .., top], RowOrder::TopFirst) if *top != 0 => {
            Err(Error::Config(UPSIDE_DOWN_FROM_TOP.to_owned()))
        }
        _ => Ok(()),
    }
}

fn of_rows(rows: &ArrayViewD<'_, u16>, size: BoardSize) -> Result<Vec<Board>> {
    let board = |rows: ArrayViewD<'_, u16>| {
        let rows: Vec<u16> = rows.iter().copied().collect();
        Board::from_rows(size, &rows)
    };
    match rows.ndim() {
        1 => Ok(vec![board(rows.view())?]),
        2 => rows.axis_iter(Axis(0)).map(board).collect(),
        _ => Err(Error::Config(BOARDS.to_owned())),
    }
}
