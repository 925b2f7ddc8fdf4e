"""Options and steps of commands that count where the data are: in DuckDB or Spark instead of memory."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shoal.cli.options import split_ends, stack_options
from shoal.cli.output import make_section, print_json, print_text
from shoal.errors import BadParameter, check_k, join_lines, join_names, tame
from shoal.knowledge import Adversary
from shoal.report.text.phrases import describe_known_links, shorten_spec
from shoal.report.text.risk import RiskLines, take_counts
from shoal.report.text.scenarios import describe_judgment, describe_weaknesses
from shoal.risk.scenario import Judgment, Scenario, record_judgment, record_policy

if TYPE_CHECKING:
    from shoal.relational import Network, RelationalRisk
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

    useless = [option for name, option in UNUSED.items() if not (given.get(name) in (None, ()) or given[name] is False)]
    if useless:
        raise BadParameter(f"{join_names(useless)}: must be left out with '--engine' or duckdb:FILE/TABLE. Got it.")
    named, attributes = given["columns"] or (), given["attributes"]
    table = given["table"] or (named and attributes is None)
    asked = list(kinds) or ([] if scenario is None else list(scenario.resolve_kinds(named).values()))
    asked = [kind for kind in asked if not table or kinds or not kind.reads_links]
    for kind in asked:
        plan_count(kind)  # what is not counted is refused before any work
    wanted = list_columns(asked)
    columns = None if wanted is None else list(dict.fromkeys([*named, *wanted]))
    if not kinds and columns is not None and (len(columns) > len(named) or (table and not named)):
        columns = None  # a kind of the scenario whose columns are not there is left out
    return open_network(
        None if table else file,
        ends=split_ends(given),
        vertices=file if table else None if attributes is None else str(attributes),
        key=given["key"],
        columns=columns,
        directed=given["directed"],
        undirected=given["undirected"],
        kind=given["kind"],
        multigraph=given["multigraph"],
        drop_loops=given["drop_loops"],
        engine=start_engine(given),
    )


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
