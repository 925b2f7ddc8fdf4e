import bz2
import gzip
import json
import time
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from messages import hear, tells
from shoal import read_graph
from shoal.errors import BadFile, BadGraph, BadParameter, Notice, ShoalError, UnknownColumn
from shoal.io import edge_lists

TWO = '<node id="a"/><node id="b"/>'
LINK = '<edge source="a" target="b"/>'
ARROWS = '{"directed": true, "nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}'
MATRIX = "%%MatrixMarket matrix coordinate pattern general"


def graphml(inside, said="", keys=""):
    return f"<graphml>{keys}<graph {said}>{inside}</graph></graphml>"


def gexf(inside, said=""):
    return f"<gexf><graph {said}>{inside}</graph></gexf>"


AGED = graphml(
    '<node id="a"><data key="k">old</data></node>', keys='<key id="k" for="node" attr.name="age" attr.type="int"/>'
)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def writing(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return writing


def edges(g):
    return sorted(tuple(sorted((g.names[a], g.names[b]))) for a, b in g.each_edge())


class TestNames:
    def test_numbers_are_kept_as_they_are_written(self, write):
        g = read_graph(write("x.csv", "7,007\n1,01\n"))
        assert set(g.names) == {"7", "007", "1", "01"}
        assert edges(g) == [("007", "7"), ("01", "1")]

    @pytest.mark.parametrize(
        "token", ["+7", "-0", "0x7", "07", "7.0", "1e3", "00", "\u0667", "99999999999999999999", "5-3"]
    )
    def test_other_spellings_of_numbers_are_texts(self, write, token):
        g = read_graph(write("x.csv", f"7,8\n{token},8\n"))
        assert set(g.names) == {"7", "8", token}

    def test_plain_numbers_are_stored_as_numbers(self, write):
        g = read_graph(write("x.csv", "30,-2\n7,30\n9223372036854775807,0\n"))
        assert g.names.numbers is not None
        assert list(g.names) == ["-2", "0", "7", "30", "9223372036854775807"]
        assert all(isinstance(name, str) for name in g.names)

    @pytest.mark.parametrize("token", ["NA", "null", "nan", "true", "None", "n/a", "inf", "é", "日本", "a b", "O'Hara"])
    def test_every_word_is_a_name(self, write, token):
        assert token in read_graph(write("x.csv", f"x,{token}\n{token},y\n")).names

    def test_names_are_not_joined_without_a_separator(self, write):
        g = read_graph(write("x.csv", "1,112\n11,12\n"))
        assert edges(g) == [("1", "112"), ("11", "12")]

    def test_order_of_texts_is_that_of_the_file(self, write):
        assert list(read_graph(write("x.csv", "b,a\nc,b\nz,\n")).names) == ["b", "a", "c", "z"]

    def test_blanks_around_names_are_trimmed_and_counted(self, write):
        with pytest.warns(Notice, match=r"blanks.*3"):
            g = read_graph(write("x.csv", "Ann , Bo\nBo,\tCy Li\n"))
        assert list(g.names) == ["Ann", "Bo", "Cy Li"]

    def test_blanks_around_numbers_are_trimmed_and_counted(self, write):
        with pytest.warns(Notice, match=r"blanks dropped.*: 2"):
            assert list(read_graph(write("x.csv", "1, 2\n2, 3\n")).names) == ["1", "2", "3"]

    def test_quoted_names_are_unchanged(self, write):
        g = read_graph(write("x.csv", '"Lee, Ann"," x "\n"a ""b""","two\nlines"\n'))
        assert edges(g) == [(" x ", "Lee, Ann"), ('a "b"', "two\nlines")]

    def test_quotes_around_everything(self, write):
        g = read_graph(write("x.csv", '"source","target"\r\n"Ann","Bo"\r\n"Bo",""\r\n'))
        assert list(g.names) == ["Ann", "Bo"]

    def test_a_quote_inside_a_name(self, write):
        assert set(read_graph(write("x.csv", 'O"Neil,Bo\nBo,5"\n')).names) == {'O"Neil', "Bo", '5"'}

    def test_a_byte_order_mark_is_dropped(self, write):
        assert list(read_graph(write("x.csv", "\ufeffAnn,Bo\n")).names) == ["Ann", "Bo"]
        assert list(read_graph(write("y.csv", "\ufeffsource,target\n1,2\n")).names) == ["1", "2"]

    def test_long_and_short_names_together(self, write):
        names = [("x" * i, "y" * (40 - i)) for i in range(1, 40)]
        g = read_graph(write("x.csv", "".join(f"{a},{b}\n" for a, b in names)), header=False)
        assert edges(g) == sorted(names)


class TestLines:
    @pytest.mark.parametrize(
        "text", ["a,b\nb,c", "a,b\r\nb,c\r\n", "\n\na,b\n\n   \nb,c\n\n", "# x\na,b\n% y\nb,c\n# z\n"]
    )
    def test_line_ends_blank_lines_and_comments(self, write, text):
        assert edges(read_graph(write("x.csv", text))) == [("a", "b"), ("b", "c")]

    def test_a_comment_in_the_middle_with_quotes_elsewhere(self, write):
        g = read_graph(write("x.csv", '"a\n# kept",b\n# not kept "\nb,c\n'))
        assert edges(g) == [("a\n# kept", "b"), ("b", "c")]

    def test_a_notice_about_a_comment_that_looks_like_an_edge(self, write):
        with pytest.warns(Notice, match=r"line 2.*'#two,#three'.*read as a comment.*comments=''"):
            g = read_graph(write("x.csv", "one,two\n#two,#three\n"))
        assert g.m == 1
        assert read_graph(write("x.csv", "one,two\n#two,#three\n"), comments="").m == 2

    def test_isolated_vertices(self, write):
        for name, text in [("x.csv", "a,b\nz,\n"), ("x.tsv", "a\tb\nz\t\n"), ("x.txt", 'a b\nz ""\n')]:
            g = read_graph(write(name, text))
            assert list(g.names) == ["a", "b", "z"]
            assert g.degree.tolist() == [1, 1, 0]
        g = read_graph(write("n.csv", "1,2\n7,\n"))
        assert (list(g.names), g.degree.tolist()) == (["1", "2", "7"], [1, 1, 0])

    def test_pairs_in_both_directions_are_counted(self, write):
        with pytest.warns(Notice, match=r"x\.csv: 2 undirected links from 4 rows; 1 pair occurs in both directions"):
            assert read_graph(write("x.csv", "1,2\n2,1\n1,2\n2,3\n")).m == 2
        with pytest.warns(Notice, match=r"x\.csv: 2 of 4 pairs repeat"):
            assert read_graph(write("x.csv", "1,2\n2,1\n1,2\n2,3\n"), undirected=True).m == 2
        g = read_graph(write("x.csv", "1,2\n2,1\n1,2\n2,3\n"), multigraph=True)
        assert g.m == 4

    @pytest.mark.parametrize(
        ("text", "line", "message"),
        [
            ("a,b\nb,c\nc\n", 3, r"must have 2 cells, as the first one has. Got 1: \['c'\]"),
            ("1,2\n# x\n2,3,4\n", 3, r"must have 2 cells, as the first one has. Got 3"),
            ("a,b\n,c\n", 2, r"must name a vertex in column 'column 0'. Got an empty cell"),
            ('a,b\n"b,c\n', 2, r"a quote must be closed"),
            ('a,b\n"b"x,c\n', 2, r"a closing quote must end its cell. Got 'x,c'"),
            ("a,b\nb,c\rd,e\n", 2, r"lines must end in LF or CRLF"),
            ("a,b\nb,\0c\n", 2, r"must be text in UTF-8. Got a NUL byte"),
            (b"a,b\nb,\xff\n", 2, r"must be text in UTF-8. Got the byte 0xff"),
            ("only\none\ncolumn\n", 1, r"must have two columns. Got one: 'only'. .*separator=';' \(--separator ';'\)"),
        ],
    )
    def test_a_broken_line_is_named(self, write, text, line, message):
        path = write("x.csv", text)
        with pytest.raises(BadFile, match=rf"x\.csv, line {line}: .*{message}"):
            read_graph(path)

    def test_a_broken_line_far_down_is_named(self, write, monkeypatch):
        monkeypatch.setattr(edge_lists, "BLOCK", 64)
        path = write("x.csv", "".join(f"{i},{i + 1}\n" for i in range(100)) + "oops\n" + "7,9\n" * 50)
        with pytest.raises(BadFile, match=r"line 101.*2 cells"):
            read_graph(path)

    @pytest.mark.parametrize("size", [1, 7, 64, 1 << 20])
    def test_blocks_of_any_size_give_the_same_graph(self, write, monkeypatch, size):
        lines = [f"{i},{i * 7 % 50 + 50}" for i in range(1, 49)] + ["x,1", "'y',2", '"a\nb",3', "zz,"]
        path = write("x.csv", "\n".join(lines))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            whole = read_graph(path, multigraph=True)
            monkeypatch.setattr(edge_lists, "BLOCK", size)
            assert read_graph(path, multigraph=True) == whole
        assert {"a\nb", "'y'", "x", "zz", "48"} <= set(whole.names)
        assert all(isinstance(name, str) for name in whole.names)

    def test_a_line_of_many_blocks_takes_no_square_of_time(self, write, monkeypatch):
        monkeypatch.setattr(edge_lists, "BLOCK", 64)
        path, start = write("x.csv", f"a,{'b' * 4_000_000}\nb,c\n"), time.process_time()
        assert len(list(read_graph(path).names)[1]) == 4_000_000
        assert time.process_time() - start < 15  # a square takes minutes


class TestSeparators:
    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("x.csv", "a,b\nb,c\n"),
            ("x.csv", "a;b\nb;c\n"),
            ("x.csv", "a\tb\nb\tc\n"),
            ("x.csv", "a b\nb c\n"),
            ("x.tsv", "a\tb\nb\tc\n"),
            ("x.tsv", "a b\nb c\n"),
            ("x.txt", "a  b \n\tb\t c\n"),
            ("x.txt", "a, b\nb, c\n"),
            ("x.txt", "a|b\nb|c\n"),
            ("x.edges", "a b\nb c\n"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:.*blanks dropped")
    def test_detected(self, write, name, text):
        assert edges(read_graph(write(name, text))) == [("a", "b"), ("b", "c")]

    def test_numbers_in_columns(self, write):
        g = read_graph(write("x.txt", "   1     2\n  10   200 \n\t3\t10\n"))
        assert edges(g) == [("1", "2"), ("10", "200"), ("10", "3")]
        assert g.names.numbers is not None

    def test_two_possible_separators_are_refused(self, write):
        with pytest.raises(BadFile, match=r"split by.*','.*';'.*separator="):
            read_graph(write("x.csv", "a;x,b;y\nc;x,d;y\n"))
        with pytest.raises(BadFile, match=r"split by.*','.*'spaces'"):
            read_graph(write("x.txt", "Lee,A Ray,B\nRay,B Fox,C\n"))

    def test_given(self, write):
        assert set(read_graph(write("x.csv", "a;x,b;y\n"), separator=",").names) == {"a;x", "b;y"}
        assert set(read_graph(write("x.txt", "Lee,A Ray,B\n"), separator="space").names) == {"Lee,A", "Ray,B"}
        assert set(read_graph(write("x.txt", "a^b\n"), separator="^").names) == {"a", "b"}
        with pytest.raises(BadParameter, match="'separator'"):
            read_graph(write("x.txt", "a b\n"), separator="::")


class TestHeaders:
    @pytest.mark.parametrize(
        "header",
        [
            "source,target",
            "Source,Target",
            "user1,user2",
            "u,v",
            "node1,node2",
            "node_1,node_2",
            "src,dst",
            "id1,id2",
            "Person,Contact",
        ],
    )
    def test_well_known_words(self, write, header):
        assert set(read_graph(write("x.csv", f"{header}\nAnn,Bo\n")).names) == {"Ann", "Bo"}
        assert set(read_graph(write("x.csv", f"{header}\n1,2\n")).names) == {"1", "2"}

    def test_words_above_numbers(self, write):
        assert set(read_graph(write("x.csv", "person,friend\n1,2\n2,3\n")).names) == {"1", "2", "3"}

    def test_words_above_words_are_an_edge(self, write):
        assert set(read_graph(write("x.csv", "helper,helped\nAnn,Bo\n")).names) == {"helper", "helped", "Ann", "Bo"}

    @pytest.mark.parametrize(
        "text", ["node1,node2\nnode2,node3\n", "node1,node2\nnode3,node4\n", "u,v\nw,x\n", "u,v\n"]
    )
    def test_an_edge_is_never_taken_for_a_header(self, write, text):
        with pytest.warns(Notice, match=r"line 1.*'.*'.*read as an edge.*header=True.*--header"):
            g = read_graph(write("x.csv", text))
        assert g.m == len(text.splitlines())

    def test_a_notice_about_a_doubtful_header(self, write):
        with pytest.warns(Notice, match=r"line 1.*'Ann Bo'.*read as a header"):
            read_graph(write("x.csv", "Ann,Bo\n1,2\n"))
        with pytest.warns(Notice, match=r"'Ann Bo'.*read as a header"):
            read_graph(write("x.csv", "Ann,Bo\n" + "1,2\n2,3\n" * 300 + "Cy,Di\n"), multigraph=True)
        with pytest.warns(Notice, match=r"'source target'.*read as a header"):
            read_graph(write("x.csv", "source,target\n" + "1,2\n2,3\n" * 300 + "source,2\n"), multigraph=True)

    def test_declared_header(self, write):
        path = write("x.csv", "source,target\nAnn,Bo\n")
        assert read_graph(path, header=False).n == 4
        assert read_graph(write("y.csv", "Ann,Bo\nCy,Di\n"), header=True).n == 2

    @pytest.mark.parametrize("text", ["p,q\n1,2\n", "# seen\na,b\n", "from;to\na;b\n", "\n\na b\n"])
    def test_the_end_of_the_last_line_does_not_matter(self, write, text):
        texts = (text, text.removesuffix("\n"))
        whole, cut = (hear(lambda one=one: read_graph(write("x.txt", one)))[0] for one in texts)
        assert list(cut.names) == list(whole.names)
        assert len(whole.names) == 2

    def test_a_header_alone_is_refused(self, write):
        with pytest.raises(BadGraph, match=r"x\.csv.*at least one vertex"):
            read_graph(write("x.csv", "source,target\n"))
        assert read_graph(write("x.csv", "source,target\n"), header=False).m == 1

    def test_other_columns_are_named(self, write):
        with pytest.warns(Notice, match=r"'Source'.*'Target'.*read as the ends.*Not used.*'Weight'"):
            assert set(read_graph(write("x.csv", "Source,Target,Weight\na,b,1\n")).names) == {"a", "b"}
        with pytest.warns(Notice, match=r"Not used: 'column 2'"):
            g = read_graph(write("x.txt", "1 2 0.5\n2 3 1\n"))
        assert list(g.names) == ["1", "2", "3"]
        assert g.names.numbers is not None

    def test_well_known_words_are_found_in_any_column(self, write):
        with pytest.warns(Notice, match=r"'source'.*'target'.*read as the ends"):
            assert set(read_graph(write("x.csv", "id,source,target\n0,a,b\n1,b,c\n")).names) == {"a", "b", "c"}

    def test_columns(self, write):
        path = write("x.csv", "id,who,whom\n0,a,b\n1,b,c\n")
        with pytest.warns(Notice, match=r"Not used: 'id'"):
            assert set(read_graph(path, columns=("who", "whom")).names) == {"a", "b", "c"}
        with pytest.raises(UnknownColumn, match=r"'whon'.*'id'.*'who'.*'whom'"):
            read_graph(path, columns=("who", "whon"))
        with pytest.raises(BadParameter, match=r"'columns'.*0.*header=False"):
            read_graph(path, columns=("who", "whom"), header=False)
        with pytest.warns(Notice, match=r"Not used: 'column 0'"):
            assert set(read_graph(path, columns=(1, 2), header=False).names) == {"who", "whom", "a", "b", "c"}


class TestFiles:
    def test_a_missing_file(self, tmp_path, write):
        write("friends.csv", "a,b\n")
        with pytest.raises(BadFile, match=r"fiends\.csv.*exists.*Did you mean 'friends\.csv'\?"):
            read_graph(tmp_path / "fiends.csv")
        with pytest.raises(BadFile, match=r"There is no folder"):
            read_graph(tmp_path / "nowhere" / "x.csv")

    def test_a_folder(self, tmp_path):
        with pytest.raises(BadFile, match="folder"):
            read_graph(tmp_path)

    def test_an_unknown_suffix(self, write):
        path = write("x.xyz", "a,b\n")
        with pytest.raises(BadFile, match=r"\.csv.*'\.xyz'.*format=.*'csv'.*--format csv"):
            read_graph(path)
        assert read_graph(path, format="csv").m == 1
        with pytest.raises(BadParameter, match=r"'format'.*'cvs'.*Did you mean 'csv'"):
            read_graph(path, format="cvs")
        with pytest.raises(BadFile, match=r"Got 'no suffix'"):
            read_graph(write("plain", "a,b\n"))

    @pytest.mark.parametrize("name", ["x.csv", "x.json", "x.graphml", "x.gml", "x.net", "x.mtx", "x.gexf"])
    def test_an_empty_file(self, write, name):
        with pytest.raises(BadFile, match=r"Got an empty file"):
            read_graph(write(name, ""))

    def test_nothing_but_comments(self, write):
        with pytest.raises(BadFile, match="empty lines and comments"):
            read_graph(write("x.csv", "# nothing\n\n"))

    @pytest.mark.parametrize(
        ("data", "guess"),
        [
            (gzip.compress(b"a,b\n", mtime=0), "gzip: name it .gz"),
            (b"PK\x03\x04\0\0", "a zip file or a spreadsheet"),
            ("a,b\n".encode("utf-16"), "UTF-16.*--encoding utf-16"),
            (b"PAR1\0\0", "parquet"),
        ],
    )
    def test_a_binary_file_is_refused(self, write, data, guess):
        with pytest.raises(BadFile, match=rf"x\.csv.*UTF-8.*{guess}"):
            read_graph(write("x.csv", data))

    @pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".bz2"])
    def test_compressed_files(self, tmp_path, suffix):
        text = "".join(f"{i},{i + 1}\n" for i in range(1000)).encode()
        path = tmp_path / f"x.csv{suffix}"
        if suffix == ".zst":
            with pa.CompressedOutputStream(str(path), "zstd") as stream:
                stream.write(text)
        else:
            path.write_bytes({"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress}[suffix](text))
        assert read_graph(path).m == 1000

    @pytest.mark.parametrize("suffix", [".gz", ".zst", ".bz2"])
    def test_a_truncated_compressed_file(self, tmp_path, suffix):
        draw = np.random.default_rng(0).integers(0, 10**9, (20_000, 2)).tolist()
        text = "".join(f"{a},{b}\n" for a, b in draw).encode()
        packed = {".gz": gzip.compress, ".bz2": bz2.compress}.get(suffix, lambda data: pa.compress(data, "zstd", True))
        path = tmp_path / f"x.csv{suffix}"
        path.write_bytes(packed(text)[:100_000])
        with pytest.raises(BadFile, match="truncated or damaged"):
            read_graph(path)
        path.write_bytes(b"this is not packed at all, really")
        with pytest.raises(BadFile, match=r"truncated or damaged"):
            read_graph(path)

    def test_options_without_effect_are_refused(self, write):
        path = write("x.gml", "graph [ node [ id 0 ] ]")
        for option in ({"columns": (0, 1)}, {"separator": ","}, {"header": True}, {"key": "name"}):
            with pytest.raises(BadParameter, match=rf"'{next(iter(option))}' has no effect"):
                read_graph(path, **option)


class TestLoopsAndDirections:
    def test_loops(self, write):
        path = write("x.csv", "a,b\nb,b\n")
        with pytest.raises(BadGraph, match=r"x\.csv.*must not have loops.*drop_loops=True.*--drop-loops"):
            read_graph(path)
        with pytest.warns(Notice, match=r"loops left out: 1"):
            assert read_graph(path, drop_loops=True).m == 1


class TestOtherFormats:
    def test_graphml_of_networkx(self, tmp_path):
        g = nx.Graph([("a", "b"), ("b", "c")])
        g.nodes["a"].update(age=30, tall=True, height=1.5, note="x < y")
        nx.write_graphml(g, tmp_path / "x.graphml")
        found = read_graph(tmp_path / "x.graphml")
        assert {c: found.attributes[c][0] for c in found.attributes} == {
            "age": 30, "tall": True, "height": 1.5, "note": "x < y",
        }  # fmt: skip
        assert found.attributes["age"][1] is None

    def test_graphml_defaults_apply(self, write):
        text = (
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="k" for="node" attr.name="color" '
            'attr.type="string"><default>red</default></key><graph edgedefault="undirected"><node id="a"/>'
            '<node id="b"><data key="k">blue</data></node></graph></graphml>'
        )
        assert list(read_graph(write("x.graphml", text)).attributes["color"]) == ["red", "blue"]

    def test_weights_are_named_in_a_notice(self, tmp_path):
        g = nx.Graph()
        g.add_edge("a", "b", weight=2.0)
        nx.write_graphml(g, tmp_path / "x.graphml")
        nx.write_gml(g, tmp_path / "x.gml")
        nx.write_gexf(g, tmp_path / "x.gexf")
        nx.write_pajek(g, tmp_path / "x.net")
        (tmp_path / "x.json").write_text(json.dumps(nx.node_link_data(g, edges="edges")))
        for suffix in ("graphml", "gml", "gexf", "net", "json"):
            with pytest.warns(Notice, match=r"not used: .*'weight'"):
                assert read_graph(tmp_path / f"x.{suffix}").m == 1

    def test_parallel_edges_count(self, tmp_path):
        g = nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")])
        nx.write_graphml(g, tmp_path / "x.graphml")
        nx.write_pajek(nx.MultiGraph(g), tmp_path / "x.net")
        (tmp_path / "x.json").write_text(json.dumps(nx.node_link_data(g, edges="links")))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for suffix in ("graphml", "net", "json"):
                assert read_graph(tmp_path / f"x.{suffix}", multigraph=True).m == 3
                assert read_graph(tmp_path / f"x.{suffix}").m == 2

    def test_gexf_labels_and_values(self, write):
        text = (
            '<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph mode="dynamic"><attributes class="node">'
            '<attribute id="0" title="age" type="integer"/></attributes><nodes><node id="1" label="Ann"><attvalues>'
            '<attvalue for="0" value="30"/></attvalues></node><node id="2" label="Bo"/></nodes></graph></gexf>'
        )
        with pytest.warns(Notice, match="dynamic"):
            g = read_graph(write("x.gexf", text))
        assert list(g.names) == ["1", "2"]
        assert list(g.attributes["label"]) == ["Ann", "Bo"]
        assert list(g.attributes["age"]) == [30, None]

    def test_gml_labels_or_ids(self, write):
        g = read_graph(
            write("x.gml", 'Creator "x"\ngraph [ node [ id 1 label "Ann &amp; co" ] node [ id 2 label "B" ] ]')
        )
        assert list(g.names) == ["Ann & co", "B"]
        with pytest.warns(Notice, match="by their ids"):
            g = read_graph(write("x.gml", 'graph [ node [ id 1 label "A" ] node [ id 2 label "A" ] ]'))
        assert list(g.names) == ["1", "2"]
        assert list(g.attributes["label"]) == ["A", "A"]

    def test_pajek_by_hand(self, write):
        text = '*Network x\n*vertices 4\n1 "Ann Lee" 0.1 0.2\n2 Bo\n% no\n*Edgeslist\n1 2 3\n*Edges\n3 4 1\n'
        text += "*Partition p\n1\n"
        with pytest.warns(Notice, match=r"\*partition"):
            g = read_graph(write("x.net", text))
        assert list(g.names) == ["Ann Lee", "Bo", "3", "4"]
        assert g.m == 3

    def test_matrix_market(self, write):
        head = "%%MatrixMarket matrix coordinate"
        g = read_graph(write("x.mtx", f"{head} pattern symmetric\n% c\n3 3 2\n2 1\n3 1\n"))
        assert (list(g.names), g.m) == (["1", "2", "3"], 2)
        whole = write("x.mtx", f"{head} integer symmetric\n2 2 1\n2 1 3\n")
        assert read_graph(whole, multigraph=True).m == 3
        with pytest.warns(Notice, match=r"neither 0 nor 1"):
            assert read_graph(whole).m == 1
        with pytest.raises(BadGraph, match=r"x\.mtx: .*whole numbers"):
            read_graph(write("x.mtx", f"{head} real symmetric\n2 2 1\n2 1 0.5\n"), multigraph=True)
        with pytest.raises(BadGraph, match=r"x\.mtx.*2, 3\)"):
            read_graph(write("x.mtx", f"{head} pattern general\n2 3 1\n2 1\n"))

    def test_numbers_as_ids_in_json_are_texts(self, write):
        g = read_graph(
            write("x.json", '{"nodes": [{"id": 1, "age": 7}, {"id": "b"}], "edges": [{"source": 1, "target": "b"}]}')
        )
        assert list(g.names) == ["1", "b"]
        assert list(g.attributes["age"]) == [7, None]

    def test_parquet(self, tmp_path):
        path = tmp_path / "x.parquet"
        pyarrow.parquet.write_table(pa.table({"a": [7, 8, 9], "b": [8, None, 7]}), path)
        g = read_graph(path)
        assert (list(g.names), g.degree.tolist()) == (["7", "8", "9"], [2, 1, 1])
        pyarrow.parquet.write_table(pa.table({"w": [1.0], "source": ["x"], "target": ["y"]}), path)
        with pytest.warns(Notice, match=r"Not used: 'w'"):
            assert list(read_graph(path).names) == ["x", "y"]
        with pytest.raises(BadFile, match=r"double.*'w'"):
            read_graph(path, columns=("w", "target"))
        with pytest.raises(UnknownColumn, match=r"no column 'sauce'"):
            read_graph(path, columns=("sauce", "target"))
        pyarrow.parquet.write_table(pa.table({"a": ["x", None], "b": ["y", None]}), path)
        with pytest.raises(BadFile, match=r"row 1.*0.*at least one vertex"):
            read_graph(path)
        pyarrow.parquet.write_table(pa.table({"a": pa.array([1], pa.uint64()), "b": ["01"]}), path)
        assert list(read_graph(path).names) == ["1", "01"]

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("x.graphml", "<graphml><graph>", r"line 1: must be well-formed XML. Got: no element found"),
            ("x.graphml", "<html/>", r"must be graphml. Got XML whose root is <html>"),
            ("x.graphml", graphml("<node/>"), r"each node must have an id"),
            ("x.graphml", '<graphml><graph/><graph id="2"/></graphml>', r"must hold one graph. Got a second one: '2'"),
            ("x.graphml", graphml('<node id="a"/><node id="a"/>'), r"Got 'a' twice"),
            ("x.graphml", graphml('<node id="ab"/><edge source="ab" target="abb"/>'), r"Got 'abb'. Did you mean 'ab'"),
            ("x.graphml", AGED, r"node 'a': must be a value of type int. Got 'old'"),
            ("x.graphml", graphml("<hyperedge/>"), r"Got a hyperedge"),
            ("x.graphml", graphml('<node id="a"><data key="k"/></node>'), r"declared key. Got 'k'"),
            ("x.gexf", gexf('<node id="a"><attvalue for="9" value="1"/></node>'), r"declared attribute. Got '9'"),
            ("x.gexf", gexf("<nodes><node/></nodes>"), r"each node must have an id"),
            ("x.gml", "graph [ node [ id 0 ]", r"line 1: a key is expected here. Got 'the end of the file'"),
            ("x.gml", "graph [\nnode [ id ] ]", r"line 2: the key 'id' must have a value. Got '\]'"),
            ("x.gml", "graph [ node [ label 7 ] ]", r"each node must have an id"),
            ("x.gml", "graph [ node 7 ]", r"must be a block in brackets"),
            ("x.gml", "graph [ node [ id 1 id 2 ] ]", r"'id' more than once"),
            ("x.gml", "a 1\n\n!", r"line 3: must be GML. Got '!'"),
            ("x.gml", "a 1", r"must hold one graph. Got 0"),
            ("x.gml", "graph [ node [ id 1 ] edge [ source 1 ] ]", r"Got a missing end"),
            ("x.gml", "graph " + "[ a " * 5000, r"nested too deep"),
            ("x.net", "1 2\n", r"line 1: a section such as \*Vertices must come first"),
            ("x.net", "*Vertices\n", r"must be followed by their number"),
            ("x.net", "*Vertices 2\n1 a\n1 b\n", r"line 3: each vertex must be listed once"),
            ("x.net", "*Vertices 2\n*Edges\n1 3\n", r"line 3: a vertex must be a number from 1 to 2. Got '3'"),
            ("x.net", "*Vertices 2\n*Edges\n1\n", r"line 3: a link must have two ends"),
            ("x.net", "*Vertices 2\n*Matrix\n0 1\n", r"line 2: a section must be one of .*Got '\*matrix'"),
            ("x.mtx", "1 1 1\n", r"line 1: must start with '%%MatrixMarket matrix'"),
            ("x.mtx", f"{MATRIX}\n2 2 2\n1 2\n", r"must be a complete Matrix Market"),
            ("x.mtx", MATRIX.replace("general", "skew-symmetric") + "\n2 2 0\n", r"must be general or symmetric"),
            ("x.mtx", f'{MATRIX}\n%name 2 "a"\n1 1 0\n', r"numbered in order"),
            ("x.mtx", f'{MATRIX}\n%name 1 "a"\n2 2 0\n', r"a distinct name"),
            ("x.mtx", f'{MATRIX}\n%name 1 "a\\x"\n1 1 0\n', r"must be a JSON string"),
            ("x.json", "[1, 2", r"line 1: must be JSON"),
            ("x.json", "[1, 2]", r'must be node-link JSON with lists "nodes" and "edges"'),
            ("x.json", '{"nodes": [1], "edges": []}', r"each node must be an object with 'id'"),
            ("x.json", '{"nodes": [{"id": [1]}], "edges": []}', r"must be text or a number. Got \[1\]"),
            ("x.json", '{"nodes": [{"id": 1}, {"id": "1"}], "edges": []}', r"Got '1' twice"),
            ("x.json", '{"nodes": [], "edges": [{"source": 1}]}', r"must be an object with 'source' and 'target'"),
            ("x.json", "[" * 100_000, r"at most 100 nested levels"),
            ("x.parquet", "nothing", r"must be a complete parquet file"),
        ],
    )
    def test_broken_files(self, write, name, text, message):
        with pytest.raises(BadFile, match=rf"{Path(name).stem}\.\w+.*{message}"):
            read_graph(write(name, text))


class TestAttributes:
    def test_column_types(self, write):
        edges = write("x.csv", "a,b\n")
        people = write(
            "p.csv",
            "name,age,zip,height,code,word,big,quoted,mixed\n"
            'a,30,007,1.5,1,NA,9999999999999999999999,"7",1.0\n'
            'b,,12,2,-3,"x, y",0,"",1\n',
        )
        g = read_graph(edges, attributes=people)
        assert {c: list(g.attributes[c]) for c in g.attributes} == {
            "age": [30, None],
            "zip": ["007", "12"],
            "height": [1.5, 2.0],
            "code": [1, -3],
            "word": ["NA", "x, y"],
            "big": [9999999999999999999999, 0],
            "quoted": ["7", ""],
            "mixed": [1.0, 1],
        }
        assert g.attributes["mixed"].codes.tolist() == [0, 1]  # two spellings, two values

    def test_blanks_around_cells_are_kept_and_around_names_dropped(self, write):
        edges, people = write("x.csv", "a,b\nb,c\n"), write("p.csv", "name,job\na ,x\nb,x \n c,x\n")
        names = r"p\.csv: blanks dropped at the ends of names: 2\."
        with (
            pytest.warns(Notice, match=names),
            pytest.warns(Notice, match=r"p\.csv.*with blanks.*: 1\. Blanks are kept"),
        ):
            g = read_graph(edges, attributes=people)
        assert (list(g.names), list(g.attributes["job"])) == (["a", "b", "c"], ["x", "x ", "x"])
        with pytest.warns(Notice, match=names), pytest.warns(Notice, match=r"cells.*blanks.*1\."):
            g = read_graph(edges, attributes=people, trim=True)
        assert list(g.attributes["job"]) == ["x", "x", "x"]
        with pytest.raises(BadParameter, match=r"'trim' has no effect"):
            read_graph(edges, trim=True)

    def test_quotes_around_every_cell_do_not_make_text(self, write):
        people = write("p.csv", '"name","age"\n"a","30"\n"b",""\n')
        assert list(read_graph(write("x.csv", "a,b\n"), attributes=people).attributes["age"]) == [30, None]

    def test_isolated_and_missing_are_counted(self, write):
        edges, people = write("x.csv", "a,b\nb,c\n"), write("p.tsv", "age\tid\n4\tz\n5\tb\n6\ta\n")
        with pytest.warns(Notice) as notices:
            g = read_graph(edges, attributes=people)
        assert any(tells(str(n.message), "p.tsv", "kept", "isolated", "1") for n in notices)
        assert any(tells(str(n.message), "p.tsv", "missing", "1") for n in notices)
        assert list(g.names) == ["a", "b", "c", "z"]
        assert list(g.attributes["age"]) == [6, 5, None, 4]

    def test_the_key_can_be_chosen(self, write):
        edges, people = write("x.csv", "a,b\n"), write("p.csv", "name,nick\nAnn,a\nBob,b\n")
        assert list(read_graph(edges, attributes=people, key="nick").attributes["name"]) == ["Ann", "Bob"]
        assert list(read_graph(edges, attributes=people, key=1).attributes["name"]) == ["Ann", "Bob"]
        with pytest.raises(UnknownColumn, match=r"'nik'.*Did you mean 'nick'"):
            read_graph(edges, attributes=people, key="nik")

    def test_numbers_are_joined_as_they_are_written(self, write):
        edges, people = write("x.csv", "1,2\n"), write("p.csv", "id,x\n1,a\n02,b\n")
        with pytest.warns(Notice, match=r"p\.csv"):
            g = read_graph(edges, attributes=people)
        assert list(g.names) == ["1", "2", "02"]
        assert list(g.attributes["x"]) == ["a", None, "b"]

    def test_other_files(self, tmp_path, write):
        edges = write("x.csv", "a,b\n")
        pyarrow.parquet.write_table(pa.table({"name": ["b", "a"], "ok": [True, None]}), tmp_path / "p.parquet")
        assert list(read_graph(edges, attributes=tmp_path / "p.parquet").attributes["ok"]) == [None, True]
        (tmp_path / "p.csv.gz").write_bytes(gzip.compress(b"name,age\nb,1\na,2\n", mtime=0))
        assert list(read_graph(edges, attributes=tmp_path / "p.csv.gz").attributes["age"]) == [2, 1]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("name,age\na,1\nb,2\na,3\n", r"'a'.*line 2.*line 4"),
            ("name,age\na,1\nb\n", r"p\.csv.*line 3.*2 cells.*1"),
            ("name,age,age\na,1,2\n", "names must be distinct"),
            ("name,age\n,1\n", "line 2"),
            ("name,age\nx,1\n", r"1 names.*'x'"),
            ("# no\n", r"must start with a header line"),
            ("", r"Got an empty file"),
        ],
    )
    def test_broken_attributes(self, write, text, message):
        with pytest.raises(BadFile, match=message):
            read_graph(write("x.csv", "a,b\n"), attributes=write("p.csv", text))

    def test_attributes_are_tables(self, write):
        with pytest.raises(BadFile, match=r"\.csv"):
            read_graph(write("x.csv", "a,b\n"), attributes=write("p.gml", "graph []"))


def test_everything_refused_is_a_shoal_error(write):
    for name in (
        "x.csv",
        "x.parquet",
        "x.graphml",
        "x.gexf",
        "x.gml",
        "x.net",
        "x.mtx",
        "x.json",
        "x.csv.gz",
        "x.csv.zst",
    ):
        for data in (b"", b"\0\1\2", b"\xff\xfe", b"{", b"<", b"[[[", b'"', b"*", b"%%", b"PAR1PAR1"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with pytest.raises(ShoalError, match=name.partition(".")[0]):
                    read_graph(write(name, data))


def test_reading_loads_nothing_before_it_is_called():
    import subprocess
    import sys

    code = (
        "import sys, shoal.io.read, shoal.io.write, shoal.data.dataset, shoal.data.examples\n"
        "heavy = {'pyarrow', 'networkx', 'igraph', 'scipy', 'pandas', 'polars', 'narwhals', 'numba'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


class TestDoubtfulHeaders:
    def test_a_notice_about_a_possible_header(self, tmp_path):
        path = tmp_path / "odd.csv"
        path.write_text("employee,manager\nAnn,Bob\nBob,Cid\nCid,Dan\n")
        with pytest.warns(Notice, match=r"'employee manager'.*read as an edge"):
            assert read_graph(path).n == 6
        assert read_graph(path, header=True).n == 4
        assert read_graph(path, header=False).n == 6

    def test_a_word_above_numbers_is_a_header(self, tmp_path):
        path = tmp_path / "years.csv"
        path.write_text("Person A,Person B,Years known\nAnn,Bob,3\nBob,Cid,1.5\nCid,Dan,2\n")
        with pytest.warns(Notice):
            assert sorted(read_graph(path).names) == ["Ann", "Bob", "Cid", "Dan"]

    def test_a_missing_number_is_not_a_header(self, tmp_path):
        path = tmp_path / "weights.csv"
        path.write_text("Ann,Bob,NA\nBob,Cid,1\nCid,Dan,2\n")
        with pytest.warns(Notice):
            assert read_graph(path).m == 3

    def test_no_notice_about_an_ordinary_first_edge(self, tmp_path):
        path = tmp_path / "plain.csv"
        path.write_text("Ann,Bob\nBob,Cid\nCid,Dan\n")
        assert read_graph(path).m == 3


def test_the_first_of_two_possible_name_columns_is_used_with_a_notice(tmp_path):
    links, people = tmp_path / "links.csv", tmp_path / "people.csv"
    links.write_text("source,target\n1,2\n2,3\n")
    people.write_text("id,name,age\n1,3,30\n2,2,40\n3,1,50\n")
    with pytest.warns(Notice, match=r"'id'.*read as the column.*'name'.*key=.*'name'"):
        assert list(read_graph(links, attributes=people).attributes["age"]) == [30, 40, 50]
    assert list(read_graph(links, attributes=people, key="name").attributes["age"]) == [50, 40, 30]
