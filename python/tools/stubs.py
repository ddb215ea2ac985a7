"""Writes the stubs of an unpacked wheel, for editors, type checkers and the site: ``python stubs.py FOLDER``.

``settings.pyi`` has the types of all options, ``commands.pyi`` one function for each command, and ``_tetrastat.pyi`` gets the
docstrings of the native module. The wheel itself describes all of them.
"""

import ast
import ctypes
import dataclasses
import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = Path(sys.argv[1]).resolve() / "tetrastat"
for library in [*PACKAGE.glob("_tetrastat*.so"), *PACKAGE.glob("_tetrastat*.pyd")]:
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        print(error)
        sys.exit(3)
sys.path.insert(0, str(PACKAGE.parent))

import tetrastat  # noqa: E402
from tetrastat import _tetrastat as native  # noqa: E402
from tetrastat import _commands, commands  # noqa: E402

# The options of environments need no gymnasium, which the package of environments imports.
environments = sys.modules["tetrastat.envs"] = ModuleType("tetrastat.envs")
environments.__path__ = [str(PACKAGE / "envs")]
from tetrastat.envs._options import Guideline, Keys, Placement  # noqa: E402

HEAD = """from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypedDict

from typing_extensions import Unpack

from ._folders import Folder
from ._players import AnyController
"""


def quoted(doc: str | None, indent: str = "    ") -> str:
    """Returns a docstring in quotes, indented."""
    text = inspect.cleandoc(doc or "").replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    text = text + ("\n" if "\n" in text else "") + '"""'
    return "\n".join((indent + line).rstrip() for line in ('"""' + text).split("\n")) + "\n"


def typed_dict(name: str, base: str, about: str, items: Iterable[tuple[str, str, str]]) -> str:
    """Returns the class of a type of options. Each item is a name, a type and a description."""
    text = f"\nclass {name}({base}, total=False):\n" + quoted(about)
    return text + "".join(f"    {name}: {kind}\n" + quoted(doc) for name, kind, doc in items)


def meanings_of(kind: type) -> dict[str, str]:
    """Returns the description of each option of an environment, from the docstrings of its classes."""
    found: dict[str, str] = {}
    for one in reversed(kind.__mro__[:-1]):
        section = inspect.cleandoc(one.__doc__ or "").partition("Parameters\n----------\n")[2]
        section = re.split(r"\n\n\w+\n-+\n", section)[0]
        for names, body in re.findall(r"^(\w[\w, ]*) : .*\n((?:(?:    .*)?\n?)*)", section, re.MULTILINE):
            found |= {name: inspect.cleandoc("\n" + body) for name in names.split(", ")}
    return found


def settings_stub() -> str:
    """Returns the text of ``settings.pyi``."""

    def items(entries: Iterable[dict[str, Any]]) -> list[tuple[str, str, str]]:
        return [(_commands.python_name(one), f"{_commands.python_type(one)} | None", _commands.sentence(one)) for one in entries]

    text = '"""Types of the options of commands, for type checkers and editors."""\n\n' + HEAD
    training: dict[str, dict[str, Any]] = {}
    for command, _ in native.command_names():
        if command in _commands.INTERACTIVE:
            continue
        entries = _commands.arguments(command)[2]
        if command in _commands.OWN_FUNCTIONS:
            own = inspect.signature(getattr(tetrastat, command)).parameters
            entries = [one for one in _commands.options_of(command) if "settings" in own and _commands.python_name(one) not in own]
        if command.split()[0] == "train":
            training |= {one["name"]: one for one in entries}
        if not entries:
            continue
        text += typed_dict(_commands.type_name(command), "TypedDict", f"Options of ``tetrastat {command}``.", items(entries))
    # The class `Optimiser` has an argument `start` of its own, and all other options of a training.
    start = training.pop("start")
    text += typed_dict("OptimiserSettings", "TypedDict", "Options of `Optimiser`, which are those of a training.", items(training.values()))
    text += typed_dict("TrainSettings", "OptimiserSettings", "Options of `train`: those of all methods.", items([start]))
    for kind in (Placement, Keys, Guideline):
        meanings = meanings_of(kind)
        fields = [(one.name, str(one.type), meanings[one.name]) for one in dataclasses.fields(kind)]
        text += typed_dict(f"{kind.__name__}Options", "TypedDict", f"Options of the environment ``tetrastat/{kind.__name__}-v0``.", fields)
    return text


def commands_stub() -> str:
    """Returns the text of ``commands.pyi``."""
    types = [_commands.type_name(name) for name, _ in native.command_names()]
    types = [name for name in types if any(f"[{name}]" in str(inspect.signature(one)) for one in _commands.FUNCTIONS.values())]
    text = quoted(commands.__doc__, "") + "\n" + HEAD + f"from .settings import {', '.join(types)}\n\n__all__ = {commands.__all__}\n"
    for name in commands.__all__:
        function = getattr(commands, name)
        # Annotations are text.
        text += f"\ndef {name}{re.sub(chr(39), '', str(inspect.signature(function)))}:\n" + quoted(function.__doc__)
    return text


def native_stub(text: str) -> str:
    """Returns the stub of the native module with its names and docstrings."""
    tree = ast.parse(text)
    # A wheel may have been through here: its names and docstrings are replaced.
    tree.body = [node for node in tree.body if not isinstance(node, ast.Assign)]

    def document(nodes: list[ast.stmt], owner: Any, indent: str) -> None:
        for node in nodes:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                thing = getattr(owner, node.name, None)
                if isinstance(node, ast.ClassDef):
                    document(node.body, thing, indent + "    ")
                if (doc := inspect.getdoc(thing)) and not node.name.startswith("__"):
                    node.body[: ast.get_docstring(node) is not None] = [ast.Expr(ast.Constant(re.sub(r"\n(?=.|\Z)", "\n" + indent, doc + "\n" * ("\n" in doc))))]

    document(tree.body, native, "    ")
    return f"{ast.unparse(tree)}\n__all__ = {sorted(native.__all__)}\n"


if __name__ == "__main__":
    stub = PACKAGE / "_tetrastat.pyi"
    texts = {stub: native_stub(stub.read_text(encoding="utf-8"))}
    texts |= {PACKAGE / "settings.pyi": settings_stub(), PACKAGE / "commands.pyi": commands_stub()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
