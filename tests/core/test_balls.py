"""Degree vectors inside balls, and numbers of vectors within an error."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from draws import draw_cases
from shoal.core.approximate import _pair_within
from shoal.core.balls import count_ball, group_balls, list_ball_vectors, list_vectors_of_balls
from shoal.core.refinement import group_degrees, spread_degrees
from shoal.data.graph import Graph
from shoal.errors import BadGraph
from ties_oracle import Net, as_graph, balls, draw_net, freeze, vectors


def test_vectors_are_numbers_of_links_inside_the_ball():
    for case in draw_cases(range(10**6), 60):
        rng = random.Random(case)
        radius, net = rng.randint(0, 3), draw_net(rng, rng.randint(2, 7))
        graph = as_graph(net)
        if graph.ties is None:
            continue
        for v, ball in balls(net, radius).items():
            named = [
                frozenset((tuple(graph.ties.relations[r]), q) for r, q in vector)
                for vector in list_ball_vectors(graph, v, radius)
            ]
            assert Counter(named) == Counter(map(freeze, vectors(ball).values()))
            assert count_ball(graph, v, radius) == (len(ball), len(ball.links))
        codes, numbers = group_degrees(graph), vectors(net)
        assert [[codes[u] == codes[v] for u in net] for v in net] == [
            [numbers[u] == numbers[v] for u in net] for v in net
        ]


def test_vectors_of_several_balls_are_those_of_each():
    links = (0, 1, True, "a"), (1, 2, False, "b"), (2, 3, True, "b"), (3, 0, True, "a")
    graph = as_graph(Net(tuple(range(6)), links))
    found = list_vectors_of_balls(graph, 1, np.arange(6))
    for v in range(6):
        one = list_vectors_of_balls(graph, 1, np.array([v]))
        first, last = found.balls[v], found.balls[v + 1]
        assert np.array_equal(found.indptr[first : last + 1] - found.indptr[first], one.indptr)
        entries = slice(found.indptr[first], found.indptr[last])
        assert np.array_equal(found.relation[entries], one.relation)
        assert np.array_equal(found.times[entries], one.times)


def test_many_relations_and_large_multiplicities():
    """More relations than fit into columns, and sums beyond 32 bits."""
    many = 2**31 - 1
    kinds = [f"k{i % 20}" for i in range(60)]
    graph = Graph.from_pairs(
        range(61), [0] * 60, range(1, 61), counts=[many] * 60, kinds=kinds, directed=True, multigraph=True
    )
    assert spread_degrees(graph, None).max() == 3 * many
    assert np.bincount(group_degrees(graph)).tolist() == [1, *[3] * 20]
    assert np.bincount(group_balls(graph, 1, "degrees")).tolist() == [1, *[3] * 20]


@pytest.mark.parametrize("error", [Fraction(1, 10), Fraction(1, 3)])
def test_vectors_are_paired_in_any_order(error):
    def fit(x, y):
        return all(abs(a - b) <= error * b for a, b in zip(x, y, strict=True))

    for case in draw_cases(range(10**6), 80):
        rng = random.Random(case)
        one, other = (np.array([[rng.randint(1, 9) for _ in range(2)] for _ in range(4)]) for _ in range(2))
        if rng.random() < 0.7:
            other = rng.sample([[x + rng.randint(0, 1) for x in row] for row in one.tolist()], 4)
        wanted = any(all(map(fit, one.tolist(), some)) for some in permutations(np.array(other).tolist()))
        assert _pair_within(one, np.array(other), error) == wanted


def test_vectors_need_relations():
    with pytest.raises(BadGraph, match="direction or a kind"):
        _ = Graph.from_pairs("ab", [0], [1]).degree_vectors
