"""What notebooks show: cards, pictures and figures."""

import builtins
import re
import sys
from xml.etree import ElementTree

import pytest

import tetrastat
from tetrastat._display import interval, number
from tetrastat._plots import survival

GAMES = {"board": "10x10", "games": 20, "max_pieces": "none", "seed": 1}


@pytest.fixture(scope="module")
def run():
    return tetrastat.simulate("dt20", placements="none", **GAMES)


@pytest.fixture(scope="module")
def comparison():
    return tetrastat.compare(["dt20", "bcts"], **GAMES)


def test_a_card_has_the_configuration_and_the_results(run, comparison):
    summary = run.manifest["summary"]["lines"]
    card = run._repr_html_()
    ElementTree.fromstring(card)
    for text in ("dt20", "10x10", "simplified", number(summary["mean"]), interval(summary)):
        assert text in card
    assert tetrastat.read_run(run.path)._repr_html_() == card
    card = comparison._repr_html_()
    ElementTree.fromstring(card)
    for one in comparison.summary["controllers"]:
        assert one["controller"] in card and interval(one) in card


def test_an_estimate_and_a_study_have_cards():
    estimate = tetrastat.estimate(
        "dt20", board="8x10", budget=30_000, pieces=5_000, burn_in=500, pilot_pieces=5_000
    )
    card = estimate._repr_html_()
    ElementTree.fromstring(card)
    assert "splitting" in card and number(estimate.summary["splitting"]["mean"]) in card
    study = tetrastat.study({"controllers": ["dt20"], "board": "10x10", "games": 2, "max_pieces": 20})
    card = study._repr_html_()
    ElementTree.fromstring(card)
    assert "001-dt20" in card and "conditions" in card


def test_a_table_shows_rows_units_and_its_shape(run):
    card = run.games._repr_html_()
    found = ElementTree.fromstring(card)
    heads = {head.text: head.get("title") for head in found.iter("th")}
    assert list(heads) == run.games.columns
    assert run.games.describe("lines")["description"] in heads["lines"] and "count" in heads["lines"]
    assert len(list(found.iter("tr"))) == 11 and "20 rows, 19 columns" in card
    log = tetrastat.simulate("dt20", board="10x10", games=1, max_pieces=4, placements="memory", columns="all")
    card = log.placements()._repr_html_()
    ElementTree.fromstring(card)
    assert "4 rows" in card and "columns in the middle are not shown" in card and ">NA<" in card


def test_numbers_and_intervals_are_short():
    assert [number(value) for value in (None, True, 1234567, 1234.5, 0.123456)] == [
        "unknown", "yes", "1,234,567", "1,234", "0.1235",
    ]
    assert interval({"low": 1.5, "high": None}) == "at least 1.5"
    assert interval({"low": 1, "high": 2}) == "1 to 2" and interval(None) == "not available"


def test_boards_and_placements_are_pictures():
    board = tetrastat.Board("..../..../#.../##.#")
    cells = ElementTree.fromstring(board._repr_svg_())
    text = ElementTree.tostring(cells, encoding="unicode")
    assert "Board 4x4" in text and "settled" in text
    placed = board.place("O", 0, 1)
    picture = placed._repr_svg_()
    ElementTree.fromstring(picture)
    assert ">O<" in picture and "removed" not in picture
    assert "1 row removed" in tetrastat.Board("..../..../..../###.").place("I", 0, 3)._repr_svg_()


def test_survival_minds_games_that_were_cut_off():
    assert survival([3, 1, 2, 2], [False, False, True, False]) == ([0, 1, 2, 3], [1.0, 0.75, 0.5, 0.0])


def test_figures_name_their_quantities(run, comparison):
    figures = [run.plot("matplotlib"), comparison.plot("matplotlib")] if _has("matplotlib") else []
    for figure, label in zip(figures, ("lines removed", "lines per game, 95 % interval")):
        axes = figure.axes[0]
        assert axes.get_xlabel() == label and axes.get_title()
    if _has("plotly"):
        figure = comparison.plot("plotly")
        assert figure.layout.xaxis.title.text == "lines per game, 95 % interval"
        assert list(figure.data[0].y) == [one["controller"] for one in comparison.summary["controllers"]][::-1]


def _has(library):
    try:
        __import__(library)
    except ImportError:
        return False
    return True


def test_a_figure_without_a_library_says_what_to_install(run, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] in ("matplotlib", "plotly"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match="matplotlib or plotly"):
        run.plot()
    with pytest.raises(tetrastat.SettingError, match="'ggplot'"):
        run.plot("ggplot")


def test_print_shows_the_results(run, comparison):
    summary = run.manifest["summary"]["lines"]
    lines = dict(re.split(r"  +", line.strip(), maxsplit=1) for line in str(run).splitlines()[1:])
    assert lines["controller"] == "dt20" and lines["board"] == "10x10" and lines["games"] == "20"
    assert lines["mean lines per game"] == number(summary["mean"])
    assert lines["95 % interval"] == interval(summary)
    assert str(tetrastat.read_run(run.path)) == str(run)
    text = str(comparison)
    for one in comparison.summary["controllers"]:
        assert re.search(rf"{one['rank']} +{one['controller']} +{re.escape(number(one['mean']))} +{interval(one)}", text)
    for one in comparison.summary["pairs"]:
        assert f"{one['first']} - {one['second']}" in text and interval(one["ratio"]) in text
    guideline = tetrastat.simulate("tetrastat-blitz-greedy", rules="guideline", mode="blitz", games=2, placements="none")
    assert f"mean points per game  {number(guideline.manifest['summary']['points']['mean'])}" in str(guideline)
    estimate = tetrastat.estimate("dt20", board="8x10", budget=30_000, pieces=5_000, burn_in=500, pilot_pieces=5_000)
    assert number(estimate.summary["splitting"]["mean"]) in str(estimate)


def test_print_shows_the_first_rows_of_a_table(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    first, *rows, last = str(run.games).splitlines()
    assert first.split()[0] == "game" and first.split()[-1] == "height_mean" and " ... " in first
    assert [row.split()[0] for row in rows] == [str(game) for game in range(10)]
    assert last.startswith("20 rows, 19 columns; the first 10 rows are shown; ")
    assert all(len(line) <= 60 for line in (first, *rows))
    lines = run.games.to_pyarrow()["lines"].to_pylist()
    head = tetrastat.Table(run.tables["games"], ["game", "lines"]).head(3)
    assert [line.split() for line in str(head).splitlines()] == [
        ["game", "lines"], *([str(game), str(lines[game])] for game in range(3)), ["3", "rows,", "2", "columns"],
    ]
    assert "0 rows, 19 columns" in str(run.games.head(0))


def test_print_of_a_table_needs_no_library(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert str(run.games) == repr(run.games)
