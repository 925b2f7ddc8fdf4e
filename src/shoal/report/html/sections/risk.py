"""Sections about risk before and after, and the people most at risk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.knowledge import Fact, describe_facts
from shoal.report.html.blocks import Block, BulletList, FactList, Grid, Paragraph, Picture, Section
from shoal.report.html.charts.audit import draw_candidate_bars, draw_degree_curve, draw_exposure_curve
from shoal.report.html.charts.draw import frame_svg
from shoal.report.html.sections.verdict import describe_row
from shoal.report.text.phrases import describe_knowledge, label_knowledge, title_knowledge
from shoal.report.text.wording import format_bound, format_fraction, format_share
from shoal.wording import join_names

MARKS = {"pass": "pass", "fail": "FAIL", "cannot tell": "cannot tell"}
SINGLING = (
    "Can somebody be picked out of the data? The candidates of each person are counted: one candidate is somebody "
    "singled out. The tables of risk, the bars and the curve answer this."
)
LINKING = (
    "Can what is known elsewhere be linked to the release? Facts are taken from the original and sought in the release "
    "(“original facts”), and attacks try it; both need to know who is who."
)
INFERRING = (
    "Can something be learned about somebody without finding them? For sensitive columns the values in each class are "
    "counted. Whether a link between two people can be inferred is not measured here."
)
GROUPS = (("Singling out", SINGLING), ("Linkability", LINKING), ("Inference", INFERRING))
ITSELF = (
    "First, what is known is what can be seen in the release itself: whoever holds true facts about the release is "
    "left with these candidates."
)
ATTACKED = (
    "Then, facts are taken from the original and sought in the release, as somebody would who knows people and not the "
    "release. Where nothing fits, the attacker is misled; that is not counted as safe."
)
UNSOUGHT = {
    "internal": "Facts of the original were not sought in the release: nobody said who is who there, or none could be.",
    "external": "Facts of the original were not sought in the release: what that comes to is a secret.",
}
READ_ME = (
    "Candidates of a person are all those in the data who fit what is known; the person is one of them. "
    "Risk is one divided by their number: with 12 candidates it is 1/12, about 0.083. "
    "“<= 3” says that a search was cut short: there may be fewer."
)


def build_panel_grid(rows: Sequence[dict[str, Any]], k: int, caption: str, *, attacked: bool = False) -> Grid:
    """Return the table of all kinds of knowledge; with facts of the original some people are misled about."""
    numbers = ["fewest candidates", "singled out", f"fewer than {k}", "highest risk", "average risk"]
    head = ["known", *numbers, *(["misled"] if attacked else []), "threshold", "what it means"]
    cells = [_list_cells(row, k, attacked) for row in rows]
    return Grid(caption, head, cells, marks=[row["verdict"] for row in rows])


def _list_cells(row: dict[str, Any], k: int, attacked: bool) -> list[str]:
    missed = [f"{row['misled']:,}"] if attacked else []
    last = [*missed, _choose_mark(row), describe_row(row, k)]
    if row["k"] == 0:
        return [label_knowledge(row["knows"]), "–", "–", "–", "–", "–", *last]
    least = "" if row["all_exact"] else ">= "
    return [
        label_knowledge(row["knows"]),
        format_bound(row["k"], row["exact"]),
        f"{least}{row['alone']:,}",
        f"{least}{row['below']:,} ({format_share(row['below'], row['vertices'])})",
        f"{'' if row['exact'] else '>= '}{format_fraction(row['highest'])}",
        f"{least}{format_fraction(row['average'])}",
        *last,
    ]


def _choose_mark(row: dict[str, Any]) -> str:
    """Return the verdict; whoever is misled about did not pass, nor fail."""
    if row["k"] and row["verdict"] == "cannot tell" and row["open"] == ["misled"]:
        return f"holds for {row['vertices'] - row['misled']:,}; {row['misled']:,} misled"
    return MARKS[row["verdict"]]


def build_before(data: dict[str, Any], k: int) -> Section:
    """Return the risk before anything was done."""
    if data["before"] is None:
        told = "What the original would give away is not told in a report that leaves the house."
        return Section("before", "Risk before", [Paragraph(told)])
    rows = data["before"]["panel"]
    blocks: list[Block] = [Paragraph(READ_ME), build_panel_grid(rows, k, "Risk in the original, by what is known")]
    if data["after"] is None:
        blocks += _draw_pictures({"before": rows}, data)
    return Section("before", "Risk before", [*blocks, *_list_people(data, "before")])


def build_after(data: dict[str, Any], k: int) -> Section:
    """Return the risk after, with pass or fail for each kind of knowledge."""
    if data["after"] is None:
        return Section(
            "after", "Risk after", [Paragraph("There is no release yet. Nothing in this report protects anybody.")]
        )
    itself, facts = data["after"]["itself"], data["after"]["attacked"]
    blocks: list[Block] = [
        *([Paragraph(READ_ME)] if data["before"] is None else []),
        Paragraph(ITSELF),
        build_panel_grid(itself, k, "Risk in the release, by what is known of it"),
    ]
    if facts is not None:
        blocks += [
            Paragraph(ATTACKED),
            build_panel_grid(facts, k, "Risk in the release, by facts of the original", attacked=True),
        ]
    else:
        blocks.append(Paragraph(UNSOUGHT[data["form"]], tone="warning"))
    blocks += [
        Paragraph(f"Not sought with facts of the original: {label_knowledge(one['knows'])}. {one['why']}", tone="note")
        for one in data["after"]["left out"]
    ]
    panels = {"before": (data["before"] or {}).get("panel", []), "after": itself, "original facts": facts or []}
    blocks += _draw_pictures({when: rows for when, rows in panels.items() if rows}, data)
    return Section("after", "Risk after", [*blocks, *_list_people(data, "after"), *_list_inference(data)])


def _draw_pictures(panels: dict[str, Sequence[dict[str, Any]]], data: dict[str, Any]) -> list[Block]:
    curves = {when: curve for when, curve in data["levels"].items() if curve is not None}
    many = {when: pairs for when, pairs in data["degrees"].items() if pairs}
    blocks: list[Block] = [
        draw_candidate_bars(panels),
    ]
    if curves:
        blocks += [Paragraph(_describe_curve(curves)), draw_exposure_curve(curves)]
    if data["drawing"] is not None:
        blocks += _draw_networks(data["drawing"])
    return [*blocks, *([draw_degree_curve(many)] if many else [])]


def _describe_curve(curves: dict[str, dict[str, Any]]) -> str:
    """Say in one sentence what the ends of the curves mean."""
    parts = []
    for when, curve in curves.items():
        last = curve["steps"][-1]
        least = "at least " if last["undecided"] else ""
        people = f"{least}{format_share(last['exposed'], curve['people'])} of the people"
        parts.append(f"{when}, {last['l']} known {curve['of']} leave {people} fewer than {curve['k']} candidates")
    return f"{join_names(parts)[0].upper()}{join_names(parts)[1:]}, if the most telling ones are known."


def _draw_networks(found: dict[str, Any]) -> list[Block]:
    how = "Everybody has the same place in both pictures; the places were found once, in the original."
    if found["drawn"] < found["of"]:
        how += f" Drawn are {found['drawn']:,} of {found['of']:,}: those whom a random walk along the links met first."
    pictures: list[Picture] = []
    for at, lens in enumerate(found["hidden"]):
        for when in ("before", "after"):
            if when in lens and when in found["links"]:
                pictures.append(draw_network(found, lens, when, f"network-{at}-{when}"))
    return [Paragraph(how), *pictures]


def _list_people(data: dict[str, Any], when: str) -> list[Block]:
    """Return who is most at risk, with what gives them away, in the last data that were looked at."""
    last = "before" if data["after"] is None else "after"
    if when != last or not data["riskiest"]:
        return []
    called = "" if data["names"] else " They are called by letters here; names are shown only where asked for."
    head = Paragraph(
        f"The people most at risk, each with the least knowledge that leaves the fewest candidates.{called}"
    )
    return [head, BulletList([_list_person_blocks(one) for one in data["riskiest"]])]


def _list_person_blocks(one: dict[str, Any]) -> str:
    facts = [Fact(fact["kind"], fact["value"]) for fact in one["facts"]]
    who, known = one["who"], describe_facts(facts)
    told = f"{who} {known}." if known else f"Nothing is known about {who}."
    times = f"({one['exposed by']} of {one['of']} kinds of knowledge leave too few candidates.)"
    if one["candidates"] == 1:
        return f"{told} Only {who} fits. {times}"
    more = one["candidates"] - len(one["among"])
    among = join_names([*one["among"], *([f"{more:,} more"] if more else [])])
    least = "" if one["exact"] else "At most "
    return f"{told} {least}{one['candidates']:,} people fit: {among}. {times}"


def _list_inference(data: dict[str, Any]) -> list[Block]:
    """Return what classes give away about sensitive columns."""
    found = data["inference"]
    if not found["columns"]:
        return [Paragraph("Inference: no column was named as sensitive, so that nothing was measured.", tone="note")]
    rows = []
    for when in ("before", "after"):
        for one in found[when]:
            what = f"{one['column']}, {when}"
            rows += [
                (
                    f"{what}: given away",
                    f"{one['known']:,}",
                    "people whose value is known to whoever knows their class, since all in it have the same",
                ),
                (
                    f"{what}: fewest values",
                    f"{one['distinct']:,}",
                    "different values in a class (l-diversity); 1 gives the value away",
                ),
                (
                    f"{what}: distance",
                    format_fraction(one["closeness"]),
                    "how far a class may be from the whole data (t-closeness); 0 is not at all, 1 is wholly",
                ),
            ]
    if not rows:
        return [
            Paragraph("Inference: the columns were changed or left out, so that nothing could be counted.", tone="note")
        ]
    return [
        Paragraph("Inference: what is learned about a sensitive column by finding the class of somebody."),
        FactList(rows),
    ]


def list_questions() -> list[Block]:
    """Return the three questions that authorities ask, and which numbers speak to which."""
    return [FactList([(name, "", means) for name, means in GROUPS])]


# The network as a picture: everybody where they were put, colored by how well they are hidden, before and after.

SHADES = ("singled out", "2 to 4", "5 to 10", "11 to 20", "more than 20", "misled: nothing fits")
MARGIN = 3.0
RADIUS = 1.05


def draw_network(found: dict[str, Any], lens: dict[str, Any], when: str, name: str) -> Picture:
    """Draw the network, everybody colored by the number of candidates that one kind of knowledge leaves them."""
    at, links, shades = found["at"], found["links"][when], lens[when]
    data = "original" if when == "before" else "release"
    heading = f"The {data}; known: {title_knowledge(lens['knows'])}"
    many = [shades.count(shade) for shade in range(len(SHADES))]
    sampled = (
        f"{found['drawn']:,} of {found['of']:,} people are drawn"
        if found["drawn"] < found["of"]
        else "Everybody is drawn"
    )
    described = (
        f"{sampled}, with {len(links):,} links among them. Known is {describe_knowledge(lens['knows'])}. "
        "People by candidates: "
        + "; ".join(f"{SHADES[shade]}: {number:,}" for shade, number in enumerate(many) if number)
        + "."
    )
    high = max(y for _, y in at)
    box = f"{-MARGIN} {-MARGIN} {100 + 2 * MARGIN} {round(high + 2 * MARGIN, 1)}"
    svg = f'<svg viewBox="{box}">{_draw_links(at, links)}{_draw_people(at, shades)}</svg>'
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
    """Return everybody as a dot, those who are hidden worst last, so that nobody is drawn over them."""
    order = sorted(range(len(at)), key=lambda v: -shades[v])
    return "".join(
        f'<circle cx="{at[v][0]}" cy="{at[v][1]}" r="{RADIUS}" class="dot-{shades[v]}" aria-label="somebody: '
        f'{SHADES[shades[v]]}"/>'
        for v in order
    )
