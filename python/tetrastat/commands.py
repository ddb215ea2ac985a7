"""Commands of the engine as functions, besides those with a function in `tetrastat`.

Every function takes the options of its command and returns what the command prints with ``--format json``, as
Python objects; the printed text if the command has no such format; or the folder or table that it writes.
"""

# The import makes the functions from the engine's description of its commands. The build shows them to editors and
# type checkers: `stubs.py` writes commands.pyi.

from __future__ import annotations

import keyword
import textwrap
from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from . import _tetrastat as native
from ._runs import described, is_printing, run_command, run_writer

#: Commands with a function of their own in the package.
OWN_FUNCTIONS = ("simulate", "study", "compare", "estimate", "reproduce", "train")
#: Commands that talk to a person or a program, or serve a shell.
INTERACTIVE = ("play", "tbp", "watch", "completions", "man")
#: Option that names what a command writes, if its function returns that.
_OUTPUTS = {"data convert": "to"} | dict.fromkeys(("annotate", "data merge", "data set", "label", "liap simulate"), "out")
#: Types of values by the engine's kind of option.
_TYPES = {"flag": "bool", "optional": "bool | str", "whole": "int | str", "path": "str | PathLike[str]", "text": "str"}
_END = """
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
    name: str = entry["name"]
    return name + "_" * keyword.iskeyword(name)


def python_type(entry: dict[str, Any]) -> str:
    """Returns the type of an option's value."""
    name, choices = entry["name"], ", ".join(f'"{choice}"' for choice in entry["choices"])
    kind = _TYPES.get(entry["kind"], "float | str")
    if set(entry["choices"]) == {"true", "false"}:
        return "bool"
    if choices and entry["kind"] != "optional":
        kind = f"Literal[{choices}]"
    if name in ("controller", "rules", "script", "start"):
        kind = "AnyController" if name == "controller" and not entry["is_list"] else _TYPES["path"]
    elif name == "board":
        kind = "str | tuple[int, int]"
    return f"{kind} | Sequence[{kind}]" if entry["is_list"] else kind


def sentence(entry: dict[str, Any]) -> str:
    """Returns the description of an option as sentences that end with a full stop."""
    text, _, default = " ".join(entry["help"].split()).removesuffix("]").partition(" [default: ")
    return text.rstrip(".") + "." + (f" Default: {default}." if default else "")


def arguments(command: str) -> tuple[list[Parameter], list[dict[str, Any]]]:
    """Returns the parameters of a command's function, and the options that it takes as ``**settings``."""
    entries, output = options_of(command), _OUTPUTS.get(command)
    places = [one for one in entries if one["is_positional"] or one["name"] == "from"]
    places = places or [one for one in entries if one["name"] == "controller"]
    named = [one for one in entries if one not in places and (one["is_required"] or one["name"] == output)]

    def parameter(entry: dict[str, Any], kind: Any) -> Parameter:
        needed, annotation = entry["is_required"], python_type(entry)
        default, annotation = (Parameter.empty, annotation) if needed else (None, f"{annotation} | None")
        return Parameter(python_name(entry), kind, default=default, annotation=annotation)

    parameters = [parameter(one, Parameter.POSITIONAL_OR_KEYWORD) for one in places]
    parameters += [parameter(one, Parameter.KEYWORD_ONLY) for one in named]
    parameters.append(Parameter("progress", Parameter.KEYWORD_ONLY, default=False, annotation="bool"))
    rest = [one for one in entries if one not in places and one not in named]
    if rest:
        kind = f"Unpack[{type_name(command)}]"
        parameters.append(Parameter("settings", Parameter.VAR_KEYWORD, annotation=kind))
    return parameters, rest


def type_name(command: str) -> str:
    """Returns the name of the type of a command's options."""
    return command.replace("-", " ").title().replace(" ", "") + "Settings"


def _documentation(command: str, about: str, parameters: list[Parameter], rest: list[dict[str, Any]]) -> str:
    verb, _, about = about.rstrip(".").partition(" ")
    summary, _, more = f"{verb}{'es' if verb.endswith(('ch', 'sh', 's', 'x')) else 's'} {about}.".partition(". ")
    lines = [summary.rstrip(".") + ".", "", *([more, ""] if more else []), "Parameters", "----------"]
    entries = {python_name(entry): entry for entry in options_of(command)}
    for one in (one for one in parameters if one.name in entries):
        entry = entries[one.name]
        kind = "path" if entry["kind"] == "path" else python_type(entry).split(" | ")[0]
        kind = {"AnyController": "str, path, Player or callable"}.get(kind, kind)
        kind += f" or sequence of {kind}" * entry["is_list"] + ", optional" * (not entry["is_required"])
        lines += [f"{one.name} : {kind}", "    " + sentence(entry)]
    lines += ["progress : bool", "    Show a progress bar if tqdm is installed."]
    if rest:
        lines += ["**settings", f"    Options of ``tetrastat {command}`` with ``_`` for ``-``:", ""]
        lines += [f"    - ``{python_name(entry)}``: {sentence(entry)}" for entry in rest]
    has_json = any(entry["name"] == "format" and "json" in entry["choices"] for entry in described(command))
    kind, meaning = ("dict or list", "What ``--format json`` prints.") if has_json else ("str", "Text that the command prints.")
    if command in _OUTPUTS:
        kind, meaning = "Folder or pathlib.Path", "The folder that the command wrote, or the path of the file."
    lines += ["", "Returns", "-------", kind, f"    {meaning}"]
    return "\n".join(map(_wrapped, lines)) + "\n" + _END


def _wrapped(line: str) -> str:
    indent = " " * (len(line) - len(line.lstrip()))
    inner = indent + "  " * line.lstrip().startswith("- ")
    return textwrap.fill(line, 114, subsequent_indent=inner, break_long_words=False, break_on_hyphens=False)


def _function(command: str, about: str) -> Callable[..., Any]:
    parameters, rest = arguments(command)
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

    function.__name__ = function.__qualname__ = command.replace(" ", "_").replace("-", "_")
    function.__doc__ = _documentation(command, about, parameters, rest)
    function.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": signature.return_annotation}
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


_made = [_function(*one) for one in native.command_names() if one[0] not in (*OWN_FUNCTIONS, *INTERACTIVE)]
globals().update({one.__name__: one for one in _made})
__all__ = sorted(one.__name__ for one in _made)
