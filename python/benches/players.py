"""Measures the time of a decision if a Python function gives values to the boards, beside a controller of the engine.

    python players.py [--pieces 200000] [--games-at-once 1 8 64 256]

The players `bcts` and `zeros` make the same decisions: the function returns zeros, and its player has the weights of
`bcts`. Their difference is the overhead of a function. `numpy` and `torch` are networks of one hidden layer of 64
units, which see the cells of the board. Seconds are those of the wall clock and of all processors.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import tetrastat

SIZE = "10x20"
#: Pieces of a game. All games reach this limit, because every player has the weights of `bcts`.
LIMIT = 250
WEIGHTS = tetrastat.show_controllers("bcts")["weights"]


def zeros(cells: np.ndarray) -> np.ndarray:
    """Returns zeros."""
    return np.zeros(len(cells))


def numpy_network() -> Any:
    """Returns a network as a function of NumPy. Its values are too small to change decisions often."""
    rng = np.random.default_rng(1)
    first, second = (rng.normal(size=shape).astype(np.float32) * 1e-3 for shape in ((200, 64), (64,)))

    def network(cells: np.ndarray) -> np.ndarray:
        return np.maximum(cells.reshape(len(cells), 200).astype(np.float32) @ first, 0) @ second

    return network


def torch_network() -> Any:
    """Returns the same network as a torch module, or None without torch."""
    try:
        import torch
    except ImportError:
        return None
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(200, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))


def measure(name: str, values: Any, search: str, pieces: int, games_at_once: int | None) -> float:
    """Plays games and prints the time of a decision in microseconds. Returns the wall-clock time."""
    calls, boards = 0, 0

    def counted(cells: np.ndarray) -> Any:
        nonlocal calls, boards
        calls, boards = calls + 1, boards + len(cells)
        return values(cells)

    if values is not None and not isinstance(values, str) and type(values).__module__.startswith("torch"):
        player: Any = tetrastat.Player(values, name=name, weights=WEIGHTS)
    else:
        player = values if isinstance(values, str) else tetrastat.Player(counted, name=name, weights=WEIGHTS)
    began, cpu = time.perf_counter(), time.process_time()
    run = tetrastat.simulate(
        player,
        board=SIZE,
        games=max(1, pieces // LIMIT),
        max_pieces=LIMIT,
        search=search,
        placements="none",
        seed=1,
        threads=games_at_once,
    )
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    played = sum(run.games.to_pyarrow()["pieces"].to_pylist())
    per_call = f"{played / calls:8.1f} {boards / calls:8.0f}" if calls else f"{'':17}"
    threads = "all cores" if games_at_once is None else str(games_at_once)
    print(
        f"{search:7} {name:8} {threads:>9} {wall / played * 1e6:9.2f} {cpu / played * 1e6:9.2f} {per_call}", flush=True
    )
    return wall / played


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=int, default=200_000)
    parser.add_argument("--games-at-once", type=int, nargs="+", default=[1, 16, 64, 256])
    given = parser.parse_args()
    head = "search  player    at once   wall us    CPU us  decisions, boards per call"
    print(head)
    for search, share in (("greedy", 1), ("next", 20)):
        pieces = given.pieces // share
        measure("bcts", "bcts", search, pieces, None)
        for at_once in given.games_at_once:
            measure("zeros", zeros, search, pieces, at_once)
        measure("numpy", numpy_network(), search, pieces, 64)
        module = torch_network()
        if module is not None:
            measure("torch", module, search, pieces, 64)


if __name__ == "__main__":
    main()
