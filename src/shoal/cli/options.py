"""Options that several commands share, and how a graph is loaded from them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

import click

from shoal.adversaries import Adversary, parse
from shoal.data import examples
from shoal.data.graph import Graph
from shoal.errors import BadParameter, ShoalError, did_you_mean

Command = TypeVar("Command", bound=Callable[..., Any])

EXAMPLES = ("davis", "florentine", "karate", "les_miserables", "village")
"""Networks that come with shoal, read with example:NAME in place of a file."""


class Knowledge(click.ParamType[Adversary]):
    """A shell name of a kind of knowledge."""

    name = "SPEC"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Adversary:
        """Parse, or say what there is."""
        try:
            return parse(value)
        except ShoalError as error:
            self.fail(str(error), param, ctx)


KNOWS = Knowledge()


def stacked(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Apply decorators so that their options appear in the order given."""

    def apply(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return apply


reading = stacked(
    click.option(
        "--format",
        "format_",
        metavar="NAME",
        help="csv, tsv, text, parquet, graphml, gexf, gml, pajek, mtx or json, if the ending of FILE does not tell.",
    ),
    click.option(
        "--columns",
        metavar="A,B",
        help="Columns that hold the two ends of a link, by name or by number from 0.",
    ),
    click.option("--separator", metavar="CHAR", help="What separates columns, if it is not found out."),
    click.option("--header/--no-header", default=None, help="Whether the first line names the columns."),
    click.option(
        "--attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table about the vertices, joined by name.",
    ),
    click.option(
        "--key", metavar="NAME", help="Column of the table that holds the names.  [default: name, id or the first]"
    ),
    click.option("--comments", metavar="CHARS", help="Signs that begin a line to be skipped.  [default: #%]"),
    click.option("--multigraph", is_flag=True, help="Keep how often a pair is listed."),
    click.option("--undirected", is_flag=True, help="Take directed input as undirected."),
    click.option("--drop-loops", is_flag=True, help="Leave links from a vertex to itself out."),
)

attacking = stacked(
    click.option("--knowing", metavar="FILE", help="The original: facts are measured there and sought in FILE."),
    click.option(
        "--knowing-attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table about the vertices of the original.",
    ),
    click.option(
        "--mapping",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="csv 'original,published', where names were changed.",
    ),
)


def load(file: str, given: dict[str, Any]) -> Graph:
    """Read FILE, or an example:NAME, with the reading options."""
    if file.startswith("example:"):
        return example(file.removeprefix("example:"))
    from shoal.data.read import read_graph

    columns = given["columns"].split(",") if given["columns"] else None
    return read_graph(
        file,
        format=given["format_"],
        columns=[int(c) if c.isdecimal() else c for c in columns] if columns else None,
        separator=given["separator"],
        header=given["header"],
        attributes=given["attributes"],
        key=given["key"],
        **({} if given["comments"] is None else {"comments": given["comments"]}),
        multigraph=given["multigraph"],
        undirected=given["undirected"],
        drop_loops=given["drop_loops"],
    )


def example(name: str) -> Graph:
    """Return a network that comes with shoal."""
    if name not in EXAMPLES:
        raise BadParameter(
            f"There is no example {name!r}. There are: {', '.join(EXAMPLES)}.{did_you_mean(name, EXAMPLES)}"
        )
    graph: Graph = getattr(examples, name)()
    return graph


def vertex(graph: Graph, text: str) -> Hashable:
    """Return the name of the vertex that is written like `text`, which may be a number in an example."""
    if text in graph.names:
        return text
    written = next((name for name in graph.names if str(name) == text), text)
    graph.names.id(written)
    return written


def scene(file: str, knowing: str | None, mapping: Path | None, given: dict[str, Any]) -> tuple[Graph, dict[str, Any]]:
    """Load what is published, and what `assess` needs to know about the original.

    How FILE is laid out says nothing about the original, which is read by its own name and contents.
    """
    from shoal.data.mapping import read_mapping

    about = given.pop("knowing_attributes")
    if knowing is None and (mapping is not None or about is not None):
        option = "--mapping" if mapping is not None else "--knowing-attributes"
        raise BadParameter(f"'{option}' must come with '--knowing FILE', the original. Got it alone.")
    published = load(file, given)
    own = {"format_": None, "columns": None, "separator": None, "header": None, "attributes": about, "key": None}
    original = None if knowing is None else load(knowing, given | own)
    return published, {"knowing": original, "mapping": None if mapping is None else read_mapping(mapping)}
