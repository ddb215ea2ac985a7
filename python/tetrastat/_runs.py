"""Runs, studies, comparisons and estimates: the engine's commands, called in this process.

Every function takes the options of its command as keyword arguments, with ``_`` for ``-``, and hands them to the command
itself, so that names, defaults, checks and bytes are the same. ``tetrastat.options("simulate")`` lists them.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _tetrastat as native
from ._tetrastat import Table

_log = logging.getLogger("tetrastat")

#: Options of the commands that have no meaning here: results come back as objects.
_COMMAND_LINE = ("format", "sample", "dry_run", "list", "help", "version")
#: The tables that may be those of games: LIAP's are matches.
_GAMES = ("games", "matches")


def options(command: str) -> dict[str, str]:
    """What a command takes as keyword arguments.

    Parameters
    ----------
    command : `simulate`, `study`, `compare`, `estimate`, `reproduce`, or another command of the engine

    Returns
    -------
    dict of the options' names to what each is, with its default

    Examples
    --------
    >>> import tetrastat
    >>> tetrastat.options("simulate")["games"]
    'Games to play; of LIAP matches [default: 8]'
    """
    found = native.command_options(command)
    return {name: text for name, text, _ in found if name not in _COMMAND_LINE}


class _Bar:
    """A progress bar of tqdm, where tqdm is installed and it is asked for."""

    def __init__(self, wanted: bool) -> None:
        self._bar = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=100, bar_format="{l_bar}{bar}| [{elapsed}<{remaining}]{postfix}")

    def __call__(self, share: float | None, said: str) -> None:
        if self._bar is not None:
            self._bar.n = round(100 * (share or 0), 1)
            self._bar.set_postfix_str(said)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _call(
    command: str, settings: Mapping[str, Any], *, text: str = "", progress: bool = False
) -> tuple[Any, Table | None, bool]:
    """What a command found as an object, the same as a table, and whether it reached what was asked for."""
    for name in _COMMAND_LINE:
        if settings.get(name) is not None:
            raise TypeError(f"{command}: {name} is an option of the command line alone: leave it out")
    given = {name: _plain(name, value) for name, value in settings.items()}
    bar = _Bar(progress)
    try:
        # What is gone on with keeps the options that it was begun with.
        given |= {} if given.get("resume") else {"format": "json"}
        printed, table, reached, said = native.call_command(command, given, text, bar if progress else None)
    finally:
        bar.close()
    for line in said:
        _log.warning(line)
    return (json.loads(printed) if printed.startswith("{") else None), table, reached


def _plain(name: str, value: Any) -> Any:
    """A value as the command line has it."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if name == "board" and isinstance(value, (tuple, list)) and len(value) == 2:
        return f"{value[0]}x{value[1]}"
    return value


class Folder:
    """A folder that the engine wrote.

    Attributes
    ----------
    path : Path of the folder. One that was played without ``out`` goes when the last object that reads it does.
    summary : what the command says of it with ``--format json``, or None when it was only read
    """

    #: The file that says what is there.
    _MANIFEST = ""

    def __init__(
        self, path: str | os.PathLike[str], summary: Any = None, *, keeper: Any = None
    ) -> None:
        native.check_path(os.fspath(path))
        self.path = Path(path)
        self.summary = summary
        self._keeper = keeper
        if self._MANIFEST and not (self.path / self._MANIFEST).is_file():
            raise native.TetrastatError(
                f"{self.path} has no {self._MANIFEST}: name a folder that {self._of()} wrote"
            )

    def __getstate__(self) -> dict[str, Any]:
        # A pickled copy reads the folder but does not keep it alive.
        return {**self.__dict__, "_keeper": None}

    @classmethod
    def _of(cls) -> str:
        return f"`{cls.__name__.lower()}`"

    @property
    def tables(self) -> dict[str, Path]:
        """The files of the tables, by the tables' names."""
        endings = (".csv", ".csv.gz", ".csv.zst", ".parquet")
        files = (file for file in sorted(self.path.iterdir()) if file.name.endswith(endings))
        return {file.name.split(".")[0]: file for file in files}

    def table(
        self,
        name: str,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        every: int | None = None,
    ) -> Table:
        """A table, or some of its columns and rows.

        Parameters
        ----------
        name : one of ``tables``
        columns : names of the columns to keep, in this order; all when None
        where : comparisons joined by `and`, such as ``"game<=20 and holes>3"``
        every : of the rows in which they hold the first and each `every`-th after it
        """
        tables = self.tables
        if name not in tables:
            raise KeyError(f"{self.path} has no table '{name}': use one of {', '.join(tables)}")
        columns = None if columns is None else list(columns)
        return Table(tables[name], columns, where, every, owner=self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in {self.path}: {', '.join(self.tables)}>"


class Run(Folder):
    """Games that were played: what `simulate` returns."""

    _MANIFEST = "run.json"

    @classmethod
    def _of(cls) -> str:
        return "`simulate`"

    @property
    def manifest(self) -> dict[str, Any]:
        """`run.json`: the configuration, what it came to, and the files with their SHA-256."""
        manifest: dict[str, Any] = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        return manifest

    @property
    def games(self) -> Table:
        """One row for each game; of LIAP for each match."""
        tables = self.tables
        return self.table(next((name for name in _GAMES if name in tables), _GAMES[0]))

    def placements(
        self,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        games: int | tuple[int, int] | None = None,
        every: int | None = None,
    ) -> Table:
        """The placements that were logged, or some of them.

        Parameters
        ----------
        columns, where, every : as `table` has them
        games : one game's number, or the first and the last of several
        """
        return self.table("placements", columns, _of_games(games, where), every)

    def candidates(
        self,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        games: int | tuple[int, int] | None = None,
        every: int | None = None,
    ) -> Table:
        """The candidates of the placements, where ``candidates=True`` logged them: as `placements`."""
        return self.table("candidates", columns, _of_games(games, where), every)


def _of_games(games: int | tuple[int, int] | None, where: str | None) -> str | None:
    if games is None:
        return where
    first, last = (games, games) if isinstance(games, int) else games
    here = f"game>={first} and game<={last}"
    return f"{here} and {where}" if where else here


class Study(Folder):
    """Runs of several conditions over common seeds: what `study` returns."""

    _MANIFEST = "conditions.csv"

    @property
    def conditions(self) -> Table:
        """One row for each condition: what it is, and what its games came to."""
        return self.table("conditions")

    @property
    def games(self) -> Table:
        """One row for each game of all conditions."""
        tables = self.tables
        return self.table(next((name for name in _GAMES if name in tables), _GAMES[0]))

    @property
    def runs(self) -> dict[str, Run]:
        """The run of each condition that was begun, by the name of its folder."""
        folders = (file.parent for file in sorted(self.path.glob("*/run.json")))
        return {folder.name: Run(folder, keeper=self) for folder in folders}


class Reproduction(Study):
    """The published tables, played again: what `reproduce` returns."""

    _MANIFEST = "reproduced.csv"

    @classmethod
    def _of(cls) -> str:
        return "`reproduce`"

    @property
    def reproduced(self) -> Table:
        """One row for each condition and number published of it."""
        return self.table("reproduced")


class Comparison(Study):
    """Players compared on common seeds: what `compare` returns.

    Attributes
    ----------
    estimates : one row for each mean, difference and ratio, as ``--format csv`` has them
    summary : the comparison as ``--format json`` has it
    reached : whether every interval is as narrow, or every verdict found, as asked for
    """

    def __init__(self, path: Any, summary: Any, estimates: Table | None, reached: bool, *, keeper: Any = None) -> None:
        super().__init__(path, summary, keeper=keeper)
        assert estimates is not None, "compare gives its estimates as a table, too"
        self.estimates: Table = estimates
        self.reached = reached


class Estimate(Folder):
    """The mean of games too long to play: what `estimate` returns.

    Attributes
    ----------
    summary : the estimate as ``--format json`` has it
    reached : whether the interval is as narrow as asked for
    """

    _MANIFEST = "estimate.json"

    def __init__(self, path: Any, summary: Any = None, reached: bool = True, *, keeper: Any = None) -> None:
        super().__init__(path, summary, keeper=keeper)
        self.reached = reached
        if summary is None:
            kept = json.loads((self.path / self._MANIFEST).read_text(encoding="utf-8"))
            # The file also lists the files beside it, with checksums for `verify`.
            self.summary = {key: value for key, value in kept.items() if key not in ("files", "checksum")}

    @property
    def levels(self) -> Table:
        """One row for each level of the splitting."""
        return self.table("levels")

    @property
    def replications(self) -> Table:
        """One row for each replication."""
        return self.table("replications")

    @property
    def heights(self) -> Table:
        """One row for each height of the stack."""
        return self.table("heights")


class _TemporaryFolder:
    """A folder that its creating process removes with the last object that refers to it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="tetrastat-")
        weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, process: int) -> None:
    # A forked child has copies of its parent's objects, but the parent still reads the folder.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _place(out: Any) -> tuple[str, Any]:
    """A folder to play into, and who removes it when nobody reads it any more."""
    if out is not None:
        return os.fspath(out), None
    keeper = _TemporaryFolder()
    return os.path.join(keeper.name, "run"), keeper


def simulate(
    controller: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Any,
) -> Run:
    """Plays games of one controller, and logs them.

    Without any option that says what is played or logged it is a small first run: 200 games of `bcts` on 10x10.

    Parameters
    ----------
    controller : a preset or a TOML file; in LIAP the declarer of all seats, or of each, joined by commas
    out : the folder to play into: a new one, or that of the same run, which goes on. Without it the run has a temporary
        folder, which goes with the last object that reads it.
    progress : show a progress bar, where tqdm is installed
    **settings : the options of ``tetrastat simulate``, with ``_`` for ``-``: ``games``, ``board``, ``rules``,
        ``search``, ``queue``, ``seed``, ``threads``, ``simd``, ``placements``, ``candidates``, ``columns``,
        ``max_pieces``, ... (``options("simulate")`` has all of them). A limit that is to be none is ``"none"``.

    Raises
    ------
    TypeError
        when there is no such option
    SettingError
        when an option has no such value; it is a ValueError
    TetrastatError
        with the engine's message when it can't be played
    KeyboardInterrupt
        after Ctrl-C; what was played stays in `out`, and the same call goes on

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("dt20", board="10x10", games=3, seed=7, max_pieces="none", placements="none")
    >>> run.games.to_pyarrow().num_rows
    3
    """
    folder, keeper = _place(settings.get("resume") if out is None else out)
    given = {"controller": controller, **settings}
    if settings.get("resume") is None:
        given["out"] = folder
    summary, _, _ = _call("simulate", given, progress=progress)
    return Run(folder, summary, keeper=keeper)


def study(
    conditions: Mapping[str, Any] | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: bool = False,
) -> Study:
    """Plays a table of conditions over common seeds, and collects their results.

    Parameters
    ----------
    conditions : the study's TOML file, or what stands in one as a dictionary: options of `simulate` for all
        conditions, lists under plural names (`controllers`, `rules`, `boards`, `queues`, `searches`, `players`,
        `seeds`) as axes, and `condition`, a list of single conditions. Paths in a dictionary are seen from the working
        folder.
    out : a new folder, or that of the same study, which goes on; a temporary one when None
    threads : worker threads, whatever the file says
    progress : show a progress bar, where tqdm is installed

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.study({"controllers": ["bcts", "dt20"], "board": "8x10", "games": 4, "max_pieces": 500})
    >>> found.conditions.to_pyarrow()["controller"].to_pylist()
    ['bcts', 'dt20']
    """
    folder, keeper = _place(out)
    if isinstance(conditions, Mapping):
        file, text = "-", native.study_text(_plainly(conditions))
    else:
        file, text = os.fspath(conditions), ""
    given = {"file": file, "out": folder, "threads": threads}
    try:
        summary, _, _ = _call("study", given, text=text, progress=progress)
    except native.TetrastatError as error:
        # The command reads the dictionary from standard input, so errors must not name that input.
        raise type(error)(str(error).replace("standard input", "the study")) from None
    return Study(folder, summary, keeper=keeper)


def _plainly(conditions: Mapping[str, Any]) -> dict[str, Any]:
    def value(name: str, given: Any) -> Any:
        if isinstance(given, Mapping):
            return _plainly(given)
        if isinstance(given, (list, tuple)) and name != "board":
            return [value(name.removesuffix("s"), one) for one in given]
        return _plain(name, given)

    return {name: value(name, given) for name, given in conditions.items()}


def compare(
    controllers: Iterable[str] | None = None,
    *,
    from_: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Any,
) -> Comparison:
    """Compares players on common seeds: ranks, intervals, paired tests and verdicts.

    Parameters
    ----------
    controllers : presets or TOML files, two or more, each with options of its own behind a colon if it has any:
        ``"bcts:search=next"``
    from_ : the folder of a study or comparison that was played already, instead
    out : a new folder, or that of the same comparison, which goes on; a temporary one when None
    progress : show a progress bar, where tqdm is installed
    **settings : the options of ``tetrastat compare``: ``games``, ``until_halfwidth``, ``until_verdict``, ``margin``,
        ``measure``, ``board``, ``rules``, ...

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.compare(["bcts", "dt20"], board="8x10", games=8, max_pieces=500)
    >>> found.estimates.to_pyarrow().slice(0, 2)["estimate"].to_pylist()
    ['mean', 'mean']
    """
    folder, keeper = (os.fspath(from_), None) if from_ is not None else _place(out)
    place = {"from": folder} if from_ is not None else {"out": folder}
    players = [controllers] if isinstance(controllers, str) else controllers
    given = {"controllers": None if players is None else list(players), **place, **settings}
    summary, table, reached = _call("compare", given, progress=progress)
    return Comparison(folder, summary, table, reached, keeper=keeper)


def estimate(
    controller: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Any,
) -> Estimate:
    """Estimates the mean lines of games too long to play, with an interval.

    Parameters
    ----------
    controller : a preset or a TOML file
    out : a new folder, or that of the same estimate, which goes on; a temporary one when None
    progress : show a progress bar, where tqdm is installed
    **settings : the options of ``tetrastat estimate``: ``budget``, ``until_halfwidth``, ``method``, ``board``, ...

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.estimate("dt20", board="8x10", budget=30_000, pieces=5_000, burn_in=500, pilot_pieces=5_000)
    >>> found.summary["plan"]["config"]["board"]
    '8x10'
    """
    folder, keeper = _place(out)
    given = {"controller": controller, "out": folder, **settings}
    summary, _, reached = _call("estimate", given, progress=progress)
    return Estimate(folder, summary, reached, keeper=keeper)


def reproduce(
    table: Iterable[str] | str | None = None,
    *,
    quick: bool = False,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Any,
) -> Reproduction:
    """Plays the published tables again, and sets the results beside them.

    Parameters
    ----------
    table : names of tables, as ``tetrastat reproduce --help`` lists them; all of classic games when None
    quick : fewer and shorter games, with wider intervals
    out : a new folder, or that of the same reproduction, which goes on; a temporary one when None
    progress : show a progress bar, where tqdm is installed
    **settings : ``seed``, ``threads``
    """
    folder, keeper = _place(out)
    tables = [table] if isinstance(table, str) else table and list(table)
    given = {"table": tables, "quick": quick, "out": folder, **settings}
    summary, _, _ = _call("reproduce", given, progress=progress)
    return Reproduction(folder, summary, keeper=keeper)


def read_run(folder: str | os.PathLike[str]) -> Run:
    """A run that was played into a folder, by Python or the command."""
    return Run(folder)


def read_study(folder: str | os.PathLike[str]) -> Study:
    """A study, comparison or reproduction that was played into a folder."""
    native.check_path(os.fspath(folder))
    return Reproduction(folder) if (Path(folder) / "reproduced.csv").is_file() else Study(folder)


def read_estimate(folder: str | os.PathLike[str]) -> Estimate:
    """An estimate that was kept in a folder."""
    return Estimate(folder)
