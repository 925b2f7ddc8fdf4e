"""A preview says what reading then does, reads only the beginning, and survives rows that cannot be read."""

import gzip
import io
import os
import pickle
import random
import sys

import networkx as nx
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from draws import SEED, TIMES
from messages import hear, tells
from shoal.errors import BadFile, BadGraph, BadParameter, FileExists, Place, ShoalError, find_place
from shoal.io import files
from shoal.io import preview as module
from shoal.io.digest import digest_contents
from shoal.io.files import hold_files
from shoal.io.hierarchies import read_hierarchy
from shoal.io.mapping import read_mapping
from shoal.io.preview import BEGINNING, LONGEST, SHOWN, WIDEST, Row, preview
from shoal.io.read import read_graph, read_table
from workbooks import Raw, write_workbook

MARKS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|", "space": " "}
NAMES = ["Ann", "Bo", "Zoë", "O'Neil", "Dee", "Eve", "Flo"]
DRAWN = 'ab1,;\t| "\n\n#\r%'
"""Characters of texts that are drawn."""


def read(name, **options):
    """Return the graph of a file; loops are dropped."""
    return hear(lambda: read_graph(name, drop_loops=True, **options))[0]


def describe(graph):
    """Return what a graph holds, in order."""
    return list(graph.names), [tuple(part.tolist() for part in graph.list_links()[:2])], digest_contents(graph)


def list_options(seen, **more):
    """Return the options of read_graph that a preview found."""
    if seen.taken_for == "network":
        return more
    found = {"columns": seen.ends} | ({} if seen.format == "parquet" else {"header": seen.header})
    found |= {"separator": seen.separator} if seen.separator else {}
    found |= {"sheet": seen.sheet} if seen.sheet else {}
    return found | ({} if seen.kind is None else {"kind": seen.kind}) | more


def check_agreement(name, **options):
    """Check that a preview agrees with reading, and return it."""
    seen, notices = hear(lambda: preview(name, **options))
    assert notices == []
    assert seen == pickle.loads(pickle.dumps(seen))
    graph = read(name, **options)
    kept = {key: value for key, value in options.items() if key in ("encoding",)}
    told = list_options(seen, **kept)
    assert describe(read(name, **told)) == describe(graph)
    if seen.taken_for == "links":
        assert tuple(seen.columns[at] for at in seen.unread) == graph.unread
    assert seen.problem == ""
    return seen


def write_links(rng, mark, head, comments, kinds):
    """Return the text of an edge list of 30 links."""
    rows = [[rng.choice(NAMES), rng.choice(NAMES)] + [rng.choice("xy")] * kinds for _ in range(30)]
    if mark in ",;|":
        rows[3][0] = f'"Nat{mark} the 2nd"'
    lines = [mark.join(row) for row in rows]
    lines = [mark.join(head[: 2 + kinds])] * bool(head) + lines
    lines = ["# seen in May"] * comments + lines
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("word", MARKS)
@pytest.mark.parametrize("head", [(), ("source", "target", "type"), ("payer", "payee", "type")])
@pytest.mark.parametrize("kinds", [0, 1])
def test_edge_lists(word, head, kinds, tmp_path):
    rng = random.Random(f"{word} {head} {kinds}")
    for comments in (0, 1):
        text = write_links(rng, MARKS[word], head, comments, kinds)
        for form, encoding, pack in (
            ("txt", None, bytes),
            ("csv", "cp1252", bytes),
            ("tsv", "utf-16", gzip.compress),
            ("dat", None, lambda data: pa.compress(data, codec="zstd", asbytes=True)),
        ):
            name = f"net.{form}{'.gz' if form == 'tsv' else '.zst' if form == 'dat' else ''}"
            data = pack(text.encode(encoding or "utf-8"))
            told = {} if encoding is None else {"encoding": encoding}
            told |= {"kind": head[2] if head else 2} if kinds and comments else {}
            with hold_files({name: data}):
                seen = check_agreement(name, **told)
            (tmp_path / name).write_bytes(data)
            stored = preview(tmp_path / name, **told)
            assert (stored.rows, stored.ends, stored.columns) == (seen.rows, seen.ends, seen.columns)
            assert seen.separator == word
            assert seen.header == bool(head)
            assert seen.ends == (0, 1)
            assert seen.kind == (2 if kinds and comments else None)
            assert seen.unread == ((2,) if kinds and not comments else ())
            assert seen.columns == (head[: 2 + kinds] or tuple(f"column {at}" for at in range(2 + kinds)))
            assert seen.suggests_direction == ("payer" in head)
            assert len(seen.rows) == SHOWN
            assert seen.rows[0].line == 1 + comments + bool(head)
            assert all(row.split and len(row.cells) == 2 + kinds for row in seen.rows)


def find_error(name):
    """Return the message of the error of reading a file; empty if there is none."""
    try:
        read(name)
    except BadFile as error:
        return str(error)
    return ""


def test_drawn_texts():
    """A preview has a problem if and only if reading fails, and else agrees with it; it never fails itself."""
    rng, read_well = random.Random(SEED), 0
    for _ in range(TIMES * 300):
        text = "".join(rng.choices(DRAWN, k=rng.randint(1, 40)))
        name = rng.choice(["x.csv", "x.txt", "x.tsv"])
        with hold_files({name: text.encode()}):
            seen = preview(name)
            error = find_error(name)
            assert seen.problem == error, text
            if not error:
                read_well += 1
                check_agreement(name)
    assert read_well


def test_other_columns_and_options():
    with hold_files({"x.csv": b"day,Payee ID,Payer ID,sum\n1,Ann,Bo,5\n2,Bo,Zoe,7\n"}):
        seen = check_agreement("x.csv")
        assert (seen.ends, seen.unread, seen.suggests_direction) == ((2, 1), (0, 3), True)
        seen = check_agreement("x.csv", columns=(1, 3), kind="day")
        assert (seen.ends, seen.kind, seen.unread) == ((1, 3), 0, (2,))
        seen = preview("x.csv", columns=(0, 9))
        assert seen.ends == (2, 1)
        assert tells(seen.problem, "no column 9", "day")
        seen = preview("x.csv", header=False)
        assert not seen.header
        assert seen.rows[0] == Row(1, ("day", "Payee ID", "Payer ID", "sum"))
        for told in ({"key": 0}, {"table": True, "kind": 0}, {"table": True, "columns": (0, 1)}, {"sheet": "a"}):
            with pytest.raises(BadParameter):
                preview("x.csv", **told)
        with pytest.raises(BadParameter):
            preview("x.csv", separator="ab")
        with pytest.raises(BadParameter):
            preview("x.csv", around=0)


def test_looks_like_a_table():
    people = "".join(f"p{i},{i % 7},x\n" for i in range(50))
    with hold_files({"a.csv": f"id,score,town\n{people}".encode(), "b.csv": b"age,sex\n3,f\n4,m\n"}):
        for name in ("a.csv", "b.csv"):
            seen, (_, notices) = preview(name), hear(lambda name=name: read_graph(name))
            assert seen.reason
            assert any(seen.reason in told for told in notices)
            assert preview(name, table=True).reason == ""
        assert preview("b.csv", columns=(0, 1)).reason == ""


@pytest.mark.parametrize("word", MARKS)
def test_tables(word):
    mark = MARKS[word]
    lines = [f"age{mark}name{mark}zip", f"30{mark}Ann{mark}02139", f'41{mark}"Bo"{mark}"1\n2"', f"7{mark}Zoë{mark}x"]
    name = "people.txt" if word == "space" else "people.csv"
    with hold_files({name: "\n".join(lines).encode()}):
        seen = preview(name, table=True)
        table = read_table(name)
        assert seen.taken_for == "table"
        assert seen.header
        assert seen.ends is None
        assert seen.separator == word
        assert seen.columns == tuple(table)
        assert seen.key == 1
        assert [row.line for row in seen.rows] == [2, 3, 5]
        assert seen.rows[1].cells == ("41", "Bo", "1\n2")
        assert list(read_table(name, separator=seen.separator).columns) == list(table.columns)
        assert preview(name, table=True, key="zip").key == 2
        assert tells(preview(name, table=True, key="job").problem, "no column", "job")


def test_table_with_a_bad_header():
    with hold_files({"x.csv": b"a,a\n1,2\n"}):
        seen = preview("x.csv", table=True)
        assert tells(seen.problem, "line 1", "distinct")
        assert seen.columns == ()
        assert seen.rows[0] == Row(1, ("a,a",), split=False)


def test_workbooks(tmp_path):
    rows = [["source", "target", "note"], ["Ann", "Bo", 7], ["Bo", "Zoe", None]]
    book = write_workbook(tmp_path / "b.xlsx", rows, more=[["x", "y"], ["p", "q"]], none=[])
    seen = check_agreement(book)
    assert seen.sheets == ("first", "more", "none")
    assert seen.sheet == "first"
    assert seen.separator == ""
    assert seen.rows == (Row(2, ("Ann", "Bo", "7")), Row(3, ("Bo", "Zoe", "")))
    assert seen.unread == (2,)
    assert check_agreement(book, sheet="more").rows[0].cells == ("x", "y")
    assert tells(preview(book, sheet="none").problem, "empty sheet")
    assert preview(book, table=True).columns == ("source", "target", "note")
    bad = write_workbook(tmp_path / "bad.xlsx", [*rows, ["Eve", Raw('t="e"|<v>#N/A</v>'), 1]])
    assert tells(preview(bad).problem, "B4", "#N/A")
    assert preview(bad).columns == ("source", "target", "note")
    assert preview(bad, around=4).rows[-1] == Row(4, ("Eve", "", "1"))
    (tmp_path / "no.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(BadFile):
        preview(tmp_path / "no.xlsx")


def test_parquet(tmp_path):
    place = tmp_path / "x.parquet"
    many = pa.table({"day": list(range(5_000)), "from": list(range(5_000)), "to": list(range(1, 5_001))})
    parquet.write_table(many, place, row_group_size=700)
    seen = check_agreement(place)
    assert (seen.ends, seen.unread, seen.header, seen.suggests_direction) == ((1, 2), (0,), True, True)
    assert len(seen.rows) == SHOWN
    assert seen.rows[0] == Row(1, ("0", "0", "1"))
    for line in (1, 700, 701, 1_024, 1_025, 4_999, 5_000, 9_000):
        rows = preview(place, around=line).rows
        assert [row.line for row in rows] == [at for at in range(line - 3, line + 4) if 1 <= at <= 5_000]
        assert all(row.cells[0] == str(row.line - 1) for row in rows)
    assert preview(place, table=True, key="day").key == 0
    parquet.write_table(pa.table({"a": [1.5], "b": ["x"]}), place)
    assert tells(preview(place).problem, "texts or integers")
    assert preview(place).ends == (0, 1)
    parquet.write_table(pa.table({"a": ["x"]}), place)
    assert tells(preview(place).problem, "two columns")
    assert preview(place).columns == ()
    place.write_bytes(b"PAR1")
    with pytest.raises(BadFile):
        preview(place)


@pytest.mark.parametrize("form", ["graphml", "gexf", "gml", "net", "json", "mtx"])
@pytest.mark.parametrize("directed", [False, True])
def test_networks(form, directed, tmp_path):
    graph = nx.florentine_families_graph()
    graph = nx.DiGraph(list(graph.edges)) if directed else graph
    place = tmp_path / f"x.{form}"
    shoal.write(shoal.as_graph(graph), place)
    seen = check_agreement(place)
    assert seen.taken_for == "network"
    assert seen.format == files.detect_format(place).format
    assert seen.rows == ()
    assert (seen.network.vertices, seen.network.links) == (graph.number_of_nodes(), graph.number_of_edges())
    assert seen.network.direction == ("directed" if directed else "undirected")
    first = preview(place, around=1).rows[0]
    assert first == Row(1, (place.read_text().split("\n")[0][:LONGEST],), split=False)
    with pytest.raises(BadFile):
        preview(place, table=True)


def test_attributes_of_networks(tmp_path):
    place = tmp_path / "x.graphml"
    graph = nx.Graph([("a", "b", {"kind": "x", "sum": 3}), ("b", "c", {"kind": "y"})])
    nx.set_node_attributes(graph, {"a": 30}, "age")
    nx.write_graphml(graph, place)
    seen = preview(place)
    assert seen.network.attributes == ("age",)
    assert set(seen.network.link_attributes) == {"kind", "sum"}
    for name in seen.network.link_attributes:
        assert preview(place, kind=name) == seen
        assert read(place, kind=name).kinds
    assert tells(preview(place, kind="job").problem, "job", "kind")
    with hold_files({"x.net": b"*Vertices 3\n*Arcs\n1 2\n*Edges\n2 3\n"}):
        assert preview("x.net").network.direction == "partly directed"


# Only the beginning is read.


class Guarded(io.BytesIO):
    """Bytes of which only some may be read."""

    def readinto(self, buffer):
        size = super().readinto(buffer)
        assert self.tell() <= BEGINNING + (1 << 17)
        return size

    def read(self, size=-1):
        found = super().read(size)
        assert self.tell() <= BEGINNING + (1 << 17)
        return found


@pytest.mark.parametrize("options", [{}, {"table": True}, {"encoding": "cp1252"}, {"encoding": "utf-16"}])
def test_only_the_beginning_is_read(options, monkeypatch):
    lines = "source,target,sum\n" + "Ann,Bo,7\nBo,Zoe,8\n" * (BEGINNING // 8)
    data = lines.encode(options.get("encoding", "utf-8"))
    with hold_files({"x.csv": data[: BEGINNING * 3 // 2]}):
        seen = preview("x.csv", **options)
    monkeypatch.setattr(files, "open_stored", lambda path: Guarded(data))
    with hold_files({"x.csv": data}):
        assert preview("x.csv", **options) == seen
        with pytest.raises(AssertionError):
            read_graph("x.csv")
    assert seen.columns == ("source", "target", "sum")
    assert seen.rows[0] == Row(2, ("Ann", "Bo", "7"))


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_damage_after_the_beginning_changes_nothing(suffix):
    rng = random.Random(7)
    data = b"source,target\n" + b"".join(b"%d,%d\n" % (rng.getrandbits(30), i) for i in range(300_000))
    packed = gzip.compress(data, 1) if suffix == ".gz" else pa.compress(data, codec="zstd", asbytes=True)
    name = f"x.csv{suffix}"
    with hold_files({name: packed}):
        seen = preview(name)
    with hold_files({name: packed[: len(packed) * 3 // 4]}):
        assert preview(name) == seen
        with pytest.raises(BadFile):
            read_graph(name)


def test_a_large_file_on_disk(tmp_path):
    place = tmp_path / "x.csv"
    place.write_bytes(b"from;to\n" + b"Ann;Bo\n" * (BEGINNING // 7 + 10))
    seen = preview(place)
    os.truncate(place, 1 << 31)  # a hole of NUL bytes, which takes no space
    assert preview(place) == seen
    assert seen.separator == "semicolon"
    assert seen.problem == ""


# Rows that cannot be read.


def test_the_rows_around_a_bad_row():
    good = [f"Ann,p{i}" for i in range(400)]
    for bad in ('"Ann,x', "Ann,x,y", ",x", 'Ann,"x"y', "Ann,x\ry"):
        lines = ["source,target", *good]
        lines[300] = bad
        with hold_files({"x.csv": "\n".join(lines).encode()}):
            with pytest.raises(BadFile) as caught:
                read_graph("x.csv")
            place = find_place(pickle.loads(pickle.dumps(caught.value)))
            assert place == Place("x.csv", 301)
            rows = preview(place.file, around=place.line).rows
        assert [row.line for row in rows] == list(range(298, 305))
        assert rows[2].cells == ("Ann", "p298")
        assert rows[4].cells == ("Ann", "p300")
        assert rows[3].split == (bad in ("Ann,x,y", ",x"))
        assert ",".join(rows[3].cells) == bad.replace("\r", "\\r")


def test_bytes_that_are_no_text():
    lines = [b"source,target", *[b"Ann,Bo"] * 5, b"Zo\xeb,Eve", *[b"Ann,Bo"] * 5]
    with hold_files({"x.csv": b"\n".join(lines)}):
        seen = preview("x.csv")
        assert tells(seen.problem, "line 7", "0xeb")
        assert seen.columns == ("source", "target")
        assert preview("x.csv", around=7).rows[3] == Row(7, ("Zo�", "Eve"))
        assert check_agreement("x.csv", encoding="cp1252").rows[5] == Row(7, ("Zoë", "Eve"))
        assert tells(preview("x.csv", encoding="ascii").problem, "line 7", "ascii")
    with hold_files({"x.csv": b"a,b\nc,\0\n"}):
        assert tells(preview("x.csv", encoding="cp1252").problem, "line 2", "NUL")
    with hold_files({"x.csv": "a,b\nZoë,c\n".encode("utf-16")}):
        seen = preview("x.csv")
        assert tells(seen.problem, "UTF-16")
        assert not any(row.split for row in seen.rows)
        assert "\0" not in "".join(cell for row in seen.rows for cell in row.cells)
    rng = random.Random(1)
    for form in ("csv", "txt", "json", "net"):
        with hold_files({f"x.{form}": rng.randbytes(3_000)}):
            assert preview(f"x.{form}", around=2).rows


def test_empty_files():
    for form, told in (("csv", {}), ("txt", {"table": True}), ("csv", {"encoding": "cp1252"}), ("json", {})):
        with hold_files({f"x.{form}": b""}), pytest.raises(BadFile) as caught:
            preview(f"x.{form}", **told)
        reader = read_table if told.pop("table", False) else read_graph
        with hold_files({f"x.{form}": b""}), pytest.raises(BadFile) as known:
            reader(f"x.{form}", **told)
        assert str(caught.value) == str(known.value)
    with hold_files({"x.csv": b"# nothing\n\n"}):
        assert tells(preview("x.csv").problem, "only empty lines")


def test_long_lines_and_many_columns():
    wide = ",".join(f"c{at}" for at in range(5_000))
    with hold_files({"x.csv": f"{wide}\n{wide}\n".encode()}):
        seen = preview("x.csv")
        assert seen.width == 5_000
        assert len(seen.columns) == len(seen.rows[0].cells) == WIDEST
        assert len(preview("x.csv", columns=(0, 300)).columns) == 301
    with hold_files({"x.csv": b"source,target\n" + b"A" * 3_000_000 + b",Bo\nAnn,Zoe\n" * 9}):
        seen = preview("x.csv")
        assert seen.columns == ("source", "target")
        rows = preview("x.csv", around=2).rows
        assert [row.line for row in rows] == [1, 2, 3, 4, 5]
        assert len(rows[1].cells[0]) == LONGEST
        assert rows[1].cells[0].endswith("…")
        assert rows[2].cells == ("Ann", "Zoe")
    with hold_files({"x.csv": b"a" * (BEGINNING + 5)}):
        assert tells(preview("x.csv").problem, "two columns")


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_lines_are_counted_over_chunks(size, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", size)
    rng = random.Random(size)
    for end in ("", "\n", "\n\n"):
        lines = ["x" * rng.randint(0, 9) for _ in range(20)] + ["end"]
        whole = ("\n".join(lines) + end).removesuffix("\n").split("\n")
        with hold_files({"x.json": ("\n".join(lines) + end).encode()}):
            for line in range(1, 30):
                numbers = [at for at in range(line - 3, line + 4) if 1 <= at <= len(whole)]
                rows = preview("x.json", around=line).rows
                assert rows == tuple(Row(at, (whole[at - 1],), split=False) for at in numbers)


# Places.

SHEET = [["source", "target"], ["Ann", "Bo"]]
BAD = {
    "links, bytes": ("x.csv", b"a,b\nc,\xff\n", read_graph, 2),
    "links, NUL": ("x.csv", b"a,b\n" * 9 + b"c,\0\n", read_graph, 10),
    "links, encoding": ("x.csv", b"a,b\nc,\xff\n", lambda name: read_graph(name, encoding="ascii"), 2),
    "links, one column": ("x.csv", b"# x\nabc\n", read_graph, 2),
    "links, width": ("x.csv", b"a,b\nc,d\ne,f,g\n" + b"c,d\n" * 300, read_graph, 3),
    "links, no name": ("x.csv", b"a,b\n,d\n", read_graph, 2),
    "links, quote": ("x.csv", b'a,b\n"c"x,d\n', read_graph, 2),
    "links, open quote": ("x.csv", b'a,b\n"c,d\n', read_graph, 2),
    "links, CR": ("x.csv", b"a,b\nc\rx,d\n", read_graph, 2),
    "table, header": ("x.csv", b"# x\na,a\n1,2\n", read_table, 2),
    "table, width": ("x.csv", b"a,b\n1,2\n1\n", read_table, 3),
    "table, name again": ("x.csv", b"name,b\nAnn,2\nAnn,3\n", lambda name: read_table(name, key=0), 3),
    "table, no name": ("x.csv", b"name,b\nAnn,2\n,3\n", lambda name: read_table(name, key=0), 3),
    "hierarchy": ("x.csv", b"17;a;*\n18;a;*\n17;b;*\n", read_hierarchy, 3),
    "hierarchy, width": ("x.csv", b"17;a;*\n18;*\n", read_hierarchy, 2),
    "mapping": ("x.csv", b"original,published\na,1\na,2\n", read_mapping, 3),
    "json": ("x.json", b'{"nodes": [],\n"links": }', read_graph, 2),
    "graphml": ("x.graphml", b"<graphml>\n<graph>\n</graphml>", read_graph, 3),
    "gexf": ("x.gexf", b"<gexf>\n<graph>\n</gexf>", read_graph, 3),
    "gml": ("x.gml", b"graph [\nnode [ id 1 ]\n?", read_graph, 3),
    "gml, value": ("x.gml", b"graph [\nnode [ id ]\n]", read_graph, 2),
    "pajek": ("x.net", b"*Vertices 2\n*Edges\n1 3\n", read_graph, 3),
    "pajek, section": ("x.net", b"*Vertices 2\n*Bridges\n", read_graph, 2),
    "pajek, count": ("x.net", b"% x\n*Vertices 900000000\n", read_graph, 2),
    "mtx": ("x.mtx", b"1 2\n", read_graph, 1),
    "mtx, size": ("x.mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n2 x 1\n", read_graph, 2),
    "mtx, entries": ("x.mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n1 2\n", read_graph, 2),
}


@pytest.mark.parametrize("case", BAD)
def test_places(case, tmp_path):
    name, data, reader, line = BAD[case]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ShoalError) as caught:
        hear(lambda: reader(tmp_path / name))
    check_place(caught.value, tmp_path / name, line)
    assert tells(str(caught.value), name, "line", str(line)) or "again" in case or "no name" in case
    told = {"table": True} if reader is not read_graph and case != "mapping" else {}
    told |= {"around": line}
    assert line in [row.line for row in preview(tmp_path / name, **told).rows]


def check_place(error, path, line):
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert find_place(one) == Place(str(path), line)
        assert str(one) == str(error)


def test_places_in_attributes_parquet_and_workbooks(tmp_path):
    (tmp_path / "net.csv").write_text("source,target\nAnn,Bo\n")
    (tmp_path / "people.csv").write_text("name,age\nAnn,1\nBo,2\nAnn,3\n")
    parquet.write_table(pa.table({"name": ["Ann", "Ann"], "age": [1, 2]}), tmp_path / "people.parquet")
    parquet.write_table(pa.table({"a": ["x", None], "b": ["y", None]}), tmp_path / "net.parquet")
    write_workbook(tmp_path / "error.xlsx", [*SHEET, ["Eve", Raw('t="e"|<v>#N/A</v>')]])
    write_workbook(tmp_path / "formula.xlsx", [*SHEET, ["Eve", Raw("|<f>A1</f>")]])
    write_workbook(tmp_path / "merged.xlsx", [*SHEET, ["Eve", "Flo"]], merged=["A2:B2"])
    for name, people, line in (
        ("net.csv", "people.csv", 4),
        ("net.csv", "people.parquet", 2),
        ("net.parquet", None, 2),
        ("error.xlsx", None, 3),
        ("formula.xlsx", None, 3),
        ("merged.xlsx", None, 2),
    ):
        more = {} if people is None else {"attributes": tmp_path / people}
        with pytest.raises(BadFile) as caught:
            read_graph(tmp_path / name, **more)
        check_place(caught.value, tmp_path / (people or name), line)
        rows = preview(tmp_path / (people or name), table=people is not None, around=line).rows
        assert line in [row.line for row in rows]


def test_errors_without_a_place():
    with hold_files({"x.csv": b"a,a\nb,c\n"}), pytest.raises(BadGraph) as caught:
        read_graph("x.csv")
    assert find_place(caught.value) is None
    assert find_place(KeyError("a")) is None
    with pytest.raises(BadParameter) as again:
        shoal.as_table({"name": ["x", "x"]}, key="name")
    assert find_place(again.value) is None
    error = FileExists.at(Place("x.csv", 3), "exists.")
    assert find_place(pickle.loads(pickle.dumps(error))) == Place("x.csv", 3)


def test_shoal_does_not_load_previews():
    import subprocess

    code = "import sys, shoal; sys.exit('shoal.io.preview' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_dates_that_python_cannot_hold_are_marked():
    """Reading such a table is refused; a preview shows the other columns."""
    times = {
        "zone": pa.array([0, None]).view(pa.timestamp("us", "Nowhere/City")),
        "year": pa.array([2**62, 0]).view(pa.timestamp("ms")),
    }
    stream = io.BytesIO()
    parquet.write_table(pa.table({"a": ["x", "y"], "b": ["y", "z"], **times}), stream)
    with hold_files({"x.parquet": stream.getvalue()}):
        for table in (False, True):
            seen = module.preview("x.parquet", table=table)
            assert [row.cells for row in seen.rows] == [("x", "y", "?", "?"), ("y", "z", "?", "?")]
