"""Certificates: what is true is confirmed without searching, what is false is refuted."""

from functools import partial
from itertools import combinations, product
from random import Random

import networkx as nx
import pytest
import scipy.optimize

import shoal
import ties_oracle as ties
from draws import SEED, draw_cases
from messages import tells
from shoal.risk import certificate as maker

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


# Forged certificates, judged by all sets of known entries

FAMILIES = {
    "neighbors": ties.neighbors,
    "exact-neighbors": partial(ties.neighbors, multiplicities=True),
    "relations": ties.relations,
    "located-relations": partial(ties.relations, located=True),
}
families = pytest.mark.parametrize("reading", FAMILIES)
MANY = 3
"""Sets of up to so many known entries are judged."""
PLAIN, DOUBLE = ((False, False, None),), ((False, False, None), (False, False, None))
NETS = [
    *(net for n in (2, 3, 4) for net in ties.list_nets(n, ((), PLAIN))),
    *ties.list_nets(3, ((), PLAIN, DOUBLE)),
    *ties.list_nets(3, ties.ARCS),
    *ties.list_nets(3, ties.TWO_KINDS),
]


def draw_claims(reading):
    """Yield nets with what all certificates of a vertex begin with, and the candidates of each of its sets."""
    for net in draw_cases(NETS, 10):
        found = FAMILIES[reading](net, l=MANY)
        schema = 1 if ties.as_graph(net).ties is None else 2
        for v, k in product(net, range(1, len(net) + 1)):
            yield net, {"schema": schema, "vertex": v, "k": k, "reading": reading}, found[v]


def is_level(family, k, l):
    """The definition: no set of up to l known entries leaves fewer than k candidates."""
    return all(len(left) >= k for some, left in family if len(some) <= l)


def write_entry(schema, w, relation, q):
    return [w, q] if schema == 1 else [w, q, {"kind": relation[0], "direction": relation[1]}]


def count_links(net, reading, v, entry):
    """Return how many links an entry says that v has; for neighbors, only whether there are any."""
    q = ties.entries(net)[v][entry]
    return min(q, 1) if reading == "neighbors" else q


COUNTED = {"nothing": 0, "degrees": 1, "pairs": 2}


@pytest.mark.slow
@families
def test_counted_evidence_confirms_what_is_true_and_nothing_else(reading):
    outcomes = []
    for net, begin, family in draw_claims(reading):
        graph = ties.as_graph(net)
        for l, by in product(range(MANY + 1), COUNTED):
            for size in {l, COUNTED[by]}:
                claim = begin | {"l": l, "exact": False, "none_smaller": {"size": size, "by": by}}
                true = COUNTED[by] == size == l and is_level(family, begin["k"], l)
                assert shoal.check_certificate(graph, claim).holds is true, (net, claim)
                outcomes.append(true)
    assert {*outcomes} == {True, False}


@pytest.mark.slow
@families
def test_only_entries_that_may_be_known_expose(reading):
    """The candidates are always those that the entries leave; most entries are those of another row, or of no row."""
    random = Random(f"{SEED} exposes {reading}")
    outcomes = []
    for net, begin, family in draw_claims(reading):
        graph, v, k = ties.as_graph(net), begin["vertex"], begin["k"]
        relations = ties.list_relations(net)
        entries = [*product([*net, "Nobody"], relations), (net.vertices[0], ("no kind", "out"))]
        entries = entries if begin["schema"] == 2 else entries[:-1]
        allowed = {entry for some, _ in family for entry in some}
        for _ in range(6):
            some = random.sample(entries, min(random.choice([1, 1, 2, 3]), len(entries)))
            told = {x: count_links(net, reading, v, x) + random.choice([0, 0, 0, 1]) for x in some}
            left = [
                u
                for u in net
                if all(count_links(net, reading, u, x) == q for x, q in told.items())
                and not (reading == "located-relations" and u in {w for w, _ in some})
            ]
            l = len(some) - 1
            known = [write_entry(begin["schema"], *x, q) for x, q in told.items()]
            claim = begin | {
                "l": l,
                "exact": True,
                "exposes": {"known": known, "candidates": left},
                "none_smaller": {"size": l, "by": [*COUNTED][l]},
            }
            stated = all(x in allowed and q == count_links(net, reading, v, x) for x, q in told.items())
            true = stated and len(left) < k and is_level(family, k, l)
            assert shoal.check_certificate(graph, claim).holds is true, (net, claim)
            outcomes.append(true)
    assert {*outcomes} == {True, False}


@pytest.mark.slow
@families
def test_vertices_are_hidden_if_no_entry_distinguishes_them(reading):
    outcomes = []
    for net, begin, family in draw_claims(reading):
        graph, v = ties.as_graph(net), begin["vertex"]
        for size in range(len(net) + 1):
            for hidden in combinations(net, size):
                claim = begin | {"l": "every", "exact": True, "hidden": [*hidden]}
                true = v in hidden and size >= begin["k"] and all(left >= {*hidden} for _, left in family)
                checked = shoal.check_certificate(graph, claim)
                assert checked.holds is true, (net, claim)
                outcomes.append((true, checked.reason))
    assert {true for true, _ in outcomes} == {True, False}
    assert all(("too few" in reason) is not true for true, reason in outcomes)


@pytest.mark.slow
@families
def test_weights_confirm_nothing_that_is_false(reading):
    random = Random(f"{SEED} weights {reading}")
    outcomes = []
    for net, begin, family in draw_claims(reading):
        graph = ties.as_graph(net)
        for _ in range(12):
            weights = [[u, random.choice([-1, 0, 1, 1, 2])] for u in net if random.random() < 0.6]
            alike = [u for u in net if random.random() < 0.2]
            l, unit, cap = random.randint(0, MANY), random.choice([0, 1, 1, 2]), random.choice([1, 1, 2])
            why = {"by": "weights", "unit": unit, "cap": cap, "weights": weights, "alike": alike, "size": l}
            holds = shoal.check_certificate(graph, begin | {"l": l, "exact": False, "none_smaller": why}).holds
            if holds:
                assert is_level(family, begin["k"], l), (net, begin, why)
            outcomes.append(holds)
    assert {True, False} <= {*outcomes}


WEIGHTS = {"size": 1, "by": "weights", "unit": 1, "cap": 1, "alike": [4], "weights": [[2, 1], [3, 1]]}
"""1 and 4 have the neighbors a, b and c. 2 lacks a and 3 lacks b, so 1 entry leaves 1, 4 and one of 2 and 3."""
TOLD = {"schema": 1, "vertex": 1, "k": 3, "reading": "neighbors", "l": 1, "exact": False, "none_smaller": WEIGHTS}
FAULTY = {
    "a weight above the cap": {"weights": [[2, 1], [3, 2]], "unit": 2},
    "a relation with more weight than the unit": {"weights": [[2, 1], [3, 1], [5, 1]]},
    "a vertex that is weighed twice": {"weights": [[2, 1], [3, 1], [2, 1]]},
    "the weighed vertex is the one exposed": {"weights": [[1, 1], [2, 1], [3, 1]]},
    "a vertex both alike and weighed": {"weights": [[2, 1], [3, 1], [4, 1]]},
    "a vertex that is not alike": {"alike": [4, 3], "weights": [[2, 1]]},
    "too little weight": {"weights": [[2, 1]]},
    "one alike vertex too few": {"alike": []},
    "the exposed vertex counts twice": {"alike": [1]},
    "sets of another size": {"size": 0},
}


def take_net():
    g = nx.Graph([(v, w) for v, near in {1: "abc", 2: "bc", 3: "ac", 4: "abc", 5: "c"}.items() for w in near])
    return shoal.as_graph(g)


def test_weights_that_fit_are_confirmed():
    assert shoal.check_certificate(take_net(), TOLD).holds is True
    assert shoal.levels(take_net(), k=3).per_vertex[take_net().names.id(1)] == 1


@pytest.mark.parametrize("name", FAULTY)
def test_weights_with_one_fault_are_refuted(name):
    claim = TOLD | {"none_smaller": WEIGHTS | FAULTY[name]}
    assert shoal.check_certificate(take_net(), claim).holds is False


def test_negative_weights_do_not_hide_that_relations_weigh_too_much():
    """The entries a and b leave only v. The weight of z below 0 would make up for those of x and y."""
    graph = shoal.as_graph(nx.Graph([("v", "a"), ("v", "b"), ("x", "b"), ("y", "a"), ("z", "c")]))
    why = {"size": 2, "by": "weights", "unit": 1, "cap": 10, "alike": [], "weights": [["x", 10], ["y", 10], ["z", -9]]}
    claim = {"schema": 1, "vertex": "v", "k": 2, "reading": "neighbors", "l": 2, "exact": False, "none_smaller": why}
    assert shoal.levels(graph, k=2).per_vertex[graph.names.id("v")] == 1
    assert shoal.check_certificate(graph, claim).holds is False


def test_people_without_links_are_ruled_out_by_their_place():
    """One entry rules out both a and b, but each of the others needs one of its own: 4 entries leave v and one more."""
    names = ["v", "a", "b", "p", "q", "r", "s"]
    graph = shoal.Graph.from_pairs(names, [1], [2], directed=True)
    found = shoal.levels(graph, "located-relations", k=3)
    assert found.per_vertex[0] == 3
    for l, unit, true in ((3, 1, True), (4, 1, False), (4, 10, False)):
        weights = [["a", 1], *([u, unit] for u in "pqrs")]
        why = {"size": l, "by": "weights", "unit": 1, "cap": unit, "alike": [], "weights": weights}
        claim = {"schema": 2, "vertex": "v", "k": 3, "reading": "located-relations", "l": l, "exact": False}
        assert shoal.check_certificate(graph, claim | {"none_smaller": why}).holds is true


def test_a_search_is_neither_confirmed_nor_refuted():
    claim = TOLD | {"none_smaller": {"size": 1, "by": "search"}}
    checked = shoal.check_certificate(take_net(), claim)
    assert checked.holds is None
    assert "exhaustive search" in checked.reason


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ({key: EVERY[key] for key in EVERY if key != "hidden"}, "it lacks the key 'hidden'"),
        (EVERY | {"schema": 7}, "it has 7 for 'schema'"),
        (SOME | {"exposes": {"known": []}}, "'exposes' lacks the key 'candidates'"),
        (SOME | {"none_smaller": {"size": 0}}, "'none_smaller' lacks the key 'by'"),
        (SOME | {"none_smaller": WEIGHED | {"cap": True}}, "'none_smaller' has True for 'cap'"),
    ],
)
def test_the_reason_names_what_cannot_be_read(claim, where):
    assert where in shoal.check_certificate(nx.cycle_graph(4), claim).reason


def test_the_reason_says_which_of_the_two_networks_has_directions():
    plain, directed = nx.path_graph(4), nx.path_graph(4, nx.DiGraph)
    one, other = (
        shoal.check_certificate(graph, EVERY | {"schema": schema}).reason
        for graph, schema in ((plain, 2), (directed, 1))
    )
    assert tells(one, "links with a direction", "this network have neither.")
    assert tells(other, "links without direction", "this network have one.")


# What certificates hold


@readings
def test_as_many_hidden_vertices_are_shown_as_candidates_are_asked(reading):
    graph = shoal.as_graph(nx.complete_bipartite_graph(3, 7))
    for k in (1, 2, 4, 7):
        found = shoal.levels(graph, reading, k=k)
        for v in graph.names:
            proof = found.certificate(v)
            if proof["l"] == "every":
                assert proof["hidden"][0] == v
                assert len({*proof["hidden"]}) == len(proof["hidden"]) == k


@readings
def test_small_sets_are_counted_and_larger_ones_weighed(reading):
    """Pairs of neighbors are few; pairs of all entries of a row may be very many."""
    graph = shoal.as_graph(nx.gnp_random_graph(18, 0.5, seed=16))
    found, shown = shoal.levels(graph, reading, k=3), set()
    for v in (graph.names[i] for i in (found.per_vertex < 3).nonzero()[0]):
        proof = found.certificate(v)
        assert proof["none_smaller"]["size"] == proof["l"]
        shown.add((proof["l"], proof["none_smaller"]["by"]))
    assert shown == {(1, "degrees"), (2, "pairs" if reading == "neighbors" else "search")}


def confirm_all(graph, reading, k):
    """Assert that no certificate is refuted; return those with weights."""
    found = shoal.levels(graph, reading, k=k)
    proofs = [found.certificate(v) for v in graph.names]
    for proof in proofs:
        searched = proof.get("none_smaller", {}).get("by") == "search"
        assert shoal.check_certificate(graph, proof).holds is (None if searched else True)
    return [proof for proof in proofs if proof.get("none_smaller", {}).get("by") == "weights"]


@pytest.mark.parametrize("unit", [1_000_000, 100])
def test_weights_are_given_only_where_they_prove_the_level(unit, monkeypatch):
    """A small unit makes weights coarse: fewer of them prove the level, and some are just too small."""
    monkeypatch.setattr(maker, "UNIT", unit)
    weighed = confirm_all(shoal.examples.les_miserables(), "neighbors", 3)
    assert (len(weighed) > 20) is (unit > 100)


@pytest.mark.parametrize(("reading", "k"), [("neighbors", 3), ("relations", 3), ("relations", 5)])
def test_weights_prove_all_levels_of_the_karate_club(reading, k):
    graph = shoal.examples.karate()
    found = shoal.levels(graph, reading, k=k)
    by = {found.certificate(v).get("none_smaller", {}).get("by") for v in graph.names}
    assert "weights" in by
    assert "search" not in by


def test_weights_prove_the_level_of_a_vertex_without_links():
    """Each of the 12 other vertices is ruled out by one entry, and by no other."""
    graph = nx.Graph([(f"{pair} left", f"{pair} right") for pair in range(6)])
    graph.add_node("v")
    (proof,) = (proof for proof in confirm_all(shoal.as_graph(graph), "relations", 2) if proof["vertex"] == "v")
    assert proof["l"] == 11


@pytest.mark.parametrize("reading", ["relations", "located-relations"])
@pytest.mark.parametrize("seed", [7, 10, 16])
def test_weights_that_are_good_for_too_few_vertices_are_not_given(reading, seed):
    """What is left of the weights must be more than the cap, which one vertex may have alone."""
    assert not confirm_all(shoal.as_graph(nx.gnp_random_graph(18, 0.5, seed=seed)), reading, 3)


def test_where_no_weights_are_found_it_rests_on_the_search(monkeypatch):
    graph = shoal.examples.les_miserables()
    found = shoal.levels(graph, k=2)
    v = next(v for v in graph.names if found.certificate(v).get("none_smaller", {}).get("by") == "weights")
    options = {"presolve": False, "maxiter": 0}
    monkeypatch.setattr(scipy.optimize, "linprog", partial(scipy.optimize.linprog, options=options))
    proof = found.certificate(v)
    assert proof["none_smaller"] == {"size": proof["l"], "by": "search"}
    assert shoal.check_certificate(graph, proof).holds is None


def test_where_all_that_might_get_weights_are_alike_it_rests_on_the_search(monkeypatch):
    """Each known entry rules out one end of a link, so three leave 7 of these 10 vertices."""
    monkeypatch.setattr(maker, "ROWS", 4)
    graph = nx.empty_graph(6)
    graph.add_edges_from([("a", "b"), ("c", "d")])
    found = shoal.levels(graph, "relations", k=7)
    assert found.per_vertex[0] == 3
    assert found.certificate(0)["none_smaller"] == {"size": 3, "by": "search"}


@readings
def test_the_most_similar_vertices_get_the_weights(reading, monkeypatch):
    """Fewer than 12 vertices with a common neighbor differ in fewer relations than one that has a weight."""
    monkeypatch.setattr(maker, "ROWS", 12)
    graph = nx.compose(nx.connected_caveman_graph(5, 6), nx.gnp_random_graph(30, 0.2, seed=2))
    graph = nx.Graph(nx.les_miserables_graph().edges) if reading == "neighbors" else graph
    near = {v: {*graph[v]} for v in graph}
    weighed = confirm_all(shoal.as_graph(graph), reading, 2)
    assert weighed
    for proof in weighed:
        v = proof["vertex"]
        differ = {u: near[v] - near[u] if reading == "neighbors" else near[v] ^ near[u] for u in near}
        if reading == "located-relations":
            differ = {u: (some | {u}) - {v} for u, some in differ.items()}
        similar = sorted(len(differ[u]) for u in near if u != v and differ[u] and near[u] & near[v])
        given = [len(differ[u]) for u, _ in proof["none_smaller"]["weights"]]
        assert len(given) <= 12
        assert sum(many < max(given) for many in similar) < 12
