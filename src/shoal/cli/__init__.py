"""Command-line interface of the library: one file per command."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line in a supervised process, and exit with its code."""
    from shoal.cli.supervisor import block_signals, supervise

    block_signals()
    from shoal.cli.safety import limit_core_dumps, open_streams

    open_streams()
    limit_core_dumps()
    sys.exit(supervise(work))


def work() -> int:
    """Run the command line in this process and return its exit code; an interrupt is clean even during loading."""
    from shoal.cli.safety import report_failure
    from shoal.progress import describe_written, tell

    try:
        from shoal.cli.app import run_command

        return run_command()
    except KeyboardInterrupt:
        tell("told")
        sys.stderr.write(f"interrupted; {describe_written()}.\n")
        return 130
    except Exception as error:  # a failure while the program was loading
        return report_failure(error)
