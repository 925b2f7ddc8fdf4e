"""Text of table risks: attacker models of statistical offices, sensitive columns and minimal uniques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.data.dataset import Dataset
from shoal.errors import format_count, join_lines, join_names, list_names
from shoal.knowledge import Columns
from shoal.report.text.notebook import render_html_table, render_paragraphs
from shoal.report.text.phrases import format_percent, format_share, render_table
from shoal.report.text.risk import count_being
from shoal.risk.assess import Risk, assess
from shoal.show import as_html, as_text
from shoal.tables.attacker_models import Attacker, attackers
from shoal.tables.diversity import Diversity, diversity
from shoal.tables.uniques import MinimalUniques

MEANS = {
    "prosecutor": "one person who is known to be in the table",
    "journalist": "any person in the population, without knowing who is in the table",
    "marketer": "all people: as many correct matches as possible",
}


@dataclass(frozen=True)
class ColumnRisks:
    """Risks of the columns of a table, shown beside k."""

    risk: Risk
    attackers: tuple[Attacker, ...]
    sensitive: tuple[Diversity, ...]

    @classmethod
    def of(
        cls,
        data: Dataset,
        columns: Sequence[str],
        sensitive: Sequence[str] = (),
        fraction: float | None = None,
        population: Dataset | None = None,
    ) -> ColumnRisks:
        """Assess the columns of a table, or of the vertices of a graph."""
        risk = assess(data, Columns(*columns))
        return cls(risk, attackers(risk, fraction=fraction, population=population), diversity(risk, sensitive))

    def describe(self) -> str:
        """Return the lines below the table of attacker models."""
        known: tuple[str, ...] = self.risk.adversary.names  # type: ignore[attr-defined]
        parts = [f"For an attacker who knows {join_names(known)}:\n{describe_attackers(self.attackers)}"]
        if self.sensitive:
            parts.append(describe_diversity(self.sensitive, self.risk.graph))
        return "\n\n".join(parts)

    def data(self) -> dict[str, Any]:
        """Return the risks as plain data."""
        return {
            "columns": list(self.risk.adversary.names),  # type: ignore[attr-defined]
            "attackers": [asdict(attacker) for attacker in self.attackers],
            "sensitive": [asdict(column) for column in self.sensitive],
        }


def describe_attackers(found: Sequence[Attacker]) -> str:
    """Return the three attackers as a table.

    >>> import shoal
    >>> print(describe_attackers(shoal.tables.attackers(shoal.assess({"age": [30, 30, 41]}, "columns:age"))))
    attacker    chance  expected matches  target
    prosecutor   1.000               2.0  one person who is known to be in the table
    journalist   1.000               2.0  any person in the population, without knowing who is in the table
    marketer     0.667               2.0  all people: as many correct matches as possible
    chance: of a correct match, for the record with the highest chance (marketer: mean over all records).
    expected matches: expected number of correct matches if the attacker makes a guess for every record.
    For the journalist and the marketer, the table is taken as the whole population.
    """
    rows = [[a.name, format_chance(a.highest), f"{a.expected:,.1f}"] for a in found]
    lines = render_table(["attacker", "chance", "expected matches"], rows)
    told = [
        f"{line}  {target}" for line, target in zip(lines, ["target", *(MEANS[a.name] for a in found)], strict=True)
    ]
    legend = [
        "chance: of a correct match, for the record with the highest chance (marketer: mean over all records).",
        "expected matches: expected number of correct matches if the attacker makes a guess for every record.",
    ]
    estimated = any(a.estimated for a in found)
    sample = (
        "The numbers for the journalist and the marketer are estimates for a random sample (negative binomial model). "
        "They are means, so the chance for a single record may be higher."
    )
    whole = "For the journalist and the marketer, the table is taken as the whole population."
    alike = len({a.expected for a in found}) == 1
    return join_lines([*told, *legend, *([sample] if estimated else [whole] if alike else [])])


def format_chance(p: float) -> str:
    """Format a chance, never rounded to 0 or 1.

    >>> format_chance(1.0), format_chance(0.99999), format_chance(0.00001), format_chance(0.25)
    ('1.000', '>0.999', '<0.001', '0.250')
    """
    return ">0.999" if 0.9995 <= p < 1 else "<0.001" if 0 < p < 0.0005 else f"{p:.3f}"


def describe_diversity(found: Sequence[Diversity], graph: Dataset) -> str:
    """Return what the classes disclose about sensitive columns, as a table."""
    rows = [
        [
            d.column,
            f"{d.distinct:,}",
            f"{d.entropy:.2f}",
            f"{d.closeness:.3f}",
            f"{d.known:,}",
            format_share(d.known, graph.n),
        ]
        for d in found
    ]
    lines = render_table(["sensitive", "l-diversity", "entropy l", "t-closeness", "disclosed", "share"], rows)
    many = graph.noun[1]
    legend = [
        f"A class is the set of all {many} with the same values in the known columns.",
        "l-diversity: fewest different sensitive values in a class.",
        "entropy l: smallest exp(entropy) of the sensitive values in a class; 1 if a class has a single value.",
        "t-closeness: largest distance of the sensitive values in a class from those in all data, from 0 (equal) to 1.",
        f"disclosed: {many} in classes with a single sensitive value. An attacker learns it without identifying them.",
    ]
    return join_lines([*lines, *legend])


@as_text.register
def describe_uniques(found: MinimalUniques) -> str:
    """Return minimal uniques as text: how many columns single out how many records, and the role of each column."""
    parts = build_unique_tables(found)
    tables = [join_lines([*render_table(part.head, part.rows), *part.legend]) for part in parts]
    return "\n\n".join([join_lines([parts[0].caption]), *tables])


@as_html.register
def render_uniques(found: MinimalUniques) -> str:
    """Return minimal uniques as HTML tables for notebooks."""
    return "".join(
        render_html_table(part.head, part.rows, part.caption) + render_paragraphs(part.legend)
        for part in build_unique_tables(found)
    )


@dataclass(frozen=True)
class Part:
    """A table of a text, with the lines above and below it."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    legend: Sequence[str] = ()


def build_unique_tables(found: MinimalUniques) -> list[Part]:
    """Return minimal uniques as three tables: by size of the smallest set, by column, and the most frequent sets."""
    n, (one, many) = found.graph.n, found.graph.noun
    sizes = [int((found.smallest == s).sum()) for s in range(1, found.max_size + 1)]
    few = f"no other {one} has" if found.k == 2 else f"fewer than {found.k} {many} have"
    some = len(found.columns)
    columns = f"at most {found.max_size} of the {some:,} columns {list_names(found.columns, spell=str)}"
    larger = "" if found.max_size >= some else " Larger sets of columns were not searched."
    told = f"{count_being(sum(sizes), n, many)} identified by {columns}: {few} the same values.{larger}"
    told = f"{told} Data: {found.graph!r}."
    rows = [[format_count(s, "column"), f"{some:,}", format_share(some, n)] for s, some in enumerate(sizes, 1)]
    rest = n - sum(sizes)
    more = "none" if found.max_size == len(found.columns) else "larger set or none"
    rows.append([more, f"{rest:,}", format_share(rest, n)])
    added = [[name, format_percent(part)] for name, part in found.contributions.items()]
    worst = sorted(found.sets.items(), key=lambda item: (-len(item[1]), len(item[0])))[:10]
    sets = [[" + ".join(S), f"{len(rows):,}", format_share(len(rows), n)] for S, rows in worst]
    suda = [
        f"A minimal set of columns identifies a {one}, and no smaller part of it does.",
        f"The SUDA score of a {one} (special uniques detection algorithm; Elliot, Manning & Ford) is higher the more",
        f"minimal sets the {one} has and the smaller they are.",
        "SUDA share: share of the sum of all scores that comes from minimal sets with this column.",
        "A set counts for each of its columns, so shares may sum to more than 100 %.",
    ]
    minimal = [
        f"A {one} can have several minimal sets.",
    ]
    return [
        Part(told, ["smallest set", many, "share"], rows, [f"smallest set: the fewest columns that identify a {one}."]),
        Part("", ["column", "SUDA share"], added, suda),
        Part("", [f"most frequent minimal sets (of {len(found.sets):,})", many, "share"], sets, minimal),
    ]
