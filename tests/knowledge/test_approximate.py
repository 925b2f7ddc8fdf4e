"""Approximate knowledge: the error in names and words, exact bounds, and counts as brute force makes them."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import shoal
from conftest import graphs
from laws import assert_agrees
from shoal.core.approximate import ListsWithin, NumbersWithin, Side, count_below, find_ranges
from shoal.errors import BadParameter
from shoal.knowledge import Counts, Degree, Degrees, Neighbors, describe_facts, parse_knowledge, redact_fact

ERRORS = st.fractions(0, 1, max_denominator=60).filter(lambda error: error < 1)


@pytest.mark.parametrize(
    ("spec", "same", "spelled"),
    [
        ("degree~5%", Degree(error="5%"), "degree~5%"),
        ("degree~0.05", Degree(error=0.05), "degree~5%"),
        ("degree~0%", Degree(), "degree"),
        ("degree~1/3", Degree(error=Fraction(1, 3)), "degree~1/3"),
        ("counts~2.5%", Counts(1, "2.5%"), "counts:1~2.5%"),
        ("degrees:2~5%", Degrees(radius=2, error=0.05), "degrees:2~5%"),
        ("neighbors:3~1", Neighbors(3, errors=1), "neighbors:3~1"),
        ("neighbors:3~0", Neighbors(3), "neighbors:3"),
        ("neighbors:3:multiplicities~2", Neighbors(3, True, 2), "neighbors:3:multiplicities~2"),
        ("degree~5%+columns:a~b", Degree(error="5%") & shoal.knowledge.Columns("a~b"), "degree~5%+columns:a~b"),
        ("hubs:a~b", shoal.knowledge.Hubs("a~b"), "hubs:a~b"),
    ],
)
def test_names_with_errors(spec, same, spelled):
    found = parse_knowledge(spec)
    assert found == same
    assert hash(found) == hash(same)
    assert found.spec == spelled
    assert parse_knowledge(spelled) == found
    assert eval(repr(found), vars(shoal.knowledge)) == found


def test_a_representation_names_the_error_only_if_there_is_one():
    assert repr(Degree()) == "Degree()"
    assert repr(Degree(error=0.05)) == "Degree(error='5%')"
    assert repr(Counts(2, "1/3")) == "Counts(radius=2, error='1/3')"
    assert repr(Neighbors(3)) == "Neighbors(l=3, multiplicities=False)"
    assert repr(Neighbors(3, errors=1)) == "Neighbors(l=3, multiplicities=False, errors=1)"


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ("degree~", "error"),
        ("degree~5", "error"),
        ("degree~100%", "error"),
        ("degree~-5%", "error"),
        ("degree~5%~5%", "error"),
        ("degree~1e-999999999", "error"),
        ("counts:1~x", "error"),
        ("degree~0." + "0" * 37 + "1", "error"),
        ("neighbors:2~2", "errors"),
        ("neighbors:2~5%", "neighbors:L"),
        ("neighbors:2~", "neighbors:L"),
        ("neighbors:2~1:multiplicities", "neighbors:L"),
        ("orbit~5%", "orbit"),
        ("refinement:2~5%", "refinement:ROUNDS"),
    ],
)
def test_wrong_errors_are_refused(spec, named):
    with pytest.raises(BadParameter, match=named):
        parse_knowledge(spec)


def test_the_bounds_are_exact_and_not_symmetric():
    """20 is the first number that 5 % moves: 19 and 21 are exactly at the bound."""
    stars = nx.disjoint_union_all([nx.star_graph(d) for d in (19, 20, 21)])
    risk = shoal.assess(stars, "degree~5%")
    degree = dict(stars.degree())
    found = {degree[v]: sorted(degree[u] for u in risk.candidates(v)) for v in stars if degree[v] > 1}
    assert found == {19: [19, 20], 20: [20, 21], 21: [20, 21]}
    assert shoal.assess(stars, "degree~4.9999%").k == 1


@given(st.integers(0, 10**13), ERRORS)
def test_a_range_holds_exactly_the_numbers_within_the_error(x, error):
    (low,), (high,) = find_ranges(np.array([x]), error)
    low, high = int(low), int(high)

    def fits(y):
        return y >= 0 and abs(x - y) <= error * y

    assert fits(low)
    assert fits(high)
    assert not fits(low - 1)
    assert not fits(high + 1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 40))
def test_places_below_a_limit(seed, n, span):
    rng = np.random.default_rng(seed)
    ranks, limit = rng.integers(span, size=n), rng.integers(span + 1, size=9)
    first, last = np.sort(rng.integers(n + 1, size=(2, 9)), axis=0)
    expected = [int((ranks[a:b] < c).sum()) for a, b, c in zip(first, last, limit, strict=True)]
    assert count_below(ranks, first, last, limit).tolist() == expected


@given(st.integers(0, 2**32 - 1), ERRORS, st.integers(1, 2), st.integers(1, 3))
def test_numbers_within_an_error(seed, error, columns, kinds):
    rng = np.random.default_rng(seed)
    high = int(rng.choice([4, 30, 2**45]))
    known, published = (
        Side(rng.integers(kinds, size=n), tuple(rng.integers(high, size=n) for _ in range(columns))) for n in (20, 30)
    )
    index = NumbersWithin(known, published, error)
    sizes = index.count()
    for v in range(20):
        expected = [
            u
            for u in range(30)
            if known.kind[v] == published.kind[u]
            and all(
                abs(int(x[v]) - int(y[u])) <= error * int(y[u])
                for x, y in zip(known.numbers, published.numbers, strict=True)
            )
        ]
        assert index.find(v).tolist() == expected
        assert sizes[v] == len(expected)


@given(st.integers(0, 2**32 - 1), ERRORS)
def test_lists_within_an_error(seed, error):
    rng = np.random.default_rng(seed)
    lists = [sorted(rng.integers(1, 12, size=rng.integers(1, 4)).tolist()) for _ in range(25)]
    kind, published = rng.integers(2, size=25), rng.integers(25, size=40)
    ptr = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    index = ListsWithin(np.arange(25), published, kind, ptr, np.concatenate(lists).astype(np.int64), error)
    sizes = index.count()

    def fits(a, b):
        same = kind[a] == kind[b] and len(lists[a]) == len(lists[b])
        return same and all(abs(x - y) <= error * y for x, y in zip(lists[a], lists[b], strict=True))

    for c in range(25):
        expected = [u for u in range(40) if fits(c, published[u])]
        assert index.find(c).tolist() == expected
        assert sizes[c] == len(expected)


@pytest.mark.slow
@given(graphs(most=7), st.sampled_from(["degree", "counts:1", "counts:2", "degrees:1", "degrees:2"]), ERRORS, ERRORS)
def test_a_larger_error_never_gives_fewer_candidates(g, spec, a, b):
    kind, (small, large) = parse_knowledge(spec), sorted([a, b])
    found = [shoal.assess(g, replace(kind, error=error)) for error in (0, small, large)]
    for less, more in pairwise(found):
        assert all(set(less.candidates(v)) <= set(more.candidates(v)) for v in g)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_larger_graphs_as_the_oracle_says(seed):
    g = nx.gnm_random_graph(24, 70, seed=seed)
    original = nx.gnm_random_graph(24, 70, seed=seed + 100)
    for l, errors in ((2, 1), (4, 1), (4, 2)):
        kind = Neighbors(l, errors=errors)
        assert_agrees(shoal.assess(g, kind), oracle.neighbors_with_errors(g, l=l, errors=errors))
        answer = oracle.neighbors_with_errors(g, original, None, l=l, errors=errors)
        assert_agrees(shoal.assess(g, kind, original=original), answer)
    for error in (Fraction(1, 10), Fraction(1, 3)):
        assert_agrees(shoal.assess(g, Degrees(1, error)), oracle.degrees_about(g, radius=1, error=error))
        assert_agrees(shoal.assess(g, Counts(2, error)), oracle.counts_about(g, radius=2, error=error))


def test_more_known_neighbors_than_there_are():
    """In a cube two corners at distance two share two of their three neighbors: with one error they fit."""
    cube = nx.hypercube_graph(3)
    assert shoal.assess(cube, "neighbors:1000000000~1").sizes.tolist() == [1 + 3] * 8
    assert shoal.assess(cube, "neighbors:1000000000").sizes.tolist() == [1] * 8


def test_multiplicities_with_errors():
    g = nx.MultiGraph([("v", "a"), ("v", "a"), ("v", "b"), ("u", "a"), ("u", "b")])
    graph = shoal.as_graph(g, multigraph=True)
    for spec, expected in (
        ("neighbors:2:multiplicities", {"v"}),
        ("neighbors:2:multiplicities~1", {"v", "u"}),
        ("neighbors:2", {"v", "u"}),
    ):
        assert set(shoal.assess(graph, spec).candidates("v")) == expected


def test_facts_in_words():
    florence = shoal.examples.florentine()
    for spec, *told in (
        ("degree~20%", "about 6 links", "(within 20 %)"),
        ("counts:1~20%", "about 7 vertices", "(within 20 %)"),
        ("degrees:1~20%", "7 vertices", "have about 1, 1", "(within 20 %)"),
        ("neighbors:3~1", "is linked to", "(1 may be wrong)"),
    ):
        witness = shoal.assess(florence, spec).witness("Medici")
        words = describe_facts(witness.knows)
        assert all(part in words for part in told), words
        exact = shoal.assess(florence, spec.split("~")[0]).witness("Medici")
        assert "about" not in describe_facts(exact.knows)
        assert "wrong" not in describe_facts(exact.knows)


def test_names_in_facts_are_hidden():
    class Hidden:
        def __call__(self, name):
            return "X"

        def show_value(self, cell):
            return "?"

    for spec in ("degree~20%", "counts:1~20%", "degrees:1~20%", "neighbors:3~1"):
        (fact,) = shoal.assess(shoal.examples.florentine(), spec).witness("Medici").knows
        words = describe_facts([redact_fact(fact, Hidden())])
        assert words
        assert not any(str(name) in words for name in shoal.examples.florentine().names)


@pytest.mark.parametrize("spec", ["degree~5%", "counts:1~5%", "degrees:1~5%", "neighbors:3~1"])
def test_every_result_says_that_the_attacker_is_imprecise(spec, shell):
    kind, error = parse_knowledge(spec), "1" if "neighbors" in spec else "5 %"
    assert "imprecise" in kind.assumes
    assert error in kind.assumes
    assert error in kind.title
    assert error in kind.phrase
    assert "imprecise" not in parse_knowledge(spec.split("~")[0]).assumes
    assert "imprecise" in (kind & Degree()).assumes
    for command in (
        ["risk", "--knows", spec],
        ["check", "--knows", spec, "--at-least", "2"],
        ["risk", "--knows", spec, "--json"],
    ):
        _, out, _ = shell(command[0], "example:florentine", *command[1:])
        assert "imprecise" in out, command
    assert "imprecise" in str(shoal.assess(shoal.examples.florentine(), spec))


def test_a_wrong_fact_bounds_nothing():
    """A guarantee about the release bounds facts that stay true; a number within an error need not."""
    assert Degree().stays_true
    assert Neighbors(2).stays_true
    assert not Degree(error="5%").stays_true
    assert not Neighbors(2, errors=1).stays_true


@pytest.mark.slow
def test_attacks_and_frontiers_say_that_the_attacker_is_imprecise():
    club = shoal.examples.karate()
    cascade = shoal.attack(club, club, by=shoal.attacks.Cascade(start="degree~25%"))
    assert any("imprecise" in note for note in cascade.notes)
    assert cascade.rate <= shoal.attack(club, club, by=shoal.attacks.Cascade()).rate
    found = shoal.frontier(club, "degree~25%", k=[2], methods=["match-degrees"])
    assert "imprecise" in str(found)
    assert "imprecise" in found._repr_html_()


def test_a_guarantee_for_fewer_exact_neighbors_protects_against_errors():
    club = shoal.examples.karate()
    found = shoal.recommend(club, "neighbors:2~1", 3).method
    assert (type(found).__name__, found.l) == ("HideNeighbors", 1)
    release = found(club)
    assert shoal.covers(release, "neighbors:2~1")
    assert shoal.assess(release, "neighbors:2~1").k >= 3


def test_an_informed_attacker_with_errors():
    """Facts are drawn, and searched with the error: each drawn set leaves what the oracle says."""
    g = shoal.as_graph(nx.gnm_random_graph(12, 30, seed=3))
    for spec in ("neighbors:3~1", "neighbors:2~1", "degree~25%"):
        exact = shoal.attack(g, g, knowledge=spec.split("~")[0], seed=1)
        found = shoal.attack(g, g, knowledge=spec, seed=1)
        assert found.rate <= exact.rate
        assert any("imprecise" in note for note in found.notes)
