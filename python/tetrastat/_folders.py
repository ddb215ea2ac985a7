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
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast, overload

from . import _plots
from . import _tetrastat as native
from ._scan import ALWAYS_CSV, scan
from ._store import MANIFEST, Store
from ._tetrastat import Table
from .summaries import ComparisonSummary, EstimateSummary, RunSummary, StudySummary

if TYPE_CHECKING:
    import duckdb
    import polars


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
    #: File that identifies the kind of the folder, the kind of work that it states, and the function that writes it.
    _MANIFEST: str = ""
    _KIND: str | None = None
    _BY: str = "a command"

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
        self._keeper: Any = keeper
        #: Tables in memory, which the folder does not have.
        self._logs: dict[str, Table] = logs or {}
        #: Object store of the files that are copied to the folder when they are read, and their names.
        self._store: Store | None = store
        self._stored: list[str] = store.names() if store is not None else []
        if not self._holds(self.path):
            of_kind = f" of kind '{self._KIND}'" if self._KIND else ""
            raise native.TetrastatError(f"{self.path} has no {self._MANIFEST}{of_kind}: name a folder that {self._BY} wrote")
        self.summary = self._kept_summary() if summary is None else summary

    @classmethod
    def _holds(cls, path: Path) -> bool:
        """Returns True if the folder `path` holds work of this kind."""
        if not cls._MANIFEST or not (path / cls._MANIFEST).is_file():
            return not cls._MANIFEST
        return cls._KIND is None or bool(_manifest(path).get("kind") == cls._KIND)

    def _kept_summary(self) -> Any:
        """Returns the summary that the folder itself holds, or None."""
        return None

    def __getstate__(self) -> dict[str, Any]:
        # A pickled copy reads the folder but does not keep it alive.
        return {**self.__dict__, "_keeper": None}

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

    @property
    def games(self) -> Table:
        """Table with one row for each game, or for each match of LIAP."""
        return self.table("matches" if "matches" in self.tables else "games")

    @overload
    def scan(
        self,
        name: str = ...,
        columns: Iterable[str] | None = ...,
        where: str | None = ...,
        every: int | None = ...,
        *,
        engine: Literal["polars"] = ...,
    ) -> polars.LazyFrame: ...
    @overload
    def scan(
        self,
        name: str = ...,
        columns: Iterable[str] | None = ...,
        where: str | None = ...,
        every: int | None = ...,
        *,
        engine: Literal["duckdb"],
    ) -> duckdb.DuckDBPyRelation: ...
    def scan(
        self,
        name: str = "placements",
        columns: Iterable[str] | None = None,
        where: str | None = None,
        every: int | None = None,
        *,
        engine: Literal["polars", "duckdb"] = "polars",
    ) -> Any:
        """Returns a table as a lazy frame, which reads what a query needs.

        Parameters
        ----------
        name : str
            One of ``tables``, or a log of all conditions of a study. In Parquet, its column ``condition`` has the number
            of the condition.
        columns, where, every
            Selection of columns and rows, as for `table`. ``every`` counts the rows of all conditions.
        engine : {"polars", "duckdb"}
            ``"polars"`` for a ``polars.LazyFrame``, or ``"duckdb"`` for a ``duckdb.DuckDBPyRelation``.

        Returns
        -------
        polars.LazyFrame or duckdb.DuckDBPyRelation
            Rows and columns of the table. Texts of factors are categories. The folder must exist while the frame is
            read. Parts in an object store are read by pyarrow, which is needed for that.

        Raises
        ------
        KeyError
            If neither the folder nor a condition has such a table.
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
        columns = None if columns is None else list(columns)
        file = self.tables.get(name)
        if self._store is not None and file is not None and not file.exists() and (parts := self._store.names(file.name)):
            # The first part has the types that comparisons need. Steps between rows need their order, so all parts.
            first = self._store.fetch(f"{file.name}/{parts[0]}", self.path / ".parts")
            selected = Table(first, columns, where, every, owner=self)
            if every in (None, 1):
                return scan([selected], engine, self._store.data(file.name))
        return scan(self._scanned(name, columns, where, every), engine)

    def _scanned(self, name: str, columns: list[str] | None, where: str | None, every: int | None) -> list[Table]:
        """Returns the tables whose rows `scan` reads."""
        return [self.table(name, columns, where, every)]

    def plot(self, engine: Literal["matplotlib", "plotly"] | None = None) -> Any:
        """Draws the survival of the games of a run, or the means of a comparison or an estimate with their intervals.

        Parameters
        ----------
        engine : {"matplotlib", "plotly"}, optional
            Library that draws. Default: the one that is installed, matplotlib first.

        Returns
        -------
        matplotlib.figure.Figure or plotly.graph_objects.Figure
            Figure, which notebooks show.

        Raises
        ------
        ImportError
            If no library is installed.
        TetrastatError
            If there is nothing to draw, for example because no mean is known.
        """
        return _plots.plot(self, engine)

    def _report(self) -> list[str]:
        """Returns what people see of the results, as text and as HTML."""
        return [repr(self), f"<div>{escape(repr(self))}</div>"]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in {self.path}: {', '.join(self.tables)}>"

    def __str__(self) -> str:
        return self._report()[0]

    def _repr_html_(self) -> str:
        return self._report()[1]


def _manifest(folder: Path) -> dict[str, Any]:
    return cast("dict[str, Any]", json.loads((folder / MANIFEST).read_text(encoding="utf-8")))


class Run(Folder):
    """Run of games, as `simulate` and `read_run` return it.

    Attributes
    ----------
    path : pathlib.Path
        Path of the folder. A temporary folder is removed with the last object that reads it.
    summary : RunSummary
        Means of the games with their intervals, by the names of the measures: ``summary`` of ``run.json``.
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
    >>> run.summary["lines"]["censored"]
    2
    """

    summary: RunSummary
    _MANIFEST: str = MANIFEST
    _KIND: str | None = "run"
    _BY: str = "`simulate`"

    @classmethod
    def _holds(cls, path: Path) -> bool:
        # The labels of `label` are no games of their own.
        return super()._holds(path) and _manifest(path)["config"].get("game") != "rollout"

    @property
    def url(self) -> str | None:
        return None if self._store is None else self._store.place

    @property
    def manifest(self) -> dict[str, Any]:
        """Content of ``run.json``: the configuration, the results, and the files with their SHA-256."""
        return _manifest(self.path)

    def _kept_summary(self) -> Any:
        return self.manifest.get("summary", {})

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
        """Returns the table of the candidates of each placement, which only ``candidates=True`` logs.

        The arguments are those of `placements`.
        """
        return self.table("candidates", columns, _of_games(games, where), every)

    def _report(self) -> list[str]:
        return native.report_of(self.path)


def _of_games(games: int | tuple[int, int] | None, where: str | None) -> str | None:
    if games is None:
        return where
    first, last = (games, games) if isinstance(games, int) else games
    here = f"game>={first} and game<={last}"
    return f"{here} and {where}" if where else here


class Study(Folder):
    """Runs of several conditions on common seeds, as `study` and `read_study` return them.

    Attributes
    ----------
    summary : StudySummary or None
        Output of ``tetrastat study --format json``, or None if the folder was only read.
    """

    summary: StudySummary | None
    _MANIFEST: str = "study.toml"
    _BY: str = "`study`"

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
    def runs(self) -> dict[str, Run]:
        """Run of each condition that has started, by the name of its folder: dict of str to Run."""
        folders = (file.parent for file in sorted(self.path.glob(f"*/{MANIFEST}")))
        return {folder.name: Run(folder, keeper=self) for folder in folders if Run._holds(folder)}

    def _report(self) -> list[str]:
        shown = {
            "means": ["name", "method", "n", "mean", "low", "high"],
            "conditions": None,
            "contrasts": ["levels", "ratio", "low", "high", "p_adjusted"],
        }
        tables = self.tables.keys() - ({"conditions"} if "means" in self.tables else set())
        parts = [self.table(name, columns) for name, columns in shown.items() if name in tables]
        html = "".join(part._repr_html_() for part in parts)
        return ["\n".join(map(str, [repr(self), *parts])), f"<div><b>{escape(repr(self))}</b>{html}</div>"]

    def _scanned(self, name: str, columns: list[str] | None, where: str | None, every: int | None) -> list[Table]:
        if name in self.tables:
            return super()._scanned(name, columns, where, every)
        tables = [run.table(name, columns, where, every) for run in self.runs.values() if name in run.tables]
        if not tables:
            raise KeyError(f"{self.path} has no table '{name}', and no condition logged it")
        return tables


class Comparison(Study):
    """Comparison of controllers on common seeds, as `compare` returns it.

    Attributes
    ----------
    summary : ComparisonSummary
        Output of ``tetrastat compare --format json``.
    reached : bool
        True if every interval has the requested width and every requested verdict was found.
    """

    summary: ComparisonSummary  # type: ignore[assignment]
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

    def _report(self) -> list[str]:
        return self._shown


class Estimate(Folder):
    """Estimated mean of games that are too long to play, as `estimate` and `read_estimate` return it.

    Attributes
    ----------
    summary : EstimateSummary
        Results of each method, and the configuration under the key ``config``.
    reached : bool
        True if the interval has the requested width.
    """

    summary: EstimateSummary
    _MANIFEST: str = MANIFEST
    _KIND: str | None = "estimate"
    _BY: str = "`estimate`"

    def __init__(self, path: Any, summary: Any = None, reached: bool = True, *, keeper: Any = None) -> None:
        super().__init__(path, summary, keeper=keeper)
        self.reached: bool = reached

    def _kept_summary(self) -> Any:
        manifest = _manifest(self.path)
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
    kind = next(kind for kind in (Study, Run, Estimate, Folder) if kind._holds(path))
    # Runs and estimates keep their summaries in their folders.
    return kind(path, None if kind in (Run, Estimate) else summary, keeper=keeper)
