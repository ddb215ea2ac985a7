"""Runs, studies, comparisons and estimates have the same bytes as those of the engine's commands."""

import hashlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import tetrastat

#: Small runs of classic games (two rules, two searches), guideline games (two searches) and LIAP.
RUNS = {
    "simplified": {"controller": "dt20", "board": "8x12", "search": "greedy", "max_pieces": 300},
    "simplified-next": {"controller": "dt20", "board": "8x12", "search": "next", "max_pieces": 60, "candidates": True},
    "standard": {"controller": "dellacherie", "board": "10x12", "rules": "standard", "max_pieces": 300},
    "standard-next": {
        "controller": "dellacherie", "board": "10x12", "rules": "standard", "search": "next", "max_pieces": 60,
    },
    "guideline": {"rules": "guideline", "mode": "blitz", "pieces": 40},
    "guideline-beam": {"rules": "guideline", "mode": "blitz", "search": "beam", "pieces": 12, "beam_width": 8},
    "liap": {"rules": "liap", "max_rounds": 4},
}


def words(settings):
    """Yields the words of the command line for keyword arguments."""
    for name, value in settings.items():
        option = "--" + name.replace("_", "-")
        yield from [option] if value is True else [option, str(value)]


def tables(folder):
    """Returns the SHA-256 of every table in a folder and its subfolders."""
    files = sorted(folder.rglob("*.csv")) + sorted(folder.rglob("*.parquet")) + sorted(folder.rglob("*.zst"))
    assert files
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("placements", ["csv", "parquet"])
def test_games_have_the_bytes_of_the_command(name, placements, tmp_path, tetrastat_program):
    settings = {**RUNS[name], "games": 3, "seed": 7, "placements": placements}
    run = tetrastat.simulate(out=tmp_path / "python", **settings)
    command = [tetrastat_program, "simulate", *words(settings), "--out", "command"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert tables(run.path) == tables(tmp_path / "command")
    theirs = tetrastat.read_run(tmp_path / "command").manifest
    assert run.manifest["config"] == theirs["config"]


def test_a_temporary_run_is_removed_with_its_last_reader():
    run = tetrastat.simulate("dt20", board="8x12", games=2, max_pieces=50)
    path, games = run.path, run.games
    assert path.is_dir() and run.manifest["config"]["games"] == 2 and run.summary == run.manifest["summary"]
    del run
    assert games.to_pyarrow().num_rows == 2
    del games
    assert not path.exists()


def test_a_first_run_equals_that_of_the_command():
    run = tetrastat.simulate(seed=3, threads=1)
    config = run.manifest["config"]
    assert (config["games"], config["board"], config["controller"]["name"]) == (200, "10x10", "bcts")


def test_the_same_call_resumes_and_another_one_is_refused(tmp_path, caplog):
    settings = {"controller": "dt20", "board": "8x12", "games": 2, "max_pieces": 50}
    first = tetrastat.simulate(out=tmp_path / "run", **settings)
    with caplog.at_level(logging.WARNING, "tetrastat"):
        again = tetrastat.simulate(out=tmp_path / "run", **settings)
    assert "complete: nothing is played again" in caplog.text
    assert tables(first.path) == tables(again.path)
    with pytest.raises(tetrastat.TetrastatError, match="holds another run: games is 2 there, 3 here"):
        tetrastat.simulate(out=tmp_path / "run", **{**settings, "games": 3})
    third = tetrastat.simulate(out=tmp_path / "run", force=True, **{**settings, "games": 3})
    assert third.games.to_pyarrow().num_rows == 3


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_interrupted_run_resumes_to_the_same_bytes(tmp_path):
    settings = {"controller": "bcts", "board": "10x14", "games": 3, "max_pieces": 1_500_000, "placements": "none"}
    timer = threading.Timer(0.3, signal.pthread_kill, [threading.main_thread().ident, signal.SIGINT])
    timer.start()
    try:
        tetrastat.simulate(out=tmp_path / "run", checkpoint_ms=20, **settings)
        timer.join()  # on a fast machine the run may be complete before the signal, with nothing left to resume
    except KeyboardInterrupt:
        again = tetrastat.simulate(out=tmp_path / "run", checkpoint_ms=20, **settings)
        assert again.path == tmp_path / "run"
    assert tables(tmp_path / "run") == tables(tetrastat.simulate(**settings).path)


def test_shards_are_parts_of_a_run(tmp_path):
    settings = {"controller": "dt20", "board": "8x12", "games": 4, "max_pieces": 50}
    whole = tetrastat.simulate(**settings).games.to_pyarrow()
    part = tetrastat.simulate(out=tmp_path / "part", shard="2/2", **settings).games.to_pyarrow()
    assert part.equals(whole.slice(2))


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"max_piece": 3}, TypeError, "unknown setting 'max_piece': did you mean 'max_pieces'"),
        ({"format": "json"}, TypeError, "only the command line has the option format"),
        ({"games": 0}, tetrastat.SettingError, "games"),
        ({"games": "many"}, ValueError, "write a whole number"),
        ({"board": "40x3"}, ValueError, "'40x3': write WIDTHxHEIGHT"),
        ({"rules": "chess"}, ValueError, "unknown rules 'chess'"),
        ({"controller": "nobody"}, tetrastat.TetrastatError, "'nobody'"),
        ({"rules": "liap", "board": "10x10"}, tetrastat.TetrastatError, "board is an option of classic games"),
        ({"rules": "standard", "clear_on_overflow": True}, tetrastat.TetrastatError, "clear_on_overflow changes"),
    ],
)
def test_errors_name_python_arguments(settings, error, words):
    with pytest.raises(error, match=words) as raised:
        tetrastat.simulate(**settings)
    assert "--" not in str(raised.value) and "\n" not in str(raised.value)


def test_every_option_is_described():
    options = tetrastat.options("simulate")
    assert options["max_lines"].endswith("[default: none]")
    assert set(RUNS["guideline-beam"]) < set(options)
    assert "format" not in options and "from_" not in options
    assert "until_halfwidth" in tetrastat.options("compare")
    with pytest.raises(TypeError, match="no command 'sing'"):
        tetrastat.options("sing")


STUDY = {
    "controllers": ["bcts", "dt20"],
    "boards": ["8x10", (6, 12)],
    "games": 4,
    "max_pieces": 200,
    "placements": "parquet",
    "condition": [{"controller": "dellacherie", "rules": "standard", "board": "10x12"}],
}
TOML = """controllers = ["bcts", "dt20"]
boards = ["8x10", "6x12"]
games = 4
max_pieces = 200
placements = "parquet"
[[condition]]
controller = "dellacherie"
rules = "standard"
board = "10x12"
"""


def test_a_study_has_the_bytes_of_the_command(tmp_path, tetrastat_program):
    ours = tetrastat.study(STUDY, out=tmp_path / "python", threads=2)
    (tmp_path / "my.toml").write_text(TOML)
    command = [tetrastat_program, "study", "my.toml", "--out", "command"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    assert tables(ours.path) == tables(tmp_path / "command")
    assert tables(tetrastat.study(tmp_path / "my.toml").path) == tables(ours.path)
    conditions = ours.conditions.to_pyarrow()
    assert conditions.num_rows == 5 and conditions["controller"].to_pylist()[-1] == "dellacherie"
    assert ours.games.to_pyarrow().num_rows == 20
    assert list(ours.runs) == conditions["folder"].to_pylist()
    last = list(ours.runs.values())[-1]
    assert last.games.to_pyarrow().num_rows == 4
    read = tetrastat.read_study(tmp_path / "command")
    assert read.conditions.to_pyarrow().equals(conditions)


def test_an_invalid_study_is_refused():
    with pytest.raises(tetrastat.TetrastatError, match="condition 1: unknown setting 'gmes'"):
        tetrastat.study({"seeds": [1], "gmes": 3})


def test_a_comparison_equals_that_of_the_command(tmp_path, tetrastat_program):
    found = tetrastat.compare(["bcts", "dt20:search=next"], board="6x10", games=6, max_pieces=100)
    command = [tetrastat_program, "compare", "bcts", "dt20:search=next", *words({"board": "6x10", "games": 6})]
    command += ["--max-pieces", "100", "--format"]
    printed = subprocess.run([*command, "json"], check=True, capture_output=True, text=True).stdout
    theirs = json.loads(printed)
    assert found.summary["pairs"] == theirs["pairs"] and found.reached
    printed = subprocess.run([*command, "csv"], check=True, capture_output=True, text=True).stdout.splitlines()
    estimates = found.estimates.to_pyarrow()
    assert ",".join(estimates.column_names) == printed[0] and estimates.num_rows == len(printed) - 1
    value = printed[0].split(",").index("mean")
    values = [None if line.split(",")[value] == "NA" else float(line.split(",")[value]) for line in printed[1:]]
    assert estimates["mean"].to_pylist() == values
    again = tetrastat.compare(from_=found.path, measure="pieces")
    assert again.summary["measure"] == "pieces"


def test_contrasts_are_ratios_of_means_of_a_study(tmp_path):
    axes = {"controllers": ["bcts", "lee"], "boards": ["6x8", "6x10"]}
    played = tetrastat.study({**axes, "games": 20, "max_pieces": 100, "placements": "none"}, out=tmp_path / "study")
    for place in [played.path, [played.path]]:
        found = tetrastat.compare(from_=place, contrast=["controller:board"]).estimates.to_pyarrow().to_pylist()
        assert [(row["contrast"], row["levels"]) for row in found] == [("controller:board", "lee / bcts, 6x10 / 6x8")]
    # A study of games is compared by pairs without a contrast, and several folders by pairs of conditions.
    folders = sorted(path for path in played.path.iterdir() if path.is_dir())
    pairs = tetrastat.compare(from_=folders, measure="pieces")
    assert pairs.summary["measure"] == "pieces" and pairs.estimates.to_pyarrow().num_rows == 6


def test_a_study_may_play_and_estimate_conditions(tmp_path):
    settings = {"games": 20, "max_pieces": 2000, "placements": "none", "budget": 60_000, "pieces": 4_000}
    axes = {"controllers": ["lee", "bcts"], "boards": ["6x8", "8x12"]}
    pilot = {"method": "auto", "burn_in": 200, "pilot_pieces": 4_000}
    played = tetrastat.study({**axes, **settings, **pilot}, out=tmp_path / "study")
    assert played.table("conditions").to_pyarrow().num_rows == 3 and len(played.runs) == 3
    rows = played.conditions.to_pyarrow().to_pylist()
    assert [row["method"] for row in rows] == ["log_t", "log_t", "log_t", "splitting"]
    assert played.contrasts.to_pyarrow().num_rows == 6
    assert "bcts 8x12  splitting " in str(played) and "bcts 6x8 / bcts 8x12" in str(played)
    assert "bcts 8x12" in played._repr_html_()
    [estimated] = played.estimates.to_pyarrow().to_pylist()
    alone = tetrastat.read_estimate(played.path / estimated["folder"])
    assert estimated["mean"] == pytest.approx(alone.summary["splitting"]["mean"])
    found = tetrastat.compare(from_=played.path, contrast=["controller:board"]).estimates.to_pyarrow().to_pylist()
    assert [row["levels"] for row in found] == ["bcts / lee, 8x12 / 6x8"]


def test_a_missed_target_is_reported(caplog):
    settings = {"board": "6x10", "max_pieces": 100, "until_halfwidth": "1%", "most_games": 40}
    with caplog.at_level(logging.WARNING, "tetrastat"):
        found = tetrastat.compare(["bcts", "dt20"], **settings)
    assert not found.reached and "raise most_games (40)" in caplog.text


def test_an_estimate_stays_in_its_folder(tmp_path):
    settings = {"board": "6x10", "budget": 20_000, "pieces": 4_000, "burn_in": 200, "pilot_pieces": 4_000}
    found = tetrastat.estimate("dt20", out=tmp_path / "estimate", **settings)
    assert found.summary["replications"] == found.replications.to_pyarrow().num_rows
    assert found.levels.to_pyarrow()["level"].to_pylist()[0] == 0
    assert found.heights.columns[0] == "height"
    assert tetrastat.read_estimate(found.path).summary == found.summary


def test_reproductions_list_published_numbers_and_results(tmp_path):
    found = tetrastat.study("reproduce:sprint", quick=True, out=tmp_path / "sprint")
    rows = found.reproduced.to_pyarrow()
    assert set(rows["table"].to_pylist()) == {"sprint"}
    assert tetrastat.read_study(found.path).reproduced.to_pyarrow().equals(rows)


def test_folders_of_another_kind_are_refused(tmp_path):
    with pytest.raises(tetrastat.TetrastatError, match="has no run.json of kind 'run': name a folder that `simulate` wrote"):
        tetrastat.read_run(tmp_path)
    run = tetrastat.simulate("dt20", board="8x12", games=1, max_pieces=20, placements="none")
    with pytest.raises(KeyError, match="has no table 'placements': use one of games"):
        run.placements()


ENDLESS = {"controller": "bcts", "board": "10x20", "games": 2, "max_pieces": "none", "placements": "none"}


def test_other_threads_run_while_games_are_played():
    counted, done = 0, threading.Event()

    def play():
        tetrastat.simulate("bcts", board="10x20", games=2, max_pieces=100_000, threads=1, placements="none")
        done.set()

    thread = threading.Thread(target=play)
    thread.start()
    while not done.wait(0.001):
        counted += 1
    thread.join()
    assert counted > 3


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_stops_a_run_and_keeps_it(tmp_path):
    out = tmp_path / "run"
    main = threading.main_thread().ident
    timer = threading.Timer(0.6, signal.pthread_kill, [main, signal.SIGINT])
    timer.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        tetrastat.simulate(out=out, checkpoint_ms=50, **ENDLESS)
    assert time.monotonic() - began < 20
    assert (out / "run.json").is_file()
    assert tetrastat.read_run(out).manifest["status"] == "interrupted"


def test_progress_is_reported(monkeypatch):
    from tetrastat import _runs

    seen = []

    class Bar(_runs.ProgressBar):
        callback = property(lambda bar: bar)

        def __call__(self, share, text):
            seen.append((share, text))

        def __exit__(self, *_):
            seen.append("closed")

    monkeypatch.setattr(_runs, "ProgressBar", Bar)
    tetrastat.simulate("bcts", games=8, max_pieces=1_000_000, threads=1, placements="none", progress=True)
    assert seen[-1] == "closed"
    assert all(0 <= share <= 1 and "games" in text for share, text in seen[:-1]) and len(seen) > 1


def test_an_error_of_progress_ends_the_run(monkeypatch):
    from tetrastat import _runs

    class Bar(_runs.ProgressBar):
        callback = property(lambda bar: bar)

        def __call__(self, share, text):
            raise RuntimeError("enough")

    monkeypatch.setattr(_runs, "ProgressBar", Bar)
    with pytest.raises(RuntimeError, match="enough"):
        tetrastat.simulate(**ENDLESS, progress=True)


def test_progress_without_tqdm_is_said(monkeypatch, caplog):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    tetrastat.simulate("bcts", games=1, max_pieces=10, placements="none", progress=True)
    assert "pip install tqdm" in caplog.text
