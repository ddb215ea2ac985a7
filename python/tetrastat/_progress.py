"""Progress bars, which tqdm draws in terminals and notebooks."""

from __future__ import annotations

import logging

__all__ = ["ProgressBar"]

_log = logging.getLogger("tetrastat")


class ProgressBar:
    """Progress bar that is a callback for the engine, and a context manager that closes it.

    Parameters
    ----------
    wanted : bool
        False for a bar that shows nothing. Without tqdm the bar shows nothing, too, and a warning is logged.
    """

    def __init__(self, wanted: bool) -> None:
        self._bar = None
        if not wanted:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            _log.warning("progress=True needs tqdm: install it with `pip install tqdm`")
            return
        self._bar = tqdm(total=100, bar_format="{l_bar}{bar}| [{elapsed}<{remaining}]{postfix}")

    @property
    def callback(self) -> ProgressBar | None:
        """The bar itself if it shows anything, otherwise None."""
        return self if self._bar is not None else None

    def __call__(self, share: float | None, text: str) -> None:
        """Shows the share of the work that is done (0 to 1, or None if unknown) and a text."""
        if self._bar is not None:
            self._bar.n = round(100 * (share or 0), 1)
            self._bar.set_postfix_str(text)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
