"""What environments can be asked for, with defaults, and the native games made of it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from .. import _tetrastat
from .._tetrastat import SettingError

#: Features that are measured unless others are named: Dellacherie's, without those of the move.
BOARD_FEATURES = ("row_transitions", "column_transitions", "holes", "wells")
#: Dellacherie's six: what a placement does, and the board it leads to.
PLACEMENT_FEATURES = ("landing_height", "eroded_cells", *BOARD_FEATURES)
#: Terms of guideline games that are measured unless others are named.
GUIDELINE_FEATURES = ("aggregate_height", "holes", "bumpiness", "rows_removed")

#: Rewards by rows removed, 0 to 4.
REWARDS = {
    "lines": (0.0, 1.0, 2.0, 3.0, 4.0),
    "points": (0.0, 40.0, 100.0, 300.0, 1200.0),
    "pieces": (1.0, 1.0, 1.0, 1.0, 1.0),
}


#: Largest whole number of an option.
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
    """Check that the fields of an options class have values of their types, and convert names and counts in place."""
    for field in fields(options):
        value = getattr(options, field.name)
        if value is None or field.name == "reward":
            continue
        if field.name == "features":
            names = value.split(",") if isinstance(value, str) else value
            object.__setattr__(options, "features", tuple(names))
        elif field.type.startswith("str") and not isinstance(value, str):
            raise SettingError(f"{field.name}: give text, not {value!r}")
        elif field.type.startswith("int"):
            object.__setattr__(options, field.name, count_of(field.name, value))


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of all environments.

    Parameters
    ----------
    queue : str
        Who deals: ``"uniform"``, ``"bag"``, ``"least-dealt"``, ``"sz"`` or ``"sz-random"``.
    script : str, optional
        Deal these pieces (letters of ``IOTSZJL``) instead. At its end a game is cut off (truncated) ...
    cycle : bool
        ... or, with ``cycle``, the script begins again.
    previews : int, optional
        Pieces seen beyond the current one, 0 to 15; of guideline games by default those of the rules.
    reward : str or sequence of five floats
        What a placement earns: ``"lines"`` (rows removed), ``"points"`` (40, 100, 300, 1200 for 1 to 4 rows; in
        guideline games the game's points), ``"pieces"`` (1 each), or five numbers, for 0 to 4 rows removed.
    lost : float
        Added to the reward when the game is lost.
    max_steps : int, optional
        Steps after which a game is cut off (truncated). Without it a good agent may play for ever.
    illegal : str
        What an illegal action does: ``"ignore"`` (nothing, but the step counts), ``"end"`` (it terminates the game) or
        ``"raise"`` (`ValueError`).
    illegal_reward : float
        Reward of an illegal action.
    observation : str
        ``"planes"``: a dictionary of ``board`` (uint8, planes x height x width, 0 or 1; see ``row_order``), ``pieces``
        (uint8; 0 to 6 for I O T S Z J L, 7 for none) and, where there are any, ``status`` (float32).
        ``"features"``: one float32 vector of the features of the last placement and the board it led to (whole units; those
        of a move are 0 before the first), the pieces one-hot (7 each), and the status.
        ``"afterstates"``: float32, actions x features: those of every action's placement and the board it leads to;
        zeros where an action is illegal.
    row_order : str
        Which row of ``board`` comes first, and of a start board that is given as an array: ``"floor"``, as in every other
        array of this package, or ``"top"``, as in a picture.
    features : sequence of str
        Their names (``tetrastat features`` lists them).
    afterstates : bool
        Adds ``info["afterstates"]``, whatever the observation is.
    """

    queue: str = "uniform"
    script: str | None = None
    cycle: bool = False
    previews: int | None = 0
    reward: str | Sequence[float] | None = "lines"
    lost: float = 0.0
    max_steps: int | None = None
    illegal: str = "ignore"
    illegal_reward: float = 0.0
    observation: str = "planes"
    row_order: str = "floor"
    features: Sequence[str] = PLACEMENT_FEATURES
    afterstates: bool = False

    def __post_init__(self) -> None:
        _check_types(self)

    def _rewards(self) -> tuple[float, ...]:
        if self.reward is None:
            return REWARDS["lines"]
        if not isinstance(self.reward, str):
            values = tuple(float(value) for value in self.reward)
            if len(values) != 5:
                raise SettingError(f"reward: {len(values)} numbers: give five, for 0 to 4 rows removed")
            return values
        if self.reward not in REWARDS:
            raise SettingError(f"reward {self.reward!r}: use lines, points, pieces or five numbers")
        return REWARDS[self.reward]

    def _shared(self, num_envs: int, threads: int, autoreset: str) -> dict[str, object]:
        return {
            "num_envs": num_envs,
            "threads": threads,
            "autoreset": autoreset,
            "queue": self.queue,
            "script": self.script,
            "cycle": self.cycle,
            "previews": self.previews,
            "reward": self._rewards(),
            "lost": self.lost,
            "max_steps": self.max_steps,
            "illegal": self.illegal,
            "illegal_reward": self.illegal_reward,
            "observation": self.observation,
            "row_order": self.row_order,
            "features": list(self.features),
            "afterstates": self.afterstates,
        }

    def games(self, num_envs: int, threads: int, autoreset: str) -> _tetrastat.Games:
        """The native games."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Classic(Options):
    """Options of classic games.

    Parameters
    ----------
    board : str
        Width x height: 4 to 16 columns, 4 to 28 rows.
    measured : str
        Features are measured ``"after-clear"`` (full rows removed) or ``"before-clear"``.
    """

    board: str = "10x20"
    measured: str = "after-clear"

    def _classic(self) -> dict[str, object]:
        return {"board": self.board, "measured": self.measured}


@dataclass(frozen=True, kw_only=True)
class Placement(Classic):
    """Classic games placement by placement.

    An action is ``orientation * width + column``: the piece's orientation (0 to 3, in the engine's order) and its leftmost
    column. Its number does not change with the piece; the mask says which are legal.

    Parameters
    ----------
    rules : str
        ``"simplified"`` (any orientation and column, dropped from above) or ``"standard"`` (the piece spawns inside the
        rows in play and must get there).
    """

    rules: str = "simplified"

    def games(self, num_envs: int, threads: int, autoreset: str) -> _tetrastat.Games:
        shared = self._shared(num_envs, threads, autoreset)
        return _tetrastat.Games.placing(shared, self._classic(), self.rules)


@dataclass(frozen=True, kw_only=True)
class Keys(Classic):
    """The game key press by key press: 0 idle, 1 left, 2 right, 3 counter-clockwise, 4 clockwise, 5 drop.

    After every key the piece falls by one row. Planes: settled cells, cells of the piece that falls. Status: column and row
    (0 at the floor) of its anchor.

    Parameters
    ----------
    notebook : bool
        The teaching notebook's own dealer, bit for bit, in place of ``queue``; its rewards are ``"lines"``.
    """

    features: Sequence[str] = BOARD_FEATURES
    notebook: bool = False

    def games(self, num_envs: int, threads: int, autoreset: str) -> _tetrastat.Games:
        shared = self._shared(num_envs, threads, autoreset)
        return _tetrastat.Games.keys(shared, self._classic(), self.notebook)


@dataclass(frozen=True, kw_only=True)
class Guideline(Options):
    """Guideline games: ten columns, seven-piece bags, hold, previews, turns with kicks, T-spins.

    Planes have 24 rows, of which 20 are in view; with keys a second one shows the piece that falls. Pieces: the current one,
    the hold, the previews. Status: rows to clear (Sprint), pieces left (0 without a limit), clears in a row, back-to-back.

    Parameters
    ----------
    mode : str
        ``"sprint"`` (won by ``sprint_lines`` rows), ``"blitz"`` (``max_pieces``, by which it is over) or ``"endless"``
        (cut off by ``max_pieces``).
    sprint_lines : int
        Rows of a Sprint.
    max_pieces : int, optional
        Pieces of a Blitz (360 unless given: 180 seconds of two pieces a second) or of an endless game.
    actions : str
        ``"placements"``: an action is an index among the placements that are legal now, those of the current piece first,
        then those of the hold's. ``"keys"``: the inputs of ``tetrastat._tetrastat.GUIDELINE_KEYS`` (left, right, far left, far right,
        clockwise, counter-clockwise, half turn, sonic drop, soft drop, hard drop, hold); nothing falls by itself.
    slots : int
        Actions of ``"placements"``; legal ones beyond are left out.
    rules : str
        ``"guideline"`` or ``"capstone"``, or the path of a TOML file with rules of your own.
    kicks : str, optional
        ``"srs"`` or ``"srs+"`` in place of what the rules have.
    half_turns, hold : bool, optional
        Whether there are half turns, and a hold, in place of what the rules have.
    movement : str
        ``"full"`` (all that shifts, soft drops and turns reach) or ``"hard-drop"``.
    drop_points : bool
        Whether points have those of drops. Placements then look for their shortest inputs, which takes most of a step.
    """

    queue: str = "bag"
    previews: int | None = None
    reward: str | Sequence[float] | None = None
    features: Sequence[str] = GUIDELINE_FEATURES
    mode: str = "sprint"
    sprint_lines: int = 40
    max_pieces: int | None = None
    actions: str = "placements"
    slots: int = 256
    rules: str = "guideline"
    kicks: str | None = None
    half_turns: bool | None = None
    hold: bool | None = None
    movement: str = "full"
    drop_points: bool = True

    def _has_points(self) -> bool:
        if self.reward is None:
            return self.mode == "blitz"
        return isinstance(self.reward, str) and self.reward == "points"

    def __post_init__(self) -> None:
        _check_types(self)

    def games(self, num_envs: int, threads: int, autoreset: str) -> _tetrastat.Games:
        if self.actions not in ("placements", "keys"):
            raise SettingError(f"actions {self.actions!r}: use placements or keys")
        most = 360 if self.mode == "blitz" else 2**32 - 1
        guideline: dict[str, object] = {
            "rules": self.rules,
            "kicks": self.kicks,
            "half_turns": self.half_turns,
            "hold": self.hold,
            "movement": self.movement,
            "mode": self.mode,
            "sprint_lines": self.sprint_lines,
            "max_pieces": most if self.max_pieces is None else self.max_pieces,
            "points": self._has_points(),
            "drop_points": self.drop_points,
            "slots": self.slots if self.actions == "placements" else None,
        }
        shared = self._shared(num_envs, threads, autoreset)
        return _tetrastat.Games.stacking(shared, guideline)
