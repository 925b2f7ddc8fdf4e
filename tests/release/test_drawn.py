"""Samples of a generalized graph: uniform over its worlds, in Python and from the published file."""

import json
from collections import Counter
from math import comb, exp

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.cli.app import main as cli
from shoal.data.generalized import Generalized, choose_subsets, unrank_pairs
from shoal.errors import BadParameter
from shoal.methods import Generalize
from shoal.release.drawn import DrawnRelease, estimate_numbers
from shoal.utility.network import DEGREE_DISTANCE, LARGEST_COMPONENT, LARGEST_DEGREE, TRANSITIVITY, WITHOUT_LINKS

SECRET = 2**70 + 1


@pytest.mark.slow
def test_samples_are_uniform_over_the_worlds():
    """One of 3 pairs inside a class, one of 1 in the other, 5 of 6 between: 18 worlds."""
    codes = [0, 0, 0, 1, 1]
    g = nx.empty_graph(5)
    g.add_edges_from([(0, 1), (3, 4), (2, 3), (2, 4), (0, 3), (1, 3), (0, 4)])
    found = Generalized.of(shoal.as_graph(g), codes)
    expected = comb(3, 1) * comb(1, 1) * comb(6, 5)
    assert round(exp(found.log_worlds)) == expected
    many = 9_000
    seen = Counter(tuple(zip(*(x.tolist() for x in world.edges()[:2]), strict=True)) for world in found.samples(many))
    assert len(seen) == expected  # nothing but the worlds, and all of them
    mean = many / expected
    assert all(abs(often - mean) < 6 * mean**0.5 for often in seen.values())  # six deviations: 1 in 10**8 by chance


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=6), st.integers(0, 9))
def test_as_many_different_numbers_are_chosen_as_asked(pairs, seed):
    slots = np.array([s for s, _ in pairs])
    edges = np.array([min(s, e) for s, e in pairs])
    block, number = choose_subsets(slots, edges, np.random.default_rng(seed))
    assert np.array_equal(np.bincount(block, minlength=len(slots)), edges)
    assert ((number >= 0) & (number < slots[block])).all()
    assert len(set(zip(block.tolist(), number.tolist(), strict=True))) == len(block)


@given(st.integers(3, 3_000_000_000))
def test_pairs_are_numbered_exactly_however_many(size):
    last = size * (size - 1) // 2 - 1
    low, high = unrank_pairs(np.array([last, last - size + 2, last - size + 1]))
    assert (low[0], high[0]) == (size - 2, size - 1)
    assert (low[1], high[1]) == (0, size - 1)
    assert (low[2], high[2]) == (size - 3, size - 2)


def test_estimates_are_means_with_their_spread():
    release = Generalize(4, seed=1)(nx.gnm_random_graph(40, 100, seed=5))
    found = release.estimates(12, seed=3)
    assert isinstance(release, DrawnRelease)
    degrees = [world.degree.max() for world in release.samples(12, seed=3)]
    row = found["largest degree"]
    assert (row.least, row.most, row.original) == (min(degrees), max(degrees), release.original.degree.max())
    assert row.mean == pytest.approx(np.mean(degrees))
    assert row.spread == pytest.approx(np.std(degrees, ddof=1))
    assert found[DEGREE_DISTANCE.title].original == 0
    assert "12 samples" in repr(found)
    assert "original" in repr(found)
    alone = estimate_numbers(release.generalized.samples(1), 1)
    assert alone.rows[0].spread == 0
    assert "original" not in repr(alone)
    assert DEGREE_DISTANCE.title not in repr(alone)
    with pytest.raises(BadParameter, match=r"'transitivty'.*Did you mean 'transitivity'"):
        found["transitivty"]


def test_what_is_drawn_unless_something_else_is_asked_for():
    release = Generalize(2, seed=1)(nx.path_graph(8))
    assert release.sample() == release.sample(0) == release.generalized.sample(0)
    assert list(release.samples()) == list(release.samples(30, 0))
    assert release.estimates() == release.estimates(30, 0)
    assert release.estimates().samples == 30


def test_the_numbers_of_a_sample_are_those_of_the_graph():
    """A triangle with a tail, a pair, and four vertices without links."""
    g = nx.disjoint_union_all([nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3)]), nx.path_graph(2), nx.empty_graph(4)])
    found = estimate_numbers([shoal.as_graph(g)] * 2, 2)
    shares = {row.name: row.numbers for row in found.rows}
    assert shares == {
        LARGEST_DEGREE.title: (3, 0, 3, 3),
        WITHOUT_LINKS.title: (0.4, 0, 0.4, 0.4),
        LARGEST_COMPONENT.title: (0.4, 0, 0.4, 0.4),
        TRANSITIVITY.title: (0.6, 0, 0.6, 0.6),
    }
    other = estimate_numbers([shoal.as_graph(nx.path_graph(4)), shoal.as_graph(nx.star_graph(3))], 2)
    assert other[LARGEST_DEGREE.title].spread == pytest.approx(0.5**0.5)


def run(*arguments):
    return cli.main(["sample", *map(str, arguments)], standalone_mode=False)


@pytest.fixture
def classes(tmp_path):
    Generalize(3, seed=SECRET)(shoal.examples.davis()).generalized.save(tmp_path / "classes.json", seed=2)
    return tmp_path / "classes.json"


def test_a_recipient_draws_samples(classes, tmp_path, capsys):
    run(classes, "-o", tmp_path / "draw.csv", "--seed", 4)
    said = capsys.readouterr().out
    assert "1 graph drawn" in said
    assert "transitivity" in said
    assert "original" not in said
    found = Generalized.read(classes)
    assert sorted(shoal.read_graph(tmp_path / "draw.csv").degree) == sorted(found.sample(4).degree)
    run(classes, "-o", tmp_path / "draws.graphml", "--samples", 3, "--json")
    page = json.loads(capsys.readouterr().out)
    assert (page["vertices"], page["edges"], page["k"]) == (32, 89, found.k)
    assert page["files"] == [str(tmp_path / f"draws-0{i}.graphml") for i in (1, 2, 3)]
    for file, graph in zip(page["files"], found.samples(3), strict=True):
        assert shoal.read_graph(file).m == graph.m == 89
    rows = page["samples"]
    assert rows["transitivity"]["least"] <= rows["transitivity"]["mean"] <= rows["transitivity"]["most"]


def test_all_samples_are_written_or_none(classes, tmp_path):
    (tmp_path / "draw-02.csv").write_text("mine")
    before = sorted(path.name for path in tmp_path.iterdir())
    for options, says in (
        (["-o", tmp_path / "draw.csv", "--samples", 2], "--force"),
        (["-o", tmp_path / "draw.csv", "--samples", 0], "'samples' must be a whole number of 1 or more"),
        (["-o", tmp_path / "draw.csv", "--seed", -1], "'seed' must be"),
        (["-o", classes, "--force"], "is not overwritten"),
        (["-o", tmp_path / "draw.xyz"], "xyz"),
    ):
        with pytest.raises(shoal.ShoalError, match=says):
            run(classes, *options)
    with pytest.raises(shoal.ShoalError, match="no such file"):
        run(tmp_path / "none.json", "-o", tmp_path / "draw.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (tmp_path / "draw-02.csv").read_text() == "mine"
