"""Generalization hierarchies, compared with a direct lookup of each value's row."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal import Hierarchy, read_hierarchy, read_table
from shoal.data.column import MISSING, Column
from shoal.errors import BadFile, BadParameter, Notice

CITIES = {"Oslo": ("Norway", "North", "*"), "Bergen": ("Norway", "North", "*"), "Lund": ("Sweden", "North", "*")}


@st.composite
def hierarchies(draw):
    """Draw a nested mapping: each level merges groups of the level below."""
    values = draw(
        st.lists(st.integers(-5, 5) | st.text("ab7", min_size=1, max_size=2), min_size=1, max_size=6, unique=True)
    )
    groups, rows = list(range(len(values))), [[] for _ in values]
    for level in range(draw(st.integers(1, 3))):
        joined = [draw(st.integers(0, 2)) for _ in range(6)]
        groups = [joined[group] for group in groups]
        for row, group in zip(rows, groups, strict=True):
            row.append(f"{level}{group}" if level < 2 else "*")
    return {value: tuple(row) for value, row in zip(values, rows, strict=True)}


@given(hierarchies(), st.data())
def test_each_cell_becomes_its_generalization(mapping, data):
    cells = data.draw(st.lists(st.sampled_from([*mapping, None]), max_size=8))
    hierarchy, column = Hierarchy.of(mapping), Column.of(cells)
    levels = hierarchy.levels(column)
    assert hierarchy.depth == levels.depth == 1 + len(next(iter(mapping.values())))
    for level in range(hierarchy.depth):
        full = level > 0 and {row[level - 1] for row in mapping.values()} == {"*"}
        missing = "*" if full else None
        expected = [missing if cell is None else mapping[cell][level - 1] if level else cell for cell in cells]
        assert list(hierarchy.recoded(column, level)) == expected
        assert list(Column(levels.codes[level][column.codes], levels.labels[level])) == expected


@given(hierarchies())
def test_a_level_merges_whole_groups(mapping):
    column = Column.of(list(mapping))
    levels = Hierarchy.of(mapping).levels(column)
    for below, above in zip(levels.codes, levels.codes[1:], strict=False):
        assert len(set(zip(below.tolist(), above.tolist(), strict=True))) == len(set(below.tolist()))


def test_repr_can_be_evaluated():
    hierarchy = Hierarchy.of(CITIES)
    assert eval(repr(hierarchy)) == hierarchy
    assert hash(hierarchy) == hash(Hierarchy.of(CITIES))
    assert hierarchy != Hierarchy.of({"Oslo": ("Norway", "*")})


def test_missing_stays_missing_below_the_star():
    column = Column.of(["Oslo", None])
    hierarchy = Hierarchy.of(CITIES)
    assert [list(hierarchy.recoded(column, level))[1] for level in range(4)] == [None, None, None, "*"]
    nothing_above = Hierarchy.of({"Oslo": ["Norway"], "Lund": ["Sweden"]})
    assert list(nothing_above.recoded(column, 1)) == ["Norway", None]


def test_missing_may_have_its_own_row():
    hierarchy = Hierarchy.of({"Oslo": ("Norway", "*"), None: ("unknown", "*")})
    column = Column.of(["Oslo", None])
    assert [list(hierarchy.recoded(column, level)) for level in range(3)] == [
        ["Oslo", None],
        ["Norway", "unknown"],
        ["*", "*"],
    ]


def test_one_text_is_one_level():
    assert Hierarchy.of({"a": "x", "b": "x"}) == Hierarchy.of({"a": ["x"], "b": ["x"]})


def test_flat():
    column = Column.of(["f", None, "m", "x"]).take(np.array([0, 1, 2]))
    hierarchy = Hierarchy.flat(column)
    assert hierarchy.values == ("f", "m")
    assert list(hierarchy.recoded(column, 1)) == ["*", "*", "*"]


def test_values_that_do_not_occur_need_no_generalization():
    column = Column.of(["Oslo", "Paris"]).take(np.array([0]))
    assert Hierarchy.of(CITIES).levels(column).codes[1].tolist() == [0, MISSING, MISSING]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"a": ("x", "*"), "b": ("x",)}, r"2.*1.*'b'"),
        ({"a": ()}, r"at least one generalization.*Got 0"),
        ({"a": ("", "*")}, r"generalization.*empty"),
        ({"a": (None,)}, r"generalization.*empty"),
        ({}, "'generalizations'"),
        (
            {"a": ("x", "p"), "c": ("y", "p"), "b": ("x", "q")},
            r"'a'.*'b'.*'x'.*1, but.*'p'.*'q'.*2",
        ),
    ],
)
def test_refused(wrong, message):
    with pytest.raises(BadParameter, match=message):
        Hierarchy.of(wrong)


def test_the_fields_are_checked():
    with pytest.raises(BadParameter, match="'values'"):
        Hierarchy((1, 1.0), (("*", "*"),))
    with pytest.raises(BadParameter, match="value and level"):
        Hierarchy((1,), (("*", "*"),))
    with pytest.raises(BadParameter, match=r"one level or more"):
        Hierarchy((1,), ())


def test_a_value_without_a_row_is_named():
    column = Column.of(["Olso", "Paris", "Rome"])
    with pytest.raises(BadParameter, match=r"'Olso'.*2 others.*Did you mean 'Oslo'\?"):
        Hierarchy.of(CITIES).recoded(column, 1)


@pytest.mark.parametrize("level", [-1, 4, 1.5, True])
def test_a_level_that_does_not_exist(level):
    with pytest.raises(BadParameter, match="'level'"):
        Hierarchy.of(CITIES).recoded(Column.of(["Oslo"]), level)


# files of ARX


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return written


def test_files_like_those_of_arx(write):
    ages = "\r\n".join(
        ";".join([str(age), *(f"{age // w * w}-{age // w * w + w - 1}" for w in (5, 10, 20)), "*"])
        for age in range(100)
    )
    sex = "Male;*\nFemale;*\n"
    education = (
        '"Some-college";Higher education;*\n"Bachelors; hons";Higher education;*\n 9th ;Secondary education;*\n\n'
    )
    people = write("people.csv", 'age,sex,education\n17,Male,9th\n25,,"Some-college"\n38,Female,Bachelors; hons\n')
    table = read_table(people, separator=",")
    found = {
        "age": read_hierarchy(write("age.csv", b"\xef\xbb\xbf" + ages.encode())),
        "sex": read_hierarchy(write("sex.csv", sex)),
    }
    with pytest.warns(Notice, match=r"education\.csv.*blanks dropped.*1"):
        found["education"] = read_hierarchy(write("education.csv", education))
    assert [hierarchy.depth for hierarchy in found.values()] == [5, 2, 3]
    assert list(found["age"].recoded(table["age"], 2)) == ["10-19", "20-29", "30-39"]
    assert list(found["sex"].recoded(table["sex"], 1)) == ["*", "*", "*"]
    assert list(found["education"].recoded(table["education"], 1)) == [
        "Secondary education",
        "Higher education",
        "Higher education",
    ]


@pytest.mark.parametrize("cells", [[25, 17], [25.0, 17.0], ["25", "17"], [25, "17"]])
def test_values_are_matched_by_their_spelling(write, cells):
    for text in ("17;10-19\n25;20-29\n", "17;10-19\n25;20-29\n?;?\n"):
        assert list(read_hierarchy(write("x.csv", text)).recoded(Column.of(cells), 1)) == ["20-29", "10-19"]


def test_numbers_match_by_spelling_then_by_value(write):
    hierarchy = read_hierarchy(write("x.csv", "17;10-19\n25;20-29\n25.0;20-30\n"))
    with pytest.warns(Notice, match=r"with blanks.*: 1. Blanks are kept"):
        column = read_table(write("t.csv", "age,id\n25.0,1\n25,2\n 17,3\n17.0,4\n"))["age"]
    assert list(hierarchy.recoded(column, 1)) == ["20-30", "20-29", "10-19", "10-19"]


def test_spellings_of_the_same_number(write):
    hierarchy = read_hierarchy(write("x.csv", "1.50;a\n1.5;b\n2.50;c\n007;d\n"))
    assert list(hierarchy.recoded(Column.of(["1.50", 1.5, 2.5, "007"]), 1)) == ["a", "b", "c", "d"]
    with pytest.raises(BadParameter, match=r"Got none for 7"):
        hierarchy.recoded(Column.of([7]), 1)
    with pytest.raises(BadParameter, match=r"Got none for 3"):
        read_hierarchy(write("x.csv", "3.0;a\n3.00;b\n")).recoded(Column.of([3]), 1)


def test_other_values_by_their_spelling(write):
    hierarchy = read_hierarchy(write("x.csv", "True;yes\n;none\n#1;hash\n"))
    assert list(hierarchy.recoded(Column.of([True, None, "#1"]), 1)) == ["yes", "none", "hash"]
    assert list(Hierarchy.of({25: ["x"]}).recoded(Column.of(["25"]), 1)) == ["x"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;x;*\nb;x\n", r"h\.csv.*line 2.*2.*1"),
        ("a;*\n\nb;*\na;*\n", r"h\.csv.*line 4.*'a'.*line 1"),
        ("a\nb\n", r"line 1.*0"),
        ("a,x,*\n", r"line 1.*','.*separator=.*','"),
        ("a;;*\n", r"line 1.*generalization.*empty"),
        ("a;x;p\nb;x;q\n", r"h\.csv.*'a'.*'b'.*'x'.*1"),
        ("", "empty"),
        ("\n", r"'generalizations' must be a mapping"),
        (b"a;\xff\n", "UTF-8"),
    ],
)
def test_broken_files(write, text, message):
    with pytest.raises(BadFile, match=message):
        read_hierarchy(write("h.csv", text))


def test_another_separator(write):
    assert read_hierarchy(write("h.csv", "a,x,*\nb,x,*\n"), separator=",").depth == 3


# intervals


def bounds(label):
    """Parse a label: the exact start and end of its interval."""
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return Fraction(low), Fraction(high)
    low, high = label.split(" to ") if " to " in label else label.split("-")
    return Fraction(low), Fraction(high) + 1


NUMBERS = st.one_of(
    st.lists(st.integers(-1000, 1000), min_size=1),
    st.lists(st.integers(), min_size=1),
    st.lists(st.integers(-1000, 1000).map(lambda i: i / 20), min_size=1),
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15).filter(
            lambda x: x == 0 or abs(x) > 1e-9
        ),
        min_size=1,
    ),
)


@given(NUMBERS)
@example([0.15, 0.1, 0.2, 1.0])
@example([0, 1])
@example([5])
@example([2**60, 2**60 + 1, 2**60 + 100])
@example([-0.0, 0.3])
@example([1e-8, 2e-8])
def test_numbers_lie_in_their_nested_intervals(cells):
    column = Column.of(cells)
    hierarchy = Hierarchy.intervals(column)
    assert hierarchy.generalizations[-1] == ("*",) * len(hierarchy.values)
    previous = [(Fraction(repr(value)), Fraction(repr(value))) for value in hierarchy.values]
    for labels in hierarchy.generalizations[:-1]:
        found = [bounds(label) for label in labels]
        assert all(low <= a and b <= high for (low, high), (a, b) in zip(found, previous, strict=True))
        assert all(low <= Fraction(repr(v)) < high for (low, high), v in zip(found, hierarchy.values, strict=True))
        assert len({high - low for low, high in found}) == 1
        assert len(set(found)) == len(set(labels)) <= 33
        previous = found


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([17, 90], [["15-19", "90-94"], ["10-19", "90-99"], ["0-19", "80-99"], ["0-39", "80-119"]]),
        ([0, 1], []),
        ([0, 100_000], [["0-4999", "100000-104999"]]),
        ([-3, 8], [["-4 to -3", "8-9"]]),
        ([1.5, 2.25], [["[1.5, 1.55)", "[2.25, 2.3)"]]),
        ([17.0, 90.0, None], [["15-19", "90-94", None]]),
        ([0.1, 20.0], [["[0, 1)", "[20, 21)"]]),
    ],
)
def test_round_widths(cells, expected):
    column = Column.of(cells)
    hierarchy = Hierarchy.intervals(column)
    assert [list(hierarchy.recoded(column, level + 1)) for level in range(len(expected))] == expected
    assert (hierarchy.depth == 2) == (not expected)


def test_given_widths():
    column = Column.of([17, 24, 91])
    hierarchy = Hierarchy.intervals(column, [10, 50])
    assert [list(hierarchy.recoded(column, level)) for level in (1, 2, 3)] == [
        ["10-19", "20-29", "90-99"],
        ["0-49", "0-49", "50-99"],
        ["*", "*", "*"],
    ]
    floats = Column.of([0.15, 0.3])
    assert list(Hierarchy.intervals(floats, [0.05, 0.1, 0.3]).recoded(floats, 1)) == ["[0.15, 0.2)", "[0.3, 0.35)"]


@pytest.mark.parametrize("widths", [[], [0], [-5], [10, 25], [10, 10], [float("inf")], [True], [2.5], ["5"]])
def test_widths_that_do_not_nest(widths):
    with pytest.raises(BadParameter, match="'widths'"):
        Hierarchy.intervals(Column.of([1, 100]), widths)


@pytest.mark.parametrize("cells", [["a"], [True], [None], [float("inf")]])
def test_intervals_need_numbers(cells):
    with pytest.raises(BadParameter, match="'age'"):
        Hierarchy.intervals(Column.of(cells), name="age")


def test_intervals_of_a_column_of_many_numbers():
    numbers = np.random.default_rng(7).normal(size=20_000)
    column = Column.from_numbers(numbers)
    hierarchy = Hierarchy.intervals(column)
    widths = [len(set(labels)) for labels in hierarchy.generalizations]
    assert widths == sorted(widths, reverse=True)
    labels = list(hierarchy.recoded(column, 1))
    assert all(
        bounds(label)[0] <= Fraction(x) < bounds(label)[1] for label, x in zip(labels, numbers.tolist(), strict=True)
    )
