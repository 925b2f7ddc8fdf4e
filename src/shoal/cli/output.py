"""What reaches the terminal: names come from files, and a file must not steer a terminal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from shoal.cli.progress import hush
from shoal.terminal import INVISIBLE, cut, tame, tame_lines

ECHOED = 60
"""Characters of an argument that a message about it repeats."""


def say(text: str) -> None:
    """Print to stdout where no progress bar is, line by line as the program laid it out."""
    hush()
    click.echo(tame_lines(text))


def say_json(data: Any, *, indent: int | None = 2, allow_nan: bool = True) -> None:
    """Print data as JSON to stdout; what a terminal would not show as itself is escaped, so no name is lost."""
    hush()
    click.echo(escape_json(json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=allow_nan)))


def escape_json(text: str) -> str:
    r"""Escape in JSON what is no printed character: only texts hold such, and there \uXXXX means the same.

    >>> escape_json('["a\u202eb", "\ud800"]')
    '["a\\u202eb", "\\ud800"]'
    """
    return "".join(
        c if c == "\n" or (c.isprintable() and not INVISIBLE.match(c)) else json.dumps(c)[1:-1] for c in text
    )


def show_usage(error: click.ClickException, arguments: Sequence[str]) -> None:
    """Say what is wrong with a command line, as click does; what is repeated of an argument is cut and tamed."""
    message = error.format_message()
    for argument in arguments:
        for part in (argument, argument.partition("=")[2], argument[2:]):
            if len(part) > ECHOED:
                message = message.replace(part, cut(part, ECHOED)).replace(repr(part)[1:-1], cut(part, ECHOED))
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is not None:
        hint = f"Try '{context.command_path} {context.help_option_names[-1]}' for help."
        click.echo(f"{context.get_usage()}\n{hint}\n", err=True)
    click.echo(f"Error: {tame(message)}", err=True)
