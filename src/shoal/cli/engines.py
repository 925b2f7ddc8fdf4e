"""Options and steps of commands that count where the data are: in DuckDB or Spark instead of memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import split_ends, stack_options
from shoal.cli.output import TARGET, check_targets, force_option, make_section, print_json, print_text, show_phase
from shoal.errors import BadParameter, check_k, join_lines, join_names, tame
from shoal.io.files import MANIFEST, README
from shoal.knowledge import Adversary
from shoal.release.manifest import describe_promise
from shoal.report.text.phrases import describe_known_links, shorten_spec
from shoal.report.text.risk import RiskLines, take_counts
from shoal.report.text.scenarios import describe_judgment, describe_weaknesses
from shoal.risk.scenario import Judgment, Scenario, record_judgment, record_policy

if TYPE_CHECKING:
    from shoal.relational import Network, RelationalRelease, RelationalRisk
    from shoal.relational.engine import Engine

HEADING = "Data that do not fit in memory"
ENGINE = make_section(HEADING)
ENGINES = ("duckdb", "spark")
DATABASE = "duckdb:"

engine_options = stack_options(
    ENGINE(
        "--engine",
        type=click.Choice(ENGINES),
        help="Count in this engine instead of memory. FILE is then Parquet (a file, a pattern or a folder) or "
        "duckdb:FILE/TABLE, which needs no --engine.",
    ),
    ENGINE(
        "--memory",
        metavar="SIZE",
        help="Memory limit of DuckDB, or of each executor of Spark, e.g. 4GB.  [default: 80 % of the machine's; for "
        "Spark as its settings say]",
    ),
    ENGINE(
        "--master",
        metavar="URL",
        help="Where Spark runs, e.g. local[4], local-cluster[2,1,1024] or spark://host:7077.  [default: as its "
        "settings say, else this machine]",
    ),
    ENGINE(
        "--temp",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Folder for temporary data of the engine, which are private and removed at the end. All executors of "
        "Spark must see it.",
    ),
)
UNUSED = {
    "format_": "--format",
    "separator": "--separator",
    "encoding": "--encoding",
    "sheet": "--sheet",
    "header": "--header",
    "texts": "--texts",
    "missing": "--missing",
    "trim": "--trim",
    "comments": "--comments",
    "bins": "--bins",
    "kind_hierarchy": "--kind-hierarchy",
    "trust_counts": "--trust-counts",
    "max_ratio": "--max-ratio",
    "original": "--original",
    "original_attributes": "--original-attributes",
    "mapping": "--mapping",
    "per_person": "--csv",
    "names": "--names",
    "sensitive": "--sensitive",
    "fraction": "--fraction",
    "population": "--population",
}
"""Options of commands in memory that engines do not have."""


def takes_engine(file: str, given: dict[str, Any]) -> bool:
    """Return whether the data are counted in an engine; refuse its options where they are not."""
    if given.get("master") is not None and given["engine"] != "spark":
        raise BadParameter("'--master' must come with '--engine spark'. Got it without.")
    if given["engine"] is not None or file.startswith(DATABASE):
        return True
    for option in ("memory", "temp", "out"):
        if given.get(option) is not None:
            raise BadParameter(f"'--{option}' must come with '--engine duckdb' or '--engine spark'. Got it without.")
    return False


def start_engine(given: dict[str, Any]) -> Engine:
    """Start the engine that the options name."""
    from shoal.relational import DuckDBEngine, SparkEngine

    if given["engine"] == "spark":
        return SparkEngine(master=given["master"], memory=given["memory"], temp=given["temp"])
    return DuckDBEngine(given["memory"], given["temp"])


def open_in_engine(
    file: str, given: dict[str, Any], kinds: Sequence[Adversary], scenario: Scenario | None = None
) -> Network:
    """Load FILE into the engine, with the columns that --columns and these kinds of knowledge, or a scenario, name."""
    from shoal.relational import open_network
    from shoal.relational.kinds import list_columns, plan_count

    named = given["columns"] or ()
    table = given["table"] or (named and given["attributes"] is None)
    asked = list(kinds) or ([] if scenario is None else list(scenario.resolve_kinds(named).values()))
    asked = [kind for kind in asked if not table or kinds or not kind.reads_links]
    for kind in asked:
        plan_count(kind)  # what is not counted is refused before any work
    wanted = list_columns(asked)
    columns = None if wanted is None else list(dict.fromkeys([*named, *wanted]))
    if not kinds and columns is not None and (len(columns) > len(named) or (table and not named)):
        columns = None  # a kind of the scenario whose columns are not there is left out
    source, how = list_reading(file, given, table=bool(table))
    return open_network(source, columns=columns, engine=start_engine(given), **how)


def list_reading(file: str, given: dict[str, Any], *, table: bool) -> tuple[str | None, dict[str, Any]]:
    """Return the source of the links, and how it is read; refuse options that engines do not have."""
    useless = [option for name, option in UNUSED.items() if not (given.get(name) in (None, ()) or given[name] is False)]
    if useless:
        raise BadParameter(f"{join_names(useless)}: must be left out where an engine counts. Got it.")
    attributes = given["attributes"]
    how = {name: given[name] for name in ("key", "directed", "undirected", "kind", "multigraph", "drop_loops")}
    how["ends"] = split_ends(given)
    how["vertices"] = file if table else None if attributes is None else str(attributes)
    return None if table else file, how


def release_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of commands that make a release in an engine."""
    return stack_options(
        click.option("-o", "--output", type=TARGET, help="Output file of the links, .parquet."),
        click.option(
            "--attributes-output", type=TARGET, metavar="FILE", help="Output file of the columns of people, .parquet."
        ),
        click.option(
            "--mapping",
            type=TARGET,
            metavar="FILE",
            help="Output file of the original-to-released mapping. Keep it private.",
        ),
        click.option(
            "--descriptions",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Descriptions of columns for OUTPUT.README.md: a csv file with the header column,description.",
        ),
        force_option,
    )(command)


def check_outputs(output: Path | None, attributes_output: Path | None, mapping: Path | None, force: bool) -> None:
    """Check the files of a release before any work."""
    if output is None:
        raise BadParameter("'--output' (-o) must name the file of the release. Got none.")
    about = [Path(f"{output}{ending}") for ending in (MANIFEST, README)]
    check_targets([output, attributes_output, *about, mapping], force)


def print_engine_release(
    release: RelationalRelease,
    output: Path | None,
    attributes_output: Path | None,
    mapping: Path | None,
    descriptions: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a release and print it."""
    assert output is not None  # it was checked before any work
    with show_phase("writing"):
        files = release.save(
            output,
            mapping,
            attributes=attributes_output,
            readme=f"{output}{README}",
            descriptions=descriptions,
            force=force,
        )
    if as_json:
        promise = None if release.promise is None else describe_promise(release.promise)
        rounds = None if release.rounds is None else asdict(release.rounds)
        print_json(
            {
                "schema": 1,
                "graph": record_network(release.network),
                "promise": promise,
                "rounds": rounds,
                "written": list(files),
            }
        )
        return
    print_text(f"{release!r}\nWritten: {', '.join(map(tame, files))}")


def print_engine_risk(
    file: str,
    knows: tuple[Adversary, ...],
    scenario: Scenario,
    k: int | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    given: dict[str, Any],
) -> None:
    """Measure risk in the engine: a row for each attacker model."""
    with open_in_engine(file, given, knows, scenario) as network:
        if k is not None:
            check_k("shoal risk", k, network)
        data: Any = network  # it has what a choice of kinds reads: links or not, and names of columns
        kinds = list(dict.fromkeys(knows)) or list(scenario.choose_kinds(data, given["columns"] or ()).values())
        lines = RiskLines(
            [kind.spec for kind in kinds],
            scenario.k,
            network.n,
            network.noun,
            k_from="" if k is not None else "by default" if knows else "of the scenario",
            ties=describe_known_links(network.directed, bool(network.kinds), kinds),
        )
        if not as_json:
            print_text(f"{network!r}\n\n{lines.format_head()}")
        risks, rows = [], []
        for kind in kinds:
            start = time.perf_counter()
            risks.append(assess_in_engine(network, kind))
            rows.append(build_risk_row(risks[-1], scenario.k, time.perf_counter() - start) | {"in_scenario": not knows})
            if not as_json:
                print_text(lines.format_row(rows[-1]))
        judgment = None if knows else judge_in_engine(risks, scenario)
        if out is not None:
            write_sizes(risks, out, force)
        if as_json:
            judged = (
                {} if judgment is None else {"scenario": record_policy(scenario), "judgment": record_judgment(judgment)}
            )
            print_json({"schema": 2, "graph": record_network(network), "below": scenario.k, **judged, "risks": rows})
            return
        print_text(f"\n{lines.describe_columns(rows)}")
        assumed = {kind.assumes: shorten_spec(kind.spec) for kind in kinds if kind.assumes}
        for assumption, spec in assumed.items():
            print_text(f"\n{spec}: {assumption}")
        if judgment is not None:
            print_text(f"\n{join_lines([*describe_weaknesses(scenario), describe_judgment(judgment)])}")
        if out is not None:
            print_text(f"\nWritten: {tame(out)}. It names people: keep it private.")


def judge_in_engine(risks: Sequence[RelationalRisk], scenario: Scenario) -> Judgment:
    """Judge risks by a scenario. A person counts once, however many kinds expose it."""
    from shoal.relational.risk import count_people

    below, unproved = count_people(risks, scenario.k)
    kinds = tuple(risk.adversary.spec for risk in risks)
    people = risks[0].n
    return Judgment(scenario, "release", kinds, people, below, unproved, misled=0, all_misled=False)


def write_sizes(risks: Sequence[RelationalRisk], out: Path, force: bool) -> None:
    """Write a row per person and kind of knowledge, readable only by the owner."""
    from shoal.relational.risk import join_sizes

    join_sizes(risks).write(out, force=force)


def record_network(network: Network) -> dict[str, Any]:
    """Return the size and the form of a network as plain data."""
    found = {network.noun[1]: network.n, "edges": network.m, "multigraph": network.multigraph}
    form = {"directed": network.directed, "kinds": list(network.kinds)} if network.has_links else {}
    return found | form | {"engine": network.engine.name}


def build_risk_row(risk: Any, k: int, seconds: float) -> dict[str, Any]:
    """Return one attacker model, counted in memory or in an engine, as plain data."""
    found, buckets = take_counts(risk, k), risk.buckets()
    return {
        "knows": found.adversary.spec,
        "notion": found.adversary.notion,
        "assumes": found.adversary.assumes,
        "k": found.k,
        "exact": found.exact,
        "vertices": found.n,
        "unique": buckets["1"],
        "below": found.below,
        "rate": found.below / found.n,
        "misled": found.misled,
        "buckets": buckets,
        "all_exact": found.all_exact,
        "seconds": round(seconds, 6),
    }


def assess_in_engine(network: Network, kind: Adversary) -> RelationalRisk:
    """Count one kind of knowledge."""
    from shoal.relational import assess

    return assess(network, kind)
