"""The table of peers: environments, relations of results, and programs that stubs stand for."""

import gzip
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import shoal
from bench_scripts import peers, peers_table, peers_work

BALLS = """#!{python}
import sys
from collections import Counter
lines = open(sys.argv[1]).read().split("\\n", 1)
n = int(lines[0].removeprefix("!n="))
rows = [row.split(":") for row in lines[1].strip().rstrip(".").split(";")]
near = {{int(v): {{int(w) for w in ends.split()}} for v, ends in rows}}
assert len(near) == n
def classify(v):
    ball = near[v] | {{v}}
    return len(ball), sum(len(near[w] & ball) for w in ball)
sizes = Counter(Counter(classify(v) for v in near).values())
{end}
"""
DKANON = 'print("Info:"); print("eq, 1, " + "".join(f"{s}, {many}, " for s, many in sorted(sizes.items())))'
ANONET = """
print("".join(f"[{s}, {s * many}], " for s, many in sorted(sizes.items())))
print("Fraction unique: 0.5")
print("".join(f"[{s}, {many}], " for s, many in sorted(sizes.items())))
"""
CYCLE = """#!{python}
import sys
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
n = int(open(words["-f"]).readline())
assert words["-k"] == "5" and words["-mode"] == "identity"
with open(words["-o"], "w") as file:
    print(n, file=file)
    for v in range(n):
        print(v, (v + 1) % n, file=file)
"""
COPY = """#!{python}
import shutil, sys
shutil.copy(sys.argv[-2], sys.argv[-1])
"""


@pytest.fixture
def given(tmp_path):
    """A wheel with a tail: classes of balls are those of numbers of vertices and links."""
    g = nx.wheel_graph(12)
    g.add_edges_from([(1, 12), (12, 13), (13, 14)])
    (tmp_path / "links.txt").write_text("".join(f"{a} {b}\n" for a, b in g.edges))
    return peers_work.Inputs("wheel", tmp_path, shoal.as_graph(g))


@pytest.fixture
def program(tmp_path):
    """Write a stub of a program, and return its path."""

    def write(code, name="program"):
        place = tmp_path / name
        place.write_text(code.replace("{python}", sys.executable))
        place.chmod(0o700)
        return str(place)

    return write


def run(given, wanted, **paths):
    return list(
        peers_table.compare_programs([given], wanted, {name.replace("_", "-"): path for name, path in paths.items()})
    )


def test_programs_without_a_path_are_rows_of_the_table(given):
    lines = run(given, [])
    assert {line.peer for line in lines} == {"dkAnonymity", "ANO-NET", "graphAnon", "SecGraph"}
    assert all("--program" in line.result and line.holds is None for line in lines)


def test_dkanonymity_is_read_and_compared(given, program):
    (line,) = run(given, ["dkAnonymity"], dkAnonymity=program(BALLS.format(python=sys.executable, end=DKANON)))
    assert line.holds, line.result
    assert line.result.startswith("same: classes ")
    assert line.theirs > 0
    assert line.ours > 0


def test_anonet_is_read_and_compared(given, program):
    place = program(BALLS.format(python=sys.executable, end=ANONET))
    lines = run(given, ["ANO-NET"], ANO_NET=place)
    assert [line.title.split("(")[1].rstrip(")") for line in lines] == ["neighborhood:1", "counts:1", "degrees:1"]
    assert lines[1].holds, lines[1].result


def test_a_program_that_is_wrong_is_found(given, program, capsys):
    wrong = BALLS.format(python=sys.executable, end="sizes[1] += 1\n" + DKANON)
    (line,) = run(given, ["dkAnonymity"], dkAnonymity=program(wrong))
    assert line.holds is False
    assert "NOT equal" in line.result


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("#!{python}\nraise SystemExit('no nauty here')", "no nauty here"),
        ("#!{python}\nprint('hello')", "cannot be read"),
        ("#!{python}\nprint('eq, 1, 3, ')", "cannot be read"),
    ],
)
def test_a_program_that_fails_is_reported(given, program, code, told):
    (line,) = run(given, ["dkAnonymity"], dkAnonymity=program(code))
    assert told in line.result
    assert line.holds is None


def test_a_missing_program_is_reported(given, tmp_path):
    (line,) = run(given, ["dkAnonymity"], dkAnonymity=str(tmp_path / "nothing"))
    assert "cannot be started" in line.result


@pytest.mark.filterwarnings("ignore::shoal.errors.Notice")
def test_releases_of_programs_are_counted_by_shoal(given, program):
    (line,) = run(given, ["graphAnon"], graphAnon=program(CYCLE))
    assert line.holds, line.result
    assert "least 15" in line.result
    command = f"{program(COPY, 'copy')} -m a {{input}} {{output}}"
    (line,) = run(given, ["SecGraph"], SecGraph=command)
    assert line.holds is False
    assert "NOT both keep k" in line.result
    assert "least 1" in line.result


# Packages.


def test_a_package_that_cannot_be_installed_is_a_row(monkeypatch, tmp_path, given):
    monkeypatch.setattr(peers, "FOLDER", tmp_path / "peers")
    monkeypatch.setattr(peers.venv, "create", lambda place, **_: Path(place).mkdir(parents=True))
    failed = subprocess.CompletedProcess([], 1, "", "ERROR: no matching distribution\n\n")
    monkeypatch.setattr(peers, "run", lambda *_: failed)
    lines = list(peers_table.compare_packages([given], []))
    assert {line.peer for line in lines} == set(peers.NEEDS)
    assert all("could not be installed" in line.result and "no matching" in line.result for line in lines)
    table, _ = peers_table.make_table(lines)
    assert sum("could not be installed" in row for row in table) == len(peers.NEEDS)


def test_every_package_has_work():
    assert {work.peer for work in (*peers_work.NETWORKS, *peers_work.TABLES)} == set(peers.NEEDS)
    for work in (*peers_work.NETWORKS, *peers_work.TABLES, *peers_work.PROGRAMS):
        assert work.relation in peers_work.RELATIONS
        assert work.why or work.relation in {"equal", "close"}


@pytest.fixture
def own(monkeypatch):
    """Let tools run in the environment of the tests."""
    monkeypatch.setattr(peers, "find_python", lambda _: sys.executable)
    monkeypatch.setattr(peers_table, "install", lambda *_: "1.0")


@pytest.mark.slow
def test_igraph_agrees_on_a_small_network(own, given):
    lines = list(peers_table.compare_packages([given], ["igraph"]))
    assert [line.holds for line in lines] == [True, True], lines
    assert lines[0].peer == "igraph 1.0"


def test_different_results_are_wrong_and_end_with_1(own, monkeypatch, given, capsys):
    lie = peers_work.Work("igraph", "lie", "result = [1.0, {'links': 1}]", lambda _: {"links": 2}, relation="equal")
    monkeypatch.setattr(peers_table, "NETWORKS", [lie])
    monkeypatch.setattr(peers_table, "TABLES", [])
    monkeypatch.setattr(peers_table, "make_inputs", lambda *_: [given])
    assert peers_table.main(["igraph"]) == 1
    assert "WRONG igraph" in capsys.readouterr().err


def test_a_tool_that_fails_says_so(own):
    with pytest.raises(peers.PeerFailed, match="there is no such thing"):
        peers.asked("igraph", "raise ValueError('there is no such thing')")
    assert peers.asked("igraph", "import sys; result = [sys.argv[1], 2]", "x") == ["x", 2]


def test_a_tool_that_takes_too_long_is_stopped():
    with pytest.raises(peers.PeerFailed, match="stopped after"):
        peers.run([sys.executable, "-c", "import time; time.sleep(60)"], 0.2)


def test_the_trap_merges_texts_and_not_numbers():
    a, b = peers_work.draw_trap()
    degree = np.bincount(np.concatenate([a, b]))
    found = [sorted(degree[[*b[a == v], *a[b == v]]].tolist()) for v in (0, 1)]
    assert found == [[1, 112], [11, 12]]
    assert "".join(map(str, found[0])) == "".join(map(str, found[1]))
    n = len(degree)
    assert (shoal.assess(shoal.Graph.from_pairs(range(n), a, b), "refinement:2").sizes[:2] == 1).all()


@pytest.mark.parametrize("words", [["nobody"], ["--program", "dkAnonymity"], ["--program", "nauty=x"]])
def test_unknown_names_are_refused(words):
    with pytest.raises(SystemExit) as refused:
        peers_table.parse(words)
    assert refused.value.code == 2


def test_inputs_are_generated_and_real_networks_are_added(tmp_path, monkeypatch):
    monkeypatch.setattr(peers_work, "LINKS", 2_000)
    monkeypatch.setattr(peers_work, "ROWS", 50)
    data = tmp_path / "data"
    data.mkdir()
    with gzip.open(data / "triangle.edges.gz", "wt") as file:
        file.write("7 8\n8 9\n9 7\n")
    made = peers_work.make_inputs(tmp_path, data)
    assert [one.name for one in made] == ["generated", peers_work.TRAP, "triangle"]
    assert [one.table is not None for one in made] == [True, False, False]
    for one in made:
        pairs = np.loadtxt(one.links, dtype=int)
        assert len(pairs) == one.graph.m == one.build().m
        assert set(pairs.ravel().tolist()) == set(range(one.graph.n))
    trap = [work for work in peers_work.NETWORKS if work.takes(made[1])]
    assert [work.peer for work in trap] == ["networkx"]
    assert not any(work.takes(made[2]) for work in peers_work.TABLES)
