"""Laws of the methods that handle directions and kinds of links."""

import pytest

import shoal
from method_cases import ALL, NOT_WITH_TIES, READ_TIES, add_ties, case, club, quietly
from shoal.data.graph import Graph
from shoal.errors import BadGraph, CannotPromise
from shoal.io.digest import digest_layout
from shoal.io.mapping import read_mapping
from shoal.methods import METHODS
from shoal.release.guarantee import Promise

pytestmark = pytest.mark.usefixtures("brief_searches")

CASES = [one for one in ALL if one[0] in READ_TIES and one not in NOT_WITH_TIES]
TABLES = [(name, i) for name, i in CASES if METHODS.find(name).works_on == "tables"]


@pytest.mark.parametrize(("name", "i"), CASES)
def test_a_release_has_relations_of_the_original_and_its_guarantee(name, i):
    method, data = case(name, i)
    original = add_ties(data)
    before = digest_layout(original)
    release = quietly(method, original)
    assert digest_layout(original) == before
    assert set(release.data.ties.relations) <= set(original.ties.relations)
    assert release.data.directed
    for promise in release.promises:
        if isinstance(promise, Promise) and promise.source == "release":
            assert shoal.assess(release.data, promise.knowledge).k >= promise.k


@pytest.mark.parametrize(("name", "i"), CASES)
def test_the_same_seed_gives_the_same_release(name, i):
    method, data = case(name, i)
    one, other = (quietly(method, add_ties(data)) for _ in range(2))
    assert one.data == other.data


@pytest.mark.parametrize(("name", "i"), TABLES)
def test_methods_for_tables_keep_every_link(name, i):
    method, data = case(name, i)
    original = add_ties(data)
    release = quietly(method, original)
    assert release.data.without_attributes() == original.without_attributes()
    assert release.data.attributes.heads == original.attributes.heads


def mix_directions(data):
    """Return a network with these columns, arcs both ways, links without direction, and two kinds."""
    a, b = [0, 1, 2, 3, 5, 7, 7], [1, 0, 3, 4, 6, 8, 8]
    arrows, kinds = [True, True, True, False, True, True, False], ["call"] * 4 + ["mail"] * 3
    return Graph.from_pairs(range(34), a, b, directed=arrows, kinds=kinds, attributes=shoal.as_table(data))


@pytest.mark.parametrize("ending", ["graphml", "json"])
@pytest.mark.parametrize(("name", "i"), TABLES)
def test_a_saved_release_is_read_back_with_directions_and_kinds(name, i, ending, tmp_path):
    method, data = case(name, i)
    release = quietly(method, mix_directions(data))
    path, secret = tmp_path / f"out.{ending}", tmp_path / "secret.csv"
    quietly(lambda made: made.save(path, secret), release)
    found = shoal.read_graph(path, kind="kind")
    back = read_mapping(secret)
    place = found.names.find([back[str(v)] for v in range(34)])
    mapped = found.renumbered(release.data.names, place, found.attributes.take(place))
    assert mapped.without_attributes() == release.data.without_attributes()


@pytest.fixture
def mails():
    return add_ties(club())


def test_recommend_leaves_out_methods_that_refuse(mails):
    found = shoal.recommend(mails, "degree", 2)
    assert type(found.method).__name__ == "MatchDegrees"
    assert not found.offers[0].refused
    refused = {type(offer.method).__name__: offer.refused for offer in found.offers if offer.refused}
    refusing = {type(offer.method).__name__ for offer in found.offers if not offer.method.reads_ties}
    assert set(refused) == refusing
    assert all("--undirected" in reason for reason in refused.values())
    assert shoal.assess(found.release.data, "degree").k >= 2
    assert shoal.recommend(mails, "degree", 2, measure=False).method.reads_ties


def test_recommend_says_why_no_method_is_left(mails, monkeypatch):
    for kind in METHODS.values():
        monkeypatch.setattr(kind, "reads_ties", False)
    with pytest.raises(CannotPromise, match=r"MatchNeighborhoods.*--undirected"):
        shoal.recommend(mails, "neighborhood:1", 2)


@pytest.mark.slow
def test_recommend_for_a_scenario(mails):
    links = shoal.Scenario("links", ["degree"], k=2, allow="5%")
    found = quietly(lambda data: shoal.methods.recommend_for_scenario(data, links, seed=1, time_limit=20), mails)
    assert found.passing
    assert found.passing[0].method.reads_ties
    assert all(one.refused or one.method.reads_ties for one in found.attempts)


def test_a_pipeline(mails):
    steps = shoal.methods.Perturb(delete=5, seed=1) >> shoal.methods.MatchDegrees(2, "add-delete")
    release = quietly(steps, mails)
    assert shoal.assess(release.data, "degree").k >= 2
    assert release.data.kinds == ("call", "mail")
    refusing = shoal.methods.MatchNeighborhoods(2) >> shoal.methods.MatchDegrees(2)
    with pytest.raises(BadGraph, match=r"MatchNeighborhoods.*--undirected"):
        refusing(mails)
