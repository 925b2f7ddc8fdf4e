"""Generalize where links have directions and kinds: numbers for each ordered pair of classes and each relation."""

from collections import Counter
from itertools import combinations
from math import comb, log

import networkx as nx
import numpy as np
import pytest
from test_equalize_rows_ties import FORMS, draw

import shoal
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph
from shoal.errors import BadFile, BadGraph, BrokenPromise
from shoal.methods import Generalize
from shoal.release.verify import verify_release

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")


def count_by_definition(graph, codes):
    """Return {(class, class, relation): links}; without direction, the smaller class is first."""
    counts = Counter()
    for a, b, relation in graph.each_link():
        i, j = int(codes[a]), int(codes[b])
        counts[(i, j, relation) if relation.direction == "out" else (min(i, j), max(i, j), relation)] += 1
    return counts


def list_counts(classes):
    """Return the same from a generalized graph."""
    pairs = zip(classes.links.tolist(), classes.between.tolist(), strict=True)
    counts = Counter({(i, j, classes.relations[r]): q for (i, j, r), q in pairs})
    for i, row in enumerate(classes.inside.tolist()):
        counts |= Counter({(i, i, relation): q for relation, q in zip(classes.relations, row, strict=True) if q})
    return counts


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_counts_match_the_definition(form, seed):
    graph = draw(12, 50, seed, *form)
    codes = np.random.default_rng(seed).permutation(12) % 4
    classes = Generalized.of(graph, codes)
    found = count_by_definition(graph, codes)
    assert list_counts(classes) == found
    assert (classes.n, classes.m) == (graph.n, graph.m)
    spaces = {
        key: 9 if key[0] != key[1] else 3 * (1 + (key[2].direction == "out")) for key in found
    }  # three members per class
    assert classes.log_worlds == pytest.approx(sum(log(comb(spaces[key], q)) for key, q in found.items()))
    assert classes.certain == sum(q for key, q in found.items() if q == spaces[key])


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_samples_have_the_same_numbers(form):
    graph = draw(30, 150, 1, *form)
    codes = np.arange(30) // 5
    classes = Generalized.of(graph, codes)
    for drawn in classes.samples(5, seed=3):
        assert count_by_definition(drawn, codes) == count_by_definition(graph, codes)
        assert drawn.ties.relations == graph.ties.relations
        assert drawn.names == graph.names
    assert classes.sample(3) == classes.samples(2, seed=3)[0]
    assert classes.sample(3) != classes.sample(4)


@pytest.mark.slow
def test_samples_are_uniform():
    """Two of six arcs inside a class of three, and one of three from it to another class: 15 * 3 worlds."""
    graph = Graph.from_pairs("abcd", [0, 1, 2], [1, 0, 3], directed=True)
    classes = Generalized.of(graph, [0, 0, 0, 1])
    counts = Counter(tuple(sorted(x[:2] for x in g.each_link())) for g in classes.samples(4500, seed=1))
    assert len(counts) == comb(6, 2) * 3
    assert np.exp(classes.log_worlds) == pytest.approx(45)
    assert sum((q - 100) ** 2 / 100 for q in counts.values()) < 90  # chi-squared with 44 degrees: p about 5e-5


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_classes_of_equal_rows_restore_the_graph(form):
    graph = shoal.methods.EqualizeRows(2, seed=1)(draw(12, 60, 2, *form)).data
    classes = Generalized.of(graph, shoal.core.twins.find_equal_rows(graph))
    assert classes.lossless
    assert classes.expand() == graph
    whole = Generalized.of(graph, [0] * 12)
    assert not whole.lossless
    with pytest.raises(BadGraph, match="1 classes"):
        whole.expand()


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("k", [2, 4])
def test_release(form, k):
    graph = draw(40, 200, k, *form)
    release, again = (Generalize(k, effort=30, seed=7)(graph) for _ in range(2))
    assert release.data == again.data
    assert release.generalized.k >= k
    assert release.data.m == graph.m
    assert count_by_definition(release.data, release.codes) == count_by_definition(graph, release.codes)
    assert release.measured["log of the number of possible worlds"] == pytest.approx(release.generalized.log_worlds)
    assert release.estimates(3).samples == 3


def test_a_release_with_other_numbers_is_broken():
    """One arc is turned: the numbers without directions stay, those with directions do not."""
    from dataclasses import replace

    graph = draw(30, 120, 4)
    release = Generalize(3, effort=5, seed=1)(graph)
    a, b, relation = release.data.list_links()
    codes = release.codes
    pairs = set(zip(a.tolist(), b.tolist(), strict=True))
    at = next(i for i in range(len(a)) if codes[a[i]] != codes[b[i]] and (int(b[i]), int(a[i])) not in pairs)
    turned = a.copy(), b.copy()
    turned[0][at], turned[1][at] = b[at], a[at]
    with pytest.raises(BrokenPromise, match="numbers of edges"):
        verify_release(replace(release, data=release.data.with_links(*turned, relation)))
    with pytest.raises(BrokenPromise, match="secret seed"):
        verify_release(replace(release, data=release.sample(99)))


def test_the_search_uses_directions():
    """Sources send to targets, and both have neighbors alike without directions: only directions separate them."""
    a, b = np.array([(i, 4 + j) for i in range(4) for j in range(4)]).T
    graph = Graph.from_pairs(range(8), a, b, directed=True)
    release = Generalize(4, seed=1)(graph)
    assert release.generalized.log_worlds == 0
    assert release.data == graph


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("kind", ["json", "graphml"])
def test_files(form, kind, tmp_path):
    graph = draw(30, 150, 6, form[0], form[1] and ("a<b", ""))
    classes = Generalized.of(graph, np.arange(30) // 4)
    path = tmp_path / f"classes.{kind}"
    classes.save(path, seed=5)
    assert Generalized.read(path) == classes.published(5)
    assert Generalized.read(path).sample(2).m == graph.m
    again = classes.published(5)
    assert sorted(again.between) == sorted(classes.between)
    assert again.log_worlds == pytest.approx(classes.log_worlds)
    assert again.names is None


def test_other_programs_read_the_graphml(tmp_path):
    graph = Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 0], directed=True, kinds=["x", "y", "y"])
    Generalized.of(graph, [0, 0, 1, 1]).save(tmp_path / "classes.graphml", seed=1)
    found = nx.read_graphml(tmp_path / "classes.graphml", force_multigraph=True)
    assert sorted((data["kind"], data["edges"]) for *_, data in found.edges(data=True)) == [
        ("x", 1),
        ("y", 1),
        ("y", 1),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"relations": []},
        {"relations": [{"kind": None, "direction": "in"}]},
        {"relations": [{"kind": 1, "direction": "out"}]},
        {"relations": [{"kind": None, "direction": "out"}] * 2},
        {"links": [[0, 1, 1]]},
        {"links": [[0, 1, 1, 1]]},
        {"links": [[0, 1, 3, 0]]},
        {"links": [[0, 0, 1, 0]]},
        {"links": [[0, 1, 1, -1]]},
        {"links": [[0, 1, 1, 0], [0, 1, 1, 0]]},
        {"classes": [{"size": 2, "inside": 1}, {"size": 1, "inside": 0}]},
        {"classes": [{"size": 2, "inside": [3]}, {"size": 1, "inside": [0]}]},
        {"classes": [{"size": 2, "inside": [1, 0]}, {"size": 1, "inside": [0, 0]}]},
    ],
)
def test_bad_json(change, tmp_path):
    import json

    good = {
        "schema": 2,
        "kind": "generalized graph",
        "relations": [{"kind": None, "direction": "out"}],
        "classes": [{"size": 2, "inside": [2]}, {"size": 1, "inside": [0]}],
        "links": [[0, 1, 1, 0], [1, 0, 2, 0]],
    }
    path = tmp_path / "c.json"
    path.write_text(json.dumps(good))
    assert Generalized.read(path).m == 5
    path.write_text(json.dumps(good | change))
    with pytest.raises(BadFile, match=r"c\.json"):
        Generalized.read(path)


def test_classes_that_are_apart_have_no_common_links():
    """Pairs of classes of the drawing are listed once, with the links of all relations."""
    graph = Graph.from_pairs("abcd", [0, 1, 2, 2, 3], [2, 2, 0, 1, 2], directed=True)
    pairs, edges = Generalized.of(graph, [0, 0, 1, 2]).list_pairs()
    assert dict(zip(map(tuple, pairs.tolist()), edges.tolist(), strict=True)) == {(0, 1): 4, (1, 2): 1}


def test_commands(tmp_path, capsys):
    from shoal.cli.app import run_command as main

    path = tmp_path / "mails.csv"
    path.write_text("from,to\n" + "".join(f"{i},{j}\n" for i, j in combinations(range(9), 2) if (i + j) % 3))
    classes, drawn = tmp_path / "classes.json", tmp_path / "draw.csv"
    assert not main(["classes", str(path), "--directed", "-o", str(classes), "--plot", str(tmp_path / "c.svg")])
    assert not main(["sample", str(classes), "-o", str(drawn), "--samples", "1"])
    original, sampled = (shoal.read_graph(x, directed=True) for x in (path, drawn))
    assert (sampled.m, sampled.directed) == (original.m, True)
    out = tmp_path / "out.csv"
    more = ["--classes-output", str(tmp_path / "more.json"), "--effort", "5"]
    given = ["anonymize", str(path), "--directed", "--method", "generalize", "-k", "3", "-o", str(out), *more]
    assert not main(given)
    assert Generalized.read(tmp_path / "more.json").m == original.m
    capsys.readouterr()
