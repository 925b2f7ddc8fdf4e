"""How a data set is read: the call of the library, the words of a command and the Python code mean the same."""

import shlex

import click
import pytest

import shoal
from shoal.cli.options import load_data, reading_options
from shoal.data.examples import SHELL
from shoal.errors import BadFile, BadParameter
from shoal.io.files import hold_files
from shoal.web.reading import Reading, write_command

LINKS = "from;to;kind;weight\nAnn;Bob;mail;1\nBob;Cem;call;2\nCem;Ann;mail;3\nAnn;Ann;mail;4\n"
PEOPLE = "who,age,zip\nAnn,30,01\nBob,40,02\nCem,30,01\n"
FILES = {
    "links.csv": LINKS,
    "plain.csv": "1,2,x\n2,3,y\n3,1,x\n",
    "people.csv": PEOPLE,
    "latin.csv": "from,to\nJos\xe9,Ann\nAnn,Bob\n".encode("cp1252"),
    'it\'s a "test" $HOME `x` \u00fc\u65e5.csv': "a,b\nx,y\ny,z\n",
    "-k.csv": "a,b\nx,y\ny,z\n",
    "two\nlines.csv": "a,b\nx,y\ny,z\n",
    "-p.csv": PEOPLE.replace("who", "-who"),
    "wide.gml": 'graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 ] ]',
}
READINGS = [
    Reading("links.csv", drop_loops=True),
    Reading("links.csv", drop_loops=True, directed=True, kind="kind"),
    Reading("links.csv", drop_loops=True, kind="weight", bins="0,2,10"),
    Reading("links.csv", drop_loops=True, ends=(1, 0), directed=True),
    Reading("links.csv", drop_loops=True, header=True, separator="semicolon", people="people.csv", key="who"),
    Reading("links.csv", drop_loops=True, people="-p.csv", key="-who", kind="kind"),
    Reading("links.csv", ends=(0, 3)),
    Reading("plain.csv", header=False, kind="2"),
    Reading("plain.csv", header=True),
    Reading("people.csv", table=True, key="who"),
    Reading("people.csv", table=True, separator="comma"),
    Reading("latin.csv", encoding="cp1252"),
    Reading("wide.gml"),
    Reading("wide.gml", undirected=True),
    *(Reading(name) for name in FILES if name[0] in "i-t"),
    *(Reading(f"example:{name}") for name in SHELL if name != "village"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("data")
    for name, text in FILES.items():
        (found / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return found


@click.command()
@click.argument("file")
@reading_options
@click.pass_context
def load(context, file, **given):
    context.obj.append(load_data(file, given))


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
@pytest.mark.parametrize("reading", READINGS, ids=lambda one: " ".join(one.list_words()))
def test_the_call_the_command_and_the_code_read_the_same(folder, monkeypatch, reading):
    monkeypatch.chdir(folder)
    held = {name: text if isinstance(text, bytes) else text.encode() for name, text in FILES.items()}
    with hold_files(held):
        found = reading.load()
    assert eval(reading.write_python(), {"shoal": shoal}) == found
    read = []
    words = shlex.split(write_command(reading.list_words()))
    load.main(words, standalone_mode=False, obj=read)
    assert read == [found]


def test_a_direction_that_is_ignored_is_ignored():
    assert Reading("example:office").load().directed
    undirected = Reading("example:office", undirected=True)
    assert not undirected.load().directed
    assert eval(undirected.write_python(), {"shoal": shoal}) == undirected.load()
    assert not Reading("example:karate", undirected=True).load().directed
    assert eval(Reading("example:karate", undirected=True).write_python(), {"shoal": shoal}) == shoal.examples.karate()


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
@pytest.mark.parametrize(
    "reading",
    [
        Reading("other.csv"),
        Reading("links.csv", people="other.csv"),
        Reading("links.csv", kind="kind", bins="hierarchy:secret.csv"),
        Reading("../data/links.csv"),
    ],
)
def test_only_files_that_were_sent_are_read(folder, monkeypatch, reading):
    monkeypatch.chdir(folder)
    (folder / "secret.csv").write_text("mail;all\ncall;all\n")
    (folder / "other.csv").write_text("a,b\nx,y\n")
    with hold_files({"links.csv": LINKS.encode()}), pytest.raises((BadFile, BadParameter)):
        reading.load()
