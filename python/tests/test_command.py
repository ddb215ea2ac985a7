"""The command `tetrastat` of the wheel behaves as the engine's own program: output, files, exit codes, signals and pipes."""

import json
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

MODULE = [sys.executable, "-m", "tetrastat"]


def run(words, folder, **more):
    return subprocess.run([*MODULE, *words], cwd=folder, capture_output=True, text=True, **more)


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["simulate", "--help"],
        ["show", "controllers"],
        ["show", "board", "--picture", "..../..../..../#...", "--piece", "O", "--format", "json"],
        ["study", "--help"],
        ["play", "--keys", "--seed", "3", "--actions", "1,5,2", "--format", "json"],
        ["simulate", "--gmes", "3"],
        ["simulate", "--games", "0"],
        ["sing"],
        [],
        ["data", "verify", "absent"],
        ["completions", "bash"],
        ["man"],
        ["liap", "simulate", "--help"],
    ],
)
def test_output_and_exit_code_equal_the_programs(words, tmp_path, tetrastat_program):
    ours = run(words, tmp_path)
    theirs = subprocess.run([tetrastat_program, *words], cwd=tmp_path, capture_output=True, text=True)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    assert "Traceback" not in ours.stderr


def test_runs_have_the_bytes_of_the_program(tmp_path, tetrastat_program):
    words = "simulate --controller dt20 --board 8x12 --games 3 --max-pieces 50 --seed 7 --out".split()
    assert run([*words, "python"], tmp_path).returncode == 0
    subprocess.run([tetrastat_program, *words, "program"], cwd=tmp_path, check=True, capture_output=True)
    for name in ("games.csv", "placements.csv"):
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "program" / name).read_bytes()
    manifest = json.loads((tmp_path / "python" / "run.json").read_text())
    assert manifest["command"] == ["tetrastat", *words, "python"]
    assert run(["data", "merge", "python", "--out", "whole"], tmp_path).returncode == 2
    assert run(["data", "verify", "python"], tmp_path).returncode == 0


def test_a_closed_pipe_is_not_an_error(tmp_path):
    command = subprocess.Popen([*MODULE, "show", "controllers"], cwd=tmp_path, stdout=subprocess.PIPE)
    command.stdout.close()
    assert command.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_keeps_completed_work(tmp_path):
    words = "simulate --controller bcts --games 2 --max-pieces none --placements none --checkpoint-ms 20 --out run".split()
    command = subprocess.Popen([*MODULE, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    # The program sets its handler before it writes its first checkpoint.
    while not list(tmp_path.glob("run/*checkpoint*")) and command.poll() is None:
        time.sleep(0.02)
    command.send_signal(signal.SIGINT)
    said = command.communicate(timeout=120)[1]
    assert command.returncode == 130 and "keeping what is done" in said and "Traceback" not in said
    assert json.loads((tmp_path / "run" / "run.json").read_text())["status"] == "interrupted"


def test_the_console_script_is_installed(tmp_path):
    script = Path(sysconfig.get_path("scripts")) / "tetrastat"
    if not script.exists():
        pytest.skip("the package is not installed here")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("tetrastat ")
