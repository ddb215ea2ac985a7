"""Options of environments with their defaults, and the native games created from them."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from .. import _tetrastat
from .._tetrastat import SettingError

#: Default features of key-press games: Dellacherie's, without those of a placement.
BOARD_FEATURES = ("row_transitions", "column_transitions", "holes", "wells")
#: Default features of placement games: Dellacherie's six, of a placement and of the board it leads to.
PLACEMENT_FEATURES = ("landing_height", "eroded_cells", *BOARD_FEATURES)
#: Default terms of guideline games.
GUIDELINE_FEATURES = ("aggregate_height", "holes", "bumpiness", "rows_removed")

#: Rewards for 0 to 4 rows removed, by name.
REWARDS = {
    "lines": (0.0, 1.0, 2.0, 3.0, 4.0),
    "points": (0.0, 40.0, 100.0, 300.0, 1200.0),
    "pieces": (1.0, 1.0, 1.0, 1.0, 1.0),
}

#: Maximum of a whole number in an option.
MOST = 2**32 - 1


def count_of(name: str, value: object, least: int = 0) -> int:
    """Returns the whole number of an option, or raises a `SettingError` that names the valid range."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise SettingError(f"{name}: give a whole number, not {value!r}") from None
    if not least <= number <= MOST:
        raise SettingError(f"{name} {number}: give a whole number from {least} to {MOST}")
    return number


def _check_types(options: Any) -> None:
    """Checks that all fields have values of their types, and converts feature names and counts in place."""
    for field in fields(options):
        value = getattr(options, field.name)
        if value is None or field.name == "reward":
            continue
        if field.name == "features":
            names = value.split(",") if isinstance(value, str) else value
            object.__setattr__(options, "features", tuple(names))
        elif field.type.startswith(("str", "Literal")) and not isinstance(value, str):
            raise SettingError(f"{field.name}: give text, not {value!r}")
        elif field.type.startswith("int"):
            object.__setattr__(options, field.name, count_of(field.name, value))


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of all environments.

    Parameters
    ----------
    queue : str
        Queue that deals the pieces: ``"uniform"``, ``"bag"``, ``"bag:2"``, ``"bag:I=2+O=1"``, ``"weights:I=2+O=1"``,
        ``"nes"``, ``"tgm1"``, ``"tgm2"``, ``"tgm3"``, ``"least-dealt"``, ``"repeat:0.3"``, ``"sz"``, ``"sz-random"``
        or ``"adversary"``.
    script : str, optional
        Pieces to deal in place of ``queue``, as letters of ``IOTSZJL``. A game is truncated at the end of the script.
    cycle : bool
        If True, the script starts again at its end and the game continues.
    previews : int, optional
        Number of pieces shown after the current one, 0 to 15. Default: 0, or in guideline games that of the rules.
    reward : str or sequence of five floats
        Reward of a placement: ``"lines"`` (number of rows removed), ``"points"`` (40, 100, 300, 1200 for 1 to 4 rows; in
        guideline games the game's points, the default of a Blitz), ``"pieces"`` (1 for every placement), or five numbers
        for 0 to 4 rows removed.
    lost : float
        Number that is added to the reward when the game is lost.
    max_steps : int, optional
        Number of steps after which a game is truncated. Without it a good agent may play for ever, and so may an agent
        that repeats an illegal action. Default: 10,000 by ``gymnasium.make``, otherwise no limit.
    illegal : {"ignore", "end", "raise"}
        Effect of an illegal action: ``"ignore"`` counts the step and changes nothing else, ``"end"`` terminates the game,
        ``"raise"`` raises a `ValueError`.
    illegal_reward : float
        Reward of an illegal action.
    observation : {"planes", "features", "afterstates"}
        Kind of the observation.

        ``"planes"``: a dictionary of ``board`` (uint8, shape (planes, height, width), 0 or 1; see ``row_order``),
        ``pieces`` (uint8; 0 to 6 for I O T S Z J L, 7 for no piece) and, if the game has a status, ``status`` (float32).

        ``"features"``: a float32 vector of the features of the last placement and of the board it led to, the pieces
        one-hot (7 values each), and the status. Features are in whole units; those of a placement are 0 before the first
        placement.

        ``"afterstates"``: float32, shape (actions, features): the features of every action's placement and of the board
        it leads to. Rows of illegal actions are 0.
    row_order : {"floor", "top"}
        First row of ``board``, and of a start board that is given as an array: the floor, as in every other array of this
        package, or the top row, as in a picture.
    features : sequence of str
        Names of the features to measure (``tetrastat show features`` lists them).
    afterstates : bool
        If True, ``info`` also has ``afterstates``, for every kind of observation.

    Raises
    ------
    SettingError
        If an option has an invalid value.
    """

    #: Kind of the native games: placements, keys or guideline.
    _game: ClassVar[str]

    queue: str = "uniform"
    script: str | None = None
    cycle: bool = False
    previews: int | None = 0
    reward: Literal["lines", "points", "pieces"] | Sequence[float] | None = "lines"
    lost: float = 0.0
    max_steps: int | None = None
    illegal: Literal["ignore", "end", "raise"] = "ignore"
    illegal_reward: float = 0.0
    observation: Literal["planes", "features", "afterstates"] = "planes"
    row_order: Literal["floor", "top"] = "floor"
    features: Sequence[str] = PLACEMENT_FEATURES
    afterstates: bool = False

    def __post_init__(self) -> None:
        _check_types(self)

    def _rewards(self) -> tuple[float, ...]:
        if self.reward is None:
            return REWARDS["lines"]
        if isinstance(self.reward, str) and self.reward in REWARDS:
            return REWARDS[self.reward]
        try:
            if isinstance(self.reward, (str, Mapping)):
                raise TypeError
            values = tuple(float(value) for value in self.reward)
        except (TypeError, ValueError):
            raise SettingError(f"reward {self.reward!r}: use lines, points, pieces or five numbers") from None
        if len(values) != 5:
            raise SettingError(f"reward: {len(values)} numbers: give five, for 0 to 4 rows removed")
        return values

    def status_bounds(self, shape: Mapping[str, int]) -> list[float]:
        """Returns the largest value of each number of the status, whose smallest values are 0."""
        return []

    def measured_rows(self, shape: Mapping[str, int]) -> int:
        """Returns the largest number of rows that features measure: a piece may lie above the board."""
        return shape["height"] + 4

    def games(self, num_envs: int, threads: int, autoreset: str) -> _tetrastat.Games:
        """Creates native games that are stepped together."""
        return _tetrastat.Games(self._native(num_envs=num_envs, threads=threads, autoreset=autoreset))

    def game(self) -> _tetrastat.SingleGame:
        """Creates one native game."""
        return _tetrastat.SingleGame(self._native(num_envs=1, threads=1, autoreset="Disabled"))

    def _native(self, **more: object) -> dict[str, object]:
        """Returns the options of native games: those of this class, and ``more``."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**given, "game": self._game, "reward": self._rewards(), "features": list(self.features), **more}


@dataclass(frozen=True, kw_only=True)
class Classic(Options):
    """Options of classic games.

    Parameters
    ----------
    board : str
        Columns x rows, 4 to 16 and 4 to 28, such as ``"10x20"``.
    measured : {"after-clear", "before-clear"}
        Board on which features are measured: after or before full rows are removed.
    """

    board: str = "10x20"
    measured: Literal["after-clear", "before-clear"] = "after-clear"


@dataclass(frozen=True, kw_only=True)
class Placement(Classic):
    """Options of classic games that are played by placements, besides those of `Classic` and `Options`.

    An action is ``orientation * width + column``: the piece's orientation (0 to 3, in the engine's order) and its leftmost
    column. The numbers of actions are the same for all pieces; the action mask shows the legal ones.

    Parameters
    ----------
    rules : {"simplified", "standard"}
        ``"simplified"``: any orientation and column, dropped from above. ``"standard"``: the piece spawns inside the rows
        in play and must be able to reach its placement.
    """

    _game: ClassVar[str] = "placements"

    rules: Literal["simplified", "standard"] = "simplified"


@dataclass(frozen=True, kw_only=True)
class Keys(Classic):
    """Options of classic games that are played by key presses, besides those of `Classic` and `Options`.

    The actions are 0 idle, 1 left, 2 right, 3 counter-clockwise, 4 clockwise, 5 drop. After every key the piece falls by
    one row. There are two planes: the settled cells, and the cells of the falling piece. The status holds the column and
    the row (0 at the floor) of the falling piece's anchor.

    Parameters
    ----------
    notebook : bool
        If True, the teaching notebook's own dealer deals the pieces, bit for bit, in place of ``queue``. The notebook's
        rewards are ``"lines"``.
    """

    _game: ClassVar[str] = "keys"

    features: Sequence[str] = BOARD_FEATURES
    notebook: bool = False

    def status_bounds(self, shape: Mapping[str, int]) -> list[float]:
        return [shape["width"] - 1, shape["height"] - 1]


@dataclass(frozen=True, kw_only=True)
class Guideline(Options):
    """Options of guideline games, besides those of `Options`.

    Guideline games have ten columns, seven-piece bags, a hold, previews, turns with kicks, and T-spins. Planes have 24
    rows, of which 20 are visible; with keys, a second plane shows the falling piece. The observed pieces are the current
    one, the held one, and the previews. The status holds the rows to clear (in a Sprint), the pieces left (0 without a
    limit), the combo (number of clears in a row), and back-to-back (0 or 1). The ``score`` of ``info`` includes the points
    of drops with the reward ``"points"`` and by keys. Otherwise it leaves them out, because the search for the inputs of a
    placement would take most of a step's time.

    Parameters
    ----------
    mode : {"sprint", "blitz", "endless"}
        ``"sprint"``: ``sprint_lines`` rows win the game. ``"blitz"``: the game is over after ``max_pieces``.
        ``"endless"``: the game is truncated after ``max_pieces``.
    sprint_lines : int
        Number of rows of a Sprint.
    max_pieces : int, optional
        Number of pieces of a Blitz or an endless game. Default: 360 in a Blitz (180 seconds at two pieces per second),
        otherwise no limit.
    actions : {"placements", "keys"}
        ``"placements"``: an action is an index among the placements that are legal now. Those of the current piece come
        first, then those of the hold's piece. ``"keys"``: an action is one of the inputs of
        ``tetrastat._tetrastat.GUIDELINE_KEYS`` (left, right, far left, far right, clockwise, counter-clockwise, half turn,
        sonic drop, soft drop, hard drop, hold). The piece does not fall by itself.
    slots : int
        Number of actions for ``"placements"``. Legal placements beyond this number are left out.
    rules : str
        ``"guideline"`` or ``"capstone"``, or the path of a TOML file with your own rules.
    kicks : {"srs", "srs+"}, optional
        Kicks that replace those of the rules.
    half_turns, hold : bool, optional
        True or False to allow or forbid half turns, or the hold. Default: as in the rules.
    movement : {"full", "hard-drop"}
        Placements that are legal: all that shifts, soft drops and turns can reach, or hard drops only.
    """

    _game: ClassVar[str] = "guideline"

    queue: str = "bag"
    previews: int | None = None
    reward: Literal["lines", "points", "pieces"] | Sequence[float] | None = None
    features: Sequence[str] = GUIDELINE_FEATURES
    mode: Literal["sprint", "blitz", "endless"] = "sprint"
    sprint_lines: int = 40
    max_pieces: int | None = None
    actions: Literal["placements", "keys"] = "placements"
    slots: int = 256
    rules: str = "guideline"
    kicks: Literal["srs", "srs+"] | None = None
    half_turns: bool | None = None
    hold: bool | None = None
    movement: Literal["full", "hard-drop"] = "full"

    def status_bounds(self, shape: Mapping[str, int]) -> list[float]:
        rows = self.sprint_lines if self.mode == "sprint" else 0
        pieces = 0 if self.mode == "sprint" else self._most_pieces()
        # A bound of 0 would make gymnasium warn of a space with a single value.
        return [max(rows, 1), 1 if pieces == MOST else max(pieces, 1), 255, 1]

    def measured_rows(self, shape: Mapping[str, int]) -> int:
        return 32

    def _most_pieces(self) -> int:
        if self.max_pieces is not None:
            return self.max_pieces
        return 360 if self.mode == "blitz" else MOST

    def _has_points(self) -> bool:
        if self.reward is None:
            return self.mode == "blitz"
        return isinstance(self.reward, str) and self.reward == "points"

    def __post_init__(self) -> None:
        _check_types(self)

    def _native(self, **more: object) -> dict[str, object]:
        if self.actions not in ("placements", "keys"):
            raise SettingError(f"actions {self.actions!r}: use placements or keys")
        slots = self.slots if self.actions == "placements" else None
        return super()._native(max_pieces=self._most_pieces(), points=self._has_points(), slots=slots, **more)
