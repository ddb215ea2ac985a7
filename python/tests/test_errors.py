"""Kinds of exceptions: TypeError for an unknown option, SettingError for an invalid value, MemoryError for lack of memory,
and TetrastatError for every other failure. Ctrl-C stops array calls."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tetrastat
from tetrastat import Board, SettingError

BOARD = Board("..../..../#.../##.#")
EVALUATOR = {"features": ["holes"], "board": "6x8", "games": 1, "max_pieces": 5}


def environments():
    return pytest.importorskip("tetrastat.envs")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tetrastat.simulate("nobody", games=1), "'nobody'"),
        (lambda: tetrastat.Optimiser("foo", 3), "'foo'"),
        (lambda: tetrastat.Optimiser("cem", -3), "-3: give a whole number from 0"),
        (lambda: tetrastat.Optimiser("cem", 2, population=10).tell([1.0]), "1"),
        (lambda: tetrastat.train("hill"), "method 'hill': give one of cem"),
        (lambda: tetrastat.Evaluator(features=["holes"], board="40x3"), "40x3"),
        (lambda: tetrastat.Evaluator(**EVALUATOR).play([[1.0]], -1, 1, 0, 1), "-1: give a whole number from 0"),
        (lambda: tetrastat.Evaluator(**EVALUATOR).evaluate([[1.0]], generation=-1), "-1: give a whole number"),
        (lambda: tetrastat.Evaluator(**EVALUATOR).evaluate([[1.0, 2.0]]), "2 columns, give 1"),
        (lambda: tetrastat.Evaluator(**EVALUATOR).evaluate([1.0]), "dimension 1: give one of dimension 2, with a row for each"),
        (lambda: tetrastat.Optimiser("cem", 1).tell([[1.0]]), "dimension 2: give one of dimension 1"),
        (lambda: BOARD.place("T", 9, 0), "orientation 9"),
        (lambda: BOARD.place("T", -1, 0), "-1: give a whole number from 0 to 255"),
        (lambda: BOARD.is_filled(-1, 0), "-1: give a whole number"),
        (lambda: Board.from_hex("zz", "4x4"), "zz"),
        (lambda: Board(""), "picture has no rows"),
        (lambda: tetrastat.features(np.zeros((4, 4), complex)), "numbers or bool"),
        (lambda: tetrastat.features(BOARD, names="hole"), "'hole'"),
        (lambda: tetrastat.features(BOARD, "T", [[-1, -1]]), "placements: -1"),
        (lambda: tetrastat.afterstates(BOARD, "T", threads=-1), "-1: give a whole number"),
        (lambda: tetrastat.afterstates(BOARD, -1), "-1: give a whole number"),
        (lambda: tetrastat.cells(np.zeros(32, np.uint16)), "give the size"),
        (lambda: tetrastat.Table("x.csv", where="holes"), "compare columns with values"),
        (lambda: tetrastat.Table("x.csv", every=0), "every 0"),
        (lambda: environments().PlacementEnv(previews=99), "use 0 to 15"),
        (lambda: environments().PlacementEnv(previews=-1), "previews -1: give a whole number"),
        (lambda: environments().PlacementEnv(board=10), "board: give text"),
        (lambda: environments().PlacementEnv(features="hole"), "'hole'"),
        (lambda: environments().PlacementVectorEnv(2, threads=-1), "threads -1: give a whole number from 1"),
        (lambda: environments().PlacementVectorEnv(0), "num_envs 0: give a whole number from 1"),
        (lambda: environments().GuidelineEnv(slots=-1), "slots -1"),
        (lambda: environments().PlacementEnv().reset(options={"game": -1}), "-1: give a whole number"),
    ],
)
def test_invalid_values_are_setting_errors(call, words):
    with pytest.raises(SettingError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tetrastat.simulate(gmes=3),
        lambda: tetrastat.simulate(help=True),
        lambda: tetrastat.Evaluator(bord="10x10"),
        lambda: tetrastat.Training(method="cem", gmes=3),
        lambda: tetrastat.Optimiser("cem", 3, poplation=3),
        lambda: environments().PlacementEnv(bord="6x8"),
    ],
)
def test_unknown_options_are_type_errors(call):
    with pytest.raises(TypeError) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_actions_must_be_whole_numbers():
    env = environments().PlacementEnv()
    env.reset(seed=1)
    with pytest.raises(TypeError, match="^[^\n]*$"):
        env.step(1.7)
    vector = environments().PlacementVectorEnv(2)
    vector.reset(seed=1)
    with pytest.raises(TypeError, match="whole numbers, not float64"):
        vector.step([1.5, 2.5])


def test_every_other_failure_is_a_tetrastat_error(tmp_path):
    for call in [
        lambda: tetrastat.read_run(tmp_path),
        lambda: tetrastat.simulate(rules="liap", board="10x10"),
        lambda: tetrastat.compare("bcts"),
        lambda: tetrastat.Table(tmp_path / "games.csv").columns,
    ]:
        with pytest.raises(tetrastat.TetrastatError) as raised:
            call()
        assert not isinstance(raised.value, SettingError)


def test_feature_names_can_be_one_text():
    assert tetrastat.features(BOARD, names="holes").tolist() == tetrastat.features(BOARD, names=["holes"]).tolist()
    found = tetrastat.afterstates(BOARD, "T", features="holes, bumpiness")
    assert found.features.shape[1] == 2
    assert environments().PlacementEnv(features="holes").options.features == ("holes",)


def test_cells_checks_the_size_of_the_boards():
    found = tetrastat.afterstates(BOARD, "O")
    assert found.size == "4x4" and tetrastat.cells(found).shape == (len(found.board), 4, 4)
    assert np.array_equal(tetrastat.cells(found), tetrastat.cells(found.rows, "4x4"))
    assert np.array_equal(tetrastat.cells(BOARD), BOARD.cells())
    wide = tetrastat.afterstates(Board.empty("10x20"), "I")
    high = Board.from_array(np.eye(20, 10, dtype=bool) | (np.arange(20)[:, None] == np.arange(20)[:, None]) & (np.arange(10) == 0))
    for wrong in [
        lambda: tetrastat.cells(found, "10x20"),
        lambda: tetrastat.cells(BOARD, "10x20"),
        lambda: tetrastat.cells(found.rows),
        lambda: tetrastat.cells(wide.rows, "6x20"),
        lambda: tetrastat.cells(high.rows, "10x10"),
        lambda: tetrastat.cells(found.rows[:, :8], "10x20"),
        lambda: tetrastat.cells(found.rows.astype(np.int64), "4x4"),
        lambda: tetrastat.cells(found.rows, "4"),
    ]:
        with pytest.raises(SettingError):
            wrong()


@pytest.mark.skipif(sys.platform != "linux", reason="the memory limit needs Linux")
@pytest.mark.parametrize("count", [3_000_000, 4_000_000_000])
def test_too_many_games_are_a_memory_error(count):
    environments()
    code = f"""
import resource, tetrastat.envs as envs
resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, 3_000_000_000))
for options in [dict(), dict(observation="afterstates")]:
    try:
        envs.PlacementVectorEnv({count}, threads=1, **options)
    except MemoryError as error:
        print(str(error)[:60])
print(envs.PlacementVectorEnv(10, threads=1).num_envs)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3 and done.stdout.endswith("10\n")


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["afterstates", "features", "features of placements"])
def test_ctrl_c_stops_array_calls(name):
    boards = np.random.default_rng(1).random((120_000, 20, 10)) < 0.4
    boards[:, 0, :], boards[:, 8:], boards[:, :, 0] = True, False, False
    calls = {
        "afterstates": lambda: tetrastat.afterstates(boards, "T", features=tetrastat.feature_names(), threads=1),
        "features": lambda: [tetrastat.features(boards, threads=1) for _ in range(1000)],
        "features of placements": lambda: [
            tetrastat.features(boards, "T", np.zeros((len(boards), 2), int), threads=1) for _ in range(1000)
        ],
    }
    began = []

    def interrupt():
        began.append(time.perf_counter())
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Timer(0.5, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        calls[name]()
    # About eight seconds of work were left. The bound allows for a loaded machine.
    assert time.perf_counter() - began[0] < 5
