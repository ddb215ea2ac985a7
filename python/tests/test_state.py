"""A clone, and a game restored from a state, continue like the original and do not affect it."""

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")

import tetrastat.envs as envs

#: Options of games that exercise all queues, observations and kinds of state.
GAMES = [
    (envs.PlacementEnv, {"board": "6x8", "max_steps": 30}),
    (envs.PlacementEnv, {"board": "10x10", "queue": "bag", "previews": 3, "observation": "features"}),
    (envs.PlacementEnv, {"board": "6x8", "rules": "standard", "queue": "tgm3", "observation": "afterstates"}),
    (envs.PlacementEnv, {"board": "6x8", "queue": "adversary", "measured": "before-clear", "afterstates": True}),
    (envs.PlacementEnv, {"board": "6x8", "queue": "least-dealt", "illegal": "end"}),
    (envs.PlacementEnv, {"script": "IOTSZJL", "previews": 2, "board": "8x12"}),
    (envs.KeysEnv, {"board": "6x8", "previews": 2}),
    (envs.KeysEnv, {"board": "6x8", "notebook": True, "observation": "features"}),
    (envs.KeysEnv, {"board": "6x8", "queue": "nes", "observation": "afterstates"}),
    (envs.GuidelineEnv, {}),
    (envs.GuidelineEnv, {"mode": "blitz", "max_pieces": 20, "observation": "features", "rules": "capstone"}),
    (envs.GuidelineEnv, {"mode": "endless", "observation": "afterstates", "slots": 40, "queue": "bag:2"}),
    (envs.GuidelineEnv, {"actions": "keys", "mode": "endless", "max_pieces": 8}),
    (envs.GuidelineEnv, {"actions": "keys", "script": "TSZLJIO", "observation": "features"}),
]


def plain(value):
    """Converts arrays to bytes with their types and shapes, so that observations and infos can be compared."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(one) for one in value)
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


def legal_action(env, chance):
    legal = np.flatnonzero(env.action_masks())
    return int(chance.choice(legal)) if len(legal) else None


def played(env, actions_seed, steps):
    """Plays random legal actions, games after games. Returns all that the environment returned."""
    chance, seen, is_over = np.random.default_rng(actions_seed), [], False
    for _ in range(steps):
        action = legal_action(env, chance)
        seen.append(env.reset() if is_over or action is None else env.step(action))
        is_over = len(seen[-1]) == 5 and (seen[-1][2] or seen[-1][3])
    return [plain(one) for one in seen]


def in_the_middle(kind, options, seed, steps=12):
    env = kind(**options)
    env.reset(seed=seed)
    played(env, seed, steps)
    return env


@pytest.mark.parametrize(("kind", "options"), GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_clones_continue_and_are_independent(kind, options, seed):
    env = in_the_middle(kind, options, seed)
    reference = in_the_middle(kind, options, seed)
    clone = env.clone()
    second = clone.clone()
    assert type(clone) is kind and clone.options == env.options
    # Other actions in the clone change neither the original nor the clone's clone.
    others = played(clone, 100 + seed, 25)
    expected = played(reference, 200 + seed, 60)
    assert played(env, 200 + seed, 60) == expected
    assert played(second, 200 + seed, 60) == expected
    assert others != expected[:25]


def test_clones_have_equal_and_independent_generators():
    env = envs.PlacementEnv(board="6x8")
    env.reset(seed=5)
    expected = gym.utils.seeding.np_random(5)[0].random(6).tolist()
    untouched = env.clone()
    assert env.np_random.random(2).tolist() == expected[:2]
    clone = env.clone()
    assert env.np_random.random(2).tolist() == expected[2:4]
    assert clone.np_random.random(4).tolist() == expected[2:]
    assert untouched.np_random.random(6).tolist() == expected
    assert untouched.np_random_seed == clone.np_random_seed == 5


def test_clones_have_equal_and_independent_action_spaces():
    env = envs.PlacementEnv(board="6x8")
    env.action_space.seed(3)
    clone = env.clone()
    second = clone.clone().clone()
    first = [int(env.action_space.sample()) for _ in range(20)]
    assert [int(clone.action_space.sample()) for _ in range(20)] == first
    assert [int(second.action_space.sample()) for _ in range(20)] == first
    assert clone.action_space == env.action_space and clone.action_space is not env.action_space


def test_a_first_reset_without_a_seed_draws_it_from_the_generator():
    one, other = (envs.PlacementEnv(board="6x8") for _ in range(2))
    one.np_random, other.np_random = np.random.default_rng(1), np.random.default_rng(1)
    assert plain(one.reset()) == plain(other.clone().reset())
    assert played(one, 1, 10) == played(in_place(other), 1, 10)


def in_place(env):
    env.reset()
    return env
