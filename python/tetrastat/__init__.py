"""A research engine for falling-block games: correct to the bit, fast, and logged as tidy rows."""

from ._tetrastat import Evaluator, Optimiser, TetrastatError, Training, __version__
from ._training import train

__all__ = ["Evaluator", "Optimiser", "TetrastatError", "Training", "__version__", "train"]
