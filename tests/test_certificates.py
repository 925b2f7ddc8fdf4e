"""Certificates: what is true is confirmed without searching, what is false is refuted."""

import networkx as nx
import pytest

import shoal

readings = pytest.mark.parametrize("reading", ["neighbors", "relations", "located-relations"])


@readings
def test_certificates_are_confirmed_without_searching(reading):
    outcomes = []
    for name in ("florentine", "karate", "les_miserables"):
        graph = getattr(shoal.examples, name)()
        for k in (2, 4):
            found = shoal.levels(graph, k, reading)
            for v in graph.names:
                proof = found.certificate(v)
                checked = shoal.verify_certificate(graph, proof)
                assert checked.holds is (None if proof.get("none_smaller", {}).get("by") == "search" else True)
                outcomes.append(checked.holds)
    assert outcomes.count(True) > 0.98 * len(outcomes)


def test_certificates_of_multigraphs():
    g = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "a"), ("a", "e"), ("c", "e")])
    graph = shoal.as_graph(g, multigraph=True)
    for found in (
        shoal.levels(graph, 2, "relations"),
        shoal.levels(graph, 2),
        shoal.levels(graph, 2, multiplicities=True),
    ):
        assert {shoal.verify_certificate(graph, found.certificate(v)).holds for v in graph.names} == {True}


@readings
def test_false_certificates_are_refuted(reading):
    graph = shoal.examples.les_miserables()
    found = shoal.levels(graph, 3, reading)
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
            assert shoal.verify_certificate(graph, lie).holds is False
            refuted += 1
    assert refuted > 100


def test_weights_that_prove_too_much_are_refuted():
    graph = shoal.examples.les_miserables()
    found = shoal.levels(graph, 2)
    proofs = [found.certificate(v) for v in graph.names]
    weighed = [proof for proof in proofs if proof.get("none_smaller", {}).get("by") == "weights"]
    assert weighed
    for proof in weighed:
        why = proof["none_smaller"]
        doubled = [[u, 2 * w] for u, w in why["weights"]]
        more = why | {"weights": doubled, "cap": 2 * why["cap"]}
        assert shoal.verify_certificate(graph, proof | {"none_smaller": more}).holds is False
        less = why | {"weights": why["weights"][: len(why["weights"]) // 2]}
        assert shoal.verify_certificate(graph, proof | {"none_smaller": less}).holds is False


def test_certificates_that_cannot_be_read():
    graph = shoal.examples.florentine()
    proof = shoal.levels(graph, 2).certificate("Medici")
    for damaged in ({}, proof | {"vertex": "Nobody"}, {**proof, "none_smaller": {"size": proof["l"], "by": "magic"}}):
        assert shoal.verify_certificate(graph, damaged).holds is None


FORGED = {
    "too few neighbors for pairs": (
        nx.Graph([("a", "b"), ("c", "d"), ("d", "e"), ("e", "c")]),
        {"vertex": "a", "k": 2, "reading": "neighbors", "l": 2, "none_smaller": {"size": 2, "by": "pairs"}},
    ),
    "an unknown reading": (
        nx.cycle_graph(4),
        {"vertex": 0, "k": 2, "reading": "Located-relations", "l": "every", "hidden": [0, 2]},
    ),
    "k above n": (
        nx.empty_graph(3),
        {"vertex": 0, "k": 99, "reading": "neighbors", "l": 1, "none_smaller": {"size": 1, "by": "degrees"}},
    ),
    "k is no number": (
        nx.star_graph(3),
        {"vertex": 0, "k": float("nan"), "reading": "neighbors", "l": 1, "none_smaller": {"size": 1, "by": "degrees"}},
    ),
    "l is below 0": (
        nx.star_graph(3),
        {"vertex": 0, "k": 2, "reading": "neighbors", "l": -1, "none_smaller": {"size": -1, "by": "degrees"}},
    ),
    "another schema": (
        nx.cycle_graph(4),
        {"schema": 99, "vertex": 0, "k": 2, "reading": "relations", "l": "every", "hidden": [0, 2]},
    ),
    "weights that are no whole numbers": (
        nx.Graph([("v", "x"), ("v", "y"), ("y", "p"), ("y", "q"), ("y", "r"), ("p", "q"), ("q", "r")]),
        {
            "vertex": "v", "k": 2, "reading": "neighbors", "l": 0.9,
            "none_smaller": {
                "size": 0.9, "by": "weights", "unit": 3, "cap": 1, "alike": [],
                "weights": [["p", 1], ["q", 1], ["r", 1]],
            },
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_forged_certificates_are_refuted(name):
    graph, claim = FORGED[name]
    assert shoal.verify_certificate(graph, {"schema": 1, "exact": False} | claim).holds is False


def test_a_certificate_states_only_true_facts():
    graph = shoal.examples.florentine()
    proof = shoal.levels(graph, 2).certificate("Ridolfi")
    wrong = proof["exposes"] | {"known": [[name, 7] for name, _ in proof["exposes"]["known"]]}
    assert shoal.verify_certificate(graph, proof | {"exposes": wrong}).holds is False


@readings
def test_weights_never_prove_one_more_than_is_true(reading):
    claims = 0
    for name in ("karate", "les_miserables"):
        graph = getattr(shoal.examples, name)()
        for k in (2, 3, 5):
            found = shoal.levels(graph, k, reading)
            for v in graph.names:
                proof = found.certificate(v)
                why = proof.get("none_smaller", {})
                if why.get("by") == "weights":
                    more = proof["l"] + 1
                    lie = proof | {"l": more, "exact": False, "none_smaller": why | {"size": more}}
                    assert shoal.verify_certificate(graph, lie).holds is False
                    claims += 1
    assert claims > 20
