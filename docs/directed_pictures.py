"""The pictures of the page on directed networks and kinds of links: six people, who write to each other or call.

Candidates and distances are computed while drawing, so that no picture can be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot

import networkx as nx
from drawing import Network, Picture, text
from knowledge_pictures import picture

import shoal
from shoal.data.graph import Graph

AT = {"Ann": (0, 0.5), "Bob": (0.3, 0), "Cleo": (0.75, 0), "Dan": (1, 0.5), "Eve": (0.75, 1), "Finn": (0.3, 1)}
RING = "Ann-Bob:mail Ann-Finn:call Cleo-Bob:mail Cleo-Dan:mail Dan-Eve:mail Eve-Finn:call"
"""Links lead from the first to the second."""
SHIFT, HEAD, WING = 5.0, 8.0, 4.0
"""How far two opposite links are apart, and the size of an arrowhead."""


@dataclass(frozen=True)
class Arrows(Network):
    """A drawn network whose links lead from the first end to the second."""

    def _link(self, a: str, b: str, kind: str) -> list[str]:
        (x, y), (u, v) = self.place(a), self.place(b)
        away = hypot(u - x, v - y)
        dx, dy = (u - x) / away, (v - y) / away
        if any((b, a) == link[:2] for link in self.links):  # two opposite links are drawn side by side
            x, y, u, v = x - SHIFT * dy, y + SHIFT * dx, u - SHIFT * dy, v + SHIFT * dx
        gap = self.radius + (6 if self.roles.get(b) == "target" else 2)
        tip = u - gap * dx, v - gap * dy
        back = tip[0] - HEAD * dx, tip[1] - HEAD * dy
        wings = [(back[0] + side * WING * dy, back[1] - side * WING * dx) for side in (1, -1)]
        points = " ".join(f"{p:.1f},{q:.1f}" for p, q in (wings[0], tip, wings[1]))
        found = [f'<line class="link {kind}" x1="{x:.1f}" y1="{y:.1f}" x2="{tip[0]:.1f}" y2="{tip[1]:.1f}"/>']
        found.append(f'<polyline class="link {kind}" points="{points}"/>')
        if (word := self.counts.get(f"{a}-{b}")) is not None:
            beside = 10 + 2.4 * len(word) * abs(dy)  # a word is wider than high
            found.append(text(word, (x + u) / 2 + beside * dy, (y + v) / 2 - 11 * dx + 4, "faint", "middle", 11))
        return found


def parse(spelled: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the ends and kinds of links that are spelled a-b:kind."""
    pairs, kinds = zip(*(link.split(":") for link in spelled.split()), strict=True)
    return [(a, b) for a, b in (pair.split("-") for pair in pairs)], list(kinds)


def build(spelled: str = RING) -> Graph:
    """Return the network of links that are spelled a-b:kind."""
    pairs, kinds = parse(spelled)
    names = list(AT)
    ends = [[names.index(pair[side]) for pair in pairs] for side in (0, 1)]
    return Graph.from_pairs(names, *ends, directed=True, kinds=kinds)


def mark(left: Iterable[str], target: str, known: Sequence[str] = ()) -> dict[str, str]:
    """Return the roles of the six people."""
    found = {name: "left" if name in set(left) else "out" for name in AT}
    return found | dict.fromkeys(known, "known") | {target: "target"}


def count(left: Iterable[str]) -> str:
    """Name and count the candidates."""
    names = sorted(left)
    return f"Candidates: {', '.join(names)} ({len(names)} of 6)."


@picture("directed-degree")
def degree() -> Picture:
    """Draw how direction and kind leave fewer candidates for the same person."""
    graph, (pairs, kinds) = build(), parse(RING)
    lines, labels = [(a, b, "plain") for a, b in pairs], {f"{a}-{b}": k for (a, b), k in zip(pairs, kinds, strict=True)}
    views = [graph.to_undirected().without_kinds(), graph.without_kinds(), graph]
    left = [shoal.assess(view, "degree").candidates("Ann") for view in views]
    panels = [
        Network("Links only", AT, lines, mark(left[0], "Ann"), f"Ann has two links. {count(left[0])}"),
        Arrows("With direction", AT, lines, mark(left[1], "Ann"), f"Both lead away from Ann. {count(left[1])}"),
        Arrows("With direction and kind", AT, lines, mark(left[2], "Ann"),
               f"One mail and one call. {count(left[2])}", counts=labels),
    ]  # fmt: skip
    told = "Ann has two links: six candidates. Both lead out: two candidates. They are a mail and a call: only Ann fits"
    return Picture(told, panels)


@picture("directed-neighbors")
def neighbors() -> Picture:
    """Draw the candidates of a person who writes to Eve, with and without direction."""
    pairs, _ = parse(RING)
    linked = [name for name in AT if (name, "Eve") in pairs or ("Eve", name) in pairs]
    writes = [name for name in AT if (name, "Eve") in pairs]
    lines = [(a, b, "seen" if (a, b) == ("Dan", "Eve") else "plain") for a, b in pairs]
    panels = [
        Network("Known: linked to Eve", AT, lines, mark(linked, "Dan", ["Eve"]), count(linked)),
        Arrows("Known: writes to Eve", AT, lines, mark(writes, "Dan", ["Eve"]), count(writes)),
    ]
    return Picture("Dan and Finn are linked to Eve. Only Dan writes to her: one candidate", panels)


@picture("directed-hubs")
def hubs() -> Picture:
    """Draw the distances along the links, to the hub and from it."""
    pairs, _ = parse("Ann-Bob:mail Bob-Cleo:mail Cleo-Dan:mail Dan-Eve:mail Eve-Finn:mail Finn-Cleo:mail")
    arcs, hub = nx.DiGraph(pairs), "Cleo"
    there = {name: nx.has_path(arcs, name, hub) and nx.shortest_path_length(arcs, name, hub) for name in AT}
    away = {name: nx.has_path(arcs, hub, name) and nx.shortest_path_length(arcs, hub, name) for name in AT}
    plain = nx.Graph(pairs)
    lines = [(a, b, "plain") for a, b in pairs]
    steps = {name: f"{name}\n{nx.shortest_path_length(plain, name, hub)}" for name in AT}
    both = {name: f"{name}\n{show(there[name])} / {show(away[name])}" for name in AT}
    panels = [
        Network("Steps to Cleo", AT, lines, {hub: "known"}, "Without direction: one number each.", steps, radius=19),
        Arrows("Steps to Cleo / from Cleo", AT, lines, {hub: "known"},
               "Along the links: two numbers each. –: no path.", both, radius=19),
    ]  # fmt: skip
    return Picture("Distances along the links: to the hub Cleo and from her; one of them may not exist", panels)


def show(steps: int | bool) -> str:
    """Return a number of steps, or a dash if there is no path."""
    return "–" if steps is False else str(steps)


@picture("directed-utility")
def utility() -> Picture:
    """Draw answered links and the largest strong component, which the undirected view does not have."""
    pairs = [("Ann", "Bob"), ("Bob", "Ann"), ("Bob", "Cleo"), ("Cleo", "Ann"), ("Cleo", "Dan"), ("Dan", "Eve"),
             ("Eve", "Finn")]  # fmt: skip
    arcs = nx.DiGraph(pairs)
    strong = max(nx.strongly_connected_components(arcs), key=len)
    answered = [(a, b, "seen" if (b, a) in pairs else "plain") for a, b in pairs]
    marks = {name: "one" if name in strong else "plain" for name in AT}
    share = f"{sum(kind == 'seen' for *_, kind in answered)} of {len(pairs)}"
    once = sorted({tuple(sorted(pair)) for pair in pairs})
    panels = [
        Arrows("The network", AT, answered, marks,
               f"Reciprocity: {share} links are answered. Strong component: {', '.join(sorted(strong))}."),
        Network("Its undirected view", AT, [(a, b, "plain") for a, b in once], {},
                f"One edge for each of the {len(once)} linked pairs. All people are connected."),
    ]  # fmt: skip
    told = f"{share} links are answered, and three people reach each other; the undirected view shows neither"
    return Picture(told, panels, {"seen": "answered link", "one": "in the strong component"})


@picture("directed-kinds")
def merged() -> Picture:
    """Draw kinds before and after they are merged."""
    spelled = "Ann-Bob:mail Cleo-Dan:letter Eve-Finn:mail Bob-Cleo:call Dan-Eve:call Finn-Ann:call"
    graph, (pairs, kinds) = build(spelled), parse(spelled)
    tree = shoal.Hierarchy.of({"mail": "written", "letter": "written", "call": "spoken"})
    sides = []
    for title, data, words in (
        ("Three kinds", graph, kinds),
        (
            "Merged by a hierarchy",
            graph.merge_kinds(tree),
            [tree.generalizations[0][tree.values.index(k)] for k in kinds],
        ),
    ):
        left = shoal.assess(data, "neighborhood:1").candidates("Cleo")
        labels = {f"{a}-{b}": word for (a, b), word in zip(pairs, words, strict=True)}
        lines = [(a, b, "plain") for a, b in pairs]
        sides.append(Arrows(title, AT, lines, mark(left, "Cleo"), count(left), counts=labels))
    told = "Cleo is the only person who sends a letter. With mail and letter merged, three people fit"
    return Picture(told, sides)
