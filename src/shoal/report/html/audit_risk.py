"""Sections of an audit's page about risk: before, after, the network as a picture, and the people most at risk."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.auditing.findings import DrawnCandidates, Exposure, NetworkDrawing, PanelRow, RiskyPerson
from shoal.auditing.model import Audit
from shoal.errors import format_count, join_names
from shoal.knowledge.candidates import Fact, Witness
from shoal.report.html.blocks import Block, FactList, Grid, Paragraph, Picture, Section
from shoal.report.html.charts.audit import describe_known, draw_candidate_bars, draw_degree_curve, draw_exposure_curve
from shoal.report.html.charts.draw import frame_svg
from shoal.report.text.phrases import (
    capitalize,
    describe_knowledge,
    describe_witness,
    format_bound,
    format_fraction,
    format_share,
    label_knowledge,
    title_knowledge,
)

READ_ME = (
    "The candidates of a person are all people in the data who fit the attacker's facts, the person included. "
    "The risk is 1 / candidates: with 12 candidates it is 1/12, about 0.083. An attacker without other knowledge "
    "guesses right at most that often."
)
RELEASE_FACTS = "The attacker's facts are true in the release: they were measured in the release itself."
ORIGINAL_FACTS = (
    "The attacker's facts are true in the original: they were measured there and searched in the release. Where no "
    "released person fits, the attacker is misled. That does not count as safe."
)
NOT_ASSESSED = {
    "internal": "Facts from the original were not searched in the release: the mapping is missing, or no attacker "
    "model could be searched.",
    "external": "Facts from the original were not searched in the release. That result is private.",
}
EXTERNAL = "The risk in the original is private. It is not part of a published report."


def build_before(audit: Audit) -> Section:
    """Return the risk in the original."""
    if audit.before is None:
        return Section("before", "Risk before", [Paragraph(EXTERNAL)])
    blocks: list[Block] = [
        Paragraph(READ_ME),
        build_panel_grid(audit.before, audit.scenario.k, "Risk in the original, by attacker model"),
        *(
            Paragraph(f"Not counted: {label_knowledge(one.name)}. {one.why}", tone="note")
            for one in audit.not_counted or ()
        ),
    ]
    if audit.after is None:
        blocks += [*_draw_pictures({"before": audit.before}, audit), *_list_people(audit)]
    return Section("before", "Risk before", blocks)


def build_after(audit: Audit) -> Section:
    """Return the risk in the release, with a verdict for each attacker model."""
    if audit.after is None:
        told = "There is no release yet. This report is about the original data only."
        return Section("after", "Risk after", [Paragraph(told)])
    k, itself, facts = audit.scenario.k, audit.after.release_facts, audit.after.original_facts
    blocks: list[Block] = [
        *([Paragraph(READ_ME)] if audit.before is None else []),
        Paragraph(RELEASE_FACTS),
        build_panel_grid(itself, k, "Risk in the release, by facts from the release"),
    ]
    if facts is None:
        blocks.append(Paragraph(NOT_ASSESSED[audit.form], tone="warning"))
    else:
        caption = "Risk in the release, by facts from the original"
        blocks += [Paragraph(ORIGINAL_FACTS), build_panel_grid(facts, k, caption, attacked=True)]
    blocks += [
        Paragraph(f"Not assessed with facts from the original: {label_knowledge(one.name)}. {one.why}", tone="note")
        for one in audit.after.left_out
    ]
    panels = {"before": audit.before or (), "after": itself, "original facts": facts or ()}
    blocks += _draw_pictures({when: rows for when, rows in panels.items() if rows}, audit)
    return Section("after", "Risk after", [*blocks, *_list_people(audit), *_list_inference(audit)])


# Tables.


def build_panel_grid(rows: Sequence[PanelRow], k: int, caption: str, *, attacked: bool = False) -> Grid:
    """Return the table of all attacker models; with facts from the original, it counts people who are misled."""
    head = ["knows", "k", "unique", f"below {k}", "highest risk", "average risk"]
    head += [*(["misled"] if attacked else []), "in scenario", "what it means"]
    cells = [_list_cells(row, attacked) for row in rows]
    return Grid(caption, head, cells, legend=_describe_heads(k, attacked))


def _describe_heads(k: int, attacked: bool) -> str:
    misled = " misled: people whose facts fit no released person; they are not safe." if attacked else ""
    return (
        f"k: fewest candidates of a person. unique: people with 1 candidate. below {k}: people with fewer than {k} "
        f"candidates. risk: 1 / candidates.{misled} in scenario: whether the scenario has this "
        "knowledge. “<=” and “>=” mark bounds, because a search was cut short."
    )


def _list_cells(row: PanelRow, attacked: bool) -> list[str]:
    last = [*([f"{row.misled:,}"] if attacked else []), "yes" if row.in_scenario else "no", describe_row(row)]
    if row.highest is None or row.average is None:
        return [label_knowledge(row.knows), "–", "–", "–", "–", "–", *last]
    least = "" if row.all_exact else ">= "
    return [
        label_knowledge(row.knows),
        format_bound(row.k, row.exact),
        f"{least}{row.unique:,}",
        f"{least}{row.below:,} ({format_share(row.below, row.people)})",
        f"{'' if row.exact else '>= '}{format_fraction(row.highest)}",
        f"{least}{format_fraction(row.average)}",
        *last,
    ]


def describe_row(row: PanelRow) -> str:
    """Say what the numbers of one attacker model mean."""
    n, attacker = row.people, f"An attacker who knows {describe_knowledge(row.knows)}"
    if row.k == 0:
        return f"{attacker} finds no candidate: the facts fit no released person. All {n:,} are misled, not safe."
    if row.k == 1:
        least, share = "" if row.all_exact else "at least ", format_share(row.unique, n, least=not row.all_exact)
        told = f"{attacker} identifies {least}{row.unique:,} of {n:,} people ({share})."
    elif not row.exact:
        told = f"{attacker} finds at most {row.k:,} candidates for some person; the search was cut short."
    else:
        whom = "every person" if not row.misled else f"each of the other {n - row.misled:,} people"
        told = f"{attacker} finds at least {row.k:,} candidates for {whom}."
    misled = (
        f" For {format_count(row.misled, 'person', 'people')} no released person fits. This does not make them safe."
        if row.misled
        else ""
    )
    recoded = f" The release recodes {join_names(row.recoded)}, so this comparison says little." if row.recoded else ""
    return f"{told}{misled}{recoded}"


def _list_people(audit: Audit) -> list[Block]:
    """Return the people most at risk, with the facts that expose them."""
    if audit.riskiest is None or not audit.riskiest.people:
        return []
    k, letters = audit.scenario.k, "" if audit.riskiest.names else " Letters stand for names (--names shows them)."
    source = f"The facts are true in the {audit.riskiest.facts_from}."
    told = f"The people most at risk, each with the knowledge that leaves the fewest candidates. {source}{letters}"
    head = ["person", "knows", "candidates", "models", "what it means"]
    legend = f"models: attacker models that leave the person fewer than {k} candidates."
    rows = [_list_person_cells(one) for one in audit.riskiest.people]
    return [Paragraph(told), Grid("People most at risk", head, rows, legend=legend)]


def _list_person_cells(one: RiskyPerson) -> list[str]:
    witness = Witness(tuple(Fact(fact.kind, fact.value) for fact in one.facts), one.candidates, one.exact)
    told = capitalize(describe_witness(one.who, witness, noun="person"))
    many = format_bound(len(one.candidates), one.exact)
    return [one.who, title_knowledge(one.knows), many, f"{one.exposed_by:,} of {one.of:,}", told]


def _list_inference(audit: Audit) -> list[Block]:
    """Return what the classes of known columns disclose about sensitive columns."""
    found = audit.inference
    if not found.columns:
        return [Paragraph("Inference: not measured, because no column is named as sensitive.", tone="note")]
    rows = []
    for when, disclosures in (("before", found.before), ("after", found.after)):
        for one in disclosures:
            what = f"{one.column}, {when}"
            rows += [
                (f"{what}: disclosed", f"{one.known:,}", "people whose value is disclosed: their class has one value"),
                (
                    f"{what}: fewest values",
                    f"{one.distinct:,}",
                    "in a class (l-diversity); 1 means that the value is disclosed",
                ),
                (
                    f"{what}: distance",
                    format_fraction(one.closeness),
                    "largest distance of a class from the whole data (t-closeness), from 0 (equal) to 1",
                ),
            ]
    if not rows:
        told = "Inference: not measured, because the release changes or leaves out the columns."
        return [Paragraph(told, tone="note")]
    head = "Inference: what an attacker learns about a sensitive column from the class of a person."
    return [Paragraph(head), FactList(rows)]


# Pictures.


def _draw_pictures(panels: dict[str, Sequence[PanelRow]], audit: Audit) -> list[Block]:
    curves = {"before": audit.exposure_before, "after": audit.exposure_after}
    there = {when: curve for when, curve in curves.items() if curve is not None}
    degrees = {"before": audit.degrees_before, "after": audit.degrees_after}
    many = {when: pairs for when, pairs in degrees.items() if pairs}
    blocks: list[Block] = [draw_candidate_bars(panels)]
    if there:
        blocks += [Paragraph(_describe_curve(there)), draw_exposure_curve(there)]
    if audit.drawing is not None:
        blocks += _draw_networks(audit.drawing)
    return [*blocks, *([draw_degree_curve(many)] if many else [])]


def _describe_curve(curves: dict[str, Exposure]) -> str:
    """Say what the ends of the curves mean."""
    parts = []
    for when, curve in curves.items():
        last = curve.steps[-1]
        least = "at least " if last.undecided else ""
        share = f"{least}{format_share(last.exposed, curve.people)} of the people"
        known = describe_known(last.l, curve.of)
        parts.append(f"{capitalize(when)}: {known} {share} with fewer than {curve.k} candidates.")
    return f"{' '.join(parts)} This is the worst case: the attacker knows the most revealing ones."


def _draw_networks(found: NetworkDrawing) -> list[Block]:
    how = "Each person has the same place in all pictures. The layout was computed once, for the original."
    if len(found.at) < found.of:
        how += f" The pictures show {len(found.at):,} of {found.of:,} people, sampled by a random walk along links."
    pictures: list[Block] = []
    for at, lens in enumerate(found.candidates):
        pictures.append(draw_network(found, lens, "before", f"network-{at}-before"))
        if lens.after is not None and found.links_after is not None:
            pictures.append(draw_network(found, lens, "after", f"network-{at}-after"))
    return [Paragraph(how), *pictures]


SHADES = ("unique", "2 to 4", "5 to 10", "11 to 20", "more than 20", "misled: no person fits")
MARGIN = 3.0
RADIUS = 1.05


def draw_network(found: NetworkDrawing, lens: DrawnCandidates, when: str, name: str) -> Picture:
    """Draw the network; the color of a person is the number of candidates under one attacker model."""
    links = found.links_before if when == "before" else found.links_after or ()
    shades = lens.before if when == "before" else lens.after or ()
    data = "original" if when == "before" else "release"
    heading = f"The {data}; the attacker knows: {title_knowledge(lens.knows)}"
    many = [shades.count(shade) for shade in range(len(SHADES))]
    drawn = len(found.at)
    sampled = f"{drawn:,} of {found.of:,} people are drawn" if drawn < found.of else f"All {drawn:,} people are drawn"
    counts = "; ".join(f"{SHADES[shade]}: {number:,}" for shade, number in enumerate(many) if number)
    described = (
        f"{sampled}, with {len(links):,} links. The attacker knows {describe_knowledge(lens.knows)}. "
        f"People by number of candidates: {counts}."
    )
    high = max(y for _, y in found.at)
    box = f"{-MARGIN} {-MARGIN} {100 + 2 * MARGIN} {round(high + 2 * MARGIN, 1)}"
    svg = f'<svg viewBox="{box}">{_draw_links(found.at, links)}{_draw_people(found.at, shades)}</svg>'
    table = Grid(heading, ["candidates", "people drawn"], [[SHADES[s], f"{n:,}"] for s, n in enumerate(many)])
    legend = [
        (f"risk-{shade}" if shade < 5 else "misled", SHADES[shade]) for shade in range(len(SHADES)) if many[shade]
    ]
    return Picture(
        name, heading, described, frame_svg(svg, name, heading, described), table, zoom=True, legend=legend, half=True
    )


def _draw_links(at: Sequence[Sequence[float]], links: Sequence[Sequence[int]]) -> str:
    """Return all links as one path: thousands of elements would make a page slow."""
    path = "".join(f"M{at[a][0]} {at[a][1]}L{at[b][0]} {at[b][1]}" for a, b in links)
    return f'<path class="links" d="{path}"/>' if path else ""


def _draw_people(at: Sequence[Sequence[float]], shades: Sequence[int]) -> str:
    """Return each person as a dot; people with the fewest candidates are drawn last, on top."""
    order = sorted(range(len(at)), key=lambda v: -shades[v])
    return "".join(
        f'<circle cx="{at[v][0]}" cy="{at[v][1]}" r="{RADIUS}" class="dot-{shades[v]}" '
        f'aria-label="candidates: {SHADES[shades[v]]}"/>'
        for v in order
    )
