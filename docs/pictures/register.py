#!/usr/bin/env python3
"""Draws docs/pictures/register.svg: which byte of a register holds which placement of a J on ten columns.

The layout is that of `src/core/kernels/delta/mod.rs`: orientation o in column c is byte 16 o + c.
"""

from pathlib import Path

CELL, LEFT, TOP, GAP = 36, 150, 60, 50
COLUMNS = 10
#: The orientations of J, top row first, as `tetrastat show board --place` numbers them.
ORIENTATIONS = [["#..", "###"], [".#", ".#", "##"], ["###", "..#"], ["##", "#.", "#."]]


def main():
    width, height = LEFT + 16 * CELL + 20, TOP + 4 * (CELL + GAP) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" role="img">',
        "<title>Layout of a kernel register: a J on ten columns</title>",
        "<desc>64 bytes in four lanes of 16. Each lane holds one orientation, and each byte of a lane one column. "
        "Bytes of columns where the piece does not fit are masked.</desc>",
        "<style>text{fill:#222;font-size:13px}.byte{text-anchor:middle;font-size:12px}.note{font-size:11px;fill:#666;text-anchor:middle}"
        ".used{fill:#f0e442}.masked{fill:#eef0f3}.piece{fill:#8a8f98}rect{stroke:#fff}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="20" y="28">One register of 64 bytes. A byte is a placement (no. = canonical order), a lane of 16 bytes an orientation.</text>',
    ]
    index = 0
    for orientation, rows in enumerate(ORIENTATIONS):
        y = TOP + orientation * (CELL + GAP)
        parts.append(f'<text x="20" y="{y + 22}">orientation {orientation}</text>')
        for number, row in enumerate(rows):
            for column, cell in enumerate(row):
                if cell == "#":
                    parts.append(f'<rect x="{110 + column * 10}" y="{y + number * 10}" width="10" height="10" class="piece"/>')
        fits = COLUMNS - len(rows[0]) + 1
        for column in range(16):
            x, kind = LEFT + column * CELL, "used" if column < fits else "masked"
            parts.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" class="{kind}"/>')
            parts.append(f'<text x="{x + CELL / 2}" y="{y + 22}" class="byte">{16 * orientation + column}</text>')
            if column < fits:
                parts.append(f'<text x="{x + CELL / 2}" y="{y + CELL + 14}" class="note">col {column}</text>')
                parts.append(f'<text x="{x + CELL / 2}" y="{y + CELL + 28}" class="note">no. {index}</text>')
                index += 1
        if fits < 16:
            middle = LEFT + (fits + 16) / 2 * CELL
            parts.append(f'<text x="{middle}" y="{y + CELL + 14}" class="note">masked: the piece does not fit</text>')
    parts.append("</svg>\n")
    Path(__file__).with_suffix(".svg").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
