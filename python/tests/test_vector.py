"""Environments with many games equal single environments, for every number of threads and every autoreset mode."""

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")

import tetrastat.envs as envs
from gymnasium.vector import SyncVectorEnv

GAMES = 70
KINDS = [
    (envs.PlacementEnv, envs.PlacementVectorEnv, {"board": "6x8", "previews": 1, "max_steps": 40}),
    (envs.PlacementEnv, envs.PlacementVectorEnv, {"board": "5x9", "rules": "standard", "observation": "features"}),
    (envs.PlacementEnv, envs.PlacementVectorEnv, {"board": "6x8", "observation": "afterstates", "illegal": "end"}),
    (envs.KeysEnv, envs.KeysVectorEnv, {"board": "6x8", "lost": -1}),
    (envs.KeysEnv, envs.KeysVectorEnv, {"board": "6x8", "notebook": True}),
    (envs.GuidelineEnv, envs.GuidelineVectorEnv, {"mode": "endless", "max_pieces": 9, "reward": "points"}),
    (envs.GuidelineEnv, envs.GuidelineVectorEnv, {"actions": "keys", "mode": "blitz", "max_pieces": 2}),
]


def legal(mask, chance):
    """Returns a random legal action for each game."""
    return np.array([chance.choice(np.flatnonzero(row)) if row.any() else 0 for row in mask])


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray) and one.dtype == object:
        return all((a is None and b is None) or same(a, b) for a, b in zip(one, other))
    return np.array_equal(one, other)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(("single", "vector", "options"), KINDS)
def test_a_vector_equals_its_single_games(single, vector, options, mode):
    """The reference is gymnasium's own vector of single environments, which also defines the autoreset modes."""
    many = vector(GAMES, autoreset_mode=mode, threads=2, **options)
    each = SyncVectorEnv([lambda: single(**options)] * GAMES, autoreset_mode=mode)
    assert many.observation_space == each.observation_space
    assert many.action_space == each.action_space
    seen, info = many.reset(seed=3)
    expected, expected_info = each.reset(seed=many.game_seeds(3))
    chance = np.random.default_rng(2)
    ends = 0
    for _ in range(12):
        assert same(seen, expected)
        for name in ("action_mask", "lines", "pieces", "score"):
            assert same(info[name], expected_info[name]), name
        assert seen in many.observation_space
        actions = legal(info["action_mask"], chance)
        seen, reward, terminated, truncated, info = many.step(actions)
        expected, *others, expected_info = each.step(actions)
        assert same(reward, others[0]) and same(terminated, others[1]) and same(truncated, others[2])
        if mode == "SameStep" and "final_obs" in info:
            assert same(info["final_obs"], expected_info["final_obs"])
            assert same(info["_final_obs"], expected_info["_final_obs"])
            ended = info["_final_obs"]
            final, expected_final = info["final_info"], expected_info["final_info"]
            assert same(final["lines"][ended], expected_final["lines"][ended])
        ends += int((terminated | truncated).sum())
    if single is envs.PlacementEnv:
        assert ends > 0


def test_results_do_not_depend_on_threads():
    options = {"board": "10x10", "max_steps": 25, "afterstates": True, "observation": "features"}
    vectors = [envs.PlacementVectorEnv(200, threads=threads, **options) for threads in (1, 2, 3)]
    assert [vector.threads for vector in vectors] == [1, 2, 3]
    seen = [vector.reset(seed=1) for vector in vectors]
    chance = np.random.default_rng(3)
    for _ in range(30):
        actions = legal(seen[0][-1]["action_mask"], chance)
        seen = [vector.step(actions) for vector in vectors]
        for other in seen[1:]:
            assert all(same(one, two) for one, two in zip(seen[0], other))


def test_disabled_autoreset_waits_for_a_reset():
    vector = envs.PlacementVectorEnv(3, autoreset_mode="Disabled", script="O", cycle=True, board="4x4")
    vector.reset(seed=1)
    vector.step([0, 2, 0])
    vector.step([0, 0, 0])
    *_, terminated, _, _ = vector.step([0, 0, 0])
    assert terminated.tolist() == [True, False, True]
    with pytest.raises(ValueError, match="game 0"):
        vector.step([0, 0, 0])
    seen, _ = vector.reset(options={"reset_mask": terminated})
    assert seen["board"].sum((1, 2, 3)).tolist()[::2] == [0, 0] and seen["board"][1].any()
    vector.step([0, 0, 0])


@pytest.mark.parametrize("options", [{}, {"notebook": True}])
def test_vectors_with_other_seeds_share_no_game(options):
    kind = envs.KeysVectorEnv if options else envs.PlacementVectorEnv
    seen = set()
    for seed in range(1, 9):
        vector = kind(64, threads=1, **options)
        seeds = vector.game_seeds(seed)
        assert kind(200, threads=1, **options).game_seeds(seed)[:64] == seeds, "more games have the same first ones"
        seen |= set(seeds)
    assert len(seen) == 8 * 64 and max(seen) < 2 ** (32 if options else 64)
    streams = set()
    for seed in (1, 2):
        vector, pieces = envs.PlacementVectorEnv(64, previews=15, threads=1), []
        observation, info = vector.reset(seed=seed)
        for _ in range(20):
            pieces.append(observation["pieces"][:, 0])
            observation, *_, info = vector.step(info["action_mask"].argmax(1))
        streams |= {tuple(one) for one in np.array(pieces).T.tolist()}
    assert len(streams) == 128


def test_seeds_game_numbers_and_copies():
    vector = envs.PlacementVectorEnv(4, copy=False)
    first, _ = vector.reset(seed=[9] * 4, options={"game": range(4)})
    again = envs.PlacementEnv()
    for index in range(4):
        one, _ = again.reset(seed=9, options={"game": index})
        assert same(one["pieces"], first["pieces"][index])
    seen, *_ = vector.step([0, 0, 0, 0])
    assert seen["board"] is first["board"], "without copies, the arrays are the games' own"
    with pytest.raises(ValueError, match="4 games"):
        vector.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="actions for 4 games"):
        vector.step([0])


def test_make_vec_creates_a_vector_environment():
    vector = gym.make_vec("tetrastat/Keys-v0", num_envs=2, board="6x8")
    assert isinstance(vector.unwrapped, envs.KeysVectorEnv)
    assert vector.reset(seed=1)[0]["board"].shape == (2, 2, 8, 6)
