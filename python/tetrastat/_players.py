"""Python functions as players of classic games."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from ._tetrastat import SettingError

#: Number of games that are played at once while a player gives values, so that one call serves many decisions.
GAMES_AT_ONCE = 64
#: Options that name controllers.
_CONTROLLERS = ("controller", "controllers")


@final
class Player:
    """Player of classic games whose values of boards come from a Python function.

    The player chooses the placement with the largest sum of the function's value of the board after the placement and
    the weighted features. Full rows have been removed from these boards. Commands accept a player wherever they accept
    the name of a controller. They also accept a function or a torch module, which becomes a player with the default
    arguments.

    Parameters
    ----------
    values : callable
        Function from an array of n boards to n values, of which larger ones are better. It returns an array, a
        sequence or a tensor of shape (n,) or (n, 1), with finite numbers between -1e6 and 1e6. A torch module gets a
        float32 tensor of cells on its own device. It is called in evaluation mode and without gradients.
    name : str, optional
        Name of the controller in tables and reports. Default: the name of the function or class.
    weights : mapping of str to float, optional
        Weights of features that are added to the value. Default: ``{"rows_removed": 1}``, so that the function need
        not know the rows that the placement removed.
    format : str
        Form of the boards. ``"cells"``: bool of shape (n, height, width), True for a filled cell. ``"rows"``: uint16
        of shape (n, height), in which bit 0 is the leftmost column. Row 0 is the floor in both.
    batch : int
        Maximum number of boards in a call.

    Raises
    ------
    SettingError
        If an argument has an invalid value.

    Examples
    --------
    >>> import tetrastat
    >>> def flat(cells):
    ...     return -cells.any(axis=2).sum(axis=1)
    >>> run = tetrastat.simulate(flat, board="6x8", games=2, max_pieces=50)
    >>> run.manifest["config"]["controller"]["name"]
    'flat'
    """

    def __init__(
        self,
        values: Callable[[Any], Any],
        *,
        name: str | None = None,
        weights: Mapping[str, float] | None = None,
        format: Literal["cells", "rows"] = "cells",
        batch: int = 4096,
    ) -> None:
        if not callable(values):
            raise SettingError(f"values: give a function, not {type(values).__name__}")
        if format not in ("cells", "rows"):
            raise SettingError(f"format '{format}': use 'cells' or 'rows'")
        if batch < 1:
            raise SettingError(f"batch {batch}: give 1 or more boards")
        self.values = values
        self.name: str = _name_of(values) if name is None else name
        given = {"rows_removed": 1.0} if weights is None else weights
        self.weights: dict[str, float] = {name: float(weight) for name, weight in given.items()}
        self.format = format
        self.batch = batch
        if not self.name or re.search(r"[,:=\s]", self.name):
            raise SettingError(f"name '{self.name}': give 1 or more characters without spaces, commas, colons and '='")

    def __repr__(self) -> str:
        return f"Player({self.name})"

    def _evaluate(self, boards: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Returns the values of boards as an array of shape (n,)."""
        count = len(boards)
        found = _of_module(self.values, boards) if _is_module(self.values) else self.values(boards)
        if hasattr(found, "detach"):
            found = found.detach().cpu().double()
        values = np.asarray(found)
        if values.dtype.kind not in "biuf":
            raise TypeError(f"its values have the type {values.dtype}: return one number for each board")
        if values.shape not in ((count,), (count, 1)):
            raise ValueError(
                f"its values have the shape {values.shape} for {count} boards: return one number for each board"
            )
        return np.ascontiguousarray(values, dtype=np.float64).reshape(count)


def _name_of(values: Any) -> str:
    """Returns a name for a function or module, from its name or that of its class."""
    name = getattr(values, "__name__", None) or type(values).__name__
    return re.sub(r"\W+", "-", name).strip("-")[:64] or "player"


def _is_module(values: Any) -> bool:
    # A module of torch exists only after torch was imported.
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(values, torch.nn.Module)


def _of_module(module: Any, boards: npt.NDArray[Any]) -> Any:
    """Returns the values of boards by a torch module."""
    import torch

    parameter = next(module.parameters(), None)
    kind = torch.float32 if parameter is None or not parameter.is_floating_point() else parameter.dtype
    device = None if parameter is None else parameter.device
    was_training = module.training
    module.eval()
    try:
        with torch.no_grad():
            return module(torch.from_numpy(boards).to(device=device, dtype=kind))
    finally:
        module.train(was_training)


#: A controller as an argument: a preset or file by name, or a player of this program.
AnyController = str | os.PathLike[str] | Player | Callable[[Any], Any]


def player_of(value: Any) -> Player | None:
    """Returns the player that a value of an option is, or None for other values."""
    if isinstance(value, Player):
        return value
    return Player(value) if callable(value) and not isinstance(value, os.PathLike) else None


def with_names(settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[Player]]:
    """Returns settings in which texts stand for players, and these players.

    Raises
    ------
    SettingError
        If two players have the same name.
    """
    players: dict[str, Player] = {}
    made: dict[int, Player] = {}

    def named(key: str, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: named(key, one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return [named(key, one) for one in value] if key != "board" else value
        player = player_of(value) if key in _CONTROLLERS else None
        if player is None:
            return value
        player = made.setdefault(id(value), player)
        if players.setdefault(player.name, player) is not player:
            raise SettingError(f"two players have the name {player.name}: name them by tetrastat.Player(..., name=...)")
        return f"python:{player.name}"

    return {key: named(key, value) for key, value in settings.items()}, list(players.values())
