"""The command `shoal`: results go to stdout, messages to stderr; exit code 0 pass, 1 fail, 2 cannot tell."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

import shoal
from shoal.cli.output import notes_option, print_json, print_text, show_notes, show_progress, show_usage
from shoal.cli.safety import report_failure
from shoal.errors import tame
from shoal.progress import describe_written, forget_written, is_interrupted, remember_inputs, tell
from shoal.settings import count_threads

LIBRARIES = (
    *("numpy", "scipy", "igraph", "pyarrow", "narwhals", "networkx", "pandas", "polars"),
    *("click", "rich", "altair", "jinja2", "python-calamine"),
)
"""The libraries whose versions a bug report needs."""


COMMANDS = {
    "risk": "risk.risk",
    "why": "why.why",
    "check": "check.check",
    "levels": "levels.levels_command",
    "minimal-uniques": "uniques.uniques",
    "confusion": "confusion.confusion_command",
    "recommend": "recommend.recommend",
    "anonymize": "anonymize.anonymize",
    "methods": "methods.methods",
    "suppress": "suppress.suppress_command",
    "thin": "thin.thin_command",
    "classes": "classes.classes",
    "sample": "sample.sample",
    "compare": "compare.compare",
    "attack": "attack.attack_command",
    "frontier": "frontier.frontier_command",
    "tradeoff": "tradeoff.tradeoff_command",
    "audit": "audit.audit",
    "certify": "certify.certify",
    "verify": "certify.verify",
    "recover": "recover.recover_command",
    "knowledge": "knowledge.knowledge",
    "scenarios": "scenarios.scenarios",
    "serve": "serve.serve",
}
"""The file in `commands/` and the name of the function there, by the name of the command."""


class Commands(click.Group):
    """The group of all commands. The file of a command is loaded on use. A closed pipe is no error, unlike in click."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None if there is no such command."""
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise click.exceptions.Exit(0) from None


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
)
@click.option("--version", is_flag=True, help="Show the version and exit.")
@click.option(
    "--json", "as_json", is_flag=True, help="With --version: show the versions of all parts, for bug reports."
)
@click.pass_context
def main(context: click.Context, version: bool, as_json: bool) -> None:
    """Measure and reduce re-identification risk in networks and tables.

    FILE is an edge list (csv, tsv, txt; plain, .gz or .zst), parquet, xlsx, GraphML, GEXF, GML, Pajek, Matrix Market
    or node-link JSON; or example:NAME for example data. With --columns or --table, FILE is a table with one record per
    line (csv, tsv, txt, parquet or xlsx).

    \b
    Examples:
      shoal risk example:florentine -k 2
      shoal risk people.csv --columns age,sex,zip --sensitive income
    """
    if version and as_json:
        print_json(list_environment())
    elif version:
        print_text(f"shoal, version {shoal.__version__}")
    if version:
        context.exit()
    if as_json:
        raise click.UsageError("'--json' must come with '--version', or after a command.", context)
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(2)


def list_environment() -> dict[str, Any]:
    """Return the versions of shoal, Python, the platform and the main libraries: no paths, no names."""
    from shoal.auditing.frontier import list_versions

    return {
        "schema": 1,
        "version": shoal.__version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "libraries": list_versions(LIBRARIES),
    }


def load_command(name: str) -> click.Command:
    """Load the file of a command and return the command, with the option of all commands."""
    file, function = COMMANDS[name].split(".")
    found: click.Command = getattr(import_module(f"shoal.cli.commands.{file}"), function)
    if notes_option not in found.params:
        found.params.append(notes_option)
    return found


def run_command(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; no error shows a traceback."""
    try:
        forget_written()
        count_threads()  # an invalid SHOAL_THREADS is an error before the work begins
        with show_notes(), show_progress(describe_command(arguments)), remember_inputs():
            code = main.main(arguments, prog_name="shoal", standalone_mode=False)
            return code if isinstance(code, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        show_usage(error, sys.argv[1:] if arguments is None else arguments)
        return 2
    except (KeyboardInterrupt, click.Abort) as error:
        return report_interrupt(error)
    except SystemError as error:  # a compiled loop wraps an interrupt that came during its call
        wrapped = error.__cause__ or error.__context__
        if isinstance(wrapped, SystemExit):
            raise wrapped from None
        if not isinstance(wrapped, KeyboardInterrupt):
            return report_failure(error, find_command_name(arguments))
        return report_interrupt(wrapped)
    except Exception as error:
        if is_interrupted():  # a library has made an error of its own of it
            return report_interrupt(KeyboardInterrupt())
        return report_failure(error, find_command_name(arguments))


def describe_command(arguments: Sequence[str] | None) -> str:
    """Return the running command as it is typed, without its arguments."""
    name = find_command_name(arguments)
    return "shoal" if name == "none" else f"shoal {name}"


def find_command_name(arguments: Sequence[str] | None) -> str:
    """Return the name of the running command, never a word of the user."""
    words = sys.argv[1:] if arguments is None else arguments
    return words[0] if words and words[0] in COMMANDS else "none"


def report_interrupt(error: BaseException) -> int:
    """Report an interrupt, with its own message if it has one, and return the exit code."""
    told = str(error.__cause__ or error)  # click wraps an interrupt in an exception of its own
    tell("told")
    click.echo(f"interrupted; {tame(told or describe_written())}.", err=True)
    return 130
