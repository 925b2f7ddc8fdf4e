"""Notes of commands: few are shown in full, many are one line that counts them, and none is lost."""

import json
import warnings

import pytest

from messages import tells
from shoal.cli import output
from shoal.cli.app import main
from shoal.errors import BadFile, Notice, notice

MANY = "source,target,w,day\n a,b,1,x\nb,c,1,x\nb,c,2,y\nd,d,1,x\n"


@pytest.fixture
def many(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text(MANY)
    return path


def run(shell, path, *more):
    return shell("risk", path, "--knows", "degree", "--drop-loops", *more)


def test_few_notes_are_shown_in_full(shell, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("source,target,w\na,b,1\nb,c,1\nb,c,2\n")
    _, _, err = run(shell, path)
    first, second = err.splitlines()
    assert tells(first, "note: ", "few.csv", "Not used: 'w'")
    assert tells(second, "note: ", "few.csv", "1 of 3 pairs repeat")


def test_many_notes_are_one_line_with_their_counts(shell, many):
    code, _, err = run(shell, many)
    assert code == 0
    [line] = err.splitlines()
    assert line.startswith("note: 4 notes; --notes shows them")
    assert tells(line, "'w', 'day'", "names: 1", "loops left out: 1", "1 of 3 pairs merged (--multigraph)")


def test_notes_shows_all(shell, many):
    _, _, err = run(shell, many, "--notes")
    lines = err.splitlines()
    assert len(lines) == 4
    assert all(line.startswith(f"note: {many}: ") for line in lines)


def test_json_has_no_notes(shell, many):
    code, out, err = run(shell, many, "--json")
    assert code == 0
    assert json.loads(out)["graph"]["vertices"] == 4
    assert err.startswith("note: 4 notes")


def test_two_files_with_the_same_notes(shell, many, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(MANY)
    _, _, err = shell("compare", many, other, "--same-names", "--drop-loops")
    [line] = err.splitlines()
    assert tells(line, "8 notes", "loops left out: 1 (2 times)")


def give(shell, monkeypatch, *given, error=None):
    """Run a command that gives these notices: a message, and perhaps a brief text."""

    def warn(*_, **__):
        for one in given:
            notice(*one)
        raise error or BadFile("the end")

    monkeypatch.setattr("shoal.cli.commands.risk.load_attacked", warn)
    return shell("risk", "x")[2].splitlines()


def test_a_note_that_comes_again_is_counted(shell, monkeypatch):
    lines = give(shell, monkeypatch, ("A.", "a"), ("A.", "a"), ("B.", "b"))
    assert lines == ["note: A. (2 times)", "note: B.", "error: the end"]


def test_notes_come_before_the_error(shell, monkeypatch):
    lines = give(shell, monkeypatch, ("A.", "a"), ("B.", "b"), ("C.", "c"))
    assert lines == ["note: 3 notes; --notes shows them. In short: a; b; c.", "error: the end"]


def test_a_note_without_a_brief_text_is_always_shown(shell, monkeypatch):
    lines = give(shell, monkeypatch, ("A.", "a"), ("W.",), ("B.", "b"), ("V.",), ("C.", "c"), ("U.",), ("U.",))
    assert lines[:3] == ["note: W.", "note: V.", "note: U."]
    assert lines[3].startswith("note: 3 notes")


def test_notes_are_shown_before_the_first_result(shell, monkeypatch, many, capsys):
    shown = []
    monkeypatch.setattr("shoal.cli.output.click.echo", lambda text, err=False: shown.append(err))
    run(shell, many)
    assert shown[0]
    assert not any(shown[1:])


def test_long_work_shows_waiting_notes(monkeypatch):
    shown = []
    monkeypatch.setattr("shoal.cli.output.click.echo", lambda text, err=False: shown.append(text))
    notes = output.Notes()
    made = Notice("A.")
    made.brief = "a"
    notes.hear(made)
    notes.show(after=60)
    assert shown == []
    notes.since -= 61
    notes.show(after=60)
    assert shown == ["note: A."]


def test_every_command_has_the_option(shell):
    assert all(any("--notes" in one.opts for one in command.params) for command in main.commands.values())
    assert "--notes" in shell("knowledge", "--help")[1]


def test_the_option_holds_for_one_command(shell, many):
    run(shell, many, "--notes")
    assert run(shell, many)[2].startswith("note: 4 notes")


def test_brief_texts_do_not_change_python(many):
    import shoal

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        for _ in range(2):
            shoal.read_graph(many, drop_loops=True)
    assert len(heard) == 8
    assert {one.filename for one in heard} == {__file__}
