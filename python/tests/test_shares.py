"""Shares and means by group: intervals clustered by game, equal to those of R, from every kind of frame."""

from pathlib import Path

import numpy as np
import pytest

import tetrastat
from tetrastat import SettingError

#: A run with logs that the R package contains.
GAMES = Path(__file__).resolve().parents[2] / "analysis" / "inst" / "extdata" / "games"
# Games 0, 1 and 2 have 2 of 3, 1 of 1 and 0 of 1 known rows.
HAND_MADE = {
    "game": [0, 0, 0, 1, 1, 2],
    "side": ["a", "a", "b", "a", "b", "a"],
    "hit": [True, False, True, True, None, False],
    "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
}
T_2 = 4.302652729911275  # 97.5 % quantile of t with 2 degrees of freedom


def test_shares_and_means_equal_those_computed_by_hand():
    found = tetrastat.share(HAND_MADE, "hit")
    error = np.sqrt(3 / 2 * (0.2**2 + 0.4**2 + 0.6**2)) / 5
    ends = 1 / (1 + np.exp(-(np.log(0.6 / 0.4) + np.array([-1, 1]) * T_2 * error / 0.24)))
    assert list(found) == ["share", "low", "high", "rows", "games"]
    assert np.allclose(np.concatenate(list(found.values())), [0.6, *ends, 5, 3], rtol=1e-9)
    found = tetrastat.share(HAND_MADE, "size")
    half = T_2 * np.sqrt(3 / 2 * (4.5**2 + 2**2 + 2.5**2)) / 6
    assert np.allclose(np.concatenate(list(found.values())), [3.5, 3.5 - half, 3.5 + half, 6, 3], rtol=1e-9)
    sides = tetrastat.share(HAND_MADE, "hit", by="side")
    assert sides["side"].tolist() == ["a", "b"] and sides["share"].tolist() == [0.5, 1]
    assert sides["games"].tolist() == [3, 1] and np.isnan(sides["low"]).tolist() == [False, True]
    # The text of the result.
    assert str(sides).splitlines()[0].split() == ["side", "share", "low", "high", "rows", "games"]
    assert str(sides).splitlines()[2].split() == ["b", "1.000", "NA", "NA", "1", "1"]


def test_the_numbers_are_those_of_r():
    pytest.importorskip("pyarrow")
    run = tetrastat.read_run(GAMES)
    holes = run.placements(["holes", *[f"h{column}" for column in range(10)]]).to_pyarrow()
    top = np.max([holes[f"h{column}"].to_numpy() for column in range(10)], axis=0)
    found = tetrastat.share(run, np.asarray(holes["holes"]) > 0, by={"height_top": top})
    assert found["height_top"].tolist() == [0, *range(2, 15)]
    # share(run, holes > 0, by = "height_top")
    wanted = {1: (0.208633093525, 0.177469431622, 0.243648094573), 9: (0.966292134831, 0.928144602509, 0.984525072086)}
    for row, numbers in wanted.items():
        assert np.allclose([found[name][row] for name in ("share", "low", "high")], numbers, rtol=1e-10)
    assert np.isnan(found["low"]).tolist() == [True, *[False] * 9, *[True] * 4]
    # share(run, margin, by = "lines")
    found = tetrastat.share(run, "margin", by="lines")
    assert [found["rows"].tolist(), found["games"].tolist()] == [[4685, 2044, 185, 21, 6], [200, 195, 94, 19, 6]]
    assert np.allclose(found["mean"], [0.306575201494, 0.867172243640, 1.889716897297, 3.134133761905, 4.244691166667], rtol=1e-10)
    assert np.allclose(found["high"], [0.314768754973, 0.887108646570, 1.981429373656, 3.392749968154, 5.023524669399], rtol=1e-10)


def test_every_kind_of_frame_gives_the_same_shares():
    polars, pandas, pyarrow = (pytest.importorskip(name) for name in ("polars", "pandas", "pyarrow"))
    frame = polars.DataFrame(HAND_MADE)
    categories = frame.with_columns(polars.col("side").cast(polars.Categorical))
    nullable = pandas.DataFrame(HAND_MADE).convert_dtypes()
    factors = pandas.DataFrame(HAND_MADE).astype({"side": "category"})
    tables = [frame, frame.lazy(), categories, nullable, factors, frame.to_pandas(), pyarrow.table(HAND_MADE), categories.to_arrow()]
    for by in (None, "side", ["side", "game"]):
        wanted = tetrastat.share(HAND_MADE, "hit", by)
        for table in tables:
            found = tetrastat.share(table, "hit", by)
            assert list(found) == list(wanted)
            for name in wanted:
                assert found[name].tolist() == pytest.approx(wanted[name].tolist(), nan_ok=True), (type(table), name)
    run = tetrastat.simulate("dt20", board="8x8", games=10, max_pieces=50)
    wanted = tetrastat.share(run.placements().to_polars(), "lines", ["piece", "orientation"])
    for table in (run, run.placements(), run.placements().to_pandas(), run.scan()):
        found = tetrastat.share(table, "lines", by=["piece", "orientation"])
        assert [column.tolist() for column in found.values()] == [column.tolist() for column in wanted.values()]
    assert polars.DataFrame(found).shape == (len(wanted["piece"]), 7)
    missing = tetrastat.share({"game": [0, 1, 2], "of": ["b", None, "a"], "x": [1, 2, 3]}, "x", by="of")
    assert missing["of"].tolist() == ["a", "b", None] and missing["mean"].tolist() == [3, 1, 2]


def test_nineteen_of_twenty_intervals_hold_the_true_share():
    draw, held, samples = np.random.default_rng(7), 0, 1000
    for _ in range(samples):
        # Long games have fewer true rows, so the rows of a game depend on each other.
        kind = draw.integers(0, 2, 40)
        rows = 1 + draw.poisson(np.array([19, 59])[kind])
        hit = draw.random(rows.sum()) < np.repeat(np.array([0.3, 0.1])[kind], rows)
        found = tetrastat.share({"game": np.repeat(np.arange(40), rows)}, hit)
        held += bool(found["low"][0] <= (20 * 0.3 + 60 * 0.1) / 80 <= found["high"][0])
    # 95 % of 1,000, with a standard error of 7.
    assert 925 <= held <= 975


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tetrastat.share(HAND_MADE, "hits"), "no column 'hits': use one of game, side, hit, size"),
        (lambda: tetrastat.share(HAND_MADE, "side"), "value: give Booleans or numbers"),
        (lambda: tetrastat.share(HAND_MADE, [True]), r"value: an array of shape \(1,\) for 6 rows"),
        (lambda: tetrastat.share(HAND_MADE, "hit", by={"rows": [1] * 6}), "a column 'rows' of its own"),
        (lambda: tetrastat.share(3, "hit"), "table: give a frame of polars, pandas or pyarrow"),
        (lambda: tetrastat.share(HAND_MADE, "hit", game="match"), "no column 'match'"),
    ],
)
def test_mistakes_name_the_remedy(call, message):
    with pytest.raises(SettingError, match=message):
        call()


def test_no_rows_give_no_groups():
    empty = tetrastat.share({"game": [], "x": [], "side": []}, "x", by="side")
    assert [len(column) for column in empty.values()] == [0] * 6
