"""Training of controllers in this process, as ``tetrastat train`` does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._progress import ProgressBar
from ._tetrastat import Training

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .settings import TrainSettings

__all__ = ["train"]


def train(method: str | None = None, *, progress: bool = False, **settings: Unpack[TrainSettings]) -> dict[str, Any]:
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
        with ProgressBar(progress) as bar:
            training.play(bar.callback)
    except BaseException:
        if training.generation:
            training.finish()
        raise
    return training.finish()
