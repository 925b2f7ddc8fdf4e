"""The command line: the library in the shell. One file per command."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line and exit with its code; an interrupt is clean even while the program loads."""
    try:
        from shoal.cli.main import outcome

        code = outcome()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was written.\n")
        code = 130
    sys.exit(code)
