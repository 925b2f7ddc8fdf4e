"""Numbers of links of each relation: a compiled count against the entries, one by one."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from shoal.core.refinement import count_entries, count_links, spread_degrees
from shoal.data.graph import Graph


def list_entries(graph):
    indptr, _, relation, times = graph.entries()
    rows = np.repeat(np.arange(graph.n), np.diff(indptr))
    return list(zip(rows.tolist(), relation.tolist(), times.tolist(), strict=True))


@pytest.mark.parametrize("kinds", [[None], ["a", "b"], [*"abcdef"]], ids=len)
def test_links_are_counted_as_the_entries_say(kinds):
    """With few distinct ties, and with more than are counted two by two."""
    random = Random(len(kinds))
    for n in (2, 3, 20, 60):
        pairs = [(random.randrange(n), random.randrange(n - 1)) for _ in range(6 * n)]
        a, b = [v for v, _ in pairs], [w + (w >= v) for v, w in pairs]
        drawn = None if kinds == [None] else [random.choice(kinds) for _ in pairs]
        directed = [random.random() < 0.7 for _ in pairs[1:]]
        g = Graph.from_pairs(range(n), a, b, directed=[True, *directed], kinds=drawn, multigraph=True)
        entries, many = list_entries(g), len(g.ties.relations)
        degrees, seen = Counter(), Counter((r, v) for v, r, _ in entries)
        for v, r, times in entries:
            degrees[r, v] += times
        assert spread_degrees(g, None).tolist() == [[degrees[r, v] for v in range(n)] for r in range(many)]
        assert count_entries(g).tolist() == [[seen[r, v] for v in range(n)] for r in range(many)]
        assert count_links(g).tolist() == g.degree.tolist()
        counted = np.array([r % 2 == 0 for r in range(many)])
        assert spread_degrees(g, counted).tolist() == spread_degrees(g, None)[counted].tolist()


def test_a_graph_without_links_has_no_degrees():
    empty = Graph.from_pairs("abc", [], [], directed=True)
    assert (count_links(empty).tolist(), spread_degrees(empty, None).any()) == ([0, 0, 0], False)
