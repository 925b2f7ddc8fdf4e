"""shoal serve: the local web app."""

from __future__ import annotations

from pathlib import Path

import click

from shoal.cli.options import WHOLE
from shoal.cli.output import SectionedCommand, end_log, print_text
from shoal.errors import BadParameter
from shoal.web.reading import Reading

GIGABYTE = 1_000_000_000


@click.command(cls=SectionedCommand)
@click.argument("file", required=False)
@click.option(
    "--attributes", type=click.Path(path_type=Path), metavar="TABLE", help="Table about the people, joined by name."
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (default: any free one).")
@click.option("--no-open", is_flag=True, help="Print the link instead of opening the browser.")
@click.option(
    "--memory", type=WHOLE, metavar="GB", help="Memory that counting may use (default: half of the machine's)."
)
def serve(file: str | None, attributes: Path | None, port: int, no_open: bool, memory: int | None) -> None:
    """Open the local web app in the browser.

    FILE is opened first; without it, drop a file into the page. The server listens on 127.0.0.1 only and needs no
    network. Data stays in memory: nothing is sent and nothing is written to disk. Ctrl-C stops the server, and the data
    is forgotten. Press Enter for a new link, for example after the browser was closed.

    \b
    Examples:
      shoal serve
      shoal serve friends.csv --attributes people.csv
      shoal serve example:village --no-open --port 8000
    """
    from shoal.web import server

    reading = None if file is None else Reading(file, people=None if attributes is None else str(attributes))
    if memory is not None and memory < 1:
        raise BadParameter(f"'--memory' must be 1 or more, in gigabytes. Got {memory}.")
    if attributes is not None and file is None:
        raise BadParameter("'--attributes' must come with FILE, the network that the table belongs to. Got no FILE.")
    size = None if memory is None else memory * GIGABYTE
    end_log()
    server.serve(reading, port=port, browse=not no_open, memory=size, say=print_text)
