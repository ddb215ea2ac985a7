"""The package and a small program of a user pass mypy in its strict mode."""

import subprocess
import sys
from pathlib import Path

import pytest

import tetrastat

HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / "pyproject.toml"


@pytest.mark.parametrize("what", [["-p", "tetrastat"], [str(HERE / "typed_program.py")]], ids=["package", "program"])
def test_mypy_accepts_the_package_and_a_program(what, tmp_path, monkeypatch):
    pytest.importorskip("mypy")
    pytest.importorskip("gymnasium")
    # The check must find the installed package, not the folder of sources next to these tests.
    found = Path(tetrastat.__file__).parents[1]
    if found.name != "site-packages":
        monkeypatch.setenv("MYPYPATH", str(found))
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "mypy", "--config-file", str(CONFIG), "--cache-dir", str(tmp_path / "cache"), *what]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
