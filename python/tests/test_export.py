"""Controllers as JSON and ONNX are complete: a small evaluator computes the engine's scores from them."""

import re
from pathlib import Path

import numpy as np
import pytest
import tetrastat
from tetrastat import SettingError

PIECES = "IOTSZJL"
CONTROLLERS = tetrastat.show_controllers()["controllers"]


@pytest.mark.parametrize("name", [one["name"] for one in CONTROLLERS if one["game"] == "classic"])
def test_weights_give_the_scores_of_the_examples(name):
    described = tetrastat.show_controllers(name)
    weights = [one["feature"] for one in described["weights"]]
    scale, features, compared = described["scale"], [feature for feature in weights if "@" not in feature], 0
    assert set(features) == {feature.partition("@")[0] for feature in weights}
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
    described = tetrastat.show_controllers(name)
    scale, layers, compared = round(described["scale"]), described["layers"], 0
    for example in described["examples"]:
        for placement in example["placements"]:
            weights = {one["feature"]: one["weight"] for one in described["weights"]}
            assert set(placement["terms"]) == set(weights)
            own = sum(round(weights[term] * scale) * value for term, value in placement["terms"].items())
            assert own / scale == placement["own_score"]
            if placement["loses"]:
                continue
            if layers is not None:
                total = divided(placement["after"]["points"] * 65536, 1000) + worth(layers, *state(placement["after"]))
                by_network = divided(total * round(layers["point"] * 1000 * scale), 65536)
                own += divided((by_network - own) * round(layers["share"] * 65536), 65536)
            assert own / scale == placement["score"]
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("name", NETWORKS)
def test_an_onnx_model_has_the_values_of_the_network(name, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    described = tetrastat.show_controllers(name)
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


@pytest.fixture(scope="module")
def patterns_file(tmp_path_factory):
    """The file of a controller with patterns, which a short training has learned."""
    folder = tmp_path_factory.mktemp("patterns") / "training"
    settings = {"streams": 1, "seed": 3, "placements": 20_000, "report_every": 20_000, "held_out_games": 10}
    tetrastat.train("td", windows="2x3,##./.##:shared", board="7x12", out=folder, **settings)
    return folder / "controller.toml"


def board_value(patterns, cells):
    """Returns the sum of the entries that the windows select on a board, in table steps."""
    indices = [
        one["first"] + sum(int(cells[row, column]) << bit for bit, (column, row) in enumerate(one["cells"]))
        for one in patterns["lookups"]
    ]
    return sum(patterns["tables"][index] for index in indices)


def cells_of(rows):
    return np.array([[cell == "#" for cell in row] for row in reversed(rows)])


def test_tables_give_the_scores_of_the_examples(patterns_file):
    described, compared = tetrastat.show_controllers(patterns_file), 0
    patterns, scale = described["patterns"], described["scale"]
    assert len(patterns["tables"]) == patterns["entries"] and len(patterns["lookups"]) == patterns["places"]
    for example in described["examples"]:
        for placement in example["placements"]:
            if placement["loses"]:
                continue
            value = board_value(patterns, cells_of(placement["after"]))
            assert placement["features"]["patterns"] == value * patterns["steps"] / scale
            removed = placement["features"]["rows_removed"] * described["steps"][0]["rows_removed"]
            assert placement["score"] == (value * patterns["steps"] + removed) / scale
            compared += 1
    assert compared > 20


def test_the_code_of_the_page_computes_scores_of_patterns(patterns_file):
    page = Path(__file__).resolve().parents[2] / "docs/how-to/python-players.md"
    text = page.read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(def score_of.*?)^```$", text, re.MULTILINE | re.DOTALL)
    names = {"tetrastat": tetrastat}
    exec(block, names)  # noqa: S102
    described = tetrastat.show_controllers(patterns_file)
    placements = [one for example in described["examples"] for one in example["placements"] if not one["loses"]]
    assert len(placements) > 20 and any(one["features"]["patterns"] for one in placements)
    for placement in placements:
        assert names["score_of"](described, placement) == placement["score"]


def test_an_onnx_model_has_the_values_of_the_patterns(patterns_file, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    patterns = tetrastat.show_controllers(patterns_file)["patterns"]
    rng = np.random.default_rng(6)
    cells = rng.random((500, 12, 7)) < rng.random((500, 12, 1))
    path = tetrastat.export_onnx(patterns_file, tmp_path / "patterns.onnx")
    session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
    [found] = session.run(["value"], {"cells": cells})
    assert found.dtype == np.int64 and found.tolist() == [board_value(patterns, one) for one in cells]
    assert len(set(found.tolist())) > 100
    assert float(session.get_modelmeta().custom_metadata_map["step"]) == patterns["step"]


def test_there_is_a_network_to_export():
    assert "tetrastat-blitz-network" in NETWORKS


def test_weights_alone_do_not_become_onnx(tmp_path):
    for name in ("bcts", "tetrastat-sprint"):
        with pytest.raises(SettingError, match=f"controller {name} has no network and no patterns"):
            tetrastat.export_onnx(name, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
