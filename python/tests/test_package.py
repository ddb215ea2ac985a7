"""Exported names, stubs, and examples in docstrings."""

import ast
import doctest
import importlib
import inspect
import os
import runpy
import sys
from pathlib import Path

import pytest
import tetrastat
from tetrastat import _tetrastat as native

PYTHON = Path(__file__).resolve().parents[1]


def test_every_command_is_a_function():
    # These talk to a person, or serve a shell.
    of_the_terminal = {"play", "tbp", "watch", "completions", "man"}
    for name, _ in native.command_names():
        own = getattr(tetrastat, name, None) or getattr(tetrastat.commands, name.replace(" ", "_"), None)
        assert (name in of_the_terminal) != callable(own), name


def test_exported_names_exist_and_have_docstrings():
    for name in tetrastat.__all__:
        thing = getattr(tetrastat, name)
        assert name.startswith("__") or thing.__doc__, name


def test_stubs_match_the_native_module():
    stub = ast.parse(Path(native.__file__).with_name("_tetrastat.pyi").read_text())
    known = (ast.ClassDef, ast.FunctionDef)
    names = {node.name for node in stub.body if isinstance(node, known)}
    names |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    real = {name for name in dir(native) if not name.startswith("__")} | {"__version__"}
    assert names == real - {"annotations"}
    for node in (node for node in stub.body if isinstance(node, ast.ClassDef)):
        for method in (one.name for one in node.body if isinstance(one, ast.FunctionDef)):
            assert hasattr(getattr(native, node.name), method), f"{node.name}.{method}"
    assert Path(native.__file__).with_name("py.typed").is_file()


@pytest.mark.parametrize("name", ["_runs", "_boards", "datasets", "envs", "envs._single", "envs._vector"])
def test_examples_in_docstrings_run(name):
    pytest.importorskip("pyarrow")
    pytest.importorskip("gymnasium")
    module = importlib.import_module(f"tetrastat.{name}")
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


@pytest.mark.parametrize("name", ["Board", "Evaluator", "Optimiser", "Table", "Training"])
def test_examples_in_native_docstrings_run(name):
    pytest.importorskip("pyarrow")
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    tests = finder.find(getattr(tetrastat, name), name, module=False)
    assert sum(runner.run(test).attempted for test in tests) and not runner.failures


@pytest.mark.parametrize("name", ["Evaluator", "Optimiser", "Training"])
def test_signatures_of_native_classes_name_settings(name):
    assert str(inspect.signature(getattr(tetrastat, name))).endswith("**settings)")


def test_the_example_reads_placements_in_polars(tmp_path, monkeypatch, capsys):
    pytest.importorskip("polars")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["placements_in_polars.py"])
    runpy.run_path(os.fspath(PYTHON / "examples/placements_in_polars.py"), run_name="__main__")
    assert "holes" in capsys.readouterr().out
