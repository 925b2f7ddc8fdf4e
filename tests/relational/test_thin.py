"""Thinning in an engine: a cap of neighbors, or a sample of links, drawn with a secret seed."""

from hashlib import sha256

import duckdb
import pytest

import shoal
from relational_releases import draw_people
from shoal.errors import BadParameter
from shoal.relational import DuckDBEngine, thin

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
COMPLETE = "SELECT a.range AS src, b.range AS dst FROM range(60) a, range(60) b WHERE a.range < b.range"


def list_pairs(release):
    return set(release.network.engine.collect("SELECT v, w FROM arcs WHERE v < w", "test"))


def test_nobody_keeps_more_neighbors_than_the_cap():
    with thin(duckdb.sql(COMPLETE), cap_degree=4, undirected=True) as release:
        assert release.n == 60
        ((most,),) = release.network.engine.collect("SELECT max(near) FROM people", "test")
        assert most <= 4
        assert release.network.m == len(list_pairs(release)) > 0


def test_a_pair_stays_if_it_is_among_the_first_of_both_ends():
    star = duckdb.sql("SELECT 0 AS src, range AS dst FROM range(1, 9)")
    with thin(star, cap_degree=3) as release:
        assert release.network.m == 3
        assert all(a == 0 for a, _ in list_pairs(release))


@pytest.mark.parametrize("share", [0, 0.1, 0.5, "90%"])
def test_a_sample_has_about_its_share_of_the_links(share):
    with thin(duckdb.sql(COMPLETE), sample=share, seed=2**80, undirected=True) as release:
        expected = 1770 * (0.9 if share == "90%" else share)
        assert abs(release.network.m - expected) <= 5 * (1770 * 0.25) ** 0.5
        assert release.n == 60


def test_the_seed_decides_and_a_larger_sample_holds_a_smaller_one():
    def draw(**how):
        with thin(duckdb.sql(COMPLETE), undirected=True, **how) as release:
            return list_pairs(release)

    assert draw(sample=0.3, seed=2**70) == draw(sample=0.3, seed=2**70) != draw(sample=0.3, seed=2**71)
    assert draw(sample=0.3, seed=2**70) < draw(sample=0.6, seed=2**70)
    assert draw(sample=0.3) != draw(sample=0.3)


@pytest.mark.parametrize(("share", "cap"), [(0.4, None), (None, 3), (0.4, 3), (None, 0)])
def test_the_draw_is_the_same_in_every_engine(share, cap):
    """A pair has the SHA-256 of the key and its ends; a sample has the low ones, a cap the lowest of both ends."""
    pairs = [(a, b) for a in range(12) for b in range(a + 1, 12)]
    place = {pair: sha256(f"thin {2**70} {pair[0]} {pair[1]}".encode()).hexdigest() for pair in pairs}
    if share is not None:
        pairs = [pair for pair in pairs if int(place[pair], 16) < share * 16**64]
    if cap is not None:
        first = {v: sorted((pair for pair in pairs if v in pair), key=place.get)[:cap] for v in range(12)}
        pairs = [pair for pair in pairs if all(pair in first[v] for v in pair)]
    with thin(duckdb.sql(COMPLETE.replace("60", "12")), cap, share, seed=2**70, undirected=True) as release:
        assert list_pairs(release) == set(pairs)
        assert (release.n, release.network.m) == (12, len(pairs))
        near = dict(release.network.engine.collect("SELECT v, near FROM people", "test"))
        assert near == {v: sum(v in pair for pair in pairs) for v in range(12)}
        assert release.seed == 2**70


def test_what_was_declared_is_what_was_asked_for():
    for how, policy in (
        ({"cap_degree": 4}, {"cap degree": 4, "sample": None}),
        ({"sample": 0.25}, {"cap degree": None, "sample": "25%"}),
    ):
        with thin(duckdb.sql(COMPLETE), undirected=True, **how) as release:
            assert release.method.declare_policy() == policy


def test_a_bound_is_no_guarantee(monkeypatch):
    """Without k, the guarantee is the number of the person with the fewest candidates; a bound is none."""
    monkeypatch.setattr("shoal.relational.kinds.neighbors.BUDGET", 1)
    with thin(
        duckdb.sql(COMPLETE.replace("60", "12")), 9, knowledge="neighbors:2", seed=2**70, undirected=True
    ) as release:
        assert not release.risks[0].exact
        assert release.promise is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_links_of_a_pair_stay_together_and_counts_are_those_of_memory(seed, tmp_path):
    people = draw_people(seed)
    links, known = people.write(tmp_path)
    ask = {"vertices": known, "engine": DuckDBEngine(threads=1), **people.options}
    with thin(links, sample=0.6, cap_degree=3, knowledge="degree", k=2, seed=2**70 + seed, **ask) as release:
        network = release.network
        names = dict(network.engine.collect("SELECT v, name FROM names", "test")) if network.named else None
        kept = {frozenset(names[v] if names else v for v in pair) for pair in list_pairs(release)}
        left = people._replace(links=[link for link in people.links if frozenset(link[:2]) in kept])
        sizes = shoal.assess(left.graph(), "degree").sizes
        assert network.m == left.graph().m
        assert release.protected == int((sizes >= 2).sum())
        assert {frozenset(link[:2]) for link in left.links} == kept


def test_nothing_is_promised_without_knowledge_and_the_counted_number_with_it():
    ring = duckdb.sql("SELECT range AS src, (range + 1) % 8 AS dst FROM range(8)")
    with thin(ring, cap_degree=2, undirected=True) as release:
        assert release.promise is None
        assert "Nothing is promised" in repr(release)
    ring = duckdb.sql("SELECT range AS src, (range + 1) % 8 AS dst FROM range(8)")
    with thin(ring, cap_degree=2, knowledge="degree", undirected=True) as release:
        assert release.promise.k == 8


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"cap_degree": -1},
        {"sample": 1.5},
        {"cap_degree": 2, "k": 3},
        {"cap_degree": 2, "k": 4, "knowledge": "degree"},
        {"cap_degree": 2, "knowledge": "orbit"},
    ],
)
def test_wrong_options_are_refused(wrong, edges):
    with pytest.raises(BadParameter):
        thin(edges, **wrong)
