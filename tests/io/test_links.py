"""Directions and kinds of links in files: round trips, what each format says, and bad input."""

import warnings

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from draws import examples
from hard_names import FORMATS, NAMES, PACKED, TEXTS
from messages import hear
from shoal import Graph, read_graph
from shoal.data.ties import MISSING_KIND
from shoal.errors import BadFile, BadGraph, BadParameter, Notice, UnknownColumn
from shoal.io.digest import digest_contents, digest_layout
from shoal.io.write import HOLD_MIXED, write_graph
from workbooks import write_workbook

LISTS = ("csv", "tsv", "txt", "parquet")
"""Edge lists, which do not say whether links have a direction."""


@st.composite
def drawn(draw):
    """Draw a graph with any names, directions (all, none, some), kinds, isolated vertices and multiplicities."""
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    n = len(names)
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda pair: pair[0] != pair[1])
    pairs = draw(st.lists(ends, max_size=10)) if n > 1 else []
    many = len(pairs)
    arrows = draw(st.booleans() | st.lists(st.booleans(), min_size=many, max_size=many))
    labels = draw(st.lists(TEXTS, min_size=1, max_size=3))
    kinds = draw(st.none() | st.lists(st.none() | st.sampled_from(labels), min_size=many, max_size=many))
    how = {"directed": arrows, "kinds": kinds, "multigraph": draw(st.booleans())}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        return Graph.from_pairs(names, [a for a, _ in pairs], [b for _, b in pairs], **how)


def said(g):
    """Return the contents of a graph, independent of the order of its vertices."""
    names = list(map(str, g.names))
    links = [
        (*(sorted if relation.direction == "both" else list)((names[a], names[b])), *relation)
        for a, b, relation in g.each_link()
    ]
    return sorted(names), sorted(links, key=repr), g.directed, g.kinds


def there_and_back(g, folder, name):
    """Write and read a graph; return None if the format refuses it and leaves no file."""
    try:
        write_graph(g, folder / name, force=True)
    except (BadParameter, BadGraph):
        assert not any(path.suffix == ".part" for path in folder.iterdir())
        return None
    listed = name.split(".")[1] in LISTS
    kind = "kind" if g.kinds else None
    return read_graph(folder / name, multigraph=g.is_multigraph, directed=listed and g.directed, kind=kind)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", FORMATS + PACKED)
def test_round_trip(folder, suffix):
    held = []

    @examples(50 if suffix in FORMATS else 15)
    @given(drawn())
    def check(g):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings(
                "ignore", ".*could|.*is read as|.*no kind|.*in both directions|.*pairs repeat", Notice
            )
            back = there_and_back(g, folder, f"g.{suffix}")
        held.append(back is not None)
        if back is not None:
            assert said(back) == said(g)

    check()
    assert sum(held) > len(held) / 10


def make(directed, kinds=None, **how):
    """Return a graph of four vertices, one of them isolated."""
    return Graph.from_pairs(["a", "b", "c", "d"], [0, 1, 2], [1, 0, 1], directed=directed, kinds=kinds, **how)


GRAPHS = {
    "directed": make(True),
    "kinds": make(False, ["call", "text", None]),
    "both": make(True, ["call, long", "text", "call, long"]),
    "missing": make(True, [None, None, None]),
    "mixed": make([True, False, True]),
    "mixed kinds": make([True, False, True], ["call", None, '"x"']),
    "multiple": Graph.from_pairs("ab", [0, 0, 1], [1, 1, 0], directed=True, multigraph=True),
    "empty": Graph.from_pairs("ab", [], [], directed=True),
}


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("which", GRAPHS)
def test_each_format_holds_it_or_refuses_it(folder, which, suffix):
    g = GRAPHS[which]
    back = there_and_back(g, folder, f"x.{suffix}")
    cannot = suffix in (*LISTS, "mtx") and g.ties.mixed
    cannot |= suffix == "mtx" and bool(g.kinds)
    cannot |= suffix == "net" and '"x"' in g.kinds
    assert (back is None) == cannot
    if back is not None:
        assert said(back) == said(g)


def test_a_refusal_names_the_formats_that_hold_it(tmp_path):
    with pytest.raises(BadGraph, match=r"x\.csv.*csv cannot hold.*direction.*graphml.*pajek"):
        write_graph(GRAPHS["mixed"], tmp_path / "x.csv")
    with pytest.raises(BadGraph, match=r"mtx cannot hold kinds.*without_kinds"):
        write_graph(GRAPHS["kinds"], tmp_path / "x.mtx")
    assert list(tmp_path.iterdir()) == []
    assert set(HOLD_MIXED) == {"graphml", "gexf", "gml", "json", "pajek"}


def test_digests_tell_directions_and_kinds():
    plain = Graph.from_pairs("abcd", [0, 1], [1, 2])
    graphs = [plain, *GRAPHS.values(), make(True, ["text", "call, long", "text"])]
    assert len({digest_contents(g) for g in graphs}) == len(graphs)
    assert len({digest_layout(g) for g in graphs}) == len(graphs)


def test_the_digest_is_independent_of_the_order():
    turned = Graph.from_pairs("cba", [2, 1, 1], [1, 2, 0], directed=[True, True, False], kinds=["x", "y", "z"])
    g = Graph.from_pairs("abc", [0, 1, 2], [1, 0, 1], directed=[True, True, False], kinds=["x", "y", "z"])
    assert digest_contents(g) == digest_contents(turned)
    assert digest_contents(g) != digest_contents(g.to_undirected())


# What formats say themselves.


@pytest.fixture
def write(tmp_path):
    def save(name, text):
        path = tmp_path / name
        path.write_text(text)
        return path

    return save


TWO = '<node id="a"/><node id="b"/>'
SAYING = {
    "default.graphml": f'<graphml><graph edgedefault="directed">{TWO}<edge source="a" target="b"/></graph></graphml>',
    "one.graphml": '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    '<edge source="a" target="b" directed="true"/></graph></graphml>',
    "x.gexf": f'<gexf><graph defaultedgetype="directed"><nodes>{TWO}</nodes>'
    '<edges><edge source="a" target="b"/></edges></graph></gexf>',
    "x.gml": "graph [ directed 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]",
    "x.net": "*Vertices 2\n*Arcs\n1 2\n",
    "x.mtx": "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
    "x.json": '{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}',
}


@pytest.mark.parametrize("name", SAYING)
def test_directed_files_are_read_as_they_are(write, name):
    path = write(name, SAYING[name])
    g = read_graph(path)
    assert g.directed
    assert [(a, b) for a, b, _ in g.each_link()] == [(0, 1)]
    assert read_graph(path, directed=True) == g
    assert read_graph(path, undirected=True) == g.to_undirected()
    assert not read_graph(path, undirected=True).directed


SILENT = {
    "x.graphml": SAYING["default.graphml"].replace("directed", "undirected"),
    "x.gexf": SAYING["x.gexf"].replace('"directed"', '"undirected"'),
    "x.gml": SAYING["x.gml"].replace("directed 1", "directed 0"),
    "x.net": SAYING["x.net"].replace("Arcs", "Edges"),
    "x.mtx": SAYING["x.mtx"].replace("general\n2 2 1\n1 2", "symmetric\n2 2 1\n2 1"),
    "x.json": SAYING["x.json"].replace("true", "false"),
}


@pytest.mark.parametrize("name", SILENT)
def test_direction_asked_of_an_undirected_file_is_refused(write, name):
    path = write(name, SILENT[name])
    assert not read_graph(path).directed
    with pytest.raises(
        BadGraph, match=r"--directed.*must be used only where links have a direction.*Got .*(undir|dir|sec|sym)"
    ):
        read_graph(path, directed=True)


MIXED = {
    "x.graphml": '<graphml><key id="k" for="edge" attr.name="type" attr.type="long"><default>7</default></key>'
    '<graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"/>'
    '<edge source="b" target="a" directed="false"><data key="k">8</data></edge></graph></graphml>',
    "x.gexf": f'<gexf><graph defaultedgetype="undirected"><attributes class="edge"><attribute id="0" title="type" '
    f'type="integer"/></attributes><nodes>{TWO}</nodes><edges><edge id="0" source="a" target="b" type="directed">'
    '<attvalues><attvalue for="0" value="7"/></attvalues></edge><edge id="1" source="b" target="a" type="mutual">'
    '<attvalues><attvalue for="0" value="8"/></attvalues></edge></edges></graph></gexf>',
    "x.gml": 'graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 type 7 ] '
    "edge [ source 1 target 0 type 8 directed 0 ] ]",
    "x.json": '{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b", '
    '"type": 7}, {"source": "b", "target": "a", "type": 8, "directed": false}]}',
    "x.net": '*Vertices 2\n1 "a"\n2 "b"\n*Arcs :1 "7"\n1 2\n*Edges :8\n2 1\n',
}


@pytest.mark.parametrize("name", MIXED)
def test_mixed_files_keep_undirected_links(write, name):
    path = write(name, MIXED[name])
    kind = "kind" if name == "x.net" else "type"
    wanted = Graph.from_pairs("ab", [0, 0], [1, 1], directed=[True, False], kinds=["7", "8"])
    g = read_graph(path, kind=kind)
    assert g == wanted
    assert g.unread == ()
    plain, notes = hear(lambda: read_graph(path))
    assert plain == wanted.without_kinds()
    assert plain.unread == (kind,)
    assert any(kind in told for told in notes)


@pytest.mark.parametrize("name", MIXED)
def test_a_kind_that_is_not_there(write, name):
    with pytest.raises(UnknownColumn, match=rf"{name}.*'typ'.*(type|kind)"):
        read_graph(write(name, MIXED[name]), kind="typ")


def test_a_general_matrix_is_directed_even_if_symmetric(write):
    path = write("x.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 3\n2 1 3\n")
    g, notes = hear(lambda: read_graph(path, multigraph=True))
    assert (g.directed, g.m) == (True, 6)
    assert any("each occurs in both directions" in told and "--undirected" in told for told in notes)
    assert read_graph(path, multigraph=True, undirected=True).m == 3


def test_files_of_networkx(tmp_path):
    g = nx.gnp_random_graph(12, 0.2, seed=4, directed=True)
    for save, name in ((nx.write_graphml, "x.graphml"), (nx.write_gexf, "x.gexf"), (nx.write_gml, "x.gml")):
        save(g, tmp_path / name)
        found, _ = hear(lambda name=name: read_graph(tmp_path / name))
        assert found.directed
        assert {(int(found.names[a]), int(found.names[b])) for a, b, _ in found.each_link()} == set(g.edges)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("default.graphml", 'edgedefault="directed"', 'edgedefault="both"'),
        ("one.graphml", 'directed="true"', 'directed="yes"'),
        ("x.gexf", 'defaultedgetype="directed"', 'defaultedgetype="arrow"'),
        ("x.gml", "directed 1", "directed 2"),
        ("x.json", "true", '"false"'),
    ],
)
def test_an_unknown_direction_is_refused(write, name, old, new):
    with pytest.raises(BadFile, match=rf"{name}.*direction of links.*Got"):
        read_graph(write(name, SAYING[name].replace(old, new)))


# Edge lists.

CALLS = "from,to,type,minutes\na,b,call,3\nb,a,text,12\na,b,call,40\nb,c,,7\nd,,,\n"


class TestEdgeLists:
    def test_direction_and_kind(self, write):
        g, notes = hear(lambda: read_graph(write("calls.csv", CALLS), directed=True, kind="type"))
        wanted = Graph.from_pairs("abcd", [0, 1, 1], [1, 0, 2], directed=True, kinds=["call", "text", None])
        assert g == wanted
        assert g.kinds == (MISSING_KIND, "call", "text")
        assert g.unread == ("minutes",)
        assert any("1 of 4 links has no kind in 'type'" in told for told in notes)
        assert any("1 of 4 pairs repeat" in told for told in notes)

    def test_a_multigraph(self, write):
        g, _ = hear(lambda: read_graph(write("x.csv", CALLS), directed=True, kind="type", multigraph=True))
        assert g.m == 4
        assert g.is_multigraph

    def test_the_note_says_how_to_say_it(self, write):
        text = "1,2\n2,1\n2,3\n"
        g, [told] = hear(lambda: read_graph(write("x.csv", text)))
        assert g.ties is None
        assert "1 pair occurs in both directions" in told
        assert "--directed" in told
        g, notes = hear(lambda: read_graph(write("x.csv", text), directed=True))
        assert (g.m, notes) == (3, [])

    def test_kinds_by_position_without_a_header(self, write):
        g = read_graph(write("x.txt", "a b x\nb c 'y'\n"), kind=2, header=False)
        assert g.kinds == ("'y'", "x")
        with pytest.raises(BadParameter, match=r"'kind' must be positions"):
            read_graph(write("x.txt", "a b x\n"), kind="type", header=False)

    def test_quotes_blanks_and_line_breaks(self, write):
        g, notes = hear(lambda: read_graph(write("x.csv", 'source,target,kind\na,b, x\n"b",c," y\nz"\n'), kind="kind"))
        assert g.kinds == (" y\nz", "x")
        assert any("1" in told for told in notes)

    def test_a_kind_column_that_is_not_there(self, write):
        with pytest.raises(UnknownColumn, match=r"calls\.csv.*'typo'.*Did you mean 'type'"):
            read_graph(write("calls.csv", CALLS), kind="typo")

    def test_an_end_is_no_kind(self, write):
        with pytest.raises(BadParameter, match=r"'kind'.*another column.*'to'"):
            read_graph(write("calls.csv", CALLS), kind="to")

    def test_bins(self, write):
        path = write("calls.csv", CALLS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            g = read_graph(path, directed=True, kind="minutes", bins=[10, 30])
            assert g.kinds == ("< 10", "[10, 30)", ">= 30")
            assert read_graph(path, directed=True, kind="minutes", bins="10,30") == g
            assert read_graph(path, kind="minutes", bins="quantiles:2").kinds == ("< 10", ">= 10")

    def test_bins_of_a_hierarchy_file(self, write):
        tree = write("types.csv", "call;voice;*\ntext;written;*\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            g = read_graph(write("calls.csv", CALLS), kind="type", bins=f"hierarchy:{tree}")
            assert g.kinds == ("", "voice", "written")
            assert read_graph(write("calls.csv", CALLS), kind="type", bins=f"hierarchy:{tree}:2").kinds == ("*",)
            with pytest.raises(BadParameter, match=r"level from 1 to 2.*Got 3"):
                read_graph(write("calls.csv", CALLS), kind="type", bins=f"hierarchy:{tree}:3")

    @pytest.mark.parametrize(
        ("how", "reason"),
        [
            ({"directed": True, "undirected": True}, r"--directed.*--undirected.*together"),
            ({"bins": [1, 2]}, r"--bins.*must come with.*--kind"),
            ({"kind": "type", "bins": [1, 2]}, r"--bins.*numbers or dates.*'call'.*'type'"),
            ({"kind": "minutes", "bins": [2, 1]}, r"must ascend.*\[2, 1\]"),
            ({"kind": "minutes", "bins": "1,x"}, r"numbers such as.*'minutes'.*'1,x'"),
            ({"kind": "minutes", "bins": "2024-01-01"}, r"numbers such as"),
            ({"kind": "minutes", "bins": "quantiles:1"}, r"N of 2 or more"),
            ({"kind": "minutes", "bins": 7}, r"ascending bounds.*Got 7"),
        ],
    )
    def test_bad_input(self, write, how, reason):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            with pytest.raises(BadParameter, match=reason):
                read_graph(write("calls.csv", CALLS), **how)

    def test_a_matrix_file_has_no_kinds(self, write):
        with pytest.raises(BadParameter, match=r"'kind' has no effect.*mtx"):
            read_graph(write("x.mtx", SAYING["x.mtx"]), kind="type")

    def test_too_many_kinds(self, write):
        text = "source,target,amount\n" + "".join(f"a,b{i},{i}.5\n" for i in range(1001))
        with pytest.raises(BadGraph, match=r"at most 1,000 kinds. Got 1,001.*--bins.*quantiles"):
            read_graph(write("x.csv", text), kind="amount")
        assert len(read_graph(write("x.csv", text), kind="amount", bins="quantiles:4").kinds) == 4

    def test_parquet(self, tmp_path):
        days = pa.array(["2024-01-05", "2024-02-05", None]).cast(pa.date32())
        pq.write_table(pa.table({"source": [1, 2, 3], "target": [2, 3, 1], "day": days}), tmp_path / "x.parquet")
        g, notes = hear(lambda: read_graph(tmp_path / "x.parquet", directed=True, kind="day", bins="2024-02"))
        assert g.kinds == ("", "< 2024-02-01", ">= 2024-02-01")
        assert any("1 of 3 links" in told for told in notes)
        assert hear(lambda: read_graph(tmp_path / "x.parquet", kind="day"))[0].kinds == ("", "2024-01-05", "2024-02-05")

    def test_a_workbook(self, tmp_path):
        path = write_workbook(tmp_path / "x.xlsx", [("from", "to", "n"), ("a", "b", 3), ("b", "a", 20)])
        g = read_graph(path, directed=True, kind="n", bins=[10])
        assert g.kinds == ("< 10", ">= 10")
        assert g.directed

    @pytest.mark.slow
    def test_many_lines_in_several_blocks(self, tmp_path):
        draw = np.random.default_rng(1)
        ends = draw.integers(0, 50_000, (2, 400_000))
        ends = ends[:, ends[0] != ends[1]]
        kinds = draw.integers(0, 3, ends.shape[1])
        rows = np.stack([*ends, kinds], axis=1)
        path = tmp_path / "x.csv"
        lines = "\n".join(f"person{a},person{b},kind{c}" for a, b, c in rows.tolist())
        path.write_text(f"source,target,kind\n{lines}\n")
        g, _ = hear(lambda: read_graph(path, directed=True, kind="kind"))
        assert g.kinds == ("kind0", "kind1", "kind2")
        assert g.m == len(np.unique(rows, axis=0))
