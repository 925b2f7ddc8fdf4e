"""The command line: the library in the shell. One file per command."""

from __future__ import annotations

import sys

from shoal.cli.safety import limit_core_dumps, report_failure


def run() -> None:
    """Run the command line and exit with its code, in a process that a signal ends within a second."""
    from shoal.cli.supervisor import can_supervise, supervise

    limit_core_dumps()
    sys.exit(supervise(work) if can_supervise() else work())


def work() -> int:
    """Run the command line in this process and return its exit code; an interrupt is clean even while it loads."""
    try:
        from shoal.cli.main import outcome

        return outcome()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing was written.\n")
        return 130
    except Exception as error:  # something broke while the program was loading
        return report_failure(error)
