import numpy as np
import pytest

import shoal
from shoal.data import names as names_module
from shoal.data.names import Names, warn_of_lookalikes
from shoal.errors import BadGraph, Notice, UnknownVertex


def test_numbers_become_text_on_access():
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
    with pytest.raises(UnknownVertex, match=r"'Ridolfo'.*2 vertices.*Did you mean 'Ridolfi'\?"):
        Names(["Medici", "Ridolfi"]).id("Ridolfo")


def test_unhashable_names_are_refused():
    assert ["a"] not in Names(["a"])
    with pytest.raises(UnknownVertex):
        Names(["a"]).id(["a"])


def test_find_gives_minus_one_for_unknown_names():
    assert Names(["a", "b"]).find(["b", "z"]).tolist() == [1, -1]


def test_names_must_be_distinct():
    with pytest.raises(BadGraph, match=r"2 names.*1 distinct"):
        Names(["a", "a"]).id("a")


def test_repr_is_short():
    assert repr(Names(range(100))).endswith("…; 100 in all)")


def test_positions_find_each_other_and_nothing_else():
    positions = Names(range(3))
    assert positions.find(Names(range(3))).tolist() == [0, 1, 2]
    assert positions.find(Names(range(1, 4))).tolist() == [1, 2, -1]
    assert positions.find(Names(np.array([0, 1, 2]))).tolist() == [-1, -1, -1]  # these are texts
    assert positions.find([2, "2", 7]).tolist() == [2, -1, -1]


COMPOSED, DECOMPOSED = "Ren\u00e9", "Rene\u0301"
APART = r"2 different names are equal after Unicode normalization \(NFKC\), such as\s+'Ren.* and 'Ren.*kept apart"


@pytest.mark.parametrize("name", ["x.csv", "x.parquet", "x.graphml"])
def test_a_notice_about_names_that_are_equal_after_normalization(tmp_path, name):
    shoal.write(shoal.as_graph([(COMPOSED, "Bo"), (DECOMPOSED, "Bo")]), tmp_path / name)
    with pytest.warns(Notice, match=rf"{name}: .*{APART}"):
        assert shoal.read_graph(tmp_path / name).n == 3


def test_a_notice_about_attribute_names_that_are_equal_after_normalization(tmp_path):
    (tmp_path / "x.csv").write_text(f"{COMPOSED},Bo\n")
    (tmp_path / "p.csv").write_text(f"name,age\n{DECOMPOSED},30\nBo,40\n")
    with (
        pytest.warns(Notice, match=APART),
        pytest.warns(Notice, match="isolated vertices: 1"),
        pytest.warns(Notice, match="missing values: 1"),
    ):
        assert shoal.read_graph(tmp_path / "x.csv", attributes=tmp_path / "p.csv").n == 3


def test_a_notice_about_keys_that_are_equal_after_normalization(tmp_path):
    (tmp_path / "x.csv").write_text(f"id,age\n{COMPOSED},30\n{DECOMPOSED},40\n")
    with pytest.warns(Notice, match=APART):
        assert len(shoal.read_table(tmp_path / "x.csv", key="id").names) == 2
    (tmp_path / "m.csv").write_text(f"original,published\n{COMPOSED},1\n{DECOMPOSED},2\n")
    with pytest.warns(Notice, match=APART):
        assert shoal.read_mapping(tmp_path / "m.csv") == {COMPOSED: "1", DECOMPOSED: "2"}


def test_an_ascii_name_may_equal_another_after_normalization(recwarn):
    warn_of_lookalikes(["fi", "x", "\ufb01", "\xe4"], "x.csv")
    [said] = recwarn
    assert "2 different names are equal after Unicode normalization (NFKC), such as 'fi' and '\\ufb01'" in str(
        said.message
    )


def test_only_names_beyond_ascii_are_normalized(monkeypatch, recwarn):
    seen = []
    monkeypatch.setattr(names_module, "normalize", lambda form, name: seen.append(name) or name)
    warn_of_lookalikes(Names([*map(str, range(1000)), "\xe4", "\xf6" * 10_000, 7]), "x.csv")
    warn_of_lookalikes(Names(np.array([7, 8])), "x.csv")
    assert (seen, len(recwarn)) == (["\xe4"], 0)
