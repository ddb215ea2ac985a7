"""Commands as functions: each returns what the command prints or writes."""

import json
import os
import subprocess

import pytest
import tetrastat

COMMAND = os.environ.get("TETRASTAT")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("commands") / "run"
    settings = {"board": "8x10", "games": 2, "max_pieces": 60, "seed": 3, "placements": "csv", "columns": ["minimal", "board_before"]}
    tetrastat.simulate("dt20", out=path, **settings)
    return path


def printed(*words):
    if COMMAND is None:
        pytest.skip("TETRASTAT does not name the command")
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, check=True).stdout


def test_controllers_are_listed():
    listed = tetrastat.show_controllers()
    names = {one["name"]: one for one in listed["controllers"]}
    assert names["tetrastat-sprint"]["game"] == "guideline"
    assert json.loads(printed("show", "controllers", "--format", "json")) == listed
    weights = {one["feature"]: one["weight"] for one in tetrastat.show_controllers("bcts")["weights"]}
    assert weights["holes"] == -13.08335 and len(weights) == names["bcts"]["features"]
    with pytest.raises(tetrastat.TetrastatError, match="unknown controller 'bcst'"):
        tetrastat.show_controllers("bcst")


def test_features_are_listed():
    listed = tetrastat.commands.show_features()["features"]
    assert {"holes", "wells"} <= {one["name"] for one in listed}
    measured = tetrastat.commands.show_board(picture="..../..../..../#...", piece="O", board=(4, 4))
    assert measured["board"][-1] == "#..." and len(measured["placements"]) == 3


def test_exact_means_are_those_of_the_command():
    found = tetrastat.exact("bcts", board="4x5")
    assert found == json.loads(printed("exact", "--board", "4x5", "--controller", "bcts", "--format", "json"))


def test_tables_are_converted(folder, tmp_path):
    some = {"columns": ["game", "score"], "where": "lines>0"}
    path = tetrastat.data_convert(folder / "placements.csv", tmp_path / "placements.parquet", **some)
    assert tetrastat.Table(path).columns == ["game", "score"]
    run = tetrastat.data_convert(folder, tmp_path / "whole", format="parquet")
    assert isinstance(run, tetrastat.Run) and run.tables["placements"].suffix == ".parquet"
    with pytest.raises(tetrastat.SettingError, match="where"):
        tetrastat.data_convert(folder / "placements.csv", tmp_path / "none.csv", where="lines>")


def test_folders_are_verified(folder, tmp_path):
    verified = tetrastat.data_verify(folder)
    assert "placements.csv" in [file["name"] for file in verified["files"] if file["is_ok"]]
    copy = tetrastat.data_convert(folder, tmp_path / "damaged", format="csv").path
    with open(copy / "games.csv", "a") as file:
        file.write("9\n")
    with pytest.raises(tetrastat.TetrastatError, match="games.csv"):
        tetrastat.data_verify(copy)


def test_shards_are_merged(tmp_path):
    settings = {"board": "8x10", "games": 4, "max_pieces": 40, "placements": "none"}
    shards = [tetrastat.simulate("dt20", shard=f"{part}/2", out=tmp_path / str(part), **settings) for part in (1, 2)]
    run = tetrastat.data_merge([shard.path for shard in shards], out=tmp_path / "whole")
    alone = tetrastat.simulate("dt20", out=tmp_path / "alone", **settings)
    assert isinstance(run, tetrastat.Run)
    assert run.tables["games"].read_bytes() == alone.tables["games"].read_bytes()


def test_rollouts_have_tables(folder):
    found = tetrastat.label(from_=folder, every=20, replicates=2, horizon=10)
    assert found.summary["continuations"] and "rollouts" in found.tables
    path = found.path
    assert path.is_dir()
    del found
    assert not path.exists()


def test_placements_are_annotated(folder, tmp_path):
    path = tetrastat.annotate(folder / "placements.csv", out=tmp_path / "scored.csv", controller="bcts")
    assert path == tmp_path / "scored.csv" and "score" in path.read_text().splitlines()[0]


def test_pages_are_written(folder, tmp_path):
    tetrastat.view(folder, out=tmp_path / "page.html")
    assert "<html" in (tmp_path / "page.html").read_text()[:200]


def test_liap_is_played(tmp_path):
    run = tetrastat.simulate(rules="liap", games=2, seed=1, out=tmp_path / "liap")
    assert isinstance(run, tetrastat.Run) and "matches" in run.tables
    assert tetrastat.commands.liap_declare is not None


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tetrastat.exact(bord="4x5"), TypeError, "did you mean 'board'"),
        (lambda: tetrastat.exact(format="csv"), TypeError, "only the command line has the option format"),
        (lambda: tetrastat.exact(board="4x"), ValueError, "board"),
        (lambda: tetrastat.data_verify("nowhere"), tetrastat.TetrastatError, "nowhere"),
    ],
)
def test_errors_are_clear(call, error, message):
    with pytest.raises(error, match=message):
        call()
