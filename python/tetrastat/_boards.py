"""Placements, afterstates and features of many boards in one call, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, final

import numpy as np
import numpy.typing as npt

from . import _tetrastat as native
from ._tetrastat import Board, SettingError

#: Boards: one board, a sequence of boards, cells (bool or whole numbers of shape (height, width) or (n, height, width)),
#: or bit-packed rows (uint16 of shape (rows,) or (n, rows)).
Boards = Board | Sequence[Board] | npt.NDArray[np.bool_ | np.integer | np.floating]
#: Pieces: letters of I O T S Z J L in one text or a sequence, or numbers 0 to 6 in that order. A single piece is for all
#: boards.
Pieces = str | int | Sequence[str] | Sequence[int] | npt.NDArray[np.integer]


class _Columns(NamedTuple):
    board: npt.NDArray[np.int64]
    orientation: npt.NDArray[np.uint8]
    column: npt.NDArray[np.uint8]
    row: npt.NDArray[np.uint8]
    spin: npt.NDArray[np.uint8]
    lines: npt.NDArray[np.uint8]
    lost: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.uint16]
    features: npt.NDArray[np.float64] | None


@final
class Afterstates(_Columns):
    """Result of `afterstates`: m placements on boards, in the engine's order, and the boards that follow.

    The object is a tuple of arrays with one row for each placement. The size of the boards is one more attribute.

    Attributes
    ----------
    board : ndarray of int64, shape (m,)
        Index of the board on which the piece is placed.
    orientation : ndarray of uint8, shape (m,)
        Number of the orientation, as in tables. In guideline games 0 to 3 for the rotation states 0, R, 2 and L.
    column : ndarray of uint8, shape (m,)
        Column of the piece's leftmost cell.
    row : ndarray of uint8, shape (m,)
        Row of the piece's lowest cell.
    spin : ndarray of uint8, shape (m,)
        T-spin: 0 none, 1 mini, 2 full. Always 0 in classic games.
    lines : ndarray of uint8, shape (m,)
        Number of rows removed.
    lost : ndarray of bool, shape (m,)
        True if the placement ends the game.
    rows : ndarray of uint16, shape (m, 32)
        Bit-packed rows of the board after the placement, floor first. Bit 0 is the leftmost column. `cells` unpacks
        them.
    features : ndarray of float64, shape (m, k), or None
        Features in whole units, or None if no features were requested.
    size : str
        Columns and rows of the boards, such as ``"10x20"``.
    """

    size: str


#: Number of rows above the playing field that a placement can reach.
_OVERFLOW = 4


def cells(rows: Afterstates | Board | npt.NDArray[np.uint16], size: str | None = None) -> npt.NDArray[np.bool_]:
    """Unpacks bit-packed rows into a boolean array.

    Parameters
    ----------
    rows : Afterstates, Board, or ndarray of uint16 with shape (..., 32)
        Result of `afterstates`, a board, or an array such as `Afterstates.rows`.
    size : str, optional
        Columns and rows of the boards, such as ``"10x20"``. Required for an array, which does not store its size.

    Returns
    -------
    ndarray of bool, shape (..., height, width)
        True for a filled cell. Row 0 is the floor.

    Raises
    ------
    SettingError
        If ``size`` is missing, or if the rows do not fit boards of that size.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.afterstates(tetrastat.Board("..../..../#.../##.#"), "O")
    >>> tetrastat.cells(found).shape
    (3, 4, 4)
    """
    if isinstance(rows, (Afterstates, Board)):
        if size not in (None, rows.size):
            raise SettingError(f"size {size}: these boards are {rows.size}")
        size, rows = rows.size, rows.rows
    if size is None:
        raise SettingError('size: an array of rows does not have it: give the size of its boards, such as "10x20"')
    empty = Board.empty(size)
    width, height = empty.width, empty.height
    bits = np.asarray(rows)
    if bits.dtype != np.uint16 or bits.ndim == 0 or bits.shape[-1] < height:
        shape = f"{bits.dtype} {list(bits.shape)}"
        raise SettingError(f"rows of {shape}: give uint16, for boards of {size} {height} rows or more each")
    if (bits >> width).any() or bits[..., height + _OVERFLOW :].any():
        raise SettingError(f"rows: some have cells outside of a board of {size}: give the size of their boards")
    return ((bits[..., :height, None] >> np.arange(width, dtype=np.uint16)) & 1).astype(bool)


def afterstates(
    boards: Boards,
    pieces: Pieces,
    *,
    rules: str = "simplified",
    features: Iterable[str] | None = None,
    measured: Literal["after-clear", "before-clear"] = "after-clear",
    size: str | None = None,
    clear_on_overflow: bool = False,
    reach_anywhere: bool = False,
    movement: Literal["full", "hard-drop"] = "full",
    threads: int | None = None,
) -> Afterstates:
    """Finds every placement of each board's piece, and the board that follows it.

    Parameters
    ----------
    boards : Board, sequence of Board, or ndarray
        Boards of one size, n of them. An array holds cells, of shape (height, width) or (n, height, width), or
        bit-packed rows, uint16 of shape (rows,) or (n, rows). A cell is filled if it is True or not 0. Row 0 is the floor.
    pieces : str, int, sequence or ndarray
        One piece for each board or one for all: letters of ``IOTSZJL``, or numbers 0 to 6 in that order.
    rules : str
        ``"simplified"`` or ``"standard"`` for classic games. ``"guideline"``, ``"capstone"`` or the path of a TOML
        file for guideline games: these need boards of ten columns and include placements by kicks and spins.
    features : iterable of str, optional
        Features to measure for each placement; in guideline games, terms. Default: none.
    measured : {"after-clear", "before-clear"}
        Board on which features are measured: after or before full rows are removed.
    size : str, optional
        Columns and rows of the boards, such as ``"10x20"``. Required for bit-packed rows.
    clear_on_overflow, reach_anywhere : bool
        Variants of the rules of classic games, as the options of `simulate`.
    movement : {"full", "hard-drop"}
        Movement in guideline games.
    threads : int, optional
        Number of worker threads. Default: all cores. The result does not depend on it.

    Returns
    -------
    Afterstates
        Arrays with one row for each placement.

    Raises
    ------
    SettingError
        If an argument has an invalid value. The message names the valid ones.
    KeyboardInterrupt
        After Ctrl-C.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.afterstates(tetrastat.Board("..../..../#.../##.#"), "O", features=["holes"])
    >>> found.column.tolist(), found.row.tolist(), found.features[:, 0].tolist()
    ([0, 1, 2], [2, 1, 1], [1.0, 1.0, 1.0])
    """
    query: dict[str, object] = {
        "size": size,
        "rules": rules,
        "clear_on_overflow": clear_on_overflow,
        "reach_anywhere": reach_anywhere,
        "movement": movement,
        "features": _names(features),
        "measured": measured,
    }
    found = native.find_afterstates(boards, pieces, None, False, threads, query)
    board, (orientation, column, row, spin, lines), lost, rows, values, of_size = found
    made = Afterstates(board, orientation, column, row, spin, lines, lost, rows, values)
    made.size = of_size
    return made


def _names(given: Iterable[str] | None) -> list[str] | None:
    """Returns a list of feature names. A text may hold several names, separated by commas."""
    if given is None:
        return None
    return [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)


def placements(
    board: Board | npt.ArrayLike,
    piece: str | int,
    *,
    rules: str = "simplified",
    clear_on_overflow: bool = False,
    reach_anywhere: bool = False,
    movement: Literal["full", "hard-drop"] = "full",
) -> npt.NDArray[np.int64]:
    """Returns every placement in which a piece can come to rest on a board.

    Parameters
    ----------
    board : Board or array_like, shape (height, width)
        Board on which the piece is placed, or its cells from the floor up.
    piece : str or int
        Letter of ``IOTSZJL``, or its number, 0 to 6.
    rules, clear_on_overflow, reach_anywhere, movement
        Rules of the game, as for `afterstates`.

    Returns
    -------
    ndarray of int64, shape (n, 3)
        Orientation, column of the leftmost cell, and row of the lowest cell. In guideline games, a landing that is
        possible with and without a spin has a row for each. The array is empty if the piece cannot enter.

    Raises
    ------
    SettingError
        If an argument has an invalid value.

    Examples
    --------
    >>> import tetrastat
    >>> tetrastat.placements(tetrastat.Board("..../..../#.../##.#"), "O").tolist()
    [[0, 0, 2], [0, 1, 1], [0, 2, 1]]
    """
    found = afterstates(
        board if isinstance(board, Board) else Board.from_array(board),
        piece,
        rules=rules,
        clear_on_overflow=clear_on_overflow,
        reach_anywhere=reach_anywhere,
        movement=movement,
    )
    return np.column_stack([found.orientation, found.column, found.row]).astype(np.int64)


def features(
    boards: Boards,
    pieces: Pieces | None = None,
    placements: npt.ArrayLike | None = None,
    *,
    names: Iterable[str] | None = None,
    rules: str = "simplified",
    measured: Literal["after-clear", "before-clear"] = "after-clear",
    size: str | None = None,
    clear_on_overflow: bool = False,
    reach_anywhere: bool = False,
    movement: Literal["full", "hard-drop"] = "full",
    threads: int | None = None,
) -> npt.NDArray[np.float64]:
    """Measures the features of boards, or of one placement on each board.

    Parameters
    ----------
    boards : Board, sequence of Board, or ndarray
        Boards of one size, n of them, as for `afterstates`.
    pieces : str, int, sequence or ndarray, optional
        One piece for each board or one for all, as for `afterstates`. Give it together with ``placements``.
    placements : array_like of int64, shape (n, 2) or (n, 3), optional
        Orientation, column of the leftmost cell and, optionally, row of the lowest cell of one placement on each
        board. Default: the features of the boards without any placement.
    names : iterable of str, optional
        Features to measure; in guideline games, terms. Default: all, in the order of `feature_names`.
    rules, measured, size, clear_on_overflow, reach_anywhere, movement, threads
        Rules of the game and further options, as for `afterstates`.

    Returns
    -------
    ndarray of float64, shape (n, k)
        One row for each board and one column for each feature, in whole units.

    Raises
    ------
    SettingError
        If an argument has an invalid value, or if a piece cannot come to rest at its placement.
    TypeError
        If only one of ``pieces`` and ``placements`` is given.

    Examples
    --------
    >>> import tetrastat
    >>> board = tetrastat.Board("..../..../#.../##.#")
    >>> tetrastat.features(board, names=["holes", "landing_height"], pieces="O", placements=[[0, 1]]).tolist()
    [[1.0, 1.5]]
    """
    if (pieces is None) != (placements is None):
        raise TypeError("features: give pieces and placements, or neither")
    places = None if placements is None else np.atleast_2d(np.require(placements, np.int64, "A"))
    query: dict[str, object] = {
        "size": size,
        "rules": rules,
        "clear_on_overflow": clear_on_overflow,
        "reach_anywhere": reach_anywhere,
        "movement": movement,
        "features": _names(names),
        "measured": measured,
    }
    values: npt.NDArray[np.float64] = native.find_afterstates(boards, pieces, places, True, threads, query)[4]
    return values


def feature_names(size: str = "10x20", *, rules: str = "simplified", of_boards: bool = False) -> list[str]:
    """Returns the names of all features, or of all terms of guideline games.

    Parameters
    ----------
    size : str
        Columns and rows of the boards, such as ``"10x20"``.
    rules : str
        Rules of the game, as for `afterstates`.
    of_boards : bool
        True for features that need no placement, False for all features of placements.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import tetrastat
    >>> "holes" in tetrastat.feature_names("10x20", of_boards=True)
    True
    """
    return native.find_feature_names(size, rules, of_boards)
