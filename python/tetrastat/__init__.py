"""A research engine for falling-block games: correct to the bit, fast, and logged as tidy rows."""

from ._registration import register as _register_environments
from ._tetrastat import TetrastatError, __version__

__all__ = ["TetrastatError", "__version__"]

_register_environments()
