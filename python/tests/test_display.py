"""What notebooks show: cards, pictures and figures."""

import builtins
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

import tetrastat
from tetrastat._tetrastat import survival

GAMES = {"board": "10x10", "games": 20, "max_pieces": "none", "seed": 1}


@pytest.fixture(scope="module")
def run():
    return tetrastat.simulate("dt20", placements="none", **GAMES)


@pytest.fixture(scope="module")
def comparison():
    return tetrastat.compare(["dt20", "bcts"], **GAMES)


def printed_by_the_command(*words):
    """Returns the lines of the report that the program prints."""
    command = os.environ.get("TETRASTAT") or [sys.executable, "-m", "tetrastat"]
    command = [command] if isinstance(command, str) else command
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def numbers_of(lines):
    """Returns the words of the lines that neither name a file nor a time."""
    return [line.split() for line in lines if not line.startswith(("files", "pieces  "))]


def test_print_shows_what_the_command_prints(run, tmp_path):
    words = ["--controller", "dt20", "--board", "10x10", "--games", "20", "--max-pieces", "none", "--seed", "1"]
    report = printed_by_the_command("simulate", *words, "--placements", "none", "--sample", "0", "--out", str(tmp_path / "run"))
    assert numbers_of(str(run).splitlines()) == numbers_of(report)
    assert str(tetrastat.read_run(run.path)) == str(run)
    assert numbers_of(str(tetrastat.read_run(tmp_path / "run")).splitlines()) == numbers_of(report)
    card = run._repr_html_()
    ElementTree.fromstring(card)
    [lines] = [line.split("  ") for line in report if line.startswith("lines ")]
    for text in ("dt20", "10x10", "simplified", *filter(None, map(str.strip, lines))):
        assert text in card and text in str(run)


def test_other_games_and_interrupted_runs_have_reports(tmp_path):
    guideline = tetrastat.simulate("tetrastat-blitz-greedy", rules="guideline", mode="blitz", games=2, placements="none")
    assert "2 games of blitz under guideline rules" in str(guideline) and "points" in str(guideline)
    liap = tetrastat.simulate(rules="liap", games=2, placements="none")
    assert str(liap).startswith("rounds of LIAP") and "hit rate" in liap._repr_html_()
    stopped = tetrastat.simulate("dt20", board="10x10", games=2, max_pieces=20, placements="none", out=tmp_path / "run")
    manifest = (stopped.path / "run.json").read_text()
    (stopped.path / "run.json").write_text(manifest.replace('"status": "complete"', '"status": "interrupted"'))
    assert "status  interrupted" in str(stopped) and "raise max_pieces (or none)" in str(stopped)
    player = tetrastat.simulate(lambda cells: -cells.reshape(len(cells), -1).sum(1), board="6x8", games=2, max_pieces=20, placements="none")
    assert "6x8" in str(player)


def test_comparisons_estimates_and_studies_have_reports(comparison):
    text, card = str(comparison), comparison._repr_html_()
    ElementTree.fromstring(card)
    for one in comparison.summary["controllers"]:
        assert one["controller"] in text and f"{one['mean']:,.0f}" in text and f"{one['mean']:,.0f}" in card
    assert "ratio (95 %)" in text and "--" not in text
    estimate = tetrastat.estimate(
        "dt20", board="8x10", budget=30_000, pieces=5_000, burn_in=500, pilot_pieces=5_000
    )
    for one in (estimate, tetrastat.read_estimate(estimate.path)):
        ElementTree.fromstring(one._repr_html_())
        assert "splitting" in str(one) and f"{estimate.summary['splitting']['mean']:.1f}" in str(one)
        assert "mean lines per game" in one._repr_html_()
    study = tetrastat.study({"controllers": ["dt20"], "board": "10x10", "games": 2, "max_pieces": 20})
    card = study._repr_html_()
    ElementTree.fromstring(card)
    for shown in (card, str(study)):
        assert "001-dt20" in shown and "conditions" in shown


def test_a_table_shows_rows_units_and_its_shape(run):
    card = run.games._repr_html_()
    found = ElementTree.fromstring(card)
    heads = {head.text: head.get("title") for head in found.iter("th")}
    assert list(heads) == [*run.games.columns[:10], "...", *run.games.columns[-10:]]
    assert run.games.describe("lines")["description"] in heads["lines"] and "count" in heads["lines"]
    assert len(list(found.iter("tr"))) == 11 and "20 rows, 22 columns" in card
    log = tetrastat.simulate("dt20", board="10x10", games=1, max_pieces=4, placements="memory", columns="all")
    card = log.placements()._repr_html_()
    ElementTree.fromstring(card)
    assert "4 rows" in card and "columns in the middle are not shown" in card and ">NA<" in card


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
    assert survival([3, 1, 2, 2], [False, False, True, False]) == ([1, 2, 3], [0.75, 0.5, 0.0])


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


def test_print_shows_the_first_rows_of_a_table(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    first, *rows, last = str(run.games).splitlines()
    assert first.split()[0] == "game" and first.split()[-1] == "survived" and " ... " in first
    assert [row.split()[0] for row in rows] == [str(game) for game in range(10)]
    assert last.startswith("20 rows, 22 columns; the first 10 rows are shown; ")
    assert all(len(line) <= 60 for line in (first, *rows))
    lines = run.games.to_pyarrow()["lines"].to_pylist()
    head = tetrastat.Table(run.tables["games"], ["game", "lines"]).head(3)
    assert [line.split() for line in str(head).splitlines()] == [
        ["game", "lines"], *([str(game), str(lines[game])] for game in range(3)), ["3", "rows,", "2", "columns"],
    ]
    assert "0 rows, 22 columns" in str(run.games.head(0))


def test_tables_are_shown_without_a_library(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert "20 rows, 22 columns" in str(run.games) and "stream_seed" in run.games._repr_html_()
