"""The commands: what they print where, how they exit, and that no error is a traceback."""

import io
import json
import re
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

import networkx as nx
import pytest

import shoal
from messages import tells
from shoal import progress, settings
from shoal.cli import output
from shoal.cli.app import main
from shoal.errors import Notice
from shoal.progress import track, watching
from shoal.settings import run_in_pieces


@pytest.fixture
def friends(tmp_path):
    path = tmp_path / "friends.csv"
    path.write_text("source,target\nAnn,Bob\nBob,Cy\nCy,Ann\nCy,Dee\n", encoding="utf-8")
    return str(path)


def test_risk_shows_a_row_per_kind_of_knowledge(shell, friends):
    code, out, err = shell("risk", friends, "--knows", "degree", "--knows", "adjacency", "-k", "2")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["Graph(4", "vertices,", "4", "edges)"]
    assert lines[2] == ["knows", "k", "unique", "below", "2", "share", "time", "in", "words"]
    assert lines[3][:6] == ["degree", "1", "2", "2", "50.0", "%"]
    assert lines[4][:6] == ["adjacency", "1", "4", "4", "100", "%"]


def test_risk_for_programs(shell, friends):
    code, out, _ = shell("risk", friends, "--json", "-k", "3", "--knows", "degree+orbit")
    data = json.loads(out)
    assert code == 0
    assert data["graph"] == {"vertices": 4, "edges": 4, "multigraph": False, "directed": False, "kinds": []}
    [row] = data["risks"]
    assert {name: row[name] for name in ("knows", "k", "exact", "unique", "below", "rate", "misled")} == {
        "knows": "degree+orbit", "k": 1, "exact": True, "unique": 2, "below": 4, "rate": 1.0, "misled": 0,
    }  # fmt: skip


def test_risk_without_knowledge_looks_at_the_usual_ones(shell, friends):
    code, out, _ = shell("risk", friends)
    assert code == 0
    assert tells(out, "neighbors:1 and neighbors:2: ", "never that two people are not linked (Definition II ")
    assert [line.split()[0] for line in out.split("\n\n")[1].splitlines()[1:]] == [
        "degree", "neighbors:1", "outside", "refinement:2", "counts:1", "degrees:1", "neighborhood:1",
        "subgraph:3", "neighbors:2", "adjacency", "orbit",
    ]  # fmt: skip


def test_why_is_a_sentence(shell, friends):
    assert shell("why", friends, "Dee", "--knows", "degree") == (
        0,
        "Dee has 1 link. Only Dee fits.\n",
        "",
    )
    code, out, _ = shell("why", friends, "Ann", "--knows", "degree", "--json")
    [answer] = json.loads(out)["why"]
    assert code == 0
    assert answer["candidates"] == ["Ann", "Bob"]
    assert answer["facts"] == [{"kind": "degree", "value": 2}]


def test_why_in_a_network_named_by_numbers(shell):
    code, out, _ = shell("why", "example:karate", "0", "--knows", "degree")
    assert (code, out) == (0, "0 has 16 links. Only 0 fits.\n")


def test_check_exits(shell, friends, tmp_path):
    assert shell("check", friends, "--knows", "degree", "--at-least", "1")[0] == 0
    code, out, _ = shell("check", friends, "--knows", "degree", "--at-least", "2")
    assert code == 1
    assert tells(out, "FAIL. ", "(degree)", "2 of 4 vertices have fewer than 2 candidates.", "has 1 member.\n")
    assert shell("check", friends, "--knows", "refinement:0", "--knows", "degree", "--at-least", "2")[0] == 1
    code, _, err = shell("check", friends, "--knows", "degree", "--at-least", "5")
    assert code == 2
    assert tells(err, "'at-least'", "4", "5")


def test_check_of_an_attacked_release(shell, friends, tmp_path):
    release, secret = tmp_path / "safe.csv", tmp_path / "secret.csv"
    release.write_text("w,x\nx,y\ny,z\nz,w\n")
    secret.write_text("original,published\nAnn,w\nBob,x\nCy,y\nDee,z\n")
    attacked = ("check", release, "--original", friends, "--mapping", secret, "--at-least", "2")
    code, out, _ = shell(*attacked, "--knows", "degree")
    assert code == 0
    assert tells(out, "2 of 4", "misled")
    code, out, _ = shell(*attacked, "--knows", "orbit")
    assert (code, out.split(".")[0]) == (2, "CANNOT TELL")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["risk", "nowhere.csv"], "nowhere.csv"),
        (["risk", "example:florentin"], "Did you mean 'florentine'"),
        (["risk", "example:karate", "--knows", "degre"], "Did you mean 'degree'"),
        (["risk", "example:karate", "-k", "0"], "'k' must be"),
        (["risk", "example:karate", "-k", "35"], "'k' must be at most the number of vertices, 34"),
        (["risk", "example:karate", "--knows", "columns:age"], "There is no column 'age'"),
        (["why", "example:florentine", "Ridolfo"], "Did you mean 'Ridolfi'"),
        (["check", "example:karate", "--at-least", "2"], "'--knows' must name an attacker model"),
        (["risk", "example:karate", "--mapping", "secret.csv"], "must come with '--original FILE'"),
        (["risk", "example:karate", "--original", "example:karate", "--mapping", "no.csv"], "no.csv"),
        (["rsk", "example:karate"], "No such command 'rsk'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_are_sentences(shell, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = shell(*arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err


def test_notices_go_to_stderr(shell, tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("a,b\nb,c\nb,c\n")
    code, out, err = shell("risk", path, "--knows", "degree", "--json", "--no-header")
    assert code == 0
    assert json.loads(out)["graph"]["edges"] == 2
    assert err.startswith(f"note: {path}: 1 of 3 pairs repeat another pair")
    _, out, err = shell("risk", path, "--knows", "degree", "--json", "--no-header", "--multigraph")
    assert json.loads(out)["graph"]["edges"] == 3
    assert err == ""


def test_loops_and_directions_name_the_option(shell, tmp_path):
    loop = tmp_path / "loop.csv"
    loop.write_text("a,a\na,b\n")
    code, _, err = shell("risk", loop, "--no-header")
    assert code == 2
    assert "--drop-loops" in err
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Notice)
        assert shell("risk", loop, "--no-header", "--drop-loops")[0] == 0
    arrows = tmp_path / "arrows.graphml"
    nx.write_graphml(nx.DiGraph([("a", "b")]), arrows)
    code, _, err = shell("risk", loop, "--directed", "--undirected")
    assert code == 2
    assert tells(err, "--directed", "--undirected", "together")
    assert shell("risk", arrows, "--undirected")[0] == 0


def test_help_and_version(shell):
    code, out, _ = shell("--help")
    assert code == 0
    assert "Example" in out
    assert shell("--version")[1] == f"shoal, version {shoal.__version__}\n"


def test_versions_for_bug_reports(shell):
    code, out, err = shell("--version", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["version"] == shoal.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["libraries"]["networkx"] == nx.__version__
    assert set(found) == {"schema", "version", "python", "platform", "libraries"}
    assert "/" not in out
    code, out, err = shell("--json")
    assert (code, out) == (2, "")
    assert "'--version'" in err


def test_without_a_command_the_help_is_shown(shell):
    code, out, err = shell()
    assert (code, out) == (2, "")
    assert "Measure re-identification risk.\n" in err


def test_mappings_that_cannot_be_read(shell, friends, tmp_path):
    for text, message in [
        ("Ann,w\n", "must start with the line 'original,published'"),
        ("original,published\nAnn\n", "line 2: a mapping must have two columns. Got 1"),
        (
            "# secret\noriginal,published\nAnn,Ann\nAnn,Bob\n",
            "line 4: every original name must occur once. Got 'Ann' again",
        ),
        ("original,published\nZoe,Ann\n", "The mapping names 'Zoe'"),
    ]:
        secret = tmp_path / "secret.csv"
        secret.write_text(text)
        code, _, err = shell("risk", friends, "--original", friends, "--mapping", secret)
        assert code == 2
        assert message in err


def test_an_interrupt_is_clean(shell, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal.cli.commands.risk.assess", interrupted)
    code, out, err = shell("risk", "example:florentine")
    assert (code, out, err.strip()) == (130, "", "interrupted; nothing was written.")


def test_an_interrupt_that_a_library_turns_into_another_error_is_an_interrupt(shell, monkeypatch):
    """DuckDB raises RuntimeError("Query interrupted") where a setting is changed."""

    def interrupted(*_, **__):
        with suppress(KeyboardInterrupt):
            progress.interrupt()
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr(progress, "_pending", False)
    monkeypatch.setattr("shoal.cli.commands.risk.load_attacked", interrupted)
    code, out, err = shell("risk", "example:karate", "--knows", "degree")
    assert (code, out, err.strip()) == (130, "", "interrupted; nothing was written.")


def test_work_that_has_not_begun_is_dropped_on_an_interrupt(monkeypatch):
    begun, dropped = [], Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait=True, *, cancel_futures=False):
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            dropped.set()
            super().shutdown(wait=wait)

    def loop(first, last):
        begun.append(first)
        if first == 0:
            raise KeyboardInterrupt
        dropped.wait()  # the only other piece that may have begun ends no sooner

    monkeypatch.setattr(settings, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr("shoal.settings.threads", 1)
    with pytest.raises(KeyboardInterrupt):
        run_in_pieces(loop, 1_000, what="work", piece=1)
    assert begun[0] == 0
    assert len(begun) <= 2


def test_long_work_reports_progress():
    seen = []
    with watching(lambda what, done, total: seen.append((what, done, total))):
        run_in_pieces(lambda first, last: None, 10, what="work", piece=1)
    assert seen[-1] == ("work", 10, 10)
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_levels_show_what_the_paper_would_have_claimed(shell, tmp_path):
    rows = tmp_path / "per-vertex.csv"
    code, out, err = shell("levels", "example:karate", "-k", "2", "--csv", rows, "--plot", tmp_path / "curve.svg")
    assert (code, err) == (0, "")
    assert tells(out, "smallest level is 0. ", "17 of 34 vertices keep at least k")
    assert "assumed never to know that two people are not linked" in out
    assert tells(out, "Algorithm 3 ", "says l = 1 ", "2-path similarity")
    assert "only an upper bound" in out
    lines = rows.read_text().splitlines()
    assert lines[0] == "name,l,exact"
    assert sum(line.endswith(",inf,true") for line in lines) == 17
    assert (tmp_path / "curve.svg").exists()
    code, _, err = shell("levels", "example:karate", "-k", "2", "--csv", rows)
    assert code == 2
    assert "--force" in err


def test_levels_for_programs(shell):
    code, out, _ = shell("levels", "example:karate", "-k", "2", "--knows", "relations", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["histogram"] == {"0": 1, "1": 16, "2": 7, "3": 2, "5": 1, "every": 7}
    assert data["upper_bound"]["algorithm"] == 2
    _, out, _ = shell("levels", "example:karate", "-k", "2", "--max-size", "1", "--json")
    assert json.loads(out)["at_least"] == {"1": 16}


def test_why_with_the_fewest_neighbors(shell):
    code, out, _ = shell("why", "example:florentine", "Ridolfi", "-k", "2")
    assert code == 0
    assert out.startswith("Ridolfi is linked to ")
    assert "Only Ridolfi fits." in out
    assert "assumed never to know that two people are not linked" in out
    assert "not linked to" in shell("why", "example:florentine", "Pazzi", "-k", "2")[1]
    assert "5 candidates" in shell("why", "example:karate", "14", "-k", "5")[1]
    assert shell("why", "example:karate", "14", "-k", "5", "--knows", "degree")[0] == 2
    assert json.loads(shell("why", "example:karate", "14", "-k", "5", "--json")[1])["k"] == 5


def test_certify_and_verify(shell, tmp_path):
    proofs = tmp_path / "cert.json"
    code, out, _ = shell("certify", "example:florentine", "-k", "2", "-o", proofs)
    assert code == 0
    assert out.startswith("15 certificates; ")
    assert out.endswith(f"Written: {proofs}\n")
    assert shell("certify", "example:florentine", "-k", "2", "-o", proofs)[0] == 2
    assert shell("verify", "example:florentine", proofs) == (
        0, "PASS. 15 confirmed, 0 refuted, 0 not checked. They cover 15 of 15 vertices.\n", ""
    )  # fmt: skip
    lie = json.loads(proofs.read_text())
    next(proof for proof in lie["certificates"] if "exposes" in proof)["l"] = 7
    proofs.write_text(json.dumps(lie))
    code, out, _ = shell("verify", "example:florentine", proofs)
    assert code == 1
    assert tells(out, "FAIL. ", "FAIL. 14 confirmed, 1 refuted")
    proofs.write_text("{}")
    code, _, err = shell("verify", "example:florentine", proofs)
    assert code == 2
    assert "'shoal certify'" in err
    code, out, _ = shell("certify", "example:karate", "-k", "2", "-o", proofs, "--force", "--vertex", "0")
    assert (code, out[:13]) == (0, "1 certificate")


def test_the_original_brings_its_own_table(shell, friends, tmp_path):
    people, shown = tmp_path / "people.csv", tmp_path / "shown.csv"
    people.write_text("name,age\nAnn,30\nBob,30\nCy,40\nDee,50\n")
    shown.write_text("name,age\nAnn,30\nBob,30\nCy,50\nDee,50\n")
    attacked = ("--attributes", shown, "--original", friends, "--original-attributes", people, "--knows", "columns:age")
    code, out, _ = shell("check", friends, *attacked, "--at-least", "2")
    assert code == 2  # nobody has the age of Cy any more: whether it was recoded cannot be told
    assert "age" in out
    assert shell("check", friends, *attacked, "--at-least", "3")[0] == 1
    code, _, err = shell("check", friends, "--original-attributes", people, "--knows", "degree", "--at-least", "2")
    assert code == 2
    assert tells(err, "'--original-attributes'", "'--original FILE'")


def test_verify_says_what_is_covered_and_what_is_about_another_network(shell, tmp_path):
    proofs = tmp_path / "cert.json"
    shell("certify", "example:florentine", "-k", "2", "-o", proofs, "--vertex", "Medici")
    assert "cover 1 of 15 vertices" in shell("verify", "example:florentine", proofs)[1]
    code, out, _ = shell("verify", "example:karate", proofs)
    assert code == 2
    assert "It is about 'Medici', which is not a vertex of this network." in out


def test_control_characters_do_not_reach_the_terminal(shell, tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("source,target\nBob\x1b[31m,Ann\nAnn,Cy\nCy,Dee\n")
    code, out, _ = shell("why", path, "Bob\x1b[31m", "--knows", "degree")
    assert code == 0
    assert "\x1b" not in out
    assert "Bob\\x1b[31m" in out


def test_attributes_that_are_not_asked_about_are_mentioned(shell, friends, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text("id,name,age\nAnn,x,1\nBob,y,1\nCy,z,2\nDee,w,2\n")
    _, _, err = shell("risk", friends, "--attributes", people, "--key", "id")
    assert tells(err, "name,age", "not assumed known")
    assert shell("risk", friends, "--attributes", people, "--key", "id", "--knows", "columns:age")[2] == ""


def test_a_note_is_said_once(shell, friends, tmp_path):
    release = tmp_path / "release.csv"
    release.write_text("source,target\nAnn,Bob\nBob,Cy\n")
    _, out, err = shell("risk", release, "--original", friends, "-k", "2")
    assert err.count("1 of the 4 original vertices") == 1
    assert "misled" in out


def test_every_result_of_definition_2_says_what_it_assumes(shell):
    assumed = "assumed to know only links that exist, never that two people are not linked (Definition II "
    for knows in ("neighbors:2", "degree+neighbors:1"):
        assert assumed in shell("check", "example:karate", "--knows", knows, "--at-least", "2")[1]
        assert assumed in shell("why", "example:karate", "3", "--knows", knows)[1]
        assert assumed in shell("risk", "example:karate", "--knows", knows)[1]
        risk = shoal.assess(shoal.examples.karate(), knows)
        assert assumed in repr(risk)
        assert assumed in risk._repr_html_()
    assert assumed not in repr(shoal.assess(shoal.examples.karate(), "relations:1"))


def anonymized(shell, tmp_path, *how, file="example:karate"):
    """Run `shoal anonymize` on links; return its exit code, what it printed, and the public page."""
    safe = tmp_path / "safe.graphml"
    code, out, err = shell("anonymize", file, *how, "-o", safe, "--force")
    page = json.loads((tmp_path / "safe.graphml.release.json").read_text()) if code == 0 else {}
    return code, out, err, page


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (("equalize-rows", "-k", 2, "--fill", "budget"), {"fill": "budget"}),
        (("equalize-rows", "-k", 2, "--similarity", "2-path", "--effort", "0"), {"similarity": "2-path", "effort": 0}),
        (
            ("equalize-rows", "-k", 2, "--effort", "0.05s", "--require-edges"),
            {"effort": "0.05s", "require_edges": True},
        ),
        (("equalize-rows", "-k", 2, "--closed", 1, "--effort", 20), {"closed": 1, "effort": 20}),
        (("hide-neighbors", "-k", 3, "-l", 1, "--add-only"), {"l": 1, "add_only": True}),
        (("raise-l", "-k", 2, "--similarity", "2-path", "--keep", "vertices"), {"keep": "vertices"}),
        (("raise-l", "-k", 2, "--allow-empty", "--seed", 2**70), {"allow_empty": True}),
    ],
    ids=str,
)
def test_methods_on_links_from_the_shell(shell, tmp_path, how, told):
    code, out, err, page = anonymized(shell, tmp_path, "--method", *how)
    assert code == 0, err
    assert "Verified: " in out
    assert page["method"].items() >= ({"name": how[0]} | told).items()
    assert page["utility"]["edges"]["after"] == page["edges"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (
            ("equalize-rows", "-k", 2, "--add-only"),
            "equalize-rows has no option --add-only. It takes: -k, --similarity",
        ),
        (("hide-neighbors", "-k", 2, "--fill", "budget"), "hide-neighbors has no option --fill."),
        (("raise-l", "-k", 2, "--sensitive", "who.txt"), "raise-l has no option --sensitive."),
        (("raise-l", "-k", 2, "--similarity", "jaccard"), "'similarity' must be one of manhattan, 2-path"),
        (("equalize-rows", "-k", 2, "--fill", "bugdet"), "Did you mean 'budget'"),
        (("equalize-rows", "-k", 2, "--effort", "60"), None),
        (("equalize-rows", "-k", 2, "--effort", "6o"), "'effort' must be"),
        (("equalize-rows", "-k", 2, "--effort", "-5"), "'effort' must be"),
        (("equalize-rows", "-k", 2, "--closed", "x"), "'--closed'"),
        (("equalize-rows", "-k", 2, "--fill", "budget", "--set", "fill=majority"), "'fill' must be given once"),
        (("equalize-rows",), "equalize-rows needs -k"),
        (("equalize-rows", "-k", 35), "'k' must be at most the number of vertices, 34"),
    ],
    ids=str,
)
def test_options_are_refused_as_they_were_typed(shell, tmp_path, monkeypatch, how, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "who.txt").write_text("0\n")
    code, _, err, _ = anonymized(shell, tmp_path, "--method", *how)
    assert code == (0 if message is None else 2)
    assert (message or "") in err


def test_only_some_are_protected(shell, tmp_path):
    who = tmp_path / "who.txt"
    who.write_bytes("\ufeff0\r\n\n33 \n  \n0\n".encode())
    how = ("--method", "equalize-rows", "-k", 5, "--sensitive", who)
    code, out, err, page = anonymized(shell, tmp_path, *how)
    assert code == 0, err
    assert "2 protected" in out
    assert page["promise"] == [
        {"kind": "candidates", "knows": "adjacency", "k": 5, "for": "some", "source": "release"}
    ]  # fmt: skip
    assert "sensitive" not in page["method"]
    assert "who.txt" not in json.dumps(page)
    assert "all protected vertices" in page["verification"][0]
    assert "Note: Only the sensitive vertices are protected" in out
    assert tells(out, "NOT PROTECTED", "32", "34")
    assert tells(out, "Not covered", "hubs:5")
    assert page["others"].startswith("NOT PROTECTED")
    assert "32" not in page["others"]


def test_numbers_in_a_file_of_names_are_those_of_the_network(shell, tmp_path):
    """Names in a file are text: 007 is not 7."""
    (tmp_path / "agents.csv").write_text("007,7\n7,a\na,b\nb,007\n")
    for text, code in (("007\n", 0), ("07\n", 2)):
        (tmp_path / "who.txt").write_text(text)
        how = ("--method", "equalize-rows", "-k", 2, "--sensitive", tmp_path / "who.txt", "--no-header")
        assert anonymized(shell, tmp_path, *how, file=tmp_path / "agents.csv")[0] == code


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"Medici\nRidolfo\nx\ny\nz\n", "4 of 5 are not: 'Ridolfo', 'x', 'y', .... Did you mean 'Ridolfi'?"),
        (b"Medicis\n", "1 of 1 is not: 'Medicis'. Did you mean 'Medici'?"),
        (b"\xef\xbb\xbf \n\n", "at least one name"),
        (b"Medici\n\xff\n", "must be text in UTF-8"),
        (None, "It cannot be read: No such file"),
    ],
)
def test_names_that_cannot_be_meant(shell, tmp_path, content, message):
    who = tmp_path / "who.txt"
    if content is not None:
        who.write_bytes(content)
    how = ("--method", "equalize-rows", "-k", 2, "--sensitive", who)
    code, _, err, _ = anonymized(shell, tmp_path, *how, file="example:florentine")
    assert code == 2
    assert message in err
    assert str(who) in err
    assert not (tmp_path / "safe.graphml").exists()


def test_the_file_of_names_is_not_overwritten(shell, tmp_path):
    who = tmp_path / "who.txt"
    who.write_text("0\n")
    ask = ("anonymize", "example:karate", "--method", "equalize-rows", "-k", 2, "--sensitive", who, "--force")
    for outputs in (("-o", who), ("-o", tmp_path / "safe.csv", "--mapping", who)):
        code, _, err = shell(*ask, *outputs)
        assert code == 2
        assert "is not overwritten" in err
    assert [file.name for file in tmp_path.iterdir()] == ["who.txt"]


def test_help_has_headings_and_an_example_of_each_method_on_links(shell):
    _, out, _ = shell("anonymize", "--help")
    headings = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Options:", "Methods that change links:", "Methods that change tables:", "How FILE is read:"]
    for method in ("equalize-rows", "hide-neighbors", "hide-relations", "raise-l"):
        assert f"friends.csv --method {method} -k" in out


def test_options_for_reading_come_last_under_their_own_heading(shell):
    for name, command in main.commands.items():
        if any("--ends" in option.opts for option in command.params):
            _, out, _ = shell(name, "--help")
            before, _, after = out.partition("\nHow FILE is read:\n")
            assert "--ends" in after, name
            assert "--ends" not in before, name
            assert "--help" in before, name


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal_of(monkeypatch):
    """Let stderr be a terminal on which a bar appears at once."""
    monkeypatch.setattr(output, "PATIENCE", -1)
    monkeypatch.setattr("sys.stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    return sys.stderr


def on_screen(terminal):
    """Return what is left on the line, after the last time that it was erased."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", terminal.getvalue().split("\x1b[2K")[-1]).strip()


def test_the_bar_shows_where_the_work_stands_and_goes_away(monkeypatch):
    terminal = terminal_of(monkeypatch)
    with output.show_progress():
        with output.show_phase("equalize-rows"):
            for done in range(1, 4):
                track(f"searching classes, 0.{60 - done} edits per edge", done, 4)
                output._shown.line.refresh()
                assert f"searching classes, 0.{60 - done} edits per edge" in on_screen(terminal)
            track("searching classes, 0.57 edits per edge", 4, 4)
            output._shown.line.refresh()
            assert "equalize-rows" in on_screen(terminal)
            output.hide_bar()
            assert on_screen(terminal) == ""
            track("verifying", 1, 2)
            output._shown.line.refresh()
            assert "verifying" in on_screen(terminal)
        assert on_screen(terminal) == ""
    assert terminal.getvalue().rfind("\x1b[?25h") > terminal.getvalue().rfind("\x1b[?25l"), "the cursor is back"


def test_other_work_takes_the_place_of_work_that_was_left(monkeypatch):
    terminal_of(monkeypatch)
    with output.show_progress():
        track("isolating", 1, 9)
        track("linking", 1, 2)
        assert list(output._shown.tasks) == ["linking"]
    assert not output._shown.tasks


def test_no_bar_without_a_terminal(capsys):
    with output.show_progress(), output.show_phase("reading"):
        track("reading", 1, 3)
    assert capsys.readouterr() == ("", "")


def test_fresh_names_are_never_taken_for_original_ones(shell, tmp_path):
    names = [str(tmp_path / name) for name in ("safe.csv", "secret.csv")]
    made = shell(
        "anonymize", "example:karate", "--method", "equalize-rows", "-k", "2", "-o", names[0], "--mapping", names[1]
    )
    assert made[0] == 0
    code, _, err = shell("risk", names[0], "--original", "example:karate", "--knows", "degree")
    assert (code, "names are fresh" in err, "--mapping" in err) == (2, True, True)
    with_mapping = ("--original", "example:karate", "--mapping", names[1], "--knows", "degree")
    assert shell("risk", names[0], *with_mapping)[0] == 0
