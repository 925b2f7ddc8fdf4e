"""Files written in memory have the bytes of files on disk, and nothing is written to disk."""

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import networkx as nx
import pytest

import shoal
from messages import hear, tells
from method_cases import ALL, released
from shoal.data.generalized import Generalized
from shoal.errors import BadFile, BadParameter, FileExists, ShoalError
from shoal.io.atomic import replace_file, write_text, write_together
from shoal.io.digest import digest_file
from shoal.io.files import COMPRESSIONS, MANIFEST, README, WRITTEN, hold_files, is_file
from shoal.io.targets import check_targets

CHANGES = ("os.mkdir", "os.rename", "os.link", "os.symlink", "os.truncate", "os.chmod")
CHANGED = []
"""Lists of files and folders that were made on disk, while they are recorded."""


def note_changed(event, details):
    if not CHANGED:
        return
    writes = event == "open" and isinstance(details[2], int) and details[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if (writes or event in CHANGES) and "__pycache__" not in str(details[0]):
        CHANGED[-1].append((event, str(details[0])))


sys.addaudithook(note_changed)


@pytest.fixture
def writing(tmp_path_factory, monkeypatch):
    """Hold files, in an empty folder; nothing may be written to disk, and no temporary folder may be made."""

    def fail(*_, **__):
        raise AssertionError("a temporary file or folder on disk")

    @contextmanager
    def hold(files):
        here, temporary = tmp_path_factory.mktemp("here"), tmp_path_factory.mktemp("temporary")
        with monkeypatch.context() as patch:
            patch.chdir(here)
            patch.setenv("TMPDIR", str(temporary))
            patch.setattr(tempfile, "tempdir", None)
            patch.setattr("shoal.io.atomic.make_private_folder", fail)
            patch.setattr(tempfile, "mkstemp", fail)
            CHANGED.append([])
            try:
                with hold_files(files) as held:
                    yield held
                assert not CHANGED[-1]
            finally:
                CHANGED.pop()
        assert not [*here.iterdir(), *temporary.iterdir()]

    return hold


@pytest.fixture
def same(tmp_path_factory, monkeypatch, writing):
    """Compare the files that a call writes on disk and in memory, and return them and its notices."""

    def compare(call, files=()):
        folder = tmp_path_factory.mktemp("stored")
        for name, data in dict(files).items():
            (folder / name).write_bytes(data)
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            outcome, told = hear(call)
        stored = {file.name: file.read_bytes() for file in folder.iterdir()}
        with writing(dict(files)) as held:
            assert hear(call) == (outcome, told)
        assert held == stored
        assert held.keys() > dict(files).keys()
        return held, told

    return compare


def make_network():
    """Return a network with a hard name, and an attribute."""
    graph = nx.relabel_nodes(nx.florentine_families_graph(), {"Medici": "Zoë, the 1st", "Pazzi": "007"})
    nx.set_node_attributes(graph, {name: {"age": 30 + i % 3} for i, name in enumerate(graph)})
    return shoal.as_graph(graph)


def name_file(form, packing):
    return f"safe.{'txt' if form == 'text' else form}{packing}"


@pytest.mark.parametrize("packing", ["", *COMPRESSIONS])
@pytest.mark.parametrize("form", WRITTEN)
def test_every_format_and_compression(same, form, packing):
    graph, name = make_network(), name_file(form, packing)
    release = shoal.methods.MatchDegrees(2)(graph)
    ending = "parquet" if form == "parquet" else "tsv"

    def save():
        about = {"attributes": f"people.{ending}{packing}", "readme": f"{name}{README}", "scenario": None}
        return release.save(name, "secret.csv", **about, seed=5), digest_file(name)

    held, _ = same(save)
    assert held.keys() == {name, f"people.{ending}{packing}", f"{name}{MANIFEST}", f"{name}{README}", "secret.csv"}
    same(lambda: shoal.write(graph, name, attributes=f"people.{ending}{packing}"))
    if ending == form:
        same(lambda: shoal.write(graph.attributes, name))
    with hold_files(held):
        assert shoal.read_graph(name).m == release.data.m


@pytest.mark.parametrize(("name", "i"), ALL)
def test_every_method(same, name, i):
    release = released(name, i)
    linked = release.data.has_links
    columns = tuple(release.data.attributes)
    how = {"attributes": "people.csv"} if linked and columns else {}
    how |= {"classes": "classes.json"} if name == "generalize" else {}
    how |= {"readme": f"safe.csv{README}", "scenario": shoal.Scenario.preset("internal"), "columns": columns, "seed": 7}
    held, _ = same(lambda: release.save("safe.csv", "secret.csv", **how))
    assert held["secret.csv"].startswith(b"# a secret")
    with hold_files(held):
        found = shoal.read_graph("safe.csv") if linked else shoal.read_table("safe.csv")
    assert (found.n, found.m) == (release.data.n, release.data.m)


def test_classes_reports_and_descriptions(same):
    graph = make_network()
    classes = Generalized.of(graph, [v % 3 for v in range(graph.n)])
    for name in ("classes.json", "classes.graphml.zst"):
        same(lambda: classes.save(name, seed=3))  # noqa: B023
    audit = shoal.audit(graph, attacks=(), date="2026-11-16")
    for name in ("report.html", "report.json"):
        same(lambda: audit.save(name))  # noqa: B023
    release = shoal.methods.MatchDegrees(2)(graph)
    how = {"attributes": "people.csv", "readme": "README.md", "descriptions": "about.csv", "seed": 1}
    held, _ = same(lambda: release.save("safe.csv", **how), {"about.csv": b"column,description\nage,in years\n"})
    assert b"in years" in held["README.md"]
    same(lambda: write_text(Path("a.txt"), "lone \udc80\r\n", force=False))


def test_earlier_releases_are_those_that_are_held(same, writing, tmp_path, monkeypatch):
    graph = make_network()
    release = shoal.methods.MatchDegrees(2)(graph)
    earlier, _ = same(lambda: release.save("first.csv", "first_secret.csv", seed=1))
    _, told = same(lambda: release.save("safe.csv", "secret.csv", seed=2), earlier)
    assert any(tells(one, "first_secret.csv", "earlier release") for one in told)
    assert any(tells(one, f"first.csv{MANIFEST}") for one in told)
    for name, data in earlier.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    with hold_files({}):
        _, told = hear(lambda: release.save("safe.csv", "secret.csv", seed=2))
    assert not any("earlier" in one or MANIFEST in one for one in told)


@pytest.mark.parametrize("force", [False, True])
def test_existing_files_are_replaced_only_by_force(writing, force):
    graph, release = make_network(), shoal.methods.MatchDegrees(2)(make_network())
    given = dict.fromkeys(("safe.csv", f"safe.csv{MANIFEST}", "secret.csv", "classes.json", "report.json"), b"x")
    calls = (
        lambda: shoal.write(graph.without_attributes(), "safe.csv", force=force),
        lambda: release.save("safe.csv", "secret.csv", attributes="people.csv", seed=5, force=force),
        lambda: Generalized.of(graph, [0] * graph.n).save("classes.json", force=force),
        lambda: shoal.audit(graph, attacks=(), knowledge=("degree",)).save("report.json", force=force),
    )
    for call in calls:
        with writing(given) as held:
            if force:
                hear(call)
                assert any(held[name] != b"x" for name in given)
            else:
                with pytest.raises(FileExists, match=r"exists and is not overwritten"):
                    call()
                assert held == given


def test_a_failure_leaves_no_new_file(writing, monkeypatch):
    release = shoal.methods.MatchDegrees(2)(make_network())
    steps = ["write_graph", "describe_release", "write_text", "build_codebook", "_write_mapping"]
    for step in steps:
        with writing({"safe.csv": b"x", "other.csv": b"y"}) as held, monkeypatch.context() as patch:

            def fail(*_, **__):
                raise BadFile("the disk is full")

            patch.setattr(f"shoal.release.save.{step}", fail)
            with pytest.raises(BadFile, match="full"):
                hear(lambda: release.save("safe.csv", "secret.csv", attributes="p.csv", readme="r.md", force=True))
            assert held == {"safe.csv": b"x", "other.csv": b"y"}


def write_twice(path):
    for _ in range(2):
        write_text(path, "new", force=False)


def test_files_that_belong_together(writing):
    with writing({"a.csv": b"old"}) as held:
        with pytest.raises(FileExists), write_together([Path("b.csv")], force=False) as (part,):
            write_twice(part)
        with (
            pytest.raises(BadFile, match=r"None of the files was written"),
            write_together([Path("b.csv"), Path("c.csv")], force=False) as parts,
        ):
            write_text(parts[0], "new", force=False)
        assert held == {"a.csv": b"old"}
        with write_together([Path("a.csv"), Path("b.csv")], force=True) as parts:
            for part in parts:
                write_text(part, "new", force=False)
            assert digest_file(parts[1])
            assert held == {"a.csv": b"old"}
        assert held == {"a.csv": b"new", "b.csv": b"new"}
        with pytest.raises(BadParameter, match="twice"):
            check_targets([Path("c.csv"), Path("c.csv")], force=True)


@pytest.mark.parametrize("name", ["sub/safe.csv", "/safe.csv", "../safe.csv", "..", ".", "", "a\0.csv"])
def test_names_with_folders_are_refused(writing, name):
    release = shoal.methods.MatchDegrees(2)(make_network())
    with writing({}) as held:
        for call in (
            lambda: release.save("safe.csv", name, seed=2**70, attributes="people.csv"),
            lambda: write_text(Path(name), "text", force=True),
            lambda: check_targets([Path(name)], force=True),
        ):
            with pytest.raises(ShoalError, match="without folders"):
                call()
        assert not held


def test_blocks_end_and_nest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with hold_files({"a.csv": b""}) as outer:
        with hold_files({}) as inner:
            write_text(Path("b.csv"), "b", force=False)
            assert not is_file("a.csv")
        assert (outer, inner) == ({"a.csv": b""}, {"b.csv": b"b"})
    with replace_file(tmp_path / "a.csv", force=False) as stream:
        stream.write(b"on disk")
    assert (tmp_path / "a.csv").read_bytes() == b"on disk"
    assert outer == {"a.csv": b""}
