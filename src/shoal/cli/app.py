"""The command `shoal`: results go to stdout, messages to stderr; exit code 0 holds, 1 does not hold, 2 cannot tell."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

import shoal
from shoal.cli.commands.anonymize import anonymize
from shoal.cli.commands.attack import attack_command
from shoal.cli.commands.audit import audit
from shoal.cli.commands.certify import certify, verify
from shoal.cli.commands.check import check
from shoal.cli.commands.classes import classes
from shoal.cli.commands.compare import compare
from shoal.cli.commands.confusion import confusion_command
from shoal.cli.commands.frontier import frontier_command
from shoal.cli.commands.knowledge import knowledge
from shoal.cli.commands.levels import levels_command
from shoal.cli.commands.methods import methods
from shoal.cli.commands.recover import recover_command
from shoal.cli.commands.risk import risk
from shoal.cli.commands.sample import sample
from shoal.cli.commands.uniques import uniques
from shoal.cli.commands.why import why
from shoal.cli.output import hide_bar, show_progress, show_usage
from shoal.cli.safety import report_failure
from shoal.errors import cut, hear_notices, tame
from shoal.progress import describe_written, forget_written, remember_inputs, tell
from shoal.settings import count_threads


class Commands(click.Group):
    """The commands. A pipe that is closed is no failure, which click would take it for."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(0) from None


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(shoal.__version__, prog_name="shoal")
def main() -> None:
    """Who could be re-identified in a network or a table, and the proof.

    FILE is an edge list (csv, tsv, txt; plain, .gz or .zst), parquet, GraphML, GEXF, GML, Pajek, Matrix Market or
    node-link JSON; or example:NAME for a network that comes with shoal. With --columns or --table it is a table, a
    record a line (csv, tsv, txt or parquet).

    \b
    Examples:
      shoal risk example:florentine -k 2
      shoal risk people.csv --columns age,sex,zip --sensitive income
    """


for command in (
    risk,
    why,
    check,
    levels_command,
    uniques,
    confusion_command,
    anonymize,
    methods,
    classes,
    sample,
    compare,
    attack_command,
    frontier_command,
    audit,
    certify,
    verify,
    recover_command,
    knowledge,
):
    main.add_command(command)


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; no error reaches the user as a traceback."""
    forget_written()
    try:
        count_threads()  # a wrong SHOAL_THREADS is refused before the work begins
        with hear_notices(show_notice), show_progress(), remember_inputs():
            code = main.main(arguments, prog_name="shoal", standalone_mode=False)
            return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        show_usage(error, sys.argv[1:] if arguments is None else arguments)
        return 2
    except (KeyboardInterrupt, click.Abort) as error:
        return report_interrupt(error)
    except SystemError as error:  # a compiled loop wraps an interrupt that came while it was called
        wrapped = error.__cause__ or error.__context__
        if isinstance(wrapped, SystemExit):
            raise wrapped from None
        if not isinstance(wrapped, KeyboardInterrupt):
            return report_failure(error, find_command_name(arguments))
        return report_interrupt(wrapped)
    except Exception as error:
        return report_failure(error, find_command_name(arguments))


def find_command_name(arguments: Sequence[str] | None) -> str:
    """Return the name of the command that is run: a word of the program, never one of the user's."""
    words = sys.argv[1:] if arguments is None else arguments
    return words[0] if words and words[0] in main.commands else "none"


def report_interrupt(error: BaseException) -> int:
    """Say so, in the words of whoever noticed it where there are some, and return the exit code of an interrupt."""
    told = str(error.__cause__ or error)  # click passes an interrupt on as an exception of its own
    tell("told")
    click.echo(f"interrupted; {tame(told or describe_written())}.", err=True)
    return 130


def show_notice(message: Warning | str, own: bool) -> None:
    """Show a warning as a line on stderr; the text of another library is cut."""
    hide_bar()
    click.echo(f"note: {tame(message)}" if own else f"warning: {cut(message)}", err=True)
