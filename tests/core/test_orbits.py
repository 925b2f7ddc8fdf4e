"""Canonical forms, twins and orbits of graphs with arcs and labels, against all permutations."""

import random
from itertools import permutations

import numpy as np

from draws import draw_cases
from shoal.core import balls
from shoal.core.balls import find_automorphism_orbits, find_canonical_form
from shoal.core.orbits import LabeledLinks, complement_dense_cells, find_orbits
from shoal.core.twins import find_twins
from ties_oracle import Net, as_graph, draw_net, orbit, tie


def draw_edges(rng, n):
    """Return rows (i, j, weight), at most one for each pair; arcs have negative weights."""
    rows = [
        (*rng.sample((i, j), 2), rng.choice([1, 1, 2, -1, -2]))
        for i in range(n)
        for j in range(i)
        if rng.random() < 0.6
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def spell(edges, to):
    """Return the edges with other numbers of vertices; the ends of an arc are ordered."""
    return {((to[i], to[j]) if w < 0 else frozenset((to[i], to[j])), w) for i, j, w in edges.tolist()}


def test_canonical_forms_decide_isomorphism(monkeypatch):
    for few in (2, 64):
        monkeypatch.setattr(balls, "FEW", few)
        for case in draw_cases(range(10**6), 60):
            rng = random.Random(case)
            n = rng.randint(1, 4)
            colors = [np.array([rng.randrange(2) for _ in range(n)]) for _ in range(2)]
            one, other = draw_edges(rng, n), draw_edges(rng, n)
            if rng.random() < 0.6:
                to = rng.sample(range(n), n)
                other = np.array([(to[i], to[j], w) for i, j, w in one.tolist()], dtype=np.int64).reshape(-1, 3)
                colors[1][to] = colors[0]
            same = any(
                spell(one, to) == spell(other, range(n)) and all(colors[0][v] == colors[1][to[v]] for v in range(n))
                for to in permutations(range(n))
            )
            forms = [find_canonical_form(*drawn)[0] for drawn in zip(colors, (one, other), strict=True)]
            assert (forms[0] == forms[1]) == same, (colors, one, other)
            moves = [
                to
                for to in permutations(range(n))
                if spell(one, to) == spell(one, range(n)) and all(colors[0][v] == colors[0][to[v]] for v in range(n))
            ]
            orbits = [min(to[v] for to in moves) for v in range(n)]
            assert find_automorphism_orbits(colors[0], one).tolist() == orbits


def test_an_arc_distinguishes_its_ends():
    colors = np.zeros(2, dtype=np.int64)
    assert find_automorphism_orbits(colors, np.array([[0, 1, -1]])).tolist() == [0, 1]
    assert find_automorphism_orbits(colors, np.array([[0, 1, 3]])).tolist() == [0, 0]


def test_twins_are_interchangeable():
    found = 0
    for case in draw_cases(range(10**6), 60):
        rng = random.Random(case)
        net = draw_net(rng, rng.randint(2, 5))
        twins = find_twins(as_graph(net))
        for v in net:
            for u in range(v):
                if twins[u] == twins[v]:
                    assert all(tie(net, u, w) == tie(net, v, w) for w in net if w not in (u, v))
                    assert tie(net, u, v) == tie(net, v, u)
                    found += 1
    assert found


def test_linked_twins_are_found_by_every_frequent_label():
    """Two cliques, one of kind a and one of kind b, and one of arcs both ways."""
    links = [(i + 4 * c, j + 4 * c, False, "ab"[c]) for c in range(2) for i in range(4) for j in range(i)]
    links += [(i + 8, j + 8, True, "c") for i in range(4) for j in range(4) if i != j]
    assert find_twins(as_graph(Net(tuple(range(12)), tuple(links)))).tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_orbits_of_random_graphs():
    for case in draw_cases(range(10**6), 40):
        net = draw_net(random.Random(case), 5)
        orbits, wanted = find_orbits(as_graph(net)), orbit(net)
        assert [{u for u in net if orbits[u] == orbits[v]} for v in net] == [wanted[v] for v in net]


def test_arcs_from_one_cell_to_another_are_complemented():
    """All arcs from cell 0 to cell 1 but one: what is left is the missing one."""
    a, b = np.array([0, 0, 1]), np.array([2, 3, 2])
    left = complement_dense_cells(np.array([0, 0, 1, 1]), LabeledLinks(a, b, np.full(3, 2)))
    assert (left.a.tolist(), left.b.tolist(), left.label.tolist()) == ([1], [3], [0])


def test_arcs_within_a_cell_stay():
    a, b = np.array([0, 1, 2]), np.array([1, 2, 0])
    left = complement_dense_cells(np.zeros(3, dtype=np.int64), LabeledLinks(a, b, np.full(3, -1)))
    assert left.label.tolist() == [-1, -1, -1]
