"""The package's types: its own code and a small program of a user pass the type checker in its strict mode."""

import subprocess
import sys
from pathlib import Path

import pytest

import tetrastat

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / "pyproject.toml"


@pytest.mark.parametrize("what", [["-p", "tetrastat"], [str(HERE / "typed_program.py")]], ids=["package", "program"])
def test_mypy_is_content(what, tmp_path, monkeypatch):
    pytest.importorskip("mypy")
    pytest.importorskip("gymnasium")
    # The package as it is installed, not the folder of its sources beside these tests.
    found = Path(tetrastat.__file__).parents[1]
    if found.name != "site-packages":
        monkeypatch.setenv("MYPYPATH", str(found))
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "mypy", "--config-file", str(CONFIG), "--cache-dir", str(tmp_path / "cache"), *what]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
