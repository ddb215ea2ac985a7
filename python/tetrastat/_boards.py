"""Placements, afterstates and features of many boards in one call, as NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, final

import numpy as np
import numpy.typing as npt

from . import _tetrastat as native
from ._tetrastat import Board, SettingError

#: One board, several, cells (bool or uint8, [height, width] or [n, height, width]), or rows (uint16, [rows] or [n, rows]).
Boards = Board | Sequence[Board] | npt.NDArray[np.bool_] | npt.NDArray[np.uint8] | npt.NDArray[np.uint16]
#: Letters of I O T S Z J L in one text or a sequence, or numbers 0 to 6 in that order; one is for all boards.
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
    """Placements of m pieces on boards, in the engine's order, and what they lead to; all arrays have m rows.

    A tuple of the arrays, with the boards' size as one more attribute.

    Attributes
    ----------
    board : int64, which of the boards it is placed on
    orientation : uint8, as tables have it; in guideline games the state, 0 R 2 L as 0 to 3
    column : uint8, of the leftmost cell
    row : uint8, of the lowest cell
    spin : uint8, 0 none, 1 mini, 2 full; 0 in classic games
    lines : uint8, rows removed
    lost : bool, whether it ends the game
    rows : uint16 [m, 32], the board it leads to, floor first, bit 0 the leftmost column (`cells` unpacks them)
    features : float64 [m, k] in whole units, or None when none are asked for
    size : size of the boards, such as "10x20"
    """

    size: str


#: Number of rows above the playing field that a placement can reach.
_OVERFLOW = 4


def cells(rows: Afterstates | Board | npt.NDArray[np.uint16], size: str | None = None) -> npt.NDArray[np.bool_]:
    """Unpacks bit-packed rows into a boolean array.

    Parameters
    ----------
    rows : what `afterstates` returned, a `Board`, or an array of uint16 [..., 32] such as `Afterstates.rows`
    size : size of the boards, such as "10x20"; an array of rows does not have it, the others do

    Returns
    -------
    bool [..., height, width], row 0 the floor

    Raises
    ------
    SettingError
        if the rows are of boards of another size, as far as they tell, or of none
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
    measured: str = "after-clear",
    size: str | None = None,
    clear_on_overflow: bool = False,
    reach_anywhere: bool = False,
    movement: str = "full",
    threads: int | None = None,
) -> Afterstates:
    """Every placement of each board's piece, and what it leads to.

    Parameters
    ----------
    boards : n boards of one size
    pieces : one for each, or one for all
    rules : `simplified` or `standard`; `guideline`, `capstone` or the path of a TOML file for boards of ten columns,
        whose placements are those that kicks and spins reach
    features : names of features (of guideline games terms) to measure of each placement; none when None
    measured : `after-clear` or `before-clear`: the board that features are measured on
    size : of boards that are given as rows, such as "10x20"
    clear_on_overflow, reach_anywhere : as the options of `simulate`
    movement : of guideline games, `full` or `hard-drop`
    threads : worker threads; all cores when None. The result is the same for any number.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.afterstates(tetrastat.Board("..../..../#.../##.#"), "O", features=["holes"])
    >>> found.column.tolist(), found.row.tolist(), found.features[:, 0].tolist()
    ([0, 1, 2], [2, 1, 1], [1.0, 1.0, 1.0])
    """
    names = _names(features)
    found = native.find_afterstates(
        boards, pieces, size, rules, clear_on_overflow, reach_anywhere, movement, names, measured, threads
    )
    board, (orientation, column, row, spin, lines), lost, rows, values, of_size = found
    made = Afterstates(board, orientation, column, row, spin, lines, lost, rows, values)
    made.size = of_size
    return made


def _names(given: Iterable[str] | None) -> list[str] | None:
    """Returns a list of feature names; a text may join them by commas."""
    if given is None:
        return None
    return [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)


def placements(
    board: Board,
    piece: str | int,
    *,
    rules: str = "simplified",
    clear_on_overflow: bool = False,
    reach_anywhere: bool = False,
    movement: str = "full",
) -> npt.NDArray[np.int64]:
    """Where a piece can come to rest on a board.

    Returns
    -------
    int64 [n, 3]: orientation, column of the leftmost cell, row of the lowest cell; in guideline games a landing that can
    end with a spin and without stands once for each. No rows when the piece cannot enter.

    Examples
    --------
    >>> import tetrastat
    >>> tetrastat.placements(tetrastat.Board("..../..../#.../##.#"), "O").tolist()
    [[0, 0, 2], [0, 1, 1], [0, 2, 1]]
    """
    found = afterstates(
        board,
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
    measured: str = "after-clear",
    size: str | None = None,
    clear_on_overflow: bool = False,
    reach_anywhere: bool = False,
    movement: str = "full",
    threads: int | None = None,
) -> npt.NDArray[np.float64]:
    """Features of boards, or of one placement on each.

    Parameters
    ----------
    boards : n boards of one size
    pieces, placements : with both, the features of these placements: a piece for each board or one for all, and
        [n, 2] (orientation, column) or [n, 3] (and row). Without, those of the boards as they stand.
    names : features (of guideline games terms); all that there are when None, in the order of `feature_names`
    rules, measured, size, clear_on_overflow, reach_anywhere, movement, threads : as `afterstates`

    Returns
    -------
    float64 [n, k], in whole units

    Examples
    --------
    >>> import tetrastat
    >>> board = tetrastat.Board("..../..../#.../##.#")
    >>> tetrastat.features(board, names=["holes", "landing_height"], pieces="O", placements=[[0, 1]]).tolist()
    [[1.0, 1.5]]
    """
    if (pieces is None) != (placements is None):
        raise TypeError("features: give pieces and placements, or neither")
    names = _names(names)
    places = None if placements is None else np.atleast_2d(np.asarray(placements, dtype=np.int64))
    return native.find_features(
        boards,
        pieces,
        places,
        size,
        rules,
        clear_on_overflow,
        reach_anywhere,
        movement,
        names,
        measured,
        threads,
    )


def feature_names(size: str = "10x20", *, rules: str = "simplified", of_boards: bool = False) -> list[str]:
    """The names of all features of placements on boards of a size, or of boards alone; of guideline games the terms."""
    return native.find_feature_names(size, rules, of_boards)
