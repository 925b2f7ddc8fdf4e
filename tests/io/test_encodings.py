"""Text files in other encodings: UTF-8 unless the caller names another one."""

import pytest

import shoal
from messages import tells
from shoal.errors import BadFile, BadParameter, Notice

LINKS = "source,target\nZoë,Jürgen\nJürgen,Ann\n"
PEOPLE = "name,city\nZoë,Köln\nJürgen,Zürich\nAnn,Ulm\n"


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-16-le", "latin-1", "utf-8-sig", "UTF-8"])
def test_every_encoding_gives_the_same(tmp_path, encoding):
    links, people = tmp_path / "links.csv", tmp_path / "people.csv"
    links.write_bytes(LINKS.encode(encoding))
    people.write_bytes(PEOPLE.encode(encoding))
    g = shoal.read_graph(links, attributes=people, encoding=encoding)
    assert dict(zip(g.names, g.attributes["city"], strict=True)) == {"Zoë": "Köln", "Jürgen": "Zürich", "Ann": "Ulm"}
    assert list(shoal.read_table(people, encoding=encoding)["city"]) == ["Köln", "Zürich", "Ulm"]


@pytest.mark.parametrize(("encoding", "named"), [("cp1252", "--encoding cp1252"), ("utf-16", "--encoding utf-16")])
def test_the_default_is_strict_and_names_the_option(tmp_path, encoding, named):
    path = tmp_path / "x.csv"
    path.write_bytes(PEOPLE.encode(encoding))
    for read in (shoal.read_graph, shoal.read_table):
        with pytest.raises(BadFile) as caught:
            read(path)
        assert tells(str(caught.value), str(path), "UTF-8", named)


def test_an_error_names_the_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes("a,b\nc,d\ne,".encode("cp1252") + b"\x81\n")
    with pytest.raises(BadFile, match=r"line 3.*cp1252.*0x81"):
        shoal.read_table(path, encoding="cp1252")


@pytest.mark.parametrize("encoding", ["nope", "rot13", 7, ""])
def test_unknown_encodings_are_refused(tmp_path, encoding):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(BadParameter, match="'encoding'"):
        shoal.read_table(path, encoding=encoding)


def test_utf8_in_another_encoding_gives_a_notice(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    with pytest.warns(Notice, match=r"cp1252.*UTF-8"):
        shoal.read_table(path, encoding="cp1252")


def test_in_the_shell_the_release_is_read_as_utf8(shell, tmp_path):
    path, release = tmp_path / "x.csv", tmp_path / "y.csv"
    path.write_bytes(LINKS.encode("cp1252"))
    release.write_text(LINKS, encoding="utf-8")
    code, _, err = shell("compare", path, release, "--same-names", "--encoding", "cp1252")
    assert (code, err) == (0, "")
    code, _, err = shell("risk", path)
    assert code == 2
    assert "--encoding cp1252" in err
