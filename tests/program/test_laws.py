"""The laws: every kind of knowledge counts what the oracle says, and what must hold in every graph does."""

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import shoal
from conftest import attacks, graphs
from draws import TIMES, draw_cases, examples
from laws import (
    assert_agrees,
    check_facts_of_the_original,
    check_names,
    check_relabeling,
    check_release_as_original,
    multi,
    quietly,
)
from members import ATTRIBUTED, JOINED, MEMBERS, SINGLES, by_spec
from shoal.knowledge import REGISTRY, Both, parse_knowledge

members = pytest.mark.parametrize("member", MEMBERS, ids=by_spec)
attributed = pytest.mark.parametrize("member", ATTRIBUTED, ids=by_spec)
UP_TO_SIX = 208
"""The first so many graphs of the atlas have up to six vertices."""
LARGEST = 70 if TIMES == 1 else 210
"""How many of the graphs with seven vertices are judged, times TIMES; `make laws` judges all."""


def test_no_kind_of_knowledge_is_forgotten():
    judged = {type(part) for adversary, _ in MEMBERS + ATTRIBUTED for part in adversary.parts}
    assert judged == set(REGISTRY.values())


@pytest.mark.slow
@members
def test_every_atlas_graph_as_the_oracle_says(member, atlas):
    adversary, judge = member
    small = [] if member in JOINED else atlas[:UP_TO_SIX]  # the parts of what is joined are judged on all of them
    for g, graph in small:
        assert_agrees(shoal.assess(graph, adversary), judge(g))
    for g, graph in draw_cases(atlas[len(small) :], LARGEST):
        assert_agrees(shoal.assess(graph, adversary), judge(g))


@pytest.mark.slow
@pytest.mark.parametrize("member", SINGLES, ids=by_spec)
def test_hashes_that_all_collide_change_nothing(member, atlas, monkeypatch):
    monkeypatch.setattr("shoal.core.grouping.HASH_BITS", 0)
    monkeypatch.setattr("shoal.settings.threads", 1)
    adversary, judge = member
    for g, graph in draw_cases(atlas, 100):
        assert_agrees(shoal.assess(graph, adversary), judge(g))


@pytest.mark.slow
@members
@examples(30)
@given(g=graphs(most=6, multi=True))
def test_multigraphs(member, g):
    adversary, judge = member
    assert_agrees(shoal.assess(multi(g), adversary), judge(g))


@pytest.mark.slow
@attributed
@examples(40)
@given(g=st.booleans().flatmap(lambda several: graphs(most=6, multi=several, attributed=True)))
def test_attributed_graphs(member, g):
    adversary, judge = member
    assert_agrees(shoal.assess(multi(g), adversary), judge(g))


def judged(judge, adversary, published, original, mapping):
    """Ask the oracle about an attack; a subgraph explored in the original may be all that fits before its end."""
    parts = adversary.parts
    if not any(isinstance(part, shoal.knowledge.Subgraph) for part in parts):
        return judge(published, original, mapping)
    answer = None
    for part in parts:
        call = oracle.ORACLES[part.spec]
        early = {"prefixes": True} if isinstance(part, shoal.knowledge.Subgraph) else {}
        one = call(published, original, mapping, **early)
        answer = one if answer is None else oracle.both(answer, one)
    return answer


@pytest.mark.slow
@members
@examples(30)
@given(attack=st.booleans().flatmap(lambda several: attacks(multi=several)))
def test_facts_from_the_original(member, attack):
    adversary, judge = member
    published, original, mapping = attack
    answer = judged(judge, adversary, published, original, mapping)
    check_facts_of_the_original(adversary, answer, published, original, mapping)


@pytest.mark.slow
@attributed
@examples(30)
@given(attack=attacks(attributed=True))
def test_attributes_from_the_original(member, attack):
    adversary, judge = member
    published, original, mapping = attack
    risk = quietly(shoal.as_graph(published), adversary, original=shoal.as_graph(original), mapping=mapping)
    assert_agrees(risk, judge(published, original, mapping))


@pytest.mark.slow
@pytest.mark.parametrize("member", MEMBERS + ATTRIBUTED, ids=by_spec)
@examples(25)
@given(g=graphs(attributed=True))
def test_knowing_the_release_itself_changes_nothing(member, g):
    check_release_as_original(member[0], g)


@pytest.mark.slow
@pytest.mark.parametrize("member", MEMBERS + ATTRIBUTED, ids=by_spec)
@examples(25)
@given(g=graphs(attributed=True), data=st.data())
def test_relabeling_changes_nothing_and_everybody_is_their_own_candidate(member, g, data):
    check_relabeling(member[0], g, data.draw(st.permutations(list(g))))


CHAINS = [
    ["degree", "counts:1", "degrees:1", "neighborhood:1", "neighborhood:2", "orbit", "adjacency"],
    ["refinement:1", "refinement:2", "refinement:3", "refinement", "orbit"],
    ["subgraph:1", "subgraph:2", "subgraph:3", "subgraph:4", "orbit"],
    ["subgraph:2:atleast", "subgraph:3:atleast", "subgraph:3"],
    ["hubs:1:1", "hubs:1:2", "hubs:1"],
    ["hubs:1:1:open", "hubs:1:2:open", "hubs:1:*:open", "hubs:1"],
    ["neighbors:1", "neighbors:2", "neighbors:3", "adjacency"],
    ["neighbors:2", "relations:2", "adjacency"],
    ["located-relations:1", "located-relations:2", "located-relations:3"],
    ["shared-neighbors:1", "shared-neighbors:2", "shared-neighbors:3"],
    ["degree~50%", "degree~25%", "degree", "degrees:1~50%"],
    ["degree~50%", "counts:1~25%", "counts:1"],
    ["counts:1~50%", "degrees:1~50%", "degrees:1~1/3", "degrees:1"],
    ["neighbors:3~2", "neighbors:2~1", "neighbors:3~1", "neighbors:3"],
    ["neighbors:3~1", "neighbors:2"],
    *([member[0].spec.split("+")[0], member[0].spec] for member in JOINED),
]


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS, ids=" > ".join)
def test_more_knowledge_never_gives_more_candidates(chain, atlas):
    joined = any("+" in spec for spec in chain)  # these follow from the oracle's word for both
    for _, graph in draw_cases(atlas, 100 if joined else 300):
        sizes = [shoal.assess(graph, spec).sizes for spec in chain]
        for less, more in pairwise(sizes):
            assert (more <= less).all()


@pytest.mark.slow
@examples(100)
@given(g=graphs(most=6, multi=True))
def test_the_orders_that_multiplicities_leave(g):
    graph = multi(g)
    for chain in (["counts:1", "degrees:1", "neighborhood:1", "orbit", "adjacency"], CHAINS[1]):
        sizes = [shoal.assess(graph, spec).sizes for spec in chain]
        assert all((more <= less).all() for less, more in pairwise(sizes))


@pytest.mark.slow
def test_equal_rows_imply_equal_degree_refinement_neighborhood_and_orbit(atlas):
    for _, graph in draw_cases(atlas, 250):
        rows = shoal.assess(graph, "adjacency").answer.published
        for spec in ("degree", "refinement:2", "refinement", "neighborhood:1", "neighborhood:2", "orbit"):
            other = shoal.assess(graph, spec).answer.published
            assert len(set(zip(rows, other, strict=True))) == len(set(rows))


@pytest.mark.slow
def test_two_who_know_one_neighbor_each_know_two(atlas):
    for _, graph in draw_cases(atlas, 250):
        twice, two = shoal.assess(graph, "neighbors:1+neighbors:1"), shoal.assess(graph, "neighbors:2")
        assert twice.sizes.tolist() == two.sizes.tolist()


def test_equal_rows_do_not_cover_hubs():
    square = shoal.as_graph(nx.cycle_graph(4))
    assert shoal.assess(square, "adjacency").k == 2
    assert shoal.assess(square, shoal.knowledge.Hubs([0])).k == 1


@pytest.mark.parametrize("member", MEMBERS + ATTRIBUTED, ids=by_spec)
def test_knowledge_is_its_own_repr_and_its_shell_name(member):
    check_names(member[0], vars(shoal.knowledge))


def test_joining_does_not_nest():
    a, b, c = parse_knowledge("degree"), parse_knowledge("orbit"), parse_knowledge("adjacency")
    assert (a & b) & c == a & (b & c) == Both((a, b, c))
