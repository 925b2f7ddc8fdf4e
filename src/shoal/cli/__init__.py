"""Command-line interface of the library: one file per command."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line in a supervised process, and exit with its code."""
    from shoal.cli.supervisor import block_signals, supervise

    block_signals()  # until both processes can handle them, so an interrupt is clean even during loading
    from shoal.cli.safety import limit_core_dumps, open_streams

    open_streams()
    limit_core_dumps()
    from shoal.cli.app import run_command
    from shoal.io.atomic import keep_files_private

    keep_files_private()
    sys.exit(supervise(run_command))
