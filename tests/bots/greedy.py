"""A bot of the Tetris Bot Protocol. It drops each piece where it leaves the fewest holes and the lowest stack."""
import json
import sys

CELLS = {"I": [(0, 0), (-1, 0), (1, 0), (2, 0)], "O": [(0, 0), (1, 0), (0, 1), (1, 1)],
         "T": [(0, 0), (-1, 0), (1, 0), (0, 1)], "S": [(0, 0), (-1, 0), (0, 1), (1, 1)],
         "Z": [(0, 0), (-1, 1), (0, 1), (1, 0)], "J": [(0, 0), (-1, 0), (1, 0), (-1, 1)],
         "L": [(0, 0), (-1, 0), (1, 0), (1, 1)]}


def fill(board, place):
    x, y, cells = place["x"], place["y"], CELLS[place["type"]]
    for _ in range(["north", "east", "south", "west"].index(place["orientation"])):
        cells = [(b, -a) for a, b in cells]
    rows = [row[:] for row in board]
    for a, b in cells:
        if not (0 <= x + a < 10 and 0 <= y + b < 40) or rows[y + b][x + a]:
            return None
        rows[y + b][x + a] = True
    return rows


def drops(board, piece):
    for orientation in ("north", "east", "south", "west"):
        for x in range(10):
            place = {"type": piece, "orientation": orientation, "x": x, "y": 30}
            while fill(board, place | {"y": place["y"] - 1}):
                place["y"] -= 1
            if rows := fill(board, place):
                rows = [row for row in rows if not all(row)]
                columns = [[row[c] for row in rows] for c in range(10)]
                tops = [max((r + 1 for r, cell in enumerate(column) if cell), default=0) for column in columns]
                holes = sum(top - sum(column) for top, column in zip(tops, columns))
                yield 10 * holes + sum(top * top for top in tops), place


def answer(state, message):
    if message["type"] == "rules":
        return {"type": "ready"}
    if message["type"] == "start":
        state.update(board=[[cell is not None for cell in row] for row in message["board"]],
                     hold=message["hold"], queue=message["queue"])
    elif message["type"] == "suggest":
        pieces = sorted({state["queue"][0], *([state["hold"]] if state["hold"] else state["queue"][1:2])})
        ranked = sorted((drop for piece in pieces for drop in drops(state["board"], piece)), key=lambda drop: drop[0])
        return {"type": "suggestion", "moves": [{"location": place, "spin": "none"} for _, place in ranked]}
    elif message["type"] == "play":
        place, queue = message["move"]["location"], state["queue"]
        if place["type"] != (current := queue.pop(0)):
            state["hold"] = current if state["hold"] else (queue.pop(0), current)[1]
        rows = [row for row in fill(state["board"], place) if not all(row)]
        state["board"] = rows + [[False] * 10 for _ in range(40 - len(rows))]
    elif message["type"] == "new_piece":
        state["queue"].append(message["piece"])
    return None


if __name__ == "__main__":
    info = {"type": "info", "name": "Reference", "version": "1", "author": "tests", "features": []}
    print(json.dumps(info), flush=True)
    state = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            break
        if reply := answer(state, message):
            print(json.dumps(reply), flush=True)
