"""Files held in memory are read as the same bytes on disk would be, and the disk is not read."""

import bz2
import gzip
import json
import sys
from contextlib import contextmanager
from hashlib import sha256

import networkx as nx
import pyarrow as pa
import pytest

import shoal
from messages import hear, tells
from shoal.errors import BadFile, BadParameter, ShoalError
from shoal.io.digest import digest_contents, digest_file
from shoal.io.files import MANIFEST, WRITTEN, find_file, hold_files, is_file
from shoal.io.read import read_attributes
from shoal.progress import find_input, remember_inputs
from workbooks import write_workbook

PACKERS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}
PEOPLE = b"name,age,town\nAnn,30,x\nBo,41,y \nZoe,,x\n"
AGES = b"30;30-39;*\n41;40-49;*\n"
SCENARIO = b'k = 3\n[[knows]]\nspec = "degree"\n'
OPENED = []
"""Lists of paths that were opened, while they are recorded."""


def note_opened(event, details):
    if event == "open" and OPENED:
        OPENED[-1].append(str(details[0]))


sys.addaudithook(note_opened)


@contextmanager
def holding(files, folder, monkeypatch):
    """Hold files, in a folder with other files of the same names; no such name may be opened."""
    for name in files:
        (folder / name).write_bytes(b"other\n")
    monkeypatch.chdir(folder)
    OPENED.append([])
    try:
        with hold_files(files):
            yield
        assert not [place for place in OPENED[-1] if any(place.endswith(name) for name in files)]
    finally:
        OPENED.pop()


def attempt(call):
    """Return the outcome of a call, or its error, and its notices."""

    def outcome():
        try:
            return call()
        except ShoalError as error:
            return type(error), str(error)

    return hear(outcome)


@pytest.fixture
def same(tmp_path_factory, monkeypatch):
    """Compare a call with files on disk and with held files, and return its outcome and notices."""

    def compare(files, call):
        stored, others = tmp_path_factory.mktemp("stored"), tmp_path_factory.mktemp("others")
        for name, data in files.items():
            (stored / name).write_bytes(data)
        monkeypatch.chdir(stored)
        there = attempt(call)
        with holding(files, others, monkeypatch):
            held = attempt(call)
        assert held == there
        return held

    return compare


def describe(data):
    """Return what a graph or a table holds, in order."""
    columns = {name: list(data.attributes[name]) for name in data.attributes}
    links = [tuple(part.tolist() for part in data.list_links()[:2])] if isinstance(data, shoal.Graph) else []
    return list(data.names or ()), columns, links, digest_contents(data)


def write_network(folder, form, **more):
    """Return the bytes of a small network with hard names in a format."""
    graph = nx.relabel_nodes(nx.florentine_families_graph(), {"Medici": "Zoë, the 1st", "Pazzi": "007"})
    place = folder / f"network.{form}"
    shoal.write(shoal.as_graph(graph), place, **more)
    return place.read_bytes()


def write_people(folder):
    rows = [["source", "target", "note"], ["Ann", "Bo", "a"], ["Bo", "Zoe", "b"]]
    return write_workbook(folder / "book.xlsx", rows, more=[["x", "y"], ["p", "q"]]).read_bytes()


@pytest.mark.parametrize("packing", PACKERS)
@pytest.mark.parametrize("form", WRITTEN)
def test_every_format_and_compression(tmp_path, same, form, packing):
    data = PACKERS[packing](write_network(tmp_path, "txt" if form == "text" else form, format=form))
    name = f"friends.{'txt' if form == 'text' else form}{packing}"

    def call():
        found = shoal.read_graph(name, format=form)
        return describe(found), digest_file(name)

    (told, digest), _ = same({name: data}, call)
    assert (len(told[0]), len(told[2][0][0]), len(digest)) == (15, 20, 64)
    assert "Zoë, the 1st" in told[0]


@pytest.mark.parametrize("packing", PACKERS)
def test_workbooks(tmp_path, same, packing):
    pytest.importorskip("python_calamine")
    name = f"book.xlsx{packing}"
    data = PACKERS[packing](write_people(tmp_path))
    found, told = same({name: data}, lambda: describe(shoal.read_graph(name)))
    assert found[0] == ["Ann", "Bo", "Zoe"]
    assert any(tells(one, name, "more") for one in told)
    same({name: data}, lambda: describe(shoal.read_table(name, key="source")))
    same({name: data}, lambda: describe(shoal.read_graph(name, sheet="more")))
    same({name: data}, lambda: describe(shoal.read_graph(name, sheet="none")))


@pytest.mark.parametrize("packing", PACKERS)
def test_tables_attributes_and_hierarchies(same, packing):
    pack = PACKERS[packing]
    people, ages = f"people.csv{packing}", f"ages.csv{packing}"
    files = {"friends.csv": b"Ann,Bo,30\nBo,Zoe,41\n", people: pack(PEOPLE), ages: pack(AGES)}
    found, told = same(files, lambda: describe(shoal.read_table(people, key="name")))
    assert found[1] == {"age": [30, 41, None], "town": ["x", "y ", "x"]}
    assert any(tells(one, people, "blanks") for one in told)
    found, _ = same(files, lambda: describe(shoal.read_graph("friends.csv", attributes=people)))
    assert found[1]["age"] == [30, 41, None]
    kinds = lambda: shoal.read_graph("friends.csv", kind=2, bins=f"hierarchy:{ages}:1").kinds  # noqa: E731
    assert set(same(files, kinds)[0]) == {"30-39", "40-49"}
    same(files, lambda: shoal.read_hierarchy(ages))
    same(files, lambda: read_attributes(people).keys)


@pytest.mark.parametrize(
    ("name", "data", "facts"),
    [
        ("friends.csv", b"a,b\nc,d\ne\n", ("friends.csv, line 3",)),
        ("friends.csv", b"a,b\nc,\xff\n", ("friends.csv, line 2", "0xff")),
        ("friends.csv", b"", ("friends.csv", "empty")),
        ("friends.csv", b"a,b\nb,b\n", ("friends.csv", "loop")),
        ("friends.csv.gz", gzip.compress(b"a,b\n" * 999, mtime=0)[:-9], ("friends.csv.gz", ".gz")),
        ("friends.csv.bz2", bz2.compress(b"a,b\n" * 999)[:-9], ("friends.csv.bz2", ".bz2")),
        ("friends.csv.zst", PACKERS[".zst"](b"a,b\n" * 999)[:-9], ("friends.csv.zst", ".zst")),
        ("friends.csv.zst", b"a,b\n", ("friends.csv.zst", ".zst")),
        ("friends.csv", gzip.compress(b"a,b\n", mtime=0), ("friends.csv", "gzip")),
        ("friends.parquet", b"PAR1 and more", ("friends.parquet", "parquet")),
        ("friends.json", b'{"nodes": [}', ("friends.json, line 1",)),
        ("friends.mtx", b"%%MatrixMarket matrix coordinate pattern general\n9 9 9\n", ("friends.mtx, line 2",)),
        ("friends.doc", b"a,b\n", ("friends.doc", "'.doc'")),
    ],
)
def test_errors(same, name, data, facts):
    (kind, text), _ = same({name: data}, lambda: shoal.read_graph(name))
    assert issubclass(kind, ShoalError)
    assert tells(text, *facts)


def test_the_limits_of_size(same, monkeypatch):
    monkeypatch.setattr("shoal.io.files.UNPACKED", 1000)
    for packing in (".gz", ".bz2", ".zst"):
        data = PACKERS[packing](b"a,b\n" * 10**5)
        (kind, text), _ = same({f"a.csv{packing}": data}, lambda: shoal.read_graph(f"a.csv{packing}"))  # noqa: B023
        assert kind is BadFile
        assert tells(text, "expands", f"{len(data):,}")


def test_scenarios_and_mappings(same):
    rule, _ = same({"rule.toml": SCENARIO}, lambda: shoal.Scenario.read("rule.toml"))
    assert (rule.name, rule.k) == ("rule", 3)
    same({"rule.toml": b"k ="}, lambda: shoal.Scenario.read("rule.toml"))
    mapping, _ = same({"secret.csv": b"original,published\nAnn,7\n"}, lambda: shoal.read_mapping("secret.csv"))
    assert mapping == {"Ann": "7"}


def test_an_audit_is_the_same(tmp_path, same):
    def call():
        graph = shoal.read_graph("friends.csv", attributes="people.csv")
        audit = shoal.audit(graph, files=("friends.csv", None), attacks=(), date="2026-11-16")
        return drop_times(json.loads(audit.json()))

    data = write_network(tmp_path, "csv")
    found, _ = same({"friends.csv": data, "people.csv": b"name,age\nAlbizzi,30\n"}, call)
    assert (found["input"]["file"], found["input"]["sha256"]) == ("friends.csv", sha256(data).hexdigest())


def drop_times(found):
    """Drop what differs between two runs: times."""
    if isinstance(found, dict):
        return {key: drop_times(value) for key, value in found.items() if "seconds" not in key and "time" not in key}
    return [drop_times(one) for one in found] if isinstance(found, list) else found


def test_a_release_is_held_with_its_manifest(tmp_path, same):
    release = shoal.methods.MatchDegrees(2)(shoal.as_graph(list(nx.karate_club_graph().edges)))
    place = tmp_path / "safe.csv"
    release.save(place)
    files = {name: (tmp_path / name).read_bytes() for name in ("safe.csv", f"safe.csv{MANIFEST}")}
    named, _ = same(files, lambda: shoal.read_graph("safe.csv").names.fresh)
    assert named
    assert not same({"safe.csv": files["safe.csv"]}, lambda: shoal.read_graph("safe.csv").names.fresh)[0]


def test_other_paths_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "other.csv"
    there.write_text("a,b\n")
    with hold_files({"friends.csv": b"a,b\nb,c\n"}):
        for path in (there, str(there), "other.csv", "/etc/passwd", "Friends.csv", "sub/friends.csv", "..", "a\0b.csv"):
            with pytest.raises(BadFile, match="must be a file that exists"):
                shoal.read_graph(path)
            with pytest.raises(BadFile, match="must be a file that exists"):
                digest_file(path)
            assert not is_file(path)
        with pytest.raises(BadFile, match=r"Did you mean 'friends\.csv'"):
            shoal.read_graph("freinds.csv")
        with pytest.raises(BadFile, match=r"people.csv: must be a file that exists"):
            shoal.read_graph("friends.csv", attributes="people.csv")
        with pytest.raises(BadFile, match="must be a file that exists"):
            shoal.Scenario.read(there)
        with pytest.raises(BadFile, match="must be a file that exists"):
            shoal.read_mapping(there)
    assert shoal.read_graph(there).n == 2


def test_blocks_end_and_nest():
    with hold_files({"a.csv": b"a,b\n"}):
        with hold_files({"b.csv": b"a,b\nb,c\n"}):
            assert shoal.read_graph("b.csv").n == 3
            assert not is_file("a.csv")
        assert shoal.read_graph("a.csv").n == 2
    with pytest.raises(BadFile):
        find_file("a.csv")


def test_a_held_file_is_no_input_on_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("x,y\n")
    with remember_inputs():
        with hold_files({"a.csv": b"a,b\n"}):
            shoal.read_graph("a.csv")
        assert find_input("a.csv") is None


@pytest.mark.parametrize("files", [{"a/b.csv": b""}, {"": b""}, {".": b""}, {"a.csv": "text"}, {1: b""}])
def test_names_and_contents_are_checked(files):
    with pytest.raises(BadParameter, match="hold_files"), hold_files(files):
        pass
