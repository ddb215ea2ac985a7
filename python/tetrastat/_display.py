"""Runs, comparisons, estimates and tables as cards, which notebooks show as HTML, and as text, which `print` shows."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ._tetrastat import Table

if TYPE_CHECKING:
    from ._folders import Comparison, Estimate, Folder, Run, Study

#: Number of rows that the card and the text of a table show.
_ROWS = 10
#: Number of columns that the card of a table shows; the middle ones are left out.
_COLUMNS = 20

#: A name and a value, such as ``("board", "10x20")``.
Pair = tuple[str, str]
#: Heads of a grid, and its rows.
Grid = tuple[Sequence[str], Sequence[Sequence[str]]]


def number(value: Any) -> str:
    """Returns a number with thousands separators and at most four significant digits after rounding."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) or (isinstance(value, float) and abs(value) >= 1000):
        return f"{round(value):,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def interval(found: Mapping[str, Any] | None) -> str:
    """Returns a 95 % confidence interval as text. An end may be unknown because games were cut off."""
    if not found:
        return "not available"
    low, high = found.get("low"), found.get("high")
    if low is None and high is None:
        return "not available"
    if high is None:
        return f"at least {number(low)}"
    return f"{number(low)} to {number(high)}" if low is not None else f"at most {number(high)}"


def _card(title: str, pairs: Iterable[tuple[str, str]], below: str = "") -> str:
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left'>{escape(text)}</td></tr>"
        for name, text in pairs
    )
    return f"<div><b>{escape(title)}</b><table>{rows}</table>{below}</div>"


def html_grid(heads: Sequence[str], rows: Iterable[Sequence[str]], tips: Sequence[str] | None = None) -> str:
    tips = tips or [""] * len(heads)
    title = "".join(f"<th title='{escape(tip)}'>{escape(head)}</th>" for head, tip in zip(heads, tips, strict=True))
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{title}</tr></thead><tbody>{body}</tbody></table>"


def text_of(title: str, pairs: Sequence[Pair], grids: Iterable[Grid] = ()) -> str:
    """Returns pairs and grids as lines of text below a title."""
    width = max((len(name) for name, _ in pairs), default=0)
    lines = [title, *(f"  {name:<{width}}  {text}" for name, text in pairs)]
    return "\n".join([*lines, *(grid_text(*grid) for grid in grids)])


def grid_text(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a grid as aligned lines of text. Columns of numbers are aligned at the right."""
    lines = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    is_right = [all(cell == "NA" or cell[:1] in "-0123456789." for cell in column) for column in zip(*rows, strict=True)]
    is_right = is_right or [False] * len(heads)

    def aligned(cell: str, width: int, right: bool) -> str:
        return cell.rjust(width) if right else cell.ljust(width)

    return "\n".join("  ".join(map(aligned, line, widths, is_right)).rstrip() for line in lines)


def table_text(table: Table) -> str:
    """Returns the first rows of a table as text, with as many columns as the terminal has room for."""
    heads = table.columns
    lines = [heads, *_values(table.head(_ROWS))]
    columns = [list(column) for column in zip(*lines, strict=True)]
    shown = _fitting([max(map(len, column)) for column in columns], shutil.get_terminal_size().columns)
    cells = [columns[index] if index is not None else ["..."] * len(columns[0]) for index in shown]
    first, *rows = zip(*cells, strict=True)
    left_out = "" if None not in shown else f"; {len(heads) - len(shown) + 1} columns in the middle are not shown"
    count = len(table)
    below = f"{count:,} rows, {len(heads)} columns" + (f"; the first {_ROWS} rows are shown" if count > _ROWS else "")
    return f"{grid_text(first, rows)}\n{below}{left_out}"


def _fitting(widths: Sequence[int], room: int) -> list[int | None]:
    """Returns the columns that fit: first and last ones, with None for those left out in the middle."""
    if sum(widths) + 2 * (len(widths) - 1) <= room:
        return list(range(len(widths)))
    first: list[int | None] = [0]
    last: list[int | None] = []
    room -= widths[0] + len("  ...")
    while len(first) + len(last) < len(widths):
        next_one = len(first) if len(first) <= len(last) else len(widths) - 1 - len(last)
        room -= widths[next_one] + 2
        if room < 0:
            break
        (first if next_one == len(first) else last).append(next_one)
    return [*first, None, *reversed(last)]


def table_card(table: Table) -> str:
    """Returns the first rows of a table. The tooltip of a column has its unit and meaning."""
    rows, width = table.shape
    names = table.columns
    shown = names if width <= _COLUMNS else names[: _COLUMNS // 2] + names[-_COLUMNS // 2 :]
    types = table.schema
    tips = [_tip(table.describe(name), types[name]) for name in shown]
    cells = _values(table.head(_ROWS)._select(shown))
    left_out = "" if len(shown) == width else f"; {width - len(shown)} columns in the middle are not shown"
    below = f"<small>{rows:,} rows, {width} columns{left_out}</small>"
    return f"<div>{html_grid(shown, cells, tips)}{below}</div>"


def _tip(entry: Mapping[str, str], kind: str) -> str:
    unit = "" if entry["unit"] == "-" else f", in {entry['unit']}"
    return f"{kind}{unit}: {entry['description']}"


def arrow_columns(table: Table) -> list[Any]:
    """Returns the columns of a table, by the first Arrow library that is installed."""
    try:
        return list(table.to_pyarrow().columns)
    except ImportError:
        return list(table.to_polars().get_columns())


def columns_of(table: Table) -> list[list[Any]]:
    """Returns the values of each column of a table."""
    columns = arrow_columns(table)
    return [column.to_pylist() if hasattr(column, "to_pylist") else column.to_list() for column in columns]


def _values(table: Table) -> list[list[str]]:
    """Returns the rows of a table as texts."""
    rows = zip(*columns_of(table), strict=True)
    return [[cell(value) for value in row] for row in rows]


def cell(value: Any) -> str:
    """Returns a value as the text of a cell."""
    if value is None or value != value:
        return "NA"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def run_card(run: Run) -> str:
    """Returns the configuration of a run, and its results with intervals."""
    return _card("Run", run_pairs(run))


def run_pairs(run: Run) -> list[Pair]:
    """Returns the configuration of a run, its results with intervals, and its files."""
    manifest = run.manifest
    pairs = _configuration(manifest["config"])
    pairs.append(("status", str(manifest["status"])))
    for name in ("games", "matches", "pieces", "lines"):
        if isinstance(manifest.get(name), int):
            pairs.append((name, number(manifest[name])))
    found = manifest.get("summary") or {}
    for measure in ("lines", "pieces", "points"):
        if (one := found.get(measure)) and one["mean"] is not None:
            pairs.append((f"mean {measure} per game", number(one["mean"])))
            pairs.append(("95 % interval", interval(one)))
    if "lines" in found:
        pairs.append(("games cut off", number(found["lines"]["censored"])))
    return [*pairs, *_places(run)]


def _configuration(config: Mapping[str, Any]) -> list[Pair]:
    names = [config["controller"]["name"]] if "controller" in config else config.get("declarers", ["unknown"])
    pairs = [("controller", ", ".join(names))]
    for key in ("rules", "mode", "board", "queue", "search", "seed"):
        if config.get(key) is not None:
            pairs.append((key, str(config[key])))
    return pairs


def _places(folder: Folder) -> list[Pair]:
    tables = [*folder.tables, *(f"{name} (in memory)" for name in folder._logs)]
    return [("tables", ", ".join(tables)), ("folder", str(folder.path))]


def study_card(study: Study) -> str:
    """Returns the conditions of a study."""
    return _card("Study", _study_pairs(study), "".join(map(table_card, _study_tables(study))))


def study_text(study: Study) -> str:
    """Returns the conditions of a study as text."""
    return "\n".join([text_of("Study", _study_pairs(study)), *map(table_text, _study_tables(study))])


def _study_pairs(study: Study) -> list[Pair]:
    return [("runs", ", ".join(study.runs) or "none"), *_places(study)]


def _study_tables(study: Study) -> list[Table]:
    """Returns the conditions of a study, and the contrasts between them if some are estimated."""
    tables = study.tables
    if "means" not in tables:
        return [study.conditions] if "conditions" in tables else []
    means = study.table("means", ["name", "method", "n", "mean", "low", "high"])
    ratios = ["levels", "ratio", "low", "high", "p_adjusted"]
    return [means, *([study.table("contrasts", ratios)] if "contrasts" in tables else [])]


def comparison_card(comparison: Comparison) -> str:
    """Returns the means and the differences of a comparison, with intervals."""
    pairs, grids = comparison_parts(comparison)
    return _card("Comparison", pairs, "".join(html_grid(*grid) for grid in grids) or table_card(comparison.estimates))


def comparison_text(comparison: Comparison) -> str:
    """Returns the means and the differences of a comparison, with intervals, as text."""
    pairs, grids = comparison_parts(comparison)
    text = text_of("Comparison", pairs, grids)
    return text if grids else f"{text}\n{table_text(comparison.estimates)}"


def comparison_parts(comparison: Comparison) -> tuple[list[Pair], list[Grid]]:
    """Returns the games of a comparison, and grids of its means and its differences."""
    summary = comparison.summary or {}
    pairs = [(key, str(summary[key])) for key in ("rules", "board", "queue", "search", "seed") if summary.get(key)]
    measure = summary.get("measure", "value")
    means = [
        (str(one["rank"]), str(one["controller"]), number(one["mean"]), interval(one), number(one["n"]))
        for one in summary.get("controllers", [])
    ]
    grids: list[Grid] = []
    if means:
        grids.append((["rank", "controller", f"mean {measure} per game", "95 % interval", "games"], means))
    differences = [
        (
            f"{one['first']} - {one['second']}",
            number(one["difference"]["mean"]),
            interval(one["difference"]),
            number(one["ratio"]["mean"]),
            interval(one["ratio"]),
            number(one["p_adjusted"]),
        )
        for one in summary.get("pairs", [])
    ]
    if differences:
        heads = ["pair", f"difference, {measure}", "95 % interval", "ratio", "95 % interval", "p, adjusted"]
        grids.append((heads, differences))
    return pairs, grids


def estimate_card(estimate: Estimate) -> str:
    """Returns the configuration of an estimate, and its means with intervals."""
    return _card("Estimate", estimate_pairs(estimate))


def estimate_pairs(estimate: Estimate) -> list[Pair]:
    """Returns the configuration of an estimate, its means with intervals, and its files."""
    summary = estimate.summary or {}
    pairs = _configuration(summary.get("config", {}))
    for name, mean, found in means_of(estimate):
        best = ", the most reliable" if name == summary.get("believe") else ""
        pairs.append((f"mean lines per game ({name}{best})", number(mean)))
        pairs.append(("95 % interval", interval(found)))
    pairs.append(("target reached", number(estimate.reached)))
    return [*pairs, *_places(estimate)]


def means_of(estimate: Estimate) -> list[tuple[str, float, Mapping[str, Any] | None]]:
    """Returns the method, the mean and the interval of each result of an estimate."""
    summary = estimate.summary or {}
    found = [(name, summary.get(name) or {}) for name in ("splitting", "direct", "histogram")]
    return [(name, one["mean"], one) for name, one in found if one.get("mean") is not None]
