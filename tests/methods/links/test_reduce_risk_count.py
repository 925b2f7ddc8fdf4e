"""The running count of people at risk against a full recount by `assess`, after thousands of random edits."""

from __future__ import annotations

import warnings
from typing import Any

import networkx as nx
import numpy as np
import pytest

import shoal
from draws import TIMES
from shoal.core.layers import list_layers
from shoal.data.ties import Relation
from shoal.methods.links._kernels.reduction import Reduction
from shoal.methods.links.reduce_risk.search import Aim

KINDS = [
    "degree",
    "counts:1",
    "degrees:1",
    "refinement:2",
    "neighborhood:1",
    "neighbors:1",
    "neighbors:2",
    "hubs:1",
    "hubs:3:2",
]
SETS = [
    *([spec] for spec in KINDS),
    ["counts:1", "neighbors:1"],
    ["degree", "refinement:2", "degrees:1"],
    ["neighborhood:1", "neighbors:2", "hubs:2"],
    ["hubs:2", "hubs:4", "hubs:4:1"],
    ["hubs:2+degree"],
    ["hubs:2+degree", "neighborhood:1+hubs:3"],
]
SHAPES = {
    "random": nx.gnp_random_graph(40, 0.15, seed=1),
    "hubs": nx.barabasi_albert_graph(50, 3, seed=1),
    "ring": nx.watts_strogatz_graph(40, 6, 0.1, seed=2),
    "star": nx.star_graph(20),
    "clique": nx.complete_graph(10),
    "cliques": nx.caveman_graph(5, 5),
    "links absent": nx.empty_graph(8),
    "karate": nx.karate_club_graph(),
}


class Edited:
    """A graph that is edited at random, beside the compiled count."""

    def __init__(self, graph: nx.Graph, knows: list[str], k: int, columns: bool, both: bool, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.first = nx.Graph()
        self.first.add_nodes_from((v, {"sex": int(self.rng.integers(3))}) for v in graph)
        self.first.add_edges_from(graph.edges())
        self.now, self.original, self.k, self.both = self.first.copy(), shoal.as_graph(self.first), k, both
        self.cut: set[frozenset[int]] = set()
        joined = "+columns:sex" if columns else ""
        self.knows = [shoal.parse_knowledge(spec + joined) for spec in knows]
        kinds = tuple(one.incremental() for one in self.knows)
        n, g = len(self.first), self.original
        reads, codes, *rest = Aim(g, kinds, k, "add-delete", None, n, 0, both).list_comparisons()
        self.kept = Reduction(k, g.indptr, g.indices, np.full(n, n), reads, codes, both, 1, seed, *rest)

    def edit(self) -> None:
        """Add or remove a link, or leave a person out, or bring one back."""
        n = len(self.first)
        u, w = map(int, self.rng.choice(n, 2, replace=False))
        if self.rng.random() < 0.1:
            self.flip_person(u)
        elif u in self.now and w in self.now:
            self.kept.flip(u, w)
            self.cut ^= {frozenset((u, w))}
            (self.now.remove_edge if self.now.has_edge(u, w) else self.now.add_edge)(u, w)

    def flip_person(self, v: int) -> None:
        if v not in self.now:
            self.now.add_node(v, **self.first.nodes[v])
            here = [w for w in self.first[v] if w in self.now and frozenset((v, w)) not in self.cut]
            self.now.add_edges_from((v, w) for w in here)
        elif any(not self.first.has_edge(v, w) for w in self.now[v]) or len(self.now) <= max(self.k, 4):
            return
        else:
            self.now.remove_node(v)
        self.kept.flip_person(v)

    def recount(self) -> int:
        """Count the people at risk under any kind of knowledge."""
        ids = sorted(self.now)
        ordered = nx.Graph()
        ordered.add_nodes_from((v, self.now.nodes[v]) for v in ids)
        ordered.add_edges_from(self.now.edges())
        data: Any = shoal.as_graph(ordered)
        below = np.zeros(len(ids), dtype=bool)
        for knows in self.knows:
            below |= shoal.assess(data, knows).sizes < self.k
            if self.both:
                sizes = shoal.assess(data, knows, original=self.original).sizes[ids]
                below |= (sizes > 0) & (sizes < self.k)
        return int(below.sum())


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("knows", SETS, ids=",".join)
def test_running_count_equals_recount(name: str, knows: list[str]) -> None:
    for number, (k, columns, both) in enumerate(
        [(2, False, False), (2, True, False), (3, False, True), (3, True, True), (5, False, False), (2, False, True)]
    ):
        edited = Edited(SHAPES[name], knows, k, columns, both, seed=number)
        for _ in range(3 if TIMES == 1 else 8 * TIMES):
            for _ in range(int(edited.rng.integers(1, 60))):
                edited.edit()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", shoal.errors.Notice)
                assert edited.kept.at_risk == edited.recount(), (k, columns, both)
            differ = {*map(frozenset, edited.now.edges())} ^ {*map(frozenset, edited.first.edges())}
            assert edited.kept.changed == len(differ)


TIED = ["degree", "counts:1", "degrees:1", "refinement:2", "neighbors:1", "neighbors:2"]
TIED_SETS = [*([spec] for spec in TIED), ["degree+counts:1", "degrees:1+refinement:2"], ["counts:1", "neighbors:2"]]
FORMS = {
    "directed": ((True,), (None,)),
    "two kinds": ((False,), ("x", "y")),
    "mixed": ((True, False), (None,)),
    "mixed with kinds": ((True, False), ("x", "y")),
}


class EditedTies:
    """A graph with directions or kinds that is edited at random, beside the compiled count.

    A link is (source, target, directed, kind); one without direction lists its smaller end first.
    """

    def __init__(self, form: str, knows: list[str], k: int, columns: bool, both: bool, seed: int) -> None:
        self.rng = np.random.default_rng([seed, len(form)])
        self.n, self.k, self.both, (self.ways, self.kinds) = int(self.rng.integers(6, 24)), k, both, FORMS[form]
        self.table = shoal.as_table({"sex": self.rng.integers(2, size=self.n).tolist()})
        self.first = {self.draw() for _ in range(int(self.rng.integers(2 * self.n, 4 * self.n)))}
        self.first |= {(0, 1, way, kind) for way in self.ways for kind in self.kinds}  # every relation occurs
        self.now, self.cut, self.out = set(self.first), set(), set()
        self.original = self.build(self.first, set())
        self.knows = [shoal.parse_knowledge(spec + ("+columns:sex" if columns else "")) for spec in knows]
        aim = Aim(self.original, tuple(one.incremental() for one in self.knows), k, "add", None, self.n, 0, both)
        reads, codes, *rest = aim.list_comparisons()
        indptr, indices, mates = aim.rows
        layers = list_layers(self.original)
        self.sides = {layer: sum(1 + (one.direction == "out") for one in layers[:i]) for i, layer in enumerate(layers)}
        room = np.full(len(indptr) - 1, self.n)
        self.kept = Reduction(k, indptr, indices, room, reads, codes, both, 1, seed, *rest, None, mates)

    def draw(self) -> tuple[int, int, bool, str | None]:
        a, b = map(int, self.rng.choice(self.n, 2, replace=False))
        way, kind = self.ways[self.rng.integers(len(self.ways))], self.kinds[self.rng.integers(len(self.kinds))]
        return (a, b, way, kind) if way else (min(a, b), max(a, b), way, kind)

    def build(self, links: set[Any], out: set[int]) -> Any:
        """Return the graph of some links, without the people left out."""
        here = [v for v in range(self.n) if v not in out]
        at = {v: i for i, v in enumerate(here)}
        listed = sorted(links, key=str)
        kinds = None if self.kinds == (None,) else [kind for *_, kind in listed]
        ends = [at[a] for a, *_ in listed], [at[b] for _, b, *_ in listed]
        ways = [way for _, _, way, _ in listed] if False in self.ways else self.ways[0]
        return shoal.Graph.from_pairs(
            here, *ends, directed=ways, kinds=kinds, attributes=self.table.take(np.array(here))
        )

    def edit(self) -> None:
        """Add or remove a link, or leave a person out, or bring one back."""
        a, b, way, kind = link = self.draw()
        if self.rng.random() < 0.1:
            self.flip_person(a)
        elif a not in self.out and b not in self.out:
            side = self.sides[Relation(kind, "out" if way else "both")]
            self.kept.flip(side * self.n + a, (side + way) * self.n + b)
            self.now ^= {link}
            self.cut ^= {link} & self.first

    def flip_person(self, v: int) -> None:
        own = {link for link in self.now if v in link[:2]}
        if v in self.out:
            self.out.remove(v)
            back = {link for link in self.first - self.cut if v in link[:2]}
            self.now |= {link for link in back if not self.out & {*link[:2]}}
        elif own - self.first or self.n - len(self.out) <= max(self.k, 4):
            return
        else:
            self.out.add(v)
            self.now -= own
        self.kept.flip_person(v)

    def recount(self) -> int:
        """Count the people at risk under any kind of knowledge."""
        data = self.build(self.now, self.out)
        below = np.zeros(data.n, dtype=bool)
        for knows in self.knows:
            below |= shoal.assess(data, knows).sizes < self.k
            if self.both:
                sizes = shoal.assess(data, knows, original=self.original).sizes[[*data.names]]
                below |= (sizes > 0) & (sizes < self.k)
        return int(below.sum())


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("knows", TIED_SETS, ids=",".join)
def test_running_count_equals_recount_with_directions_and_kinds(form: str, knows: list[str]) -> None:
    for number, (k, columns, both) in enumerate(
        [(2, False, False), (2, True, True), (3, False, True), (3, True, False), (5, False, False)]
    ):
        edited = EditedTies(form, knows, k, columns, both, seed=number)
        for _ in range(5 * TIMES):
            for _ in range(int(edited.rng.integers(1, 60))):
                edited.edit()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", shoal.errors.Notice)
                assert edited.kept.at_risk == edited.recount(), (k, columns, both)
            assert edited.kept.changed == len(edited.now ^ edited.first)
