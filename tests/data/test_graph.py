import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import Graph, Table
from shoal.data import graph
from shoal.data.graph import count_ordered_pairs
from shoal.data.names import Names
from shoal.errors import BadGraph, Notice

PAIRS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=40
)


def test_rows_are_sorted_and_frozen():
    g = Graph.from_pairs("abc", [2, 0], [1, 1])
    assert g.indptr.tolist() == [0, 1, 3, 4]
    assert g.indices.tolist() == [1, 0, 2, 1]
    with pytest.raises(ValueError, match=r"read-only"):
        g.indices[0] = 2


def test_repeated_pairs_are_counted_in_a_notice():
    with pytest.warns(Notice, match=r"2 of 3 pairs.*multigraph=True.*--multigraph"):
        g = Graph.from_pairs("ab", [0, 1, 0], [1, 0, 1])
    assert g.m == 1
    assert g.multiplicity is None


def test_a_multigraph_keeps_multiplicities():
    g = Graph.from_pairs("abc", [0, 1, 1], [1, 0, 2], multigraph=True)
    assert g.m == 3
    assert g.degree.tolist() == [2, 3, 1]
    assert list(g.each_edge()) == [(0, 1), (0, 1), (1, 2)]
    assert repr(g) == "Multigraph(3 vertices, 3 edges)"


def test_counts_are_summed_exactly():
    big = 2**30
    g = Graph.from_pairs("ab", [0, 1], [1, 0], counts=np.array([big, 1]), multigraph=True)
    assert g.m == big + 1
    with pytest.raises(BadGraph, match=r"fewer than 2\*\*31 edges"):
        Graph.from_pairs("ab", [0, 1], [1, 0], counts=np.array([big, big]), multigraph=True)


def test_loops_are_refused_with_the_option():
    with pytest.raises(BadGraph, match=r"1,.*'b'.*drop_loops=True.*--drop-loops"):
        Graph.from_pairs("ab", [0, 1], [1, 1])
    with pytest.warns(Notice, match=r"Loops left out: 1"):
        assert Graph.from_pairs("ab", [0, 1], [1, 1], drop_loops=True).m == 1


def test_a_graph_needs_a_vertex():
    with pytest.raises(BadGraph, match=r"at least one vertex"):
        Graph.from_pairs([], [], [])


def test_ids_must_be_vertices():
    with pytest.raises(BadGraph, match=r"0 to 1.*2"):
        Graph.from_pairs("ab", [0], [2])
    with pytest.raises(BadGraph, match=r"Got -1"):
        Graph.from_pairs("ab", [-1], [0])


def test_attributes_must_have_a_row_for_each_vertex():
    with pytest.raises(BadGraph, match=r"\(2\).*1"):
        Graph.from_pairs("ab", [0], [1], attributes=Table.of({"age": [1]}))


def test_equality_compares_names_edges_and_attributes():
    g = Graph.from_pairs("ab", [0], [1], attributes=Table.of({"x": [1, None]}))
    assert g == Graph.from_pairs("ab", [1], [0], attributes=Table.of({"x": [1.0, None]}))
    assert g != Graph.from_pairs("ab", [1], [0], attributes=Table.of({"x": [True, None]}))
    assert g != Graph.from_pairs("ac", [1], [0], attributes=Table.of({"x": [1, None]}))
    assert g.without_attributes() == Graph.from_pairs("ab", [0], [1], multigraph=True)
    assert g != "ab"


def test_disjoint_union():
    g = Graph.from_pairs("ab", [0], [1])
    both = g.beside(Graph.from_pairs("xyz", [0, 0], [2, 2], multigraph=True))
    assert list(both.each_edge()) == [(0, 1), (2, 4), (2, 4)]
    assert both.names == Names(range(5))


@pytest.mark.slow
@given(PAIRS)
def test_all_sorting_algorithms_agree(pairs):
    a, b = np.array(pairs).T
    by_keys = graph._compress_by_keys(7, a, b)
    for other in (
        graph._compress_by_counting(7, a, b, counted=True),
        graph._compress_by_weighted_keys(7, a, b, np.ones(len(a), dtype=np.int64)),
    ):
        for mine, theirs in zip(by_keys[:2], other[:2], strict=True):
            assert np.array_equal(mine, theirs)
        counts = [found[2] if found[2] is not None else np.ones(len(by_keys[1])) for found in (by_keys, other)]
        assert np.array_equal(*counts)
    assert np.array_equal(graph._compress_by_counting(7, a, b, counted=False)[1], by_keys[1])


def test_many_pairs_use_counting_sort():
    draw = np.random.default_rng(0)
    a = draw.integers(0, 50_000, graph.MANY)
    b = (a + draw.integers(1, 50_000, graph.MANY)) % 50_000
    g = Graph.from_pairs(Names(range(50_000)), a, b, multigraph=True)
    few = graph._compress_by_keys(50_000, a, b)
    assert np.array_equal(g.indptr, few[0])
    assert np.array_equal(g.indices, few[1])
    assert np.array_equal(g.multiplicity, few[2])


@pytest.mark.parametrize("multigraph", [True, False])
@pytest.mark.parametrize(
    ("counts", "came"),
    [([0, 1], "0"), ([-1, 1], "-1"), ([1, 1.5], "1.5"), ([1, float("nan")], "nan"), ([2**40, 1], str(2**40))],
)
def test_multiplicities_must_be_whole_numbers(counts, came, multigraph):
    with pytest.raises(BadGraph, match=rf"1.*1 others.*{came}"):
        Graph.from_pairs(range(3), [0, 1], [1, 2], counts=np.array(counts), multigraph=multigraph)


@pytest.mark.parametrize("counts", [[1], [1, 2, 3], [[1, 2]], ["1", "2"], [True, True], [None, 1]], ids=repr)
def test_counts_are_one_number_per_pair(counts):
    with pytest.raises(BadGraph, match="'counts' must hold"):
        Graph.from_pairs(range(3), [0, 1], [1, 2], counts=np.array(counts), multigraph=True)


def test_whole_counts_of_any_type_are_accepted():
    for counts in ([2, 1], np.array([2.0, 1.0]), np.array([2, 1], dtype=np.uint8), iter([2, 1])):
        g = Graph.from_pairs(range(3), [0, 1], [1, 2], counts=counts, multigraph=True)
        assert (g.m, g.degree.tolist()) == (3, [2, 3, 1])
    assert Graph.from_pairs(range(3), [], [], counts=[], multigraph=True).m == 0


def test_a_pair_has_two_ends():
    with pytest.raises(BadGraph, match="2 sources and 1 targets"):
        Graph.from_pairs(range(3), [0, 1], [1])


@pytest.mark.parametrize("many", [0, 50, 150_000])
def test_ordered_pairs_are_counted(many):
    draw = np.random.default_rng(many)
    a, b = draw.integers(0, 300, (2, many)).astype(np.int32)
    wanted = {(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True) if x != y}
    assert count_ordered_pairs(300, a, b) == len(wanted)
