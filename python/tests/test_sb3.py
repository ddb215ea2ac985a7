"""The adapter for Stable-Baselines3 equals single environments in a DummyVecEnv, and its algorithms accept it."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

import tetrastat.envs as envs
import gymnasium as gym
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor, is_vecenv_wrapped
from tetrastat.envs.sb3 import SB3VecEnv

GAMES = 9
KINDS = [
    (envs.PlacementEnv, envs.PlacementVectorEnv, {"board": "6x8", "max_steps": 5, "afterstates": True}),
    (envs.PlacementEnv, envs.PlacementVectorEnv, {"board": "5x9", "observation": "afterstates", "lost": -1.0}),
    (envs.KeysEnv, envs.KeysVectorEnv, {"board": "6x8", "observation": "features", "max_steps": 20}),
    (envs.GuidelineEnv, envs.GuidelineVectorEnv, {"mode": "endless", "max_pieces": 7}),
]


def adapted(vector, options, games=GAMES):
    return SB3VecEnv(vector(games, autoreset_mode="SameStep", threads=2, **options))


def same(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    return type(one) is type(other) and np.array_equal(one, other)


def without_time(infos):
    """Returns the infos without the seconds of episodes, and with plain numbers as their returns."""
    found = []
    for info in infos:
        info = dict(info)
        if "episode" in info:
            info["episode"] = {"r": float(info["episode"]["r"]), "l": int(info["episode"]["l"])}
        found.append(info)
    return found


@pytest.mark.parametrize(("single", "vector", "options"), KINDS)
def test_the_adapter_equals_single_environments_in_a_dummy_vec_env(single, vector, options):
    many = adapted(vector, options)
    each = DummyVecEnv([lambda: Monitor(single(**options))] * GAMES)
    assert many.observation_space == each.observation_space and many.action_space == each.action_space
    ends = cuts = 0
    for seed in (3, None):
        if seed is not None:
            each._seeds = many.seed(seed)
            assert each._seeds == many.vector.game_seeds(seed)
        chance = np.random.default_rng(2)
        seen, expected = many.reset(), each.reset()
        assert same(seen, dict(expected) if isinstance(expected, dict) else expected)
        assert all(map(same, many.reset_infos, each.reset_infos))
        for _ in range(50):
            masks = np.array(many.env_method("action_masks"))
            assert np.array_equal(masks, each.env_method("action_masks"))
            actions = np.array([chance.choice(np.flatnonzero(mask)) for mask in masks])
            seen, reward, done, infos = many.step(actions)
            expected, expected_reward, expected_done, expected_infos = each.step(actions)
            assert same(seen, dict(expected) if isinstance(expected, dict) else expected)
            assert same(reward, expected_reward) and same(done, expected_done)
            assert all(map(same, without_time(infos), without_time(expected_infos)))
            assert all(map(same, many.reset_infos, each.reset_infos))
            ends += int(done.sum())
            cuts += sum(info["TimeLimit.truncated"] for info in infos)
    assert ends > 0
    assert (cuts > 0) == ("max_steps" in options or "max_pieces" in options)


def test_observations_and_infos_of_earlier_steps_stay():
    env = adapted(envs.PlacementVectorEnv, {"board": "6x8", "afterstates": True})
    env.seed(1)
    first = env.reset()
    kept = first["board"].copy(), env.reset_infos[0]["afterstates"].copy()
    mask = np.array(env.env_method("action_masks"))
    _, _, _, infos = env.step(mask.argmax(1))
    before = infos[0]["action_mask"].copy()
    env.step(np.array(env.env_method("action_masks")).argmax(1))
    assert np.array_equal(first["board"], kept[0]) and not first["board"].any()
    assert np.array_equal(infos[0]["action_mask"], before)


def test_attributes_methods_and_indices():
    env = adapted(envs.PlacementVectorEnv, {"board": "6x8"}, 4)
    env.seed(5)
    env.reset()
    masks = np.array(env.env_method("action_masks"))
    assert np.array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    assert np.array_equal(env.env_method("action_masks", indices=1)[0], masks[1])
    assert np.array_equal(env.get_attr("action_masks", 3)[0](), masks[3])
    assert env.has_attr("action_masks") and env.has_attr("render_mode") and not env.has_attr("nothing")
    assert env.get_attr("action_space", [0]) == [env.action_space]
    assert env.get_attr("render_mode") == [None] * 4
    assert env.env_is_wrapped(Monitor) == [True] * 4
    assert not is_vecenv_wrapped(env, VecMonitor)
    for call in (lambda: env.env_method("fly"), lambda: env.set_attr("lost", -1.0), lambda: env.get_attr("nothing")):
        with pytest.raises(AttributeError):
            call()


def test_seeds_and_options_are_used_once():
    env = adapted(envs.PlacementVectorEnv, {"board": "6x8", "previews": 3}, 3)
    single = envs.PlacementEnv(board="6x8", previews=3)
    seeds = env.seed(8)
    env.set_options([{"game": 4}, {}, {"game": 1}])
    pieces = env.reset()["pieces"]
    for index, game in enumerate((4, 0, 1)):
        assert np.array_equal(pieces[index], single.reset(seed=seeds[index], options={"game": game})[0]["pieces"])
    following = env.reset()["pieces"]
    for index, game in enumerate((5, 1, 2)):
        assert np.array_equal(following[index], single.reset(seed=seeds[index], options={"game": game})[0]["pieces"])
    board = np.zeros((8, 6), np.uint8)
    board[0, 2] = 1
    env.set_options({"board": board})
    assert env.reset()["board"].sum() == 3
    env.set_options([{"board": board}, {}, {}])
    with pytest.raises(ValueError, match="same board"):
        env.reset()
    assert env.seed() != env.seed() != seeds, "random seeds"
    env.set_options({"bord": board})
    with pytest.raises(ValueError, match="bord"):
        env.reset()


def test_vectors_that_cannot_be_adapted_are_refused():
    with pytest.raises(ValueError, match="SameStep"):
        SB3VecEnv(envs.PlacementVectorEnv(2))
    with pytest.raises(ValueError, match="copy=True"):
        SB3VecEnv(envs.PlacementVectorEnv(2, autoreset_mode="SameStep", copy=False))


@pytest.mark.parametrize("observation", ["planes", "features", "afterstates"])
def test_maskable_ppo_learns_from_the_adapter(observation):
    contrib = pytest.importorskip("sb3_contrib")
    policy = "MultiInputPolicy" if observation == "planes" else "MlpPolicy"

    def weights():
        env = adapted(envs.PlacementVectorEnv, {"board": "6x8", "observation": observation, "max_steps": 20}, 8)
        model = contrib.MaskablePPO(policy, env, n_steps=16, batch_size=64, seed=1)
        model.learn(256)
        assert len(model.ep_info_buffer) > 0 and model.num_timesteps == 256
        return model, env, [part.detach().numpy().copy() for part in model.policy.parameters()]

    model, env, first = weights()
    assert all(map(np.array_equal, first, weights()[2])), "the same seed gives the same policy"
    from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked

    returns, lengths = evaluate_masked(model, env, 10, return_episode_rewards=True)
    assert len(returns) == 10 and min(lengths) > 0


LEARNERS = {
    "PPO": (PPO, {"n_steps": 32, "batch_size": 32}),
    "A2C": (A2C, {}),
    "DQN": (DQN, {"learning_starts": 40, "buffer_size": 200}),
    "MaskablePPO": (None, {"n_steps": 32, "batch_size": 32}),
}


@pytest.mark.parametrize("kind", ["Placement", "Keys", "Guideline"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_learners_accept_the_defaults(kind, learner):
    """Of the registered names and of the adapter."""
    algorithm, settings = LEARNERS[learner]
    algorithm = algorithm or pytest.importorskip("sb3_contrib").MaskablePPO
    vector = getattr(envs, f"{kind}VectorEnv")
    for env in (gym.make(f"tetrastat/{kind}-v0"), adapted(vector, {}, 4)):
        model = algorithm("MultiInputPolicy", env, device="cpu", seed=1, **settings).learn(128)
        before, after = (algorithm("MultiInputPolicy", env, device="cpu", seed=1, **settings), model)
        pairs = zip(before.policy.parameters(), after.policy.parameters())
        assert any((one != other).any() for one, other in pairs), "the policy has changed"


def test_an_agent_without_masks_ends():
    env = Monitor(gym.make("tetrastat/Placement-v0", board="6x8", max_steps=500))
    model = PPO("MultiInputPolicy", env, n_steps=64, seed=1, device="cpu")
    _, lengths = evaluate_policy(model, env, 1, return_episode_rewards=True)
    assert lengths[0] <= 500


def test_evaluate_policy_reports_whole_games():
    env = adapted(envs.KeysVectorEnv, {"board": "6x8", "observation": "features", "max_steps": 10}, 4)
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=32, seed=1)
    _, lengths = evaluate_policy(model, env, 6, return_episode_rewards=True)
    assert lengths == [10] * 6, "games are cut off after 10 steps"
