"""Training in this process, as ``tetrastat train`` does it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator

from ._tetrastat import Training

__all__ = ["train"]


def train(method: str | None = None, *, progress: bool = False, **settings: Any) -> dict[str, Any]:
    """Train a controller into a folder: the files of ``tetrastat train``, to the same bytes.

    Parameters
    ----------
    method : {"cem", "ga", "snes", "cmaes"}, optional
        The optimiser; not needed with a ``preset`` or a ``config``.
    progress : bool
        Show a bar while games are played, if tqdm is installed.
    **settings
        Options of ``tetrastat train`` with ``_`` for ``-``: ``preset="rvce"``, ``config="my.toml"``, ``board="10x10"``,
        ``games=10`` (per candidate and generation), ``generations=50``, ``threads=4``, ``seed=1``, ``out="folder"``.
        The same call with the same ``out`` goes on with what was interrupted; ``resume="folder"`` needs nothing else.

    Returns
    -------
    dict
        What ``train.json`` in the folder says; the winner's file is ``controller.toml`` there.

    Raises
    ------
    TetrastatError
        When the settings make no training, or the folder holds another one.
    KeyboardInterrupt
        On Ctrl-C, once the best checked mean so far is written; the same call continues.
    """
    said = settings if method is None else {"method": method, **settings}
    training = Training(**said)
    try:
        with _bar(progress) as tell:
            training.play(tell)
    except BaseException:
        if training.generation:
            training.finish()
        raise
    return training.finish()


@contextmanager
def _bar(wanted: bool) -> Iterator[Callable[[float | None, str], None] | None]:
    """What shows how far work is; nothing when it is not wanted or tqdm is missing."""
    try:
        if not wanted:
            raise ImportError
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    shape = "{percentage:3.0f}%|{bar}| {elapsed}<{remaining} {desc}"
    with tqdm(total=1.0, bar_format=shape) as bar:

        def tell(share: float | None, said: str) -> None:
            bar.n = share or 0.0
            bar.set_description_str(said)

        yield tell
