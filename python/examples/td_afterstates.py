"""TD(0) over afterstate features on a 10x10 board: the value of a board is learned from play alone.

Needs numpy and gymnasium. `python td_afterstates.py` takes some seconds, and prints the mean rows of 200 games by the
learned values; a player that chooses at random removes none.
"""

import numpy as np
from tetrastat.envs import PlacementVectorEnv

FEATURES = ["holes", "column_transitions", "row_transitions", "wells", "landing_height", "constant", "rows_removed"]
SCALE = np.array([5, 20, 30, 10, 5, 1, 1], np.float32)
GAMMA, STEP, GAMES = 0.95, 0.02, 64


def greedy(weights, seen, mask):
    """Features of the best action's afterstate of each game (its last is the reward), and the action."""
    features = seen / SCALE
    worth = features[..., -1] + GAMMA * (features[..., :-1] @ weights)
    actions = np.where(mask, worth, -np.inf).argmax(1)
    return features[np.arange(len(actions)), actions], actions


def learn(steps, seed):
    env = PlacementVectorEnv(GAMES, board="10x10", observation="afterstates", features=FEATURES, autoreset_mode="SameStep")
    weights, before, lives = np.zeros(len(FEATURES) - 1, np.float32), None, np.zeros(GAMES, bool)
    seen, info = env.reset(seed=seed)
    for _ in range(steps):
        after, actions = greedy(weights, seen, info["action_mask"])
        seen, reward, lost, _, info = env.step(actions)
        if before is not None:
            target = reward + GAMMA * ~lost * (after[:, :-1] @ weights)
            error = np.where(lives, target - before @ weights, 0)
            weights += STEP * (error @ before) / GAMES
        before, lives = after[:, :-1], ~lost
    return weights


def mean_lines(weights, seed, games=200, most=2000):
    env = PlacementVectorEnv(games, board="10x10", observation="afterstates", features=FEATURES, max_steps=most, autoreset_mode="SameStep")
    seen, info = env.reset(seed=seed)
    lines, plays = np.zeros(games), np.ones(games, bool)
    while plays.any():
        _, actions = greedy(weights, seen, info["action_mask"])
        seen, reward, lost, cut, info = env.step(actions)
        lines += reward * plays
        plays &= ~(lost | cut)
    return lines.mean()


if __name__ == "__main__":
    weights = learn(steps=3000, seed=1)
    print(dict(zip(FEATURES, weights.round(3).tolist())))
    print(f"mean rows of 200 games: {mean_lines(weights, seed=10_000):.1f}")
