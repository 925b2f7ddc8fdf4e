"""shoal risk: the number of candidates of each vertex under one or many attacker models."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from shoal.auditing.riskiest import Aliases, find_riskiest
from shoal.cli.engines import build_risk_row, engine_options, print_engine_risk, takes_engine
from shoal.cli.options import (
    NAMES,
    WHOLE,
    attacker_options,
    json_option,
    knows_option,
    list_known_columns,
    load_attacked,
    load_data,
    reading_options,
    scenario_option,
    take_scenario,
    tell_unknown_columns,
)
from shoal.cli.output import (
    TARGET,
    SectionedCommand,
    check_targets,
    force_option,
    print_json,
    print_text,
    record_data,
    save_private_rows,
)
from shoal.data.dataset import Dataset
from shoal.errors import BadParameter, check_k, join_lines, join_names, notice, tame
from shoal.knowledge import Adversary
from shoal.report.text.phrases import shorten_spec
from shoal.report.text.risk import RiskLines, describe_exposed, describe_known_ties, describe_recoded
from shoal.report.text.scenarios import describe_judgment, describe_people, describe_weaknesses
from shoal.report.text.tables import ColumnRisks
from shoal.risk.assess import Risk, assess
from shoal.risk.panel import PanelRisk, build_panel
from shoal.risk.scenario import Scenario, record_judgment, record_policy

SCHEMA = 2


@click.command(cls=SectionedCommand)
@click.argument("file")
@knows_option("Count exactly this attacker model, e.g. degree or refinement:2+columns:age. Repeatable.")
@scenario_option("What the data is defended against: a preset or a .toml file.  [default: agreement]")
@click.option("-k", type=WHOLE, help="Number of candidates, instead of the scenario's (5 with --knows).")
@click.option(
    "--csv", "per_person", type=TARGET, metavar="FILE", help="Output file with one row per person. Keep it private."
)
@click.option(
    "--out", type=TARGET, metavar="FILE", help="With --engine: Parquet file with one row per person. Keep it private."
)
@click.option("--names", is_flag=True, help="Name the people most exposed.")
@force_option
@click.option(
    "--sensitive", type=NAMES, default=(), help="Sensitive columns: report what the classes disclose about them."
)
@click.option(
    "--fraction", type=float, metavar="SHARE", help="Share of the population that the table is a random sample of."
)
@click.option("--population", metavar="FILE", help="Table of the whole population with the same columns.")
@attacker_options
@engine_options
@reading_options
@json_option
def risk(
    file: str,
    knows: tuple[Adversary, ...],
    scenario: Scenario | None,
    k: int | None,
    per_person: Path | None,
    out: Path | None,
    names: bool,
    force: bool,
    sensitive: tuple[str, ...],
    fraction: float | None,
    population: str | None,
    original: str | None,
    mapping: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Measure re-identification risk.

    FILE is a network or a table. A row is printed for each attacker model. The candidates of a vertex are all vertices,
    itself included, that fit everything the attacker knows about it.

    \b
    Columns:
      knows     attacker model (see: shoal knowledge)
      k         fewest candidates that any vertex has; <= if a search was cut short
      unique    vertices with 1 candidate
      below K   vertices with fewer than K candidates
      share     below K, as a share of all vertices
      misled    with --original: vertices that no published vertex fits; not counted as safe
      time      running time
      in words  the attacker model in a few words

    Without --knows: the kinds of knowledge of the scenario; then, outside the scenario, refinement:2, counts:1,
    degrees:1, neighborhood:1, hubs:5, subgraph:3, neighbors:2, adjacency and orbit. For a table: any one, two or three
    columns (up to 1,000,000 sets; a note says what is not counted).

    Without --knows, a line judges the data by the scenario: PASS, FAIL or CANNOT TELL. The last lines describe the most
    exposed people, without names unless --names.

    Exit code: 0 also after FAIL. In scripts, use `shoal check`.

    \b
    Examples:
      shoal risk example:florentine --scenario internal
      shoal risk friends.csv --csv people-at-risk.csv
      shoal risk mails.csv --directed --knows degree:out
      shoal risk friends.csv --attributes people.csv --knows degree --knows degree+columns:age,sex
      shoal risk people.csv --columns age,sex,zip --sensitive income
      shoal risk 'edges/*.parquet' --engine duckdb --memory 4GB --knows refinement:2 --out sizes.parquet
    """
    table_options = sensitive or fraction is not None or population is not None
    if table_options and original is not None:
        raise BadParameter("'--sensitive', '--fraction' and '--population' must come without '--original'. Got both.")
    if knows and scenario is not None:
        raise BadParameter("'--knows' and '--scenario' must not come together: each names the kinds of knowledge.")
    check_targets([per_person, out], force)
    if takes_engine(file, given | {"out": out}):
        given |= {"original": original, "mapping": mapping, "per_person": per_person, "names": names}
        given |= {"sensitive": sensitive, "fraction": fraction, "population": population}
        return print_engine_risk(file, knows, take_scenario(scenario, k), k, out, force, as_json, given)
    published, source = load_attacked(file, original, mapping, given)
    if k is not None:
        check_k("shoal risk", k, published)
    columns = list_known_columns(published, given, sensitive)
    question = Question.of(published, take_scenario(scenario, k), knows, given["columns"], columns, sensitive)
    if not knows:
        tell_unknown_columns(published, given)
    about = None
    if table_options or (not published.has_links and original is None):
        others = None if population is None else load_data(population, given | {"table": True})
        about = ColumnRisks.of(published, columns, sensitive, fraction, others)
    risks = question.count(published, source, quiet=as_json, default_k=k is None)
    found = question.collect([risk for risk, _ in risks])
    if per_person is not None:
        rows = found.list_people()
        save_private_rows(per_person, force, list(rows), zip(*rows.values(), strict=True))
    if as_json:
        print_json(question.as_data(published, risks, found) | ({} if about is None else {"table": about.data()}))
        return None
    print_findings(question, found, about)
    people = find_riskiest(found.risks, question.k, Aliases(names, published.noun[0]), found.facts)
    print_text(f"\n{describe_exposed(people, published.noun[0])}")
    if per_person is not None:
        print_text(f"\nWritten: {tame(per_person)}. It names people: keep it private.")
    return None


def print_findings(question: Question, found: PanelRisk, about: ColumnRisks | None) -> None:
    """Print what the kinds of knowledge assume, what the columns disclose, and the judgment by the scenario."""
    lacking = [risk for risk in found.risks if risk.unmatched]
    if lacking:
        notice(describe_recoded(lacking[0]))
    assumed: dict[str, list[str]] = {}
    for kind in question.kinds:
        assumed.setdefault(kind.assumes, []).append(shorten_spec(kind.spec))
    for assumption, specs in assumed.items():
        if assumption:
            print_text(f"\n{join_names(specs)}: {assumption}")
    if about is not None:
        print_text(f"\n{about.describe()}")
    if question.inside:
        print_text(f"\n{join_lines([*describe_weaknesses(question.scenario), describe_judged(found)])}")


@dataclass(frozen=True)
class Question:
    """The kinds of knowledge to count: those of a scenario first, or exactly those that were named."""

    scenario: Scenario
    kinds: tuple[Adversary, ...]
    inside: int
    """How many of them are in the scenario; 0 where they were named."""

    @classmethod
    def of(
        cls,
        data: Dataset,
        scenario: Scenario,
        knows: Sequence[Adversary],
        named: Sequence[str] | None,
        columns: Sequence[str],
        sensitive: Sequence[str],
    ) -> Question:
        """Choose the kinds; `named` are the quasi-identifiers that were named, `columns` all that count as known."""
        if knows:
            return cls(scenario, tuple(dict.fromkeys(knows)), 0)
        inside = list(scenario.choose_kinds(data, columns if not data.has_links else named or (), sensitive).values())
        others = build_panel(data, columns if not data.has_links else named or (), sensitive)
        return cls(scenario, (*inside, *(kind for kind in others if kind not in inside)), len(inside))

    @property
    def k(self) -> int:
        """The number of candidates below which a person is at risk."""
        return self.scenario.k

    def collect(self, risks: Sequence[Risk]) -> PanelRisk:
        """Return the risks together."""
        return PanelRisk(self.scenario, tuple(risks), self.inside or len(risks))

    def count(self, data: Dataset, source: dict[str, Any], *, quiet: bool, default_k: bool) -> list[tuple[Risk, float]]:
        """Count the candidates under each kind, and print its row as soon as it is counted."""
        attacked = source["original"] is not None
        lines = RiskLines(
            [kind.spec for kind in self.kinds],
            self.k,
            data.n,
            data.noun,
            attacked=attacked,
            k_from="" if not default_k else "of the scenario" if self.inside else "by default",
            ties=describe_known_ties(data, self.kinds),
        )
        found, rows = [], []
        for at, kind in enumerate(self.kinds):
            risk, seconds = assess_timed(data, kind, source)
            found.append((risk, seconds))
            rows.append(build_risk_row(risk, self.k, seconds))
            ahead = f"{data!r}\n\n{lines.format_head()}\n" if at == 0 else ""
            ahead += "outside the scenario:\n" if at == self.inside and self.inside else ""
            if not quiet:
                print_text(f"{ahead}{lines.format_row(rows[-1])}")
        if not quiet:
            print_text(f"\n{lines.describe_columns(rows)}")
        return found

    def as_data(self, data: Dataset, risks: list[tuple[Risk, float]], found: PanelRisk) -> dict[str, Any]:
        """Return the table as plain data."""
        judged = (
            {}
            if not self.inside
            else {"scenario": record_policy(self.scenario), "judgment": record_judgment(found.judgment)}
        )
        return {
            "schema": SCHEMA,
            "graph": record_data(data),
            "below": self.k,
            **judged,
            "risks": [
                build_risk_row(risk, self.k, seconds) | {"in_scenario": at < self.inside}
                for at, (risk, seconds) in enumerate(risks)
            ],
        }


def describe_judged(found: PanelRisk) -> str:
    """Return the judgment; with facts from the original alone, the numbers without a verdict."""
    if found.judgment.facts == "release":
        return describe_judgment(found.judgment)
    more = "`shoal check` and `shoal audit` judge facts from the release too."
    return f"By facts from the original: {describe_people(found.judgment)} {more}"


def assess_timed(graph: Dataset, adversary: Adversary, source: dict[str, Any]) -> tuple[Risk, float]:
    """Assess the risk, and measure the time."""
    start = time.perf_counter()
    found = assess(graph, adversary, **source)
    return found, time.perf_counter() - start
