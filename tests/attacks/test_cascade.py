"""Cascade: who falls after the first ones fell, judged by the definition in plain Python."""

from collections import Counter
from contextlib import nullcontext

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from conftest import ATLAS, attacks, graphs
from draws import draw_cases
from messages import tells
from shoal.errors import BadParameter


def by_definition(g, exclude, kind=lambda g, v: g.degree(v)):
    """Who falls at which level of g itself: alone at first, then alone of their kind among neighbors of the fallen."""
    alike = Counter(kind(g, v) for v in g)
    level = {v: 0 for v in g if alike[kind(g, v)] == 1}
    levels = [len(level)]
    while True:
        new = set()
        for x in level:
            around = [y for y in g[x] if not (exclude and y in level)]
            kinds = Counter(kind(g, y) for y in around)
            new |= {y for y in around if kinds[kind(g, y)] == 1 and y not in level}
        if not new:
            return level, levels
        level |= dict.fromkeys(new, len(levels))
        levels.append(len(new))


@pytest.mark.slow
@pytest.mark.parametrize("exclude", [False, True])
def test_every_atlas_graph_falls_as_the_definition_says(exclude):
    for g in draw_cases(ATLAS, 180):
        outcome = shoal.attack(g, g, by=shoal.attacks.Cascade(exclude=exclude))
        level, levels = by_definition(g, exclude)
        assert outcome.settings["levels"]["release"] == levels
        rates = outcome["release"].rates
        assert rates["identified at first"].hits == levels[0]
        assert rates["identified at the end"].hits == rates["identified correctly"].hits == len(level)
        assert rates["identified wrongly"].hits == 0


def matched(known, graph, exclude):
    """The attack on another graph, by sets: pairs that are alone on both sides, contradictions closed for good."""
    kinds = [{v: g.degree(v) for v in g} for g in (known, graph)]
    sizes = [Counter(kind.values()) for kind in kinds]
    alone = [{kind[v]: v for v in kind if size[kind[v]] == 1} for kind, size in zip(kinds, sizes, strict=True)]
    found, closed, shut = {alone[0][d]: alone[1][d] for d in alone[0] if d in alone[1]}, set(), set()
    while True:
        claims = set()
        for x, u in found.items():
            here = [y for y in known[x] if not (exclude and y in found)]
            there = [w for w in graph[u] if not (exclude and w in found.values())]
            for y in here:
                like = [w for w in there if kinds[1][w] == kinds[0][y]]
                if len(like) == 1 and sum(kinds[0][z] == kinds[0][y] for z in here) == 1:
                    claims.add((y, like[0]))
        claims = {(y, w) for y, w in claims if y not in {*found, *closed} and w not in {*found.values(), *shut}}
        often = [Counter(side) for side in ([y for y, _ in claims], [w for _, w in claims])]
        good = {(y, w) for y, w in claims if often[0][y] == often[1][w] == 1}
        closed |= {y for y, w in claims - good}
        shut |= {w for y, w in claims - good}
        if not good:
            return found
        found |= dict(good)


@pytest.mark.slow
@given(attacks(), st.booleans())
def test_another_graph_falls_as_the_definition_says(attack, exclude):
    published, original, mapping = attack
    with pytest.warns() if len(mapping) < len(original) else nullcontext():
        outcome = shoal.attack(original, published, by=shoal.attacks.Cascade(exclude=exclude), mapping=mapping)
    found = {v: u for v, u in matched(original, published, exclude).items() if v in mapping}
    rates = outcome["release"].rates
    assert rates["identified correctly"].of == len(mapping)
    assert rates["identified at the end"].hits == sum(outcome.settings["levels"]["release"]) == len(found)
    assert rates["identified correctly"].hits == sum(mapping.get(v) == u for v, u in found.items())
    assert rates["identified wrongly"].hits == len(found) - rates["identified correctly"].hits


def test_who_was_not_released_is_not_counted():
    g = nx.gnm_random_graph(30, 50, seed=1)
    more = nx.union(g, nx.empty_graph(range(100, 160)))
    alone = shoal.attack(g, g, by="cascade")
    with pytest.warns(shoal.Notice, match="60 of the 90"):
        outcome = shoal.attack(more, g, by="cascade")
    assert outcome["release"].rates == alone["release"].rates
    assert outcome["guessing"].rates == alone["guessing"].rates
    assert outcome["only renamed"].rates["identified correctly"].of == 30
    assert any(tells(note, "60", "not counted") for note in outcome.notes)
    assert not [note for note in alone.notes if "not counted" in note]


def test_who_was_not_released_and_is_taken_for_another_is_told():
    before, after = nx.star_graph(4), nx.Graph([(1, 2), (1, 3), (1, 4), (1, 5)])
    mapping = {v: v for v in range(1, 5)}  # 0 had four links and is gone, 1 has four now
    with pytest.warns(shoal.Notice):
        outcome = shoal.attack(before, after, by="cascade", mapping=mapping)
    assert outcome["release"].rates["identified wrongly"].hits == 0
    assert any(tells(note, "not counted", "1 of them") for note in outcome.notes)


def test_recoded_columns_are_told():
    star = nx.star_graph(3)
    known = shoal.as_graph(star, attributes={"age": {0: 40, 1: 41, 2: 50, 3: 51}})
    wider = shoal.as_graph(star, attributes={"age": {0: "40-49", 1: "40-49", 2: 50, 3: 51}})
    outcome = shoal.attack(known, wider, by=shoal.attacks.Cascade(then="columns:age"))
    assert outcome.settings["recoded"] == ["age"]
    assert "identified correctly >= " in repr(outcome)
    assert "recoded" not in shoal.attack(known, known, by=shoal.attacks.Cascade(then="columns:age")).settings


def twins_by_definition(g):
    """The classes of vertices with the same neighbors, or with the same and each other."""
    return {v: frozenset(w for w in g if set(g[v]) - {w} == set(g[w]) - {v}) for v in g}


@pytest.mark.slow
def test_twins_fall_together_as_the_definition_says():
    for g in draw_cases(ATLAS, 110):
        twins = twins_by_definition(g)
        degrees = dict(g.degree)
        fallen = {v for v in g if {w for w in g if degrees[w] == degrees[v]} <= twins[v]}
        while True:
            new = set()
            for x in fallen:
                around = [y for y in g[x] if y not in fallen]
                new |= {y for y in around if {w for w in around if degrees[w] == degrees[y]} <= twins[y]}
            if not new:
                break
            fallen |= {w for y in new for w in twins[y]}
        rates = shoal.attack(g, g, by=shoal.attacks.Cascade(twins=True))["release"].rates
        assert rates["identified at the end"].hits == rates["identified correctly"].hits == len(fallen)


def test_twins_who_are_known_apart_do_not_fall_together():
    star = shoal.as_graph(nx.star_graph(2), attributes={"age": {0: 1, 1: 2, 2: 3}})
    outcome = shoal.attack(star, star, by=shoal.attacks.Cascade(then="columns:age", twins=True))
    assert outcome.settings["levels"]["release"] == [1, 2]
    assert outcome.rate == 1


@pytest.mark.parametrize("then", ["degree", "counts:1", "refinement:2", "neighborhood:1"])
def test_after_equal_rows_nobody_falls(then):
    g = shoal.examples.les_miserables()
    release = shoal.methods.EqualizeRows(k=2, effort=20)(g)
    for start in ("degree", "neighbors:2", "orbit"):
        outcome = shoal.attack(g, release, by=shoal.attacks.Cascade(start=start, then=then))
        assert outcome.settings["levels"]["release"] == [0]
        assert outcome.rate == 0
        assert outcome["only renamed"].rates["identified correctly"].hits > 0


@pytest.mark.slow
@given(graphs(least=2), st.booleans())
@settings(max_examples=30)
def test_more_knowledge_fells_no_fewer_of_a_graph_itself(g, exclude):
    def fallen(**how):
        return (
            shoal.attack(g, g, by=shoal.attacks.Cascade(exclude=exclude, **how))["release"]
            .rates["identified correctly"]
            .hits
        )

    assert fallen() <= fallen(start="refinement:2") <= fallen(start="refinement:2", then="refinement:2")
    assert (
        fallen()
        <= shoal.attack(g, g, by=shoal.attacks.Cascade(exclude=True))["release"].rates["identified correctly"].hits
    )
    assert fallen() <= fallen(twins=True)


def test_a_wrong_link_leads_astray():
    before = nx.Graph([(0, 1), (0, 2), (0, 3), (1, 4)])
    after = nx.Graph([(0, 1), (0, 2), (0, 3), (2, 4)])
    rates = shoal.attack(before, after, by="cascade")["release"].rates
    assert rates["identified correctly"].hits == 2  # 0 by its three links, 4 by being behind the one with two
    assert rates["identified wrongly"].hits == 1  # 1 had two links, and 2 has


def test_levels_end_at_the_limit_and_names_do_not_matter():
    g = nx.gnm_random_graph(60, 90, seed=4)
    whole = shoal.attack(g, g, by=shoal.attacks.Cascade()).settings["levels"]["release"]
    assert len(whole) > 3
    assert shoal.attack(g, g, by=shoal.attacks.Cascade(limit=1)).settings["levels"]["release"] == whole[:2]
    renamed = nx.relabel_nodes(g, {v: 59 - v for v in g})
    mapping = {v: 59 - v for v in g}
    other = shoal.attack(g, renamed, by=shoal.attacks.Cascade(), mapping=mapping, seed=1)
    assert other.settings["levels"]["release"] == whole


def test_the_same_seed_gives_the_same_outcome():
    g = nx.gnm_random_graph(40, 70, seed=1)
    release = shoal.methods.Perturb(add=3, delete=3, seed=1)(g)
    first, again = (shoal.attack(g, release, by="cascade", seed=3).data() for _ in range(2))
    assert first == again


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"start": "degre"}, "Did you mean 'degree"),
        ({"limit": -1}, "'limit'"),
        ({"twins": "yes"}, "'twins'"),
    ],
)
def test_bad_parameters_are_refused(how, told):
    with pytest.raises(BadParameter, match=told):
        shoal.attacks.Cascade(**how)


def test_what_tells_neighbors_apart_must_sort_into_classes():
    with pytest.raises(BadParameter, match="with classes"):
        shoal.attack(nx.path_graph(3), nx.path_graph(3), by=shoal.attacks.Cascade(then="neighbors:1"))
