"""Rows of a run that are read while it plays, without a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from . import _tetrastat as native
from ._folders import folder_for
from ._players import AnyController
from ._tetrastat import SettingError, Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .settings import SimulateSettings


def without_files(settings: dict[str, Any], out: Any) -> dict[str, Any]:
    """Returns the settings of a run whose logs are not written.

    Raises
    ------
    SettingError
        If an option needs a file of the log.
    """
    for name, value in (("out", out), ("resume", settings.get("resume")), ("shard", settings.get("shard"))):
        if value:
            raise SettingError(f"{name} needs files, but the rows stay in memory: leave it out, or log in Parquet")
    # The engine hands rows over in the types of its Parquet files.
    return {**settings, "placements": "parquet"}


def stream(
    controller: AnyController | None = None, *, table: Literal["placements", "candidates"] = "placements", **settings: Unpack[SimulateSettings]
) -> Iterator[Table]:
    """Plays games and yields their logged rows, while the games are played.

    The rows and their order are those that a logged run would write. No log is written, and memory stays bounded: the
    run waits if two tables of rows have not been read yet.

    Parameters
    ----------
    controller : str, path, Player or callable, optional
        Name of a preset, a TOML file, or a function that gives values to boards (`Player`).
    table : {"placements", "candidates"}
        Log whose rows are yielded.
    **settings
        Options of `simulate`, except those of files: ``out``, ``resume``, ``shard``, ``placements``.

    Yields
    ------
    Table
        Next rows, 65,536 at a time; the last block has fewer. Every library that takes Arrow data accepts it.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the run cannot be played, with the engine's message.

    Examples
    --------
    >>> import tetrastat
    >>> rows = 0
    >>> for block in tetrastat.stream("dt20", board="10x10", games=5, max_pieces=100, seed=1):
    ...     rows += len(block)
    >>> rows
    500
    """
    from ._runs import plain_settings

    if table not in ("placements", "candidates"):
        raise SettingError(f"table '{table}': use 'placements' or 'candidates'")
    for name in ("out", "placements", "sample", "dry_run"):
        if dict(settings).get(name) is not None:
            raise TypeError(f"stream: the option {name} has no use without files: leave it out")
    folder, keeper = folder_for(None)
    given = {"controller": controller, **without_files(dict(settings), None), "out": folder, "format": "json"}
    if table == "candidates":
        given["candidates"] = True
    plain, players = plain_settings("simulate", given)
    rows = native.RowStream("simulate", plain, table, players)
    return _taken(rows, keeper)


def _taken(rows: native.RowStream, keeper: Any) -> Iterator[Table]:
    try:
        yield from rows
    finally:
        rows.close()
        del keeper
