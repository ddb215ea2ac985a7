"""Training, simulations, studies, comparisons and estimates on several machines, by Ray.

Every function plays the same games as on one machine and writes the same bytes. Tasks call the engine and return its
results. The driver, which is the calling process, writes folders and checkpoints. A driver that was killed resumes when
the same call is made again. Ray restarts tasks whose worker or node was lost.

All nodes need this package. They also need the files that settings name (controllers, boards), at the same path; presets
need no files.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .._tetrastat import Evaluator, SettingError, TetrastatError, Training, _Estimate, call_command, check_path, command_options
from .._tetrastat import replicate
from ._ray import TELL_EVERY, pool

__all__ = ["compare", "estimate", "simulate", "study", "train"]

# Minimum length of a task in seconds. Handing out a task costs about 1 ms, more than the games of a shorter one are worth.
SHORTEST_TASK = 0.05
# Number of tasks per core and generation: with fewer, the last tasks would leave cores idle for long.
TASKS_PER_CORE = 3
# Maximum number of shards of a run. It does not depend on the cores, since an autoscaled cluster starts without any.
MOST_SHARDS = 512

_log = logging.getLogger("tetrastat.cluster")


def train(
    method: str | None = None, *, address: str | None = "auto", task_seconds: float = 1.0, **settings: Any
) -> dict[str, Any]:
    """Trains a controller on a cluster. All cores share the games of a generation.

    Parameters
    ----------
    method : {"cem", "ga", "snes", "cmaes"}, optional
        Optimiser. Not needed with a ``preset`` or a ``config``.
    address : str, optional
        Ray's address: ``"auto"`` for the cluster of this machine, ``"local"`` for a new cluster on this machine.
    task_seconds : float
        Approximate length of a task in seconds. Tasks are shorter if the cores would not be shared evenly otherwise.
    **settings
        Options of ``tetrastat train`` with ``_`` for ``-``. ``out`` keeps a checkpoint after every generation.

    Returns
    -------
    dict
        Content of ``train.json``.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If Ray is not installed, or if no Ray answers at ``address``.

    Examples
    --------
    >>> from tetrastat import cluster
    >>> found = cluster.train("cem", board="10x10", features="bcts", out="mine", address="local")  # doctest: +SKIP
    """
    given = settings if method is None else {"method": method, **settings}
    training = Training(**given)
    games, logged = json.dumps({**training.settings, "threads": 1}), 0.0
    try:
        with pool(address) as cores:
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
    out: str | Path,
    address: str | None = "auto",
    shards: int | None = None,
    **settings: Any,
) -> Path:
    """Plays a run on a cluster, shard by shard, and merges the shards into ``out``.

    Parameters
    ----------
    controller : str or path, optional
        Name of a preset, or a TOML file, as for `tetrastat.simulate`.
    out : path
        Folder of the run. Complete shards are kept in a folder of that name with ``.shards`` appended until all shards
        are complete.
    address : str, optional
        Ray's address, as for `train`.
    shards : int, optional
        Number of shards, each of which is a task. Default: one for each game, at most 512. The output bytes do not
        depend on it.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``.

    Returns
    -------
    pathlib.Path
        Folder of the run.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If ``out`` holds another run, if Ray is not installed, or if no Ray answers at ``address``.
    """
    out = _local(out)
    if controller is not None:
        settings = {"controller": os.fspath(controller), **settings}
    planned = _called("simulate", {**settings, "dry_run": True})
    if (out / "run.json").exists():
        if json.loads((out / "run.json").read_text())["config"] == planned:
            return out
        raise TetrastatError(f"{out} holds another run: choose another out")
    waiting = out.with_name(out.name + ".shards")
    with pool(address) as cores:
        games = planned["matches" if "matches" in planned else "games"]
        shards = _kept_count(waiting, planned, min(games, shards or MOST_SHARDS))
        folders = [waiting / f"{part}-of-{shards}" for part in range(1, shards + 1)]
        given = {**settings, "threads": 1}
        tasks = {folder: (given, f"{part}/{shards}") for part, folder in enumerate(folders, 1) if not folder.exists()}
        try:
            for folder, files in cores.each(_play_shard, tasks):
                _keep(folder, files)
        finally:
            if not any(folder.exists() for folder in folders):
                shutil.rmtree(waiting, ignore_errors=True)
    _call("merge", {"shards": [str(folder) for folder in folders], "out": str(out)})
    shutil.rmtree(waiting)
    return out


def _kept_count(waiting: Path, planned: Any, shards: int) -> int:
    """Returns the number of shards, which a resumed run keeps from its start."""
    plan = waiting / "plan.json"
    if not plan.exists():
        _write(plan, json.dumps({"config": planned, "shards": shards}))
        return shards
    begun = json.loads(plan.read_text())
    if begun["config"] != planned:
        raise TetrastatError(f"{waiting} holds shards of another run: remove it, or choose another out")
    return int(begun["shards"])


def _play_shard(settings: dict[str, Any], shard: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        _call("simulate", {**settings, "shard": shard, "out": f"{folder}/run"})
        return _files(Path(folder, "run"))


def study(file: str | Path, *, out: str | Path, address: str | None = "auto") -> dict[str, Any]:
    """Plays a study on a cluster. Each condition is a task.

    Parameters
    ----------
    file : path
        TOML file of the study, as for ``tetrastat study``.
    out : path
        Folder of the study. Conditions that are complete there are not played again.
    address : str, optional
        Ray's address, as for `train`.

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
    _write(begun, text)
    missing = [row for row in rows if not (out / row["folder"] / "run.json").exists()]
    with pool(address) as cores:
        tasks = {out / row["folder"]: (str(file), text, row["condition"], row["folder"]) for row in missing}
        for folder, files in cores.each(_play_condition, tasks):
            _keep(folder, files)
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
    players: Sequence[str],
    *,
    out: str | Path,
    address: str | None = "auto",
    measure: str | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Compares controllers on common seeds on a cluster.

    The function plays a study in which the games of each player are a task, then runs ``tetrastat compare --from`` on it.

    Parameters
    ----------
    players : sequence of str
        Two or more presets or TOML files. Options of a single one follow a colon: ``"bcts:search=next"``.
    out : path
        Folder of the study. The study's TOML file is written next to it, with ``.toml`` appended to the name.
    address : str, optional
        Ray's address, as for `train`.
    measure : str, optional
        Column of the games to compare, as for ``--measure``.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``, for all players.

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
    for player in players:
        name, own = player.rsplit(":", 1) if "=" in player.rsplit(":", 1)[-1] else (player, "")
        pairs = [pair.split("=", 1) for pair in own.split(",") if pair]
        lines += ["[[condition]]", f"controller = {json.dumps(name)}"]
        lines += [f"{key.strip()} = {json.dumps(value)}" for key, value in pairs]
    file = out.with_name(out.name + ".toml")
    _write(file, "\n".join(lines) + "\n")
    study(file, out=out, address=address)
    summary: dict[str, Any] = _called("compare", {"from": str(out), "measure": measure})
    return summary


def estimate(
    controller: str | os.PathLike[str] | None = None,
    *,
    out: str | Path,
    address: str | None = "auto",
    **settings: Any,
) -> dict[str, Any]:
    """Estimates the mean lines of games that are too long to play, on a cluster. Each replication is a task.

    Parameters
    ----------
    controller : str or path, optional
        Name of a preset, or a TOML file, as for `tetrastat.estimate`.
    out : path
        Folder of the estimate. Replications that are complete there are not played again.
    address : str, optional
        Ray's address, as for `train`.
    **settings
        Options of ``tetrastat estimate`` with ``_`` for ``-``.

    Returns
    -------
    dict
        Content of ``estimate.json``.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If ``out`` holds another estimate, if Ray is not installed, or if no Ray answers at ``address``.
    """
    if controller is not None:
        settings = {"controller": os.fspath(controller), **settings}
    estimation, logged = _Estimate(out=str(_local(out)), **settings), 0.0
    done: dict[int, str] = {}
    with pool(address) as cores:
        given, levels = {**settings, "threads": 1}, estimation.levels
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
    printed, _, is_complete, messages = call_command(command, settings)
    if not is_complete:
        raise TetrastatError("; ".join(messages) or f"{command} did not finish")
    return printed


def _called(command: str, settings: dict[str, Any]) -> Any:
    return json.loads(_call(command, {**settings, "format": "json"}))


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def _keep(folder: Path, files: dict[str, bytes]) -> None:
    """Writes a folder atomically: an interruption leaves no incomplete folder of that name."""
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name, data in files.items():
        (partial / name).write_bytes(data)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text)
    partial.replace(path)
