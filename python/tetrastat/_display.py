"""Cards of runs, comparisons, estimates and tables, which notebooks show as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ._tetrastat import Table

if TYPE_CHECKING:
    from ._folders import Comparison, Estimate, Folder, Run, Study

#: Number of rows that the card of a table shows.
_ROWS = 10
#: Number of columns that the card of a table shows; the middle ones are left out.
_COLUMNS = 20


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


def _grid(heads: Sequence[str], rows: Iterable[Sequence[str]], tips: Sequence[str] | None = None) -> str:
    tips = tips or [""] * len(heads)
    title = "".join(f"<th title='{escape(tip)}'>{escape(head)}</th>" for head, tip in zip(heads, tips, strict=True))
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{title}</tr></thead><tbody>{body}</tbody></table>"


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
    return f"<div>{_grid(shown, cells, tips)}{below}</div>"


def _tip(entry: Mapping[str, str], kind: str) -> str:
    unit = "" if entry["unit"] == "-" else f", in {entry['unit']}"
    return f"{kind}{unit}: {entry['description']}"


def columns_of(table: Table) -> list[list[Any]]:
    """Returns the values of each column of a table, by the first Arrow library that is installed."""
    try:
        return [column.to_pylist() for column in table.to_pyarrow().columns]
    except ImportError:
        return [column.to_list() for column in table.to_polars().get_columns()]


def _values(table: Table) -> list[list[str]]:
    """Returns the rows of a table as texts."""
    rows = zip(*columns_of(table), strict=True)
    return [["NA" if value is None else _cell(value) for value in row] for row in rows]


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def run_card(run: Run) -> str:
    """Returns the configuration of a run, and its results with intervals."""
    manifest = run.manifest
    pairs = _configuration(manifest["config"])
    pairs.append(("status", str(manifest["status"])))
    for name in ("games", "matches", "pieces", "lines"):
        if isinstance(manifest.get(name), int):
            pairs.append((name, number(manifest[name])))
    found = (run.summary or {}).get("summary") or {}
    if "mean" in found:
        pairs.append(("mean lines per game", number(found["mean"])))
        pairs.append(("95 % interval", interval(found.get("exponential"))))
    for name in ("median", "censored"):
        if name in found:
            pairs.append(({"median": "median lines", "censored": "games cut off"}[name], number(found[name])))
    return _card("Run", [*pairs, *_places(run)])


def _configuration(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    controller = config.get("controller", config.get("controllers", config.get("declarers")))
    name = controller.get("name") if isinstance(controller, Mapping) else controller
    pairs = [("controller", name if isinstance(name, str) else ", ".join(map(str, name or ["unknown"])))]
    for key in ("rules", "mode", "board", "queue", "search", "seed"):
        if config.get(key) is not None:
            pairs.append((key, str(config[key])))
    return pairs


def _places(folder: Folder) -> list[tuple[str, str]]:
    tables = [*folder.tables, *(f"{name} (in memory)" for name in folder._logs)]
    return [("tables", ", ".join(tables)), ("folder", str(folder.path))]


def study_card(study: Study) -> str:
    """Returns the conditions of a study."""
    below = table_card(study.conditions) if "conditions" in study.tables else ""
    return _card("Study", [("runs", ", ".join(study.runs)), *_places(study)], below)


def comparison_card(comparison: Comparison) -> str:
    """Returns the means and the differences of a comparison, with intervals."""
    summary = comparison.summary or {}
    pairs = [(key, str(summary[key])) for key in ("rules", "board", "queue", "search", "seed") if summary.get(key)]
    measure = summary.get("measure", "value")
    means = [
        (str(one["rank"]), str(one["controller"]), number(one["mean"]), interval(one["interval"]), number(one["games"]))
        for one in summary.get("controllers", [])
    ]
    below = _grid(["rank", "controller", f"mean {measure} per game", "95 % interval", "games"], means) if means else ""
    differences = [
        (
            f"{one['first']} - {one['second']}",
            number(one["difference"]),
            interval(one["difference_interval"]),
            number(one["ratio"]),
            interval(one["ratio_interval"]),
            number(one["p_adjusted"]),
        )
        for one in summary.get("pairs", [])
    ]
    if differences:
        heads = ["pair", f"difference, {measure}", "95 % interval", "ratio", "95 % interval", "p, adjusted"]
        below += _grid(heads, differences)
    if not below:
        below = table_card(comparison.estimates)
    return _card("Comparison", pairs, below)


def estimate_card(estimate: Estimate) -> str:
    """Returns the configuration of an estimate, and its means with intervals."""
    summary = estimate.summary or {}
    pairs = _configuration(summary.get("plan", {}).get("config", {}))
    for name, mean, found in means_of(estimate):
        best = ", the most reliable" if name == summary.get("believe") else ""
        pairs.append((f"mean lines per game ({name}{best})", number(mean)))
        pairs.append(("95 % interval", interval(found)))
    pairs.append(("target reached", number(estimate.reached)))
    return _card("Estimate", [*pairs, *_places(estimate)])


def means_of(estimate: Estimate) -> list[tuple[str, float, Mapping[str, Any] | None]]:
    """Returns the method, the mean and the interval of each result of an estimate."""
    summary = estimate.summary or {}
    found = [(name, summary.get(name) or {}) for name in ("splitting", "direct", "histogram")]
    return [(name, one["mean"], one.get("interval")) for name, one in found if one.get("mean") is not None]
