"""Trains eight weights on a 10x10 board with the optimiser of the package cma. The engine plays the games.

All candidates of a generation play the same games, and the next generation plays other games. The result is reported on
held-out games: games of another seed, which had no influence on the weights.
"""

import argparse

import cma
import numpy as np

import tetrastat

FEATURES = "bcts"


def main(generations: int, games: int, seed: int) -> None:
    training = tetrastat.Evaluator(features=FEATURES, board="10x10", games=games, seed=seed)
    held_out = tetrastat.Evaluator(features=FEATURES, board="10x10", games=200, max_pieces="none", seed=seed + 1)
    options = {"popsize": 24, "seed": seed, "verbose": -9}
    search = cma.CMAEvolutionStrategy(np.zeros(len(training.features)), 1.0, options)
    for generation in range(generations):
        candidates = search.ask()
        # The optimiser minimises, and a larger score is better.
        search.tell(candidates, -training.scores(candidates, generation=generation))
    for name, weight in zip(training.features, search.mean / np.linalg.norm(search.mean), strict=True):
        print(f"{weight:9.4f}  {name}")
    lines = held_out.evaluate([search.mean])[0]
    error = lines.std(ddof=1) / len(lines) ** 0.5
    print(f"{lines.mean():.1f} lines a game, standard error {error:.1f}, {len(lines)} held-out games")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--generations", type=int, default=25)
    options.add_argument("--games", type=int, default=10)
    options.add_argument("--seed", type=int, default=1)
    main(**vars(options.parse_args()))
