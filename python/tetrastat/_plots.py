"""Figures of runs, comparisons and estimates, drawn by matplotlib or plotly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._tetrastat import SettingError, TetrastatError, survival

if TYPE_CHECKING:
    from ._folders import Folder

#: Name, value and 95 % interval of a row in a figure of intervals.
_Row = tuple[str, float | None, Mapping[str, Any] | None]


def _library(engine: str | None) -> str:
    """Returns the library that draws. Without ``engine``, matplotlib is preferred."""
    if engine not in (None, "matplotlib", "plotly"):
        raise SettingError(f"engine '{engine}': use 'matplotlib' or 'plotly'")
    names = [engine] if engine else ["matplotlib", "plotly"]
    for name in names:
        try:
            __import__(name)
        except ImportError:
            continue
        return name
    raise ImportError(f"plot() needs {' or '.join(names)}: install it with `pip install {names[0]}`")


def plot(folder: Folder, engine: str | None) -> Any:
    """Draws the survival of the games of a run, or the means of a comparison or an estimate with their intervals."""
    library, kind, summary = _library(engine), type(folder).__name__, folder.summary or {}
    if kind == "Run":
        table = folder.games
        if not {"lines", "censored"} <= set(table.columns):
            raise TetrastatError("plot() draws the survival of classic games: this run has no games that end by chance")
        points, shares = survival(table["lines"].tolist(), table["censored"].tolist())
        title = f"Survival of {len(table)} games"
        return _figure(library, title, "lines removed", "share of games still running", points=([0, *points], [1, *shares]))
    if kind == "Estimate":
        found = [(name, summary.get(name) or {}) for name in ("splitting", "direct", "histogram")]
        rows: list[_Row] = [(name, one["mean"], one) for name, one in found if one.get("mean") is not None]
        if not rows:
            raise TetrastatError("plot() needs a mean: the estimate has none, so give it a larger budget")
        return _figure(library, "Mean lines per game, by method", "lines per game, 95 % interval", "", rows=rows)
    if kind != "Comparison":
        raise TetrastatError(f"plot() draws runs, comparisons and estimates, but this is a {kind}")
    measure = summary.get("measure", "lines")
    rows = [(one["controller"], one["mean"], one) for one in summary.get("controllers", [])]
    if any(value is not None for _, value, _ in rows):
        return _figure(library, f"Mean {measure} per game", f"{measure} per game, 95 % interval", "", rows=rows)
    pairs = summary.get("pairs", [])
    rows = [(f"{one['first']} / {one['second']}", one["ratio"]["mean"], one["ratio"]) for one in pairs]
    if any(value is not None for _, value, _ in rows):
        return _figure(library, f"Ratio of mean {measure}", f"ratio of {measure}, 95 % interval", "", rows=rows)
    raise TetrastatError("plot() needs a mean or a ratio: too few games ended, so raise max_pieces or games")


def _ends(rows: Sequence[_Row]) -> list[tuple[str, float, float, float]]:
    """Returns the name, the value and the distances to both ends of the interval of each row with a value."""
    found = []
    for name, value, interval in rows:
        if value is not None:
            low, high = (interval or {}).get("low"), (interval or {}).get("high")
            below, above = (0 if low is None else value - low), (0 if high is None else high - value)
            found.append((name, value, below, above))
    return found[::-1]


def _figure(
    library: str,
    title: str,
    across: str,
    up: str,
    *,
    points: tuple[list[float], list[float]] | None = None,
    rows: Sequence[_Row] = (),
) -> Any:
    """Draws a curve of steps through ``points``, or the intervals of ``rows``."""
    found = _ends(rows)
    names = [name for name, _, _, _ in found]
    values = [value for _, value, _, _ in found]
    below, above = [low for _, _, low, _ in found], [high for _, _, _, high in found]
    if library == "matplotlib":
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6, 3.5 if points else 1.4 + 0.4 * len(rows)), layout="constrained")
        axes = figure.subplots()
        if points:
            axes.step(*points, where="post", color="#0072b2")
            axes.set_ylim(0, 1.02)
            axes.set_xlim(left=0)
        else:
            axes.errorbar(values, names, xerr=[below, above], fmt="o", color="#0072b2", capsize=3)
            axes.margins(y=0.3)
        axes.set(title=title, xlabel=across, ylabel=up)
        return figure
    import plotly.graph_objects as go

    if points:
        trace = go.Scatter(x=points[0], y=points[1], mode="lines", line={"shape": "hv", "color": "#0072b2"})
    else:
        error = {"type": "data", "symmetric": False, "array": above, "arrayminus": below}
        trace = go.Scatter(x=values, y=names, mode="markers", marker={"color": "#0072b2"}, error_x=error)
    figure = go.Figure(trace)
    figure.update_layout(title=title, xaxis_title=across, yaxis_title=up, template="plotly_white")
    return figure
