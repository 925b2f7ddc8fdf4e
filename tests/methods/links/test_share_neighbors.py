"""ShareNeighbors: the oracle checks that every vertex shares l neighbors with k - 1 others, with few links."""

import json
import warnings
from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
import shoal
from conftest import ATLAS, graphs
from draws import draw_cases
from shoal.errors import BadParameter, BrokenPromise, CannotPromise, Notice
from shoal.methods import ShareNeighbors
from shoal.methods.base import ATTRIBUTES_STAY
from shoal.methods.links.hide_neighbors.search import UNCHANGED
from shoal.methods.links.share_neighbors import OTHER_NEIGHBORS
from shoal.methods.links.share_neighbors.adding import Adding, Sharing, bound_links, count_sharers
from shoal.progress import watching
from shoal.release.verify import verify_release

VARIANTS = ["weak", "strong"]
variants = pytest.mark.parametrize("variant", VARIANTS)


def made(g, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return ShareNeighbors(**how)(g)


def others(g, h, v, l, variant):
    """The definition of Feder, Nabar & Terzi: vertices that share l neighbors with v in h (strong: of v in g)."""
    own = set(g[v]) if variant == "strong" else set(h[v])
    return {u for u in h if u != v and len(own & set(h[u])) >= l}


def holds(g, h, k, l, variant):
    return all(len(others(g, h, v, l, variant)) >= k - 1 for v in g)


def with_links(g, links):
    h = g.copy()
    h.add_edges_from(links)
    return h


def fewest(g, k, l, variant):
    """Return the fewest additions by trying all; None if no additions are enough."""
    free = [pair for pair in combinations(g, 2) if not g.has_edge(*pair)]
    for many in range(len(free) + 1):
        if any(holds(g, with_links(g, links), k, l, variant) for links in combinations(free, many)):
            return many
    return None


@pytest.mark.slow
@variants
def test_the_guarantee_holds_or_is_impossible_on_small_graphs(variant):
    refused = 0
    for g in draw_cases(ATLAS, 30):
        complete = nx.complete_graph(len(g))
        for k in range(1, len(g) + 1):
            for l in range(1, len(g) + 1):
                try:
                    release = made(g, k=k, l=l, variant=variant)
                except CannotPromise:
                    refused += 1
                    assert not holds(g, complete, k, l, variant)
                    continue
                h = release.data.to_networkx()
                assert holds(g, h, k, l, variant)
                assert min(oracle.size(oracle.shared_neighbors(h, l=l)).values()) >= k
                if variant == "strong":
                    assert min(oracle.size(oracle.shared_neighbors(h, g, l=l)).values()) >= k
                assert not release.edits.removed
                if holds(g, g, k, l, variant):
                    assert not release.edits.added
    assert refused > 80


@pytest.mark.slow
@variants
def test_bounds_are_below_the_fewest_and_most_releases_have_the_fewest(variant):
    tried = best = 0
    for g in [g for g in ATLAS if 2 <= len(g) <= 5]:
        for k in range(2, len(g) + 1):
            for l in range(1, len(g) - 1):
                least = fewest(g, k, l, variant)
                if least is None:
                    with pytest.raises(CannotPromise):
                        ShareNeighbors(k, l, variant)(g)
                    continue
                release = made(g, k=k, l=l, variant=variant)
                assert release.measured["edits"] == len(release.edits.added)
                assert release.measured["lower bound on edits"] <= least <= len(release.edits.added)
                assert (least == 0) == (release.measured["lower bound on edits"] == 0)
                assert len(release.edits.added) <= least + 2
                tried += 1
                best += len(release.edits.added) == least
    assert best >= 0.9 * tried > 50


@settings(max_examples=60)
@given(graphs(least=3, most=9), st.integers(2, 6), st.integers(1, 3), st.sampled_from(VARIANTS), st.integers(0, 3))
def test_no_link_can_be_spared_and_the_seed_repeats_them(g, k, l, variant, seed):
    data = shoal.as_graph(g)
    how = {"k": min(k, data.n), "l": l, "variant": variant, "seed": seed}
    try:
        release = made(data, **how)
    except CannotPromise:
        return
    h = with_links(g, release.edits.added)
    assert nx.utils.graphs_equal(nx.Graph(h.edges), nx.Graph(release.data.to_networkx().edges))
    assert list(release.data.names) == list(data.names)
    for link in release.edits.added:
        less = h.copy()
        less.remove_edge(*link)
        assert not holds(g, less, how["k"], l, variant)
    assert data == shoal.as_graph(g)
    assert made(data, **how).data == release.data


@variants
@pytest.mark.parametrize(("k", "l"), [(3, 1), (5, 1), (5, 2), (8, 3)])
def test_counts_stay_correct_on_larger_graphs(variant, k, l):
    for seed in range(3):
        g = nx.watts_strogatz_graph(120, 8, 0.3, seed=seed)
        graph, sharing = shoal.as_graph(g), Sharing(l, k - 1, variant == "strong")
        adding = Adding(graph, sharing, count_sharers(graph, l), np.random.default_rng(seed), upwards=seed > 0)
        adding.run()
        sources, targets = adding.links
        h = with_links(g, zip(sources.tolist(), targets.tolist(), strict=True))
        assert h.number_of_edges() == graph.m + len(sources)
        assert adding.count.tolist() == [len(others(g, h, v, l, variant)) for v in g]
        assert adding.room[0].tolist() == [h.degree(v) for v in g]
        assert bound_links(graph, sharing) <= len(sources)


@pytest.mark.slow
@variants
def test_no_vertex_becomes_a_hub(variant):
    for seed in range(3):
        g = nx.barabasi_albert_graph(400, 1, seed=seed)
        graph = shoal.as_graph(g)
        release = ShareNeighbors(k=5, l=1, variant=variant, seed=seed)(graph)  # a notice would be an error here
        assert release.data.degree.max() <= graph.degree.max()
        assert release.measured["most links added at one vertex"] <= 8
        most = int((release.data.degree - graph.degree).argmax())
        assert 0 < (release.data.degree - graph.degree)[most] == release.measured["most links added at one vertex"]
        # removing the vertices with the most new links undoes little
        rest = release.data.to_networkx()
        rest.remove_node(most)
        assert np.mean([len(others(rest, rest, v, 1, "weak")) >= 4 for v in rest]) > 0.95


def test_unavoidable_hubs_give_a_notice():
    full = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4))
    with pytest.warns(Notice, match=r"2 vertices.*4"):
        release = ShareNeighbors(k=5)(full)
    assert len(release.edits.added) == 1


def test_isolated_vertices_and_low_degrees_get_links():
    g = nx.complete_graph(8)
    g.add_nodes_from(["alone", "too"])
    g.add_edge("pendant", 0)
    for l in (1, 2, 3):
        release = made(g, k=4, l=l)
        assert release.data.degree.min() >= l
        assert holds(g, release.data.to_networkx(), 4, l, "weak")
    empty = made(nx.empty_graph(30), k=4, l=2)
    assert holds(nx.empty_graph(30), empty.data.to_networkx(), 4, 2, "weak")
    assert empty.measured["lower bound on edits"] == 30


@pytest.mark.parametrize(
    ("g", "how", "says"),
    [
        (nx.complete_graph(4), {"k": 2, "l": 3}, r"n - 2 = 2.*4 vertices.*Got 3"),
        (nx.empty_graph(2), {"k": 2, "l": 1}, r"n - 2 = 0.*2 vertices"),
        (
            nx.path_graph(5),
            {"k": 2, "l": 2, "variant": "strong"},
            r"2.*2 of 5.*0.*1",
        ),
        (nx.cycle_graph(5), {"k": 4, "l": 2, "variant": "strong"}, r"'k'.*3.*4,.*0 has.*2"),
    ],
)
def test_impossible_requirements_are_refused(g, how, says):
    with pytest.raises(CannotPromise, match=says):
        ShareNeighbors(**how)(g)


def test_k_1_changes_nothing():
    for variant in VARIANTS:
        release = ShareNeighbors(k=1, l=9, variant=variant)(nx.path_graph(3))
        assert (release.edits.added, release.notes) == ((), (UNCHANGED,))
        assert release.measured["lower bound on edits"] == 0


def test_an_original_that_keeps_the_guarantee_is_unchanged():
    club = shoal.examples.karate()
    release = ShareNeighbors(k=6)(club)
    assert release.data == club
    assert release.notes == (ATTRIBUTES_STAY, UNCHANGED, OTHER_NEIGHBORS)


def test_the_counterexample_keeps_the_guarantee_but_two_neighbors_identify():
    for k, l, m in ((2, 1, 5), (3, 2, 7), (8, 3, 12)):
        g = shoal.examples.feder_counterexample(k, l, m)
        release = ShareNeighbors(k=k + 1, l=l)(g)
        assert release.measured["k of Feder, Nabar & Terzi"] == k
        assert not release.edits.added
        risk = shoal.assess(release, "neighbors:2")
        assert {f"ring {i}" for i in range(m)} <= set(risk.at_risk(2))


def test_strong_is_also_about_neighbors_known_from_the_original():
    g = nx.barabasi_albert_graph(60, 2, seed=5)
    weak, strong = (made(g, k=6, l=2, variant=variant) for variant in VARIANTS)
    assert [promise.source for promise in weak.promises] == ["release"]
    assert [promise.source for promise in strong.promises] == ["release", "original"]
    knows = shoal.knowledge.SharedNeighbors(2)
    assert shoal.assess(strong, knows, original=g).k >= 6
    assert shoal.assess(weak, knows, original=g).k < 6
    assert len(strong.edits.added) > len(weak.edits.added)


@variants
def test_a_broken_guarantee_is_not_released(variant):
    release = ShareNeighbors(k=4, l=1, variant=variant)(nx.path_graph(20))
    with pytest.raises(BrokenPromise):
        verify_release(replace(release, data=release.original))


def test_the_public_page_contains_no_exact_number(tmp_path):
    release = ShareNeighbors(k=4, l=2)(nx.barabasi_albert_graph(40, 2, seed=1))
    release.save(tmp_path / "safe.csv")
    page = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert page["measured"] == {"k of Feder, Nabar & Terzi": 3}
    assert page["method"] == {"name": "share-neighbors", "k": 4, "l": 2, "variant": "weak"}
    assert "before" not in json.dumps(page["utility"])


def test_an_interrupt_ends_it_and_progress_is_reported():
    seen = []

    def watcher(what, done, total):
        seen.append(what)
        if what == "dropping links that are not needed":
            raise KeyboardInterrupt

    with watching(watcher), pytest.raises(KeyboardInterrupt):
        ShareNeighbors(k=5)(nx.path_graph(50))
    assert "sharing neighbors" in seen


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"k": 0}, r"'k'.*1.*0"),
        ({"k": 2, "l": 0}, r"'l'.*1.*0"),
        ({"k": 2, "seed": -1}, r"'seed'.*0"),
        ({"k": 2, "variant": "stong"}, r"'variant'.*'stong'.*Did you mean 'strong'"),
    ],
)
def test_bad_parameters(how, says):
    with pytest.raises(BadParameter, match=says):
        ShareNeighbors(**how)


def test_bad_data():
    with pytest.raises(BadParameter, match=r"vertices, 3.*4"):
        ShareNeighbors(k=4)(nx.path_graph(3))
    with pytest.raises(BadParameter, match="a simple graph"):
        ShareNeighbors(k=2)(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1), (1, 2)]), multigraph=True))


def test_eval_repr():
    method = ShareNeighbors(k=3, l=2, variant="strong", seed=9)
    assert eval(repr(method)) == method
