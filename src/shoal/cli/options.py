"""Options that several commands share, and how data are loaded by them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click

from shoal.cli.output import make_section
from shoal.data import examples
from shoal.data.dataset import Dataset
from shoal.data.table import Column, Table
from shoal.errors import BadParameter, ShoalError, UnknownColumn, find_by_name, list_names, parse_whole, show_value
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.base import split_words, unescape
from shoal.release.manifest import find_attributes
from shoal.release.mapping import refuse_another

Command = TypeVar("Command", bound=Callable[..., Any])

EXAMPLES: dict[str, Callable[[], Dataset]] = {
    name: getattr(examples, name) for name in ("davis", "florentine", "karate", "les_miserables", "people", "village")
}
"""Networks, and a table of people, that come with shoal: example:NAME in place of a file."""
READ = make_section("How FILE is read")


class Knowledge(click.ParamType[Adversary]):
    """A shell name of a kind of knowledge."""

    name = "SPEC"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Adversary:
        """Parse, or say what there is."""
        try:
            return parse_knowledge(value)
        except ShoalError as error:
            self.fail(str(error), param, ctx)


KNOWS = Knowledge()


def knows_option(explanation: str) -> Callable[[Command], Command]:
    """Return the option --knows, which can be given several times."""
    return click.option("--knows", multiple=True, type=KNOWS, help=explanation)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")


class ColumnNames(click.ParamType[tuple[str, ...]]):
    """Names of columns, separated by commas; a backslash protects a comma inside a name."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split, and refuse an empty name."""
        names = tuple(unescape(part) for part in split_words(value, ",")) if isinstance(value, str) else tuple(value)
        if not all(names):
            self.fail("names must be separated by single commas.", param, ctx)
        return names


NAMES = ColumnNames()


class Whole(click.ParamType[int]):
    """A whole number in ASCII digits, perhaps after a minus."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number."""
        number = parse_whole(value) if isinstance(value, str) else value
        if number is None:
            self.fail(f"{show_value(value)} is not a whole number.", param, ctx)
        return int(number)


WHOLE = Whole()


class Duration(click.ParamType[float]):
    """A time: a number of seconds, or a number with s, m or h behind it."""

    name = "TIME"
    units: ClassVar[dict[str, int]] = {"s": 1, "m": 60, "h": 3600}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the time, in seconds."""
        if not isinstance(value, str):
            return float(value)
        found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smh]?)", value)
        if found is None or not float(found[1]):
            self.fail(f"{show_value(value)} is not a time above 0 such as 90s, 5m or 1h.", param, ctx)
        return float(found[1]) * self.units[found[2] or "s"]


DURATION = Duration()


class Numbers(click.ParamType[int | tuple[int | None, ...]]):
    """A whole number, or one per size of a set, separated by commas, a dash where there is none."""

    name = "K"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | tuple[int | None, ...]:
        """Read the numbers."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        parts = value.split(",")
        numbers = tuple(None if part == "-" else parse_whole(part) for part in parts)
        if any(number is None and part != "-" for number, part in zip(numbers, parts, strict=True)):
            self.fail(f"{show_value(value)} is not a whole number, nor one per size such as -,1000,100.", param, ctx)
        return numbers[0] if len(numbers) == 1 and numbers[0] is not None else numbers


NUMBERS = Numbers()


def stack_options(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Apply decorators so that their options appear in the order given."""

    def apply(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return apply


limit_options = stack_options(
    READ("--trust-counts", is_flag=True, help="Accept a count above 1,000,000 that exceeds 20 per byte of the file."),
    READ(
        "--max-ratio",
        type=WHOLE,
        metavar="N",
        help="Largest growth of a packed file that unpacks to more than 1 GB.  [default: 200]",
    ),
)

reading_options = stack_options(
    READ(
        "--format",
        "format_",
        metavar="NAME",
        help="csv, tsv, text, parquet, graphml, gexf, gml, pajek, mtx or json, if the ending of FILE does not tell.",
    ),
    READ(
        "--ends",
        metavar="A,B",
        help="Columns that hold the two ends of a link, by name or by number from 0.",
    ),
    READ("--separator", metavar="CHAR", help="What separates columns, if it is not found out."),
    READ("--header/--no-header", default=None, help="Whether the first line names the columns."),
    READ(
        "--attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table about the vertices, joined by name.",
    ),
    READ(
        "--key",
        metavar="NAME",
        help="Column that holds the names.  [default: name, id or the first of --attributes; none of a table]",
    ),
    READ(
        "--columns",
        type=NAMES,
        help="Columns that may be known. FILE is then a table, a record a line, unless --attributes names one.",
    ),
    READ("--table", is_flag=True, help="FILE is a table, a record a line; all columns may be known."),
    READ("--texts", type=NAMES, default=(), help="Columns of codes: numbers that are not to be averaged."),
    READ("--missing", multiple=True, metavar="TEXT", help="In a table, a cell that stands for no value, e.g. '?'."),
    READ("--trim", is_flag=True, help="Drop the blanks around the cells of a table; without it, 'a ' is not 'a'."),
    READ("--comments", metavar="CHARS", help="Signs that begin a line to be skipped.  [default: #%]"),
    READ("--multigraph", is_flag=True, help="Keep how often a pair is listed."),
    READ("--undirected", is_flag=True, help="Take directed input as undirected."),
    READ("--drop-loops", is_flag=True, help="Leave links from a vertex to itself out."),
    limit_options,
)

attacker_options = stack_options(
    click.option("--original", metavar="FILE", help="The original: facts are measured there and sought in FILE."),
    click.option(
        "--original-attributes",
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


def load_data(file: str, given: dict[str, Any]) -> Dataset:
    """Read FILE, or an example:NAME, with the reading options."""
    if file.startswith("example:"):
        return load_example(file.removeprefix("example:"))
    found = load_table(file, given) if is_table(file, given) else load_graph(file, given)
    return found.with_attributes(as_texts(found.attributes, given["texts"]))


def as_texts(table: Table, names: tuple[str, ...]) -> Table:
    """Return the table with the values of some columns as texts: codes that only look like numbers."""
    columns = {name: table[name] for name in names}
    return table.with_columns({n: Column(c.codes, tuple(map(str, c.values))) for n, c in columns.items()})


def load_graph(file: str, given: dict[str, Any]) -> Dataset:
    """Read FILE as a network with the reading options."""
    from shoal.io.read import read_graph

    return read_graph(
        file,
        format=given["format_"],
        columns=[_parse_column(text) for text in given["ends"].split(",")] if given["ends"] else None,
        separator=given["separator"],
        header=given["header"],
        attributes=given["attributes"],
        key=given["key"],
        trim=given["trim"],
        **({} if given["comments"] is None else {"comments": given["comments"]}),
        multigraph=given["multigraph"],
        undirected=given["undirected"],
        drop_loops=given["drop_loops"],
        **list_limits(given),
    )


def _parse_column(text: str) -> str | int:
    """Read a column by its number, or else by its name."""
    number = parse_whole(text)
    return text if number is None or number < 0 else number


def list_limits(given: dict[str, Any]) -> dict[str, Any]:
    """Return how far a file is taken at its word."""
    ratio = given["max_ratio"]
    return {"trust_counts": given["trust_counts"]} | ({} if ratio is None else {"max_ratio": ratio})


def is_table(file: str, given: dict[str, Any]) -> bool:
    """Tell whether FILE is to be read as a table: a format that holds both is a graph with its attributes."""
    from shoal.io.files import detect_format

    if not (given["table"] or given["columns"]) or given["attributes"] is not None:
        return False
    return detect_format(Path(file), given["format_"]).format in ("csv", "tsv", "text", "parquet")


def load_table(file: str, given: dict[str, Any]) -> Table:
    """Read FILE as a table; the column that --key names holds the names of the records, where FILE has it."""
    from shoal.io.read import read_table

    if given["header"] is False:
        raise BadParameter("a table must begin with a line that names its columns. Got --no-header. Add such a line.")
    how = {"format": given["format_"], "separator": given["separator"]}
    how |= {"missing": given["missing"], "trim": given["trim"], **list_limits(given)}
    try:
        return read_table(file, key=given["key"], **how)
    except UnknownColumn:
        if not given.get("keyless"):
            raise
    return read_table(file, **how)


def list_known_columns(graph: Dataset, given: dict[str, Any], but: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the columns that may be known: those named, or all of a table that are not sensitive."""
    named: tuple[str, ...] | None = given["columns"]
    chosen = tuple(name for name in graph.attributes if name not in but) if named is None else named
    both = [name for name in chosen if name in but]
    if both:
        raise BadParameter(f"a column must be known or sensitive, not both. Got {list_names(both)}.")
    for name in (*chosen, *but):
        graph.attributes[name]  # an unknown one says what there is
    return chosen


def load_example(name: str) -> Dataset:
    """Return a network, or a table, that comes with shoal."""
    return find_by_name("example", name, EXAMPLES)()


def find_vertex(graph: Dataset, text: str) -> Hashable:
    """Return the name of the vertex that is written like `text`, which may be a number in an example."""
    if graph.names.spelled(text) in graph.names:
        return graph.names.spelled(text)
    written = next((name for name in graph.names if str(name) == text), text)
    graph.names.id(written)
    return written


def load_attacked(
    file: str, original: str | None, mapping: Path | None, given: dict[str, Any]
) -> tuple[Dataset, dict[str, Any]]:
    """Load what is published, and what `assess` needs to know about the original.

    How FILE is laid out says nothing about the original, which is read by its own name and contents.
    """
    about = given.pop("original_attributes")
    if original is None and (mapping is not None or about is not None):
        option = "--mapping" if mapping is not None else "--original-attributes"
        raise BadParameter(f"'{option}' must come with '--original FILE', the original. Got it alone.")
    if mapping is not None:
        refuse_another(mapping, file)
    published = load_data(file, given | {"keyless": original is not None})
    own = reset_layout(published, about) | {"keyless": False}
    source = None if original is None else load_data(original, given | own)
    return published, {"original": source, "mapping": mapping}


def reset_layout(other: Dataset, about: Path | None) -> dict[str, Any]:
    """Return how a second file is read: the layout of the first says nothing about it, only whether it is a table."""
    table = not other.has_links
    own = {"format_": None, "ends": None, "separator": None, "header": None, "attributes": about, "table": table}
    return own if table else own | {"columns": None, "key": None} | ({} if about is not None else {"trim": False})


# Options of commands that put a release beside its original, and how both are loaded.

matching_options = stack_options(
    click.option(
        "--mapping",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="csv 'original,published': who in FILE is who in RELEASED. `shoal anonymize --mapping` writes it.",
    ),
    click.option("--same-names", is_flag=True, help="Equal names mean the same person: nothing was renamed."),
    click.option(
        "--released-attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table about the vertices of RELEASED.  [default: the one that RELEASED.release.json names]",
    ),
)
"""Who is who. A release that was saved has fresh names, so that nobody is matched by name unless that is asked for."""


def refuse_both(mapping: Path | None, same_names: bool, released: str | None = None) -> None:
    """Refuse a mapping between names that are said to be the same, and one of another release."""
    if mapping is not None:
        refuse_another(mapping, released)
    if mapping is not None and same_names:
        raise BadParameter("'--mapping' and '--same-names' must not come together: either names were changed or not.")


def load_released(file: str, original: Dataset, about: Path | None, given: dict[str, Any]) -> Dataset:
    """Read what was released, by its own name and contents; it is a table where the original is one.

    The table about its vertices is read too where the manifest beside FILE names it.
    """
    if about is None and original.has_links:
        about = find_attributes(file)
    keyless = {"keyless": True} if not original.has_links else {}
    return load_data(file, given | reset_layout(original, about) | keyless)
