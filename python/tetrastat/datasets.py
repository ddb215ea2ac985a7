"""Data sets of placements, for statistics and machine learning.

`load` returns a data set by its name or by its folder. The engine plays a named data set when it is first loaded, which
gives the same bytes on every machine, and keeps it in the user's cache folder.

>>> import tetrastat
>>> data = tetrastat.datasets.load("tiny")
>>> data.arrow().count_rows()
19942
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _tetrastat as native
from ._progress import ProgressBar
from ._tetrastat import Board, Table

if TYPE_CHECKING:
    import duckdb
    import polars
    import pyarrow.dataset

__all__ = ["Dataset", "load"]

#: Files and checksums of the named data sets: the content of the TOML file, and lines of `SHA256SUMS` for the tables.
_NAMED = {name: (text, sums) for name, text, sums in native.named_datasets()}
#: Packages that read data sets, by module, each with its name for pip.
_READERS = {
    "datasets": "datasets",
    "duckdb": "duckdb",
    "gymnasium": "gymnasium",
    "minari": "minari",
    "PIL": "pillow",
    "polars": "polars",
    "pyarrow": "pyarrow",
}


def load(
    name: str | os.PathLike[str], *, path: str | os.PathLike[str] | None = None, progress: bool = False
) -> Dataset:
    """Returns a data set, which is played first if it is a named one that this machine does not have.

    Parameters
    ----------
    name : str or path
        ``"tiny"`` (19,942 placements, 1 MB), ``"small"`` (10 million placements, 250 MB, half a minute on two cores),
        ``"tasks"`` (candidates with labels for prediction tasks, 24 MB, four minutes), or the folder of a data set that
        ``tetrastat data set`` wrote.
    path : str or path, optional
        Folder for a named data set. Default: a folder in ``TETRASTAT_CACHE``, or in ``tetrastat`` within
        ``XDG_CACHE_HOME``, or in the cache folder of the system.
    progress : bool
        True for a progress bar, which needs tqdm.

    Returns
    -------
    Dataset

    Raises
    ------
    TetrastatError
        If the folder is no data set, if a table is missing, differs from its checksum in ``SHA256SUMS`` or is not listed
        there, or if a named data set does not have the bytes that this version promises.

    Notes
    -----
    All bytes are read once, to compare them with the checksums (a second for ``"small"``). The cache folder remembers the
    sizes and times of the files, so that later calls read only the files that differ in them.

    Examples
    --------
    >>> import tetrastat
    >>> tetrastat.datasets.load("tiny")
    <Dataset tetrastat-tiny 1.0.0: conditions, games, placements>
    """
    known = _NAMED.get(os.fspath(name))
    if known is None:
        folder = Path(name)
        if not (folder / "SHA256SUMS").is_file():
            names = ", ".join(_NAMED)
            raise native.TetrastatError(f"{folder} is no data set: name one of {names}, or a folder that has SHA256SUMS")
        _check_files(folder, "restore these files from a copy, or remove the folder and write the data set again")
        return Dataset(folder)
    text, sums = known
    if path is None:
        # Another version of the data set has another folder.
        version = hashlib.sha256((text + sums).encode()).hexdigest()[:8]
        folder = _cache() / f"{os.fspath(name)}-{version}"
    else:
        folder = Path(path)
    if not (folder / "SHA256SUMS").is_file():
        _play(os.fspath(name), sums, folder, progress)
    _check(folder, sums)
    _check_files(folder, "remove the folder, and load the data set again")
    return Dataset(folder)


def _cache() -> Path:
    """Returns the folder for data sets that this machine keeps."""
    own = os.environ.get("TETRASTAT_CACHE")
    if own:
        return Path(own)
    system = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else None)
    return (Path(system) if system else Path.home() / ".cache") / "tetrastat"


def _play(name: str, sums: str, folder: Path, progress: bool) -> None:
    """Plays a named data set into ``folder``, which either does not exist or is complete afterwards."""
    if folder.exists() and any(folder.iterdir()):
        raise native.TetrastatError(f"{folder} exists and holds no complete data set: remove it, or choose another path")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
        played = Path(scratch) / "played"
        with ProgressBar(progress) as bar:
            native.call_command("data set", {"file": name, "out": os.fspath(played)}, "", bar.callback)
        _check(played, sums)
        try:
            # Windows renames to no existing folder, not even to an empty one.
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
            os.rename(played, folder)
        except OSError:
            # Another process may have played the same data set meanwhile.
            if not (folder / "SHA256SUMS").is_file():
                raise


def _check(folder: Path, sums: str) -> None:
    """Fails unless ``SHA256SUMS`` in ``folder`` has the lines ``sums``."""
    wanted, found = (set(text.splitlines()) for text in (sums, (folder / "SHA256SUMS").read_text(encoding="utf-8")))
    if differing := sorted(line.partition("  ")[2] for line in wanted - found):
        raise native.TetrastatError(
            f"{folder}: {len(differing)} tables, such as {differing[0]}, do not have the bytes of this data set: remove the "
            "folder, and report it if they differ again"
        )


def _check_files(folder: Path, remedy: str) -> None:
    """Fails unless ``folder`` has the tables that ``SHA256SUMS`` lists, with these bytes, and no other ones.

    A file is read unless it has the size and the times that it had when it was last compared with the same checksum.
    """
    sums = _sums(folder, remedy)
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if _is_checked(path.name)}
    if missing := sorted(sums.keys() - found):
        raise _damage(folder, "are missing", missing, remedy)
    if unknown := sorted(found - sums.keys()):
        raise _damage(folder, "are not in SHA256SUMS", unknown, "remove these files")
    kept = _cache() / "checked" / f"{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]}.json"
    known = _remembered(kept)
    checked = {name: [sums[name], *_state(folder / name)] for name in sorted(sums)}
    read = [name for name in checked if known.get(name) != checked[name]]
    damaged = [name for name in read if _sha256(folder / name) != sums[name]]
    if damaged:
        raise _damage(folder, "do not have the bytes of this data set", damaged, remedy)
    # A file that changed while it was read is read again by the next call.
    steady = {name: checked[name] for name in checked if checked[name][1:] == _state(folder / name)}
    if steady != known:
        _remember(kept, steady)


def _is_checked(name: str) -> bool:
    """Returns true for the files that a `Dataset` reads: the tables and their description."""
    return name.endswith((".csv", ".parquet")) or name == "datapackage.json"


def _sums(folder: Path, remedy: str) -> dict[str, str]:
    """Returns the checksums of the files that a `Dataset` reads, by their paths in ``folder``."""
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8", errors="replace").splitlines()
    pairs = [(path, checksum) for checksum, _, path in (line.partition("  ") for line in lines)]
    if not pairs or any(len(checksum) != 64 or not path for path, checksum in pairs):
        raise native.TetrastatError(f"{folder}: SHA256SUMS is damaged: {remedy}")
    return {path: checksum for path, checksum in pairs if _is_checked(path)}


def _damage(folder: Path, problem: str, names: list[str], remedy: str) -> native.TetrastatError:
    return native.TetrastatError(f"{folder}: {len(names)} files, such as {names[0]}, {problem}: {remedy}")


def _state(path: Path) -> list[int]:
    """Returns the size of a file, and the times of its last changes."""
    found = path.stat()
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _sha256(path: Path) -> str:
    checksum = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            checksum.update(block)
    return checksum.hexdigest()


def _remembered(kept: Path) -> dict[str, Any]:
    """Returns the checksum and the state of each checked file, or nothing if no such file can be read."""
    try:
        known = json.loads(kept.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(kept: Path, checked: dict[str, list[Any]]) -> None:
    """Replaces the file ``kept`` in one step. Without it, for example on a full disk, every call reads all files."""
    scratch = None
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=kept.parent, prefix=".", suffix=".tmp", delete=False, encoding="utf-8"
        ) as file:
            scratch = file.name
            json.dump(checked, file)
        os.replace(scratch, kept)
    except OSError:
        if scratch is not None:
            Path(scratch).unlink(missing_ok=True)


def _need(module: str, use: str) -> Any:
    """Imports an optional package, or fails with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        # The package itself is installed if a package that it needs is absent.
        wanted = _READERS[module] if error.name in (module, None) else error.name
        raise ImportError(f"{use} needs {wanted}: pip install '{wanted}'") from None


class Dataset:
    """Data set that ``tetrastat data set`` wrote. Nothing is read before a reader asks for rows.

    The tables in Parquet have one row for each placement, and for each candidate if those were logged. Readers add the
    settings of the conditions as columns: ``held_out`` (a Boolean in polars, otherwise ``"true"`` or ``"false"``),
    ``rules``, ``queue``, ``board_size``, ``search``, ``policy`` and ``controller``. Filters on these columns skip whole files.

    Attributes
    ----------
    path : pathlib.Path
        Folder of the data set.
    name, version : str
        Name and version, as the data set states them.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        package: dict[str, Any] = json.loads((self.path / "datapackage.json").read_text(encoding="utf-8"))
        self._package = package
        self.name: str = package["name"]
        self.version: str = package["version"]

    def __repr__(self) -> str:
        paths: list[str] = [one["path"] for one in self._package["resources"]]
        tables = dict.fromkeys(path.split("/")[0].removesuffix(".csv") for path in paths)
        return f"<Dataset {self.name} {self.version}: {', '.join(tables)}>"

    @property
    def card(self) -> str:
        """Text of the data card: files, columns, warnings and licence."""
        return (self.path / "README.md").read_text(encoding="utf-8")

    @property
    def _tables(self) -> dict[str, Path]:
        """Tables in CSV by name."""
        found = self._package["resources"]
        return {one["name"]: self.path / one["path"] for one in found if one["path"].endswith(".csv")}

    def _files(self, table: str) -> list[str]:
        """Returns the paths of the Parquet files of a table, relative to the folder."""
        paths: list[str] = [one["path"] for one in self._package["resources"]]
        found = [path for path in paths if path.startswith(f"{table}/")]
        if not found:
            raise KeyError(f"{self.path} has no partitions of '{table}'")
        return found

    def _columns(self, table: str) -> set[str]:
        path = self._files(table)[0]
        resource = next(one for one in self._package["resources"] if one["path"] == path)
        return {field["name"] for field in resource["schema"]["fields"]}

    def _glob(self, table: str) -> str:
        self._files(table)
        return (self.path / table).as_posix() + "/**/*.parquet"

    def table(self, name: str, columns: Iterable[str] | None = None, where: str | None = None) -> Table:
        """Returns the table of the games or of the conditions.

        Parameters
        ----------
        name : str
            ``"games"`` or ``"conditions"``.
        columns : iterable of str, optional
            Names of the columns to keep, in this order. Default: all.
        where : str, optional
            Comparisons joined by ``and``, such as ``"game<=20 and lines>3"``. Default: all rows.

        Returns
        -------
        Table
            Table that is read when a library such as pyarrow, polars or pandas asks for its rows.

        Raises
        ------
        KeyError
            If there is no such table.
        """
        tables = self._tables
        if name not in tables:
            raise KeyError(f"{self.path} has no table '{name}': use one of {', '.join(tables)}")
        return Table(tables[name], None if columns is None else list(columns), where, owner=self)

    def arrow(self, table: str = "placements") -> pyarrow.dataset.Dataset:
        """Returns a ``pyarrow.dataset.Dataset``. It needs pyarrow.

        Parameters
        ----------
        table : str
            ``"placements"``, or ``"candidates"`` if the data set has them.

        Examples
        --------
        >>> import pyarrow.compute as pc, tetrastat
        >>> rows = tetrastat.datasets.load("tiny").arrow()
        >>> rows.count_rows(filter=(pc.field("controller") == "lee") & (pc.field("d_holes") > 0))
        625
        """
        _need("pyarrow", "arrow()")
        self._files(table)
        reader = importlib.import_module("pyarrow.dataset")
        return reader.dataset(self.path / table, format="parquet", partitioning="hive")

    def polars(self, table: str = "placements") -> polars.LazyFrame:
        """Returns a ``polars.LazyFrame``. It needs polars; ``table`` is as for `arrow`."""
        frame = _need("polars", "polars()").scan_parquet(self._glob(table), hive_partitioning=True)
        return cast("polars.LazyFrame", frame)

    def duckdb(self, table: str = "placements", *, connection: Any = None) -> duckdb.DuckDBPyRelation:
        """Returns a ``duckdb.DuckDBPyRelation``. It needs duckdb; ``table`` is as for `arrow`.

        Parameters
        ----------
        table : str
            Name of the table.
        connection : duckdb.DuckDBPyConnection, optional
            Connection that evaluates the relation. Default: the default connection of duckdb.
        """
        relation = (connection or _need("duckdb", "duckdb()")).read_parquet(self._glob(table), hive_partitioning=True)
        return cast("duckdb.DuckDBPyRelation", relation)

    def huggingface(self, table: str = "placements", *, streaming: bool = True) -> Any:
        """Returns a ``datasets.IterableDatasetDict`` of Hugging Face. It needs the package datasets.

        Its keys are ``train``, ``validation`` and ``test``, by the column ``split``, and ``held_out`` for the rows of
        held-out conditions. Without the column, all rows but the held-out ones are in ``train``. Settings in the paths
        of the files are no columns here: join the table ``conditions`` by ``condition``. Single rows are read slowly; read
        many by ``["train"].with_format("arrow").iter(batch_size=10_000)``.

        Parameters
        ----------
        table : str
            Name of the table, as for `arrow`.
        streaming : bool
            True to read rows when they are asked for. With False, Hugging Face copies all rows into its own cache, and
            the result is a ``datasets.DatasetDict``.
        """
        reader = _need("datasets", "huggingface()")
        held_out = [path for path in self._files(table) if "/held_out=true/" in path]
        others = [path for path in self._files(table) if path not in held_out]
        has_split = "split" in self._columns(table)
        parts = {name: (others, name) for name in ("train", "validation", "test")} if has_split else {"train": (others, "")}
        parts["held_out"] = (held_out, "")

        def rows(paths: list[str], split: str) -> Any:
            files = [os.fspath(self.path / path) for path in paths]
            filters = [("split", "==", split)] if split else None
            return reader.load_dataset("parquet", data_files=files, split="train", streaming=streaming, filters=filters)

        kind = reader.IterableDatasetDict if streaming else reader.DatasetDict
        return kind({name: rows(paths, split) for name, (paths, split) in parts.items() if paths})

    def to_minari(
        self,
        dataset_id: str,
        *,
        conditions: Iterable[int] | None = None,
        split: str | None = None,
        **details: Any,
    ) -> Any:
        """Writes the games as a data set of Minari, for offline reinforcement learning.

        The method needs minari, pillow and pyarrow. Each game is an episode. An observation has ``board`` (uint8 of shape (height, width), row 0 is the floor),
        ``piece`` and ``next`` (0 to 6 for I O T S Z J L, and 7 for the unknown pieces at the end of a game). An action is
        the orientation and the column of the piece's leftmost cell, and the reward is the number of rows removed. A game
        that was cut off is truncated, another is terminated. The last board of a lost game is the one before it.

        Parameters
        ----------
        dataset_id : str
            Name for Minari, such as ``"tetris/tiny-v0"``.
        conditions : iterable of int, optional
            Numbers of the conditions to write. Default: all that are not held out.
        split : {"train", "validation", "test"}, optional
            Split of the games to write. Default: all games.
        **details
            Further arguments of ``minari.create_dataset_from_buffers``, such as ``author``, or ``data_format="hdf5"``,
            which needs h5py. Default of ``data_format``: ``"arrow"``.

        Returns
        -------
        minari.MinariDataset

        Raises
        ------
        TetrastatError
            If the data set is not of classic games, or lacks rows or columns that episodes need.
        """
        minari = _need("minari", "to_minari()")
        # Minari imports this package, but does not install it.
        _need("PIL", "to_minari()")
        spaces = _need("gymnasium", "to_minari()").spaces
        pyarrow = _need("pyarrow", "to_minari()")
        importlib.import_module("pyarrow.compute")
        parquet = importlib.import_module("pyarrow.parquet")
        configs = {one["condition"]: one["config"] for one in self._package["conditions"]}
        held_out = {one["condition"] for one in self._package["conditions"] if one["held_out"]}
        chosen = sorted(configs.keys() - held_out) if conditions is None else list(conditions)
        if absent := sorted(set(chosen) - configs.keys()):
            raise native.TetrastatError(f"conditions: the data set has no {absent[0]}: use 1 to {len(configs)}")
        if not chosen:
            raise native.TetrastatError("conditions: none is named, or all are held out: name some")
        needed = {"board_before", "piece", "orientation", "column", "lines", *(["split"] if split else [])}
        if missing := needed - self._columns("placements"):
            raise native.TetrastatError(
                f"to_minari() needs the columns {', '.join(sorted(missing))}: make the data set with its default columns"
            )
        if any("reach" not in configs[one] for one in chosen):
            raise native.TetrastatError("to_minari() writes classic games: choose a data set of such games")
        sizes = sorted({configs[one]["board"] for one in chosen})
        if len(sizes) > 1:
            raise native.TetrastatError(f"conditions: their boards are {', '.join(sizes)}: name conditions of one size")
        empty = Board.empty(sizes[0])
        needed |= {"next_1"} & self._columns("placements")
        games = self.table("games", ["condition", "game", "censored"]).to_pyarrow()
        files = self.table("conditions", ["condition", "file"]).to_pyarrow().to_pylist()
        paths = {one["condition"]: self.path / one["file"] for one in files}
        buffers: list[Any] = []
        for condition in chosen:
            rows = parquet.read_table(paths[condition], columns=["game", "piece_no", *needed], partitioning=None)
            if split:
                rows = rows.filter(pyarrow.compute.field("split") == split)
            censored = {one["game"] for one in games.to_pylist() if one["condition"] == condition and one["censored"]}
            make = minari.data_collector.EpisodeBuffer
            buffers += _episodes(rows, configs[condition], censored, len(buffers), make)
        if not buffers:
            raise native.TetrastatError(f"split: no game is in '{split}': use train, validation or test")
        return minari.create_dataset_from_buffers(
            dataset_id,
            buffers,
            observation_space=spaces.Dict(
                {
                    "board": spaces.Box(0, 1, (empty.height, empty.width), np.uint8),
                    "piece": spaces.Discrete(8),
                    "next": spaces.Discrete(8),
                }
            ),
            action_space=spaces.MultiDiscrete([4, empty.width]),
            **{
                "algorithm_name": "tetrastat",
                "data_format": "arrow",
                "description": self._package["description"],
                **details,
            },
        )


_PIECES = {letter: number for number, letter in enumerate("IOTSZJL")}
_UNKNOWN = len(_PIECES)


def _episodes(rows: Any, config: dict[str, Any], censored: set[int], first: int, make: Any) -> list[Any]:
    """Returns the games in ``rows`` as episodes for Minari, numbered from ``first``."""
    size = config["board"]
    column = {name: rows[name].to_pylist() for name in rows.column_names}
    games = np.asarray(column["game"])
    starts = [0, *(np.flatnonzero(np.diff(games)) + 1).tolist()] if len(games) else []
    variants = {"clear_on_overflow": config["clear_on_overflow"], "reach_anywhere": config["reach"] == "anywhere"}
    episodes: list[Any] = []
    for start, end in zip(starts, [*starts[1:], len(games)], strict=True):
        if column["piece_no"][start:end] != list(range(1, end - start + 1)):
            raise native.TetrastatError("to_minari() needs every placement: make the data set without `every`")
        boards = [Board.from_hex(text, size) for text in column["board_before"][start:end]]
        last = end - 1
        placed = boards[-1].place(
            column["piece"][last], column["orientation"][last], column["column"][last], config["rules"], **variants
        )
        boards.append(boards[-1] if placed.lost else placed.board)
        # The pieces after the last one are unknown, except that a player with a preview saw one of them.
        dealt = [*column["piece"][start:end], column.get("next_1", {last: None})[last], None]
        pieces = np.asarray([_PIECES.get(piece, _UNKNOWN) for piece in dealt], dtype=np.int64)
        ended, never = np.zeros((2, end - start), dtype=bool)
        ended[-1] = True
        is_cut_off = column["game"][start] in censored
        episodes.append(
            make(
                id=first + len(episodes),
                observations={
                    "board": np.stack([board.cells() for board in boards]).astype(np.uint8),
                    "piece": pieces[:-1],
                    "next": pieces[1:],
                },
                actions=np.column_stack([column["orientation"][start:end], column["column"][start:end]]).astype(np.int64),
                rewards=np.asarray(column["lines"][start:end], dtype=np.float64),
                terminations=never if is_cut_off else ended,
                truncations=ended if is_cut_off else never,
            )
        )
    return episodes
