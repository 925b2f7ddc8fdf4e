"""The pictures of the pages on methods: the same data before and after, with what was changed marked."""

from __future__ import annotations

import warnings
from typing import Any

import networkx as nx
from drawing import CLASSES, Network, Picture
from knowledge_pictures import AT, links, picture, sheet

import shoal
from shoal.data.examples import friends

PEOPLE = {"age": [24, 27, 25, 29, 41, 46, 43, 48], "sex": ["f", "f", "m", "m", "f", "f", "m", "m"]}
TEAMS = {"team": list("xxxxyyyy"), "pay": [30, 30, 45, 45, 50, 50, 70, 70], "age": [25, 31, 25, 31, 40, 52, 52, 40]}
PAYS = {"team": list("xxxxyyyy"), "pay": [30, 34, 41, 45, 50, 58, 66, 70]}
HOUSE = {"0": (0.25, 0.95), "1": (0.75, 0.95), "2": (0.25, 0.45), "3": (0.75, 0.45), "4": (0.5, 0)}
RARE = {"age": [30, 30, 30, 30, 41], "sex": ["f", "f", "f", "m", "m"]}


def released(method: Any, data: Any) -> Any:
    """Return the release of a method, without what it says beside it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        return method(data)


def edited(release: Any) -> list[tuple[str, str, str]]:
    """Return the links of the nine friends, with those that a release added or removed marked."""
    gone = {frozenset(pair) for pair in release.edits.removed}
    stay = [(a, b, "removed" if frozenset((a, b)) in gone else kind) for a, b, kind in links()]
    return [*stay, *((a, b, "added") for a, b in release.edits.added)]


def colored(release: Any) -> dict[str, str]:
    """Return a color for each class."""
    return {name: CLASSES[i] for i, members in enumerate(release.classes) for name in members}


def before_and_after(method: Any, told: str, after: str, *, degree: bool = False, grouped: bool = False) -> Picture:
    """Return the nine friends and what a method makes of them; the links it changes are marked."""
    release = released(method, friends().without_attributes())
    marks = colored(release) if grouped else {}
    shown = [{v: str(d) for v, d in zip(g.names, g.degree.tolist(), strict=True)} if degree else {}
             for g in (release.original, release.data)]  # fmt: skip
    counted_edits = f"{len(release.edits.added)} added, {len(release.edits.removed)} removed."
    panels = [
        Network("Before", AT, links(), says="The numbers count links." if degree else "12 links.", labels=shown[0]),
        Network("After", AT, edited(release), marks, f"{counted_edits} {after}", shown[1]),
    ]
    return Picture(told, panels)


@picture("equalize-rows")
def equalize_rows() -> Picture:
    """Draw classes with equal rows."""
    told = (
        "Nine friends before and after EqualizeRows(2): four classes, one color each, whose members have the same links"
    )
    return before_and_after(shoal.methods.EqualizeRows(2), told, "One color, one set of neighbors.", grouped=True)


@picture("hide-neighbors")
def hide_neighbors() -> Picture:
    """Draw two hidden neighbors."""
    told = "Nine friends before and after HideNeighbors(2, l=2): any two with a common neighbor have two of them"
    return before_and_after(shoal.methods.HideNeighbors(2, 2), told, "Any two with a common neighbor have two.")


@picture("hide-relations")
def hide_relations() -> Picture:
    """Draw two hidden relations."""
    told = "Nine friends before and after HideRelations(2, l=2), which comes to equal rows here"
    return before_and_after(shoal.methods.HideRelations(2, 2), told, "Here it comes to equal rows.")


@picture("match-degrees")
def match_degrees() -> Picture:
    """Draw matched degrees."""
    told = "Nine friends before and after MatchDegrees(3): a link moves, and every number of links occurs three times"
    method = shoal.methods.MatchDegrees(3, edits="add-delete")
    return before_and_after(method, told, "Every number of links occurs three times or more.", degree=True)


@picture("match-neighborhoods")
def match_neighborhoods() -> Picture:
    """Draw matched neighborhoods."""
    told = "Nine friends before and after MatchNeighborhoods(2): two links more, and no neighborhood is there only once"
    return before_and_after(shoal.methods.MatchNeighborhoods(2), told, "Each neighborhood is there twice or more.")


@picture("share-neighbors")
def share_neighbors() -> Picture:
    """Draw shared neighbors."""
    told = "Nine friends before and after ShareNeighbors(3, 2): each shares two neighbors with two others"
    return before_and_after(shoal.methods.ShareNeighbors(3, 2), told, "Each shares two with two others.")


@picture("reduce-risk")
def reduce_risk() -> Picture:
    """Draw a budget of two deletions."""
    told = "Nine friends before and after ReduceRisk('degree', 2, budget=2): two links less, and no degree is unique"
    method = shoal.methods.ReduceRisk("degree", 2, budget=2)
    return before_and_after(method, told, "Every number of links occurs twice or more.", degree=True)


@picture("perturb")
def perturb() -> Picture:
    """Draw random edits."""
    told = "Nine friends before and after Perturb(add=2, delete=2): two random links more and two less, no guarantee"
    return before_and_after(shoal.methods.Perturb(add=2, delete=2, seed=1), told, "There is no guarantee.")


@picture("generalize")
def generalize() -> Picture:
    """Draw classes, the published numbers, and a drawn world."""
    release = released(shoal.methods.Generalize(3, seed=2**80 + 1), friends().without_attributes())
    marks, told = colored(release), release.generalized
    inside = [int(x) for x in told.inside]
    spots = {"0": (0.5, 0.08), "1": (0.1, 0.88), "2": (0.9, 0.88)}
    labels = {str(i): f"3 people\n{many} links" for i, many in enumerate(inside)}
    between = {f"{a}-{b}": str(q) for (a, b), q in zip(told.links.tolist(), told.between.tolist(), strict=True)}
    lines, tones = [(*pair.split("-"), "plain") for pair in between], {str(i): CLASSES[i] for i in range(3)}
    says = "Links inside each class, and between."
    middle = Network("Published", spots, lines, tones, says, labels, between, 29)
    a, b, _ = release.data.edges()
    drawn = [(release.data.names[int(x)], release.data.names[int(y)], "plain") for x, y in zip(a, b, strict=True)]
    panels = [
        Network("Before", AT, links(), marks, "Three classes of three."),
        middle,
        Network("One world, drawn", AT, drawn, marks, "Other links, and the same numbers."),
    ]
    return Picture(
        "Nine friends in three classes, the published numbers of links, and a network drawn from them", panels
    )


@picture("raise-l")
def raise_l() -> Picture:
    """Draw a house whose roof goes."""
    house = nx.relabel_nodes(nx.house_graph(), str)
    kept = set(released(shoal.methods.RaiseL(2), house).data.names)
    marks = {v: "plain" if v in kept else "gone" for v in HOUSE}
    lines = [(a, b, "plain" if {a, b} <= kept else "removed") for a, b in house.edges]
    panels = [
        Network("Before", HOUSE, links(house), says="The top has no similar vertex."),
        Network("After", HOUSE, lines, marks, "What stays is a square: opposite corners agree."),
    ]
    return Picture(
        "A square with a roof before and after RaiseL(2): the top of the roof is deleted, the square stays", panels
    )


def table_before_and_after(method: Any, data: dict[str, Any], told: str, says: str) -> Picture:
    """Return a table and what a method makes of it; the cells it changes are marked."""
    release = released(method, data)
    after = {name: list(release.table[name]) for name in data}
    changed = {f"{i},{j}": "changed" for j, name in enumerate(data) for i, x in enumerate(after[name])
               if x != data[name][i]}  # fmt: skip
    return Picture(told, [sheet("Before", data, {}, []), sheet("After", after, changed, [], says)])


@picture("microaggregate")
def microaggregate() -> Picture:
    """Draw means of classes."""
    told = "Ages and sexes of eight people before and after Microaggregate(2): pairs get the mean of their ages"
    return table_before_and_after(shoal.methods.Microaggregate(2), PEOPLE, told, "Classes of two or more are alike.")


@picture("mondrian")
def mondrian() -> Picture:
    """Draw ranges."""
    told = "Ages and sexes of eight people before and after Mondrian(2): ages become ranges, one for each class"
    return table_before_and_after(shoal.methods.Mondrian(2), PEOPLE, told, "Each class has its own range.")


@picture("recode")
def recode() -> Picture:
    """Draw levels."""
    decades = {"age": {a: (f"{a // 10}0-{a // 10}9", "*") for a in PEOPLE["age"]}, "sex": {"f": "*", "m": "*"}}
    told = "Ages and sexes of eight people before and after Recode(2): all ages become decades, the sexes stay"
    return table_before_and_after(shoal.methods.Recode(2, hierarchies=decades), PEOPLE, told, "One level for all.")


@picture("hide-columns")
def hide_columns() -> Picture:
    """Draw suppressed cells."""
    told = "Five people before and after HideColumns(2, l=2): cells go until each pair of values occurs twice"
    return table_before_and_after(shoal.methods.HideColumns(2, 2), RARE, told, "A dash is a missing value.")


@picture("swap-within")
def swap_within() -> Picture:
    """Draw swapped values."""
    told = "Pay and age in two teams before and after SwapWithin: each team keeps its values, in another order"
    return table_before_and_after(shoal.methods.SwapWithin("team", seed=2), TEAMS, told, "Each team keeps its values.")


@picture("distort")
def distort() -> Picture:
    """Draw redrawn values."""
    told = "Pay in two teams before and after Distort: all values are drawn again around the mean of the team"
    return table_before_and_after(shoal.methods.Distort("team", seed=1), PAYS, told, "Drawn around the team's mean.")


@picture("confuse")
def confuse() -> Picture:
    """Draw links and ages."""
    release = released(shoal.methods.Confuse(2, seed=7), friends())
    aged = [zip(friends().names, table["age"], strict=True) for table in (friends().attributes, release.table)]
    old, new = ({name: f"{name}\n{age}" for name, age in pairs} for pairs in aged)
    panels = [
        Network("Before", AT, links(), says="Names with ages.", labels=old),
        Network("After", AT, edited(release), colored(release), "One color: the same links, the same age.", new),
    ]
    return Picture(
        "Nine friends with ages before and after Confuse(2): classes with the same links get the same age", panels
    )
