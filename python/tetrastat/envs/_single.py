"""Environments with one game."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import gymnasium as gym
import numpy as np

from ._options import Guideline, Keys, Options, Placement
from ._views import observation_space, pixels, start_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import GuidelineOptions, KeysOptions, PlacementOptions

EnvT = TypeVar("EnvT", bound="GameEnv")

#: Class and state of a bit generator.
SavedGenerator = tuple[type[np.random.BitGenerator], Any]


def _saved(generator: np.random.Generator | None) -> SavedGenerator | None:
    """Returns the state of a generator, from which `_restored` creates an equal one."""
    if generator is None:
        return None
    bits = generator.bit_generator
    return type(bits), bits.state


def _restored(saved: SavedGenerator | None) -> np.random.Generator | None:
    if saved is None:
        return None
    bits = saved[0](0)
    bits.state = saved[1]
    return np.random.Generator(bits)


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

    def __init__(self, options: Options, render_mode: Literal["ansi", "rgb_array"] | None = None) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode {render_mode!r}: use ansi or rgb_array")
        self.options = options
        self.render_mode = render_mode
        self._game = options.game()
        self._is_seeded = False
        # Creating a random number generator takes far longer than a clone, and most clones use none. So generators are
        # created when they are first used, from the seed or the state that is stored here.
        self._generator: np.random.Generator | None = None
        self._generator_source: int | SavedGenerator | None = None
        shape = self._game.shape
        self.observation_space: gym.spaces.Space[Any] = observation_space(shape, options)
        self._action_space: gym.spaces.Space[Any] | None = gym.spaces.Discrete(shape["actions"])
        self._action_space_source: tuple[gym.spaces.Space[Any], SavedGenerator | None] | None = None

    @property
    def _np_random(self) -> np.random.Generator | None:
        """Generator behind gymnasium's `np_random`; None before the first seed or use."""
        source = self._generator_source
        if self._generator is None and source is not None:
            self._generator = gym.utils.seeding.np_random(source)[0] if isinstance(source, int) else _restored(source)
        return self._generator

    @_np_random.setter
    def _np_random(self, generator: np.random.Generator | None) -> None:
        self._generator, self._generator_source = generator, None

    @property
    def action_space(self) -> gym.spaces.Space[Any]:
        """Space of the actions. Each clone has its own, with its own random number generator."""
        if self._action_space is None:
            assert self._action_space_source is not None
            original, generator = self._action_space_source
            self._action_space = copy.copy(original)
            self._action_space._np_random = _restored(generator)  # type: ignore[assignment]
        return self._action_space

    @action_space.setter
    def action_space(self, space: gym.spaces.Space[Any]) -> None:
        self._action_space = space

    def clone(self: EnvT, seed: int | None = None) -> EnvT:
        """Returns a copy of the environment in its current state, for tree search.

        After the same actions, the clone gets the same pieces and rewards as the original. A step of one does not change
        the other. They share their options, their observation space, and attributes that a subclass adds.
        `copy.deepcopy` copies these objects, too, but takes about a hundred times as long.

        Parameters
        ----------
        seed : int, optional
            Seed of the clone's pieces that are not visible yet. They are chosen again at random, by the rules of the
            queue and after the pieces so far. Use it for a search that must not know the coming pieces. Default: the
            clone deals the same pieces as the original.

        Returns
        -------
        GameEnv
            An environment of the same class.

        Examples
        --------
        >>> from tetrastat.envs import PlacementEnv
        >>> env = PlacementEnv(board="6x8")
        >>> observation, info = env.reset(seed=1)
        >>> clone = env.clone()
        >>> clone.step(0)[4]["pieces"], env.step(1)[4]["pieces"]
        (1, 1)
        """
        clone: EnvT = object.__new__(type(self))
        state = clone.__dict__
        state.update(self.__dict__)
        state["_game"] = self._game.clone(seed)
        if self._generator is not None:
            state["_generator"], state["_generator_source"] = None, _saved(self._generator)
        space = self._action_space
        if space is not None:
            state["_action_space"], state["_action_space_source"] = None, (space, _saved(space._np_random))
        return clone

    def get_state(self) -> bytes:
        """Returns the state of the game, which `set_state` restores, also in another process.

        The state holds the game and its seed, not the environment's options nor its random number generators; pickling
        the environment stores those, too.

        Returns
        -------
        bytes
            JSON text with a checksum.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first reset.
        """
        if not self._is_seeded:
            raise gym.error.ResetNeeded("call reset before get_state")
        return self._game.get_state()

    def set_state(self, state: bytes) -> tuple[Any, dict[str, Any]]:
        """Continues from a state of this or another environment.

        The other environment may have other observations, rewards and limits, but must have the same board, queue and
        rules. It may also be a vector environment, whose ``get_state(index)`` returns the state of one game.

        Parameters
        ----------
        state : bytes
            Result of `get_state`.

        Returns
        -------
        observation, info
            Observation and info of the restored game, as from `reset`.

        Raises
        ------
        SettingError
            If the state is damaged, or of a game with other options. The environment does not change.

        Examples
        --------
        >>> from tetrastat.envs import PlacementEnv
        >>> env = PlacementEnv(board="6x8")
        >>> observation, info = env.reset(seed=1)
        >>> state = env.get_state()
        >>> rewards = [env.step(int(info["action_mask"].argmax()))[1] for _ in range(3)]
        >>> env.set_state(state)[1]["pieces"]
        0
        """
        seen = self._game.set_state(state)
        self._is_seeded = True
        return seen

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name != "_game"}
        state["_game_state"] = self._game.get_state() if self._is_seeded else None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        game_state = state.pop("_game_state")
        self.__dict__.update(state)
        self._game = self.options.game()
        if game_state is not None:
            self._game.set_state(game_state)

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
        first = int(self.np_random.integers(2**32)) if seed is None and not self._is_seeded else seed
        seen = self._game.begin((first, start.get("game")), start.get("board"))
        self._is_seeded = True
        if seed is not None:
            self._generator, self._generator_source, self._np_random_seed = None, int(seed), int(seed)
        return seen

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
        gymnasium.error.ResetNeeded
            Before the first reset.
        ValueError
            If there is no such action, if the game is over, or for an illegal action with ``illegal="raise"``.
        """
        if not self._is_seeded:
            raise gym.error.ResetNeeded("call reset before the first step")
        return self._game.step(action)

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns the action mask, as MaskablePPO of sb3-contrib requires it.

        Returns
        -------
        ndarray of bool, shape (actions,)
            True for a legal action.
        """
        return self._game.mask()

    def afterstates(self) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Returns the features of every action's placement and of the board it leads to.

        Returns
        -------
        ndarray of float32, shape (actions, features)
            Rows of illegal actions are 0. All rows are 0 if the actions are keys.
        """
        return self._game.afterstates()

    def placements(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Returns every action's placement.

        Returns
        -------
        ndarray of int64, shape (actions, 6)
            Piece (0 to 6 for I O T S Z J L), 1 if the piece comes from the hold, orientation (in guideline games the number
            of quarter turns clockwise), leftmost column, lowest row, and spin (0 none, 1 mini, 2 full). Rows of actions
            without a legal placement are -1.
        """
        return self._game.placements()

    def render(self) -> Any:
        """Returns a picture of the game.

        Returns
        -------
        str or ndarray of uint8 or None
            Text for ``render_mode="ansi"``, an image of shape (height, width, 3) for ``"rgb_array"``, otherwise None.
        """
        if self.render_mode == "ansi":
            return self._game.picture()
        if self.render_mode == "rgb_array":
            planes = self._game.cells()
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

    def __init__(self, render_mode: Literal["ansi", "rgb_array"] | None = None, **options: Unpack[PlacementOptions]) -> None:
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

    def __init__(self, render_mode: Literal["ansi", "rgb_array"] | None = None, **options: Unpack[KeysOptions]) -> None:
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

    def __init__(self, render_mode: Literal["ansi", "rgb_array"] | None = None, **options: Unpack[GuidelineOptions]) -> None:
        super().__init__(Guideline(**options), render_mode)
