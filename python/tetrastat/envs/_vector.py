"""Environments with many games: one call steps all games on all cores."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .. import _tetrastat
from ._options import Guideline, Keys, Options, Placement, count_of
from ._views import Views, observation_space, start_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..settings import GuidelineOptions, KeysOptions, PlacementOptions

VectorT = TypeVar("VectorT", bound="GamesVectorEnv")

#: Selection of games: a number, a slice, numbers, or a mask.
Index = int | slice | npt.ArrayLike
#: Autoreset mode of gymnasium, or its name.
Autoreset = AutoresetMode | Literal["NextStep", "SameStep", "Disabled"]


def _cores() -> int:
    """Returns the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


class GamesVectorEnv(VectorEnv[Any, Any, Any]):
    """Environment that steps many games together. Each game equals a single environment with the same seed.

    Parameters
    ----------
    options : Options
        Options of the games.
    num_envs : int
        Number of games.
    render_mode : {"ansi"}, optional
        Form of the pictures that `render` returns.
    threads : int, optional
        Number of threads that share the games. Default: all cores. Results do not depend on it.
    autoreset_mode : AutoresetMode or {"NextStep", "SameStep", "Disabled"}
        Treatment of a game that is over, as gymnasium defines it.
    copy : bool
        If False, observations and infos are the games' own arrays, which the next step overwrites.

    Raises
    ------
    SettingError
        If an option has an invalid value.
    MemoryError
        If there is not enough memory for the games.
    """

    def __init__(
        self,
        options: Options,
        num_envs: int = 1,
        render_mode: Literal["ansi"] | None = None,
        threads: int | None = None,
        autoreset_mode: Autoreset = AutoresetMode.NEXT_STEP,
        copy: bool = True,
    ) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f"render_mode {render_mode!r}: an environment with many games has only ansi")
        num_envs = count_of("num_envs", num_envs, 1)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.options = options
        self.copy = copy
        self.autoreset_mode: AutoresetMode = AutoresetMode(autoreset_mode)
        self.metadata: dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": self.autoreset_mode}
        self._threads = None if threads is None else count_of("threads", threads, 1)
        self._use(self._new_games())
        shape = self._games.shape
        self._is_seeded = False
        self._all = np.ones(num_envs, np.bool_)
        self._all.flags.writeable = False
        self.single_observation_space: gym.spaces.Space[Any] = observation_space(shape, options)
        self.single_action_space: gym.spaces.Space[Any] = gym.spaces.Discrete(shape["actions"])
        self.observation_space: gym.spaces.Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.action_space: gym.spaces.Space[Any] = batch_space(self.single_action_space, num_envs)

    def _new_games(self) -> _tetrastat.Games:
        return self.options.games(self.num_envs, self._threads or _cores(), self.autoreset_mode.value)

    def _use(self, games: _tetrastat.Games) -> None:
        """Plays ``games`` from now on."""
        self._games = games
        arrays, shape = games.arrays, games.shape
        self._views = Views(arrays, shape, self.options)
        self._last = Views(games.last, shape, self.options)
        self._reward = arrays["reward"]
        self._flags = arrays["flags"].view(np.bool_).reshape(self.num_envs, 4)

    def clone(self: VectorT) -> VectorT:
        """Returns a copy of the environment with all its games in their current states.

        A step of one does not change the other. They share their options and attributes that a subclass adds;
        `copy.deepcopy` copies these, too.

        Returns
        -------
        GamesVectorEnv
            An environment of the same class.
        """
        clone: VectorT = object.__new__(type(self))
        clone.__dict__.update(self.__dict__)
        for name in ("action_space", "single_action_space", "_np_random"):
            setattr(clone, name, copy.deepcopy(getattr(self, name)))
        clone._use(self._games.clone())
        return clone

    def get_state(self, index: Index | None = None) -> bytes:
        """Returns the states of games. `set_state` restores them, in this process or in another one.

        Parameters
        ----------
        index : int, slice or array_like, optional
            Games to include: a number, a slice, numbers in any order, or a mask. Default: all games.

        Returns
        -------
        bytes
            JSON text with a checksum. The state of one game also restores a single environment.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first reset.
        IndexError
            If there is no such game.
        """
        if not self._is_seeded:
            raise gym.error.ResetNeeded("call reset before get_state")
        return self._games.get_state(self._indices(index))

    def set_state(self, state: bytes, index: Index | None = None) -> tuple[Any, dict[str, Any]]:
        """Continues games from the states of this or another environment, as in a single environment.

        Parameters
        ----------
        state : bytes
            Result of `get_state` of an environment with one game or many. The state of one game is copied to all games
            that ``index`` selects; those of several games are restored in order.
        index : int, slice or array_like, optional
            Games to replace: a number, a slice, numbers in any order, or a mask. Default: all games.

        Returns
        -------
        observation, info
            Observations and infos of all games, as from `reset`.

        Raises
        ------
        SettingError
            If the state is damaged, of games with other options, or of another number of games. No game changes.
        IndexError
            If there is no such game.

        Examples
        --------
        A search tries every action of a game at once.

        >>> from tetrastat.envs import PlacementEnv, PlacementVectorEnv
        >>> env = PlacementEnv(board="6x8")
        >>> observation, info = env.reset(seed=1)
        >>> children = PlacementVectorEnv(int(env.action_space.n), board="6x8", threads=1)
        >>> observation, info = children.set_state(env.get_state())
        >>> observation, reward, terminated, truncated, info = children.step(range(children.num_envs))
        >>> info["pieces"].max().item()
        1
        """
        indices = self._indices(index)
        mask = np.zeros(self.num_envs, np.bool_)
        mask[indices] = True
        if not self._is_seeded and not mask.all():
            raise gym.error.ResetNeeded("call reset before the first set_state of some games")
        self._games.set_state(state, indices)
        self._is_seeded = True
        return self._views.observed(self.copy), self._info(mask)

    def _indices(self, index: Index | None) -> list[int]:
        """Returns the numbers of the games that ``index`` selects."""
        every = np.arange(self.num_envs)
        chosen = every if index is None else every[index if isinstance(index, slice) else np.asarray(index)]
        return np.atleast_1d(chosen).tolist()  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        native = ("_games", "_views", "_last", "_reward", "_flags")
        state = {name: value for name, value in self.__dict__.items() if name not in native}
        state["_game_states"] = self._games.get_state(self._indices(None)) if self._is_seeded else None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        game_states = state.pop("_game_states")
        self.__dict__.update(state)
        self._use(self._new_games())
        if game_states is not None:
            self._games.set_state(game_states, self._indices(None))

    @property
    def threads(self) -> int:
        """Number of threads that share the games."""
        return self._games.threads

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Starts all games, or those that ``options["reset_mask"]`` selects.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Seed of each game, or one number from which `game_seeds` mixes them.
        options : dict, optional
            ``reset_mask``: ndarray of bool, shape (num_envs,), True for a game to start. ``game``: number of the game under
            its seed, one for all games or one for each. ``board``: start board of all games, as in a single environment.

        Returns
        -------
        observation
            Observations with one more axis than in a single environment, of length num_envs.
        info : dict
            Entries of a single environment with one row for each game. ``_NAME`` is a mask of the games for which the entry
            ``NAME`` is valid.

        Raises
        ------
        ValueError
            If there is not one seed, game and mask entry for each game.
        SettingError
            If an option is unknown or the start board is invalid.
        """
        start = start_of(options, self.options.row_order, ("game", "board", "reset_mask"))
        seeds = self._seeds(seed)
        games: Any = start.get("game")
        numbers = list(games) if np.ndim(games) else [games] * self.num_envs
        if len(seeds) != self.num_envs or len(numbers) != self.num_envs:
            raise ValueError(f"give one seed and one game for each of the {self.num_envs} games")
        mask = self._reset_mask(start.get("reset_mask"))
        starts = [
            (_number(one), _number(game)) if begins else None
            for one, game, begins in zip(seeds, numbers, mask.tolist(), strict=True)
        ]
        self._games.begin(starts, start.get("board"))
        self._is_seeded = True
        return self._views.observed(self.copy), self._info(mask)

    def game_seeds(self, seed: int) -> list[int]:
        """Returns the seed of each game that ``reset(seed=seed)`` starts.

        The seeds are mixed from ``seed`` and the number of the game, so games of different seeds are independent. With
        ``seed + i`` for game ``i``, as in gymnasium's own vectors, 64 games of seed 1 and 64 of seed 2 would have 63 games
        in common.

        Parameters
        ----------
        seed : int
            Seed of the vector environment, at least 0.

        Returns
        -------
        list of int
            Whole numbers below 2^64; of the notebook's game, which has short seeds, below 2^32.

        Examples
        --------
        >>> from tetrastat.envs import PlacementEnv, PlacementVectorEnv
        >>> vector = PlacementVectorEnv(3, threads=1)
        >>> observation, info = vector.reset(seed=1)
        >>> second, info = PlacementEnv().reset(seed=vector.game_seeds(1)[1])
        >>> bool(second["pieces"] == observation["pieces"][1])
        True
        """
        is_short = getattr(self.options, "notebook", False)
        mixed = np.random.SeedSequence(seed).generate_state(self.num_envs, np.uint32 if is_short else np.uint64)
        seeds: list[int] = mixed.tolist()
        return seeds

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[Any]:
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
            return self.game_seeds(int(seed))
        if seed is not None:
            return list(seed)
        if not self._is_seeded:
            drawn: list[Any] = self.np_random.integers(2**32, size=self.num_envs).tolist()
            return drawn
        return [None] * self.num_envs

    def _reset_mask(self, mask: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
        if mask is None:
            return self._all
        given: np.ndarray[Any, np.dtype[np.bool_]] = np.asarray(mask)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_:
            raise ValueError(f"reset_mask: give a bool for each of the {self.num_envs} games")
        if not self._is_seeded and not given.all():
            raise ValueError("reset_mask: the first reset is of all games")
        return given

    def step(
        self, actions: Any
    ) -> tuple[
        Any,
        np.ndarray[Any, np.dtype[np.float64]],
        np.ndarray[Any, np.dtype[np.bool_]],
        np.ndarray[Any, np.dtype[np.bool_]],
        dict[str, Any],
    ]:
        """Steps every game by its action.

        Parameters
        ----------
        actions : array_like of int, shape (num_envs,)
            Number of each game's action.

        Returns
        -------
        observation
            Observations after the actions.
        reward : ndarray of float64, shape (num_envs,)
            Reward of each action.
        terminated, truncated : ndarray of bool, shape (num_envs,)
            True for games that are over by their rules, or that were cut off.
        info : dict
            ``action_mask``, ``lines``, ``pieces``, ``score`` and ``illegal`` with one row for each game. With ``SameStep``
            also ``final_obs`` and ``final_info`` of games that ended.

        Raises
        ------
        gymnasium.error.ResetNeeded
            Before the first reset.
        TypeError
            If the actions are not whole numbers.
        ValueError
            If there is not one valid action for each game.
        """
        if not self._is_seeded:
            raise gym.error.ResetNeeded("call reset before the first step")
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu":
            raise TypeError(f"actions: give whole numbers, not {chosen.dtype}")
        self._games.step(np.require(chosen, np.int64, ["C", "A"]))
        flags = self._flags.copy() if self.copy else self._flags
        info = self._info(self._all)
        info["illegal"], info["_illegal"] = flags[:, 2], self._all
        terminated, truncated = flags[:, 0], flags[:, 1]
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            self._add_final(info, terminated | truncated)
        reward = self._reward.copy() if self.copy else self._reward
        return self._views.observed(self.copy), reward, terminated, truncated, info

    def _info(self, mask: np.ndarray[Any, Any]) -> dict[str, Any]:
        info: dict[str, Any] = {}
        for name, array in self._views.info.items():
            info[name] = array.copy() if self.copy else array
            info["_" + name] = mask
        return info

    def _add_final(self, info: dict[str, Any], ended: np.ndarray[Any, Any]) -> None:
        if not ended.any():
            return
        final = np.full(self.num_envs, None, dtype=object)
        for index in np.flatnonzero(ended).tolist():
            final[index] = self._last.observed_of(index)
        last: dict[str, Any] = {}
        for name, array in self._last.info.items():
            last[name], last["_" + name] = array.copy(), ended
        info["final_obs"], info["_final_obs"] = final, ended
        info["final_info"], info["_final_info"] = last, ended

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns the action masks.

        Returns
        -------
        ndarray of bool, shape (num_envs, actions)
            True for a legal action.
        """
        legal: np.ndarray[Any, np.dtype[np.bool_]] = self._views.info["action_mask"].astype(np.bool_)
        return legal

    def render(self) -> tuple[str, ...] | None:
        """Returns a picture of every game as text, or None without a ``render_mode``."""
        if self.render_mode is None:
            return None
        return tuple(self._games.picture(index) for index in range(self.num_envs))


class PlacementVectorEnv(GamesVectorEnv):
    """Environment ``tetrastat/Placement-v0`` with many games.

    Parameters
    ----------
    num_envs, render_mode, threads, autoreset_mode, copy
        Parameters of `GamesVectorEnv`.
    **options
        Options of `Placement`.

    Examples
    --------
    >>> from tetrastat.envs import PlacementVectorEnv
    >>> env = PlacementVectorEnv(64, board="10x10", threads=1)
    >>> observation, info = env.reset(seed=1)
    >>> observation["board"].shape, info["action_mask"].shape
    ((64, 1, 10, 10), (64, 40))
    >>> observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax(axis=1))
    >>> reward.shape
    (64,)
    """

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: Literal["ansi"] | None = None,
        threads: int | None = None,
        autoreset_mode: Autoreset = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Unpack[PlacementOptions],
    ) -> None:
        super().__init__(Placement(**options), num_envs, render_mode, threads, autoreset_mode, copy)


class KeysVectorEnv(GamesVectorEnv):
    """Environment ``tetrastat/Keys-v0`` with many games.

    Parameters
    ----------
    num_envs, render_mode, threads, autoreset_mode, copy
        Parameters of `GamesVectorEnv`.
    **options
        Options of `Keys`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: Literal["ansi"] | None = None,
        threads: int | None = None,
        autoreset_mode: Autoreset = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Unpack[KeysOptions],
    ) -> None:
        super().__init__(Keys(**options), num_envs, render_mode, threads, autoreset_mode, copy)


class GuidelineVectorEnv(GamesVectorEnv):
    """Environment ``tetrastat/Guideline-v0`` with many games.

    Parameters
    ----------
    num_envs, render_mode, threads, autoreset_mode, copy
        Parameters of `GamesVectorEnv`.
    **options
        Options of `Guideline`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        render_mode: Literal["ansi"] | None = None,
        threads: int | None = None,
        autoreset_mode: Autoreset = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        **options: Unpack[GuidelineOptions],
    ) -> None:
        super().__init__(Guideline(**options), num_envs, render_mode, threads, autoreset_mode, copy)
