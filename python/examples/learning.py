"""Parts that the four learning examples share: their options, their test games and their learning curve.

All examples see each legal placement as nine features: the eight of BCTS, which are numbers that describe the
placement and the board after it, and the constant 1. Three of them play classic games on a 10x10 board.
"""

import argparse
import time

import numpy as np
from tetrastat.envs import PlacementVectorEnv

FEATURES = [
    "landing_height", "eroded_cells", "row_transitions", "column_transitions", "holes", "wells", "hole_depth",
    "rows_with_holes", "constant",
]
#: Typical sizes of the features. A network learns faster from numbers near 1.
SCALE = np.array([5, 4, 30, 20, 5, 10, 10, 5, 1], np.float32)
GAME = {"board": "10x10", "observation": "afterstates", "features": FEATURES}
#: First seed of the test games. Games of learning have smaller seeds, and seeds share no game.
TEST_SEED = 1_000_000


def read_options(description, steps, quick):
    """Returns the options of the command line. ``--quick`` replaces ``steps`` by ``quick``."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="seed of the games and of all random choices (default: 1)")
    parser.add_argument("--steps", type=int, help=f"placements to learn from (default: {steps:,}; --quick: {quick:,})")
    parser.add_argument("--quick", action="store_true", help="learn for some seconds only")
    parser.add_argument("--figure", metavar="FILE", help="write the curve as a .png or .svg file (needs matplotlib)")
    options = parser.parse_args()
    if options.steps is None:
        options.steps = quick if options.quick else steps
    options.name = description.split(":")[0]
    return options


def play(choose, seed, games, most):
    """Returns the rows of each of ``games`` games, which are cut off after ``most`` pieces.

    ``choose`` maps scaled features (games, actions, features) and the mask of legal actions to an action for each game.
    """
    env = PlacementVectorEnv(games, max_steps=most, autoreset_mode="SameStep", threads=1, copy=False, **GAME)
    seen, info = env.reset(seed=seed)
    rows, actions = np.zeros(games), np.zeros(games, np.int64)
    plays = np.ones(games, bool)
    while plays.any():
        actions[plays] = choose(seen[plays] / SCALE, info["action_mask"][plays] > 0)
        seen, reward, lost, cut, info = env.step(actions)
        rows += reward * plays
        plays &= ~(lost | cut)
    return rows


def interval(rows):
    """Returns the mean of a sample and half the width of its 95 % confidence interval (about two standard errors)."""
    return rows.mean(), 1.98 * rows.std(ddof=1) / np.sqrt(len(rows))


class Curve:
    """Learning curve: the mean rows of greedy test games, after some numbers of placements.

    Parameters
    ----------
    options : argparse.Namespace
        Options of the command line.
    play : callable
        Function that plays the test games: `play`, or one with its parameters.
    board : str
        Size of the board.
    first : int
        Number of placements before the first test after that of the beginner.
    """

    def __init__(self, options, play=play, board=GAME["board"], first=1):
        self.options, self.play, self.board, self.first = options, play, board, first
        self.points, self.due, self.tested = [], 0, 0.0
        self.most = 1_000 if options.quick else 5_000
        print(f"{options.name}: seed {options.seed}, {options.steps:,} placements, {board} board")
        print("placements   CPU s   rows per game (95 % interval)   bars: logarithmic")

    def test(self, choose, placements):
        """Plays 20 test games, if the number of placements has doubled since the last test."""
        if placements >= self.due:
            self.due = max(self.first, 2 * placements)
            self._add(choose, placements, TEST_SEED, 20)

    def finish(self, choose):
        """Plays 100 new test games, prints the result, and writes the figure if one was requested."""
        seconds = time.process_time() - self.tested
        mean, half = self._add(choose, self.options.steps, 2 * TEST_SEED, 100)
        cut = f"100 games of at most {self.most:,} pieces"
        print(f"result: {mean:.1f} +- {half:.1f} rows per game (95 % interval, {cut})")
        print(f"CPU seconds: {seconds:.1f} for learning, {time.process_time():.1f} with all test games")
        if self.options.figure:
            self.draw(self.options.figure)

    def _add(self, choose, placements, seed, games):
        begun = time.process_time()
        mean, half = interval(self.play(choose, seed, games, self.most))
        self.points.append((placements, mean, half))
        bar = "#" * round(10 * np.log10(1 + mean))
        print(f"{placements:10,} {begun - self.tested:7.1f}   {mean:8.1f} +- {half:<8.1f}   {bar}", flush=True)
        self.tested += time.process_time() - begun
        return mean, half

    def draw(self, file):
        """Writes the curve as a figure."""
        from matplotlib.figure import Figure

        placements, means, halves = np.array(self.points).T
        figure = Figure((6, 3.6), layout="constrained")
        axes = figure.add_subplot()
        axes.errorbar(placements, means, halves, marker="o", markersize=4, capsize=2)
        axes.set_xscale("symlog", linthresh=placements[1])
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(0, None)
        axes.set_xlabel("Placements learned from")
        axes.set_ylabel("Rows per test game")
        title = f"{self.options.name}, seed {self.options.seed}, {self.board} board (bars: 95 % intervals)"
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.3)
        figure.savefig(file, dpi=120)
