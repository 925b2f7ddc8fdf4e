"""Text of risks and levels that an engine counted."""

from __future__ import annotations

from shoal.errors import format_count, join_lines
from shoal.relational.levels import RelationalLevels
from shoal.relational.risk import RelationalRisk
from shoal.report.text.phrases import describe_known_links, format_share, render_table
from shoal.report.text.risk import RiskCounts, take_counts
from shoal.risk.assess import BUCKETS
from shoal.show import as_text


@as_text.register
def describe_relational_risk(risk: RelationalRisk) -> str:
    """Return a risk as a few lines."""
    sizes, many = risk.histogram(), risk.network.noun[1]
    rows = []
    for low, high in BUCKETS:
        name = f">{low - 1}" if high is None else str(low) if low == high else f"{low}-{high}"
        people = sum(count for size, count in sizes.items() if low <= size <= (high or risk.n))
        rows.append([name, f"{people:,}", format_share(people, risk.n)])
    head = f"Risk of {risk.network!r} if an attacker knows {risk.adversary!r}. {risk.adversary.assumes}".rstrip()
    return join_lines([head, f"k {_compare(risk)}", *render_table(["candidates", many, "share"], rows)])


def _compare(risk: RelationalRisk) -> str:
    if risk.exact:
        return f"= {risk.k:,}: {format_count(risk.histogram()[risk.k], *risk.network.noun)} with no more candidates."
    return f"<= {risk.k:,}: a search was cut short, so the smallest candidate set may be smaller."


@as_text.register
def describe_relational_levels(found: RelationalLevels) -> str:
    """Return levels as a few lines."""
    n, (one, many) = found.network.n, found.network.noun
    rows = [[str(level), f"{people:,}", format_share(people, n)] for level, people in found.histogram().items()]
    head = (
        f"Levels of {found.network!r} for k = {found.k:,}: l known neighbors leave every {one} of level l with at "
        f"least {format_count(found.k, 'candidate')}."
    )
    return join_lines([head, *render_table(["l", many, "share"], rows)])


@take_counts.register
def take_engine_counts(risk: RelationalRisk, k: int) -> RiskCounts:
    """Return what a verdict needs of a risk in an engine."""
    network = risk.network
    ties = describe_known_links(network.directed, bool(network.kinds), [risk.adversary])
    counted = (risk.n, risk.k, risk.count_below(k), risk.exact, risk.all_exact)
    return RiskCounts(risk.adversary, network.noun, *counted, ties=ties)
