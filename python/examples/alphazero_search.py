"""Search with a learned value: PUCT over clones of the environment, as in AlphaZero, with numpy.

    python alphazero_search.py --figure curve.png

The board is low, so games are short, and the game shows the next two pieces. A search plays placements of the known
pieces in clones of the environment. It begins with placements that the policy prefers, and values the boards that they
lead to. In return, the policy learns the search's visits, and the value of a board learns the value that the search
finds after it. Both are weighted sums of nine features. The value is minus the discounted chance to lose.
"""

import numpy as np
from learning import FEATURES, GAME, SCALE, Curve, interval, read_options
from tetrastat.envs import PlacementEnv

GAME = GAME | {"board": "10x4", "previews": 2, "reward": [0.0] * 5, "lost": -1.0}
SEARCHES, EXPLORE, GAMMA, LAMBDA = 16, 1.0, 0.99, 0.9
VALUE_RATE, POLICY_RATE = 0.002, 0.1


class Node:
    """State of the game in the search: the legal placements with their values, and what was found beyond them."""

    def __init__(self, weights, env, seen, info):
        self.env, self.actions = env, np.flatnonzero(info["action_mask"])
        self.features = seen[self.actions] / SCALE
        values, scores = (self.features @ weights.T).T
        chances = np.exp(scores - scores.max())
        self.priors = chances / chances.sum()
        # Before its first visit, a placement has the value of the board it leads to.
        self.values, self.visits, self.children = values, np.zeros(len(values)), {}
        self.value = values.max()

    def choose(self):
        """Returns the placement to search next: one of high value, or of high prior and few visits."""
        low, high = self.values.min(), self.values.max()
        bonus = EXPLORE * self.priors * np.sqrt(1 + self.visits.sum()) / (1 + self.visits)
        return ((self.values - low) / (high - low + 1e-9) + bonus).argmax()


def expand(weights, node, index):
    """Plays a placement in a clone. Returns the node after it, or None if the game is lost."""
    env = node.env.clone()
    seen, _, lost, _, info = env.step(node.actions[index])
    return None if lost else Node(weights, env, seen, info)


def visit(weights, node, depth):
    """Follows one path through at most ``depth`` placements, and returns the value that it finds."""
    index = node.choose()
    if index not in node.children:
        child = node.children[index] = expand(weights, node, index)
        found = GAMMA * child.value if child else -1.0
    elif depth > 1 and node.children[index]:
        found = GAMMA * visit(weights, node.children[index], depth - 1)
    else:
        found = node.values[index]
    node.visits[index] += 1
    old = node.values[index] if node.visits[index] > 1 else found
    node.values[index] = old + (found - old) / node.visits[index]
    return found


def search(weights, env, seen, info):
    """Returns the root of a search, and the index of the placement that it visited most."""
    root = Node(weights, env, seen, info)
    for _ in range(SEARCHES):
        visit(weights, root, GAME["previews"])
    return root, root.visits.argmax()


def learn(steps, seed, curve):
    # The first row of weights is the value's, the second the policy's.
    weights = np.zeros((2, len(FEATURES)), np.float32)
    env = PlacementEnv(**GAME)
    seen, info = env.reset(seed=seed)
    trace, value = np.zeros(len(FEATURES), np.float32), 0.0
    for step in range(steps):
        curve.test((weights, True), step)
        root, index = search(weights, env, seen, info)
        rate = 1 / (1 + 10 * step / steps)
        # The value of the board before this placement becomes that which the search found.
        weights[0] += VALUE_RATE * rate * (root.values[index] - value) * trace
        weights[1] += POLICY_RATE * rate * (root.visits / SEARCHES - root.priors) @ root.features
        trace = GAMMA * LAMBDA * trace + root.features[index]
        seen, _, lost, _, info = env.step(root.actions[index])
        value = weights[0] @ root.features[index]
        if lost:
            seen, info = env.reset()
            trace[:] = 0
    return weights


def play(player, seed, games, most):
    """Returns the rows of games that are played by the search, or without it by the value alone."""
    weights, searches = player
    env, rows = PlacementEnv(**GAME), []
    for game in range(games):
        seen, info = env.reset(seed=seed + game)
        lost = False
        while not lost and info["pieces"] < most:
            if searches:
                root, index = search(weights, env, seen, info)
            else:
                root = Node(weights, env, seen, info)
                index = root.values.argmax()
            seen, _, lost, _, info = env.step(root.actions[index])
        rows.append(info["lines"])
    return np.array(rows)


if __name__ == "__main__":
    options = read_options(__doc__, steps=10_000, quick=1_000)
    curve = Curve(options, play, GAME["board"], first=options.steps // 100)
    weights = learn(options.steps, options.seed, curve)
    print("value:", ", ".join(f"{name} {weight:.3f}" for name, weight in zip(FEATURES, weights[0])))
    curve.finish((weights, True))
    mean, half = interval(play((weights, False), 2_000_000, 100, curve.most))
    print(f"the learned value alone: {mean:.1f} +- {half:.1f} rows per game (95 % interval, the same 100 games)")
