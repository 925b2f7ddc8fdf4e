"""Errors end at the public function, notices come each time, and no text from outside can steer a terminal."""

import csv
import inspect
import io
import json
import os
import pickle
import random
import subprocess
import sys
import traceback
import unicodedata
import warnings
from pathlib import Path

import pytest

import shoal
from messages import tells
from shoal.cli.output import Bar, escape_json
from shoal.errors import LIBRARY, MESSAGE, BadFile, FileExists, Notice, cut, notice, tame

pytestmark = pytest.mark.usefixtures("brief_searches")

EVIL = "\x1b[31m\r\x07\x7f\x85\x9b\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\u3164\ufe0f"
FORGED = "FORGED: all is well"
NAME = f"Eve {EVIL}[red][/]\n{FORGED}"
COLUMN = f"age {EVIL}[bold]\n{FORGED}"


def check_harmless(text):
    """Fail if the text holds a control character, or if a name starts a line."""
    lines = text.split("\n")
    bad = {
        c for line in lines for c in line if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") or c in EVIL[-2:]
    }
    assert bad == set()
    assert not any(line.startswith(FORGED) for line in lines)


@pytest.fixture
def hostile(tmp_path):
    """Return a folder with a network and a table of its people, with hostile names everywhere."""
    folder = tmp_path / f"data {EVIL}\n{FORGED}"
    folder.mkdir()
    draw = random.Random(7)
    people = [NAME, *(f"p{i} {EVIL}\n{FORGED}" for i in range(11))]
    links = [(a, b) for i, a in enumerate(people) for b in people[:i] if draw.random() < 0.4]
    write(folder / "net.csv", [("from", "to"), *links])
    write(folder / "people.csv", [("name", COLUMN, "town"), *((p, draw.choice(["30", NAME]), "x") for p in people)])
    return folder


def write(path, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows(rows)


NET, PEOPLE = "net.csv", "people.csv"
COMMANDS = {
    "risk": ["risk", NET, "--attributes", PEOPLE, "--knows", "degree+columns:town", "-k", "2"],
    "risk table": ["risk", PEOPLE, "--columns", f"{COLUMN},town", "--sensitive", "name", "-k", "2"],
    "why": [
        "why",
        NET,
        NAME,
        "--attributes",
        PEOPLE,
        "--knows",
        "degree",
        "--knows",
        "relations:2",
        "--knows",
        "hubs:2",
    ],
    "why k": ["why", NET, NAME, "-k", "2"],
    "why table": ["why", PEOPLE, NAME, "--columns", f"{COLUMN},town", "--key", "name", "-k", "2"],
    "why nobody": ["why", NET, f"{NAME}?"],
    "check": ["check", PEOPLE, "--columns", f"{COLUMN},town", "--at-least", "2"],
    "levels": ["levels", PEOPLE, "--columns", f"{COLUMN},town", "-k", "2", "--csv", "levels.csv"],
    "uniques": ["minimal-uniques", PEOPLE, "--columns", f"{COLUMN},town,name"],
    "anonymize": ["anonymize", PEOPLE, "--method", "mondrian", "-k", "2", "--columns", COLUMN, "-o", "safe.csv"],
    "hide": ["anonymize", NET, "--method", "match-degrees", "-k", "2", "-o", "safe.csv", "--mapping", "secret.csv"],
    "classes": ["classes", NET, "-o", "classes.json"],
    "compare": ["compare", PEOPLE, PEOPLE, "--table", "--same-names"],
    "certify": ["certify", NET, "-k", "2", "-o", "proof.json", "--vertex", NAME],
    "confusion": ["confusion", PEOPLE, PEOPLE, "--method", "exact", "--columns", COLUMN],
    "audit": ["audit", PEOPLE, "--columns", f"{COLUMN},town", "-k", "2", "--names", "-o", "report.json"],
    "attack": ["attack", NET, NET, "--same-names", "--knows", "degree", "--trials", "5"],
    "frontier": ["frontier", PEOPLE, "--columns", COLUMN, "-k", "2", "--methods", "mondrian", "--seed", "1"],
    "tradeoff": ["tradeoff", NET, "--knows", "degree", "-k", "2", "--budget", "1", "--effort", "2", "--draws", "1"],
    "no budget": ["tradeoff", NET, "--knows", "degree", "--budget", NAME],
    "no file": ["risk", "nothing.csv"],
    "no format": ["risk", f"a.{EVIL}"],
    "no column": ["risk", PEOPLE, "--columns", f"{COLUMN}?"],
    "no option": ["risk", f"--{NAME}"],
    "no command": [NAME],
    "no number": ["risk", NET, "-k", NAME],
    "no choice": ["levels", NET, "-k", "2", "--knows", NAME],
    "no knowledge": ["risk", NET, "--knows", NAME],
    "too much": ["knowledge", NAME],
    "no method": ["anonymize", NET, "--method", NAME, "-o", "safe.csv"],
    "no folder": ["certify", NET, "-k", "2", "-o", f"{NAME}/proof.json"],
}


def place(word, folder):
    """Put the files of a command line into a folder."""
    return str(folder / word) if word.endswith((".csv", ".json")) and not word.startswith("-") else word


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_prints_control_characters(shell, hostile, name):
    code, out, err = shell(*(place(word, hostile) for word in COMMANDS[name]))
    assert code != 70, err
    assert out + err
    check_harmless(out)
    check_harmless(err)


def test_invalid_certificates_are_reported_safely(shell, hostile):
    proof = hostile / "proof.json"
    assert shell("certify", hostile / NET, "-k", "2", "-o", proof)[0] == 0
    told = json.loads(proof.read_text(encoding="utf-8"))
    for one in told["certificates"]:
        one["k"] = 999
    proof.write_text(json.dumps(told))
    code, out, err = shell("verify", hostile / NET, proof)
    assert code in (1, 2)
    check_harmless(out)
    proof.write_text(NAME)
    code, out, err = shell("verify", hostile / NET, proof)
    assert code == 2
    check_harmless(err)


def test_json_and_csv_keep_the_names(shell, hostile):
    code, out, _ = shell("why", hostile / NET, NAME, "--knows", "adjacency", "--json")
    assert code == 0
    check_harmless(out)
    assert json.loads(out)["name"] == NAME
    rows = hostile / "levels.csv"
    code, _, _ = shell("levels", hostile / NET, "-k", "2", "--csv", rows)
    assert code == 0
    with rows.open(encoding="utf-8", newline="") as stream:
        assert NAME in {row[0] for row in csv.reader(stream)}
    write(hostile / "returns.csv", [("from", "to"), ("a\rb", "c"), ("c", "d")])
    code, _, _ = shell("levels", hostile / "returns.csv", "-k", "2", "--csv", rows, "--force")
    with rows.open(encoding="utf-8", newline="") as stream:
        assert {row[0] for row in csv.reader(stream)} == {"name", "a\rb", "c", "d"}


def test_a_name_with_a_lone_surrogate_is_refused(shell, tmp_path):
    network = tmp_path / "net.json"
    links = [{"source": "\ud800", "target": "b"}]
    network.write_text(json.dumps({"nodes": [{"id": name} for name in ("\ud800", "b")], "links": links}))
    code, _, err = shell("why", network, "b", "--json")
    assert code == 2
    assert "surrogate" in err


def test_json_with_lone_surrogates_is_valid():
    text = json.dumps(["\ud800", "\udc80a", "\U000e0001", "a\u2028b"], ensure_ascii=False)
    escaped = escape_json(text)
    escaped.encode("ascii")
    assert json.loads(escaped) == ["\ud800", "\udc80a", "\U000e0001", "a\u2028b"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
def test_a_file_name_that_is_not_unicode_is_escaped(hostile):
    network = os.fsencode(hostile.parent) + b"/caf\xe9.csv"
    Path(os.fsdecode(network)).write_bytes((hostile / NET).read_bytes())
    paths = os.pathsep.join([str(Path(shoal.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "shoal", "audit", network, "--knows", "degree", "-o", network + b".json"]
    ended = subprocess.run(command, capture_output=True, check=False, env=os.environ | {"PYTHONPATH": paths})
    assert ended.returncode == 0, ended.stderr
    assert b"caf\\udce9.csv.json" in ended.stdout
    json.loads(Path(os.fsdecode(network + b".json")).read_text(encoding="utf-8"))


def test_a_long_cell_is_cut_in_messages(shell, tmp_path):
    long = "x\x1b" * 500_000
    (tmp_path / "links.csv").write_text("a,b\n")
    (tmp_path / "people.csv").write_text(f"name,age\n{long},1\n{long},2\n")
    code, _, said = shell("risk", tmp_path / "links.csv", "--attributes", tmp_path / "people.csv", "--columns", "age")
    assert code == 2
    assert len(said) <= MESSAGE + len("error: \n")
    assert said.startswith("error: ")
    assert tells(said, "people.csv", "one row", "Remove")
    with pytest.warns(Notice) as heard:
        notice(f"links.csv: {long} is not read. Leave it out.")
    assert len(str(heard[0].message)) == MESSAGE


def test_a_long_argument_is_cut_in_messages(shell):
    for words in (["risk", f"--{'x' * 5000}"], ["risk", "example:karate", "-k", "y" * 5000], ["z" * 5000]):
        code, _, err = shell(*words)
        assert code == 2
        assert len(err.splitlines()[-1]) <= LIBRARY


@pytest.mark.parametrize("ending", ["parquet", "json", "graphml"])
def test_the_message_of_a_library_is_cut(shell, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    long = "&" + "e" * 5000 + ";"
    path.write_text(f"<graphml>{long}</graphml>" if ending == "graphml" else f"PAR1{long}PAR1")
    code, _, err = shell("risk", path)
    assert code == 2
    assert len(err) < 2 * LIBRARY + len(str(path))


def test_warnings_are_escaped_and_those_of_libraries_cut(shell, monkeypatch):
    def warn(*_, **__):
        warnings.warn(NAME, Notice, stacklevel=1)
        warnings.warn(NAME * 100, UserWarning, stacklevel=1)
        raise BadFile(NAME)

    monkeypatch.setattr("shoal.cli.commands.risk.load_attacked", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        code, _, err = shell("risk", "x")
    assert code == 2
    check_harmless(err)
    note, warning, error = err.splitlines()
    assert (note, error) == (f"note: {tame(NAME)}", f"error: {tame(NAME)}")
    assert len(warning) <= LIBRARY + len("warning: ")


def test_a_progress_bar_shows_names_without_markup(monkeypatch):
    from rich.console import Console

    page = io.StringIO()
    monkeypatch.setattr("shoal.cli.output.PATIENCE", -1)
    bar = Bar()
    bar.show(NAME, 0, 0)
    Console(file=page, width=400, force_terminal=False, color_system=None).print(bar.line.get_renderable())
    bar.forget()
    shown = page.getvalue()
    check_harmless(shown)
    assert "[red][/]" in shown


def test_ordinary_names_are_unchanged():
    for name in ("Zoë", "李雷", "Åsa Öst", "O'Neil", "a [b] {c}", "ע", "ب"):
        assert tame(name) == name
    assert len(cut("x" * 500)) == LIBRARY


def catch(call, kind=shoal.ShoalError):
    """Return the error of a call and the files of its traceback, without those of the tests and of the marker."""
    with pytest.raises(kind) as caught:
        call()
    files = [Path(frame.filename) for frame in traceback.extract_tb(caught.value.__traceback__)]
    return caught.value, [file.name for file in files if file not in (Path(__file__), Path(shoal.errors.__file__))]


CALLS = {
    "assess.py": lambda: shoal.assess([("a", "b")], "degre"),
    "dataset.py": lambda: shoal.as_graph(3),
    "read.py": lambda: shoal.read_graph("nothing.csv"),
    "uniques.py": lambda: shoal.tables.minimal_uniques(shoal.as_table({"age": [1, 2]}), columns=["ago"]),
}


@pytest.mark.parametrize("file", CALLS)
def test_an_error_ends_at_the_public_function(monkeypatch, file):
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    error, files = catch(CALLS[file])
    assert files == [file]
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    same, whole = catch(CALLS[file])
    assert (type(same), str(same)) == (type(error), str(error))
    assert whole[0] == file
    assert len(whole) > 1


def test_an_error_of_a_method_ends_at_its_call(monkeypatch):
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    error, files = catch(lambda: shoal.methods.MatchDegrees(k=9)([("a", "b")]))
    assert len(files) == 1
    frames = traceback.extract_tb(error.__traceback__)
    assert frames[-1].name == "__call__"


def test_an_error_of_saving_ends_at_save(monkeypatch, tmp_path):
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    release = shoal.methods.MatchDegrees(k=2)([("a", "b"), ("b", "c")])
    (tmp_path / "safe.csv").touch()
    _, files = catch(lambda: release.save(tmp_path / "safe.csv"), FileExists)
    assert files == ["release.py"]


def test_an_error_keeps_its_cause(monkeypatch, tmp_path):
    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    path = tmp_path / "a.json"
    path.write_text("{")
    error, files = catch(lambda: shoal.read_graph(path), BadFile)
    assert files == ["read.py"]
    assert isinstance(error.__cause__, ValueError)
    assert error.__cause__.__traceback__ is not None


def test_a_defect_keeps_its_whole_traceback(monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.delenv("SHOAL_DEBUG", raising=False)
    monkeypatch.setattr("shoal.risk.assess.choose_subject", fail)
    with pytest.raises(ZeroDivisionError) as caught:
        shoal.assess([("a", "b")], "degree")
    assert traceback.extract_tb(caught.value.__traceback__)[-1].name == "fail"


def list_public_functions():
    spaces = (shoal, shoal.tables, shoal.linkage, shoal.methods, shoal.attacks)
    found = {f"{space.__name__}.{name}": getattr(space, name) for space in spaces for name in space.__all__}
    return {name: each for name, each in found.items() if inspect.isfunction(each)}


def test_every_public_function_is_marked_and_stays_what_it_was():
    functions = list_public_functions()
    assert len(functions) > 30
    for name, function in functions.items():
        assert inspect.unwrap(function) is not function, name
        assert inspect.signature(function) == inspect.signature(inspect.unwrap(function))
        assert pickle.loads(pickle.dumps(function)) is function
        assert function.__doc__
    for kind in (*shoal.methods.METHODS.values(), *shoal.attacks.ATTACKS.values()):
        assert inspect.unwrap(kind.__call__) is not kind.__call__, kind


def warn_twice():
    graph = [("a", "b"), ("b", "a"), ("b", "c")]
    return [shoal.as_graph(graph) for _ in range(2)]


def test_a_notice_comes_each_time_at_the_line_of_the_caller():
    with warnings.catch_warnings(record=True) as heard:
        warnings.resetwarnings()
        warn_twice()
    first, second = heard
    assert str(first.message) == str(second.message)
    assert (first.category, first.filename, first.lineno) == (Notice, __file__, second.lineno)
    assert "as_graph" in Path(__file__).read_text().splitlines()[first.lineno - 1]


@pytest.mark.parametrize(("action", "times"), [("ignore", 0), ("once", 1), ("always", 2)])
def test_filters_of_the_user_hold_for_notices(action, times):
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter(action, Notice)
        warn_twice()
    assert len(heard) == times


def test_a_notice_can_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", Notice)
        with pytest.raises(Notice):
            notice("something")
