"""What reaches the terminal: names come from files, and a file must not steer a terminal."""

from __future__ import annotations

import click

from shoal.cli.progress import hush


def say(text: str) -> None:
    """Print to stdout, control characters spelled out, where no progress bar is."""
    hush()
    click.echo(tame(text))


def tame(text: str) -> str:
    r"""Spell control characters other than line ends and tabs.

    >>> tame("Bob\x1b[31m")
    'Bob\\x1b[31m'
    """
    return "".join(
        c if c in "\n\t" or c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text
    )
