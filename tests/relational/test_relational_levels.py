"""Levels: exact, however the pairs of neighbors are cut into parts."""

import warnings
from random import Random

import pytest

import shoal
from relational_cases import draw_case, save, write_case
from shoal.errors import BadParameter, Notice
from shoal.relational import open_network
from shoal.relational.kinds import neighbors


def judge(graph, network):
    for k in (2, 4):
        expected = shoal.levels(graph, "neighbors", k=k, max_size=2)
        wanted = {
            name: (min(l, 2), bool(exact and l < 2))
            for name, l, exact in zip(graph.names, expected.per_vertex, expected.exact, strict=True)
        }
        found = shoal.relational.levels(network, min(k, graph.n))
        assert {name: (l, exact) for name, l, exact in found.levels.collect()} == wanted
        assert sum(found.histogram().values()) == graph.n


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 200])
def test_levels_are_exact_for_every_budget(budget, tmp_path, monkeypatch, start, in_spark):
    monkeypatch.setattr(neighbors, "BUDGET", budget)
    n, rng = 7 if in_spark and budget == 1 else 14, Random(budget)
    pairs = [(a, b) for a in range(n) for b in range(a) if rng.random() < 0.45]
    file = save(tmp_path / "e.parquet", src=[a for a, _ in pairs], dst=[b for _, b in pairs])
    with open_network(file, undirected=True, engine=start()) as network:
        judge(shoal.as_graph(pairs), network)


@pytest.mark.slow
def test_levels_of_directed_links_with_kinds(tmp_path, monkeypatch, start):
    monkeypatch.setattr(neighbors, "BUDGET", 3)
    case = next(
        case
        for case in map(draw_case, range(200))
        if case.options["directed"] and case.options["kind"] and case.graph.n > 5
    )
    links, people = write_case(case, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        with open_network(links, vertices=people, engine=start(), **case.options) as network:
            judge(case.graph, network)


def test_sets_are_of_one_or_two(tmp_path):
    file = save(tmp_path / "e.parquet", src=[1, 2], dst=[2, 3])
    for most in (0, 3, 1.5, True):
        with pytest.raises(BadParameter, match="max_size"):
            shoal.relational.levels(file, k=2, max_size=most)
