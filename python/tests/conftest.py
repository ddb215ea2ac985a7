"""Where the engine's own program is, for tests that compare with it."""

import os
import shutil
import signal
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def tetrastat_program() -> str:
    """The command `tetrastat`: what the environment names, else what was built, else what is installed."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    built = (target / profile / "tetrastat" for profile in ("debug", "release"))
    found = [os.environ.get("TETRASTAT"), *(str(path) for path in built if path.is_file()), shutil.which("tetrastat")]
    program = next((path for path in found if path), None)
    if program is None:
        pytest.skip("the command tetrastat is not built: cargo build")
    return program


@pytest.fixture(autouse=True, scope="session")
def ctrl_c():
    """Ctrl-C interrupts: a job in the background of a shell begins with it ignored, and Python leaves it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
