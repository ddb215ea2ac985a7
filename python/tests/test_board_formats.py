"""Boards from arrays of any type, from pictures of common kinds, and from fumens."""

import numpy as np
import pytest
import tetrastat
from tetrastat import Board, SettingError

TYPES = [bool, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float32, np.float64]
BOARD = Board("..../#.../#.#./#.##")


def random_cells(chance, size=(20, 10)):
    """Returns cells of a stack: rows from the floor up, with empty rows only above it."""
    cells = chance.random(size) < 0.6
    cells[int(chance.integers(1, size[0])) :] = False
    cells[0, 0] = True
    return cells


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("filled", [1, 255])
def test_arrays_of_every_type(dtype, filled):
    chance = np.random.default_rng(1)
    for _ in range(10):
        cells = random_cells(chance)
        if filled > np.iinfo(np.int8).max and dtype in (bool, np.int8):
            filled = -1
        array = np.where(cells, filled, 0).astype(dtype)
        board = Board.from_array(array)
        assert (board.cells() == cells).all()
        assert Board.from_array(array[::-1], row_order="top") == board == Board.from_array(array.tolist())
        assert Board.from_array(np.asfortranarray(array)) == board == Board.from_array(board)


@pytest.mark.parametrize("dtype", [dtype for dtype in TYPES if dtype is not np.uint16])
def test_arrays_wherever_boards_are_accepted(dtype):
    chance = np.random.default_rng(2)
    cells = np.stack([random_cells(chance) for _ in range(5)])
    boards = [Board.from_array(one) for one in cells]
    array = cells.astype(dtype) * dtype(1)
    assert (tetrastat.features(array) == tetrastat.features(boards)).all()
    assert (tetrastat.features(array[2]) == tetrastat.features(boards[2])).all()
    found, expected = tetrastat.afterstates(array, "T"), tetrastat.afterstates(boards, "T")
    assert (found.rows == expected.rows).all() and (found.board == expected.board).all()
    assert (tetrastat.placements(array[1], "J") == tetrastat.placements(boards[1], "J")).all()


def test_arrays_of_rows_stay_bit_packed():
    rows = np.array([0b1011, 0b0001, 0, 0], np.uint16)
    assert (tetrastat.features(rows, size="4x4") == tetrastat.features(Board.from_rows(rows.tolist(), "4x4"))).all()


def test_numpy_converts_a_board():
    assert np.asarray(BOARD).dtype == bool and (np.asarray(BOARD) == BOARD.cells()).all()
    assert np.asarray(BOARD, np.float32).dtype == np.float32
    assert np.array(BOARD, copy=True).sum() == 6
    assert np.stack([BOARD, BOARD]).shape == (2, 4, 4)
    with pytest.raises(ValueError, match="copy"):
        BOARD.__array__(copy=False)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("....\n#...\n#.#.\n#.##", None),
        ("\n    ....\n    X...\n    X.X.\n    X.XX\n    ", None),
        ("____\nI___\nI_O_\nI_OO\n", None),
        ("0000\r\n1000\r\n1010\r\n1011\r\n", None),
        ("    \nX   \nX X \nX XX\n", None),
        ("\n\n    \n#\n# #\n# ##\n", None),
        ("#.#.\n#.##", None),
        ("G...\nG.G.\nG.GG", "4x4"),
        ("X\nX X\nX XX", "4x4"),
    ],
)
def test_pictures(text, size):
    if text == "#.#.\n#.##":
        with pytest.raises(SettingError, match="4x2"):
            Board.from_text(text)
        assert Board.from_text(text, "4x4") == Board("..../..../#.#./#.##")
        return
    assert Board.from_text(text, size) == BOARD


def test_pictures_round_trip():
    chance = np.random.default_rng(3)
    for _ in range(50):
        height, width = int(chance.integers(4, 29)), int(chance.integers(4, 17))
        cells = random_cells(chance, (height, width))
        board = Board.from_array(cells)
        for empty, filled in (".#", "_X", "01", " X"):
            lines = ["".join(filled if cell else empty for cell in row) for row in cells[::-1]]
            assert Board.from_text("\n".join(lines), board.size) == board


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Board.from_text("..?.\n" * 4), "line 4: '\\?' is no cell: use"),
        (lambda: Board.from_text("....\n...\n....\n...."), "line 2: 3 cells, but another line has 4"),
        (lambda: Board.from_text("\n  \n"), "no filled row"),
        (lambda: Board.from_text("." * 17), "17 cells: a board has 4 to 16 columns"),
        (lambda: Board.from_text("#...", "5x5"), "4 columns, but size 5x5 has 5"),
        (lambda: Board.from_text("#...\n" * 9, "4x4"), "9 rows, and a board of size 4x4 stores 8"),
        (lambda: Board.from_array([[1, 0, 0, 0.5]] * 4), "not whole numbers"),
        (lambda: Board.from_array([[1, 0, 0, np.nan]] * 4), "not whole numbers"),
        (lambda: Board.from_array(np.zeros(4)), "one board"),
        (lambda: Board.from_array(np.zeros((1, 4, 4))), "one board"),
        (lambda: Board.from_array(np.array([["a"] * 4] * 4)), "one board"),
        (lambda: Board.from_array(np.zeros((4, 4)), row_order="up"), "row_order.*floor, top"),
        (lambda: Board.from_array(np.zeros((3, 4))), "4x3"),
        (lambda: Board.from_array(BOARD.cells(), row_order="top"), "upside down"),
        (lambda: Board.from_fumen("hello"), "v115@"),
        (lambda: Board.from_fumen("v115@vh"), "damaged"),
        (lambda: Board.from_fumen("v115@vhAAgH", page=1), "pages 0 to 0"),
        (lambda: Board.from_fumen("v115@vhAAgH", page=-2), "pages 0 to 0"),
        (lambda: Board.from_fumen("v115@vhAAgH", size="8x20"), "10 columns, and this board 8"),
        (lambda: BOARD.to_fumen(), "10 columns, and this board 4"),
        (lambda: Board.from_fumen(Board.from_text("#.........\n" * 20).to_fumen(), size="10x10"), "20 rows"),
    ],
)
def test_errors_are_one_line(call, words):
    with pytest.raises(SettingError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_fumens_round_trip():
    chance = np.random.default_rng(4)
    assert Board.from_fumen("v115@vhAAgH") == Board.empty(), "the editor's empty page"
    for _ in range(50):
        board = Board.from_array(random_cells(chance))
        text = board.to_fumen()
        assert text.startswith("v115@")
        assert Board.from_fumen(text) == board == Board.from_fumen(f"https://example.org/?{text}", page=-1)


def test_pages_of_a_fumen_follow_their_pieces():
    """The second page is the first one after its T was placed."""
    text = "v115@vhBVQJXGJ"
    assert Board.from_fumen(text) == Board.empty()
    assert Board.from_fumen(text, page=-1) == Board.from_text("....#.....\n...###....", "10x20")
