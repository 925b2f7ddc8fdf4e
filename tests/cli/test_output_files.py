"""What a command may write: never over what it reads, private where it names people, whole or not at all."""

import json
import os
import stat
import subprocess
import sys
import threading
import warnings
from hashlib import sha256

import pytest

import shoal
from shoal.io.atomic import replace_file, write_together
from shoal.io.files import locate_journal

EDGES = "source,target\na,b\nb,c\nc,a\nc,d\n"
PEOPLE = "id,age,town\na,30,x\nb,31,x\nc,30,y\nd,40,y\n"
WRITERS = {
    "certify": ["certify", "{}", "-k", "2", "-o"],
    "levels --csv": ["levels", "{}", "-k", "2", "--csv"],
    "levels --plot": ["levels", "{}", "-k", "2", "--plot"],
    "minimal-uniques": ["minimal-uniques", "{}", "--csv"],
    "frontier": ["frontier", "{}", "-k", "2", "--methods", "hide-neighbors", "--jobs", "1", "-o"],
    "tradeoff": ["tradeoff", "{}", "--knows", "degree", "--budget", "1", "--effort", "2", "--draws", "1", "-o"],
    "anonymize": ["anonymize", "{}", "--method", "hide-neighbors", "-k", "2", "-o"],
    "anonymize --mapping": ["anonymize", "{}", "--method", "hide-neighbors", "-k", "2", "-o", "out.csv", "--mapping"],
    "audit": ["audit", "{}", "--knows", "degree", "-k", "2", "-o"],
    "classes": ["classes", "{}", "-o"],
    "risk --csv": ["risk", "{}", "--knows", "degree", "--csv"],
}
"""Commands that read {} and end in the option whose value is written."""
ENDINGS = {"levels --plot": "svg", "frontier": "json", "audit": "json", "classes": "json"}
"""The ending that a command asks for, if it is not csv."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def data_for(name):
    return PEOPLE if name == "minimal-uniques" else EDGES


def modes(folder):
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()}


@pytest.mark.parametrize("alias", ["same", "dots", "symlink", "hard link"])
@pytest.mark.parametrize("name", WRITERS)
def test_no_command_writes_over_what_it_reads(name, alias, place, shell):
    ending = ENDINGS.get(name, "csv")
    source = place / f"data.{ending}"
    source.write_text(data_for(name))
    target = {"same": source, "dots": place / ".." / place.name / source.name}.get(alias, place / f"other.{ending}")
    if alias == "symlink":
        target.symlink_to(source)
    elif alias == "hard link":
        target.hardlink_to(source)
    command = [part.format(source) for part in WRITERS[name]]
    code, _, said = shell(*command, target, "--force", "--format", "csv")
    assert code == 2
    assert str(target) in said
    assert source.read_text() == data_for(name)
    assert {file.name for file in place.iterdir()} <= {source.name, target.name}


def test_a_second_input_is_not_written_over_either(place, shell):
    (place / "data.csv").write_text(EDGES)
    (place / "people.csv").write_text(PEOPLE)
    read = ["levels", "data.csv", "-k", "2", "--attributes", "people.csv"]
    assert shell(*read, "--csv", "people.csv", "--force")[0] == 2
    (place / "some.txt").write_text("a\n")
    made = ["anonymize", "data.csv", "--method", "equalize-rows", "-k", "2", "--sensitive", "some.txt"]
    assert shell(*made, "-o", "some.txt", "--format", "csv", "--force")[0] == 2
    assert (place / "people.csv").read_text() == PEOPLE
    assert (place / "some.txt").read_text() == "a\n"


def test_two_outputs_are_two_files(place, shell):
    (place / "data.csv").write_text(EDGES)
    code, _, said = shell("levels", "data.csv", "-k", "2", "--csv", "x.svg", "--plot", "./x.svg")
    assert code == 2
    assert "x.svg" in said
    assert [file.name for file in place.iterdir()] == ["data.csv"]


def test_a_loop_of_symbolic_links_is_refused(place, shell):
    (place / "a.csv").symlink_to("b.csv")
    (place / "b.csv").symlink_to("a.csv")
    for command in (["risk", "a.csv"], ["certify", "example:florentine", "-k", "2", "-o", "a.csv", "--force"]):
        code, _, said = shell(*command)
        assert code == 2
        assert "loop of symbolic links" in said


@pytest.mark.parametrize("mask", [0o022, 0o000])
@pytest.mark.parametrize("name", ["certify", "levels --csv", "minimal-uniques"])
def test_files_that_name_people_are_private(name, mask, place, shell):
    """Whatever the umask is, and whatever the file was that is replaced."""
    (place / "data.csv").write_text(data_for(name))
    (place / "old.csv").write_text("old")
    (place / "old.csv").chmod(0o666)
    command = [part.format("data.csv") for part in WRITERS[name]]
    old = os.umask(mask)
    try:
        assert shell(*command, "new.csv")[0] == shell(*command, "old.csv", "--force")[0] == 0
    finally:
        os.umask(old)
    assert modes(place)["new.csv"] == modes(place)["old.csv"] == 0o600


def test_modes_of_a_release(place, shell):
    """What is published has the mode of the umask, the mapping does not; a file that was private stays so."""
    old = os.umask(0o022)
    (place / "private.csv").write_text("old")
    (place / "private.csv").chmod(0o600)
    made = ["anonymize", "example:village", "--method", "hide-neighbors", "-k", "2", "--force", "-o"]
    try:
        assert shell(*made, "safe.csv", "--attributes-output", "people.csv", "--mapping", "secret.csv")[0] == 0
        assert shell(*made, "private.csv")[0] == 0
    finally:
        os.umask(old)
    found = modes(place)
    assert {found[name] for name in ("safe.csv", "people.csv", "safe.csv.release.json")} == {0o644}
    assert found["secret.csv"] == found["private.csv"] == 0o600


def test_nobody_can_read_a_file_while_it_is_written(place):
    """The temporary file lies in a folder that only its owner can enter."""
    old = os.umask(0)
    try:
        with replace_file(place / "x.csv", force=False) as stream:
            stream.write(b"half")
            [folder] = place.iterdir()
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    finally:
        os.umask(old)


def ask_frontier(shell, *more):
    return shell("frontier", "example:florentine", "-k", "2", "--methods", "hide-neighbors", "--jobs", "1", *more)


def test_points_of_a_frontier_are_private_and_follow_no_link(place, shell):
    (place / "victim").write_text("mine")
    points = place / "f.json.points"
    points.mkdir(mode=0o777)
    points.chmod(0o777)
    (points / ".points.jsonl.part").symlink_to(place / "victim")
    assert ask_frontier(shell, "-o", "f.json")[0] == 0
    assert (place / "victim").read_text() == "mine"
    assert modes(place)["f.json.points"] == 0o700
    assert modes(points)["points.jsonl"] == modes(place)["f.json"] == 0o600
    (points / "points.jsonl").unlink()
    (points / "points.jsonl").symlink_to(place / "victim")
    code, _, said = ask_frontier(shell, "-o", "f.json", "--force")
    assert code == 2
    assert "points.jsonl" in said
    assert (place / "victim").read_text() == "mine"


def test_a_folder_of_points_must_be_ones_own(place, shell, monkeypatch):
    (place / "elsewhere").mkdir()
    (place / "f.json.points").symlink_to(place / "elsewhere")
    assert ask_frontier(shell, "-o", "f.json")[0] == 2
    assert not [*(place / "elsewhere").iterdir()]
    (place / "g.json.points").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: (place / "g.json.points").stat().st_uid + 1)
    code, _, said = ask_frontier(shell, "-o", "g.json")
    assert code == 2
    assert "g.json.points" in said


LIMITED = """
import resource, sys
sys.dont_write_bytecode = True  # else compiled modules are cut to 20 bytes, and no later import works
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
from shoal.cli.app import run_command
sys.exit(run_command(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--mapping", "secret.csv"]])
def test_a_disk_that_is_full_is_named_by_the_file_that_was_asked_for(more, place):
    """A limit on the size of files stands for the full disk."""
    made = ["anonymize", "example:florentine", "--method", "hide-neighbors", "-k", "2", "-o", "safe.csv", *more]
    done = subprocess.run([sys.executable, "-c", LIMITED, *made], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "safe.csv" in done.stderr
    assert os.strerror(27) in done.stderr
    assert ".part" not in done.stderr
    assert not [*place.iterdir()]


def test_a_disk_that_cannot_be_written_is_named_by_the_file_that_was_asked_for(shell):
    code, _, said = shell("certify", "example:florentine", "-k", "2", "-o", "/proc/cert.json")
    assert code == 2
    assert "/proc/cert.json" in said
    assert ".part" not in said


def test_if_one_move_fails_all_are_taken_back(place, monkeypatch):
    (place / "a").write_text("old a")
    rename = type(place).replace

    def fail(self, target):
        if target.name == "a" and target.parent == place and self.name == "a":
            raise OSError(30, "Read-only file system")
        return rename(self, target)

    monkeypatch.setattr(type(place), "replace", fail)
    with pytest.raises(shoal.errors.BadFile, match="Read-only"):
        write_both(place)
    assert {file.name: file.read_text() for file in place.iterdir()} == {"a": "old a"}


def write_both(place):
    with write_together([place / "a", place / "b"], force=True) as parts:
        for part in parts:
            part.write_text("new")


def write_journal(place, **changed):
    folder = place / ".safe.csv.abcdefgh.part"
    folder.mkdir(mode=0o700, exist_ok=True)
    move = {
        "final": "safe.csv",
        "part": f"{folder.name}/safe.csv",
        "was": f"{folder.name}/safe.csv.was",
        "new": "0",
        "old": None,
    }
    locate_journal(place / "safe.csv").write_text(json.dumps({"schema": 1, "moves": [move | changed]}))


@pytest.mark.parametrize(
    "changed",
    [{"part": "../../elsewhere/safe.csv"}, {"final": "other.csv"}, {"new": 1}, {"more": "x"}, {"part": "victim"}],
)
def test_a_journal_moves_nothing_but_what_shoal_wrote(changed, place, shell):
    (place / "victim").write_text("mine")
    write_journal(place, **changed)
    code, _, said = shell("recover", "safe.csv")
    assert code == 2
    assert "shoal-journal" in said
    assert (place / "victim").read_text() == "mine"


def test_what_was_changed_since_is_not_recovered(place, shell):
    (place / "safe.csv").write_text("changed by hand")
    write_journal(place)
    for more in ([], ["--roll-back"]):
        code, _, said = shell("recover", "safe.csv", *more)
        assert code == 2
        assert "safe.csv" in said
    assert (place / "safe.csv").read_text() == "changed by hand"


def test_recover_leaves_a_run_alone_that_is_still_writing(place, shell):
    with write_together([place / "a.csv", place / "b.csv"], force=False) as parts:
        assert "nothing to recover" in shell("recover", "a.csv")[1]
        for part in parts:
            part.write_text("x")
    assert sorted(file.name for file in place.iterdir()) == ["a.csv", "b.csv"]


def test_files_can_be_written_from_a_thread(place):
    """Only the main thread can hold signals; the others have none to hold."""
    thread = threading.Thread(target=lambda: shoal.write(shoal.examples.florentine(), place / "k.csv"))
    thread.start()
    thread.join()
    assert shoal.read_graph(place / "k.csv").m == 20


def test_a_journal_that_came_with_the_data_cannot_remove_other_files(place, shell):
    """It names a file elsewhere whose contents its author knows, and a temporary folder that nobody made."""
    (place / "home").mkdir()
    (place / "home" / "bashrc").write_text("known")
    known = sha256(b"known").hexdigest()
    move = {"final": "home/bashrc", "part": "home/.bashrc.abcdefgh.part/x", "was": "home/.bashrc.abcdefgh.part/x.was"}
    write_journal(place)
    journal = locate_journal(place / "safe.csv")
    told = json.loads(journal.read_text())
    told["moves"].append(move | {"new": known, "old": None})
    journal.write_text(json.dumps(told))
    for more in ([], ["--roll-back"]):
        assert shell("recover", "safe.csv", *more)[0] == 2
    assert (place / "home" / "bashrc").read_text() == "known"


@pytest.mark.parametrize("what", ["pipe", "no moves", "text"])
def test_a_journal_that_is_none_hangs_and_breaks_nothing(what, place, shell):
    (place / "safe.csv").write_text(EDGES)
    journal = locate_journal(place / "safe.csv")
    if what == "pipe":
        os.mkfifo(journal)
    else:
        journal.write_text('{"schema": 1, "moves": []}' if what == "no moves" else "{")
    code, _, said = shell("risk", "safe.csv", "--knows", "degree")
    assert code == 0
    assert "shoal-journal" in said
    assert shell("recover", "safe.csv")[0] == 2


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_link_in_place_of_the_manifest_is_not_followed(force, place, shell):
    (place / "precious").write_text("mine")
    (place / "safe.csv.release.json").symlink_to(place / ("precious" if force else "new"))
    made = ["anonymize", "example:florentine", "--method", "hide-neighbors", "-k", "2", "-o", "safe.csv"]
    code, _, said = shell(*made, *force)
    assert code == 2
    assert "symbolic link" in said
    assert (place / "precious").read_text() == "mine"
    assert not (place / "new").exists()


def test_a_link_of_another_user_is_not_followed(place, shell, monkeypatch):
    (place / "precious").write_text("mine")
    (place / "cert.json").symlink_to(place / "precious")
    monkeypatch.setattr(os, "getuid", lambda: place.stat().st_uid + 1)
    assert shell("certify", "example:florentine", "-k", "2", "-o", "cert.json", "--force")[0] == 2
    assert (place / "precious").read_text() == "mine"


def test_writing_from_threads_leaves_warnings_as_they_were(place):
    shown, filters = warnings._showwarnmsg_impl, list(warnings.filters)
    inside, wait = threading.Barrier(2), threading.Event()

    def write(name, last):
        with replace_file(place / name, force=False) as stream:
            inside.wait()
            stream.write(b"x")
            if last:
                wait.wait()
        wait.set()

    threads = [threading.Thread(target=write, args=(name, name == "b")) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (warnings._showwarnmsg_impl, list(warnings.filters)) == (shown, filters)


@pytest.mark.parametrize("name", ["was", "x.was", "x.pointer", "a b.csv", "Zoë.csv"])
def test_files_of_any_name_are_replaced_together(name, place):
    (place / name).write_text("old")
    with write_together([place / name, place / "other"], force=True) as parts:
        for part in parts:
            part.write_text("new")
    assert {file.name: file.read_text() for file in place.iterdir()} == {name: "new", "other": "new"}


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="file names are Unicode there")
def test_a_release_may_have_a_name_that_is_no_text(place, shell):
    name = os.fsdecode(b"saf\xff.csv")
    made = ["anonymize", "example:florentine", "--method", "hide-neighbors", "-k", "2", "-o", name]
    assert shell(*made, "--mapping", "secret.csv")[0] == 0
    assert shoal.read_graph(name).n == 15


def test_if_taking_back_fails_too_everything_is_kept_for_a_recovery(place, shell, monkeypatch):
    rename = type(place).replace
    for name in "ab":
        (place / name).write_text(f"old {name}")

    def fail(self, target):
        if target.name == "a" or self.name == "b.was":
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(type(place), "replace", fail)
    with pytest.raises(shoal.errors.BadFile, match="shoal recover"):
        write_both(place)
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert ((place / "a").read_text(), (place / "b").read_text()) == ("old a", "new")
    assert shell("recover", "a", "--roll-back")[0] == 0
    assert {file.name: file.read_text() for file in place.iterdir()} == {"a": "old a", "b": "old b"}


def test_two_files_of_a_release_with_one_name_are_refused(place, shell):
    (place / "b").mkdir()
    made = ["anonymize", "example:village", "--method", "hide-neighbors", "-k", "2", "-o", "x.csv"]
    code, _, said = shell(*made, "--attributes-output", "b/x.csv")
    assert code == 2
    assert "x.csv" in said


def test_a_folder_of_ones_own_keeps_its_mode(place, shell):
    (place / "f.json.points").mkdir(mode=0o755)
    (place / "f.json.points").chmod(0o755)
    assert ask_frontier(shell, "-o", "f.json")[0] == 0
    assert modes(place)["f.json.points"] == 0o755


def test_recover_keeps_a_folder_that_the_journal_of_another_file_needs(place, shell):
    folder = place / ".safe.csv.release.json.abcdefgh.part"
    folder.mkdir(mode=0o700)
    (folder / "x.pointer").write_text(str(place / "journal"))
    (place / "journal").write_text("of another file")
    assert "nothing to recover" in shell("recover", "safe.csv")[1]
    assert folder.exists()
    (place / "journal").unlink()
    assert shell("recover", "safe.csv")[0] == 0
    assert not folder.exists()


@pytest.mark.parametrize(
    "words", ["classes {} -o {}/rows.json --plot {}/curve.txt", "levels {} -k 2 --csv {}/rows.csv --plot {}/curve.txt"]
)
def test_two_outputs_of_a_command_are_written_together(words, shell, tmp_path):
    code, _, said = shell(*words.format("example:florentine", tmp_path, tmp_path).split())
    assert code == 2
    assert "curve.txt" in said
    assert not list(tmp_path.iterdir())
