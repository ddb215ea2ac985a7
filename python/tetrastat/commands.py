"""Commands of the engine as functions, besides those with a function in `tetrastat`.

Every function takes the options of its command and returns what the command prints with ``--format json``, as
Python objects; the printed text if the command has no such format; or the folder or table that it writes.
"""

from ._commands import FUNCTIONS as _FUNCTIONS

globals().update(_FUNCTIONS)
__all__ = sorted(_FUNCTIONS)
