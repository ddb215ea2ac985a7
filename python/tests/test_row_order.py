"""Row 0 is the floor in every array of every function, unless an environment has the option `row_order="top"`."""

import numpy as np
import pytest

import tetrastat
from tetrastat import Board

gym = pytest.importorskip("gymnasium")

import tetrastat.envs as envs

#: Stack of ten columns and four filled rows with one hole, without any symmetry.
PICTURE = "/".join([".........."] * 16 + ["#.........", "##........", "##.#......", "###.##.###"])
BOARD = Board(PICTURE)
CELLS = BOARD.cells()
NAMES = ["holes", "max_height", "height_1", "bumpiness"]
EXPECTED = tetrastat.features(BOARD, names=NAMES)

ENVIRONMENTS = [
    ("Placement", {}),
    ("Placement", {"rules": "standard"}),
    ("Keys", {}),
    ("Guideline", {}),
    ("Guideline", {"actions": "keys"}),
]


def made(kind, options, vector):
    name = f"tetrastat/{kind}-v0"
    return gym.make_vec(name, num_envs=3, **options) if vector else gym.make(name, **options)


def planes_of(seen, vector):
    """Returns the planes of the first game."""
    return seen["board"][0] if vector else seen["board"]


def test_the_picture_and_the_cells_agree():
    assert CELLS[0].tolist() == [cell == "#" for cell in "###.##.###"]
    assert EXPECTED.tolist() == [list(BOARD.features(NAMES).values())]
    assert BOARD.features(["holes", "max_height"]) == {"holes": 1.0, "max_height": 4.0}


def test_every_function_takes_and_returns_the_floor_first():
    assert np.array_equal(tetrastat.cells(BOARD), CELLS)
    assert np.array_equal(tetrastat.cells(BOARD.rows, BOARD.size), CELLS)
    for given in [BOARD, [BOARD], CELLS, CELLS.astype(np.uint8), CELLS[None]]:
        assert np.array_equal(tetrastat.features(given, names=NAMES), EXPECTED)
        found = tetrastat.afterstates(given, "T")
        assert np.array_equal(found.rows, tetrastat.afterstates(BOARD, "T").rows)
    assert Board.from_array(CELLS) == BOARD == Board.from_rows(BOARD.rows.tolist())
    for at, (turned, column, _) in enumerate(tetrastat.placements(BOARD, "T")):
        placed = BOARD.place("T", turned, column).board
        assert np.array_equal(tetrastat.cells(found)[at], placed.cells())


@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize(("kind", "options"), ENVIRONMENTS)
def test_environments_have_the_rows_of_boards(kind, options, vector):
    env, top = made(kind, options, vector), made(kind, {**options, "row_order": "top"}, vector)
    starts = [BOARD, CELLS, CELLS.astype(int), PICTURE]
    planes = [planes_of(env.reset(seed=1, options={"board": start})[0], vector) for start in starts]
    for plane in planes:
        settled = plane[0]
        assert np.array_equal(settled[:20], CELLS) and not settled[20:].any()
        assert np.array_equal(tetrastat.features(settled.astype(bool), names=NAMES), EXPECTED)
        of_guideline = [tetrastat.features(one, rules="guideline") for one in (settled, BOARD)]
        assert np.array_equal(*of_guideline)
        assert np.array_equal(plane, planes[0])
    again = planes_of(env.reset(seed=1, options={"board": planes[0][0]})[0], vector)
    assert np.array_equal(again, planes[0]), "a plane is a valid start board"
    for start in [BOARD, CELLS[::-1], PICTURE, planes[0][0][::-1]]:
        seen = planes_of(top.reset(seed=1, options={"board": start})[0], vector)
        assert np.array_equal(seen[:, ::-1], planes[0])


@pytest.mark.parametrize(("kind", "options"), ENVIRONMENTS)
def test_the_falling_piece_is_above_the_stack(kind, options):
    env = made(kind, options, vector=False)
    planes = env.reset(seed=1, options={"board": BOARD})[0]["board"]
    if len(planes) > 1:
        assert planes[1].any() and not planes[1][:10].any()


def test_steps_show_the_board_that_placements_lead_to():
    env = envs.PlacementEnv()
    _, info = env.reset(seed=1, options={"board": BOARD})
    action = int(np.flatnonzero(info["action_mask"])[0])
    piece, _, turned, column, row, _ = env.placements()[action].tolist()
    placed = BOARD.place("IOTSZJL"[piece], turned, column)
    seen = env.step(action)[0]["board"][0]
    assert placed.row == row and Board.from_array(seen) == placed.board


@pytest.mark.parametrize("row_order", ["floor", "top"])
@pytest.mark.parametrize(("kind", "options"), ENVIRONMENTS)
def test_pictures_have_the_floor_below(kind, options, row_order):
    options = {**options, "row_order": row_order}
    image = gym.make(f"tetrastat/{kind}-v0", render_mode="rgb_array", **options)
    image.reset(seed=1, options={"board": BOARD})
    centres = image.render()[6::12, 6::12].astype(int)
    settled = (centres == [170, 174, 184]).all(axis=2)
    assert np.array_equal(settled[::-1][:20], CELLS)
    text = gym.make(f"tetrastat/{kind}-v0", render_mode="ansi", **options)
    text.reset(seed=1, options={"board": BOARD})
    assert "#.........\n##........\n##.#......\n###.##.###\n" in text.render()


def test_upside_down_boards_are_refused():
    upside_down = CELLS[::-1]
    for wrong in [
        lambda: tetrastat.features(upside_down),
        lambda: tetrastat.afterstates(np.stack([CELLS, upside_down]), "T"),
        lambda: Board.from_array(upside_down),
        lambda: envs.PlacementEnv().reset(options={"board": upside_down}),
        lambda: envs.PlacementEnv(row_order="top").reset(options={"board": CELLS}),
    ]:
        with pytest.raises(tetrastat.TetrastatError, match="upside down: (row 0 is the floor|give row_order)"):
            wrong()


def test_unknown_options_of_reset_are_refused():
    for env in [envs.PlacementEnv(), envs.PlacementVectorEnv(2)]:
        with pytest.raises(tetrastat.SettingError, match="no option 'bord': use game or board"):
            env.reset(options={"bord": BOARD})
    with pytest.raises(ValueError, match="row_order 'up'"):
        envs.PlacementEnv(row_order="up")
