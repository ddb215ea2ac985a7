"""Compares the time of `Evaluator` with that of `tetrastat train`: the same candidates play the same games.

    python evaluator.py [--generations 8] [--population 100] [--games 100]

The program times both in turn, three times each, and compares the minima. `train` plays a hundred games more than its
generations.
"""

from __future__ import annotations

import argparse
import tempfile
import time

import numpy as np

import tetrastat


def play(evaluator: tetrastat.Evaluator, weights: np.ndarray, seed: int, games: int) -> np.ndarray:
    """Plays `games` games of each candidate."""
    return evaluator.play(weights, seed, games, 0, len(weights) * games)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--population", type=int, default=100)
    parser.add_argument("--games", type=int, default=100)
    given = parser.parse_args()
    games = {"board": "10x10", "features": "bcts", "max_pieces": "none", "games": given.games, "seed": 1}
    plan = {
        **games, "start": "bcts", "sd": 0.05, "population": given.population, "elite": given.population // 10,
        "generations": given.generations, "check_every": 0, "finalists": 1, "final_games": 10, "held_out_games": 100,
    }
    # Candidates of all generations.
    training, batches = tetrastat.Training(method="cem", **plan), []
    evaluator = tetrastat.Evaluator(**games)
    while (batch := training.ask()) is not None:
        batches.append(batch)
        training.tell(play(evaluator, *batch))
    generations = batches[: given.generations]
    times: dict[str, list[float]] = {"train": [], "Evaluator": []}
    for _ in range(3):
        began = time.perf_counter()
        for weights, seed, count in generations:
            play(evaluator, weights, seed, count)
        times["Evaluator"].append(time.perf_counter() - began)
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            tetrastat.train("cem", **plan, out=f"{folder}/training")
            times["train"].append(time.perf_counter() - began)
    train, evaluate = min(times["train"]), min(times["Evaluator"])
    print(f"train {train:.2f} s, Evaluator {evaluate:.2f} s, ratio {evaluate / train:.3f}")


if __name__ == "__main__":
    main()
