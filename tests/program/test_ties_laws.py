"""The laws for links with direction and kind: every kind of knowledge counts what the oracle says."""

from itertools import combinations, pairwise
from random import Random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import shoal
import ties_oracle as ties
from conftest import ATLAS
from draws import SEED, TIMES, draw_cases, examples
from laws import assert_agrees, quietly
from shoal.errors import BadParameter, Notice
from shoal.knowledge import REGISTRY, parse_knowledge

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")

kinds_of_knowledge = pytest.mark.parametrize("spec", ties.ORACLES)
MIXED = 60 if TIMES == 1 else 4_000 * TIMES
"""How many random graphs with mixed directions are judged; `make laws` judges 20,000."""


@pytest.fixture(scope="module")
def digraphs():
    """All simple digraphs with up to four vertices, one of each isomorphism class."""
    return [net for n in range(1, 5) for net in ties.list_nets(n, ties.ARCS)]


@pytest.fixture(scope="module")
def two_kinds():
    """All undirected graphs with two kinds of links and up to four vertices, one of each isomorphism class."""
    return [net for n in range(1, 5) for net in ties.list_nets(n, ties.TWO_KINDS)]


def judge(spec, net, *, multigraph):
    """Assert that a kind of knowledge counts what the oracle says; it refuses a graph without direction by name."""
    graph = ties.as_graph(net if multigraph else merge(net), multigraph=multigraph)
    if spec in ties.DIRECTED_ONLY and not graph.directed:
        with pytest.raises(BadParameter, match="direct"):
            shoal.assess(graph, spec)
        return
    if not parse_knowledge(spec).fits_size(graph):
        return
    assert_agrees(shoal.assess(graph, spec), ties.ORACLES[spec](net if multigraph else merge(net)))


def is_asked(spec, graph):
    """Return whether a kind of knowledge is about such a graph: directed if need be, and with enough vertices."""
    return (graph.directed or spec not in ties.DIRECTED_ONLY) and parse_knowledge(spec).fits_size(graph)


def merge(net):
    """Return the net with each link once."""
    links = {(a, b, d, kind) if d or a <= b else (b, a, d, kind) for a, b, d, kind in net.links}
    return ties.Net(net.vertices, tuple(sorted(links, key=str)))


def test_no_kind_of_knowledge_is_forgotten():
    judged = {type(parse_knowledge(spec)) for spec in ties.ORACLES}
    about_links = {kind for kind in REGISTRY.values() if kind.reads_links}
    assert judged == about_links - {shoal.knowledge.Both}


@pytest.mark.slow
def test_the_two_oracles_agree_on_undirected_graphs_and_on_symmetric_digraphs():
    for g in ATLAS[:51]:
        once = ties.Net(tuple(g), tuple((a, b, False, None) for a, b in g.edges))
        twice = ties.Net(tuple(g), tuple(arc for a, b in g.edges for arc in ((a, b, True, None), (b, a, True, None))))
        for spec in ties.ORACLES.keys() & oracle.ORACLES.keys():
            expected = oracle.size(oracle.ORACLES[spec](g))
            assert oracle.size(ties.ORACLES[spec](once)) == expected
            assert oracle.size(ties.ORACLES[spec](twice)) == expected


@pytest.mark.slow
@kinds_of_knowledge
def test_every_small_digraph_as_the_oracle_says(spec, digraphs):
    for net in digraphs:
        judge(spec, net, multigraph=False)


@pytest.mark.slow
@kinds_of_knowledge
def test_every_small_graph_with_two_kinds_as_the_oracle_says(spec, two_kinds):
    for net in draw_cases(two_kinds, 150):
        judge(spec, net, multigraph=False)


@pytest.mark.slow
@kinds_of_knowledge
def test_random_graphs_with_mixed_directions_as_the_oracle_says(spec):
    random = Random(f"{SEED} {spec}")
    for _ in range(MIXED):
        judge(spec, ties.draw_net(random), multigraph=random.random() < 0.5)


@st.composite
def nets(draw, most=6, names=None):
    """Draw a net through a seed, so that a failure shrinks by its size."""
    n = draw(st.integers(1, most))
    return ties.draw_net(Random(draw(st.integers(0, 10**6))), n, names)


@pytest.mark.slow
@kinds_of_knowledge
@examples(30)
@given(net=nets())
def test_drawn_graphs_as_the_oracle_says(spec, net):
    judge(spec, net, multigraph=True)


def relations(graph):
    """Return the kinds and directions of the links."""
    return {relation for *_, relation in graph.each_link()}


def have_one_form(published, original):
    """Return whether both may be compared: a mixed network may lose all its arcs, but not all its kinds of links."""
    if published.m and original.m and published.kinds and not {*published.count_kinds()} & {*original.kinds}:
        return False
    lost = original.directed and not published.directed and relations(published) <= relations(original)
    same = (published.directed or lost) == original.directed and bool(published.kinds) == bool(original.kinds)
    return same or not published.m or not original.m


@pytest.mark.slow
@kinds_of_knowledge
@examples(40)
@given(data=st.data())
def test_facts_from_the_original(spec, data):
    published, original = data.draw(nets(most=5, names=list("pqrst"))), data.draw(nets(most=5))
    images, sources = data.draw(st.permutations(list(published))), data.draw(st.permutations(list(original)))
    size = data.draw(st.integers(1, min(len(published), len(original))))
    mapping = dict(zip(sources[:size], images[:size], strict=True))
    graphs = [ties.as_graph(net) for net in (published, original)]
    if not have_one_form(*graphs) or not is_asked(spec, graphs[1]):
        return
    early = {"prefixes": True} if spec.startswith("subgraph") else {}
    answer = ties.ORACLES[spec](published, original, mapping, **early)
    risk = quietly(graphs[0], spec, original=graphs[1], mapping=mapping)
    assert_agrees(risk, answer)


@pytest.mark.slow
@kinds_of_knowledge
def test_facts_from_a_mixed_original_whose_release_lost_its_arcs(spec):
    """The links that are left have no direction, as the original declares, also in a graph without any direction."""
    random = Random(f"{SEED} {spec} lost")
    for _ in range(60):
        links = [(a, b, i % 2 == 0, None) for i, (a, b) in enumerate(random.sample(list(combinations(range(5), 2)), 6))]
        original = ties.Net(tuple(range(5)), tuple(links))
        published = ties.Net(original.vertices, tuple(link for link in links if not link[2]))
        answer = ties.ORACLES[spec](published, original, **({"prefixes": True} if spec.startswith("subgraph") else {}))
        plain, mixed = (ties.as_graph(net, multigraph=False) for net in (published, original))
        assert plain.ties is None
        with pytest.warns(Notice, match="no link of the release has one"):
            risk = shoal.assess(plain, spec, original=mixed)
        assert_agrees(risk, answer)


@pytest.mark.slow
@kinds_of_knowledge
@examples(30)
@given(net=nets())
def test_reversing_all_arcs_exchanges_out_and_in(spec, net):
    turned = ties.Net(net.vertices, tuple((b, a, d, kind) for a, b, d, kind in net.links))
    other = {"degree:out": "degree:in", "degree:in": "degree:out"}.get(spec, spec)
    if not is_asked(spec, ties.as_graph(net)):
        return
    sizes = [shoal.assess(ties.as_graph(one), by).sizes.tolist() for one, by in ((net, spec), (turned, other))]
    assert sizes[0] == sizes[1]


@pytest.mark.slow
@kinds_of_knowledge
@examples(30)
@given(net=nets(), names=st.permutations(["a", "m", "z"]))
def test_renaming_kinds_changes_nothing(spec, net, names):
    new = dict(zip(["x", "y", ""], names, strict=True))
    renamed = ties.Net(
        net.vertices, tuple((a, b, d, kind if kind is None else new[kind]) for a, b, d, kind in net.links)
    )
    if not is_asked(spec, ties.as_graph(net)):
        return
    sizes = [shoal.assess(ties.as_graph(one), spec).sizes.tolist() for one in (net, renamed)]
    assert sizes[0] == sizes[1]


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(ties.ORACLES.keys() - ties.DIRECTED_ONLY))
def test_a_symmetric_digraph_keeps_every_number(spec):
    for g in [nx.karate_club_graph(), *draw_cases(ATLAS, 40)]:
        plain = shoal.as_graph(nx.Graph(g.edges) if g.number_of_edges() else g)
        a, b, _ = plain.edges()
        arcs = [*a.tolist(), *b.tolist()], [*b.tolist(), *a.tolist()]
        twice = type(plain).from_pairs(plain.names, *arcs, directed=True)
        if not is_asked(spec, plain):
            continue
        risks = [shoal.assess(graph, spec) for graph in (plain, twice)]
        assert risks[0].sizes.tolist() == risks[1].sizes.tolist()


CHAINS = [
    ["degree", "neighborhood:1", "neighborhood:2", "orbit", "adjacency"],
    ["counts:1", "degrees:1", "neighborhood:1"],
    ["counts:2", "degrees:2", "neighborhood:2"],
    ["degree:total", "degree", "refinement:2", "refinement:3", "refinement", "orbit"],
    ["neighbors:1", "neighbors:2", "neighbors:3"],
    ["neighbors:2", "relations:2"],
    ["neighbors:2~1", "neighbors:2"],
    ["degree~50%", "degree~25%", "degree"],
]
"""Each kind of knowledge leaves at least as many candidates as the next."""


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS, ids=" ".join)
@examples(60)
@given(net=nets())
def test_orders_that_hold(chain, net):
    sizes = [shoal.assess(ties.as_graph(net), spec).sizes for spec in chain]
    assert all((less >= more).all() for less, more in pairwise(sizes))


@pytest.mark.parametrize("ball", ["counts:1", "degrees:1"])
def test_degree_is_comparable_with_neither_counts_nor_degrees(ball):
    """Both ends of an arc have the same ball; all vertices of two directed cycles have the same degree."""
    arc = ties.as_graph(ties.Net((0, 1), ((0, 1, True, None),)))
    assert [shoal.assess(arc, spec).k for spec in ("degree", ball)] == [1, 2]
    cycles = [(i, (i + 1) % 3, True, None) for i in range(3)] + [(3 + i, 3 + (i + 1) % 4, True, None) for i in range(4)]
    rings = ties.as_graph(ties.Net(tuple(range(7)), tuple(cycles)))
    assert [shoal.assess(rings, spec).k for spec in ("degree", ball)] == [7, 3]


FORGETTING = ["adjacency", "neighborhood:1", "neighborhood:2", "orbit", "neighbors:1", "neighbors:2"]


@pytest.mark.slow
@pytest.mark.parametrize("spec", FORGETTING)
@examples(40)
@given(net=nets())
def test_forgetting_direction_or_kind_never_gives_fewer_candidates(spec, net):
    graph = ties.as_graph(net, multigraph=False)
    full = shoal.assess(graph, spec).sizes
    for less in (graph.to_undirected(), graph.without_kinds(), graph.to_undirected().without_kinds()):
        assert (shoal.assess(less, spec).sizes >= full).all()
