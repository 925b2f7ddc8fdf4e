"""The edge difference of two graphs, where links have directions and kinds."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.edge_diff import find_edge_difference
from shoal.data.graph import Graph
from shoal.data.ties import Relation
from shoal.release.release import find_edits, is_linked_by_class


@st.composite
def linked(draw, names):
    """Draw a multigraph with directions and kinds on some of the names."""
    ends = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda pair: pair[0] != pair[1])
    links = draw(st.lists(st.tuples(ends, st.booleans(), st.sampled_from("xy")), min_size=1, max_size=9))
    how = {"directed": [d for _, d, _ in links], "kinds": [kind for *_, kind in links], "multigraph": True}
    return Graph.from_pairs(names, [a for (a, _), *_ in links], [b for (_, b), *_ in links], **how)


@given(linked("abcd"), linked("dbca"))
def test_links_with_directions_and_kinds_are_compared_one_by_one(before, after):
    def count(g):
        a, b, relation, times = (part.tolist() for part in g.links())
        seen = [(g.names[x], g.names[y], g.ties.relations[r]) for x, y, r in zip(a, b, relation, strict=True)]
        ordered = [(min(x, y), max(x, y), r) if r.direction == "both" else (x, y, r) for x, y, r in seen]
        return Counter(dict(zip(ordered, times, strict=True)))

    found = find_edge_difference(before, after, after.names.find(before.names))
    common = (count(before) & count(after)).total()
    assert found.both == common
    assert found.edits == before.m + after.m - 2 * common
    assert (len(found.added[0]), len(found.removed[0])) == (after.m - common, before.m - common)

    def read(edits):
        """Count listed edits as `count` counts links; "out" and "both" come last only where both occur."""
        said = [edit if len(edit) == 4 else (*edit, lone) for edit in edits]
        links = [(x, y, Relation(kind, way)) for x, y, kind, way in said]
        return Counter((min(x, y), max(x, y), r) if r.direction == "both" else (x, y, r) for x, y, r in links)

    edits = find_edits(before, after)
    lone = "out" if before.directed or after.directed else "both"
    assert read(edits.added) == count(after) - count(before)
    assert read(edits.removed) == count(before) - count(after)


def test_edits_are_listed_as_the_links_point():
    before = Graph.from_pairs("abc", [1, 2], [0, 0], directed=True)
    after = Graph.from_pairs("abc", [0, 2], [1, 1], directed=True)
    assert find_edits(before, after).added == (("a", "b"), ("c", "b"))
    assert find_edits(before, after).removed == (("b", "a"), ("c", "a"))
    mixed = Graph.from_pairs("abc", [1, 2], [0, 0], directed=[True, False], kinds=["call", "kin"])
    assert find_edits(mixed, Graph.from_pairs("abc", [0], [2], kinds=["kin"])).removed == (("b", "a", "call", "out"),)


def test_links_of_people_left_out_are_listed_as_removed():
    before = Graph.from_pairs("abc", [1, 2, 2], [0, 0, 1], directed=True)
    after = Graph.from_pairs("ca", [0], [1], directed=True)
    assert find_edits(before, after).removed == (("b", "a"), ("c", "b"))
    assert find_edits(before, after).added == ()


def square(**how):
    """Return the square 0-2-1-3, with opposite corners in one class."""
    return Graph.from_pairs("abcd", [0, 0, 1, 1], [2, 3, 2, 3], **how)


@pytest.mark.parametrize(
    ("how", "alike"),
    [
        ({"directed": True}, True),
        ({"directed": [True, True, True, False]}, False),
        ({"kinds": ["x"] * 4}, True),
        ({"kinds": ["x", "x", "y", "x"]}, False),
    ],
)
def test_exchangeable_members_have_the_same_links_to_each_class(how, alike):
    assert is_linked_by_class(square(**how), np.array([0, 0, 1, 1])) == alike


def test_an_arc_inside_a_class_distinguishes_its_members():
    arc, both = (Graph.from_pairs("ab", [0, 1][:q], [1, 0][:q], directed=True) for q in (1, 2))
    assert not is_linked_by_class(arc, np.array([0, 0]))
    assert is_linked_by_class(both, np.array([0, 0]))
