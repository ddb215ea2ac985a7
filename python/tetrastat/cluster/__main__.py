"""``python -m tetrastat.cluster COMMAND [WORDS] [--option value]``: a command of tetrastat, played on a cluster."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from .. import TetrastatError
from . import compare, estimate, simulate, study, train

COMMANDS = ("train", "simulate", "study", "compare", "estimate")
HELP = """Options of the command itself are those of tetrastat (see tetrastat COMMAND --help) and stand behind it, words
without an option first: train cem --board 10x10 --out DIR, study FILE --out DIR, compare bcts dt20 --games 9 --out DIR.
The same command again goes on with what was killed or interrupted."""


def main(words: list[str] | None = None) -> int:
    """Runs the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tetrastat.cluster", epilog=HELP, allow_abbrev=False)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--address", default="auto", help="Ray's address: auto, local, or ray://HOST:PORT [auto]")
    parser.add_argument("--task-seconds", type=float, default=1.0, help="length of a task of train [1.0]")
    parser.add_argument("--shards", type=int, help="tasks of simulate [three for each core]")
    given, rest = parser.parse_known_args(words)
    try:
        result = _run(given, *_settings(rest))
    except (TetrastatError, TypeError, OSError) as error:
        print(f"tetrastat.cluster: {getattr(error, 'cause', error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: the same command goes on", file=sys.stderr)
        return 130
    print(result if isinstance(result, str) else json.dumps(result, indent=2))
    return 0


def _run(given: argparse.Namespace, places: list[str], settings: dict[str, Any]) -> Any:
    settings["address"] = given.address
    match given.command:
        case "train":
            return train(*places, task_seconds=given.task_seconds, **settings)
        case "simulate":
            return str(simulate(*places, shards=given.shards, **settings))
        case "study":
            return study(*places, **settings)
        case "compare":
            return compare(places, **settings)
        case _:
            return estimate(*places, **settings)


def _settings(words: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Words without an option, and options with their values; one without a value is True."""
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
    sys.exit(main())
