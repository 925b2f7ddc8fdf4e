"""Links with direction and kind: entries, canonical codes, and what stays when either is dropped."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.graph import Graph
from shoal.data.hierarchy import Hierarchy
from shoal.data.ties import Relation
from shoal.errors import BadGraph, BadParameter

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")

Link = tuple[int, int, bool, str | None]
N = 5


@st.composite
def link_lists(draw: st.DrawFn) -> list[Link]:
    """Draw links (source, target, directed, kind) between five vertices, some repeated, without loops."""
    ends = st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda pair: pair[0] != pair[1])
    links = draw(
        st.lists(st.tuples(ends, st.booleans(), st.sampled_from(["call", "kin", None])), min_size=1, max_size=14)
    )
    return [(a, b, directed, kind) for (a, b), directed, kind in links]


def build(links: list[Link], *, multigraph: bool, kinds: bool = True, directed: bool = True) -> Graph:
    a, b, arrows, labels = (list(part) for part in zip(*links, strict=True)) if links else ([], [], [], [])
    how = {"directed": arrows if directed else False, "kinds": labels if kinds else None}
    return Graph.from_pairs(range(N), a, b, **how, multigraph=multigraph)


def count_entries(links: list[Link], *, multigraph: bool) -> Counter[tuple[int, int, Relation]]:
    """Count the entries of every vertex by the definition."""
    found: Counter[tuple[int, int, Relation]] = Counter()
    for a, b, directed, kind in links:
        seen = Relation(kind or "", "out" if directed else "both")
        found[a, b, seen] += 1
        found[b, a, seen.reverse] += 1
    return found if multigraph else Counter(dict.fromkeys(found, 1))


def read_entries(graph: Graph) -> Counter[tuple[int, int, Relation]]:
    indptr, neighbors, relation, times = graph.entries()
    rows = np.repeat(np.arange(graph.n), np.diff(indptr))
    entries = zip(rows.tolist(), neighbors.tolist(), relation.tolist(), times.tolist(), strict=True)
    return Counter({(v, w, graph.ties.relations[r]): q for v, w, r, q in entries})


@given(link_lists(), st.booleans())
def test_entries_are_those_of_the_definition(links: list[Link], multigraph: bool) -> None:
    graph = build(links, multigraph=multigraph)
    assert read_entries(graph) == count_entries(links, multigraph=multigraph)
    assert graph.m == sum(count_entries(links, multigraph=multigraph).values()) // 2
    assert graph.is_multigraph == multigraph


@given(link_lists(), st.booleans(), st.randoms())
def test_the_order_of_links_and_of_undirected_ends_does_not_matter(links, multigraph, random) -> None:  # type: ignore[no-untyped-def]
    others = [(a, b, d, kind) if d or random.random() < 0.5 else (b, a, d, kind) for a, b, d, kind in links]
    random.shuffle(others)
    assert build(links, multigraph=multigraph) == build(others, multigraph=multigraph)


@given(link_lists(), st.booleans())
def test_reverse_is_what_the_other_end_sees(links: list[Link], multigraph: bool) -> None:
    graph = build(links, multigraph=multigraph)
    seen = {
        (v, int(w)): int(code)
        for v in range(N)
        for w, code in zip(graph.neighbors(v), graph.ties.codes[graph.indptr[v] : graph.indptr[v + 1]], strict=True)
    }
    assert all(graph.ties.reverse[code] == seen[w, v] for (v, w), code in seen.items())


@given(link_lists(), st.booleans())
def test_dropping_directions_and_kinds_is_building_without_them(links: list[Link], multigraph: bool) -> None:
    graph = build(links, multigraph=multigraph)
    undirected = build(links, multigraph=multigraph, directed=False)
    assert graph.to_undirected() == undirected
    plain = build(links, multigraph=multigraph, kinds=False, directed=False)
    assert graph.to_undirected().without_kinds() == plain == graph.without_kinds().to_undirected()
    assert np.array_equal(plain.indices, graph.indices)


@given(link_lists(), link_lists())
def test_a_disjoint_union_holds_both_graphs(links: list[Link], others: list[Link]) -> None:
    joined = build(links, multigraph=True).beside(build(others, multigraph=True))
    shifted = [(a + N, b + N, directed, kind) for a, b, directed, kind in others]
    assert read_entries(joined) == count_entries(links + shifted, multigraph=True)


@given(link_lists())
def test_graphs_with_ties_pickle(links: list[Link]) -> None:
    graph = build(links, multigraph=True)
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph
    assert not again.ties.codes.flags.writeable


def test_directions_and_kinds_distinguish_graphs() -> None:
    out, back = (Graph.from_pairs("ab", [a], [1 - a], directed=True) for a in (0, 1))
    plain, kin = Graph.from_pairs("ab", [0], [1]), Graph.from_pairs("ab", [0], [1], kinds=["kin"])
    graphs = [out, back, plain, kin]
    assert [[g == h for h in graphs] for g in graphs] == np.eye(4, dtype=bool).tolist()


def test_a_directed_graph_without_links_stays_directed() -> None:
    graph = Graph.from_pairs("ab", [], [], directed=True)
    assert graph.directed
    assert graph.m == 0
    assert not graph.to_undirected().directed


def test_attributes_do_not_change_ties() -> None:
    graph = Graph.from_pairs("ab", [0], [1], directed=True)
    assert graph.without_attributes().directed


def test_graphs_with_and_without_directions_have_no_union() -> None:
    with pytest.raises(BadGraph):
        Graph.from_pairs("ab", [0], [1]).beside(Graph.from_pairs("ab", [0], [1], directed=True))


@pytest.mark.parametrize("wrong", [{"directed": [True]}, {"kinds": ["a"]}])
def test_one_answer_per_pair(wrong: dict[str, list[object]]) -> None:
    with pytest.raises(BadGraph, match="2"):
        Graph.from_pairs("abc", [0, 1], [1, 2], **wrong)


def test_links_of_each_kind_are_counted_with_multiplicity() -> None:
    kinds = ["call", "mail", "call", "call", None]
    graph = Graph.from_pairs("abc", [0, 1, 0, 0, 2], [1, 2, 1, 2, 0], directed=True, kinds=kinds, multigraph=True)
    assert graph.count_kinds() == {"": 1, "call": 3, "mail": 1}
    assert Graph.from_pairs("ab", [0], [1], directed=True).count_kinds() == {}


def test_merged_kinds() -> None:
    tree = Hierarchy.of({"call": "phone", "text": "phone", "mail": "mail"})
    kinds = ["call", "text", "mail", None]
    graph = Graph.from_pairs("abc", [0, 0, 1, 2], [1, 1, 2, 0], directed=True, kinds=kinds)
    merged = graph.merge_kinds(tree)
    assert merged.count_kinds() == {"": 1, "mail": 1, "phone": 1}
    assert merged.directed
    with pytest.raises(BadGraph, match="kinds"):
        Graph.from_pairs("ab", [0], [1]).merge_kinds(tree)
    with pytest.raises(BadParameter, match="mail"):
        graph.merge_kinds(Hierarchy.of({"call": "phone", "text": "phone"}))
