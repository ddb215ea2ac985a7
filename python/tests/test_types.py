"""Types, stubs and style are what type checkers, editors and readers expect."""

import ast
import base64
import hashlib
import inspect
import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import tetrastat
from tetrastat import _commands
from tetrastat import _tetrastat as native

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / "pyproject.toml"


def run(*words, **settings):
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, **settings)


def found_first():
    """Returns the variables in which this Python is the first one, as type checkers look for it."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("what", [["-p", "tetrastat"], [str(HERE / "typed_program.py")]], ids=["package", "program"])
def test_mypy_accepts_the_package_and_a_program(what, tmp_path, monkeypatch):
    pytest.importorskip("mypy")
    pytest.importorskip("gymnasium")
    # The check must find the installed package, not the folder of sources next to these tests.
    found = Path(tetrastat.__file__).parents[1]
    if found.name != "site-packages":
        monkeypatch.setenv("MYPYPATH", str(found))
    monkeypatch.chdir(tmp_path)
    done = run("-m", "mypy", "--config-file", CONFIG, "--cache-dir", tmp_path / "cache", *what)
    assert done.returncode == 0, done.stdout + done.stderr


def test_editors_know_the_options(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "import tetrastat\n"
        "from tetrastat.envs import GuidelineEnv, PlacementVectorEnv\n"
        "tetrastat.simulate('bcts', gamse=3)\n"
        "tetrastat.simulate('bcts', games=[3])\n"
        "tetrastat.train('cem', populaton=3)\n"
        "tetrastat.Evaluator(bord='10x10')\n"
        "tetrastat.exact(bord='4x6')\n"
        "PlacementVectorEnv(4, bord='10x10')\n"
        "PlacementVectorEnv(4, autoreset_mode='SameSteps')\n"
        "PlacementVectorEnv(4, observation='pixels')\n"
        "PlacementVectorEnv(4, rules='guideline', reward='money')\n"
        "GuidelineEnv(mode='marathon')\n"
        "GuidelineEnv(mode='blitz', reward=[1, 2, 3, 4, 5], rules='mine.toml')\n"
    )
    done = run("-m", "mypy", "--config-file", CONFIG, "--cache-dir", tmp_path / "cache", program, cwd=tmp_path)
    wrong = [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line]
    assert wrong == ["3", "4", "5", "6", "7", "8", "9", "10", "11", "11", "12"], done.stdout


def test_editors_know_frames_summaries_and_choices(tmp_path):
    for package in ("mypy", "polars", "duckdb"):
        pytest.importorskip(package)
    program = tmp_path / "program.py"
    lines = [
        "import tetrastat",
        "run = tetrastat.simulate('bcts', rules='guideline', movement='soft')",
        "tetrastat.simulate('bcts', tie='lest')",
        "run.summary['lines']['meen']",
        "run.scan(engine='duck')",
        "tetrastat.train('cma')",
        "run.games.to_polars().no_such_method()",
        "run.scan().no_such_method()",
        "tetrastat.datasets.load('tiny').polars().no_such_method()",
        "tetrastat.compare(['bcts', 'dt20']).summary['pairs'][0]['rato']",
    ]
    program.write_text("\n".join([*lines, ""]))
    done = run("-m", "mypy", "--config-file", CONFIG, "--cache-dir", tmp_path / "cache", program, cwd=tmp_path)
    wrong = [line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line]
    assert wrong == [str(number) for number in range(2, len(lines) + 1)], done.stdout


def test_types_are_complete(tmp_path):
    pytest.importorskip("basedpyright")
    words = ["--verifytypes", "tetrastat", "--ignoreexternal", "--outputjson"]
    done = run("-m", "basedpyright", *words, cwd=tmp_path, env=found_first())
    found = json.loads(done.stdout)["typeCompleteness"]
    unknown = [one["name"] for one in found["symbols"] if one["isExported"] and not one["isTypeKnown"]]
    assert found["completenessScore"] >= 0.99, unknown


def test_stubs_have_the_signatures_of_the_native_module(tmp_path):
    pytest.importorskip("mypy")
    done = run("-m", "mypy.stubtest", "tetrastat._tetrastat", "--mypy-config-file", CONFIG, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def stub(name):
    return ast.parse(Path(tetrastat.__file__).with_name(f"{name}.pyi").read_text(encoding="utf-8"))


def test_stubs_name_every_command_and_option():
    fields = {node.name: {one.target.id for one in node.body if isinstance(one, ast.AnnAssign)} for node in stub("settings").body if isinstance(node, ast.ClassDef)}
    fields["TrainSettings"] |= fields["OptimiserSettings"]
    functions = {node.name: node for node in stub("commands").body if isinstance(node, ast.FunctionDef)}
    assert sorted(functions) == tetrastat.commands.__all__ and all(map(ast.get_docstring, functions.values()))
    for command, _ in native.command_names():
        function = getattr(tetrastat, command, None) or getattr(tetrastat.commands, command.replace(" ", "_"), None)
        if function is None:
            assert command in _commands.INTERACTIVE
            continue
        signature = inspect.signature(function)
        known = fields.get(_commands.type_name(command), set()) if "settings" in signature.parameters else set()
        known = known | set(signature.parameters)
        if function.__name__ in functions:
            arguments = functions[function.__name__].args
            assert [one.arg for one in [*arguments.args, *arguments.kwonlyargs]] == [one for one in signature.parameters if one != "settings"]
        for name in tetrastat.options(command):
            assert {name, f"{name}_", f"{name}s"} & known or command == "study", f"{command}: {name}"


def test_stubs_have_the_docstrings_of_the_native_module():
    found = {node.name: ast.get_docstring(node) for node in stub("_tetrastat").body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert found == {name: inspect.getdoc(getattr(native, name)) for name in found}


def test_the_record_of_the_package_is_correct():
    files = [one for one in metadata.files("tetrastat") if one.suffix == ".pyi"]
    assert {one.name for one in files} >= {"_tetrastat.pyi", "commands.pyi", "settings.pyi"}
    for file in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(file.read_binary()).digest()).decode().rstrip("=")
        assert (file.hash.value, file.size) == (digest, file.locate().stat().st_size), file


def test_style(tmp_path):
    pytest.importorskip("ruff")
    done = run("-m", "ruff", "check", "--no-cache", HERE.parent, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
