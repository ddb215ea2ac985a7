"""Conversion of the native games' flat arrays to spaces, observations and infos."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from .._tetrastat import Board, SettingError
from ._bounds import feature_bounds
from ._options import Options


def observation_space(shape: Mapping[str, int], options: Options) -> spaces.Space[Any]:
    """Returns the space of the observations of one game with the sizes ``shape``."""
    low, high = feature_bounds(options.features, shape["width"], options.measured_rows(shape)).T
    if options.observation == "features":
        pieces = 7 * shape["dealt"]
        low = np.concatenate([low, np.zeros(pieces + shape["status"], np.float32)])
        high = np.concatenate([high, np.ones(pieces, np.float32), np.array(options.status_bounds(shape), np.float32)])
        return spaces.Box(low, high)
    if options.observation == "afterstates":
        return spaces.Box(np.tile(low, (shape["actions"], 1)), np.tile(high, (shape["actions"], 1)))
    parts: dict[str, spaces.Space[Any]] = {
        "board": spaces.Box(0, 1, (shape["planes"], shape["height"], shape["width"]), np.uint8),
        "pieces": pieces_space(shape["dealt"]),
    }
    if shape["status"]:
        high = np.array(options.status_bounds(shape), np.float32)
        parts["status"] = spaces.Box(np.zeros_like(high), high)
    return spaces.Dict(parts)


def pieces_space(count: int) -> spaces.Space[Any]:
    """Returns the space of the numbers of ``count`` pieces, which are uint8."""
    space: Any = spaces.MultiDiscrete([8] * count, dtype=np.uint8)
    # Stable-Baselines3 adds larger numbers to these, which uint8 cannot hold.
    space.nvec = space.nvec.astype(np.int64)
    return space  # type: ignore[no-any-return]


class Views:
    """Shaped views of flat arrays, each with one row for every game.

    Attributes
    ----------
    observation : ndarray or dict of ndarray
        Observations in the shape of the observation space, with a leading axis for the games.
    info : dict of ndarray
        ``action_mask`` (int8), ``lines``, ``pieces`` and ``score`` (int64: rows removed, pieces placed and points of the
        game so far), and ``afterstates`` if requested.
    """

    def __init__(
        self, arrays: dict[str, np.ndarray[Any, Any]], shape: Mapping[str, int], options: Options
    ) -> None:
        counts = arrays["counts"].reshape(-1, 3)
        self.info: dict[str, np.ndarray[Any, Any]] = {
            "action_mask": arrays["mask"].view(np.int8).reshape(-1, shape["actions"]),
            "lines": counts[:, 0],
            "pieces": counts[:, 1],
            "score": counts[:, 2],
        }
        afterstates = arrays["afterstates"]
        if afterstates.size:
            afterstates = afterstates.reshape(-1, shape["actions"], shape["features"])
        if options.afterstates:
            self.info["afterstates"] = afterstates
        self.observation: Any
        if options.observation == "features":
            self.observation = arrays["features"].reshape(-1, shape["observed"])
        elif options.observation == "afterstates":
            self.observation = afterstates
        else:
            cells = (shape["planes"], shape["height"], shape["width"])
            self.observation = {
                "board": arrays["cells"].reshape(-1, *cells),
                "pieces": arrays["dealt"].reshape(-1, shape["dealt"]),
            }
            if shape["status"]:
                self.observation["status"] = arrays["status"].reshape(-1, shape["status"])

    def observed(self, copy: bool = True) -> Any:
        """Returns the observations of all games."""
        if not copy:
            return self.observation
        if isinstance(self.observation, dict):
            return {name: array.copy() for name, array in self.observation.items()}
        return self.observation.copy()

    def observed_of(self, index: int) -> Any:
        """Returns a copy of the observation of one game."""
        if isinstance(self.observation, dict):
            return {name: array[index].copy() for name, array in self.observation.items()}
        return self.observation[index].copy()


def start_of(given: Mapping[str, Any] | None, row_order: str, known: tuple[str, ...]) -> dict[str, Any]:
    """Checks the options of a reset, and returns them with ``board`` as a `Board` or as text.

    A board may be an array of shape (height, width) with rows in ``row_order`` and 0 for an empty cell.
    """
    start = dict(given or {})
    for name in start:
        if name not in known:
            raise SettingError(f"reset has no option {name!r}: use {' or '.join(known)}")
    board = start.get("board")
    if board is not None and not isinstance(board, (str, Board)):
        start["board"] = Board.from_array(board, row_order)
    return start


#: Width of a cell in pixels.
CELL = 12
#: Colours of empty cells, settled cells and the falling piece.
COLOURS = np.array([[24, 24, 28], [170, 174, 184], [240, 170, 60]], np.uint8)


def pixels(cells: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Converts planes of cells, top row first, to an image of uint8, shape (height, width, 3)."""
    kinds = cells[0].astype(np.intp)
    if len(cells) > 1:
        kinds = np.where(cells[1] > 0, 2, kinds)
    image: np.ndarray[Any, Any] = COLOURS[kinds].repeat(CELL, 0).repeat(CELL, 1)
    # Lines between cells are dark.
    image[::CELL] = image[:, ::CELL] = COLOURS[0] // 2
    return image
