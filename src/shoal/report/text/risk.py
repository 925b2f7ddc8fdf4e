"""Text of risks: a table per attacker model, and the verdict of `shoal check`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from html import escape
from typing import Any

from shoal.auditing.findings import Riskiest, RiskyPerson
from shoal.data.dataset import Dataset
from shoal.data.graph import Graph
from shoal.errors import format_count, join_lines, join_names, tame
from shoal.knowledge import Adversary, parse_knowledge
from shoal.knowledge.candidates import Fact, Witness
from shoal.report.text.phrases import (
    align_cells,
    capitalize,
    describe_knowledge,
    describe_known_links,
    describe_witness,
    format_bound,
    format_share,
    render_table,
    shorten_spec,
    title_knowledge,
)
from shoal.report.text.scenarios import describe_judgment
from shoal.risk.assess import Risk
from shoal.risk.panel import PanelRisk
from shoal.show import as_html, as_text


def describe_attacker(adversary: Adversary) -> str:
    """Say what an attacker knows, with the spec.

    >>> from shoal.knowledge import Degree
    >>> describe_attacker(Degree())
    'an attacker who knows ... (degree)'
    """
    return f"an attacker who knows {describe_knowledge(adversary.spec)} ({shorten_spec(adversary.spec)})"


def count_having(part: int, whole: int, noun: str) -> str:
    """Return the subject and verb of a sentence about some of all.

    >>> count_having(1, 15, "vertices"), count_having(2, 15, "vertices")
    ('1 of 15 vertices has', '2 of 15 vertices have')
    """
    return f"{part:,} of {whole:,} {noun} {'has' if part == 1 else 'have'}"


def count_being(part: int, whole: int, noun: str) -> str:
    """Return the subject and the verb "to be" of a sentence about some of all.

    >>> count_being(1, 15, "vertices")
    '1 of 15 vertices is'
    """
    return f"{part:,} of {whole:,} {noun} {'is' if part == 1 else 'are'}"


def describe_headline(risk: Risk) -> str:
    """Say in one sentence how many candidates the least protected vertices have.

    >>> import shoal
    >>> describe_headline(shoal.assess(shoal.examples.florentine(), "degree"))
    'k = 1: 1 of 15 vertices is unique.'
    """
    n, least = len(risk.sizes), int((risk.sizes == risk.k).sum())
    one, many = risk.graph.noun
    if risk.k == 0:
        return f"k = 0: no published {one} fits any of the {n:,} {many}. All are misled. This does not make them safe."
    if risk.k == 1:
        return f"k = 1: {count_being(least, n, many)} unique."
    if not risk.exact:
        return f"k <= {risk.k:,}: a search was cut short, so the smallest candidate set may be smaller."
    misled = len(risk.misled)
    who = count_having(n - misled, n, many) if misled else f"every {one} has"
    rest = f" No published {one} fits the other {misled:,} (misled)." if misled else ""
    return f"k = {risk.k:,}: {who} at least {risk.k:,} candidates; {least:,} of {n:,} no more than that.{rest}"


def describe_recoded(risk: Risk) -> str:
    """Say that the release lacks some known values of the original."""
    return (
        f"the release lacks some values that the original has in {join_names(risk.unmatched)}. If they were recoded "
        "(to a range, a list or *), comparing values says nothing about them."
    )


def build_bucket_rows(risk: Risk) -> list[tuple[str, int]]:
    """Return a row per bucket of candidate counts (Hay et al. 2008); misled vertices come last."""
    misled = len(risk.misled)
    return [*risk.buckets().items(), *([("misled", misled)] if misled else [])]


@as_text.register
def describe_risk(risk: Risk) -> str:
    """Return a risk as a few lines."""
    n = len(risk.sizes)
    rows = [[name, f"{many:,}", format_share(many, n)] for name, many in build_bucket_rows(risk)]
    caution = [f"Caution: {describe_recoded(risk)}"] if risk.unmatched else []
    table = render_table(["candidates", risk.graph.noun[1], "share"], rows)
    return join_lines([_describe_assessed(risk), describe_headline(risk), *caution, *table])


def _describe_assessed(risk: Risk) -> str:
    return f"Risk of {risk.graph!r} if an attacker knows {risk.adversary!r}. {risk.adversary.assumes}".rstrip()


@as_html.register
def render_risk(risk: Risk) -> str:
    """Return a risk as an HTML table with bars."""
    rows = "".join(_render_bar_row(name, many, len(risk.sizes)) for name, many in build_bucket_rows(risk))
    head = "".join(f"<th scope='col'>{escape(title)}</th>" for title in ("candidates", risk.graph.noun[1], "share", ""))
    told = escape(f"{_describe_assessed(risk)} {describe_headline(risk)}")
    caution = escape(f" Caution: {describe_recoded(risk)}") if risk.unmatched else ""
    caption = f"<caption style='text-align:left'>{told}{caution}</caption>"
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _render_bar_row(name: str, many: int, n: int) -> str:
    bar = f"<div role='presentation' style='background:#4c78a8;height:.8em;width:{16 * many / n:.2f}em'></div>"
    numbers = f"<td>{many:,}</td><td>{escape(format_share(many, n))}</td>"
    cells = f"{numbers}<td style='text-align:left;min-width:16em'>{bar}</td>"
    return f"<tr><th scope='row'>{escape(name)}</th>{cells}</tr>"


@as_text.register
def describe_panel(found: PanelRisk) -> str:
    """Return the risks of a panel as a table, and the judgment by the scenario."""
    k, specs = found.scenario.k, [shorten_spec(risk.adversary.spec) for risk in found.risks]
    rows = [
        [spec, *_list_counts(risk, k), "yes" if at < found.inside else "no"]
        for at, (spec, risk) in enumerate(zip(specs, found.risks, strict=True))
    ]
    head = ["knows", "k", "unique", f"below {k}", "share", "in scenario"]
    facts = "" if found.facts == "release" else "By facts from the original: "
    return join_lines([*render_table(head, rows), f"{facts}{describe_judgment(found.judgment)}"])


def _list_counts(risk: Risk, k: int) -> list[str]:
    """Return k, the unique vertices, and those below k with their share, with bounds marked."""
    unique, below = int((risk.sizes == 1).sum()), int(((risk.sizes > 0) & (risk.sizes < k)).sum())
    row = {"k": risk.k, "exact": risk.exact, "vertices": len(risk.sizes), "unique": unique, "below": below}
    return _format_at_risk(row | {"all_exact": bool(risk.exact_sizes.all())})


EXPOSED = 5
"""So many people are described as the most exposed."""


def describe_exposed(found: Riskiest, noun: str) -> str:
    """Describe the most exposed people, one line each; without their names unless these were asked for."""
    people = found.people[:EXPOSED]
    if not people:
        return f"No {noun} is below k."
    how = "" if found.names else " (letters stand for names; --names shows them)"
    where = " Their facts are true in the original." if found.facts_from == "original" else ""
    head = f"The {len(people)} most exposed{how}:" if len(people) > 1 else f"The most exposed{how}:"
    return join_lines([f"{head}{where}", *(f"    {describe_person(one, noun)}" for one in people)])


def describe_person(one: RiskyPerson, noun: str = "person") -> str:
    """Say which facts about a person leave which candidates."""
    witness = Witness(tuple(Fact(fact.kind, fact.value) for fact in one.facts), one.candidates, one.exact)
    return capitalize(describe_witness(one.who, witness, noun=noun))


@dataclass(frozen=True)
class RiskLines:
    """One line per attacker model, printed as soon as it is assessed: widths do not depend on the results."""

    specs: Sequence[str]
    k: int
    n: int
    noun: tuple[str, str] = ("vertex", "vertices")
    attacked: bool = False
    """Whether facts come from an original, so that some vertices may be misled."""
    k_from: str = ""
    """Where k comes from, if it was not chosen."""
    ties: str = ""
    """What is known about directions and kinds of links."""

    def format_head(self) -> str:
        """Return the head of the table."""
        return self._format_line(
            [
                "knows",
                "k",
                "unique",
                f"below {self.k}",
                "share",
                *(["misled"] if self.attacked else []),
                "time",
                "in words",
            ]
        )

    def format_row(self, row: dict[str, Any]) -> str:
        """Return the line of one attacker model, given as plain data."""
        missed = [f"{row['misled']:,}"] if self.attacked else []
        title = tame(title_knowledge(row["knows"]))
        return self._format_line([row["knows"], *_format_at_risk(row), *missed, f"{row['seconds']:.2f} s", title])

    def describe_columns(self, rows: Sequence[dict[str, Any]]) -> str:
        """Return the legend: what the heads mean."""
        one, many = self.noun
        aside = f"; misled {many} do not count" if self.attacked else ""
        usual = f" ({self.k:,} {self.k_from}; -k sets it)" if self.k_from else ""
        below = f"below {self.k}"
        told = [
            "knows, in words: attacker model (see: shoal knowledge).",
            *([self.ties] if self.ties else []),
            self._define_candidates(),
            f"k: fewest candidates that any {one} has{aside}. unique: {many} with 1 candidate.",
            f"{below}: {many} with fewer than {format_count(self.k, 'candidate')}{usual}.",
            f"share: {below}, as a share of all {many}. time: running time.",
        ]
        if self.attacked:
            told.append(f"misled: {many} that no published {one} fits. They do not count as safe.")
        several = [row["knows"] for row in rows if has_several_sets(row["knows"])]
        if several:
            titles = tame("; ".join(title_knowledge(spec) for spec in several))
            told.append(f"For each {one}, the worst choice of known facts counts ({titles}).")
        if any("in the neighborhood" in title_knowledge(row["knows"]) for row in rows):
            told.append(f"neighborhood of a {one}: the {one}, its neighbors, and all links among them.")
        if not all(row["all_exact"] for row in rows):
            told.append("<= and >= mark bounds: a search was cut short.")
        return join_lines(told)

    def _define_candidates(self) -> str:
        one, many = self.noun
        all_of = f"all published {many}" if self.attacked else f"all {many}, itself included,"
        return f"candidates of a {one}: {all_of} that fit what the attacker knows about it."

    def _format_line(self, cells: list[str]) -> str:
        number = len(f"{self.n:,}")
        widths = [
            number + 1,
            max(6, number),
            max(6 + len(str(self.k)), number),
            7,
            *([max(6, number)] if self.attacked else []),
            8,
        ]
        first = max(len(tame(shorten_spec(spec))) for spec in ("knows", *self.specs))
        *numbers, title = cells[1:]
        return f"{align_cells([tame(shorten_spec(cells[0])), *numbers], [first, *widths])}  {title}"


def has_several_sets(spec: str) -> bool:
    """Whether an attacker model allows many sets of facts about a vertex, of which the worst counts."""
    return any(part.several_sets for part in parse_knowledge(spec).parts)


def _format_at_risk(row: dict[str, Any]) -> list[str]:
    if row["k"] == 0:
        return ["–"] * 4
    n, bound = row["vertices"], not row["all_exact"]
    many = [f"{'>= ' if bound and row[key] < n else ''}{row[key]:,}" for key in ("unique", "below")]
    return [format_bound(row["k"], row["exact"]), *many, format_share(row["below"], n, least=bound)]


def describe_known_ties(data: Dataset, known: Iterable[Adversary]) -> str:
    """Say which attackers know links with direction and kind; empty where links have neither.

    >>> import shoal
    >>> describe_known_ties(shoal.examples.office(), [parse_knowledge("degree")])
    'Known links come with their direction and kind, and numbers of links are counted by both.'
    """
    return describe_known_links(data.directed, bool(data.kinds), known) if isinstance(data, Graph) else ""


@dataclass(frozen=True)
class RiskCounts:
    """What a verdict on one kind of knowledge needs, wherever it was counted."""

    adversary: Adversary
    noun: tuple[str, str]
    n: int
    k: int
    """The size of the smallest candidate set."""
    below: int
    """How many have fewer candidates than asked for."""
    exact: bool
    """Whether k is exact."""
    all_exact: bool
    """Whether all sizes are exact."""
    misled: int = 0
    unfit: int = 0
    """How many have values in known columns that no published record has."""
    recoded: str = ""
    """Which known values the release lacks; empty if none."""
    ties: str = ""
    """What is known of a link besides its ends."""


@singledispatch
def take_counts(risk: Any, k: int) -> RiskCounts:
    """Return what a verdict needs of a risk, in memory or in an engine."""
    raise TypeError(f"There are no counts of {type(risk).__name__}.")


@take_counts.register
def _take_counts(risk: Risk, k: int) -> RiskCounts:
    return RiskCounts(
        risk.adversary,
        risk.graph.noun,
        len(risk.sizes),
        risk.k,
        int(((risk.sizes > 0) & (risk.sizes < k)).sum()),
        risk.exact,
        bool(risk.exact_sizes.all()),
        len(risk.misled),
        int(risk.unfit.sum()),
        describe_recoded(risk) if risk.unmatched else "",
        describe_known_ties(risk.graph, [risk.adversary]),
    )


def describe_verdict(risk: Any, k: int) -> tuple[int, str]:
    """Return whether every vertex has at least k candidates (0 yes, 1 no, 2 cannot tell), and the verdict in words."""
    counts = take_counts(risk, k)
    code, text = _reach_verdict(counts, k)
    return code, tame(" ".join(filter(None, [text, counts.ties, counts.adversary.assumes])))


def describe_kind_counts(risk: Any, k: int) -> str:
    """Return one kind of knowledge in a line: the people below k and the smallest candidate set.

    >>> import shoal
    >>> describe_kind_counts(shoal.assess(shoal.examples.karate(), "degree"), 3)
    'degree: 8 below 3 (23.5 %), smallest candidate set 1'
    """
    found = take_counts(risk, k)
    least = not found.all_exact
    share = format_share(found.below, found.n, least=least)
    many = f"{'>= ' if least else ''}{found.below:,} below {k:,} ({share})"
    rest = f", {found.misled:,} misled" if found.misled else ""
    smallest = format_bound(found.k, found.exact)
    return f"{shorten_spec(found.adversary.spec)}: {many}, smallest candidate set {smallest}{rest}"


def _reach_verdict(found: RiskCounts, k: int) -> tuple[int, str]:
    n, (one, many) = found.n, found.noun
    attacker = f"For {describe_attacker(found.adversary)},"
    members = format_count(found.k, "member")
    smallest = f"The smallest candidate set has {members if found.exact else f'at most {members}'}."
    if found.below:
        least = "" if found.all_exact else "at least "
        people = f"{least}{count_having(found.below, n, many)} fewer than {k:,} candidates"
        return 1, f"FAIL. {attacker} {people}. {smallest}"
    if found.unfit:
        some = f"{found.unfit:,} of {n:,} {many}"
        return 2, (
            f"CANNOT TELL. For {some}, no published {one} has the same values in some known columns. "
            "If values were recoded or suppressed, comparing them says nothing."
        )
    if found.recoded:
        return 2, f"CANNOT TELL. {found.recoded[0].upper()}{found.recoded[1:]}"
    if found.k == 0:
        return 2, f"CANNOT TELL. {attacker} no published {one} fits any of the {n:,} {many}."
    if not found.all_exact:
        return 2, f"CANNOT TELL. {attacker} the search was cut short. {smallest}"
    left = f"has at least {format_count(k, 'candidate')}. {smallest}"
    if not found.misled:
        return 0, f"PASS. {attacker} every {one} {left}"
    return 0, (
        f"PASS for {n - found.misled:,} of {n:,} {many}. {attacker} each of them {left} "
        f"No published {one} fits the other {found.misled:,} (misled). This does not make them safe."
    )
