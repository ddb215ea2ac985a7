"""Shares and means by group, with confidence intervals that allow for games with rows that depend on each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _tetrastat as native
from ._folders import Run
from ._tetrastat import SettingError, Table

Array = npt.NDArray[Any]

#: Columns of a result besides its groups.
_RESULTS = ("share", "mean", "low", "high", "rows", "games")


class Shares(dict[str, Array]):
    """Shares or means by group: a dictionary of columns, as `share` returns it.

    ``polars.DataFrame(shares)``, ``pandas.DataFrame(shares)`` and ``pyarrow.table(shares)`` are frames of it, and
    `print` shows it as text.
    """

    def __str__(self) -> str:
        return native.grid(list(self), [column.tolist() for column in self.values()])[0]

    def _repr_html_(self) -> str:
        return native.grid(list(self), [column.tolist() for column in self.values()])[1]


def share(
    table: Any,
    value: Any,
    by: str | Sequence[str] | Mapping[str, Any] | None = None,
    *,
    game: str = "game",
) -> Shares:
    """Returns the share of rows for which a value is true, or the mean of a number, by group.

    The rows of one game depend on each other, so the 95 % confidence intervals treat the games as the sample. The share
    is the ratio estimator ``sum(y_g) / sum(n_g)`` over games g, with ``y_g`` true rows of ``n_g`` rows. Its variance is
    ``m / (m - 1) * sum((y_g - share * n_g)**2) / sum(n_g)**2`` for the m games that have rows of the group (Cochran 1977,
    *Sampling Techniques*, section 6.4). Intervals use the t distribution with m - 1 degrees of freedom. Those of shares are
    computed on the logit scale, so that they stay between 0 and 1. R's ``share()`` gives the same numbers.

    Parameters
    ----------
    table : DataFrame, Table, Run or mapping
        Rows, as a frame of polars, pandas or pyarrow, a `Table`, a dictionary of columns, or a `Run` for its
        placements.
    value : str or array_like
        Name of a column of Booleans or numbers, or an array with one value for each row. Rows with a missing value are
        left out.
    by : str, sequence of str, or mapping, optional
        Columns whose values define the groups, or a dictionary of arrays by name. Default: one group of all rows.
    game : str
        Column with the number of the game. Games of several conditions with the same number share their pieces, so they
        count as one game.

    Returns
    -------
    Shares
        Dictionary of columns with one value for each group: the columns of ``by``, ``share`` (``mean`` for numbers),
        ``low`` and ``high`` (95 % interval; NaN for fewer than 2 games or a spread of 0), ``rows`` and ``games``.

    Raises
    ------
    SettingError
        If a column is missing or has the wrong type, or if an array has the wrong length.

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("bcts", board="8x8", games=40, max_pieces=200, seed=1)
    >>> piece = run.placements(["piece"]).to_polars()["piece"]
    >>> print(tetrastat.share(run, piece.is_in(["S", "Z"])))
     share     low    high  rows  games
    0.2876  0.2749  0.3007  6300     40
    """
    named = {} if by is None or isinstance(by, Mapping) else {name: None for name in ([by] if isinstance(by, str) else by)}
    names = list(dict.fromkeys([*named, game, *([value] if isinstance(value, str) else [])]))
    columns = _columns(table, names)
    rows = len(columns[game])
    groups = {**{name: columns[name] for name in named}, **(by if isinstance(by, Mapping) else {})}
    if clashes := [name for name in groups if name in _RESULTS]:
        raise SettingError(f"by: the result has a column '{clashes[0]}' of its own: give the group another name")
    groups = {name: _of_length(_array(column), rows, name) for name, column in groups.items()}
    values, is_known, is_share = _values(_of_length(columns[value] if isinstance(value, str) else _array(value), rows, "value"))

    code, labels = np.zeros(rows, np.int64), {name: _Labels(column) for name, column in groups.items()}
    for label in labels.values():
        code = code * len(label.values) + label.codes
    games = _Labels(columns[game])
    pairs, place = np.unique((code * len(games.values) + games.codes)[is_known], return_inverse=True)
    totals, counts = np.bincount(place, values[is_known], len(pairs)), np.bincount(place, minlength=len(pairs))
    found, group = np.unique(pairs // max(1, len(games.values)), return_inverse=True)

    result, rest = Shares(), found
    for name, label in reversed(labels.items()):
        result[name] = label.values[rest % len(label.values)]
        rest = rest // len(label.values)
    result = Shares(reversed(result.items()))
    result.update(_ratios(totals, counts, group, len(found), is_share))
    return result


def _ratios(totals: Array, counts: Array, group: Array, groups: int, is_share: bool) -> dict[str, Array]:
    """Returns the ratio estimate of each group with its interval, from the sums of each game in it."""
    n, games = np.bincount(group, counts, groups), np.bincount(group, minlength=groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.bincount(group, totals, groups) / n
        squares = np.bincount(group, (totals - ratio[group] * counts) ** 2, groups)
        error = np.sqrt(games / (games - 1) * squares) / n
        error = np.where(error > 0, error, np.nan)
        half = np.array([native.t_quantile(float(m - 1)) for m in games]) * error
        if is_share:
            logit, half = np.log(ratio / (1 - ratio)), half / (ratio * (1 - ratio))
            low, high = (1 / (1 + np.exp(-(logit + sign * half))) for sign in (-1, 1))
        else:
            low, high = ratio - half, ratio + half
    name = "share" if is_share else "mean"
    return {name: ratio, "low": low, "high": high, "rows": n.astype(np.int64), "games": games}


class _Labels:
    """Distinct values of a column in order, and the place of each row's value among them."""

    def __init__(self, column: Array) -> None:
        if column.dtype.kind in "biufUM":
            self.values, codes = np.unique(column, return_inverse=True)
            self.codes: Array = codes.reshape(len(column))
            return
        places: dict[Any, int] = {}
        listed = [None if _is_missing(value) else value for value in column.tolist()]
        codes = np.fromiter((places.setdefault(value, len(places)) for value in listed), np.int64, len(listed))
        order = sorted(places, key=lambda value: (value is None, type(value).__name__, value))
        self.values = np.empty(len(order), object)
        self.values[:] = order
        self.codes = np.argsort(np.fromiter((places[value] for value in order), np.int64, len(order)))[codes]


def _values(column: Array) -> tuple[Array, Array, bool]:
    """Returns values as numbers, a mask of those that are not missing, and true if they are Booleans."""
    is_known = np.ones(len(column), bool)
    if column.dtype.kind == "O":
        is_known = np.fromiter((not _is_missing(value) for value in column.tolist()), bool, len(column))
        known = column[is_known].tolist()
        kinds = {type(value) for value in known}
        if kinds <= {bool, np.bool_}:
            column = np.array([bool(value) if known else False for value, known in zip(column.tolist(), is_known, strict=True)], bool)
        elif all(issubclass(kind, (int, float, np.number)) for kind in kinds):
            column = np.array([value if known else 0 for value, known in zip(column.tolist(), is_known, strict=True)], float)
    if column.dtype.kind not in "biuf":
        raise SettingError("value: give Booleans or numbers, for example a comparison")
    values = column.astype(float)
    return values, is_known & ~np.isnan(values), column.dtype.kind == "b"


def _is_missing(value: Any) -> bool:
    # pandas marks missing values by an object that cannot be compared.
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)


def _columns(table: Any, names: Sequence[str]) -> dict[str, Array]:
    """Returns columns of a table as arrays."""
    if isinstance(table, Run):
        table = table.placements(names)
    if isinstance(table, Table):
        table = table._select(names)
        return {name: _array(table[name]) for name in names}
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        table = table.collect()
    known = getattr(table, "column_names", None) or (list(table) if isinstance(table, Mapping) else getattr(table, "columns", None))
    if known is None:
        raise SettingError(f"table: give a frame of polars, pandas or pyarrow, a Table or a Run, not {type(table).__name__}")
    if absent := [name for name in names if name not in list(known)]:
        raise SettingError(f"the table has no column '{absent[0]}': use one of {', '.join(map(str, known))}")
    return {name: _array(table[name]) for name in names}


def _array(column: Any) -> Array:
    array = np.asarray(column)
    return array.astype(object) if array.dtype.kind in "ST" else array


def _of_length(column: Array, rows: int, name: str) -> Array:
    if column.shape != (rows,):
        raise SettingError(f"{name}: an array of shape {column.shape} for {rows} rows: give one value for each row")
    return column
