"""Options about the direction and kind of links: every command that reads a network has them."""

import json

import click
import networkx as nx
import pytest

from messages import tells
from shoal import Graph, write
from shoal.cli.app import main
from shoal.cli.options import READ_HEADING
from shoal.data.examples import office
from shoal.errors import Notice

MAILS = (
    "sender,receiver,type,size,day\nann,bo,mail,3,2024-01-05\nbo,ann,reply,4,2024-02-05\nann,cy,mail,50,2024-03-05\n"
)
OPTIONS = {"--directed", "--undirected", "--kind", "--bins", "--kind-hierarchy"}

pytestmark = pytest.mark.filterwarnings("ignore", category=Notice)


@pytest.fixture
def mails(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text(MAILS)
    return path


def test_every_command_that_reads_a_network_has_the_options():
    reading = {}
    context = click.Context(main, **main.context_settings)
    for name in main.list_commands(context):
        params = main.get_command(context, name).params
        about = {flag for param in params if getattr(param, "section", "") == READ_HEADING for flag in param.opts}
        if "--ends" in about:
            reading[name] = about
    assert {"risk", "why", "levels", "check", "anonymize", "certify", "compare", "audit"} <= set(reading)
    assert [name for name, about in reading.items() if not about >= OPTIONS] == []


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ((), "2 edges"),
        (("--undirected",), "2 edges"),
        (("--directed",), "3 links; directed"),
        (("--kind", "type"), "kinds: mail and reply"),
        (("--kind", "2"), "kinds: mail and reply"),
        (("--directed", "--kind", "size", "--bins", "10"), "directed; 2 kinds: < 10 and >= 10"),
        (("--kind", "size", "--bins", "quantiles:2"), "kinds: < "),
        (("--kind", "day", "--bins", "2024-02-01"), "kinds: < 2024-02-01 and >= 2024-02-01"),
    ],
)
def test_what_is_read(shell, mails, options, shown):
    code, out, _ = shell("risk", mails, *options, "--knows", "adjacency")
    assert code == 0
    assert tells(out.splitlines()[0], "3 vertices", shown)


def test_a_hierarchy_file(shell, mails, tmp_path):
    (tmp_path / "types.csv").write_text("mail;written\nreply;written\n")
    code, out, _ = shell(
        "risk", mails, "--kind", "type", "--bins", f"hierarchy:{tmp_path / 'types.csv'}", "--knows", "orbit"
    )
    assert code == 0
    assert "1 kind: written" in out


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        (("--directed", "--undirected"), ("--directed", "--undirected", "together")),
        (("--kind", "tpye"), ("'tpye'", "Did you mean 'type'?")),
        (("--bins", "1,2"), ("--bins", "must come with", "--kind")),
        (("--kind", "type", "--bins", "1,2"), ("--bins", "numbers or dates", "'mail'", "'type'")),
        (("--kind", "size", "--bins", "2,1"), ("--bins", "must ascend", "2,1")),
        (("--kind", "size", "--bins", "2;1"), ("--bins", "numbers such as", "2;1")),
        (("--kind", "sender"), ("--kind", "another column", "'sender'")),
        (("--table", "--directed"), ("--directed", "a table has no links")),
    ],
)
def test_bad_input(shell, mails, options, facts):
    code, _, err = shell("risk", mails, *options)
    assert code == 2
    assert tells(err, str(mails), *facts)


def test_direction_asked_of_a_file_without_any(shell, tmp_path):
    nx.write_graphml(nx.Graph([("a", "b")]), tmp_path / "x.graphml")
    code, _, err = shell("risk", tmp_path / "x.graphml", "--directed")
    assert code == 2
    assert tells(err, "x.graphml", "--directed", 'edgedefault="undirected"')
    code, _, err = shell("risk", "example:karate", "--directed")
    assert code == 2
    assert tells(err, "example:karate", "--directed")


def test_a_directed_file_says_it_itself(shell, tmp_path):
    nx.write_graphml(nx.DiGraph([("a", "b"), ("b", "c")]), tmp_path / "x.graphml")
    assert "2 links; directed" in shell("risk", tmp_path / "x.graphml", "--knows", "adjacency")[1]
    assert "2 edges" in shell("risk", tmp_path / "x.graphml", "--knows", "adjacency", "--undirected")[1]
    code, _, err = shell(
        "anonymize", tmp_path / "x.graphml", "--method", "raise-l", "-k", "2", "-o", tmp_path / "o.csv"
    )
    assert code == 2
    assert "--undirected" in err
    assert not (tmp_path / "o.csv").exists()


def test_the_original_is_read_with_the_same_options(shell, mails, tmp_path):
    (tmp_path / "other.csv").write_text(MAILS.replace("ann,bo", "bo,cy"))
    code, out, _ = shell("risk", tmp_path / "other.csv", "--original", mails, "--directed", "--knows", "adjacency")
    assert code == 0
    assert "directed" in out


@pytest.fixture
def payments(tmp_path):
    """Return a file of payments with amounts from 0 to 99, and one that lacks the largest ones."""
    rows = [f"p{v},p{(v * 7 + w) % 30},{(v * 13 + w * 29) % 100}\n" for v in range(30) for w in (1, 2, 5)]
    rows = [row for row in rows if row.split(",")[0] != row.split(",")[1]]
    files = tmp_path / "payments.csv", tmp_path / "fewer.csv"
    for file, kept in zip(files, (rows, [row for row in rows if int(row.split(",")[2]) < 70]), strict=True):
        file.write_text("source,target,amount\n" + "".join(kept))
    return files


@pytest.mark.parametrize("bins", ["quantiles:3", "20,60"])
def test_a_saved_release_is_compared_by_the_kinds_of_its_original(shell, payments, tmp_path, bins):
    original, safe, secret = payments[0], tmp_path / "safe.csv", tmp_path / "secret.csv"
    read = ("--directed", "--kind", "amount", "--bins", bins)
    made = shell("anonymize", original, *read, "--method", "match-degrees", "-k", "2", "-o", safe, "--mapping", secret)
    assert made[0] == 0
    code, out, _ = shell("risk", safe, "--original", original, "--mapping", secret, *read, "--json")
    assert (code, len(json.loads(out)["graph"]["kinds"])) == (0, 3)
    code, out, _ = shell("compare", original, safe, "--mapping", secret, *read, "--json")
    assert code == 0
    assert "kind distance" in out
    code, _, err = shell("compare", original, safe, "--mapping", secret, *read[:4], "50")
    assert (code, tells(err, "same bounds", "< 50")) == (2, True)


def test_quantiles_are_those_of_the_original(shell, payments):
    original, fewer = payments
    read = ("--directed", "--kind", "amount", "--bins", "quantiles:3")
    code, out, _ = shell("risk", fewer, "--original", original, *read, "--json")
    alone = json.loads(shell("risk", original, *read, "--json")[1])
    assert code == 0
    assert json.loads(out)["graph"]["kinds"] == alone["graph"]["kinds"]
    assert json.loads(shell("risk", fewer, *read, "--json")[1])["graph"]["kinds"] != alone["graph"]["kinds"]


def test_the_graph_of_the_shell_is_that_of_python(mails):
    import shoal

    g = shoal.read_graph(mails, directed=True, kind="type")
    assert g == Graph.from_pairs(
        ["ann", "bo", "cy"], [0, 1, 0], [1, 0, 2], directed=True, kinds=["mail", "reply", "mail"]
    )


class TestKindHierarchy:
    """Kinds are merged by a hierarchy file."""

    @pytest.fixture
    def types(self, tmp_path):
        path = tmp_path / "types.csv"
        path.write_text("mail;written;*\nreply;written;*\nnotice;official;*\nprivate;personal;*\nwork;official;*\n")
        return path

    @pytest.mark.parametrize(("level", "shown"), [("", "kind: written"), (":1", "kind: written"), (":2", "kind: *")])
    def test_a_file(self, shell, mails, types, level, shown):
        code, out, _ = shell(
            "risk", mails, "--kind", "type", "--kind-hierarchy", f"{types}{level}", "--knows", "degree"
        )
        assert code == 0
        assert shown in out.splitlines()[0]

    def test_an_example(self, shell, types):
        code, out, _ = shell("risk", "example:office", "--kind-hierarchy", types, "--knows", "degree")
        assert code == 0
        assert tells(out.splitlines()[0], "directed", "official and personal")
        out = shell("risk", "example:office", "--undirected", "--knows", "degree")[1]
        assert "directed" not in out.splitlines()[0]

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (("--kind", "type", "--bins", "2"), "together"),
            ((), "--kind COLUMN"),
        ],
    )
    def test_what_must_not_or_must_come_with_it(self, shell, mails, types, words, told):
        code, _, err = shell("risk", mails, *words, "--kind-hierarchy", types)
        assert code == 2
        assert tells(err, "--kind-hierarchy", told)

    def test_options_for_the_release_of_an_example(self, shell, tmp_path):
        release = tmp_path / "safe.csv"
        write(office(), release)
        code, out, _ = shell(
            "compare", "example:office", release, "--directed", "--kind", "kind", "--same-names", "--json"
        )
        assert code == 0
        assert {row["name"]: row["after"]["value"] for row in json.loads(out)["metrics"]}["kind distance"] == 0
        assert shell("compare", "example:karate", release, "--directed", "--same-names")[0] == 2

    def test_an_example_without_kinds(self, shell, types):
        code, _, err = shell("risk", "example:karate", "--kind-hierarchy", types)
        assert code == 2
        assert "--kind-hierarchy" in err

    def test_a_level_that_is_not_there(self, shell, types):
        code, _, err = shell("risk", "example:office", "--kind-hierarchy", f"{types}:3")
        assert code == 2
        assert tells(err, "1 to 2", "Got 3")
