"""Measures steps per second of the environments with one game and many, and of tetris-gymnasium if it is installed.

    pip install tetris-gymnasium==0.3.1
    python step_rates.py [--games 4096] [--seconds 2] [--threads 1] [--single]

Only calls of `step` are timed, by the wall clock and by the processor time of all threads. Actions are random legal ones;
for tetris-gymnasium they are random among all actions. On a machine with other load, compare the rates per second of
processor time. With idle cores, the rate by the wall clock is that rate times the number of threads.
"""

import argparse
import os
import platform
import time

import numpy as np
from tetrastat.envs import GuidelineEnv, GuidelineVectorEnv, KeysEnv, KeysVectorEnv, PlacementEnv, PlacementVectorEnv


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.processor()


class Clock:
    """Sum of the wall time and of the processor time of calls."""

    def __init__(self):
        self.wall = self.cpu = 0.0

    def call(self, step, *arguments):
        wall, cpu = time.perf_counter(), time.process_time()
        done = step(*arguments)
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu
        return done


def tell(name, steps, clock):
    print(f"{name:44s} {steps / clock.cpu:12,.0f} {steps / clock.wall:12,.0f}", flush=True)


def measure(name, env, seconds):
    chance = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    noise = chance.random((7, env.num_envs, info["action_mask"].shape[1]), np.float32)
    clock, steps = Clock(), 0
    while clock.cpu < seconds:
        actions = (info["action_mask"] * noise[steps % 7]).argmax(1)
        *_, info = clock.call(env.step, actions)
        steps += 1
    tell(name, steps * env.num_envs, clock)


def measure_single(name, env, seconds):
    """Measures an environment with one game: its steps, and its clones. A clone finds the actions, which is not timed."""
    chance = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    clock, steps = Clock(), 0
    while clock.cpu < seconds:
        ahead, actions, is_over = env.unwrapped.clone(), [], False
        while not is_over and len(actions) < 200:
            actions.append(int(chance.choice(np.flatnonzero(info["action_mask"]))))
            *_, terminated, truncated, info = ahead.step(actions[-1])
            is_over = terminated or truncated
        clock.call(step_all, env.step, actions)
        steps += len(actions)
        if is_over:
            _, info = env.reset()
    tell(name, steps, clock)


def step_all(step, actions):
    for action in actions:
        step(action)


def measure_clones(name, env, seconds):
    env.reset(seed=1)
    clock, clones, clone = Clock(), 0, env.clone
    while clock.cpu < seconds:
        clock.call(call_often, clone)
        clones += 1000
    tell(name, clones, clock)


def call_often(function):
    for _ in range(1000):
        function()


def measure_singles(seconds):
    import gymnasium

    def made(kind, **options):
        return gymnasium.make(f"tetrastat/{kind}-v0", **options)

    board = {"board": "10x10"}
    free = {"disable_env_checker": True}
    measure_single("one game, Placement, unwrapped", PlacementEnv(**board), seconds)
    measure_single("one game, Placement, make, no checker", made("Placement", **board, **free), seconds)
    measure_single("one game, Placement, make", made("Placement", **board), seconds)
    for observation in ("features", "afterstates"):
        env = PlacementEnv(**board, observation=observation)
        measure_single(f"one game, Placement, {observation}, unwrapped", env, seconds)
    measure_single("one game, Keys, unwrapped", KeysEnv(), seconds)
    guideline = {"mode": "endless"}
    measure_single("one game, Guideline, unwrapped", GuidelineEnv(**guideline), seconds)
    measure_single("one game, Guideline keys, unwrapped", GuidelineEnv(actions="keys", **guideline), seconds)
    measure_clones("clones of one game, Placement", PlacementEnv(**board), seconds)
    measure_clones("clones of one game, Keys", KeysEnv(), seconds)
    measure_clones("clones of one game, Guideline", GuidelineEnv(**guideline), seconds)


def measure_python(name, actions, seconds):
    """Measures tetris-gymnasium's environment in Python. `actions` are some of its eight keys; 5 is the hard drop."""
    import gymnasium
    import tetris_gymnasium.envs  # noqa: F401 (registers)

    env = gymnasium.make("tetris_gymnasium/Tetris").unwrapped
    env.reset(seed=1)
    chosen = np.random.default_rng(1).choice(actions, 4096).tolist()
    clock, steps = Clock(), 0
    while clock.cpu < seconds:
        over = clock.call(env.step, chosen[steps % 4096])[2]
        steps += 1
        if over:
            clock.call(env.reset)
    tell(name, steps, clock)


def measure_jax(name, games, seconds):
    """Measures tetris-gymnasium's batched and compiled functions in JAX, with hard drops."""
    import jax
    import jax.numpy as jnp
    from tetris_gymnasium.envs import tetris_fn
    from tetris_gymnasium.functional.core import EnvConfig
    from tetris_gymnasium.functional.tetrominoes import TETROMINOES

    config = EnvConfig(width=10, height=20, padding=10, queue_size=7)
    keys = jax.random.split(jax.random.PRNGKey(1), games)
    _, states, _ = tetris_fn.batched_reset(TETROMINOES, keys, config=config)
    step = jax.jit(lambda states: tetris_fn.batched_step(TETROMINOES, states, jnp.full(games, 5), config=config))
    start, done = states, jax.block_until_ready(step(states))
    clock, steps = Clock(), 0
    while clock.cpu < seconds:
        # Games are over after some ten drops, and finished games would not be stepped.
        states = start if steps % 8 == 0 else done[0]
        done = clock.call(lambda states=states: jax.block_until_ready(step(states)))
        steps += 1
    tell(name, steps * games, clock)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--seconds", type=float, default=2.0, help="processor time for each row, in seconds")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--single", action="store_true", help="measure only the environments with one game")
    given = parser.parse_args()
    games, seconds = given.games, given.seconds
    both = {"threads": given.threads, "copy": False}
    print(f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {games} games, {given.threads} threads\n")
    print(f"{'steps per second':44s} {'of CPU':>12s} {'of wall':>12s}")
    measure_singles(seconds)
    if given.single:
        return
    measure("Placement, planes", PlacementVectorEnv(games, **both), seconds)
    measure("Placement, planes, copied", PlacementVectorEnv(games, threads=given.threads), seconds)
    measure("Placement, planes, standard", PlacementVectorEnv(games, rules="standard", **both), seconds)
    measure("Placement, six features", PlacementVectorEnv(games, observation="features", **both), seconds)
    measure("Placement, six features of afterstates", PlacementVectorEnv(games // 4, observation="afterstates", **both), seconds)
    measure("Keys, planes", KeysVectorEnv(games, **both), seconds)
    guideline = {"mode": "endless", **both}
    measure("Guideline, planes", GuidelineVectorEnv(games // 4, **guideline), seconds)
    measure("Guideline, planes, points", GuidelineVectorEnv(games // 4, reward="points", **guideline), seconds)
    measure("Guideline keys, planes", GuidelineVectorEnv(games // 4, actions="keys", **guideline), seconds)
    try:
        import tetris_gymnasium  # noqa: F401
    except ImportError:
        print("tetris-gymnasium is not installed")
        return
    measure_python("tetris-gymnasium, Python, hard drops", [5], seconds)
    measure_python("tetris-gymnasium, Python, keys", range(8), seconds)
    measure_jax("tetris-gymnasium, JAX, hard drops", games, seconds)


if __name__ == "__main__":
    main()
