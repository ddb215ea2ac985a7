"""Tables as Arrow data have the rows and types of the files, in every library that reads them."""

import csv

import numpy as np
import pytest
import tetrastat

pa = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("tables") / "run"
    return tetrastat.simulate("dt20", board="8x12", games=5, max_pieces=120, seed=3, placements="parquet", out=out)


def test_types_match_the_code_book(run):
    placements = run.placements().to_pyarrow()
    kinds = {field.name: field.type for field in placements.schema}
    assert kinds["game"] in (pa.int32(), pa.int64()) and kinds["score"] == pa.float64()
    assert kinds["piece"] == pa.dictionary(pa.int32(), pa.string())
    assert placements["piece"].combine_chunks().dictionary.to_pylist() == list("IOTSZJL")
    games = run.games.to_pyarrow()
    assert kinds["board"] == pa.string() and games.schema.field("censored").type == pa.bool_()
    entry = run.placements().describe("piece")
    assert entry["unit"] == "-" and "piece" in entry["description"]
    assert games.schema.field("game").metadata[b"description"]


@pytest.mark.parametrize("format", ["csv", "csv.gz", "csv.zst"])
def test_every_format_has_the_same_rows(run, format):
    settings = {"board": "8x12", "games": 5, "max_pieces": 120, "seed": 3}
    other = tetrastat.simulate("dt20", placements=format, **settings)
    assert other.placements().to_pyarrow().equals(run.placements().to_pyarrow())


def test_values_equal_those_of_the_file(run):
    with open(run.path / "games.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    table = run.games.to_pyarrow()
    assert table.column_names == list(rows[0])
    for name in table.column_names:
        for cell, value in zip((row[name] for row in rows), table[name].to_pylist()):
            if value is None:
                assert cell == "NA"
            elif isinstance(value, bool):
                assert cell == str(value).upper()
            elif isinstance(value, (int, float)):
                assert float(cell) == value
            else:
                assert cell == value


def test_columns_and_rows_are_selected(run):
    everything = run.placements().to_pyarrow()
    some = run.placements(["piece_no", "piece"], where="piece=I and lines=0", games=(1, 2)).to_pyarrow()
    assert some.column_names == ["piece_no", "piece"]
    rows = everything.to_pylist()
    kept = [row for row in rows if row["piece"] == "I" and row["lines"] == 0 and row["game"] in (1, 2)]
    assert some["piece_no"].to_pylist() == [row["piece_no"] for row in kept]
    assert run.placements(games=3).to_pyarrow()["game"].unique().to_pylist() == [3]
    assert run.placements(every=7).to_pyarrow().equals(everything.take(list(range(0, len(rows), 7))))
    assert run.placements(where="game>99").to_pyarrow().num_rows == 0


def test_columns_are_arrays_and_rows_are_dictionaries(run):
    table, arrow = run.placements(), run.placements().to_pyarrow()
    kinds = {"game": np.int64, "score": np.float64, "lost": np.bool_, "piece": np.object_, "board": np.object_}
    for name, kind in kinds.items():
        assert table[name].dtype == kind and table[name].tolist() == arrow[name].to_pylist()
    wells = arrow["well_column"].to_pylist()
    assert None in wells and table["well_column"].dtype == np.float64
    assert [None if np.isnan(value) else int(value) for value in table["well_column"]] == wells
    assert list(run.placements(every=7)) == run.placements(every=7).to_pyarrow().to_pylist()
    some = run.placements(["piece_no", "piece"], games=(1, 2))
    assert some["piece"].tolist() == some.to_pyarrow()["piece"].to_pylist()
    assert len(list(run.placements(where="game>99"))) == 0 and run.placements(where="game>99")["piece"].shape == (0,)
    with pytest.raises(KeyError, match="no column 'nothing': use one of game"):
        table["nothing"]
    with pytest.raises(KeyError, match="no column 'lines': use one of piece_no, piece"):
        some["lines"]


def test_missing_columns_are_named(run):
    for selection in [{"columns": ["nothing"]}, {"where": "nothing>1"}, {"where": "piece>I"}, {"where": "piece"}]:
        with pytest.raises(tetrastat.TetrastatError):
            run.placements(**selection).to_pyarrow()
    with pytest.raises(tetrastat.TetrastatError, match="use one of"):
        run.games.describe("nothing")
    with pytest.raises(tetrastat.TetrastatError, match="check the path"):
        tetrastat.Table(run.path / "games.csv.gz").columns


def test_a_damaged_table_is_an_error_when_it_is_read(run, tmp_path):
    text = (run.path / "games.csv").read_text().splitlines(keepends=True)
    damaged = tmp_path / "games.csv"
    damaged.write_text("".join([*text[:-1], "x" + text[-1]]))
    with pytest.raises((tetrastat.TetrastatError, OSError, pa.ArrowException), match="'x.* in column game .*: correct the cell"):
        pa.table(tetrastat.Table(damaged))


def test_a_stream_is_read_in_batches_and_can_be_closed_early(run):
    reader = pa.RecordBatchReader.from_stream(run.placements())
    first = reader.read_next_batch()
    assert first.num_rows > 0
    del reader


def test_polars_pandas_and_duckdb_read_tables(run):
    placements = run.placements()
    count = placements.to_pyarrow().num_rows
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(placements)
    assert frame.height == count and frame["piece"].dtype in (polars.Categorical, polars.Enum)
    assert frame.equals(placements.to_polars())
    pandas = pytest.importorskip("pandas")
    frame = placements.to_pandas()
    assert len(frame) == count and isinstance(frame["piece"].dtype, pandas.CategoricalDtype)
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("select count(*) from placements").fetchall() == [(count,)]


def test_a_reader_without_numpy_sees_nulls(run):
    games = run.games.to_pyarrow()
    numbers = games["pieces"].to_numpy()
    assert numbers.dtype in (np.int32, np.int64)


def test_other_readers_of_parquet_see_factors_whole_numbers_and_meanings(run):
    pq = pytest.importorskip("pyarrow.parquet")
    pl = pytest.importorskip("polars")
    file = run.path / "placements.parquet"
    table, ours = pq.read_table(file), run.placements().to_pyarrow()
    assert table.schema.field("piece").type == pa.dictionary(pa.int32(), pa.string())
    assert table.schema.field("game").type == pa.int64() and not table.schema.field("game").nullable
    assert table.schema.field("well_column").type == pa.int32() and table.schema.field("well_column").nullable
    assert table.schema.field("lost").type == pa.bool_() and table.schema.field("score").type == pa.float64()
    metadata = table.schema.field("piece").metadata
    assert metadata[b"description"] == b"piece that was placed" and metadata[b"levels"] == b'["I","O","T","S","Z","J","L"]'
    assert table.to_pylist() == ours.to_pylist()
    assert table["well_column"].null_count > 0
    frame = pl.read_parquet(file)
    assert frame.schema["piece"] == pl.Categorical and frame.schema["well_column"] == pl.Int32 and frame.schema["game"] == pl.Int64
    assert frame["piece"].cast(pl.String).to_list() == ours["piece"].to_pylist()
    assert frame["well_column"].to_list() == ours["well_column"].to_pylist()
