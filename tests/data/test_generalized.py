"""Generalized graphs: they determine the graph if and only if rows are equal, and they hold no names."""

import importlib.util
import json
import warnings
from itertools import combinations
from pathlib import Path

import click
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
import shoal
from conftest import graphs
from draws import draw_cases
from shoal.cli.app import main
from shoal.cli.commands.classes import classes as command
from shoal.core.twins import find_equal_rows
from shoal.data.generalized import Generalized
from shoal.errors import BadFile, BadGraph, BadParameter, FileExists
from shoal.report.text.generalized import describe_generalized, draw_generalized

KINDS = ["json", "graphml", "json.gz"]


@st.composite
def classified(draw):
    g = draw(graphs())
    return g, draw(st.lists(st.integers(-2, 2), min_size=len(g), max_size=len(g)))


def generalize(graph):
    return Generalized.of(graph, find_equal_rows(graph))


def equal_rows(g, codes):
    return all(set(g[u]) == set(g[v]) for u, v in combinations(g, 2) if codes[u] == codes[v])


def test_twin_classes_are_those_of_the_oracle(atlas):
    for g, data in atlas:
        codes = find_equal_rows(data)
        candidates = oracle.adjacency(g)
        assert all({u for u in g if codes[u] == codes[v]} == candidates[v] for v in g)


@pytest.mark.slow
def test_every_graph_is_restored_from_its_twin_classes(atlas):
    for g, data in atlas:
        classes = generalize(data)
        assert classes.lossless
        assert classes.k == min(oracle.size(oracle.adjacency(g)).values())
        assert classes.expand() == data
        nameless = classes.published(seed=3)
        assert (nameless.members, nameless.n, nameless.m) == (None, data.n, data.m)
    for g, data in draw_cases(atlas, 180):
        assert nx.is_isomorphic(generalize(data).published().expand().to_networkx(), g)


@given(classified())
def test_counts_match_the_definition_and_lossless_means_equal_rows(drawn):
    g, codes = drawn
    found = Generalized.of(shoal.as_graph(g), codes)
    kinds = sorted(set(codes))
    parts = [[v for v in g if codes[v] == kind] for kind in kinds]
    assert found.members == tuple(map(tuple, parts))
    assert found.inside.tolist() == [g.subgraph(part).number_of_edges() for part in parts]
    many = {
        (i, j): sum(g.has_edge(u, v) for u in parts[i] for v in parts[j]) for i, j in combinations(range(len(parts)), 2)
    }
    links = dict(zip(map(tuple, found.links.tolist()), found.between.tolist(), strict=True))
    assert links == {pair: q for pair, q in many.items() if q}
    assert found.lossless == equal_rows(g, codes)
    if found.lossless:
        assert found.expand() == shoal.as_graph(g)
    else:
        with pytest.raises(BadGraph, match="to expand, all edges or none"):
            found.expand()


def test_a_release_of_equal_rows_is_its_graph_of_classes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.Notice)
        release = shoal.methods.EqualizeRows(k=3)(shoal.examples.karate())
    found = Generalized.of(release.data, release.codes)
    assert found.lossless
    assert found.k >= 3
    assert found.expand() == release.data.without_attributes()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@given(drawn=classified())
def test_round_trip_without_names(kind, drawn, tmp_path_factory):
    g, codes = drawn
    file = tmp_path_factory.mktemp("classes") / f"classes.{kind}"
    found = Generalized.of(shoal.as_graph(nx.relabel_nodes(g, {v: f"Ann{v}" for v in g})), codes)
    found.save(file, seed=2)
    back = Generalized.read(file)
    assert back == found.published(seed=2)
    assert (back.codes, back.names) == (None, None)
    if "gz" not in kind:
        assert "Ann" not in file.read_text()
    back.save(file, force=True)
    assert Generalized.read(file) == back  # nothing is left to shuffle


def test_other_programs_read_the_graphml(tmp_path):
    generalize(shoal.as_graph(nx.cycle_graph(4))).save(tmp_path / "c.graphml")
    g = nx.read_graphml(tmp_path / "c.graphml")
    assert dict(g.nodes(data="size")) == {"0": 2, "1": 2}
    assert list(g.edges(data="edges")) == [("0", "1", 4)]


def test_the_order_of_classes_is_shuffled():
    found = Generalized.of(shoal.as_graph(nx.star_graph(1)), [0, 1])
    big = generalize(shoal.as_graph(nx.path_graph(40)))
    orders = {tuple(map(tuple, big.published().links.tolist())) for _ in range(4)}
    assert len(orders) == 4
    assert big.published(seed=5) == big.published(seed=5)
    assert nx.is_isomorphic(nx.Graph(big.published().links.tolist()), nx.Graph(big.links.tolist()))
    with pytest.raises(BadParameter, match="'seed'"):
        found.published(seed=-1)


JSON = {"schema": 1, "kind": "generalized graph", "classes": [{"size": 2, "inside": 0}] * 2, "links": [[0, 1, 4]]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"links": [[0, 1, 5]]}, "Ci||Cj| edges"),
        ({"links": [[0, 1, 0]]}, "Ci||Cj| edges"),
        ({"links": [[0, 2, 1]]}, "pairs of different classes"),
        ({"links": [[1, 1, 1]]}, "pairs of different classes"),
        ({"links": [[0, 1, 4], [1, 0, 2]]}, "each pair of classes once"),
        ({"links": [[0, 1]]}, "other than integers"),
        ({"links": [[0, 1, 4.0]]}, "other than integers"),
        ({"classes": [{"size": True, "inside": 0}]}, "other than integers"),
        ({"classes": [{"size": 2}]}, "inside"),
        ({"classes": [], "links": []}, "at least one class"),
        ({"classes": [{"size": 0, "inside": 0}], "links": []}, "at least one class"),
        ({"classes": [{"size": 2, "inside": 2}], "links": []}, "no more inner edges than pairs"),
        ({"schema": 2}, "relations"),
        ({"schema": 3}, "another schema"),
        ({"kind": "graph"}, "another schema"),
    ],
)
def test_invalid_json_is_refused(change, says, tmp_path):
    file = tmp_path / "c.json"
    file.write_text(json.dumps(JSON | change))
    with pytest.raises(BadFile, match=r"c\.json") as error:
        Generalized.read(file)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('target="1"', 'target="7"'), "must join two nodes"),
        (('<data key="size">2</data>', ""), "must have a whole number 'size'"),
        ((">4<", ">x<"), "a value of type long"),
        (('id="1"', 'id="0"'), "ids must be distinct"),
        (("</graphml>", ""), "well-formed XML"),
    ],
)
def test_bad_graphml(change, says, tmp_path):
    file = tmp_path / "c.graphml"
    generalize(shoal.as_graph(nx.cycle_graph(4))).save(file)
    file.write_text(file.read_text().replace(*change))
    with pytest.raises(BadFile) as error:
        Generalized.read(file)
    assert says in str(error.value)


def test_bad_input(tmp_path):
    square = shoal.as_graph(nx.cycle_graph(4))
    for codes in ([0, 1], [0.5] * 4, ["a"] * 4, [[0, 1], [1, 0]]):
        with pytest.raises(BadParameter, match="'codes'"):
            Generalized.of(square, codes)
    with pytest.raises(BadParameter, match="a simple graph"):
        generalize(shoal.as_graph(nx.MultiGraph([(0, 1), (0, 1)]), multigraph=True))
    with pytest.raises(BadFile, match=r"one of \.json, \.graphml"):
        generalize(square).save(tmp_path / "c.csv")
    with pytest.raises(BadFile, match="no such file"):
        Generalized.read(tmp_path / "c.json")
    generalize(square).save(tmp_path / "c.json")
    with pytest.raises(FileExists):
        generalize(square).save(tmp_path / "c.json")


def test_repr():
    assert repr(generalize(shoal.examples.davis())).startswith("Generalized(")
    square = shoal.as_graph(nx.cycle_graph(4))
    assert "2-anonymous. Its classes reveal everything except" in describe_generalized(generalize(square))
    assert "Several graphs have these classes" in describe_generalized(Generalized.of(square, [0, 0, 1, 1]))
    alone = describe_generalized(generalize(shoal.as_graph(nx.path_graph(3))))
    assert "1 vertex is a class of its own." in alone
    assert "hide only the names" in alone


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["png", "svg", "html"])
def test_a_picture(kind, tmp_path):
    file = tmp_path / f"c.{kind}"
    generalize(shoal.examples.davis()).draw(file)
    assert file.stat().st_size > 1000
    with pytest.raises(FileExists):
        generalize(shoal.examples.davis()).draw(file)


@pytest.mark.slow
def test_the_picture_shows_every_class_and_link_or_states_the_omission():
    found = generalize(shoal.examples.davis())
    spec = draw_generalized(found).to_dict()
    lines, discs = (layer["data"]["values"] for layer in spec["layer"])
    assert sorted(disc["size"] for disc in discs) == sorted(found.sizes.tolist())
    assert sum(line["edges"] for line in lines) == found.m
    assert all(0 <= disc[axis] <= 1 for disc in discs for axis in "xy")
    assert not any(str(name) in json.dumps(spec) for name in found.names)
    assert draw_generalized(found).to_dict() == spec
    many = draw_generalized(generalize(shoal.as_graph(nx.path_graph(400)))).to_dict()
    assert many["title"].startswith("the 300 largest of 400 classes of 400 vertices")
    assert draw_generalized(generalize(shoal.as_graph(nx.empty_graph(3)))).to_dict()


@pytest.mark.slow
def test_the_picture_of_the_page_on_links_is_up_to_date():
    path = Path(__file__).parents[2] / "docs" / "networks.py"
    spec = importlib.util.spec_from_file_location("networks", path)
    page = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(page)
    what = page.drawn()
    assert min(what["classes"].count(code) for code in what["classes"]) >= 2
    lines, discs, _ = page.picture(what).to_dict()["hconcat"][2]["layer"]
    assert sum(line["edges"] for line in lines["data"]["values"]) == len(what["after"])
    assert sum(disc["text"] for disc in discs["data"]["values"]) == 34
    svg = page.FILE.read_text(encoding="utf-8")
    assert svg.startswith("<svg")
    assert page.digest(what) in svg, "networks.svg is out of date: run python docs/networks.py"


def run(*arguments):
    return command.main([str(argument) for argument in arguments], standalone_mode=False, **main.context_settings)


def test_the_command(tmp_path, capsys):
    out = tmp_path / "classes.json"
    run("example:davis", "-o", out, "--plot", tmp_path / "classes.svg", "--seed", 7)
    said = capsys.readouterr().out
    assert "32 vertices in" in said
    assert str(out) in said
    found = generalize(shoal.examples.davis())
    assert Generalized.read(out) == found.published(seed=7)
    assert not any(str(name) in out.read_text() + (tmp_path / "classes.svg").read_text() for name in found.names)
    with pytest.raises(shoal.errors.FileExists, match="--force"):
        run("example:davis", "-o", out)
    run("example:davis", "-o", out, "--force", "--json")
    assert json.loads(capsys.readouterr().out) == {
        "schema": 1, "vertices": 32, "edges": found.m, "classes": len(found.sizes), "k": 1, "lossless": True,
    }  # fmt: skip
    with pytest.raises(BadParameter, match="must be a network"):
        run("example:people", "-o", tmp_path / "x.json")
    assert not (tmp_path / "x.json").exists()


def test_its_help_ends_in_an_example():
    text = command.get_help(click.Context(command, info_name="classes", **main.context_settings))
    assert "shoal classes example:davis -o classes.json --plot classes.svg" in text


def test_arrays_are_frozen():
    found = generalize(shoal.as_graph(nx.cycle_graph(4)))
    with pytest.raises(ValueError, match="read-only"):
        found.sizes[0] = 3
    assert np.array_equal(found.sizes, [2, 2])
