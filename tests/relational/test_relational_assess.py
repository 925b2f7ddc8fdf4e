"""Every kind of knowledge in an engine: the sizes are those of memory, vertex by vertex."""

import warnings

import pytest

import shoal
from draws import draw_cases
from relational_cases import KNOWLEDGE, draw_case, write_case
from shoal.errors import Notice
from shoal.relational import open_network
from shoal.relational.kinds import COUNTERS


def judge(case, network):
    """Compare every kind of knowledge with memory."""
    for spec in case.knowledge:
        expected = shoal.assess(case.graph, spec)
        risk = shoal.relational.assess(network, spec)
        found = {name: (size, exact) for name, size, exact in risk.sizes.collect()}
        wanted = {
            name: (size, exact)
            for name, size, exact in zip(
                case.graph.names, expected.sizes.tolist(), expected.exact_sizes.tolist(), strict=True
            )
        }
        assert found == wanted, spec
        assert (risk.k, risk.exact) == (expected.k, expected.exact), spec
        assert risk.rate(2) == expected.rate(2), spec
        assert {name for name, *_ in risk.at_risk(2).collect()} == set(expected.at_risk(2)), spec


def judge_levels(case, network, ks):
    """Compare who falls to one or two known neighbors with memory."""
    for k in ks:
        for most in (1, 2):
            expected = shoal.levels(case.graph, "neighbors", k=k, max_size=most)
            found = shoal.relational.levels(network, k, max_size=most)
            falls = {name for name, _, exact in found.levels.collect() if exact}
            by_size = dict(zip(case.graph.names, zip(expected.per_vertex, expected.exact, strict=True), strict=True))
            assert {name: l for name, l, _ in found.levels.collect()} == {
                name: min(l, most) for name, (l, _) in by_size.items()
            }
            assert falls == {name for name, (l, exact) in by_size.items() if exact and l < most}
            assert sum(found.histogram().values()) == case.graph.n


@pytest.mark.slow
def test_sizes_and_levels_are_those_of_memory(tmp_path, start, in_spark):
    for seed in draw_cases(range(100_000), 2 if in_spark else 7):
        folder = tmp_path / str(seed)
        folder.mkdir()
        case = draw_case(seed)
        edges, people = write_case(case, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            engine = start(bits=(2, 4, 32)[seed % 3])
            with open_network(edges, vertices=people, engine=engine, **case.options) as network:
                judge(case, network)
                judge_levels(case, network, (2,) if in_spark else range(2, case.graph.n + 1))


def test_every_kind_is_compared():
    compared = {type(part) for spec in KNOWLEDGE for part in shoal.parse_knowledge(spec).parts}
    assert compared == set(COUNTERS)
