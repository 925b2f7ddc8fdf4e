import numpy as np
import pytest

from shoal.data.names import Names
from shoal.errors import BadGraph, UnknownVertex


def test_numbers_are_spelled_on_demand():
    names = Names(np.array([7, -12]))
    assert list(names) == ["7", "-12"]
    assert names[1] == "-12"
    assert names[:1] == ("7",)
    assert names.id("7") == 0
    assert names.numbers is not None
    assert 7 not in names


def test_ranges_stay_numbers():
    names = Names(range(3))
    assert names[2] == 2
    assert "2" not in names
    assert names.numbers is None


def test_arrays_of_text_are_texts():
    assert list(Names(np.array(["a", "b"]))) == ["a", "b"]


def test_equality_is_of_names_and_order():
    assert Names(["7", "8"]) == Names(np.array([7, 8]))
    assert Names(["8", "7"]) != Names(np.array([7, 8]))
    assert Names(["a"]) == ["a"]
    assert hash(Names(["7"])) == hash(Names(np.array([7])))


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(UnknownVertex, match=r"no vertex 'Ridolfo' among the 2 vertices. Did you mean 'Ridolfi'\?"):
        Names(["Medici", "Ridolfi"]).id("Ridolfo")


def test_what_cannot_be_hashed_is_no_name():
    assert ["a"] not in Names(["a"])
    with pytest.raises(UnknownVertex):
        Names(["a"]).id(["a"])


def test_find_gives_minus_one_for_strangers():
    assert Names(["a", "b"]).find(["b", "z"]).tolist() == [1, -1]


def test_names_must_be_distinct():
    with pytest.raises(BadGraph, match=r"must be distinct. Got 2 names, 1 distinct"):
        Names(["a", "a"]).id("a")


def test_repr_is_short():
    assert repr(Names(range(100))).endswith("…; 100 in all)")


def test_positions_find_each_other_and_nothing_else():
    positions = Names(range(3))
    assert positions.find(Names(range(3))).tolist() == [0, 1, 2]
    assert positions.find(Names(range(1, 4))).tolist() == [1, 2, -1]
    assert positions.find(Names(np.array([0, 1, 2]))).tolist() == [-1, -1, -1]  # these are texts
    assert positions.find([2, "2", 7]).tolist() == [2, -1, -1]
