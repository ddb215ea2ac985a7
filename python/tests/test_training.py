"""Trainings in this process write the same bytes as those of the command."""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import tetrastat

PYTHON = Path(__file__).parents[1]
# Settings in the order of the command line.
SMALL = {
    "method": "cem",
    "board": "8x10",
    "features": "holes,landing_height,row_transitions",
    "games": 3,
    "max_pieces": 100,
    "population": 12,
    "elite": 4,
    "generations": 4,
    "check_every": 2,
    "check_games": 5,
    "finalists": 2,
    "final_games": 10,
    "held_out_games": 20,
    "population_log": True,
    "seed": 5,
}
SAME = ("controller.toml", "history.csv", "population.csv")


def files(folder):
    """Returns the files of a training that depend only on its settings, without the commit of the build."""
    folder = Path(folder)
    return [re.sub(rb"commit [0-9a-z-]+", b"commit", (folder / name).read_bytes()) for name in SAME]


def apart(training, size):
    """Plays a training's games with an evaluator, in parts."""
    evaluator = tetrastat.Evaluator(**training.settings)
    while (batch := training.ask()) is not None:
        weights, seed, games = batch
        pairs = len(weights) * games
        ends = [*range(0, pairs, size), pairs]
        parts = [evaluator.play(weights, seed, games, *part) for part in zip(ends, ends[1:], strict=False)]
        training.tell(np.concatenate(parts))
    return training.finish()


def binary():
    given = os.environ.get("TETRASTAT", shutil.which("tetrastat"))
    if not given:
        pytest.skip("no binary: name one in TETRASTAT")
    return given


def test_the_folder_has_the_bytes_of_the_command(tmp_path):
    words = [str(SMALL["method"])]
    for name, value in SMALL.items():
        option = "--" + name.replace("_", "-")
        words += [] if name == "method" else [option] if value is True else [option, str(value)]
    run = [binary(), "--progress", "none", "train", *words, "--out", str(tmp_path / "command")]
    subprocess.run(run, check=True, capture_output=True)
    tetrastat.train(**SMALL, out=tmp_path / "python")
    assert files(tmp_path / "command") == files(tmp_path / "python")
    command = (tmp_path / "command" / "checkpoint.json").read_text()
    python = (tmp_path / "python" / "checkpoint.json").read_text()
    # They differ by the name of the folder, by checksums, and by the format of the command's result.
    assert len(command) + len('"format":"json",') == len(python) + 1


@pytest.mark.parametrize("more", [{}, {"robust_elite": True, "generations": 2, "games": 1}])
def test_games_can_be_played_elsewhere_in_parts(tmp_path, more):
    settings = {**SMALL, **more}
    result = tetrastat.train(**settings, out=tmp_path / "here")
    other = apart(tetrastat.Training(**settings, out=tmp_path / "there"), 7)
    assert files(tmp_path / "here") == files(tmp_path / "there")
    assert result["summary"] == other["summary"] and result["status"] == other["status"] == "complete"
    assert result["games"] == other["games"]


def test_a_training_resumes(tmp_path):
    tetrastat.train(**SMALL, out=tmp_path / "straight")
    training = tetrastat.Training(**SMALL, out=tmp_path / "stopped")
    evaluator = tetrastat.Evaluator(**training.settings)
    while training.generation < 2:
        weights, seed, games = training.ask()
        training.tell(evaluator.play(weights, seed, games, 0, len(weights) * games))
    del training
    result = tetrastat.train(**SMALL, out=tmp_path / "stopped")
    assert result["resumed"] and files(tmp_path / "straight") == files(tmp_path / "stopped")
    again = tetrastat.train("cem", resume=tmp_path / "stopped")
    assert again["summary"] == result["summary"]


def test_a_complete_training_is_not_played_again(tmp_path):
    result = tetrastat.train(**SMALL, out=tmp_path / "done")
    training = tetrastat.Training(**SMALL, out=tmp_path / "done")
    found = training.finish()
    assert training.ask() is None and {key: found[key] for key in result} == result
    assert tetrastat.train(**SMALL, out=tmp_path / "done") == result
    with pytest.raises(tetrastat.TetrastatError, match="seed"):
        tetrastat.train(**{**SMALL, "seed": 6}, out=tmp_path / "done")


def test_presets_equal_those_of_the_command(tmp_path):
    training = tetrastat.Training(preset="rvce", generations=1, out=tmp_path / "rvce")
    weights, _, games = training.ask()
    assert weights.shape == (100, 9) and games == 100


def test_errors_leave_no_folder(tmp_path):
    for settings in ({}, {"method": "hill"}, {"method": "cem", "gmes": 3}, {"method": "cem", "population": 1}):
        with pytest.raises((tetrastat.TetrastatError, TypeError)):
            tetrastat.train(**settings, out=tmp_path / "wrong")
    assert not (tmp_path / "wrong").exists()
    training = tetrastat.Training(**SMALL, out=tmp_path / "right")
    with pytest.raises(tetrastat.TetrastatError, match="1 games of 36 pairs"):
        training.tell(np.zeros((1, 4)))
    with pytest.raises(ValueError, match="give 4"):
        training.tell(np.zeros((36, 2)))


def test_ctrl_c_keeps_completed_work(tmp_path):
    settings = {**SMALL, "generations": 1_000_000, "threads": 1}
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        tetrastat.train(**settings, out=tmp_path / "run")
    kept = tetrastat.Training(resume=tmp_path / "run")
    assert kept.generation > 0 and (tmp_path / "run" / "controller.toml").exists()


def test_the_example_trains():
    run = [sys.executable, PYTHON / "examples" / "train_with_cma.py", "--generations", "2", "--games", "2"]
    printed = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert "lines" in printed
