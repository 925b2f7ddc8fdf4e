"""shoal knowledge: the kinds of knowledge there are, and how they are spelled."""

from __future__ import annotations

import click

from shoal.adversaries import REGISTRY
from shoal.report.wording import table


@click.command()
def knowledge() -> None:
    """List what an attacker may know about a vertex, and how it is spelled.

    \b
    Example:
      shoal knowledge
    """
    rows = [[kind.form, kind.notion] for kind in REGISTRY.values()]
    click.echo("\n".join(table(["knows", "who is safe from it has"], rows, left=2)))
    click.echo("\nSeveral at once are joined with +, e.g. degree+columns:age,sex.")
