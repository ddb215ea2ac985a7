"""Golden numbers for the tests of src/runs/exact: mean lines and pieces of small games, computed from
spec alone (MDPTetris' rules, pieces, order and features as published), in plain Python.

    python3 tests/oracles/exact.py 4x4 bcts dellacherie
    python3 tests/oracles/exact.py 4x4 optimal

A board is a tuple of rows, floor first, each a tuple of 0 and 1. Means by repeated substitution
until nothing changes, not by a solver.
"""

import sys

# Top row first, in the order of MDPTetris' pieces4.dat.
PIECES = [
    ["X/X/X/X", "XXXX"],
    ["XX/XX"],
    ["X./XX/X.", ".X./XXX", ".X/XX/.X", "XXX/.X."],
    [".X/XX/X.", "XX./.XX"],
    ["X./XX/.X", ".XX/XX."],
    ["X../XXX", ".X/.X/XX", "XXX/..X", "XX/X./X."],
    ["XXX/X..", "X./X./XX", "..X/XXX", "XX/.X/.X"],
]
SHAPES = [[[[int(c == "X") for c in row] for row in reversed(text.split("/"))] for text in piece]
          for piece in PIECES]

# landing height, eroded cells, row transitions, column transitions, holes, wells, hole depth,
# rows with holes
WEIGHTS = {
    "bcts": [-12.629, 6.601974, -9.215815, -19.77356, -13.08335, -10.48747, -1.611863, -24.04087],
    "dellacherie": [-1, 1, -1, -1, -4, -1, 0, 0],
}


def drop(board, shape, column, width, height):
    """None when the piece ends the game, else (after, lines, landing row, own cells removed)."""
    rows = [list(row) for row in board] + [[0] * width for _ in range(8)]
    cells = [(r, column + c) for r, row in enumerate(shape) for c, x in enumerate(row) if x]
    at = height
    while at > 0 and not any(rows[at - 1 + r][c] for r, c in cells):
        at -= 1
    if at + len(shape) > height:
        return None
    for r, c in cells:
        rows[at + r][c] = 1
    full = [r for r in range(height) if all(rows[r])]
    own = sum(1 for r, c in cells if at + r in full)
    left = [tuple(row) for r, row in enumerate(rows[:height]) if r not in full]
    left += [(0,) * width] * len(full)
    return tuple(left), len(full), at, own


def features(board, lines, at, own, shape, width, height):
    filled = lambda r, c: c < 0 or c >= width or (r >= 0 and r < height and board[r][c] == 1)
    row_transitions = sum(filled(r, c) != filled(r, c + 1)
                          for r in range(height) for c in range(-1, width))
    column_transitions = holes = wells = depth = 0
    rows_with_holes = set()
    for c in range(width):
        column = [1] + [board[r][c] for r in range(height)] + [0]
        column_transitions += sum(a != b for a, b in zip(column, column[1:]))
        for r in range(height):
            if board[r][c]:
                continue
            if any(board[k][c] for k in range(r + 1, height)):
                holes += 1
                rows_with_holes.add(r)
                k = r + 1
                while k < height and board[k][c]:
                    depth += 1
                    k += 1
            if filled(r, c - 1) and filled(r, c + 1):
                k = r
                while k >= 0 and not board[k][c]:
                    wells += 1
                    k -= 1
    return [at + (len(shape) - 1) / 2, lines * own, row_transitions, column_transitions, holes,
            wells, depth, len(rows_with_holes)]


def moves(board, piece, width, height):
    for shape in SHAPES[piece]:
        for column in range(width - len(shape[0]) + 1):
            found = drop(board, shape, column, width, height)
            if found:
                yield found + (shape,)


def greedy(board, piece, weights, width, height):
    best = None
    for after, lines, at, own, shape in moves(board, piece, width, height):
        values = features(after, lines, at, own, shape, width, height)
        # Rounded, so that equal scores are equal whatever the order of additions.
        score = round(sum(w * x for w, x in zip(weights, values)), 6)
        if best is None or score > best[0]:
            best = (score, after, lines)
    return best and best[1:]


def explore(start, options):
    """Every board that can be reached, with what each piece may do there."""
    known, todo = {}, [start]
    while todo:
        board = todo.pop()
        if board in known:
            continue
        known[board] = [options(board, piece) for piece in range(7)]
        todo += [after for choices in known[board] for after, _ in choices]
    return known


def fixed_point(known, reward):
    """The largest mean reward over what may be chosen, from every board; and its choices."""
    value = dict.fromkeys(known, 0.0)
    while True:
        change = 0.0
        for board, pieces in known.items():
            new = sum(max((reward(lines) + value[after] for after, lines in choices),
                          default=reward(None)) for choices in pieces) / 7
            change = max(change, abs(new - value[board]))
            value[board] = new
        if change < 1e-15:
            return value


def main(size, *names):
    width, height = map(int, size.split("x"))
    start = ((0,) * width,) * height
    for name in names:
        if name == "optimal":
            options = lambda b, p: sorted({m[:2] for m in moves(b, p, width, height)})
        else:
            weights = WEIGHTS[name]
            options = lambda b, p: [m for m in [greedy(b, p, weights, width, height)] if m]
        known = explore(start, options)
        lines = fixed_point(known, lambda n: n or 0)[start]
        pieces = fixed_point(known, lambda n: 1)[start]  # the last piece is counted
        what = "most pieces" if name == "optimal" else "pieces"
        print(f"{size} {name}: {len(known)} boards, lines {lines!r}, {what} {pieces!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
