"""Hostile input: whatever a file, an option or an argument holds, the answer is a result or a documented error."""

import bz2
import datetime
import gzip
import json
import random
import re
import warnings

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from mutations import LONG, mutate_words
from shoal.auditing.frontier import FILE
from shoal.cli.commands.certify import read_certificates
from shoal.errors import BadFile, BadParameter, Notice, ShoalError
from shoal.io import files

DEEP = "[" * 100_000
HALF = "\ud800"
"""One half of a surrogate pair: no character."""
GRAPH = '<graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph>'
XML = f"<graphml>{GRAPH}</graphml>"
MATRIX = "%%MatrixMarket matrix coordinate pattern symmetric\n"
CLASSES = '{{"schema": 1, "kind": "generalized graph", "classes": [{{"size": {}, "inside": {}}}], "links": []}}'


@pytest.fixture
def write(tmp_path):
    def write(name, data):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


HOSTILE = {
    "unknown encoding": ("x.graphml", f'<?xml version="1.0" encoding="klingon"?>{XML}', "klingon"),
    "encoding of several bytes": ("x.graphml", f'<?xml version="1.0" encoding="shift_jis"?>{XML}', "encoding"),
    "entity": ("x.graphml", f'<!DOCTYPE graphml [<!ENTITY x "y">]>{XML}', "DOCTYPE"),
    "internal subset": ("x.gexf", "<!DOCTYPE gexf [<!ATTLIST gexf a CDATA 'b'>]><gexf/>", "DOCTYPE"),
    "entity from outside": ("x.graphml", f'<!DOCTYPE graphml SYSTEM "x.dtd">{XML.replace("a", "&quux;")}', "&quux;"),
    "long whole number in XML": (
        "x.graphml",
        f'<graphml><key id="k" for="node" attr.name="k" attr.type="int"><default>{LONG}</default></key></graphml>',
        "type int",
    ),
    "other digits in XML": (
        "x.graphml",
        '<graphml><key id="k" for="node" attr.name="k" attr.type="int"><default>٣</default></key></graphml>',
        "type int",
    ),
    "Pajek, long count": ("x.net", f"*Vertices {LONG}\n", "line 1"),
    "Pajek, other digits": ("x.net", "*Vertices ٣\n", "line 1"),
    "Pajek, long end": ("x.net", f"*Vertices 2\n*Edges\n1 {LONG}\n", "line 3"),
    "Pajek, huge count": ("x.net", "*Vertices 100000000\n*Edges\n1 2\n", "--trust-counts"),
    "GML, long id": ("x.gml", f"graph [ node [ id {LONG} ] ]", "4,000 digits"),
    "GML, long digits before a word": ("x.gml", f"graph [ node [ id {LONG * 40}x ] ]", "must be GML"),
    "JSON, long id": ("x.json", f'{{"nodes": [{{"id": {LONG}}}], "edges": []}}', "4,000 digits"),
    "JSON, half a character": ("x.json", '{"nodes": [{"id": "\\ud800"}], "edges": []}', "surrogate"),
    "JSON, nested": ("x.json", DEEP, "nested levels"),
    "JSON, nested value": (
        "x.json",
        f'{{"nodes": [{{"id": 1, "x": {"[" * 300}{"]" * 300}}}], "edges": []}}',
        "nested levels",
    ),
    "JSON, a key twice": ("x.json", '{"nodes": [{"id": 1, "id": 2}], "edges": []}', "'id' twice"),
    "JSON, no number": ("x.json", '{"nodes": [{"id": NaN}], "edges": []}', "must be text or a number"),
    "matrix, huge": ("x.mtx", f"{MATRIX}100000000 100000000 1\n2 1\n", "--trust-counts"),
    "matrix, long": ("x.mtx", f"{MATRIX}{LONG} 3 1\n2 1\n", "line 2"),
    "matrix, long name": ("x.mtx", f'{MATRIX}%name {LONG} "x"\n1 1 0\n', "line 2"),
    "matrix, half a name": ("x.mtx", f'{MATRIX}%name 1 "\\ud800"\n1 1 0\n', "must be a JSON string"),
    "matrix, entries that are not there": ("x.mtx", f"{MATRIX}3 3 1000000000\n2 1\n", "1 of 1000000000"),
    "matrix, cut off": ("x.mtx", f"{MATRIX}6 6 5\n2 1\n4 1<!DOCTYPE x [<!ENTITY x 'y'>]>", "complete Matrix Market"),
    "matrix, dense": (
        "x.mtx",
        "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n",
        "complete Matrix Market",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_networks_are_refused(name, write):
    file, data, message = HOSTILE[name]
    with pytest.raises(BadFile, match=re.escape(message)):
        shoal.read_graph(write(file, data))


def test_a_doctype_without_declarations_is_skipped(write):
    plain = shoal.read_graph(write("x.graphml", XML))
    assert shoal.read_graph(write("y.graphml", f'<!DOCTYPE graphml SYSTEM "x.dtd">{XML}')) == plain


def test_entities_that_are_no_characters_stay_as_they_are_written(write):
    graph = shoal.read_graph(write("x.gml", f'graph [ node [ id 1 label "&#55296;&#{LONG};&#xD800;&#233;" ] ]'))
    assert list(graph.names) == [f"&#55296;&#{LONG};&#xD800;é"]


def test_a_huge_multiplicity_is_refused(write):
    path = write("x.mtx", MATRIX.replace("pattern", "real") + "2 2 1\n2 1 1e300\n")
    with pytest.raises(shoal.errors.BadGraph, match="multiplicity"):
        shoal.read_graph(path, multigraph=True)


@pytest.mark.slow
def test_nested_nodes_have_their_own_values_and_take_no_square_of_time(write):
    many = 40_000
    head = '<gexf><graph><attributes class="node"><attribute id="0" title="a" type="long"/></attributes><nodes>'
    inner = "".join(
        f'<node id="{i}"><attvalues><attvalue for="0" value="{i % 7}"/></attvalues><nodes>' for i in range(many)
    )
    graph = shoal.read_graph(write("x.gexf", f"{head}{inner}{'</nodes></node>' * many}</nodes></graph></gexf>"))
    assert graph.n == many
    by_name = dict(zip(graph.names, graph.attributes["a"], strict=True))
    assert all(by_name[str(i)] == i % 7 for i in range(0, many, 997))


class TestCounts:
    """Counts that memory is taken for, and packed files that grow."""

    @pytest.mark.slow
    def test_a_count_is_taken_at_its_word_if_that_is_asked_for(self, write):
        path = write("x.net", "*Vertices 1000001\n*Edges\n1 2\n")
        with pytest.raises(BadFile, match="1000001 vertices in 29 bytes"):
            shoal.read_graph(path)
        assert shoal.read_graph(path, trust_counts=True).n == 1_000_001

    def test_a_count_that_the_file_bears_out_is_taken(self, write, monkeypatch):
        monkeypatch.setattr(files, "COUNT", 100)
        assert shoal.read_graph(write("x.net", "*Vertices 500\n*Edges\n1 2\n")).n == 500
        with pytest.raises(BadFile, match="501"):
            shoal.read_graph(write("y.net", "*Vertices 501\n*Edges\n1 2"))

    @pytest.mark.parametrize(("size", "inside"), [(10**9, 0), (10**20, 0), (10**6, 10**11), (LONG, 0)])
    def test_sizes_of_classes(self, size, inside, write, shell, tmp_path):
        path = write("classes.json", CLASSES.format(size, inside))
        with pytest.raises(BadFile):
            shoal.data.generalized.Generalized.read(path)
        assert shell("sample", path, "-o", tmp_path / "drawn.csv")[0] == 2

    def test_links_of_classes_beyond_what_can_be_counted(self, write):
        text = CLASSES.format(2, 1).replace('"links": []', '"links": [[0, 9223372036854775808, 1]]')
        with pytest.raises(BadFile, match=r"classes\.json: .*2\^63"):
            shoal.data.generalized.Generalized.read(write("classes.json", text))

    @pytest.mark.parametrize("size", [10**20, 3 * 10**9])
    def test_sizes_beyond_what_can_be_counted(self, size, write):
        with pytest.raises(BadFile):
            shoal.data.generalized.Generalized.read(write("classes.json", CLASSES.format(size, 0)), trust_counts=True)

    def test_rows_of_parquet(self, tmp_path, monkeypatch):
        monkeypatch.setattr(files, "COUNT", 10_000)
        path = tmp_path / "x.parquet"
        parquet.write_table(pa.table({"a": np.zeros(1_000_000, dtype=np.int8)}), path)
        with pytest.raises(BadFile, match="1000000 rows"):
            shoal.read_table(path)
        assert shoal.read_table(path, trust_counts=True).n == 1_000_000

    @pytest.mark.slow
    def test_the_shell_has_both_options(self, write, shell):
        path = write("x.net", "*Vertices 1000001\n*Edges\n1 2\n")
        asked = ("check", path, "--knows", "degree", "--at-least", "2")
        assert shell(*asked)[0] == 2
        assert shell(*asked, "--trust-counts", "--max-ratio", "300")[0] == 0

    @pytest.mark.slow
    @pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
    @pytest.mark.parametrize("read", [shoal.read_graph, shoal.read_table])
    def test_a_packed_file_must_not_grow_too_much(self, ending, read, write, monkeypatch):
        text = b"source,target\n" + b"a,b\n" * 500_000
        pack = {"gz": gzip.compress, "bz2": bz2.compress, "zst": lambda x: pa.compress(x, codec="zstd", asbytes=True)}
        path = write(f"x.csv.{ending}", pack[ending](text))
        monkeypatch.setattr(files, "UNPACKED", 100_000)
        with pytest.raises(BadFile, match="--max-ratio"):
            read(path)
        monkeypatch.setattr(files, "UNPACKED", 10_000_000)  # a small file may grow as it likes
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Notice)
            assert read(path).n
            monkeypatch.setattr(files, "UNPACKED", 100_000)
            assert read(path, max_ratio=100_000).n

    @pytest.mark.parametrize("name", ["x.json.gz", "x.graphml.gz", "x.gml.gz", "x.net.gz", "x.mtx.gz", "x.parquet.gz"])
    def test_every_format_is_unpacked_within_limits(self, name, write, monkeypatch):
        monkeypatch.setattr(files, "UNPACKED", 100_000)
        with pytest.raises(BadFile, match="--max-ratio"):
            shoal.read_graph(write(name, gzip.compress(b" " * 5_000_000)))

    def test_unpacking_stops_early(self, write, monkeypatch):
        """A file of 50 MB of blanks is given up as soon as it is 200 times as large as it was packed."""
        seen = []
        check = files.check_ratio
        monkeypatch.setattr(files, "UNPACKED", 100_000)
        monkeypatch.setattr(files, "check_ratio", lambda *given: (seen.append(given[0]), check(*given)))
        with pytest.raises(BadFile):
            shoal.read_graph(write("x.json.gz", gzip.compress(b" " * 50_000_000)))
        assert max(seen) < 15_000_000

    @pytest.mark.parametrize("ratio", [0, True, "200", None, float("nan")])
    def test_a_ratio_is_a_number(self, ratio, write):
        with pytest.raises(BadParameter, match="max_ratio"):
            shoal.read_graph(write("x.csv", "a,b\n"), max_ratio=ratio)


TIMES = {
    "year 10000": pa.array([253402300800]).view(pa.timestamp("s")),
    "year 0": pa.array([-62135596800001]).view(pa.timestamp("ms")),
    "far day": pa.array([2932897], type=pa.int32()).view(pa.date32()),
    "long": pa.array([2**62]).view(pa.duration("s")),
    "no zone": pa.array([0]).view(pa.timestamp("us", "Nowhere/City")),
    "25 hours": pa.array([90_000_000], type=pa.int32()).view(pa.time32("ms")),
    "before midnight": pa.array([-1]).view(pa.time64("us")),
    "in a list": pa.array([[2932897]], type=pa.list_(pa.int32())).cast(pa.list_(pa.date32())),
}


@pytest.mark.parametrize("name", TIMES)
def test_times_that_python_cannot_hold_are_refused(name, tmp_path):
    table = pa.table({"when": TIMES[name]})
    with pytest.raises(BadParameter):
        shoal.as_table(table)
    parquet.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(BadFile, match=r"x\.parquet"):
        shoal.read_table(tmp_path / "x.parquet")


def test_times_beyond_the_calendar_in_utc_are_told_apart():
    late, early = (datetime.timezone(datetime.timedelta(hours=h)) for h in (-5, 5))
    times = [datetime.datetime(9999, 12, 31, 23, tzinfo=late), datetime.datetime(1, 1, 1, tzinfo=early)]
    assert shoal.as_table({"when": [*times, times[0]]})["when"].codes.tolist() == [0, 1, 0]


def test_texts_of_parquet_are_checked(tmp_path):
    broken = pa.array([b"\xff"], type=pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"a": broken, "b": ["x"]}), tmp_path / "x.parquet")
    for read in (shoal.read_graph, shoal.read_table):
        with pytest.raises(BadFile, match="UTF8"):
            read(tmp_path / "x.parquet")


ARGUMENTS = {
    "path": lambda: shoal.read_graph(None),
    "path of a table": lambda: shoal.read_table(7),
    "path of a mapping": lambda: shoal.read_mapping(None),
    "path of a hierarchy": lambda: shoal.read_hierarchy(None),
    "path of classes": lambda: shoal.data.generalized.Generalized.read(None),
    "path to write": lambda: shoal.write(nx.path_graph(2), None),
    "certificate": lambda: shoal.check_certificate(nx.path_graph(2), None),
    "k": lambda: shoal.levels(nx.path_graph(3), k=np.array([1, 2])),
    "huge k": lambda: shoal.levels(nx.path_graph(3), k=10**5_000),
    "limit": lambda: shoal.levels(nx.path_graph(3), k=2, max_size=10**20),
    "reading": lambda: shoal.levels(nx.path_graph(3), np.array([1, 2]), k=2),
    "l": lambda: shoal.knowledge.Neighbors(10**30),
    "l of columns": lambda: shoal.knowledge.SomeColumns(10**30),
    "radius": lambda: shoal.knowledge.Neighborhood(10**30),
    "spec": lambda: shoal.assess(nx.path_graph(3), f"neighbors:1{'0' * 30}"),
    "long spec": lambda: shoal.assess(nx.path_graph(3), f"neighbors:{LONG}"),
    "long hubs": lambda: shoal.assess(nx.path_graph(3), f"hubs:{LONG}"),
    "name": lambda: shoal.as_graph([(HALF, "b")]),
    "name of networkx": lambda: shoal.as_graph(nx.Graph([(HALF, "b")])),
    "long name": lambda: shoal.as_graph([(10**5_000, "b")]),
    "value": lambda: shoal.as_table({"a": [HALF]}),
    "column": lambda: shoal.as_table({HALF: [1]}),
    "attribute": lambda: shoal.as_graph([("a", "b")], attributes={"x": [HALF, 1]}),
    "mapping": lambda: shoal.assess(nx.path_graph(3), "degree", original=nx.path_graph(3), mapping=7),
    "scenario": lambda: shoal.audit(nx.path_graph(3), k=2, scenario="0.09"),
}


class TestPython:
    """Arguments that cannot be meant."""

    @pytest.mark.parametrize("name", ARGUMENTS)
    def test_wrong_arguments_are_refused(self, name):
        with pytest.raises(BadParameter):
            ARGUMENTS[name]()

    def test_a_name_that_no_vertex_has_may_be_of_any_length(self):
        with pytest.raises(shoal.errors.UnknownVertex):
            shoal.assess(nx.path_graph(3), "degree").candidates(10**5_000)

    def test_a_frame_with_half_a_character(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"a": [HALF], "b": ["x"]}, dtype=object)
        for read in (shoal.as_graph, shoal.as_table):
            with pytest.raises(BadParameter):
                read(frame)

    def test_a_seed_may_be_large(self):
        graph = nx.cycle_graph(6)
        assert shoal.methods.MatchDegrees(k=2, seed=2**200)(graph).data.n == 6


SHELL = {
    "-k": ("risk", "example:karate", "-k"),
    "-k of levels": ("levels", "example:karate", "-k"),
    "--max-size": ("levels", "example:karate", "-k", "2", "--max-size"),
    "--at-least": ("check", "example:karate", "--knows", "degree", "--at-least"),
    "-k of a frontier": ("frontier", "example:karate", "-k"),
    "--max-ratio": ("risk", "example:karate", "--max-ratio"),
}


@pytest.mark.parametrize("number", [LONG, "٣", "1_000", " 3", "3 ", "+3", "3.0", ""])
@pytest.mark.parametrize("option", SHELL)
def test_whole_numbers_are_ascii_digits(option, number, shell):
    assert shell(*SHELL[option], number)[0] == 2


@pytest.mark.parametrize("spec", [f"neighbors:{LONG}", "neighbors:٣", "neighbors:1_0", f"neighbors:1{'0' * 30}"])
def test_numbers_of_specs_are_ascii_digits(spec, shell):
    assert shell("risk", "example:karate", "--knows", spec)[0] == 2


def test_other_options_of_the_shell(shell, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\nb,c\n")
    assert shell("levels", path, "-k", "2", "--max-size", "1" + "0" * 20)[0] == 2
    assert shell("risk", path, "--ends", f"{LONG},1")[0] == 2
    assert shell("risk", path, "--ends", "\u0660,1")[0] == 2
    assert shell("risk", path, "--ends", "0,1", "--no-header")[0] == 0
    out = ("--method", "match-degrees", "-k", "2", "-o", tmp_path / "out.csv")
    for value in ("{[]}", "{[1]: 2}", "[" * 50_000):
        code, _, said = shell("anonymize", path, *out, "--set", f"degrees={value}")
        assert code == 2
        assert "optimal" in said


@pytest.mark.parametrize("t", ["1e-999999999", "1e999999999", "1/0", f"1/{LONG}", "٣", "nan", "1_0/3"])
def test_a_threshold_that_cannot_be_written_out_is_refused(t, shell):
    code, _, said = shell("confusion", "example:people", "example:people", "--method", "nearest:1", "--t", t)
    assert code == 2
    assert "--t" in said


EXPOSURES = [
    {"people": 0},
    {"people": "10"},
    {"k": 1.0},
    {"exact": 1},
    {"below": []},
    {"below": {"two": 1}},
    {"below": {"٢": 1}},
    {"below": {LONG: 1}},
    {"below": {"2": 99}},
    {"below": {"2": True}},
    {"unsure": {}},
    {"recoded": "age"},
    {"more": 1},
]


class TestPlainData:
    """Certificates, manifests and points that were changed."""

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            DEEP,
            '{"schema": 1}',
            '{"schema": 1, "certificates": {}}',
            '{"schema": true, "certificates": []}',
            '{"schema": 2, "certificates": []}',
            '{"schema": 1, "certificates": [], "note": 1}',
            '{"schema": 1, "certificates": [1]}',
            f'{{"schema": 1, "certificates": [{{"k": {LONG}}}]}}',
            '{"schema": 1, "certificates": [{"vertex": "\\ud800"}]}',
        ],
    )
    def test_files_of_certificates(self, text, write, shell):
        path = write("cert.json", text)
        with pytest.raises(BadFile):
            read_certificates(path)
        assert shell("verify", "example:florentine", path)[0] == 2

    def test_a_certificate_of_the_wrong_shape_is_no_verdict(self, write, shell):
        proof = shoal.levels(shoal.examples.florentine(), k=2).certificate("Medici")
        for wrong in ({"k": 2.0}, {"k": True}, {"vertex": ["Medici"]}, {"more": 1}):
            path = write("cert.json", json.dumps({"schema": 1, "certificates": [proof | wrong]}))
            assert shell("verify", "example:florentine", path)[0] == 2

    @pytest.mark.parametrize("text", [DEEP, f'{{"method": {LONG}}}', "[]", '{"method": {"name": 1, "name": 2}}', "1"])
    def test_manifests(self, text, tmp_path, shell):
        graph = shoal.examples.florentine()
        shoal.methods.MatchDegrees(k=2, seed=1)(graph).save(tmp_path / "safe.csv", mapping=tmp_path / "secret.csv")
        (tmp_path / "safe.csv.release.json").write_text(text)
        with pytest.raises(BadFile):
            shoal.audit(graph, tmp_path / "safe.csv", mapping=tmp_path / "secret.csv", k=2)
        asked = ("compare", "example:florentine", tmp_path / "safe.csv", "--mapping", tmp_path / "secret.csv")
        assert shell(*asked)[0] == 2

    @pytest.mark.parametrize("wrong", EXPOSURES, ids=[f"{i}" for i in range(len(EXPOSURES))])
    def test_points_of_a_frontier(self, wrong, points, tmp_path):
        head, line = points[:2]
        told = json.loads(line)
        told["point"]["risk"] |= wrong
        (tmp_path / FILE).write_text(f"{head}\n{json.dumps(told)}\n")
        with pytest.raises(BadFile, match=FILE):
            _frontier(tmp_path)

    @pytest.mark.parametrize(
        "wrong", [{"method": 1}, {"lost": {"a": "b"}}, {"kind": "x"}, {"risk": 7}, {"again": 1}, {"more": 1}, {"k": 0}]
    )
    def test_a_point_has_the_types_that_were_written(self, wrong, points, tmp_path):
        head, line = points[:2]
        told = json.loads(line)
        told["point"] |= wrong
        (tmp_path / FILE).write_text(f"{head}\n{json.dumps(told)}\n")
        with pytest.raises(BadFile, match=FILE):
            _frontier(tmp_path)

    def test_a_line_that_is_no_json_is_made_again(self, points, tmp_path):
        (tmp_path / FILE).write_text("\n".join([points[0], DEEP, f"[{LONG}]", *points[1:]]) + "\n")
        with pytest.warns(Notice, match="4 of 4 points are already"):
            _frontier(tmp_path)
        assert (tmp_path / FILE).read_text().splitlines() == points

    def test_points_for_another_k_are_kept_beside(self, points, tmp_path):
        (tmp_path / FILE).write_text("\n".join(points) + "\n")
        _frontier(tmp_path, 3)
        after = (tmp_path / FILE).read_text().splitlines()
        assert after[: len(points)] == points
        assert len(after) > len(points)


def _frontier(folder, k=2):
    return shoal.frontier(nx.path_graph(6), "degree", k=k, methods=["match-degrees"], jobs=1, folder=folder)


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    """The lines of a small frontier's file."""
    folder = tmp_path_factory.mktemp("frontier")
    _frontier(folder)
    return (folder / FILE).read_text().splitlines()


@pytest.mark.parametrize("spec", ["subgraph:30", "relations:30+neighbors:30", "neighbors:17+neighbors:17"])
@pytest.mark.parametrize("external", [False, True])
def test_a_promise_that_takes_too_long_is_not_counted(spec, external, tmp_path):
    club = shoal.examples.karate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        shoal.methods.MatchDegrees(k=2, seed=1)(club).save(tmp_path / "safe.csv", mapping=tmp_path / "secret.csv")
        manifest = tmp_path / "safe.csv.release.json"
        about = json.loads(manifest.read_text())
        about["promise"] = [{"kind": "candidates", "knows": spec, "k": 12, "for": "all", "source": "release"}]
        manifest.write_text(json.dumps(about))
        named = {} if external else {"mapping": tmp_path / "secret.csv"}
        found = shoal.audit(club, tmp_path / "safe.csv", k=2, attacks=(), external=external, **named)
    assert [one.holds for one in found.promises] == [None]
    assert "not counted" in found.promises[0].evidence
    assert spec not in [row.knows for row in found.after.release_facts]


ROUNDS = 60


def _draw_classes(path):
    shoal.data.generalized.Generalized.read(path).sample()


def _verify(path):
    for proof in read_certificates(path):
        shoal.check_certificate(shoal.examples.florentine(), proof)


def _assess_mapped(path):
    square = shoal.as_graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    shoal.assess(square, "degree", original=square, mapping=path)


READERS = {
    **dict.fromkeys(("csv", "tsv", "txt", "graphml", "gexf", "gml", "net", "mtx", "json", "parquet"), shoal.read_graph),
    "table.csv": shoal.read_table,
    "table.parquet": shoal.read_table,
    "classes.json": _draw_classes,
    "classes.graphml": _draw_classes,
    "proofs.json": _verify,
    "mapping.csv": _assess_mapped,
    "hierarchy.csv": shoal.read_hierarchy,
    "audit.json": shoal.read_audit,
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A small valid file for each reader."""
    folder = tmp_path_factory.mktemp("samples")
    columns = {"age": [30, 41, None, 30], "job": ["x", "é", "x", None], "w": [0.5, 1.5, 2.5, 3.5]}
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")]
    for name in READERS:
        path = folder / f"x.{name}"
        if "." not in name:
            attributes = columns if name in ("graphml", "gexf", "gml", "json") else None
            shoal.write(shoal.as_graph(pairs, attributes=attributes), path)
        elif name.startswith("table"):
            shoal.write(columns, path)
        elif name.startswith("classes"):
            shoal.data.generalized.Generalized.of(pairs, [0, 0, 1, 1]).save(path)
    found = shoal.levels(shoal.examples.florentine(), k=2)
    proofs = [found.certificate(v) for v in list(found.graph.names)[:4]]
    (folder / "x.proofs.json").write_text(json.dumps({"schema": 1, "certificates": proofs}))
    (folder / "x.mapping.csv").write_text("original,published\na,b\nb,c\nc,d\nd,a\n")
    (folder / "x.hierarchy.csv").write_text("17;10-19;*\n18;10-19;*\n25;20-29;*\n")
    shoal.audit(shoal.examples.florentine(), k=2, knowledge=["degree"], attacks=()).save(folder / "x.audit.json")
    return folder


@pytest.mark.parametrize("name", READERS)
def test_a_changed_file_is_read_or_refused(name, samples, tmp_path):
    data = (samples / f"x.{name}").read_bytes()
    path = tmp_path / f"x.{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        READERS[name](samples / f"x.{name}")
        for turn in range(ROUNDS):
            path.write_bytes(mutate_words(data, random.Random(f"{name} {turn}")))
            try:
                READERS[name](path)
            except ShoalError:
                continue
