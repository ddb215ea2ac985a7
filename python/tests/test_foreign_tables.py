"""A log goes through pandas, polars and DuckDB, in CSV and Parquet, and comes back with equal values."""

import subprocess

import pytest

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

# Boards of digits only would be numbers.
TEXTS = ["board", "board_before", "cleared_rows"]


def run(program, folder, *words):
    done = subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def log(tmp_path_factory, tetrastat_program):
    folder = tmp_path_factory.mktemp("log")
    play = "simulate --board 10x10 --games 3 --max-pieces 60 --sample 0 --placements csv --out run"
    run(tetrastat_program, folder, *play.split(), "--columns", "controller,board_before")
    run(tetrastat_program, folder, "data", "convert", "run/placements.csv", "run/placements.parquet")
    return folder / "run"


def pandas_csv(log, to):
    table = pd.read_csv(log / "placements.csv", dtype=dict.fromkeys(TEXTS, str))
    # The index of pandas is a first column without a name.
    table.astype({"holes": float}).to_csv(to)


def pandas_parquet(log, to):
    table = pd.read_parquet(log / "placements.parquet")
    table.astype({"holes": float}).to_parquet(to)


def polars_csv(log, to):
    schema = dict.fromkeys(TEXTS, pl.String)
    pl.read_csv(log / "placements.csv", null_values="NA", schema_overrides=schema).write_csv(to)


def polars_parquet(log, to):
    pl.read_parquet(log / "placements.parquet").write_parquet(to)


def duckdb_csv(log, to):
    duckdb.sql(f"copy (from '{log}/placements.parquet') to '{to}'")


def duckdb_parquet(log, to):
    texts = "{" + ", ".join(f"'{name}': 'VARCHAR'" for name in TEXTS) + "}"
    duckdb.sql(f"copy (from read_csv('{log}/placements.csv', nullstr='NA', types={texts})) to '{to}'")


@pytest.mark.parametrize("write", [pandas_csv, pandas_parquet, polars_csv, polars_parquet, duckdb_csv, duckdb_parquet])
def test_a_log_comes_back_with_equal_values(write, log, tmp_path, tetrastat_program):
    ending = write.__name__.split("_")[1]
    other = tmp_path / f"placements.{ending}"
    write(log, other)
    run(tetrastat_program, tmp_path, "data", "convert", other, "back.csv")
    assert (tmp_path / "back.csv").read_text() == (log / "placements.csv").read_text()
    # The columns of the placement are read from it, and the score is that of the log.
    run(tetrastat_program, tmp_path, "annotate", other, "--out", "a.csv", "--board", "10x10", "--columns", "score")
    expected = pl.read_csv(log / "placements.csv", null_values="NA", infer_schema_length=None)["score"]
    annotated = pl.read_csv(tmp_path / "a.csv", null_values="NA", infer_schema_length=None)
    assert annotated["score"].equals(expected)
    assert len(expected) > 100


def test_types_of_own_columns_are_kept(tmp_path, tetrastat_program):
    own = {"i8": pl.Int8, "i64": pl.Int64, "u16": pl.UInt16, "f": pl.Float64, "b": pl.Boolean, "s": pl.String}
    table = pl.DataFrame({"board_before": ["000"] * 2, "piece": ["T"] * 2, "orientation": [0.0, 0.0], "column": [0, 3]})
    values = {"s": ["Doe, John", None], "b": [True, None], "f": [12.5, None]}
    more = [pl.Series(name, values.get(name, [100, None]), dtype=kind) for name, kind in own.items()]
    table = table.with_columns(more)
    table.write_parquet(tmp_path / "t.parquet")
    run(tetrastat_program, tmp_path, "annotate", "t.parquet", "--out", "o.parquet")
    back = pl.read_parquet(tmp_path / "o.parquet").select(table.columns)
    # Small integers are wider, and pieces are categories.
    assert back.cast({"piece": pl.String}).equals(table.cast({"i8": pl.Int32, "u16": pl.Int32}))
    assert back.select(list(own)).schema == {**own, "i8": pl.Int32, "u16": pl.Int32}
