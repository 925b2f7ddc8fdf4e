"""Certificates: what is true is confirmed without searching, what is false is refuted."""

import networkx as nx
import pytest

import shoal

readings = pytest.mark.parametrize("reading", ["neighbors", "relations", "located-relations"])


@pytest.mark.slow
@readings
def test_certificates_are_confirmed_without_searching(reading):
    outcomes = []
    for name in ("florentine", "karate", "les_miserables"):
        graph = getattr(shoal.examples, name)()
        for k in (2, 4):
            found = shoal.levels(graph, reading, k=k)
            for v in graph.names:
                proof = found.certificate(v)
                checked = shoal.check_certificate(graph, proof)
                assert checked.holds is (None if proof.get("none_smaller", {}).get("by") == "search" else True)
                outcomes.append(checked.holds)
    assert outcomes.count(True) > 0.98 * len(outcomes)


def test_certificates_of_multigraphs():
    g = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "a"), ("a", "e"), ("c", "e")])
    graph = shoal.as_graph(g, multigraph=True)
    for found in (
        shoal.levels(graph, "relations", k=2),
        shoal.levels(graph, k=2),
        shoal.levels(graph, k=2, multiplicities=True),
    ):
        assert {shoal.check_certificate(graph, found.certificate(v)).holds for v in graph.names} == {True}


@readings
def test_false_certificates_are_refuted(reading):
    graph = shoal.examples.les_miserables()
    found = shoal.levels(graph, reading, k=3)
    refuted = 0
    for v in graph.names:
        proof = found.certificate(v)
        if proof["l"] == "every":
            others = [u for u in graph.names if u not in found.certificate(v)["hidden"]][:2]
            lies = [proof | {"hidden": [v, *others]}, proof | {"hidden": proof["hidden"][:2]}]
        else:
            shown = proof["exposes"]
            lies = [
                proof | {"l": proof["l"] + 1},
                proof | {"exposes": shown | {"candidates": [*shown["candidates"], v, "Nobody"]}},
                proof | {"exposes": shown | {"known": shown["known"][1:]}},
            ]
            if reading != "relations":  # there one's own entry of the row may be known
                lies.append(proof | {"exposes": shown | {"known": [*shown["known"][1:], [v, 0]]}})
        for lie in lies:
            assert shoal.check_certificate(graph, lie).holds is False
            refuted += 1
    assert refuted > 100


def test_weights_that_claim_too_much_are_refuted():
    graph = shoal.examples.les_miserables()
    found = shoal.levels(graph, k=2)
    proofs = [found.certificate(v) for v in graph.names]
    weighed = [proof for proof in proofs if proof.get("none_smaller", {}).get("by") == "weights"]
    assert weighed
    for proof in weighed:
        why = proof["none_smaller"]
        doubled = [[u, 2 * w] for u, w in why["weights"]]
        more = why | {"weights": doubled, "cap": 2 * why["cap"]}
        assert shoal.check_certificate(graph, proof | {"none_smaller": more}).holds is False
        less = why | {"weights": why["weights"][: len(why["weights"]) // 2]}
        assert shoal.check_certificate(graph, proof | {"none_smaller": less}).holds is False


def test_certificates_that_cannot_be_read():
    graph = shoal.examples.florentine()
    proof = shoal.levels(graph, k=2).certificate("Medici")
    for damaged in ({}, proof | {"vertex": "Nobody"}, {**proof, "none_smaller": {"size": proof["l"], "by": "magic"}}):
        assert shoal.check_certificate(graph, damaged).holds is None


FORGED = {
    "too few neighbors for pairs": (
        nx.Graph([("a", "b"), ("c", "d"), ("d", "e"), ("e", "c")]),
        {"vertex": "a", "k": 2, "reading": "neighbors", "l": 2, "none_smaller": {"size": 2, "by": "pairs"}},
    ),
    "k above n": (
        nx.empty_graph(3),
        {"vertex": 0, "k": 99, "reading": "neighbors", "l": 1, "none_smaller": {"size": 1, "by": "degrees"}},
    ),
    "l is below 0": (
        nx.star_graph(3),
        {"vertex": 0, "k": 2, "reading": "neighbors", "l": -1, "none_smaller": {"size": -1, "by": "degrees"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_forged_certificates_are_refuted(name):
    graph, claim = FORGED[name]
    assert shoal.check_certificate(graph, {"schema": 1, "exact": False} | claim).holds is False


EVERY = {"schema": 1, "vertex": 0, "k": 2, "reading": "relations", "l": "every", "exact": True, "hidden": [0, 2]}
SOME = {
    "schema": 1, "vertex": 1, "k": 2, "reading": "neighbors", "l": 0, "exact": True,
    "exposes": {"known": [[0, 1]], "candidates": [1]}, "none_smaller": {"size": 0, "by": "nothing"},
}  # fmt: skip
WEIGHED = {"size": 0, "by": "weights", "unit": 3, "cap": 1, "alike": [], "weights": [[2, 1]]}
MISSHAPEN = [
    EVERY | {"schema": 99},
    EVERY | {"schema": True},
    EVERY | {"schema": 1.0},
    EVERY | {"vertex": [0]},
    EVERY | {"vertex": False},  # the vertex is called 0
    EVERY | {"vertex": 0.0},
    EVERY | {"k": float("nan")},
    EVERY | {"k": True},
    EVERY | {"k": 2.0},
    EVERY | {"k": "2"},
    EVERY | {"reading": "Relations"},
    EVERY | {"reading": ["relations"]},
    EVERY | {"exact": 1},
    EVERY | {"hidden": {"0": 2}},
    EVERY | {"hidden": [0, [2]]},
    EVERY | {"hidden": [0, 2.0]},
    EVERY | {"note": "no such key"},
    EVERY | {"none_smaller": {"size": 0, "by": "nothing"}},
    SOME | {"l": 0.0},
    SOME | {"exact": False},  # nothing is said about what exposes it then
    SOME | {"exposes": []},
    SOME | {"exposes": SOME["exposes"] | {"known": [[0, True]]}},
    SOME | {"exposes": SOME["exposes"] | {"known": [[0, 1.0]]}},
    SOME | {"exposes": SOME["exposes"] | {"known": {"0": 1}}},
    SOME | {"exposes": SOME["exposes"] | {"how": 1}},
    SOME | {"none_smaller": None},
    SOME | {"none_smaller": {"size": 0, "by": ["nothing"]}},
    SOME | {"none_smaller": {"size": False, "by": "nothing"}},
    SOME | {"none_smaller": {"size": 0, "by": "nothing", "unit": 1}},
    SOME | {"none_smaller": WEIGHED | {"unit": 3.0}},
    SOME | {"none_smaller": WEIGHED | {"weights": [[2, 1, 1]]}},
    SOME | {"none_smaller": WEIGHED | {"alike": 2}},
]


@pytest.mark.parametrize("claim", MISSHAPEN, ids=range(len(MISSHAPEN)))
def test_a_misshapen_certificate_is_neither_confirmed_nor_refuted(claim):
    square, pairs = nx.cycle_graph(4), nx.Graph([(0, 1), (2, 3)])
    assert shoal.check_certificate(square, EVERY).holds
    assert shoal.check_certificate(pairs, SOME).holds
    graph = square if claim["l"] == "every" else pairs
    assert shoal.check_certificate(graph, claim).holds is None


@pytest.mark.parametrize("claim", [None, [], "cert.json", 7])
def test_an_object_that_is_no_certificate_is_refused(claim):
    with pytest.raises(shoal.errors.BadParameter, match="certificate"):
        shoal.check_certificate(nx.cycle_graph(4), claim)


def test_a_certificate_states_only_true_facts():
    graph = shoal.examples.florentine()
    proof = shoal.levels(graph, k=2).certificate("Ridolfi")
    wrong = proof["exposes"] | {"known": [[name, 7] for name, _ in proof["exposes"]["known"]]}
    assert shoal.check_certificate(graph, proof | {"exposes": wrong}).holds is False


@pytest.mark.slow
@readings
def test_weights_never_prove_one_more_than_is_true(reading):
    claims = 0
    for name in ("karate", "les_miserables"):
        graph = getattr(shoal.examples, name)()
        for k in (2, 3, 5):
            found = shoal.levels(graph, reading, k=k)
            for v in graph.names:
                proof = found.certificate(v)
                why = proof.get("none_smaller", {})
                if why.get("by") == "weights":
                    more = proof["l"] + 1
                    lie = proof | {"l": more, "exact": False, "none_smaller": why | {"size": more}}
                    lie.pop("exposes", None)
                    assert shoal.check_certificate(graph, lie).holds is False
                    claims += 1
    assert claims > 20


@pytest.mark.parametrize("more", [[["b", 1]], [["b", 2]], [["c", 0]]])
def test_a_relation_that_is_stated_twice_is_refuted(more):
    """The second statement about a relation hid a false first one: a and b have two links, not one."""
    graph = shoal.as_graph(nx.MultiGraph([("a", "b"), ("a", "b")]), multigraph=True)
    proof = shoal.levels(graph, "relations", k=2).certificate("a")
    proof["exposes"] = {"known": [["b", 2]], "candidates": ["a"]}
    assert shoal.check_certificate(graph, proof).holds is True
    forged = proof | {"exposes": {"known": [*more, ["b", 2]], "candidates": ["a"]}}
    assert shoal.check_certificate(graph, forged).holds is False


def test_a_level_without_a_witness_is_certified_as_a_bound(monkeypatch):
    """The search for a witness goes another way than that for the level, and may end before it finds one."""
    monkeypatch.setattr("shoal.core.exposing_sets.EASY", 1)
    monkeypatch.setattr("shoal.core.exposing_sets.NODES", 3)
    graph = shoal.as_graph(nx.gnp_random_graph(13, 0.7, seed=5))
    found = shoal.levels(graph, k=2)
    assert (found.per_vertex[5], found.exact[5], found.witness(5)) == (3, True, None)
    proof = found.certificate(5)
    assert (proof["l"], proof["exact"], "exposes" in proof) == (3, False, False)
    assert shoal.check_certificate(graph, proof).holds is True
