"""RaiseL: the largest subgraph with a larger similarity radius, compared with a literal Algorithm 4."""

import json
import random
import warnings
from dataclasses import replace

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs
from draws import draw_cases
from messages import tells
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, Notice
from shoal.methods import RaiseL
from shoal.release.guarantee import RadiusPromise
from shoal.release.verify import verify_release
from shoal.report.text.releases import describe_release

SIMILARITIES = ["manhattan", "2-path"]


def similar(g, v, u, similarity):
    mine, theirs = set(g[v]), set(g[u])
    return len(g) - len(mine ^ theirs) if similarity == "manhattan" else len(mine & theirs)


def lacking(g, k, l, similarity):
    return [v for v in g if sum(similar(g, v, u, similarity) >= l for u in g) < k]


def literal_radius(g, k, similarity):
    return max(l for l in range(-1, len(g) + 1) if not lacking(g, k, l, similarity))


def literal_algorithm_4(g, k, similarity, chance):
    """Delete one vertex at a time, in any order, with the current number of vertices."""
    l, g = literal_radius(g, k, similarity) + 1, g.copy()
    while short := lacking(g, k, l, similarity):
        g.remove_node(chance.choice(short))
    return l, g


def exact_l(g, k, similarity):
    """Return the largest l of the definition, or "every"."""
    view = oracle.relations if similarity == "manhattan" else oracle.neighbors
    holds = [l for l in range(len(g) + 1) if min(oracle.size(view(g, l=l)).values()) >= k]
    return "every" if len(holds) == len(g) + 1 else max(holds)


def same(g, h):
    return set(g) == set(h) and {frozenset(e) for e in g.edges} == {frozenset(e) for e in h.edges}


def made(g, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return RaiseL(**how)(g)


@pytest.mark.slow
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_what_remains_is_what_algorithm_4_leaves_in_any_order(similarity):
    chance, left, nothing, every = random.Random(5), 0, 0, 0
    for g in draw_cases(ATLAS, 300):
        for k in range(1, min(4, len(g)) + 1):
            l, rest = literal_algorithm_4(g, k, similarity, chance)
            try:
                release = made(g, k=k, similarity=similarity)
            except CannotPromise as error:
                if "every l" in str(error):
                    every += 1
                    assert exact_l(g, k, similarity) == "every" if len(g) < 6 else True
                else:
                    nothing += 1
                    assert len(rest) == 0
                continue
            left += 1
            assert same(release.data.to_networkx(), nx.Graph(rest))
            assert release.promises == (RadiusPromise(k, l, similarity),)
            assert literal_radius(rest, k, similarity) >= l
    assert min(left, nothing, every) > 15


@pytest.mark.slow
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_exact_l_is_measured_and_may_fall(similarity):
    drops = 0
    for g in draw_cases(ATLAS[:208], 100):
        for k in range(2, min(4, len(g)) + 1):
            try:
                release = made(g, k=k, similarity=similarity)
            except CannotPromise:
                continue
            told = release.measured
            assert told["exact l before"] == exact_l(g, k, similarity)
            assert told["exact l after"] == exact_l(release.data.to_networkx(), k, similarity)
            assert told["similarity radius before"] == literal_radius(g, k, similarity)
            assert told["vertices removed"] == len(g) - release.data.n
            promised = release.promises[0].l
            drops += told["exact l after"] != "every" and told["exact l after"] < promised
    assert drops > 2


@pytest.mark.slow
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_copies_give_every_vertex_the_radius_and_keep_all_vertices(similarity):
    kept, refused = 0, 0
    for g in draw_cases(ATLAS, 300):
        for k in range(2, min(4, len(g)) + 1):
            try:
                release = made(g, k=k, similarity=similarity, keep="vertices")
            except CannotPromise as error:
                if "every l" not in str(error):
                    assert similarity == "2-path"
                    assert min(d for _, d in g.degree()) == 0  # no copy gives an isolated vertex a neighbor
                    refused += 1
                continue
            kept += 1
            h, l = release.data.to_networkx(), literal_radius(g, k, similarity) + 1
            assert not lacking(h, k, l, similarity)
            assert same(h.subgraph(list(g)), g)
            real = [sum(similar(h, v, u, similarity) >= l for u in g) for v in g]
            assert release.measured["fewest similar real vertices"] == min(real)
            assert release.measured["real vertices similar to fewer than k real ones"] == sum(x < k for x in real)
            assert release.measured["copies added"] == len(h) - len(g) > 0
            if similarity == "manhattan":
                assert release.measured["copies added"] <= (k - 1) * len(g)
    assert kept > 50
    assert (refused > 5) == (similarity == "2-path")


@pytest.mark.slow
@given(graphs(least=3, most=7), st.integers(2, 3), st.sampled_from(SIMILARITIES), st.sampled_from([None, "vertices"]))
def test_edits_turn_the_original_into_the_release(g, k, similarity, keep):
    data = shoal.as_graph(g)
    try:
        release = made(data, k=k, similarity=similarity, keep=keep)
    except CannotPromise:
        return
    h = g.copy()
    h.remove_edges_from(release.edits.removed)
    h.add_edges_from(release.edits.added)
    names = set(release.data.names)
    assert all(h.degree(v) == 0 for v in set(g) - names)
    h.remove_nodes_from(set(g) - names)
    h.add_nodes_from(names)
    assert same(h, release.data.to_networkx())
    assert data == shoal.as_graph(g)
    assert made(data, k=k, similarity=similarity, keep=keep).data == release.data


def test_nothing_left_is_refused_unless_allowed():
    g = nx.path_graph(3)
    g.add_edge(2, 3)
    g.nodes[0]["age"] = 7
    with pytest.raises(CannotPromise, match="allow_empty=True"):
        RaiseL(k=4)(g)
    with pytest.warns(Notice, match="release is empty"):
        release = RaiseL(k=4, allow_empty=True)(g)
    assert (release.data.n, release.promises, release.measured["vertices removed"]) == (0, (), 4)
    assert len(release.edits.removed) == 3
    assert "Guarantee: nothing." in describe_release(release)


def test_large_losses_give_a_notice():
    g = nx.disjoint_union(nx.complete_bipartite_graph(2, 3), nx.path_graph(9))
    with pytest.warns(Notice, match=r"5 of 14 vertices.*6 of 14 edges.*are left"):
        release = RaiseL(k=2, similarity="2-path")(g)
    assert nx.is_isomorphic(release.data.to_networkx(), nx.complete_bipartite_graph(2, 3))


def test_a_broken_radius_is_not_released():
    release = made(shoal.examples.karate(), k=2)
    with pytest.raises(BrokenPromise, match=r"is guaranteed\. Got"):
        verify_release(replace(release, promises=(replace(release.promises[0], l=release.promises[0].l + 1),)))


def test_the_mapping_contains_kept_vertices_and_no_copies(tmp_path):
    g = nx.relabel_nodes(nx.house_graph(), dict(enumerate("abcde")))
    for keep in (None, "vertices"):
        release = made(g, k=2, keep=keep)
        folder = tmp_path / str(keep)
        folder.mkdir()
        release.save(folder / "safe.graphml", folder / "secret.csv")
        mapping = shoal.read_mapping(folder / "secret.csv")
        published = shoal.read_graph(folder / "safe.graphml").to_networkx()
        assert set(mapping) == set(release.data.names) & set(g)
        inside = release.data.to_networkx().subgraph(mapping)
        assert same(nx.relabel_nodes(inside, mapping), nx.Graph(published.subgraph(mapping.values())))
        said = json.loads((folder / "safe.graphml.release.json").read_text())
        assert said["promise"] == [
            {"kind": "radius", "similarity": "manhattan", "k": 2, "l": release.promises[0].l},
        ]
        assert "copy" not in (folder / "safe.graphml").read_text()


def test_the_text_says_that_it_is_not_anonymity():
    text = describe_release(made(shoal.examples.karate(), k=2, similarity="2-path"))
    assert tells(text, "at least 2 vertices", "2 neighbors or more")
    assert "not (2,2)-anonymity" in text
    assert "exact l before: 0" in text


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"k": 0}, r"'k'.*1"),
        ({"k": 2, "similarity": "jaccard"}, r"'similarity'.*2"),
        ({"k": 2, "keep": "edges"}, "'keep'"),
        ({"k": 2, "keep": "vertices", "allow_empty": True}, "'allow_empty'"),
    ],
)
def test_bad_parameters(how, says):
    with pytest.raises(BadParameter, match=says):
        RaiseL(**how)


def test_bad_data():
    with pytest.raises(BadParameter, match="at most the number of vertices"):
        RaiseL(k=4)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        RaiseL(k=2)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True))


def test_eval_repr():
    method = RaiseL(k=3, similarity="2-path", keep="vertices")
    assert eval(repr(method)) == method
