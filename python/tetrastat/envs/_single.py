"""Environments of one game."""

from __future__ import annotations

import operator
from typing import Any

import gymnasium as gym
import numpy as np

from ._options import Guideline, Keys, Options, Placement
from ._views import Views, observation_space, pixels, start_of


class GameEnv(gym.Env[Any, Any]):
    """A game of the engine.

    ``reset(seed=s)`` begins game 0 of seed ``s``, ``reset()`` the next game of the same seed; ``options={"game": i}`` begins game
    ``i`` instead, and ``options={"board": board}`` begins on a board: a `Board`, an array of height x width whose rows are in
    the ``row_order`` of the environment, or a picture (text of ``.`` and ``#``, top row first).
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 10}

    def __init__(self, options: Options, render_mode: str | None = None) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode {render_mode!r}: use ansi or rgb_array")
        self.options = options
        self.render_mode = render_mode
        self._games = options.games(1, 1, "Disabled")
        arrays = self._games.arrays
        self._views = Views(arrays, self._games, options)
        self._reward = arrays["reward"]
        self._flags = arrays["flags"]
        self._is_seeded = False
        self._action = np.zeros(1, np.int64)
        self.observation_space = observation_space(self._games, options)
        self.action_space = gym.spaces.Discrete(self._games.shape["actions"])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        start = start_of(options, self.options.row_order, ("game", "board"))
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = int(self.np_random.integers(2**32))
        self._is_seeded = True
        self._games.begin([(seed, start.get("game"))], start.get("board"))
        return self._views.observed_of(0), self._views.info_of(0)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._action[0] = operator.index(action)
        self._games.step(self._action)
        terminated, truncated, illegal, _ = self._flags.tolist()
        info = self._views.info_of(0)
        info["illegal"] = bool(illegal)
        observation = self._views.observed_of(0)
        return observation, float(self._reward[0]), bool(terminated), bool(truncated), info

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Which actions are legal now: bool, one for each (what MaskablePPO of sb3-contrib asks for)."""
        legal: np.ndarray[Any, np.dtype[np.bool_]] = self._views.info["action_mask"][0].astype(np.bool_)
        return legal

    def afterstates(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """The features of every action's placement and the board it leads to: float32, actions x features.

        Rows of illegal actions are 0, and all of them where actions are keys.
        """
        shape = self._games.shape
        return self._games.afterstates(0).reshape(shape["actions"], shape["features"])

    def placements(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Every action's placement: int64, actions x 6; -1 where there is none.

        Piece (0 to 6 for I O T S Z J L), whether it comes out of the hold, orientation (of guideline games the state: quarter
        turns clockwise), leftmost column, lowest row, spin (0 none, 1 mini, 2 full).
        """
        return self._games.placements(0).reshape(-1, 6)

    def render(self) -> Any:
        """``ansi``: a picture as text; ``rgb_array``: an image, uint8, height x width x 3."""
        if self.render_mode == "ansi":
            return self._games.picture(0)
        if self.render_mode == "rgb_array":
            shape = self._games.shape
            planes = self._games.cells(0).reshape(shape["planes"], shape["height"], shape["width"])
            return pixels(planes if self.options.row_order == "top" else planes[:, ::-1])
        gym.logger.warn("no render_mode was given: make the environment with ansi or rgb_array")
        return None


class PlacementEnv(GameEnv):
    """``tetrastat/Placement-v0``. Its options are those of `Placement`."""

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(Placement(**options), render_mode)


class KeysEnv(GameEnv):
    """``tetrastat/Keys-v0``. Its options are those of `Keys`."""

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(Keys(**options), render_mode)


class GuidelineEnv(GameEnv):
    """``tetrastat/Guideline-v0``. Its options are those of `Guideline`."""

    def __init__(self, render_mode: str | None = None, **options: Any) -> None:
        super().__init__(Guideline(**options), render_mode)
