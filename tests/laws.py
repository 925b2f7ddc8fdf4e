"""The laws of knowledge, each as a function of one kind of knowledge and one graph."""

import warnings

import networkx as nx

import oracle
import shoal
from shoal.errors import Notice
from shoal.knowledge import parse_knowledge
from shoal.knowledge.candidates import WorstCandidates


def assert_agrees(risk, answer):
    """Assert that sizes, sets and witnesses are the oracle's."""
    names, sizes = list(risk.names), oracle.size(answer)
    assert risk.sizes.tolist() == [sizes[v] for v in names]
    assert risk.exact_sizes.all()
    for v in names:
        found = frozenset(risk.candidates(v))
        assert len(found) == sizes[v]
        allowed = answer[v] if isinstance(answer[v], frozenset) else {ids for _, ids in answer[v]}
        assert found == allowed if isinstance(allowed, frozenset) else (found in allowed or not found)


def quietly(published, adversary, **kwargs):
    """Assess with the notices about vertices without counterpart left out: drawn mappings are partial on purpose."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return shoal.assess(published, adversary, **kwargs)


def multi(g):
    return shoal.as_graph(g, multigraph=isinstance(g, nx.MultiGraph))


def check_facts_of_the_original(adversary, answer, published, original, mapping):
    """Facts of the original are searched in the release as the oracle says; the misled have no candidate."""
    risk = quietly(multi(published), adversary, original=multi(original), mapping=mapping)
    assert_agrees(risk, answer)
    found = {v: risk.candidates(v) for v in original}
    assert risk.holds_truth.tolist() == [v in mapping and mapping[v] in found[v] for v in original]
    assert risk.misled == tuple(v for v in original if not found[v])


def check_release_as_original(adversary, g):
    """Facts of the release itself give the same sizes as no original."""
    graph = shoal.as_graph(g)
    alone, attacked = shoal.assess(graph, adversary), shoal.assess(graph, adversary, original=graph)
    assert alone.sizes.tolist() == attacked.sizes.tolist()
    assert attacked.holds_truth.all()


def check_relabeling(adversary, g, order):
    """New names in a new order change nothing, and every vertex is its own candidate."""
    renamed = nx.Graph()
    renamed.add_nodes_from((f"new {v}", g.nodes[v]) for v in order)
    renamed.add_edges_from((f"new {a}", f"new {b}") for a, b in g.edges)
    before, after = shoal.assess(g, adversary), shoal.assess(renamed, adversary)
    for i, v in enumerate(g):
        candidates = before.candidates(v)
        assert v in candidates
        assert before.sizes[i] == after.sizes[order.index(v)]
        assert before.sizes[i] == len(candidates) == len(before.witness(v).candidates)
        if not isinstance(before.answer, WorstCandidates):  # several sets may be equally small
            assert {f"new {u}" for u in candidates} == set(after.candidates(f"new {v}"))


def check_names(adversary, namespace):
    """Knowledge is its own repr and its shell name."""
    assert eval(repr(adversary), namespace) == adversary
    assert parse_knowledge(adversary.spec) == adversary
    assert hash(parse_knowledge(adversary.spec)) == hash(adversary)
