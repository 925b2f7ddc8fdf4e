"""The paper's Algorithms 2 and 3, literally, compared with the exact levels."""

import networkx as nx
import numpy as np
import pytest

import shoal
from conftest import ATLAS
from draws import draw_cases


def literal_radius(g, k, similarity):
    """Algorithms 2 and 3 as they are printed, per vertex."""
    n, rows = len(g), {v: set(g[v]) for v in g}
    radii = []
    for v in g:
        like = [n - len(rows[v] ^ rows[u]) if similarity == "manhattan" else len(rows[v] & rows[u]) for u in g]
        s = n if similarity == "manhattan" else len(rows[v])
        while sum(x >= s for x in like) < k:
            s -= 1
        radii.append(s)
    return radii


@pytest.mark.slow
@pytest.mark.parametrize("similarity", ["manhattan", "2-path"])
def test_the_papers_algorithms_are_upper_bounds(similarity):
    reading = "relations" if similarity == "manhattan" else "neighbors"
    above = 0
    for g in draw_cases(ATLAS, 250):
        for k in range(1, min(4, len(g)) + 1):
            radius = shoal.similarity_radius(g, k, similarity)
            assert radius.per_vertex.tolist() == literal_radius(g, k, similarity)
            exact = shoal.levels(g, reading, k=k)
            hidden = np.isinf(exact.per_vertex)
            assert (radius.per_vertex >= exact.per_vertex)[~hidden].all()
            above += radius.l > exact.l
    assert above > 50
    assert "only an upper bound" in repr(radius)


@pytest.mark.slow
def test_the_2_path_radius_is_feders_notion():
    for g in draw_cases(ATLAS, 250):
        for k in range(2, min(4, len(g)) + 1):
            holds = [l for l in range(1, len(g)) if shoal.assess(g, shoal.knowledge.SharedNeighbors(l)).k >= k]
            assert shoal.similarity_radius(g, k, "2-path").l == max(holds, default=0)


def test_rows_are_compared_by_agreement_unless_said_otherwise():
    ring = nx.cycle_graph(6)
    assert shoal.similarity_radius(ring, 2).l == shoal.similarity_radius(ring, 2, "manhattan").l
    assert shoal.similarity_radius(ring, 2).l != shoal.similarity_radius(ring, 2, "2-path").l
