"""shoal methods: list the methods, or those that protect against an attacker model."""

from __future__ import annotations

import io
import shutil
from typing import Any

import click

from shoal.cli.method_options import take_single_attacker
from shoal.cli.options import json_option
from shoal.cli.output import print_json, print_text
from shoal.knowledge import parse_knowledge
from shoal.methods.recommend import list_covering
from shoal.methods.registry import METHODS, find_method

PARTS = ("protects", "promises", "changes", "source")
"""The columns of the list, by the names of the attributes."""
WIDE = 100
"""The least terminal width for a table."""
WORKS = {"links": "links", "tables": "columns", "both": "links and columns"}


@click.command()
@click.option("--protect", multiple=True, metavar="KNOWLEDGE", help="Only those that cover this, e.g. neighbors:2.")
@json_option
def methods(protect: tuple[str, ...], as_json: bool) -> None:
    """List the methods and what each guarantees.

    \b
    Examples:
      shoal methods
      shoal methods --protect neighbors:2
    """
    knows = take_single_attacker(protect)
    covered = None if knows is None else dict(list_covering(parse_knowledge(knows)))
    rows = [describe_method(name, covered) for name in METHODS if covered is None or name in covered]
    if as_json:
        print_json(rows)
        return
    if not rows:
        print_text(f"No method protects against {knows}.")
        return
    wide = shutil.get_terminal_size((110, 24)).columns
    print_text(render_method_table(rows, wide) if wide >= WIDE else render_cards(rows))
    print_text(
        "Run one: shoal anonymize FILE --method NAME -k K -o OUT. Combine several with --then, or let --protect choose."
    )


def render_cards(rows: list[dict[str, Any]]) -> str:
    """Return one block per method, for a narrow terminal."""
    return "\n".join(
        "\n".join([told["method"], *(f"    {key}: {text}" for key, text in told.items() if key != "method")])
        for told in rows
    )


def render_method_table(rows: list[dict[str, Any]], width: int) -> str:
    """Return a table as wide as the terminal, with wrapped cells."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 1, 0), header_style="")
    for key in rows[0]:
        table.add_column(key, no_wrap=key == "method", ratio=None if key == "method" else 1, overflow="fold")
    for told in rows:
        table.add_row(*told.values())
    page = io.StringIO()
    Console(width=width, color_system=None, file=page).print(table, markup=False)
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip().split("\n"))


def describe_method(name: str, covered: dict[str, str] | None) -> dict[str, Any]:
    """Return the row of a method."""
    kind = find_method(name)
    told = {"method": name, "works on": WORKS[kind.works_on], **{part: getattr(kind, part) for part in PARTS}}
    return told if covered is None else told | {"covers it": covered[name]}
