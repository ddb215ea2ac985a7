"""Measures the share of a training's time on a Ray cluster that passes outside of games, and the cost of an empty task.

    pip install './python[ray]'
    python cluster_share.py [--address local] [--task-seconds 1] [--generations 6] [--population 100] [--games 200]

The time outside of games is the time of all cores from the first task to the last result, minus the time in which tasks
played. It covers Ray's work, the optimiser's work, and cores that wait for the last task of a generation.
"""

from __future__ import annotations

import argparse
import time

import ray

from tetrastat import cluster
from tetrastat.cluster import _pool, _ray

EMPTY = 2000


def nothing() -> None:
    """Does nothing."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--address", default="local")
    parser.add_argument("--task-seconds", type=float, default=1.0)
    parser.add_argument("--generations", type=int, default=6)
    parser.add_argument("--population", type=int, default=100)
    parser.add_argument("--games", type=int, default=200)
    given = parser.parse_args()
    ray.init(address=given.address, log_to_driver=False, logging_level="WARNING")

    # Workers start with their first tasks, so the first batch is not timed.
    batches: list[tuple[float, float, list[float]]] = []
    play_all = _pool.Pool.all

    def timed(pool, function, tasks):
        began = time.perf_counter()
        played = play_all(pool, function, tasks)
        batches.append((began, time.perf_counter(), [seconds for _, seconds in played]))
        return played

    _pool.Pool.all = timed
    cluster.train(
        "cem", board="10x10", features="bcts", start="bcts", sd=0.05, max_pieces="none", population=given.population,
        elite=given.population // 10, games=given.games, generations=given.generations, check_every=0, finalists=1,
        final_games=10, held_out_games=10, seed=1, task_seconds=given.task_seconds,
    )
    # The first generation starts workers and measures the pace; the last batches have few games.
    batches = batches[1 : given.generations]
    tasks = [seconds for _, _, each in batches for seconds in each]
    cores = int(ray.cluster_resources()["CPU"])
    wall = batches[-1][1] - batches[0][0]
    print(f"{cores} cores, {len(batches)} generations, {len(tasks)} tasks of {sum(tasks) / len(tasks):.2f} s on average")
    print(f"outside of games {1 - sum(tasks) / (cores * wall):.1%} of {wall:.1f} s")

    pool = _ray.RayPool(ray, 3)
    play_all(pool, nothing, [()] * EMPTY)
    began = time.perf_counter()
    play_all(pool, nothing, [()] * EMPTY)
    print(f"a task without work {1000 * (time.perf_counter() - began) / EMPTY:.2f} ms")


if __name__ == "__main__":
    main()
