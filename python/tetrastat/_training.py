"""Training of controllers in this process, as ``tetrastat train`` does it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Callable, Iterator

from ._tetrastat import Training

__all__ = ["train"]


def train(method: str | None = None, *, progress: bool = False, **settings: Any) -> dict[str, Any]:
    """Trains a controller in a folder, which gets the same bytes as a folder of ``tetrastat train``.

    Parameters
    ----------
    method : {"cem", "ga", "snes", "cmaes"}, optional
        Optimiser. Not needed with a ``preset`` or a ``config``.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat train`` with ``_`` for ``-``: ``preset="rvce"``, ``config="my.toml"``, ``board="10x10"``,
        ``games=10`` (per candidate and generation), ``generations=50``, ``threads=4``, ``seed=1``, ``out="folder"``.
        The same call with the same ``out`` resumes an interrupted training; ``resume="folder"`` needs no other option.

    Returns
    -------
    dict
        Content of ``train.json`` in the folder. The winner is the file ``controller.toml`` there.

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
    >>> found["winner"]  # doctest: +SKIP
    """
    given = settings if method is None else {"method": method, **settings}
    training = Training(**given)
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
    """Yields a function that updates a progress bar, or None if no bar is wanted or tqdm is not installed."""
    try:
        if not wanted:
            raise ImportError
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    shape = "{percentage:3.0f}%|{bar}| {elapsed}<{remaining} {desc}"
    with tqdm(total=1.0, bar_format=shape) as bar:

        def tell(share: float | None, text: str) -> None:
            bar.n = share or 0.0
            bar.set_description_str(text)

        yield tell
