"""Bounds of the features on a board, from which the spaces of observations are made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np


def feature_bounds(names: Sequence[str], columns: int, rows: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Returns the lower and upper bounds of features and terms on boards of ``columns`` x ``rows``.

    They hold for every board, and include 0, which features of a placement have before the first placement. Few boards
    come near them.

    Parameters
    ----------
    names : sequence of str
        Names of the features.
    columns, rows : int
        Number of columns, and of rows that features measure.

    Returns
    -------
    ndarray of float32, shape (features, 2)
    """
    cells, run = columns * rows, rows * (rows + 1) // 2
    most = {
        # Features of the placement.
        "landing_height": rows - 1,
        "landing_height_mean": rows,
        "landing_height_anchor": rows,
        "piece_height_unity": rows - 1,
        "eroded_cells": 16,
        "eroded_cells_guide": 16,
        "rows_removed": 4,
        "complete_rows": rows,
        # The most points: a T-spin triple and a perfect tetris under back-to-back, and the longest combo that is counted.
        "points": 2400 + 3200 + 50 * 255,
        # The most rows sent under the presets: a T-spin triple after TETR.IO's longest chain and combo, which is perfect.
        "attack": 700,
        "combo": 5,
        "jeopardy": rows - 10,
        # Walls, floor and sky are beside the cells.
        "row_transitions": (columns + 1) * rows,
        "row_flips_unity": cells,
        "column_transitions": columns * (rows + 1),
        "column_transitions_floor": columns * (rows + 1),
        "column_transitions_ceiling": columns * (rows + 1),
        "column_transitions_open": columns * (rows + 1),
        # A column of empty cells counts 1 + 2 + ... + rows at most.
        **dict.fromkeys(["wells", "wells_fast", "wells_open", "wells_open_restart"], columns * run),
        **dict.fromkeys(["wells_by_height", "wells_guide", "weighted_cells"], columns * run),
        "wells_squared": columns * rows**2,
        "hole_depth_all": columns * rows**2 // 4,
        "covered": 6 * cells,
        "covered_squared": 36 * cells,
        "cavities_squared": cells**2,
        "overhangs_squared": cells**2,
        "bumpiness_open_squared": columns * rows**2,
        **dict.fromkeys(["holes", "well_cells", "hole_depth", "aggregate_height", "aggregate_top_index"], cells),
        **dict.fromkeys(["bumpiness", "bumpiness_open", "occupied_cells", "cells_over_goal", "cavities", "overhangs"], cells),
        **dict.fromkeys(["rows_with_holes", "mean_height", "max_height", "height_range", "height", "height_diff"], rows),
        "top_half": rows - 10,
        "top_quarter": rows - 15,
        "well_depth": 17,
        "perfect_chance": 4 * columns,
        "pattern_diversity": 5,
        "t_slots": 3,
        "t_triples": 2 * columns,
        **dict.fromkeys(["constant", "rbf", "well_column", "clear", "mini", "t_spin", "back_to_back", "back_to_back_clear"], 1),
        **dict.fromkeys(["back_to_back_lost", "perfect_clear", "wasted_t", *(f"hold_{piece}" for piece in "iotszjl")], 1),
    }
    least = {"aggregate_top_index": -columns, "piece_height_unity": -3}

    # The names of some features end in a number, for example that of a column.
    kinds = [re.sub(r"_\d+$", "", name) for name in names]
    bounds = [(least.get(kind, 0), most[kind]) for kind in kinds]
    return np.array(bounds, np.float32).reshape(-1, 2)
