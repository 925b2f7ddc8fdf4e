import numpy as np
import pytest

from shoal import Table
from shoal.data.table import Column, exact, is_missing
from shoal.errors import BadParameter, UnknownColumn


def test_missing_is_a_value():
    missing = [None, float("nan"), np.float32("nan"), np.datetime64("NaT", "s")]
    assert all(map(is_missing, missing))
    assert not any(map(is_missing, ["", 0, False, "NA", "nan"]))
    assert Column.of([*missing, ""]).codes.tolist() == [-1, -1, -1, -1, 0]


def test_the_missing_values_of_pandas():
    pandas = pytest.importorskip("pandas")
    assert is_missing(pandas.NA)
    assert is_missing(pandas.NaT)


def test_different_things_never_share_a_code():
    different = [1, "1", True, "True", (1,), [1], (True,), "007", "7", {"a": 1}, {1}, b"1", np.array([1])]
    assert Column.of(different).codes.tolist() == list(range(len(different)))


def test_equal_numbers_share_a_code():
    assert Column.of([1, 1.0, np.int64(1), np.float32(1)]).codes.tolist() == [0, 0, 0, 0]
    assert Column.of([2**53, 2**53 + 1, float(2**53)]).codes.tolist() == [0, 1, 0]


def test_lists_are_compared_by_their_items():
    assert Column.of([[1, 2], [1, 2], [12], {"x": [1]}, {"x": [1]}]).codes.tolist() == [0, 0, 1, 2, 2]


def test_dates_do_not_become_numbers():
    day = np.datetime64("2020-01-01T00:00:00.000000000")
    assert Column.of([day, int(day.astype(int))]).codes.tolist() == [0, 1]


def test_values_that_cannot_be_compared_are_refused():
    class Odd:
        __hash__ = None

    with pytest.raises(BadParameter, match=r"compared.*Odd"):
        exact(Odd())


def test_columns_alike():
    assert Column.of(["a", None]).alike(Column.of(["a", None]))
    assert not Column.of([1, None]).alike(Column.of([True, None]))
    assert not Column.of(["a"]).alike(Column.of(["a", "a"]))


def test_followed_by_gives_common_codes():
    assert Column.of(["a", None]).followed_by(Column.of(["b", "a", None])).tolist() == [0, -1, 1, 0, -1]


def test_take_pads_with_missing():
    table = Table.of({"age": [30, 40]}).take(np.array([1, -1, 0]))
    assert list(table["age"]) == [40, None, 30]


def test_columns_must_have_the_same_length():
    with pytest.raises(BadParameter, match=r"\[1, 2\]"):
        Table.of({"a": [1], "b": [1, 2]})


def test_an_unknown_column_gets_a_suggestion():
    with pytest.raises(UnknownColumn, match=r"'agee'.*'age'.*Did you mean 'age'\?"):
        Table.of({"age": [1]})["agee"]


def test_a_table_without_columns_has_rows():
    assert Table.of({}, 3).n == 3
    assert repr(Table(3)) == "Table(3 rows; columns: none)"
