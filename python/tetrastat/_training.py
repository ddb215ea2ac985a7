"""Training of controllers in this process, as ``tetrastat train`` does it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from ._runs import run_command
from ._tetrastat import SettingError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .settings import TrainSettings

__all__ = ["train"]

Method = Literal["cem", "ga", "snes", "cmaes", "vdcmaes", "td"]


def train(method: Method, *, progress: bool = False, **settings: Unpack[TrainSettings]) -> dict[str, Any]:
    """Trains a controller in a folder, which gets the same bytes as a folder of ``tetrastat train``.

    Parameters
    ----------
    method : {"cem", "ga", "snes", "cmaes", "vdcmaes", "td"}
        Optimiser, or ``td`` for learning cell patterns.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat train METHOD`` with ``_`` for ``-``: ``preset="rvce"``, ``config="my.toml"``, ``board="10x10"``,
        ``games=10`` (per candidate and generation), ``generations=50``, ``threads=4``, ``seed=1``, ``out="folder"``.
        The same call with the same ``out`` resumes an interrupted training; ``resume="folder"`` needs no other option.

    Returns
    -------
    dict
        Content of ``run.json`` in the folder. The winner is the file ``controller.toml`` there.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value.
    TetrastatError
        If the settings describe no training, or if the folder holds another one.
    KeyboardInterrupt
        After Ctrl-C, when the best checked mean so far has been written. The same call resumes the training.

    Examples
    --------
    >>> import tetrastat
    >>> found = tetrastat.train("cem", board="10x10", features="bcts", generations=20, out="mine")  # doctest: +SKIP
    >>> found["summary"]  # doctest: +SKIP
    """
    if method not in get_args(Method):
        raise SettingError(f"method {method!r}: give one of {', '.join(get_args(Method))}")
    printed = run_command(f"train {method}", settings, progress)
    if isinstance(printed, dict):
        return printed
    # A training that resumes, or that was complete before, prints text.
    folder = settings.get("resume") or settings.get("out") or ""
    kept = json.loads(Path(folder, "run.json").read_text(encoding="utf-8"))
    return {key: value for key, value in kept.items() if key not in ("datapackage", "checksum")}
