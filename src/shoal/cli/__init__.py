"""The command line: the library in the shell. One file per command."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

from shoal.cli.safety import limit_core_dumps, report_failure

STOPS = ("SIGTERM", "SIGHUP")
"""Requests to end, besides Ctrl-C: what was begun is taken away first. Some systems have only the first."""


def run() -> None:
    """Run the command line and exit with its code; an interrupt is clean even while the program loads."""
    limit_core_dumps()
    for name in STOPS:
        if signal.getsignal(number := getattr(signal, name, signal.SIGTERM)) is signal.SIG_DFL:  # nohup ignores one
            signal.signal(number, ended)
    try:
        from shoal.cli.main import outcome

        code = outcome()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was written.\n")
        code = 130
    except Exception as error:  # something broke while the program was loading
        code = report_failure(error)
    sys.exit(code)


def ended(number: int, frame: FrameType | None) -> NoReturn:
    """Leave through the front door, so that no staged file stays behind; the exit code says which signal it was."""
    signal.signal(number, signal.SIG_IGN)  # once is enough: a second one must not stop the cleaning
    sys.exit(128 + number)
