"""Verification: what holds is verified, and each way to break a guarantee is refused, without any method's help."""

import itertools
from dataclasses import replace
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

import shoal
from conftest import ATLAS
from draws import draw_cases
from messages import tells
from shoal.data.generalized import Generalized
from shoal.data.graph import Graph
from shoal.errors import BrokenPromise, Notice
from shoal.knowledge import Adjacency, Columns, Degree, Neighbors, Relations
from shoal.methods import Confuse, Generalize, Microaggregate, SwapWithin
from shoal.release.guarantee import ExchangeabilityPromise, PartialPromise, Promise, RadiusPromise
from shoal.release.release import Release
from shoal.release.verify import (
    CHECKED,
    check_counts,
    check_partial,
    check_promise,
    check_radius,
    find_at_risk,
    find_at_risk_by_original,
    prove_by_classes,
    verify_release,
)


def bound(data, knowledge, *, exact=0, **facts):
    """Count candidates, but say that all counts are upper bounds, or all but the first ones."""
    risk = shoal.assess(data, knowledge, **facts)
    proved = np.arange(len(risk.sizes)) < exact
    return SimpleNamespace(sizes=risk.sizes, exact_sizes=proved, graph=risk.graph, names=risk.names, answer=risk.answer)


def test_what_is_no_guarantee_cannot_be_checked():
    release = Microaggregate(k=2)({"age": [1, 1]})
    with pytest.raises(TypeError, match="SimpleNamespace"):
        check_promise(SimpleNamespace(), release)


# counts


def test_what_is_said_depends_on_who_is_protected_and_where_facts_are_from():
    star = shoal.as_graph(nx.star_graph(3))
    risk = shoal.assess(star, "degree")
    with pytest.raises(BrokenPromise, match=r"at least 2 candidates\. Got 1"):
        check_counts(Promise(Degree(), 2), risk)
    said = check_counts(Promise(Degree(), 1), risk)
    assert said == "degree: counted the candidates of all 4 vertices; the smallest set has 1."
    said = check_counts(Promise(Degree(), 3, vertices=(1, 2)), risk)
    assert said == "degree: counted the candidates of all protected vertices; no set has fewer than 3."
    with pytest.raises(BrokenPromise, match="Got 3"):
        check_counts(Promise(Degree(), 4, vertices=(1, 2)), risk)
    said = check_counts(Promise(Degree(), 1, source="original"), risk)
    assert said == "degree from the original: counted the candidates of all 4 vertices; no set has fewer than 1."


def test_facts_are_those_of_the_original_if_the_guarantee_says_so():
    """Every end of the path has the degree of the other, but no vertex has the degree of the hub."""
    before, after = shoal.as_graph(nx.star_graph(3)), shoal.as_graph(nx.path_graph(4))
    release = Release(before, after, (), None)
    assert "smallest set has 2" in check_promise(Promise(Degree(), 2), release)
    with pytest.raises(BrokenPromise, match="Got 0"):
        check_promise(Promise(Degree(), 2, source="original"), release)
    ring = shoal.as_graph(nx.cycle_graph(4))
    said = check_promise(Promise(Degree(), 2, source="original"), Release(ring, ring, (), None))
    assert said == "degree from the original: counted the candidates of all 4 vertices; no set has fewer than 2."


def test_bounds_alone_verify_nothing():
    four = shoal.as_graph(nx.complete_bipartite_graph(2, 2))
    release = Release(four, four, (), None)
    assert "linked alike" in check_promise(Promise(Neighbors(3), 2), release, bound)
    with pytest.raises(BrokenPromise, match="not proved"):
        check_promise(Promise(Neighbors(3), 2, source="original"), release, bound)
    with pytest.raises(BrokenPromise, match="not proved"):
        check_promise(Promise(Degree(), 2), release, bound)
    for exact in (0, 1, 3):
        some = partial(bound, exact=exact)
        with pytest.raises(BrokenPromise, match="not proved"):
            find_at_risk(four, [Degree()], 2, some)
        with pytest.raises(BrokenPromise, match="not proved"):
            check_promise(Promise(Degree(), 2), release, some)
    assert not find_at_risk(four, [Degree()], 2, partial(bound, exact=4)).any()


WITH_CLASSES = [
    (nx.complete_bipartite_graph(3, 3), Neighbors(9), 3),
    (nx.complete_bipartite_graph(3, 3), Relations(9), 3),
    (nx.complete_bipartite_graph(5, 5), Relations(2, located=True), 3),
    (nx.complete_graph(5), Neighbors(2), 3),
    (nx.complete_graph(5), Relations(2, located=True), 3),
    (nx.complete_graph(5), Relations(2), 1),
    (nx.complete_bipartite_graph(3, 3), Neighbors(2, multiplicities=True), 0),
    (nx.MultiGraph([(0, 2), (0, 3), (1, 2), (1, 3), (1, 3)]), Neighbors(2), 0),
    (nx.complete_bipartite_graph(3, 3), Adjacency(), 0),
]
"""A graph, what is known, and the largest k that classes of vertices with the same links prove; 0 if none."""


@pytest.mark.parametrize(("graph", "knows", "most"), WITH_CLASSES)
def test_the_largest_k_that_classes_prove(graph, knows, most):
    data = shoal.as_graph(graph, multigraph=graph.is_multigraph())
    for k in range(1, data.n + 1):
        if k <= most:
            assert "linked alike" in prove_by_classes(Promise(knows, k), data)
        else:
            with pytest.raises(BrokenPromise, match=f"k >= {k} is not proved"):
                prove_by_classes(Promise(knows, k), data)


def test_classes_prove_only_what_the_counts_show():
    proved = 0
    parts = [sizes for many in (2, 3) for sizes in itertools.combinations_with_replacement((1, 2, 3), many)]
    alike = [nx.complete_multipartite_graph(*sizes) for sizes in parts]
    cliques = [nx.disjoint_union_all([nx.complete_graph(size) for size in sizes]) for sizes in parts]
    for g in (*draw_cases(ATLAS, 40), *alike, *cliques):
        data = shoal.as_graph(g)
        for l, k in itertools.product((1, 2), (2, 3)):
            for knows in (Neighbors(l), Relations(l), Relations(l, located=True)):
                try:
                    prove_by_classes(Promise(knows, k), data)
                except BrokenPromise:
                    continue
                proved += 1
                assert shoal.assess(data, knows).k >= k
    assert proved > 40


def test_tables_have_no_classes_of_links():
    with pytest.raises(BrokenPromise, match="not proved"):
        prove_by_classes(Promise(Columns("a"), 1), shoal.as_table({"a": [1, 1]}))


# people at risk


def test_partial_guarantees_count_the_people_under_all_kinds():
    g = nx.disjoint_union(nx.star_graph(3), nx.path_graph(2))
    nx.set_node_attributes(g, dict(enumerate("xxxyyy")), "job")
    data = shoal.as_graph(g)
    kinds = (Degree(), Columns("job"))
    assert find_at_risk(data, kinds, 4).tolist() == [True] * 6
    assert find_at_risk(data, kinds[:1], 4).tolist() == [True] + [False] * 5
    assert find_at_risk(data, kinds, 3).tolist() == [True] + [False] * 5
    said = check_partial(PartialPromise(kinds, 3, 5, 6), data)
    assert "under each" in said
    assert "5 have 3 or more" in said
    said_of_one = check_partial(PartialPromise(kinds[:1], 4, 4, 6), data)
    assert said_of_one == "degree: counted the candidates of all 6 vertices; 5 have 4 or more."
    for wrong in (PartialPromise(kinds, 3, 6, 6), PartialPromise(kinds, 3, 5, 7), PartialPromise(kinds, 4, 1, 6)):
        with pytest.raises(BrokenPromise, match=f"{wrong.protected} of {wrong.of} vertices"):
            check_partial(wrong, data)
    release = Release(data, data, (PartialPromise(kinds, 3, 5, 6),), None)
    assert verify_release(release).verification == (said,)


def test_people_without_candidates_are_not_below_k():
    before = shoal.as_graph(nx.star_graph(3))
    after = shoal.as_graph(nx.path_graph(4))
    assert shoal.assess(after, "degree", original=before).sizes.tolist() == [0, 2, 2, 2]
    assert find_at_risk(after, [Degree()], 3, original=before).tolist() == [False, True, True, True]


def test_risk_by_the_original_is_that_of_the_released_people():
    before = shoal.as_graph([("a", "b"), ("b", "c"), ("c", "d"), ("e", "c")])
    after = shoal.as_graph([("d", "c"), ("b", "c")])
    found = find_at_risk_by_original(after, before, [Degree()], 3)
    with pytest.warns(Notice):
        sizes = shoal.assess(after, "degree", original=before).sizes
    expected = {name: 0 < int(size) < 3 for name, size in zip(before.names, sizes, strict=True)}
    assert found.tolist() == [expected[name] for name in after.names]
    assert len(set(found.tolist())) == 2


# confusion


def confused(**change):
    release = Microaggregate(k=2, columns=("age",))({"age": [1, 1, 5, 5, 9, 9, 9]})
    assert sorted(np.bincount(release.codes).tolist()) == [2, 2, 3]
    return replace(release, promises=(replace(release.promises[-1], **change),))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"t": Fraction(1, 2)}, "classes of 2 to 3"),
        ({"n": 3}, "classes of 2 to 3"),
        ({"t": Fraction(0)}, "above 0"),
        ({"n": 0}, "above 0"),
        ({"of": "records"}, "entries or vertices"),
        ({"by": SimpleNamespace(ground="trust")}, "'trust'"),
        ({"columns": ()}, "about columns"),
    ],
)
def test_confusion_must_be_meant_and_fit_all_classes(change, says):
    said = verify_release(confused()).verification[0]
    assert said == f"2-confusion: checked the members of all 3 classes of 2 to 3 members. {CHECKED['equal records']}"
    with pytest.raises(BrokenPromise, match=says):
        verify_release(confused(**change))


def test_confusion_needs_a_class_for_each_individual():
    release = confused()
    for codes in (None, release.codes[:-1]):
        with pytest.raises(BrokenPromise, match="in no class"):
            verify_release(replace(release, codes=codes))
    moved = release.codes.copy()
    moved[[0, 2]] = moved[[2, 0]]
    with pytest.raises(BrokenPromise, match="same values"):
        verify_release(replace(release, codes=moved))


def test_confusion_of_a_network_needs_equal_rows():
    ring = nx.cycle_graph(4)
    nx.set_node_attributes(ring, 30, "age")
    release = Confuse(k=2, seed=7)(ring)
    confusion = "2-confusion: checked the members of all 2 classes of 2 to 2 members. They have the same neighbors. "
    assert release.verification[-1].startswith(confusion)
    assert release.verification[-1].endswith(".")
    assert verify_release(release).verification == release.verification
    path = shoal.as_graph(nx.path_graph(4)).with_attributes(release.data.attributes)
    with pytest.raises(BrokenPromise, match="same neighbors"):
        verify_release(replace(release, data=path, promises=release.promises[-1:]))


def swapped(method=SwapWithin):
    table = {"team": list("xxxxyyyy"), "age": [1, 1, 2, 2, 3, 3, 4, 4], "size": [1, 1, 2, 2, 3, 3, 4, 4]}
    return method("team", seed=1)(table)


class Fewer(SwapWithin):
    """Says that an entry fits few members."""

    def owners(self, table, members):
        return 1


def test_swaps_must_be_those_of_the_seed():
    release = swapped()
    promise = release.promises[0]
    assert verify_release(release).verification == release.verification
    for seed in (None, 2):
        with pytest.raises(BrokenPromise, match="secret seed"):
            verify_release(replace(release, seed=seed))
    with pytest.raises(BrokenPromise, match="secret seed"):
        verify_release(replace(release, data=release.original))
    one_of_two = release.data.with_columns({"size": release.original["size"]})
    with pytest.raises(BrokenPromise, match="secret seed"):
        verify_release(replace(release, data=one_of_two))
    with pytest.raises(BrokenPromise, match="leaves as they are: team"):
        verify_release(replace(release, promises=(replace(promise, columns=("age", "team")),)))
    fewer = replace(promise, by=Fewer("team", seed=1), of="entries")
    with pytest.raises(BrokenPromise, match="fits 1"):
        verify_release(replace(release, promises=(fewer,)))
    assert verify_release(replace(release, promises=(replace(fewer, of="vertices"),))).verification


class FromLast(SwapWithin):
    """Publishes what depends on the order of members, but only on which one is last."""

    def summary(self, table, members):
        return int(members[-1])


class FromRotation(SwapWithin):
    """Publishes what stays the same if a class is reversed."""

    def summary(self, table, members):
        return tuple(sorted((tuple(members.tolist()), tuple(members[::-1].tolist()))))


@pytest.mark.parametrize("leaky", [FromLast, FromRotation])
def test_what_depends_on_the_order_of_members_is_found(leaky):
    release = swapped()
    promise = replace(release.promises[0], by=leaky("team", seed=1))
    with pytest.raises(BrokenPromise, match="order of its members"):
        verify_release(replace(release, promises=(promise,)))


def test_a_single_record_is_confused_with_itself_only():
    alone = Microaggregate(k=1, columns=("age",))({"age": [1, 5]})
    promise = replace(confused().promises[0], n=1, t=Fraction(1), by=alone.method)
    one = replace(alone, promises=(promise,), codes=np.arange(2))
    assert "1-confusion" in verify_release(one).verification[0]


# radius


def test_a_radius_is_computed_again():
    assert RadiusPromise(2, 1, "2-path", reached=4) == RadiusPromise(2, 1, "2-path")
    assert "4" not in repr(RadiusPromise(2, 1, "2-path", reached=4))  # it would show the radius of the original
    ring = shoal.as_graph(nx.cycle_graph(6))
    least = int(shoal.similarity_radius(ring, 2, "manhattan").l)
    release = Release(ring, ring, (RadiusPromise(2, least, "manhattan"),), None)
    said = f"manhattan radius: computed for all 6 vertices; the smallest is {least}."
    assert verify_release(release).verification == (said,)
    pair = shoal.as_graph(nx.path_graph(2))  # the two have no neighbor in common
    assert "smallest is 0" in check_radius(RadiusPromise(2, 0, "2-path"), pair)
    for wrong in (
        RadiusPromise(2, least + 1, "manhattan"),
        RadiusPromise(2, 0, "manhattan", reached=least + 1),
        RadiusPromise(2, least, "2-path"),
    ):
        with pytest.raises(BrokenPromise, match="is guaranteed"):
            check_radius(wrong, ring)


# exchangeability


def generalized(directed, kinds=None, n=24):
    """Return a generalized release of a graph, perhaps with directions and kinds; those after the 24th are isolated."""
    pairs = sorted(nx.gnm_random_graph(24, 70, seed=3).edges)
    a, b = zip(*pairs, strict=True)
    kinds = directed if kinds is None else kinds
    how = {"directed": directed, "kinds": [("call", "mail")[i % 2] for i in range(len(pairs))] if kinds else None}
    names = [f"p{v}" for v in range(n)]
    return Generalize(4, effort=5, seed=1)(Graph.from_pairs(names, a, b, **how))


def list_broken(release):
    """Yield releases that break the guarantee, and what is said of each."""
    codes = release.codes
    other = next(v for v in range(len(codes)) if codes[v] != codes[0])
    exchanged = codes.copy()
    exchanged[[0, other]] = codes[[other, 0]]
    alone = np.where(np.arange(len(codes)) == 0, codes.max() + 1, codes)
    most = int(np.bincount(codes).min())
    yield replace(release, promises=(ExchangeabilityPromise(most + 1),)), "are guaranteed"
    yield replace(release, promises=(ExchangeabilityPromise(0),)), "are guaranteed"
    yield replace(release, seed=None), "drawn from a seed"
    yield replace(release, seed=True), "drawn from a seed"
    yield replace(release, codes=None), "drawn from a seed"
    yield replace(release, codes=codes.astype(float)), "drawn from a seed"
    yield replace(release, codes=codes[:-1]), "in a class"
    yield replace(release, codes=codes - 1), "in a class"
    yield replace(release, codes=alone), "are guaranteed"
    yield replace(release, codes=exchanged), "equal those in the original"
    yield replace(release, codes=codes.max() - codes), "equal|sizes"
    yield replace(release, generalized=Generalized.of(release.original, codes * 0)), "sizes of the classes"
    yield replace(release, seed=release.seed + 1), "the secret seed draws"
    yield replace(release, data=release.original), "the secret seed draws"
    yield replace(release, data=release.sample(99)), "the secret seed draws"
    empty = Graph.from_pairs(release.data.names, [], [])
    yield replace(release, data=empty), "equal those in the published graph"
    yield replace(release, original=empty), "equal those in the original"
    yield replace(release, generalized=Generalized.of(release.sample(5), exchanged)), "equal those in the original"


@pytest.mark.parametrize("directed", [False, True], ids=["plain", "links with directions and kinds"])
def test_exchangeability_is_checked_from_all_sides(directed):
    release = generalized(directed)
    assert verify_release(release).verification == release.verification
    sizes = np.bincount(release.codes)
    assert tells(release.verification[0], f"{len(sizes)} classes of {sizes.min()} to {sizes.max()} vertices")
    alone = replace(release, promises=(ExchangeabilityPromise(1),))
    assert verify_release(alone).verification == release.verification
    for bad, says in list_broken(release):
        with pytest.raises(BrokenPromise, match=says):
            verify_release(bad)
    plain = Release(release.original, release.data, release.promises, release.method, release.codes, release.seed)
    with pytest.raises(BrokenPromise, match="drawn from a seed"):
        verify_release(plain)


def test_a_turned_link_and_a_changed_kind_are_found():
    release = generalized(True)
    a, b, relation = release.data.list_links()
    codes = release.codes
    at = next(i for i in range(len(a)) if codes[a[i]] != codes[b[i]])
    turned = a.copy(), b.copy()
    turned[0][at], turned[1][at] = b[at], a[at]
    with pytest.raises(BrokenPromise, match="equal those in the published graph"):
        verify_release(replace(release, data=release.data.with_links(*turned, relation)))
    other = relation.copy()
    other[at] = next(r for r in set(relation.tolist()) if r != relation[at])
    with pytest.raises(BrokenPromise, match="equal those in the published graph"):
        verify_release(replace(release, data=release.data.with_links(a, b, other)))


def test_a_link_that_is_turned_inside_its_class_is_found():
    """All numbers stay the same; without directions, so would the pairs."""
    release = generalized(True)
    a, b, relation = release.data.list_links()
    arcs = set(zip(a.tolist(), b.tolist(), relation.tolist(), strict=True))
    at = next(
        i for i, (v, w, r) in enumerate(sorted(arcs)) if release.codes[v] == release.codes[w] and (w, v, r) not in arcs
    )
    v, w, r = sorted(arcs)[at]
    turned = np.array(sorted((arcs - {(v, w, r)}) | {(w, v, r)})).T
    with pytest.raises(BrokenPromise, match="the secret seed draws"):
        verify_release(replace(release, data=release.data.with_links(*turned)))


def test_links_whose_kinds_are_exchanged_between_the_same_classes_are_found():
    release = generalized(False, True)
    a, b, relation = release.data.list_links()
    ends = [tuple(sorted(pair)) for pair in release.codes[np.stack([a, b], axis=1)].tolist()]
    many = range(len(a))
    i, j = next((i, j) for i in many for j in many if ends[i] == ends[j] and relation[i] != relation[j])
    relation[[i, j]] = relation[[j, i]]
    with pytest.raises(BrokenPromise, match="the secret seed draws"):
        verify_release(replace(release, data=release.data.with_links(a, b, relation)))


@pytest.mark.parametrize("directed", [False, True])
def test_a_link_that_is_published_twice_is_counted_twice(directed):
    release = generalized(directed)
    a, b, relation = release.data.list_links()
    kinds = [release.data.ties.relations[r].kind for r in relation.tolist()] if directed else None
    counts = np.ones(len(a), dtype=np.int64)
    counts[0] = 2
    how = {"counts": counts, "directed": directed, "kinds": kinds, "multigraph": True}
    with pytest.raises(BrokenPromise, match="equal those in the published graph"):
        verify_release(replace(release, data=Graph.from_pairs(release.data.names, a, b, **how)))


@pytest.mark.parametrize("kinds", [False, True])
def test_a_link_that_moves_inside_its_classes_is_found(kinds):
    """All numbers stay the same; only one end of one link is another member of its class."""
    release = generalized(False, kinds)
    codes = release.codes
    a, b, relation = release.data.list_links() if kinds else (*release.data.edges()[:2], None)
    linked = {frozenset(pair) for pair in zip(a.tolist(), b.tolist(), strict=True)}
    checked = 0
    for end, fixed in ((a, b), (b, a)):
        for at, other in itertools.product(range(len(a)), range(release.data.n)):
            was, kept = int(end[at]), int(fixed[at])
            alike = codes[other] == codes[was] and (other < kept) == (was < kept)
            if alike and other not in (was, kept) and frozenset((other, kept)) not in linked:
                moved = end.copy()
                moved[at] = other
                ends = (moved, b) if end is a else (a, moved)
                data = (
                    release.data.with_links(*ends, relation) if kinds else Graph.from_pairs(release.data.names, *ends)
                )
                with pytest.raises(BrokenPromise, match="the secret seed draws"):
                    verify_release(replace(release, data=data))
                checked += 1
                break
    assert checked == 2


@pytest.mark.parametrize("directed", [False, True])
def test_vertices_without_links_are_in_classes_too(directed):
    release = generalized(directed, n=29)
    assert len(release.codes) == 29
    sizes = np.bincount(release.codes)
    assert sizes.min() < sizes.max()
    said = (
        f"exchangeability: recounted the edges inside and between {len(sizes)} classes of {sizes.min()} to "
        f"{sizes.max()} vertices in the original; the secret seed draws the published links from these numbers alone."
    )
    assert verify_release(release).verification == release.verification == (said,)


def test_estimates_are_shown_and_found():
    release = generalized(False)
    found = release.estimates(3, seed=1)
    assert found.rows[0].numbers == (found.rows[0].mean, found.rows[0].spread, found.rows[0].least, found.rows[0].most)
    assert "3 samples" in found._repr_html_()
    assert release.edits is None
    assert release.sample(4) == release.generalized.sample(4)
