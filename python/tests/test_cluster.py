"""A Ray cluster of three nodes on loopback writes the same bytes as one process, even if workers, nodes or drivers are killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tetrastat
from tetrastat import cluster
from tetrastat._tetrastat import _Estimate, call_command, replicate

TRAINING = {
    "method": "cem",
    "board": "10x10",
    "features": "bcts",
    "games": 10,
    "max_pieces": 500,
    "population": 20,
    "elite": 5,
    "generations": 4,
    "check_every": 2,
    "check_games": 10,
    "finalists": 2,
    "final_games": 20,
    "held_out_games": 40,
    "seed": 9,
}
STUDY = """controllers = ["bcts", "dellacherie", "dt20"]
boards = ["8x10", "10x10"]
games = 10
max_pieces = 300
seed = 4
placements = "csv"
"""
ESTIMATE = {"board": "8x10", "pieces": 3000, "burn_in": 300, "pilot_pieces": 3000, "budget": 60_000, "seed": 3}


def same_bytes(one, other, names):
    return all((Path(one) / name).read_bytes() == (Path(other) / name).read_bytes() for name in names)


def trained(one, other):
    return same_bytes(one, other, ["controller.toml", "history.csv"])


def test_the_error_without_ray_names_the_package_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(tetrastat.TetrastatError, match=r"pip install 'ray>=2.40'"):
        cluster.train(**TRAINING, out=tmp_path / "run")
    with pytest.raises(tetrastat.TetrastatError, match="ray"):
        cluster.simulate(out=tmp_path / "run", games=2)


def test_tasks_cover_all_pairs_of_a_batch():
    evaluator = tetrastat.Evaluator(**{**TRAINING, "max_pieces": 50})
    weights = np.random.default_rng(1).normal(size=(7, 8))
    whole = evaluator.play(weights, 5, 10, 0, 70)
    pace = cluster.Pace(task_seconds=1.0, cores=3)
    parts = list(pace.parts(weights, 5, 10))
    assert len(parts) == 9
    assert (np.concatenate([evaluator.play(*part) for part in parts]) == whole).all()
    pace.learn(seconds=70.0, pairs=70)
    assert pace.size(700) == 1, "each pair takes a second"
    pace.learn(seconds=0.07, pairs=70)
    assert (pace.size(70), pace.size(90_000)) == (50, 1000), "a task takes at least 0.05 seconds and at most one second"


def test_command_lines_become_settings():
    from tetrastat.cluster.__main__ import _settings

    words = "cem --robust-elite --board 10x10 --initial=-1,1 --bounds -2,2 --out there".split()
    settings = {"robust_elite": True, "board": "10x10", "initial": "-1,1", "bounds": "-2,2", "out": "there"}
    assert _settings(words) == (["cem"], settings)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("simulate --games 1k", "give --out DIR"),
        ("simulate bcts dt20 --out x", "at most 1 word without an option, not bcts dt20"),
        ("simulate --games many --out x", "write a whole number"),
        ("simulate --controller mine.toml --out x", "mine.toml"),
        ("simulate --gmes 3 --out x", "'gmes'"),
        ("compare bcts dt20 --until-halfwidth 5% --out x", "it takes measure and the options of simulate"),
        ("compare bcts dt20 --gmes 5 --out x", "no option 'gmes'"),
        ("study --out x", "name its file"),
        ("study absent.toml --out x", "absent.toml"),
        ("simulate --games 2 --max-pieces 20 --address 127.0.0.1:1 --out x", "no Ray answers at 127.0.0.1:1"),
        ("train --out x", "the optimiser is missing"),
    ],
)
def test_errors_of_the_command_line_are_one_line(words, message, tmp_path, monkeypatch, capfd):
    from tetrastat.cluster.__main__ import main

    if "--address" in words:
        pytest.importorskip("ray")
    monkeypatch.chdir(tmp_path)
    assert main(words.split()) == 2
    printed = capfd.readouterr()
    lines = printed.err.splitlines()
    assert lines[-1].startswith("tetrastat.cluster: ") and message in lines[-1] and "Traceback" not in printed.err
    assert not list(tmp_path.glob("x*"))


def test_replications_added_one_by_one_give_the_estimate(tmp_path):
    call_command("estimate", {**ESTIMATE, "out": str(tmp_path / "command"), "format": "json"})
    estimation = _Estimate(**ESTIMATE, out=tmp_path / "apart")
    while not estimation.is_enough:
        if estimation.next == 3:
            del estimation
            estimation = _Estimate(**ESTIMATE, out=tmp_path / "apart")
        estimation.tell(replicate(ESTIMATE, estimation.levels, estimation.next))
    estimation.finish()
    names = ["plan.json", "replications.jsonl", "replications.csv", "levels.csv", "heights.csv", "estimate.json"]
    assert same_bytes(tmp_path / "command", tmp_path / "apart", names)


class Nodes:
    """Cluster of three nodes with two cores each, in separate processes on this machine.

    The nodes have the address that Ray finds for the machine. A driver looks for them there even if it is given loopback.
    """

    def __init__(self):
        from ray.cluster_utils import Cluster

        self.cluster = Cluster(initialize_head=True, head_node_args=self.node())
        self.others = [self.cluster.add_node(**self.node()) for _ in range(2)]
        self.address = self.cluster.address

    @staticmethod
    def node():
        return {
            "num_cpus": 2,
            "object_store_memory": 80_000_000,
            "include_dashboard": False,
        }


@pytest.fixture(scope="module")
def nodes():
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray = pytest.importorskip("ray", reason="no Ray: pip install 'ray>=2.40'")
    nodes = Nodes()
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    yield nodes
    ray.shutdown()
    nodes.cluster.shutdown()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """Plays the same work in one process, as the reference."""
    folder = tmp_path_factory.mktemp("alone")
    tetrastat.train(**TRAINING, out=folder / "training")
    (folder / "study.toml").write_text(STUDY)
    call_command("study", {"file": str(folder / "study.toml"), "out": str(folder / "study")})
    call_command("estimate", {**ESTIMATE, "out": str(folder / "estimate")})
    settings = {"games": 20, "max_pieces": 200, "placements": "csv", "seed": 2, "out": str(folder / "run")}
    call_command("simulate", settings)
    return folder


def test_a_training_has_the_bytes_of_one_machine(nodes, alone, tmp_path):
    result = cluster.train(**TRAINING, out=tmp_path / "training")
    assert result["status"] == "complete" and trained(alone / "training", tmp_path / "training")


def test_a_run_has_the_bytes_of_one_machine(nodes, alone, tmp_path):
    out = cluster.simulate(out=tmp_path / "run", games=20, max_pieces=200, placements="csv", seed=2)
    assert same_bytes(alone / "run", out, ["games.csv", "placements.csv"])
    assert cluster.simulate(out=tmp_path / "run", games=20, max_pieces=200, placements="csv", seed=2) == out
    with pytest.raises(tetrastat.TetrastatError, match="another run"):
        cluster.simulate(out=tmp_path / "run", games=21, max_pieces=200, placements="csv", seed=2)


def test_shards_do_not_depend_on_the_cores_at_the_start(nodes, tmp_path, monkeypatch):
    from tetrastat.cluster import _ray

    monkeypatch.setattr(_ray.Pool, "count", 1)
    given = []
    each = _ray.Pool.each
    monkeypatch.setattr(_ray.Pool, "each", lambda pool, work, tasks: given.append(len(tasks)) or each(pool, work, tasks))
    cluster.simulate("dt20", out=tmp_path / "run", games="12", board="8x10", max_pieces=50)
    assert given == [12]


def test_conditions_record_the_command_of_the_driver(nodes, tmp_path):
    (tmp_path / "study.toml").write_text('controllers = ["bcts"]\nboard = "8x10"\ngames = 2\nmax_pieces = 50\n')
    summary = cluster.study(tmp_path / "study.toml", out=tmp_path / "study")
    run = tetrastat.read_run(tmp_path / "study" / summary["conditions"][0]["folder"])
    assert run.manifest["command"] == sys.orig_argv


def test_controllers_are_found_from_the_folder_of_the_driver(nodes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('name = "mine"\nmeasured = "after-clear"\n[weights]\nholes = -4.0\nlanding_height = -1.0\n')
    settings = {"board": "8x10", "games": 3, "max_pieces": 50, "seed": 2}
    out = cluster.simulate("mine.toml", out="there", **settings)
    run = tetrastat.simulate("mine.toml", out="here", **settings)
    assert same_bytes(out, run.path, ["games.csv"])


def test_the_command_line_reports_progress(nodes, tmp_path):
    words = f"simulate bcts --games 1k --max-pieces 5 --board 6x8 --shards 4 --address {nodes.address} --out run"
    run = [sys.executable, "-m", "tetrastat.cluster", *words.split()]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip() == "run", done.stderr
    assert "4 of 4 tasks done" in done.stderr and "Traceback" not in done.stderr


def test_a_study_has_the_bytes_of_one_machine(nodes, alone, tmp_path):
    summary = cluster.study(alone / "study.toml", out=tmp_path / "study")
    assert len(summary["conditions"]) == 6
    assert same_bytes(alone / "study", tmp_path / "study", ["conditions.csv", "games.csv", "study.toml"])
    placements = [row["folder"] + "/placements.csv" for row in summary["conditions"]]
    assert same_bytes(alone / "study", tmp_path / "study", placements)


def test_an_estimate_has_the_bytes_of_one_machine(nodes, alone, tmp_path):
    cluster.estimate(out=tmp_path / "estimate", **ESTIMATE)
    names = ["replications.jsonl", "replications.csv", "levels.csv", "heights.csv", "estimate.json"]
    assert same_bytes(alone / "estimate", tmp_path / "estimate", names)


def test_players_are_compared(nodes, tmp_path):
    summary = cluster.compare(
        ["bcts", "dellacherie:search=greedy"], out=tmp_path / "both", games=10, board="8x10", max_pieces=300
    )
    assert json.dumps(summary).count("dellacherie") >= 1


def workers():
    """Returns the processes that run tasks now."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "ray::_play" in line or "ray::_as_driver" in line]


def test_killed_workers_change_nothing(nodes, alone, tmp_path):
    killed = []

    def kill():
        while not killed:
            for process in workers()[:1]:
                os.kill(process, signal.SIGKILL)
                killed.append(process)
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    cluster.train(**TRAINING, out=tmp_path / "training")
    if not killed:
        killed.append(None)
    killer.join()
    assert killed != [None] and trained(alone / "training", tmp_path / "training")


def test_a_killed_node_changes_nothing(nodes, alone, tmp_path):
    node = nodes.others.pop()
    threading.Timer(0.3, nodes.cluster.remove_node, [node], {"allow_graceful": False}).start()
    cluster.train(**TRAINING, out=tmp_path / "training")
    assert trained(alone / "training", tmp_path / "training")


def test_stdout_holds_only_the_result(monkeypatch, capsys):
    from tetrastat.cluster import __main__ as command

    def noisy(*_):
        print("(raylet) a node has been marked dead")
        return {"resumed": 1}

    monkeypatch.setattr(command, "_run", noisy)
    assert command.main(["train", "cem"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"resumed": 1} and "(raylet)" in printed.err


def test_a_killed_driver_resumes(nodes, alone, tmp_path):
    words = ["train", str(TRAINING["method"]), "--address", nodes.address]
    for name, value in TRAINING.items():
        words += [] if name == "method" else ["--" + name.replace("_", "-"), str(value)]
    run = [sys.executable, "-m", "tetrastat.cluster", *words, "--out", str(tmp_path / "training")]
    driver = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    checkpoint = tmp_path / "training" / "checkpoint.json"
    while driver.poll() is None and '"generation":1' not in (checkpoint.read_text() if checkpoint.exists() else ""):
        time.sleep(0.005)
    driver.kill()
    driver.communicate()
    assert not (tmp_path / "training" / "train.json").exists()
    again = subprocess.run(run, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["resumed"] and trained(alone / "training", tmp_path / "training")
