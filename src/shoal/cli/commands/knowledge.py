"""shoal knowledge: list the attacker models and their shell names."""

from __future__ import annotations

import click

from shoal.knowledge import REGISTRY, Adversary


@click.command()
def knowledge() -> None:
    """List the attacker models and their specs.

    \b
    Example:
      shoal knowledge
    """
    for kind in REGISTRY.values():
        click.echo(f"{kind.form}\n    {describe_kind(kind)}\n    Safe from it: {kind.notion}.")
    click.echo(
        "\nSeveral at once are joined with +, e.g. degree+columns:age,sex. A backslash protects , + and : in names."
    )


def describe_kind(kind: type[Adversary]) -> str:
    """Return what is known, in one sentence: the first line of the docstring."""
    return (kind.__doc__ or "").split("\n", maxsplit=1)[0]
