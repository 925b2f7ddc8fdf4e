"""shoal knowledge: list the attacker models and their shell names."""

from __future__ import annotations

import click

from shoal.knowledge import REGISTRY


@click.command()
def knowledge() -> None:
    """List the attacker models and their specs.

    \b
    Example:
      shoal knowledge
    """
    for kind in REGISTRY.values():
        click.echo(f"{kind.form}\n    {kind.description}\n    In the literature: {kind.notion}.")
    click.echo("\nJoin several with +, e.g. degree+columns:age,sex. A backslash escapes , + and : in names.")
