"""Who is who: by a mapping, or by name where names were kept; fresh names are nobody's."""

import networkx as nx
import pytest

import shoal
from shoal.data.graph import Graph
from shoal.errors import BadParameter, Notice
from shoal.knowledge.view import Pair, match_by_name


@pytest.fixture
def saved(tmp_path):
    """An original whose names are those that a release gets, and such a release."""
    original = shoal.as_graph(nx.relabel_nodes(nx.barabasi_albert_graph(30, 2, seed=1), str))
    shoal.methods.MatchDegrees(k=2, seed=2**70)(original).save(tmp_path / "safe.csv", tmp_path / "secret.csv")
    return original, tmp_path / "safe.csv", tmp_path / "secret.csv"


def test_names_of_a_saved_release_are_nobodys(saved):
    original, safe, secret = saved
    released = shoal.read_graph(safe)
    assert released.names.fresh
    assert set(released.names) == set(original.names)
    assert released.without_attributes().names.fresh
    for ask in (
        lambda: shoal.assess(released, "degree", original=original),
        lambda: shoal.compare(original, released, same_names=True),
        lambda: shoal.attack(original, released, knowledge="degree", same_names=True),
    ):
        with pytest.raises(BadParameter, match="names are fresh"):
            ask()
    with pytest.raises(BadParameter, match="'mapping' must be given"):
        shoal.attack(original, released, knowledge="degree")
    assert shoal.compare(original, released).matched == "nothing"
    assert shoal.compare(original, released, mapping=secret).matched == "mapping"


def test_a_table_is_never_matched_row_by_row():
    table = shoal.as_table({"age": [30, 30, 41]})
    with pytest.raises(BadParameter, match="'mapping' must be given"):
        shoal.attack(table, table, knowledge="columns:age")
    assert shoal.attack(table, table, knowledge="columns:age", same_names=True).trials


def test_where_equal_names_mean_the_same():
    g = shoal.examples.karate()
    assert match_by_name(g, None)
    assert match_by_name(shoal.methods.EqualizeRows(k=2)(g), None)
    assert not match_by_name("safe.csv", None)
    assert not match_by_name(g.attributes, None)
    assert match_by_name("safe.csv", True)
    assert not match_by_name(g, False)


def test_kept_links_and_edits():
    before = shoal.as_graph([("a", "b"), ("b", "c"), ("c", "d")])
    after = shoal.as_graph([("y", "x"), ("z", "x")])
    with pytest.warns(Notice, match="1 of the 4"):
        pair = Pair.of(before, after, {"a": "x", "b": "y", "c": "z"})
    assert [bool(kept) for kept in pair.kept] == [True, False, False]
    assert pair.edits == (1, 2)


def test_the_mapping_of_another_release_is_refused(saved, shell, tmp_path):
    original, safe, secret = saved
    shoal.write(original, tmp_path / "friends.csv")
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "other.csv"
    shoal.methods.ShareNeighbors(k=2, l=1, seed=2**70)(original).save(other, tmp_path / "other" / "secret.csv")
    asked = (
        ("compare", tmp_path / "friends.csv", other),
        ("attack", tmp_path / "friends.csv", other, "--knows", "degree"),
        ("audit", tmp_path / "friends.csv", other, "-o", tmp_path / "report.json"),
        ("frontier", tmp_path / "friends.csv", "-k", "2", "--methods", "share-neighbors", "--also", other),
        ("risk", other, "--original", tmp_path / "friends.csv"),
    )
    for command in asked:
        code, _, err = shell(*command, "--mapping", secret)
        assert (code, "belongs to another release" in err) == (2, True), command
    assert shell(*asked[0], "--mapping", tmp_path / "other" / "secret.csv")[0] == 0
    secret.write_text("\n".join(line for line in secret.read_text().splitlines() if not line.startswith("#")))
    assert shell("compare", tmp_path / "friends.csv", safe, "--mapping", secret)[0] == 0


def test_a_mixed_network_that_lost_its_arcs_is_compared_with_its_original():
    ring = [(v, (v + 1) % 8) for v in range(8)]
    a, b = zip(*ring, strict=True)
    original = Graph.from_pairs(range(8), a, b, directed=[v % 2 == 0 for v in range(8)])
    left = Graph.from_pairs(range(8), a[1::2], b[1::2])
    for ask in (
        lambda: shoal.assess(left, "neighbors:1", original=original),
        lambda: shoal.attack(original, left, knowledge="neighbors:1", seed=1),
        lambda: shoal.audit(original, left),
    ):
        with pytest.warns(Notice, match="no link of the release has one"):
            ask()
    with pytest.warns(Notice, match="no link of the release has one"):
        found = shoal.compare(original, left, seed=1)
    assert found["edges kept"].after.value == 4
    with pytest.raises(BadParameter, match="directions only in the original"):
        shoal.compare(Graph.from_pairs(range(8), a, b, directed=True), left)
    with pytest.raises(BadParameter, match="directions only in the release"):
        shoal.compare(left, original)
    calls = Graph.from_pairs("abc", [0, 1], [1, 2], directed=[True, False], kinds=["call", "kin"])
    with pytest.raises(BadParameter, match="directions only in the original"):  # calls have a direction there
        shoal.compare(calls, calls.to_undirected())
