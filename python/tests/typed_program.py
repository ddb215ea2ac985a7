"""Small program of a user. The type checker reads it, but it does not run."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

import tetrastat
from tetrastat import Board, Run, SettingError, Table
from tetrastat.envs import PlacementEnv, PlacementVectorEnv


def play(folder: Path) -> Run:
    run = tetrastat.simulate("bcts", board="10x10", games=3, out=folder)
    table: Table = tetrastat.Table(folder / "games.csv", ["game", "lines"], where="lines>3", every=2)
    names: list[str] = table.columns
    tetrastat.compare(["bcts", "dt20"], games=4).estimates.to_pyarrow()
    data: tetrastat.datasets.Dataset = tetrastat.datasets.load("tiny", path=folder / "tiny")
    print(data.card, data.table("games", ["lines"]).columns, data.polars().collect().height, data.arrow().count_rows())
    print(run.manifest["config"], names, [row["lines"] for row in run.games], run.games["lines"].sum())
    mean, ratio = run.summary["lines"]["mean"], tetrastat.compare(["bcts", "dt20"], games=4).summary["pairs"][0]["ratio"]
    assert mean is None or ratio["low"] is None or mean > ratio["low"]
    print(run.scan().select("piece").collect().height, run.scan(engine="duckdb").fetchall(), table.to_polars().height)
    return run


def measure(board: Board) -> npt.NDArray[np.bool_]:
    found = tetrastat.afterstates([board, board], "T", features=["holes"])
    values: npt.NDArray[np.float64] = tetrastat.features(board, names=["holes"])
    print(values.sum(), found.size, board.place("T", 0, 0).lost)
    return tetrastat.cells(found)


def learn() -> None:
    env = PlacementEnv(board="6x8", row_order="top")
    _, info = env.reset(seed=1, options={"board": Board.empty("6x8")})
    many = PlacementVectorEnv(4, threads=1, copy=False)
    many.reset(seed=1)
    many.step(np.zeros(4, np.int64))
    evaluator = tetrastat.Evaluator(features=["holes"], games=2)
    search = tetrastat.Optimiser("cem", len(evaluator.features), seed=1)
    try:
        search.tell(evaluator.scores(search.ask()))
    except SettingError as error:
        print(error, info)
