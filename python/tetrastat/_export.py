"""Export of networks as ONNX models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ._tetrastat import SettingError
from .commands import controllers

#: Rows and columns that a network sees.
_ROWS, _WIDTH = 16, 10
_ABOUT = (
    "Value of states of guideline games by the network of the controller {name}. `cells` has the state after a "
    "placement, with full rows removed: [state, row, column], row 0 is the floor. `hold` is the piece in hold, 0 to 6 "
    "in the order I O T S Z J L, or 7 for an empty hold. `bag` is True for the pieces left in the bag, in the same order. "
    "`back_to_back` is True if the last clear was difficult. `worth` is the estimate of later points, relative to the "
    "average, in 1/65536 of 1,000 points. All numbers inside are whole, so the result is exact."
)


def export_onnx(controller: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """Writes the network of a controller of guideline games as an ONNX model.

    The model has the inputs ``cells`` (bool, shape (n, 16, 10)), ``hold`` (int64, shape (n,)), ``bag`` (bool, shape
    (n, 7)) and ``back_to_back`` (bool, shape (n,)), and the output ``worth`` (int64, shape (n,)). Its description
    explains them. The values are those of the engine, exactly.

    Parameters
    ----------
    controller : str or path
        Name of a preset with a network, such as ``"tetrastat-blitz-network"``, or a TOML file.
    path : path
        File to write. An existing file is replaced.

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    SettingError
        If there is no such controller, or if it has no network.
    ImportError
        If the library ``onnx`` is not installed.
    """
    described: dict[str, Any] = controllers(os.fspath(controller))
    if described.get("layers") is None:
        raise SettingError(
            f"controller {described['name']} has no network, so ONNX has nothing to compute: tetrastat.controllers("
            f'"{described["name"]}") returns its weights'
        )
    try:
        import onnx
    except ImportError as error:
        raise ImportError("export_onnx needs the library onnx: pip install onnx") from error
    model = _model(described, onnx)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, os.fspath(path))
    return Path(path)


def _model(described: dict[str, Any], onnx: Any) -> Any:
    """Returns the model of a network, which `controllers` described."""
    helper, kinds = onnx.helper, onnx.TensorProto
    nodes: list[Any] = []
    constants: list[Any] = []

    def constant(name: str, values: Any, kind: Any = np.float64) -> str:
        constants.append(onnx.numpy_helper.from_array(np.asarray(values, dtype=kind), name))
        return name

    def node(operator: str, *inputs: str, out: str, **attributes: Any) -> str:
        nodes.append(helper.make_node(operator, list(inputs), [out], name=out, **attributes))
        return out

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
    given = [helper.make_tensor_value_info(name, kind, ["states", *shape]) for name, (kind, shape) in shapes.items()]
    result = helper.make_tensor_value_info("worth", kinds.INT64, ["states"])
    about = _ABOUT.format(name=described["name"])
    graph = helper.make_graph(nodes, described["name"], given, [result], constants, doc_string=about)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], doc_string=about, producer_name="tetrastat"
    )
    # The format of the models is older than the library, so that older runtimes read them.
    model.ir_version = 8
    helper.set_model_props(model, {"share": repr(layers["share"]), "point": repr(layers["point"])})
    return model
