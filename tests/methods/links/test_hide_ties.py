"""HideNeighbors, HideRelations and ShareNeighbors where links have directions and kinds, judged by the oracle."""

import random
import warnings
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import shoal
import ties_oracle as oracle
from shoal.data.graph import Graph
from shoal.errors import BadParameter, CannotPromise, Notice
from shoal.methods import EqualizeRows, HideNeighbors, HideRelations, ShareNeighbors
from shoal.methods.links._kernels import agreement
from shoal.methods.links.hide_neighbors.degrees import bound_edits, repair_degrees
from shoal.methods.links.hide_neighbors.lines import Lines, join_layers, split_layers
from shoal.methods.links.hide_neighbors.walk import READINGS, Aim, make_rows
from shoal.methods.links.share_neighbors.adding import Sharing, bound_links
from ties_oracle import Net

pytestmark = pytest.mark.filterwarnings(f"ignore::{Notice.__module__}.Notice")


def draw(rng, least=2, most=6):
    """Return a net without parallel links that has directions or kinds, and its graph."""
    while True:
        net = oracle.draw_net(rng, n=rng.randint(least, most))
        links = {(a, b, d, kind) if d or a < b else (b, a, d, kind) for a, b, d, kind in net.links}
        net = Net(net.vertices, tuple(sorted(links, key=str)))
        graph = oracle.as_graph(net, multigraph=False)
        if graph.ties is not None:
            return net, graph


def as_net(graph):
    """Return a graph as a net; its names are its vertices."""
    links = ((graph.names[a], graph.names[b], r.direction == "out", r.kind) for a, b, r in graph.each_link())
    return Net(tuple(graph.names), tuple(links))


def count_left(net, reading, l):
    """Return the fewest candidates that at most l known entries leave, by the definition."""
    known = {
        "neighbors": lambda: oracle.neighbors(net, l=l),
        "relations": lambda: oracle.relations(net, l=l),
        "located-relations": lambda: oracle.relations(net, l=l, located=True),
    }[reading]()
    return min(len(left) for some in known.values() for _, left in some)


def count_shared(net, l):
    return min(len(left) for left in oracle.shared_neighbors(net, l=l).values())


ARCS = [(a, b, True, None) for a in range(4) for b in range(4) if a != b]


def list_possible(net):
    """List all links that a release of a net may have."""
    forms = {(directed, kind) for _, _, directed, kind in net.links}
    pairs = [(a, b) for a in net.vertices for b in net.vertices if a != b]
    return [(a, b, d, kind) for d, kind in sorted(forms, key=str) for a, b in pairs if d or a < b]


def list_nets_near(net, *, add_only=False):
    """Yield all nets with their edits, fewest edits first."""
    there, possible = set(net.links), list_possible(net)
    changes = [link for link in possible if not (add_only and link in there)]
    for many in range(len(changes) + 1):
        for some in combinations(changes, many):
            yield many, Net(net.vertices, tuple(there ^ set(some)))


def find_fewest(net, holds, *, add_only=False):
    """Return the fewest edits after which a guarantee holds, None if it never does."""
    return next((many for many, other in list_nets_near(net, add_only=add_only) if holds(other)), None)


# ---------------------------------------------------------------- lines and layers


@pytest.mark.parametrize("seed", range(20))
def test_layers_are_the_graph(seed):
    _, graph = draw(random.Random(seed))
    layers = list(split_layers(graph))
    assert join_layers(graph, layers) == graph
    assert sum(layer.graph.m for layer in layers) == graph.m


@pytest.mark.parametrize("seed", range(20))
def test_lines_are_the_links_by_relation(seed):
    net, graph = draw(random.Random(seed))
    lines = Lines.of(graph)
    for v in range(graph.n):
        for r, relation in enumerate(graph.ties.relations):
            at = v * lines.many + r
            found = set(lines.indices[lines.indptr[at] : lines.indptr[at + 1]].tolist())
            assert found == {w for (w, one), _ in oracle.entries(net)[v].items() if one == tuple(relation)}


# ---------------------------------------------------------------- the compiled loops


def make(graph, reading, k, l, seed=1):
    return make_rows(graph, graph, Aim(k, l, reading, False, "test"), seed)


@pytest.mark.parametrize("seed", range(60))
def test_validity_agrees_with_the_oracle(seed):
    rng = random.Random(seed)
    net, graph = draw(rng, most=5)
    for reading in READINGS:
        for l in (1, 2, 3):
            k = rng.randint(1, min(4, graph.n))
            assert agreement.valid(make(graph, reading, k, l)) == (count_left(net, reading, l) >= k)


def set_lines(rows, u, row, n):
    """Return the bits of all lines after the row of u became `row`, entry by entry."""
    bits, many = rows.bits.copy(), len(rows.reversals)
    for r in range(many):
        for v in range(n):
            there, line = int(row[r, 0]) >> v & 1, v * many + int(rows.reversals[r])
            for at, end in ((u * many + r, v), (line, u)) if v != u else ():
                bits[at, 0] = np.uint64(int(bits[at, 0]) & ~(1 << end) | there << end)
    return bits


def count_bits(bits):
    return [int(word).bit_count() for word in bits[:, 0]]


@pytest.mark.parametrize("seed", range(60))
def test_a_change_is_made_exactly_if_the_graph_stays_valid(seed):
    rng = random.Random(seed)
    _, graph = draw(rng, least=3)
    reading, l = rng.choice(READINGS), rng.randint(1, 3)
    rows = make(graph, reading, 2, l)
    while agreement.remove(rows, np.arange(graph.n)):
        pass
    many = len(rows.reversals)
    for _ in range(8 if agreement.valid(rows) else 0):
        u, other = rng.sample(range(graph.n), 2)
        row = rows.bits[other * many : (other + 1) * many].copy()  # the row of another vertex, and one more change
        row[rng.randrange(many), 0] ^= np.uint64(1 << other)
        row[:, 0] &= ~np.uint64(1 << u)
        wanted, before = make(graph, reading, 2, l), rows.bits.copy()
        wanted.bits[:] = set_lines(rows, u, row, graph.n)
        wanted.degree[:] = count_bits(wanted.bits)
        changed = agreement.changed_to(rows, u, row.reshape(-1))
        assert changed == agreement.valid(wanted)
        assert (rows.bits == (wanted.bits if changed else before)).all()
        assert rows.degree.tolist() == count_bits(rows.bits)


@pytest.mark.parametrize("seed", range(40))
def test_the_walk_stays_valid_and_counts_its_edits(seed):
    rng = random.Random(seed)
    _, graph = draw(rng, least=3)
    rows = make(graph, rng.choice(READINGS), 2, rng.randint(1, 3), seed)
    while agreement.remove(rows, np.arange(graph.n)):
        pass
    if agreement.valid(rows):
        before = sum(count_bits(rows.bits ^ rows.original)) // 2
        more = agreement.walk(rows, 500, 0.6, 0.1)
        assert agreement.valid(rows)
        assert sum(count_bits(rows.bits ^ rows.original)) // 2 == before + more
        assert rows.degree.tolist() == count_bits(rows.bits)


# ---------------------------------------------------------------- releases


@pytest.mark.parametrize("seed", range(60))
def test_a_release_keeps_its_guarantee_by_the_oracle(seed):
    rng = random.Random(seed)
    _, graph = draw(rng)
    k, l, add_only = rng.randint(1, min(3, graph.n)), rng.randint(1, 3), rng.random() < 0.3
    for method, reading in (
        (HideNeighbors(k, l, add_only, effort=20), "neighbors"),
        (HideRelations(k, l, add_only=add_only, effort=20), "relations"),
        (HideRelations(k, l, True, add_only, effort=20), "located-relations"),
    ):
        try:
            release = method(graph)
        except CannotPromise:
            assert add_only or (reading == "located-relations" and graph.n - min(l, graph.n - 1) < k)
            continue
        assert count_left(as_net(release.data), reading, l) >= k
        assert not (add_only and release.edits.removed)
        edits = len(release.edits.added) + len(release.edits.removed)
        assert release.measured["edits"] == edits >= release.measured["lower bound on edits"]


@cache
def list_digraphs():
    return [net for net in oracle.list_nets(3, oracle.ARCS) if net.links]


@pytest.mark.parametrize("add_only", [False, True])
def test_one_neighbor_takes_the_fewest_edits_on_all_digraphs_of_3_vertices(add_only):
    for net in list_digraphs():
        fewest = find_fewest(net, lambda other: count_left(other, "neighbors", 1) >= 2, add_only=add_only)
        release = HideNeighbors(2, add_only=add_only)(oracle.as_graph(net, multigraph=False))
        assert release.measured["edits"] == fewest >= release.measured["lower bound on edits"]


@pytest.mark.parametrize("seed", range(12))
def test_no_release_has_fewer_edits_than_the_bound(seed):
    rng = random.Random(seed)
    net, graph = draw(rng, least=3, most=4)
    if len(list_possible(net)) <= 12:
        fewest = find_fewest(net, lambda other: count_left(other, "neighbors", 1) >= 2)
        assert bound_edits(graph, 2, add_only=False) <= fewest
        assert fewest <= HideNeighbors(2)(graph).measured["edits"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_no_graph_is_said_to_be_impossible_that_is_possible(seed):
    rng = random.Random(seed)
    net, graph = draw(rng, least=3, most=4)
    l = rng.randint(1, 2)
    for method, reading in (
        (HideNeighbors(2, l, add_only=True, effort=5), "neighbors"),
        (HideRelations(2, l, add_only=True, effort=5), "relations"),
    ):
        if len(list_possible(net)) <= 12:
            try:
                method(graph)
            except CannotPromise as error:
                if "does not prove" not in str(error):
                    assert find_fewest(net, lambda o, r=reading: count_left(o, r, l) >= 2, add_only=True) is None


def draw_large(n=60, m=400, seed=1):
    rng = np.random.default_rng(seed)
    a, b = (n * rng.random((2, m)) ** 2).astype(int)
    a, b = a[a != b], b[a != b]
    kinds = ["call" if x else "mail" for x in rng.random(len(a)) < 0.7]
    return Graph.from_pairs(range(n), a, b, directed=rng.random(len(a)) < 0.8, kinds=kinds)


def test_a_larger_network_takes_no_more_edits_than_equal_rows():
    graph = draw_large()
    equal = EqualizeRows(3, effort=100)(graph).measured["edits"]
    one, two = (HideNeighbors(3, l, effort=100)(graph).measured["edits"] for l in (1, 2))
    assert 2 * one < equal
    assert two <= equal


def test_degree_repair_leaves_no_short_line():
    for seed in range(5):
        graph = draw_large(seed=seed)
        for add_only in (False, True):
            made = repair_degrees(graph, 4, add_only, 0, "test")
            degree = Lines.of(made).degree
            assert ((degree == 0) | (degree >= 4)).all()
            assert shoal.assess(made, "neighbors:1").k >= 4


def test_a_layer_that_is_wide_enough_stays_as_it_is():
    ends = [(a, b) for a in range(4) for b in range(4) if a < b]
    a, b = zip(*ends, (0, 1), strict=True)
    kinds = ["kin"] * len(ends) + ["call"]
    graph = Graph.from_pairs("abcd", a, b, directed=[False] * len(ends) + [True], kinds=kinds)
    release = HideNeighbors(3)(graph)
    assert release.edits.added == ()
    assert release.measured["edits"] == release.measured["lower bound on edits"] == 1


def test_multiplicities_are_refused():
    graph = Graph.from_pairs("abc", [0, 0], [1, 1], directed=True, multigraph=True)
    for method in (HideNeighbors(2), HideRelations(2), ShareNeighbors(2)):
        with pytest.raises(BadParameter, match="multigraph"):
            method(graph)


# ---------------------------------------------------------------- shared neighbors


@pytest.mark.parametrize("seed", range(60))
def test_shared_neighbors_by_the_oracle(seed):
    rng = random.Random(seed)
    net, graph = draw(rng, most=7)
    k, l, variant = rng.randint(1, min(4, graph.n)), rng.randint(1, 3), rng.choice(["weak", "strong"])
    try:
        release = ShareNeighbors(k, l, variant, seed=seed)(graph)
    except CannotPromise:
        assert variant == "strong" or (k > 1 and l > graph.n - 2)
        return
    assert count_shared(as_net(release.data), l) >= k
    assert not release.edits.removed
    assert release.measured["edits"] == len(release.edits.added) >= release.measured["lower bound on edits"]
    if variant == "strong":
        left = oracle.shared_neighbors(as_net(release.data), net, {v: v for v in net}, l=l)
        assert min(len(some) for some in left.values()) >= k


@pytest.mark.parametrize("l", [1, 2])
def test_no_fewer_links_than_the_bound_are_enough_to_share(l):
    rng = random.Random(l)
    for _ in range(12):
        net, graph = draw(rng, least=4, most=4)
        if len(list_possible(net)) <= 12:
            fewest = find_fewest(net, lambda other: count_shared(other, l) >= 2, add_only=True)
            assert bound_links(graph, Sharing(l, 1, strong=False)) <= fewest
            assert fewest <= ShareNeighbors(2, l)(graph).measured["edits"]


@pytest.mark.slow
def test_every_added_link_is_needed():
    graph = draw_large(40, 60)
    release = ShareNeighbors(4, 2)(graph)
    net = as_net(release.data)
    new = set(net.links) - set(as_net(graph).links)
    assert len(new) == release.measured["edits"] > 0
    for link in new:
        assert count_shared(Net(net.vertices, tuple(x for x in net.links if x != link)), 2) < 4


@pytest.mark.parametrize("method", [HideNeighbors(3), HideNeighbors(3, 2, effort=20), ShareNeighbors(3, 2)])
def test_a_symmetric_digraph_is_protected_like_the_undirected_graph(method):
    plain = draw_large(30, 150).to_undirected().without_kinds()
    a, b, _ = plain.edges()
    both = Graph.from_pairs(plain.names, np.concatenate([a, b]), np.concatenate([b, a]), directed=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        knows = method(plain).promises[0].knowledge
        assert shoal.assess(method(both).data, knows).k >= 3
