"""Fixtures: the engine's own program, for tests that compare with it, and the handler of Ctrl-C."""

import os
import shutil
import signal
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tetrastat_program() -> str:
    """Returns the path of the command `tetrastat`: from the variable `TETRASTAT`, from a build, or from the search path."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    built = (target / profile / "tetrastat" for profile in ("debug", "release"))
    found = [os.environ.get("TETRASTAT"), *(str(path) for path in built if path.is_file()), shutil.which("tetrastat")]
    program = next((path for path in found if path), None)
    if program is None:
        pytest.skip("the command tetrastat is not built: cargo build")
    return program


@pytest.fixture(autouse=True, scope="session")
def ctrl_c():
    """Makes Ctrl-C raise KeyboardInterrupt. A background job of a shell starts with Ctrl-C ignored, and Python keeps that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def cache(tmp_path_factory):
    """Keeps data sets of these tests out of the user's cache."""
    before = os.environ.get("TETRASTAT_CACHE")
    os.environ["TETRASTAT_CACHE"] = os.fspath(tmp_path_factory.mktemp("cache"))
    yield
    os.environ.pop("TETRASTAT_CACHE")
    if before is not None:
        os.environ["TETRASTAT_CACHE"] = before
