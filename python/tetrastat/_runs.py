"""Runs, studies, comparisons and estimates: the engine's commands, called in this process.

Every function takes the options of its command as keyword arguments, with ``_`` for ``-``. It passes them to the
command itself, so that names, defaults, checks and output bytes are the same. ``tetrastat.options("simulate")`` lists
the options of a command.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _tetrastat as native
from ._folders import Answer, Comparison, Estimate, Folder, Run, Study, folder_for, opened
from ._players import GAMES_AT_ONCE, AnyController, Player, with_names
from ._progress import ProgressBar
from ._stream import without_files
from ._tetrastat import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .settings import CompareSettings, EstimateSettings, SimulateSettings

_log = logging.getLogger("tetrastat")

#: Options that only the command line has: functions return objects instead of printing.
_COMMAND_LINE = ("format", "sample", "dry_run", "list", "new", "help", "version")

#: Descriptions of a command's options. Reading them takes some milliseconds.
described = cache(native.command_options)


def options(command: str) -> dict[str, str]:
    """Returns the options that a command takes as keyword arguments.

    Parameters
    ----------
    command : str
        ``"simulate"``, ``"study"``, ``"compare"``, ``"estimate"``, or another command of the engine.

    Returns
    -------
    dict of str to str
        Description of each option, with its default, by name.

    Raises
    ------
    TypeError
        If there is no such command.

    Examples
    --------
    >>> import tetrastat
    >>> tetrastat.options("simulate")["games"]
    'Number of games (in LIAP: matches) [default: 8]'
    """
    return {entry["name"]: entry["help"] for entry in described(command) if not is_printing(command, entry)}


def is_printing(command: str, entry: Mapping[str, Any]) -> bool:
    """Returns true if an option controls what is printed. Functions lack it, because they return objects."""
    name = entry["name"]
    is_of_logs = name == "format" and "json" not in entry["choices"]
    return name in _COMMAND_LINE and not is_of_logs


def run_command(command: str, settings: Mapping[str, Any], progress: bool) -> Any:
    """Runs a command, and returns the objects of its JSON, or its text if it prints no JSON."""
    return _call(command, settings, progress=progress).result


def run_writer(command: str, settings: Mapping[str, Any], output: str, progress: bool) -> Folder | Path:
    """Runs a command that writes to the option ``output``, and returns the folder or the path of the file that it wrote."""
    path, keeper = folder_for(settings[output])
    printed = _call(command, {**settings, output: path}, progress=progress).result
    return opened(path, None if isinstance(printed, str) else printed, keeper)


def _call(
    command: str,
    settings: Mapping[str, Any],
    *,
    text: str = "",
    progress: bool = False,
    kept: dict[str, Table] | None = None,
    players: Sequence[Player] = (),
) -> Answer:
    """Runs a command.

    Logs become values of ``kept``, by name, instead of files if it is given. ``text`` may name the ``players``.
    """
    choices = _choices(command)
    for name in settings:
        is_printed = is_printing(command, {"name": name, "choices": choices.get(name, [])})
        if is_printed and settings[name] is not None:
            raise TypeError(f"{command}: only the command line has the option {name}: leave it out")
    given, players = plain_settings(command, settings, players)
    # A run that resumes keeps its own options.
    if "json" in choices.get("format", []) and not given.get("resume"):
        given["format"] = "json"
    with ProgressBar(progress) as bar:
        printed, table, report, reached, messages = native.call_command(command, given, text, bar.callback, kept, players)
    for line in messages:
        _log.warning(line)
    result = json.loads(printed) if printed.startswith(("{", "[")) else printed
    return Answer(result, table, report, reached)


def _choices(command: str) -> dict[str, list[str]]:
    """Returns the texts that each option of a command accepts."""
    return {entry["name"]: entry["choices"] for entry in described(command)}


def plain_settings(
    command: str, settings: Mapping[str, Any], players: Sequence[Player] = ()
) -> tuple[dict[str, Any], list[Player]]:
    """Returns settings in the form of the command line, and the players that they name, besides ``players``."""
    named, found = with_names(settings)
    given = {name: _plain(name, value) for name, value in named.items()}
    players = [*players, *found]
    if players and given.get("resume"):
        # The run recorded the name of its player.
        given.pop("controller", None)
    elif players and "threads" in _choices(command) and given.get("threads") is None:
        given["threads"] = GAMES_AT_ONCE
    return given, players


def _plain(name: str, value: Any) -> Any:
    """Converts a value to the form of the command line."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if name == "board" and isinstance(value, (tuple, list)) and len(value) == 2:
        return f"{value[0]}x{value[1]}"
    return value


def simulate(
    controller: AnyController | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Unpack[SimulateSettings],
) -> Run:
    """Plays games of one controller and logs them.

    Without options that describe games or logs, the function plays the demonstration: 200 games of ``bcts`` on 10x10.

    Parameters
    ----------
    controller : str, path, Player or callable, optional
        Name of a preset, a TOML file, or a function that gives values to boards (`Player`). In LIAP the declarer of all seats, or one for each seat, joined by commas.
    out : path, optional
        New folder, or the folder of the same run, which then resumes. Default: a temporary folder, which is removed
        with the last object that reads it.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat simulate`` with ``_`` for ``-``: ``games``, ``board``, ``rules``, ``search``, ``queue``,
        ``seed``, ``threads``, ``simd``, ``placements``, ``candidates``, ``columns``, ``max_pieces``, ...
        ``options("simulate")`` describes all of them. The value ``"none"`` removes a limit. The default format of
        ``placements`` is ``"parquet"`` where the command's is ``csv``. With ``placements="memory"`` the logs are
        tables in memory and are not written.

    Returns
    -------
    Run
        Folder of the run, with its tables and its summary.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the run cannot be played, with the engine's message.
    KeyboardInterrupt
        After Ctrl-C. Complete results stay in ``out``, and the same call resumes the run.

    Examples
    --------
    >>> import tetrastat
    >>> run = tetrastat.simulate("dt20", board="10x10", games=3, seed=7, max_pieces="none", placements="none")
    >>> run.games.to_pyarrow().num_rows
    3
    """
    folder, keeper = folder_for(settings.get("resume") if out is None else out)
    given = {"controller": controller, **settings}
    if settings.get("resume") is None:
        given["out"] = folder
    kept: dict[str, Table] | None = None
    if settings.get("placements") == "memory":
        given, kept = without_files(given, out), {}
    _call("simulate", given, progress=progress, kept=kept)
    return Run(folder, keeper=keeper, logs=kept)


def study(
    conditions: Mapping[str, Any] | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    quick: bool = False,
    progress: bool = False,
) -> Study:
    """Plays several conditions on common seeds and collects their results.

    Parameters
    ----------
    conditions : mapping or path
        The study's TOML file, ``"reproduce:NAME"`` for a bundled study of published results, or the content of
        a file as a dictionary. It holds options of `simulate` for all
        conditions; axes, which are lists under plural names (``controllers``, ``rules``, ``boards``, ``queues``,
        ``searches``, ``players``, ``seeds``); and ``condition``, a list of single conditions. Paths in a dictionary are
        relative to the working directory. A controller in a dictionary may be a `Player` or a function.
    out : path, optional
        New folder, or the folder of the same study, which then resumes. Default: a temporary folder, which is removed
        with the last object that reads it.
    threads : int, optional
        Number of worker threads. It overrides the file.
    quick : bool
        Replace each setting by that with the prefix ``quick_``, for fewer and shorter games.
    progress : bool
        Show a progress bar if tqdm is installed.

    Returns
    -------
    Study
        Folder of the study, with the runs and tables of all conditions. Errors are those of `simulate`.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.study({"controllers": ["bcts", "dt20"], "board": "8x10", "games": 4, "max_pieces": 500})
    >>> found.conditions.to_pyarrow()["controller"].to_pylist()
    ['bcts', 'dt20']
    """
    folder, keeper = folder_for(out)
    if isinstance(conditions, Mapping):
        named, players = with_names(conditions)
        file, text = "-", native.study_text(_plainly(named))
        if "threads" in conditions and threads is None:
            threads = conditions["threads"]
    else:
        file, text, players = os.fspath(conditions), "", []
    given = {"file": file, "out": folder, "threads": threads, "quick": quick}
    try:
        summary = _call("study", given, text=text, progress=progress, players=players).result
    except native.TetrastatError as error:
        # The command reads the dictionary from standard input, so errors must not name that input.
        raise type(error)(str(error).replace("standard input", "the study")) from None
    return Study(folder, summary, keeper=keeper)


def _plainly(conditions: Mapping[str, Any]) -> dict[str, Any]:
    def value(name: str, given: Any) -> Any:
        if isinstance(given, Mapping):
            return _plainly(given)
        if isinstance(given, (list, tuple)) and name != "board":
            return [value(name.removesuffix("s"), one) for one in given]
        return _plain(name, given)

    return {name: value(name, given) for name, given in conditions.items()}


def compare(
    controllers: Iterable[AnyController] | AnyController | None = None,
    *,
    from_: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Compares controllers on common seeds by ranks, confidence intervals, paired tests and verdicts.

    Parameters
    ----------
    controllers : iterable of str, path, Player or callable, optional
        Two or more presets, TOML files or functions that give values to boards (`Player`). Options of a single one follow a colon: ``"bcts:search=next"``.
    from_ : path, optional
        Folder of a finished study or comparison to compare, in place of ``controllers``, or several folders of runs,
        studies and estimates.
    out, progress
        As for `simulate`.
    **settings
        Options of ``tetrastat compare`` with ``_`` for ``-``: ``games``, ``until_halfwidth``, ``until_verdict``,
        ``margin``, ``measure``, ``board``, ``rules``, ... With ``from_``, ``contrast=["search:board"]`` gives ratios of
        ratios of means in place of all pairs.

    Returns
    -------
    Comparison
        Folder of the comparison, with its estimates and its summary. Errors are those of `simulate`.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.compare(["bcts", "dt20"], board="8x10", games=8, max_pieces=500)
    >>> found.estimates.to_pyarrow().slice(0, 2)["estimate"].to_pylist()
    ['mean', 'mean']
    """
    if from_ is None:
        folder, keeper = folder_for(out)
        place: dict[str, Any] = {"out": folder}
    else:
        folders = [from_] if isinstance(from_, (str, os.PathLike)) else list(from_)
        folder, keeper = os.fspath(folders[0]), None
        place = {"from": [os.fspath(one) for one in folders]}
    if controllers is None or isinstance(controllers, (str, os.PathLike, Player)) or callable(controllers):
        players = None if controllers is None else [controllers]
    else:
        players = list(controllers)
    given = {"controllers": players, **place, **settings}
    return Comparison(folder, _call("compare", given, progress=progress), keeper=keeper)


def estimate(
    controller: AnyController | None = None,
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool = False,
    **settings: Unpack[EstimateSettings],
) -> Estimate:
    """Estimates the mean lines of games that are too long to play, with a confidence interval.

    Parameters
    ----------
    controller : str, path, Player or callable, optional
        Name of a preset, a TOML file, or a function that gives values to boards (`Player`).
    out, progress
        As for `simulate`.
    **settings
        Options of ``tetrastat estimate`` with ``_`` for ``-``: ``budget``, ``until_halfwidth``, ``method``, ``board``,
        ...

    Returns
    -------
    Estimate
        Folder of the estimate, with its tables and its summary. Errors are those of `simulate`.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.estimate("dt20", board="8x10", budget=30_000, pieces=5_000, burn_in=500, pilot_pieces=5_000)
    >>> found.summary["config"]["board"]
    '8x10'
    """
    folder, keeper = folder_for(out)
    given = {"controller": controller, "out": folder, **settings}
    reached = _call("estimate", given, progress=progress).reached
    return Estimate(folder, reached=reached, keeper=keeper)
