"""What a promise covers: every yes holds in all small graphs, every no has a graph that shows it."""

from functools import partial
from itertools import chain, permutations, product
from types import SimpleNamespace

import networkx as nx
import pytest
from hypothesis import given

import oracle
import shoal
import ties_oracle
from conftest import ATLAS, graphs
from draws import draw_cases
from oracle import ORACLES
from shoal import covers
from shoal.data.graph import Graph
from shoal.errors import BadParameter
from shoal.knowledge import REGISTRY, Adjacency, Degree, parse_knowledge
from shoal.knowledge.base import explain_finer
from shoal.release import Promise, RadiusPromise
from shoal.release.guarantee import explain_coverage

PANEL = [
    "degree",
    "refinement:2",
    "refinement:3",
    "hubs:1",
    "hubs:1:2:open",
    "subgraph:3",
    "neighborhood:1",
    "neighborhood:2",
    "counts:1",
    "counts:2",
    "degrees:1",
    "degrees:2",
    "shared-neighbors:1",
    "shared-neighbors:2",
    "neighbors:1",
    "neighbors:2",
    "neighbors:3",
    "relations:1",
    "relations:2",
    "located-relations:1",
    "located-relations:2",
    "adjacency",
    "orbit",
    "degree~25%",
    "degree~50%",
    "counts:1~25%",
    "counts:1~50%",
    "degrees:1~1/3",
    "degrees:1~50%",
    "neighbors:2~1",
    "neighbors:3~1",
    "neighbors:3~2",
]
KINDS = {type(parse_knowledge(spec)) for spec in PANEL}
PANEL += [spec for spec in ORACLES if type(parse_knowledge(spec)) not in KINDS]
"""A kind that is added is on the panel with all that the oracle judges."""
LABELED = [
    "columns:a",
    "columns:b",
    "columns:a,b",
    "some-columns:1:a,b",
    "some-columns:2:a,b",
    "some-columns:1",
    "some-columns:2",
    "neighborhood:1:a",
    "neighborhood:1:a,b",
    "neighborhood:1",
    "degree",
]


def cone(rim):
    """Return a graph with one more vertex, linked to all others."""
    g = nx.convert_node_labels_to_integers(rim, first_label=1)
    g.add_edges_from((0, v) for v in list(g))
    return g


SMALL = [
    *ATLAS,
    nx.disjoint_union(cone(nx.cycle_graph(6)), cone(nx.disjoint_union_all([nx.cycle_graph(3)] * 2))),
    nx.disjoint_union(nx.complete_graph(4), nx.complete_bipartite_graph(3, 3)),
    nx.disjoint_union(nx.complete_graph(7), cone(nx.complete_bipartite_graph(3, 3))),
]
"""All graphs of up to seven vertices, and three that show what no smaller one does.

In the first the two tops see the same degrees, and not the same shape. In the second all vertices look alike in every
round of refinement, and the balls have six or three edges. In the third the degrees around a top are within a third of
those in the complete graph, and their sum is not within a quarter.
"""


SHOWING = [SMALL[i] for i in (50, 246, 292, 353, 382, 446, 925, 224, 546, 832, 1051, 1207, 1252, 1253, 1254)]
"""Each no of the built-in kinds is shown by one of these."""


def is_finer(a, b, *, simple):
    return explain_finer(parse_knowledge(a), parse_knowledge(b), simple=simple) is not None


def sizes_in(g, specs):
    graph = shoal.as_graph(g)
    return {spec: shoal.assess(graph, spec).sizes for spec in specs}


@pytest.mark.slow
def test_a_yes_holds_in_every_small_graph_and_a_no_has_a_graph():
    pairs = list(product(PANEL, PANEL))
    denied = {(a, b) for a, b in pairs if not is_finer(a, b, simple=True)}
    shown = set()

    def show(g):
        sizes = sizes_in(g, PANEL)
        shown.update((a, b) for a, b in pairs if (sizes[a] > sizes[b]).any())
        assert shown <= denied, shown - denied

    for g in chain(SHOWING, draw_cases(SMALL, 300)):
        show(g)
    for g in SMALL:
        if shown == denied:
            break
        show(g)
    assert shown == denied


def test_the_panel_has_every_kind_of_knowledge_about_links():
    kinds = {type(parse_knowledge(spec)) for spec in PANEL}
    assert kinds == {kind for kind in REGISTRY.values() if kind.reads_links}


# Directions, kinds and multiplicities: fewer orders hold. The oracle judges them.

DOUBLE = ((), ((False, False, None),), ((False, False, None),) * 2)
"""A pair of an undirected multigraph: no link, one, or two."""
PARTS = ("degree:out", "degree:in", "degree:total")


def list_small_nets():
    """Return digraphs, graphs with two kinds of links, and multigraphs: all with two to four vertices."""
    options = (ties_oracle.ARCS, ties_oracle.TWO_KINDS, DOUBLE)
    return [net for some in options for n in (2, 3, 4) for net in ties_oracle.list_nets(n, some)]


def find_shown(net):
    """Return the pairs a, b where b leaves fewer candidates than a for some vertex."""
    arcs = any(directed for *_, directed, _ in net.links)
    judges = {s: j for s, j in ties_oracle.ORACLES.items() if arcs or s not in ties_oracle.DIRECTED_ONLY}
    sizes = {spec: oracle.size(judge(net)) for spec, judge in judges.items()}
    return {(a, b) for a, b in product(sizes, sizes) if any(sizes[a][v] > sizes[b][v] for v in net)}


@pytest.mark.slow
def test_orders_with_directions_kinds_or_multiplicities():
    shown = set().union(*map(find_shown, list_small_nets()))
    pairs = list(product(ties_oracle.ORACLES, ties_oracle.ORACLES))
    claimed = {(a, b) for a, b in pairs if is_finer(a, b, simple=False)}
    assert claimed & shown == set()
    simple_only = {(a, b) for a, b in pairs if is_finer(a, b, simple=True)} - claimed
    assert {("counts:1", "degree"), ("degrees:1", "refinement:1"), ("degree:total", "degree")} <= simple_only <= shown
    assert {(a, b) for a, b in pairs if a in PARTS} - claimed <= shown


def test_one_arc_shows_what_no_ball_does():
    """With a -> b, the balls of a and b are the same, and their degrees are not."""
    net = ties_oracle.Net(("a", "b"), (("a", "b", True, None),))
    assert {("counts:1", "degree"), ("degrees:1", "degree"), ("degree:total", "degree:out")} <= find_shown(net)
    assert is_finer("counts:1", "degree", simple=True)
    assert not any(is_finer(a, "degree", simple=False) for a in ("counts:1", "degrees:1", "degrees:1~50%"))
    assert all(is_finer("degree", part, simple=False) for part in PARTS)
    assert is_finer("neighborhood:1", "degree", simple=False)


def test_a_double_link_shows_what_no_ball_does():
    """In a triangle with one double link every ball is the whole triangle."""
    links = (("a", "b", False, None), ("b", "c", False, None), ("c", "a", False, None), ("c", "a", False, None))
    assert {("counts:1", "degree"), ("degrees:1", "degree")} <= find_shown(ties_oracle.Net(tuple("abc"), links))


def test_coverage_knows_the_form_of_the_graph():
    promise = Promise(parse_knowledge("counts:1"), 2)
    assert [covers(promise, "degree", simple=simple) for simple in (True, False, None)] == [True, False, False]
    pairs = {
        "simple": {},
        "multigraph": {"multigraph": True},
        "directed": {"directed": True},
        "kinds": {"kinds": ["x"]},
    }
    graphs = {form: Graph.from_pairs("ab", [0], [1], **how) for form, how in pairs.items()}
    assert [graph.is_simple for graph in graphs.values()] == [True, False, False, False]
    releases = {form: SimpleNamespace(data=graph, promises=(promise,)) for form, graph in graphs.items()}
    assert [form for form, release in releases.items() if covers(release, "degree")] == ["simple"]
    assert all(covers(release, "counts:1") for release in releases.values())


@pytest.mark.slow
@given(g=graphs(most=6, attributed=True))
def test_a_yes_about_columns_holds(g):
    graph = shoal.as_graph(g)
    found = {spec: shoal.assess(graph, spec).sizes for spec in LABELED}
    for a, b in permutations(LABELED, 2):
        if is_finer(a, b, simple=True):
            assert (found[a] <= found[b]).all(), (a, b)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("columns:a,b", "columns:b", True),
        ("columns:a", "columns:a,b", False),
        ("columns:a,b", "some-columns:1:a", True),
        ("columns:a,b", "some-columns:1", False),  # all columns are meant, and there may be a third
        ("some-columns:2:a,b,c", "columns:c,a", True),
        ("some-columns:2:a,b,c", "columns:a,b,c", False),
        ("some-columns:2", "some-columns:2", True),
        ("some-columns:2", "some-columns:1:a", True),
        ("some-columns:1", "some-columns:2", False),
        ("neighborhood:1:a,b", "columns:a", True),
        ("neighborhood:1:a,b", "neighborhood:1:b", True),
        ("neighborhood:1:a", "neighborhood:1:a,b", False),
        ("orbit", "neighborhood:1:a", False),
        ("adjacency", "columns:a", False),
        ("hubs:3", "hubs:2:4", True),
        ("hubs:3:4", "hubs:3", False),
        ("hubs:3:4:open", "hubs:3:4", False),
        ("neighbors:2:multiplicities", "neighbors:2", True),
        ("neighbors:2", "neighbors:2:multiplicities", False),
        ("degree", "refinement:0", True),
        ("degree", "degree~5%", True),
        ("degree~5%", "degree", False),
        ("degree~5%", "degree~6%", True),
        ("degree~6%", "degree~5%", False),
        ("degree~5%", "refinement:1", False),
        ("degrees:1~5%", "refinement:1", True),  # the number of degrees is exact
        ("counts:1~5%", "counts:2~5%", False),
        ("counts:1", "degree~5%", True),
        ("counts:1~20%", "degree~25%", True),
        ("counts:1~20%", "degree~24%", False),
        ("counts:1~5%", "degree~5%", False),
        ("degrees:2~5%", "counts:2~5%", True),
        ("degrees:2~5%", "counts:2~4%", False),
        ("degrees:1~5%", "degree", True),
        ("orbit", "degrees:2~5%", True),
        ("neighborhood:2", "counts:1~5%", True),
        ("adjacency", "neighbors:9~1", True),
        ("neighbors:2", "neighbors:3~1", True),  # the third neighbor may be the wrong one
        ("neighbors:2", "neighbors:4~1", False),
        ("neighbors:3~1", "neighbors:2", False),
        ("neighbors:3~1", "neighbors:3~2", True),
        ("relations:2", "neighbors:3~1", True),
        ("located-relations:1", "neighbors:3~1", False),
        ("neighbors:3:multiplicities", "neighbors:3:multiplicities~1", True),
        ("neighbors:3", "neighbors:3:multiplicities~1", False),
        ("hubs:1", "neighborhood:0", True),
    ],
)
def test_parameters_count(a, b, expected):
    assert is_finer(a, b, simple=True) == expected


def test_several_kinds_at_once():
    finer_specs = partial(is_finer, simple=False)
    assert finer_specs("adjacency", "degree+neighbors:2")
    assert finer_specs("adjacency+columns:a", "orbit+columns:a")
    assert finer_specs("degree+neighbors:2", "neighbors:1+degree")
    assert finer_specs("degree+neighbors:2", "degree")
    assert not finer_specs("neighbors:2", "degree+neighbors:1")
    assert not finer_specs("neighbors:1", "neighbors:1+neighbors:1")  # two choose independently: neighbors:2
    assert finer_specs("neighbors:1+neighbors:1", "neighbors:1+neighbors:1")
    assert not finer_specs("relations:2", "neighbors:2+neighbors:1")
    assert finer_specs("degree+columns:a", "degree~5%+columns:a")
    assert not finer_specs("degree~5%+columns:a", "degree+columns:a")


@pytest.mark.slow
@pytest.mark.parametrize("several", ["degree+neighbors:1", "neighbors:1+neighbors:1"])
def test_a_yes_for_several_at_once_holds(several):
    pairs = [(a, b) for other in PANEL for a, b in ((several, other), (other, several)) if is_finer(a, b, simple=True)]
    assert len(pairs) >= 2
    for g in draw_cases(SMALL, 180):
        sizes = sizes_in(g, {spec for pair in pairs for spec in pair})
        assert all((sizes[a] <= sizes[b]).all() for a, b in pairs)


def test_holding_both_is_not_holding_the_intersection():
    """K4 minus an edge: degree and neighbors:1 leave two each, both at once leave one."""
    g = nx.complete_graph(4)
    g.remove_edge(0, 1)
    assert [shoal.assess(g, spec).k for spec in ("degree", "neighbors:1", "degree+neighbors:1")] == [2, 2, 1]


def test_a_promise_about_the_original_is_about_that_alone():
    """The orders hold for facts of the release; a fact of the original may lead nowhere there."""
    adjacency = Promise(Adjacency(), 2, source="original")
    assert covers(adjacency, "adjacency")
    assert not covers(adjacency, "orbit")


def test_only_promises_and_releases_cover_knowledge():
    for other in ("degree", None, [Promise(Degree(), 2)]):
        with pytest.raises(BadParameter, match="a promise or a release"):
            covers(other, "degree")


def test_promises():
    assert covers(Promise(Adjacency(), 5), "relations:9")
    assert not covers(Promise(Degree(), 5), "neighbors:1")
    assert covers(RadiusPromise(3, 2, "2-path"), "shared-neighbors:2")
    assert not covers(RadiusPromise(3, 2, "2-path"), "shared-neighbors:3")
    assert not covers(RadiusPromise(3, 2, "2-path"), "neighbors:1")
    assert not covers(RadiusPromise(3, 2, "manhattan"), "shared-neighbors:1")
    assert "change places" in explain_coverage(Promise(Adjacency(), 2), "orbit")


@given(g=graphs(most=7))
def test_a_radius_is_feders_notion(g):
    for l in (1, 2):
        radius = shoal.similarity_radius(g, 2, "2-path").l if len(g) >= 2 else 0
        if radius >= l:
            assert shoal.assess(g, f"shared-neighbors:{l}").k >= 2
