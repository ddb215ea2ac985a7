"""Trains weights for attack by an evolution strategy, as docs/lab/guideline.md describes.

    python3 docs/lab/attack.py TETRASTAT START.toml MINUTES FOLDER

Pairs of candidates lie on both sides of the present weights. Each weight has a step of its own, a share of its size, which the options
of `tetrastat train` do not offer. FOLDER/average.toml has the average of the last generations.
"""

import csv
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

PAIRS = 6
GAMES = 40
STEP = 0.2
# Steps of terms whose weight is 0 at the start or too small to move.
SMALLEST = {
    "perfect_clear": 0.1, "combo": 0.01, "back_to_back_lost": 0.03, "wells_by_height": 0.002, "occupied_cells": 0.002,
    "column_transitions": 0.01, "perfect_chance": 0.003,
    **{f"clear_{lines}": 0.03 for lines in range(1, 5)},
    **{f"t_spin_{lines}": 0.03 for lines in range(4)},
    **{f"hold_{piece}": 0.02 for piece in "szjl"},
}


def write(weights, path):
    """Writes a controller with `weights` to `path`."""
    lines = [f"{term} = {weight:.7f}\n" for term, weight in weights.items()]
    path.write_text('name = "attack"\nsource = "docs/lab/attack.py"\nmeasured = "after-clear"\n\n[weights]\n' + "".join(lines))


def mean_attack(program, weights, seed, folder):
    """Returns the mean attack of `weights` in games of `seed`."""
    write(weights, folder / "candidate.toml")
    subprocess.run(
        [
            program, "simulate", "--rules", "jstris", "--mode", "blitz", "--pieces", "50", "--games", str(GAMES), "--seed", str(seed),
            "--controller", folder / "candidate.toml", "--search", "beam", "--beam-width", "32", "--beam-futures", "4",
            "--beam-future-pieces", "3", "--beam-perfect-clears", "20000", "--beam-future-perfect-clears", "500",
            "--placements", "none", "--progress", "none", "--threads", "1", "--out", folder / "games", "--force",
        ],
        stdout=subprocess.DEVNULL, check=True,
    )
    with open(folder / "games" / "games.csv", newline="") as table:
        return statistics.mean(int(row["attack"]) for row in csv.DictReader(table))


def main():
    program, start, minutes, folder = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    random.seed(1)
    lines = Path(start).read_text().split("[weights]\n")[1].splitlines()
    mean = {term: float(weight) for term, weight in (line.split(" = ") for line in lines)}
    mean = {**mean, **{term: 0.0 for term in SMALLEST if term not in mean}}
    size = {term: max(abs(weight), SMALLEST.get(term, 0.0)) for term, weight in mean.items()}
    moved = [term for term in mean if term != "attack"]
    speed, average = dict.fromkeys(mean, 0.0), dict(mean)
    end, generation = time.monotonic() + 60 * float(minutes), 0
    while time.monotonic() < end:
        generation += 1
        draws, differences, scores = [], [], []
        for _ in range(PAIRS):
            draw = {term: random.gauss(0, 1) if term in moved else 0.0 for term in mean}
            pair = [
                mean_attack(program, {t: mean[t] + sign * STEP * size[t] * draw[t] for t in mean}, 771_000 + generation, folder)
                for sign in (1, -1)
            ]
            draws.append(draw)
            differences.append(pair[0] - pair[1])
            scores += pair
        scale = statistics.pstdev([*differences, *(-difference for difference in differences)]) or 1.0
        for term in moved:
            gradient = sum(d / scale * draw[term] for d, draw in zip(differences, draws)) / PAIRS
            speed[term] = 0.6 * speed[term] + 0.4 * gradient
            mean[term] += 0.5 * STEP * size[term] * speed[term]
        old = 0.85 if generation >= 8 else 0.0
        average = {term: old * average[term] + (1 - old) * mean[term] for term in mean}
        write(mean, folder / "mean.toml")
        write(average, folder / "average.toml")
        print(f"generation {generation}: mean of {len(scores)} candidates {statistics.mean(scores):.2f}", flush=True)


if __name__ == "__main__":
    main()
