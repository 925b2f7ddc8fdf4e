"""The degree where links have directions and kinds: its parts, its facts, and what covers it."""

from functools import partial

import pytest

import shoal
from shoal.errors import BadParameter
from shoal.knowledge import Counts, Degree, Neighborhood, Refinement, describe_facts, parse_knowledge
from shoal.knowledge.base import explain_finer

PAID = shoal.Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
"""a pays b, who pays c."""
MIXED = shoal.Graph.from_pairs(
    "abcd", [0, 0, 1, 2], [1, 1, 2, 3], directed=[True, False, True, True], kinds=["call", "kin", "call", "text"]
)


def tell(graph, spec, name):
    return describe_facts(shoal.assess(graph, spec).witness(name).knows)


@pytest.mark.parametrize("spec", ["degree:out", "degree:in", "degree:total", "degree:out~5%", "degree:total~1/3"])
def test_a_part_is_read_from_its_shell_name(spec):
    assert parse_knowledge(spec).spec == spec


def test_the_parts_have_a_short_form_in_python():
    assert Degree("out") == parse_knowledge("degree:out")
    assert repr(Degree("in", error="5%")) == "Degree(part='in', error='5%')"
    assert repr(Degree()) == "Degree()"


@pytest.mark.parametrize("part", ["", "both", 3])
def test_there_is_no_other_part(part):
    with pytest.raises(BadParameter, match="'part'"):
        Degree(part)


@pytest.mark.parametrize("graph", [shoal.examples.friends(), shoal.Graph.from_pairs("ab", [0], [1], kinds=["kin"])])
@pytest.mark.parametrize("part", ["out", "in"])
def test_a_direction_is_refused_where_links_have_none(graph, part):
    with pytest.raises(BadParameter, match=r"direction.*degree:total"):
        shoal.assess(graph, Degree(part))
    with pytest.raises(BadParameter, match=r"direction.*degree:total"):
        shoal.assess(graph, Degree(part), original=graph)


def test_the_total_is_the_degree_where_links_have_no_direction():
    friends = shoal.examples.friends()
    assert shoal.assess(friends, "degree:total").sizes.tolist() == shoal.assess(friends, "degree").sizes.tolist()


def test_a_directed_graph_without_links_has_out_degrees():
    assert shoal.assess(shoal.Graph.from_pairs("ab", [], [], directed=True), "degree:out").k == 2


@pytest.mark.parametrize(
    ("graph", "spec", "name", "told"),
    [
        (PAID, "degree", "a", "has 1 outgoing link and no incoming links"),
        (PAID, "degree:out", "c", "has no outgoing links"),
        (PAID, "degree:in~5%", "b", "has about 1 incoming link (within 5 %)"),
        (PAID, "degree:total", "b", "has 2 links"),
        (MIXED, "degree", "a", "has 1 outgoing call link and 1 kin link"),
        (MIXED, "degree:in", "d", "has no incoming call links and 1 incoming text link"),
        (PAID, "refinement:1", "a", "has 1 outgoing link and no incoming links"),
        (PAID, "refinement:2", "a", "one by 1 outgoing link that has 1 outgoing link and 1 incoming link"),
        (PAID, "degrees:1", "a", "1 outgoing link and no incoming links; no outgoing links and 1 incoming link"),
        (PAID, "neighborhood:1", "a", "1 outgoing link and no incoming links to 1 neighbor with no links among them"),
    ],
)
def test_facts_name_directions_and_kinds(graph, spec, name, told):
    assert told in tell(graph, spec, name)


def test_facts_of_a_multigraph_name_the_links_to_each_neighbor():
    double = shoal.Graph.from_pairs("abc", [0, 0, 1], [1, 1, 2], multigraph=True)
    assert tell(double, "refinement:2", "a") == "has 1 neighbor: one by 2 links that has 3 links"
    assert tell(double, "neighborhood:1", "b").startswith("has 3 links to 2 neighbors with no links among them")


def test_a_fact_is_plain_data():
    (fact,) = shoal.assess(PAID, "degree").witness("a").knows
    relations = [{"kind": None, "direction": direction} for direction in ("out", "in")]
    assert fact.value == {"links": [[1, relations[0]], [0, relations[1]]]}


def test_all_relations_cover_their_parts_and_never_the_reverse():
    parts, explain = [Degree(part) for part in ("out", "in", "total")], partial(explain_finer, simple=False)
    assert all(explain(Degree(), part) for part in parts)
    assert not any(explain(part, Degree()) for part in parts)
    assert not any(explain(a, b) for a in parts for b in parts if a != b)
    assert explain(Degree(error="5%"), Degree("out", error="10%"))
    assert not explain(Degree(error="5%"), Degree("out"))
    assert explain_finer(Degree("total"), Degree(), simple=True)  # a simple graph has one relation


def test_radius_0_and_no_rounds_know_nothing():
    for knowledge in (Counts(0), Neighborhood(0), Refinement(0)):
        assert shoal.assess(MIXED, knowledge).k == 4
