"""Compares the CPU time of a logged run on three Ray nodes of one core with that of one process.

    pip install './python[ray]'
    python cluster_logged.py [--games 600] [--seconds 30] [--joined]

The CPU time is that of all processes: the driver, the workers, and those of Ray. The time in which workers start is given
apart, since a cluster has them for all of its runs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import ray
from ray.cluster_utils import Cluster

import tetrastat
from tetrastat import cluster
from tetrastat.cluster import _pool

NODES = 3
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """Returns the CPU seconds of this process and its descendants, those that ended included."""
    parents, spent = defaultdict(list), {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        process = int(path.parent.name)
        parents[int(fields[1])].append(process)
        spent[process] = sum(int(field) for field in fields[11:15]) / TICKS
    found, waiting = 0.0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        found += spent.get(process, 0.0)
        waiting += parents[process]
    return found


def waits(seconds: float) -> None:
    """Keeps a worker busy, so that the others start, too."""
    import tetrastat.cluster  # noqa: F401

    time.sleep(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--joined", action="store_true", help="also join the parts into one file")
    parser.add_argument("--seconds", type=float, default=30.0, help="length of a task")
    given = parser.parse_args()
    settings = {"controller": "bcts", "board": "10x10", "games": given.games, "max_pieces": "none", "seed": 1}
    settings |= {"placements": "parquet", "columns": "all"}
    with tempfile.TemporaryDirectory() as folder:
        began = cpu_seconds()
        alone = tetrastat.simulate(**settings, threads=NODES, out=f"{folder}/alone")
        whole = cpu_seconds() - began
        rows = sum(file["rows"] for file in alone.manifest["files"])
        print(f"alone, {NODES} threads: {whole:.2f} CPU s, {rows} rows")

        nodes = Cluster()
        for _ in range(NODES):
            nodes.add_node(num_cpus=1, object_store_memory=80_000_000, include_dashboard=False)
        ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
        began = cpu_seconds()
        with _pool.pool(None) as cores:
            cores.all(waits, [(5.0,)] * NODES)
        print(f"start of {NODES} workers: {cpu_seconds() - began:.2f} CPU s")
        for parts in [True, False] if given.joined else [True]:
            out, began, wall = f"{folder}/{parts}", cpu_seconds(), time.perf_counter()
            driver = time.process_time()
            cluster.simulate(**settings, out=out, task_seconds=given.seconds, parts=parts)
            spent, wall = cpu_seconds() - began, time.perf_counter() - wall
            count = len(list(Path(out).glob("*.parquet/*"))) or 1
            form = f"{count} parts" if parts else "one file"
            print(
                f"{NODES} nodes, {form}: {spent:.2f} CPU s ({spent / whole:.2f} times), "
                f"{time.process_time() - driver:.2f} of them in the driver; {wall:.1f} s"
            )
        idle = cpu_seconds()
        time.sleep(5)
        print(f"Ray without work: {(cpu_seconds() - idle) / 5:.3f} CPU s for each second")
        ray.shutdown()
        nodes.shutdown()


if __name__ == "__main__":
    main()
