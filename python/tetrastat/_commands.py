"""Functions of commands, made from the engine's description of its commands. `stubs.py` shows them to editors and type checkers."""

from __future__ import annotations

import keyword
import re
import textwrap
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from . import _tetrastat as native
from ._runs import described, is_printing, run_command, run_writer

#: Commands with a function of their own in the package.
OWN_FUNCTIONS = ("simulate", "study", "compare", "estimate", "train")
#: Commands that talk to a person or a program, or serve a shell.
INTERACTIVE = ("play", "tbp", "watch", "completions", "man")
#: Option that names what a command writes, if its function returns that.
_OUTPUTS = {"data convert": "to"} | dict.fromkeys(("annotate", "data merge", "data set", "label"), "out")
#: Types of values by the engine's kind of option.
_TYPES = {"flag": "bool", "optional": "bool | str", "whole": "int | str", "path": "str | PathLike[str]", "text": "str"}
_RAISES = """
Raises
------
TypeError
    If there is no such option.
SettingError
    If an option has an invalid value. It is a `ValueError`, too.
TetrastatError
    If the command fails, with the engine's message.
"""


def options_of(command: str) -> list[dict[str, Any]]:
    """Returns the options that a function has: all except those for printing."""
    return [entry for entry in described(command) if not is_printing(command, entry)]


def python_name(entry: dict[str, Any]) -> str:
    """Returns the name of an option's argument: that of the option, with ``_`` after a keyword of Python."""
    return str(entry["name"]) + "_" * keyword.iskeyword(entry["name"])


def python_type(entry: dict[str, Any]) -> str:
    """Returns the type of an option's value."""
    name, choices = entry["name"], entry["choices"]
    kind = _TYPES.get(entry["kind"], "float | str")
    if choices and entry["kind"] != "optional":
        kind = "bool" if set(choices) == {"true", "false"} else "Literal[" + ", ".join(f'"{one}"' for one in choices) + "]"
    if name in ("controller", "rules", "script", "start"):
        kind = "AnyController" if name == "controller" and not entry["is_list"] else _TYPES["path"]
    elif name == "board":
        kind = "str | tuple[int, int]"
    return f"{kind} | Sequence[{kind}]" if entry["is_list"] else kind


def type_name(command: str) -> str:
    """Returns the name of the type of a command's options."""
    return command.replace("-", " ").title().replace(" ", "") + "Settings"


def sentence(entry: dict[str, Any]) -> str:
    """Returns the description of an option as sentences that end with a full stop."""
    text, default = re.fullmatch(r"(.*?)\.?(?: \[default: (.*)\])?", " ".join(entry["help"].split())).groups()  # type: ignore[union-attr]
    return f"{text}." + (f" Default: {default}." if default else "")


def arguments(command: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Returns the options that a command's function takes by place, by name, and as ``**settings``."""
    entries = options_of(command)
    places = [one for one in entries if one["is_positional"] or one["name"] == "from"]
    places = places or [one for one in entries if one["name"] == "controller"]
    named = [one for one in entries if one not in places and (one["is_required"] or one["name"] == _OUTPUTS.get(command))]
    return places, named, [one for one in entries if one not in places and one not in named]


def _documentation(command: str, about: str) -> str:
    places, named, rest = arguments(command)
    verb, _, about = about.rstrip(".").partition(" ")
    summary, _, more = f"{verb}{'es' if verb.endswith(('ch', 'sh', 's', 'x')) else 's'} {about}.".partition(". ")
    lines = [summary.rstrip(".") + ".", "", *([more, ""] if more else []), "Parameters", "----------"]
    for one in (*places, *named):
        kind = "path" if one["kind"] == "path" else python_type(one).split(" | ")[0]
        kind = "str, path, Player or callable" if kind == "AnyController" else kind
        kind += f" or sequence of {kind}" * one["is_list"] + ", optional" * (not one["is_required"])
        lines += [f"{python_name(one)} : {kind}", "    " + sentence(one)]
    lines += ["progress : bool", "    Show a progress bar if tqdm is installed."]
    if rest:
        lines += ["**settings", f"    Options of ``tetrastat {command}`` with ``_`` for ``-``:", ""]
        lines += [f"    - ``{python_name(one)}``: {sentence(one)}" for one in rest]
    result = "str\n    Text that the command prints."
    if any(one["name"] == "format" and "json" in one["choices"] for one in described(command)):
        result = "dict or list\n    What ``--format json`` prints."
    if command in _OUTPUTS:
        result = "Folder or pathlib.Path\n    The folder that the command wrote, or the path of the file."
    return "\n".join(map(_wrapped, lines)) + f"\n\nReturns\n-------\n{result}\n{_RAISES}"


def _wrapped(line: str) -> str:
    further = " " * (len(line) - len(line.lstrip(" -")))
    return textwrap.fill(line, 114, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def _parameter(entry: dict[str, Any], kind: Any) -> Parameter:
    optional: dict[str, Any] = {} if entry["is_required"] else {"default": None}
    return Parameter(python_name(entry), kind, annotation=python_type(entry) + " | None" * len(optional), **optional)


def _function(command: str, about: str) -> Callable[..., Any]:
    places, named, rest = arguments(command)
    parameters = [_parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in places]
    parameters += [_parameter(one, Parameter.KEYWORD_ONLY) for one in named]
    parameters.append(Parameter("progress", Parameter.KEYWORD_ONLY, default=False, annotation="bool"))
    if rest:
        parameters.append(Parameter("settings", Parameter.VAR_KEYWORD, annotation=f"Unpack[{type_name(command)}]"))
    output = _OUTPUTS.get(command)
    signature = Signature(parameters, return_annotation="Folder | Path" if output else "Any")

    def function(*values: Any, **settings: Any) -> Any:
        bound = signature.bind(*values, **settings)
        bound.apply_defaults()
        given = bound.arguments
        progress = given.pop("progress")
        given |= given.pop("settings", {})
        plain = {name.removesuffix("_"): value for name, value in given.items()}
        return run_writer(command, plain, output, progress) if output else run_command(command, plain, progress)

    function.__module__ = "tetrastat.commands"
    function.__name__ = function.__qualname__ = command.replace(" ", "_").replace("-", "_")
    function.__doc__ = _documentation(command, about)
    function.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": signature.return_annotation}
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


#: Functions of all commands, by name.
FUNCTIONS = {
    one.__name__: one for one in (_function(*told) for told in native.command_names() if told[0] not in (*OWN_FUNCTIONS, *INTERACTIVE))
}
