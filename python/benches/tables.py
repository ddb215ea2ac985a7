"""Measures reads of Parquet logs, and logs in memory against files, in CPU seconds.

    python benches/tables.py [--games 2600]

Each number is the smallest of three measurements. The run has 640 placements a game at most.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
from collections.abc import Callable
from typing import Any

import polars

import tetrastat

GAMES = {"controller": "bcts", "board": "10x20", "max_pieces": 640, "seed": 1}


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measure(name: str, work: Callable[[], Any], times: int = 3) -> None:
    spent = []
    for _ in range(times):
        start = cpu()
        work()
        spent.append(cpu() - start)
    print(f"{name:58} {min(spent):6.3f} CPU s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=2600)
    games = {**GAMES, "games": parser.parse_args().games}
    with tempfile.TemporaryDirectory() as folder:
        run = tetrastat.simulate(**games, placements="parquet", out=f"{folder}/run")
        path = run.tables["placements"]
        rows, columns = run.placements().shape
        print(f"{rows:,} rows, {columns} columns, {os.path.getsize(path) / 1e6:.1f} MB")
        for names in (["game", "piece_no", "holes"], ["piece", "holes", "lines"], ["game", "piece", "board"]):
            measure(f"Table: {', '.join(names)}", lambda: run.placements(names).to_pyarrow())
            measure(f"polars.scan_parquet: {', '.join(names)}",
                    lambda: polars.scan_parquet(path).select(names).collect())
        measure("Table: all columns", lambda: run.placements().to_pyarrow())
        measure("polars.read_parquet: all columns", lambda: polars.read_parquet(path))
        measure("Table: all columns, games 0 to 19", lambda: run.placements(games=(0, 19)).to_pyarrow())
        measure("polars.scan_parquet: all columns, games 0 to 19",
                lambda: polars.scan_parquet(path).filter(polars.col("game") <= 19).collect())
    measure("play alone", lambda: tetrastat.simulate(**games, placements="none"))
    measure("play, log in memory", lambda: tetrastat.simulate(**games, placements="memory"))
    measure("play, log in memory, to_pyarrow",
            lambda: tetrastat.simulate(**games, placements="memory").placements().to_pyarrow())
    measure("play, stream", lambda: sum(len(block) for block in tetrastat.stream(**games)))
    measure("play, log in Parquet, to_pyarrow",
            lambda: tetrastat.simulate(**games, placements="parquet").placements().to_pyarrow())
    log = tetrastat.simulate(**games, placements="memory").placements()
    print(f"memory of the log as Arrow data: {log.to_pyarrow().nbytes / len(log):.0f} bytes a row")


if __name__ == "__main__":
    main()
