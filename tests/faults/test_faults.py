"""The machinery of `make faults`: no command is forgotten, and each judge finds a fault that is planted.

The long runs are `make faults` and `make leaks`.
"""

import base64
import gzip
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import shoal
from faults import downloads, judges, leaks, network
from faults.ground import Tally
from faults.originals import draw_original
from faults.writing import WITHOUT_TARGETS, WRITING, list_covered, list_targets
from shoal.cli.app import COMMANDS
from shoal.web.pages.publish import pack_files
from shoal.web.releasing import FileNames

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="faults are put in by means of Linux")
NAME, SEED = "bcdfghjklmn", (1 << 127) + 12345
ROOT = Path(__file__).parents[2]


def test_every_option_that_names_an_output_is_in_a_case():
    assert list_covered() == list_targets()
    assert set(COMMANDS) >= {one.command for one in WRITING} | WITHOUT_TARGETS
    without = [one for one in WRITING if one.command != "certify"]
    assert list_targets() - list_covered(without) == {("certify", "-o")}


def test_outputs_are_new_or_old_and_of_one_run():
    new, old = {"a": b"1", "b": b"2"}, {"a": b"0", "b": b"0"}
    assert not list(judges.judge_outputs(new, new, old))
    assert not list(judges.judge_outputs(old, new, old))
    assert not list(judges.judge_outputs({}, new, {}))
    (partial, _) = judges.judge_outputs({"a": b"", "b": b"2"}, new, old)
    assert "a is neither" in partial
    (mixed,) = judges.judge_outputs({"a": b"1", "b": b"0"}, new, old)
    assert "mixed" in mixed
    assert any(judges.judge_outputs({"b": b"2"}, new, {}))
    (left,) = judges.judge_leftovers({**new, ".a.part": None}, new, old)
    assert ".a.part" in left


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_that_names_people_and_is_open_is_found(pack, tmp_path):
    secret = tmp_path / "rows.csv"
    secret.write_bytes(pack(f"name\n{NAME}\n".encode()))
    secret.chmod(0o600)
    assert not [*judges.find_exposed(tmp_path, [NAME.encode()]), *judges.judge_modes(tmp_path, ["rows.csv"])]
    secret.chmod(0o644)
    assert "644" in next(judges.find_exposed(tmp_path, [NAME.encode()]))
    assert "644" in next(judges.judge_modes(tmp_path, ["rows.csv"]))
    folder = tmp_path / ".rows.csv.part"
    folder.mkdir(mode=0o700)
    secret.rename(folder / "rows.csv")
    assert not list(judges.find_exposed(tmp_path, [NAME.encode()]))  # nobody else comes in
    assert "names people" in next(judges.judge_temporary(tmp_path, [NAME.encode()]))
    folder.chmod(0o755)
    assert any(judges.find_exposed(tmp_path, [NAME.encode()]))


@pytest.mark.slow
def test_faults_in_the_program_are_found():
    """A writer that is not atomic, a file open to all, a leftover and a connection; without them nothing is found."""
    paths = os.pathsep.join([str(ROOT / "tests"), *sys.path])
    ended = subprocess.run(
        [sys.executable, "-m", "faults.planted"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert not ended.returncode, ended.stderr
    found = dict(line.partition(": ")[::2] for line in ended.stdout.splitlines())
    assert found["sound"].endswith(" 0 faults"), ended.stderr
    assert not found["sound"].startswith("0 ")
    assert "neither new nor old" in found["partial"]
    assert "mode 644" in found["open"]
    assert "is left" in found["left"]
    if network.can_forbid():
        assert "SIGSYS" in found["connection"] or "-31" in found["connection"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"x {NAME} y".encode(), "a name"),
        (NAME.upper().encode(), "a name"),
        (NAME.encode("utf-16"), "a name"),
        (base64.b64encode(f'{{"nodes": ["{NAME}", "other"]}}'.encode()), "a name"),
        (gzip.compress(f"{NAME}".encode()), "a name"),
        (leaks.hashlib.sha256(NAME.encode()).hexdigest().encode(), "a digest of a name"),
        (str(SEED).encode(), "a seed"),
        (f"{SEED:x}".encode(), "a seed in hexadecimal"),
        (leaks.hashlib.md5(b"source,target\n").hexdigest().encode(), "a digest of the original file"),
    ],
)
def test_what_tells_of_the_original_is_found(text, kind, tmp_path):
    original, file = tmp_path / "original.csv", tmp_path / "safe.csv"
    original.write_text("source,target\n")
    telltales = leaks.Telltales([NAME], [SEED], [original])
    file.write_bytes(b"source,target\n0,1\n")
    assert not list(leaks.search_file(file, telltales))
    file.write_bytes(text)
    assert list(leaks.search_file(file, telltales)) == [f"safe.csv holds {kind}"]


def test_the_digest_of_an_original_is_found(tmp_path):
    graph = shoal.as_graph([(NAME, "pqrstvwxzbc")])
    telltales = leaks.Telltales(graph.names, data=graph)
    (tmp_path / "x").write_text(leaks.digest_contents(graph))
    assert any("digest of the original" in fault for fault in leaks.search_file(tmp_path / "x", telltales))


@pytest.mark.parametrize(
    ("files", "secret", "fault"),
    [
        ({"safe.csv": b"0,1"}, {"safe.secret-mapping.csv": b"m"}, None),
        ({"safe.csv": NAME.encode()}, {}, "safe.csv holds a name"),
        ({"safe.csv": str(SEED).encode()}, {}, "safe.csv holds a seed"),
        ({f"{NAME}.csv": b""}, {}, "holds a name"),
        ({"safe.csv": b"0,1", "x.txt": b"m"}, {"safe.secret-mapping.csv": b"m"}, "x.txt is private"),
        ({"safe.secret-seed.txt": b""}, {}, "safe.secret-seed.txt is private"),
        ({"safe.csv": b"0,1"}, {"safe.mapping.csv": b"m"}, "safe.mapping.csv is private, and not named"),
    ],
)
def test_what_a_download_tells_is_found(files, secret, fault, tmp_path):
    packed = pack_files(files)
    found = {"zip": ("safe.zip", packed)} | {f"secret {name}": (name, body) for name, body in secret.items()}
    told = list(downloads.judge_downloads(found, leaks.Telltales([NAME], [SEED]), tmp_path))
    assert (not told) if fault is None else any(fault in one for one in told)


def test_a_zip_file_that_tells_when_it_was_made_is_found(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(zipfile.ZipInfo("a", (2026, 1, 1, 0, 0, 0)), b"")
        archive.writestr(zipfile.ZipInfo("b", (2026, 1, 2, 0, 0, 0)), b"")
        archive.comment = b"made here"
    told = list(downloads.judge_downloads({"zip": ("a.zip", packed.getvalue())}, leaks.Telltales([NAME]), tmp_path))
    assert ["comment" in told[0], "when" in told[1]] == [True, True]


@pytest.mark.slow
def test_a_mapping_in_the_download_of_the_web_app_is_found(tmp_path, monkeypatch):
    """Without it, nothing is found."""
    (tmp_path / "sound").mkdir()
    (tmp_path / "planted").mkdir()
    tally = Tally(lambda _: None)
    downloads.search_downloads(SimpleNamespace(root=tmp_path / "sound", seed=1), tally, 1)
    assert tally.cases["downloads"]
    assert not tally.faults
    public = FileNames.public.fget
    monkeypatch.setattr(FileNames, "public", property(lambda names: (*public(names), names.mapping)))
    downloads.search_downloads(SimpleNamespace(root=tmp_path / "planted", seed=1), tally, 1)
    told = str(tally.faults)
    assert "holds a name" in told
    assert "is private, and in the zip file" in told


def test_a_temporary_file_that_names_people_is_found(tmp_path):
    telltales = leaks.Telltales([NAME])
    for name, many in ((".safe.csv.part", 1), (".secret.csv.part", 0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "data").write_text(NAME)
        with leaks.watch_temporary(tmp_path, telltales, "secret.csv") as found:
            os.rename(folder / "data", folder / "moved")
        assert len(found) == many


def test_an_order_that_is_kept_is_found():
    drawn, kept, neighbors = leaks.Orders(), leaks.Orders(), leaks.Orders()
    rng = np.random.default_rng(1)
    for _ in range(40):
        drawn.add("places", rng.permutation(20).tolist())
        kept.add("places", list(range(20)))
        blocks = rng.permutation(10)
        neighbors.add("places", [2 * int(block) + i for block in blocks for i in (0, 1)])
    assert not list(drawn.judge())
    assert any(kept.judge())
    assert any("neighbors" in fault for fault in neighbors.judge())


@pytest.mark.parametrize("ending", ["csv", "parquet", "gexf"])
def test_bytes_that_depend_on_the_order_are_found(ending, tmp_path, monkeypatch):
    original = draw_original(1, 12)
    graph = shoal.as_graph(original.links)
    rng = leaks.random.Random(1)
    assert not list(leaks.judge_bytes(graph, ending, tmp_path, rng))
    written = iter(["a", "b"])
    monkeypatch.setattr(leaks.shoal, "write", lambda data, file: file.write_text(next(written)))
    assert any(leaks.judge_bytes(graph, ending, tmp_path, rng))


def test_an_address_that_others_reach_is_found():
    assert not list(network.judge_addresses([f"{network.LOOPBACK}1F90"]))
    assert len(list(network.judge_addresses(["tcp 00000000:1F90", "tcp6 0:1F90", "udp 0100007F:1"]))) == 3
