"""Runs, studies, comparisons and estimates: the engine's commands, called in this process.

Every function takes the options of its command as keyword arguments, with ``_`` for ``-``. It passes them to the
command itself, so that names, defaults, checks and output bytes are the same. ``tetrastat.options("simulate")`` lists
the options of a command.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _tetrastat as native
from ._tetrastat import Table

_log = logging.getLogger("tetrastat")

#: Options that only the command line has: functions return objects instead of printing.
_COMMAND_LINE = ("format", "sample", "dry_run", "list", "help", "version")
#: Names of the table with one row for each game. A run of LIAP has one row for each match.
_GAMES = ("games", "matches")


def options(command: str) -> dict[str, str]:
    """Returns the options that a command takes as keyword arguments.

    Parameters
    ----------
    command : str
        ``"simulate"``, ``"study"``, ``"compare"``, ``"estimate"``, ``"reproduce"``, or another command of the engine.

    Returns
    -------
    dict of str to str
        Description of each option, with its default, by name.

    Raises
    ------
    TypeError
        If there is no such command.

    Examples
    --------
    >>> import tetrastat
    >>> tetrastat.options("simulate")["games"]
    'Number of games (in LIAP: matches) [default: 8]'
    """
    found = native.command_options(command)
    return {name: text for name, text, _ in found if name not in _COMMAND_LINE}


class _Bar:
    """Progress bar of tqdm. It shows nothing if it is not wanted or tqdm is not installed."""

    def __init__(self, wanted: bool) -> None:
        self._bar = None
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=100, bar_format="{l_bar}{bar}| [{elapsed}<{remaining}]{postfix}")

    def __call__(self, share: float | None, text: str) -> None:
        if self._bar is not None:
            self._bar.n = round(100 * (share or 0), 1)
            self._bar.set_postfix_str(text)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _call(
    command: str, settings: Mapping[str, Any], *, text: str = "", progress: bool = False
) -> tuple[Any, Table | None, bool]:
    """Runs a command. Returns its result, the result as a table, and True if all targets were reached."""
    for name in _COMMAND_LINE:
        if settings.get(name) is not None:
            raise TypeError(f"{command}: only the command line has the option {name}: leave it out")
    given = {name: _plain(name, value) for name, value in settings.items()}
    bar = _Bar(progress)
    try:
        # A run that resumes keeps its own options.
        given |= {} if given.get("resume") else {"format": "json"}
        printed, table, reached, messages = native.call_command(command, given, text, bar if progress else None)
    finally:
        bar.close()
    for line in messages:
        _log.warning(line)
    return (json.loads(printed) if printed.startswith("{") else None), table, reached


def _plain(name: str, value: Any) -> Any:
    """Converts a value to the form of the command line."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if name == "board" and isinstance(value, (tuple, list)) and len(value) == 2:
        return f"{value[0]}x{value[1]}"
    return value


class Folder:
    """Folder that the engine wrote.

    Attributes
    ----------
    path : pathlib.Path
        Path of the folder. A temporary folder is removed with the last object that reads it.
    summary : dict or None
        Output of the command with ``--format json``, or None if the folder was only read.

    Raises
    ------
    TetrastatError
        If the folder does not have the file that its kind requires.
    """

    #: File that identifies the kind of the folder.
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
        """Files of the tables by name: dict of str to pathlib.Path."""
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
        """Returns a table, or a selection of its columns and rows.

        Parameters
        ----------
        name : str
            One of ``tables``.
        columns : iterable of str, optional
            Names of the columns to keep, in this order. Default: all.
        where : str, optional
            Comparisons joined by ``and``, such as ``"game<=20 and holes>3"``. Default: all rows.
        every : int, optional
            Step between rows: of the rows that satisfy ``where``, the first and each ``every``-th after it are kept.
            Default: 1.

        Returns
        -------
        Table
            Table that is read when a library such as pyarrow, polars or pandas asks for its rows.

        Raises
        ------
        KeyError
            If the folder has no such table.
        SettingError
            If ``where`` or ``every`` is invalid.
        """
        tables = self.tables
        if name not in tables:
            raise KeyError(f"{self.path} has no table '{name}': use one of {', '.join(tables)}")
        columns = None if columns is None else list(columns)
        return Table(tables[name], columns, where, every, owner=self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in {self.path}: {', '.join(self.tables)}>"


class Run(Folder):
    """Run of games, as `simulate` and `read_run` return it.

    Attributes
    ----------
    path : pathlib.Path
        Path of the folder. A temporary folder is removed with the last object that reads it.
    summary : dict or None
        Output of ``tetrastat simulate --format json``, or None if the folder was only read.

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("dt20", board="10x10", games=2, max_pieces=50, seed=1, columns="all")
    >>> sorted(run.tables)
    ['games', 'placements']
    >>> run.placements(["piece", "holes"], games=0, every=10).to_pyarrow().num_rows
    5
    """

    _MANIFEST = "run.json"

    @classmethod
    def _of(cls) -> str:
        return "`simulate`"

    @property
    def manifest(self) -> dict[str, Any]:
        """Content of ``run.json``: the configuration, the results, and the files with their SHA-256."""
        manifest: dict[str, Any] = json.loads((self.path / "run.json").read_text(encoding="utf-8"))
        return manifest

    @property
    def games(self) -> Table:
        """Table with one row for each game, or for each match of LIAP."""
        tables = self.tables
        return self.table(next((name for name in _GAMES if name in tables), _GAMES[0]))

    def placements(
        self,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        games: int | tuple[int, int] | None = None,
        every: int | None = None,
    ) -> Table:
        """Returns the table of the logged placements, or a selection of its columns and rows.

        Parameters
        ----------
        columns, where, every
            Selection of columns and rows, as for `table`.
        games : int or tuple of two ints, optional
            Number of a game, or the first and the last number of a range. Default: all games.

        Returns
        -------
        Table
            One row for each placement.

        Raises
        ------
        KeyError
            If the run logged no placements.
        """
        return self.table("placements", columns, _of_games(games, where), every)

    def candidates(
        self,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        games: int | tuple[int, int] | None = None,
        every: int | None = None,
    ) -> Table:
        """Returns the table of the candidates of each placement. Only ``candidates=True`` logs them.

        Parameters
        ----------
        columns, where, games, every
            Selection of columns and rows, as for `placements`.

        Returns
        -------
        Table
            One row for each candidate of each placement.

        Raises
        ------
        KeyError
            If the run logged no candidates.
        """
        return self.table("candidates", columns, _of_games(games, where), every)


def _of_games(games: int | tuple[int, int] | None, where: str | None) -> str | None:
    if games is None:
        return where
    first, last = (games, games) if isinstance(games, int) else games
    here = f"game>={first} and game<={last}"
    return f"{here} and {where}" if where else here


class Study(Folder):
    """Runs of several conditions on common seeds, as `study` and `read_study` return them."""

    _MANIFEST = "study.toml"

    @property
    def estimated(self) -> Table:
        """Table with one row for each condition whose mean is estimated (``method`` of the study)."""
        return self.table("estimates")

    @property
    def conditions(self) -> Table:
        """Table with one row for each condition: its settings and the results of its games."""
        return self.table("conditions")

    @property
    def games(self) -> Table:
        """Table with one row for each game of every condition."""
        tables = self.tables
        return self.table(next((name for name in _GAMES if name in tables), _GAMES[0]))

    @property
    def runs(self) -> dict[str, Run]:
        """Run of each condition that has started, by the name of its folder: dict of str to Run."""
        folders = (file.parent for file in sorted(self.path.glob("*/run.json")))
        return {folder.name: Run(folder, keeper=self) for folder in folders}


class Reproduction(Study):
    """Published tables, played again, as `reproduce` returns them."""

    _MANIFEST = "reproduced.csv"

    @classmethod
    def _of(cls) -> str:
        return "`reproduce`"

    @property
    def reproduced(self) -> Table:
        """Table with one row for each published number of each condition."""
        return self.table("reproduced")


class Comparison(Study):
    """Comparison of controllers on common seeds, as `compare` returns it.

    Attributes
    ----------
    estimates : Table
        One row for each mean, difference and ratio, or for each contrast, as ``--format csv`` prints them.
    summary : dict
        Output of ``tetrastat compare --format json``.
    reached : bool
        True if every interval has the requested width and every requested verdict was found.
    """

    # With several folders, `path` is the first of them. It may be a run or an estimate.
    _MANIFEST = ""

    def __init__(self, path: Any, summary: Any, estimates: Table | None, reached: bool, *, keeper: Any = None) -> None:
        super().__init__(path, summary, keeper=keeper)
        assert estimates is not None, "compare returns its estimates as a table, too"
        self.estimates: Table = estimates
        self.reached = reached


class Estimate(Folder):
    """Estimated mean of games that are too long to play, as `estimate` and `read_estimate` return it.

    Attributes
    ----------
    summary : dict
        Output of ``tetrastat estimate --format json``.
    reached : bool
        True if the interval has the requested width.
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
        """Table with one row for each level of the splitting."""
        return self.table("levels")

    @property
    def replications(self) -> Table:
        """Table with one row for each replication."""
        return self.table("replications")

    @property
    def heights(self) -> Table:
        """Table with one row for each height of the stack."""
        return self.table("heights")


class _TemporaryFolder:
    """Folder that its creating process removes with the last object that refers to it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="tetrastat-")
        weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, process: int) -> None:
    # A forked child has copies of its parent's objects, but the parent still reads the folder.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _place(out: Any) -> tuple[str, Any]:
    """Returns the folder for results, and the object that removes it if it is temporary, otherwise None."""
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
    """Plays games of one controller and logs them.

    Without options that describe games or logs, the function plays the demonstration: 200 games of ``bcts`` on 10x10.

    Parameters
    ----------
    controller : str or path, optional
        Name of a preset, or a TOML file. In LIAP the declarer of all seats, or one for each seat, joined by commas.
    out : path, optional
        New folder, or the folder of the same run, which then resumes. Default: a temporary folder, which is removed
        with the last object that reads it.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``: ``games``, ``board``, ``rules``, ``search``, ``queue``,
        ``seed``, ``threads``, ``simd``, ``placements``, ``candidates``, ``columns``, ``max_pieces``, ...
        ``options("simulate")`` describes all of them. The value ``"none"`` removes a limit.

    Returns
    -------
    Run
        Folder of the run, with its tables and its summary.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the run cannot be played, with the engine's message.
    KeyboardInterrupt
        After Ctrl-C. Complete results stay in ``out``, and the same call resumes the run.

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
    """Plays several conditions on common seeds and collects their results.

    Parameters
    ----------
    conditions : mapping or path
        The study's TOML file, or the content of one as a dictionary. It holds options of `simulate` for all
        conditions; axes, which are lists under plural names (``controllers``, ``rules``, ``boards``, ``queues``,
        ``searches``, ``players``, ``seeds``); and ``condition``, a list of single conditions. Paths in a dictionary are
        relative to the working directory.
    out : path, optional
        New folder, or the folder of the same study, which then resumes. Default: a temporary folder, which is removed
        with the last object that reads it.
    threads : int, optional
        Number of worker threads. It overrides the file.
    progress : bool
        Show a progress bar if tqdm is installed.

    Returns
    -------
    Study
        Folder of the study, with the runs and tables of all conditions.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the study cannot be played, with the engine's message.
    KeyboardInterrupt
        After Ctrl-C. Complete results stay in ``out``, and the same call resumes the study.

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
    from_: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Any,
) -> Comparison:
    """Compares controllers on common seeds by ranks, confidence intervals, paired tests and verdicts.

    Parameters
    ----------
    controllers : iterable of str, optional
        Two or more presets or TOML files. Options of a single one follow a colon: ``"bcts:search=next"``.
    from_ : path, optional
        Folder of a finished study or comparison to compare, in place of ``controllers``, or several folders of runs,
        studies and estimates.
    out : path, optional
        New folder, or the folder of the same comparison, which then resumes. Default: a temporary folder, which is
        removed with the last object that reads it.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat compare`` with ``_`` for ``-``: ``games``, ``until_halfwidth``, ``until_verdict``,
        ``margin``, ``measure``, ``board``, ``rules``, ... With ``from_``, ``contrast=["search:board"]`` gives ratios of
        ratios of means in place of all pairs.

    Returns
    -------
    Comparison
        Folder of the comparison, with its estimates and its summary.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the comparison cannot be played, with the engine's message.
    KeyboardInterrupt
        After Ctrl-C. Complete results stay in ``out``, and the same call resumes the comparison.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.compare(["bcts", "dt20"], board="8x10", games=8, max_pieces=500)
    >>> found.estimates.to_pyarrow().slice(0, 2)["estimate"].to_pylist()
    ['mean', 'mean']
    """
    if from_ is None:
        folder, keeper = _place(out)
        place: dict[str, Any] = {"out": folder}
    else:
        folders = [from_] if isinstance(from_, (str, os.PathLike)) else list(from_)
        folder, keeper = os.fspath(folders[0]), None
        place = {"from": [os.fspath(one) for one in folders]}
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
    """Estimates the mean lines of games that are too long to play, with a confidence interval.

    Parameters
    ----------
    controller : str or path, optional
        Name of a preset, or a TOML file.
    out : path, optional
        New folder, or the folder of the same estimate, which then resumes. Default: a temporary folder, which is
        removed with the last object that reads it.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat estimate`` with ``_`` for ``-``: ``budget``, ``until_halfwidth``, ``method``, ``board``,
        ...

    Returns
    -------
    Estimate
        Folder of the estimate, with its tables and its summary.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the estimate cannot be played, with the engine's message.
    KeyboardInterrupt
        After Ctrl-C. Complete results stay in ``out``, and the same call resumes the estimate.

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
    """Plays published tables again and compares the results with the published numbers.

    Parameters
    ----------
    table : str or iterable of str, optional
        Names of tables, as ``tetrastat reproduce --help`` lists them. Default: all tables of classic games.
    quick : bool
        Play fewer and shorter games, which gives wider intervals.
    out : path, optional
        New folder, or the folder of the same reproduction, which then resumes. Default: a temporary folder, which is
        removed with the last object that reads it.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat reproduce``: ``seed``, ``threads``.

    Returns
    -------
    Reproduction
        Folder of the reproduction, with the table ``reproduced``.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the reproduction cannot be played, with the engine's message.
    KeyboardInterrupt
        After Ctrl-C. Complete results stay in ``out``, and the same call resumes the reproduction.
    """
    folder, keeper = _place(out)
    tables = [table] if isinstance(table, str) else table and list(table)
    given = {"table": tables, "quick": quick, "out": folder, **settings}
    summary, _, _ = _call("reproduce", given, progress=progress)
    return Reproduction(folder, summary, keeper=keeper)


def read_run(folder: str | os.PathLike[str]) -> Run:
    """Reads the folder of a run that Python or the command played.

    Parameters
    ----------
    folder : path
        Folder of the run.

    Returns
    -------
    Run

    Raises
    ------
    TetrastatError
        If the folder does not hold a run.

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("dt20", board="10x10", games=3, max_pieces=50, placements="none")
    >>> tetrastat.read_run(run.path).games.to_pyarrow().num_rows
    3
    """
    return Run(folder)


def read_study(folder: str | os.PathLike[str]) -> Study:
    """Reads the folder of a study, a comparison or a reproduction.

    Parameters
    ----------
    folder : path
        Folder of the study.

    Returns
    -------
    Study
        A `Reproduction` if the folder holds one.

    Raises
    ------
    TetrastatError
        If the folder does not hold a study.
    """
    native.check_path(os.fspath(folder))
    return Reproduction(folder) if (Path(folder) / "reproduced.csv").is_file() else Study(folder)


def read_estimate(folder: str | os.PathLike[str]) -> Estimate:
    """Reads the folder of an estimate.

    Parameters
    ----------
    folder : path
        Folder of the estimate.

    Returns
    -------
    Estimate

    Raises
    ------
    TetrastatError
        If the folder does not hold an estimate.
    """
    return Estimate(folder)
