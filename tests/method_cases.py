"""Every method with data that it works on; a law that runs over ALL runs over all methods."""

import warnings
from contextlib import contextmanager
from functools import cache

import networkx as nx
import pytest

import shoal
from shoal.data.graph import Graph
from shoal.errors import Notice
from shoal.methods import METHODS, find_method

CLUB = nx.karate_club_graph()
HIERARCHY = {"town": {"a": ("*",), "b": ("*",), "c": ("*",)}}


def people(ages=2):
    return {"age": [20 + v % ages for v in range(34)], "town": ["abc"[v % 3] for v in range(34)]}


def older():
    return people(7)


def club():
    g = nx.Graph(CLUB.edges)
    for v in g:
        g.nodes[v].clear()
    return g


def village():
    g = club()
    nx.set_node_attributes(g, {v: {"age": 20 + v % 7} for v in g})
    return g


def hamlet():
    return village().subgraph(range(14)).copy()


CASES = {
    "equalize-rows": [({"k": 2, "effort": 5}, club)],
    "hide-neighbors": [({"k": 2}, club), ({"k": 2, "l": 2, "effort": 5}, club)],
    "hide-relations": [({"k": 2}, club)],
    "match-degrees": [
        ({"k": 3}, club),
        ({"k": 3, "edits": "add-delete"}, club),
        ({"k": 3, "edits": "add-vertices"}, club),
    ],
    "match-neighborhoods": [({"k": 2}, club), ({"k": 2, "labels": ("age",)}, hamlet)],
    "generalize": [({"k": 3, "effort": 5, "seed": 3}, club)],
    "raise-l": [({"k": 2}, nx.house_graph)],
    "share-neighbors": [({"k": 3, "l": 2}, club), ({"k": 3, "l": 1, "variant": "strong"}, club)],
    "reduce-risk": [
        ({"knowledge": "counts:1", "k": 2, "budget": 0.1, "effort": 50}, club),
        ({"knowledge": ("degree", "neighbors:1+columns:age"), "k": 2, "suppress": 2, "effort": 50}, village),
        ({"knowledge": "counts:1", "k": 2, "edits": "swap", "budget": 0.3, "effort": 50}, club),
    ],
    "perturb": [({"add": 5, "delete": 0.1, "seed": 3}, club), ({"switch": 9, "seed": 3}, club)],
    "microaggregate": [({"k": 2}, people)],
    "swap-within": [({"classes": "town", "seed": 3}, people)],
    "distort": [({"classes": "town", "seed": 3}, older)],
    "recode": [({"k": 2, "hierarchies": HIERARCHY, "columns": ("town",)}, people)],
    "mondrian": [({"k": 2}, people)],
    "hide-columns": [({"k": 2, "l": 1}, people)],
    "confuse": [({"k": 2, "seed": 3}, village)],
}
READ_TIES = {name for name, kind in METHODS.items() if kind.reads_ties}
"""The methods that handle directions and kinds of links; the others refuse them."""
NOT_WITH_TIES = {("match-degrees", 2), ("reduce-risk", 0), ("reduce-risk", 2)}
"""Cases of these methods with an option or knowledge that does not go with directions and kinds."""
ALL = [(name, i) for name, cases in CASES.items() for i in range(len(cases))]


def case(name, i):
    options, data = CASES[name][i]
    return find_method(name)(**options), data()


def add_ties(data):
    """Return the data with a direction and a kind for each link; the vertices keep their attributes."""
    plain = shoal.as_graph(data) if hasattr(data, "edges") else None
    if plain is None:
        n = len(next(iter(data.values())))
        return Graph.from_pairs(range(n), [0, 1], [1, 2], directed=True, attributes=shoal.as_table(data))
    a, b, _ = plain.edges()
    kinds = ["call", "mail"] * (len(a) // 2) + ["call"] * (len(a) % 2)
    return Graph.from_pairs(plain.names, a, b, directed=True, kinds=kinds, attributes=plain.attributes)


def quietly(method, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return method(data)


@contextmanager
def search_briefly():
    """Let the longest searches be short: a release is then made as always, and is not as good."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.methods.links.reduce_risk.search.QUENCH", 1)
        patch.setattr("shoal.methods.links.reduce_risk.search.PROPOSALS", 100_000)
        patch.setattr("shoal.methods.links.match_neighborhoods.orbits.EACH", 200)
        yield


@cache
def released(name, i):
    """Return a release by a method, made once for all laws that only look at it."""
    with search_briefly():
        return quietly(*case(name, i))
