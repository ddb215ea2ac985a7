"""A clone, and a game restored from a state, continue like the original and do not affect it."""

import copy
import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tetrastat

gym = pytest.importorskip("gymnasium")

import tetrastat.envs as envs
from tetrastat import SettingError

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


def restored(env, state):
    """Returns a new environment of the same kind that continues from ``state``."""
    made = type(env)(**{field.name: getattr(env.options, field.name) for field in dataclasses.fields(env.options)})
    made.set_state(state)
    return made


@pytest.mark.parametrize(("kind", "options"), GAMES)
@pytest.mark.parametrize("steps", [0, 1, 13, 30])
def test_states_pickles_and_deep_copies_continue(kind, options, steps):
    env = in_the_middle(kind, options, 4, steps)
    copies = [restored(env, env.get_state()), pickle.loads(pickle.dumps(env)), copy.deepcopy(env), copy.copy(env)]
    used = env.clone()
    played(used, 9, 20)
    state = env.get_state()
    seen = used.set_state(state)
    assert used.get_state() == state == copies[0].get_state()
    assert plain(seen) == plain(copies[0].set_state(state))
    expected = played(env, 300, 60)
    for one in [*copies[:3], used]:
        assert played(one, 300, 60) == expected
    # The copies did not share the game.
    assert copies[3].get_state() == state


@pytest.mark.parametrize("over", [False, True])
def test_the_restored_observation_is_the_latest(over):
    """At the end of a game, too."""
    for kind, options in GAMES:
        env = kind(**options)
        seen, chance = env.reset(seed=3), np.random.default_rng(0)
        for _ in range(400 if over else 9):
            if len(seen) == 5 and (seen[2] or seen[3]):
                break
            seen = env.step(legal_action(env, chance))
        expected = plain((seen[0], {name: value for name, value in seen[-1].items() if name != "illegal"}))
        assert plain(restored(env, env.get_state()).set_state(env.get_state())) == expected, options


def test_another_process_continues(tmp_path):
    env = gym.make("tetrastat/Placement-v0", board="6x8", max_steps=100)
    env.reset(seed=8)
    vector = envs.GuidelineVectorEnv(3, threads=2, actions="keys")
    vector.reset(seed=8)
    for objects in (env, vector):
        with open(tmp_path / "pickle", "ab") as file:
            pickle.dump(objects, file)
    code = (
        "import pickle, sys; file = open(sys.argv[1], 'rb'); env, vector = pickle.load(file), pickle.load(file);"
        "print([env.step(3 * k % 20)[1:4] for k in range(9)], env.unwrapped.get_state(),"
        "[vector.step([k % 9] * 3)[1].tolist() for k in range(9)], vector.get_state())"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "pickle"], capture_output=True, text=True)
    here = [env.step(3 * k % 20)[1:4] for k in range(9)]
    rewards = [vector.step([k % 9] * 3)[1].tolist() for k in range(9)]
    assert done.stdout.strip() == f"{here} {env.unwrapped.get_state()} {rewards} {vector.get_state()}", done.stderr


@pytest.mark.parametrize("kind", ["Placement", "Keys", "Guideline"])
def test_wrapped_environments_are_copied(kind):
    from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

    env = RecordEpisodeStatistics(TimeLimit(gym.make(f"tetrastat/{kind}-v0"), 12))
    env.reset(seed=2)
    for _ in range(3):
        env.step(legal_action(env.unwrapped, np.random.default_rng(1)))
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]

    def steps(one):
        chance = np.random.default_rng(2)
        seen = [plain(one.step(legal_action(one.unwrapped, chance))) for _ in range(9)]
        for *_, info in seen:
            info.get("episode", {}).pop("t", None)
        return seen

    expected = steps(env)
    assert expected[-1][3] and not expected[-2][3], "the wrapper's own count of steps was copied"
    assert all(steps(one) == expected for one in copies)


def test_damaged_and_foreign_states_are_refused():
    env = envs.PlacementEnv(board="6x8")
    with pytest.raises(gym.error.ResetNeeded):
        env.get_state()
    env.reset(seed=1)
    state = env.get_state()
    for damaged in (b"", state[:-1], state[:40], state.replace(b'"lines":0', b'"lines":1'), b"{}", bytes(range(256))):
        with pytest.raises(SettingError, match="^state: it is damaged[^\n]*$"):
            env.set_state(damaged)
    with pytest.raises(TypeError):
        env.set_state(state.decode())
    others = [
        (envs.PlacementEnv(board="6x9"), "board 6x8, but this environment has board 6x9"),
        (envs.PlacementEnv(board="6x8", queue="bag"), "queue uniform, but"),
        (envs.PlacementEnv(board="6x8", rules="standard"), "rules simplified"),
        (envs.KeysEnv(board="6x8"), "actions placements, but this environment has actions keys"),
        (envs.GuidelineEnv(), "actions placements, but this environment has actions guideline placements"),
    ]
    for other, problem in others:
        other.reset(seed=1)
        before = other.get_state()
        with pytest.raises(SettingError, match=problem) as caught:
            other.set_state(state)
        assert "\n" not in str(caught.value)
        assert other.get_state() == before
    guideline = envs.GuidelineEnv(hold=False)
    guideline.reset(seed=1)
    with pytest.raises(SettingError, match="has rules #"):
        envs.GuidelineEnv().set_state(guideline.get_state())
    # Observations, rewards and limits may differ.
    assert envs.PlacementEnv(board="6x8", observation="features", reward="pieces", max_steps=9).set_state(state)


VECTORS = [
    (envs.PlacementVectorEnv, {"board": "6x8", "max_steps": 25, "previews": 1}),
    (envs.KeysVectorEnv, {"board": "6x8", "notebook": True, "observation": "features"}),
    (envs.GuidelineVectorEnv, {"mode": "endless", "max_pieces": 9, "observation": "afterstates"}),
]


def played_together(vector, seed, steps):
    chance, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        mask = vector.action_masks()
        actions = [int(chance.choice(np.flatnonzero(row))) if row.any() else 0 for row in mask]
        *results, info = vector.step(actions)
        for name in ("final_obs", "final_info", "_final_obs", "_final_info"):
            info.pop(name, None)
        seen.append(plain((*results, info)))
    return seen


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(("kind", "options"), VECTORS)
@pytest.mark.parametrize("shared", [False, True])
def test_vectors_are_cloned_and_restored(kind, options, mode, shared):
    def made(**more):
        return kind(70, threads=2, autoreset_mode=mode, **options, **more)

    vector = made(copy=not shared)
    vector.reset(seed=6)
    played_together(vector, 1, 15)
    state = vector.get_state()
    copies = [vector.clone(), pickle.loads(pickle.dumps(vector)), copy.deepcopy(vector), made()]
    observation, info = copies[3].set_state(state)
    assert observation in vector.observation_space and info["_lines"].all()
    assert plain(copies[0]._views.observed()) == plain(observation) == plain(vector._views.observed())
    others = played_together(vector.clone(), 3, 20)
    expected = played_together(vector, 2, 20)
    assert others != expected
    assert all(one.get_state() == state for one in copies)
    assert all(played_together(one, 2, 20) == expected for one in copies)
    assert copies[1].copy is not shared and copies[1].threads == 2


def test_games_move_between_vectors_and_single_environments():
    options = {"board": "6x8"}
    vector = envs.PlacementVectorEnv(6, threads=1, **options)
    vector.reset(seed=4)
    played_together(vector, 1, 5)
    single = envs.PlacementEnv(**options)
    single.set_state(vector.get_state(2))
    assert single.get_state() == vector.get_state(2) == vector.get_state([2]) == vector.get_state(slice(2, 3))
    before = [vector.get_state(index) for index in range(6)]
    observation, info = vector.set_state(single.get_state(), [0, 5])
    assert [vector.get_state(index) for index in range(6)] == [before[2], *before[1:5], before[2]]
    assert info["_lines"].tolist() == [True, False, False, False, False, True]
    assert (observation["board"][0] == observation["board"][2]).all()
    vector.set_state(vector.get_state([3, 1, 1]), np.array([0, 0, 0, 1, 1, 1], bool))
    assert [vector.get_state(index) for index in range(6)] == [before[k] for k in (2, 1, 2, 3, 1, 1)]
    expected = single.clone()
    vector.set_state(single.get_state())
    results = vector.step(range(6))
    for action in range(6):
        one = expected.clone().step(action)
        assert plain(one[0]["board"]) == plain(results[0]["board"][action]) and one[1] == results[1][action]


def test_wrong_games_of_a_vector_are_refused():
    vector = envs.PlacementVectorEnv(4, board="6x8", threads=1)
    with pytest.raises(gym.error.ResetNeeded):
        vector.get_state()
    vector.reset(seed=1)
    state = vector.get_state()
    with pytest.raises(IndexError):
        vector.get_state(4)
    with pytest.raises(IndexError):
        vector.set_state(vector.get_state(0), [1, 4])
    with pytest.raises(SettingError, match="state: it has 4 games.*the 2 to set$"):
        vector.set_state(state, [0, 1])
    with pytest.raises(SettingError, match="damaged"):
        vector.set_state(state[:-9])
    with pytest.raises(gym.error.ResetNeeded):
        envs.PlacementVectorEnv(4, board="6x8").set_state(vector.get_state(0), 1)
    assert vector.get_state() == state


def test_pickles_of_optimisers_tables_and_placements(tmp_path):
    search = tetrastat.Optimiser("cmaes", 3, population=8, seed=1)
    search.tell(-(search.ask() ** 2).sum(1))
    for again in (pickle.loads(pickle.dumps(search)), copy.deepcopy(search)):
        for _ in range(3):
            assert (again.ask() == search.ask()).all()
        again.tell(-(again.ask() ** 2).sum(1))
        assert again.generation == search.generation + 1, "the copy does not advance the original"
    placed = tetrastat.Board.empty().place("T", 0, 3)
    assert pickle.loads(pickle.dumps(placed)) == placed == copy.deepcopy(placed)
    assert placed != tetrastat.Board.empty().place("T", 0, 4)
    run = tetrastat.simulate("dt20", board="10x10", games=4, max_pieces=20, out=tmp_path / "run")
    table = tetrastat.Table(run.tables["games"], ["game", "pieces"], "game>=1", 2, owner=[run.path])
    for again in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table)):
        assert again.to_pyarrow() == table.to_pyarrow()
        assert again.columns == ["game", "pieces"] and again.owner == [run.path]
    whole = tetrastat.Table(run.tables["games"])
    assert pickle.loads(pickle.dumps(whole)).to_pyarrow() == whole.to_pyarrow()


@pytest.mark.parametrize(("kind", "options"), GAMES)
def test_observations_are_in_their_spaces(kind, options):
    for seed in range(5):
        env = kind(**options)
        seen, chance = env.reset(seed=seed), np.random.default_rng(seed)
        for _ in range(80):
            assert seen[0] in env.observation_space
            if len(seen) == 5 and (seen[2] or seen[3]):
                break
            seen = env.step(legal_action(env, chance))
