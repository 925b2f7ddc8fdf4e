"""Saving a release of an engine: new names, files without a trace of the original, a recount before they are there."""

import json
import os
import stat

import duckdb
import pytest
from pyarrow import parquet

import shoal
from relational_cases import list_left, save
from relational_releases import draw_people, read_back, suppress_by_hand
from shoal.errors import BadParameter, BrokenPromise, FileExists, Notice
from shoal.io.digest import digest_file
from shoal.io.mapping import read_mapping
from shoal.relational import DuckDBEngine, suppress, thin

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
RING = "SELECT range + 100 AS src, (range + 1) % 30 + 100 AS dst FROM range(30)"


def release_ring(**how):
    return suppress(duckdb.sql(f"{RING} UNION ALL SELECT 776, 777"), "degree", 5, **how)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_the_files_hold_what_is_left_under_new_names(seed, tmp_path):
    people = draw_people(seed)
    spec, k = ("degree", "neighbors:1", "degree+columns:age")[seed % 3], 2
    left, _ = suppress_by_hand(people, spec, k)
    if left is None:
        pytest.fail("choose other people: nobody is left")
    links, known = people.write(tmp_path)
    out, table, mapping = (tmp_path / name for name in ("out.parquet", "who.parquet", "map.csv"))
    with suppress(links, spec, k, vertices=known, keep_at_least=0, **people.options) as release:
        release.save(out, mapping, attributes=table, seed=2**70)
    found, alone, ages, everybody = read_back(out, mapping, table)
    form = sorted if people.directed else lambda rows: sorted((*sorted((a, b)), kind) for a, b, kind in rows)
    named = [(str(a), str(b), kind) for a, b, kind in left.links]
    assert form(found) == form(named)
    linked = {end for a, b, _ in named for end in (a, b)}
    assert everybody == {str(name) for name in left.ages}
    assert alone == everybody - linked
    assert ages == {str(name): age for name, age in left.ages.items()}
    how = {"directed": True} if people.directed else {"undirected": True}
    read = shoal.read_graph(out, attributes=table, kind="kind" if people.kinds else None, **how)
    assert shoal.assess(read, spec).k >= k
    assert (read.n, read.m) == (left.graph().n, left.graph().m)


def test_the_same_seed_gives_the_same_files_and_another_one_other_names(tmp_path):
    for name, seed in (("a", 2**70), ("b", 2**70), ("c", 2**71)):
        with release_ring() as release:
            release.save(tmp_path / f"{name}.parquet", tmp_path / f"{name}.csv", seed=seed)
    a, b, c = (digest_file(tmp_path / f"{name}.parquet") for name in "abc")
    assert a == b != c


def test_public_files_tell_nothing_about_the_original(tmp_path):
    """776 and 777 are left out; neither they, nor the original's sizes, are in a public file."""
    links = [(f"subject{i}", f"subject{(i + 1) % 40}") for i in range(40)] + [("hermit776", "hermit777")]
    file = save(tmp_path / "in.parquet", src=[a for a, _ in links], dst=[b for _, b in links])
    out = tmp_path / "out"
    out.mkdir()
    with suppress(file, "degree", 5) as release:
        release.save(out / "safe.parquet", tmp_path / "secret.csv", readme=out / "README.md", seed=2**90 + 12345)
    page = json.loads((out / "safe.parquet.release.json").read_text())
    public = b"".join(path.read_bytes() for path in out.iterdir())
    for trace in ("subject", "hermit", str(2**90 + 12345), digest_file(file)):
        assert trace.encode() not in public
    numbers = {value for value in page.values() if isinstance(value, int)}
    assert 42 not in numbers
    assert 41 not in numbers
    assert page["individuals"] == 40
    assert page["promise"] == [{"kind": "candidates", "knows": "degree", "k": 5, "for": "all", "source": "release"}]
    text = (tmp_path / "secret.csv").read_text()
    assert "hermit777" not in text
    assert str(2**90 + 12345) in text
    assert f"# release id {page['release']}" in text


def test_secrets_are_private_and_the_rest_is_as_the_umask_says(tmp_path):
    before = os.umask(0o022)
    try:
        with release_ring() as release:
            release.save(tmp_path / "safe.parquet", tmp_path / "secret.csv", readme=tmp_path / "safe.md")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes.pop("secret.csv") == 0o600
    assert set(modes.values()) == {0o644}


def test_a_release_whose_written_files_count_otherwise_is_withheld(tmp_path, monkeypatch):
    """The files are counted by another engine before they are put in place."""

    def lose_a_link(parts, target, what=""):
        table = parquet.read_table(parts[0])
        parquet.write_table(table.slice(1), target)

    monkeypatch.setattr("shoal.relational.save.join_parquet", lose_a_link)
    with release_ring(engine=DuckDBEngine(temp=tmp_path, threads=1)) as release:
        with pytest.raises(BrokenPromise, match="Nothing was written"):
            release.save(tmp_path / "safe.parquet", tmp_path / "secret.csv")
        assert not [path for path in tmp_path.iterdir() if path.is_file()]
    assert list_left(tmp_path) == []


def test_existing_files_stay_without_force(tmp_path):
    place = tmp_path / "safe.parquet"
    place.write_bytes(b"old")
    with release_ring() as release:
        with pytest.raises(FileExists):
            release.save(place)
        assert place.read_bytes() == b"old"
        release.save(place, force=True)
    assert parquet.read_table(place).num_rows == 30


def test_columns_of_the_guarantee_must_be_released(tmp_path):
    people = draw_people(1)
    links, known = people.write(tmp_path)
    with suppress(links, "columns:age", 2, vertices=known, keep_at_least=0, **people.options) as release:
        with pytest.raises(BadParameter, match="attributes"):
            release.save(tmp_path / "safe.parquet")
        with pytest.raises(BadParameter, match=r"\.parquet"):
            release.save(tmp_path / "safe.csv")


def test_a_table_is_written_in_random_order(tmp_path):
    table = save(tmp_path / "t.parquet", name=list("abcdefgh"), age=[30] * 7 + [99], town=list("uvwxyzuv"))
    with suppress(table, "columns:age", 3, key="name") as release, pytest.warns(Notice, match="town"):
        release.save(tmp_path / "safe.parquet", tmp_path / "m.csv", readme=tmp_path / "r.md")
    found = parquet.read_table(tmp_path / "safe.parquet").to_pylist()
    mapping = read_mapping(tmp_path / "m.csv")
    assert {old: found[int(new)]["town"] for old, new in mapping.items()} == dict(
        zip("abcdefg", "uvwxyzu", strict=True)
    )
    assert "town" in (tmp_path / "r.md").read_text()


def test_nothing_is_promised_where_nothing_was_counted(tmp_path):
    with thin(duckdb.sql(RING), sample=0.5, undirected=True) as release:
        release.save(tmp_path / "safe.parquet", readme=tmp_path / "r.md")
    page = json.loads((tmp_path / "safe.parquet.release.json").read_text())
    assert page["promise"] == []
    assert page["nothing is promised"]
    assert "no guarantee" in (tmp_path / "r.md").read_text()


def test_the_release_is_read_back_where_people_have_no_links(tmp_path):
    """A row without a target is a person without links, in memory and in an engine."""
    with thin(duckdb.sql(RING), sample=0.3, seed=2**70, undirected=True, knowledge="degree", k=2) as release:
        release.save(tmp_path / "safe.parquet")
        expected = release.risks[0].histogram()
    with shoal.relational.assess(tmp_path / "safe.parquet", "degree", ends=None, undirected=True) as risk:
        assert risk.n == 30
        assert risk.histogram() == expected
