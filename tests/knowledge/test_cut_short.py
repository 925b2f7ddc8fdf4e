"""Searches that are cut short: an unproved size is never below the truth, whatever is known besides."""

from random import Random

import networkx as nx
import numpy as np
import pytest

import shoal
from draws import SEED, TIMES
from members import ATTRIBUTED, LABELED, MEMBERS, SINGLES
from shoal.core import approximate, exposing_sets
from shoal.knowledge import Both, Fact, subgraph
from shoal.knowledge.candidates import AlikeCandidates, CandidateSet, WorstCandidates, intersect_answers
from shoal.report.text.risk import describe_verdict

BUDGETS = [
    {"SEARCH_STEPS": 1},
    {"SEARCH_STEPS": 3},
    {"SEARCH_STEPS": 8, "EXPLORATIONS": 4},
    {"EXPLORATIONS": 1},
    {"SEARCH_STEPS": 2, "NODES": 1, "SETS": 1, "ENTRIES": 1},
    {"NODES": 3, "SETS": 3, "ENTRIES": 8},
]
"""How much each search may cost; the homes of the limits are in LIMITS."""
LIMITS = {
    "SEARCH_STEPS": subgraph,
    "EXPLORATIONS": subgraph,
    "NODES": exposing_sets,
    "SETS": exposing_sets,
    "ENTRIES": approximate,
}
PIECES = [shoal.knowledge.Subgraph(3), shoal.knowledge.Subgraph(3, exact_degrees=False)]
SOME = Random(SEED).sample(SINGLES, len(SINGLES) // 3)
"""Other kinds of knowledge in each run; the seed is printed at its end."""
MEMBERS_CUT = [
    *(member[0] for member in MEMBERS + ATTRIBUTED),
    *(Both.of(member[0], piece) for member in SOME + LABELED for piece in PIECES),
    Both.of(PIECES[0], shoal.knowledge.Columns("b"), shoal.knowledge.Neighbors(1)),
    Both.of(*PIECES, shoal.knowledge.Degree()),
]


def drawn(seed):
    """Return a sparse graph of seven with the columns "a" and "b", in which some have no links."""
    rng = np.random.default_rng(seed)
    g = nx.gnm_random_graph(7, int(rng.integers(2, 10)), seed=int(rng.integers(1 << 30)))
    nx.set_node_attributes(g, {v: int(rng.integers(3)) for v in g}, "a")
    nx.set_node_attributes(g, {v: int(rng.integers(2)) for v in g}, "b")
    return shoal.as_graph(g)


def check_bounds(cut, exact):
    """Compare a risk whose searches were cut short with the exact one."""
    exact_there = cut.exact_sizes
    assert exact.exact_sizes.all()
    assert (cut.sizes >= exact.sizes).all()
    assert (cut.sizes == exact.sizes)[exact_there].all()
    assert set(cut.misled) <= set(exact.misled)
    assert [len(cut.candidates(v)) for v in cut.names] == cut.sizes.tolist()
    assert all(
        witness.knows and witness.exact == sure
        for witness, sure in zip(map(cut.witness, cut.names), exact_there, strict=True)
    )
    assert cut.k >= exact.k
    assert not cut.exact or cut.k == exact.k
    for k in (2, 4, 7):
        assert set(cut.at_risk(k)) <= set(exact.at_risk(k))
        assert cut.rate(k) <= exact.rate(k)
        assert describe_verdict(cut, k)[0] in (describe_verdict(exact, k)[0], 2)


@pytest.mark.slow
@pytest.mark.parametrize("adversary", MEMBERS_CUT, ids=lambda adversary: adversary.spec)
def test_inexact_sizes_are_never_below_the_truth(adversary, monkeypatch):
    for number in range(TIMES):
        published, original = drawn((SEED, 2 * number)), drawn((SEED, 2 * number + 1))
        for source in (None, original):
            exact = shoal.assess(published, adversary, original=source)
            for budget in BUDGETS:
                with monkeypatch.context() as patched:
                    for limit, most in budget.items():
                        patched.setattr(LIMITS[limit], limit, most)
                    check_bounds(shoal.assess(published, adversary, original=source), exact)


def pair(known, published):
    """Return two graphs of seven vertices with these links."""
    graphs = []
    for links in (known, published):
        g = nx.empty_graph(7)
        g.add_edges_from(links)
        graphs.append(shoal.as_graph(g))
    return graphs


def test_a_set_that_may_be_empty_bounds_nothing(monkeypatch):
    """Of vertices 1 and 2 the smallest real sets are larger than what undecided placements share with neighbors."""
    original, published = pair([(1, 2), (4, 5)], [(1, 2), (2, 4), (3, 4), (4, 5), (4, 6)])
    knows = shoal.knowledge.Neighbors(1) & shoal.knowledge.Subgraph(3)
    exact = shoal.assess(published, knows, original=original)
    for steps in (1, 2, 3, 5, 8):
        monkeypatch.setattr(subgraph, "SEARCH_STEPS", steps)
        check_bounds(shoal.assess(published, knows, original=original), exact)


def test_where_no_set_surely_leaves_somebody_all_may_be_left():
    """Of three vertices the first may be anybody with code 0, if the undecided set leaves anybody at all."""
    codes = np.array([0, 0, 1])
    alike = AlikeCandidates(codes, codes, lambda v: (Fact("degree", v),))
    some, none = np.array([0, 2]), np.empty(0, dtype=np.int64)
    for sure, expected in [(none, [3, 3, 3]), (np.array([0]), [1, 1, 3])]:
        undecided = WorstCandidates(
            np.full(3, 3),
            lambda v, sure=sure: [CandidateSet((Fact("degree", 1),), some, sure)],
            np.zeros(3, dtype=np.bool_),
            whole=np.ones(3, dtype=np.bool_),
        )
        left = intersect_answers(alike, undecided, 3)
        assert left.sizes.tolist() == expected
        assert [len(left.of(v)) for v in range(3)] == expected
        assert left.exact_sizes.tolist() == [size == 1 for size in expected]
    nobody = WorstCandidates(np.zeros(3, dtype=np.int64), lambda v: [], np.ones(3, dtype=np.bool_))
    left = intersect_answers(nobody, undecided, 3)
    assert (left.sizes.tolist(), left.exact_sizes.all()) == ([0, 0, 0], True)


def test_one_candidate_is_proved_however_much_is_left_out(monkeypatch):
    """A path of five: the middle is alone with its four edges, whatever else is not looked at."""
    path = nx.path_graph(5)
    nx.set_node_attributes(path, {v: v for v in path}, "a")
    monkeypatch.setattr(subgraph, "EXPLORATIONS", 1)
    risk = shoal.assess(path, shoal.knowledge.Columns("a") & shoal.knowledge.Subgraph(4))
    assert risk.sizes.tolist() == [1] * 5
    assert risk.exact_sizes.all()
