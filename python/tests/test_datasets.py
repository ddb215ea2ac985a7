"""Data sets: played once into the cache with the promised bytes, and read alike by every library."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import tetrastat
from tetrastat import Board, TetrastatError, datasets

ROWS = 19_942


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return datasets.load("tiny", path=tmp_path_factory.mktemp("datasets") / "tiny")


def test_a_named_data_set_is_played_once_into_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TETRASTAT_CACHE", os.fspath(tmp_path))
    first = datasets.load("tiny")
    written = (first.path / "SHA256SUMS").stat().st_mtime_ns
    assert first.path.parent == tmp_path and first.path.name.startswith("tiny-")
    # No scratch folder remains beside it, only the record of the checked files.
    assert sorted(tmp_path.iterdir()) == [tmp_path / "checked", first.path]
    assert len(list((tmp_path / "checked").iterdir())) == 1
    monkeypatch.setattr(datasets, "_play", None)
    again = datasets.load("tiny")
    assert again.path == first.path and (again.path / "SHA256SUMS").stat().st_mtime_ns == written


def test_the_cache_follows_the_variables_of_the_user(monkeypatch):
    monkeypatch.delenv("TETRASTAT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/of-system")
    assert datasets._cache() == Path("/of-system/tetrastat")
    monkeypatch.setenv("TETRASTAT_CACHE", "/own")
    assert datasets._cache() == Path("/own")


def test_threads_that_load_at_once_get_one_data_set(tmp_path):
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: datasets.load("tiny", path=tmp_path / "tiny"), range(2)))
    assert [one.path for one in found] == [tmp_path / "tiny"] * 2
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]


def test_the_program_writes_the_same_tables(tiny, tmp_path, tetrastat_program):
    subprocess.run([tetrastat_program, "data", "set", "tiny", "--out", "other"], cwd=tmp_path, check=True, capture_output=True)
    sums = [(path / "SHA256SUMS").read_text().splitlines() for path in (tiny.path, tmp_path / "other")]
    tables = [[line for line in lines if line.endswith((".csv", ".parquet"))] for lines in sums]
    assert len(tables[0]) == 8 and tables[0] == tables[1]
    assert [datasets.load(tmp_path / "other").name, tiny.version] == ["tetrastat-tiny", "1.0.0"]


def test_other_bytes_than_promised_are_an_error(tmp_path, monkeypatch):
    text, sums = datasets._NAMED["tiny"]
    monkeypatch.setitem(datasets._NAMED, "tiny", (text, "0" + sums[1:] if sums[0] != "0" else "1" + sums[1:]))
    with pytest.raises(TetrastatError, match="1 tables, such as conditions.csv.*remove the folder"):
        datasets.load("tiny", path=tmp_path / "tiny")
    assert list(tmp_path.iterdir()) == []


def damage_part(folder):
    """Replaces one part by another one, with the same time."""
    part, other = sorted((folder / "placements").rglob("*.parquet"))[:2]
    times = part.stat()
    shutil.copyfile(other, part)
    os.utime(part, ns=(times.st_atime_ns, times.st_mtime_ns))


def edit_games(folder):
    """Changes one digit of the games, with the same size and time."""
    games = folder / "games.csv"
    times, text = games.stat(), games.read_bytes()
    games.write_bytes(text[:-2] + (b"1" if text[-2:-1] != b"1" else b"2") + text[-1:])
    os.utime(games, ns=(times.st_atime_ns, times.st_mtime_ns))


def edit_description(folder):
    (folder / "datapackage.json").write_text((folder / "datapackage.json").read_text() + " ")


def lose_part(folder):
    next((folder / "placements").rglob("*.parquet")).unlink()


def add_part(folder):
    part = next((folder / "placements").rglob("*.parquet"))
    shutil.copyfile(part, part.with_name("copy.parquet"))


def cut_sums(folder):
    (folder / "SHA256SUMS").write_text("0123  games.csv\n")


@pytest.mark.parametrize(
    ("harm", "problem"),
    [
        (damage_part, "1 files, such as placements/.*, do not have the bytes of this data set"),
        (edit_games, "1 files, such as games.csv, do not have the bytes of this data set"),
        (edit_description, "1 files, such as datapackage.json, do not have the bytes"),
        (lose_part, "1 files, such as placements/.*, are missing"),
        (add_part, "1 files, such as placements/.*/copy.parquet, are not in SHA256SUMS: remove these files"),
    ],
)
@pytest.mark.parametrize("is_known", [True, False], ids=["checked before", "first check"])
def test_damaged_data_sets_are_refused(tiny, tmp_path, harm, problem, is_known):
    named, own = tmp_path / "tiny", tmp_path / "own"
    for folder in (named, own):
        shutil.copytree(tiny.path, folder)
        if is_known:
            datasets.load(folder)
        harm(folder)
    for _ in range(2):
        with pytest.raises(TetrastatError, match=f"^{re.escape(str(named))}: {problem}"):
            datasets.load("tiny", path=named)
        with pytest.raises(TetrastatError, match=f"^{re.escape(str(own))}: {problem}"):
            datasets.load(own)
    # The remedy for a named data set works.
    shutil.rmtree(named)
    assert datasets.load("tiny", path=named).name == "tetrastat-tiny"


def test_damaged_checksums_are_refused(tiny, tmp_path):
    shutil.copytree(tiny.path, tmp_path / "own")
    cut_sums(tmp_path / "own")
    with pytest.raises(TetrastatError, match="own: SHA256SUMS is damaged: restore these files from a copy"):
        datasets.load(tmp_path / "own")


def test_bytes_are_read_once_unless_a_file_has_changed(tiny, tmp_path, monkeypatch):
    cache, folder, read = tmp_path / "cache", tmp_path / "own", []
    monkeypatch.setenv("TETRASTAT_CACHE", os.fspath(cache))
    checksum = datasets._sha256
    monkeypatch.setattr(datasets, "_sha256", lambda path: read.append(path.name) or checksum(path))

    def files_read():
        read.clear()
        datasets.load(folder)
        return len(read)

    shutil.copytree(tiny.path, folder)
    assert [files_read(), files_read()] == [9, 0]
    os.utime(folder / "games.csv")
    assert [files_read(), files_read()] == [1, 0]
    # A damaged record is not trusted, and a cache that cannot be written only costs time.
    (record,) = (cache / "checked").iterdir()
    record.write_text('{"games.csv": 1')
    assert [files_read(), files_read()] == [9, 0]
    shutil.rmtree(cache)
    cache.write_text("a file in the place of the cache")
    assert [files_read(), files_read()] == [9, 9]


def test_mistakes_name_the_remedy(tiny, tmp_path):
    with pytest.raises(TetrastatError, match="is no data set: name one of tiny, small, tasks"):
        datasets.load("tniy")
    (tmp_path / "notes.txt").write_text("kept")
    with pytest.raises(TetrastatError, match="choose another path"):
        datasets.load("tiny", path=tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "kept"
    with pytest.raises(KeyError, match="use one of conditions, games"):
        tiny.table("gmaes")
    with pytest.raises(KeyError, match="no partitions of 'candidates'"):
        tiny.polars("candidates")


@pytest.mark.parametrize(
    ("method", "module", "package"),
    [
        ("arrow", "pyarrow", "pyarrow"),
        ("polars", "polars", "polars"),
        ("duckdb", "duckdb", "duckdb"),
        ("huggingface", "datasets", "datasets"),
        ("to_minari", "minari", "minari"),
    ],
)
def test_an_absent_library_is_named_with_its_command(tiny, monkeypatch, method, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"^{method}\(\) needs {package}: pip install '{package}'$"):
        getattr(tiny, method)(*(["tetris/tiny-v0"] if method == "to_minari" else []))


def test_the_tables_and_the_card(tiny):
    pytest.importorskip("pyarrow")
    games = tiny.table("games").to_pyarrow()
    assert games.num_rows == 60 and sum(games["pieces"].to_pylist()) == ROWS
    files = tiny.table("conditions", ["file"]).to_pyarrow()["file"].to_pylist()
    assert len(files) == 6 and all((tiny.path / file).is_file() for file in files)
    assert tiny.table("games", ["game"], where="condition=2 and game<3").to_pyarrow().num_rows == 3
    assert tiny.card.startswith("# Decisions of three controllers") and "CC0" in tiny.card
    assert repr(tiny) == "<Dataset tetrastat-tiny 1.0.0: conditions, games, placements>"


def test_arrow_polars_and_duckdb_agree(tiny):
    arrow, polars, duckdb = (pytest.importorskip(name) for name in ("pyarrow.compute", "polars", "duckdb"))
    kept = (arrow.field("held_out") == "false") & (arrow.field("queue") == "bag") & (arrow.field("split") == "train")
    rows = tiny.arrow().to_table(["d_holes"], filter=kept)
    assert tiny.arrow().count_rows() == ROWS and 0 < rows.num_rows < ROWS
    column = polars.col
    wanted = (column("held_out") == "false") & (column("queue") == "bag") & (column("split") == "train")
    frame = tiny.polars()
    assert isinstance(frame, polars.LazyFrame)
    assert frame.filter(wanted).select(polars.len(), column("d_holes").sum()).collect().row(0) == (
        rows.num_rows,
        sum(rows["d_holes"].to_pylist()),
    )
    with duckdb.connect() as connection:
        relation = tiny.duckdb(connection=connection)
        relation = relation.filter("held_out = 'false' AND queue = 'bag' AND split = 'train'")
        assert relation.aggregate("count(*), sum(d_holes)").fetchall() == [(rows.num_rows, sum(rows["d_holes"].to_pylist()))]
    assert tiny.duckdb().aggregate("count(*)").fetchall() == [(ROWS,)]


@pytest.mark.parametrize("streaming", [True, False])
def test_hugging_face_has_the_splits(tiny, streaming, tmp_path, monkeypatch):
    reader = pytest.importorskip("datasets")
    monkeypatch.setattr(reader.config, "HF_DATASETS_CACHE", tmp_path)
    found = tiny.huggingface(streaming=streaming)
    splits = {name: [row["split"] for row in rows] for name, rows in found.items()}
    assert list(splits) == ["train", "validation", "test", "held_out"]
    assert sum(map(len, splits.values())) == ROWS
    assert all(set(splits[name]) == {name} for name in ("train", "validation", "test") if splits[name])


def test_minari_has_the_games_as_episodes(tiny, tmp_path, monkeypatch):
    for name in ("minari", "PIL", "pyarrow"):
        pytest.importorskip(name)
    monkeypatch.setenv("MINARI_DATASETS_PATH", os.fspath(tmp_path))
    written = tiny.to_minari("tetris/tiny-v0")
    assert (written.total_episodes, written.total_steps) == (40, 40 * 334)
    games = tiny.table("games", ["lines", "censored"]).to_pyarrow().to_pylist()
    for episode, game in zip(written.iterate_episodes(range(0, 40, 13)), games[0:40:13]):
        seen = episode.observations
        assert episode.rewards.sum() == game["lines"] and episode.truncations[-1] == game["censored"]
        for at, (orientation, column) in enumerate(episode.actions):
            placed = Board.from_array(seen["board"][at]).place("IOTSZJL"[seen["piece"][at]], orientation, column)
            assert placed.lines == episode.rewards[at]
            assert np.array_equal(placed.board.cells(), seen["board"][at + 1])
            assert seen["next"][at] == seen["piece"][at + 1]
        assert seen["next"][-1] == 7
    # Three games of `lee` end by themselves.
    lost = tiny.to_minari("tetris/lee-v0", conditions=[5])
    assert sum(bool(episode.terminations[-1]) for episode in lost.iterate_episodes()) == 3
    assert all(episode.terminations[-1] != episode.truncations[-1] for episode in lost.iterate_episodes())
    test = tiny.to_minari("tetris/test-v0", split="test")
    assert 0 < test.total_episodes < 40
    for wrong, message in [({"conditions": [7]}, "has no 7: use 1 to 6"), ({"split": "tset"}, "use train")]:
        with pytest.raises(TetrastatError, match=message):
            tiny.to_minari("tetris/wrong-v0", **wrong)


def test_the_package_exports_the_module():
    assert tetrastat.datasets is datasets and "datasets" in tetrastat.__all__


def test_the_baselines_of_the_prediction_tasks_run(tmp_path, tetrastat_program, monkeypatch, capsys):
    pytest.importorskip("sklearn")
    text = Path(__file__).parents[2].joinpath("data/datasets/tasks.toml").read_text(encoding="utf-8")
    smaller = {
        "games = 100": "games = 12",
        "max_pieces = 5000": "max_pieces = 500",
        "replicates = 50": "replicates = 2",
        "replicates = 400": "replicates = 4",
        "horizon = 100": "horizon = 20",
    }
    for setting, value in smaller.items():
        assert setting in text
        text = text.replace(setting, value)
    (tmp_path / "few.toml").write_text(text, encoding="utf-8")
    subprocess.run([tetrastat_program, "data", "set", "few.toml", "--out", "few"], cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.setattr(sys, "argv", ["prediction_tasks.py", os.fspath(tmp_path / "few")])
    runpy.run_path(os.fspath(Path(__file__).parents[1] / "examples/prediction_tasks.py"), run_name="__main__")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == ["choice"] * 3 + ["best"] * 10 + ["lines"] * 3
    share = {row[1]: float(row[3].split()[0]) for row in rows[:3]}
    # Controllers choose by these features, so a model of few decisions already predicts most choices.
    assert share["one candidate at random"] < 0.1 and share["conditional logit"] > 0.6
    for row in rows:
        for cell in row[3:]:
            value, low, high = (float(number) for number in re.fullmatch(r"(\S+) \((\S+) to (\S+)\)", cell).groups())
            assert low <= value <= high
