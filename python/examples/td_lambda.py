"""TD(lambda): learns the value of a board from play alone, with numpy.

    python td_lambda.py --figure curve.png

The value of a board is minus the chance to lose from it, discounted by GAMMA with each piece: a lost game counts -1. It
is a weighted sum of nine features. The agent always chooses the placement whose board it values most.

An error of the value teaches the boards before it as well: each game keeps a trace of the features that it saw, which
fades by GAMMA * LAMBDA with each piece. Long traces matter here: a bad placement loses a game many pieces later.
"""

import numpy as np
from learning import FEATURES, GAME, SCALE, Curve, read_options
from tetrastat.envs import PlacementVectorEnv

GAMES, GAMMA, LAMBDA, RATE = 64, 0.998, 0.99, 0.3


def choose(weights, features, mask):
    """Returns the legal action of each game whose board has the highest value."""
    return np.where(mask, features @ weights, -np.inf).argmax(1)


def learn(steps, seed, curve):
    env = PlacementVectorEnv(GAMES, lost=-1.0, reward=[0.0] * 5, autoreset_mode="SameStep", threads=1, **GAME)
    seen, info = env.reset(seed=seed)
    weights = np.zeros(len(FEATURES), np.float32)
    trace, values = np.zeros((GAMES, len(weights)), np.float32), np.zeros(GAMES)
    for step in range(steps // GAMES):
        curve.test(lambda *state: choose(weights, *state), step * GAMES)
        features = seen / SCALE
        actions = choose(weights, features, info["action_mask"] > 0)
        after = features[np.arange(GAMES), actions]
        seen, reward, lost, _, info = env.step(actions)
        # The placement shows by how much the value of the board before it was wrong. The trace of a new game is 0.
        error = reward + GAMMA * ~lost * (after @ weights) - values
        rate = RATE * (1 - GAMMA * LAMBDA) / (1 + step / 1000)
        weights = weights + (rate * (error @ trace) / GAMES).astype(np.float32)
        trace = (GAMMA * LAMBDA * trace + after) * ~lost[:, None]
        values = after @ weights
    return weights


if __name__ == "__main__":
    options = read_options(__doc__, steps=192_000, quick=20_000)
    curve = Curve(options)
    weights = learn(options.steps, options.seed, curve)
    print("weights:", ", ".join(f"{name} {weight:.3f}" for name, weight in zip(FEATURES, weights)))
    curve.finish(lambda *state: choose(weights, *state))
