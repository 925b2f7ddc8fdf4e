"""Suppression in an engine: the people that are left are those of the same rounds in memory."""

from collections import Counter

import duckdb
import pytest

import shoal
from draws import SEED
from relational_cases import list_left, save
from relational_releases import draw_people, suppress_by_hand
from shoal.errors import BadParameter, CannotPromise
from shoal.relational import DuckDBEngine, Round, suppress

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
KINDS = ("degree", "neighbors:1", "columns:age", "degree+columns:age", "counts:1")
STAR = "SELECT 0 AS src, range AS dst FROM range(1, 6)"


def list_names(release):
    network = release.network
    table = "names" if network.named else "(SELECT v, v AS name FROM people)"
    return {
        name for (name,) in network.engine.collect(f"SELECT x.name FROM people p JOIN {table} x ON x.v = p.v", "test")
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", range(6))
@pytest.mark.parametrize("spec", KINDS)
def test_the_rounds_are_those_of_memory(spec, case, tmp_path):
    people = draw_people(f"{SEED} {case}")
    links, known = people.write(tmp_path)
    k, allow = 2 + case % 3, (case % 2) * 2
    left, out = suppress_by_hand(people, spec, k, allow)
    ask = {"vertices": known, "allow": allow, "keep_at_least": 0, "engine": DuckDBEngine(threads=1), **people.options}
    if left is None:
        with pytest.raises(CannotPromise, match=f"no person is left after round {len(out)}"):
            suppress(links, spec, k, **ask)
        return
    with suppress(links, spec, k, **ask) as release:
        assert [one.below for one in release.rounds.rounds] == out
        assert list_names(release) == set(left.ages)
        graph = left.graph()
        assert (release.n, release.network.m) == (graph.n, graph.m)
        sizes = shoal.assess(graph, spec).sizes
        assert release.risks[0].histogram() == dict(sorted(Counter(sizes.tolist()).items()))
        assert release.protected == int((sizes >= k).sum())


def test_the_guarantee_says_how_many_it_covers_where_some_are_allowed():
    with suppress(duckdb.sql(STAR), "degree", 3, allow=1) as release:
        assert release.promise == shoal.release.guarantee.PartialPromise((shoal.knowledge.Degree(),), 3, 5, 6)
        assert release.rounds.rounds == ()


def test_a_dry_run_has_the_rounds_and_the_reason():
    found = suppress(duckdb.sql(STAR), "degree", 3, dry_run=True)
    assert found.rounds == (Round(1, 5, 0),)
    assert (found.people, found.links) == (6, 5)
    assert "less than 50% of the links" in found.refused
    assert "left out" in repr(found)


def test_too_little_left_is_refused_with_each_round(tmp_path):
    with pytest.raises(CannotPromise, match="round 1: 1 left out, 5 people and no links left"):
        suppress(duckdb.sql(STAR), "degree", 3, engine=DuckDBEngine(temp=tmp_path, threads=1))
    assert list_left(tmp_path) == []


def test_too_many_rounds_are_refused():
    path = duckdb.sql("SELECT range AS src, range + 1 AS dst FROM range(12)")
    with pytest.raises(CannotPromise, match="after 2 rounds"):
        suppress(path, "refinement:2", 3, max_rounds=2, keep_at_least=0.1)


RING_AND_STAR = """SELECT range AS src, (range + 1) % 10 AS dst FROM range(10)
    UNION ALL SELECT 100, range FROM range(200, 210)"""
"""20 links. One person of degree 10 is left out, and 10 of the links with it."""


def test_exactly_what_must_be_left_is_enough(tmp_path):
    with suppress(duckdb.sql(RING_AND_STAR), "degree", 5) as release:
        assert release.rounds.rounds == (Round(1, 20, 10),)
        assert release.promise.k == 5
    with pytest.raises(CannotPromise, match="less than 51% of the links is left after round 1"):
        suppress(duckdb.sql(RING_AND_STAR), "degree", 5, keep_at_least="51%")
    people = save(tmp_path / "people.parquet", name=list("abcd"), age=[30, 30, 31, 30])
    with suppress(people, "columns:age", 3, key="name", keep_at_least=0.75) as release:
        assert release.n == 3
    with pytest.raises(CannotPromise, match="less than 76% of the people"):
        suppress(people, "columns:age", 3, key="name", keep_at_least=0.76)


def test_the_last_round_may_be_the_one_that_is_needed():
    ask = {"knowledge": "degree", "k": 3, "keep_at_least": 0, "dry_run": True}
    path = duckdb.sql("""SELECT range AS src, range + 1 AS dst FROM range(3)
        UNION ALL SELECT range + 50, (range + 1) % 6 + 50 FROM range(6)""")
    found = suppress(path, **ask)
    rounds = len(found.rounds)
    assert rounds > 0
    assert (found.refused, found.below) == (None, 0)
    assert suppress(path, max_rounds=rounds, **ask) == found


def test_what_was_declared_is_what_was_asked_for():
    with suppress(duckdb.sql(RING_AND_STAR), "degree", 5) as release:
        policy = {"knows": "degree", "k": 5, "allow": 0, "max rounds": 20, "keep at least": "50%"}
        assert release.method.declare_policy() == policy
        assert release.method.shell == "suppress"


def test_a_dry_run_leaves_nothing(tmp_path):
    found = suppress(duckdb.sql(STAR), "degree", 2, dry_run=True, engine=DuckDBEngine(temp=tmp_path, threads=1))
    assert found.refused
    assert list_left(tmp_path) == []


def test_nobody_is_left_out_of_reach(tmp_path):
    """Where all people are below k, the rounds say that nobody is left."""
    found = suppress(duckdb.sql("SELECT 1 AS src, 2 AS dst UNION ALL SELECT 2, 3"), "adjacency", 3, dry_run=True)
    assert found.rounds == (Round(3, 0, 0),)
    assert (found.below, found.refused) == (0, "no person is left after round 1")


def test_a_bound_is_no_proof(tmp_path, monkeypatch):
    """A person whose search was cut short is not counted as protected, however large the bound is."""
    people = draw_people(3, 30)
    links, _ = people.write(tmp_path)
    monkeypatch.setattr("shoal.relational.kinds.neighbors.BUDGET", 1)
    with suppress(links, "neighbors:2", 2, allow=30, **people.options) as release:
        sizes = release.risks[0].sizes.collect()
        assert release.protected == sum(size >= 2 and exact for _, size, exact in sizes)
        assert any(size >= 2 and not exact for _, size, exact in sizes)
        assert release.rounds.below == 30 - release.protected


def test_people_whose_size_is_a_bound_are_left_out(monkeypatch, tmp_path):
    monkeypatch.setattr("shoal.relational.kinds.neighbors.BUDGET", 1)
    people = draw_people(3, 30)
    links, _ = people.write(tmp_path)
    ask = {"keep_at_least": 0, "dry_run": True, **people.options}
    found = suppress(links, "neighbors:2", 2, **ask)
    monkeypatch.undo()
    exact = suppress(links, "neighbors:2", 2, **ask)
    assert found.rounds[0].below >= exact.rounds[0].below


def test_a_table_without_links_is_suppressed_by_its_columns(tmp_path):
    table = save(tmp_path / "people.parquet", name=["a", "b", "c", "d"], age=[30, 30, 31, 30])
    with suppress(table, "columns:age", 3, key="name") as release:
        assert (release.n, release.rounds.rounds) == (3, (Round(1, 3, 0),))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"k": 1}, "'k'"),
        ({"k": 99}, "k"),
        ({"allow": -1}, "allow"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"keep_at_least": 2}, "keep_at_least"),
        ({"multigraph": True}, "multigraph"),
        ({"knowledge": "orbit"}, "orbit"),
    ],
)
def test_wrong_options_are_refused(wrong, told, edges):
    ask = {"knowledge": "degree", "k": 2} | wrong
    with pytest.raises(BadParameter, match=told):
        suppress(edges, **ask)


def test_an_open_network_is_not_changed(edges):
    with shoal.relational.open_network(edges) as network, pytest.raises(BadParameter, match="open network"):
        suppress(network, "degree", 2)
