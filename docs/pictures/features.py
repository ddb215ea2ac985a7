#!/usr/bin/env python3
"""Draws docs/pictures/features.svg: one board, and what each family of features counts on it.

The marks are those of `tetrastat show board --explain`: `TETRASTAT=target/debug/tetrastat docs/pictures/features.py`.
"""

import os
import re
import subprocess
from pathlib import Path

TETRASTAT = os.environ.get("TETRASTAT", "tetrastat")
BOARD = "......../#......./##...##./#.##.##./#.####.#/####.###"
#: Feature, and what the picture says about it.
PANELS = [
    ("holes", "empty cells below a filled one"),
    ("hole_depth", "filled cells directly above a hole"),
    ("rows_with_holes", "rows with at least one hole"),
    ("wells", "depth of cells between two filled ones"),
    ("row_transitions", "changes along rows, walls filled"),
    ("column_transitions", "changes along columns, floor filled"),
    ("aggregate_height", "sum of the column heights"),
    ("bumpiness", "height steps between columns"),
]
CELL, WIDTH, HEIGHT, COLUMNS = 20, 250, 230, 4


def explained(feature):
    """The value, the rows of cells with the number at their end, and the line of numbers below."""
    command = [TETRASTAT, "show", "board", "--picture", BOARD, "--explain", feature]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    value = re.match(rf"{feature} (\S+):", lines[0])[1]
    rows, below = [], ""
    for line in lines[2:]:
        if re.match(r"^  [.#0-9]( |$)", line) and len(rows) < BOARD.count("/") + 1:
            cells, _, end = line.partition("|")
            rows.append((cells.split(), end.strip()))
        elif "+" not in line and "=" not in line and line.strip():
            below = line
    return value, rows, below


def panel(index, feature, words):
    x, y = (index % COLUMNS) * WIDTH + 20, (index // COLUMNS) * HEIGHT + 24
    value, rows, below = explained(feature)
    parts = [f'<text x="{x}" y="{y}" class="name">{feature} = {value}</text>', f'<text x="{x}" y="{y + 18}" class="words">{words}</text>']
    top = y + 30
    for number, (cells, end) in enumerate(rows):
        for column, cell in enumerate(cells):
            kind = {"#": "filled", ".": "empty"}.get(cell, "marked")
            left, upper = x + column * CELL, top + number * CELL
            parts.append(f'<rect x="{left}" y="{upper}" width="{CELL}" height="{CELL}" class="{kind}"/>')
            if kind == "marked":
                parts.append(f'<text x="{left + CELL / 2}" y="{upper + 14}" class="number">{cell}</text>')
        if end:
            parts.append(f'<text x="{x + len(cells) * CELL + 12}" y="{top + number * CELL + 14}" class="number">{end}</text>')
    # Each cell takes three characters of the text.
    for number in re.finditer(r"\d+", below):
        middle = x + (number.start() - 2 + 0.5) / 3 * CELL + CELL / 3
        parts.append(f'<text x="{middle:.0f}" y="{top + len(rows) * CELL + 15}" class="number">{number[0]}</text>')
    return parts


def main():
    rows = (len(PANELS) + COLUMNS - 1) // COLUMNS
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH} {rows * HEIGHT}" font-family="sans-serif" role="img">',
        "<title>What features count on one board</title>",
        "<desc>" + "; ".join(f"{feature}: {words}" for feature, words in PANELS) + "</desc>",
        "<style>.name{font-size:15px;font-weight:bold}.words{font-size:12px}.number{font-size:12px;text-anchor:middle}"
        "text{fill:#222}rect{stroke:#fff}.filled{fill:#8a8f98}.empty{fill:#eef0f3}.marked{fill:#f0e442}</style>",
        f'<rect width="{COLUMNS * WIDTH}" height="{rows * HEIGHT}" fill="#fff"/>',
    ]
    for index, (feature, words) in enumerate(PANELS):
        lines += panel(index, feature, words)
    path = Path(__file__).with_suffix(".svg")
    path.write_text("\n".join([*lines, "</svg>\n"]), encoding="utf-8")


if __name__ == "__main__":
    main()
