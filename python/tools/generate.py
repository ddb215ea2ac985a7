#!/usr/bin/env python3
"""Writes the parts of the package that follow from the engine's tables, or checks that they are current.

``python tools/generate.py`` writes ``settings.py`` (types of all options), ``commands.py`` (one function for each command) and
the docstrings of ``_tetrastat.pyi``. ``--check`` writes nothing and fails if a file is not current. The installed
package gives the tables, so build it first.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import tetrastat
from tetrastat import _runs
from tetrastat import _tetrastat as native
from tetrastat.envs import Guideline, Keys, Placement

PACKAGE = Path(__file__).resolve().parents[1] / "tetrastat"
#: Commands with a function of their own in the package.
OWN_FUNCTIONS = ("simulate", "study", "compare", "estimate", "reproduce", "train")
#: Commands of `train`, whose options are those of one function.
METHODS = tuple(name for name, _ in native.command_names() if name.startswith("train "))
#: Commands that talk to a person or a program, or serve a shell.
INTERACTIVE = ("play", "tbp", "watch", "completions", "man")
#: Option that names what a command writes, by command.
OUTPUTS = {
    "annotate": "out",
    "data convert": "to",
    "data merge": "out",
    "data set": "out",
    "label": "out",
    "liap simulate": "out",
}
#: Types of values by the engine's kind of option.
TYPES = {
    "flag": "bool",
    "whole": "int | str",
    "number": "float | str",
    "path": "str | PathLike[str]",
    "text": "str",
    "number or text": "float | str",
}
#: Options of environments.
ENVIRONMENTS = (Placement, Keys, Guideline)
PROGRESS = "Show a progress bar if tqdm is installed."
HEAD = '"""{doc}"""\n\n# This file is generated: edit python/tools/generate.py or the options of the commands, then run python/tools/generate.py.\n\n'
WIDTH = 118


def options_of(command: str) -> list[dict[str, Any]]:
    """Returns the options that a function has: all except those for printing."""
    if command == "train":
        found = {entry["name"]: entry for method in METHODS for entry in options_of(method)}
        return list(found.values())
    return [entry for entry in native.command_options(command) if not _runs.is_printing(command, entry)]


def python_name(name: str) -> str:
    """Returns the name of an argument: that of the option, with ``_`` after a keyword of Python."""
    return name + "_" if keyword.iskeyword(name) else name


def python_type(entry: dict[str, Any]) -> str:
    """Returns the type of an option's value."""
    choices = ", ".join(f'"{choice}"' for choice in entry["choices"])
    if entry["kind"] == "optional":
        return "bool | str"
    if set(entry["choices"]) == {"true", "false"}:
        return "bool"
    kind = f"Literal[{choices}]" if choices else TYPES[entry["kind"]]
    if entry["name"] in ("controller", "rules", "script", "start"):
        kind = TYPES["path"]
    if entry["name"] == "controller" and not entry["is_list"]:
        kind = "AnyController"
    elif entry["name"] == "board":
        kind = "str | tuple[int, int]"
    if entry["is_list"]:
        kind += f" | Sequence[{kind}]"
    return kind


def wrapped(text: str, indent: int, first: str = "") -> str:
    """Returns text in lines of at most ``WIDTH`` columns, indented, with ``first`` before its first word."""
    lines = textwrap.wrap(first + text, WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(" " * indent + line for line in lines)


def escaped(text: str) -> str:
    """Returns text for a docstring, as one paragraph that ends with a full stop."""
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    text, _, default = text.rstrip("]").partition(" [default: ") if text.endswith("]") and "[default: " in text else (text, "", "")
    text = text if text.endswith(".") else text + "."
    return f"{text} Default: {default}." if default else text


def type_name(command: str) -> str:
    """Returns the name of the type of a command's options."""
    return "".join(word.capitalize() for word in command.replace("-", " ").split()) + "Settings"


def settings_module(commands: list[str]) -> str:
    """Returns the text of ``settings.py``."""
    text = HEAD.format(doc="Types of the options of commands, for type checkers and editors.")
    text += "from __future__ import annotations\n\nfrom collections.abc import Sequence\nfrom os import PathLike\n"
    text += "from typing import Literal, TypedDict\n\nfrom ._players import AnyController\n\n"
    names = [type_name(command) for command in commands] + [kind.__name__ + "Options" for kind in ENVIRONMENTS]
    names.append("OptimiserSettings")
    text += "__all__ = [\n" + "".join(f'    "{name}",\n' for name in sorted(names)) + "]\n"
    for command in commands:
        entries, base = settings_of(command), "TypedDict"
        if command == "train":
            # The class `Optimiser` has an argument `start` of its own.
            base = "OptimiserSettings"
            others = [entry for entry in entries if entry["name"] != "start"]
            text += typed_dict(base, "TypedDict", "Options of `Optimiser`, which are those of ``tetrastat train METHOD``", others)
            entries = [entry for entry in entries if entry not in others]
        text += typed_dict(type_name(command), base, f"Options of ``tetrastat {command}``", entries)
    for kind in ENVIRONMENTS:
        text += type_head(kind.__name__ + "Options", "TypedDict", f"Options of the environment ``tetrastat/{kind.__name__}-v0``")
        meanings = meanings_of(kind)
        text += "".join(typed_item(field.name, str(field.type), meanings[field.name]) for field in dataclasses.fields(kind))
    return text


def typed_dict(name: str, base: str, about: str, entries: list[dict[str, Any]]) -> str:
    """Returns the text of a type of options."""
    items = (typed_item(python_name(one["name"]), python_type(one) + " | None", one["help"]) for one in entries)
    return type_head(name, base, about) + "".join(items)


def type_head(name: str, base: str, about: str) -> str:
    """Returns the first lines of a type of options."""
    return f'\n\nclass {name}({base}, total=False):\n    """{about}."""\n'


def typed_item(name: str, kind: str, help: str) -> str:
    """Returns the lines of an option in a type."""
    return f"\n    {name}: {kind}\n" + wrapped(escaped(help) + '"""', 4, '"""') + "\n"


def meanings_of(kind: type) -> dict[str, str]:
    """Returns the description of each option of an environment, from the docstrings of its classes."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__[:-1]):
        section = inspect.cleandoc(one.__doc__ or "").partition("Parameters\n----------\n")[2]
        section = re.split(r"\n\n\w+\n-+\n", section)[0]
        for names, body in re.findall(r"^(\w[\w, ]*) : .*\n((?:(?:    .*)?\n?)*)", section, re.MULTILINE):
            found |= {name: body for name in names.split(", ")}
    return found


def settings_of(command: str) -> list[dict[str, Any]]:
    """Returns the options in the type of a command: those that are no arguments of its function."""
    if command in OWN_FUNCTIONS:
        own = inspect.signature(getattr(tetrastat, command)).parameters
        return [entry for entry in options_of(command) if python_name(entry["name"]) not in own]
    return [entry for entry in options_of(command) if not is_argument(command, entry)]


def is_argument(command: str, entry: dict[str, Any]) -> bool:
    """Returns true if an option is an argument in the signature of the command's function."""
    return is_positional(command, entry) or entry["is_required"] or entry["name"] == OUTPUTS.get(command)


def is_positional(command: str, entry: dict[str, Any]) -> bool:
    """Returns true if an option is a positional argument of the command's function: a required input, or the controller."""
    entries = native.command_options(command)
    if any(one["is_positional"] or one["name"] == "from" for one in entries):
        return bool(entry["is_positional"] or entry["name"] == "from")
    return bool(entry["name"] == "controller")


def commands_module(commands: dict[str, str]) -> str:
    """Returns the text of ``commands.py``."""
    text = HEAD.format(
        doc="Commands of the engine as functions, besides those with a function in `tetrastat`.\n\n"
        "Every function takes the options of its command and returns what the command prints with ``--format json``, as\n"
        "Python objects; the printed text if the command has no such format; or the folder or table that it writes.\n"
    )
    text += "from __future__ import annotations\n\nfrom collections.abc import Sequence\nfrom os import PathLike\nfrom pathlib import Path\n"
    text += "from typing import TYPE_CHECKING, Any, Literal\n\nfrom ._folders import Folder\nfrom ._players import AnyController\nfrom ._runs import run_command, run_writer\n"
    text += "\nif TYPE_CHECKING:\n    from typing_extensions import Unpack\n\n"
    text += "    from .settings import (\n"
    types = sorted(type_name(command) for command in commands if settings_of(command))
    text += "".join(f"        {name},\n" for name in types) + "    )\n\n"
    names = sorted(function_name(command) for command in commands)
    text += "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    for command, about in commands.items():
        text += "\n\n" + function(command, about)
    return text if "Literal[" in text else text.replace("Any, Literal", "Any")


def function_name(command: str) -> str:
    """Returns the name of a command's function."""
    return command.replace(" ", "_").replace("-", "_")


def function(command: str, about: str) -> str:
    """Returns the text of a command's function."""
    entries = [entry for entry in options_of(command) if is_argument(command, entry)]
    places = [entry for entry in entries if is_positional(command, entry)]
    named = [entry for entry in entries if entry not in places]
    output = OUTPUTS.get(command)

    def parameter(entry: dict[str, Any]) -> str:
        optional = "" if entry["is_required"] else " | None = None"
        return f"{python_name(entry['name'])}: {python_type(entry)}{optional}"

    parameters = [*map(parameter, places), "*", *map(parameter, named), "progress: bool = False"]
    rest = settings_of(command)
    if rest:
        parameters.append(f"**settings: Unpack[{type_name(command)}]")
    kind = "Folder | Path" if output else "Any"
    text = f"def {function_name(command)}(\n" + "".join(f"    {one},\n" for one in parameters).replace("*,\n    progress", "*,\n    progress")
    text += f") -> {kind}:\n"
    summary, _, more = (third_person(about) + ".").partition(". ")
    text += wrapped(summary.rstrip(".") + ".", 4, '"""') + "\n\n"
    text += wrapped(more, 4) + "\n\n" if more else ""
    text += "    Parameters\n    ----------\n"
    for entry in [*places, *named]:
        optional = "" if entry["is_required"] else ", optional"
        text += f"    {python_name(entry['name'])} : {documented_type(entry)}{optional}\n"
        text += wrapped(escaped(entry["help"]), 8) + "\n"
    text += f"    progress : bool\n        {PROGRESS}\n"
    if rest:
        text += f"    **settings\n        Options of ``tetrastat {command}`` with ``_`` for ``-``:\n\n"
        for entry in rest:
            text += wrapped(escaped(entry["help"]), 10, f"- ``{python_name(entry['name'])}``: ")[2:] + "\n"
    text += "\n    Returns\n    -------\n"
    if output:
        text += "    Folder or pathlib.Path\n        The folder that the command wrote, or the path of the file.\n"
    elif has_json(command):
        text += "    dict or list\n        What ``--format json`` prints.\n"
    else:
        text += "    str\n        Text that the command prints.\n"
    text += "\n    Raises\n    ------\n"
    text += "    TypeError\n        If there is no such option.\n"
    text += "    SettingError\n        If an option has an invalid value. It is a `ValueError`, too.\n"
    text += "    TetrastatError\n        If the command fails, with the engine's message.\n"
    text += '    """\n'
    given = ", ".join([f'"{entry["name"]}": {python_name(entry["name"])}' for entry in entries] + ["**settings"] * bool(rest))
    run, writes = ("run_writer", f', "{output}"') if output else ("run_command", "")
    text += f'    return {run}("{command}", {{{given}}}{writes}, progress)\n'
    return text


def third_person(about: str) -> str:
    """Returns a command's description with its first verb in the third person."""
    first, _, rest = about.partition(" ")
    ending = "es" if first.endswith(("ch", "sh", "s", "x")) else "s"
    return f"{first}{ending} {rest}"


def documented_type(entry: dict[str, Any]) -> str:
    """Returns the type of an argument as NumPy's docstrings write it."""
    kind = "path" if entry["kind"] == "path" else python_type(entry).split(" | ")[0]
    kind = "str, path, Player or callable" if kind == "AnyController" else kind
    return f"{kind} or sequence of {kind}" if entry["is_list"] else kind


def has_json(command: str) -> bool:
    """Returns true if a command can print JSON."""
    entries = native.command_options(command)
    return any(entry["name"] == "format" and "json" in entry["choices"] for entry in entries)


def stub_with_docstrings(stub: str) -> str:
    """Returns the stub of the native module with the docstrings of its classes, functions and properties."""
    tree = ast.parse(stub)
    lines = stub.splitlines()
    replaced: list[tuple[int, int, int, str]] = []

    def visit(node: Any, owner: Any, indent: int) -> None:
        thing = inspect.getattr_static(owner, node.name, None)
        doc = inspect.getdoc(getattr(owner, node.name)) if thing is not None else None
        if isinstance(node, ast.ClassDef):
            for child in node.body:
                if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                    visit(child, getattr(owner, node.name), indent + 4)
        if node.name.startswith("__") or not doc:
            return
        first, quoted = node.body[0], docstring(doc, indent)
        constant = first.value.value if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else None
        if constant is None:
            # A class without a docstring: the first line of its body stays.
            line = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))])
            replaced.append((line, line - 1, indent, quoted))
        else:
            after = "\n" + " " * indent + "..." if constant is Ellipsis else ""
            replaced.append((first.lineno, first.end_lineno or first.lineno, first.col_offset, quoted + after))

    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            visit(node, native, 4)
    for first, last, column, text in sorted(replaced, reverse=True):
        before = lines[first - 1][:column].rstrip() if last >= first else ""
        new = ([before] if before else []) + text.splitlines()
        lines[first - 1 : last] = new
    text = "\n".join(lines) + "\n"
    exported = "".join(f'    "{name}",\n' for name in sorted(native.__all__))
    return re.sub(r"__all__ = \[.*?\]\n", f"__all__ = [\n{exported}]\n", text, count=1, flags=re.DOTALL)


def docstring(doc: str, indent: int) -> str:
    """Returns a docstring in quotes, indented."""
    prefix = "r" if "\\" in doc else ""
    lines = doc.splitlines()
    lines[0] = f'{prefix}"""{lines[0]}'
    end = ['"""'] if len(lines) > 1 else []
    if not end:
        lines[0] += '"""'
    return "\n".join((" " * indent + line).rstrip() for line in [*lines, *end])


def texts() -> dict[Path, str]:
    """Returns the text of every generated file."""
    described = {name: about for name, about in native.command_names() if name not in (*INTERACTIVE, *METHODS)}
    described["train"] = "Train controllers"
    generic = {name: about for name, about in described.items() if name not in OWN_FUNCTIONS}
    stub = PACKAGE / "_tetrastat.pyi"
    with_settings = [name for name in described if settings_of(name) and name != "study"]
    return {
        PACKAGE / "settings.py": settings_module(with_settings),
        PACKAGE / "commands.py": commands_module(generic),
        stub: stub_with_docstrings(stub.read_text(encoding="utf-8")),
    }


def main() -> None:
    """Writes the files, or checks them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    check = parser.parse_args().check
    stale = []
    for path, text in texts().items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        sys.exit(f"{', '.join(stale)}: not current: run python/tools/generate.py")


if __name__ == "__main__":
    main()
