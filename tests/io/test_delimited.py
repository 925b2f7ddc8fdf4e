"""Delimited text, cell by cell."""

from pathlib import Path

import pytest

from shoal.errors import BadFile
from shoal.io import delimited
from shoal.io.delimited import Delimited


def test_a_quoted_cell_of_very_many_lines_is_read_in_one_pass():
    """If it were read again at each line, a quoted cell of 300,000 lines would take hours."""
    lines = ['a,"', *['""'] * 300_000, '",b', "c,d,e"]
    records = list(Delimited(Path("x.csv"), ",").records(lines))
    assert [(record.line, len(record.cells)) for record in records] == [(1, 3), (300_003, 3)]
    assert records[0].cells == ["a", "\n" + '"\n' * 300_000, "b"]
    with pytest.raises(BadFile, match=r"line 1.*quote"):
        list(Delimited(Path("x.csv"), ",").records(lines[:-2]))


@pytest.mark.parametrize("separator", [",", "\t", ";", None])
def test_cells_with_line_breaks_quotes_and_blanks(separator):
    sign = separator or " "
    lines = [sign.join(['"a', ""])[:-1] + "\r", ' ""b""  ', f'c"{sign}x{sign}"y"\r', f"d{sign}e{sign}f"]
    found = list(Delimited(Path("x"), separator).records(lines))
    assert [record.cells for record in found] == [['a\r\n "b"  \nc', "x", "y"], ["d", "e", "f"]]
    assert [record.quoted for record in found] == [(0, 2), ()]


def test_blanks_around_quotes_are_counted():
    [record] = Delimited(Path("x"), ",").records([' "a ",b , "c",d'])
    assert (record.cells, record.quoted, record.trimmed) == (["a ", "b", "c", "d"], (0, 2), (0, 1, 2))
    [record] = Delimited(Path("x"), ",", trims=False).records([' "a ",b , "c",d'])
    assert (record.cells, record.trimmed) == (["a ", "b ", "c", "d"], (0, 2))


@pytest.mark.parametrize("separator", [",", None])
def test_a_line_of_too_many_cells_is_refused(separator, monkeypatch):
    monkeypatch.setattr(delimited, "WIDEST", 3)
    mark = separator or " "
    text = Delimited(Path("x.csv"), separator)
    assert [len(record.cells) for record in text.records([mark.join("abc"), mark.join(["a", '"b"', "c"])])] == [3, 3]
    for line in (mark.join("abcd"), mark.join(["a", '"b"', "c", "d"])):
        with pytest.raises(BadFile, match=r"line 1: a line must have at most 3 cells\. Got 4"):
            list(text.records([line]))
