"""Workbooks: a sheet is read as the csv text that it would be saved as, and nothing in it is lost in silence."""

import random
import sys
from contextlib import suppress
from datetime import date, datetime
from zipfile import ZipFile

import pytest

import shoal
from messages import tells
from shoal.errors import BadFile, BadParameter, MissingLibrary, Notice, ShoalError
from workbooks import MAIN, Raw, write_workbook


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    path = write_workbook(tmp_path / "a.xlsx", [["a", "b"], [1, 2]])
    with pytest.raises(MissingLibrary, match=r"shoal\[excel\]"):
        shoal.read_graph(path)


class TestSheets:
    @pytest.fixture(autouse=True)
    def _needs_the_library(self):
        pytest.importorskip("python_calamine")

    def test_cells(self, tmp_path):
        rows = [
            ["name", "age", "height", "born", "seen", "ok", "zip", "score"],
            ["Ann", 30.0, 1.75, date(1990, 1, 2), datetime(2026, 11, 16, 12, 30), True, "10001", 7],
            ["Zoë", 31, 2, None, datetime(2026, 11, 17), False, "02139", Raw("|<f>1+1</f><v>2</v>")],
        ]
        table = shoal.read_table(write_workbook(tmp_path / "a.xlsx", rows), key="name")
        assert list(table.names) == ["Ann", "Zoë"]
        assert {name: list(table[name]) for name in table} == {
            "age": [30, 31],
            "height": [1.75, 2],
            "born": ["1990-01-02", None],
            "seen": ["2026-11-16T12:30:00", "2026-11-17T00:00:00"],
            "ok": ["TRUE", "FALSE"],
            "zip": ["10001", "02139"],
            "score": [7, 2],
        }
        assert [table[name].is_numeric for name in ("age", "height", "zip")] == [True, True, False]

    def test_digits_stored_as_text(self, tmp_path):
        path = write_workbook(tmp_path / "a.xlsx", [["code", "age"], ["7", "30"], ["8", 31]])
        table = shoal.read_table(path)
        assert (list(table["code"]), list(table["age"])) == (["7", "8"], [30, 31])

    def test_texts_that_csv_would_split(self, tmp_path):
        odd = ["a,b", 'say "x"', "two\nlines", "#1", "%x", ""]
        path = write_workbook(tmp_path / "a.xlsx", [["name", "n"], *([text, 1] for text in odd)])
        assert list(shoal.read_table(path)["name"]) == [*odd[:-1], None]

    def test_missing_marks_and_trimming(self, tmp_path):
        path = write_workbook(tmp_path / "a.xlsx", [["age", "sex"], [30, "f "], ["NA", "f"]])
        with pytest.warns(Notice, match="blanks dropped.*1"):
            table = shoal.read_table(path, missing=("NA",), trim=True)
        assert (list(table["age"]), list(table["sex"])) == ([30, None], ["f", "f"])

    def test_edge_list(self, tmp_path):
        rows = [["source", "target", "amount"], [1.0, 2.0, 3.5], [2, "x", 1], [7, None, None]]
        path = write_workbook(tmp_path / "a.xlsx", rows)
        with pytest.warns(Notice, match="Not used: 'amount'"):
            g = shoal.read_graph(path)
        assert (list(g.names), g.m, g.unread) == (["1", "2", "x", "7"], 2, ("amount",))

    def test_the_same_as_csv(self, tmp_path):
        draw = random.Random(5)
        for _ in range(30):
            rows = [
                [draw.randrange(9), draw.choice(["x", "y, z", '"', "07", "#"])] for _ in range(draw.randrange(1, 9))
            ]
            path = write_workbook(tmp_path / "a.xlsx", [["n", "t"], *rows])
            quoted = [f'{n},"{t.replace(chr(34), chr(34) * 2)}"' for n, t in rows]
            (tmp_path / "a.csv").write_text("\n".join(["n,t", *quoted, ""]))
            assert shoal.read_table(path).has_same_cells(shoal.read_table(tmp_path / "a.csv"))

    def test_attributes(self, tmp_path):
        links = tmp_path / "links.csv"
        links.write_text("source,target\nAnn,Bo\n")
        people = write_workbook(tmp_path / "people.xlsx", [["name", "age"], ["Bo", 41], ["Ann", 30]])
        assert list(shoal.read_graph(links, attributes=people).attributes["age"]) == [30, 41]

    def test_sheets_that_are_not_read_are_named(self, tmp_path):
        path = write_workbook(tmp_path / "a.xlsx", [["a", "b"], [1, 2]], people=[["a"], [5], [6]])
        with pytest.warns(Notice, match=r"'first'.*Not read: 'people'.*--sheet"):
            assert shoal.read_graph(path, header=True).n == 2
        assert list(shoal.read_table(path, sheet="people")["a"]) == [5, 6]
        with pytest.raises(BadParameter, match=r"'peple'.*Did you mean 'people'"):
            shoal.read_table(path, sheet="peple")

    def test_empty_rows_are_counted_and_lines_are_rows(self, tmp_path):
        path = write_workbook(tmp_path / "a.xlsx", [["a", "b"], [1, 2], [None, None], [3, 4]], top=3)
        with pytest.warns(Notice, match="empty rows.*: 1"):
            assert shoal.read_table(path).n == 2
        path = write_workbook(tmp_path / "b.xlsx", [["source", "target"], ["x", "y"], [None, "z"]], top=3)
        with pytest.raises(BadFile, match="line 5"):
            shoal.read_graph(path)

    @pytest.mark.parametrize(
        ("cell", "facts"),
        [
            (Raw('t="e"|<v>#N/A</v>'), ["'first'", "B3", "error"]),
            (Raw('t="e"|<f>1/0</f><v>#DIV/0!</v>'), ["'first'", "B3", "error"]),
            (Raw("|<f>1+1</f>"), ["'first'", "B3", "formula"]),
            (Raw('|<f t="shared" si="0"/><v></v>'), ["'first'", "B3", "formula"]),
        ],
        ids=["error", "error of a formula", "formula", "shared formula"],
    )
    def test_what_calamine_would_read_as_empty_is_refused(self, tmp_path, cell, facts):
        path = write_workbook(tmp_path / "a.xlsx", [["a", "b"], [1, 2], [3, cell]])
        with pytest.raises(BadFile) as caught:
            shoal.read_table(path)
        assert tells(str(caught.value), *facts)

    def test_an_empty_result_is_missing(self, tmp_path):
        path = write_workbook(tmp_path / "a.xlsx", [["a", "b"], [1, 2], [3, Raw('t="str"|<f>""</f><v></v>')]])
        assert list(shoal.read_table(path)["b"]) == [2, None]

    def test_merged_cells_are_refused(self, tmp_path):
        path = write_workbook(tmp_path / "a.xlsx", [["people", None], ["a", "b"], [1, 2]], merged=["A1:B1"])
        with pytest.raises(BadFile, match=r"merged.*A1"):
            shoal.read_table(path)

    def test_a_far_cell_does_not_fill_the_memory(self, tmp_path):
        rows = [["a", Raw('|<v>1</v></c><c r="XFD1048576"><v>1</v>')]]
        with pytest.raises(BadFile, match="17179869184 cells"):
            shoal.read_table(write_workbook(tmp_path / "a.xlsx", rows))

    def test_damaged_files_are_refused(self, tmp_path):
        whole = write_workbook(tmp_path / "a.xlsx", [["a", "b"], [1, 2]]).read_bytes()
        draw = random.Random(3)
        damaged = [b"", b"abc", whole[:200], whole[:-30]]
        for _ in range(60):
            data = bytearray(whole)
            for _ in range(draw.randrange(1, 20)):
                data[draw.randrange(len(data))] = draw.randrange(256)
            damaged.append(bytes(data))
        path = tmp_path / "b.xlsx"
        refused = 0
        for data in damaged:
            path.write_bytes(data)
            with suppress(ShoalError):  # any other error would be a defect
                shoal.read_table(path)
                continue
            refused += 1
        assert refused > len(damaged) // 2

    def test_options_without_effect_are_refused(self, tmp_path):
        path = write_workbook(tmp_path / "a.xlsx", [["source", "target"], [1, 2]])
        for option in ({"separator": ";"}, {"encoding": "cp1252"}):
            for read in (shoal.read_graph, shoal.read_table):
                with pytest.raises(BadParameter, match=f"'{next(iter(option))}' has no effect"):
                    read(path, **option)
        (tmp_path / "a.csv").write_text("source,target\n1,2\n")
        with pytest.raises(BadParameter, match="'sheet' has no effect"):
            shoal.read_graph(tmp_path / "a.csv", sheet="first")

    def test_in_the_shell(self, shell, tmp_path):
        rows = [["name", "age"], ["Ann", 30], ["Bo", 30], ["Cy", 41]]
        path = write_workbook(tmp_path / "a.xlsx", [["source", "target"], [1, 2]], people=rows)
        code, out, err = shell("risk", path, "--columns", "age", "--sheet", "people", "-k", "2", "--key", "name")
        assert (code, err) == (0, "")
        assert "3 rows" in out
        code, _, err = shell("risk", path, "--sheet", "nobody")
        assert code == 2
        assert tells(err, "'nobody'", "first", "people")


def test_workbooks_are_not_written(tmp_path):
    with pytest.raises(BadFile, match=r"'\.xlsx'"):
        shoal.write(shoal.examples.karate(), tmp_path / "a.xlsx")
    with pytest.raises(BadFile, match=r"'\.xlsx'"):
        shoal.write(shoal.examples.people(), tmp_path / "a.xlsx")


ONE = "<v>1</v></c>"
HEADS = '<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>'
PLACES = {
    "a row beyond int32": (f'<row r="1"><c r="C2147483647">{ONE}</row>', "C2147483647"),
    "the number of a row": (f'<row r="2147483647"><c>{ONE}</row>', "2147483647"),
    "a row beyond every sheet": (f'<row r="1048577"><c>{ONE}</row>', "1,048,576 rows"),
    "a column beyond every sheet": (f'<row r="1"><c r="XFE1">{ONE}</row>', "16,384 columns"),
    "too many cells": (f'<row r="1048576"><c>{ONE}<c r="XFD1">{ONE}</row>', "17179869184 cells"),
    "blanks": (f'<row r="1"><c  r = "C2147483647">{ONE}</row>', "C2147483647"),
    "a quoted bracket": (f'<row r="1"><c x=">" r="C2147483647">{ONE}</row>', "C2147483647"),
    "a reference": (f'<row r="1"><c r="&#67;2147483647">{ONE}</row>', "&#67;"),
    "an open cell": (f'<row r="1"><c r="A1">{ONE}<c ', "complete XML"),
    "an error without a place": (f'{HEADS}<row><c>{ONE}<c t = "e"><v>#N/A</v></c></row>', "#N/A"),
    "a formula without a place": (f"{HEADS}<row><c>{ONE}<c><f>A1</f></c></row>", "stored result"),
}
"""Sheets by whose places a program would take memory for billions of cells, or lose a cell."""


def write_part(path, name, part):
    """Write a workbook in which a part is another, or is added."""
    write_workbook(path, [["a", "b"], [1, 2]])
    with ZipFile(path) as book:
        parts = {other: book.read(other) for other in book.namelist()}
    with ZipFile(path, "w") as book:
        for other, held in {**parts, name: part}.items():
            book.writestr(other, held)
    return path


def write_sheet(path, inside, encoding="utf-8"):
    markup = f'<worksheet xmlns="{MAIN}"><sheetData>{inside}</sheetData></worksheet>'
    return write_part(path, "xl/worksheets/sheet1.xml", markup.encode(encoding))


@pytest.mark.parametrize("name", PLACES)
def test_places_are_checked_before_memory_is_taken(name, tmp_path):
    pytest.importorskip("python_calamine")
    inside, message = PLACES[name]
    for read in (shoal.read_table, shoal.read_graph):
        with pytest.raises(BadFile) as caught:
            read(write_sheet(tmp_path / "a.xlsx", inside))
        assert tells(str(caught.value), "a.xlsx", message)


def test_another_encoding_is_refused(tmp_path):
    pytest.importorskip("python_calamine")
    with pytest.raises(BadFile, match="UTF-8"):
        shoal.read_table(write_sheet(tmp_path / "a.xlsx", PLACES["a row beyond int32"][0], "utf-16"))


def test_cells_without_a_place_follow_each_other(tmp_path):
    pytest.importorskip("python_calamine")
    inside = f'{HEADS}<row><c>{ONE}<c s="0" r="B2"><v>2</v></c></row>'
    table = shoal.read_table(write_sheet(tmp_path / "a.xlsx", inside))
    assert {name: list(table[name]) for name in table} == {"a": [1], "b": [2]}


@pytest.mark.parametrize("name", ["xl/sharedStrings.xml", "xl/SHAREDSTRINGS.xml", "xl\\sharedStrings.xml"])
@pytest.mark.parametrize("told", ['"4000000000"', "= '4000000000'", f'"{"9" * 5_000}"', '"18446744073709551615"'])
def test_counts_of_texts_are_checked_before_memory_is_taken(name, told, tmp_path):
    """The library took memory for all of them, and ended the process where there was too little."""
    pytest.importorskip("python_calamine")
    part = f'<sst count="9" uniqueCount={told}><si><t>a</t></si></sst>'.replace("==", " =")
    with pytest.raises(BadFile, match=r"a\.xlsx: must hold the shared texts that it counts"):
        shoal.read_table(write_part(tmp_path / "a.xlsx", name, part))


def test_the_count_of_uses_of_texts_may_be_large(tmp_path):
    pytest.importorskip("python_calamine")
    part = '<sst count="4000000000" uniqueCount="1"><si><t>a</t></si></sst>'
    assert list(shoal.read_table(write_part(tmp_path / "a.xlsx", "xl/sharedStrings.xml", part))["a"]) == [1]
