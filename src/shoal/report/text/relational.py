"""Text of risks and levels that an engine counted, and of releases that were made in one."""

from __future__ import annotations

from shoal.auditing.recount import record_promise
from shoal.errors import format_count, join_lines
from shoal.relational.levels import RelationalLevels
from shoal.relational.release import RelationalRelease
from shoal.relational.risk import RelationalRisk
from shoal.relational.rounds import Rounds
from shoal.release.manifest import describe_promise
from shoal.report.text.audit import describe_guarantee
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


@as_text.register
def describe_relational_release(release: RelationalRelease) -> str:
    """Return a release as a few lines."""
    made = ", ".join(f"{name} {value}" for name, value in release.method.declare_policy().items() if value is not None)
    lines = [f"Release of {release.network!r} by {release.method.shell} ({made})."]
    if release.promise is None:
        lines.append("Nothing is promised.")
    else:
        guarantee = describe_guarantee(record_promise(describe_promise(release.promise)))
        lines += [f"Guarantee: {guarantee}.", f"Verified: {release.verification}"]
    if release.uncovered:
        lines.append(f"Not covered: {', '.join(release.uncovered)}. An attacker who also knows it may find fewer.")
    lines += [] if release.rounds is None else _list_rounds(release.rounds)
    return join_lines(lines)


@as_text.register
def describe_rounds(rounds: Rounds) -> str:
    """Return the rounds of a suppression as a table."""
    told = [] if rounds.refused is None else [f"No release: {rounds.refused}."]
    return join_lines([*_list_rounds(rounds), *told])


def _list_rounds(rounds: Rounds) -> list[str]:
    rows = [["before", "", f"{rounds.people:,}", f"{rounds.links:,}"]]
    rows += [
        [str(at), f"{one.below:,}", f"{one.people:,}", f"{one.links:,}"] for at, one in enumerate(rounds.rounds, 1)
    ]
    head = "Rounds of suppression. Keep these numbers private: they count people who are not released."
    return [head, *render_table(["round", "left out", "people left", "links left"], rows)]
