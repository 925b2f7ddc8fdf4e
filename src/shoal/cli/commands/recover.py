"""shoal recover: finish or roll back the output files of a run that was killed."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli.output import print_text
from shoal.errors import format_count, tame
from shoal.io.journal import recover


@click.command("recover")
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--roll-back", is_flag=True, help="Restore the old files, even if the new ones are complete.")
def recover_command(output: Path, roll_back: bool) -> None:
    """Finish or roll back the files of a killed run.

    OUTPUT is the output file of that run. A release consists of several files. If the machine stops between two
    renames, some files are new and some are old. If all new files are complete, they are moved into place; otherwise
    the old files are restored. Temporary folders of killed runs are removed.

    Printed: what was done, and the files that now exist.

    \b
    Example:
      shoal recover safe.csv
    """
    done, files = recover(output, back=roll_back)
    match done:
        case "nothing":
            print_text(f"{tame(output)}: nothing to recover.")
        case "cleaned":
            print_text(f"{tame(output)}: removed {format_count(len(files), 'temporary folder')} of killed runs.")
        case _:
            there = f"files: {', '.join(tame(Path(file).name) for file in files)}" if files else "no file is left"
            print_text(f"{tame(output)}: {done}; {there}.")
