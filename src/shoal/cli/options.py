"""Options that several commands share, and the data they load."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import replace
from fractions import Fraction
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click

from shoal.cli.output import SCENARIO_FILES, make_section
from shoal.data.dataset import Dataset
from shoal.data.examples import load_example
from shoal.data.graph import Graph
from shoal.data.table import Column, Table
from shoal.errors import (
    BadParameter,
    ShoalError,
    list_names,
    notice,
    parse_whole,
    show_value,
)
from shoal.io.mapping import refuse_another
from shoal.knowledge import Adversary, parse_knowledge
from shoal.limits import limit_time
from shoal.parts import escape, split_words, unescape
from shoal.release.read import find_link_options, read_alike, read_records, read_release
from shoal.risk.scenario import PRESETS, Scenario, as_scenario, count_required_candidates
from shoal.shares import parse_share

Command = TypeVar("Command", bound=Callable[..., Any])

READ_HEADING = "How FILE is read"
READ = make_section(READ_HEADING)


class Knowledge(click.ParamType[Adversary]):
    """The spec of an attacker model, such as degree or neighbors:2."""

    name = "SPEC"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Adversary:
        """Parse the spec."""
        try:
            return parse_knowledge(value)
        except ShoalError as error:
            self.fail(str(error), param, ctx)


KNOWS = Knowledge()


class ScenarioName(click.ParamType[Scenario]):
    """The name of a preset, or a .toml file that declares a scenario."""

    name = "NAME|FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Scenario:
        """Return the scenario; the command remembers its file, so that it is not overwritten."""
        found = as_scenario(value)
        if ctx is not None and isinstance(value, str) and found is not PRESETS.get(value):
            ctx.meta.setdefault(SCENARIO_FILES, []).append(value)
        return found


SCENARIO = ScenarioName()


class Share(click.ParamType[Fraction]):
    """A share of the people, such as 2% or 0.02, as an exact fraction."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Fraction:
        """Parse the share."""
        return parse_share(value, f"--{param.name}" if param is not None and param.name else "option", "SHARE")


SHARE = Share()


def scenario_option(explanation: str) -> Callable[[Command], Command]:
    """Return the option --scenario."""
    return click.option("--scenario", type=SCENARIO, help=explanation)


def take_scenario(scenario: Scenario | None, k: int | None, threshold: str | None = None) -> Scenario:
    """Return the scenario with the k of -k, or that of a threshold, which is another way to write k."""
    if k is not None and threshold is not None:
        raise BadParameter("'-k' and '--threshold' must not come together: a threshold is another way to write k.")
    found = as_scenario(scenario)
    number = k if threshold is None else count_required_candidates(threshold)
    return found if number is None else found.with_k(number)


def knows_option(explanation: str) -> Callable[[Command], Command]:
    """Return the option --knows, which can be repeated."""
    return click.option("--knows", multiple=True, type=KNOWS, help=explanation)


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


class ColumnNames(click.ParamType[tuple[str, ...]]):
    """Names of columns, separated by commas; a backslash escapes a comma inside a name."""

    name = "A,B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Split the names; an empty one is an error."""
        names = tuple(unescape(part) for part in split_words(value, ",")) if isinstance(value, str) else tuple(value)
        if not all(names):
            self.fail("names must be separated by single commas, and none may be empty.", param, ctx)
        return names


NAMES = ColumnNames()


class Whole(click.ParamType[int]):
    """A whole number in ASCII digits, with an optional minus sign."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse the number."""
        number = parse_whole(value) if isinstance(value, str) else value
        if number is None:
            self.fail(f"{show_value(value)} is not a whole number.", param, ctx)
        return int(number)


WHOLE = Whole()


class Duration(click.ParamType[float]):
    """A time: a number of seconds, or a number followed by s, m or h."""

    name = "TIME"
    units: ClassVar[dict[str, int]] = {"s": 1, "m": 60, "h": 3600}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse the time, in seconds."""
        if not isinstance(value, str):
            return float(value)
        found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smh]?)", value)
        if found is None or not float(found[1]):
            self.fail(f"{show_value(value)} is not a time above 0 such as 90s, 5m or 1h.", param, ctx)
        return float(found[1]) * self.units[found[2] or "s"]


DURATION = Duration()


def time_limit_option(command: Command) -> Command:
    """Add --time-limit: it holds for the whole command, from its start."""

    @click.option(
        "--time-limit", type=DURATION, help="Stop after this time, e.g. 90s or 5m, with a partial result that says so."
    )
    @wraps(command)
    def limited(*args: Any, time_limit: float | None, **given: Any) -> Any:
        with limit_time(time_limit):
            return command(*args, **given)

    return limited  # type: ignore[return-value]


class Numbers(click.ParamType[int | tuple[int | None, ...]]):
    """A whole number, or one per size of a set: separated by commas, with a dash where there is none."""

    name = "K"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | tuple[int | None, ...]:
        """Parse the numbers."""
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


def spell_reading_options() -> tuple[str, ...]:
    """Return the options of the running command about how FILE is read, as they were typed, except --columns."""
    context = click.get_current_context()
    words: list[str] = []
    for param in context.command.params:
        typed = context.get_parameter_source(param.name or "") == click.core.ParameterSource.COMMANDLINE
        if typed and param.name != "columns" and getattr(param, "section", None) == READ_HEADING:
            words += _spell_option(param, context.params[param.name or ""])
    return tuple(words)


def _spell_option(param: click.Parameter, value: Any) -> list[str]:
    """Return an option with its value as words of a command."""
    if isinstance(value, bool):
        return [param.opts[0] if value else param.secondary_opts[0]]
    if isinstance(param.type, ColumnNames):
        return [param.opts[0], ",".join(map(escape, value))]
    return [word for one in (value if isinstance(value, tuple) else (value,)) for word in (param.opts[0], str(one))]


limit_options = stack_options(
    READ(
        "--trust-counts", is_flag=True, help="Accept stated counts above 1,000,000 that exceed 20 per byte of the file."
    ),
    READ(
        "--max-ratio",
        type=WHOLE,
        metavar="N",
        help="Largest ratio of unpacked to compressed size, for files above 1 GB unpacked.  [default: 200]",
    ),
)

reading_options = stack_options(
    READ(
        "--format",
        "format_",
        metavar="NAME",
        help="Input format: csv, tsv, text, parquet, xlsx, graphml, gexf, gml, pajek, mtx or json "
        "(default: by file ending).",
    ),
    READ(
        "--ends",
        metavar="A,B",
        help="The two columns that hold the ends of a link, by name or by number from 0.",
    ),
    READ("--separator", metavar="CHAR", help="Field delimiter (default: auto-detect)."),
    READ("--encoding", metavar="NAME", help="Encoding of text files, e.g. cp1252 or utf-16 (default: UTF-8)."),
    READ("--sheet", metavar="NAME", help="Sheet of an .xlsx file (default: the first)."),
    READ(
        "--header/--no-header", default=None, help="Whether the first line holds column names (default: auto-detect)."
    ),
    READ(
        "--attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table of vertex attributes, joined by name.",
    ),
    READ(
        "--key",
        metavar="NAME",
        help="Column that holds the names.  [default: name, id or the first column of --attributes; none for a table]",
    ),
    READ(
        "--columns",
        type=NAMES,
        help="Columns an attacker may know. FILE is then a table, one record per line, unless --attributes is given.",
    ),
    READ("--table", is_flag=True, help="Read FILE as a table, one record per line. An attacker may know all columns."),
    READ("--texts", type=NAMES, default=(), help="Columns of codes: digits to be read as text, not as numbers."),
    READ(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="Cell text that means a missing value in a table, e.g. '?'. Repeatable.",
    ),
    READ("--trim", is_flag=True, help="Strip blanks around table cells; without it, 'a ' differs from 'a'."),
    READ("--comments", metavar="CHARS", help="Characters that start a comment line.  [default: #%]"),
    READ("--multigraph", is_flag=True, help="Keep multiplicities of links listed more than once."),
    READ("--directed", is_flag=True, help="Links of an edge list lead from their first end to their second."),
    READ("--undirected", is_flag=True, help="Ignore the directions of links."),
    READ(
        "--kind",
        metavar="COLUMN",
        help="Column or link attribute that holds the kind of each link: one only. In a saved release it is 'kind'.",
    ),
    READ(
        "--bins",
        metavar="BOUNDS",
        help="Group kinds that are numbers or dates: 0,10,100, quantiles:N or hierarchy:FILE[:LEVEL].",
    ),
    READ(
        "--kind-hierarchy",
        metavar="FILE[:LEVEL]",
        help="Merge kinds by a hierarchy file, one row per kind: KIND;GROUP;... (the same as --bins hierarchy:FILE).",
    ),
    READ("--drop-loops", is_flag=True, help="Drop links from a vertex to itself."),
    limit_options,
)

attacker_options = stack_options(
    click.option(
        "--original", metavar="FILE", help="Original data: facts are measured there and searched for in FILE."
    ),
    click.option(
        "--original-attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table of vertex attributes of the original.",
    ),
    click.option(
        "--mapping",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Original-to-released mapping, a csv with the columns original,published.",
    ),
)


def load_data(file: str, given: dict[str, Any]) -> Dataset:
    """Read FILE, or an example:NAME, with the reading options."""
    if file.startswith("example:"):
        return _load_example(file, given)
    table = is_table(file, given)
    found = _refuse_link_options(file, load_table(file, given), given) if table else load_graph(file, given)
    return take_texts(found, given["texts"])


def _load_example(file: str, given: dict[str, Any]) -> Dataset:
    """Return an example, without directions (--undirected) or with merged kinds (--kind-hierarchy) if asked.

    If it has directions or kinds, --directed and --kind are about another file that is read with it, e.g. its release.
    """
    from shoal.io.read import open_hierarchy

    found = load_example(file)
    if not isinstance(found, Graph) or found.ties is None:
        return _refuse_link_options(file, found, given)
    own = (
        {"kind_hierarchy": None}
        | ({"directed": False} if found.directed else {})
        | ({"kind": None} if found.kinds else {})
    )
    _refuse_link_options(file, found, given | own)
    if given["kind_hierarchy"] is not None:
        found = found.merge_kinds(open_hierarchy(given["kind_hierarchy"], "--kind-hierarchy"))
    return found.to_undirected() if given["undirected"] else found


def _refuse_link_options(file: str, found: Dataset, given: dict[str, Any]) -> Dataset:
    """Refuse options about the direction and kind of links of data that is no list of links."""
    typed = [option for option in ("directed", "kind", "bins", "kind_hierarchy") if given[option]]
    if typed:
        what = "a table has no links" if not found.has_links else "an example is read as it is"
        raise BadParameter(
            f"{file}: '--{typed[0].replace('_', '-')}' must come with a file of links; {what}. Leave it out."
        )
    return found


def take_texts(data: Dataset, names: tuple[str, ...]) -> Dataset:
    """Return the data with some columns as text (--texts)."""
    texts = as_texts(data.attributes, names)
    return replace(data, attributes=texts) if isinstance(data, Graph) else data.with_attributes(texts)


def as_texts(table: Table, names: tuple[str, ...]) -> Table:
    """Return the table with some columns as text: codes that only look like numbers."""
    columns = {name: table[name] for name in names}
    return table.with_columns({n: Column(c.codes, tuple(map(str, c.values))) for n, c in columns.items()})


def load_graph(file: str, given: dict[str, Any]) -> Dataset:
    """Read FILE as a network with the reading options."""
    from shoal.io.read import read_graph

    return read_graph(file, **list_graph_options(given))


def list_graph_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the reading options as arguments of `read_graph`."""
    same = ("separator", "header", "encoding", "sheet", "attributes", "key", "trim", "multigraph", "directed")
    own = {name: given[name] for name in (*same, "undirected", "drop_loops")}
    own |= {"format": given["format_"], "bins": _choose_bins(given), **list_limits(given)}
    own["columns"] = split_ends(given)
    own["kind"] = None if given["kind"] is None else _parse_column(given["kind"])
    return own if given["comments"] is None else own | {"comments": given["comments"]}


def split_ends(given: dict[str, Any]) -> list[str | int] | None:
    """Return the columns of --ends, by name or by number; None if they are not named."""
    return [_parse_column(text) for text in given["ends"].split(",")] if given["ends"] else None


def list_table_options(given: dict[str, Any]) -> dict[str, Any]:
    """Return the reading options as arguments of `read_table`."""
    same = ("key", "separator", "encoding", "sheet", "missing", "trim")
    return {name: given[name] for name in same} | {"format": given["format_"], **list_limits(given)}


def _choose_bins(given: dict[str, Any]) -> str | None:
    """Return the bins of kinds, or the hierarchy that merges them."""
    bins, hierarchy = given["bins"], given["kind_hierarchy"]
    if bins is not None and hierarchy is not None:
        raise BadParameter("'--bins' and '--kind-hierarchy' must not come together: each groups kinds.")
    if hierarchy is not None and given["kind"] is None:
        raise BadParameter("'--kind-hierarchy' must come with '--kind COLUMN', whose kinds it merges.")
    return bins if hierarchy is None else f"hierarchy:{hierarchy}"


def _parse_column(text: str) -> str | int:
    """Parse a column number, or else a column name."""
    number = parse_whole(text)
    return text if number is None or number < 0 else number


def list_limits(given: dict[str, Any]) -> dict[str, Any]:
    """Return the limits on what a file may claim."""
    ratio = given["max_ratio"]
    return {"trust_counts": given["trust_counts"]} | ({} if ratio is None else {"max_ratio": ratio})


def is_table(file: str, given: dict[str, Any]) -> bool:
    """Return whether FILE is read as a table; a graph format with attributes is read as a graph."""
    from shoal.io.files import TABLES, detect_format

    if not (given["table"] or given["columns"]) or given["attributes"] is not None:
        return False
    return detect_format(Path(file), given["format_"]).format in TABLES


def load_table(file: str, given: dict[str, Any]) -> Table:
    """Read FILE as a table; the --key column, where FILE has it, holds the names of the records."""
    if given["header"] is False:
        raise BadParameter("a table must begin with a line of column names. Got --no-header. Add such a line.")
    return read_records(file, list_table_options(given), bool(given.get("keyless")))


def list_known_columns(graph: Dataset, given: dict[str, Any], but: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the columns an attacker may know: those named, or all columns that are not sensitive."""
    named: tuple[str, ...] | None = given["columns"]
    chosen = tuple(name for name in graph.attributes if name not in but) if named is None else named
    both = [name for name in chosen if name in but]
    if both:
        raise BadParameter(f"a column must be known or sensitive, not both. Got {list_names(both)}.")
    for name in (*chosen, *but):
        graph.attributes[name]  # an unknown one says what there is
    return chosen


NAMED = 8
"""So many columns are named that are not assumed known."""


def tell_unknown_columns(data: Dataset, given: dict[str, Any]) -> None:
    """Notify the user of the columns of a network that are not assumed known."""
    if data.has_links and given["columns"] is None and len(data.attributes):
        names = ",".join(islice(data.attributes, NAMED))
        more = f" and {len(data.attributes) - NAMED:,} more" if len(data.attributes) > NAMED else ""
        notice(
            f"the columns {names}{more} are not assumed known. To assess them, add for example --columns {names}",
            f"columns not assumed known: {names}{more} (--columns)",
        )


def find_vertex(graph: Dataset, text: str) -> Hashable:
    """Return the name of the vertex spelled `text`; in an example it may be a number."""
    if graph.names.spelled(text) in graph.names:
        return graph.names.spelled(text)
    written = next((name for name in graph.names if str(name) == text), text)
    graph.names.id(written)
    return written


def load_attacked(
    file: str, original: str | None, mapping: Path | None, given: dict[str, Any]
) -> tuple[Dataset, dict[str, Any]]:
    """Load the published data, and the arguments of `assess` about the original.

    The layout of FILE does not apply to the original, whose format is detected separately.
    """
    about = given.pop("original_attributes")
    if original is None and (mapping is not None or about is not None):
        option = "--mapping" if mapping is not None else "--original-attributes"
        raise BadParameter(f"'{option}' must come with '--original FILE'. Got '{option}' without it.")
    if mapping is not None:
        refuse_another(mapping, file)
    if original is not None and given["kind"] is not None and not is_table(file, given):
        # the kinds of the original decide how those of the release are grouped
        first = _load_second(read_alike, original, True, about, given)
        own = {} if file.startswith("example:") else find_link_options(Path(file), first, list_graph_options(given))
        grouped = {"kind_hierarchy": None} if "bins" in own else {}
        return load_data(file, given | own | grouped | {"keyless": True}), {"original": first, "mapping": mapping}
    published = load_data(file, given | {"keyless": original is not None})
    source = None if original is None else _load_second(read_alike, original, published.has_links, about, given)
    return published, {"original": source, "mapping": mapping}


def _load_second(
    read: Callable[..., Dataset], file: str, like: Dataset | bool, about: Path | None, given: dict[str, Any]
) -> Dataset:
    """Read a second file like the first one, whose layout does not apply to it."""
    if file.startswith("example:"):
        return _load_example(file, given)
    found = read(file, like, about, list_graph_options(given) | list_table_options(given))
    return take_texts(found, given["texts"])


# Options of commands that compare a release with its original.

matching_options = stack_options(
    click.option(
        "--mapping",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Original-to-released mapping, as written by `shoal anonymize --mapping`.",
    ),
    click.option("--same-names", is_flag=True, help="Match people by equal names: nothing was renamed."),
    click.option(
        "--released-attributes",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Table of vertex attributes of RELEASED.  [default: the one named in RELEASED.release.json]",
    ),
)
"""How people are matched. A saved release has fresh names, so people are matched by name only on request."""


def refuse_both(mapping: Path | None, same_names: bool, released: str | None = None) -> None:
    """Refuse a mapping together with --same-names, and a mapping of another release."""
    if mapping is not None:
        refuse_another(mapping, released)
    if mapping is not None and same_names:
        raise BadParameter("'--mapping' and '--same-names' must not come together: either names were changed or not.")


def load_released(file: str, original: Dataset, about: Path | None, given: dict[str, Any]) -> Dataset:
    """Read the release; its format is detected separately, and it is a table if the original is one.

    Its attribute table is read too, where the manifest beside FILE names one.
    """
    return _load_second(read_release, file, original, about, given)
