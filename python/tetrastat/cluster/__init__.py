"""Training, simulations, studies, comparisons and estimates on several machines, by Ray, Dask or an executor.

Every function plays the same games as on one machine and writes the same rows. Tasks call the engine. Those of `simulate`
write their logs themselves, others return their results. The driver, which is the calling process, writes the rest. A
driver that was killed resumes when the same call is made again. Tasks whose worker or node was lost are started again.

All nodes need this package. They also need the files that settings name (controllers, boards), at the same path; presets
need no files.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._folders import Run, read_run
from .._players import player_of
from .._store import MANIFEST, Store
from .._tetrastat import Evaluator, SettingError, TetrastatError, Training, _Estimate, call_command, check_path, command_options
from .._tetrastat import merge_written_parts, part_name, replicate
from ._pool import TELL_EVERY, Pool, pool

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import EstimateSettings, SimulateSettings, TrainSettings

__all__ = ["compare", "estimate", "simulate", "study", "train"]

# Minimum length of a task in seconds. Handing out a task costs about 1 ms, more than the games of a shorter one are worth.
SHORTEST_TASK = 0.05
# Number of tasks per core and generation: with fewer, the last tasks would leave cores idle for long.
TASKS_PER_CORE = 3
# Number of tasks that a short run is divided into if its games allow it. It does not depend on the cores, since an
# autoscaled cluster starts without any.
FEWEST_TASKS = 64
# Length of a task of such a run in seconds, at least. A task of a logged run costs about 0.1 s beside its games.
SHORTEST_SHARD = 5.0
# Minimum number of seconds for which games are measured, and the pieces of the first of these games.
PILOT_SECONDS = 0.2
PILOT_PIECES = 2000

_log = logging.getLogger("tetrastat.cluster")


def train(
    method: str | None = None,
    *,
    address: str | None = "auto",
    client: Any = None,
    task_seconds: float = 1.0,
    max_retries: int = 3,
    **settings: Unpack[TrainSettings],
) -> dict[str, Any]:
    """Trains a controller on a cluster. All cores share the games of a generation.

    Parameters
    ----------
    method : {"cem", "ga", "snes", "cmaes"}, optional
        Optimiser. Not needed with a ``preset`` or a ``config``.
    address, client, max_retries
        As for `simulate`.
    task_seconds : float
        Approximate length of a task in seconds. Tasks are shorter if the cores would not be shared evenly otherwise.
    **settings
        Options of ``tetrastat train`` with ``_`` for ``-``. ``out`` keeps a checkpoint after every generation.

    Returns
    -------
    dict
        Content of ``run.json``.

    Examples
    --------
    >>> from tetrastat import cluster
    >>> found = cluster.train("cem", board="10x10", features="bcts", out="mine", address="local")  # doctest: +SKIP
    """
    given = settings if method is None else {"method": method, **settings}
    training = Training(**given)
    games, logged = json.dumps({**training.settings, "threads": 1}), 0.0
    try:
        with pool(address, client, max_retries) as cores:
            pace = Pace(task_seconds, cores.count)
            while (batch := training.ask()) is not None:
                pace.cores = cores.count
                parts = list(pace.parts(*batch))
                played = cores.all(_play_pairs, [(games, *part) for part in parts])
                training.tell(np.concatenate([rows for rows, _ in played]))
                pace.learn(sum(seconds for _, seconds in played), len(batch[0]) * batch[2])
                if time.monotonic() - logged >= TELL_EVERY:
                    logged = time.monotonic()
                    _log.info("%s, %d cores", training.text, pace.cores)
    except BaseException:
        if training.generation:
            training.finish()
        raise
    return training.finish()


class Pace:
    """Number of games that make a task, adapted to the speed of the games."""

    def __init__(self, task_seconds: float, cores: int) -> None:
        self.task_seconds: float = task_seconds
        self.cores: int = cores
        self.of_pair: float | None = None

    def size(self, pairs: int) -> int:
        """Returns the number of pairs of candidate and game in a task if ``pairs`` are to be played."""
        even = pairs / (TASKS_PER_CORE * self.cores)
        if self.of_pair is not None:
            even = min(self.task_seconds / self.of_pair, max(SHORTEST_TASK / self.of_pair, even))
        return max(1, ceil(even))

    def learn(self, seconds: float, pairs: int) -> None:
        """Records that ``pairs`` took ``seconds``, summed over all cores."""
        self.of_pair = max(seconds / pairs, 1e-9)

    def parts(
        self, weights: npt.NDArray[np.float64], seed: int, games: int
    ) -> Iterator[tuple[npt.NDArray[np.float64], int, int, int, int]]:
        """Yields tasks: candidates, seed, games of each candidate, and the first and last pair of these candidates."""
        pairs = len(weights) * games
        size = self.size(pairs)
        for first in range(0, pairs, size):
            last = min(first + size, pairs)
            one, other = first // games, ceil(last / games)
            yield weights[one:other], seed, games, first - one * games, last - one * games


@lru_cache(maxsize=4)
def _evaluator(settings: str) -> Evaluator:
    return Evaluator(**json.loads(settings))


def _play_pairs(
    settings: str, weights: npt.NDArray[np.float64], *part: int
) -> tuple[npt.NDArray[np.float64], float]:
    evaluator, began = _evaluator(settings), time.perf_counter()
    seed, games, first, last = part
    return evaluator.play(weights, seed, games, first, last), time.perf_counter() - began


def simulate(
    controller: str | os.PathLike[str] | None = None,
    *,
    out: str | os.PathLike[str],
    address: str | None = "auto",
    client: Any = None,
    games_per_task: int | None = None,
    task_seconds: float = 30.0,
    max_retries: int = 3,
    parts: bool = True,
    storage_options: Mapping[str, Any] | None = None,
    progress: bool = False,
    **settings: Unpack[SimulateSettings],
) -> Run:
    """Plays a run on a cluster. Each task plays some games and writes their log where it plays them.

    The logs of a run with ``placements="parquet"`` are folders of parts: ``OUT/placements.parquet/part-00001.parquet``,
    ... All programs that read Parquet data sets, and all functions and commands of this package, read such a folder as
    one table. Other logs are joined by this process.

    Parameters
    ----------
    controller : str or path, optional
        Name of a preset, or a TOML file, as for `tetrastat.simulate`.
    out : path or str
        Folder of the run, or a URL such as ``s3://bucket/run`` of a file system of fsspec. Finished tasks are kept in a
        folder of that name with ``.shards`` appended until all tasks are finished. Workers write to ``out`` themselves if
        they have access to it; otherwise their files go through this process.
    address : str, optional
        Ray's address: ``"auto"`` for the cluster of this machine, ``"local"`` for a new cluster on this machine.
    client : distributed.Client or concurrent.futures.Executor, optional
        Dask client or executor that plays the tasks in place of Ray.
    games_per_task : int, optional
        Number of games in each task. Default: 1 for up to 64 games. For more games, a first task measures the speed of
        play, and the number is chosen so that a task takes about ``task_seconds``. A resumed run keeps its number.
    task_seconds : float
        Approximate length of a task in seconds. This is the work that a lost worker loses. Tasks are shorter in a short
        run, so that there are enough of them for all cores.
    max_retries : int
        Maximum number of times that Ray restarts a task after its worker or node was lost.
    parts : bool
        False to join Parquet logs into one file, too, which has the bytes of one machine.
    storage_options : mapping, optional
        Options of the file system of a URL, such as an endpoint and keys.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``.

    Returns
    -------
    Run
        Run in ``out``, as `tetrastat.read_run` returns it.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If ``out`` holds anything but this run, if each worker that played a task was lost, if Ray is not installed, or if
        no Ray answers at ``address``.

    Examples
    --------
    >>> from concurrent.futures import ProcessPoolExecutor
    >>> from tetrastat import cluster
    >>> with ProcessPoolExecutor() as client:  # doctest: +SKIP
    ...     run = cluster.simulate("bcts", games=600, placements="parquet", out="run", client=client)
    >>> run.placements(["piece", "holes"]).to_polars()  # doctest: +SKIP
    """
    if games_per_task is not None and games_per_task < 1:
        raise SettingError(f"games_per_task {games_per_task}: give 1 or more")
    options = _with_controller(controller, settings)
    planned = _called("simulate", {**options, "dry_run": True})
    store = Store(out, storage_options)
    waiting = store.beside(".shards")
    manifest = store.read(MANIFEST)
    if manifest is not None:
        if json.loads(manifest)["config"] != planned:
            raise TetrastatError(f"{out} holds another run: choose another out")
        waiting.remove()
        return read_run(out, storage_options=storage_options)
    given, finished = {**options, "threads": 1}, set()
    with pool(address, client, max_retries) as cores:
        plan = _read_plan(store, waiting, planned)
        try:
            if plan is None:
                games = planned["matches" if "matches" in planned else "games"]
                if games_per_task is None:
                    games_per_task = _games_per_task(cores, given, planned, games, task_seconds)
                plan = {"config": planned, "shards": ceil(games / games_per_task), "id": uuid.uuid4().hex}
                waiting.write("plan.json", json.dumps(plan).encode())
            shards, finished = [Shard(part, plan["shards"]) for part in range(1, plan["shards"] + 1)], waiting.finished()
            tasks = {shard: (store, waiting, plan["id"], given, shard, parts) for shard in shards if shard.name not in finished}
            for shard, files in cores.each(_play_shard, tasks, progress=progress):
                if files is not None:
                    with tempfile.TemporaryDirectory(dir=waiting.folder, prefix=".") as folder:
                        _keep_shard(store, waiting, _written(files, Path(folder, "run")), shard, parts)
                finished.add(shard.name)
        finally:
            # The parts of tasks that have not reported yet need the plan. A store that fails says so elsewhere.
            with suppress(TetrastatError):
                if not finished and not store.names():
                    waiting.remove()
    try:
        _complete(store, waiting, shards, parts)
    except (OSError, TetrastatError):
        # Another process may have completed the same run meanwhile, and removed its shards.
        manifest = store.read(MANIFEST)
        if manifest is None or json.loads(manifest)["config"] != planned:
            raise
        waiting.remove()
    return read_run(out, storage_options=storage_options)


def _with_controller(controller: str | os.PathLike[str] | None, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options of a command with those of its controller."""
    _refuse_functions([controller])
    return dict(settings) if controller is None else {"controller": os.fspath(controller), **settings}


def _refuse_functions(controllers: Sequence[Any]) -> None:
    """Checks that no controller is a function, because tasks receive settings as text."""
    if any(player_of(one) is not None for one in controllers):
        raise SettingError("a function cannot play on a cluster: give the name of a controller, or use the function of tetrastat")


@dataclass(frozen=True)
class Shard:
    """Part of the games of a run, which a task plays."""

    part: int
    of: int

    @property
    def name(self) -> str:
        """Name of the folder of the finished shard."""
        return f"{self.part}-of-{self.of}"

    def __str__(self) -> str:
        return f"shard {self.part}/{self.of} of the games"


def _read_plan(store: Store, waiting: Store, planned: Any) -> dict[str, Any] | None:
    """Returns the plan of a run that was started before, or None. Its tasks do not depend on this call."""
    text = waiting.read("plan.json")
    if text is None:
        if store.names():
            raise TetrastatError(f"{store.place} holds other files: choose another out")
        return None
    begun: dict[str, Any] = json.loads(text)
    if begun["config"] != planned:
        raise TetrastatError(f"{waiting.place} holds shards of another run: remove it, or choose another out")
    return begun


def _games_per_task(cores: Pool, settings: dict[str, Any], planned: Any, games: int, task_seconds: float) -> int:
    """Returns the number of games that last about ``task_seconds``. A short run has fewer games in a task."""
    if games <= FEWEST_TASKS:
        return 1
    seconds: float
    [seconds] = cores.all(_measure_game, [(settings, games, planned.get("max_pieces", 0))])
    whole = seconds * games
    tasks = max(whole / task_seconds, min(FEWEST_TASKS, whole / SHORTEST_SHARD), 1)
    return max(1, floor(games / tasks))


def _measure_game(settings: dict[str, Any], games: int, limit: int | None) -> float:
    """Returns the seconds of a game, measured on the first ones.

    A game is played to ``limit`` pieces; None is no limit. So that the measurement of long games is short, they are cut off,
    unless the limit is 0 because such games are not counted in pieces. The result is then a lower bound.
    """
    count, pieces = 1, PILOT_PIECES
    while True:
        given = {**settings, "games": count}
        is_cut = limit is None or pieces < limit
        if is_cut:
            given["max_pieces"] = pieces
        with tempfile.TemporaryDirectory() as folder:
            # Other work on the machine does not change the time of the processor.
            began = time.process_time()
            _call("simulate", {**given, "out": f"{folder}/run"})
            seconds = time.process_time() - began
            played = json.loads(Path(folder, "run", MANIFEST).read_text())
        is_cut = is_cut and played.get("pieces", 0) >= count * pieces
        if seconds >= PILOT_SECONDS or (count == games and not is_cut):
            return seconds / count
        if is_cut:
            pieces *= 4
        else:
            count = min(2 * count, games)


def _play_shard(
    store: Store, waiting: Store, plan: str, settings: dict[str, Any], shard: Shard, parts: bool
) -> dict[str, bytes] | None:
    """Plays a shard and keeps it. Returns its files if this worker has no access to the folder of the results."""
    begun = waiting.read("plan.json")
    is_shared = begun is not None and json.loads(begun)["id"] == plan
    with tempfile.TemporaryDirectory(dir=waiting.folder if is_shared else None, prefix=".") as folder:
        run = Path(folder, "run")
        _call("simulate", {**settings, "shard": f"{shard.part}/{shard.of}", "out": str(run)})
        if not is_shared:
            return _files(run)
        _keep_shard(store, waiting, run, shard, parts)
    return None


def _keep_shard(store: Store, waiting: Store, run: Path, shard: Shard, parts: bool) -> None:
    """Moves the folder of a finished shard to the results: its Parquet logs to their places in the run, the rest to ``waiting``."""
    for file in run.glob("*.parquet") if parts else ():
        store.put(file, f"{file.name}/{part_name(shard.part, shard.of)}")
    waiting.put_folder(run, shard.name)


def _complete(store: Store, waiting: Store, shards: list[Shard], parts: bool) -> None:
    """Writes the tables of the run that are no parts, its description, and at last its manifest."""
    with tempfile.TemporaryDirectory(dir=waiting.folder, prefix=".") as folder:
        scratch = Path(folder)
        folders, whole = [str(waiting.fetch(shard.name, scratch)) for shard in shards], scratch / "whole"
        if parts:
            merge_written_parts(folders, str(whole))
        else:
            _call("data merge", {"shards": folders, "out": str(whole)})
        for file in sorted(whole.iterdir(), key=lambda file: (file.name == MANIFEST, file.name)):
            store.put(file, file.name)
    waiting.remove()


def study(
    file: str | Path, *, out: str | Path, address: str | None = "auto", client: Any = None, max_retries: int = 3
) -> dict[str, Any]:
    """Plays a study on a cluster. Each condition is a task.

    Parameters
    ----------
    file : path
        TOML file of the study, as for ``tetrastat study``.
    out : path
        Folder of the study. Conditions that are complete there are not played again.
    address, client, max_retries
        As for `simulate`.

    Returns
    -------
    dict
        Output of ``tetrastat study --format json``.

    Raises
    ------
    TetrastatError
        If ``out`` holds another study, if Ray is not installed, or if no Ray answers at ``address``.
    """
    file, out = _local(file).absolute(), _local(out)
    text = file.read_text()
    rows = _called("study", {"file": str(file), "dry_run": True})["conditions"]
    begun = out / "study.toml"
    if begun.exists() and begun.read_text() != text:
        raise TetrastatError(f"{out} was started with another file: choose another out")
    store = Store(out)
    store.write("study.toml", text.encode())
    missing = [row for row in rows if not (out / row["folder"] / MANIFEST).exists()]
    with pool(address, client, max_retries) as cores:
        tasks = {row["folder"]: (str(file), text, row["condition"], row["folder"]) for row in missing}
        for name, files in cores.each(_play_condition, tasks):
            with tempfile.TemporaryDirectory(dir=out, prefix=".") as folder:
                store.put_folder(_written(files, Path(folder, name)), name)
    summary: dict[str, Any] = _called("study", {"file": str(file), "out": str(out)})
    return summary


def _play_condition(file: str, text: str, number: int, name: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        if not Path(file).exists():
            # The nodes share no folder, so the file can name only presets.
            file = f"{folder}/study.toml"
            Path(file).write_text(text)
        _call("study", {"file": file, "condition": number, "threads": 1, "out": f"{folder}/study"})
        return _files(Path(folder, "study", name))


def compare(
    controllers: Sequence[str],
    *,
    out: str | Path,
    address: str | None = "auto",
    client: Any = None,
    max_retries: int = 3,
    measure: str | None = None,
    **settings: Unpack[SimulateSettings],
) -> dict[str, Any]:
    """Compares controllers on common seeds on a cluster.

    The function plays a study in which the games of each controller are a task, then runs ``tetrastat compare --from`` on it.

    Parameters
    ----------
    controllers : sequence of str
        Two or more presets or TOML files. Options of a single one follow a colon: ``"bcts:search=next"``.
    out : path
        Folder of the study. The study's TOML file is written next to it, with ``.toml`` appended to the name.
    address, client, max_retries
        As for `simulate`.
    measure : str, optional
        Column of the games to compare, as for ``--measure``.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``, for all controllers.

    Returns
    -------
    dict
        Output of ``tetrastat compare --format json``.

    Raises
    ------
    SettingError
        If there is no such option, or if an option has an invalid value.
    TetrastatError
        If ``out`` holds another study, if Ray is not installed, or if no Ray answers at ``address``.
    """
    _refuse_functions(controllers)
    out = _local(out)
    known = [entry["name"] for entry in command_options("simulate")]
    for key in settings:
        if key not in known:
            raise SettingError(
                f"compare has no option '{key}' on a cluster: it takes measure and the options of simulate; "
                "others, such as until_halfwidth, need `tetrastat compare` on one machine"
            )
    both = {"games": 100, "placements": "none", **settings}
    lines = [f"{key} = {json.dumps(value)}" for key, value in both.items() if value is not None]
    for player in controllers:
        name, own = player.rsplit(":", 1) if "=" in player.rsplit(":", 1)[-1] else (player, "")
        pairs = [pair.split("=", 1) for pair in own.split(",") if pair]
        lines += ["[[condition]]", f"controller = {json.dumps(name)}"]
        lines += [f"{key.strip()} = {json.dumps(value)}" for key, value in pairs]
    file = out.with_name(out.name + ".toml")
    Store(file.parent).write(file.name, ("\n".join(lines) + "\n").encode())
    study(file, out=out, address=address, client=client, max_retries=max_retries)
    summary: dict[str, Any] = _called("compare", {"from": str(out), "measure": measure})
    return summary


def estimate(
    controller: str | os.PathLike[str] | None = None,
    *,
    out: str | Path,
    address: str | None = "auto",
    client: Any = None,
    max_retries: int = 3,
    **settings: Unpack[EstimateSettings],
) -> dict[str, Any]:
    """Estimates the mean lines of games that are too long to play, on a cluster. Each replication is a task.

    Parameters
    ----------
    controller : str or path, optional
        Name of a preset, or a TOML file, as for `tetrastat.estimate`.
    out : path
        Folder of the estimate. Replications that are complete there are not played again.
    address, client, max_retries
        As for `simulate`.
    **settings
        Options of ``tetrastat estimate`` with ``_`` for ``-``.

    Returns
    -------
    dict
        Results of the estimate, the content of ``summary`` in ``run.json``.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If ``out`` holds another estimate, if Ray is not installed, or if no Ray answers at ``address``.
    """
    options = _with_controller(controller, settings)
    estimation, logged = _Estimate(out=str(_local(out)), **options), 0.0
    done: dict[int, str] = {}
    with pool(address, client, max_retries) as cores:
        given, levels = {**options, "threads": 1}, estimation.levels
        numbers = ((number, (given, levels, number)) for number in range(estimation.next, 2**62))
        if not estimation.is_enough:
            for number, found in cores.endless(_replicate, numbers):
                done[number] = found
                while not estimation.is_enough and estimation.next in done:
                    estimation.tell(done.pop(estimation.next))
                if time.monotonic() - logged >= TELL_EVERY:
                    logged = time.monotonic()
                    _log.info("%d replications, %d cores", estimation.next, cores.count)
                if estimation.is_enough:
                    break
    return estimation.finish()


def _replicate(settings: dict[str, Any], levels: str, number: int) -> str:
    return replicate(settings, levels, number)


def _local(path: str | os.PathLike[str]) -> Path:
    """Returns a path, or raises an error for an address of other storage such as ``s3://bucket/run``."""
    check_path(os.fspath(path))
    return Path(path)


def _call(command: str, settings: dict[str, Any]) -> str:
    """Runs a command of the engine in this process and returns the printed text."""
    printed, _, _, is_complete, messages = call_command(command, settings)
    if not is_complete:
        raise TetrastatError("; ".join(messages) or f"{command} did not finish")
    return printed


def _called(command: str, settings: dict[str, Any]) -> Any:
    return json.loads(_call(command, {**settings, "format": "json"}))


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def _written(files: dict[str, bytes], folder: Path) -> Path:
    """Writes files into a new folder and returns the folder."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder
