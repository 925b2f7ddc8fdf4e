"""Help under several headings: an option may say under which, and a command shows them one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

HEADING = "Options"


class Sectioned(click.Option):
    """An option that stands under a heading of its own."""

    def __init__(self, *args: Any, section: str = HEADING, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.section = section


def under(section: str) -> Callable[..., Callable[[Any], Any]]:
    """Return what makes options under a heading, as `click.option` makes others."""

    def option(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        return click.option(*args, cls=Sectioned, section=section, **kwargs)

    return option


class Headed(click.Command):
    """A command whose help lists the options under their headings, those without one first."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        sections: dict[str, list[tuple[str, str]]] = {HEADING: []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                sections.setdefault(getattr(param, "section", HEADING), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)
