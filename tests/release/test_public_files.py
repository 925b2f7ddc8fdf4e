"""What may stand in a public file: an allow-list of fields, and originals that the manifest must not distinguish.

A public file holds what can be counted in the published files; what was declared before the data were looked at; and,
where the promise rests on classes, what stays the same when two members of a class are exchanged in the original.
"""

import json
from collections import defaultdict
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

import shoal
from draws import draw_cases
from method_cases import ALL, HIERARCHY, quietly, released
from shoal.errors import Notice, ShoalError
from shoal.methods import METHODS, find_method
from shoal.release.manifest import describe_release
from shoal.release.release import is_linked_by_class

pytestmark = pytest.mark.usefixtures("brief_searches")

ALWAYS = {
    "schema",
    "shoal",
    "release",
    "files",
    "individuals",
    "edges",
    "method",
    "promise",
    "verification",
    "measured",
}
ALWAYS |= {"columns in no promise"}
SOMETIMES = {"utility", "nothing is promised", "others"}
SIZES = {"classes", "smallest class", "largest class"}
EDITED = {"edits", "lower bound on edits", "edits above the lower bound", "lower bound applies to"}
AFTER = {"vertices", "edges", "largest degree", "share in the largest component", "transitivity"}
FIELDS = {
    "equalize-rows": ("k similarity fill closed effort require_edges", EDITED),
    "hide-neighbors": ("k l add_only effort", set()),
    "hide-relations": ("k l located add_only effort", set()),
    "match-degrees": ("k edits degrees realize", set()),
    "match-neighborhoods": ("k labels alpha beta gamma", set()),
    "generalize": ("k degrees effort", {*SIZES, "log of the number of possible worlds", "edges revealed for certain"}),
    "raise-l": ("k similarity keep allow_empty", {"exact l after"}),
    "share-neighbors": ("k l variant", {"k of Feder, Nabar & Terzi"}),
    "reduce-risk": ("knowledge k edits target", set()),
    "perturb": ("edits", set()),
    "microaggregate": ("k columns representative algorithm epsilon", {*SIZES, "information loss (SSE/SST)"}),
    "swap-within": (
        "classes columns allow_unique",
        {*SIZES, "values unique in their class", "fewest owners of a value"},
    ),
    "distort": (
        "classes columns preserve_means allow_determined",
        {*SIZES, "class columns determined by their fit"},
    ),
    "recode": ("k columns suppress", {"loss", "levels", "records suppressed"}),
    "mondrian": ("k columns", {*SIZES, "normalized certainty penalty"}),
    "hide-columns": ("k l columns", set()),
    "confuse": ("k structure attributes", {*SIZES, "information loss (SSE/SST)"}),
}
"""For each method the options that its manifest may name, and what it measured."""
TWINS = ("equalize-rows", "confuse")
"""The methods that make twins. Numbers about the links of the original do not distinguish twins."""


def page_of(release):
    return describe_release(release, [])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "i"), ALL, ids=str)
def test_a_manifest_holds_nothing_but_what_is_allowed(name, i):
    assert list(FIELDS) == list(METHODS)
    page, (options, measures) = page_of(released(name, i)), FIELDS[name]
    assert ALWAYS <= set(page) <= ALWAYS | SOMETIMES
    assert set(page["method"]) == {"name", *options.split()}
    assert set(page["measured"]) <= measures
    change = page.get("utility", {})
    if name in TWINS:
        assert set(change) == AFTER | {"edit ratio", "degree distance (Kolmogorov-Smirnov)"}
        assert set(change["largest degree"]) == {"after"}
    else:
        assert set(change) <= AFTER
        assert all(set(numbers) == {"after"} for numbers in change.values())


SMALL = {
    "equalize-rows": {"k": 2, "effort": 0},
    "hide-neighbors": {"k": 2, "effort": 5},
    "hide-relations": {"k": 2, "effort": 5},
    "match-degrees": {"k": 2},
    "match-neighborhoods": {"k": 2},
    "generalize": {"k": 2, "effort": 0, "seed": 3},
    "raise-l": {"k": 2},
    "share-neighbors": {"k": 2},
    "reduce-risk": {"knowledge": "degree", "k": 2, "budget": 3, "effort": 5},
    "perturb": {"add": 1, "delete": 1, "seed": 3},
}
PAIRS = list(combinations(range(4), 2))


def small_networks():
    for edges in product((False, True), repeat=len(PAIRS)):
        if any(edges):
            g = nx.empty_graph(4)
            g.add_edges_from(pair for pair, there in zip(PAIRS, edges, strict=True) if there)
            yield g


def releases_of(method, originals):
    """Return the originals that a method makes into the same release, by release."""
    found = defaultdict(list)
    for original in originals:
        try:
            release = quietly(method, original)
        except ShoalError:
            continue  # it cannot be promised here
        rows = [tuple(map(str, row)) for row in zip(*map(list, release.table.columns.values()), strict=True)]
        found[frozenset(map(frozenset, release.data.each_edge())), release.data.n, tuple(sorted(rows))] += [release]
    return found


def exchanged(data, members):
    """Return the data with two people exchanged, with all their values."""
    a, b = members
    if isinstance(data, dict):
        return {name: [x[{a: b, b: a}.get(v, v)] for v in range(len(x))] for name, x in data.items()}
    return nx.Graph(nx.relabel_nodes(data, {a: b, b: a}))


def test_no_method_on_links_is_forgotten():
    assert set(SMALL) == {name for name in METHODS if find_method(name).works_on == "links"}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SMALL if name != "equalize-rows"])
def test_originals_that_give_the_same_release_give_the_same_manifest(name):
    """All networks of four people: some of them differ in size, edits and levels, and are published alike."""
    groups = releases_of(find_method(name)(**SMALL[name]), small_networks())
    several = [group for group in groups.values() if len({release.original.m for release in group}) > 1]
    assert name in ("generalize", "perturb") or several  # these two keep the number of links
    assert any(len(group) > 1 for group in groups.values())
    for group in groups.values():
        assert len({json.dumps(page_of(release)) for release in group}) == 1


def seen_from_outside(release):
    return shoal.audit(release.original, release, external=True, k=2, knowledge=["degree"])


@pytest.mark.parametrize("name", [name for name in SMALL if name != "equalize-rows"])
def test_originals_that_give_the_same_release_give_the_same_external_report(name):
    networks = list(small_networks())
    groups = releases_of(find_method(name)(**SMALL[name]), list(draw_cases(networks, len(networks) // 7)))
    for group in [group for group in groups.values() if len(group) > 1][:3]:
        reports = [quietly(seen_from_outside, release) for release in group[:3]]
        assert all(report == reports[0] for report in reports)


TEAMS = {"team": [0, 0, 0, 1, 1, 1], "age": [20, 20, 21, 30, 31, 30], "sum": [1, 2, 4, 7, 5, 9]}
RESTING = [
    ("equalize-rows", {"k": 2, "effort": 5}, nx.krackhardt_kite_graph()),
    ("equalize-rows", {"k": 3, "effort": 5, "closed": 1}, nx.krackhardt_kite_graph()),
    ("microaggregate", {"k": 2}, TEAMS),
    ("microaggregate", {"k": 3, "columns": ("age", "sum"), "representative": "perpendicular", "seed": 1}, TEAMS),
    ("swap-within", {"classes": "team", "columns": ("age",), "allow_unique": True, "seed": 1}, TEAMS),
    ("distort", {"classes": "team", "columns": ("sum",), "seed": 1, "preserve_means": True}, TEAMS),
    ("recode", {"k": 2, "hierarchies": HIERARCHY, "columns": ("town",), "suppress": 0.4}, {"town": list("aabbcabb")}),
    ("mondrian", {"k": 2}, TEAMS),
]


@pytest.mark.parametrize(("name", "options", "data"), RESTING, ids=lambda x: x if isinstance(x, str) else "")
def test_exchanging_two_of_a_class_in_the_original_changes_nothing_that_is_published(name, options, data):
    method = find_method(name)(**options)
    release = quietly(method, data)
    names, tried = list(release.original.names), 0
    for members in release.classes:
        for pair in combinations(members, 2):
            places = pair if not isinstance(data, dict) else tuple(names.index(one) for one in pair)
            other = quietly(method, exchanged(data, places))
            if sorted(map(len, other.classes)) == sorted(map(len, release.classes)):
                tried += 1
                assert page_of(other) == page_of(release)
    assert tried


def test_a_guarantee_without_classes_publishes_nothing_about_the_original():
    """There is no guarantee, one for some people only, or links that distinguish the members of a class."""
    house = nx.house_graph()
    nx.set_node_attributes(house, {v: 20 + v for v in house}, "age")
    for method in (
        shoal.methods.EqualizeRows(1),
        shoal.methods.EqualizeRows(2, sensitive=[4]),
        shoal.methods.Microaggregate(2, columns=("age",)),
        shoal.methods.Recode(2, columns=("age",)),
    ):
        page = page_of(quietly(method, house))
        assert "before" not in json.dumps(page["utility"])
        assert not EDITED & set(page["measured"])
    unique = quietly(shoal.methods.SwapWithin("team", columns="sum", allow_unique=True, seed=1), TEAMS)
    assert (unique.promises, page_of(unique)["measured"]) == ((), {})


def test_raising_l_publishes_neither_sizes_nor_levels_of_the_original(tmp_path):
    for keep in (None, "vertices"):
        release = quietly(shoal.methods.RaiseL(2, keep=keep), shoal.examples.karate().without_attributes())
        page = page_of(release)
        assert set(page["measured"]) == {"exact l after"}
        assert {"similarity radius before", "exact l before"} < set(release.measured)
        radius = shoal.similarity_radius(release.data, 2).l
        assert page["promise"] == [{"kind": "radius", "similarity": "manhattan", "k": 2, "l": radius}]


def test_a_method_inside_another_publishes_no_more_than_alone():
    """The largest shift of a mean is private, whichever method distorts the values."""
    g = nx.Graph(nx.complete_bipartite_graph(3, 3).edges)
    nx.set_node_attributes(g, {v: {"age": [20, 27, 41, 22, 35, 60][v]} for v in g})
    release = quietly(shoal.methods.Confuse(3, attributes=shoal.methods.Distort(preserve_means=True), seed=1), g)
    assert "largest shift of a class mean" in release.measured
    assert "largest shift of a class mean" not in page_of(release)["measured"]


def test_columns_that_no_file_holds_are_not_named(tmp_path):
    g = nx.Graph(nx.complete_bipartite_graph(2, 2).edges)
    nx.set_node_attributes(g, {v: {"illness": 20 + v, "town": "x"} for v in g})
    with pytest.warns(Notice) as caught:
        shoal.methods.Confuse(2, seed=2**70)(g).save(tmp_path / "safe.csv", seed=2**70)
    text = (tmp_path / "safe.csv.release.json").read_text()
    page = json.loads(text)
    assert "illness" not in text
    assert [promise["knows"] for promise in page["promise"]] == ["adjacency"]
    assert len(page["verification"]) == 1
    assert any("no file holds illness, town" in str(one.message) for one in caught)
    with pytest.warns(Notice):
        shoal.methods.Microaggregate(2)(g).save(tmp_path / "links.csv")
    page = json.loads((tmp_path / "links.csv.release.json").read_text())
    assert (page["promise"], page["nothing is promised"], page["verification"]) == ([], True, [])


def test_the_smallest_candidate_set_of_the_protected_is_not_published():
    """The protected people are secret, and so is the smallest of their candidate sets."""
    release = quietly(shoal.methods.EqualizeRows(2, sensitive=[0, 2]), nx.complete_bipartite_graph(3, 4))
    assert shoal.assess(release.data, "adjacency").sizes[[0, 2]].min() == 3
    (told_of,) = page_of(release)["verification"]
    assert "3" not in told_of


def test_an_older_manifest_adds_nothing_to_an_external_report(tmp_path):
    release = quietly(shoal.methods.RaiseL(2), shoal.examples.karate().without_attributes())
    release.save(tmp_path / "safe.csv", seed=2**70)
    about = tmp_path / "safe.csv.release.json"
    page = json.loads(about.read_text())
    page["measured"]["vertices removed"] = 7
    about.write_text(json.dumps(page))
    found = shoal.audit(release.original, tmp_path / "safe.csv", external=True, knowledge=["degree"], k=2)
    assert found.published_change.measured == {"exact l after": release.measured["exact l after"]}


@pytest.mark.parametrize(
    ("codes", "alike"), [([0, 0, 0, 1, 1], True), ([0, 0, 1, 2, 2], True), ([0, 1, 1, 0, 0], False)]
)
def test_linked_by_class_means_that_members_can_be_exchanged(codes, alike):
    g = nx.complete_bipartite_graph(3, 2)
    assert is_linked_by_class(shoal.as_graph(g), np.array(codes)) == alike


def test_the_maker_still_sees_everything():
    assert {"vertices removed", "similarity radius before"} <= set(released("raise-l", 0).measured)
