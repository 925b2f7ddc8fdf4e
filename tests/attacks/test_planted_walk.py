"""The planted walk: sybils are found where nothing was changed, mostly after few edits, and not among twins."""

from itertools import permutations

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.attacks.planted_walk import PlantedNetwork, draw_fingerprints, read_targets, reseed_method, seek_sybils
from shoal.errors import BadParameter, Notice

GRAPH = nx.barabasi_albert_graph(100, 3, seed=1)


def cost(g, match, links, degrees):
    """The definition: links among the matched that differ from the planted ones, and differences of degrees."""
    differ = sum(g.has_edge(match[i], match[j]) != links[i, j] for i in range(len(match)) for j in range(i))
    return differ + sum(abs(g.degree(u) - d) for u, d in zip(match, degrees, strict=True))


@pytest.mark.parametrize("seed", range(12))
def test_the_cheapest_match_is_found(seed):
    rng = np.random.default_rng(seed)
    g = nx.gnm_random_graph(7, 11, seed=seed)
    links = np.triu(rng.random((4, 4)) < 0.5, 1)
    links[[0, 1, 2], [1, 2, 3]] = True
    links = links | links.T
    degrees = links.sum(axis=1) + rng.integers(2, size=4)

    def reached(match):  # each after the first is linked to an earlier one as planted
        return all(any(links[i, j] and g.has_edge(match[i], match[j]) for j in range(i)) for i in range(1, 4))

    least = min(cost(g, match, links, degrees) for match in permutations(g, 4) if reached(match))
    found = seek_sybils(shoal.as_graph(g), links, degrees, 1.0, rng)
    if least > degrees.sum():
        assert found is None
    else:
        assert cost(g, found.tolist(), links, degrees) == least
        assert len(set(found.tolist())) == 4
    exact = seek_sybils(shoal.as_graph(g), links, degrees, 0, rng)
    assert (exact is None) == (least > 0)


def test_which_of_equal_matches_is_taken_is_drawn():
    links = np.array([[False, True], [True, False]])
    pairs = shoal.as_graph(nx.Graph([(0, 1), (2, 3)]))
    found = {
        tuple(seek_sybils(pairs, links, np.array([1, 1]), 0, np.random.default_rng(s)).tolist()) for s in range(40)
    }
    assert found == {(0, 1), (1, 0), (2, 3), (3, 2)}


def test_targets_are_read_off_by_their_links():
    g = shoal.as_graph(nx.Graph([(0, 1), (0, 2), (1, 2), (0, 3), (1, 4), (1, 5)]))
    prints = np.array([[True, True], [True, False], [False, True]])
    match = np.array([0, 1])
    assert read_targets(g, match, prints, np.array([2, 3, 4])) == 1 + 1 + 0.5  # 5 looks like 4
    assert read_targets(g, match, prints, np.array([2, 3, -1])) == 2
    assert read_targets(shoal.as_graph(nx.Graph([(0, 1)])), match, prints, np.array([0, 1, 0])) == 0


def test_what_is_planted_is_as_it_is_remembered():
    rng = np.random.default_rng(0)
    original = shoal.as_graph(GRAPH, attributes={"age": {v: v % 7 for v in GRAPH}})
    planted = PlantedNetwork.plant(original, 8, 5, rng)
    g = planted.graph
    assert (g.n, len(g.attributes["age"])) == (108, 108)
    sybils = np.arange(100, 108)
    adjacency = g.to_scipy().toarray() > 0
    assert (adjacency[np.ix_(sybils, sybils)] == planted.links).all()
    assert planted.links[np.arange(7), np.arange(1, 8)].all()
    assert (adjacency[np.ix_(planted.targets, sybils)] == planted.prints).all()
    before = original.to_scipy().toarray() > 0
    assert (adjacency[:100, :100] == before).all()
    assert len(set(g.names)) == 108


def test_fingerprints_differ_and_none_is_empty():
    prints = draw_fingerprints(31, 5, np.random.default_rng(1))
    assert len(np.unique(prints, axis=0)) == 31
    assert prints.any(axis=1).all()


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [0, 0.5])
def test_where_only_names_changed_the_targets_are_found(tolerance):
    walk = shoal.attacks.PlantedWalk(targets=5, repeats=3, tolerance=tolerance)
    outcome = shoal.attack(GRAPH, shoal.methods.Perturb(delete=1, seed=1)(GRAPH), by=walk)
    rates = outcome["only renamed"].rates
    assert (rates["sybils found"].rate, rates["targets found"].rate, rates["no match"].rate) == (1, 1, 0)


@pytest.mark.slow
def test_few_edits_stop_the_exact_form_and_not_the_robust_one():
    noise = shoal.methods.Perturb(add=0.05, delete=0.05, seed=1)(GRAPH)
    robust, exact = (
        shoal.attack(GRAPH, noise, by=shoal.attacks.PlantedWalk(targets=5, repeats=4, tolerance=t)) for t in (0.5, 0)
    )
    assert robust.rate > 0.6
    assert robust["random edits"].rates["targets found"].rate > 0.6
    assert exact.rate == 0
    assert exact["release"].rates["no match"].rate == 1
    degrees = shoal.methods.MatchDegrees(k=2)(GRAPH)
    assert shoal.attack(GRAPH, degrees, by=shoal.attacks.PlantedWalk(targets=5, repeats=3)).rate > 0.6


@pytest.mark.slow
def test_among_twins_targets_are_hardly_found():
    twins = shoal.methods.EqualizeRows(k=3, effort=5)
    with pytest.warns(Notice):
        release = twins(GRAPH)
    outcome = shoal.attack(GRAPH, release, by=shoal.attacks.PlantedWalk(targets=5, repeats=6))
    assert outcome.interval is None
    assert any("6 repeats" in note for note in outcome.notes)
    assert outcome.rate < 0.34


def test_a_release_that_was_drawn_has_no_edits():
    g = nx.gnm_random_graph(30, 60, seed=1)
    outcome = shoal.attack(
        g, shoal.methods.Generalize(k=2, effort=2, seed=1)(g), by=shoal.attacks.PlantedWalk(targets=2, repeats=2)
    )
    assert [trial.graph for trial in outcome.trials] == ["release", "only renamed", "guessing"]
    assert any("drawn anew" in note for note in outcome.notes)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_outcome_though_the_method_draws_its_own():
    noise = shoal.methods.Perturb(add=5)
    walk = shoal.attacks.PlantedWalk(targets=3, repeats=2, tolerance=0.3)
    first, again = (shoal.attack(GRAPH, noise(GRAPH), by=walk, seed=4).data() for _ in range(2))
    assert first == again
    assert reseed_method(noise, np.random.default_rng(1)).seed == reseed_method(noise, np.random.default_rng(1)).seed


def test_it_must_be_known_which_method_to_run():
    with pytest.raises(BadParameter, match=r"method=.*--method"):
        shoal.attack(GRAPH, GRAPH, by="planted-walk")
    outcome = shoal.attack(GRAPH, GRAPH, by=shoal.attacks.PlantedWalk(repeats=1), method=shoal.methods.Perturb(add=1))
    assert outcome.settings["method"] == "perturb"
    assert outcome.settings["sybils"] == 14


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"sybils": 1}, "'sybils'"),
        ({"targets": 0}, "'targets'"),
        ({"repeats": 0}, "'repeats'"),
        ({"tolerance": 2}, "'tolerance' must be a share"),
        ({"method": "equalize-rows"}, "'method' must be a method"),
        ({"targets": 500}, r"'targets'.*100"),
        ({"sybils": 3, "targets": 8}, "'sybils' must be enough"),
    ],
)
def test_bad_parameters_are_refused(how, told):
    with pytest.raises(BadParameter, match=told):
        shoal.attack(GRAPH, shoal.methods.Perturb(add=1)(GRAPH), by=shoal.attacks.PlantedWalk(**how))
