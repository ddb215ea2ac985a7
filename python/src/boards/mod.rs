//! The class `Board`, and the conversion of boards and pieces that Python passes in.

mod convert;

use pyo3::types::PyString;
use tetrastat::pictures::{BoardScene, PlacedPiece, Still, svg};
use tetrastat::placement::{Candidate, Placement};
use tetrastat::rules::RULES_NAMES;
use tetrastat::terminal::board_view::CellFace;

use crate::afterstates::{FeatureMeasurer, Rules};
use crate::conversion::{argument_error, setting_error};
use crate::env::RowOrder;
use crate::features::BoardAndPiece;
use crate::prelude::*;

pub(crate) use self::convert::boards;

/// A board of classic games: its settled cells.
///
/// A board has 4 to 16 columns and 4 to 28 rows. Arrays and tables count rows from the floor and
/// columns from the left, both from 0.
///
/// Parameters
/// ----------
/// picture : str
///     Board as text, top row first. `.` is an empty cell and `#` a filled one; `/` or a line break
///     ends a row.
///
/// Raises
/// ------
/// SettingError
///     If `picture` does not show a board.
///
/// Examples
/// --------
/// >>> from tetrastat import Board
/// >>> board = Board("..../..../#.../##.#")
/// >>> board.width, board.height, board.heights.tolist()
/// (4, 4, [2, 1, 0, 1])
/// >>> board.place("O", 0, 1).board
/// Board("..../.##./###./##.#")
#[pyclass(frozen, eq, hash, module = "tetrastat", name = "Board")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyBoard(pub(crate) Board);

/// Arguments of the Python class `Placed`, from which pickling restores it.
type PlacedArguments = (PyBoard, u8, u8, bool, PyBoard, String, (u8, u8));

/// Result of a placement, as `Board.place` returns it.
#[pyclass(frozen, eq, module = "tetrastat")]
#[derive(PartialEq)]
struct Placed {
    /// Board after the placement, without its full rows.
    #[pyo3(get)]
    board: PyBoard,
    /// Row of the piece's lowest cell where the piece came to rest, counted from the floor.
    #[pyo3(get)]
    row: u8,
    /// Number of rows removed, 0 to 4.
    #[pyo3(get)]
    lines: u8,
    /// True if the placement ends the game.
    #[pyo3(get)]
    lost: bool,
    /// Board before the placement, stored for pictures.
    before: PyBoard,
    piece: Piece,
    placement: Placement,
}

fn picture(board: &Board, title: String, placed: Option<PlacedPiece>) -> String {
    let size = board.size();
    let settled = |column, row| match board.is_filled(column, row) {
        true => CellFace::Settled,
        false => CellFace::Empty,
    };
    let size = (size.width(), size.height());
    let scene = BoardScene::new(size, settled, placed, None);
    svg::still(&Still { title, scene, notes: Vec::new() })
}

#[pymethods]
impl Placed {
    #[new]
    fn new(
        board: &Bound<'_, PyBoard>,
        row: u8,
        lines: u8,
        lost: bool,
        before: &Bound<'_, PyBoard>,
        piece: &str,
        placement: (u8, u8),
    ) -> PyResult<Placed> {
        let piece = piece.parse().map_err(|error| argument_error(&error))?;
        let placement = Placement { orientation: placement.0, column: placement.1 };
        let (board, before) = (*board.get(), *before.get());
        Ok(Placed { board, row, lines, lost, before, piece, placement })
    }

    fn __getnewargs__(&self) -> PlacedArguments {
        let Placed { board, row, lines, lost, before, piece, placement } = self;
        let place = (placement.orientation, placement.column);
        (*board, *row, *lines, *lost, *before, piece.to_string(), place)
    }

    fn __repr__(&self) -> String {
        let Placed { board, row, lines, lost, .. } = self;
        let lost = if *lost { "True" } else { "False" };
        format!("Placed(board={}, row={row}, lines={lines}, lost={lost})", board.__repr__())
    }

    /// Returns a picture of the placement before full rows are removed.
    fn _repr_svg_(&self) -> String {
        let lines = match self.lines {
            0 => String::new(),
            1 => ", 1 row removed".to_owned(),
            lines => format!(", {lines} rows removed"),
        };
        let end = if self.lost { ", the game ends" } else { "" };
        let title = format!("{}{lines}{end}", self.piece);
        let candidate = Candidate { placement: self.placement, row: self.row };
        let cells = candidate.cells(self.piece);
        picture(&self.before.0, title, Some(PlacedPiece { piece: self.piece, cells }))
    }
}

#[pymethods]
impl PyBoard {
    #[new]
    fn new(picture: &str) -> PyResult<PyBoard> {
        if picture.trim().is_empty() {
            let text =
                "picture has no rows: give text such as \"..../..../#.../##.#\", top row first";
            return Err(setting_error(text.to_owned()));
        }
        picture.parse().map(PyBoard).map_err(|error| argument_error(&error))
    }

    /// Returns an empty board.
    ///
    /// Parameters
    /// ----------
    /// size : str
    ///     Columns and rows, such as `"10x20"`.
    ///
    /// Returns
    /// -------
    /// Board
    #[staticmethod]
    #[pyo3(signature = (size = "10x20"))]
    fn empty(size: &str) -> PyResult<PyBoard> {
        Ok(PyBoard(Board::empty(parsed(size)?)))
    }

    /// Returns the board with these bit-packed rows.
    ///
    /// Parameters
    /// ----------
    /// rows : sequence of int
    ///     Rows from the floor up. Bit 0 of a row is the leftmost column; a set bit is a filled
    ///     cell. Missing rows are empty.
    /// size : str
    ///     Columns and rows, such as `"10x20"`.
    ///
    /// Returns
    /// -------
    /// Board
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `rows` do not fit a board of this size.
    ///
    /// Examples
    /// --------
    /// >>> from tetrastat import Board
    /// >>> Board.from_rows([0b1011, 0b0001], "4x4")
    /// Board("..../..../#.../##.#")
    #[staticmethod]
    #[pyo3(signature = (rows, size = "10x20"))]
    fn from_rows(rows: Vec<u16>, size: &str) -> PyResult<PyBoard> {
        Board::from_rows(parsed(size)?, &rows).map(PyBoard).map_err(|error| argument_error(&error))
    }

    /// Returns the board with these cells.
    ///
    /// Parameters
    /// ----------
    /// cells : array_like of bool, int or float, shape (height, width)
    ///     False or 0 for an empty cell, True or any other whole number for a filled one.
    /// row_order : {"floor", "top"}
    ///     First row of `cells`: the floor, as in every array of this package, or the top row, as
    ///     in a picture.
    ///
    /// Returns
    /// -------
    /// Board
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `cells` is not one board, or if its floor is empty below a filled top row: such a
    ///     stack is upside down.
    ///
    /// Examples
    /// --------
    /// >>> from tetrastat import Board
    /// >>> image = [[0, 0, 0, 0], [0, 0, 0, 0], [255, 0, 0, 0], [255, 255, 0, 255]]
    /// >>> Board.from_array(image, row_order="top")
    /// Board("..../..../#.../##.#")
    #[staticmethod]
    #[pyo3(signature = (cells, row_order = "floor"))]
    fn from_array(cells: &Bound<'_, PyAny>, row_order: &str) -> PyResult<PyBoard> {
        let order: RowOrder = row_order.parse().map_err(|error| argument_error(&error))?;
        convert::board(cells, order).map(PyBoard)
    }

    /// Returns the board of a picture from elsewhere, with one row a line and the top row first.
    ///
    /// Empty cells are `.`, `_`, `0` or spaces. Filled cells are `#`, `X`, `x`, `1`, `G` or the
    /// letter of a piece. If the picture has `.`, `_` or `0`, spaces around its lines are a margin.
    /// Otherwise spaces are cells, and a line may lack those at its end.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     The picture. Blank lines before and after it are ignored.
    /// size : str, optional
    ///     Columns and rows, such as `"10x20"`. Rows above the picture are empty. Default: the
    ///     size of the picture.
    ///
    /// Returns
    /// -------
    /// Board
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `text` is not a picture, or not one of this size.
    ///
    /// Examples
    /// --------
    /// >>> from tetrastat import Board
    /// >>> Board.from_text("X___\nXX_X", size="4x5")
    /// Board("..../..../..../#.../##.#")
    #[staticmethod]
    #[pyo3(signature = (text, size = None))]
    fn from_text(text: &str, size: Option<&str>) -> PyResult<PyBoard> {
        let size = size.map(parsed).transpose()?;
        convert::from_picture(text, size).map(PyBoard).map_err(|error| argument_error(&error))
    }

    /// Returns the board of one page of a fumen, before the page's piece is placed.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     Fumen of version 115 (`v115@...`), or an address that contains one.
    /// page : int
    ///     Number of the page, counted from 0. A negative number counts from the last page.
    /// size : str
    ///     Size of the board: ten columns and any number of rows.
    ///
    /// Returns
    /// -------
    /// Board
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `text` has no fumen or a damaged one, if there is no such page, or if its stack is
    ///     higher than a board of this size.
    ///
    /// Examples
    /// --------
    /// >>> from tetrastat import Board
    /// >>> board = Board("........../........../#........./##.#######")
    /// >>> Board.from_fumen(board.to_fumen(), size="10x4") == board
    /// True
    #[staticmethod]
    #[pyo3(signature = (text, page = 0, size = "10x20"))]
    fn from_fumen(text: &str, page: isize, size: &str) -> PyResult<PyBoard> {
        let size = parsed(size)?;
        convert::from_fumen(text, page, size).map(PyBoard).map_err(|error| argument_error(&error))
    }

    /// Returns the board as a fumen of version 115 with one page.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If the board does not have ten columns, or has cells above row 23.
    #[allow(clippy::wrong_self_convention, reason = "Python's methods take self by reference")]
    fn to_fumen(&self) -> PyResult<String> {
        convert::to_fumen(&self.0).map_err(|error| argument_error(&error))
    }

    /// Returns the board that a table stores as text in its column `board`.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     Rows in hexadecimal from the floor up, separated by `:`, such as `"3fe:001"`.
    /// size : str
    ///     Columns and rows, such as `"10x20"`.
    ///
    /// Returns
    /// -------
    /// Board
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If `text` is not a board of this size.
    #[staticmethod]
    #[pyo3(signature = (text, size = "10x20"))]
    fn from_hex(text: &str, size: &str) -> PyResult<PyBoard> {
        Board::from_hex(parsed(size)?, text).map(PyBoard).map_err(|error| argument_error(&error))
    }

    /// Returns the board as tables store it in their column `board`: rows in hexadecimal, floor
    /// first.
    ///
    /// Returns
    /// -------
    /// str
    #[allow(clippy::wrong_self_convention, reason = "Python's methods take self by reference")]
    fn to_hex(&self) -> String {
        self.0.to_hex()
    }

    /// Number of columns, 4 to 16.
    #[getter]
    fn width(&self) -> usize {
        self.0.width()
    }

    /// Number of rows in play, 4 to 28.
    #[getter]
    fn height(&self) -> usize {
        self.0.height()
    }

    /// Columns and rows as text, such as `10x20`.
    #[getter]
    fn size(&self) -> String {
        self.0.size().to_string()
    }

    /// Height of each column in rows: ndarray of uint8, shape (width,).
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        PyArray1::from_slice(py, &self.0.heights()[..self.0.width()])
    }

    /// Bit-packed rows, floor first: ndarray of uint16, shape (32,). Bit 0 of a row is the leftmost
    /// column. Rows above the board's height hold the cells that overflow.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u16>> {
        PyArray1::from_slice(py, self.0.rows())
    }

    /// Returns the cells of the rows in play.
    ///
    /// Returns
    /// -------
    /// ndarray of bool, shape (height, width)
    ///     True for a filled cell. Row 0 is the floor.
    fn cells<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let (width, height) = (self.0.width(), self.0.height());
        let cell = |at: usize| self.0.is_filled(at % width, at / width);
        let cells: Vec<bool> = (0..width * height).map(cell).collect();
        PyArray1::from_vec(py, cells).reshape([height, width])
    }

    /// Returns `cells()` for NumPy, so that `numpy.asarray(board)` works.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            let text = "a Board stores bits, so its array is a copy: leave copy=False out";
            return Err(PyValueError::new_err(text));
        }
        let cells = self.cells(py)?.into_any();
        match dtype {
            Some(dtype) => cells.call_method1("astype", (dtype,)),
            None => Ok(cells),
        }
    }

    /// Returns True if a cell is filled.
    ///
    /// Parameters
    /// ----------
    /// column, row : int
    ///     Position of the cell, counted from the left and from the floor.
    ///
    /// Returns
    /// -------
    /// bool
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If the board has no such cell.
    fn is_filled(&self, column: Whole<usize>, row: Whole<usize>) -> PyResult<bool> {
        let (Whole(column), Whole(row)) = (column, row);
        self.checked(column, row)?;
        Ok(self.0.is_filled(column, row))
    }

    /// Returns a copy of the board in which one more cell is filled.
    ///
    /// Parameters
    /// ----------
    /// column, row : int
    ///     Position of the cell, counted from the left and from the floor.
    ///
    /// Returns
    /// -------
    /// Board
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If the board has no such cell.
    fn with_cell(&self, column: Whole<usize>, row: Whole<usize>) -> PyResult<PyBoard> {
        let (Whole(column), Whole(row)) = (column, row);
        self.checked(column, row)?;
        Ok(PyBoard(self.0.with(column, row)))
    }

    /// Drops a piece, removes full rows and returns the result.
    ///
    /// Parameters
    /// ----------
    /// piece : str
    ///     Letter of the piece: I, O, T, S, Z, J or L.
    /// orientation : int
    ///     Number of the orientation, as in tables.
    /// column : int
    ///     Column of the piece's leftmost cell.
    /// rules : {"simplified", "standard"}
    ///     Rules of classic games.
    /// clear_on_overflow, reach_anywhere : bool
    ///     Variants of the rules, as the options of `simulate`.
    ///
    /// Returns
    /// -------
    /// Placed
    ///     Attributes `board`, `row`, `lines` and `lost`.
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If the piece cannot come to rest there. `placements` lists the valid placements.
    #[pyo3(signature = (
        piece, orientation, column, rules = "simplified", *, clear_on_overflow = false,
        reach_anywhere = false
    ))]
    fn place(
        &self,
        piece: &str,
        orientation: Whole<u8>,
        column: Whole<u8>,
        rules: &str,
        clear_on_overflow: bool,
        reach_anywhere: bool,
    ) -> PyResult<Placed> {
        let asked = || -> Result<_> {
            let rules = Rules::read(rules, clear_on_overflow, reach_anywhere, "full")?;
            let (piece, place) = (piece.parse()?, (orientation.0, column.0, None));
            let wrong = || Error::unknown("rules of classic games", "guideline", RULES_NAMES);
            let Rules::Classic(_) = rules else { return Err(wrong()) };
            let mut found = Vec::new();
            rules.add_afterstate((&self.0, piece), place, 0, &mut found)?;
            match found[..] {
                [(_, Afterstate::Classic(outcome))] => Ok((piece, outcome)),
                _ => Err(wrong()),
            }
        };
        let (piece, outcome) = asked().map_err(|error| argument_error(&error))?;
        Ok(Placed {
            board: PyBoard(outcome.after),
            row: outcome.played.candidate.row,
            lines: outcome.played.lines,
            lost: outcome.lost,
            before: *self,
            piece,
            placement: outcome.played.candidate.placement,
        })
    }

    /// Returns a picture of the board.
    fn _repr_svg_(&self) -> String {
        picture(&self.0, format!("Board {}", self.0.size()), None)
    }

    /// Returns the features of the board alone, in whole units.
    ///
    /// Parameters
    /// ----------
    /// names : sequence of str, optional
    ///     Features to measure. Default: all features of boards of this size.
    ///
    /// Returns
    /// -------
    /// dict of str to float
    ///     Value of each feature by its name.
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If a name is unknown, or if its feature needs a placement.
    ///
    /// Examples
    /// --------
    /// >>> from tetrastat import Board
    /// >>> Board("..../#.../#.#./#.##").features(["holes", "aggregate_height"])
    /// {'holes': 0.0, 'aggregate_height': 6.0}
    #[pyo3(signature = (names = None))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        names: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rules = Rules::Classic(tetrastat::rules::Rules::simplified());
        let asked = Selection::for_boards(&rules, self.0.size(), names.as_deref())
            .map_err(|error| argument_error(&error))?;
        let names = asked.names();
        let (mut measurer, mut values) =
            (FeatureMeasurer::new(Arc::new(asked)), vec![0.0; names.len()]);
        measurer.measure(
            &[(0, Afterstate::Board(self.0))],
            &mut values,
            |index, _| index,
            |value| value,
        );
        let found = PyDict::new(py);
        for (name, value) in names.iter().zip(values) {
            found.set_item(name, value)?;
        }
        Ok(found)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Board(\"{}\")", self.0.to_string().trim_end().replace('\n', "/"))
    }

    fn __reduce__<'py>(slf: &Bound<'py, PyBoard>) -> PyResult<Bound<'py, PyAny>> {
        let (py, board) = (slf.py(), slf.get().0);
        let make = slf.get_type().getattr("from_rows")?;
        let made = (board.rows().to_vec(), board.size().to_string());
        Ok((make, made).into_pyobject(py)?.into_any())
    }
}

impl PyBoard {
    fn checked(&self, column: usize, row: usize) -> PyResult<()> {
        if column < self.0.width() && row < self.0.height() {
            return Ok(());
        }
        let size = self.0.size();
        Err(setting_error(format!(
            "column {column}, row {row}: a board of {size} has no such cell"
        )))
    }
}

fn parsed(size: &str) -> PyResult<BoardSize> {
    size.parse().map_err(|error| argument_error(&error))
}

/// Converts pieces from Python: a text of letters, or a sequence of letters or numbers (0 to 6:
/// IOTSZJL).
pub(crate) fn pieces(given: &Bound<'_, PyAny>) -> PyResult<Vec<Piece>> {
    let piece = |one: Bound<'_, PyAny>| -> PyResult<Piece> {
        if let Ok(letter) = one.extract::<String>() {
            return letter.parse().map_err(|error| argument_error(&error));
        }
        let Whole(number): Whole<usize> = one.extract()?;
        let found = Piece::ALL.get(number).copied();
        found.ok_or_else(|| {
            setting_error(format!("piece {number}: give 0 to 6, in the order I O T S Z J L"))
        })
    };
    if given.is_instance_of::<PyString>() {
        let letters: String = given.extract()?;
        let parsed = letters.chars().map(|letter| letter.to_string().parse());
        return parsed.collect::<Result<_>>().map_err(|error| argument_error(&error));
    }
    match given.try_iter() {
        Ok(all) => all.map(|one| piece(one?)).collect(),
        Err(_) => Ok(vec![piece(given.clone())?]),
    }
}

/// Converts boards and pieces from Python to pairs. One piece is paired with every board.
pub(crate) fn pairs(
    given: &Bound<'_, PyAny>,
    size: Option<&str>,
    letters: &Bound<'_, PyAny>,
) -> PyResult<Vec<BoardAndPiece>> {
    let (boards, pieces) = (boards(given, size)?, pieces(letters)?);
    match pieces[..] {
        [piece] => Ok(boards.into_iter().map(|board| (board, piece)).collect()),
        _ if pieces.len() == boards.len() => Ok(boards.into_iter().zip(pieces).collect()),
        _ => Err(setting_error(format!(
            "{} pieces for {} boards: give one for each, or one for all",
            pieces.len(),
            boards.len()
        ))),
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyBoard>()?;
    module.add_class::<Placed>()
}
