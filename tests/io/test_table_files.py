"""Tables from and to files, compared with Column.of and with the exact text reader."""

import datetime
import gzip
import re
import string
import tracemalloc
from decimal import Decimal
from enum import StrEnum
from math import isfinite

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from draws import examples
from shoal import Table, as_table, read_table
from shoal.data import frames
from shoal.data.column import Column, exact, is_missing, plain
from shoal.data.encode import encode_arrow, encode_column
from shoal.data.examples import florentine, karate
from shoal.data.names import Names
from shoal.data.spelling import parse_cells
from shoal.errors import BadFile, BadParameter, FileExists, Notice, UnknownColumn
from shoal.io import text_tables
from shoal.io.write import write_table

WHOLES = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
REALS = st.floats(allow_nan=True) | st.sampled_from([0.0, -0.0, 1.0, 2.0**53])
WORDS = st.sampled_from(["", "a", "b", "A", "7", "007", "ä", "\0", "a\0", "long " * 9]) | st.text(max_size=4)
DAYS = st.dates(datetime.date(1700, 1, 1), datetime.date(2200, 1, 1))
TIMES = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1))
ANYTHING = st.sampled_from([None, True, False, 1, 1.0, 0, -0.0, 0.0, "1", "True", "", float("nan"), 2**53, 2**53 + 1])


def oracle(cells):
    """Encode cell by cell with `exact`."""
    seen, codes = {}, []
    for cell in cells:
        codes.append(-1 if is_missing(cell) else seen.setdefault(exact(cell), (len(seen), plain(cell)))[0])
    return codes, [value for _, value in seen.values()]


def same(column, cells):
    codes, values = oracle(cells)
    assert column.codes.tolist() == codes
    assert list(column.values) == values
    assert [type(value) for value in column.values] == [type(value) for value in values]
    assert column.codes.dtype == np.int64


def gaps(cells):
    return st.lists(cells | st.none(), min_size=1, max_size=12)


# one law: fast = Column.of


@given(st.lists(ANYTHING | WHOLES | WORDS | REALS, max_size=12))
@example([1, True]).via("they are equal in Python")
@example([None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
@example([(1,), (True,), [1], {"a": 1}, Decimal(1), 1])
def test_column_of(cells):
    same(Column.of(cells), cells)


def test_string_enums_differ_from_texts():
    class Color(StrEnum):
        RED = "red"

    assert Column.of(["red", Color.RED]).codes.tolist() == [0, 1]
    assert as_table(pd.DataFrame({"c": pd.Series(["red", Color.RED], dtype=object)}))["c"].codes.tolist() == [0, 1]


@given(st.lists(REALS, min_size=1, max_size=12), st.sampled_from([np.float64, np.float32, np.float16]))
def test_from_floats(cells, kind):
    with np.errstate(over="ignore"):
        array = np.array(cells).astype(kind)
    same(Column.from_numbers(array), array.tolist())
    same(encode_column(array), array.tolist())


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1), st.sampled_from([np.uint64, np.int64, np.int8, np.uint16]))
def test_from_whole_numbers(cells, kind):
    array = np.array(cells, dtype=np.uint64).astype(kind)
    same(Column.from_numbers(array), array.tolist())


def test_infinities_are_values_and_zero_has_no_sign():
    column = Column.from_numbers(np.array([np.inf, -np.inf, np.nan, -0.0, 0.0, np.inf]))
    assert column.codes.tolist() == [0, 1, -1, 2, 2, 0]
    assert column.values == (float("inf"), float("-inf"), 0.0)
    assert str(column.values[2]) == "0.0"


@pytest.mark.parametrize("wrong", [["a"], [True], [[1]], 7, [None, 1]])
def test_from_numbers_takes_numbers(wrong):
    with pytest.raises(BadParameter, match="'numbers'"):
        Column.from_numbers(wrong)


PANDAS = {
    "float64": REALS,
    "Float64": st.floats(allow_nan=False),
    "Int64": WHOLES,
    "UInt8": st.integers(0, 255),
    "boolean": st.booleans(),
    "string": WORDS,
    "string[python]": WORDS,
    "str": WORDS,
    "object": ANYTHING | WHOLES | st.tuples(st.booleans() | st.integers(0, 1)),
    "category": WORDS,
    "Int64 category": st.integers(0, 5),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", PANDAS)
@examples(30)
@given(data=st.data())
def test_pandas(kind, data):
    cells = data.draw(gaps(PANDAS[kind]))
    series = pd.Series(cells, dtype=kind.split()[0])
    if kind == "category":
        series = series.cat.add_categories([category for category in ("x", "y") if category not in cells])
    same(as_table(pd.DataFrame({"c": series}))["c"], series.tolist())


@pytest.mark.slow
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1), st.lists(st.booleans(), min_size=1))
def test_pandas_without_gaps(wholes, truths):
    same(as_table(pd.DataFrame({"c": wholes}))["c"], wholes)
    same(as_table(pd.DataFrame({"c": truths}))["c"], truths)


@pytest.mark.slow
@given(gaps(TIMES))
def test_times_become_python_times(cells):
    frames = [pd.DataFrame({"c": pd.Series(cells, dtype=f"datetime64[{unit}]")}) for unit in ("ns", "us")]
    frames += [pl.DataFrame({"c": pl.Series(cells, dtype=pl.Datetime("us"))})]
    for one in frames:
        same(as_table(one)["c"], cells)


def test_nanoseconds_are_not_lost():
    times = pd.to_datetime(["2020-01-01T00:00:00.000000001", None, "2020-01-01T00:00:00.000000002"], format="ISO8601")
    assert as_table({"c": pd.Series(times)})["c"].codes.tolist() == [0, -1, 1]


ODD = {
    "period": pd.Series(pd.PeriodIndex(["2020-01", None, "2020-01"], freq="M")),
    "interval": pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2), (0, 1)])),
    "cut": pd.cut(pd.Series([1, 5, 9, None]), 3),
    "sparse": pd.Series(pd.arrays.SparseArray([np.nan, 0, 1, 0])),
    "complex": pd.Series([1 + 2j, 1 + 2j, 0]),
    "bytes": pd.Series([b"x", b"x", "x"]),
    "numpy": pd.Series([np.bool_(True), True, np.int8(1), np.str_("x"), "x"], dtype=object),
    "categories": pd.Series([1.0, None, 2.0, 1.0]).astype("category"),
    "lists": pd.Series([[1], [1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "objects": pl.Series([(1, 2), None, (1, 2), (True, 2)], dtype=pl.Object),
    "wide": pl.Series([2**100, 1, 2**100], dtype=pl.Int128),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_columns(kind):
    same(as_table({"c": ODD[kind]})["c"], ODD[kind].to_list())


def test_times_in_categories_become_python_times():
    times = pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-01"])).astype("category")
    same(as_table({"c": times})["c"], [datetime.datetime(2020, 1, 1), None, datetime.datetime(2020, 1, 1)])


POLARS = {
    pl.Float64: REALS,
    pl.Float32: st.floats(width=32),
    pl.Int64: WHOLES,
    pl.UInt8: st.integers(0, 255),
    pl.Boolean: st.booleans(),
    pl.String: WORDS,
    pl.Categorical: WORDS,
    pl.Enum(["a", "b", "c"]): st.sampled_from(["a", "b"]),
    pl.Date: DAYS,
    pl.List(pl.Int64): st.lists(st.integers(0, 2), max_size=2),
    pl.Binary: st.binary(max_size=2),
    pl.Null: st.none(),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", POLARS, ids=str)
@examples(30)
@given(data=st.data())
def test_polars(kind, data):
    cells = data.draw(gaps(POLARS[kind]))
    series = pl.Series("c", cells, dtype=kind)
    same(as_table(pl.DataFrame([series]))["c"], series.to_list())


ARROW = {
    pa.float64(): REALS,
    pa.float16(): st.sampled_from([np.float16(0.5), np.float16("nan"), np.float16(-0.0), np.float16(0)]),
    pa.int8(): st.integers(-128, 127),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.bool_(): st.booleans(),
    pa.string(): WORDS,
    pa.large_string(): WORDS,
    pa.string_view(): WORDS,
    pa.dictionary(pa.int8(), pa.string()): WORDS,
    pa.dictionary(pa.int8(), pa.float64()): REALS,
    pa.date32(): DAYS,
    pa.decimal128(5, 2): st.decimals(-9, 9, places=2, allow_nan=False),
    pa.list_(pa.float64()): st.lists(st.sampled_from([0.0, -0.0, 1.0]), max_size=2),
    pa.struct([("a", pa.int64())]): st.fixed_dictionaries({"a": st.integers(0, 1) | st.none()}),
    pa.null(): st.none(),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ARROW, ids=str)
@examples(30)
@given(data=st.data())
def test_arrow(kind, data):
    chunks = data.draw(st.lists(gaps(ARROW[kind]), min_size=1, max_size=3))
    cells = pa.chunked_array([pa.array(chunk, type=kind) for chunk in chunks])
    found = as_table(pa.table({"c": cells}))["c"]
    codes, values = oracle(cells.to_pylist())
    assert (found.codes.tolist(), list(found.values)) == (codes, values)


def test_a_dictionary_of_arrow_may_hold_anything():
    words = pa.DictionaryArray.from_arrays([0, 1, 2, None, 3], pa.array(["a", "a", None, "b"]))
    assert encode_arrow(words).codes.tolist() == [0, 0, -1, -1, 1]
    numbers = pa.DictionaryArray.from_arrays([0, 1, 2, 3], [0.0, -0.0, float("nan"), 1.0])
    assert encode_arrow(numbers).codes.tolist() == [0, 0, -1, 1]
    assert len(encode_arrow(pa.chunked_array([], type=pa.string()))) == 0


def test_mappings_of_any_cells():
    table = as_table(
        {
            "list": [1, None],
            "range": range(2),
            "numpy": np.array(["x", "y"]),
            "pandas": pd.Series([1.0, None]),
            "polars": pl.Series(["a", None]),
            "arrow": pa.array([True, None]),
            "dates": np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
            "column": Column.of([7, 7]),
        }
    )
    assert {name: table[name].codes.tolist() for name in table} == {
        "list": [0, -1],
        "range": [0, 1],
        "numpy": [0, 1],
        "pandas": [0, -1],
        "polars": [0, -1],
        "arrow": [0, -1],
        "dates": [0, -1],
        "column": [0, 0],
    }
    assert all(type(value) is str for value in table["numpy"].values)


# what as_table takes


def test_a_table_is_returned_unchanged():
    table = Table.of({"a": [1], "b": [2]})
    assert as_table(table) is table
    assert list(as_table(table, columns=["b"])) == ["b"]


def test_the_attributes_of_a_graph():
    table = as_table(karate())
    assert (table.n, list(table), list(table.names)[:2]) == (34, ["club"], [0, 1])
    with pytest.raises(BadParameter, match="besides the names"):
        as_table(florentine())


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_the_key_column_is_removed(frame):
    people = frame({"age": [30, 40], "id": ["x", "y"], "sex": ["f", "m"]})
    for key in ("id", 1):
        table = as_table(people, key=key)
        assert (list(table), list(table.names), table.names.id("y")) == (["age", "sex"], ["x", "y"], 1)
    assert list(as_table(people, key="id", columns=["sex"])) == ["sex"]
    assert list(as_table(people).names) == [0, 1]


def test_names_are_kept():
    assert list(as_table({"id": [7, "7"], "a": [1, 1]}, key="id").names) == [7, "7"]


def test_the_pandas_index_is_not_used():
    frame = pd.DataFrame({"a": [1, 2], 0: [3, 4], ("x", "y"): [5, 6]}, index=["p", "q"])
    table = as_table(frame)
    assert (list(table), list(table.names)) == (["a", "0", "('x', 'y')"], [0, 1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: as_table({}), r"at least one row. Got none"),
        (lambda: as_table(pd.DataFrame({"a": []})), r"at least one row"),
        (lambda: as_table(pd.DataFrame(index=[1, 2])), r"at least one column. Got none"),
        (lambda: as_table({"id": [1]}, key="id"), "besides the names"),
        (lambda: as_table({"a": [1]}, columns=[]), r"at least one column"),
        (lambda: as_table(pd.DataFrame([[1, 2]], columns=["a", "a"])), r"names must be distinct.*'a'"),
        (lambda: as_table(pd.DataFrame({1: [1], "1": [2]})), r"Got '1' twice"),
        (lambda: as_table(pa.table([[1], [2]], names=["a", "a"])), r"Got 'a' twice"),
        (
            lambda: as_table({"id": [1, 1.0], "a": [1, 2]}, key="id"),
            r"1.*row 0.*row 1",
        ),
        (lambda: as_table({"id": [1, None], "a": [1, 2]}, key="id"), r"Got none in row 1"),
        (lambda: as_table({"a": "text"}), r"'a'.*'text'"),
        (lambda: as_table({"a": 7}), r"'a'.*7"),
        (lambda: as_table({"a": [1], "b": [1, 2]}), r"the same length. Got the lengths \[1, 2\]"),
        (lambda: as_table([1, 2]), r"must be a frame of pandas, polars or pyarrow.* Got list"),
        (lambda: as_table({"a": [1]}, columns="a"), r"'columns'.*'a'"),
        (lambda: as_table(pl.LazyFrame({"a": [1]})), r"as_table: a frame must hold its data.* call .collect\(\) first"),
        (lambda: read_table("x.csv", missing="NA"), r"'missing'.*'NA'"),
    ],
)
def test_refused(given, message):
    with pytest.raises(BadParameter, match=message):
        given()


def test_unknown_columns_get_a_suggestion():
    with pytest.raises(UnknownColumn, match=r"'agee'.*Did you mean 'age'"):
        as_table({"age": [1]}, columns=["agee"])
    with pytest.raises(UnknownColumn, match=r"'agee'.*Did you mean 'age'"):
        as_table({"age": [1]}, key="agee")


# text files


def slow_typed(cells):
    """Return texts as numbers if all are numbers: the rule, cell by cell."""
    whole = re.compile(r"0|-?[1-9][0-9]*")
    real = re.compile(r"-?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
    texts = list(dict.fromkeys(cell for cell in cells if cell is not None))
    if all(map(whole.fullmatch, texts)):
        return [None if cell is None else int(cell) for cell in cells]
    if all(real.fullmatch(text) and re.search("[0-9]", re.split("[eE]", text)[0]) for text in texts):
        numbers = [float(text) for text in texts]
        if all(map(isfinite, numbers)):
            return [None if cell is None else float(cell) for cell in cells]
    return cells


NUMERALS = st.text("0123456789.-eE+", max_size=5) | st.integers().map(str) | st.floats(allow_nan=False).map(repr)


@given(st.lists(st.none() | NUMERALS | st.sampled_from(["", "x", "1", "2"]), max_size=5))
@example(["1e400"]).via("not finite")
@example(["0.1", "0.10"]).via("the same number")
@example(["e5"])
@example(["-0", "0"])
@example([".5", "5.", "-.5e1"])
def test_typed(cells):
    expected, found = slow_typed(cells), parse_cells(cells)
    assert list(found) == expected
    assert all(isinstance(value, type(cell)) for value, cell in zip(found, expected, strict=True))
    assert [None if cell is None else str(cell) for cell in found] == cells  # as it was written
    assert found.codes.tolist() == oracle(cells)[0]  # alike exactly if spelled alike
    assert len(set(map(exact, found.values))) == len(found.values)


def test_numbers_of_ten_thousand_digits_are_text():
    assert list(parse_cells(["9" * 10_000])) == ["9" * 10_000]
    assert list(parse_cells(["9" * 3_000])) == [10**3_000 - 1]


PIECES = st.sampled_from(
    [*'",;|\t #%?', "\n", "\r\n", '""', "a", "7", "1.5", "007", "NA", "ä", " x ", '"q"', '"a ""b"""', '"7"', "-0"]
)


@st.composite
def files(draw):
    """Draw a text file: mostly rows of cells, sometimes arbitrary text."""
    separator = draw(st.sampled_from([",", ";", "\t"]))
    width = draw(st.integers(1, 3))
    cell = st.sampled_from(
        ["", "a", "7", "8", "1.5", " 7", "a ", '"7"', '"a"', '""', ' "b" ', '"x""y"', 'in"side', "?"]
    )
    odd = st.lists(PIECES, max_size=3).map("".join)
    cells = draw(
        st.sampled_from([cell, cell, cell | odd, st.sampled_from(["1", "2", ""]), st.sampled_from(['"1"', '""'])])
    )
    header = draw(st.sampled_from([["a", "b", "c"], ['"a"', '"b"', '"c"'], ["# a", "b", "c"], ['"a\nb"', "b", "c"]]))
    rows = [header[:width], *draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=5))]
    end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    text = end.join(separator.join(row) for row in rows) + draw(st.sampled_from([end, "", end + end]))
    return separator, draw(st.sampled_from(["", "", "\ufeff", "# comment\n", "\n"])) + text


def outcome(read):
    try:
        found = read()
    except BadFile as error:
        return str(error)
    cells = [[(type(cell), cell) for cell in found.column(at)] for at in range(len(found.names))]
    codes = [found.column(at).codes.tolist() for at in range(len(found.names))]
    marked = [list(found.column(at, ("?", "7"))) for at in range(len(found.names))]
    keys = [found.keys(at) for at in range(len(found.names))]
    return found.names, cells, codes, marked, keys, [found.line(row) for row in range(found.rows)]


@pytest.mark.slow
@examples(250)
@given(files())
def test_fast_and_exact_readers_agree(tmp_path_factory, drawn):
    separator, text = drawn
    data, path = text.encode().removeprefix(text_tables.BOM), tmp_path_factory.getbasetemp() / "x.csv"
    slow = outcome(lambda: text_tables.read_exactly(path, data, separator))
    assert (
        outcome(
            lambda: text_tables.read_quickly(path, data, separator) or text_tables.read_exactly(path, data, separator)
        )
        == slow
    )


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,x\n,\n",
        'a,b\n"1",x\n"2",\n',
        '"a","b"\n"1","x"\n',
        "a,b\r\n1, x \r\n\r\n2,y",
        "# about\n\na,b\n1,2\n",
        "a,b\n# no\n1,2\n",
        'a,b\n"x,y",1\n"z" , 2\n3,"4"\n',
        "a\tb\n\t\n1\t2\n",
        "a\n1\n\n2\n",
        'a,b\n"say ""hi""",in"side\n',
        f"a,b\n{'x' * 10_000},1\n",
    ],
)
def test_the_fast_reader_reads_usual_files(tmp_path, text):
    separator = "\t" if "\t" in text else ","
    found = text_tables.read_quickly(tmp_path / "x", text.encode(), separator)
    assert found is not None
    assert outcome(lambda: found) == outcome(lambda: text_tables.read_exactly(tmp_path / "x", text.encode(), separator))


@pytest.mark.parametrize(
    "text",
    [
        'a,b\n"x\ny",1\n',
        'a,b\n"x""y,z",1\n',
        "a,b\n1\n",
        'a,b\n# no\n"1",2\n',
        'a,b\nx"y,"1,2"\n',
        "a,b\n1,2\r3,4\n",
        "a,b\r1,2\r",
        "a\n \n1\n",
        '"a\nb",c\n1,2\n',
        "a,b",
    ],
)
def test_the_fast_reader_declines_unusual_files(tmp_path, text):
    assert text_tables.read_quickly(tmp_path / "x", text.encode(), ",") is None


@pytest.mark.parametrize(
    "text",
    [
        "a\n" + "x\n" * 50_000,
        "a,b\n" + '"p","q""r"\n' * 20_000,
        "a,b\n" + '"p\n",7\n' * 20_000,
        'a\n"' + "x\n" * 200_000 + '"\n',
    ],
    ids=["short rows", "quotes in quotes", "cells of two lines", "a cell of many lines"],
)
def test_the_exact_reader_takes_little_more_memory_than_its_cells(tmp_path, text):
    """A quoted cell of 10 MB, read as rows of one letter, took 335 bytes for each byte of the file."""
    data = text.encode()
    tracemalloc.start()
    try:
        text_tables.read_exactly(tmp_path / "x", data, ",")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40 * len(data)


@pytest.fixture
def write(tmp_path):
    def written_to(name, text):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return written_to


def cells(table):
    return {name: list(table[name]) for name in table}


@pytest.mark.slow
def test_fast_and_exact_readers_agree_on_a_larger_file(write):
    draw = np.random.default_rng(7)
    lines = [
        f"{a},{b / 8},w{a * b % 77},{'' if a % 9 else b}" for a, b in draw.integers(0, 10**6, (20_000, 2)).tolist()
    ]
    plain_file = "whole,real,word,gap\n" + "\n".join(lines)
    odd = plain_file.replace(lines[77], '"' + lines[77].replace(",", '","') + '"', 1)
    found, patient = (
        read_table(write("x.csv", plain_file)),
        text_tables.read_exactly(write("y", ""), plain_file.encode(), ","),
    )
    assert all(found[name].alike(patient.column(at)) for at, name in enumerate(patient.names))
    assert [type(found[name].values[0]) for name in found] == [int, float, str, int]
    assert [
        type(cell) for cell in map(read_table(write("z.csv", odd)).__getitem__, found) for cell in cell.values[:1]
    ] == [str] * 4


def test_reading(write):
    text = 'age,zip,job,note\n30,02139,?,"7"\n,10001,nurse,""\n'
    expected = {"age": [30, None], "zip": ["02139", "10001"], "job": ["?", "nurse"], "note": ["7", ""]}
    assert cells(read_table(write("x.csv", text))) == expected
    assert cells(read_table(write("x.tsv", text.replace(",", "\t")))) == expected
    assert cells(read_table(write("x.txt", text.replace(",", ";")))) == expected
    assert cells(read_table(write("x.dat", text.replace(",", "#")), format="csv", separator="#")) == expected
    assert cells(read_table(write("x.csv.gz", gzip.compress(text.encode(), mtime=0)))) == expected
    assert list(read_table(write("x.csv", text), missing=("?", "7"))["job"]) == [None, "nurse"]
    assert list(read_table(write("x.csv", text), missing=("?", "7"))["note"]) == [None, ""]


def test_a_column_with_a_missing_mark_is_numeric(write):
    path = write("x.csv", "age,job\n30,?\n?,x\n")
    assert list(read_table(path)["age"]) == ["30", "?"]
    assert list(read_table(path, missing=["?"])["age"]) == [30, None]


def test_quotes_around_every_cell_do_not_make_text(write):
    assert cells(read_table(write("x.csv", '"a","b"\n"30","x"\n"",""\n'))) == {"a": [30, None], "b": ["x", None]}
    assert cells(read_table(write("x.csv", '"a",b\n"30","x"\n"",""\n'))) == {"a": ["30", ""], "b": ["x", ""]}


def test_blanks_around_a_cell_make_another_value_and_are_counted(write):
    with pytest.warns(Notice, match=r"x\.csv.*with blanks.*: 3. Blanks are kept.*trim=True.*--trim"):
        table = read_table(write("x.csv", "a,b\n x,1\nx,2\nx ,3\nx,4 \n"))
    assert (table["a"].codes.tolist(), table["a"].values) == ([0, 1, 2, 1], (" x", "x", "x "))
    assert table["b"].is_numeric


@pytest.mark.parametrize("quoted", [False, True])
def test_trimming_is_an_option_that_counts_cells(write, quoted):
    cell = '"x "' if quoted else "x "
    with pytest.warns(Notice, match=r"x\.csv.*blanks dropped.*2") as said:
        table = read_table(write("x.csv", f"a,b\n{cell},1\nx, 2\n"), trim=True)
    assert len(said) == 1
    assert cells(table) == {"a": ["x", "x"], "b": [1, 2]}


def test_trimming_in_parquet(tmp_path):
    pyarrow.parquet.write_table(pa.table({"a": ["x ", "x", " ", None], "b": [1, 2, 3, 4]}), tmp_path / "x.parquet")
    with pytest.warns(Notice, match=r"blanks dropped.*cells: 2\."):
        assert list(read_table(tmp_path / "x.parquet", trim=True)["a"]) == ["x", "x", None, None]


def test_a_cell_of_blanks_is_a_text_and_missing_once_trimmed(write):
    path = write("x.csv", "a,b\n ,1\n,2\n  ,3\n")
    with pytest.warns(Notice, match=r"with blanks.*: 2. Blanks are kept"):
        assert list(read_table(path)["a"]) == [" ", None, "  "]
    with pytest.warns(Notice, match=r"with blanks.*: 2. Blanks are kept"):
        assert list(read_table(path, missing=(" ",))["a"]) == [None, None, "  "]
    with pytest.warns(Notice, match=r"blanks.*2\."):
        assert list(read_table(path, trim=True)["a"]) == [None, None, None]


def test_a_notice_about_blanks_dropped_from_names_and_headers(write):
    with pytest.warns(Notice) as said:
        table = read_table(write("x.csv", 'id , age\n 7,30\n"8 ",40\n'), key="id")
    assert (list(table), list(table.names)) == (["age"], ["7", "8 "])
    assert [str(one.message).split(": ", 1)[1] for one in said] == [
        "blanks dropped at the ends of names of columns: 2. Use quotes to keep them.",
        "blanks dropped at the ends of names: 1. Use quotes to keep them.",
    ]


def test_blanks_outside_quotes_are_dropped_and_counted(write):
    with pytest.warns(Notice, match=r"blanks dropped.*outside their quotes: 1\."):
        assert list(read_table(write("x.csv", 'a,b\n1, "x "\n2,"x "\n'))["b"]) == ["x ", "x "]


def test_empty_lines_in_one_column_are_counted(write):
    with pytest.warns(Notice, match=r"not read as rows: 2\."):
        assert read_table(write("x.csv", "a\n1\n\n2\n  \n3\n")).n == 3


def test_spellings_of_a_number_are_values_and_are_published_as_written(write, tmp_path):
    text = "x,y\n50.600,1\n50.6,2\n50.600,3\n1e3,4\n 7,5\n"
    with pytest.warns(Notice, match=r"with blanks.*: 1. Blanks are kept"):
        table = read_table(write("x.csv", text))
    assert table["x"].codes.tolist() == [0, 1, 0, 2, 3]
    assert table["x"].is_numeric
    assert table["x"].numbers("x").tolist() == [50.6, 50.6, 50.6, 1000, 7]
    write_table(table, tmp_path / "copy.csv")
    assert (tmp_path / "copy.csv").read_text() == text
    write_table(table, tmp_path / "copy.tsv")
    with pytest.warns(Notice, match=r"with blanks.*: 1. Blanks are kept"):
        assert read_table(tmp_path / "copy.tsv")["x"].codes.tolist() == table["x"].codes.tolist()


def test_parquet_stores_one_spelling_per_number_with_a_notice(write, tmp_path):
    table = read_table(write("x.csv", "x,y\n50.600,1\n50.6,2\n"))
    with pytest.warns(Notice, match=r"spelling changes: 1 \(such as 50\.6 for 50\.600\)"):
        write_table(table, tmp_path / "copy.parquet")
    assert read_table(tmp_path / "copy.parquet")["x"].codes.tolist() == [0, 0]


def test_numbers_of_two_files_match_by_spelling_then_by_value():
    one, two = parse_cells(["50.600", "50.6", "2", "9.0"]), parse_cells(["50.600", "50.6", "2.0", "7"])
    codes = one.followed_by(two)
    assert (codes[:4, None] == codes[None, 4:]).tolist() == [
        [True, False, False, False],
        [False, True, False, False],
        [False, False, True, False],
        [False, False, False, False],
    ]
    typed_source = Column.of([50.6, 2, 9])
    assert (typed_source.followed_by(one)[:3, None] == typed_source.followed_by(one)[None, 3:]).tolist() == [
        [False, True, False, False],
        [False, False, True, False],
        [False, False, False, True],
    ]


SPELLED = ["", "a", "a ", " a", " ", "7", "7.0", " 7", "07", "50.6", "50.600", "NA", "b b"]


@pytest.mark.slow
@examples(40)
@given(st.lists(st.tuples(st.sampled_from(SPELLED), st.sampled_from(SPELLED)), min_size=1, max_size=8))
@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_the_same_cells_are_equal_in_every_format(tmp_path_factory, rows):
    folder = tmp_path_factory.getbasetemp()
    for name, sign, quote in (("x.csv", ",", ""), ("q.csv", ",", '"'), ("x.tsv", "\t", ""), ("q.tsv", "\t", '"')):
        lines = [
            "a,b,c".replace(",", sign),
            *(sign.join([f"{quote}{a}{quote}", f"{quote}{b}{quote}", "0"]) for a, b in rows),
        ]
        (folder / name).write_text("\n".join(lines) + "\n")
    frame = pa.table({"a": [a for a, _ in rows], "b": [b for _, b in rows], "c": [0] * len(rows)})
    pyarrow.parquet.write_table(frame, folder / "x.parquet")
    expected = [[cells.index(cell) for cell in cells] for cells in zip(*rows, strict=True)]
    for name in ("x.csv", "q.csv", "x.tsv", "q.tsv", "x.parquet"):
        table = read_table(folder / name)
        found = [table[column].codes.tolist() for column in "ab"]
        assert [[codes.index(code) for code in codes] for codes in found] == expected, name


def test_blanks_separate_in_text(write):
    assert cells(read_table(write("x.txt", "a  b\n1 2\n3\t4\n"))) == {"a": [1, 3], "b": [2, 4]}
    assert cells(read_table(write("x.csv", "a  b\n1 2\n"), separator="space")) == {"a": [1], "b": [2]}


def test_a_row_of_missing_values_is_a_row(write):
    assert read_table(write("x.tsv", "a\tb\n1\t2\n\t\n")).n == 2
    assert read_table(write("x.csv", "a,b\n1,2\n,\n")).n == 2


def test_a_notice_about_a_comment_that_looks_like_a_row(write):
    for text in ("# about\na,b\n#1,x\n2,y\n", "a,b\n2,y\n%1,x\n", "#1,2\na,b\n2,y\n"):
        with pytest.warns(Notice, match=r"x\.csv.*'.1,.'.*read as a comment"):
            assert read_table(write("x.csv", text)).n == 1
    assert read_table(write("x.csv", '# about,b\n#--\na,b\n"#1",x\n2,y\n')).n == 2


def test_a_notice_about_a_header_that_looks_like_a_row(write):
    with pytest.warns(Notice, match=r"'39, Private'.*read as the header"):
        assert read_table(write("x.csv", "39,Private\n50,State\n")).n == 1
    assert read_table(write("x.csv", "39,a\nx,1\n")).n == 1


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", "commma"])
def test_invalid_separators(write, separator):
    with pytest.raises(BadParameter, match=r"x\.csv.*'separator'"):
        read_table(write("x.csv", "a,b\n1,2\n"), separator=separator)


def test_long_cells_are_kept(write):
    long = "x" * 10_000
    assert list(read_table(write("x.csv", f"a,b\n{long},1\n{long}y,2\n"))["a"]) == [long, long + "y"]


def test_names_from_a_file_are_texts(write, tmp_path):
    table = read_table(write("x.csv", "id,age\n007,30\n8,40\n"), key="id")
    assert (list(table), list(table.names)) == (["age"], ["007", "8"])
    assert list(as_table(tmp_path / "x.csv", key="id", columns=["age"]).names) == ["007", "8"]
    pyarrow.parquet.write_table(pa.table({"id": [7, 8], "age": [30, None]}), tmp_path / "x.parquet")
    table = read_table(tmp_path / "x.parquet", key="id")
    assert (cells(table), list(table.names)) == ({"age": [30, None]}, ["7", "8"])


def test_parquet(tmp_path):
    path = tmp_path / "x.parquet"
    day = datetime.date(2020, 1, 1)
    pyarrow.parquet.write_table(pa.table({"a": [1, None], "b": ["?", "x"], "c": [day, None], "d": [True, False]}), path)
    assert cells(read_table(path)) == {"a": [1, None], "b": ["?", "x"], "c": [day, None], "d": [True, False]}
    assert list(read_table(path, missing=("?",))["b"]) == [None, "x"]
    with pytest.raises(BadParameter, match=r"'separator' has no effect"):
        read_table(path, separator=",")
    pyarrow.parquet.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(BadFile, match=r"x\.parquet: .*Multiple matches.*\(a\)"):
        read_table(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", r"x\.csv.*line 3.*2 cells.*1"),
        ("a,a\n1,2\n", r"line 1.*names must be distinct"),
        ("a,\n1,2\n", "names must be distinct"),
        ("a,b\n", r"a table must have at least one row. Got none"),
        ("", "empty"),
        ("# no\n", r"must start with a header line"),
        ('a,b\n"x,1\n', r"line 2.*quote"),
        ("a,b\n1,\0\n", r"line 2.*UTF-8.*NUL"),
        (b"a,b\n1,\xff\n", r"line 2.*UTF-8.*0"),
    ],
)
def test_broken_files(write, text, message):
    with pytest.raises(BadFile, match=message):
        read_table(write("x.csv", text))


def test_keys_must_be_present_and_distinct(write):
    with pytest.raises(BadFile, match=r"'x'.*line 2.*line 5"):
        read_table(write("x.csv", "id,a\nx,1\n\ny,2\nx,3\n"), key="id")
    with pytest.raises(BadFile, match=r"Got none in line 3"):
        read_table(write("x.csv", "id,a\nx,1\n,2\n"), key="id")
    with pytest.raises(BadFile, match="besides the names"):
        read_table(write("x.csv", "id\nx\n"), key="id")


# writing

CELLS = st.sampled_from(
    [
        WHOLES,
        st.floats(allow_nan=False, allow_infinity=False),
        WORDS.filter(lambda text: "\0" not in text),
        NUMERALS,
        st.sampled_from(
            ["a,b", 'q"', '"', '""', " x", "x ", "#", "%x", "\n", "\r", "\r\n", "\ufeff", "\t", ";", "|", " "]
        ),
        st.sampled_from([0, 1, 0.5, -0.0]),
    ]
)
HEADS = st.lists(
    st.text(string.ascii_letters, min_size=1, max_size=2) | st.sampled_from(["a,b", "#", "01", " ", "a;b", "x|y", '"']),
    min_size=1,
    max_size=3,
    unique=True,
)


@st.composite
def tables(draw):
    n = draw(st.integers(1, 4))
    heads = draw(HEADS)
    drawn = {head: draw(st.lists(draw(CELLS) | st.none(), min_size=n, max_size=n)) for head in heads}
    return Table.of(
        drawn, names=Names(draw(st.lists(st.text("x7 ,", max_size=3), min_size=n, max_size=n, unique=True)))
    )


def all_alike(t, u):
    return list(t) == list(u) and all(t[name].alike(u[name]) for name in t)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".csv.gz", ".tsv.zst"])
@examples(60)
@given(table=tables(), names=st.booleans())
@example(table=Table.of({"a,b": [""], "#": [None]}), names=False).via("every cell in quotes, or empty")
def test_table_round_trip(tmp_path_factory, suffix, table, names):
    path = tmp_path_factory.getbasetemp() / f"back{suffix}"
    try:
        write_table(table, path, force=True, names=names)
    except BadParameter as error:
        assert re.search("cannot hold missing values|if every cell is quoted", str(error))  # noqa: PT017
        assert not names
        return
    back = read_table(path, key="name" if names else None)
    assert all_alike(table, back)
    assert not names or list(back.names) == [str(name) for name in table.names]


def test_whole_numbers_of_any_length(tmp_path):
    table = as_table({"a": [10**30, 1], "b": ["x", None]})
    write_table(table, tmp_path / "x.csv")
    assert all_alike(table, read_table(tmp_path / "x.csv"))
    with pytest.warns(Notice, match=r"x\.parquet.*'a'.*10000"):
        write_table(table, tmp_path / "x.parquet")
    assert list(read_table(tmp_path / "x.parquet")["a"]) == [str(10**30), "1"]


def test_data_that_would_be_lost_is_refused(tmp_path):
    with pytest.raises(BadParameter, match=r"missing value.*parquet"):
        write_table({"a": [1, None]}, tmp_path / "x.csv")
    with pytest.raises(BadParameter, match="text from numbers"):
        write_table({"a,b": ["7"]}, tmp_path / "x.csv")
    with pytest.raises(BadParameter, match=r"NUL.*'x\\x00'"):
        write_table({"a": ["x\0"]}, tmp_path / "x.csv")
    for suffix in ("csv", "parquet"):
        with pytest.raises(BadParameter, match=r"'\\ud800'.*'a'"):
            write_table({"a": ["\ud800"]}, tmp_path / f"x.{suffix}")
    with pytest.raises(BadParameter, match="'name'"):
        write_table({"name": [1]}, tmp_path / "x.csv", names=True)
    with pytest.raises(BadParameter, match=r"a column must have a name"):
        write_table({"": [1]}, tmp_path / "x.csv")
    with pytest.raises(BadParameter, match="'name'"):
        write_table(Table.of({"a": [1, 2]}, names=Names([7, "7"])), tmp_path / "x.csv", names=True)
    assert list(tmp_path.iterdir()) == []


def test_a_notice_about_values_that_text_cannot_hold(tmp_path):
    table = {"ok": [True, None], "day": [datetime.date(2020, 1, 1), None], "far": [float("inf"), 1.0], "n": [1, 2]}
    with pytest.warns(Notice) as notices:
        write_table(table, tmp_path / "x.csv")
    told = [str(notice.message) for notice in notices]
    assert [name for name in table if any(f"the column {name!r} holds" in text for text in told)] == [
        "ok",
        "day",
        "far",
    ]
    assert cells(read_table(tmp_path / "x.csv")) == {
        "ok": ["True", None],
        "day": ["2020-01-01", None],
        "far": ["inf", "1.0"],
        "n": [1, 2],
    }
    write_table(table, tmp_path / "x.parquet")
    assert all_alike(as_table(table), read_table(tmp_path / "x.parquet"))


def test_values_that_do_not_occur_are_not_written(tmp_path):
    table = Table.of({"a": [1, "x", True], "b": [1, 2, 3]}).take(np.array([0]))
    write_table(table, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "a,b\n1,1\n"


def test_nothing_is_overwritten(tmp_path):
    write_table({"a": [1]}, tmp_path / "x.csv")
    with pytest.raises(FileExists, match=r"not overwritten"):
        write_table({"a": [2]}, tmp_path / "x.csv")
    write_table({"a": [2]}, tmp_path / "x.csv", force=True)
    assert list(read_table(tmp_path / "x.csv")["a"]) == [2]


# frames


@pytest.mark.slow
@pytest.mark.parametrize("way", ["to_pandas", "to_polars", "to_arrow", "to_frame"])
@examples(40)
@given(table=tables())
def test_frames_hold_the_same_table(way, table):
    assert all_alike(table, as_table(getattr(table, way)()))


@pytest.mark.parametrize(
    ("absent", "expected"), [((), pd.DataFrame), (("pandas",), pl.DataFrame), (("pandas", "polars"), pa.Table)]
)
def test_a_frame_of_an_installed_library(monkeypatch, absent, expected):
    for module in (frames, frames):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name in absent else name)
    table = Table.of({"a": [1, None, 1], "b": ["x", "y", None]})
    assert type(table.to_frame()) is expected
    assert all_alike(table, as_table(table.to_frame()))


def test_the_kinds_of_a_pandas_frame():
    table = Table.of(
        {
            "whole": [1, 2],
            "gaps": [1, None],
            "large": [2**64 - 1, 0],
            "real": [0.5, None],
            "both": [1, 0.5],
            "truth": [True, False],
            "perhaps": [True, None],
            "text": ["a", None],
            "time": [datetime.datetime(2020, 1, 1), None],
            "mixed": [1, "a"],
            "huge": [2**64, 1],
            "never": [None, None],
        }
    )
    kinds = table.to_pandas().dtypes.astype(str).to_dict()
    assert kinds.pop("text") in ("str", "object")
    assert kinds.pop("time").startswith("datetime64")
    assert kinds == {
        "whole": "int64",
        "gaps": "Int64",
        "large": "uint64",
        "real": "float64",
        "both": "float64",
        "truth": "bool",
        "perhaps": "boolean",
        "mixed": "object",
        "huge": "object",
        "never": "object",
    }
    assert all_alike(as_table(table.to_pandas()), table)


def test_a_frame_keeps_whole_numbers_after_rows_are_taken():
    table = Table.of({"a": [1, "x", 2]}).take(np.array([2, 0, 2]))
    assert str(table.to_pandas()["a"].dtype) == "int64"
    assert table.to_arrow()["a"].to_pylist() == [2, 1, 2]


def test_arrow_values_without_a_type_become_text():
    table = Table.of({"mixed": [1, "a"], "dicts": [{"a": 1}, {"a": 1, "b": None}], "lists": [[1], [2]]})
    with pytest.warns(Notice, match="'(mixed|dicts)'"):
        found = table.to_arrow()
    assert found["mixed"].to_pylist() == ["1", "a"]
    assert len(set(found["dicts"].to_pylist())) == 2
    assert found["lists"].to_pylist() == [[1], [2]]


# numbers


def test_numbers():
    column = Column.of([1, None, 2.5, -(2**53)])
    assert column.is_numeric
    assert np.array_equal(column.numbers("x"), [1, np.nan, 2.5, -(2.0**53)], equal_nan=True)


@pytest.mark.parametrize(
    ("cells", "message", "numeric"),
    [
        ([1, "02139"], r"'zip'.*'02139'", False),
        ([True], "boolean", False),
        ([1.0, float("-inf")], r"inf.*not finite", False),
        ([None, None], r"Got only missing values", False),
        ([2**53 + 1], r"Got 9007199254740993, beyond 2\*\*53", True),
        ([10**400], r"beyond 2\*\*53", True),
        ([datetime.date(2020, 1, 1)], r"Got datetime.date\(2020, 1, 1\), a date", False),
    ],
)
def test_values_that_are_not_numbers_are_refused(cells, message, numeric):
    column = Column.of(cells)
    assert column.is_numeric is numeric
    with pytest.raises(BadParameter, match=message):
        column.numbers("zip")


def test_only_values_that_occur_must_be_numbers():
    column = Column.of([1, "x", 2, 10**400]).take(np.array([0, 2, -1]))
    assert column.is_numeric
    assert np.array_equal(column.numbers("x"), [1, 2, np.nan], equal_nan=True)


# the table itself


def test_names_move_with_the_rows():
    table = Table.of({"a": [1, 2, 3]}, names=Names(["x", "y", "z"]))
    assert list(table.take(np.array([2, 0])).names) == ["z", "x"]
    assert not table.take(np.array([2, -1])).is_keyed
    assert not table.take(np.array([2, 2])).is_keyed
    assert table.take(np.array([], dtype=np.int64)).n == 0
    numbered = Table.of({"a": [1, 2]}, names=Names(np.array([7, 8])))
    assert list(numbered.take(np.array([1])).names) == ["8"]
    with pytest.raises(BadParameter, match=r"1.*2 names"):
        Table.of({"a": [1]}, names=Names(["x", "y"]))


def test_columns_are_replaced_or_appended():
    table = Table.of({"a": [1, 2], "b": [3, 4]}, names=Names("xy"))
    changed = table.with_columns({"c": Column.of([5, 6]), "a": Column.of([7, 8])})
    assert cells(changed) == {"a": [7, 8], "b": [3, 4], "c": [5, 6]}
    assert list(changed.names) == ["x", "y"]
    assert cells(table) == {"a": [1, 2], "b": [3, 4]}
    assert list(changed.only(["c", "a"]).names) == ["x", "y"]
    with pytest.raises(BadParameter, match=r"'c'.*2 cells.*1"):
        table.with_columns({"c": Column.of([5])})
    with pytest.raises(UnknownColumn, match=r"no column 'z'"):
        table.only(["z"])
    with pytest.raises(BadParameter, match="'ab'"):
        table.only("ab")
