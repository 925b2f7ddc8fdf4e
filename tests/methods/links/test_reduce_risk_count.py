"""The running count of people at risk against a full recount by `assess`, after thousands of random edits."""

from __future__ import annotations

import warnings
from typing import Any

import networkx as nx
import numpy as np
import pytest

import shoal
from draws import TIMES
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
