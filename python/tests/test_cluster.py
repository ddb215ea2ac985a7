"""A Ray cluster of three nodes on loopback writes the rows of one process, even if workers, nodes or drivers are killed.

Dask, executors and object stores do so, too.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
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
LOGGED = {"games": 24, "max_pieces": 2000, "placements": "parquet", "seed": 2}
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
        ("train --out x", "method: give one of cem, ga, snes, cmaes, vdcmaes"),
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
    names = ["replications.csv", "levels.csv", "heights.csv", "checkpoint.json"]
    assert same_bytes(tmp_path / "command", tmp_path / "apart", names)


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """Plays a run in parts by two threads, as the reference, and checks it against the run of one process."""
    folder = tmp_path_factory.mktemp("logged")
    alone = tetrastat.simulate(**LOGGED, out=folder / "alone")
    with ThreadPoolExecutor(2) as client:
        out = cluster.simulate(**LOGGED, out=folder / "run", client=client, games_per_task=1).path
    run = tetrastat.read_run(out)
    assert [part["rows"] for part in run.manifest["files"][1]["parts"]] == [2000] * 24
    assert run.manifest["config"] == alone.manifest["config"] and same_bytes(out, alone.path, ["games.csv"])
    call_command("data convert", {"from": str(out), "to": str(folder / "one"), "format": "parquet"})
    assert same_bytes(folder / "one", alone.path, ["games.csv", "placements.parquet"])
    assert not list(folder.glob("*.shards"))
    return out


def parts(run):
    """Returns the files of a run that do not depend on times, by their paths."""
    files = (path for path in sorted(Path(run).rglob("*")) if path.is_file() and path.suffix != ".json")
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


def test_every_reader_takes_parts_for_one_table(logged):
    pyarrow = pytest.importorskip("pyarrow")
    dataset = pytest.importorskip("pyarrow.dataset")
    run = tetrastat.read_run(logged)
    assert list(run.tables) == ["games", "placements"]
    alone = tetrastat.read_run(logged.parent / "alone")
    for selection in [{}, {"games": (3, 5)}, {"where": "holes>2", "every": 7, "columns": ["game", "holes"]}]:
        assert pyarrow.table(run.placements(**selection)) == pyarrow.table(alone.placements(**selection))
    assert dataset.dataset(run.tables["placements"]).count_rows() == 24 * 2000
    polars = pytest.importorskip("polars")
    assert polars.scan_parquet(run.tables["placements"]).select("game").collect()["game"].n_unique() == 24
    pytest.importorskip("duckdb")
    expected = pyarrow.table(alone.placements(["game", "holes"], where="holes>2")).to_pylist()
    lazy = [run.placements(["game", "holes"], where="holes>2").scan(engine) for engine in ("polars", "duckdb")]
    assert lazy[0].collect().to_dicts() == expected and lazy[1].to_arrow_table().to_pylist() == expected


def test_a_study_may_estimate_conditions(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(
        'controllers = ["dt20"]\nboards = ["8x10"]\ngames = 2\nmax_pieces = 100\n'
        '[[condition]]\ncontroller = "dt20"\nboard = "8x9"\nmethod = "estimate"\nbudget = 30000\n'
    )
    with ThreadPoolExecutor(2) as client:
        found = cluster.study(file, out=tmp_path / "out", client=client)
        estimate = next((tmp_path / "out").glob("*/levels.csv"))
        inode = estimate.stat().st_ino
        assert cluster.study(file, out=tmp_path / "out", client=client) == found
    assert estimate.stat().st_ino == inode, "a finished estimate is not played again"


def test_a_changed_or_added_part_is_found(logged, tmp_path):
    import shutil

    run = Path(shutil.copytree(logged, tmp_path / "run"))
    part = run / "placements.parquet" / "part-00007.parquet"
    tetrastat.read_run(run).placements(games=6).to_pyarrow()
    (part.parent / "part-00025.parquet").write_bytes(part.read_bytes())
    with pytest.raises(tetrastat.TetrastatError, match="part-00025.parquet is no part of the run"):
        call_command("data convert", {"from": str(run), "to": str(tmp_path / "one"), "format": "csv"})
    (part.parent / "part-00025.parquet").unlink()
    part.write_bytes(part.read_bytes() + b"0")
    with pytest.raises(tetrastat.TetrastatError, match="part-00007.parquet: .* bytes"):
        call_command("data convert", {"from": str(run), "to": str(tmp_path / "one"), "format": "csv"})


def test_a_run_resumes_from_its_finished_shards(logged, tmp_path, monkeypatch):
    keep, kept = cluster._keep_shard, []

    def fails_after_five(*arguments):
        keep(*arguments)
        kept.append(arguments[3].part)
        if len(kept) == 5:
            raise OSError("no space left")

    monkeypatch.setattr(cluster, "_keep_shard", fails_after_five)
    out = tmp_path / "run"
    # The executor ends the task in play before it closes.
    with ThreadPoolExecutor(1) as client, pytest.raises(OSError, match="no space left"):
        cluster.simulate(**LOGGED, out=out, client=client, games_per_task=1)
    assert 5 <= len(kept) <= 6 and not (out / "run.json").exists()
    with ThreadPoolExecutor(1) as client:
        with pytest.raises(tetrastat.TetrastatError, match="shards of another run"):
            cluster.simulate(**{**LOGGED, "seed": 3}, out=out, client=client)
        # The plan keeps the number of tasks, so that this run is the one that was started.
        cluster.simulate(**LOGGED, out=out, client=client, games_per_task=7)
        assert sorted(kept) == list(range(1, 25)) and parts(out) == parts(logged)
        assert cluster.simulate(**LOGGED, out=out, client=client).path == out
        with pytest.raises(tetrastat.TetrastatError, match="another run"):
            cluster.simulate(**{**LOGGED, "seed": 3}, out=out, client=client)
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "notes.txt").write_text("kept")
        with pytest.raises(tetrastat.TetrastatError, match="other files"):
            cluster.simulate(**LOGGED, out=tmp_path / "mine", client=client)


def test_workers_without_the_folder_send_their_files(logged, tmp_path, monkeypatch):
    play = cluster._play_shard
    monkeypatch.setattr(cluster, "_play_shard", lambda store, waiting, plan, *rest: play(store, waiting, "other", *rest))
    with ThreadPoolExecutor(2) as client:
        out = cluster.simulate(**LOGGED, out=tmp_path / "run", client=client, games_per_task=1).path
        assert parts(out) == parts(logged)
        out = cluster.simulate(**LOGGED, out=tmp_path / "joined", client=client, games_per_task=5, parts=False).path
    assert parts(out) == parts(logged.parent / "alone")


def test_tasks_have_the_length_that_was_measured(tmp_path, monkeypatch):
    measured = []
    measure = cluster._measure_game
    monkeypatch.setattr(cluster, "_measure_game", lambda *arguments: measured.append(measure(*arguments)) or 2.0)
    monkeypatch.setattr(cluster, "PILOT_SECONDS", 0.02)
    with ThreadPoolExecutor(2) as client:
        settings = {"games": "0.09k", "max_pieces": 20, "placements": "none", "client": client}
        cluster.simulate(**settings, out=tmp_path / "run", progress=True, task_seconds=9)
        assert cluster._games_per_task(cluster._pool.ExecutorPool(client), {}, {}, 64, 1.0) == 1
    [seconds] = measured
    assert 0 < seconds < 1
    assert tetrastat.read_run(tmp_path / "run").games.to_pyarrow().num_rows == 90

    cores = type("Cores", (), {"all": lambda _, __, ___: [found]})()
    for found, games, expected in [(2.0, 900, 14), (1e-3, 1000, 1000), (1e-2, 10**4, 500), (40.0, 900, 1), (1e-2, 10**6, 3000)]:
        assert cluster._games_per_task(cores, {}, {}, games, 30.0) == expected
    # A long game is cut off for the measurement.
    assert cluster._measure_game({"placements": "none", "board": "10x20"}, 10**6, None) < 30


def test_a_run_is_written_to_a_url(logged, tmp_path):
    pytest.importorskip("fsspec")
    url = f"file://{tmp_path}/bucket/run"
    with ThreadPoolExecutor(2) as client:
        run = cluster.simulate(**LOGGED, out=url, client=client, games_per_task=1)
        assert run.url == url
        assert cluster.simulate(**LOGGED, out=url, client=client).manifest == run.manifest
    assert [path.name for path in (tmp_path / "bucket").iterdir()] == ["run"], "nothing is left of the shards"
    assert parts(tmp_path / "bucket/run") == parts(logged)
    assert tetrastat.read_run(tmp_path / "bucket/run").placements(games=23).to_pyarrow().num_rows == 2000


def test_memory_is_no_place_for_a_run():
    pytest.importorskip("fsspec")
    with ThreadPoolExecutor(1) as client, pytest.raises(tetrastat.TetrastatError, match="memory://x/y is lost when this program ends"):
        cluster.simulate(**LOGGED, out="memory://x/y", client=client)


def test_a_failing_object_store_is_one_clear_error(logged, tmp_path, monkeypatch):
    pytest.importorskip("fsspec")
    from fsspec.implementations.local import LocalFileSystem

    calls, put_file = [], LocalFileSystem.put_file

    def failing(self, *arguments, **options):
        calls.append(arguments)
        if len(calls) > 8:
            raise RuntimeError("the endpoint\n    is gone")
        return put_file(self, *arguments, **options)

    url = f"file://{tmp_path}/run"
    with ThreadPoolExecutor(2) as client:
        with monkeypatch.context() as broken:
            broken.setattr(LocalFileSystem, "put_file", failing)
            message = r"run.*: RuntimeError: the endpoint is gone: check the object store, then make the same call"
            with pytest.raises(tetrastat.TetrastatError, match=message) as caught:
                cluster.simulate(**LOGGED, out=url, client=client, games_per_task=1)
        assert "\n" not in str(caught.value)
        cluster.simulate(**LOGGED, out=url, client=client, games_per_task=1)
    assert parts(tmp_path / "run") == parts(logged)


def test_another_process_may_complete_the_same_run(logged, tmp_path, monkeypatch):
    complete = cluster._complete

    def completed_twice(*arguments):
        complete(*arguments)
        complete(*arguments)

    monkeypatch.setattr(cluster, "_complete", completed_twice)
    with ThreadPoolExecutor(2) as client:
        out = cluster.simulate(**LOGGED, out=tmp_path / "run", client=client, games_per_task=1).path
    assert parts(out) == parts(logged)
    assert not (tmp_path / "run.shards").exists()


@pytest.fixture
def bucket():
    """Files of an object store with a bucket, and the options that reach it."""
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0)
    s3fs = pytest.importorskip("s3fs")
    server.start()
    host, port = server.get_host_and_port()
    options = {"endpoint_url": f"http://{host}:{port}", "key": "key", "secret": "secret"}
    files = s3fs.S3FileSystem(**options)
    files.mkdir("bucket")
    yield files, options
    server.stop()


def test_a_run_is_written_to_s3_and_read_there(logged, bucket, tmp_path):
    files, options = bucket
    # The workers are processes, so only the bucket is common to them.
    with ProcessPoolExecutor(2) as client:
        run = cluster.simulate(
            **LOGGED, out="s3://bucket/some/run", client=client, games_per_task=2, storage_options=options
        )
    assert files.ls("bucket/some") == ["bucket/some/run"]
    files.get(run.url, str(tmp_path / "run"), recursive=True)
    local, whole = tetrastat.read_run(tmp_path / "run"), tetrastat.read_run(logged)
    assert len(local.manifest["files"][1]["parts"]) == 12
    assert local.placements().to_pyarrow() == whole.placements().to_pyarrow()

    again = tetrastat.read_run("s3://bucket/some/run", storage_options=options)
    assert again.url == run.url and again.manifest == local.manifest and again.tables.keys() == local.tables.keys()
    assert again.games.to_pyarrow() == whole.games.to_pyarrow() and not again.tables["placements"].exists()
    # A lazy frame reads the parts in the store, of which only the first was copied.
    for engine in ("polars", "duckdb"):
        rows, wanted = (
            one.scan(columns=["game", "piece", "holes"], where="piece=T and holes>1", engine=engine) for one in (again, whole)
        )
        rows, wanted = (one.collect() if engine == "polars" else one.pl() for one in (rows, wanted))
        assert rows.sort(rows.columns).equals(wanted.sort(wanted.columns)) and len(rows) > 0
    assert not again.tables["placements"].exists()
    assert again.scan(every=7).collect().equals(whole.scan(every=7).collect())
    assert again.placements(["piece", "holes"], games=3).to_pyarrow() == whole.placements(["piece", "holes"], games=3).to_pyarrow()
    with pytest.raises(KeyError, match="no table 'candidates'"):
        again.scan("candidates")
    with pytest.raises(tetrastat.TetrastatError, match="s3://bucket/none has no run.json: give the URL"):
        tetrastat.read_run("s3://bucket/none", storage_options=options)


def test_dask_plays_what_ray_plays(logged, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        out = cluster.simulate(**LOGGED, out=tmp_path / "run", client=client, games_per_task=1).path
        assert parts(out) == parts(logged)
        result = cluster.train(**{**TRAINING, "generations": 2}, out=tmp_path / "training", client=client)
        assert result["status"] == "complete"
    tetrastat.train(**{**TRAINING, "generations": 2}, out=tmp_path / "alone")
    assert trained(tmp_path / "alone", tmp_path / "training")


def test_a_client_must_have_an_executor(tmp_path):
    with pytest.raises(TypeError, match="Dask client or a concurrent.futures.Executor, not a str"):
        cluster.simulate(**LOGGED, out=tmp_path / "run", client="tcp://host:8786")
    with pytest.raises(tetrastat.SettingError, match="games_per_task 0"):
        cluster.simulate(**LOGGED, out=tmp_path / "run", games_per_task=0)


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
    out = cluster.simulate(out=tmp_path / "run", games=20, max_pieces=200, placements="csv", seed=2).path
    assert same_bytes(alone / "run", out, ["games.csv", "placements.csv"])
    assert cluster.simulate(out=tmp_path / "run", games=20, max_pieces=200, placements="csv", seed=2).path == out
    with pytest.raises(tetrastat.TetrastatError, match="another run"):
        cluster.simulate(out=tmp_path / "run", games=21, max_pieces=200, placements="csv", seed=2)


def test_conditions_record_the_command_of_the_driver(nodes, tmp_path):
    (tmp_path / "study.toml").write_text('controllers = ["bcts"]\nboard = "8x10"\ngames = 2\nmax_pieces = 50\n')
    summary = cluster.study(tmp_path / "study.toml", out=tmp_path / "study")
    run = tetrastat.read_run(tmp_path / "study" / summary["conditions"][0]["folder"])
    assert run.manifest["command"] == sys.orig_argv


def test_controllers_are_found_from_the_folder_of_the_driver(nodes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text('name = "mine"\nmeasured = "after-clear"\n[weights]\nholes = -4.0\nlanding_height = -1.0\n')
    settings = {"board": "8x10", "games": 3, "max_pieces": 50, "seed": 2}
    out = cluster.simulate("mine.toml", out="there", **settings).path
    run = tetrastat.simulate("mine.toml", out="here", **settings)
    assert same_bytes(out, run.path, ["games.csv"])


def test_a_study_has_the_bytes_of_one_machine(nodes, alone, tmp_path):
    summary = cluster.study(alone / "study.toml", out=tmp_path / "study")
    assert len(summary["conditions"]) == 6
    assert same_bytes(alone / "study", tmp_path / "study", ["conditions.csv", "games.csv", "study.toml"])
    placements = [row["folder"] + "/placements.csv" for row in summary["conditions"]]
    assert same_bytes(alone / "study", tmp_path / "study", placements)


def test_an_estimate_has_the_bytes_of_one_machine(nodes, alone, tmp_path):
    cluster.estimate(out=tmp_path / "estimate", **ESTIMATE)
    names = ["replications.csv", "levels.csv", "heights.csv", "checkpoint.json"]
    assert same_bytes(alone / "estimate", tmp_path / "estimate", names)


def test_players_are_compared(nodes, tmp_path):
    summary = cluster.compare(
        ["bcts", "dellacherie:search=greedy"], out=tmp_path / "both", games=10, board="8x10", max_pieces=300
    )
    assert json.dumps(summary).count("dellacherie") >= 1


def kill_workers(count):
    """Kills up to `count` of the processes that run tasks now. Returns the ids of those that it killed."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line for line in listed.splitlines() if "ray::_play" in line or "ray::_as_driver" in line]
    killed = []
    for process in [int(line.split()[0]) for line in lines[:count]]:
        # A task may have ended since the list was made.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
            killed.append(process)
    return killed


def test_killed_workers_change_nothing(nodes, alone, tmp_path):
    killed = []

    def kill():
        while not killed:
            killed.extend(kill_workers(1))
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    cluster.train(**TRAINING, out=tmp_path / "training")
    if not killed:
        killed.append(None)
    killer.join()
    assert killed != [None] and trained(alone / "training", tmp_path / "training")


def test_a_task_that_kills_its_workers_is_named(nodes):
    from tetrastat.cluster._pool import pool

    with pool(None, max_retries=1) as cores:
        shard = cluster.Shard(3, 7)
        with pytest.raises(tetrastat.TetrastatError, match="shard 3/7 of the games: each worker that played it was lost"):
            list(cores.each(os._exit, {shard: (1,)}))
        with pytest.raises(tetrastat.TetrastatError, match="task 1 of 1"):
            cores.all(os._exit, [(1,)])


def test_killed_workers_and_nodes_change_no_part(nodes, logged, tmp_path):
    settings = {**LOGGED, "out": tmp_path / "run", "games_per_task": 1}
    kept, killed = lambda: len(list(tmp_path.glob("run.shards/*/run.json"))), []

    def kill():
        while kept() < 1:
            time.sleep(0.002)
        # On a busy machine no task may run at this moment.
        while not killed:
            killed.extend(kill_workers(2))
        # Tasks are short, so the node is lost before the workers are back: a later moment could be missed.
        nodes.cluster.remove_node(nodes.others.pop(), allow_graceful=False)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    cluster.simulate(**settings)
    # Ray takes its time to end a node on a busy machine.
    killer.join(60)
    assert not killer.is_alive(), "the first finished task was missed, or the node did not end"
    assert killed and len(nodes.others) == 1
    assert parts(tmp_path / "run") == parts(logged)


def test_a_killed_driver_keeps_its_parts(nodes, logged, tmp_path):
    words = ["simulate", "--address", nodes.address, "--games-per-task", "1", "--out", str(tmp_path / "run")]
    for name, value in LOGGED.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    run = [sys.executable, "-m", "tetrastat.cluster", *words]
    driver = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finished = lambda: {path.parent.name: path.stat().st_ino for path in tmp_path.glob("run.shards/*/run.json")}
    while driver.poll() is None and len(finished()) < 3:
        time.sleep(0.005)
    driver.kill()
    driver.communicate()
    assert not (tmp_path / "run" / "run.json").exists()
    written = {path: path.stat().st_ino for path in (tmp_path / "run").rglob("*.parquet")}
    assert len(written) >= 3
    again = subprocess.run(run, capture_output=True, text=True)
    assert again.returncode == 0 and again.stdout.strip() == str(tmp_path / "run"), again.stderr
    assert "tasks done, " in again.stderr and "Traceback" not in again.stderr
    assert parts(tmp_path / "run") == parts(logged) and not (tmp_path / "run.shards").exists()
    kept = [path for path, inode in written.items() if path.stat().st_ino == inode]
    assert len(kept) >= 3, "finished parts are not played again"


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
    assert not (tmp_path / "training" / "run.json").exists()
    again = subprocess.run(run, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["resumed"] and trained(alone / "training", tmp_path / "training")
