"""Releases: guarantees are checked by counting, and the files disclose nothing else."""

import json
import stat
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from conftest import graphs
from messages import tells
from shoal import Release
from shoal.errors import BadFile, BadParameter, BrokenPromise, FileExists, Notice
from shoal.knowledge.view import read_known_names
from shoal.release.guarantee import ConfusionPromise, Promise
from shoal.release.manifest import describe_release
from shoal.release.release import measure_utility
from shoal.release.verify import verify_release

PEOPLE = {"age": [20, 61, 22, 60, 23, 64], "sex": ["f", "m", "f", "f", "m", "m"], "zip": list("aabbcc")}


def microaggregated(**how):
    return shoal.methods.Microaggregate(k=3, columns=("age", "sex"), **how)(PEOPLE)


def test_a_release_that_breaks_its_guarantee_is_not_returned():
    release = microaggregated()
    with pytest.raises(BrokenPromise, match=r"guarantee.*4 candidates.*Got 3"):
        verify_release(replace(release, promises=(Promise(shoal.knowledge.Columns("age", "sex"), 4),)))
    with pytest.raises(BrokenPromise, match="at least 3 candidates"):
        verify_release(replace(release, data=release.original))


def test_labels_are_covered_by_a_promise_about_them():
    promise = Promise(shoal.knowledge.Neighborhood(1, ("age", "sex")) & shoal.knowledge.Columns("zip"), 2)
    assert promise.columns_of(shoal.Table(0)) == ("age", "sex", "zip")


def test_a_guarantee_for_some_vertices_is_checked_for_these():
    data = shoal.as_graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")])
    release = Release(data, data, (Promise(shoal.knowledge.Adjacency(), 2, vertices=("a", "c")),), None)
    assert "all protected vertices" in verify_release(release).verification[0]
    with pytest.raises(BrokenPromise):
        verify_release(replace(release, promises=(Promise(shoal.knowledge.Adjacency(), 2, vertices=("a", "e")),)))


def test_a_promise_about_the_original_is_measured_there():
    before, after = shoal.as_graph(nx.path_graph(4)), shoal.as_graph(nx.cycle_graph(4))
    promise = Promise(shoal.knowledge.Neighbors(1), 2, source="original")
    assert verify_release(Release(before, after, (promise,), None)).verification
    with pytest.raises(BrokenPromise):
        verify_release(Release(before, before, (promise,), None))


def confusion(release, **change):
    was = release.promises[-1]
    assert isinstance(was, ConfusionPromise)
    return replace(release, promises=(replace(was, **change),))


def test_confusion_needs_large_classes_with_equal_members():
    release = microaggregated()
    assert verify_release(confusion(release)).verification == release.verification[-1:]
    with pytest.raises(BrokenPromise, match="Got classes of 3 to 3"):
        verify_release(confusion(release, n=4))
    with pytest.raises(BrokenPromise, match="confusion is guaranteed"):
        verify_release(confusion(release, t=Fraction(1, 2)))
    with pytest.raises(BrokenPromise, match="same values"):
        verify_release(replace(confusion(release), codes=np.array([0, 1, 0, 1, 1, 0])))
    with pytest.raises(BrokenPromise, match="of entries or vertices"):
        verify_release(confusion(release, of="anything"))
    with pytest.raises(BrokenPromise, match="above 0"):
        verify_release(confusion(release, n=0))
    with pytest.raises(BrokenPromise, match="in no class"):
        verify_release(replace(confusion(release), codes=None))


def test_confusion_of_vertices_needs_equal_rows():
    g = nx.cycle_graph(4)
    nx.set_node_attributes(g, 30, "age")
    release = shoal.methods.Confuse(k=2, seed=7)(g)
    with pytest.raises(BrokenPromise, match="same neighbors"):
        verify_release(replace(release, data=shoal.as_graph(nx.path_graph(4)), promises=release.promises[1:]))


class Leaky(shoal.methods.Microaggregate):
    """Publishes a class from the order of its members, which reveals the first one."""

    def summary(self, table, members):
        return tuple(members.tolist())


def test_published_values_of_a_class_must_not_depend_on_order():
    release = shoal.methods.SwapWithin("zip", columns="sex", seed=1)(PEOPLE | {"sex": list("ffmmff")})
    promise = replace(release.promises[0], by=Leaky(3, representative="perpendicular"))
    with pytest.raises(BrokenPromise, match="depend on the order"):
        verify_release(replace(release, promises=(promise,)))
    with pytest.raises(BrokenPromise, match="as a permutation"):
        verify_release(replace(release, data=release.data.with_attributes(shoal.as_table(PEOPLE | {"sex": ["f"] * 6}))))
    with pytest.raises(BrokenPromise, match=r"at least one vertex\. Got none"):
        verify_release(replace(release, promises=(Promise(shoal.knowledge.Columns("age"), 6, vertices=()),)))


SECRETIVE = [
    (
        shoal.methods.Microaggregate(k=3, representative="perpendicular"),
        {"x": range(9), "y": [v * v % 7 for v in range(9)]},
    ),
    (shoal.methods.SwapWithin("t", allow_unique=True), {"t": [0, 1] * 4, "x": range(8)}),
    (shoal.methods.Distort("t"), {"t": [0, 1] * 4, "x": range(8)}),
]


@pytest.mark.parametrize(("method", "data"), SECRETIVE, ids=lambda x: type(x).__name__)
def test_the_manifest_does_not_depend_on_the_seed(method, data, tmp_path):
    """The loss would disclose the permutation to an attacker who has the original and tries all of them."""
    file = tmp_path / "x.csv"
    file.write_text("")
    pages = {json.dumps(describe_release(replace(method, seed=seed)(data), [file])) for seed in range(20)}
    assert len(pages) == 1


def test_published_shares_have_two_figures(tmp_path):
    """Of ages 20, 61, 22, 60 the means and all digits of the loss would disclose every age."""
    release = shoal.methods.Microaggregate(k=2)({"age": [20, 61, 22, 60]})
    file = tmp_path / "x.csv"
    file.write_text("")
    exact = release.measured["information loss (SSE/SST)"]
    assert describe_release(release, [file])["measured"]["information loss (SSE/SST)"] == float(f"{exact:.2g}") != exact


def test_values_that_do_not_occur_leave_no_trace(tmp_path):
    """A hidden original value must not even show its kind in the header of a file."""
    pages = set()
    for hidden in ("x", 2.5, True, 7):
        g = nx.cycle_graph(4)
        nx.set_node_attributes(g, {0: 1, 2: 1, 1: 1, 3: 1}, "a")
        before = shoal.as_graph(g)
        table = shoal.as_table({"a": [1, 1, 1, hidden]}).take(np.array([0, 1, 2, 0]))
        after = before.with_attributes(table)
        (tmp_path / str(hidden)).mkdir()
        with pytest.warns(Notice, match="without a guarantee"):
            Release(before, after, (), shoal.methods.EqualizeRows(2)).save(
                tmp_path / str(hidden) / "x.graphml", seed=2**70
            )
        pages.add((tmp_path / str(hidden) / "x.graphml").read_text())
    assert len(pages) == 1


def test_the_manifest_of_confuse_does_not_depend_on_the_seed(tmp_path):
    g = nx.cycle_graph(4)
    nx.set_node_attributes(g, {v: 20 + v for v in g}, "age")
    file = tmp_path / "x.csv"
    file.write_text("")
    swap = shoal.methods.SwapWithin(allow_unique=True)
    releases = [shoal.methods.Confuse(k=2, attributes=swap, seed=seed)(g) for seed in range(20)]
    assert len({json.dumps(describe_release(release, [file])) for release in releases}) == 1
    assert len({release.notes for release in releases}) > 1
    assert [(promise.n, promise.of) for promise in releases[0].promises[1:]] == [(2, "vertices")]


def test_hierarchies_stay_secret(tmp_path):
    method = shoal.methods.Recode(k=2, columns=("ill",), hierarchies={"ill": {"HIV": ("*",), "flu": ("*",)}})
    file = tmp_path / "x.csv"
    file.write_text("")
    assert "HIV" not in json.dumps(describe_release(method({"ill": ["HIV", "flu", "flu"]}), [file]))


def test_links_into_one_folder_do_not_mix_up_the_files(tmp_path):
    for name, to in (("d1", "a.csv"), ("d2", "b.csv")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "out.csv").symlink_to(tmp_path / to)
    with pytest.warns(Notice):
        microaggregated().save(tmp_path / "d1" / "out.csv", tmp_path / "d2" / "out.csv")
    assert (tmp_path / "a.csv").read_text().startswith("age,")
    assert (tmp_path / "b.csv").read_text().startswith("# a secret")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError], ids=lambda stop: stop.__name__)
def test_a_stop_between_two_moves_undoes_the_first(tmp_path, monkeypatch, stop):
    (tmp_path / "safe.csv").write_text("old")
    (tmp_path / "safe.csv").chmod(0o600)
    moves, move = [], type(tmp_path).replace

    def stopping(self, target):
        moves.append(target)
        if len(moves) == 2:
            raise stop
        return move(self, target)

    monkeypatch.setattr(type(tmp_path), "replace", stopping)
    with pytest.raises((KeyboardInterrupt, BadFile)), pytest.warns(Notice):
        microaggregated().save(tmp_path / "safe.csv", tmp_path / "secret.csv", force=True)
    assert [file.name for file in tmp_path.iterdir()] == ["safe.csv"]
    assert (tmp_path / "safe.csv").read_text() == "old"
    monkeypatch.undo()
    with pytest.warns(Notice):
        microaggregated().save(tmp_path / "safe.csv", tmp_path / "secret.csv", force=True)
    assert stat.S_IMODE((tmp_path / "safe.csv").stat().st_mode) == 0o600


def test_one_place_cannot_hold_two_files(tmp_path):
    with pytest.raises(BadParameter, match="different paths"):
        microaggregated().save(tmp_path / "safe.csv", tmp_path / "safe.csv", force=True)
    assert list(tmp_path.iterdir()) == []


def test_files_have_fresh_names_in_a_shuffled_order(tmp_path):
    release = shoal.methods.EqualizeRows(k=2)(nx.relabel_nodes(nx.cycle_graph(4), dict(enumerate("dcba"))))
    files = release.save(tmp_path / "safe.csv", tmp_path / "secret.csv")
    assert [tmp_path / name for name in ("safe.csv", "safe.csv.release.json", "secret.csv")] == [
        *map(type(tmp_path), files)
    ]
    published, mapping = shoal.read_graph(tmp_path / "safe.csv"), shoal.read_mapping(tmp_path / "secret.csv")
    assert sorted(published.names) == ["0", "1", "2", "3"]
    assert sorted(mapping) == ["a", "b", "c", "d"]
    edges = {frozenset((mapping[str(a)], mapping[str(b)])) for a, b in release.data.to_networkx().edges}
    assert edges == {frozenset(edge) for edge in published.to_networkx().edges}
    lines = (tmp_path / "safe.csv").read_text().splitlines()[1:]
    pairs = [tuple(map(int, line.split(","))) for line in lines]
    assert pairs == sorted(pairs)
    assert stat.S_IMODE((tmp_path / "secret.csv").stat().st_mode) == 0o600


def test_the_public_page_holds_no_seed_and_no_name(tmp_path):
    g = nx.relabel_nodes(nx.cycle_graph(4), dict(enumerate(["Ann", "Bob", "Cid", "Dan"])))
    nx.set_node_attributes(g, {"Ann": 20, "Bob": 30, "Cid": 40, "Dan": 50}, "age")
    release = shoal.methods.Confuse(k=2, seed=2**90 + 1)(g)
    release.save(tmp_path / "safe.graphml", tmp_path / "secret.csv")
    page = (tmp_path / "safe.graphml.release.json").read_text()
    assert str(2**90 + 1) not in page
    assert not any(name in page + (tmp_path / "safe.graphml").read_text() for name in g)
    assert str(2**90 + 1) in (tmp_path / "secret.csv").read_text()
    said = json.loads(page)
    assert said["method"]["k"] == 2
    assert [promise["kind"] for promise in said["promise"]] == ["candidates", "confusion"]


def test_the_digest_is_that_of_the_file(tmp_path):
    from hashlib import sha256

    with pytest.warns(Notice, match="without a guarantee: zip"):
        microaggregated().save(tmp_path / "safe.csv")
    said = json.loads((tmp_path / "safe.csv.release.json").read_text())
    assert said["files"]["safe.csv"]["sha256"] == sha256((tmp_path / "safe.csv").read_bytes()).hexdigest()
    assert said["columns in no promise"] == ["zip"]


def test_a_table_is_attacked_through_its_mapping(tmp_path):
    table = shoal.as_table({"id": list("uvwxyz"), **PEOPLE}, key="id")
    release = shoal.methods.Microaggregate(k=3)(table)
    release.save(tmp_path / "safe.csv", tmp_path / "secret.csv")
    published = shoal.read_table(tmp_path / "safe.csv")
    mapping = tmp_path / "secret.csv"
    risk = shoal.assess(published, "columns:zip", original=release.table, mapping=mapping)
    assert risk.holds_truth.all()
    assert sorted(map(str, published["age"])) == sorted(map(str, release.table["age"]))


def test_the_same_seed_shuffles_alike_and_another_does_not(tmp_path):
    data = {"age": list(range(40)), "team": [0, 1] * 20}

    def written(seed, name):
        (tmp_path / name).mkdir()
        release = shoal.methods.SwapWithin("team", columns="age", seed=5, allow_unique=True)(data)
        with pytest.warns(Notice, match="can be guessed"), pytest.warns(Notice, match="without a guarantee"):
            release.save(tmp_path / name / "x.csv", seed=seed)
        return (tmp_path / name / "x.csv").read_text()

    assert written(5, "a") == written(5, "b")
    assert written(5, "c") != written(6, "d")


def test_a_seed_that_can_be_guessed_does_not_order_the_file(tmp_path):
    """The default seed of EqualizeRows is 0. With it, an attacker who has the original could undo the shuffle."""
    release = shoal.methods.EqualizeRows(k=2)(nx.Graph((a, 20 + b) for a in range(20) for b in range(20)))
    orders = set()
    for i in range(3):
        (tmp_path / str(i)).mkdir()
        release.save(tmp_path / str(i) / "x.csv", tmp_path / str(i) / "secret.csv")
        orders.add(tuple(shoal.read_mapping(tmp_path / str(i) / "secret.csv").items()))
    assert len(orders) == 3
    with pytest.warns(Notice, match=r"7.*guessed"):
        release.save(tmp_path / "x.csv", seed=7)
    with pytest.raises(BadParameter, match="'seed'"):
        release.save(tmp_path / "y.csv", seed=-1)


ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
ODD = st.text(" #,'\"\n\r\t\x00\x0b\x1c\x85\u2028\ufeff=a1", max_size=6)


@pytest.mark.slow
@given(st.lists(st.one_of(ANY, ODD), min_size=1, max_size=8, unique=True))
def test_names_survive_in_a_mapping(names):
    with TemporaryDirectory() as folder:
        mapping, graph = Path(folder) / "secret.csv", shoal.Graph.from_pairs(names, [], [])
        Release(graph, graph, (), shoal.methods.Perturb(add=1)).save(Path(folder) / "safe.csv", mapping)
        found = shoal.read_mapping(mapping)
        assert sorted(found) == sorted(names)
        assert sorted(map(int, found.values())) == list(range(len(names)))


@pytest.mark.slow
@given(st.sets(st.integers(0, 10**12), min_size=1, max_size=8))
def test_numbers_that_name_vertices_survive_in_a_mapping(numbers):
    with TemporaryDirectory() as folder:
        graph = shoal.Graph.from_pairs(sorted(numbers), [], [])
        Release(graph, graph, (), shoal.methods.Perturb(add=1)).save(
            Path(folder) / "safe.csv", Path(folder) / "secret.csv"
        )
        named = read_known_names(
            Path(folder) / "secret.csv", graph, shoal.Graph.from_pairs(range(len(numbers)), [], [])
        )
    assert sorted(named) == sorted(numbers)


def test_only_lines_before_the_header_of_a_mapping_are_comments(tmp_path):
    file = tmp_path / "secret.csv"
    file.write_bytes(b'\xef\xbb\xbf# seed 7\r\n\r\n# "two\r\nOriginal, Published\r\n#1,0\r\n\r\n"a\r\n""b""",1\r\n')
    assert shoal.read_mapping(file) == {"#1": "0", 'a\r\n"b"': "1"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Got 'nothing'"),
        ("# original,published\n", "Got 'nothing'"),
        ("a,0\n", "Got 'a,0'"),
        ("# x\noriginal,published\n\na,0\n# x\n", r"line 5.*1"),
        ('original,published\n"a\nb",0\n"a\nb",1\n', "line 5"),
        ('original,published\n"a,0\n', "must be a readable csv"),
    ],
)
def test_a_file_that_is_no_mapping_is_refused(tmp_path, text, told):
    (tmp_path / "secret.csv").write_text(text)
    with pytest.raises(BadFile, match=told):
        shoal.read_mapping(tmp_path / "secret.csv")


def test_names_with_the_same_spelling_have_no_mapping(tmp_path):
    graph = shoal.Graph.from_pairs([7, "7"], [], [])
    with pytest.raises(BadParameter, match="spell every name differently"):
        Release(graph, graph, (), shoal.methods.Perturb(add=1)).save(tmp_path / "safe.csv", tmp_path / "secret.csv")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path):
    release = microaggregated()
    (tmp_path / "secret.csv").write_text("mine")
    with pytest.raises(FileExists, match=r"secret\.csv"):
        release.save(tmp_path / "safe.csv", tmp_path / "secret.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["secret.csv"]
    with pytest.warns(Notice):
        release.save(tmp_path / "safe.csv", tmp_path / "secret.csv", force=True)
    assert (tmp_path / "secret.csv").read_text() != "mine"
    assert stat.S_IMODE((tmp_path / "secret.csv").stat().st_mode) == 0o600


def test_a_release_says_what_it_is():
    text = repr(microaggregated(seed=99))
    assert tells(text, "columns:age,sex", "3 candidates")
    assert "Not covered: column zip." in text
    assert "99" not in text
    assert "Release of Table" in microaggregated()._repr_html_()


def test_edits_are_counted_once_each():
    release = shoal.methods.EqualizeRows(k=2)(nx.path_graph(5))
    before, after = set(nx.path_graph(5).edges), set(map(tuple, map(sorted, release.data.to_networkx().edges)))
    assert set(map(tuple, map(sorted, release.edits.added))) == after - before
    assert set(map(tuple, map(sorted, release.edits.removed))) == before - after
    assert release.edits.ratio == len(after ^ before) / 4
    assert shoal.methods.EqualizeRows(k=2)(nx.empty_graph(3)).edits.ratio == 0


def test_protected_vertices_are_neither_counted_nor_named(tmp_path):
    data = shoal.as_graph([("Ann", "b"), ("b", "Cid"), ("Cid", "d"), ("d", "Ann")])
    promise = Promise(shoal.knowledge.Adjacency(), 2, vertices=("Ann", "Cid"))
    file = tmp_path / "x.csv"
    file.write_text("")
    page = json.dumps(describe_release(Release(data, data, (promise,), shoal.methods.EqualizeRows(2)), [file]))
    assert '"for": "some"' in page
    assert "Ann" not in page


def ends(g):
    return Counter(frozenset(edge[:2]) for edge in g.edges)


@pytest.mark.slow
@given(graphs(multi=True), graphs(multi=True))
def test_edits_are_those_of_the_definition_also_for_other_vertices_and_parallel_edges(g, h):
    release = Release(*(shoal.as_graph(x, multigraph=True) for x in (g, h)), (), None)
    assert Counter(map(frozenset, release.edits.added)) == ends(h) - ends(g)
    assert Counter(map(frozenset, release.edits.removed)) == ends(g) - ends(h)
    assert release.utility.kept == (ends(g) & ends(h)).total()


@pytest.mark.slow
@given(graphs(), graphs())
def test_the_utility_is_that_of_the_definitions(g, h):
    found = measure_utility(shoal.as_graph(g), shoal.as_graph(h), None)
    degrees = [[d for _, d in x.degree()] for x in (g, h)]
    below = [[Fraction(sum(d <= most for d in part), len(part)) for most in range(8)] for part in degrees]
    assert found.degree_distance == float(max(abs(x - y) for x, y in zip(*below, strict=True)))
    assert found.largest_degree == tuple(map(max, degrees))
    assert found.largest_component == tuple(max(map(len, nx.connected_components(x))) for x in (g, h))
    assert found.connected == tuple(c / len(x) for c, x in zip(found.largest_component, (g, h), strict=True))
    assert found.transitivity == pytest.approx(tuple(map(nx.transitivity, (g, h))))


def public_page(release, folder):
    (folder / "x.csv").write_text("")
    return describe_release(release, [folder / "x.csv"])


def test_the_utility_is_published_in_counts_and_short_shares(tmp_path):
    release = shoal.methods.EqualizeRows(k=2)(shoal.examples.karate())
    said = public_page(release, tmp_path)["utility"]
    assert said["vertices"] == {"before": 34, "after": 34}
    assert said["edges"]["before"] == 78
    assert said["edges"]["kept"] + said["edges"]["removed"] == 78
    assert said["edges"]["kept"] + said["edges"]["added"] == said["edges"]["after"] == release.data.m
    assert said["edit ratio"] == float(f"{release.edits.ratio:.2g}") != release.edits.ratio
    assert said["transitivity"] == {"before": 0.26, "after": float(f"{release.utility.transitivity[1]:.2g}")}
    assert said["largest degree"] == {"after": int(release.data.degree.max())}, "one person's degree is not told"


def test_exchanging_twins_changes_nothing_that_is_published(tmp_path):
    """An attacker who knows the original and the manifest cannot distinguish the members of a class."""
    release = shoal.methods.EqualizeRows(k=2)(shoal.examples.karate())
    for first, second, *_ in release.classes:
        renamed = nx.relabel_nodes(release.data.to_networkx(), {first: second, second: first})
        after = shoal.as_graph(nx.Graph(renamed)).without_attributes()
        other = replace(release, original=release.original.without_attributes(), data=after)
        assert public_page(other, tmp_path)["utility"] == public_page(release, tmp_path)["utility"]


def test_a_table_reports_no_links(tmp_path):
    """Changed cells are not counted: if values are swapped, their number depends on the secret permutation."""
    release = microaggregated()
    assert release.utility is None
    assert "utility" not in public_page(release, tmp_path)
    assert "Degrees" not in repr(release)


def test_the_change_of_the_links_is_shown():
    text = repr(shoal.methods.HideNeighbors(k=2)(nx.path_graph(6)))
    assert tells(text, "1 edge", "added", "removed", "20.0 % of 5")
    assert tells(text, "Degrees: Kolmogorov-Smirnov distance 0.333; ", "2 before, 2 after.")
    assert "Largest component: 100 % of the vertices before, 100 % after." in text
    assert "Transitivity: 0 before, 0 after." in text


def test_an_empty_release_gives_a_notice(tmp_path):
    with pytest.warns(Notice, match="release is empty"):
        release = shoal.methods.RaiseL(k=2, allow_empty=True)(nx.path_graph(2))
    assert (release.utility.edges, release.utility.removed, release.utility.degree_distance) == ((1, 0), 1, 1.0)
    said = public_page(release, tmp_path)["utility"]
    assert said["edges"] == {"after": 0}
    assert said["share in the largest component"] == {"after": 0.0}


@pytest.mark.parametrize(("file", "held"), [("x.csv", False), ("x.graphml", True)])
def test_the_notice_names_only_columns_that_are_published(file, held, tmp_path):
    g = nx.cycle_graph(4)
    nx.set_node_attributes(g, "north", "town")
    release = shoal.methods.EqualizeRows(2)(g)
    with pytest.warns(Notice) as caught:
        release.save(tmp_path / file)
    assert any("published without a guarantee: town" in str(said.message) for said in caught) == held
    assert any("Not written: 'town'" in str(said.message) for said in caught) != held
    assert ("town" in (tmp_path / file).read_text()) == held
