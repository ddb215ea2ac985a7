"""Trains a network for a guideline controller on logged games. The network predicts the points still to come.

First play games and log the inputs of the network, then train:

    tetrastat simulate --rules guideline --mode blitz --search beam --beam-width 16 --beam-perfect-clears 20000 \\
        --controller tetrastat-blitz-hold --games 6000 --seed 900 --placements parquet \\
        --columns game,piece_no,piece,hold_after,b2b_after,score,board --out games
    python python/examples/train_network.py games \\
        --controller data/controllers/guideline/tetrastat-blitz-hold.toml --out mine.toml
    tetrastat simulate --rules guideline --mode blitz --search beam --controller mine.toml ...

A network knows only states like those in its games. When it plays, games reach other states: log these games as well, and
train on both (`train_network.py games more ...`). The preset tetrastat-blitz-network is the result of five such rounds
(docs/lab/records.md).

docs/reference/network.md describes the inputs, the layers, their scales and the file format, with a worked example.

The program needs numpy, pyarrow and torch, and a minute or two for two million placements on two cores. The target is the
sum of the points of all later placements, minus the mean of that sum. Each placement is discounted by `--discount` to the
power of the number of placements before it. One game in twenty is held out; each pass prints the share of the variance of
the held-out targets that the network explains.
"""

import argparse
import pathlib
import sys

import numpy as np
import pyarrow.parquet as pq
import torch

PIECES = "IOTSZJL"  # order of pieces in the network
NO_PIECE = len(PIECES)
ROWS, WIDTH, HIDDEN, SECOND = 16, 10, 128, 32
MOST_STEP = 4  # larger differences of heights are clipped to this one
# First index of each group of inputs after the cells; src/core/controller/guideline.rs has the same table.
HOLD = ROWS * WIDTH
BAG = HOLD + len(PIECES) + 1
BACK_TO_BACK = BAG + len(PIECES)
SHAPE = BACK_TO_BACK + 1
INPUTS = SHAPE + 2 * ROWS * WIDTH + (WIDTH - 1) * (2 * MOST_STEP + 1)


def read_games(folder):
    """Returns the inputs after each placement (shape (games, pieces, INPUTS)), the points so far, and the game lengths."""
    tables = sorted(pathlib.Path(folder).glob("placements*.parquet"))
    if not tables:
        sys.exit(f"{folder} has no placements*.parquet: log games with --placements parquet")
    columns = ["game", "piece_no", "piece", "hold_after", "b2b_after", "points_total", "board"]
    table = pq.read_table(tables[0], columns=columns)
    game, at = table["game"].to_numpy(), table["piece_no"].to_numpy() - 1
    games, pieces = int(game.max()) + 1, int(at.max()) + 1

    def placed(values, otherwise):
        """Returns `values` as an array of shape (games, pieces), with `otherwise` after the end of a game."""
        full = np.full((games, pieces), otherwise, np.int32)
        full[game, at] = values
        return full

    def codes(name):
        return placed([PIECES.index(piece) if piece else NO_PIECE for piece in table[name].to_pylist()], NO_PIECE)

    piece, hold = codes("piece"), codes("hold_after")
    # The pieces taken from the queue are those placed and the one held. The bag holds the rest of its seven.
    one_hot = np.eye(len(PIECES) + 1, dtype=np.int32)
    taken = one_hot[piece][:, :, :NO_PIECE].cumsum(1) + one_hot[hold][:, :, :NO_PIECE]
    in_bag = taken == taken.min(2, keepdims=True)

    inputs = np.zeros((games, pieces, INPUTS), bool)
    cells = np.zeros((len(game), ROWS * WIDTH), bool)
    for filled, board in zip(cells, table["board"].to_pylist()):
        for row, bits in enumerate(board.split(":")[:ROWS] if board else []):
            filled[WIDTH * row : WIDTH * (row + 1)] = [int(bits, 16) >> column & 1 for column in range(WIDTH)]
    inputs[game, at, :HOLD] = cells
    inputs[game, at, SHAPE:] = shape(cells)
    inputs[:, :, HOLD:BAG] = one_hot[hold].astype(bool)
    inputs[:, :, BAG:BACK_TO_BACK] = in_bag
    inputs[:, :, BACK_TO_BACK] = placed(table["b2b_after"].to_numpy(zero_copy_only=False), 0)
    score = np.maximum.accumulate(placed(table["points_total"].to_numpy(), 0), axis=1)
    return inputs, score, np.bincount(game, minlength=games)


def shape(cells):
    """Returns inputs computed from the cells: holes, filled cells of each row, and differences of column heights."""
    filled = cells.reshape(-1, ROWS, WIDTH)
    covered = np.logical_or.accumulate(filled[:, ::-1], axis=1)[:, ::-1]
    holes = covered & ~filled
    full = filled.sum(2)[:, :, None] == np.arange(1, WIDTH + 1)
    steps = np.diff(covered.sum(1), axis=1).clip(-MOST_STEP, MOST_STEP)
    differ = steps[:, :, None] == np.arange(-MOST_STEP, MOST_STEP + 1)
    return np.concatenate([part.reshape(len(cells), -1) for part in (holes, full, differ)], axis=1)


def to_come(score, discount):
    """Returns the targets: discounted later points minus their mean in the middle of games, in thousands."""
    points = np.diff(score, axis=1).astype(np.float32)
    values = np.zeros(score.shape, np.float32)
    rest = np.zeros(len(score), np.float32)
    for at in range(points.shape[1] - 1, -1, -1):
        rest = points[:, at] + discount * rest
        values[:, at] = rest
    return (values - points[:, 30:].mean() / (1 - discount)) / 1000


def learn(network, inputs, values, passes, test):
    """Fits the network by least squares, with AdamW and a one-cycle schedule. The last `test` samples are held out."""
    batch = 4096
    count = len(values) - test
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=1e-4)
    steps = passes * (count // batch) + 1
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    for at in range(passes):
        order = torch.randperm(count)
        for start in range(0, count - batch + 1, batch):
            chosen = order[start : start + batch]
            loss = ((network(inputs[chosen].float())[:, 0] - values[chosen]) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        with torch.no_grad():
            held_out = torch.cat([network(part.float())[:, 0] for part in inputs[count:].split(65536)])
            left = ((held_out - values[count:]) ** 2).mean() / values[count:].var()
        print(f"pass {at + 1} of {passes}: {1 - left.item():.4f} of the held-out variance explained", flush=True)


def to_toml(network, share, point):
    """Returns the network, with rounded weights, as a table of a controller's TOML file."""
    first, second, third = (layer for layer in network if isinstance(layer, torch.nn.Linear))

    def whole(tensor, steps):
        return (tensor.detach().double().numpy() * steps).round().astype(np.int64)

    def row(numbers):
        return '"' + " ".join(map(str, numbers)) + '"'

    def rows(name, table):
        return f"{name} = [\n" + "".join(f"    {row(numbers)},\n" for numbers in table) + "]\n"

    inputs = np.vstack([whole(first.weight, 256).T, whole(first.bias, 256)])
    return (
        f"\n[network]\nshare = {share}\npoint = {point}\n"
        + rows("first", inputs)
        + rows("second", whole(second.weight, 256))
        + f"second_bias = {row(whole(second.bias, 65536))}\n"
        + f"third = {row(whole(third.weight, 256)[0])}\n"
        + f"third_bias = {whole(third.bias, 65536)[0]}\n"
    )


def main():
    parser = argparse.ArgumentParser(description="trains a network on logged games of a guideline controller")
    parser.add_argument("games", nargs="+", help="folders of runs with placements in Parquet")
    parser.add_argument("--controller", required=True, help="TOML of the controller that gets the network")
    parser.add_argument("--out", required=True, help="TOML to write")
    parser.add_argument("--share", type=float, default=0.5, help="share of the network in a value, 0 to 1")
    parser.add_argument("--point", type=float, default=0.0001903, help="value of a point in units of the controller's weights")
    parser.add_argument("--discount", type=float, default=0.96, help="factor per placement by which later points are discounted")
    parser.add_argument("--passes", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(given.threads)

    inputs, values = [], []
    for folder in given.games:
        of_games, score, length = read_games(folder)
        # The last 60 pieces of the longest games are left out: there the time limit and not the state reduces the points.
        learned = np.arange(score.shape[1])[None] < np.minimum(length, score.shape[1] - 60)[:, None]
        order = np.random.default_rng(given.seed).permutation(len(score))
        inputs.append(of_games[order][learned[order]])
        values.append(to_come(score, given.discount)[order][learned[order]])
    # The held-out samples are whole games, the last of each folder in random order.
    tests = [len(part) // 20 for part in values]

    def join(parts):
        learned = [part[: len(part) - test] for part, test in zip(parts, tests)]
        held_out = [part[len(part) - test :] for part, test in zip(parts, tests)]
        return torch.from_numpy(np.concatenate(learned + held_out))

    inputs, values = join(inputs), join(values)
    print(f"{len(values)} states, {sum(tests)} of them held out", flush=True)

    network = torch.nn.Sequential(
        torch.nn.Linear(INPUTS, HIDDEN),
        torch.nn.ReLU(),
        torch.nn.Linear(HIDDEN, SECOND),
        torch.nn.ReLU(),
        torch.nn.Linear(SECOND, 1),
    )
    learn(network, inputs, values, given.passes, sum(tests))
    # The new network replaces one that the controller has already.
    base = pathlib.Path(given.controller).read_text().split("\n[network]")[0].rstrip()
    pathlib.Path(given.out).write_text(base + "\n" + to_toml(network, given.share, given.point))
    print(f"written: {given.out}")


if __name__ == "__main__":
    main()
