"""Parts of a count: what is refused and said, and rows that leave an engine in parts."""

from random import Random

import duckdb
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
from relational_cases import LINKS, save
from shoal.errors import BadParameter
from shoal.relational import DuckDBEngine, open_network
from shoal.relational import parquet as parts_of_rows
from shoal.relational.parquet import join_parquet, read_batches
from shoal.relational.risk import RelationalRisk, count_people, join_sizes


@pytest.fixture
def path(tmp_path, start):
    """Return the path a, b, c in an engine."""
    with open_network(save(tmp_path / "links.parquet", **LINKS), engine=start()) as network:
        yield network


@pytest.mark.parametrize("sizes", [(7,), (1, 6), (3, 3, 1), (0, 7), (4, 0, 3), (1,) * 7, (5, 2)])
@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
def test_rows_in_parts_make_the_same_file(tmp_path, monkeypatch, sizes, rows):
    monkeypatch.setattr(parts_of_rows, "ROWS", rows)
    table = pa.table({"v": range(7), "name": list("abcdefg")})
    places, begin = [], 0
    for at, size in enumerate(sizes):
        places.append(tmp_path / f"{at}.parquet")
        parquet.write_table(table.slice(begin, size), places[-1])
        begin += size
    batches = list(read_batches(places, "reading"))
    assert [batch.num_rows for batch in batches] == [rows] * (7 // rows) + [7 % rows] * (7 % rows > 0)
    assert pa.Table.from_batches(batches) == table
    assert join_parquet(places, tmp_path / "all.parquet") == 7
    assert parquet.read_table(tmp_path / "all.parquet") == table


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("degree:out", "must have a direction for 'part' 'out'"),
        ("degree:in", "must have a direction for 'part' 'in'"),
        ("some-columns:1", "must be known columns"),
        ("columns:age", "'age'; the columns are none"),
        ("orbit", "orbit"),
        ("neighbors:3", "neighbors:3"),
    ],
)
def test_what_cannot_be_counted_is_refused(path, spec, says):
    with pytest.raises(BadParameter, match=says):
        shoal.relational.assess(path, spec)


@pytest.mark.parametrize("bits", [32, 3])
def test_refinement_goes_on_until_nothing_is_split(bits):
    """On a path, each round tells one more vertex from each end: the last ones differ after many rounds."""
    n = 25
    links = duckdb.sql(f"SELECT range AS src, range + 1 AS dst FROM range({n - 1})")
    with open_network(links, undirected=True, engine=DuckDBEngine("300MB", threads=1, bits=bits)) as network:
        for rounds in (1, 2, 5):
            risk = shoal.relational.assess(network, f"refinement:{rounds}")
            assert risk.histogram() == {2: 2 * rounds, n - 2 * rounds: n - 2 * rounds}
        assert shoal.relational.assess(network, "refinement").histogram() == {1: 1, 2: n - 1}


def test_each_triangle_is_counted_once(tmp_path):
    """Also where the corners have equally many neighbors; the sizes are those of memory."""
    rng = Random(3)
    pairs = [(a, b) for a in range(14) for b in range(a) if rng.random() < 0.4]
    graph = shoal.as_graph(pairs)
    file = save(tmp_path / "e.parquet", src=[a for a, _ in pairs], dst=[b for _, b in pairs])
    with open_network(file, undirected=True, engine=DuckDBEngine("300MB", threads=1)) as network:
        for spec in ("counts:1", "degrees:1"):
            expected = dict(zip(graph.names, shoal.assess(graph, spec).sizes.tolist(), strict=True))
            found = shoal.relational.assess(network, spec).sizes.collect()
            assert {name: size for name, size, _ in found} == expected, spec


def test_too_many_hubs_are_refused(path, monkeypatch):
    from shoal.relational.kinds import hubs

    monkeypatch.setattr(hubs, "MOST", 2)  # one hub, searched from in 3 vertices
    with pytest.raises(BadParameter, match=r"Got 1 hubs with at least 2 links, and 3 vertices"):
        shoal.relational.assess(path, "hubs:1")
    monkeypatch.setattr(hubs, "MOST", 3)
    assert shoal.relational.assess(path, "hubs:1").k == 1
    for wrong in ("hubs:4", "hubs:4:1:open"):
        with pytest.raises(BadParameter, match="at most the number of vertices, 3"):
            shoal.relational.assess(path, wrong)
    monkeypatch.undo()
    assert shoal.relational.assess(path, "hubs:3").k == 1


def test_directed_links_are_searched_both_ways(tmp_path, start, monkeypatch):
    from shoal.relational.kinds import hubs

    links = save(tmp_path / "links.parquet", **LINKS)
    with open_network(links, directed=True, engine=start()) as network:
        monkeypatch.setattr(hubs, "MOST", 5)
        with pytest.raises(BadParameter, match="hubs must be fewer"):
            shoal.relational.assess(network, "hubs:1")
        monkeypatch.setattr(hubs, "MOST", 6)
        assert shoal.relational.assess(network, "hubs:1").histogram() == {1: 3}


def test_too_many_comparisons_of_an_open_world_are_refused(tmp_path, start, monkeypatch):
    """On the path 1, 2, 3, 4 with the hubs 2 and 3, two fingerprints have 2 at distance 1, and two have 3 there."""
    from shoal.relational.kinds import hubs

    links = save(tmp_path / "links.parquet", src=[1, 2, 3], dst=[2, 3, 4])
    with open_network(links, undirected=True, engine=start()) as network:
        monkeypatch.setattr(hubs, "MOST_PAIRS", 9)
        with pytest.raises(BadParameter, match="fewer in an open world"):
            shoal.relational.assess(network, "hubs:2:1:open")
        monkeypatch.setattr(hubs, "MOST_PAIRS", 10)
        risk = shoal.relational.assess(network, "hubs:2:1:open")
        assert sorted(risk.sizes.collect()) == [(1, 2, True), (2, 1, True), (3, 1, True), (4, 2, True)]


def test_several_kinds_are_judged_person_by_person(tmp_path):
    """Below k is proved by the smallest number of candidates, and not excluded where one of them is a bound."""
    with open_network(save(tmp_path / "e.parquet", src=[0, 2, 4], dst=[1, 3, 5]), undirected=True) as network:
        sizes = {
            "one": [(0, 1, True), (1, 5, False), (2, 3, False), (3, 9, True), (4, 3, True), (5, 3, False)],
            "two": [(0, 1, True), (1, 4, True), (2, 2, False), (3, 9, True), (4, 9, True), (5, 9, True)],
        }
        risks = []
        for table, rows in sizes.items():
            network.engine.fill(table, ("v BIGINT", "candidates BIGINT", "exact BOOLEAN"), rows)
            counted = [(size, exact, 1) for _, size, exact in rows]
            risks.append(RelationalRisk(network, shoal.parse_knowledge("degree"), table, counted))
        assert count_people(risks, 3) == (2, 2)
        assert count_people(risks[:1], 3) == (1, 3)
        assert [risk.exact for risk in risks] == [True, True]  # somebody is surely unique
        assert not any(risk.all_exact for risk in risks)
        assert not RelationalRisk(network, risks[0].adversary, "one", [(3, False, 1), (4, True, 5)]).exact
        assert (risks[0].count_below(3), risks[0].rate(4)) == (1, 4 / 6)
        assert risks[0].histogram() == {1: 1, 3: 3, 5: 1, 9: 1}


def test_sizes_of_several_kinds_are_one_table(path):
    risks = [shoal.relational.assess(path, spec) for spec in ("degree", "neighbors:1")]
    table = join_sizes(risks)
    assert table.rows == 6
    assert sorted(table.collect()) == [
        (risk.adversary.spec, *row) for risk in risks for row in sorted(risk.sizes.collect())
    ]


@pytest.mark.parametrize(
    ("first", "second"), [((1, 1), (1, 2)), ((1, 2), (2, 1)), ((1, None), (1, 1)), ((None, 1), (1, None))]
)
def test_all_columns_count(first, second):
    """Two records are alike only if they are in every column."""
    rows = duckdb.sql("SELECT * FROM (VALUES (?, ?), (?, ?), (7, 7)) v(a, b)", params=[*first, *second])
    for spec in ("columns:a,b", "some-columns:2:a,b"):
        with shoal.relational.assess(rows, spec) as risk:
            assert risk.histogram() == {1: 3}, spec
            assert repr(risk.network) == "Table(3 records in duckdb)"


def test_the_order_of_the_kinds_of_a_pair_does_not_count(tmp_path, start):
    """Pairs with a call and a mail are linked alike, in whatever order these are listed."""
    rows = [(v, v + 1, kind) for v in range(0, 600, 2) for kind in (("call", "mail") if v % 3 else ("mail", "call"))]
    src, dst, kinds = zip(*rows, strict=True)
    file = save(tmp_path / "e.parquet", src=src, dst=dst, kind=kinds)
    with open_network(file, undirected=True, kind="kind", engine=start()) as network:
        for spec in ("refinement:2", "degrees:1"):
            assert shoal.relational.assess(network, spec).histogram() == {600: 600}, spec


def test_a_network_and_its_counts_describe_themselves(path):
    assert repr(path).startswith("Network(3 vertices, 2 edges in ")
    risk = shoal.relational.assess(path, "degree")
    assert (risk.histogram(), risk.buckets()["1"], risk.buckets()["2-4"]) == ({1: 1, 2: 2}, 1, 2)
    assert sum(risk.buckets().values()) == 3
    assert "Degree()" in repr(risk)
    levels = shoal.relational.levels(path, 2)
    assert "2" in repr(levels)
    assert levels.l == min(level for level, *_ in levels.counted)


@pytest.mark.parametrize(("options", "says"), [({"ends": ("src", "dst")}, "'source' must be links")])
def test_how_a_loaded_network_was_read_is_not_said_again(path, options, says):
    with pytest.raises(BadParameter, match=says):
        shoal.relational.assess(path, "degree", **options)


def test_sizes_of_a_network_that_a_count_opened_end_with_it(tmp_path, start):
    links = save(tmp_path / "links.parquet", **LINKS)
    with shoal.relational.assess(links, "degree", engine=start()) as risk:
        assert sorted(risk.sizes.collect()) == [("a", 2, True), ("b", 1, True), ("c", 2, True)]
    with pytest.raises(shoal.ShoalError):
        risk.sizes.collect()


def test_the_cells_of_what_is_no_source_are_not_shown():
    people = pa.table({"source": ["Medici", "Pazzi"], "target": ["Pazzi", "Strozzi"]})
    with pytest.raises(BadParameter, match="Got a value of type Table") as caught:
        shoal.relational.open_network(people)
    assert "Medici" not in str(caught.value)
