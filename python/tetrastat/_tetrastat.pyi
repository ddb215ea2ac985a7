from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

from .settings import OptimiserSettings, TrainSettings

__all__ = [
    "Board",
    "Evaluator",
    "GUIDELINE_KEYS",
    "Games",
    "Optimiser",
    "Placed",
    "RowStream",
    "SettingError",
    "SingleGame",
    "Table",
    "TetrastatError",
    "Training",
    "_Estimate",
    "__version__",
    "call_command",
    "check_path",
    "command_names",
    "command_options",
    "find_afterstates",
    "find_feature_names",
    "find_features",
    "merge_written_parts",
    "named_datasets",
    "part_name",
    "record_command",
    "replicate",
    "run_command_line",
    "study_text",
    "t_quantile",
]
__version__: str

class TetrastatError(Exception):
    """Error of the engine. The message names the cause and the remedy."""
    ...
class SettingError(TetrastatError, ValueError):
    """Invalid value of an option or argument. The message names the valid values."""
    ...

# Runs and tables

@final
class Table:
    """Table of a run, or a selection of its rows and columns.

    A table is read when a library asks for it: `pyarrow.table(table)`, `polars.DataFrame(table)`,
    `duckdb`, and every other library that takes Arrow data by the PyCapsule interface
    (`__arrow_c_stream__`). Factors become dictionaries and missing values become null. A field's
    metadata holds its unit and meaning.

    Parameters
    ----------
    path : path
        File that the engine wrote in a run's folder: CSV (also `.gz`, `.zst`) or Parquet.
    columns : sequence of str, optional
        Names of the columns to keep, in this order. Default: all.
    where : str, optional
        Comparisons joined by `and`, such as `"game<=20 and holes>3"`. Default: all rows.
    every : int, optional
        Step between rows: of the rows that satisfy `where`, the first and each `every`-th after it
        are kept. Default: 1.
    owner : object, optional
        Object that must live as long as the table, such as the `Run` of a temporary folder.

    Raises
    ------
    SettingError
        If `where` or `every` is invalid, or if `path` is an address such as `s3://bucket/run`.

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("dt20", board="10x10", games=3, max_pieces=50, placements="none")
    >>> table = tetrastat.Table(run.tables["games"], ["game", "pieces"], where="game>=1")
    >>> table.columns
    ['game', 'pieces']
    >>> table.to_pyarrow().num_rows
    2
    """
    def __new__(
        cls,
        path: str | PathLike[str],
        columns: Sequence[str] | None = None,
        where: str | None = None,
        every: int | None = None,
        *,
        owner: Any = None,
    ) -> Table: ...
    @property
    def columns(self) -> list[str]:
        """Names of the columns, in their order: list of str."""
        ...
    @property
    def owner(self) -> Any:
        """Object that keeps the file: a temporary folder is removed with the last reference to it."""
        ...
    @property
    def schema(self) -> dict[str, str]:
        """Type of each column in the code book, by name: dict of str to str.

        The types are `integer` (32 bits), `count` (64 bits), `real`, `factor`, `text` and
        `logical`.
        """
        ...
    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of columns: tuple of two ints."""
        ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def head(self, n: int = 10) -> Table:
        """Returns the first rows as a table in memory.

        Parameters
        ----------
        n : int
            Number of rows.

        Returns
        -------
        Table
            At most `n` rows.
        """
        ...
    def scan(self, engine: str = "polars") -> Any:
        """Returns the table as a lazy frame, which reads what a query needs.

        Parameters
        ----------
        engine : str
            `"polars"` for a `polars.LazyFrame`, or `"duckdb"` for a `duckdb.DuckDBPyRelation`.

        Returns
        -------
        polars.LazyFrame or duckdb.DuckDBPyRelation
            Rows and columns of this table.

        Raises
        ------
        TetrastatError
            If the table is a log in CSV.
        ImportError
            If the library is not installed.
        """
        ...
    def describe(self, column: str) -> dict[str, str]:
        """Returns the code book's entry for a column.

        Parameters
        ----------
        column : str
            Name of the column.

        Returns
        -------
        dict of str to str
            `unit`, `description` (the column's meaning) and `missing` (the reason for missing
            values).

        Raises
        ------
        SettingError
            If the table has no such column.
        """
        ...
    def to_pyarrow(self) -> Any:
        """Returns the rows as a `pyarrow.Table`."""
        ...
    def to_polars(self) -> Any:
        """Returns the rows as a `polars.DataFrame`."""
        ...
    def to_pandas(self) -> Any:
        """Returns the rows as a `pandas.DataFrame`. This needs pyarrow as well."""
        ...
    def _select(
        self, columns: Sequence[str] | None = None, where: str | None = None, every: int | None = None
    ) -> Table:
        """Returns another selection of the same rows, which replaces this table's own."""
        ...
    def _selection(self) -> tuple[Path | None, list[tuple[str, str, str, str]], int]:
        """Returns what a lazy reader needs: the file (None for a table in memory), the comparisons
        (column, operator, value and type of the column), and the step between rows.
        """
        ...
    def __str__(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def __arrow_c_schema__(self) -> object: ...
    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class RowStream:
    """Rows of a log, which are taken while the run plays. The run waits if it is some blocks of rows
    ahead.
    """
    def __new__(cls, command: str, settings: Mapping[str, Any], table: str, players: Sequence[Any] = ()) -> RowStream: ...
    def __iter__(self) -> RowStream: ...
    def __next__(self) -> Table: ...
    def close(self) -> None:
        """Ends the run and waits until it has ended."""
        ...

def t_quantile(degrees: float) -> float:
    """Returns the 97.5 % quantile of Student's t with `degrees` degrees of freedom; infinite if
    `degrees` is not positive.
    """
    ...

def call_command(
    command: str,
    settings: Mapping[str, Any],
    input: str = "",
    progress: Callable[[float | None, str], None] | None = None,
    kept: dict[str, Table] | None = None,
    players: Sequence[Any] = (),
) -> tuple[str, Table | None, bool, list[str]]:
    """Runs a command of the engine, which may read `input` as its standard input. Calls `progress`
    with the share of the work done (0 to 1, or None) and a text.

    With `kept`, a dictionary, the logs of the run are not written: they become its values, tables
    in memory by name. The settings can name `players`.
    """
    ...
def command_options(command: str) -> list[dict[str, Any]]:
    """Returns the options of a command. Each is a dictionary of `name`, `help` (with the default),
    `kind` (`flag`, `optional`, `whole`, `number`, `path`, `text` or `number or text`), `choices`,
    `is_list`, `is_positional` and `is_required`.
    """
    ...
def command_names() -> list[tuple[str, str]]:
    """Returns the names of all commands, each with its description."""
    ...
def named_datasets() -> list[tuple[str, str, str]]:
    """Returns the data sets with a name: the name, the file, and the checksums of the tables."""
    ...
def study_text(study: Mapping[str, Any]) -> str:
    """Converts a dictionary to the TOML text of a study's file."""
    ...

def run_command_line(words: Sequence[str]) -> int:
    """Runs a command line and returns the exit code. The first of `words` is the program's name."""
    ...
def record_command(words: Sequence[str]) -> None:
    """Sets the command that manifests of this process's runs record."""
    ...
def check_path(text: str) -> None:
    """Raises a `SettingError` if `text` is an address such as `s3://bucket/run` instead of a path."""
    ...

# Boards

@final
class Board:
    """A board of classic games: its settled cells.

    A board has 4 to 16 columns and 4 to 28 rows. Arrays and tables count rows from the floor and
    columns from the left, both from 0.

    Parameters
    ----------
    picture : str
        Board as text, top row first. `.` is an empty cell and `#` a filled one; `/` or a line break
        ends a row.

    Raises
    ------
    SettingError
        If `picture` does not show a board.

    Examples
    --------
    >>> from tetrastat import Board
    >>> board = Board("..../..../#.../##.#")
    >>> board.width, board.height, board.heights.tolist()
    (4, 4, [2, 1, 0, 1])
    >>> board.place("O", 0, 1).board
    Board("..../.##./###./##.#")
    """
    def __new__(cls, picture: str) -> Board: ...
    @staticmethod
    def empty(size: str = "10x20") -> Board:
        """Returns an empty board.

        Parameters
        ----------
        size : str
            Columns and rows, such as `"10x20"`.

        Returns
        -------
        Board
        """
        ...
    @staticmethod
    def from_rows(rows: Sequence[int], size: str = "10x20") -> Board:
        """Returns the board with these bit-packed rows.

        Parameters
        ----------
        rows : sequence of int
            Rows from the floor up. Bit 0 of a row is the leftmost column; a set bit is a filled
            cell. Missing rows are empty.
        size : str
            Columns and rows, such as `"10x20"`.

        Returns
        -------
        Board

        Raises
        ------
        SettingError
            If `rows` do not fit a board of this size.

        Examples
        --------
        >>> from tetrastat import Board
        >>> Board.from_rows([0b1011, 0b0001], "4x4")
        Board("..../..../#.../##.#")
        """
        ...
    @staticmethod
    def from_array(cells: ArrayLike, row_order: str = "floor") -> Board:
        """Returns the board with these cells.

        Parameters
        ----------
        cells : array_like of bool, int or float, shape (height, width)
            False or 0 for an empty cell, True or any other whole number for a filled one.
        row_order : {"floor", "top"}
            First row of `cells`: the floor, as in every array of this package, or the top row, as
            in a picture.

        Returns
        -------
        Board

        Raises
        ------
        SettingError
            If `cells` is not one board, or if its floor is empty below a filled top row: such a
            stack is upside down.

        Examples
        --------
        >>> from tetrastat import Board
        >>> image = [[0, 0, 0, 0], [0, 0, 0, 0], [255, 0, 0, 0], [255, 255, 0, 255]]
        >>> Board.from_array(image, row_order="top")
        Board("..../..../#.../##.#")
        """
        ...
    @staticmethod
    def from_text(text: str, size: str | None = None) -> Board:
        r"""Returns the board of a picture from elsewhere, with one row a line and the top row first.

        Empty cells are `.`, `_`, `0` or spaces. Filled cells are `#`, `X`, `x`, `1`, `G` or the
        letter of a piece. If the picture has `.`, `_` or `0`, spaces around its lines are a margin.
        Otherwise spaces are cells, and a line may lack those at its end.

        Parameters
        ----------
        text : str
            The picture. Blank lines before and after it are ignored.
        size : str, optional
            Columns and rows, such as `"10x20"`. Rows above the picture are empty. Default: the
            size of the picture.

        Returns
        -------
        Board

        Raises
        ------
        SettingError
            If `text` is not a picture, or not one of this size.

        Examples
        --------
        >>> from tetrastat import Board
        >>> Board.from_text("X___\nXX_X", size="4x5")
        Board("..../..../..../#.../##.#")
        """
        ...
    @staticmethod
    def from_fumen(text: str, page: int = 0, size: str = "10x20") -> Board:
        """Returns the board of one page of a fumen, before the page's piece is placed.

        Parameters
        ----------
        text : str
            Fumen of version 115 (`v115@...`), or an address that contains one.
        page : int
            Number of the page, counted from 0. A negative number counts from the last page.
        size : str
            Size of the board: ten columns and any number of rows.

        Returns
        -------
        Board

        Raises
        ------
        SettingError
            If `text` has no fumen or a damaged one, if there is no such page, or if its stack is
            higher than a board of this size.

        Examples
        --------
        >>> from tetrastat import Board
        >>> board = Board("........../........../#........./##.#######")
        >>> Board.from_fumen(board.to_fumen(), size="10x4") == board
        True
        """
        ...
    @staticmethod
    def from_hex(text: str, size: str = "10x20") -> Board:
        """Returns the board that a table stores as text in its column `board`.

        Parameters
        ----------
        text : str
            Rows in hexadecimal from the floor up, separated by `:`, such as `"3fe:001"`.
        size : str
            Columns and rows, such as `"10x20"`.

        Returns
        -------
        Board

        Raises
        ------
        SettingError
            If `text` is not a board of this size.
        """
        ...
    def to_hex(self) -> str:
        """Returns the board as tables store it in their column `board`: rows in hexadecimal, floor
        first.

        Returns
        -------
        str
        """
        ...
    def to_fumen(self) -> str:
        """Returns the board as a fumen of version 115 with one page.

        Returns
        -------
        str

        Raises
        ------
        SettingError
            If the board does not have ten columns, or has cells above row 23.
        """
        ...
    @property
    def width(self) -> int:
        """Number of columns, 4 to 16."""
        ...
    @property
    def height(self) -> int:
        """Number of rows in play, 4 to 28."""
        ...
    @property
    def size(self) -> str:
        """Columns and rows as text, such as `10x20`."""
        ...
    @property
    def heights(self) -> npt.NDArray[np.uint8]:
        """Height of each column in rows: ndarray of uint8, shape (width,)."""
        ...
    @property
    def rows(self) -> npt.NDArray[np.uint16]:
        """Bit-packed rows, floor first: ndarray of uint16, shape (32,). Bit 0 of a row is the leftmost
        column. Rows above the board's height hold the cells that overflow.
        """
        ...
    def cells(self) -> npt.NDArray[np.bool_]:
        """Returns the cells of the rows in play.

        Returns
        -------
        ndarray of bool, shape (height, width)
            True for a filled cell. Row 0 is the floor.
        """
        ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]: ...
    def is_filled(self, column: int, row: int) -> bool:
        """Returns True if a cell is filled.

        Parameters
        ----------
        column, row : int
            Position of the cell, counted from the left and from the floor.

        Returns
        -------
        bool

        Raises
        ------
        SettingError
            If the board has no such cell.
        """
        ...
    def with_cell(self, column: int, row: int) -> Board:
        """Returns a copy of the board in which one more cell is filled.

        Parameters
        ----------
        column, row : int
            Position of the cell, counted from the left and from the floor.

        Returns
        -------
        Board

        Raises
        ------
        SettingError
            If the board has no such cell.
        """
        ...
    def place(
        self,
        piece: str,
        orientation: int,
        column: int,
        rules: str = "simplified",
        *,
        clear_on_overflow: bool = False,
        reach_anywhere: bool = False,
    ) -> Placed:
        """Drops a piece, removes full rows and returns the result.

        Parameters
        ----------
        piece : str
            Letter of the piece: I, O, T, S, Z, J or L.
        orientation : int
            Number of the orientation, as in tables.
        column : int
            Column of the piece's leftmost cell.
        rules : {"simplified", "standard"}
            Rules of classic games.
        clear_on_overflow, reach_anywhere : bool
            Variants of the rules, as the options of `simulate`.

        Returns
        -------
        Placed
            Attributes `board`, `row`, `lines` and `lost`.

        Raises
        ------
        SettingError
            If the piece cannot come to rest there. `placements` lists the valid placements.
        """
        ...
    def features(self, names: Sequence[str] | None = None) -> dict[str, float]:
        """Returns the features of the board alone, in whole units.

        Parameters
        ----------
        names : sequence of str, optional
            Features to measure. Default: all features of boards of this size.

        Returns
        -------
        dict of str to float
            Value of each feature by its name.

        Raises
        ------
        SettingError
            If a name is unknown, or if its feature needs a placement.

        Examples
        --------
        >>> from tetrastat import Board
        >>> Board("..../#.../#.#./#.##").features(["holes", "aggregate_height"])
        {'holes': 0.0, 'aggregate_height': 6.0}
        """
        ...
    def _repr_svg_(self) -> str:
        """Returns a picture of the board."""
        ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Placed:
    """Result of a placement, as `Board.place` returns it."""
    def __new__(
        cls, board: Board, row: int, lines: int, lost: bool, before: Board, piece: str, placement: tuple[int, int]
    ) -> Placed: ...
    def __getnewargs__(self) -> tuple[Board, int, int, bool, Board, str, tuple[int, int]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    @property
    def board(self) -> Board:
        """Board after the placement, without its full rows."""
        ...
    @property
    def row(self) -> int:
        """Row of the piece's lowest cell where the piece came to rest, counted from the floor."""
        ...
    @property
    def lines(self) -> int:
        """Number of rows removed, 0 to 4."""
        ...
    @property
    def lost(self) -> bool:
        """True if the placement ends the game."""
        ...
    def _repr_svg_(self) -> str:
        """Returns a picture of the placement before full rows are removed."""
        ...

def find_afterstates(
    boards: Any,
    pieces: Any,
    size: str | None,
    rules: str,
    clear_on_overflow: bool,
    reach_anywhere: bool,
    movement: str,
    features: Sequence[str] | None,
    measured: str,
    threads: int | None,
) -> tuple[Any, Any, Any, Any, Any, str]:
    """Finds all placements of each board's piece, and their results."""
    ...
def find_features(
    boards: Any,
    pieces: Any,
    placements: npt.NDArray[np.int64] | None,
    size: str | None,
    rules: str,
    clear_on_overflow: bool,
    reach_anywhere: bool,
    movement: str,
    names: Sequence[str] | None,
    measured: str,
    threads: int | None,
) -> npt.NDArray[np.float64]:
    """Measures features of boards, or of one placement on each board."""
    ...
def find_feature_names(size: str, rules: str, of_boards: bool) -> list[str]:
    """Returns the names of all features of placements, or of boards without placements."""
    ...

# Environments

GUIDELINE_KEYS: str

@final
class Games:
    """Games of one kind that are stepped together. `placing`, `keys` and `stacking` create them.

    The flat arrays in `arrays` hold the observations, which every step overwrites. The arrays in
    `last` hold the last observations of games that ended in a step that also started their next
    game.
    """
    @staticmethod
    def placing(shared: dict[str, object], classic: dict[str, object], rules: str) -> Games:
        """Creates classic games that are played by placements."""
        ...
    @staticmethod
    def keys(shared: dict[str, object], classic: dict[str, object], notebook: bool) -> Games:
        """Creates classic games that are played by key presses."""
        ...
    @staticmethod
    def stacking(shared: dict[str, object], guideline: dict[str, object]) -> Games:
        """Creates guideline games."""
        ...
    @property
    def shape(self) -> dict[str, int]:
        """Sizes of a game's observations and actions: dict of str to int."""
        ...
    @property
    def threads(self) -> int:
        """Number of threads that share the games."""
        ...
    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """Flat arrays: the observations, `reward`, and `flags` (terminated, truncated, illegal action,
        new game).
        """
        ...
    @property
    def last(self) -> dict[str, NDArray[Any]]:
        """Flat arrays of the last observations of games that ended in a step that also started their
        next game.
        """
        ...
    def step(self, actions: NDArray[np.int64]) -> None:
        """Steps every game by its action: ndarray of int64, shape (num_envs,)."""
        ...
    def begin(
        self, starts: Sequence[tuple[int | None, int | None] | None], board: Board | str | None
    ) -> None:
        """Starts games. `starts` has an entry for each game: `(seed, game)`, where `None` for either
        keeps the seed or takes the next game, or `None` to leave that game running. A start board,
        a `Board` or a picture, applies to all games that start.
        """
        ...
    def clone(self) -> Games:
        """Returns a copy, whose games continue independently and have arrays of their own."""
        ...
    def get_state(self, games: Sequence[int]) -> bytes:
        """Returns the state of the games with the numbers `games` as bytes."""
        ...
    def set_state(self, state: bytes, games: Sequence[int]) -> None:
        """Replaces the games with the numbers `games` by those of a state: each by its own, or all by
        a single one.
        """
        ...
    def picture(self, index: int) -> str:
        """Returns a picture of a game as text."""
        ...

@final
class SingleGame:
    """One game. `placing`, `keys` and `stacking` create it."""
    @staticmethod
    def placing(shared: dict[str, object], classic: dict[str, object], rules: str) -> SingleGame:
        """Creates a classic game that is played by placements."""
        ...
    @staticmethod
    def keys(shared: dict[str, object], classic: dict[str, object], notebook: bool) -> SingleGame:
        """Creates a classic game that is played by key presses."""
        ...
    @staticmethod
    def stacking(shared: dict[str, object], guideline: dict[str, object]) -> SingleGame:
        """Creates a guideline game."""
        ...
    @property
    def shape(self) -> dict[str, int]:
        """Sizes of the game's observations and actions: dict of str to int."""
        ...
    def clone(self, seed: int | None = None) -> SingleGame:
        """Returns a copy of the game, which continues independently. With a `seed`, the pieces
        that are not visible yet are chosen again at random.
        """
        ...
    def get_state(self) -> bytes:
        """Returns the state of the game as bytes."""
        ...
    def set_state(self, state: bytes) -> tuple[Any, dict[str, Any]]:
        """Restores a state. Returns the observation and the info."""
        ...
    def begin(
        self, start: tuple[int | None, int | None], board: Board | str | None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a game: `(seed, game)`, where `None` for either keeps the seed or takes the next
        game. Returns the observation and the info.
        """
        ...
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Performs an action. Returns the observation, the reward, two flags (terminated, truncated)
        and the info.
        """
        ...
    def picture(self) -> str:
        """Returns a picture of the game as text."""
        ...
    def mask(self) -> NDArray[np.bool_]:
        """Returns the action mask: ndarray of bool, shape (actions,)."""
        ...
    def cells(self) -> NDArray[np.uint8]:
        """Returns the planes: ndarray of uint8, shape (planes, height, width)."""
        ...
    def afterstates(self) -> NDArray[np.float32]:
        """Returns the features of every action's placement and of the board it leads to: ndarray of
        float32, shape (actions, features).
        """
        ...
    def placements(self) -> NDArray[np.int64]:
        """Returns every action's placement: ndarray of int64, shape (actions, 6). The values are
        piece, held, orientation or state, leftmost column, lowest row, spin. All six are -1 if the
        action is illegal.
        """
        ...

# Evaluators, optimisers, training, cluster

@final
class Evaluator:
    """Plays the games of candidates on all cores, as a training does, for any optimiser.

    A candidate is a vector of weights, one for each feature; only its direction matters. All
    candidates play the games of one seed (common random numbers), so that their scores differ by
    play and not by the pieces dealt. An evaluator can be pickled; the pickle holds its settings.

    Parameters
    ----------
    **settings
        Options of ``tetrastat train`` with ``_`` for ``-``: ``features`` (names, or the controller
        that has them), ``board="10x20"``, ``rules``, ``queue``, ``search``, ``max_pieces``,
        ``objective="lines"`` (or ``mean-COLUMN``, ``median-COLUMN``, ``sprint``), ``minimise``,
        ``lost``, ``games=10`` per candidate, ``seed=1``, ``threads`` (default: all cores), or a
        ``preset``. Options of the optimiser have no effect.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If the settings describe no games.

    Examples
    --------
    >>> import tetrastat
    >>> evaluator = tetrastat.Evaluator(features="bcts", board="10x10", games=3, max_pieces=100)
    >>> candidates = [[-1.0] * len(evaluator.features), [1.0] * len(evaluator.features)]
    >>> evaluator.evaluate(candidates).shape
    (2, 3)
    """
    def __new__(cls, **settings: Unpack[TrainSettings]) -> Evaluator: ...
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]: ...
    def evaluate(self, weights: ArrayLike, generation: int = 0) -> NDArray[np.float64]:
        """Plays every candidate's games.

        Parameters
        ----------
        weights : array_like of float64, shape (n, k)
            Candidates, one per row, each with k numbers: a weight for each of the ``features`` and,
            with ``windows``, the entries of all tables in their order.
        generation : int
            Generation of a training whose games to play. Each generation has its own games.

        Returns
        -------
        ndarray of float64, shape (n, games)
            Value of each game by the objective, in its unit: lines, pieces, points, ...

        Raises
        ------
        SettingError
            If `weights` does not have k columns, or a weight is not finite.
        """
        ...
    def scores(self, weights: ArrayLike, generation: int = 0) -> NDArray[np.float64]:
        """Plays every candidate's games and scores the candidates as a training does.

        Parameters
        ----------
        weights : array_like of float64, shape (n, k)
            Candidates, one per row, as for `evaluate`.
        generation : int
            Generation of a training whose games to play, as for `evaluate`.

        Returns
        -------
        ndarray of float64, shape (n,)
            Score of each candidate. A larger score is better, even if the objective is minimised.

        Raises
        ------
        SettingError
            If `weights` does not have k columns, or a weight is not finite.
        """
        ...
    def play(self, weights: ArrayLike, seed: int, games: int, first: int, last: int) -> NDArray[np.float64]:
        """Plays a range of the pairs of a candidate and a game.

        The result of a pair does not depend on the other pairs, so that ranges can be played apart.

        Parameters
        ----------
        weights : array_like of float64, shape (n, k)
            Candidates, one per row, as for `evaluate`.
        seed : int
            Seed of the games, from 0 to 2**64 - 1.
        games : int
            Number of games of each candidate.
        first, last : int
            Range of pairs: ``first`` is included, ``last`` is not. Pairs are numbered from 0,
            candidate by candidate: pair ``i`` is game ``i % games`` of candidate ``i // games``.

        Returns
        -------
        ndarray of float64, shape (last - first, 4)
            For each pair: the game's value by the objective, its lines, its pieces, and 1 if it was
            cut off, else 0.

        Raises
        ------
        SettingError
            If `weights` or the range is invalid, or if the objective is ``estimate``, which cannot
            be played in parts.
        """
        ...
    @property
    def features(self) -> list[str]:
        """Names of the weighted features, in the order of the weights: list of str."""
        ...
    @property
    def games(self) -> int:
        """Number of games of each candidate."""
        ...
    @property
    def seed(self) -> int:
        """Seed of the training whose games the candidates play."""
        ...
    @property
    def objective(self) -> str:
        """Objective by which candidates are scored, such as ``lines``."""
        ...
    @property
    def minimise(self) -> bool:
        """True if a smaller value of the objective is better."""
        ...
    @property
    def threads(self) -> int:
        """Number of threads that play."""
        ...

@final
class Optimiser:
    """Optimiser with an ask-and-tell interface that searches for the weights with the largest score.

    The methods are those of ``tetrastat train``: noisy cross-entropy, a genetic algorithm,
    separable natural evolution strategies, and CMA-ES. The candidates depend only on the settings,
    the seed and the scores.

    Parameters
    ----------
    method : {"cem", "ga", "snes", "cmaes"}
        Optimiser to use.
    dimension : int
        Number of weights, k.
    start : array_like of float64, shape (k,), optional
        Starting point. Default: the one that the settings describe.
    **settings
        Options of the optimiser as for ``tetrastat train``, with ``_`` for ``-``: ``seed=1``,
        ``population``, ``elite``, ``sd``, ``noise``, ``bounds="-1,1"``, ...

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.

    Examples
    --------
    The optimiser finds the maximum of a function, here at (1, -2, 0.5).

    >>> import tetrastat
    >>> search = tetrastat.Optimiser("cmaes", 3, population=40, seed=1)
    >>> for _ in range(30):
    ...     candidates = search.ask()
    ...     search.tell(-((candidates - [1, -2, 0.5]) ** 2).sum(axis=1))
    >>> candidates.shape, search.generation, search.mean.round(1).tolist()
    ((40, 3), 30, [1.0, -2.0, 0.5])
    """
    def __new__(cls, method: str, dimension: int, *, start: ArrayLike | None = None, **settings: Unpack[OptimiserSettings]) -> Optimiser: ...
    def ask(self) -> NDArray[np.float64]:
        """Returns the candidates to score.

        Returns
        -------
        ndarray of float64, shape (n, k)
            Candidates, one per row. The array does not change until the next `tell`.
        """
        ...
    def tell(self, scores: ArrayLike) -> None:
        """Takes the candidates' scores and draws the next generation.

        Parameters
        ----------
        scores : array_like of float64, shape (n,)
            Score of each candidate, in the order of `ask`. A larger score is better.

        Raises
        ------
        SettingError
            If there is not one score for each candidate.
        """
        ...
    def tell_elite(self, scores: ArrayLike, elite: ArrayLike, shares: ArrayLike) -> None:
        """Takes the candidates' scores, but learns from an elite of other vectors (robust elite
        selection).

        Only the method ``cem`` has an elite.

        Parameters
        ----------
        scores : array_like of float64, shape (n,)
            Score of each candidate, as for `tell`.
        elite : array_like of float64, shape (m, k)
            Vectors to learn from.
        shares : array_like of float64, shape (m,)
            Weight of each vector in the elite, above 0.

        Raises
        ------
        SettingError
            If the method is not ``cem``, or if the shapes do not match.
        """
        ...
    @property
    def method(self) -> str:
        """Name of the method."""
        ...
    @property
    def generation(self) -> int:
        """Number of generations whose scores `tell` has received."""
        ...
    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean of the distribution of the candidates: ndarray of float64, shape (k,)."""
        ...
    @property
    def sd(self) -> NDArray[np.float64]:
        """Standard deviation of each weight of the candidates: ndarray of float64, shape (k,)."""
        ...
    @property
    def best(self) -> tuple[NDArray[np.float64], float, int] | None:
        """Weights, score and generation of the best candidate so far; None before the first scores.
        The score is biased upwards, because it is the largest of many noisy scores. Score the
        candidate again on other games.
        """
        ...
    @property
    def stop(self) -> str | None:
        """Reason to stop, or None while there is no reason."""
        ...
    def to_json(self) -> str:
        """Returns the state as JSON text. `from_json` restores it, and the restored optimiser
        continues with bit-identical candidates.
        """
        ...
    @staticmethod
    def from_json(text: str) -> Optimiser:
        """Returns the optimiser whose state `to_json` wrote.

        Raises
        ------
        ValueError
            If `text` is not such a state.
        """
        ...

@final
class Training:
    """Training in a folder, whose games any process or machine may play.

    `ask` returns candidates to play, `tell` takes the results, and `play` plays all remaining games
    in this process. Tables and a checkpoint are kept in the folder, which has the same bytes as a
    folder of ``tetrastat train``, wherever the games are played.

    Parameters
    ----------
    **settings
        Options of ``tetrastat train`` with ``_`` for ``-``, as for `train`.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If the folder holds another training or cannot be written.

    Examples
    --------
    >>> from tetrastat import Evaluator, Training
    >>> training = Training(preset="rvce", out="mine")                # doctest: +SKIP
    >>> evaluator = Evaluator(**training.settings)                    # doctest: +SKIP
    >>> while (batch := training.ask()) is not None:                  # doctest: +SKIP
    ...     weights, seed, games = batch
    ...     training.tell(evaluator.play(weights, seed, games, 0, len(weights) * games))
    >>> training.finish()["winner"]                                   # doctest: +SKIP
    """
    def __new__(cls, *, method: str | None = None, **settings: Unpack[TrainSettings]) -> Training: ...
    def ask(self) -> tuple[NDArray[np.float64], int, int] | None:
        """Returns the games to play next: those of a generation, a check of the mean, or the finals.

        Returns
        -------
        tuple or None
            Weights of the candidates (ndarray of float64, shape (n, k)), seed of the games, and
            number of games of each candidate. None if all games have been played.

        Raises
        ------
        ValueError
            If the objective is ``estimate``, or with racing: only `play` supports these.
        """
        ...
    def tell(self, results: ArrayLike) -> None:
        """Takes the results of the games that `ask` returned, and writes the completed generation.

        Parameters
        ----------
        results : array_like of float64, shape (n * games, 4)
            Results of all pairs as `Evaluator.play` returns them, in their order.

        Raises
        ------
        SettingError
            If there is not one result of 4 values for each pair.
        ValueError
            If the training is over.
        """
        ...
    def play(self, progress: Callable[[float | None, str], None] | None = None) -> None:
        """Plays all remaining games on the threads of this machine.

        Parameters
        ----------
        progress : callable, optional
            Function that is called about ten times a second with the share of the work done (0 to
            1, or None) and a text.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. Completed generations are kept.
        """
        ...
    def finish(self) -> dict[str, Any]:
        """Ends the training. If games remain, the best result so far is kept and the training can
        resume.

        Returns
        -------
        dict
            Content of ``train.json``, which this method writes next to ``controller.toml``.
        """
        ...
    @property
    def folder(self) -> PathLike[str]:
        """Folder of the training."""
        ...
    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the games, from the arguments, the preset and the configuration:
        `Evaluator(**training.settings)` plays the same games.
        """
        ...
    @property
    def generation(self) -> int | None:
        """Number of generations completed; None if the training is over."""
        ...
    @property
    def generations(self) -> int | None:
        """Maximum number of generations; None if the training is over."""
        ...
    @property
    def text(self) -> str:
        """Progress as text, such as `generation 3/50 · best 120.5 mean 80.1`."""
        ...

@final
class _Estimate:
    """Estimate in a folder that receives its replications in order."""
    def __new__(cls, **settings: Any) -> _Estimate: ...
    @property
    def levels(self) -> str:
        """Levels at which paths split, as JSON."""
        ...
    @property
    def next(self) -> int:
        """Number of the next replication that `tell` accepts."""
        ...
    @property
    def is_enough(self) -> bool:
        """True if the stop rule is met."""
        ...
    def tell(self, replication: str) -> None:
        """Adds the next replication, a text that `replicate` returned."""
        ...
    def finish(self) -> dict[str, Any]:
        """Writes the tables and `estimate.json`, and returns the content of `estimate.json` as a dict."""
        ...

def merge_written_parts(shards: list[str], out: str) -> None:
    """Joins the shards in the folders `shards` into the new run `out`, whose Parquet tables are parts
    that the players of the shards have written elsewhere.
    """
    ...
def part_name(number: int, count: int) -> str:
    """Returns the name of part `number` (from 1) of a table in `count` parts."""
    ...
def replicate(settings: dict[str, Any], levels: str, index: int) -> str:
    """Plays replication `index` of an estimate with these settings and levels, and returns it as JSON."""
    ...
