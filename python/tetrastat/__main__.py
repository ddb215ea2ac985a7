"""The command ``tetrastat``, which the engine runs in this process."""

from __future__ import annotations

import signal
import sys

from . import _tetrastat as native


def main() -> int:
    """Runs this process's arguments as a ``tetrastat`` command and returns its exit code.

    The engine handles Ctrl-C itself, as its own program does.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    words = ["tetrastat", *sys.argv[1:]]
    return native.run_command_line(words)


if __name__ == "__main__":
    sys.exit(main())
