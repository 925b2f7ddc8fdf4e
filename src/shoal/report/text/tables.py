"""Text of table risks: attackers, sensitive columns and minimal uniques."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from shoal.data.dataset import Dataset
from shoal.errors import join_lines, list_names
from shoal.knowledge import Columns
from shoal.report.text.wording import format_share, render_table
from shoal.risk.assess import Risk, assess
from shoal.show import as_text
from shoal.tables.attacker_models import Attacker, attackers
from shoal.tables.diversity import Diversity, diversity
from shoal.tables.uniques import MinimalUniques
from shoal.wording import format_count

MEANS = {
    "prosecutor": "knows that the target is in the table",
    "journalist": "looks for anybody of the population",
    "marketer": "wants as many right as possible",
}


@dataclass(frozen=True)
class ColumnRisks:
    """What stands beside k for the columns of a table."""

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
        """Ask everything about the columns of a table, or of the vertices of a graph."""
        risk = assess(data, Columns(*columns))
        return cls(risk, attackers(risk, fraction=fraction, population=population), diversity(risk, sensitive))

    def describe(self) -> str:
        """Return the lines under the table of kinds of knowledge."""
        parts = [describe_attackers(self.attackers)]
        if self.sensitive:
            parts.append(describe_diversity(self.sensitive, self.risk.graph))
        return "\n\n".join(parts)

    def data(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "columns": list(self.risk.adversary.names),  # type: ignore[attr-defined]
            "attackers": [asdict(attacker) for attacker in self.attackers],
            "sensitive": [asdict(column) for column in self.sensitive],
        }


def describe_attackers(found: Sequence[Attacker]) -> str:
    """Return the three attackers as a table.

    >>> import shoal
    >>> print(describe_attackers(shoal.tables.attackers(shoal.assess({"age": [30, 30, 41]}, "columns:age"))))
    attacker    highest chance  expected right
    prosecutor           1.000             2.0  knows that the target is in the table
    journalist           1.000             2.0  looks for anybody of the population
    marketer             0.667             2.0  wants as many right as possible
    Journalist and marketer as if the table were the whole population.
    """
    rows = [[a.name, format_chance(a.highest), f"{a.expected:,.1f}"] for a in found]
    lines = render_table(["attacker", "highest chance", "expected right"], rows)
    told = [f"{line}  {MEANS[a.name]}" for line, a in zip(lines[1:], found, strict=True)]
    estimated = any(a.estimated for a in found)
    sample = (
        "Journalist and marketer are estimates for a random sample (negative binomial model): means, "
        "so that single records may be found more surely."
    )
    whole = "Journalist and marketer as if the table were the whole population."
    alike = len({a.expected for a in found}) == 1
    return join_lines([lines[0], *told, *([sample] if estimated else [whole] if alike else [])])


def format_chance(p: float) -> str:
    """Write a chance, never rounded to 0 or 1.

    >>> format_chance(1.0), format_chance(0.99999), format_chance(0.00001), format_chance(0.25)
    ('1.000', '>0.999', '<0.001', '0.250')
    """
    return ">0.999" if 0.9995 <= p < 1 else "<0.001" if 0 < p < 0.0005 else f"{p:.3f}"


def describe_diversity(found: Sequence[Diversity], graph: Dataset) -> str:
    """Return what the classes give away about sensitive columns, as a table."""
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
    lines = render_table(["sensitive", "l-diversity", "entropy l", "t-closeness", "given away", "share"], rows)
    told = "given away: all in their class have the same value, so that nobody needs to be singled out"
    return join_lines([*lines, told])


@as_text.register
def describe_uniques(found: MinimalUniques) -> str:
    """Return minimal uniques as a few lines: who is revealed by how many columns, and what each column adds."""
    n, many = found.graph.n, found.graph.noun[1]
    few = "nobody else has" if found.k == 2 else f"fewer than {found.k} {many} have"
    columns = list_names(found.columns, spell=str)
    told = f"Sets of up to {format_count(found.max_size, 'column')} of {columns} whose values {few}"
    sizes = [int((found.smallest == s).sum()) for s in range(1, found.max_size + 1)]
    rows = [[format_count(s, "column"), f"{some:,}", format_share(some, n)] for s, some in enumerate(sizes, 1)]
    rest = n - sum(sizes)
    more = "hidden" if found.max_size == len(found.columns) else "more, or never"
    rows.append([more, f"{rest:,}", format_share(rest, n)])
    added = [[name, f"{100 * part:.1f} %"] for name, part in found.contributions.items()]
    worst = sorted(found.sets.items(), key=lambda item: (-len(item[1]), len(item[0])))[:10]
    sets = [[" + ".join(S), f"{len(rows):,}", format_share(len(rows), n)] for S, rows in worst]
    parts = [
        [f"{told}, in {found.graph!r}."],
        render_table(["revealed by", many, "share"], rows),
        [
            *render_table(["column", "in sets with this share of SUDA scores"], added),
            "A set counts for each of its columns.",
        ],
        render_table([f"sets that reveal most (of {len(found.sets):,})", many, "share"], sets),
    ]
    return "\n\n".join(join_lines(part) for part in parts)
