"""Types of the results that `summary` of runs, comparisons and estimates has, as ``run.json`` and ``--format json`` hold them."""

from __future__ import annotations

from typing import Any, TypedDict

__all__ = ["ComparisonSummary", "EstimateSummary", "Mean", "Pair", "RankedMean", "RunSummary", "Spread", "StudySummary"]


class Mean(TypedDict):
    """Mean with its confidence interval of the given level. What is unknown is None."""

    mean: float | None
    low: float | None
    high: float | None
    level: float
    method: str | None
    n: int
    censored: int
    warnings: list[dict[str, Any]]


class Spread(TypedDict):
    """Spread of the values of the games. Games that were cut off count with their values."""

    observed_mean: float
    sd: float | None
    min: float
    q1: float
    median: float
    q3: float
    max: float


class RunSummary(TypedDict, total=False):
    """Means of a run by the names of the measures. Each game has some of them."""

    lines: Mean
    lines_bootstrap: Mean
    pieces: Mean
    points: Mean
    inputs: Mean
    inputs_per_piece: Mean
    pieces_per_second: Mean
    lost: Mean
    median: dict[str, Mean]
    spread: dict[str, Spread]
    clears: dict[str, Mean]
    points_by: dict[str, Mean]
    kinds: list[dict[str, Any]]
    tally: dict[str, Any]


class RankedMean(Mean):
    """Mean of a controller in a comparison, with its rank."""

    rank: int
    controller: str
    median: Mean
    spread: Spread | None


class Pair(TypedDict):
    """Difference and ratio of the means of two controllers, and the test of their difference."""

    first: str
    second: str
    difference: Mean
    ratio: Mean
    wins: int
    known: int
    test: str | None
    p: float | None
    p_adjusted: float | None
    differ: bool


class ComparisonSummary(TypedDict, total=False):
    """Result of `compare`. With ``contrast`` it has other keys."""

    measure: str
    scale: str
    half_width: float | None
    looks: list[dict[str, Any]]
    stopped: str
    reached: bool | None
    controllers: list[RankedMean]
    pairs: list[Pair]
    verdicts: list[dict[str, Any]]


class EstimateSummary(TypedDict, total=False):
    """Result of `estimate`: the mean of each method, and the configuration."""

    config: dict[str, Any]
    method: str
    replications: int
    pieces: int
    main_pieces: int
    lines_per_piece: float
    splitting: Mean | None
    direct: Mean
    histogram: dict[str, Any] | None
    believe: str | None
    disagree: list[str]
    levels: list[dict[str, Any]]


class StudySummary(TypedDict):
    """Result of `study`: the conditions with their configurations and results."""

    out: str
    conditions: list[dict[str, Any]]
