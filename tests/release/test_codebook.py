"""The codebook: a public page, built from the manifest and the published files only."""

import re
from dataclasses import replace
from itertools import combinations

import networkx as nx
import pytest

import shoal
from messages import tells
from method_cases import quietly
from shoal import Scenario
from shoal.methods import Confuse, EqualizeRows, HideNeighbors, MatchDegrees, Mondrian
from shoal.release.codebook import read_descriptions

SEED = 2**90
CLUB = nx.Graph(nx.karate_club_graph().edges)
OURS = Scenario("ours", ["degree", "quasi-identifiers"], k=2, allow="5%", decided_by="Ruth", sentences=["a", "b"])


def village():
    g = CLUB.copy()
    nx.set_node_attributes(g, {v: {"age": 20 + v % 7, "town": "ab"[v % 2]} for v in g})
    return g


def save(release, folder, name="safe.csv", **how):
    """Save a release under a fixed seed, and return its README."""
    folder.mkdir(exist_ok=True)
    options = {"seed": SEED, "scenario": OURS, "readme": folder / f"{name}.README.md", "force": True, **how}
    quietly(lambda path: release.save(path, **options), folder / name)
    return (folder / f"{name}.README.md").read_text(encoding="utf-8")


def exchange(graph, a, b):
    """Return the graph with two people exchanged, with all their values."""
    return nx.relabel_nodes(graph, {a: b, b: a})


def test_two_members_of_a_class_can_be_exchanged_in_the_original(tmp_path):
    release = quietly(EqualizeRows(k=3, seed=1, effort=5), CLUB)
    pages = set()
    for a, b in [pair for members in release.classes for pair in combinations(members, 2)][:6]:
        other = shoal.as_graph(exchange(CLUB, a, b))
        pages.add(save(replace(release, original=other), tmp_path / f"{a}-{b}"))
    assert pages == {save(release, tmp_path / "as it was")}


@pytest.mark.parametrize("method", [MatchDegrees(k=2, seed=5), HideNeighbors(k=2, l=1, seed=5)])
def test_originals_of_other_size_give_the_same_page(method, tmp_path):
    """The page of a release does not change if the original is another one, with other links and more people."""
    release = quietly(method, CLUB)
    more = nx.Graph(CLUB)
    more.add_edges_from((100 + v, v) for v in range(20))
    other = replace(release, original=shoal.as_graph(more), measured={})
    assert save(release, tmp_path / "a") == save(other, tmp_path / "b")


@pytest.mark.parametrize(
    "release",
    [
        quietly(MatchDegrees(k=3, seed=7), village()),
        quietly(HideNeighbors(k=3, l=1, seed=7), village()),
        quietly(Confuse(k=3, seed=7), village()),
    ],
    ids=lambda release: release.method.shell,
)
def test_the_page_says_nothing_about_the_original(release, tmp_path):
    text = save(release, tmp_path, attributes=tmp_path / "people.csv", mapping=tmp_path / "secret.csv")
    words = re.sub(r"`[0-9a-f]{64}`", "", text)
    numbers = set(re.findall(r"\d[\d,]*", words))
    assert release.data.m != release.original.m
    assert str(release.original.m) not in numbers - {str(release.data.m)}
    assert not any(
        word in words for word in ("edit", "added", "removed", "misled", "seed", "mapping", "Ruth", "secret")
    )
    assert str(SEED) not in text
    assert tells(text, "## Files", "safe.csv", "people.csv", "## Columns", "age", "town", "## Guarantee", "## Scenario")


def test_the_page_counts_columns_in_the_published_files(tmp_path):
    table = {"age": [20, 20, 30, 30, 40, 40], "job": ["a", "a", None, "b", "b", "b"]}
    release = quietly(Mondrian(k=2, columns=("age",)), table)
    text = save(release, tmp_path, scenario=None)
    assert "| age | numbers | 3 | 0 |" in text
    assert "| job | categories | 2 | 1 |" in text
    assert "## Scenario" not in text
    assert tells(text, "Columns that no guarantee covers", "job")


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("safe.csv", ["`source` and `target`"]),
        ("safe.graphml", ["The people, their links and their columns"]),
        ("safe.mtx", ["The people and their links."]),
    ],
)
def test_the_page_describes_the_format(name, facts, tmp_path):
    text = save(quietly(MatchDegrees(k=2, seed=1), village()), tmp_path, name)
    assert tells(text, *facts)
    assert ("## Columns" in text) == (name == "safe.graphml")


def test_a_format_that_the_name_does_not_show_is_described(tmp_path):
    text = save(quietly(MatchDegrees(k=2, seed=1), CLUB), tmp_path, "safe.data", format="csv")
    assert tells(text, "`source` and `target`")


def test_descriptions_are_read_as_they_are(tmp_path):
    file = tmp_path / "told.csv"
    file.write_text('\ufeffColumn,Description\n\n"a,b","two, words "\n', encoding="utf-8")
    assert read_descriptions(file, ["a,b", "c"]) == {"a,b": "two, words"}
    file.write_bytes(b"column,description\na,\xff\n")
    with pytest.raises(shoal.ShoalError, match="UTF-8"):
        read_descriptions(file, ["a"])


def test_a_partial_guarantee_is_recounted_by_its_own_knowledge(tmp_path):
    release = shoal.methods.ReduceRisk(("counts:1", "degree"), k=2, budget=0.1, effort=5)(shoal.examples.florentine())
    release.save(tmp_path / "out.csv", tmp_path / "secret.csv", readme=tmp_path / "out.csv.README.md")
    assert "shoal risk out.csv --knows counts:1 --knows degree -k 2" in (tmp_path / "out.csv.README.md").read_text()
