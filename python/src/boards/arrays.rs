//! Conversion of arrays to boards: cells of any numeric type, and bit-packed rows.

use numpy::ndarray::{ArrayView1, ArrayView2, ArrayViewD, Axis};
use numpy::{Element, PyReadonlyArrayDyn};
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

/// Type of the numbers in an array of cells.
trait Cell: Element + Copy {
    /// Returns true for a filled cell, or `None` if the number is not whole.
    fn is_filled(self) -> Option<bool>;
}

impl Cell for bool {
    fn is_filled(self) -> Option<bool> {
        Some(self)
    }
}

macro_rules! whole_cells {
    ($($number:ty),+) => {$(
        impl Cell for $number {
            fn is_filled(self) -> Option<bool> {
                Some(self != 0)
            }
        }
    )+};
}

macro_rules! float_cells {
    ($($number:ty),+) => {$(
        impl Cell for $number {
            fn is_filled(self) -> Option<bool> {
                (self.is_finite() && self.fract() == 0.0).then_some(self != 0.0)
            }
        }
    )+};
}

whole_cells!(u8, u16, u32, u64, i8, i16, i32, i64);
float_cells!(f32, f64);

/// Returns the boards of the array `$given` if it has one of the types `$number`.
macro_rules! of_any_type {
    ($given:expr, $order:expr, $($number:ty),+) => {{
        $(
            if let Ok(cells) = $given.extract::<PyReadonlyArrayDyn<'_, $number>>() {
                return of_cells(&cells.as_array(), $order).map(Some);
            }
        )+
        Ok(None)
    }};
}

/// Converts an array of cells. Returns `None` if `given` is no array of numbers, or if it has the
/// type of bit-packed rows.
fn read_cells(given: &Bound<'_, PyAny>, order: RowOrder) -> Result<Option<Vec<Board>>> {
    of_any_type!(given, order, bool, u8, i8, i16, i32, i64, u32, u64, f32, f64)
}

/// Converts an array of cells whose type may be that of bit-packed rows.
fn read_any_cells(given: &Bound<'_, PyAny>, order: RowOrder) -> Result<Option<Vec<Board>>> {
    match read_cells(given, order)? {
        Some(boards) => Ok(Some(boards)),
        None => of_any_type!(given, order, u16),
    }
}

/// Converts one board from an array of cells, or from nested sequences of numbers.
pub(super) fn board(given: &Bound<'_, PyAny>, order: RowOrder) -> PyResult<Board> {
    let array = aligned(&given.py().import("numpy")?.call_method1("asarray", (given,))?)?;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    let found = match dimensions {
        2 => read_any_cells(&array, order).map_err(|error| argument_error(&error))?,
        _ => None,
    };
    match found.as_deref() {
        Some([board]) => Ok(*board),
        _ => Err(setting_error(ONE_BOARD.to_owned())),
    }
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
    let cells = read_cells(given, RowOrder::FloorFirst).map_err(|error| argument_error(&error))?;
    let found = if let Some(cells) = cells {
        Ok(cells)
    } else if let Ok(rows) = given.extract::<PyReadonlyArrayDyn<'_, u16>>() {
        let size = size.ok_or_else(|| {
            setting_error(
                "boards: rows need the size of their boards: give size, such as \"10x20\""
                    .to_owned(),
            )
        })?;
        of_rows(&rows.as_array(), parsed(size)?)
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

fn of_cells<T: Cell>(cells: &ArrayViewD<'_, T>, order: RowOrder) -> Result<Vec<Board>> {
    let wrong = || Error::Config(BOARDS.to_owned());
    let row = |cells: ArrayView1<'_, T>| {
        let bits = cells.iter().enumerate().map(|(k, cell)| {
            let is_filled = cell.is_filled().ok_or_else(|| Error::Config(NOT_WHOLE.to_owned()))?;
            Ok(u16::from(is_filled) << k)
        });
        bits.sum::<Result<u16>>()
    };
    let board = |cells: ArrayView2<'_, T>| {
        let size = BoardSize::new(cells.ncols(), cells.nrows())?;
        let mut rows = cells.rows().into_iter().map(row).collect::<Result<Vec<u16>>>()?;
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
