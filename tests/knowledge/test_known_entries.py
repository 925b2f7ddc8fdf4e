"""Known entries of rows: facts in words and data, joined with columns, with an original, and drawn at random."""

import json
from random import Random

import networkx as nx
import numpy as np
import pytest

import oracle
import shoal
import ties_oracle as ties
from draws import SEED
from laws import assert_agrees, quietly
from messages import tells
from shoal.core.incidence import Incidence, join_incidences
from shoal.knowledge import describe_facts
from shoal.knowledge.neighbors import describe_entries
from shoal.knowledge.view import View

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")

SPECS = [
    "shared-neighbors:2",
    "neighbors:2",
    "neighbors:2:multiplicities",
    "neighbors:3~1",
    "relations:2",
    "located-relations:2",
]


def draw_net(random, n=4, names=None):
    names = list(range(n)) if names is None else names[:n]
    pairs = [(a, b) for a in names for b in names if a != b and random.random() < 0.6]
    links = [(a, b, random.random() < 0.6, random.choice("xy")) for a, b in pairs for _ in range(random.randint(1, 2))]
    return ties.Net(tuple(names), (*links, (names[0], names[1], True, "x")))


def judge_of(spec):
    return ties.ORACLES.get(spec) or (lambda *args: ties.neighbors(*args, l=3, errors=1))


def with_town(net, towns):
    return ties.as_graph(net).with_attributes(shoal.Table.of({"town": towns}))


@pytest.mark.parametrize("spec", SPECS)
def test_joined_with_columns(spec):
    random = Random(f"{SEED} {spec}")
    for _ in range(10):
        net = draw_net(random)
        towns = [random.choice("pq") for _ in net]
        same = {v: frozenset(u for u in net if towns[u] == towns[v]) for v in net}
        risk = shoal.assess(with_town(net, towns), f"{spec}+columns:town")
        assert_agrees(risk, oracle.both(judge_of(spec)(net), same))


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_joined_with_columns_and_facts_from_the_original(spec):
    random = Random(f"{SEED} {spec}")
    for _ in range(6):
        net, original = draw_net(random, names=list("pqrs")), draw_net(random)
        mapping = dict(zip(random.sample(range(4), 3), random.sample("pqrs", 3), strict=True))
        towns = {v: random.choice("pq") for v in [*net, *original]}
        same = {v: frozenset(u for u in net if towns[u] == towns[v]) for v in original}
        graphs = [with_town(one, [towns[v] for v in one]) for one in (net, original)]
        risk = quietly(graphs[0], f"{spec}+columns:town", original=graphs[1], mapping=mapping)
        assert_agrees(risk, oracle.both(judge_of(spec)(net, original, mapping), same))


def test_two_sets_of_known_entries():
    random = Random(SEED)
    for _ in range(5):
        net = draw_net(random)
        risk = shoal.assess(ties.as_graph(net), "neighbors:1+relations:1")
        assert_agrees(risk, oracle.both(ties.neighbors(net, l=1), ties.relations(net, l=1)))


PAYMENTS = shoal.Graph.from_pairs(["Ann", "Bob", "Cleo", "Dan"], [0, 1, 2, 0], [1, 2, 0, 3], directed=True)
CALLS = shoal.Graph.from_pairs(
    ["Ann", "Bob", "Cleo", "Dan"], [0, 1, 2, 0], [1, 2, 0, 3], directed=[True, False, True, True], kinds="ckcm"
)


def test_a_fact_holds_its_direction_and_kind():
    (fact,) = shoal.assess(PAYMENTS, "neighbors:1").witness("Dan").knows
    assert fact.value == {"known": [("Ann", 1, {"kind": None, "direction": "in"})], "exactly": False}
    assert json.loads(json.dumps(fact.value))["known"] == [["Ann", 1, {"kind": None, "direction": "in"}]]
    (fact,) = shoal.assess(CALLS, "neighbors:1").witness("Dan").knows
    assert fact.value["known"] == [("Ann", 1, {"kind": "m", "direction": "in"})]


def test_facts_are_told_with_direction_and_kind():
    told = [describe_facts(shoal.assess(graph, "neighbors:1").witness("Dan").knows) for graph in (PAYMENTS, CALLS)]
    assert told == ["is linked from Ann", "has the m link from Ann"]
    risk = shoal.assess(PAYMENTS, "relations:2")
    assert all(describe_facts(risk.witness(v).knows) for v in PAYMENTS.names)
    assert "both ways" in describe_entries([("Ann", 1, {"kind": None, "direction": "both"})])
    assert "missing" in describe_entries([("Ann", 1, {"kind": "", "direction": "both"})])


def test_shared_neighbors_are_told_with_direction():
    risk = shoal.assess(PAYMENTS, "shared-neighbors:1")
    assert tells(describe_facts(risk.witness("Ann").knows), "links to Bob and Dan", "is linked from Cleo")


def test_facts_with_relations_are_redacted():
    for spec in ("neighbors:2", "relations:2", "shared-neighbors:2"):
        for fact in shoal.assess(CALLS, spec).witness("Ann").knows:
            redacted = json.dumps(type(shoal.parse_knowledge(spec)).redact_fact(fact, lambda name: "person"))
            assert "Bob" not in redacted
            assert "direction" in redacted


def test_a_neighbor_with_two_relations_is_shared_once():
    """a and b both send to w and receive from it: one neighbor in common, not two."""
    net = ties.Net((*"abw",), tuple((x, y, True, None) for x, y in ("aw", "wa", "bw", "wb")))
    assert [shoal.assess(ties.as_graph(net), f"shared-neighbors:{l}").sizes.tolist() for l in (1, 2)] == [
        [2, 2, 1],
        [1, 1, 1],
    ]


def test_an_entry_of_the_original_that_the_release_lacks_leaves_no_candidate():
    original = shoal.Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
    turned = shoal.Graph.from_pairs("abc", [1, 2], [0, 1], directed=True)
    risk = shoal.assess(turned, "neighbors:1", original=original)
    assert risk.sizes.tolist() == [1, 3, 1]  # b is known by "a links to b" and "b links to c", which do not occur there
    assert risk.misled == ()


def test_a_release_without_links_is_compared_with_a_directed_original():
    empty = shoal.Graph.from_pairs("abc", [], [])
    original = shoal.Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
    assert shoal.assess(empty, "neighbors:2", original=original).sizes.tolist() == [3, 3, 3]
    located = shoal.assess(empty, "located-relations:2", original=original).sizes
    assert located.tolist() == [1, 1, 1]  # one entry about each of the others is missing there too


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["neighbors:2", "neighbors:3~1", "relations:3", "located-relations:3"])
def test_drawn_facts_leave_what_the_definition_says(spec):
    random, rng = Random(f"{SEED} {spec}"), np.random.default_rng(SEED)
    for _ in range(10):
        net = draw_net(random, n=5)
        graph, part = ties.as_graph(net), shoal.parse_knowledge(spec)
        drawn = part.draw_facts(graph, np.ones(graph.n, dtype=bool))
        seek = drawn.seek(View.of(graph, None, None))
        family = (judge_of(spec) if spec in ties.ORACLES or "~" in spec else relations_of(spec))(net)
        for v in net:
            left = seek(v, drawn.draw(v, rng))
            ids = left.ids.tolist() if left.inside else [u for u in range(left.n) if u not in left.ids.tolist()]
            assert frozenset(ids) in {us for _, us in family[v]}
            assert v in ids


def relations_of(spec):
    return lambda net: ties.relations(net, l=3, located=spec.startswith("located"))


def test_the_incidence_of_a_plain_graph_is_the_graph():
    graph = shoal.as_graph(nx.karate_club_graph())
    found = Incidence.of(graph, "neighbors")
    assert found.indices is graph.indices
    assert found.indptr is graph.indptr


@pytest.mark.parametrize("reading", ["neighbors", "exact-neighbors", "relations", "located-relations"])
@pytest.mark.parametrize("wide", [0, 1 << 22])
def test_rows_and_columns_of_an_incidence(reading, wide, monkeypatch):
    monkeypatch.setattr("shoal.core.incidence.WIDE", wide)
    random = Random(f"{SEED} {reading}")
    for _ in range(10):
        net, other = draw_net(random), draw_net(random)
        graph, original = ties.as_graph(net), ties.as_graph(other)
        found, rows = join_incidences(graph, original, np.array([2, -1, 0, 1]), reading)
        to = {0: 2, 2: 0, 3: 1}
        for v in net:
            assert read(found, v, found.row(v), found.times(v)) == spell(ties.entries(net)[v], reading)
            items = rows[1][rows[0][v] : rows[0][v + 1]]
            times = np.ones(len(items), int) if rows[2] is None else rows[2][rows[0][v] : rows[0][v + 1]]
            mine = {(to[w], r): q for (w, r), q in ties.entries(other)[v].items() if w in to}
            assert read(found, v, items, times) == spell(mine, reading)
        for x in range(found.start, found.start + found.items):
            have = [v for v in net if x in found.row(v).tolist()]
            assert found.row(x).tolist() == have
            assert x in found.list_owned(found.owner(x))


def read(found, v, items, times):
    return {(found.owner(x), tuple(found.relation(x))): int(q) for x, q in zip(items, times, strict=True)}


def spell(row, reading):
    return {entry: 1 if reading == "neighbors" else q for entry, q in row.items()}
