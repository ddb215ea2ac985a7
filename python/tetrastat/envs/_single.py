"""Environments with one game."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import gymnasium as gym
import numpy as np

from ._options import Guideline, Keys, Options, Placement
from ._views import Views, observation_space, pixels, start_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import GuidelineOptions, KeysOptions, PlacementOptions


class GameEnv(gym.Env[Any, Any]):
    """Environment with one game of the engine.

    Parameters
    ----------
    options : Options
        Options of the game.
    render_mode : {"ansi", "rgb_array"}, optional
        Form of the pictures that `render` returns.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 10}

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
        self.observation_space: gym.spaces.Space[Any] = observation_space(self._games, options)
        self.action_space: gym.spaces.Space[Any] = gym.spaces.Discrete(self._games.shape["actions"])

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a game: game 0 of a new seed, or the next game of the seed so far.

        Parameters
        ----------
        seed : int, optional
            Seed of this game and of later ones. Default: no change, or a random seed at the first reset.
        options : dict, optional
            ``game``: number of the game to start under its seed. ``board``: start board, given as a `Board`, as an array of
            shape (height, width) with its rows in the environment's ``row_order``, or as a picture (text of ``.`` and
            ``#``, top row first).

        Returns
        -------
        observation
            Observation of the kind that the option ``observation`` names.
        info : dict
            ``action_mask`` (int8, 1 for a legal action), ``lines``, ``pieces`` and ``score`` of the game so far, and
            ``afterstates`` if requested.

        Raises
        ------
        SettingError
            If an option is unknown or the start board is invalid.
        """
        start = start_of(options, self.options.row_order, ("game", "board"))
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = int(self.np_random.integers(2**32))
        self._is_seeded = True
        self._games.begin([(seed, start.get("game"))], start.get("board"))
        return self._views.observed_of(0), self._views.info_of(0)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Performs an action.

        Parameters
        ----------
        action : int
            Number of the action.

        Returns
        -------
        observation
            Observation after the action.
        reward : float
            Reward of the action.
        terminated : bool
            True if the game is over by its rules.
        truncated : bool
            True if the game was cut off.
        info : dict
            Entries as for `reset`, and ``illegal``, which is True for an illegal action.

        Raises
        ------
        ValueError
            If there is no such action, if the game is over, or for an illegal action with ``illegal="raise"``.
        """
        self._action[0] = operator.index(action)
        self._games.step(self._action)
        terminated, truncated, illegal, _ = self._flags.tolist()
        info = self._views.info_of(0)
        info["illegal"] = bool(illegal)
        observation = self._views.observed_of(0)
        return observation, float(self._reward[0]), bool(terminated), bool(truncated), info

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns the action mask, as MaskablePPO of sb3-contrib requires it.

        Returns
        -------
        ndarray of bool, shape (actions,)
            True for a legal action.
        """
        legal: np.ndarray[Any, np.dtype[np.bool_]] = self._views.info["action_mask"][0].astype(np.bool_)
        return legal

    def afterstates(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Returns the features of every action's placement and of the board it leads to.

        Returns
        -------
        ndarray of float32, shape (actions, features)
            Rows of illegal actions are 0. All rows are 0 if the actions are keys.
        """
        shape = self._games.shape
        return self._games.afterstates(0).reshape(shape["actions"], shape["features"])

    def placements(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Returns every action's placement.

        Returns
        -------
        ndarray of int64, shape (actions, 6)
            Piece (0 to 6 for I O T S Z J L), 1 if the piece comes from the hold, orientation (in guideline games the number
            of quarter turns clockwise), leftmost column, lowest row, and spin (0 none, 1 mini, 2 full). Rows of actions
            without a legal placement are -1.
        """
        return self._games.placements(0).reshape(-1, 6)

    def render(self) -> Any:
        """Returns a picture of the game.

        Returns
        -------
        str or ndarray of uint8 or None
            Text for ``render_mode="ansi"``, an image of shape (height, width, 3) for ``"rgb_array"``, otherwise None.
        """
        if self.render_mode == "ansi":
            return self._games.picture(0)
        if self.render_mode == "rgb_array":
            shape = self._games.shape
            planes = self._games.cells(0).reshape(shape["planes"], shape["height"], shape["width"])
            return pixels(planes if self.options.row_order == "top" else planes[:, ::-1])
        gym.logger.warn("no render_mode was given: make the environment with ansi or rgb_array")
        return None


class PlacementEnv(GameEnv):
    """Environment ``tetrastat/Placement-v0`` with one game.

    Parameters
    ----------
    render_mode : {"ansi", "rgb_array"}, optional
        Form of the pictures that `render` returns.
    **options
        Options of `Placement`.

    Examples
    --------
    >>> from tetrastat.envs import PlacementEnv
    >>> env = PlacementEnv(board="6x8", script="OI", cycle=True, features=["holes"])
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(0)
    >>> info["pieces"], observation["board"][0].sum().item()
    (1, 4)
    """

    def __init__(self, render_mode: str | None = None, **options: Unpack[PlacementOptions]) -> None:
        super().__init__(Placement(**options), render_mode)


class KeysEnv(GameEnv):
    """Environment ``tetrastat/Keys-v0`` with one game.

    Parameters
    ----------
    render_mode : {"ansi", "rgb_array"}, optional
        Form of the pictures that `render` returns.
    **options
        Options of `Keys`.
    """

    def __init__(self, render_mode: str | None = None, **options: Unpack[KeysOptions]) -> None:
        super().__init__(Keys(**options), render_mode)


class GuidelineEnv(GameEnv):
    """Environment ``tetrastat/Guideline-v0`` with one game.

    Parameters
    ----------
    render_mode : {"ansi", "rgb_array"}, optional
        Form of the pictures that `render` returns.
    **options
        Options of `Guideline`.
    """

    def __init__(self, render_mode: str | None = None, **options: Unpack[GuidelineOptions]) -> None:
        super().__init__(Guideline(**options), render_mode)
