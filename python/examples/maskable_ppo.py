"""MaskablePPO of sb3-contrib learns to play on a 6x10 board. The action mask shows the legal placements.

    pip install sb3-contrib          # with torch; its CPU build is enough
    python maskable_ppo.py [STEPS]

The program prints the mean number of rows of 100 games before and after learning.
"""

import sys

import gymnasium as gym
import numpy as np
import tetrastat.envs  # noqa: F401 - this import registers the environments
from sb3_contrib import MaskablePPO


def mean_lines(model, games=100):
    env = gym.make("tetrastat/Placement-v0", **OPTIONS).unwrapped
    lines = []
    for game in range(games):
        seen, info = env.reset(seed=99, options={"game": game})
        over = False
        while not over:
            action, _ = model.predict(seen, action_masks=env.action_masks(), deterministic=True)
            seen, _, lost, cut, info = env.step(int(action))
            over = lost or cut
        lines.append(info["lines"])
    return np.mean(lines)


OPTIONS = {"board": "6x10", "reward": [0.1, 1.1, 2.1, 3.1, 4.1], "lost": -1.0, "max_steps": 500}

if __name__ == "__main__":
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    env = gym.make("tetrastat/Placement-v0", **OPTIONS).unwrapped
    model = MaskablePPO("MultiInputPolicy", env, n_steps=1024, batch_size=256, learning_rate=1e-3, seed=1)
    print(f"before: {mean_lines(model):.1f} rows")
    model.learn(steps)
    print(f"after {steps} steps: {mean_lines(model):.1f} rows")
