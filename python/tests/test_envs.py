"""Single environments pass gymnasium's checks, and their games equal the engine's."""

import csv
import json
import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")

import tetrastat
import tetrastat.envs as envs
from gymnasium.utils.env_checker import check_env
from tetrastat import TetrastatError

ROOT = Path(__file__).resolve().parents[2]

PLACEMENTS = [
    {},
    {"board": "6x12", "rules": "standard", "previews": 2, "observation": "features"},
    {"observation": "afterstates", "board": "10x10"},
]
KEYS = [{}, {"observation": "features"}, {"notebook": True, "board": "6x10"}]
GUIDELINE = [
    {},
    {"mode": "blitz", "observation": "features", "previews": 2},
    {"actions": "keys", "mode": "endless", "max_pieces": 20},
    {"observation": "afterstates", "slots": 64, "rules": "capstone"},
]
ALL = (
    [("Placement", options) for options in PLACEMENTS]
    + [("Keys", options) for options in KEYS]
    + [("Guideline", options) for options in GUIDELINE]
)


def binary():
    """Returns the path of the command `tetrastat`: from the variable `TETRASTAT`, from a build, or from the search path."""
    named = os.environ.get("TETRASTAT")
    built = [ROOT / "target" / profile / "tetrastat" for profile in ("release", "debug")]
    found = [path for path in (named, *built, shutil.which("tetrastat")) if path and Path(path).is_file()]
    if not found:
        pytest.skip("no tetrastat command: set TETRASTAT to its path")
    return str(found[0])


def hexadecimal(plane):
    """Converts a plane to the text of logs: hexadecimal rows from the floor up to the highest filled one."""
    rows = [sum(int(cell) << column for column, cell in enumerate(row)) for row in plane]
    while len(rows) > 1 and not rows[-1]:
        rows.pop()
    return ":".join(f"{row:0{(plane.shape[1] + 3) // 4}x}" for row in rows)


def run(*arguments):
    done = subprocess.run([binary(), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("kind", "options"), ALL)
def test_environments_pass_gymnasiums_checker(kind, options):
    env = gym.make(f"tetrastat/{kind}-v0", disable_env_checker=True, **options).unwrapped
    with warnings.catch_warnings():
        # The checker warns of dictionaries that it cannot normalise.
        warnings.simplefilter("error" if isinstance(env.observation_space, gym.spaces.Box) else "ignore")
        check_env(env)


@pytest.mark.parametrize(("kind", "options"), ALL)
def test_numbers_of_spaces_can_be_added(kind, options):
    """Stable-Baselines3 adds up the sizes of discrete parts, which are more than a byte holds."""
    env = gym.make(f"tetrastat/{kind}-v0", **options)
    observation, _ = env.reset(seed=1)
    space = env.observation_space
    if isinstance(space, gym.spaces.Dict):
        assert space["pieces"].nvec.dtype == np.int64
        assert space["pieces"].dtype == space["pieces"].sample().dtype == observation["pieces"].dtype == np.uint8
        assert {name: part.dtype for name, part in space.items()} == {name: seen.dtype for name, seen in observation.items()}
    else:
        assert space.dtype == observation.dtype == np.float32
    assert env.action_space.n.dtype == np.int64


@pytest.mark.parametrize(("kind", "illegal"), [("Placement", 39), ("Guideline", 255)])
@pytest.mark.parametrize(("options", "limit"), [({}, 10_000), ({"max_steps": 3}, 3)])
def test_games_of_registered_names_are_cut_off(kind, illegal, options, limit):
    name = f"tetrastat/{kind}-v0"
    env = gym.make(name, script="O", cycle=True, **options)
    env.reset(seed=1)
    ends = [env.step(illegal)[2:4] for _ in range(limit)]
    assert not any(map(any, ends[:-1])) and ends[-1] == (False, True)
    assert gym.make(name, max_steps=None).unwrapped.options.max_steps is None
    assert gym.make_vec(name, num_envs=2).unwrapped.options.max_steps == 10_000


@pytest.mark.parametrize(("kind", "options"), ALL)
def test_seeds_repeat_and_games_differ(kind, options):
    def played(env, seed):
        seen, (_, info) = [], env.reset(seed=seed)
        chance = np.random.default_rng(1)
        for _ in range(30):
            legal = np.flatnonzero(info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(chance.choice(legal))
            seen.append((json.dumps(observation, default=np.ndarray.tolist), reward, terminated))
            if terminated or truncated:
                break
        return seen

    one, other = (gym.make(f"tetrastat/{kind}-v0", **options) for _ in range(2))
    first = played(one, 7)
    assert first == played(other, 7)
    assert first == played(one, 7)
    assert first != played(one, None), "the next game of the seed"


def start_boards(width, height, chance):
    """Yields pictures in which features are large: stripes, combs, a chessboard, and random cells."""
    rows, columns = np.mgrid[:height, :width]
    patterns = [rows % 2, columns % 2, (rows + columns) % 2, columns > 0, (rows > 1) & (columns % 3 > 0), rows < 0]
    patterns += [(columns % 2 > 0) | (rows == top) for top in (0, 1)]
    patterns += [chance.random((height, width)) < share for share in (0.1, 0.4, 0.7, 0.95)]
    for cells in patterns:
        cells = np.array(cells, bool)
        cells[cells.all(1), chance.integers(width)] = False
        yield "\n".join("".join(".#"[int(cell)] for cell in row) for row in cells)


@pytest.mark.parametrize("observation", ["features", "afterstates"])
@pytest.mark.parametrize(
    ("kind", "size", "options"),
    [
        (envs.PlacementEnv, (4, 4), {"board": "4x4", "measured": "before-clear"}),
        (envs.PlacementEnv, (10, 20), {}),
        (envs.PlacementEnv, (5, 28), {"board": "5x28", "rules": "standard"}),
        (envs.PlacementEnv, (16, 9), {"board": "16x9", "previews": 2}),
        (envs.KeysEnv, (6, 8), {"board": "6x8"}),
        (envs.GuidelineEnv, (10, 20), {"rules": "guideline", "reward": "points"}),
        (envs.GuidelineEnv, (10, 20), {"rules": "capstone", "mode": "endless"}),
    ],
)
def test_features_lie_in_their_bounds(kind, size, options, observation):
    """All features, from boards on which they are large to the end of the game."""
    rules = "guideline" if kind is envs.GuidelineEnv else "simplified"
    names = tetrastat.feature_names(f"{size[0]}x{size[1]}", rules=rules, of_boards=kind is envs.KeysEnv)
    env = kind(features=names, observation=observation, **options)
    space = env.observation_space
    assert np.isfinite(space.low).all() and np.isfinite(space.high).all() and (space.low < space.high).all()
    wrapped = gym.wrappers.RescaleObservation(env, np.float32(-1), np.float32(1))
    chance, steps = np.random.default_rng(3), 0
    for board in start_boards(*size, chance):
        observation, info = env.reset(seed=steps, options={"board": board})
        for _ in range(60):
            assert observation in space, np.array(names)[(observation < space.low) | (observation > space.high)]
            legal = np.flatnonzero(info["action_mask"])
            if not len(legal):
                break
            observation, _, terminated, truncated, info = env.step(chance.choice(legal))
            steps += 1
            if terminated or truncated:
                break
        assert observation in space
    assert steps > 9
    scaled, _ = wrapped.reset(seed=1)
    assert np.abs(scaled).max() <= 1


@pytest.mark.parametrize("rules", ["simplified", "standard"])
def test_placements_equal_the_engines(rules, tmp_path):
    folder = tmp_path / "run"
    run(
        "simulate", "--controller", "bcts", "--rules", rules, "--board", "8x12", "--games", 2, "--max-pieces", 150,
        "--seed", 5, "--placements", "csv", "--out", folder,
    )
    with open(folder / "placements.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    env = envs.PlacementEnv(board="8x12", rules=rules)
    game = None
    for row in rows:
        if row["game"] != game:
            game = row["game"]
            _, info = env.reset(seed=5, options={"game": int(game)})
            lines = 0
        table = env.placements()
        legal = table[:, 0] >= 0
        assert (legal == info["action_mask"].astype(bool)).all()
        assert legal.sum() == int(row["candidates"])
        action = int(row["orientation"]) * 8 + int(row["column"])
        assert "IOTSZJL"[table[action, 0]] == row["piece"]
        assert table[action, 4] == int(row["landing_row"])
        seen, reward, _, _, info = env.step(action)
        assert hexadecimal(seen["board"][0]) == row["board"]
        lines += int(row["lines"])
        assert (reward, info["lines"], info["pieces"]) == (int(row["lines"]), lines, int(row["piece_no"]))


def test_keys_equal_the_engines():
    env = envs.KeysEnv(board="6x14", render_mode="ansi")
    env.reset(seed=3)
    played = []
    for action in [1, 1, 3, 5, 2, 4, 5, 0, 0, 2, 2, 2, 5] * 6:
        _, reward, terminated, _, _ = env.step(action)
        played.append((action, reward, terminated, env.render().split("\n")[:14]))
        if terminated:
            break
    names = ",".join(str(action) for action, *_ in played)
    lines = run("play", "--keys", "--seed", 3, "--board", "6x14", "--actions", names, "--format", "json").splitlines()
    steps = [json.loads(line) for line in lines][1:]
    assert len(steps) == len(played) > 20
    for (_, reward, terminated, picture), step in zip(played, steps):
        assert (reward, terminated, picture) == (step["reward"], step["done"], step["picture"])


def test_the_notebooks_game_has_58_lines():
    """The documentation of the command states the 58 lines."""
    text = run("play", "--keys", "--notebook", "--seed", 42, "--controller", "notebook-ones", "--trace", "--format", "json")
    played = json.loads(text)
    env = envs.KeysEnv(notebook=True)
    env.reset(seed=42)
    names = ["idle", "left", "right", "ccw", "cw", "drop"]
    rewards = [env.step(names.index(name))[1] for name in played["actions"]]
    assert sum(rewards) == played["lines"] == 58


def test_guideline_placements_and_keys_equal_the_engines(tmp_path):
    folder = tmp_path / "run"
    run(
        "simulate", "--rules", "guideline", "--mode", "blitz", "--pieces", 60, "--games", 1, "--seed", 4,
        "--placements", "csv", "--out", folder,
    )
    with open(folder / "placements.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    placed = envs.GuidelineEnv(mode="blitz", max_pieces=60)
    pressed = envs.GuidelineEnv(mode="blitz", max_pieces=60, actions="keys")
    keys = envs._options._tetrastat.GUIDELINE_KEYS
    placed.reset(seed=4)
    pressed.reset(seed=4)
    score = 0
    for row in rows:
        held = row["used_hold"] == "TRUE"
        shape = ("IOTSZJL".index(row["piece"]), int(held), "0R2L".index(row["orientation"]), int(row["column"]), int(row["landing_row"]))
        table = placed.placements()
        assert (table[:, 0] >= 0).sum() == int(row["candidates"])
        (action,) = np.flatnonzero((table[:, :5] == shape).all(1) & (table[:, 5] == ["none", "mini", "full"].index(row["t_spin"])))
        seen, reward, over, _, info = placed.step(action)
        total = 0
        for letter in ("o" if held else "") + row["input_keys"]:
            assert pressed.action_masks()[keys.index(letter)]
            other, earned, also_over, _, counts = pressed.step(keys.index(letter))
            total += earned
        score += reward
        assert (seen["board"][0] == other["board"][0]).all()
        assert reward == total
        assert (info["score"], counts["score"], info["lines"]) == (score, score, int(row["lines_total"]))
    assert over and also_over


def test_a_step_before_the_first_reset_is_refused():
    for env in (envs.PlacementEnv(), envs.KeysEnv(), envs.GuidelineEnv(), envs.PlacementVectorEnv(1)):
        with pytest.raises(gym.error.ResetNeeded, match="call reset before the first step"):
            env.step([0] if env.action_space.shape else 0)


def test_points_of_drops_are_searched_for_rewards_only():
    """A flat I at the floor falls 20 rows: 40 points if it is dropped hard."""
    scores = {}
    for reward in (None, "points", "lines"):
        env = envs.GuidelineEnv(script="I", cycle=True, reward=reward)
        env.reset(seed=1)
        flat = np.flatnonzero((env.placements()[:, 2:5] == (0, 3, 0)).all(1))[0]
        _, earned, _, _, info = env.step(flat)
        scores[reward] = (earned, info["score"])
    assert scores == {None: (0, 0), "lines": (0, 0), "points": (scores["points"][1],) * 2}
    assert scores["points"][1] >= 34


def test_illegal_actions_follow_the_option():
    env = envs.PlacementEnv(script="O", cycle=True, illegal_reward=-0.5)
    env.reset(seed=1)
    before, reward, terminated, _, info = env.step(39)
    assert (reward, terminated, info["illegal"], info["pieces"]) == (-0.5, False, True, 0)
    ending = envs.PlacementEnv(script="O", cycle=True, illegal="end")
    ending.reset(seed=1)
    assert ending.step(39)[2]
    strict = envs.PlacementEnv(script="O", cycle=True, illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(ValueError, match="action mask"):
        strict.step(39)
    assert strict.step(0)[4]["pieces"] == 1
    with pytest.raises(ValueError, match="use 0 to 39"):
        strict.step(40)


def test_games_end_terminated_or_truncated():
    env = envs.PlacementEnv(script="OOO", max_steps=50)
    env.reset(seed=1)
    steps = [env.step(0)[2:4] for _ in range(3)]
    assert steps == [(False, False), (False, False), (False, True)], "the end of a script truncates the game"
    limited = envs.PlacementEnv(max_steps=2)
    limited.reset(seed=1)
    action = lambda: int(np.flatnonzero(limited.action_masks())[0])
    assert [limited.step(action())[3] for _ in range(2)] == [False, True]
    with pytest.raises(ValueError, match="over"):
        limited.step(0)
    tower = envs.PlacementEnv(board="4x4", script="O", cycle=True, lost=-9, reward=[1, 0, 0, 0, 0])
    tower.reset(seed=1)
    assert [tower.step(0)[1:3] for _ in range(3)] == [(1, False), (1, False), (-8, True)]
    sprint = envs.GuidelineEnv(sprint_lines=1, script="I", cycle=True)
    sprint.reset(seed=1, options={"board": "\n".join([".........."] * 19 + ["....######"])})
    wins = [action for action, row in enumerate(sprint.placements()) if tuple(row[2:5]) == (0, 0, 0)]
    _, reward, terminated, truncated, _ = sprint.step(wins[0])
    assert (reward, terminated, truncated) == (1, True, False)


def test_start_boards_and_pictures():
    env = envs.PlacementEnv(board="4x4", render_mode="rgb_array")
    board = np.array([[1, 1, 0, 1], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    seen, _ = env.reset(seed=1, options={"board": board})
    assert (seen["board"][0] == board).all()
    image = env.render()
    assert image.shape == (48, 48, 3) and (image[30, 2] != image[2, 2]).any()
    with pytest.raises(TetrastatError, match="start board is 5x4"):
        env.reset(options={"board": "#..../#..../#..../#...."})
    with pytest.raises(TetrastatError, match="full rows"):
        env.reset(options={"board": "..../..../..../####"})


def test_features_in_whole_units():
    env = envs.PlacementEnv(board="6x8", features=["landing_height", "holes", "height_0"], script="OI", cycle=True)
    env.reset(seed=1)
    table = env.afterstates()
    assert table.shape == (24, 3)
    assert table[0].tolist() == [0.5, 0, 2] and not table[6:].any()
    env.step(0)
    assert env.afterstates()[6:9].tolist() == [[2, 4, 3], [2, 6, 2], [0, 0, 1]]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"board": "3x20"}, "width 4-16"),
        ({"rules": "guideline"}, "rules 'guideline'"),
        ({"features": ["hole"]}, "unknown feature 'hole'"),
        ({"observation": "pixels"}, "planes, features, afterstates"),
        ({"previews": 16}, "use 0 to 15"),
        ({"reward": "money"}, "lines, points"),
        ({"reward": {"lines": 1}}, "reward {'lines': 1}: use lines, points, pieces or five numbers"),
        ({"reward": 3}, "reward 3: use lines"),
        ({"reward": [0, 1]}, "reward: 2 numbers: give five"),
        ({"max_steps": 0}, "at least 1"),
        ({"reward": (0, 1, float("nan"), 3, 4)}, "reward NaN: give a finite number"),
        ({"lost": float("-inf")}, "lost -inf: give a finite number"),
        ({"illegal_reward": float("nan")}, "illegal_reward NaN: give a finite number"),
    ],
)
def test_invalid_options_are_refused(options, problem):
    with pytest.raises((TetrastatError, ValueError), match=problem):
        envs.PlacementEnv(**options)


def test_the_names_are_registered():
    code = "import tetrastat, gymnasium; print(gymnasium.make('tetrastat/Placement-v0').action_space.n)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "40", done.stderr
