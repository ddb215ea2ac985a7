"""Command ``python -m tetrastat.cluster COMMAND [WORDS] [--option value]``: runs a command of tetrastat on a cluster."""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import sys
from typing import Any

from .. import SettingError, TetrastatError
from . import compare, estimate, simulate, study, train

COMMANDS = ("train", "simulate", "study", "compare", "estimate")
#: Maximum number of arguments without an option name; None if there is no maximum.
PLACES = {"train": 1, "simulate": 1, "study": 1, "compare": None, "estimate": 1}
HELP = """A command has the same options as in tetrastat (see tetrastat COMMAND --help). Examples: train cem --board 10x10
--out DIR, simulate bcts --games 1k --out DIR, study FILE --out DIR, compare bcts dt20 --games 9 --out DIR. Arguments without
an option name come first. Progress is written to stderr. The same command resumes work that was killed or interrupted."""


def main(words: list[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tetrastat.cluster", epilog=HELP, allow_abbrev=False)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--address", default="auto", help="Ray's address: auto, local, or ray://HOST:PORT [default: auto]")
    seconds = "approximate length of a task of train or simulate, in seconds [default: 1 for train, 30 for simulate]"
    parser.add_argument("--task-seconds", type=float, help=seconds)
    games = "number of games in a task of simulate [default: chosen so that a task takes about --task-seconds]"
    parser.add_argument("--games-per-task", type=int, help=games)
    parser.add_argument("--no-parts", action="store_true", help="simulate: join Parquet logs into one file")
    retries = "maximum number of times that a task is restarted after its worker or node was lost [default: 3]"
    parser.add_argument("--max-retries", type=int, default=3, help=retries)
    parser.add_argument("--progress", action="store_true", help="simulate: show a progress bar if tqdm is installed")
    given, rest = parser.parse_known_args(words)
    log = logging.getLogger("tetrastat")
    if not log.handlers:
        log.addHandler(logging.StreamHandler(sys.stderr))
        log.setLevel(logging.INFO)
    out = sys.stdout
    try:
        # Ray prints messages of its nodes to stdout at any time, but only the result belongs there.
        with contextlib.redirect_stdout(sys.stderr):
            result = _run(given, *_settings(rest))
            print(result if isinstance(result, str) else json.dumps(result, indent=2), file=out, flush=True)
    except KeyboardInterrupt:
        print("interrupted: the same command resumes it", file=sys.stderr)
        return 130
    except Exception as error:  # every error of Ray or the system is reported as one line
        cause = getattr(error, "cause", None)
        _eprint_line(cause if isinstance(cause, BaseException) else error)
        return 2
    return 0


def _eprint_line(error: BaseException) -> None:
    """Writes an error as one line to stderr."""
    lines = str(error).strip().splitlines() or [""]
    of_user = isinstance(error, (TetrastatError, TypeError, ValueError, OSError))
    kind = "" if of_user and lines[0] else f"{type(error).__name__}: "
    print(f"tetrastat.cluster: {kind}{lines[0]}", file=sys.stderr)


def _run(given: argparse.Namespace, places: list[str], settings: dict[str, Any]) -> Any:
    command: str = given.command
    most = PLACES[command]
    if most is not None and len(places) > most:
        raise SettingError(f"{command} takes at most {most} word without an option, not {' '.join(places)}")
    if command == "study" and not places:
        raise SettingError("study: name its file, as in `study pilot.toml --out pilot`")
    if command != "train" and not isinstance(settings.get("out"), str):
        raise SettingError(f"{command}: give --out DIR, the folder for its results")
    settings |= {"address": given.address, "max_retries": given.max_retries}
    match command:
        case "train":
            return train(*places, task_seconds=given.task_seconds or 1.0, **settings)
        case "simulate":
            settings |= {"games_per_task": given.games_per_task, "parts": not given.no_parts, "progress": given.progress}
            run = simulate(*places, task_seconds=given.task_seconds or 30.0, **settings)
            return run.url or str(run.path)
        case "study":
            return study(*places, **settings)
        case "compare":
            return compare(places, **settings)
        case _:
            return estimate(*places, **settings)


def _settings(words: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Splits words into arguments without an option name, and options. An option without a value is True."""
    places: list[str] = []
    settings: dict[str, Any] = {}
    name = None
    for word in words:
        if word.startswith("--"):
            option, _, value = word[2:].partition("=")
            name = option.replace("-", "_")
            settings[name] = value or True
            name = None if value else name
        elif name is not None:
            settings[name], name = word, None
        else:
            places.append(word)
    return places, settings


if __name__ == "__main__":
    code: int = main()
    sys.stdout = sys.stderr
    sys.exit(code)
