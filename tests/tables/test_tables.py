"""Tables: counted as the oracle says, for classes, levels, minimal uniques, attackers and diversity."""

import warnings
from math import inf

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
import tables_oracle as oracle
from shoal.core import column_sets as engine
from shoal.core.grouping import count_class_sizes, group_columns
from shoal.errors import BadParameter, UnknownColumn, UnknownVertex

VALUES = st.sampled_from(["x", "y", None, 1, 1.0, True, "1", float("nan")])


@st.composite
def tables(draw, most=9, columns=4, least=1):
    n = draw(st.integers(least, most))
    width = draw(st.integers(1, columns))
    return {f"c{i}": draw(st.lists(VALUES, min_size=n, max_size=n)) for i in range(width)}


@settings(max_examples=120)
@given(table=tables())
def test_classes(table):
    risk = shoal.assess(table, shoal.knowledge.Columns(*table))
    for v in range(oracle.n_of(table)):
        assert list(risk.candidates(v)) == oracle.agreeing(table, v, list(table))


@pytest.mark.slow
@settings(max_examples=120)
@given(table=tables(), data=st.data())
def test_levels(table, data):
    k = data.draw(st.integers(1, oracle.n_of(table)))
    limit = data.draw(st.sampled_from([None, 1, 2]))
    found = shoal.levels(shoal.as_table(table), k=k, max_size=limit)
    for v in range(oracle.n_of(table)):
        size = oracle.smallest_revealing(table, v, k, limit)
        if size is not None:
            assert (found.per_vertex[v], found.exact[v]) == (size - 1, True)
            check_witness(table, found.witness(v), v, k, size)
        elif limit is None or found.per_vertex[v] == inf:
            assert found.per_vertex[v] == inf
            assert oracle.smallest_revealing(table, v, k) is None
        else:
            assert (found.per_vertex[v], found.exact[v], found.witness(v)) == (min(limit, len(table)), False, None)


def check_witness(table, witness, v, k, size):
    known = [name for name, _ in witness.knows[0].value]
    assert len(known) == size
    assert list(witness.candidates) == oracle.agreeing(table, v, known)
    assert len(witness.candidates) < k


@pytest.mark.slow
@settings(max_examples=80)
@given(table=tables(), data=st.data())
def test_a_number_per_size_of_the_set(table, data):
    n = oracle.n_of(table)
    k = tuple(data.draw(st.lists(st.none() | st.integers(1, n), min_size=1, max_size=4)))
    if all(least is None for least in k):
        k = (*k, 1)
    found = shoal.levels(shoal.as_table(table), k=k)
    for v in range(n):
        size = oracle.smallest_revealing(table, v, k)
        if size is not None:
            assert found.per_vertex[v] == size - 1
            check_witness(table, found.witness(v), v, k[size - 1], size)
        else:
            whole = len(k) >= len(table)
            assert found.per_vertex[v] == (inf if whole else len(k))
            assert found.exact[v] == whole


@pytest.mark.parametrize(
    ("k", "limit", "most"), [(2, None, 3), (2, 9, 3), (2, 2, 2), ((2, 2), None, 2), ((2, 2), 1, 1)]
)
def test_levels_say_what_may_be_known_and_how_large_the_sets_were(k, limit, most):
    table = {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [0, 0, 0, 0]}
    found = shoal.levels(shoal.as_table(table), k=k, max_size=limit)
    assert (found.reading, found.most, found.columns) == ("columns", most, ("a", "b", "c"))


def test_a_witness_says_the_known_columns_and_their_values():
    table = {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [0, 0, 0, 0]}
    (fact,) = shoal.levels(shoal.as_table(table), k=2).witness(2).knows
    assert (fact.kind, fact.value) == ("some-columns", [("a", 2), ("b", 1)])


@pytest.mark.parametrize(("worth", "tried"), [(20, 5_000), (0, 0)], ids=["all sets", "a search per record"])
def test_both_searches_find_the_same_smallest_sets(monkeypatch, worth, tried):
    monkeypatch.setattr(engine, "WORTH", worth)
    monkeypatch.setattr(engine, "TRIED", tried)
    rng = np.random.default_rng(3)
    for _ in range(60):
        n, width = rng.integers(2, 14), rng.integers(2, 7)
        table = {f"c{i}": rng.integers(0, rng.integers(1, 4) + 1, n).tolist() for i in range(width)}
        k = int(rng.integers(2, n + 1))
        found = shoal.levels(shoal.as_table(table), k=k)
        for v in range(n):
            size = oracle.smallest_revealing(table, v, k)
            assert found.per_vertex[v] == (inf if size is None else size - 1)
            if size is not None:
                check_witness(table, found.witness(v), v, k, size)


@pytest.mark.slow
def test_many_columns_are_searched_record_by_record():
    rng = np.random.default_rng(5)
    table = {f"c{i}": rng.integers(0, 2, 40).tolist() for i in range(70)}
    table |= {f"d{i}": [0] * 40 for i in range(10)}
    found = shoal.levels(shoal.as_table(table), k=2)
    assert found.exact.all()
    for v in range(0, 40, 8):
        assert oracle.smallest_revealing(table, v, 2, int(found.per_vertex[v])) is None
        check_witness(table, found.witness(v), v, 2, int(found.per_vertex[v]) + 1)


@pytest.mark.slow
@settings(max_examples=100)
@given(table=tables(), data=st.data())
def test_minimal_uniques_are_all_of_them_and_minimal(table, data):
    k = data.draw(st.integers(1, oracle.n_of(table)))
    limit = data.draw(st.sampled_from([None, 1, 2, 3]))
    found = shoal.tables.minimal_uniques(table, max_size=limit, k=k)
    for v in range(oracle.n_of(table)):
        wanted = oracle.minimal_uniques(table, v, k, min(limit or 9, len(table)))
        assert set(found.of(v)) == wanted
        assert found.counts[v] == len(wanted)
        assert found.smallest[v] == min(map(len, wanted), default=0)
        assert found.scores[v] == sum(found.score(len(S)) for S in wanted)


def test_scores_are_those_of_suda():
    """m = 4 columns, sets of up to 3: one column counts 3 * 2 * 1, two count 2 * 1, three count 1."""
    found = shoal.tables.minimal_uniques({"a": [1, 2], "b": [1, 1], "c": [1, 1], "d": [1, 1]}, max_size=3)
    assert [found.score(s) for s in (1, 2, 3)] == [6, 2, 1]
    assert found.scores.tolist() == [6, 6]
    assert found.contributions == {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0}


def test_contributions_add_up_over_the_sets_of_a_column():
    table = {"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": [0, 0, 0, 1]}
    found = shoal.tables.minimal_uniques(table)
    assert set(found.of(3)) == {("a", "b"), ("c",)}
    assert found.of(0) == (("a", "b"),)
    assert found.of(1) == (("a", "b"), ("b", "c"))
    total = sum(found.scores)
    assert found.contributions["c"] == (found.score(1) + 2 * found.score(2)) / total
    assert found.contributions["a"] == 5 * found.score(2) / total


def test_keys_wider_than_a_word_are_counted_exactly():
    rng = np.random.default_rng(1)
    wide = [rng.integers(0, 2**30, 500) for _ in range(5)]
    wide = [np.concatenate([column, column[:100]]) for column in wide]
    assert count_class_sizes(wide).tolist() == [2] * 100 + [1] * 400 + [2] * 100
    far = [np.array([-(2**62), 2**62, -(2**62), 0])]
    assert group_columns(far).tolist() == [0, 1, 0, 2]


MIXED = {"age": [30, 30, 41, None], "sex": ["f", "f", "m", "m"]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, shoal.as_table, dict], ids=lambda f: f.__name__)
def test_every_kind_of_table_is_accepted(make):
    assert shoal.assess(make(MIXED), shoal.knowledge.Columns("age", "sex")).sizes.tolist() == [2, 2, 1, 1]
    assert shoal.assess(make(MIXED), "some-columns:1").sizes.tolist() == [2, 2, 1, 1]


def test_a_file_is_a_table_where_columns_are_known(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text("age,sex\n30,f\n30,f\n41,m\n,m\n")
    assert shoal.assess(file, "columns:age").sizes.tolist() == [2, 2, 1, 1]
    assert shoal.assess(str(file), "columns:age").k == 1


def test_a_frame_is_an_edge_list_where_links_are_known():
    edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    assert shoal.assess(edges, "degree").graph.m == 2


def test_knowledge_of_links_is_refused_for_a_table():
    with pytest.raises(BadParameter, match="no links"):
        shoal.assess(shoal.as_table(MIXED), "degree")


def test_records_are_named_by_position_or_key():
    by_key = shoal.as_table({"id": ["p", "q", "r", "s"], **MIXED}, key="id")
    assert shoal.assess(by_key, "columns:age").at_risk(2) == ("r", "s")
    risk = shoal.assess(MIXED, "columns:age")
    assert risk.at_risk(2) == (2, 3)
    with pytest.raises(UnknownVertex):
        risk.candidates("0")


def test_facts_from_the_original_table():
    release = {"age": [30, 30, 41], "sex": ["m", "f", "f"]}
    original = {"age": [30, 41, 50], "sex": ["f", "f", "m"]}
    mapping = {0: 1, 1: 2, 2: 0}
    risk = shoal.assess(release, "columns:age,sex", original=original, mapping=mapping)
    assert risk.sizes.tolist() == [1, 1, 0]
    assert risk.misled == (2,)
    assert shoal.assess(release, "some-columns:2", original=original, mapping=mapping).sizes.tolist() == [1, 1, 1]


def test_joint_risk_of_table_and_structure():
    """Age 30 and a link to the 41-year-old identify one vertex together, but not each alone."""
    import networkx as nx

    g = nx.path_graph(4)
    nx.set_node_attributes(g, {0: 30, 1: 41, 2: 41, 3: 30}, "age")
    risk = shoal.assess(g, shoal.knowledge.Columns("age") & shoal.knowledge.Neighbors(1))
    assert shoal.assess(g, shoal.knowledge.Columns("age")).k == 2
    assert risk.sizes.tolist() == [1, 1, 1, 1]


@pytest.mark.slow
@settings(max_examples=80)
@given(table=tables(most=8), data=st.data())
def test_diversity_and_closeness(table, data):
    n = oracle.n_of(table)
    table["s"] = data.draw(st.lists(VALUES, min_size=n, max_size=n))
    table["number"] = data.draw(
        st.lists(st.sampled_from([1, 2.5, 7, 2**53, 2**53 + 1, 10**400, None]), min_size=n, max_size=n)
    )
    columns = [name for name in table if name.startswith("c")]
    text, number = shoal.tables.diversity(shoal.assess(table, shoal.knowledge.Columns(*columns)), ["s", "number"])
    distinct, entropy, known = oracle.diversity(table, columns, "s")
    assert (text.distinct, text.known) == (distinct, known)
    assert text.entropy == pytest.approx(entropy)
    if distinct and not shoal.as_table(table)["s"].is_numeric:
        assert text.closeness == pytest.approx(oracle.variation(table, columns, "s"))
    if oracle.diversity(table, columns, "number")[0]:
        table["known"] = [x is not None for x in table["number"]]
        farther = max(oracle.ordered(table, columns, "number"), oracle.variation(table, columns, "known"))
        assert number.closeness == pytest.approx(farther)


@pytest.mark.parametrize(
    ("low", "high"),
    [(2**53, 2**53 + 1), (float(2**53), 2**53 + 1), (-(2**64) - 1, -(2.0**64)), (0.5, 10**400), (-(10**400), 10**400)],
    ids=["2**53", "float", "negative", "huge", "both signs"],
)
def test_closeness_ranks_whole_numbers_of_any_size(low, high):
    """Each class has one of the two values: it is half of the way from the whole table, however near they are."""
    people = {"class": ["x", "x", "y", "y"], "s": [low, low, high, high]}
    assert shoal.tables.diversity(shoal.assess(people, "columns:class"), "s")[0].closeness == 0.5


def test_closeness_keeps_the_order_of_whole_numbers_above_2_to_53():
    """Three values one apart: the middle one is nearer to the others than they are to each other."""
    first = 2**60
    people = {"class": list("xxyyzz"), "s": [x for x in (first, first + 1, first + 2) for _ in range(2)]}
    small = {"class": list("xxyyzz"), "s": [0, 0, 1, 1, 2, 2]}
    large, known = (shoal.tables.diversity(shoal.assess(data, "columns:class"), "s") for data in (people, small))
    assert large == known
    assert known[0].closeness == pytest.approx(0.5)


def test_the_three_attackers():
    sample = {"age": [30, 30, 41, 41, 41]}
    risk = shoal.assess(sample, "columns:age")
    prosecutor, journalist, marketer = shoal.tables.attackers(risk)
    assert (prosecutor.highest, prosecutor.mean, prosecutor.expected) == pytest.approx((1 / 2, 2 / 5, 2))
    assert (journalist.highest, marketer.highest) == pytest.approx((1 / 2, 2 / 5))
    people = {"age": [30] * 4 + [41] * 6 + [50]}
    _, journalist, marketer = shoal.tables.attackers(risk, population=people)
    assert journalist.highest == 1 / 4
    assert marketer.mean == pytest.approx((2 / 4 + 3 / 6) / 5)
    assert not marketer.estimated


@pytest.mark.parametrize("p", [1e-9, 1e-6, 1e-3])
def test_the_estimated_chance_of_a_tiny_sample(p):
    """For f = 1 and f = 2 there is a closed form."""
    from math import log

    from shoal.tables.attacker_models import estimate_chance

    q = 1 - p
    one = p / q * log(1 / p)
    assert estimate_chance(np.array([1, 2, 1000]), p).tolist() == pytest.approx(
        [one, (p - p * one) / q, p / 999], rel=1e-4
    )
    assert estimate_chance(np.array([1, 3]), 1.0).tolist() == pytest.approx([1, 1 / 3], rel=1e-12)
    assert (estimate_chance(np.array([1, 3]), 1.0) <= [1, 1 / 3]).all()


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.001, 0.1, 0.5, 0.9])
def test_the_estimated_chance_is_the_mean_of_the_negative_binomial(p):
    from scipy.stats import nbinom

    from shoal.tables.attacker_models import estimate_chance

    for f in (1, 2, 7, 40):
        more = np.arange(0, 400_000)
        exact = float((nbinom.pmf(more, f, p) / (f + more)).sum())
        assert estimate_chance(np.array([f]), p)[0] == pytest.approx(exact, rel=1e-5)


def test_invalid_parameters_are_refused():
    risk = shoal.assess(MIXED, "columns:age")
    with pytest.raises(BadParameter, match="must contain the sample"):
        shoal.tables.attackers(risk, population={"age": [30, 30, 41]})
    with pytest.raises(BadParameter, match="Got both"):
        shoal.tables.attackers(risk, population=MIXED, fraction=0.5)
    with pytest.raises(BadParameter, match="above 0, at most 1"):
        shoal.tables.attackers(risk, fraction=0)
    with pytest.raises(BadParameter, match="into classes"):
        shoal.tables.diversity(shoal.assess(MIXED, "some-columns:1"), "sex")
    with pytest.raises(UnknownColumn, match="Did you mean 'age'"):
        shoal.assess(MIXED, "columns:aeg")
    with pytest.raises(UnknownColumn):
        shoal.levels(shoal.as_table(MIXED), k=2, columns=["zip"])
    with pytest.raises(BadParameter, match="different columns"):
        shoal.levels(shoal.as_table(MIXED), k=2, columns=["age", "age"])
    with pytest.raises(BadParameter, match="records, 4"):
        shoal.levels(shoal.as_table(MIXED), k=5)
    with pytest.raises(BadParameter, match="per size"):
        shoal.levels(shoal.as_table(MIXED), k=(None, None))
    with pytest.raises(BadParameter, match="links"):
        shoal.levels(shoal.as_table(MIXED), k=2).certificate(0)
    with pytest.raises(BadParameter, match="'columns' for a table"):
        shoal.levels(shoal.as_table(MIXED), "neighbors", k=2)
    with pytest.raises(BadParameter, match="one or more"):
        shoal.tables.minimal_uniques(MIXED, columns=[])
    with pytest.raises(BadParameter, match="a column to know"):
        shoal.assess(shoal.examples.karate().without_attributes(), "some-columns:2")


def test_the_repeated_hour_of_a_clock_change_is_two_hours():
    from datetime import datetime, time
    from zoneinfo import ZoneInfo

    berlin = ZoneInfo("Europe/Berlin")
    twice = [datetime(2020, 10, 25, 2, 30, tzinfo=berlin, fold=fold) for fold in (0, 1)]
    assert shoal.assess({"at": twice}, "columns:at").k == 1
    zoned = pa.array([1603585800, 1603589400], pa.timestamp("s", "Europe/Berlin"))
    assert shoal.assess(pa.table({"at": zoned}), "columns:at").k == 1
    assert shoal.assess(pa.table({"at": zoned}).to_pandas(), "columns:at").k == 1
    assert shoal.assess({"at": [time(2, 30), time(2, 30, fold=1)]}, "columns:at").k == 1


def test_times_finer_than_pythons_stay_apart():
    fine = pa.table({"at": pa.array([1000, 1001], pa.time64("ns"))})
    assert shoal.assess(fine, "columns:at").k == 1
    assert shoal.assess(pa.table({"at": pa.array([0, 1], pa.date64())}), "columns:at").k == 1
    nested = pa.table({"at": pa.array([{"t": 1000}], pa.struct([("t", pa.time64("ns"))]))})
    with pytest.raises(BadParameter, match="must not have nanoseconds"):
        shoal.assess(nested, "columns:at")


def test_missing_is_a_value_where_others_drop_the_row():
    """pycanon drops the rows with a missing cell and reports 2; the record without an age is unique."""
    assert shoal.assess({"age": [30, 30, None]}, "columns:age").k == 1
    assert shoal.assess({"age": [30, 30, None, None]}, "columns:age").k == 2


# cells of a text file are alike exactly if they are spelled alike


@pytest.mark.filterwarnings("ignore:.*blanks:shoal.errors.Notice")
def test_blanks_and_spellings_leave_as_few_candidates_as_the_published_file(tmp_path):
    rows = [("a", "50.6"), ("a ", "50.6"), ("a", "50.600"), ('"a "', "50.6")]
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in rows))
    table = shoal.read_table(tmp_path / "t.csv")
    assert shoal.assess(table, "columns:x").sizes.tolist() == [2, 2, 2, 2]
    assert shoal.assess(table, "columns:y").sizes.tolist() == [3, 3, 1, 3]
    assert shoal.assess(table, "columns:x,y").sizes.tolist() == [1, 2, 1, 2]


def test_a_known_number_matches_another_spelling(tmp_path):
    """Otherwise 50.600 in the original would match no record, although 50.6 of the release is the same number."""
    (tmp_path / "t.csv").write_text("x,y\n50.600,1\n51,2\n51,3\n")
    original = shoal.read_table(tmp_path / "t.csv")
    assert shoal.assess({"x": [50.6, 51, 51]}, "columns:x", original=original).sizes.tolist() == [1, 2, 2]
    for text in ("50.6\n51\n51", '"50.6"\n"51"\n"51"', '"50.600"\n51\n51', "50.60\n51.0\n51.0"):
        (tmp_path / "r.csv").write_text(f"x\n{text}\n")
        released = shoal.read_table(tmp_path / "r.csv")
        assert shoal.assess(released, "columns:x", original=original).sizes.tolist() == [1, 2, 2]


METHODS = [
    shoal.methods.Mondrian(2, columns=("x",)),
    shoal.methods.Microaggregate(2, columns=("x",)),
    shoal.methods.Microaggregate(2, columns=("x",), representative="mode"),
    shoal.methods.HideColumns(2, 1, columns=("x",)),
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_methods_that_compare_numbers_publish_one_spelling(tmp_path, method):
    (tmp_path / "t.csv").write_text("x,y\n50.600,1.50\n50.6,2\n70,3\n70.0,4\n")
    original = shoal.read_table(tmp_path / "t.csv")
    release = method(original)
    assert list(release.table["x"]) == [50.6, 50.6, 70.0, 70.0]
    shoal.write(release.table, tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == "x,y\n50.6,1.50\n50.6,2\n70.0,3\n70.0,4\n"
    assert shoal.assess(release, "columns:x").k == 2


def test_distort_counts_numbers_and_not_their_spellings(tmp_path):
    (tmp_path / "t.csv").write_text("team,x\n1,5.0\n1,5\n1,5.00\n")
    with pytest.raises(shoal.errors.CannotPromise, match="1 distinct"):
        shoal.methods.Distort("team", columns=("x",))(shoal.read_table(tmp_path / "t.csv"))


@pytest.mark.filterwarnings("ignore:.*blanks:shoal.errors.Notice")
@pytest.mark.parametrize("cells", [("flu", "flu "), ("5.0", "5"), ('"5.0"', "5"), (" 5", "5.")])
def test_spellings_of_a_sensitive_value_make_it_no_more_diverse(tmp_path, cells):
    (tmp_path / "t.csv").write_text("age,ill\n30,{}\n30,{}\n".format(*cells))
    table = shoal.read_table(tmp_path / "t.csv")
    assert table["ill"].codes.tolist() == [0, 1]
    [found] = shoal.tables.diversity(shoal.assess(table, "columns:age"), "ill")
    assert (found.distinct, found.entropy, found.known) == (1, 1.0, 2)


# what a file holds is found in another file, however each of them was written


def check_file(shell, tmp_path, release, *, original="id,x\na,7\nb,20\nc,25\nd,\ne,\n"):
    """Check a release against what is known from the original; return the exit code."""
    (tmp_path / "original.csv").write_text(original)
    knows = ["--table", "--key", "id", "--original", tmp_path / "original.csv", "--knows", "columns:x"]
    return shell("check", release, *knows, "--at-least", "2")[0]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_known_number_is_found_as_a_text_of_any_file(ending, shell, tmp_path):
    release = tmp_path / f"release.{ending}"
    cells = {"id": list("abcde"), "x": ["7", "20-25", "20-25", None, None]}
    shoal.write(shoal.as_table(cells), release)
    assert check_file(shell, tmp_path, release) == 1


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_saved_release_has_the_same_risk_as_the_one_in_memory(ending, tmp_path):
    frame = pd.DataFrame({"age": [7, 7, 7, 20, 25, 30], "zip": [1, 1, 1, 2, 2, 2]})
    release = shoal.methods.Mondrian(2)(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shoal.errors.Notice)
        release.save(tmp_path / f"safe.{ending}", tmp_path / "secret.csv")
        saved = shoal.read_table(tmp_path / f"safe.{ending}")
        known = {"original": shoal.as_table(frame)}
        inside = shoal.assess(release, "columns:age,zip", **known)
        outside = shoal.assess(saved, "columns:age,zip", **known, mapping=tmp_path / "secret.csv")
    assert outside.sizes.tolist() == inside.sizes.tolist()


def test_values_that_the_release_lacks_prove_nothing(shell, tmp_path):
    """No published value equals b or c, so their risk is not known."""
    release = tmp_path / "release.csv"
    release.write_text("id,x\na,7\nb,20-25\nc,20-25\nd,7\n")
    assert check_file(shell, tmp_path, release, original="id,x\na,7\nb,20\nc,25\nd,7\n") == 2


@pytest.mark.parametrize("release", ['id,x\na,""\nb,"u"\nc,"u"\n', "id,x\na,\nb,u\nc,u\n"])
@pytest.mark.parametrize("original", ["id,x\na,\nb,u\nc,u\n", 'id,x\na,""\nb,"u"\nc,"u"\n'])
def test_an_empty_cell_is_found_whether_it_is_quoted_or_not(release, original, shell, tmp_path):
    (tmp_path / "release.csv").write_text(release)
    assert check_file(shell, tmp_path, tmp_path / "release.csv", original=original) == 1


def test_a_byte_order_mark_inside_a_table_is_part_of_its_cell(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes("c,d\n\ufeffb,1\nb,1\n".encode())
    assert shoal.assess(shoal.read_table(file), "columns:c,d").sizes.tolist() == [1, 1]


@pytest.mark.parametrize("order", ["abcd", "bcad", "dcba"])
def test_of_several_spellings_of_a_number_the_rarest_counts(order, tmp_path):
    cells = {"a": "50.6", "b": "50.60", "c": "50.60", "d": "3"}
    (tmp_path / "r.csv").write_text("id,x\n" + "".join(f"{name},{cells[name]}\n" for name in order))
    (tmp_path / "o.csv").write_text("id,x\na,50.600\n")
    release, original = (shoal.read_table(tmp_path / name, key="id") for name in ("r.csv", "o.csv"))
    assert shoal.assess(release, "columns:x", original=original).sizes.tolist() == [1]


def test_trimmed_blanks_are_missing_in_parquet_too(tmp_path):
    shoal.write(shoal.as_table({"x": ["  ", "", "a", "a"]}), tmp_path / "t.parquet")
    with pytest.warns(shoal.errors.Notice, match="blanks"):
        table = shoal.read_table(tmp_path / "t.parquet", trim=True)
    assert shoal.assess(table, "columns:x").sizes.tolist() == [2, 2, 2, 2]
