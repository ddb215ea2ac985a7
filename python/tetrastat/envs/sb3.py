"""Native vector environments for Stable-Baselines3 and sb3-contrib. This module needs stable-baselines3.

>>> from tetrastat.envs import PlacementVectorEnv
>>> from tetrastat.envs.sb3 import SB3VecEnv                                    # doctest: +SKIP
>>> env = SB3VecEnv(PlacementVectorEnv(64, autoreset_mode="SameStep"))          # doctest: +SKIP
>>> model = MaskablePPO("MultiInputPolicy", env).learn(100_000)                 # doctest: +SKIP
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

if find_spec("stable_baselines3") is None:
    raise ImportError("tetrastat.envs.sb3 needs stable-baselines3: pip install sb3-contrib")

from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from ._vector import GamesVectorEnv

__all__ = ["SB3VecEnv"]


class SB3VecEnv(VecEnv):
    """Vector environment of Stable-Baselines3 whose games are those of a native vector environment.

    Games, observations, rewards and infos equal those of single environments in a ``DummyVecEnv``, each within a
    ``Monitor``. Every info has ``TimeLimit.truncated``. That of a game that ended also has ``terminal_observation`` and
    ``episode`` (``r`` return, ``l`` length, ``t`` seconds since the environment was created).

    Parameters
    ----------
    vector : GamesVectorEnv
        A `PlacementVectorEnv`, `KeysVectorEnv` or `GuidelineVectorEnv` with ``autoreset_mode="SameStep"`` and with
        ``copy=True``, because the algorithms keep the observations of earlier steps.

    Raises
    ------
    ValueError
        If ``vector`` has another autoreset mode or does not copy.

    Examples
    --------
    >>> from sb3_contrib import MaskablePPO                                         # doctest: +SKIP
    >>> from tetrastat.envs import PlacementVectorEnv
    >>> vector = PlacementVectorEnv(64, board="10x10", autoreset_mode="SameStep")
    >>> model = MaskablePPO("MultiInputPolicy", SB3VecEnv(vector), seed=1)          # doctest: +SKIP
    """

    def __init__(self, vector: GamesVectorEnv) -> None:
        if vector.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError('Stable-Baselines3 resets in the same step: give autoreset_mode="SameStep"')
        if not vector.copy:
            raise ValueError("Stable-Baselines3 keeps observations of earlier steps: give copy=True")
        self.vector = vector
        #: Methods of games that `env_method` knows. Each returns the results of all games.
        self._methods: dict[str, Callable[..., Any]] = {
            "action_masks": vector.action_masks,
            "render": lambda: vector.render() or [None] * vector.num_envs,
        }
        self._begun = time.time()
        self._returns = np.zeros(vector.num_envs)
        self._lengths = np.zeros(vector.num_envs, np.int64)
        self._actions: Any = None
        super().__init__(vector.num_envs, vector.single_observation_space, vector.single_action_space)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Sets the seeds of the games for the next `reset`, mixed from ``seed`` or at random, and returns them."""
        seeds: list[int | None] = [*self.vector.game_seeds(int(np.random.randint(2**32)) if seed is None else seed)]
        self._seeds = seeds
        return seeds

    def reset(self) -> Any:
        """Starts all games with the seeds and options given to `seed` and `set_options`, and returns the observations.

        Raises
        ------
        ValueError
            If the options hold different start boards.
        """
        boards: list[Any] = [options.get("board") for options in self._options]
        if any(board is not boards[0] and not np.array_equal(board, boards[0]) for board in boards):
            raise ValueError("all games start on the same board: give one board to set_options")
        options: dict[str, Any] = {"board": boards[0], "game": [options.get("game") for options in self._options]}
        for given in self._options:
            options.update({name: value for name, value in given.items() if name not in options})
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        observation, info = self.vector.reset(seed=seeds, options=options)
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        self.reset_infos: list[dict[str, Any]] = self._split(info, np.arange(self.num_envs))
        return observation

    def step_async(self, actions: Any) -> None:
        """Keeps the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray[Any, Any], np.ndarray[Any, Any], list[dict[str, Any]]]:
        """Performs the actions, and starts the next game of each game that is over.

        Returns
        -------
        observation
            Observations after the actions, or of the new games.
        reward : ndarray of float32, shape (num_envs,)
            Reward of each action.
        done : ndarray of bool, shape (num_envs,)
            True for games that ended.
        infos : list of dict
            One info for each game.
        """
        observation, reward, terminated, truncated, info = self.vector.step(self._actions)
        done = terminated | truncated
        self._returns += reward
        self._lengths += 1
        infos = self._split(info, np.arange(self.num_envs))
        ended = np.flatnonzero(done)
        for index, last in zip(ended.tolist(), self._split(info["final_info"], ended) if ended.size else (), strict=True):
            new = infos[index]
            last["illegal"] = new.pop("illegal")
            last["terminal_observation"] = info["final_obs"][index]
            seconds = round(time.time() - self._begun, 6)
            last["episode"] = {"r": float(self._returns[index]), "l": int(self._lengths[index]), "t": seconds}
            self.reset_infos[index], infos[index] = new, last
        self._returns[done] = 0
        self._lengths[done] = 0
        for one, cut in zip(infos, (truncated & ~terminated).tolist(), strict=True):
            one["TimeLimit.truncated"] = cut
        return observation, reward.astype(np.float32), done, infos

    def _split(self, info: dict[str, Any], indices: np.ndarray[Any, Any]) -> list[dict[str, Any]]:
        """Returns the infos of some games as one dictionary each."""
        names = [name for name in info if "_" + name in info and not name.startswith("final_")]
        columns = [info[name][indices] for name in names]
        rows = [column.tolist() if column.ndim == 1 else list(column) for column in columns]
        return [dict(zip(names, values, strict=True)) for values in zip(*rows, strict=True)]

    def has_attr(self, attr_name: str) -> bool:
        """Returns True if `get_attr` knows the name."""
        return attr_name in self._methods or hasattr(self.vector, attr_name)

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """Returns an attribute of each game: of the vector environment, which all games share, or a method of a game.

        Raises
        ------
        AttributeError
            If there is no such attribute.
        """
        if attr_name in self._methods:
            method = self._methods[attr_name]
            return [lambda index=index: method()[index] for index in self._get_indices(indices)]
        single = {"observation_space": "single_observation_space", "action_space": "single_action_space"}
        value = getattr(self.vector, single.get(attr_name, attr_name))
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Raises an `AttributeError`, because the games share their attributes."""
        raise AttributeError(f"{attr_name}: games of a native environment have no attributes of their own to set")

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls ``action_masks`` (a mask of bool) or ``render`` (text) of each game, and returns the results.

        Raises
        ------
        AttributeError
            If there is no such method.
        """
        if method_name not in self._methods:
            raise AttributeError(f"{method_name}: games of a native environment have {' and '.join(self._methods)}")
        results = self._methods[method_name](*method_args, **method_kwargs)
        return [results[index] for index in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None) -> list[bool]:
        """Returns True for ``Monitor``, whose statistics the infos have, and False for any other wrapper."""
        return [issubclass(wrapper_class, Monitor) for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Closes the vector environment."""
        self.vector.close()
