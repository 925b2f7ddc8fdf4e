"""A release is read like its original; held in memory, it gives the report that the command line writes."""

import networkx as nx
import pytest

import shoal
from messages import hear
from shoal.auditing.run import audit
from shoal.data.graph import Graph
from shoal.errors import BadParameter, UnknownColumn
from shoal.io.files import MANIFEST, WRITTEN, hold_files
from shoal.methods import MatchDegrees, Mondrian, SwapWithin
from shoal.release.read import read_release
from shoal.report.html.page import render_page
from shoal.risk.scenario import as_scenario

FRIENDS = "source,target\n" + "".join(f"P{a},P{b}\n" for a, b in nx.karate_club_graph().edges)
PEOPLE = "name,age,town\n" + "".join(f"P{v},{20 + v % 7},{'abc'[v % 3]}\n" for v in range(34))
MAILS = "when|from|to|type\n" + "".join(
    f"{i}|P{a}|P{b}|{'call' if i % 2 else 'mail'}\n" for i, (a, b) in enumerate(nx.karate_club_graph().edges)
)
FILES = {"friends.csv": FRIENDS.encode(), "people.csv": PEOPLE.encode(), "mails.csv": MAILS.encode()}
MAIL_OPTIONS = {"columns": ["from", "to"], "separator": "|", "directed": True, "kind": "type", "header": True}
CASES = {
    "network": (
        ["friends.csv", "--attributes", "people.csv", "--columns", "age"],
        lambda: shoal.read_graph("friends.csv", attributes="people.csv"),
        {"attributes": "people.csv"},
        lambda: MatchDegrees(2, seed=1),
        ("age",),
    ),
    "table": (
        ["people.csv", "--key", "name", "--columns", "age,town"],
        lambda: shoal.read_table("people.csv", key="name"),
        {"key": "name"},
        lambda: Mondrian(3, columns=("age", "town")),
        ("age", "town"),
    ),
    "links with directions and kinds": (
        ["mails.csv", "--ends", "from,to", "--separator", "|", "--directed", "--kind", "type", "--header"],
        lambda: shoal.read_graph("mails.csv", **MAIL_OPTIONS),
        MAIL_OPTIONS,
        lambda: MatchDegrees(2, seed=1),
        (),
    ),
}


def hold_release(case):
    """Return the original, and its files with those of a release."""
    _, read, _, make, _ = CASES[case]
    with hold_files(FILES) as held:
        original = read()
        about = {"attributes": "safe-people.csv"} if case == "network" else {}
        make()(original).save("safe.csv", "secret.csv", seed=2**70, **about)
    return original, held


@pytest.mark.slow
@pytest.mark.parametrize("external", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_report_is_that_of_the_command_line(case, external, tmp_path, monkeypatch, shell):
    words, read, options, _, columns = CASES[case]
    (_, held), _ = hear(lambda: hold_release(case))
    monkeypatch.chdir(tmp_path)
    for name, data in held.items():
        (tmp_path / name).write_bytes(data)
    rest = ["--mapping", "secret.csv", "--scenario", "internal", "-k", "1", "--date", "2026-11-16", "-o", "report.html"]
    attacks = ["--no-attacks"] if external else ["--attack", "korula-lattanzi"] if case == "network" else []
    code, _, told = shell("audit", words[0], "safe.csv", *words[1:], *rest, *attacks, *["--external"] * external)
    assert code == 0, told

    def render():
        with hold_files(held) as files:
            original = read()
            released = read_release("safe.csv", original, options=options)
            named = ["safe-people.csv"] if external and case == "network" else []  # else the manifest names it
            tried = () if external else ("korula-lattanzi",) if case == "network" else "standard"
            how = {"scenario": as_scenario("internal").with_k(1), "columns": columns, "attacks": tried, "advice": 30.0}
            how |= {"external": external, "date": "2026-11-16", "files": (words[0], "safe.csv", *named)}
            found = audit(original, released, mapping="secret.csv", **how)
            found.save("report.html")
        assert files["report.html"].decode() == render_page(found)
        return files["report.html"]

    assert hear(render)[0] == (tmp_path / "report.html").read_bytes()


@pytest.mark.parametrize("form", [form for form in WRITTEN if form != "mtx"])
def test_every_format_keeps_directions_and_kinds(form):
    name = f"safe.{'txt' if form == 'text' else form}"
    with hold_files(FILES):
        original, _ = hear(lambda: shoal.read_graph("mails.csv", **MAIL_OPTIONS))
        release = MatchDegrees(2, seed=1)(original)
        hear(lambda: release.save(name, seed=2**70))
        found = read_release(name, original, options=MAIL_OPTIONS)
        plain = hear(lambda: read_release(name, original.without_kinds(), options={"directed": True}))[0]
    assert isinstance(found, Graph)
    assert (found.directed, found.count_kinds(), found.m) == (True, release.kinds, release.data.m)
    assert (plain.directed, plain.kinds) == (True, ())


def test_a_release_without_directions_is_not_read_with_directions():
    with hold_files(FILES) as held:
        original, _ = hear(lambda: shoal.read_graph("mails.csv", **MAIL_OPTIONS))
        hear(lambda: MatchDegrees(2, seed=1)(original.to_undirected().without_kinds()).save("safe.csv", seed=2**70))
        found = hear(lambda: read_release("safe.csv", original, options=MAIL_OPTIONS))[0]
        assert (found.directed, found.kinds) == (False, ())
        with pytest.raises(BadParameter, match="directions only in the original"):
            audit(original, found, same_names=True)
        del held[f"safe.csv{MANIFEST}"]
        with pytest.raises(UnknownColumn, match="type"):  # another release is read by the options alone
            read_release("safe.csv", original, options=MAIL_OPTIONS)


def test_a_table_may_lack_its_names():
    with hold_files(FILES):
        original = shoal.read_table("people.csv", key="name")
        release = SwapWithin("town", columns=("age",), seed=2**70, allow_unique=True)(original)
        hear(lambda: release.save("safe.csv", seed=2**70))
        found = read_release("safe.csv", original, options={"key": "name", "separator": "|", "missing": ("?",)})
        assert (found.n, tuple(found)) == (34, ("age", "town"))
        assert read_release("people.csv", original, options={"key": "name"}).names == original.names
