"""XML is parsed in pieces: their size changes nothing, and a long token takes few of them."""

from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree

import pytest

import shoal
from shoal.errors import BadFile
from shoal.io.formats import markup

PATH = Path("x.graphml")


def list_events(data):
    found = markup.read_elements(data, PATH, "graphml")
    return [(event, name, dict(one.attrib), one.text if event == "end" else "") for event, name, one in found]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_the_size_of_pieces_changes_nothing(size, monkeypatch, tmp_path):
    shoal.write(shoal.examples.karate(), tmp_path / "x.graphml")
    data = (tmp_path / "x.graphml").read_bytes()
    expected = list_events(data)
    assert len(expected) > 200
    monkeypatch.setattr(markup, "PIECE", size)
    assert list_events(data) == expected
    for wrong in (data[:-20], data + b"<a/>", b"<graphml><a></b></graphml>", b"<html/>", b"<graphml>\xff</graphml>"):
        with pytest.raises(BadFile) as caught:
            list_events(wrong)
        monkeypatch.undo()
        with pytest.raises(BadFile) as other:
            list_events(wrong)
        assert str(caught.value) == str(other.value)
        monkeypatch.setattr(markup, "PIECE", size)


@pytest.mark.parametrize(
    "text", ["{}", "<{}/>", "<graphml a='{}'/>", "<graphml><!--{}--></graphml>", "<graphml {}='1'/>"]
)
def test_a_long_token_is_parsed_in_few_pieces(text, monkeypatch):
    """The parser reads an unfinished token again with each piece: 50 MB took minutes."""
    fed = []

    class Counting(ElementTree.XMLPullParser):
        def feed(self, data):
            fed.append(len(data))
            super().feed(data)

    monkeypatch.setattr(markup.ElementTree, "XMLPullParser", Counting)
    with suppress(BadFile):
        list_events(text.format("a" * (1 << 22)).encode())
    assert 1 <= len(fed) <= 12
