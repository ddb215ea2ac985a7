"""Evaluators and optimisers: values, scores, seeds, errors and interrupts."""

import json
import pickle
import signal
import threading
import time

import numpy as np
import pytest

import tetrastat

SMALL = {"features": ["holes", "landing_height", "row_transitions"], "board": "8x10", "games": 3, "max_pieces": 200}
GOOD, BAD = [-2.0, -1.0, -1.0], [1.0, 1.0, 1.0]


def test_values_have_a_row_for_each_candidate_and_a_column_for_each_game():
    evaluator = tetrastat.Evaluator(**SMALL, seed=7)
    values = evaluator.evaluate([GOOD, BAD, GOOD])
    assert values.shape == (3, 3) and values.dtype == np.float64
    assert (values[0] == values[2]).all(), "common random numbers"
    assert values[0].mean() > values[1].mean()
    assert evaluator.features == SMALL["features"]
    assert (evaluator.games, evaluator.seed, evaluator.objective) == (3, 7, "lines")


def test_values_depend_on_seed_and_generation_but_not_on_threads():
    one, three = (tetrastat.Evaluator(**SMALL, seed=7, threads=threads) for threads in (1, 3))
    weights = np.random.default_rng(1).normal(size=(20, 3))
    assert (one.evaluate(weights) == three.evaluate(weights)).all()
    assert (one.evaluate([GOOD], generation=1) != one.evaluate([GOOD])).any()
    other = tetrastat.Evaluator(**SMALL, seed=8)
    assert (other.evaluate([GOOD]) != one.evaluate([GOOD])).any()


def test_only_the_direction_of_weights_matters():
    evaluator = tetrastat.Evaluator(**SMALL)
    assert (evaluator.evaluate([GOOD]) == evaluator.evaluate(10 * np.array([GOOD]))).all()


def test_scores_equal_those_of_train():
    evaluator = tetrastat.Evaluator(**SMALL, objective="mean-pieces", minimise=True, lost="observed")
    values, scores = evaluator.evaluate([GOOD, BAD]), evaluator.scores([GOOD, BAD])
    assert scores == pytest.approx(-values.mean(axis=1))
    lines = tetrastat.Evaluator(**{**SMALL, "max_pieces": "none"})
    assert lines.scores([BAD]) == pytest.approx(lines.evaluate([BAD]).mean(axis=1))


def test_pairs_can_be_played_in_parts():
    evaluator = tetrastat.Evaluator(**SMALL)
    whole = evaluator.play([GOOD, BAD], 5, 3, 0, 6)
    parts = [evaluator.play([GOOD, BAD], 5, 3, *part) for part in ((0, 2), (2, 6))]
    assert (np.concatenate(parts) == whole).all() and whole.shape == (6, 4)
    with pytest.raises(ValueError, match="pairs 0 to 7"):
        evaluator.play([GOOD, BAD], 5, 3, 0, 7)


def test_guideline_games_are_scored_too():
    evaluator = tetrastat.Evaluator(rules="guideline", mode="sprint", sprint_lines=4, games=2, seed=3)
    weights = np.zeros((2, len(evaluator.features)))
    weights[0] = -1.0
    assert evaluator.evaluate(weights).shape == (2, 2)
    assert evaluator.objective == "sprint"


def test_evaluators_are_pickled_by_their_settings():
    evaluator = tetrastat.Evaluator(**SMALL, seed=7)
    again = pickle.loads(pickle.dumps(evaluator))
    assert (again.evaluate([GOOD]) == evaluator.evaluate([GOOD])).all()


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match="2 columns, give 3"):
        tetrastat.Evaluator(**SMALL).evaluate([[1.0, 2.0]])
    with pytest.raises(ValueError, match="finite"):
        tetrastat.Evaluator(**SMALL).evaluate([[1.0, 2.0, np.nan]])
    with pytest.raises(TypeError, match="Evaluator: .*'gmes'"):
        tetrastat.Evaluator(gmes=3)
    with pytest.raises(tetrastat.TetrastatError, match="^board is an option") as error:
        tetrastat.Evaluator(rules="guideline", board="10x10")
    assert "--" not in str(error.value)


def test_ctrl_c_stops_long_games_and_other_threads_run_meanwhile():
    evaluator = tetrastat.Evaluator(features="bcts", board="10x20", games=1, max_pieces="none", threads=1)
    weights = [[-12.63, 6.60, -9.22, -19.77, -13.08, -10.49, -1.61, -24.04]]
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count, daemon=True)
    other.start()
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        evaluator.evaluate(weights)
    done.set()
    other.join()
    assert time.perf_counter() - began < 5 and counted[0] > 20


@pytest.mark.parametrize("method", ["cem", "ga", "snes", "cmaes"])
def test_optimisers_improve_and_resume_from_json(method):
    def score(candidates):
        return -((candidates - [0.5, -0.5]) ** 2).sum(axis=1)

    straight = tetrastat.Optimiser(method, 2, population=20, seed=3)
    stopped = tetrastat.Optimiser(method, 2, population=20, seed=3)
    for _ in range(15):
        straight.tell(score(straight.ask()))
        stopped.tell(score(stopped.ask()))
        stopped = tetrastat.Optimiser.from_json(stopped.to_json())
    assert (straight.ask() == stopped.ask()).all()
    weights, best, _ = straight.best
    assert best > -0.1 and weights.shape == (2,)
    assert straight.generation == 15 and straight.method == method
    assert json.loads(straight.to_json())


def test_optimisers_refuse_invalid_arguments():
    with pytest.raises(tetrastat.TetrastatError, match="dimension 0"):
        tetrastat.Optimiser("cem", 0)
    search = tetrastat.Optimiser("cem", 2, population=10)
    with pytest.raises(tetrastat.TetrastatError):
        search.tell([1.0])
    with pytest.raises(ValueError, match="to_json"):
        tetrastat.Optimiser.from_json("{}")
