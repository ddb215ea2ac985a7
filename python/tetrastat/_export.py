"""Export of networks and cell patterns as ONNX models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ._tetrastat import SettingError
from .commands import show_controllers

#: Rows and columns that a network sees.
_ROWS, _WIDTH = 16, 10
_ABOUT_NETWORK = (
    "Value of states of guideline games by the network of the controller {name}. `cells` has the state after a "
    "placement, with full rows removed: [state, row, column], row 0 is the floor. `hold` is the piece in hold, 0 to 6 "
    "in the order I O T S Z J L, or 7 for an empty hold. `bag` is True for the pieces left in the bag, in the same order. "
    "`back_to_back` is True if the last clear was difficult. `worth` is the estimate of later points, relative to the "
    "average, in 1/65536 of 1,000 points. All numbers inside are whole, so the result is exact."
)
_ABOUT_PATTERNS = (
    "Value of boards of classic games by the cell patterns of the controller {name}. `cells` has the boards: [board, row, "
    "column], row 0 is the floor. `value` is their value in whole steps. One step is the number `step` of the metadata, "
    "in units of the controller's weights. All numbers inside are whole, so the result is exact."
)


def export_onnx(controller: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """Writes the network or the cell patterns of a controller as an ONNX model.

    The model of a network has the inputs ``cells`` (bool, shape (n, 16, 10)), ``hold`` (int64, shape (n,)), ``bag``
    (bool, shape (n, 7)) and ``back_to_back`` (bool, shape (n,)), and the output ``worth`` (int64, shape (n,)). The
    model of patterns has the input ``cells`` (bool, shape (n, rows, columns) of its board) and the output ``value``
    (int64, shape (n,)). The description in the model explains them. The values are those of the engine, exactly.

    Parameters
    ----------
    controller : str or path
        Name of a preset with a network, such as ``"tetrastat-blitz-network"``, or a TOML file with a network or patterns.
    path : path
        File to write. An existing file is replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    SettingError
        If there is no such controller, or if it has neither a network nor patterns.
    ImportError
        If the library ``onnx`` is not installed.
    """
    described: dict[str, Any] = show_controllers(os.fspath(controller))
    patterns = described.get("patterns")
    if described.get("layers") is None and patterns is None:
        raise SettingError(
            f"controller {described['name']} has no network and no patterns, so ONNX has nothing to compute: "
            f'tetrastat.show_controllers("{described["name"]}") returns its weights'
        )
    try:
        import onnx
    except ImportError as error:
        raise ImportError("export_onnx needs the library onnx: pip install onnx") from error
    model = _model_of_network(described, onnx) if patterns is None else _model_of_patterns(described, onnx)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, os.fspath(path))
    return Path(path)


class _Nodes:
    """Nodes and constants of a model in the making."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: Any, kind: Any = np.float64) -> str:
        """Adds a constant and returns its name."""
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values, dtype=kind), name))
        return name

    def node(self, operator: str, *inputs: str, out: str, **attributes: Any) -> str:
        """Adds a node and returns the name of its output."""
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [out], name=out, **attributes))
        return out

    def model(
        self, name: str, about: str, inputs: dict[str, tuple[Any, list[int]]], output: str, properties: dict[str, str]
    ) -> Any:
        """Returns the model. `inputs` has the type and the shape of each input, without the first axis."""
        helper = self.onnx.helper
        given = [helper.make_tensor_value_info(key, kind, ["n", *shape]) for key, (kind, shape) in inputs.items()]
        result = helper.make_tensor_value_info(output, self.onnx.TensorProto.INT64, ["n"])
        graph = helper.make_graph(self.nodes, name, given, [result], self.constants, doc_string=about)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], doc_string=about, producer_name="tetrastat"
        )
        # The format of the models is older than the library, so that older runtimes read them.
        model.ir_version = 8
        helper.set_model_props(model, properties)
        return model


def _model_of_patterns(described: dict[str, Any], onnx: Any) -> Any:
    """Returns the model of the cell patterns of a controller, which `show_controllers` described."""
    patterns = described["patterns"]
    columns, rows = map(int, patterns["board"].split("x"))
    most = max(len(lookup["cells"]) for lookup in patterns["lookups"])
    # Small windows read cell 0 with factor 0 until they have as many cells as the largest one.
    cells, factors = np.zeros((2, len(patterns["lookups"]), most), dtype=np.int64)
    for number, lookup in enumerate(patterns["lookups"]):
        for bit, (column, row) in enumerate(lookup["cells"]):
            cells[number, bit], factors[number, bit] = row * columns + column, 1 << bit
    made = _Nodes(onnx)
    constant, node, integer = made.constant, made.node, onnx.TensorProto.INT64
    flat = node("Reshape", "cells", constant("flat_shape", [-1, rows * columns], np.int64), out="flat")
    bits = node("Cast", flat, out="bits", to=integer)
    of_windows = node("Gather", bits, constant("cells_of_windows", cells, np.int64), out="bits_of_windows", axis=1)
    of_windows = node("Mul", of_windows, constant("factors", factors, np.int64), out="parts")
    of_windows = node("ReduceSum", of_windows, constant("last_axis", [2], np.int64), out="in_table", keepdims=0)
    first = constant("first_entries", [lookup["first"] for lookup in patterns["lookups"]], np.int64)
    entries = node("Add", of_windows, first, out="entries")
    entries = node("Gather", constant("tables", patterns["tables"], np.int16), entries, out="found")
    entries = node("Cast", entries, out="found_numbers", to=integer)
    value = node("ReduceSum", entries, constant("second_axis", [1], np.int64), out="value", keepdims=0)
    about = _ABOUT_PATTERNS.format(name=described["name"])
    inputs = {"cells": (onnx.TensorProto.BOOL, [rows, columns])}
    return made.model(described["name"], about, inputs, value, {"step": repr(patterns["step"])})


def _model_of_network(described: dict[str, Any], onnx: Any) -> Any:
    """Returns the model of a network, which `show_controllers` described."""
    kinds, made = onnx.TensorProto, _Nodes(onnx)
    constant, node = made.constant, made.node

    def number(name: str) -> str:
        return node("Cast", name, out=f"{name}_number", to=kinds.DOUBLE)

    def one_hot(name: str, classes: Any, kind: Any = np.float64) -> str:
        return number(node("Equal", name, constant(f"{name}_classes", classes, kind), out=f"{name}_is"))

    def flat(name: str, size: int) -> str:
        return node("Reshape", name, constant(f"{name}_shape", [-1, size], np.int64), out=f"{name}_flat")

    second_axis, third_axis = constant("second_axis", [1], np.int64), constant("third_axis", [2], np.int64)
    cells = number("cells")
    above = node("CumSum", cells, constant("axis_of_rows", 1, np.int64), out="above", reverse=1, exclusive=1)
    is_covered = node("Greater", above, constant("zero", 0.0), out="is_covered")
    holes = number(node("And", is_covered, node("Not", "cells", out="is_empty"), out="is_hole"))
    filled = one_hot(node("ReduceSum", cells, third_axis, out="filled", keepdims=1), [[np.arange(1, _WIDTH + 1)]])
    tops = node("Mul", cells, constant("tops_of_rows", np.arange(1, _ROWS + 1).reshape(1, _ROWS, 1)), out="tops")
    heights = node("ReduceMax", tops, out="heights", axes=[1], keepdims=0)
    ends = [constant(f"column_{column}", [column], np.int64) for column in (0, 1, _WIDTH - 1, _WIDTH)]
    left = node("Slice", heights, ends[0], ends[2], second_axis, out="left")
    right = node("Slice", heights, ends[1], ends[3], second_axis, out="right")
    step = node("Sub", right, left, out="step")
    step = node("Clip", step, constant("lowest_step", -4.0), constant("highest_step", 4.0), out="limited_step")
    steps = one_hot(node("Unsqueeze", step, third_axis, out="steps"), [[np.arange(-4, 5)]])
    inputs = [
        flat(cells, _ROWS * _WIDTH),
        one_hot(node("Unsqueeze", "hold", second_axis, out="held"), [np.arange(8)], np.int64),
        number("bag"),
        number(node("Unsqueeze", "back_to_back", second_axis, out="difficult")),
        flat(holes, _ROWS * _WIDTH),
        flat(filled, _ROWS * _WIDTH),
        flat(steps, 9 * (_WIDTH - 1)),
    ]
    layers = described["layers"]
    first, second = np.array(layers["first"]), np.array(layers["second"])

    def layer(name: str, before: str, weights: Any, biases: Any) -> str:
        product = node("MatMul", before, constant(f"{name}_weights", weights), out=f"{name}_products")
        return node("Add", product, constant(f"{name}_biases", biases), out=f"{name}_sums")

    sums = layer("first", node("Concat", *inputs, out="inputs", axis=1), first[:-1], first[-1])
    units = layer("second", node("Relu", sums, out="first_units"), second.T, layers["second_bias"])
    units = node("Div", node("Relu", units, out="second_units"), constant("divisor", 256.0), out="divided")
    worth = layer(
        "third", node("Floor", units, out="second_outputs"), np.array([layers["third"]]).T, [layers["third_bias"]]
    )
    worth = node("Cast", worth, out="worth_column", to=kinds.INT64)
    node("Squeeze", worth, second_axis, out="worth")

    shapes = {
        "cells": (kinds.BOOL, [_ROWS, _WIDTH]),
        "hold": (kinds.INT64, []),
        "bag": (kinds.BOOL, [7]),
        "back_to_back": (kinds.BOOL, []),
    }
    about, properties = _ABOUT_NETWORK.format(name=described["name"]), ("share", "point")
    return made.model(described["name"], about, shapes, "worth", {name: repr(layers[name]) for name in properties})
