"""Boards, placements, afterstates and features equal those of the engine's logs and of its command."""

import json
import pickle
import subprocess

import numpy as np
import pytest
import tetrastat
from tetrastat import Board

PICTURE = "....../....../#...../##.###"


def test_a_board_has_the_cells_of_its_picture():
    board = Board(PICTURE)
    assert (board.width, board.height, board.size) == (6, 4, "6x4")
    assert str(board) == PICTURE.replace("/", "\n") + "\n"
    assert repr(board) == f'Board("{PICTURE}")' and eval(repr(board)) == board
    assert board.heights.tolist() == [2, 1, 0, 1, 1, 1] and board.heights.dtype == np.uint8
    cells = board.cells()
    assert cells.dtype == bool and cells.shape == (4, 6)
    assert cells[0].tolist() == [True, True, False, True, True, True] and not cells[2:].any()
    assert board.is_filled(0, 1) and not board.is_filled(1, 1)
    assert board.with_cell(2, 0).cells()[0].all()
    for same in [
        Board.from_array(cells),
        Board.from_array(cells.astype(np.uint8)),
        Board.from_rows(board.rows.tolist(), "6x4"),
        Board.from_hex(board.to_hex(), "6x4"),
        pickle.loads(pickle.dumps(board)),
    ]:
        assert same == board and hash(same) == hash(board)
    assert Board.empty().size == "10x20" and Board.empty("4x4") != board


def test_invalid_boards_and_arguments_are_refused():
    for wrong in [
        lambda: Board("..x."),
        lambda: Board("....\n...."),
        lambda: Board.empty("3x3"),
        lambda: Board.from_array(np.zeros(4, bool)),
        lambda: Board.from_array(np.zeros((2, 5, 5), bool)),
        lambda: Board.from_rows([1 << 12]),
        lambda: Board(PICTURE).is_filled(6, 0),
        lambda: Board(PICTURE).place("X", 0, 0),
        lambda: Board(PICTURE).place("O", 0, 5),
        lambda: Board(PICTURE).features(["nothing"]),
        lambda: tetrastat.placements(Board(PICTURE), 9),
        lambda: tetrastat.afterstates([Board(PICTURE)] * 3, "IO"),
        lambda: tetrastat.afterstates([Board(PICTURE), Board.empty()], "I"),
        lambda: tetrastat.afterstates("board", "I"),
        lambda: tetrastat.afterstates(Board(PICTURE), "I", rules="chess"),
        lambda: tetrastat.afterstates(Board(PICTURE), "I", rules="guideline"),
        lambda: tetrastat.features(Board(PICTURE), names=["eroded_cells"]),
        lambda: tetrastat.features(Board(PICTURE), names=["column_height_9"]),
        lambda: tetrastat.features(Board(PICTURE), "O", [[0, 9]]),
        lambda: tetrastat.features(Board(PICTURE), "O", [[0, 0], [0, 1]]),
    ]:
        with pytest.raises(tetrastat.TetrastatError) as raised:
            wrong()
        assert "\n" not in str(raised.value)
    with pytest.raises(TypeError, match="pieces and placements, or neither"):
        tetrastat.features(Board(PICTURE), pieces="O")


def test_placements_equal_those_of_the_command(tetrastat_program):
    for rules, piece in [("simplified", "T"), ("standard", "J"), ("simplified", "I")]:
        picture = "/".join([".........."] * 9 + ["#.........", "##.#######"])
        command = [tetrastat_program, "show", "board", "--picture", picture, "--piece", piece, "--rules", rules, "--board", "10x11"]
        found = json.loads(subprocess.run([*command, "--format", "json"], check=True, capture_output=True).stdout)
        listed = found["placements"]
        names = list(listed[0]["features"])
        ours = tetrastat.afterstates(Board(picture), piece, rules=rules, features=names)
        key = [(one["orientation"], one["column"], one["landing_row"]) for one in listed]
        order = {place: at for at, place in enumerate(zip(*(a.tolist() for a in (ours.orientation, ours.column, ours.row))))}
        assert sorted(order) == sorted(key)
        for place, one in zip(key, listed):
            at = order[place]
            assert ours.lines[at] == one["lines"] and ours.lost[at] == one["loses"]
            board = Board(picture).place(piece, *place[:2], rules)
            assert board.board == Board.from_rows(ours.rows[at].tolist(), Board(picture).size)
            assert ours.features[at].tolist() == list(one["features"].values())


@pytest.fixture(scope="module")
def logged():
    """Returns the logged placements of two games."""
    run = tetrastat.simulate("bcts", board="10x12", games=2, max_pieces=200, placements="parquet", columns="all")
    return run.placements().to_pyarrow().to_pylist()


def test_features_equal_those_in_logs(logged):
    board, boards, rows = Board.empty("10x12"), [], []
    for row in (row for row in logged if row["game"] == 0):
        boards.append(board)
        rows.append(row)
        board = board.place(row["piece"], row["orientation"], row["column"]).board
    names = [name for name in tetrastat.feature_names("10x12") if name in rows[0]]
    assert len(names) > 30
    pieces = "".join(row["piece"] for row in rows)
    places = [[row["orientation"], row["column"]] for row in rows]
    found = tetrastat.features(boards, pieces, places, names=names)
    expected = np.array([[row[name] for name in names] for row in rows], dtype=float)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_batch_equals_its_single_boards():
    random = np.random.default_rng(1)
    planes = random.random((300, 12, 8)) < 0.3
    planes[:, 6:] = False
    pieces = random.integers(0, 7, 300)
    names = ["holes", "landing_height", "eroded_cells", "row_transitions"]
    for rules in ["simplified", "standard"]:
        found = tetrastat.afterstates(planes, pieces, rules=rules, features=names, threads=3)
        one = tetrastat.afterstates(planes, pieces, rules=rules, features=names, threads=1)
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found, one))
        at = np.flatnonzero(found.board == 17)
        alone = tetrastat.afterstates(Board.from_array(planes[17]), int(pieces[17]), rules=rules, features=names)
        for ours, theirs in zip(found[1:], alone[1:]):
            assert np.array_equal(ours[at], theirs)
    rows = (planes * (1 << np.arange(8, dtype=np.uint16))).sum(axis=2).astype(np.uint16)
    assert np.array_equal(tetrastat.features(rows, size="8x12"), tetrastat.features(planes))
    assert np.array_equal(tetrastat.cells(np.pad(rows, ((0, 0), (0, 20))), "8x12"), planes)
    board = Board.from_array(planes[0])
    alone = board.features()
    assert list(alone) == tetrastat.feature_names("8x12", of_boards=True)
    assert list(alone.values()) == tetrastat.features(planes)[0].tolist()


def test_guideline_placements_include_kicks_and_spins():
    empty = Board.empty()
    assert len(tetrastat.placements(empty, "T", rules="guideline")) == 34
    # A T that turns in under the overhang clears two rows as a T-spin.
    slot = Board("/".join([".........."] * 17 + [".....#....", "###...####", "####.#####"]))
    found = tetrastat.afterstates(slot, "T", rules="guideline", features=["holes", "bumpiness"])
    spins = np.flatnonzero(found.spin == 2)
    assert found.lines[spins].max() == 2 and found.features.shape == (len(found.board), 2)
    hard = tetrastat.placements(slot, "T", rules="guideline", movement="hard-drop")
    assert len(hard) < len(found.board)
    at = spins[found.lines[spins].argmax()]
    place = [[found.orientation[at], found.column[at], found.row[at]]]
    names = ["holes", "bumpiness"]
    alone = tetrastat.features(slot, "T", place, rules="guideline", names=names)
    assert alone[0].tolist() == found.features[at].tolist()
    terms = tetrastat.feature_names(rules="guideline", of_boards=True)
    assert tetrastat.features(slot, rules="guideline").shape == (1, len(terms))


def test_an_empty_batch_has_no_rows():
    found = tetrastat.afterstates([], [], features=["holes"])
    assert found.rows.shape == (0, 32) and found.features.shape == (0, 1)


def unaligned(array):
    """Returns a copy of an array at an odd address."""
    array = np.asarray(array)
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    copy = memory.view(array.dtype).reshape(array.shape)
    copy[...] = array
    assert not copy.flags.aligned
    return copy


def test_arrays_may_lie_at_any_address():
    boards = np.zeros((3, 6, 8), np.int64)
    boards[1, 0, :5] = boards[2, 0, 3:] = 1
    assert (tetrastat.features(unaligned(boards)) == tetrastat.features(boards)).all()
    rows = np.zeros((2, 6), np.uint16)
    assert (tetrastat.features(unaligned(rows), size="8x6") == tetrastat.features(rows, size="8x6")).all()
    places = np.array([[0, 0], [1, 2], [0, 4]])
    one, other = (tetrastat.features(boards, "T", placements=given) for given in (places, unaligned(places)))
    assert (one == other).all()
    evaluator = tetrastat.Evaluator(features="bcts", board="6x8", games=2, max_pieces=20)
    weights = np.linspace(-2, 1, 8)[None]
    assert (evaluator.evaluate(unaligned(weights)) == evaluator.evaluate(weights)).all()
    search = tetrastat.Optimiser("cem", 3, population=8, elite=2, seed=1)
    search.tell(unaligned(np.arange(8.0)))
    assert search.generation == 1
