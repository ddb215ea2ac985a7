//! Converts arrays, pictures and fumens (text form of boards) to boards.

use numpy::ndarray::{ArrayView1, ArrayView2, ArrayViewD, Axis};
use numpy::{PyArrayDescrMethods, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::basic::CompareOp;
use tetrastat::pictures::fumen::{Field, FumenPage, ROWS, WIDTH, decode, encode};

use super::{PyBoard, parsed};
use crate::conversion::{aligned, argument_error, setting_error};
use crate::env::RowOrder;
use crate::prelude::*;

const EMPTY: [char; 3] = ['.', '_', '0'];
/// Characters for filled cells in pictures of boards, such as `#` and the letters of pieces.
const FILLED: [char; 12] = ['#', 'X', 'x', '1', 'G', 'I', 'O', 'T', 'S', 'Z', 'J', 'L'];
/// Number of rows above the rows in play that a board stores.
const OVERFLOW: usize = 4;

/// Reads a board from a picture, the top row first. Spaces around a line are ignored if the picture
/// has another character for empty cells. Otherwise each space is an empty cell, and spaces at the
/// end of a line may be omitted.
pub(super) fn from_picture(text: &str, size: Option<BoardSize>) -> Result<Board> {
    let has_margins = text.contains(EMPTY);
    let row = |line: &'_ str| match has_margins {
        true => line.trim().to_owned(),
        false => line.trim_end().to_owned(),
    };
    let lines: Vec<String> = text.lines().map(row).collect();
    let blank = |line: &&String| line.is_empty();
    // A blank first line follows the opening quotes of a text. In a picture with spaces as cells,
    // a line of spaces is a row, so only lines without any characters are left out there.
    let first = match has_margins {
        true => lines.iter().take_while(blank).count(),
        false => text.lines().take_while(|line| line.is_empty()).count(),
    };
    let end = lines.len() - lines.iter().rev().take_while(blank).count();
    let picture = lines.get(first..end).unwrap_or_default();
    let width = picture.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    if picture.is_empty() {
        return Err(Error::Config(format!("text: no filled row: {CELL_SIGN_HINT}")));
    }
    let mut rows = Vec::with_capacity(picture.len());
    for (number, line) in picture.iter().enumerate().rev() {
        let (line_no, cells) = (first + number + 1, line.chars().count());
        if has_margins && cells != width {
            return Err(Error::Config(format!(
                "text, line {line_no}: {cells} cells, but another line has {width}"
            )));
        }
        if width > 16 {
            return Err(Error::Config(format!(
                "text, line {line_no}: {width} cells: a board has 4 to 16 columns"
            )));
        }
        let mut bits = 0;
        for (column, sign) in line.chars().enumerate() {
            if FILLED.contains(&sign) {
                bits |= 1 << column;
            } else if !(EMPTY.contains(&sign) || sign == ' ' && !has_margins) {
                return Err(Error::Config(format!(
                    "text, line {line_no}: {sign:?} is no cell: {CELL_SIGN_HINT}"
                )));
            }
        }
        rows.push(bits);
    }
    let size = match size {
        Some(size) if has_margins && size.width() != width || size.width() < width => {
            return Err(Error::Config(format!(
                "text: {width} columns, but size {size} has {}",
                size.width()
            )));
        }
        Some(size) => size,
        None => BoardSize::new(width, rows.len())?,
    };
    check_height(&rows, size)?;
    Board::from_rows(size, &rows)
}

const CELL_SIGN_HINT: &str = "use . _ 0 or a space for an empty cell, and # X 1 or the letter of a \
    piece for a filled one";

/// Reads the board of a fumen's page, before the page's piece is placed. A negative `page` counts
/// from the last page.
pub(super) fn from_fumen(text: &str, page: isize, size: BoardSize) -> Result<Board> {
    check_width(size.width())?;
    let pages = decode(text)?;
    let index = if page < 0 { page + pages.len() as isize } else { page };
    let found = usize::try_from(index).ok().and_then(|index| pages.get(index));
    let FumenPage { field, .. } = found.ok_or_else(|| {
        let last = pages.len() - 1;
        Error::Config(format!("page {page}: this fumen has pages 0 to {last}"))
    })?;
    let cell = |row, column| u16::from(field.is_filled(column, row)) << column;
    let bits = |row| (0..WIDTH).map(|column| cell(row, column)).sum();
    let rows: Vec<u16> = (0..ROWS).map(bits).collect();
    check_height(&rows, size)?;
    Board::from_rows(size, &rows)
}

pub(super) fn to_fumen(board: &Board) -> Result<String> {
    check_width(board.width())?;
    if board.stack_height() > ROWS {
        let text = format!("the board has cells above the {ROWS} rows of a fumen");
        return Err(Error::Config(text));
    }
    let mut field = Field::default();
    for row in 0..board.stack_height() {
        for column in (0..WIDTH).filter(|&column| board.is_filled(column, row)) {
            field.fill(column, row, None);
        }
    }
    Ok(encode(&[FumenPage::new(field, None)]))
}

fn check_width(width: usize) -> Result<()> {
    match width {
        WIDTH => Ok(()),
        _ => Err(Error::Config(format!("a fumen has {WIDTH} columns, and this board {width}"))),
    }
}

fn check_height(rows: &[u16], size: BoardSize) -> Result<()> {
    let height = rows.iter().rposition(|&row| row != 0).map_or(0, |row| row + 1);
    if height > size.height() + OVERFLOW {
        return Err(Error::Config(format!(
            "the stack has {height} rows, and a board of size {size} stores {}: give a larger size",
            size.height() + OVERFLOW
        )));
    }
    Ok(())
}

const BOARDS_HINT: &str = "boards: give a Board, a list of them, cells as numbers or bool of shape \
    [height, width] or [n, height, width], or rows as uint16";

const ONE_BOARD: &str = "cells: give one board as numbers or bool of shape [height, width]";

const NOT_WHOLE: &str = "cells: some are not whole numbers: 0 is an empty cell, and every other \
    whole number a filled one";

const UPSIDE_DOWN: &str = "boards: the floor row is empty and the top row is filled, so this stack \
    is upside down: row 0 is the floor, give cells[..., ::-1, :] (or a Board made from a picture, \
    if this is intended)";

const UPSIDE_DOWN_FROM_TOP: &str = "cells: the last row, which is the floor with \
    row_order=\"top\", is empty and the top row is filled, so this stack is upside \
    down: give row_order=\"floor\"";

/// Returns cells of boards as bools, true if filled, or `None` if `given` is no array of numbers.
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

pub(super) fn board(given: &Bound<'_, PyAny>, order: RowOrder) -> PyResult<Board> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let Some(cells) = filled(&array)?.filter(|cells| cells.as_array().ndim() == 2) else {
        return Err(setting_error(ONE_BOARD.to_owned()));
    };
    let found = from_cells(&cells.as_array(), order).map_err(|error| argument_error(&error))?;
    Ok(found[0])
}

/// Converts boards of one size from Python: `Board` objects, or cells (numbers or bool) of shape
/// ([n,] height, width). Bit-packed rows are uint16 of shape ([n,] rows), and need `size`.
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
        from_rows(&rows.as_array(), parsed(size)?)
    } else if let Some(cells) = filled(given)? {
        from_cells(&cells.as_array(), RowOrder::FloorFirst)
    } else {
        let each = |one: PyResult<Bound<'_, PyAny>>| -> PyResult<Board> {
            Ok(one?.cast::<PyBoard>()?.get().0)
        };
        let all: PyResult<Vec<Board>> = given.try_iter().and_then(|all| all.map(each).collect());
        all.map_err(|_| Error::Config(BOARDS_HINT.to_owned()))
    };
    let found = found.map_err(|error| argument_error(&error))?;
    match found.first() {
        Some(first) if found.iter().any(|board| board.size() != first.size()) => {
            Err(setting_error("boards: give boards of one size at a time".to_owned()))
        }
        _ => Ok(found),
    }
}

fn from_cells(cells: &ArrayViewD<'_, bool>, order: RowOrder) -> Result<Vec<Board>> {
    let wrong = || Error::Config(BOARDS_HINT.to_owned());
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

/// Returns an error if board rows seem upside down: an empty floor below a filled top row, which no
/// game leaves.
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

fn from_rows(rows: &ArrayViewD<'_, u16>, size: BoardSize) -> Result<Vec<Board>> {
    let board = |rows: ArrayViewD<'_, u16>| {
        let rows: Vec<u16> = rows.iter().copied().collect();
        Board::from_rows(size, &rows)
    };
    match rows.ndim() {
        1 => Ok(vec![board(rows.view())?]),
        2 => rows.axis_iter(Axis(0)).map(board).collect(),
        _ => Err(Error::Config(BOARDS_HINT.to_owned())),
    }
}
