"""Controllers as JSON and ONNX are complete: a small evaluator computes the engine's scores from them."""

import numpy as np
import pytest
import tetrastat
from tetrastat import SettingError

PIECES = "IOTSZJL"
CONTROLLERS = tetrastat.controllers()


@pytest.mark.parametrize("name", [one["name"] for one in CONTROLLERS if one["game"] == "classic"])
def test_weights_give_the_scores_of_the_examples(name):
    described = tetrastat.controllers(name)
    scale, features, compared = described["scale"], list(described["features"]), 0
    assert set(features) == {feature.partition("@")[0] for feature in described["weights"]}
    for example in described["examples"]:
        board = tetrastat.Board("/".join(example["board"]))
        # Weights may depend on the height of the stack.
        steps = described["steps"][min(int(board.heights.max()), len(described["steps"]) - 1)]
        for placement in example["placements"]:
            place = [[placement["orientation"], placement["column"]]]
            values = tetrastat.features(board, example["piece"], place, names=features, measured=described["measured"])[
                0
            ]
            # The value of cell patterns, if there are any, is added to the sum of the weighted features.
            of_patterns = placement["features"].pop("patterns", 0.0)
            assert dict(zip(features, values)) == placement["features"]
            if not placement["loses"]:
                score = sum(round(steps[feature] * value) for feature, value in zip(features, values))
                score = (score + round(of_patterns * scale)) / scale
                assert score == placement["score"]
                compared += 1
            after = board.place(example["piece"], *place[0]).board
            assert np.array_equal(after.rows, tetrastat.Board("/".join(placement["after"])).rows)
    assert compared > 50


def worth(layers, cells, hold, bag, back_to_back):
    """Returns the value of a state by a network, computed as the reference page defines it, from inputs that are on."""
    on = [10 * row + column for row, column in zip(*np.nonzero(cells))]
    on += [160 + hold] + [168 + piece for piece in range(7) if bag[piece]] + [175] * bool(back_to_back)
    heights = [max((row + 1 for row in range(16) if cells[row, column]), default=0) for column in range(10)]
    on += [176 + 10 * row + column for column in range(10) for row in range(heights[column]) if not cells[row, column]]
    on += [336 + 10 * row + cells[row].sum() - 1 for row in range(16) if cells[row].any()]
    on += [496 + 9 * column + max(-4, min(4, heights[column + 1] - heights[column])) + 4 for column in range(9)]
    act = np.maximum(np.array(layers["first"])[[*on, 577]].sum(axis=0), 0)
    unit = np.array(layers["second"]) @ act + layers["second_bias"]
    return int((np.maximum(unit, 0) >> 8) @ layers["third"]) + layers["third_bias"]


def divided(number, divisor):
    """Returns the quotient, rounded towards zero."""
    return abs(number) // divisor * (1 if number >= 0 else -1)


def state(after):
    """Returns a state of an example as inputs of a network."""
    cells = np.zeros((16, 10), dtype=bool)
    for row, text in enumerate(reversed(after["board"])):
        cells[row] = [cell == "#" for cell in text]
    return (
        cells,
        PIECES.index(after["hold"]),
        np.array([piece in after["bag"] for piece in PIECES]),
        after["back_to_back"],
    )


NETWORKS = [one["name"] for one in CONTROLLERS if one["game"] == "guideline" and one["network"]]


@pytest.mark.parametrize("name", [one["name"] for one in CONTROLLERS if one["game"] == "guideline"])
def test_terms_and_networks_give_the_scores_of_the_examples(name):
    described = tetrastat.controllers(name)
    scale, layers, compared = round(described["scale"]), described["layers"], 0
    for example in described["examples"]:
        for placement in example["placements"]:
            weights = described["weights"]
            assert set(placement["terms"]) == set(weights)
            own = sum(round(weights[term] * scale) * value for term, value in placement["terms"].items())
            assert own / scale == placement["own_score"]
            if placement["loses"]:
                continue
            if layers is not None:
                total = divided(placement["points"] * 65536, 1000) + worth(layers, *state(placement["after"]))
                by_network = divided(total * round(layers["point"] * 1000 * scale), 65536)
                own += divided((by_network - own) * round(layers["share"] * 65536), 65536)
            assert own / scale == placement["score"]
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("name", NETWORKS)
def test_an_onnx_model_has_the_values_of_the_network(name, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    described = tetrastat.controllers(name)
    states = [state(one["after"]) for example in described["examples"] for one in example["placements"]]
    rng = np.random.default_rng(5)
    for _ in range(1000):
        cells = rng.random((16, 10)) < rng.random((16, 1))
        states.append((cells, rng.integers(8), rng.random(7) < 0.5, rng.random() < 0.5))
    path = tetrastat.export_onnx(name, tmp_path / "network.onnx")
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    kinds = {"cells": bool, "hold": np.int64, "bag": bool, "back_to_back": bool}
    columns = {key: np.array([one[at] for one in states], dtype=kind) for at, (key, kind) in enumerate(kinds.items())}
    [found] = session.run(["worth"], columns)
    assert found.dtype == np.int64 and found.tolist() == [worth(described["layers"], *one) for one in states]
    about = session.get_modelmeta()
    assert name in about.graph_description and float(about.custom_metadata_map["share"]) == described["layers"]["share"]


def test_there_is_a_network_to_export():
    assert "tetrastat-blitz-network" in NETWORKS


def test_only_networks_become_onnx(tmp_path):
    for name in ("bcts", "tetrastat-sprint"):
        with pytest.raises(SettingError, match=f"controller {name} has no network"):
            tetrastat.export_onnx(name, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
