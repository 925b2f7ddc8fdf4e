"""shoal recover: finish or roll back the output files of a run that was killed while it moved them."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli.output import print_text
from shoal.errors import tame
from shoal.io.journal import recover
from shoal.wording import format_count


@click.command("recover")
@click.argument("output", type=click.Path(path_type=Path))
@click.option("--roll-back", is_flag=True, help="Restore the old files, even where the new ones are complete.")
def recover_command(output: Path, roll_back: bool) -> None:
    """Finish, or roll back, a run that was killed while it moved its files into place. OUTPUT is what it was to write.

    A release is several files that belong together. If the machine stops between two renames, some of them are new and
    some are old. Where all new files are complete, they are put in place; otherwise the old state is restored.
    Temporary folders of killed runs are removed.

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
            there = (
                f"there now: {', '.join(tame(Path(file).name) for file in files)}" if files else "no file is there now"
            )
            print_text(f"{tame(output)}: {done}; {there}.")
