"""assess and Risk: what is counted, named and refused."""

import pickle
import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import shoal
from shoal.errors import BadParameter, Notice, UnknownColumn, UnknownVertex

STAR = shoal.as_graph(nx.star_graph(5))


def test_the_parts_of_a_risk():
    risk = shoal.assess(STAR, "degree")
    assert (risk.k, risk.exact, risk.sizes.tolist()) == (1, True, [1, 5, 5, 5, 5, 5])
    assert (risk.at_risk(1), risk.at_risk(2), risk.at_risk(5)) == ((), (0,), (0,))
    assert risk.at_risk(6) == (0, 1, 2, 3, 4, 5)
    assert risk.rate(2) == pytest.approx(1 / 6)
    assert risk.candidates(3) == (1, 2, 3, 4, 5)
    assert risk.witness(0) == shoal.knowledge.Witness((shoal.knowledge.Fact("degree", 5),), (0,))
    assert risk.buckets() == {"1": 1, "2-4": 0, "5-10": 5, "11-20": 0, ">20": 0}
    assert (risk.misled, risk.holds_truth.all()) == ((), True)


@pytest.mark.parametrize(
    ("sizes", "exact", "expected"),
    [
        ([3, 4], [True, True], True),
        ([3, 4], [True, False], False),
        ([3, 4], [False, False], False),
        ([1, 4], [True, False], True),
        ([1, 4], [False, True], False),
        ([2, 4, 1], [True, False, True], True),
    ],
)
def test_k_is_exact_if_all_sizes_are_or_one_is_exactly_1(sizes, exact, expected):
    """An upper bound may hide a smaller size, except below 1."""
    risk = replace(shoal.assess(STAR, "degree"), sizes=np.array(sizes), exact_sizes=np.array(exact))
    assert (risk.k, risk.exact) == (min(sizes), expected)


def test_a_table_has_no_links_to_know():
    people = shoal.examples.people()
    assert shoal.assess(people, f"columns:{next(iter(people))}").k
    with pytest.raises(BadParameter, match="a table has no links"):
        shoal.assess(people, "degree")


def test_buckets_count_every_vertex_once():
    g = nx.disjoint_union_all([nx.star_graph(i) for i in (1, 4, 10, 11, 20, 25)])
    risk = shoal.assess(g, "degree")
    assert sum(risk.buckets().values()) == len(g)
    assert sum(shoal.assess(nx.empty_graph(21), "degree").buckets().values()) == 21


def test_a_frame_has_a_row_per_vertex():
    frame = shoal.assess(STAR, "degree").to_frame()
    assert list(frame.columns) == ["name", "candidates", "exact", "holds_truth"]
    assert frame["candidates"].tolist() == [1, 5, 5, 5, 5, 5]


def test_text_and_page_say_the_same():
    risk = shoal.assess(STAR, "degree")
    assert "k = 1: 1 of 6 vertices is unique." in repr(risk)
    assert "k = 1: 1 of 6 vertices is unique." in risk._repr_html_()
    assert "<script" not in shoal.assess(STAR, shoal.knowledge.Hubs([0]))._repr_html_()


def test_what_a_page_shows_is_escaped():
    g = nx.star_graph(2)
    nx.set_node_attributes(g, {0: "x"}, "<b>")
    assert "<b>" not in shoal.assess(g, shoal.knowledge.Columns("<b>"))._repr_html_()


@pytest.mark.parametrize("k", [0, -1, 7, 2.5, True, "3"])
def test_an_invalid_k_is_refused(k):
    with pytest.raises(BadParameter, match="'k' must be"):
        shoal.assess(STAR, "degree").at_risk(k)


def test_unknown_names_are_refused():
    risk = shoal.assess(shoal.examples.florentine(), "degree")
    with pytest.raises(UnknownVertex, match=r"'Ridolfo'.*15 vertices.*Did you mean 'Ridolfi'"):
        risk.witness("Ridolfo")
    with pytest.raises(UnknownColumn, match=r"'aeg'.*Did you mean 'age'"):
        shoal.assess(shoal.examples.village(), shoal.knowledge.Columns("aeg"))


def test_misled_vertices_never_count_as_safe():
    original = shoal.as_graph(nx.star_graph(3))
    emptied = shoal.as_graph(nx.empty_graph(4))
    risk = shoal.assess(emptied, "degree", original=original)
    assert (risk.k, risk.sizes.tolist(), risk.misled) == (0, [0, 0, 0, 0], (0, 1, 2, 3))
    assert risk.rate(4) == 0
    partly = shoal.assess(shoal.as_graph(nx.path_graph(4)), "degree", original=original)
    assert (partly.k, partly.sizes.tolist(), partly.misled) == (2, [0, 2, 2, 2], (0,))
    assert partly.holds_truth.tolist() == [False, False, False, True]


def test_the_release_attacked_with_the_original_rows():
    original = nx.Graph([("a", "b"), ("a", "c"), ("d", "b")])
    released = nx.Graph([("a", "b"), ("a", "c"), ("d", "b"), ("d", "c")])
    risk = shoal.assess(released, "adjacency", original=original)
    assert risk.candidates("a") == ("a", "d")
    assert risk.misled == ("c", "d")


def test_a_mapping_matches_the_vertices():
    original, released = nx.path_graph(3), nx.Graph([("x", "y"), ("y", "z")])
    risk = shoal.assess(released, "degree", original=original, mapping={0: "x", 1: "y", 2: "z"})
    assert risk.candidates(0) == ("x", "z")
    assert risk.holds_truth.all()
    wrong = shoal.assess(released, "degree", original=original, mapping={0: "y", 1: "x", 2: "z"})
    assert wrong.holds_truth.tolist() == [False, False, True]


def test_invalid_mappings_are_refused():
    path = nx.path_graph(3)
    with pytest.raises(BadParameter, match=r"'mapping'.*'original'"):
        shoal.assess(path, "degree", mapping={0: 0})
    with pytest.raises(BadParameter, match=r"'a'.*0"):
        shoal.assess(path, "degree", original=nx.Graph([("a", "b")]))
    with pytest.raises(BadParameter, match="vertex of its own"):
        shoal.assess(path, "degree", original=path, mapping={0: 0, 1: 0, 2: 1})
    with pytest.raises(UnknownVertex, match="The mapping names 9"):
        shoal.assess(path, "degree", original=path, mapping={0: 9})
    with pytest.warns(Notice, match="1 of the 3 original"):
        shoal.assess(path, "degree", original=path, mapping={0: 0, 1: 1})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: shoal.knowledge.Refinement(-1), "Refinement: 'rounds' must be a whole number of 0 or more. Got -1."),
        (lambda: shoal.knowledge.Hubs(0), "Hubs: 'hubs' must be a whole number of 1 or more. Got 0."),
        (lambda: shoal.knowledge.Hubs([]), "Hubs: 'hubs' must be a number or at least one name"),
        (lambda: shoal.knowledge.Hubs(1, world="ajar"), "'world' must be 'closed' or 'open'. Got 'ajar'"),
        (lambda: shoal.knowledge.Subgraph(0), "Subgraph: 'edges' must be a whole number of 1 or more"),
        (lambda: shoal.knowledge.Neighborhood(1.5), "Neighborhood: 'radius' must be a whole number"),
        (lambda: shoal.knowledge.Neighborhood(1, labels="age"), "'labels' must be a tuple of column names"),
        (lambda: shoal.knowledge.SharedNeighbors(0), "SharedNeighbors: 'l' must be a whole number of 1 or more"),
        (shoal.knowledge.Columns, "Columns: 'names' must be at least one column"),
        (lambda: shoal.assess(STAR, shoal.knowledge.Hubs(7)), "at most the number of vertices, 6. Got 7"),
        (lambda: shoal.assess(STAR, 7), "Knowledge must be an adversary or its shell name. Got 7"),
    ],
)
def test_invalid_knowledge_is_refused(make, message):
    with pytest.raises(BadParameter, match=message.replace("(", r"\(").replace("[", r"\[")):
        make()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("degre", r"'degre'.*Did you mean 'degree'"),
        ("degree:3", r"'degree'.*'3'"),
        ("degree:out:in", r"'degree'.*2 after"),
        ("refinement:two", r"'refinement'.*'two'"),
        ("subgraph", "'subgraph'"),
        ("subgraph:3:exactly", "Got 'subgraph:3:exactly'"),
        ("shared-neighbors", "Got no L"),
        ("columns:", "Got no name"),
        ("hubs", "Got no hubs"),
        ("hubs:3:2:ajar", "'closed' or 'open'"),
        ("", "no kind of knowledge ''"),
    ],
)
def test_invalid_shell_names_are_refused(spec, message):
    with pytest.raises(BadParameter, match=message):
        shoal.parse_knowledge(spec)


@pytest.mark.parametrize(
    "adversary",
    [
        shoal.knowledge.Columns("a,b", "c:d", "e+f", "g\\h"),
        shoal.knowledge.Hubs(("5", "Medici, Cosimo"), reach=2, world="open"),
        shoal.knowledge.Neighborhood(2, labels=("a:b", "c")),
        shoal.knowledge.Degree() & shoal.knowledge.Columns("x+y"),
        shoal.knowledge.Refinement(),
    ],
    ids=repr,
)
def test_shell_names_hold_any_text(adversary):
    assert shoal.parse_knowledge(adversary.spec) == adversary


def test_the_input_is_left_alone():
    g = nx.florentine_families_graph()
    before = nx.to_dict_of_dicts(g)
    shoal.assess(g, "orbit")
    assert nx.to_dict_of_dicts(g) == before


def read_bars(risk):
    chart = risk.plot().to_dict()
    return {row["candidates"]: row["count"] for row in chart["data"]["values"]}, chart


def test_a_chart_counts_vertices_by_their_candidates():
    risk = shoal.assess(nx.star_graph(5), "degree")
    bars, chart = read_bars(risk)
    assert bars == risk.buckets() == {"1": 1, "2-4": 0, "5-10": 5, "11-20": 0, ">20": 0}
    assert "degree" in " ".join(chart["title"]["text"])
    assert chart["layer"][0]["encoding"]["x"]["axis"]["values"] == [0, 1, 2, 3, 4, 5], "no tick between whole numbers"
    assert chart["title"]["subtitle"] == ["k = 1: 1 of 6 vertices is unique."]


def test_a_chart_shows_the_misled_apart_and_says_what_is_not_exact(monkeypatch):
    bars, chart = read_bars(shoal.assess(nx.cycle_graph(4), "degree", original=nx.path_graph(4)))
    assert bars == {"1": 0, "2-4": 2, "5-10": 0, "11-20": 0, ">20": 0, "misled": 2}
    assert "not safe" in chart["data"]["values"][-1]["label"]
    monkeypatch.setattr("shoal.knowledge.subgraph.SEARCH_STEPS", 1)
    _, chart = read_bars(shoal.assess(nx.cycle_graph(12), "subgraph:3"))
    assert any("fewer" in line for line in chart["title"]["subtitle"])


def test_a_chart_of_recoded_values_has_a_caution():
    known, decades = {"age": [40, 41, 50]}, {"age": ["40-49", "40-49", 50]}
    _, chart = read_bars(shoal.assess(decades, "columns:age", original=known))
    assert any("recoded" in line for line in chart["title"]["subtitle"])


def test_a_pickled_risk_counts_its_candidates_again():
    risk = shoal.assess(nx.star_graph(4), "degree")
    copied = pickle.loads(pickle.dumps(risk))
    assert "answer" not in vars(copied)
    assert set(vars(copied)) == set(vars(risk)) - {"answer"}
    assert copied.sizes.tolist() == risk.sizes.tolist() == [1, 4, 4, 4, 4]
    assert copied.candidates(1) == risk.candidates(1) == (1, 2, 3, 4)
    assert copied.witness(0).candidates == (0,)


def test_whether_the_truth_is_among_the_candidates():
    plain = shoal.assess(nx.star_graph(2), "degree").holds_truth
    assert (plain.tolist(), plain.dtype) == ([True] * 3, np.bool_)
    before, after = nx.path_graph(3), nx.Graph([(0, 1), (0, 2)])
    moved = shoal.assess(after, "degree", original=before)
    assert moved.holds_truth.tolist() == [moved.holds(v) for v in range(3)] == [False, False, True]
    less = nx.path_graph(2)
    with pytest.warns(Notice):
        assert not shoal.assess(less, "degree", original=before).holds(2)


def test_a_mapping_names_the_counterparts():
    before = nx.relabel_nodes(nx.star_graph(3), dict(enumerate("abcd")))
    after = nx.star_graph(3)
    found = shoal.assess(after, "degree", original=before, mapping=dict(zip("abcd", range(4), strict=True)))
    assert (found.names.id("a"), found.holds("a"), found.candidates("a")) == (0, True, (0,))
    other = shoal.assess(after, "degree", original=before, mapping=dict(zip("abcd", (1, 0, 2, 3), strict=True)))
    assert (other.holds("a"), other.holds("b"), other.holds("c")) == (False, False, True)


def test_a_mapping_file_names_the_original_first(tmp_path):
    """The original is named by numbers, the release by texts that look like numbers."""
    before = shoal.as_graph(nx.relabel_nodes(nx.star_graph(3), dict(enumerate((7, 8, 9, 10)))))
    after = shoal.as_graph(nx.relabel_nodes(nx.star_graph(3), dict(enumerate(("08", "7", "9", "11")))))
    file = tmp_path / "mapping.csv"
    file.write_text("original,published\n7,08\n8,7\n9,9\n10,11\n")
    found = shoal.assess(after, "degree", original=before, mapping=file)
    assert found.holds_truth.tolist() == [True] * 4
    assert (found.candidates(7), found.names.id(8)) == (("08",), 1)


def test_columns_that_match_no_published_record():
    before = {"age": [30, 41, 50], "sex": ["f", "m", "f"]}
    after = {"age": [30, 41, 99], "sex": ["f", "m", "f"]}
    found = shoal.assess(after, shoal.knowledge.Columns("age", "sex"), original=before)
    assert found.unmatched == ("age",)
    assert shoal.assess(after, "columns:age").unmatched == ()
    assert shoal.assess(after, "columns:age").unfit.tolist() == [False] * 3
    some = shoal.assess(after, "some-columns:1", original=before)
    assert some.unfit.tolist() == [False, False, True]
    for known, published in ((["x", "y"], ["z", "x", "y"]), (["x"], ["x", "y"]), (["x"], ["y", "x"])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)  # one has records more
            assert shoal.assess({"a": published}, "columns:a", original={"a": known}).unmatched == ()
