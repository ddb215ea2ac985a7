"""Python functions play like the same weights inside the engine, in every command. Their failures are clear errors."""

import pickle
import signal
import subprocess

import numpy as np
import pytest
import tetrastat
from test_runs import tables
from tetrastat import Player, SettingError, TetrastatError, cluster

WEIGHTS = {"holes": -4.0, "row_transitions": -1.5, "wells": -1.25}
GAMES = {"board": "8x12", "games": 6, "seed": 3, "max_pieces": 80, "placements": "csv"}


def linear(boards):
    """Returns the weighted features of boards, which are cells or rows."""
    size = None if boards.ndim == 3 else "8x12"
    return tetrastat.features(boards, names=list(WEIGHTS), size=size) @ list(WEIGHTS.values())


@pytest.fixture
def controller(tmp_path):
    """Returns the path of a controller of the engine with the weights of `linear`."""
    path = tmp_path / "linear.toml"
    weights = "".join(f"{name} = {weight}\n" for name, weight in {"rows_removed": 1.0, **WEIGHTS}.items())
    path.write_text(f'name = "linear"\nmeasured = "after-clear"\n[weights]\n{weights}', encoding="utf-8")
    return path


@pytest.mark.parametrize("rules", ["simplified", "standard"])
@pytest.mark.parametrize(("search", "pieces"), [("greedy", 80), ("next", 30), ("expect", 5)])
def test_a_function_plays_like_its_weights(rules, search, pieces, controller):
    settings = {**GAMES, "rules": rules, "search": search, "max_pieces": pieces, "columns": "minimal", "games": 4}
    inside = tetrastat.simulate(controller, **settings)
    for player in (linear, Player(linear, format="rows"), Player(linear, batch=7)):
        outside = tetrastat.simulate(player, **settings)
        assert tables(outside.path) == tables(inside.path)
    assert outside.manifest["config"]["controller"]["external"] == "python:linear"
    assert tetrastat.simulate(lambda cells: -linear(cells), **settings).games.to_pyarrow() != inside.games.to_pyarrow()


def test_results_do_not_depend_on_threads_or_batches():
    runs = [tetrastat.simulate(linear, threads=threads, **GAMES) for threads in (1, 3, None)]
    assert len({str(tables(run.path)) for run in runs}) == 1
    sizes = []

    def counted(cells):
        sizes.append(len(cells))
        return linear(cells)

    tetrastat.simulate(Player(counted, name="linear", batch=50), **GAMES)
    assert max(sizes) == 50, "a call serves several games, up to its limit"
    assert {cells for cells in sizes if cells > 50} == set()


def test_weights_are_added_to_the_values(controller):
    nothing = Player(lambda cells: np.zeros(len(cells)), name="linear", weights={"rows_removed": 1, **WEIGHTS})
    settings = {**GAMES, "columns": "minimal"}
    assert tables(tetrastat.simulate(nothing, **settings).path) == tables(
        tetrastat.simulate(controller, **settings).path
    )
    blind = Player(linear, name="linear", weights={})
    assert tables(tetrastat.simulate(blind, **settings).path) != tables(tetrastat.simulate(controller, **settings).path)


def test_arrays_have_the_cells_of_the_package():
    seen = []

    def first_piece(boards):
        seen.append(boards.copy())
        return np.zeros((len(boards), 1))

    settings = {
        "board": "6x8",
        "games": 1,
        "seed": 5,
        "max_pieces": 1,
        "placements": "none",
        "queue": "script",
        "script": "O",
    }
    for form in ("cells", "rows"):
        tetrastat.simulate(Player(first_piece, format=form), **settings)
    found = tetrastat.afterstates(tetrastat.Board.empty("6x8"), "O")
    cells, rows = seen
    assert (cells.dtype, cells.shape, rows.dtype, rows.shape) == (np.bool_, (5, 8, 6), np.uint16, (5, 8))
    assert np.array_equal(cells, tetrastat.cells(found)) and np.array_equal(rows, found.rows[:, :8])


def test_every_command_takes_a_function(controller, tmp_path):
    settings = {"board": "8x12", "seed": 3, "max_pieces": 60}
    # The two have one name in the engine's controller and the function, so the function is renamed here.
    other = Player(linear, name="other")
    compared = tetrastat.compare([str(controller), other], games=10, **settings)
    means = [row for row in compared.estimates.to_pyarrow().to_pylist() if row["estimate"] == "mean"]
    assert [row["first"] for row in means] == ["linear", "other"] and means[0]["mean"] == means[1]["mean"]

    study = tetrastat.study(
        {"controllers": [str(controller), other], "games": 4, "searches": ["greedy", "next"], **settings}
    )
    conditions = study.conditions.to_pyarrow().to_pylist()
    lines = {name: [row["lines"] for row in conditions if row["controller"] == name] for name in ("linear", "other")}
    assert lines["linear"] == lines["other"] and len(lines["other"]) == 2

    plan = {"board": "8x10", "budget": 3000, "pieces": 500, "burn_in": 50, "pilot_pieces": 500}
    results = [
        tetrastat.estimate(one, out=tmp_path / f"estimate-{number}", **plan).summary
        for number, one in enumerate((controller, linear))
    ]
    for number in ("pieces", "lines_per_piece", "splitting", "direct"):
        assert results[0][number] == results[1][number], number
    with pytest.raises(TetrastatError, match="importance 'value' needs"):
        tetrastat.estimate(linear, importance="value", **plan)

    run = tetrastat.simulate(linear, **GAMES)
    ranked = [
        tetrastat.commands.show_board(one, piece="T", picture="......../......../##....../###.####")
        for one in (controller, linear)
    ]
    assert [one["score"] for one in ranked[0]["placements"]] == [one["score"] for one in ranked[1]["placements"]]
    rolled = [
        tetrastat.label(run.path, controller=one, every=40, replicates=4, horizon=10) for one in (controller, linear)
    ]
    assert tables(rolled[0].path) == tables(rolled[1].path)
    chosen = [
        tetrastat.simulate(one, candidates=True, **GAMES).candidates(["score", "chosen"]).to_pyarrow()
        for one in (controller, linear)
    ]
    assert chosen[0] == chosen[1] and chosen[0].num_rows > 1000
    with_boards = tetrastat.simulate(linear, columns=["controller", "board_before"], **GAMES)
    log = with_boards.path / "placements.csv"
    annotated = [
        tetrastat.annotate(log, controller=one, columns="minimal", out=tmp_path / f"{number}.csv")
        for number, one in enumerate((controller, linear))
    ]
    assert annotated[0].read_bytes() == annotated[1].read_bytes()
    with pytest.raises(TetrastatError, match="linear is a function: play it with simulate or estimate"):
        tetrastat.exact(linear, board="4x4")

    blocks = list(tetrastat.stream(linear, **{**GAMES, "placements": None}))
    assert sum(map(len, blocks)) == len(run.placements())


def test_runs_of_functions_are_read_and_checked(tmp_path, tetrastat_program):
    run = tetrastat.simulate(linear, out=tmp_path / "run", **GAMES)
    files = tetrastat.data_verify(run.path)["files"]
    assert [one["problem"] for one in files] == [None] * 4
    tetrastat.view(run.path, out=tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size > 1000
    with pytest.raises(SettingError, match="play a new run"):
        tetrastat.label(run.path, every=40, replicates=2)
    command = [tetrastat_program, "simulate", "--controller", "python:linear", "--out", str(tmp_path / "other")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0 and not (tmp_path / "other").exists()
    assert done.stderr.startswith("tetrastat: controller python:linear: it is a function of a Python program"), done.stderr


def test_an_interrupted_run_of_a_function_resumes(tmp_path):
    whole = tetrastat.simulate(linear, **GAMES)
    calls = []

    def interrupted(cells):
        calls.append(len(cells))
        if len(calls) == 90:
            signal.raise_signal(signal.SIGINT)
        return linear(cells)

    for number, resume in enumerate((False, True)):
        calls.clear()
        settings = {**GAMES, "threads": 1, "checkpoint_ms": 0}
        out = tmp_path / str(number)
        with pytest.raises(KeyboardInterrupt):
            tetrastat.simulate(Player(interrupted, name="linear"), out=out, **settings)
        assert tetrastat.read_run(out).manifest["status"] == "interrupted"
        with pytest.raises(TetrastatError, match="function of a Python program"):
            tetrastat.simulate(resume=out)
        if resume:
            tetrastat.simulate(linear, resume=out)
        else:
            tetrastat.simulate(linear, out=out, **settings)
        assert tables(out) == tables(whole.path)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_exceptions_that_end_a_program_are_passed_on(kind):
    def stopped(cells):
        raise kind("stop")

    with pytest.raises(kind, match="stop"):
        tetrastat.simulate(Player(stopped, name="stopped"), **GAMES)


@pytest.mark.parametrize(
    ("values", "message", "cause"),
    [
        (lambda cells: 1 / 0, "controller wrong: it raised ZeroDivisionError: division by zero", ZeroDivisionError),
        (
            lambda cells: np.zeros(3),
            r"ValueError: its values have the shape \(3,\) for \d+ boards: return one",
            ValueError,
        ),
        (lambda cells: ["a"] * len(cells), "TypeError: its values have the type <U1: return one number", TypeError),
        (lambda cells: None, "TypeError: its values have the type object", TypeError),
        (lambda cells: np.full(len(cells), np.nan), "its value of a board is NaN: return finite numbers", None),
        (lambda cells: np.full(len(cells), 2e6), "its value of a board is 2000000.0: return finite numbers", None),
    ],
)
def test_a_failing_function_is_one_clear_error(values, message, cause, tmp_path):
    finished = []

    def wrong(cells):
        finished.append(1)
        return linear(cells) if len(finished) < 60 else values(cells)

    with pytest.raises((SettingError, TetrastatError), match=message) as caught:
        tetrastat.simulate(Player(wrong, name="wrong"), out=tmp_path / "run", threads=4, **GAMES)
    assert "\n" not in str(caught.value)
    assert cause is None or isinstance(caught.value.__cause__, cause)
    assert (
        not (tmp_path / "run" / "games.csv").exists()
        or len(tetrastat.read_run(tmp_path / "run").games) < GAMES["games"]
    )
    with pytest.raises((SettingError, TetrastatError), match=message):
        list(tetrastat.stream(Player(values, name="wrong"), board="8x12", games=2, max_pieces=20))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Player(3), "values: give a function, not int"),
        (lambda: Player(linear, name="a b"), "name 'a b'"),
        (lambda: Player(linear, format="bits"), "format 'bits': use 'cells' or 'rows'"),
        (lambda: Player(linear, batch=0), "batch 0"),
        (lambda: tetrastat.simulate(Player(linear, weights={"hole": 1.0}), games=1), "did you mean 'holes'"),
        *((lambda weight=weight: tetrastat.simulate(Player(linear, weights={"holes": weight}), games=1),
           "weight of holes is (NaN|inf|-inf): give a finite number") for weight in (np.nan, np.inf, -np.inf)),
        (lambda: tetrastat.study({"controllers": [Player(linear, weights={"wells": np.nan})], "games": 1}),
         "weight of wells is NaN: give a finite number"),
        (lambda: tetrastat.estimate(Player(linear, weights={"wells": np.nan}), budget=1000),
         "weight of wells is NaN: give a finite number"),
        (lambda: list(tetrastat.stream(Player(linear, weights={"wells": np.inf}), games=1)),
         "weight of wells is inf: give a finite number"),
        (lambda: tetrastat.compare([linear, Player(linear)], games=2), "two players have the name linear"),
        (lambda: tetrastat.simulate(linear, rules="guideline"), "classic games only"),
        (lambda: tetrastat.simulate(linear, rules="liap"), "python:linear"),
        (lambda: tetrastat.simulate("python:linear", games=1), "function of a Python program"),
        (lambda: cluster.simulate(linear, out="unused"), "a function cannot play on a cluster"),
        (lambda: cluster.compare(["bcts", linear], out="unused"), "a function cannot play on a cluster"),
    ],
)
def test_mistakes_name_the_remedy(call, message):
    with pytest.raises((SettingError, TetrastatError), match=message):
        call()


def test_players_travel_by_pickle():
    player = pickle.loads(pickle.dumps(Player(linear, weights={"holes": -1})))
    assert (player.name, player.weights, player.values) == ("linear", {"holes": -1.0}, linear)


def test_torch_modules_play():
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Dropout(0.5), torch.nn.Linear(96, 1))

        def forward(self, cells):
            assert not self.training and not torch.is_grad_enabled()
            return self.layers(cells)

    net = Net().double()
    weight = net.layers[2].weight.detach().numpy()[0]

    def same(cells):
        return cells.reshape(len(cells), -1) @ weight + net.layers[2].bias.item()

    of_module, of_function = (tetrastat.simulate(one, **GAMES) for one in (net, same))
    assert net.training and of_module.manifest["config"]["controller"]["name"] == "Net"
    assert of_module.games.to_pyarrow()["lines"] == of_function.games.to_pyarrow()["lines"]
