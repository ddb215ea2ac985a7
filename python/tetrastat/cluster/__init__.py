"""Work for more than one machine, spread by Ray: training, simulations, studies, comparisons and estimates.

Every function plays the same games as on one machine and leaves the same bytes. Tasks call the engine and return what
it found; the driver, which is the process that calls, keeps folders and checkpoints: killed and started again it
goes on. Ray starts tasks again whose worker or node was lost. All nodes need this package, and the files that settings
name (controllers, boards) at the same path; presets need none.
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

# Games of a shorter task cost less than handing it out (about 1 ms).
SHORTEST_TASK = 0.05
# Tasks per core and generation: enough that the last tasks leave no core idle for long.
TASKS_PER_CORE = 3
# Largest number of shards of a run. It does not depend on the cores: an autoscaled cluster starts with none.
MOST_SHARDS = 512

_log = logging.getLogger("tetrastat.cluster")


def train(
    method: str | None = None, *, address: str | None = "auto", task_seconds: float = 1.0, **settings: Any
) -> dict[str, Any]:
    """Train a controller on a cluster: candidates of a generation play on all its cores.

    Parameters
    ----------
    method : {"cem", "ga", "snes", "cmaes"}, optional
        The optimiser; not needed with a ``preset`` or a ``config``.
    address : str, optional
        Ray's address: ``"auto"`` for the cluster that this machine belongs to, ``"local"`` for one of its own.
    task_seconds : float
        About how long a task is to be, in seconds; shorter where the cores would not be shared evenly.
    **settings
        Options of ``tetrastat train`` with ``_`` for ``-``. ``out`` keeps a checkpoint after every generation.

    Returns
    -------
    dict
        What ``train.json`` says.
    """
    said = settings if method is None else {"method": method, **settings}
    training = Training(**said)
    games, told = json.dumps({**training.settings, "threads": 1}), 0.0
    try:
        with pool(address) as cores:
            pace = Pace(task_seconds, cores.count)
            while (bout := training.ask()) is not None:
                pace.cores = cores.count
                parts = list(pace.parts(*bout))
                played = cores.all(_play_pairs, [(games, *part) for part in parts])
                training.tell(np.concatenate([rows for rows, _ in played]))
                pace.learn(sum(seconds for _, seconds in played), len(bout[0]) * bout[2])
                if time.monotonic() - told >= TELL_EVERY:
                    told = time.monotonic()
                    _log.info("%s, %d cores", training.said, pace.cores)
    except BaseException:
        if training.generation:
            training.finish()
        raise
    return training.finish()


class Pace:
    """How many games make a task."""

    def __init__(self, task_seconds: float, cores: int) -> None:
        self.task_seconds, self.cores = task_seconds, cores
        self.of_pair: float | None = None

    def size(self, pairs: int) -> int:
        """Pairs of candidate and game in a task, when so many are to be played."""
        even = pairs / (TASKS_PER_CORE * self.cores)
        if self.of_pair is not None:
            even = min(self.task_seconds / self.of_pair, max(SHORTEST_TASK / self.of_pair, even))
        return max(1, ceil(even))

    def learn(self, seconds: float, pairs: int) -> None:
        """Takes how long pairs took, over all cores."""
        self.of_pair = max(seconds / pairs, 1e-9)

    def parts(
        self, weights: npt.NDArray[np.float64], seed: int, games: int
    ) -> Iterator[tuple[npt.NDArray[np.float64], int, int, int, int]]:
        """Parts of a bout: the candidates that play, seed, games of each, and the first and the last pair of them."""
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
    """Play a run on a cluster, shard by shard, and merge it into ``out``.

    Parameters
    ----------
    controller : str or path, optional
        A preset or a TOML file, as for `tetrastat.simulate`.
    out : path
        The run's folder; shards wait beside it, in a folder with ``.shards`` behind the name, until all are played.
    address : str, optional
        Ray's address, as for `train`.
    shards : int, optional
        Parts of the games, each a task [default: one for each game, at most 512]. The bytes do not depend on it.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``.

    Returns
    -------
    Path
        The folder.
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
        said = {**settings, "threads": 1}
        tasks = {folder: (said, f"{part}/{shards}") for part, folder in enumerate(folders, 1) if not folder.exists()}
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
    """The number of shards: that of a run which was begun there."""
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
    """Play a study on a cluster, each condition a task.

    Parameters
    ----------
    file : path
        The study's TOML file, as ``tetrastat study`` takes it.
    out : path
        The study's folder; conditions that are complete there are not played again.
    address : str, optional
        Ray's address, as for `train`.

    Returns
    -------
    dict
        What ``tetrastat study --format json`` prints.
    """
    file, out = _local(file).absolute(), _local(out)
    text = file.read_text()
    rows = _called("study", {"file": str(file), "dry_run": True})["conditions"]
    begun = out / "study.toml"
    if begun.exists() and begun.read_text() != text:
        raise TetrastatError(f"{out} was begun with another file: choose another out")
    _write(begun, text)
    missing = [row for row in rows if not (out / row["folder"] / "run.json").exists()]
    with pool(address) as cores:
        tasks = {out / row["folder"]: (str(file), text, row["condition"], row["folder"]) for row in missing}
        for folder, files in cores.each(_play_condition, tasks):
            _keep(folder, files)
    told: dict[str, Any] = _called("study", {"file": str(file), "out": str(out)})
    return told


def _play_condition(file: str, text: str, number: int, name: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        if not Path(file).exists():
            # No folder is shared: paths in the file are then of presets alone.
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
    """Compare controllers on common seeds, each player's games a task: a study, and ``tetrastat compare --from`` it.

    Parameters
    ----------
    players : sequence of str
        Two or more presets or files, each with options of its own behind a colon if it has any: ``"bcts:search=next"``.
    out : path
        The folder of the study; its file ``compare.toml`` stands beside it.
    address : str, optional
        Ray's address, as for `train`.
    measure : str, optional
        A column of the games, as ``--measure`` names it.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``, for all players.

    Returns
    -------
    dict
        What ``tetrastat compare --format json`` prints.
    """
    out = _local(out)
    known = [name for name, _, _ in command_options("simulate")]
    for key in settings:
        if key not in known:
            raise SettingError(
                f"compare has no option '{key}' on a cluster: it takes measure and those of simulate; "
                "others, such as until_halfwidth, are of `tetrastat compare` on one machine"
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
    told: dict[str, Any] = _called("compare", {"from": str(out), "measure": measure})
    return told


def estimate(
    controller: str | os.PathLike[str] | None = None,
    *,
    out: str | Path,
    address: str | None = "auto",
    **settings: Any,
) -> dict[str, Any]:
    """Estimate the mean lines of games too long to play on a cluster, each replication a task.

    Parameters
    ----------
    controller : str or path, optional
        A preset or a TOML file, as for `tetrastat.estimate`.
    out : path
        The estimate's folder; replications that are there are not played again.
    address : str, optional
        Ray's address, as for `train`.
    **settings
        Options of ``tetrastat estimate`` with ``_`` for ``-``.

    Returns
    -------
    dict
        What ``estimate.json`` says.
    """
    if controller is not None:
        settings = {"controller": os.fspath(controller), **settings}
    begun, told = _Estimate(out=str(_local(out)), **settings), 0.0
    done: dict[int, str] = {}
    with pool(address) as cores:
        said, levels = {**settings, "threads": 1}, begun.levels
        numbers = ((number, (said, levels, number)) for number in range(begun.next, 2**62))
        if not begun.is_enough:
            for number, found in cores.endless(_replicate, numbers):
                done[number] = found
                while not begun.is_enough and begun.next in done:
                    begun.tell(done.pop(begun.next))
                if time.monotonic() - told >= TELL_EVERY:
                    told = time.monotonic()
                    _log.info("%d replications, %d cores", begun.next, cores.count)
                if begun.is_enough:
                    break
    return begun.finish()


def _replicate(settings: dict[str, Any], levels: str, number: int) -> str:
    return replicate(settings, levels, number)


def _local(path: str | os.PathLike[str]) -> Path:
    """Returns the path of a text that is not an address of other storage."""
    check_path(os.fspath(path))
    return Path(path)


def _call(command: str, settings: dict[str, Any]) -> str:
    """Runs a command of the engine in this process; what it printed."""
    printed, _, is_whole, said = call_command(command, settings)
    if not is_whole:
        raise TetrastatError("; ".join(said) or f"{command} did not come to its end")
    return printed


def _called(command: str, settings: dict[str, Any]) -> Any:
    return json.loads(_call(command, {**settings, "format": "json"}))


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def _keep(folder: Path, files: dict[str, bytes]) -> None:
    """Writes a folder that is there whole or not at all."""
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
