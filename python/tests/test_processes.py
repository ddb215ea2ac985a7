"""Forked children do not damage resources of their parent, and do not wait for threads that they do not have."""

import multiprocessing
import os
import signal
import time
import weakref

import numpy as np
import pytest

import tetrastat

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
# Python 3.12 and later warn of forks in processes with threads, which these tests need.
pytestmark = [pytestmark, pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")]

GAMES = {"board": "6x10", "features": ["holes", "landing_height"], "games": 4, "max_pieces": 50}
WEIGHTS = np.array([[-4.0, -1.0], [-1.0, -2.0]])


def in_child(work, seconds=30):
    """Returns True if `work` returns True in a forked child, which then ends as Python ends."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            # Python's own finalisation of remaining objects, without that of Ray and of the test runner.
            weakref.finalize._exitfunc()
            os._exit(code)
    for _ in range(seconds * 100):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def test_a_forked_child_does_not_damage_its_parents_run():
    run = tetrastat.simulate("dt20", board="8x12", games=2, max_pieces=50)

    def drop():
        nonlocal run
        there = run.path.is_dir()
        del run
        return there

    assert in_child(drop)
    assert run.path.is_dir() and run.games.to_pyarrow().num_rows == 2
    path = run.path
    del run
    assert not path.exists()


def rows(run):
    return run.games.to_pyarrow().num_rows


def test_a_pool_of_forked_workers_does_not_damage_its_parents_run():
    run = tetrastat.simulate("dt20", board="8x12", games=2, max_pieces=50)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(rows, [run, run]) == [2, 2]
    assert rows(run) == 2


def test_an_evaluator_plays_in_a_forked_child():
    evaluator = tetrastat.Evaluator(**GAMES, threads=2)
    expected = evaluator.evaluate(WEIGHTS)
    assert in_child(lambda: np.array_equal(evaluator.evaluate(WEIGHTS), expected))
    assert np.array_equal(evaluator.evaluate(WEIGHTS), expected)


def played(seed):
    return EVALUATOR.evaluate(WEIGHTS).sum() + seed


def test_an_evaluator_plays_in_a_pool_of_forked_workers():
    global EVALUATOR
    EVALUATOR = tetrastat.Evaluator(**GAMES, threads=2)
    expected = EVALUATOR.evaluate(WEIGHTS).sum()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(played, [0, 1, 2]).get(60) == [expected, expected + 1, expected + 2]


def test_a_vector_environment_steps_in_a_forked_child():
    envs = pytest.importorskip("tetrastat.envs")
    vector = envs.PlacementVectorEnv(300, threads=2, board="6x10")
    alone = envs.PlacementVectorEnv(300, threads=1, board="6x10")
    for each in (vector, alone):
        each.reset(seed=1)

    def steps():
        actions = np.zeros(300, int)
        return all(np.array_equal(vector.step(actions)[0]["board"], alone.step(actions)[0]["board"]) for _ in range(5))

    assert in_child(steps) and steps()


def test_arrays_are_measured_in_a_forked_child():
    boards = np.zeros((600, 12, 8), bool)
    found = tetrastat.afterstates(boards, "T", threads=2)
    assert in_child(lambda: np.array_equal(tetrastat.afterstates(boards, "T", threads=2).rows, found.rows))


def test_a_training_stays_with_its_process(tmp_path):
    settings = {
        "method": "cem", **GAMES, "population": 6, "elite": 2, "generations": 2, "population_log": True, "seed": 1,
        "finalists": 1, "final_games": 2, "held_out_games": 2, "check_every": 0,
    }
    tetrastat.train(**settings, out=tmp_path / "alone")
    training = tetrastat.Training(**settings, out=tmp_path / "run")
    evaluator = tetrastat.Evaluator(**training.settings)
    weights, seed, games = training.ask()
    training.tell(evaluator.play(weights, seed, games, 0, len(weights) * games))

    def touch():
        nonlocal training
        try:
            training.ask()
        except RuntimeError as error:
            del training
            return "open it again in this process" in str(error)

    assert in_child(touch)
    training.play()
    training.finish()
    for name in ("history.csv", "population.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()


def test_an_estimate_is_played_in_a_forked_child(tmp_path):
    settings = {"board": "8x10", "pieces": 2000, "burn_in": 300, "pilot_pieces": 2000, "budget": 20_000, "seed": 3}
    tetrastat.estimate(**settings)
    assert in_child(lambda: tetrastat.estimate(**settings).reached)
