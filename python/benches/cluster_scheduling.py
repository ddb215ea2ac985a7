"""Measures what a run on 1,000 cores costs the driver, the process that starts tasks and completes the run.

    pip install './python[ray]'
    python cluster_scheduling.py [--workers 1000] [--tasks 20000] [--shards 500] [--task-seconds 30]

1. The driver's own loop, with workers that a thread imitates: tasks end at once, and two are in flight for each worker.
2. The same tasks without work on the Ray of this machine, with as many tasks in flight, in the CPU time of the driver
   and of Ray's threads in it.
3. The end of a run in parts, for each of its shards.
"""

from __future__ import annotations

import argparse
import queue
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tetrastat import cluster
from tetrastat.cluster import _pool, _ray


class ImitatedPool(_pool.Pool):
    """Workers that return at once."""

    def __init__(self, workers: int) -> None:
        super().__init__()
        self._workers = workers
        self._tasks: queue.SimpleQueue[Future[Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._end, daemon=True).start()

    def cores(self) -> int:
        return self._workers

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._tasks.put(future)
        return future

    def _end(self) -> None:
        while (future := self._tasks.get()) is not None:
            future.set_result(None)


def nothing(number: int) -> None:
    """Does nothing."""


def spent(pool: _pool.Pool, tasks: int, clock: Callable[[], float]) -> tuple[float, float]:
    """Returns the CPU seconds by ``clock`` and the wall seconds of tasks without work."""
    began, wall = clock(), time.perf_counter()
    for _ in pool.each(nothing, {number: (number,) for number in range(tasks)}):
        pass
    return clock() - began, time.perf_counter() - wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--shards", type=int, default=500)
    parser.add_argument("--task-seconds", type=float, default=30.0)
    given = parser.parse_args()
    rate = given.workers / given.task_seconds
    print(f"{given.workers} cores, tasks of {given.task_seconds:.0f} s: {rate:.0f} tasks/s")

    cpu, _ = spent(ImitatedPool(given.workers), given.tasks, time.thread_time)
    print(f"own loop: {1e6 * cpu / given.tasks:.0f} us of CPU for a task")

    with _ray.connected("local", 3) as ray:
        spent(ray, 200, time.process_time)
        ray.cores = lambda: given.workers  # type: ignore[method-assign]
        cpu, wall = spent(ray, given.tasks, time.process_time)
    print(f"with Ray: {1e6 * cpu / given.tasks:.0f} us of CPU for a task, {given.tasks / wall:.0f} tasks/s here")
    print(f"the driver is busy for {rate * cpu / given.tasks:.1%} of a core at {rate:.0f} tasks/s")

    complete, ends = cluster._complete, []

    def timed(*arguments: Any) -> None:
        began = time.process_time()
        complete(*arguments)
        ends.append(time.process_time() - began)

    cluster._complete = timed  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as client:
        settings = {"games": given.shards, "max_pieces": 20, "placements": "parquet", "games_per_task": 1}
        cluster.simulate(**settings, out=f"{folder}/run", client=client)
    print(f"end of a run of {given.shards} shards: {1000 * ends[0] / given.shards:.2f} ms of CPU for a shard")


if __name__ == "__main__":
    main()
