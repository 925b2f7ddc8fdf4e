"""What does not handle directions and kinds of links yet refuses them by name, and says how to go without."""

import numpy as np
import pytest

import shoal
from method_cases import ALL, READ_TIES, add_ties, case
from shoal.data.graph import Graph
from shoal.errors import BadGraph, BadParameter
from shoal.io.digest import digest_contents, digest_layout


@pytest.fixture
def arcs():
    return Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 3], directed=True)


@pytest.mark.parametrize(("name", "i"), [one for one in ALL if one[0] not in READ_TIES])
def test_methods(name, i):
    method, data = case(name, i)
    with pytest.raises(BadGraph, match="--undirected") as error:
        method(add_ties(data))
    assert type(method).__name__ in str(error.value)


@pytest.mark.parametrize("what", ["attack", "similarity_radius"])
def test_functions(what, arcs):
    calls = {
        "attack": lambda: shoal.attack(arcs, arcs, by=shoal.attacks.PlantedWalk(method=shoal.methods.Perturb(add=1))),
        "similarity_radius": lambda: shoal.similarity_radius(arcs, 2),
    }
    with pytest.raises(BadGraph, match=f"{what}.*--undirected"):
        calls[what]()


def test_kinds_are_named_with_the_way_to_leave_them_out():
    kin = Graph.from_pairs("abc", [0, 1], [1, 2], kinds=["kin", "call"])
    with pytest.raises(BadGraph, match=r"kinds.*--kind.*without_kinds\(\)"):
        shoal.methods.MatchNeighborhoods(k=2)(kin)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("other", [{"directed": False}, {"directed": True, "kinds": ["x", "y", "x"]}])
def test_an_original_and_a_release_of_another_form(arcs, other, swapped):
    strange = Graph.from_pairs("abcd", [0, 1, 2], [1, 2, 3], **other)
    published, original = (strange, arcs) if swapped else (arcs, strange)
    with pytest.raises(BadParameter, match=r"original.*release"):
        shoal.assess(published, "degree", original=original)
    with pytest.raises(BadParameter, match=r"compare.*original.*release"):
        shoal.compare(original, published)


def test_digests_depend_on_direction_and_kind():
    ends = np.array([0, 1]), np.array([1, 2])
    forms = [{}, {"directed": True}, {"directed": [True, False]}, {"kinds": ["x", "y"]}, {"kinds": ["y", "x"]}]
    graphs = [Graph.from_pairs("abc", *ends, **form) for form in forms]
    graphs.append(Graph.from_pairs("abc", *ends[::-1], directed=True))
    for digest in (digest_contents, digest_layout):
        assert len({digest(graph) for graph in graphs}) == len(graphs)


def test_digests_do_not_depend_on_the_order_of_vertices():
    one = Graph.from_pairs("abc", [0, 1], [1, 2], directed=True)
    other = Graph.from_pairs("cba", [2, 1], [1, 0], directed=True)
    assert digest_contents(one) == digest_contents(other)
