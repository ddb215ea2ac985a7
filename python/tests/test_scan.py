"""Lazy frames of tables, logs in memory, and streams: each has the rows of the engine's own reader."""

import pickle

import polars
import pyarrow
import pytest

import tetrastat

GAMES = {"controller": "dt20", "board": "10x10", "games": 6, "max_pieces": 60, "seed": 5}
SELECTIONS = [
    (None, None, None),
    (["game", "piece", "holes"], "holes>=1 and piece=I", None),
    (["piece_no", "well_column", "score"], "well_column=NA and game<4", 3),
    (["score"], "rank2_score!=NA and perfect=FALSE and score<=9999.5", 2),
]


@pytest.fixture(scope="module")
def run():
    return tetrastat.simulate(**GAMES, placements="parquet", columns="all")


@pytest.mark.parametrize("selection", SELECTIONS)
def test_a_scan_has_the_rows_and_types_of_the_table(run, selection):
    expected = polars.DataFrame(run.table("placements", *selection))
    assert len(expected) > 0
    found = run.scan("placements", *selection).collect()
    assert found.equals(expected) and found.schema == expected.schema
    # duckdb has no categories, so texts are compared.
    by_duckdb = run.scan("placements", *selection, engine="duckdb").pl()
    assert by_duckdb.cast(polars.String).equals(expected.cast(polars.String))
    assert run.table("placements", *selection).scan().collect().equals(expected)


def test_a_log_in_csv_is_refused_and_the_games_are_read():
    run = tetrastat.simulate(**GAMES, placements="csv")
    with pytest.raises(tetrastat.TetrastatError, match=r"placements=\"parquet\".* `tetrastat data convert \S+ FOLDER --format"):
        run.scan()
    assert run.scan("games").collect().equals(polars.DataFrame(run.games))
    assert run.scan("games", ["game"], "game>2", engine="duckdb").fetchall() == [(3,), (4,), (5,)]


def test_mistakes_of_a_scan_are_named(run):
    with pytest.raises(tetrastat.SettingError, match="engine 'spark'"):
        run.scan(engine="spark")
    with pytest.raises(tetrastat.SettingError, match="hole"):
        run.scan(columns=["hole"])
    with pytest.raises(tetrastat.SettingError, match="level"):
        run.scan(where="piece=X")
    with pytest.raises(KeyError, match="candidates"):
        run.scan("candidates")


def test_a_study_scans_all_its_conditions():
    study = tetrastat.study(
        {"controllers": ["dt20", "bcts"], "board": "10x10", "games": 3, "max_pieces": 40, "placements": "parquet"}
    )
    # Conditions have equal columns, but not in the same order.
    logs = [polars.DataFrame(run.placements()) for run in study.runs.values()]
    expected = polars.concat([log.select(logs[0].columns) for log in logs])
    assert logs[0].columns != logs[1].columns
    assert study.scan().collect().equals(expected)
    assert expected["condition"].unique().sort().to_list() == [1, 2]
    assert study.scan(every=7).collect().equals(expected.gather_every(7))
    by_duckdb = study.scan(every=7, engine="duckdb").pl()
    assert by_duckdb.cast(polars.String).equals(expected.gather_every(7).cast(polars.String))
    assert len(study.scan("games").collect()) == 6
    with pytest.raises(KeyError, match="no condition logged it"):
        study.scan("candidates")


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_in_memory_are_those_of_the_file(threads):
    # More rows than a block has, of games with different lengths.
    games = {**GAMES, "games": 300, "max_pieces": 400, "columns": "minimal", "candidates": True, "to": 230}
    file = tetrastat.simulate(**games, placements="parquet", threads=2)
    memory = tetrastat.simulate(**games, placements="memory", threads=threads)
    assert sorted(memory.tables) == ["games"]
    for name in ("placements", "candidates"):
        expected = polars.DataFrame(file.table(name))
        found = polars.DataFrame(memory.table(name))
        assert len(expected) > 65_536
        assert found.equals(expected) and found.schema == expected.schema
    assert memory.table("games").to_polars().equals(file.table("games").to_polars())
    selection = (["piece_no", "piece"], "piece=T", (1, 3), 4)
    assert memory.placements(*selection).to_polars().equals(file.placements(*selection).to_polars())
    assert memory.scan().collect().equals(polars.DataFrame(file.placements()))


@pytest.mark.parametrize("rules", [{"rules": "guideline", "mode": "blitz", "pieces": 30}, {"rules": "liap"}])
def test_every_game_keeps_its_logs_in_memory(rules):
    file = tetrastat.simulate(games=3, placements="parquet", **rules)
    memory = tetrastat.simulate(games=3, placements="memory", **rules)
    logs = set(file.tables) - set(memory.tables)
    assert logs in ({"placements"}, {"declarations", "rounds"})
    for name in logs:
        assert memory.table(name).to_polars().equals(file.table(name).to_polars())


def test_memory_has_no_files():
    for setting in ({"out": "here"}, {"resume": "here"}, {"shard": "1/2"}):
        with pytest.raises(tetrastat.SettingError, match="stay in memory"):
            tetrastat.simulate(**GAMES, placements="memory", **setting)
    run = tetrastat.simulate(**GAMES, placements="memory")
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(run)


def test_a_stream_has_the_rows_of_the_file_in_their_order(run):
    blocks = list(tetrastat.stream(**GAMES, columns="all"))
    assert polars.concat([polars.DataFrame(block) for block in blocks]).equals(polars.DataFrame(run.placements()))
    lengths = [len(block) for block in tetrastat.stream(**GAMES | {"games": 300, "max_pieces": 400})]
    assert lengths[:-1] == [65_536] * (len(lengths) - 1) and len(lengths) > 1
    candidates = [pyarrow.table(block) for block in tetrastat.stream(**GAMES, table="candidates")]
    assert "candidate" in candidates[0].column_names


def test_a_stream_can_be_left_and_names_mistakes():
    endless = tetrastat.stream("dt20", board="10x10", games=1_000_000, seed=1)
    assert len(next(endless)) == 65_536
    endless.close()
    with pytest.raises(StopIteration):
        next(endless)
    with pytest.raises(TypeError, match="out has no use"):
        tetrastat.stream("dt20", out="here")
    with pytest.raises(tetrastat.SettingError, match="table 'games'"):
        tetrastat.stream("dt20", table="games")
    with pytest.raises(TypeError, match="max_piece"):
        next(tetrastat.stream("dt20", max_piece=3))
    with pytest.raises(tetrastat.TetrastatError, match="nobody"):
        next(tetrastat.stream("nobody"))


def test_python_logs_in_parquet_by_default():
    few = tetrastat.simulate("dt20", board="10x10", games=2, max_pieces=10)
    assert few.tables["placements"].name == "placements.parquet"
    assert "placements" not in tetrastat.simulate("dt20", board="10x10", games=2, max_pieces="none").tables
    demo = tetrastat.simulate(seed=2)
    assert demo.tables["placements"].name == "placements.parquet" and len(demo.games) == 200


def test_a_table_knows_its_shape_and_types(run):
    table = run.table("placements", ["game", "piece", "lost", "score", "board"], "game<2")
    assert len(table) == 120 and table.shape == (120, 5) and table
    assert table.schema == {"game": "count", "piece": "factor", "lost": "logical", "score": "real", "board": "text"}
    assert table.head(3).to_polars().equals(table.to_polars().head(3))
    assert len(table.head()) == 10 and len(table.head(0)) == 0 and len(table.head(999)) == 120
    assert pyarrow.schema(table) == table.to_pyarrow().schema
    assert len(table.head(4)._select(["piece"])) == 4
