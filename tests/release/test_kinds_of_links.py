"""Kinds of links are data: the manifest and the codebook list them, and notices warn of them."""

import json
import shlex
from fractions import Fraction

import pytest

import shoal
from messages import tells
from shoal.data.graph import Graph, link_graph
from shoal.errors import BadFile, Notice
from shoal.knowledge import Adjacency, Columns, Counts, Degree, Hubs, Neighbors
from shoal.methods import EqualizeRows
from shoal.release.guarantee import (
    ConfusionPromise,
    ExchangeabilityPromise,
    PartialPromise,
    Promise,
    RadiusPromise,
    covers_kinds,
)
from shoal.release.manifest import describe_release, read_manifest
from shoal.release.release import Release


@pytest.fixture
def ring():
    """Return six people in a ring of directed calls and one mail: all calls look the same."""
    links = [(v, (v + 1) % 6, "call") for v in range(6)] + [(0, 3, "mail")]
    a, b, kinds = zip(*links, strict=True)
    return Graph.from_pairs("abcdef", a, b, directed=True, kinds=list(kinds))


def make(graph, *promises):
    return Release(graph, graph, promises, EqualizeRows(k=3), verification=("verified.",) * len(promises))


@pytest.mark.parametrize(
    ("promise", "covered"),
    [
        (Promise(Adjacency(), 3), True),
        (Promise(Neighbors(1), 3), True),
        (Promise(Degree(), 3), True),
        (Promise(Degree("total"), 3), False),
        (Promise(Counts(1), 3), False),
        (Promise(Hubs(1), 3), False),
        (Promise(Columns("age"), 3), False),
        (Promise(Hubs(1) & Neighbors(1), 3), True),
        (PartialPromise((Counts(1), Degree()), 3, 1, 6), True),
        (ExchangeabilityPromise(3), True),
        (RadiusPromise(3, 1, "2-path"), False),
    ],
)
def test_which_guarantees_cover_kinds(ring, promise, covered):
    assert covers_kinds(promise) == covered
    assert make(ring, promise).uncovered_kinds == (() if covered else ("call", "mail"))


def test_the_knowledge_that_ignores_kinds_ignores_them(ring):
    plain = Graph.from_pairs(ring.names, *ring.list_links()[:2], directed=True)
    for knows in (Degree("total"), Counts(1), Hubs(1)):
        assert shoal.assess(ring, knows).sizes.tolist() == shoal.assess(plain, knows).sizes.tolist()


def test_the_manifest_lists_kinds(ring):
    found = describe_release(make(ring, Promise(Adjacency(), 3)), [])
    assert (found["directed"], found["kinds"], found["kinds in no promise"]) == (True, {"call": 6, "mail": 1}, [])
    assert describe_release(make(ring), [])["kinds in no promise"] == ["call", "mail"]
    plain = describe_release(make(ring.to_undirected().without_kinds()), [])
    assert not {"directed", "kinds", "kinds in no promise"} & plain.keys()


def save(release, folder, name="safe.csv"):
    release.save(folder / name, readme=folder / "README.md")
    return (folder / "README.md").read_text()


def test_a_kind_with_few_links_is_named(ring, tmp_path):
    with pytest.warns(Notice, match=r"fewer than 3 links: mail \(1\).*--kind-hierarchy"):
        save(make(ring, Promise(Adjacency(), 3)), tmp_path)


def test_kinds_without_a_guarantee_are_named(ring, tmp_path):
    with pytest.warns(Notice, match="kinds of links published without a guarantee: call, mail"):
        page = save(make(ring), tmp_path)
    assert "| mail | 1 | no |" in page
    assert "Kinds of links that no guarantee covers: call, mail." in page


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_the_codebook_explains_the_columns_and_its_commands_work(ring, tmp_path, shell, monkeypatch):
    page = save(make(ring, Promise(Degree("total"), 2)), tmp_path)
    for text in ("from `source` to `target`", "The column `kind`", "| call | 6 | no |"):
        assert text in page
    command = next(line for line in page.splitlines() if line.startswith("shoal "))
    words = shlex.split(command)[1:]
    assert words[2:5] == ["--directed", "--kind", "kind"]
    monkeypatch.chdir(tmp_path)
    assert shell(*words)[0] == 0
    again = shoal.read_graph(tmp_path / "safe.csv", directed=True, kind="kind")
    assert again.count_kinds() == ring.count_kinds()


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_an_undirected_codebook_says_so(tmp_path):
    graph = Graph.from_pairs("abc", [0, 1], [1, 2])
    page = save(make(graph), tmp_path)
    assert "Links have no direction." in page
    assert "kind" not in page.partition("## Guarantee")[0]


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_a_manifest_with_strange_kinds_is_refused(ring, tmp_path):
    save(make(ring), tmp_path)
    place = tmp_path / "safe.csv.release.json"
    found = json.loads(place.read_text())
    place.write_text(json.dumps(found | {"kinds in no promise": [1]}))
    with pytest.raises(BadFile, match="kinds in no promise"):
        read_manifest(tmp_path / "safe.csv")


def test_a_confusion_of_records_does_not_cover_kinds(ring):
    promise = ConfusionPromise(2, Fraction(1, 2), (), by=None)
    assert not covers_kinds(promise)


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_a_kind_that_a_release_lost_is_in_no_public_file(ring, tmp_path):
    a, b, relation, _ = ring.links()
    calls = relation == ring.ties.relations.index(("call", "out"))
    kept = link_graph(
        ring.names, a[calls], b[calls], relation[calls], None, ring.ties.relations, False, ring.attributes
    )
    release = Release(ring, kept, (Promise(Adjacency(), 1),), EqualizeRows(k=1), verification=("verified.",))
    save(release, tmp_path)
    for file in tmp_path.iterdir():
        assert "mail" not in file.read_text()
    assert "mail" not in shoal.audit(ring, release, external=True).json()


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
@pytest.mark.parametrize(
    ("knows", "told"),
    [
        (Degree(), "Known links come with their direction and kind, and numbers of links are counted by both."),
        (Degree("total"), "degree:total counts links of all directions and kinds together."),
    ],
)
def test_a_release_says_whether_its_attackers_know_directions_and_kinds(ring, tmp_path, knows, told):
    release = make(ring, Promise(knows, 2))
    assert told in repr(release)
    assert told in save(release, tmp_path)
    assert repr(release).count("Known links come") == (knows == Degree())
    plain = make(ring.to_undirected().without_kinds(), Promise(knows, 2))
    assert not any(word in repr(plain) for word in ("Known links come", "together", "ignored"))


def test_numbers_about_links_say_that_they_ignore_directions_and_kinds(ring):
    text = repr(make(ring))
    assert tells(text, "Degrees:", "counted together", "Largest component:", "ignored", "Transitivity:", "ignored")
