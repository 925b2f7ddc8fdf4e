"""Saving a release of an engine: new names, files without a trace of the original, a recount before they are there."""

import json
import os
import stat
import warnings
from decimal import Decimal
from hashlib import sha256
from itertools import pairwise

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from relational_cases import list_left, save
from relational_releases import draw_people, read_back, suppress_by_hand
from shoal.errors import BadParameter, BrokenPromise, FileExists, Notice
from shoal.io.digest import digest_file, digest_release
from shoal.io.mapping import read_mapping
from shoal.progress import watching
from shoal.relational import DuckDBEngine, suppress, thin
from shoal.release.manifest import SCHEMA, UNPROTECTED

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
    assert page["verification"] == [
        "degree: counted the candidates of all 40 vertices; the smallest set has 40. Counted again in these files."
    ]
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


def rewrite(change):
    """Return what writes other rows than an engine has exported."""

    def join(parts, target, what=""):
        table = parquet.read_table(parts[0])
        parquet.write_table(table if "name" in table.column_names else change(table), target)

    return join


def move_link(table):
    """Let the first link lead to the second person after its target."""
    rows = table.to_pylist()
    rows[0]["target"] = (rows[0]["target"] + 2) % 30
    return pa.Table.from_pylist(rows, table.schema)


def lose_person(table):
    """Leave out a person who has no links."""
    return table.slice(0, table.num_rows - 1)


@pytest.mark.parametrize(
    ("spec", "more", "change"),
    [
        ("columns:age", "", lambda table: table.slice(1)),  # only the number of links differs
        ("degree", "", move_link),  # only the counts differ
        ("degree", " UNION ALL SELECT 10_000 + range, 10_000 + range FROM range(9)", lose_person),
    ],
)
def test_a_release_is_withheld_for_any_difference(spec, more, change, tmp_path, monkeypatch):
    monkeypatch.setattr("shoal.relational.save.join_parquet", rewrite(change))
    people = save(tmp_path / "v.parquet", name=range(100, 130), age=[30] * 30)
    known = {"vertices": people} if spec == "columns:age" else {}
    out = tmp_path / "out"
    out.mkdir()
    attributes = {"attributes": out / "who.parquet"} if known else {}
    links = duckdb.sql(f"{RING}{more}")
    with suppress(links, spec, 5, undirected=True, drop_loops=True, **known) as release:
        with pytest.raises(BrokenPromise, match="Nothing was written"):
            release.save(out / "safe.parquet", **attributes)
        assert list(out.iterdir()) == []


def test_new_names_are_ranks_by_a_keyed_digest(tmp_path):
    """So the same seed gives the same files in every engine."""
    for names, links in (
        (range(100, 130), RING),
        ([f"n{v}" for v in range(100, 130)], f"SELECT 'n' || src AS src, 'n' || dst AS dst FROM ({RING})"),
    ):
        with suppress(duckdb.sql(links), "degree", 5) as release:
            release.save(tmp_path / "safe.parquet", tmp_path / "secret.csv", seed=2**70, force=True)
        ranked = sorted(names, key=lambda name: sha256(f"order {2**70} {name}".encode()).hexdigest())
        mapping = read_mapping(tmp_path / "secret.csv")
        assert {str(old): int(new) for old, new in mapping.items()} == {str(name): at for at, name in enumerate(ranked)}
        numbers = {name: at for at, name in enumerate(ranked)}
        rows = parquet.read_table(tmp_path / "safe.parquet").to_pylist()
        ring = {tuple(sorted((numbers[a], numbers[b]))) for a, b in pairwise([*names, names[0]])}
        found = [tuple(sorted((row["source"], row["target"]))) for row in rows]
        assert (len(found), set(found)) == (30, ring)
        assert [(row["source"], row["target"]) for row in rows] == sorted(
            (row["source"], row["target"]) for row in rows
        )


@pytest.fixture
def chain(tmp_path):
    """Four people with three calls in a ring and a mail, and one without links."""
    links = save(tmp_path / "e.parquet", src=[1, 2, 3, 1], dst=[2, 3, 1, 4], kind=["call", "call", "call", "mail"])
    cells = {
        "age": pa.array([30, 30, None, 31, 31], pa.int16()),
        "weight": [1.5, 1.5, 2, 2, None],
        "short": pa.array([1, 1, 1, 1, 2], pa.float32()),
        "paid": pa.array(map(Decimal, (1, 1, 1, 1, 2)), pa.decimal128(9, 2)),
        "town": ["a", "a", "b", "b", ""],
    }
    people = save(tmp_path / "v.parquet", name=[1, 2, 3, 4, 5], **cells)
    return links, people


def test_the_manifest_and_the_codebook_say_what_is_published(chain, tmp_path):
    links, people = chain
    described = tmp_path / "described.csv"
    described.write_text("column,description\nweight,Weight in tons\n")
    out, who, secret, readme = (tmp_path / name for name in ("o.parquet", "oa.parquet", "m.csv", "r.md"))
    with thin(
        links, 9, knowledge="degree:total", k=2, vertices=people, directed=True, kind="kind", seed=2**70
    ) as release:
        assert release.save(out, secret, attributes=who, readme=readme, descriptions=described, seed=2**71) == (
            *map(str, (out, who)),
            f"{out}.release.json",
            str(readme),
            str(secret),
        )
    page = json.loads((tmp_path / "o.parquet.release.json").read_text())
    columns = ["age", "weight", "short", "paid", "town"]
    digests = [digest_file(out), digest_file(who)]
    assert page == {
        "schema": SCHEMA,
        "shoal": shoal.__version__,
        "release": digest_release(digests),
        "files": {"o.parquet": {"sha256": digests[0]}, "oa.parquet": {"sha256": digests[1]}},
        "individuals": 5,
        "edges": 4,
        "directed": True,
        "kinds": {"call": 3, "mail": 1},
        "method": {"name": "thin", "cap degree": 9, "sample": None},
        "promise": [{"kind": "partial", "knows": ["degree:total"], "k": 2, "protected": 2, "of": 5}],
        "others": UNPROTECTED,
        "verification": [
            "degree:total: counted the candidates of all 5 vertices; 2 have 2 or more. Counted again in these files."
        ],
        "columns in no promise": columns,
        "kinds in no promise": ["call", "mail"],
        "measured": {},
    }
    text = readme.read_text()
    for row in (
        "age | numbers | 2 | 1",
        "weight | numbers | 2 | 1",
        "short | numbers | 2 | 0",
        "paid | numbers | 2 | 0",
        "town | categories | 3 | 0",
        "call | 3 | no",
        "mail | 1 | no",
    ):
        assert f"| {row} |" in text
    assert "Weight in tons" in text
    assert "o.parquet.release.json holds" in text
    assert "- oa.parquet: One row per person." in text
    first, of, release_id, head, *rows = secret.read_text().splitlines()
    assert (str(2**70) in first, str(2**71) in first) == (True, True)
    assert (digests[0] in of, page["release"] in release_id, head) == (True, True, "original,published")
    assert len(rows) == 5
    numbers = {int(old): int(new) for old, new in read_mapping(secret).items()}
    wanted = [(1, 2, "call"), (2, 3, "call"), (3, 1, "call"), (1, 4, "mail"), (5, None, None)]
    rows = [tuple(row.values()) for row in parquet.read_table(out).to_pylist()]
    assert sorted(rows, key=str) == sorted(((numbers[a], numbers.get(b), kind) for a, b, kind in wanted), key=str)
    ages = {row["name"]: row["age"] for row in parquet.read_table(who).to_pylist()}
    assert ages == {numbers[name]: age for name, age in zip(range(1, 6), [30, 30, None, 31, 31], strict=True)}


def test_what_is_not_covered_is_said(chain, tmp_path):
    links, people = chain
    how = {"vertices": people, "undirected": True, "kind": "kind", "seed": 5}

    def listen(place, **files):
        with (
            thin(links, 9, knowledge="columns:age", k=2, **how) as release,
            warnings.catch_warnings(record=True) as told,
        ):
            warnings.simplefilter("always", Notice)
            with watching(lambda what, *_: seen.add(what)):
                release.save(tmp_path / place, seed=2**70, **files)
        return [str(one.message) for one in told]

    seen = set()
    told = listen("a.parquet", attributes=tmp_path / "b.parquet")
    assert "columns published without a guarantee: weight, short, paid, town" in told
    assert "kinds of links published without a guarantee: call, mail" in told
    assert {"kinds", "releasing", "writing"} <= seen
    assert any("one such as 5 can be guessed" in one for one in told)
    how["knowledge"] = "degree"
    with thin(links, 9, k=2, **how) as release:
        with pytest.warns(Notice, match="not released: age, weight"):
            release.save(tmp_path / "c.parquet", seed=2**70)
        assert release.uncovered_kinds == ()
    page = json.loads((tmp_path / "c.parquet.release.json").read_text())
    assert (page["kinds"], page["kinds in no promise"], page["columns in no promise"]) == (
        {"call": 3, "mail": 1},
        [],
        [],
    )
    assert "directed" not in page


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
    with suppress(table, "columns:age", 3, key="name") as release:
        with pytest.raises(BadParameter, match="'attributes' must be None"):
            release.save(tmp_path / "safe.parquet", attributes=tmp_path / "who.parquet")
        with pytest.warns(Notice, match="town"):
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
