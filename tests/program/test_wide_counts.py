"""Counts beyond 32 bits: sums of multiplicities, numbers of 2-paths, and lowered limits between 32 and 64 bits."""

import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import shoal
from draws import draw_cases
from shoal.core import grouping, incidence, refinement
from shoal.data import graph as graphs
from shoal.data import names as numbering
from shoal.data.graph import Graph
from shoal.errors import BadGraph, ShoalError
from shoal.relational import loading
from shoal.utility.base import Network
from shoal.utility.network import measure_clustering

FACTOR = 2**29
"""Multiplicities of 1 to 3 times this fit into 32 bits; the sums of a few do not: 8 times this is 0 there."""
KINDS = (
    "degree",
    "degree:total",
    "degree~50%",
    "refinement:2",
    "refinement",
    "hubs:2",
    "hubs:2:2:open",
    "subgraph:2",
    "neighborhood:1",
    "counts:1",
    "counts:2",
    "counts:1~50%",
    "degrees:1",
    "degrees:1~50%",
    "shared-neighbors:1",
    "neighbors:2",
    "neighbors:2~1",
    "relations:2",
    "located-relations:1",
    "adjacency",
    "orbit",
    "degree+neighbors:1",
)
LEAVES = 70_000
"""A star with so many leaves has more than 2**31 paths of two links."""


def draw_multigraph(case):
    """Return a function from a factor to a multigraph whose multiplicities are multiplied by it."""
    rng = random.Random(case)
    n = rng.randint(4, 12)
    pairs = sorted({tuple(sorted(rng.sample(range(n), 2))) for _ in range(2 * n)})
    times = [rng.randint(1, 3) for _ in pairs]
    ties = {} if case % 3 == 0 else {"directed": True}
    if case % 3 == 2:
        ties["kinds"] = [rng.choice("xy") for _ in pairs]

    def build(factor):
        a, b = zip(*pairs, strict=True)
        return Graph.from_pairs(range(n), a, b, counts=[x * factor for x in times], multigraph=True, **ties)

    return build


def answer(data, spec):
    """Return the sizes, or the kind of error where the knowledge does not go with the graph."""
    try:
        return shoal.assess(data, spec).sizes.tolist()
    except ShoalError as error:
        return type(error).__name__


def test_multiplying_all_multiplicities_changes_no_candidates():
    wide = 0
    for case in draw_cases(range(10**6), 20):
        build = draw_multigraph(case)
        small, large = build(1), build(FACTOR)
        wide += int(large.degree.max()) >= 2**32
        assert large.m == FACTOR * small.m
        for spec in KINDS:
            assert answer(large, spec) == answer(small, spec), spec
        for reading in ("neighbors", "relations"):
            found = [shoal.levels(one, reading, k=2).per_vertex.tolist() for one in (small, large)]
            assert found[0] == found[1], reading
    assert wide


def test_degrees_that_are_equal_in_32_bits_are_different():
    """Vertex 0 has 2**32 links more than vertex 1, and as many neighbors."""
    times = [2**31 - 1, 2**31 - 1, 5, 1, 1, 1]
    g = Graph.from_pairs(range(8), [0, 0, 0, 1, 1, 1], [2, 3, 4, 5, 6, 7], counts=times, multigraph=True)
    assert int(g.degree[0]) - int(g.degree[1]) == 2**32
    for spec in ("degree", "counts:1", "degrees:1", "refinement:2", "neighborhood:1"):
        assert shoal.assess(g, spec).sizes[:2].tolist() == [1, 1], spec


def test_two_paths_beyond_32_bits():
    star = Graph.from_pairs(range(LEAVES + 1), np.zeros(LEAVES, dtype=int), np.arange(1, LEAVES + 1))
    paths = LEAVES * (LEAVES - 1) // 2
    assert paths > 2**31
    for spec in ("degree", "counts:1", "degrees:1", "shared-neighbors:1", "neighbors:2", "relations:1", "orbit"):
        sizes = shoal.assess(star, spec).sizes
        assert sizes[0] == 1, spec
        assert (sizes[1:] == LEAVES).all(), spec
    closed = Graph.from_pairs(range(LEAVES + 1), [*[0] * LEAVES, 1], [*range(1, LEAVES + 1), 2])
    assert measure_clustering(Network.of(closed))["transitivity"] == 3 / (paths + 2)


def test_four_cycles_beyond_32_bits():
    """Two hubs with the same neighbors: each pair of these closes a cycle of length 4."""
    ids = np.arange(2, LEAVES + 2)
    g = Graph.from_pairs(range(LEAVES + 2), np.repeat([0, 1], LEAVES), np.tile(ids, 2))
    assert measure_clustering(Network.of(g))["4-cycles"] == LEAVES * (LEAVES - 1) // 2 > 2**31
    sizes = shoal.assess(g, "shared-neighbors:2").sizes
    assert sizes.tolist() == [2, 2, *[LEAVES] * LEAVES]


def draw_network(seed, ties):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 40, (2, 150))
    kinds = {"directed": True, "kinds": [f"k{x}" for x in rng.integers(0, 5, (a != b).sum())]} if ties else {}
    return Graph.from_pairs(range(40), a[a != b], b[a != b], multigraph=True, **kinds)


def list_answers():
    """Return the answers on simple and on tied networks, and on a table with wide numbers."""
    rng = np.random.default_rng(3)
    table = {"far": (rng.integers(0, 4, 60) * 2**40).tolist(), "near": rng.integers(0, 4, 60).tolist()}
    found = {
        (spec, ties): answer(draw_network(seed, ties), spec) for seed, ties in ((1, False), (2, True)) for spec in KINDS
    }
    found["levels"] = [shoal.levels(draw_network(2, True), one, k=2).per_vertex.tolist() for one in ("relations",)]
    return found | {spec: answer(table, spec) for spec in ("columns:far,near", "some-columns:1")}


list_right_answers = cache(list_answers)


@pytest.mark.parametrize(
    ("module", "name", "lowered"),
    [
        (grouping, "WIDE", 2),  # codes are renumbered to fit into 32 bits
        (incidence, "WIDE", 0),  # entries are looked up by search, not in a table
        (refinement, "WIDE", 0),  # colors of links are renumbered
        (graphs, "MANY", 0),  # rows by counting sorts
        (graphs, "WINDOW", 2),
    ],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_lowered_limits_change_no_answer(monkeypatch, module, name, lowered):
    right = list_right_answers()
    monkeypatch.setattr(module, name, lowered)
    assert list_answers() == right


@pytest.fixture
def wide_indices(monkeypatch):
    """Let scipy choose 64-bit indices, as it does beyond 2**31 entries; return the types that were asked for."""
    from scipy.sparse import _sputils

    asked = []

    def choose(*_, **__):
        asked.append(np.int64)
        return np.int64

    monkeypatch.setattr(_sputils, "get_index_dtype", choose)
    return asked


def test_rows_are_the_same_with_64_bit_indices(monkeypatch, wide_indices):
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 30, (2, 400))
    a, b = a[a != b], b[a != b]
    monkeypatch.setattr(graphs, "MANY", 10**9)
    right = Graph.from_pairs(range(30), a, b, multigraph=True)
    assert not wide_indices
    monkeypatch.setattr(graphs, "MANY", 0)
    found = Graph.from_pairs(range(30), a, b, multigraph=True)
    assert wide_indices
    for one, other in ((right.indptr, found.indptr), (right.indices, found.indices)):
        assert np.array_equal(one, other)
    assert np.array_equal(right.multiplicity, found.multiplicity)
    assert graphs.count_ordered_pairs(30, a, b) == len({*zip(a.tolist(), b.tolist(), strict=True)})


def test_merged_rows_keep_the_width_of_their_starts():
    """Starts of rows beyond 2**31 would become negative in 32 bits."""
    for width in (np.int32, np.int64):
        starts, near, times = graphs._merge_repeats(np.array([0, 3, 4], dtype=width), np.array([1, 1, 2, 0]))
        assert starts.dtype == width
        assert (starts.tolist(), near.tolist(), times.tolist()) == ([0, 2, 3], [1, 2, 0], [2, 1, 1])


def test_more_vertices_than_ids_are_refused(monkeypatch):
    g = Graph.from_pairs(range(6), [0, 1, 2], [1, 2, 3])
    monkeypatch.setattr(graphs, "FEWER", 10)
    assert Graph.from_pairs(range(9), [7], [8]).n == 9
    with pytest.raises(BadGraph, match="10"):
        Graph.from_pairs(range(10), [7], [8])
    with pytest.raises(BadGraph, match="12"):
        g.beside(g)  # facts of an original are compared in the union of both graphs


def test_more_texts_than_places_are_numbered_the_same(monkeypatch):
    import pyarrow as pa

    rng = random.Random(1)
    columns = [[f"p{rng.randrange(40)}" for _ in range(200)] for _ in range(2)]

    def number():
        names, a, b = numbering.number_texts([pa.chunked_array([column]) for column in columns])
        return names, a.tolist(), b.tolist()

    right = number()
    monkeypatch.setattr(numbering, "FEWER", 400)
    monkeypatch.setattr(numbering, "_number_by_words", None)  # has too few bits for these
    assert number() == right
    monkeypatch.setattr(numbering, "FEWER", 401)
    with pytest.raises(TypeError):
        number()


@pytest.mark.slow
def test_relational_ids_beyond_the_limit_are_numbered(monkeypatch, tmp_path):
    pytest.importorskip("duckdb")
    import pyarrow as pa
    from pyarrow import parquet

    ends = list(pairwise(np.random.default_rng(1).permutation(60).tolist()))
    links = pa.table({"src": [a for a, _ in ends], "dst": [b for _, b in ends]})
    parquet.write_table(links, tmp_path / "links.parquet")

    monkeypatch.setattr(loading, "INTEGERS", 3)
    with shoal.relational.open_network(tmp_path / "links.parquet", undirected=True) as network:
        found = [shoal.relational.assess(network, spec).histogram() for spec in ("degree", "refinement:2")]
    assert found == [{2: 2, 58: 58}, {2: 4, 56: 56}]
