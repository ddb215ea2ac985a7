"""Folders that the engine wrote: runs, studies, comparisons and estimates."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from . import _plots
from . import _tetrastat as native
from ._scan import ALWAYS_CSV, scan
from ._store import MANIFEST, Store
from ._tetrastat import Table

#: Names of the table with one row for each game. A run of LIAP has one row for each match.
_GAMES = ("games", "matches")


class Answer(NamedTuple):
    """What a command returned: its result, the report's table and text and HTML, and true if all targets were reached."""

    result: Any
    table: Table | None
    report: list[str] | None
    reached: bool


class TemporaryFolder:
    """Folder that its creating process removes with the last object that refers to it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix="tetrastat-")
        weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, process: int) -> None:
    # A forked child has copies of its parent's objects, but the parent still reads the folder.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def folder_for(out: Any) -> tuple[str, Any]:
    """Returns the folder for results, and the object that removes it if it is temporary, otherwise None."""
    if out is not None:
        return os.fspath(out), None
    keeper = TemporaryFolder()
    return os.path.join(keeper.name, "run"), keeper


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

    path: Path
    summary: Any
    #: File that identifies the kind of the folder.
    _MANIFEST: str = ""
    #: Kind of work that this file states, if it states one.
    _KIND: str | None = None

    def __init__(
        self,
        path: str | os.PathLike[str],
        summary: Any = None,
        *,
        keeper: Any = None,
        logs: dict[str, Table] | None = None,
        store: Store | None = None,
    ) -> None:
        native.check_path(os.fspath(path))
        self.path = Path(path)
        self.summary = summary
        self._keeper: Any = keeper
        #: Tables in memory, which the folder does not have.
        self._logs: dict[str, Table] = logs or {}
        #: Object store of the files that are copied to the folder when they are read, and their names.
        self._store: Store | None = store
        self._stored: list[str] = store.names() if store is not None else []
        if not self._holds(self.path):
            of_kind = f" of kind '{self._KIND}'" if self._KIND else ""
            raise native.TetrastatError(
                f"{self.path} has no {self._MANIFEST}{of_kind}: name a folder that {self._of()} wrote"
            )
        if summary is None:
            self.summary = self._kept_summary()

    @classmethod
    def _holds(cls, path: Path) -> bool:
        """Returns True if the folder `path` holds work of this kind."""
        manifest = path / cls._MANIFEST
        if not cls._MANIFEST or not manifest.is_file():
            return not cls._MANIFEST
        return cls._KIND is None or json.loads(manifest.read_text(encoding="utf-8")).get("kind") == cls._KIND

    def _kept_summary(self) -> Any:
        """Returns the summary that the folder itself holds, or None."""
        return None

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
        names = {file.name for file in self.path.iterdir()}.union(self._stored)
        return {name.split(".")[0]: self.path / name for name in sorted(names) if name.endswith(endings)}

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
        columns = None if columns is None else list(columns)
        if name in self._logs:
            return self._logs[name]._select(columns, where, every)
        tables = self.tables
        if name not in tables:
            raise KeyError(f"{self.path} has no table '{name}': use one of {', '.join(tables)}")
        file = tables[name]
        if self._store is not None and not file.exists():
            file = self._store.fetch(file.name, self.path)
        return Table(file, columns, where, every, owner=self)

    def scan(
        self,
        name: str = "placements",
        columns: Iterable[str] | None = None,
        where: str | None = None,
        every: int | None = None,
        *,
        engine: str = "polars",
    ) -> Any:
        """Returns a table as a lazy frame, which reads what a query needs.

        Parameters
        ----------
        name : str
            One of ``tables``.
        columns, where, every
            Selection of columns and rows, as for `table`.
        engine : str
            ``"polars"`` for a ``polars.LazyFrame``, or ``"duckdb"`` for a ``duckdb.DuckDBPyRelation``.

        Returns
        -------
        polars.LazyFrame or duckdb.DuckDBPyRelation
            Rows and columns of the table. Texts of factors are categories. The folder must exist while the frame is
            read. Parts in an object store are read by pyarrow, which is needed for that.

        Raises
        ------
        KeyError
            If the folder has no such table.
        TetrastatError
            If the table is a log in CSV.
        SettingError
            If ``where``, ``every`` or ``engine`` is invalid.
        ImportError
            If the library is not installed.

        Examples
        --------
        >>> import tetrastat
        >>> run = tetrastat.simulate("dt20", board="10x10", games=2, max_pieces=50, seed=1)
        >>> run.scan().select("game", "piece").collect().shape
        (100, 2)
        """
        file = self.tables.get(name)
        if self._store is not None and file is not None and not file.exists() and (parts := self._store.names(file.name)):
            # The first part has the types that comparisons need. Steps between rows need their order, so all parts.
            first = self._store.fetch(f"{file.name}/{parts[0]}", self.path / ".parts")
            selected = Table(first, None if columns is None else list(columns), where, every, owner=self)
            if every in (None, 1):
                return scan([selected], engine, self._store.data(file.name))
        return scan([self.table(name, columns, where, every)], engine)

    def _report(self) -> list[str]:
        """Returns what people see of the results, as text and as HTML."""
        return [repr(self), f"<div>{escape(repr(self))}</div>"]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in {self.path}: {', '.join(self.tables)}>"

    def __str__(self) -> str:
        return self._report()[0]

    def _repr_html_(self) -> str:
        return self._report()[1]


class Run(Folder):
    """Run of games, as `simulate` and `read_run` return it.

    Attributes
    ----------
    path : pathlib.Path
        Path of the folder. A temporary folder is removed with the last object that reads it.
    summary : dict or None
        Output of ``tetrastat simulate --format json``, or None if the folder was only read.
    url : str or None
        URL of the run if it is in an object store. Then ``path`` is a temporary folder. A log is copied to it when its
        table is read, and `scan` reads parts of a log in Parquet where they are.

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("dt20", board="10x10", games=2, max_pieces=50, seed=1, columns="all")
    >>> sorted(run.tables)
    ['games', 'placements']
    >>> run.placements(["piece", "holes"], games=0, every=10).to_pyarrow().num_rows
    5
    """

    _MANIFEST: str = "run.json"
    _KIND: str = "run"

    @classmethod
    def _of(cls) -> str:
        return "`simulate`"

    @property
    def url(self) -> str | None:
        return None if self._store is None else self._store.place

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

    def plot(self, engine: str | None = None) -> Any:
        """Draws the share of games that are still running after each number of lines.

        Parameters
        ----------
        engine : str, optional
            ``"matplotlib"`` or ``"plotly"``. Default: the one that is installed, matplotlib first.

        Returns
        -------
        matplotlib.figure.Figure or plotly.graph_objects.Figure
            Figure, which notebooks show.

        Raises
        ------
        ImportError
            If no library is installed.
        TetrastatError
            If the run has no games that end by chance.
        """
        return _plots.plot_run(self, engine)

    def _report(self) -> list[str]:
        return native.report_of(self.path)


def _of_games(games: int | tuple[int, int] | None, where: str | None) -> str | None:
    if games is None:
        return where
    first, last = (games, games) if isinstance(games, int) else games
    here = f"game>={first} and game<={last}"
    return f"{here} and {where}" if where else here


class Study(Folder):
    """Runs of several conditions on common seeds, as `study` and `read_study` return them."""

    _MANIFEST: str = "study.toml"

    @property
    def conditions(self) -> Table:
        """Table with one row for each condition.

        It has the settings of the conditions and the results of their games. If the study estimates a condition, it is
        the table ``means``, which has all complete conditions: its column ``method`` is ``play`` or ``estimate``. Then
        ``table("conditions")`` has the played conditions, and ``estimates`` the estimated ones.
        """
        return self.table("means" if "means" in self.tables else "conditions")

    @property
    def contrasts(self) -> Table:
        """Table with the ratio of the means of each pair of conditions, if the study estimates a condition."""
        return self.table("contrasts")

    @property
    def estimates(self) -> Table:
        """Table with one row for each condition whose mean is estimated (``method`` of the study)."""
        return self.table("estimates")

    @property
    def reproduced(self) -> Table:
        """Table with one row for each published value of each condition, if the file states some."""
        return self.table("reproduced")

    @property
    def games(self) -> Table:
        """Table with one row for each game of every condition."""
        tables = self.tables
        return self.table(next((name for name in _GAMES if name in tables), _GAMES[0]))

    @property
    def runs(self) -> dict[str, Run]:
        """Run of each condition that has started, by the name of its folder: dict of str to Run."""
        folders = (file.parent for file in sorted(self.path.glob("*/run.json")))
        return {folder.name: Run(folder, keeper=self) for folder in folders if Run._holds(folder)}

    def _report(self) -> list[str]:
        tables = self.tables
        parts: list[Table] = []
        if "means" in tables:
            parts.append(self.table("means", ["name", "method", "n", "mean", "low", "high"]))
        elif "conditions" in tables:
            parts.append(self.conditions)
        if "contrasts" in tables:
            parts.append(self.table("contrasts", ["levels", "ratio", "low", "high", "p_adjusted"]))
        html = "".join(part._repr_html_() for part in parts)
        return ["\n".join(map(str, [repr(self), *parts])), f"<div><b>{escape(repr(self))}</b>{html}</div>"]

    def scan(
        self,
        name: str = "placements",
        columns: Iterable[str] | None = None,
        where: str | None = None,
        every: int | None = None,
        *,
        engine: str = "polars",
    ) -> Any:
        """Returns a table of the study, or a log of all its conditions, as a lazy frame.

        Parameters
        ----------
        name : str
            One of ``tables``, or a log of the conditions. In Parquet, its column ``condition`` has the number of the
            condition.
        columns, where, every, engine
            Selection and library, as for `Folder.scan`. ``every`` counts the rows of all conditions.

        Returns
        -------
        polars.LazyFrame or duckdb.DuckDBPyRelation
            Rows of all conditions that have this log.

        Raises
        ------
        KeyError
            If neither the study nor a condition has such a table.
        TetrastatError
            If the table is a log in CSV.
        """
        if name in self.tables:
            return super().scan(name, columns, where, every, engine=engine)
        columns = None if columns is None else list(columns)
        runs = (run for run in self.runs.values() if name in run.tables)
        tables = [run.table(name, columns, where, every) for run in runs]
        if not tables:
            raise KeyError(f"{self.path} has no table '{name}', and no condition logged it")
        return scan(tables, engine)


class Comparison(Study):
    """Comparison of controllers on common seeds, as `compare` returns it.

    Attributes
    ----------
    summary : dict
        Output of ``tetrastat compare --format json``.
    reached : bool
        True if every interval has the requested width and every requested verdict was found.
    """

    # With several folders, `path` is the first of them. It may be a run or an estimate.
    _MANIFEST: str = ""

    def __init__(self, path: Any, answer: Answer, *, keeper: Any = None) -> None:
        super().__init__(path, answer.result, keeper=keeper)
        assert answer.table is not None and answer.report is not None, "compare prints a report with a table"
        self._estimates: Table = answer.table
        self._shown: list[str] = answer.report
        self.reached: bool = answer.reached

    @property
    def estimates(self) -> Table:
        """Table with one row for each mean, difference and ratio, or each contrast, as ``--format csv`` prints them."""
        return self._estimates

    def plot(self, engine: str | None = None) -> Any:
        """Draws the mean of each controller with its interval, or the ratios if no mean is known.

        Parameters
        ----------
        engine : str, optional
            ``"matplotlib"`` or ``"plotly"``. Default: the one that is installed, matplotlib first.

        Returns
        -------
        matplotlib.figure.Figure or plotly.graph_objects.Figure
            Figure, which notebooks show.

        Raises
        ------
        ImportError
            If no library is installed.
        TetrastatError
            If neither a mean nor a ratio is known.
        """
        return _plots.plot_comparison(self, engine)

    def _report(self) -> list[str]:
        return self._shown


class Estimate(Folder):
    """Estimated mean of games that are too long to play, as `estimate` and `read_estimate` return it.

    Attributes
    ----------
    summary : dict
        Results of each method, and the configuration under the key ``config``.
    reached : bool
        True if the interval has the requested width.
    """

    _MANIFEST: str = "run.json"
    _KIND: str = "estimate"

    def __init__(self, path: Any, summary: Any = None, reached: bool = True, *, keeper: Any = None) -> None:
        super().__init__(path, summary, keeper=keeper)
        self.reached: bool = reached

    def _kept_summary(self) -> Any:
        manifest = json.loads((self.path / self._MANIFEST).read_text(encoding="utf-8"))
        # An estimate that was interrupted before its first replication has no summary.
        return {"config": manifest["config"], **manifest.get("summary", {})}

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

    def plot(self, engine: str | None = None) -> Any:
        """Draws the mean of each method with its interval.

        Parameters
        ----------
        engine : str, optional
            ``"matplotlib"`` or ``"plotly"``. Default: the one that is installed, matplotlib first.

        Returns
        -------
        matplotlib.figure.Figure or plotly.graph_objects.Figure
            Figure, which notebooks show.

        Raises
        ------
        ImportError
            If no library is installed.
        TetrastatError
            If the estimate has no mean.
        """
        return _plots.plot_estimate(self, engine)

    def _report(self) -> list[str]:
        return native.report_of(self.path)


def read_run(folder: str | os.PathLike[str], *, storage_options: Mapping[str, Any] | None = None) -> Run:
    """Reads the folder of a run that Python or the command played.

    Parameters
    ----------
    folder : path or str
        Folder of the run, or the URL of a run that `tetrastat.cluster.simulate` wrote to an object store.
    storage_options : mapping, optional
        Options of the file system of a URL, such as an endpoint and keys.

    Returns
    -------
    Run

    Raises
    ------
    TetrastatError
        If the folder does not hold a run, or if the object store cannot be read.

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("dt20", board="10x10", games=3, max_pieces=50, placements="none")
    >>> tetrastat.read_run(run.path).games.to_pyarrow().num_rows
    3
    """
    if not isinstance(folder, str) or "://" not in folder:
        return Run(folder)
    store, keeper = Store(folder, storage_options), TemporaryFolder()
    names = store.names()
    if MANIFEST not in names:
        raise native.TetrastatError(f"{folder} has no {MANIFEST}: give the URL of a run that `cluster.simulate` wrote")
    for name in names:
        if name == MANIFEST or name.split(".")[0] in ALWAYS_CSV:
            store.fetch(name, Path(keeper.name))
    return Run(keeper.name, keeper=keeper, store=store)


def read_study(folder: str | os.PathLike[str]) -> Study:
    """Reads the folder of a study, a comparison or a reproduction.

    Parameters
    ----------
    folder : path
        Folder of the study.

    Returns
    -------
    Study

    Raises
    ------
    TetrastatError
        If the folder does not hold a study.
    """
    native.check_path(os.fspath(folder))
    return Study(folder)


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


def opened(path: str | os.PathLike[str], summary: Any = None, keeper: Any = None) -> Folder | Path:
    """Returns the object for a folder that a command wrote, by what it holds, or the path of a file."""
    path = Path(path)
    if path.is_file():
        return path
    kinds = (kind for kind in (Study, Run, Estimate, Folder) if kind._holds(path))
    return next(kinds)(path, summary, keeper=keeper)
